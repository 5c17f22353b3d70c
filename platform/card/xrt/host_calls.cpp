// Preloaded into a host program together with shim_patch.cpp: records the order of the program's calls for the card
// (HostOrder in handover.h). XRT launches kernels in a thread of its own. The card therefore sees in no fixed order
// what the program does during a launch that it has not waited for, and cannot know if the next start was handed over
// before the end. The order of the program's calls to XRT's native interface decides both, and is the same in every
// run.
//
// The card has one compute unit, which takes launches in the order of their starts. The end of a launch therefore
// implies the end of all previous ones.
#include "platform/card/xrt/host_calls.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace weft::xrt {

namespace {

// XRT's types, compiled without its headers: run and bo are handles, each a shared_ptr.
enum State : int { kCompleted = 4, kError = 5, kAborted = 6 };  // states in ert_cmd_state of a launch that is over
using Milliseconds = std::chrono::duration<long, std::milli>;
using Callback = std::function<void(const void*, int, void*)>;
using Handle = std::shared_ptr<void>;

const Handle& handle_of(const void* run) {
  return *static_cast<const Handle*>(run);
}

// True for calls of the OpenCL library, which uses the native interface; opencl_calls.cpp records its commands.
bool from_opencl(const void* caller) {
  return is_in(caller, {"libxrt++.so", "libxilinxopencl.so"});
}

int state_of(const Handle& run) {
  static const auto state = of_xrt<int (*)(const void*)>("_ZNK3xrt3run5stateEv");
  return state(&run);
}

// Bytes of the card's memory.
struct Range {
  std::uint64_t begin = 0, end = 0;
  bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};
Range range_of(const void* buffer) {
  static const auto address = of_xrt<std::uint64_t (*)(const void*)>("_ZNK3xrt2bo7addressEv");
  static const auto size = of_xrt<std::size_t (*)(const void*)>("_ZNK3xrt2bo4sizeEv");
  return {address(buffer), address(buffer) + size(buffer)};
}

// Arguments that a program has set of a run of the native interface.
struct Arguments {
  std::uint64_t set = 0;
  Range out;
};

// Launches of XRT's native and C interface. XRT frees a run that is destroyed, and with it the device, although its
// threads still use them for a launch that is under way: so a launch keeps its run.
class Launches {
 public:
  void made(const void* run) {
    const std::lock_guard lock(mutex_);
    arguments_[run] = {};
  }
  void set(const void* run, int argument, const void* buffer) {
    const Range range = buffer ? range_of(buffer) : Range();
    const std::lock_guard lock(mutex_);
    Arguments& arguments = arguments_[run];
    if (argument >= 0 && argument < 64) arguments.set |= std::uint64_t{1} << argument;
    if (static_cast<std::uint64_t>(argument) == host_order().out_argument) arguments.out = range;
  }
  // Starts a run by `call`, and returns its code: if that is not 0, or it throws, nothing has been started. `run`:
  // nullptr for the C interface; `key`: nullptr for a start by OpenCL, of `opencl`.
  template <class Call>
  int start(const void* key, const Handle& run, const void* opencl, const Call& call) {
    const std::lock_guard starting(starting_);
    release();
    Launch before;
    {
      // Before XRT, and through it the card, learns of the start.
      const std::lock_guard lock(mutex_);
      host_order().queued[host_order().starts % HostOrder::kStarts] = key && over_ < last_;
      const auto arguments = run ? arguments_.find(key) : arguments_.end();
      const bool known = arguments != arguments_.end();
      const std::uint64_t all = (std::uint64_t{1} << host_order().arguments) - 1;
      host_order().unset[host_order().starts % HostOrder::kStarts] = known ? all & ~arguments->second.set : 0;
      if (opencl) opencl_starts_[opencl] = host_order().starts;
      ++host_order().starts;
      const Range out = known ? arguments->second.out : Range();
      if (key) before = std::exchange(under_way_[key], {++last_, run, host_order().starts, out});
      host_order().unfinished += key ? 1 : 0;
    }
    const auto take_back = [&] {
      const std::lock_guard lock(mutex_);
      --host_order().starts;
      host_order().unfinished -= key ? 1 : 0;
      if (key) --last_;
      if (key && !(under_way_[key] = before).number) under_way_.erase(key);
    };
    try {
      const int code = call();
      if (code != 0) take_back();
      return code;
    } catch (...) {
      take_back();
      throw;
    }
  }
  void is(const void* key, int state) {
    if (state != kCompleted && state != kError && state != kAborted) return;
    const std::lock_guard lock(mutex_);
    const auto launch = under_way_.find(key);
    if (launch == under_way_.end() || launch->second.number <= over_) return;
    host_order().unfinished -= launch->second.number - over_;
    over_ = launch->second.number;
    for (auto each = under_way_.begin(); each != under_way_.end();) {
      const bool ended = each->second.number <= over_;
      if (ended) finished_.push_back(std::move(each->second.run));
      each = ended ? under_way_.erase(each) : std::next(each);
    }
  }
  // Lets go of the runs that are over: not to be called by XRT's threads, which may still use them.
  void release() {
    std::vector<Handle> finished;
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
  }
  // The program accesses the card otherwise than by a start. `read`: memory that it reads.
  void asked(const Range& read = {}) {
    count_thread();
    const std::lock_guard lock(mutex_);
    if (over_ < last_) ++host_order().unordered;
    for (const auto& [key, launch] : under_way_) {
      if (launch.out.meets(read)) host_order().read_early(launch.start);
    }
  }
  Operation of_opencl(const void* key) {
    const std::lock_guard lock(mutex_);
    const auto start = opencl_starts_.find(key);
    if (start == opencl_starts_.end()) return {card_time_ps(), card_time_ps()};
    const std::size_t at = start->second % HostOrder::kStarts;
    return {host_order().launch_start_ps[at], host_order().launch_end_ps[at]};
  }
  bool is_under_way(const void* key) {
    const std::lock_guard lock(mutex_);
    return under_way_.count(key) != 0;
  }
  bool are_over() {
    std::map<const void*, Launch> under_way;
    {
      const std::lock_guard lock(mutex_);
      under_way = under_way_;
    }
    static const auto state_by_c = of_xrt<int (*)(const void*)>("xrtRunState");
    for (const auto& [key, launch] : under_way) is(key, launch.run ? state_of(launch.run) : state_by_c(key));
    const std::lock_guard lock(mutex_);
    return over_ == last_;
  }

