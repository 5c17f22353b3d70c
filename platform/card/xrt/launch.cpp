#include "platform/card/xrt/launch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <map>
#include <optional>

#include "model/core/text.h"
#include "platform/card/xrt/complaint.h"
#include "platform/card/xrt/stopped.h"
#include "platform/os/failure.h"
#include "platform/os/standard_streams.h"

namespace weft::xrt {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{100};
// Limit from the unpacking of an xclbin by the shim to its relay, which takes milliseconds.
constexpr milliseconds kUnserved{3500};
// Limit for as long as a helper of the shim, or the relay, still runs.
constexpr milliseconds kStarting{60'000};
// Time for a program or a card to end by itself once the other is gone.
constexpr milliseconds kGrace{1000};
constexpr milliseconds kCardGrace{3000};

void say(const std::string& line) {
  os::say(fmt::format("weft: {}\n", printable(line)));
}

std::string signal_text(int number) {
  return fmt::format("signal {} ({})", number, sigdescr_np(number) ? sigdescr_np(number) : "unknown");
}

class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) os::fail("cannot make a pipe", errno);
    out_ = ends[0];
    in_ = ends[1];
  }
  ~Pipe() {
    close_out();
    close_in();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int out() const { return out_; }
  int in() const { return in_; }
  void close_out() { shut(out_); }
  void close_in() { shut(in_); }

 private:
  static void shut(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  int out_ = -1, in_ = -1;
};

template <class T>
bool put(int to, const T& value) {
  return write(to, &value, sizeof value) == sizeof value;
}

std::string all_of(int from) {
  std::string text;
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t got = read(from, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

// Signals that this process waits for instead of being ended by them. It also blocks SIGPIPE: the card may be gone.
class Signals {
 public:
  Signals() {
    sigemptyset(&mask_);
    for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&mask_, number);
    sigset_t blocked = mask_;
    sigaddset(&blocked, SIGPIPE);
    sigprocmask(SIG_BLOCK, &blocked, &before_);
    descriptor_ = signalfd(-1, &mask_, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ >= 0) return;
    const int why = errno;
    restore();
    os::fail("cannot wait for signals", why);
  }
  ~Signals() {
    close(descriptor_);
    const timespec none{};
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    while (sigtimedwait(&pipe, nullptr, &none) > 0) {
    }
    restore();
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  // Waits at most a tick. Returns the signals that came, without SIGCHLD.
  std::vector<int> wait() const {
    pollfd event{descriptor_, POLLIN, 0};
    poll(&event, 1, static_cast<int>(kTick.count()));
    std::vector<int> numbers;
    for (signalfd_siginfo info{}; read(descriptor_, &info, sizeof info) == sizeof info;) {
      if (info.ssi_signo != SIGCHLD) numbers.push_back(static_cast<int>(info.ssi_signo));
    }
    return numbers;
  }

 private:
  sigset_t mask_{}, before_{};
  int descriptor_ = -1;
};

// Returns the children of this process, adopted ones included.
std::vector<pid_t> children() {
  std::ifstream in("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> all;
  for (pid_t child = 0; in >> child;) all.push_back(child);
  return all;
}

class Run {
 public:
  Run(const std::vector<std::string>& words, const Device& device, const ServeCard& card)
      : folder_(device), words_(words), make_card_(card), listener_(listen_at(folder_.card_socket())) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // adopts the processes that the program leaves
  }

  ~Run() {
    end_all();
    if (listener_ >= 0) close(listener_);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  int to_the_end() {
    start_card();
    start_program();
    while (!program_status_ || !card_status_) {
      for (const int number : signals_.wait()) forward(number);
      reap();
      if (program_status_ && !told_) tell_card();
      if (card_status_ && !program_status_) end_program();
      if (program_status_ && !card_status_) wait_for_card();
      if (!program_status_) look_for_complaint();
      if (!program_status_ && !card_status_) look_for_unserved();
    }
    end_all();
    look_for_complaint();
    return outcome();
  }

 private:
  void start_card() {
    std::fflush(nullptr);
    card_ = fork();
    if (card_ < 0) os::fail("cannot start a process for the card", errno);
    if (card_ == 0) be_card();
    life_.close_out();
    report_.close_in();
    close(listener_);
    listener_ = -1;
  }

  [[noreturn]] void be_card() {
    // Ctrl-C is for the program; the card ends after it. SIGCONT lets a stopped card see that the launcher is gone.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    std::signal(SIGPIPE, SIG_IGN);
    signals_.restore();
    prctl(PR_SET_NAME, "weft-card");
    life_.close_in();
    report_.close_out();
    CardReport report;
    try {
      Visits visits(listener_, life_.out(),
                    {[this](pid_t program) {
                       if (program > 0) kill(-program, SIGKILL);
                       folder_.remove();
                       say("error: card: weft was killed, and the program ended with it");
                       _exit(1);
                     },
                     [this](pid_t relay) {
                       end_card({1, fmt::format("the relay between the program and the card (process {}) was killed, "
                                                "and the program ended with it",
                                                relay)});
                     }});
      report = make_card_(visits, folder_.path());
    } catch (...) {
      const os::Ending ending = os::ending_of(std::current_exception());
      const bool internal = std::strcmp(ending.kind, "internal error") == 0;
      report = {ending.exit_code, internal ? fmt::format("{}: {}", ending.kind, ending.text) : ending.text};
    }
    end_card(report);
  }

  [[noreturn]] void end_card(const CardReport& report) const {
    const std::string text = fmt::format("{} {:d}\n{}", report.exit_code, report.fails, report.text);
    const bool told = write(report_.in(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(told ? 0 : 1);
  }

  void start_program() {
    Pipe failure;
    const std::vector<std::string> environment = folder_.environment();
    const pid_t launcher = getpid();
    program_ = fork();
    if (program_ < 0) os::fail(fmt::format("cannot start a process for '{}'", words_.front()), errno);
    if (program_ == 0) {
      setsid();  // the shim kills its process group when something is wrong
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != launcher) _exit(1);  // the launcher was killed before
      signals_.restore();
      for (const int number : {SIGPIPE, SIGXFSZ}) {
        if (sigismember(&os::signals_for_programs(), number) == 1) std::signal(number, SIG_DFL);
      }
      for (const std::string& each : environment) putenv(const_cast<char*>(each.c_str()));
      std::vector<char*> arguments;
      for (const std::string& word : words_) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      const int why = errno;
      _exit(put(failure.in(), why) ? 127 : 126);
    }
    failure.close_in();
    int why = 0;
    if (read(failure.out(), &why, sizeof why) == sizeof why) {
      os::fail(fmt::format("cannot start '{}'", words_.front()), why);
    }
    put(life_.in(), program_);
  }

  void reap() {
    for (;;) {
      int status = 0;
      const pid_t ended = waitpid(-1, &status, WNOHANG);
      if (ended <= 0) return;
      if (ended == program_) program_status_ = status;
      if (ended == card_) card_status_ = status;
    }
  }

  // Passes Ctrl-C and the like to the program; the second one kills it.
  void forward(int number) {
    if (program_status_) return;
    kill(-program_, ++asked_ > 1 ? SIGKILL : number);
  }

  void tell_card() {
    told_ = true;
    card_deadline_ = Clock::now() + kCardGrace;
    put(life_.in(), Visits::kProgramEnded);
  }

  void end_program() {
    if (!program_deadline_) {
      program_deadline_ = Clock::now() + kGrace;
      kill(-program_, SIGTERM);
    } else if (Clock::now() > *program_deadline_) {
      kill(-program_, SIGKILL);
    }
  }

  void wait_for_card() {
    if (is_stopped(card_)) card_deadline_ = Clock::now() + kCardGrace;
    if (Clock::now() <= card_deadline_) return;
    late_ = true;
    kill(card_, SIGKILL);
  }

  void end_with(const Complaint& complaint) {
    if (complaint_) return;
    complaint_ = complaint;
    if (!program_status_) kill(-program_, SIGKILL);
  }

  void look_for_complaint() {
    if (const auto complaint = folder_.complaint()) end_with(*complaint);
  }

  // Ends a program without a relay, whose shim would wait minutes: the relay or simulate.sh was killed before.
  void look_for_unserved() {
    std::map<std::string, Waiting> now;
    for (const RunFolder::Load& load : folder_.unserved()) {
      const auto before = unserved_.find(load.name);
      Waiting& waiting = now[load.name];
      if (before != unserved_.end()) waiting = before->second;
      // A busy machine may start the shim's helpers and the relay slowly.
      const bool starting = has_child(load.process) && Clock::now() - waiting.first < kStarting;
      if (starting || has_stopped(load.process) || is_stopped(card_)) waiting.since = Clock::now();
      if (Clock::now() - waiting.since > kUnserved) {
        end_with({1, fmt::format("no relay connects the program with the card: it was killed, or it cannot be executed "
                                 "({}); the program was ended",
                                 relay_program().string())});
      }
    }
    unserved_ = std::move(now);
  }

  // Kills and reaps all processes that are left of the program and the card.
  void end_all() {
    const Clock::time_point deadline = Clock::now() + kGrace;
    if (program_ > 0) kill(-program_, SIGKILL);
    if (card_ > 0 && !card_status_) kill(card_, SIGKILL);
    while (Clock::now() < deadline) {
      reap();
      const std::vector<pid_t> left = children();
      if (left.empty()) return;
      for (const pid_t each : left) kill(each, SIGKILL);
      usleep(1000);
    }
  }

  int outcome() {
    const int program_code =
        WIFEXITED(*program_status_) ? WEXITSTATUS(*program_status_) : 128 + WTERMSIG(*program_status_);
    const std::string text = all_of(report_.out());
    const std::size_t end_of_code = text.find('\n');
    const bool told = end_of_code != std::string::npos;
    const int card_code = told ? std::stoi(text.substr(0, end_of_code)) : 0;
    if (card_code != 0) {
      say("error: card: " + text.substr(end_of_code + 1));
      return card_code;
    }
    if (!told && !late_) {
      say(fmt::format("error: card: the card was ended by {}, and the program with it",
                      WIFSIGNALED(*card_status_) ? signal_text(WTERMSIG(*card_status_))
                                                 : fmt::format("exit code {}", WEXITSTATUS(*card_status_))));
      return 1;
    }
    if (complaint_) {
      say("error: card: " + complaint_->line);
      return complaint_->exit_code;
    }
    if (!told) {
      say(fmt::format("error: card: the program ended ({}) while the kernel ran", ended_by()));
      return program_code;
    }
    if (WIFSIGNALED(*program_status_)) say(fmt::format("error: the program was ended by {}", ended_by()));
    say(text.substr(end_of_code + 1));
    const bool fails = text.at(end_of_code - 1) == '1';
    return program_code == 0 && fails ? 1 : program_code;
  }

  std::string ended_by() const {
    return WIFSIGNALED(*program_status_) ? signal_text(WTERMSIG(*program_status_))
                                         : fmt::format("exit code {}", WEXITSTATUS(*program_status_));
  }

  Signals signals_;
  RunFolder folder_;
  const std::vector<std::string>& words_;
  const ServeCard& make_card_;
  int listener_ = -1;
  Pipe life_;    // to the card: the program's process number, and its end
  Pipe report_;  // from the card
  pid_t card_ = -1, program_ = -1;
  std::optional<int> card_status_, program_status_;
  bool told_ = false, late_ = false;
  int asked_ = 0;
  Clock::time_point card_deadline_;
  std::optional<Clock::time_point> program_deadline_;
  // A loaded xclbin without a relay: when it was first seen, and since when no process works on it.
  struct Waiting {
    Clock::time_point first = Clock::now(), since = first;
  };
  std::map<std::string, Waiting> unserved_;
  std::optional<Complaint> complaint_;
};

}  // namespace

int run_on_card(const std::vector<std::string>& words, const Device& device, const ServeCard& card) {
  Run run(words, device, card);
  return run.to_the_end();
}

}  // namespace weft::xrt
