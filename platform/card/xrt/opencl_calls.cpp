// Preloaded into a host program together with shim_patch.cpp: records which of the program's commands of OpenCL wait
// for each other. A command waits for those before it in a queue that works in order, for the events in its list, and
// for all that the program has waited for. Two commands that do not wait for each other reach the card as this machine
// schedules XRT's threads. The program's own calls decide that, and are the same in every run.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/card/xrt/host_calls.h"

namespace weft::xrt {

namespace {

// Types of CL/cl.h, without it: objects are pointers.
using Object = void*;
using Size = std::size_t;
using Code = std::int32_t;
using Count = std::uint32_t;
constexpr Count kExecutionStatus = 0x11d3, kQueueProperties = 0x1093;
constexpr std::uint64_t kOutOfOrder = 1;
constexpr Code kComplete = 0;

Code status_of(Object event) {
  static const auto info = of_opencl<Code (*)(Object, Count, Size, void*, Size*)>("clGetEventInfo");
  Code status = kComplete;
  info(event, kExecutionStatus, sizeof status, &status, nullptr);
  return status;
}

bool works_in_order(Object queue) {
  static const auto info = of_opencl<Code (*)(Object, Count, Size, void*, Size*)>("clGetCommandQueueInfo");
  std::uint64_t properties = 0;
  info(queue, kQueueProperties, sizeof properties, &properties, nullptr);
  return (properties & kOutOfOrder) == 0;
}

enum class Kind : std::uint8_t {
  Access,   // of the card
  Barrier,  // without a list: waits for all before it in its queue, and those after it wait for it
  Marker    // the same, but no command waits for it
};

class Commands {
 public:
  void set_buffer(Object kernel, Count argument, Object buffer) {
    const std::lock_guard lock(mutex_);
    buffers_[{kernel, argument}] = buffer;
  }
  // Adds a command; takes over a reference to its event. `kernel`: that it runs. `read`: the buffer that it reads.
  void add(Object queue, Kind kind, Count count, const Object* list, Object event, Object kernel, Object read) {
    const bool in_order = works_in_order(queue);
    const std::lock_guard lock(mutex_);
    Command command{queue, kind, event, {}, kernel ? ++launches_ : 0, nullptr};
    if (kernel) command.out = buffers_[{kernel, static_cast<Count>(host_order().out_argument)}];
    for (const auto& [number, other] : open_) {
      const bool in_list = std::find(list, list + count, other.event) != list + count;
      const bool before =
          other.queue == queue && (in_order || other.kind == Kind::Barrier || (kind != Kind::Access && count == 0));
      if (!in_list && !before) continue;
      command.after.insert(number);
      command.after.insert(other.after.begin(), other.after.end());
    }
    for (const auto& [number, other] : open_) {
      const bool waits = command.after.count(number) != 0;
      if (read && other.out == read && !waits) host_order().read_early(other.launch);
    }
    const bool ordered = std::all_of(open_.begin(), open_.end(), [&](const auto& other) {
      return other.second.kind != Kind::Access || command.after.count(other.first) != 0;
    });
    if (kind == Kind::Access && !ordered) ++host_order().unordered;
    ++host_order().unfinished;
    open_.emplace(++last_, std::move(command));
  }
  // The program knows that the commands for which `known` holds are over, and with each those it waited for.
  template <class Known>
  void end(const Known& known) {
    std::vector<Object> ended;
    {
      const std::lock_guard lock(mutex_);
      std::set<std::uint64_t> over;
      for (const auto& [number, command] : open_) {
        if (!known(command.queue, command.event)) continue;
        over.insert(number);
        over.insert(command.after.begin(), command.after.end());
      }
      for (const std::uint64_t number : over) {
        const auto command = open_.find(number);
        if (command == open_.end()) continue;
        ended.push_back(command->second.event);
        open_.erase(command);
        --host_order().unfinished;
      }
    }
    static const auto release = of_opencl<Code (*)(Object)>("clReleaseEvent");
    for (Object event : ended) release(event);
  }
  void end_event(Object event) {
    end([&](Object, Object each) { return each == event; });
  }
  bool are_over() {
    end([](Object, Object event) { return status_of(event) <= kComplete; });
    const std::lock_guard lock(mutex_);
    return open_.empty();
  }