 private:
  struct Launch {
    std::uint64_t number = 0;
    Handle run;
    std::uint64_t start = 0;  // among all of the card, from 1 on
    Range out;
  };
  std::mutex starting_, mutex_;
  std::map<const void*, Launch> under_way_;
  std::map<const void*, Arguments> arguments_;
  std::map<const void*, std::uint64_t> opencl_starts_;  // number of the last start of each run
  std::vector<Handle> finished_;
  std::uint64_t last_ = 0, over_ = 0;
};

// Never destroyed: XRT's threads use it until the process is gone.
Launches& launches() {
  static Launches& all = *new Launches;
  return all;
}

// Buffers of OpenCL whose contents are on the card; those of the others are in the host's memory. XRT copies a buffer
// to another by way of the card even if the contents are not there, and then gives zeros.
class Residents {
 public:
  void add(const void* buffer) {
    all_.erase(std::remove_if(all_.begin(), all_.end(), [](const auto& each) { return each.first.expired(); }),
               all_.end());
    if (!has(buffer)) all_.emplace_back(handle_of(buffer), range_of(buffer));
  }
  // A part of a buffer is on the card with the whole.
  bool has(const void* buffer) const {
    const Range range = range_of(buffer);
    return std::any_of(all_.begin(), all_.end(), [&](const auto& each) {
      return !each.first.expired() && each.second.begin <= range.begin && range.end <= each.second.end;
    });
  }

