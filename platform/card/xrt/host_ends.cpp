// Preloaded into a host program together with shim_patch.cpp: the end of the program and of its threads.
//
// XRT destroys its static objects at exit, while its threads work with them for launches that are under way, and
// catches signals to end the program with an exit code of its own. The library keeps both from happening, and lets a
// program that ends in order first end the commands that it began. So simulated time does not depend on how far they
// came. Which thread called the card last is recorded, too: the order of calls of threads that do not wait for each
// other depends on this machine.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "platform/card/xrt/host_calls.h"

namespace weft::xrt {

namespace {

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Time for the commands of a program that ends; the program ends within a second.
constexpr int kMostPauses = 2000;
constexpr timespec kPause{0, 200'000};

pid_t program = 0;

void finish_commands() {
  if (getpid() != program) return;  // a child that shares the program's memory, but none of its threads
  for (int i = 0; i < kMostPauses && !(launches_are_over() && commands_are_over()); ++i) nanosleep(&kPause, nullptr);
}

// Runs after the program's own handlers, which are registered later.
__attribute__((constructor)) void register_end() {
  program = getpid();
  std::atexit(finish_commands);
}

// For each thread, the number of its last call that another thread has seen: by starting the thread, or by waiting for
// its end.
using Seen = std::map<int, std::uint64_t>;

std::mutex& threads_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
int threads = 0;
std::pair<int, std::uint64_t> last_call;

std::map<pthread_t, Seen>& ended() {
  static std::map<pthread_t, Seen>& all = *new std::map<pthread_t, Seen>;
  return all;
}

struct Thread {
  int number;
  Seen seen;

  Thread() {
    const std::lock_guard lock(threads_mutex());
    number = ++threads;
  }
  ~Thread() {
    const std::lock_guard lock(threads_mutex());
    ended()[pthread_self()] = seen;
  }
};

Thread& self() {
  thread_local Thread thread;
  return thread;
}

struct Begin {
  void* (*work)(void*);
  void* argument;
  Seen seen;
};

void* begin(void* data) {
  const std::unique_ptr<Begin> own(static_cast<Begin*>(data));
  self().seen = std::move(own->seen);
  return own->work(own->argument);
}

}  // namespace

void count_thread() {
  Thread& own = self();
  const std::lock_guard lock(threads_mutex());
  if (last_call.first != 0 && own.seen[last_call.first] < last_call.second) ++host_order().racing;
  last_call = {own.number, ++own.seen[own.number]};
}

}  // namespace weft::xrt

using namespace weft::xrt;

extern "C" {

// Registers the destructor of a static object.
int register_destructor(void (*destroy)(void*), void* object, void* library) noexcept __asm__("__cxa_atexit");
int register_destructor(void (*destroy)(void*), void* object, void* library) noexcept {
  static const auto real = next<int (*)(void (*)(void*), void*, void*)>("__cxa_atexit");
  return is_in(library, {"libxrt", "libxilinxopencl"}) ? 0 : real(destroy, object, library);
}

int sigaction(int number, const struct sigaction* handler, struct sigaction* before) noexcept {
  static const auto real = next<int (*)(int, const struct sigaction*, struct sigaction*)>("sigaction");
  return is_in(__builtin_return_address(0), {"libxrt_hwemu.so"}) ? 0 : real(number, handler, before);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) noexcept {
  static const auto real = next<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  auto own = std::make_unique<Begin>(Begin{work, argument, self().seen});
  const int code = real(thread, attributes, begin, own.get());
  if (code == 0) static_cast<void>(own.release());  // the thread's
  return code;
}

int pthread_join(pthread_t thread, void** result) {
  static const auto real = next<int (*)(pthread_t, void**)>("pthread_join");
  const int code = real(thread, result);
  if (code != 0) return code;
  const std::lock_guard lock(threads_mutex());
  for (const auto& [number, call] : ended()[thread]) {
    std::uint64_t& seen = self().seen[number];
    if (seen < call) seen = call;
  }
  ended().erase(thread);
  return code;
}
}