 private:
  struct Command {
    Object queue;
    Kind kind;
    Object event;
    std::set<std::uint64_t> after;  // open commands for which it waits
    std::uint64_t launch;           // number of the launch, from 1 on; 0: the command is none
    Object out;                     // the launch's buffer of OUT
  };
  std::mutex mutex_;
  std::map<std::uint64_t, Command> open_;               // by their number
  std::map<std::pair<Object, Count>, Object> buffers_;  // by kernel and argument
  std::uint64_t last_ = 0, launches_ = 0;
};

Commands& commands() {
  static Commands& all = *new Commands;
  return all;
}

// Properties of a command that accesses the card, or of none.
struct What {
  bool blocking = false;
  Object kernel = nullptr, read = nullptr;
  Kind kind = Kind::Access;
};

// Adds a command whose event is `own`; `event`: where the program wants it, or nullptr.
void add(const What& what, Object queue, Count count, const Object* list, Object own, Object* event) {
  static const auto retain = of_opencl<Code (*)(Object)>("clRetainEvent");
  if (event) retain(*event = own);
  commands().add(queue, what.kind, count, list, own, what.kernel, what.read);
  if (what.blocking) commands().end_event(own);
}

// Calls a function of OpenCL that puts a command into a queue.
template <class... Arguments>
Code enqueue(const char* name, const What& what, Object queue, Count count, const Object* list, Object* event,
             Arguments... arguments) {
  using Enqueue = Code (*)(Object, Arguments..., Count, const Object*, Object*);
  count_thread();
  Object own = nullptr;
  const Code code = of_opencl<Enqueue>(name)(queue, arguments..., count, list, &own);
  if (code == 0) add(what, queue, count, list, own, event);
  return code;
}

// Calls a function that tells properties. XRT's text for a version, "OpenCL 1.0", lacks the vendor's part, without
// which clients do not read it.
Code info_of(const char* name, Count version, Object object, Count what, Size size, void* value, Size* written) {
  const auto info = of_opencl<Code (*)(Object, Count, Size, void*, Size*)>(name);
  std::array<char, 64> text{};
  if (what != version || info(object, what, text.size(), text.data(), nullptr) != 0) {
    return info(object, what, size, value, written);
  }
  const std::string whole = std::string(text.data()) + " XRT";
  constexpr Code kInvalidValue = -30;
  if (value && size <= whole.size()) return kInvalidValue;
  if (value) std::memcpy(value, whole.c_str(), whole.size() + 1);
  if (written) *written = whole.size() + 1;
  return 0;
}

// Operation of this thread since its last event ended.
thread_local std::optional<Operation> operation;

// Operations of the changes of state of events; XRT keeps the place in here as the time of a change.
std::mutex changes_mutex;
std::vector<Operation>& changes() {
  static std::vector<Operation>& all = *new std::vector<Operation>;
  return all;
}

}  // namespace

void carried_out(const Operation& done) {
  operation = {operation ? operation->start_ps : done.start_ps, done.end_ps};
}

bool commands_are_over() {
  return commands().are_over();
}

}  // namespace weft::xrt

using namespace weft::xrt;

// XRT's clock, which its OpenCL asks when the state of an event changes, on the thread that changes it.
std::uint64_t time_ns() __asm__("_ZN8xrt_core7time_nsEv");
std::uint64_t time_ns() {
  static const auto wall = of_xrt<std::uint64_t (*)()>("_ZN8xrt_core7time_nsEv");
  if (!is_in(__builtin_return_address(0), {"libxilinxopencl.so"})) return wall();
  const std::int64_t now = operation ? 0 : card_time_ps();
  const Operation change = std::exchange(operation, std::nullopt).value_or(Operation{now, now});
  const std::lock_guard lock(changes_mutex);
  changes().push_back(change);
  return changes().size() - 1;
}