 private:
  std::vector<std::pair<std::weak_ptr<void>, Range>> all_;
};

Residents& residents() {
  static Residents& all = *new Residents;
  return all;
}

using Sync = void (*)(const void*, int, std::size_t, std::size_t);
constexpr const char* kSync = "_ZN3xrt2bo4syncE18xclBOSyncDirectionmm";
enum Direction : int { kToDevice, kFromDevice };

void make_resident(const void* buffer) {
  static const auto sync = of_xrt<Sync>(kSync);
  if (residents().has(buffer)) return;
  const Range range = range_of(buffer);
  ++host_order().transfers;
  sync(buffer, kToDevice, range.end - range.begin, 0);
  residents().add(buffer);
}

// Held by a thread of XRT's OpenCL during a transfer, so that the transfer's times are its own.
std::mutex& transferring() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

HostOrder& host_order() {
  static HostOrder& order = [&]() -> HostOrder& {
    const char* const folder = std::getenv("WEFT_CARD_FOLDER");
    HostOrder* const shared = folder ? map_host_order(folder) : nullptr;
    return shared ? *shared : *new HostOrder{};
  }();
  return order;
}

std::int64_t card_time_ps() {
  constexpr timespec kPause{0, 100'000};
  constexpr int kMostPauses = 10'000;
  for (int i = 0; i < kMostPauses && host_order().settling; ++i) nanosleep(&kPause, nullptr);
  return host_order().now_ps;
}

bool launches_are_over() {
  return launches().are_over();
}

}  // namespace weft::xrt

using namespace weft::xrt;

// Functions that programs call, by their mangled names.

void make_run(void* run, const void* kernel) __asm__("_ZN3xrt3runC1ERKNS_6kernelE");
void make_run(void* run, const void* kernel) {
  static const auto make = of_xrt<void (*)(void*, const void*)>("_ZN3xrt3runC1ERKNS_6kernelE");
  make(run, kernel);
  launches().made(handle_of(run).get());
}

void set_value(void* run, int argument, const void* value,
               std::size_t bytes) __asm__("_ZN3xrt3run16set_arg_at_indexEiPKvm");
void set_value(void* run, int argument, const void* value, std::size_t bytes) {
  static const auto set = of_xrt<void (*)(void*, int, const void*, std::size_t)>("_ZN3xrt3run16set_arg_at_indexEiPKvm");
  set(run, argument, value, bytes);
  launches().set(handle_of(run).get(), argument, nullptr);
}

void set_buffer(void* run, int argument, const void* buffer) __asm__("_ZN3xrt3run16set_arg_at_indexEiRKNS_2boE");
void set_buffer(void* run, int argument, const void* buffer) {
  static const auto set = of_xrt<void (*)(void*, int, const void*)>("_ZN3xrt3run16set_arg_at_indexEiRKNS_2boE");
  set(run, argument, buffer);
  launches().set(handle_of(run).get(), argument, buffer);
}

void run_start(void* run) __asm__("_ZN3xrt3run5startEv");
void run_start(void* run) {
  static const auto start = of_xrt<void (*)(void*)>("_ZN3xrt3run5startEv");
  const bool opencl = from_opencl(__builtin_return_address(0));
  if (!opencl) count_thread();
  const Handle& own = handle_of(run);
  launches().start(opencl ? nullptr : own.get(), opencl ? nullptr : own, opencl ? own.get() : nullptr, [&] {
    start(run);
    return 0;
  });
}

int run_wait(const void* run,
             const Milliseconds& limit) __asm__("_ZNK3xrt3run4waitERKNSt6chrono8durationIlSt5ratioILl1ELl1000EEEE");
int run_wait(const void* run, const Milliseconds& limit) {
  static const auto wait = of_xrt<int (*)(const void*, const Milliseconds&)>(
      "_ZNK3xrt3run4waitERKNSt6chrono8durationIlSt5ratioILl1ELl1000EEEE");
  const int state = wait(run, limit);
  launches().is(handle_of(run).get(), state);
  launches().release();
  return state;
}

int run_state(const void* run) __asm__("_ZNK3xrt3run5stateEv");
int run_state(const void* run) {
  const int state = state_of(handle_of(run));
  launches().is(handle_of(run).get(), state);
  launches().release();
  return state;
}

void run_add_callback(void* run, int state, Callback callback,
                      void* data) __asm__("_ZN3xrt3run12add_callbackE13ert_cmd_stateSt8functionIFvPKvS1_PvEES5_");
void run_add_callback(void* run, int state, Callback callback, void* data) {
  static const auto add = of_xrt<void (*)(void*, int, Callback, void*)>(
      "_ZN3xrt3run12add_callbackE13ert_cmd_stateSt8functionIFvPKvS1_PvEES5_");
  const void* const which = handle_of(run).get();
  const bool opencl = from_opencl(__builtin_return_address(0));
  add(
      run, state,
      [which, opencl, callback = std::move(callback)](const void* key, int now, void* with) {
        launches().is(which, now);
        if (opencl) carried_out(launches().of_opencl(which));
        callback(key, now, with);
      },
      data);
}

void bo_sync(void* buffer, int direction, std::size_t bytes,
             std::size_t offset) __asm__("_ZN3xrt2bo4syncE18xclBOSyncDirectionmm");
void bo_sync(void* buffer, int direction, std::size_t bytes, std::size_t offset) {
  static const auto sync = of_xrt<Sync>(kSync);
  if (from_opencl(__builtin_return_address(0))) {
    const std::lock_guard lock(transferring());
    ++host_order().transfers;
    if (direction == kToDevice) residents().add(buffer);
    sync(buffer, direction, bytes, offset);
    const std::int64_t end = card_time_ps();
    return carried_out({host_order().transfer_start_ps, end});
  }
  const std::uint64_t begin = range_of(buffer).begin + offset;
  launches().asked(direction == kFromDevice ? Range{begin, begin + bytes} : Range());
  ++host_order().transfers;
  sync(buffer, direction, bytes, offset);
}

void bo_copy(void* to, const void* from, std::size_t bytes, std::size_t from_offset,
             std::size_t to_offset) __asm__("_ZN3xrt2bo4copyERKS0_mmm");
void bo_copy(void* to, const void* from, std::size_t bytes, std::size_t from_offset, std::size_t to_offset) {
  static const auto copy =
      of_xrt<void (*)(void*, const void*, std::size_t, std::size_t, std::size_t)>("_ZN3xrt2bo4copyERKS0_mmm");
  if (!from_opencl(__builtin_return_address(0))) {
    launches().asked();
    ++host_order().transfers;
    return copy(to, from, bytes, from_offset, to_offset);
  }
  const std::lock_guard lock(transferring());
  const std::int64_t start = card_time_ps();
  make_resident(from);
  make_resident(to);
  ++host_order().transfers;
  copy(to, from, bytes, from_offset, to_offset);
  carried_out({start, card_time_ps()});
}

std::uint32_t kernel_read_register(const void* kernel,
                                   std::uint32_t offset) __asm__("_ZNK3xrt6kernel13read_registerEj");
std::uint32_t kernel_read_register(const void* kernel, std::uint32_t offset) {
  static const auto read = of_xrt<std::uint32_t (*)(const void*, std::uint32_t)>("_ZNK3xrt6kernel13read_registerEj");
  launches().asked();
  return read(kernel, offset);
}

void kernel_write_register(void* kernel, std::uint32_t offset,
                           std::uint32_t data) __asm__("_ZN3xrt6kernel14write_registerEjj");
void kernel_write_register(void* kernel, std::uint32_t offset, std::uint32_t data) {
  static const auto write = of_xrt<void (*)(void*, std::uint32_t, std::uint32_t)>("_ZN3xrt6kernel14write_registerEjj");
  launches().asked();
  write(kernel, offset, data);
}

// Simulated time for programs (docs/explanation/card.md): a weak symbol, which no real card has.
extern "C" std::uint64_t weft_card_time_ps() {
  return static_cast<std::uint64_t>(card_time_ps());
}

// XRT's C interface. A run's handle is the address that its shared_ptr holds.
extern "C" {

int xrtRunStart(void* run) {
  static const auto start = of_xrt<int (*)(void*)>("xrtRunStart");
  count_thread();
  return launches().start(run, nullptr, nullptr, [&] { return start(run); });
}

int xrtRunWait(void* run) {
  static const auto wait = of_xrt<int (*)(void*)>("xrtRunWait");
  const int state = wait(run);
  launches().is(run, state);
  return state;
}

int xrtRunWaitFor(void* run, unsigned milliseconds) {
  static const auto wait = of_xrt<int (*)(void*, unsigned)>("xrtRunWaitFor");
  const int state = wait(run, milliseconds);
  launches().is(run, state);
  return state;
}

int xrtRunState(void* run) {
  static const auto state_by_c = of_xrt<int (*)(void*)>("xrtRunState");
  const int state = state_by_c(run);
  launches().is(run, state);
  return state;
}

// Frees the run: waits for the launch, which XRT does not.
int xrtRunClose(void* run) {
  static const auto close = of_xrt<int (*)(void*)>("xrtRunClose");
  if (launches().is_under_way(run)) xrtRunWait(run);
  return close(run);
}

int xrtBOSync(void* buffer, int direction, std::size_t bytes, std::size_t offset) {
  static const auto sync = of_xrt<int (*)(void*, int, std::size_t, std::size_t)>("xrtBOSync");
  launches().asked();
  ++host_order().transfers;
  return sync(buffer, direction, bytes, offset);
}
}
