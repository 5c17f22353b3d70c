#include "platform/os/process.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <iterator>
#include <thread>

#include "tests/support/captured.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::os {
namespace {

namespace fs = std::filesystem;

TEST(Process, WordsReachTheProgramAsTheyAre) {
  EXPECT_EQ(output_of({{"printf", "<%s>", "a  b", "$HOME", "it's", "*", "", "\"\\;|"}}).text,
            "<a  b><$HOME><it's><*><><\"\\;|>");
}

TEST(Process, BothStreamsAndTheExitCodeAreCaptured) {
  const Output output = output_of({{"sh", "-c", "echo out; echo err >&2; exit 3"}});
  EXPECT_EQ(output.text, "out\nerr\n");
  EXPECT_EQ(output.exit_code, 3);
}

TEST(Process, MoreThanAPipeHoldsIsCaptured) {
  EXPECT_EQ(output_of({{"head", "-c", "1000000", "/dev/zero"}}).text, std::string(1000000, '\0'));
}

TEST(Process, ALogIsMadeAnew) {
  const test::TemporaryDirectory folder;
  const fs::path log = folder.write("log", "something longer than what the program prints\n");
  EXPECT_EQ(run({{"sh", "-c", "echo out; echo err >&2; exit 3"}}, log), 3);
  EXPECT_EQ(test::read_text_file(log), "out\nerr\n");
}

TEST(Process, WithoutALogBothStreamsGoToStandardError) {
  test::Captured out(STDOUT_FILENO);
  test::Captured err(STDERR_FILENO);
  EXPECT_EQ(run({{"sh", "-c", "echo out; echo err >&2"}}), 0);
  EXPECT_EQ(err.text(), "out\nerr\n");
  EXPECT_EQ(out.text(), "");
}

TEST(Process, StandardInputIsEmpty) {
  const test::TemporaryDirectory folder;
  const int ours = ::dup(STDIN_FILENO), full = ::open(folder.write("in", "text\n").c_str(), O_RDONLY);
  ASSERT_GE(full, 0);
  ::dup2(full, STDIN_FILENO);
  const Output output = output_of({{"cat"}});
  ::dup2(ours, STDIN_FILENO);
  ::close(full);
  ::close(ours);
  EXPECT_EQ(output.text, "");
  EXPECT_EQ(output.exit_code, 0);
}

// The relative names of the log and the program refer to the caller's folder.
TEST(Process, StartsInItsFolder) {
  const test::TemporaryDirectory here;
  fs::create_directory(here.path() / "inside");
  fs::permissions(here.write("program", "#!/bin/sh\npwd -P\n"), fs::perms::owner_all);
  const fs::path before = fs::current_path();
  fs::current_path(here.path());
  EXPECT_EQ(run({{"./program"}, "inside"}, "log"), 0);
  fs::current_path(before);
  EXPECT_EQ(test::read_text_file(here.path() / "log"), fs::canonical(here.path() / "inside").string() + "\n");
}

TEST(Process, ASignalIsAnExitCodeAbove128) {
  EXPECT_EQ(output_of({{"sh", "-c", "kill -9 $$"}}).exit_code, 128 + SIGKILL);
}

TEST(Process, WhatCannotStartIsAnErrorThatNamesIt) {
  const test::TemporaryDirectory folder;
  const std::string text = folder.write("text", "no program\n");
  EXPECT_EQ(test::message_of([] { output_of({{"weft-no-such-program"}}); }),
            "cannot start 'weft-no-such-program': No such file or directory");
  EXPECT_EQ(test::message_of([] { run({{"/weft/no-such-program"}}); }),
            "cannot start '/weft/no-such-program': No such file or directory");
  EXPECT_EQ(test::message_of([&] { run({{text}}); }), "cannot start '" + text + "': Permission denied");
  EXPECT_EQ(test::message_of([] {
              run({{"true"}, "/weft/none"});
            }),
            "cannot start 'true' in '/weft/none': no such folder");
  EXPECT_EQ(test::message_of([] { run({{"true"}}, "/weft/none/log"); }),
            "cannot write '/weft/none/log': No such file or directory");
}

TEST(Process, NoDescriptorStaysOpen) {
  const auto open_ones = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = open_ones();
  const test::TemporaryDirectory folder;
  output_of({{"true"}});
  run({{"true"}}, folder.path() / "log");
  test::message_of([] { output_of({{"weft-no-such-program"}}); });
  EXPECT_EQ(open_ones(), before);
}

// While one thread has a log open, another thread's program must not inherit it.
TEST(Process, AProgramInheritsNothingOfOneThatAnotherThreadRuns) {
  const test::TemporaryDirectory folder;
  const std::string fifo = folder.path() / "fifo", log = folder.path() / "log";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread other([&] { run({{"sh", "-c", "echo up; read line <\"$1\"", "sh", fifo}}, log); });
  while (!fs::exists(log) || test::read_text_file(log) != "up\n")
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Output seen = output_of({{"sh", "-c", "ls -l /proc/self/fd; echo >\"$1\"", "sh", fifo}});
  other.join();
  EXPECT_FALSE(test::has(seen.text, log));
}

TEST(Process, WithALogSaysThatItLivesOnceAnInterval) {
  const test::TemporaryDirectory folder;
  const fs::path log = folder.path() / "log";
  ::setenv("WEFT_ALIVE_SECONDS", "1", 1);
  test::Captured err(STDERR_FILENO);
  EXPECT_EQ(run({{"sh", "-c", "sleep 1.5; exit 3"}}, log), 3);
  ::unsetenv("WEFT_ALIVE_SECONDS");
  EXPECT_EQ(run({{"sh", "-c", "sleep 0.01"}}, log), 0);
  EXPECT_EQ(err.text(), "weft: sh has been running for 1 s; its output goes to " + log.string() + "\n");
}

// The signal goes to the whole process group, as from a terminal; here the group of a process that runs a program.
class Interrupted : public testing::Test {
 protected:
  // `outcome` maps the program's exit code to that of the process.
  static int interrupt(void (*prepare)(), int (*outcome)(int code)) {
    const test::TemporaryDirectory folder;
    const fs::path log = folder.path() / "log";
    const pid_t process = ::fork();
    if (process == 0) {
      ::setpgid(0, 0);
      prepare();
      ::_exit(outcome(run({{"sh", "-c", "echo up; exec sleep 20"}}, log)));
    }
    while (!fs::exists(log) || test::read_text_file(log) != "up\n")
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(-process, SIGINT);
    int status = 0;
    ::waitpid(process, &status, 0);
    EXPECT_TRUE(::kill(-process, 0) < 0 && errno == ESRCH) << "a process of the group is left";
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);  // like a shell
  }
  static inline volatile std::sig_atomic_t noticed = 0;
};

TEST_F(Interrupted, TheProgramEndsAndItsCallerClearsAway) {
  const int code = interrupt([] {},
                             [](int code) {
                               struct sigaction now {};
                               ::sigaction(SIGINT, nullptr, &now);
                               return code == 128 + SIGINT && now.sa_handler == SIG_DFL ? 7 : 1;
                             });
  EXPECT_EQ(code, 7);
}

TEST_F(Interrupted, AHandlerOfThisProcessIsCalled) {
  const int code = interrupt([] { std::signal(SIGINT, [](int) { noticed = 1; }); },
                             [](int code) { return code == 128 + SIGINT && noticed == 1 ? 7 : 1; });
  EXPECT_EQ(code, 7);
}

TEST(ShellWord, KeepsWhatAShellWouldRead) {
  EXPECT_EQ(shell_word("a"), "'a'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a $b \"c\" *"), "'a $b \"c\" *'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
}

}  // namespace
}  // namespace weft::os
