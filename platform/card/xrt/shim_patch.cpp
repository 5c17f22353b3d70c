// Preloaded into a host program (LD_PRELOAD): keeps Debian's hw_emu shim from wasting the program's time, writing to
// its folder and output, and waiting for ever where it does not check that a process has started; then the program
// ends. Changes only calls from the shim: the program's own calls stay as they are.
#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "platform/card/xrt/complaint.h"

namespace {

constexpr const char* kShim = "libxrt_hwemu.so";
// Replaces the sleeps of xclExecWait(): 10 s the first time and 1 s later, even if the kernel is done long since.
constexpr long kSleepNs = 100'000;

bool from_shim(const void* caller) {
  static std::atomic<const void*> last{nullptr};  // last caller that was in the shim, which sends from one place
  if (caller == last.load(std::memory_order_relaxed)) return true;
  Dl_info info{};
  const bool found = dladdr(caller, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, kShim);
  if (found) last.store(caller, std::memory_order_relaxed);
  return found;
}

// Time for weft to end a program whose connection has ended, and to say why.
constexpr timespec kUntilEnded{5, 0};

// The socket on which the shim asks the card.
std::atomic<int> card_socket{-1};

constexpr const char* kLost =
    "the program's XRT has lost its connection with the card: the relay was killed, and the program ended with it";

// True for messages that the shim's scheduler prints at each load.
bool is_chatter(const char* text) {
  constexpr const char* kChatter[] = {"configuring ", "scheduler config "};
  for (const char* const each : kChatter) {
    if (std::strncmp(text, each, std::strlen(each)) == 0) return true;
  }
  return false;
}

// Ends `program` because its connection with the card cannot be started.
[[noreturn]] void end(pid_t program, const std::string& why) {
  weft::xrt::complain({1, why});
  kill(program, SIGKILL);
  _exit(1);
}

std::string no_process(int code) {
  return std::string("cannot start a process for the program's XRT: ") + std::strerror(code) +
         " (the limit of processes: ulimit -u)";
}

}  // namespace

extern "C" {

int puts(const char* text) {
  if (is_chatter(text) && from_shim(__builtin_return_address(0))) return 0;
  static const auto real = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_NEXT, "puts"));
  return real(text);
}

// The name of printf in a library that is compiled with _FORTIFY_SOURCE.
int checked_printf(int, const char* format, ...) __asm__("__printf_chk");
int checked_printf(int, const char* format, ...) {
  if (is_chatter(format) && from_shim(__builtin_return_address(0))) return 0;
  va_list arguments;
  va_start(arguments, format);
  const int printed = std::vprintf(format, arguments);
  va_end(arguments);
  return printed;
}

unsigned sleep(unsigned seconds) {
  timespec time{static_cast<time_t>(seconds), 0};
  if (seconds > 0 && from_shim(__builtin_return_address(0))) time = {0, kSleepNs};
  timespec left{};
  return nanosleep(&time, &left) == 0 ? 0 : static_cast<unsigned>(left.tv_sec) + (left.tv_nsec > 0 ? 1 : 0);
}

// The shim reads the program's path, and writes its log and run files next to it: returns the run's folder instead.
ssize_t readlink(const char* path, char* buffer, std::size_t size) noexcept {
  static const auto real = reinterpret_cast<ssize_t (*)(const char*, char*, std::size_t)>(dlsym(RTLD_NEXT, "readlink"));
  const char* const folder = std::getenv("WEFT_CARD_FOLDER");
  if (!folder || std::strcmp(path, "/proc/self/exe") != 0 || !from_shim(__builtin_return_address(0))) {
    return real(path, buffer, size);
  }
  const int length = std::snprintf(buffer, size, "%s/x", folder);
  return length >= 0 && static_cast<std::size_t>(length) < size ? length : real(path, buffer, size);
}

