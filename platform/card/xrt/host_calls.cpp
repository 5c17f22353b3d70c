// Preloaded into a host program together with shim_patch.cpp: records the order of the program's calls for the card
// (HostOrder in handover.h). XRT launches kernels in a thread of its own. The card therefore sees in no fixed order
// what the program does during a launch that it has not waited for, and cannot know if the next start was handed over
// before the end. The order of the program's calls to XRT's native interface decides both, and is the same in every
// run.
//
// The card has one compute unit, which takes launches in the order of their starts. The end of a launch therefore
// implies the end of all previous ones.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "platform/card/xrt/handover.h"

namespace {

// XRT's types, compiled without its headers: run and bo are handles, each a shared_ptr.
enum State : int { kCompleted = 4, kError = 5, kAborted = 6 };  // states in ert_cmd_state of a launch that is over
using Milliseconds = std::chrono::duration<long, std::milli>;
using Callback = std::function<void(const void*, int, void*)>;

template <class Function>
Function real(const char* name) {
  // RTLD_NEXT would fail: the caller may have loaded XRT with RTLD_LOCAL.
  void* const library = dlopen("libxrt_coreutil.so.2", RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<Function>(library ? dlsym(library, name) : nullptr);
}

const void* identity(const void* handle) {
  const void* pointer = nullptr;
  std::memcpy(&pointer, handle, sizeof pointer);
  return pointer;
}

// True for calls of the OpenCL library, which uses the native interface and orders its commands by events.
bool from_opencl(const void* caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || !info.dli_fname) return false;
  return std::strstr(info.dli_fname, "libxrt++.so") || std::strstr(info.dli_fname, "libxilinxopencl.so");
}

// Maps the record in the folder of the run; nullptr if there is none.
weft::xrt::HostOrder* shared_with_card() {
  const char* const folder = std::getenv("WEFT_CARD_FOLDER");
  if (!folder) return nullptr;
  const int file = open((std::string(folder) + "/" + weft::xrt::kHostOrderFile).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const at = mmap(nullptr, sizeof(weft::xrt::HostOrder), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return at == MAP_FAILED ? nullptr : static_cast<weft::xrt::HostOrder*>(at);
}

class Launches {
 public:
  // To be called before XRT, and through it the card, learns of the start.
  void started(const void* run) {
    const std::lock_guard lock(mutex_);
    tell_start(over_ < last_);
    number_of_[run] = ++last_;
  }
  // Start through an interface whose waits are not counted here.
  void started_elsewhere() {
    const std::lock_guard lock(mutex_);
    tell_start(false);
  }
  void is(const void* run, int state) {
    if (state != kCompleted && state != kError && state != kAborted) return;
    const std::lock_guard lock(mutex_);
    const auto number = number_of_.find(run);
    if (number == number_of_.end()) return;
    over_ = std::max(over_, number->second);
    number_of_.erase(number);
  }
  // The program accesses the card otherwise than by a start.
  void asked() {
    const std::lock_guard lock(mutex_);
    if (over_ < last_ && shared_) __atomic_add_fetch(&shared_->unordered, 1, __ATOMIC_RELAXED);
  }

 private:
  void tell_start(bool queued) const {
    if (!shared_) return;
    shared_->queued[shared_->starts % weft::xrt::HostOrder::kStarts] = queued ? 1 : 0;
    __atomic_add_fetch(&shared_->starts, 1, __ATOMIC_RELEASE);
  }

  weft::xrt::HostOrder* const shared_ = shared_with_card();
  std::mutex mutex_;
  std::map<const void*, std::uint64_t> number_of_;  // number of the start of each run
  std::uint64_t last_ = 0, over_ = 0;
};

Launches& launches() {
  static Launches all;
  return all;
}

}  // namespace

// Functions that programs call, by their mangled names.

void run_start(void* run) __asm__("_ZN3xrt3run5startEv");
void run_start(void* run) {
  static const auto start = real<void (*)(void*)>("_ZN3xrt3run5startEv");
  if (from_opencl(__builtin_return_address(0))) {
    launches().started_elsewhere();
  } else {
    launches().started(identity(run));
  }
  start(run);
}

extern "C" int xrtRunStart(void* run) {
  static const auto start = real<int (*)(void*)>("xrtRunStart");
  launches().started_elsewhere();
  return start(run);
}

int run_wait(const void* run,
             const Milliseconds& limit) __asm__("_ZNK3xrt3run4waitERKNSt6chrono8durationIlSt5ratioILl1ELl1000EEEE");
int run_wait(const void* run, const Milliseconds& limit) {
  static const auto wait = real<int (*)(const void*, const Milliseconds&)>(
      "_ZNK3xrt3run4waitERKNSt6chrono8durationIlSt5ratioILl1ELl1000EEEE");
  const int state = wait(run, limit);
  launches().is(identity(run), state);
  return state;
}

int run_state(const void* run) __asm__("_ZNK3xrt3run5stateEv");
int run_state(const void* run) {
  static const auto state_of = real<int (*)(const void*)>("_ZNK3xrt3run5stateEv");
  const int state = state_of(run);
  launches().is(identity(run), state);
  return state;
}

void run_add_callback(void* run, int state, Callback callback,
                      void* data) __asm__("_ZN3xrt3run12add_callbackE13ert_cmd_stateSt8functionIFvPKvS1_PvEES5_");
void run_add_callback(void* run, int state, Callback callback, void* data) {
  static const auto add = real<void (*)(void*, int, Callback, void*)>(
      "_ZN3xrt3run12add_callbackE13ert_cmd_stateSt8functionIFvPKvS1_PvEES5_");
  const void* const which = identity(run);
  add(
      run, state,
      [which, callback = std::move(callback)](const void* key, int now, void* with) {
        launches().is(which, now);
        callback(key, now, with);
      },
      data);
}

void bo_sync(void* buffer, int direction, std::size_t bytes,
             std::size_t offset) __asm__("_ZN3xrt2bo4syncE18xclBOSyncDirectionmm");
void bo_sync(void* buffer, int direction, std::size_t bytes, std::size_t offset) {
  static const auto sync =
      real<void (*)(void*, int, std::size_t, std::size_t)>("_ZN3xrt2bo4syncE18xclBOSyncDirectionmm");
  if (!from_opencl(__builtin_return_address(0))) launches().asked();
  sync(buffer, direction, bytes, offset);
}

void bo_copy(void* to, const void* from, std::size_t bytes, std::size_t from_offset,
             std::size_t to_offset) __asm__("_ZN3xrt2bo4copyERKS0_mmm");
void bo_copy(void* to, const void* from, std::size_t bytes, std::size_t from_offset, std::size_t to_offset) {
  static const auto copy =
      real<void (*)(void*, const void*, std::size_t, std::size_t, std::size_t)>("_ZN3xrt2bo4copyERKS0_mmm");
  if (!from_opencl(__builtin_return_address(0))) launches().asked();
  copy(to, from, bytes, from_offset, to_offset);
}

std::uint32_t kernel_read_register(const void* kernel,
                                   std::uint32_t offset) __asm__("_ZNK3xrt6kernel13read_registerEj");
std::uint32_t kernel_read_register(const void* kernel, std::uint32_t offset) {
  static const auto read = real<std::uint32_t (*)(const void*, std::uint32_t)>("_ZNK3xrt6kernel13read_registerEj");
  launches().asked();
  return read(kernel, offset);
}

void kernel_write_register(void* kernel, std::uint32_t offset,
                           std::uint32_t data) __asm__("_ZN3xrt6kernel14write_registerEjj");
void kernel_write_register(void* kernel, std::uint32_t offset, std::uint32_t data) {
  static const auto write = real<void (*)(void*, std::uint32_t, std::uint32_t)>("_ZN3xrt6kernel14write_registerEjj");
  launches().asked();
  write(kernel, offset, data);
}
