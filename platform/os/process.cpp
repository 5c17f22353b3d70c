#include "platform/os/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <sstream>

#include "model/core/error.h"
#include "platform/os/content.h"
#include "platform/os/failure.h"
#include "platform/os/progress.h"
#include "platform/os/standard_streams.h"

namespace weft::os {

namespace fs = std::filesystem;

namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_;
};

// Ignores Ctrl-C, which the terminal sends to both processes, while a program runs, as system(3) does; signals that
// this process handles stay. Signal actions belong to the process, so the first thread in and the last one out change
// them.
class InterruptsIgnored {
 public:
  InterruptsIgnored() {
    const std::lock_guard lock(mutex());
    if (programs()++ > 0) return;
    sigemptyset(&ignored());
    for (const int signal : {SIGINT, SIGQUIT}) {
      struct sigaction before {};
      sigaction(signal, nullptr, &before);
      if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) continue;
      std::signal(signal, SIG_IGN);
      sigaddset(&ignored(), signal);
    }
  }
  ~InterruptsIgnored() {
    const std::lock_guard lock(mutex());
    if (--programs() > 0) return;
    for (const int signal : {SIGINT, SIGQUIT}) {
      if (sigismember(&ignored(), signal) == 1) std::signal(signal, SIG_DFL);
    }
  }
  InterruptsIgnored(const InterruptsIgnored&) = delete;
  InterruptsIgnored& operator=(const InterruptsIgnored&) = delete;

  // Signals that are ignored here, but not by the programs; constant while an object of this class lives.
  static sigset_t& ignored() {
    static sigset_t signals;
    return signals;
  }

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static int& programs() {
    static int running = 0;
    return running;
  }
};

// Starts a program; both of its streams go to `output`.
pid_t start(const Program& program, int output) {
  if (!program.folder.empty() && !fs::is_directory(program.folder)) {
    throw Error(fmt::format("cannot start '{}' in '{}': no such folder", program.words.at(0), program.folder.string()));
  }
  std::vector<std::string> words = program.words;
  if (words[0].find('/') != std::string::npos) words[0] = fs::absolute(words[0]);  // not in the program's folder
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (!program.folder.empty()) posix_spawn_file_actions_addchdir_np(&files, program.folder.c_str());
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  sigset_t defaults;
  sigorset(&defaults, &InterruptsIgnored::ignored(), &signals_for_programs());
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  pid_t child = -1;
  const int code = posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) fail(fmt::format("cannot start '{}'", program.words[0]), code);
  return child;
}

// Reports from time to time that a program still runs, unless standard error is a terminal.
void say_alive(pid_t child, const std::string& name, const fs::path& log) {
  if (::isatty(STDERR_FILENO) == 1) return;
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));  // the C library has it for C only
  if (process.number() < 0) return;                                                 // a kernel without it
  const auto start = std::chrono::steady_clock::now();
  const auto timeout = static_cast<int>(alive_interval().count());
  for (;;) {
    pollfd end{process.number(), POLLIN, 0};
    const int ready = ::poll(&end, 1, timeout);
    if (ready < 0 && errno == EINTR) continue;
    if (ready != 0) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start);
    os::say(fmt::format("weft: {} has been running for {} s; its output goes to {}\n",
                        fs::path(name).filename().string(), seconds.count(), log.string()));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run(const Program& program, const fs::path& log) {
  const InterruptsIgnored ignored;
  if (log.empty()) return wait_for(start(program, STDERR_FILENO));
  const Descriptor file(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) fail(fmt::format("cannot write '{}'", log.string()), errno);
  const pid_t child = start(program, file.number());
  say_alive(child, program.words[0], log);
  return wait_for(child);
}

Output output_of(const Program& program) {
  const InterruptsIgnored ignored;
  std::array<int, 2> ends{};  // close-on-exec: programs of other threads must not hold them open
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
  const Descriptor from(ends[0]);
  Descriptor into(ends[1]);
  const pid_t child = start(program, into.number());
  into.close();
  Output result;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t got = read(from.number(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    result.text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  result.exit_code = wait_for(child);
  return result;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note(int signal) {
  noted = signal;
}

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const volatile std::sig_atomic_t& interrupt() {
  return noted;
}

namespace {

// Fails early: the launcher's shell would take a quarter of a minute to report that it cannot start a process.
void require_processes() {
  constexpr int kOfLauncher = 6;
  std::vector<pid_t> children;
  int reason = 0;
  while (reason == 0 && children.size() < kOfLauncher) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
    if (child > 0) children.push_back(child);
    if (child < 0) reason = errno;
  }
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  if (reason != 0) fail("cannot start a process", reason);
}

// Returns the packages of a list that are not installed, with a space before each. A package is the first word of its
// line; other lines are comments.
std::string missing_packages(const fs::path& list) {
  std::string missing;
  std::istringstream lines(content(list));
  for (std::string line; std::getline(lines, line);) {
    std::string name;
    std::istringstream(line) >> name;
    if (name.empty() || name[0] == '#') continue;
    if (output_of({{"dpkg-query", "-W", "-f=${db:Status-Status}", name}}).text != "installed") missing += " " + name;
  }
  return missing;
}

}  // namespace

void require_packages(const std::filesystem::path& source, const std::string& list) {
  static std::mutex mutex;
  static std::set<std::string> there;
  const std::lock_guard lock(mutex);
  if (there.count(list) > 0) return;
  require_processes();
  const fs::path file = source / ("packages-" + list + ".txt");
  if (!fs::exists(source / "weft")) {
    const std::string missing = missing_packages(file);
    if (!missing.empty()) {
      throw Error(
          fmt::format("packages are missing; run as root: apt-get install --yes --no-install-recommends{}", missing));
    }
  } else if (run({{source / "weft", "install", list}}) != 0) {
    throw Error(fmt::format("some packages of '{}' are not installed", file.string()));
  }
  there.insert(list);
}

}  // namespace weft::os