// The shim ends the program without a message when its connection breaks, by exit() or by SIGPIPE.
void exit(int status) noexcept {
  if (status != 0 && from_shim(__builtin_return_address(0))) weft::xrt::complain({1, kLost});
  static const auto real = reinterpret_cast<void (*)(int)>(dlsym(RTLD_NEXT, "exit"));
  real(status);
  _exit(status);
}

ssize_t write(int file, const void* data, std::size_t size) {
  static const auto real = reinterpret_cast<ssize_t (*)(int, const void*, std::size_t)>(dlsym(RTLD_NEXT, "write"));
  if (!from_shim(__builtin_return_address(0))) return real(file, data, size);
  const ssize_t sent = send(file, data, size, MSG_NOSIGNAL);
  if (sent < 0 && errno == EPIPE) end(getpid(), kLost);
  if (sent > 0) card_socket = file;
  return sent < 0 && errno == ENOTSOCK ? real(file, data, size) : sent;
}

// The shim takes the end of its connection for an empty answer, and ends the program with messages of its own. The
// connection ends with an error if the card had not yet read a question.
ssize_t read(int file, void* data, std::size_t size) {
  static const auto real = reinterpret_cast<ssize_t (*)(int, void*, std::size_t)>(dlsym(RTLD_NEXT, "read"));
  const ssize_t got = real(file, data, size);
  const bool ended = got == 0 || (got < 0 && errno == ECONNRESET);
  if (!ended || size == 0 || file != card_socket || !from_shim(__builtin_return_address(0))) return got;
  nanosleep(&kUntilEnded, nullptr);
  end(getpid(), kLost);
}

// Starts the process that becomes the relay.
pid_t fork() noexcept {
  static const auto real = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "fork"));
  const pid_t child = real();
  if (child < 0 && from_shim(__builtin_return_address(0))) end(getpid(), no_process(errno));
  return child;
}

// In that process: enters the folder that the shim has just unpacked. A failure is taken for passing, such as a lack of
// memory, for a second.
int chdir(const char* path) noexcept {
  static const auto real = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_NEXT, "chdir"));
  constexpr timespec kPause{0, 10'000'000};
  int entered = real(path);
  if (entered == 0 || !from_shim(__builtin_return_address(0))) return entered;
  for (int tries = 0; tries < 100 && entered != 0; ++tries) {
    nanosleep(&kPause, nullptr);
    entered = real(path);
  }
  if (entered != 0)
    end(getppid(), std::string("the program's XRT cannot enter '") + path + "': " + std::strerror(errno));
  return entered;
}

// Then executes simulate.sh, with at most one argument after its name.
int execl(const char* path, const char* name, ...) noexcept {
  std::array<char*, 64> words{const_cast<char*>(name)};
  va_list arguments;
  va_start(arguments, name);
  for (std::size_t i = 1; words[i - 1] && i + 1 < words.size(); ++i) words[i] = va_arg(arguments, char*);
  va_end(arguments);
  execv(path, words.data());
  const int why = errno;
  if (from_shim(__builtin_return_address(0))) {
    end(getppid(), std::string("cannot execute '") + path + "': " + std::strerror(why));
  }
  errno = why;
  return -1;
}

// The shim unpacks an xclbin with other programs, and ignores their failure.
int system(const char* command) {
  static const auto real = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_NEXT, "system"));
  errno = 0;
  const int status = real(command);
  if (!command || status == 0 || !from_shim(__builtin_return_address(0))) return status;
  constexpr int kNoShell = 127;
  if (status == -1 || (errno == EAGAIN && WEXITSTATUS(status) == kNoShell)) end(getpid(), no_process(errno));
  for (const char* const needed : {"mkdir ", "unzip ", "chmod "}) {
    if (std::strncmp(command, needed, std::strlen(needed)) != 0) continue;
    end(getpid(), std::string("the program's XRT cannot unpack the xclbin: '") + command + "' ended with " +
                      (WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status))
                                         : "signal " + std::to_string(WTERMSIG(status))) +
                      ": is the disk full (df), or the limit of processes reached (ulimit -u)?");
  }
  return status;
}
}