extern "C" {

Code clGetDeviceInfo(Object device, Count what, Size size, void* value, Size* written) {
  return info_of("clGetDeviceInfo", 0x102f, device, what, size, value, written);
}

Code clGetPlatformInfo(Object platform, Count what, Size size, void* value, Size* written) {
  return info_of("clGetPlatformInfo", 0x0901, platform, what, size, value, written);
}

// Times of an event: the program's own time is not simulated, so that a command is queued when it starts.
Code clGetEventProfilingInfo(Object event, Count what, Size size, void* value, Size* written) {
  constexpr Count kEnd = 0x1283;
  static const auto info = of_opencl<Code (*)(Object, Count, Size, void*, Size*)>("clGetEventProfilingInfo");
  const Code code = info(event, what, size, value, written);
  std::uint64_t at = 0;
  if (code != 0 || !value || size < sizeof at || info(event, kEnd, sizeof at, &at, nullptr) != 0) return code;
  const std::lock_guard lock(changes_mutex);
  if (at >= changes().size()) return code;
  const Operation& change = changes()[at];
  const std::uint64_t ns = static_cast<std::uint64_t>(what == kEnd ? change.end_ps : change.start_ps) / 1000;
  std::memcpy(value, &ns, sizeof ns);
  return code;
}

Code clEnqueueReadBuffer(Object queue, Object buffer, Count blocking, Size offset, Size size, void* data, Count count,
                         const Object* list, Object* event) {
  return enqueue("clEnqueueReadBuffer", {blocking != 0, nullptr, buffer}, queue, count, list, event, buffer, blocking,
                 offset, size, data);
}

Code clEnqueueWriteBuffer(Object queue, Object buffer, Count blocking, Size offset, Size size, const void* data,
                          Count count, const Object* list, Object* event) {
  return enqueue("clEnqueueWriteBuffer", {blocking != 0}, queue, count, list, event, buffer, blocking, offset, size,
                 data);
}

Code clEnqueueCopyBuffer(Object queue, Object from, Object to, Size from_offset, Size to_offset, Size size, Count count,
                         const Object* list, Object* event) {
  return enqueue("clEnqueueCopyBuffer", {false, nullptr, from}, queue, count, list, event, from, to, from_offset,
                 to_offset, size);
}

Code clEnqueueFillBuffer(Object queue, Object buffer, const void* pattern, Size pattern_size, Size offset, Size size,
                         Count count, const Object* list, Object* event) {
  return enqueue("clEnqueueFillBuffer", {}, queue, count, list, event, buffer, pattern, pattern_size, offset, size);
}

void* clEnqueueMapBuffer(Object queue, Object buffer, Count blocking, std::uint64_t flags, Size offset, Size size,
                         Count count, const Object* list, Object* event, Code* code) {
  using Map = void* (*)(Object, Object, Count, std::uint64_t, Size, Size, Count, const Object*, Object*, Code*);
  static const auto map = of_opencl<Map>("clEnqueueMapBuffer");
  count_thread();
  Object own = nullptr;
  void* const mapped = map(queue, buffer, blocking, flags, offset, size, count, list, &own, code);
  if (own) add({blocking != 0, nullptr, buffer}, queue, count, list, own, event);
  return mapped;
}

Code clEnqueueUnmapMemObject(Object queue, Object buffer, void* mapped, Count count, const Object* list,
                             Object* event) {
  return enqueue("clEnqueueUnmapMemObject", {}, queue, count, list, event, buffer, mapped);
}

Code clEnqueueMigrateMemObjects(Object queue, Count buffers, const Object* buffer, std::uint64_t flags, Count count,
                                const Object* list, Object* event) {
  return enqueue("clEnqueueMigrateMemObjects", {}, queue, count, list, event, buffers, buffer, flags);
}

Code clEnqueueNDRangeKernel(Object queue, Object kernel, Count dimensions, const Size* offset, const Size* global,
                            const Size* local, Count count, const Object* list, Object* event) {
  return enqueue("clEnqueueNDRangeKernel", {false, kernel}, queue, count, list, event, kernel, dimensions, offset,
                 global, local);
}

Code clEnqueueTask(Object queue, Object kernel, Count count, const Object* list, Object* event) {
  return enqueue("clEnqueueTask", {false, kernel}, queue, count, list, event, kernel);
}

Code clEnqueueMarkerWithWaitList(Object queue, Count count, const Object* list, Object* event) {
  return enqueue("clEnqueueMarkerWithWaitList", {false, nullptr, nullptr, Kind::Marker}, queue, count, list, event);
}

Code clEnqueueBarrierWithWaitList(Object queue, Count count, const Object* list, Object* event) {
  return enqueue("clEnqueueBarrierWithWaitList", {false, nullptr, nullptr, Kind::Barrier}, queue, count, list, event);
}

Code clSetKernelArg(Object kernel, Count argument, Size size, const void* value) {
  const Code code =
      of_opencl<Code (*)(Object, Count, Size, const void*)>("clSetKernelArg")(kernel, argument, size, value);
  const bool is_buffer = size == sizeof(Object) && value;  // or a number of that size, which is no buffer's
  if (code == 0 && is_buffer) commands().set_buffer(kernel, argument, *static_cast<const Object*>(value));
  return code;
}

Code clFinish(Object queue) {
  const Code code = of_opencl<Code (*)(Object)>("clFinish")(queue);
  if (code == 0) commands().end([&](Object each, Object) { return each == queue; });
  return code;
}

Code clWaitForEvents(Count count, const Object* events) {
  const Code code = of_opencl<Code (*)(Count, const Object*)>("clWaitForEvents")(count, events);
  if (code != 0) return code;
  commands().end([&](Object, Object event) { return std::find(events, events + count, event) != events + count; });
  return code;
}

Code clGetEventInfo(Object event, Count what, Size size, void* value, Size* written) {
  const Code code =
      of_opencl<Code (*)(Object, Count, Size, void*, Size*)>("clGetEventInfo")(event, what, size, value, written);
  const bool asked = code == 0 && what == kExecutionStatus && value && size >= sizeof(Code);
  if (asked && *static_cast<Code*>(value) <= kComplete) commands().end_event(event);
  return code;
}
}
