// Host programs on the card, started like users' programs: XRT's own libraries, the programs of tests/hosts, weft card.
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <regex>
#include <thread>

#include "platform/card/xrt/launch.h"
#include "platform/card/xrt/xclbin.h"
#include "tests/support/captured.h"
#include "tests/support/weft_test.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using test::joined;
using test::Outcome;
using test::split;
using Words = std::vector<std::string>;

constexpr const char* kCard = WEFT_SOURCE_DIR "/tests/hosts/card.yaml";
const std::string kMark = "WEFT_TEST_MARK=";

std::string host(const std::string& name) {
  return std::string(WEFT_HOSTS) + "/host_" + name;
}

// Returns the processes that have inherited a variable of the environment.
std::vector<int> processes_marked(const std::string& mark) {
  std::vector<int> found;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator("/proc", code)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const int process = std::atoi(name.c_str());
    const std::string environment = test::read_text_file(entry.path() / "environ");
    if (environment.find(mark) != std::string::npos &&
        test::read_text_file(entry.path() / "stat").find(") Z") == std::string::npos) {
      found.push_back(process);
    }
  }
  return found;
}

// Content of the summary line at the end.
struct Summary {
  std::string simulated;  // seconds, with all digits
  std::string line;
};
std::optional<Summary> summary(const std::string& err) {
  static const std::regex kLine("weft: card: ([0-9]+\\.[0-9]{12}) s simulated in .*");
  std::optional<Summary> found;
  for (const std::string& line : split(err)) {
    std::smatch match;
    if (std::regex_match(line, match, kLine)) found = Summary{match[1], line};
  }
  return found;
}

class Card : public test::WeftTest {
 protected:
  // Returns a command that prints the folder of the run and then becomes the program.
  static Words shown(const Words& program) {
    return joined({"/bin/sh", "-c", R"(echo "$USER"; exec "$@")", "sh"}, program);
  }
  Words card(const Words& options, const Words& program) const {
    return joined(joined(joined({"card", kCard}, options), {"--"}), shown(program));
  }
  Words environment() const { return {mark()}; }
  std::string mark() const { return kMark + dir_.path().string(); }

  // Runs a program on the card; afterwards no process or file of the run may be left.
  Outcome run(const Words& program, const Words& options = {}) {
    Outcome outcome = weft(card(options, program), environment());
    const std::size_t end = outcome.out.find('\n');
    if (end != std::string::npos) {
      run_folder_ = "/tmp/" + outcome.out.substr(0, end);
      outcome.out.erase(0, end + 1);
      EXPECT_FALSE(fs::exists(run_folder_)) << run_folder_;
    }
    EXPECT_EQ(processes_marked(mark()), std::vector<int>{});
    return outcome;
  }

  std::string xclbin(const std::string& name, const Words& options = {}) {
    ok(joined({"card", kCard, "--xclbin", name}, options));
    return (dir_.path() / name).string();
  }

  // A run under way whose program has printed that it has the card, or a given number of lines.
  struct Running {
    std::unique_ptr<test::Background> weft;
    int card = 0, program = 0;
    fs::path folder;
  };
  Running start(const Words& program, const Words& options = {}, std::size_t said = 2) {
    Running running;
    for (const char* of_the_last : {"log", "log.err"}) fs::remove(dir_.path() / of_the_last);
    running.weft = std::make_unique<test::Background>("/bin/sh",
                                                      joined({"-c", R"(out=$1; shift; exec "$@" >"$out" 2>"$out.err")",
                                                              "sh", (dir_.path() / "log").string(), WEFT_BINARY},
                                                             card(options, program)),
                                                      dir_.path(), environment());
    EXPECT_TRUE(test::eventually([&] { return split(log()).size() >= said; })) << log() << errors();
    // The card's process gets its name some time after its fork.
    EXPECT_TRUE(test::eventually([&] {
      for (const int child : test::children_of(running.weft->process())) {
        const bool is_card = test::read_text_file(fmt::format("/proc/{}/comm", child)) == "weft-card\n";
        (is_card ? running.card : running.program) = child;
      }
      return running.card > 0 && running.program > 0 && running.card != running.program;
    }));
    running.folder = "/tmp/" + split(log() + "\n").front();
    return running;
  }
  std::string log() const { return text("log"); }
  std::string errors() const { return text("log.err"); }
  // When a process ends, its environment disappears before its files are closed, and its first thread may be a zombie
  // while another still holds them (the lock of the folder): known processes are watched to the end of all threads.
  bool all_gone(const Running& running) const {
    const auto is_gone = [](int process) {
      const std::string status = test::read_text_file(fmt::format("/proc/{}/stat", process));
      if (status.empty()) return true;
      std::error_code code;
      const auto threads = fs::directory_iterator(fmt::format("/proc/{}/task", process), code);
      return status.find(") Z") != std::string::npos && std::distance(begin(threads), end(threads)) <= 1;
    };
    return test::eventually(
        [&] {
          return processes_marked(mark()).empty() && is_gone(running.weft->process()) && is_gone(running.card) &&
                 is_gone(running.program);
        },
        5);
  }
  // Expects that no process or file is left, and one line with the reason.
  void expect_gone(const Running& running, const std::string& why) const {
    EXPECT_TRUE(all_gone(running));
    EXPECT_EQ(split(errors()).size(), 1U) << errors();
    EXPECT_TRUE(test::has(errors(), why));
    EXPECT_FALSE(fs::exists(running.folder));
  }

  fs::path run_folder_;
};

std::string last_line(const std::string& text) {
  const std::vector<std::string> all = split(text);
  return all.empty() ? "" : all.back();
}

// --- results of programs

class Hosts : public Card, public testing::WithParamInterface<const char*> {};

TEST_P(Hosts, ComputeWhatTheyMustWithValuesThroughEveryFifoAndFast) {
  const std::string file = xclbin("card.xclbin");
  std::string simulated;
  for (const char* execution : {"fast", "data"}) {
    const Outcome outcome = run({host(GetParam()), file}, {"--execution", execution});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(split(outcome.out).size(), 1U) << outcome.out;
    const auto end = summary(outcome.err);
    ASSERT_TRUE(end) << outcome.err;
    EXPECT_EQ(split(outcome.err).size(), 1U) << outcome.err;
    if (std::string(GetParam()) == "no_wait") continue;
    EXPECT_FALSE(test::has(end->line, "not repeatable"));
    if (!simulated.empty()) {
      EXPECT_EQ(end->simulated, simulated);
    }
    simulated = end->simulated;
  }
}

// WEFT_CARD_REPEATS=20 repeats as often as the project promises.
int repeats() {
  const char* const text = std::getenv("WEFT_CARD_REPEATS");
  return text ? std::atoi(text) : 3;
}

// Holds in every run, also if XRT's thread ended long before: the program's own order decides.
TEST_F(Card, TheTimeOfAProgramThatDoesNotWaitIsSaidNotToBeRepeatable) {
  const std::string file = xclbin("card.xclbin");
  const std::map<std::string, Words> programs{{"400 calls", {host("no_wait"), file}},
                                              {"2 calls", {host("no_wait"), file, "late"}}};
  for (const auto& [calls, program] : programs) {
    for (int i = 0; i < repeats(); ++i) {
      const Outcome outcome = run(program);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_TRUE(test::has(outcome.err, "; the time is not repeatable: " + calls + " while"));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, Hosts,
                         testing::Values("each_kind", "in_flight", "no_wait", "refused", "transfers", "ways_to_wait",
                                         "opencl"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(Card, TwoXclbinsInTurnAreFourReconfigurations) {
  const std::string fgi = xclbin("fgi.xclbin", {"--set", "kernel.variant=fgi"});
  const std::string gw = xclbin("gw.xclbin", {"--set", "kernel.variant=gw", "--set", "convolution.kind=GW"});
  const Outcome outcome = run({host("two_xclbins"), fgi, gw}, {"--check", "100"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "4 launches, 4 reconfigurations"));
}

TEST_F(Card, ProgramsThatWaitEndAtTheSamePicosecondInEveryRun) {
  const std::string file = xclbin("card.xclbin"),
                    gw = xclbin("gw.xclbin", {"--set", "kernel.variant=gw", "--set", "convolution.kind=GW"});
  for (const Words& program : std::vector<Words>{{host("each_kind"), file},
                                                 {host("in_flight"), file},
                                                 {host("refused"), file},
                                                 {host("transfers"), file},
                                                 {host("ways_to_wait"), file},
                                                 {host("opencl"), file},
                                                 {host("two_xclbins"), file, gw}}) {
    std::set<std::string> simulated;
    for (int i = 0; i < repeats(); ++i) {
      const Outcome outcome = run(program);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      const auto end = summary(outcome.err);
      ASSERT_TRUE(end) << outcome.err;
      EXPECT_FALSE(test::has(end->line, "not repeatable"));
      simulated.insert(end->simulated);
    }
    EXPECT_EQ(simulated.size(), 1U) << program.front();
  }
}

TEST_F(Card, TheTranscriptHasEveryCallInItsOrderAndEndsAtTheSimulatedTime) {
  const Outcome outcome = run({host("each_kind"), xclbin("card.xclbin")}, {"--transcript", "calls.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<std::string> calls = split(text("calls.csv"));
  ASSERT_GT(calls.size(), 200U);
  EXPECT_EQ(calls.front(), "call,address,bytes,data,start_ps,end_ps,why");
  std::map<std::string, int> count;
  std::int64_t last = 0, latest = 0;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const std::vector<std::string> fields = split(calls[i], ',');
    ASSERT_GE(fields.size(), 7U) << calls[i];
    ++count[fields[0]];
    const std::int64_t start = std::stoll(fields[4]), end = std::stoll(fields[5]);
    EXPECT_LE(last, start) << calls[i];
    EXPECT_LE(start, end) << calls[i];
    last = start;
    latest = std::max(latest, end);
  }
  EXPECT_EQ(count["load"], 1);
  EXPECT_EQ(count["launch"], 6);
  EXPECT_EQ(count["H2C"], 12);
  EXPECT_EQ(count["C2H"], 6);
  EXPECT_EQ(count["register write"], 6 * 35);
  const auto end = summary(outcome.err);
  ASSERT_TRUE(end);
  EXPECT_EQ(fmt::format("{}.{:012}", latest / 1'000'000'000'000, latest % 1'000'000'000'000), end->simulated);
}

TEST_F(Card, TheExitCodeIsTheProgramsAndItsStreamsAreItsOwn) {
  const Outcome outcome = run({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(split(outcome.err).front(), "err");
  EXPECT_EQ(split(outcome.err).size(), 2U) << outcome.err;
  EXPECT_EQ(run({"/bin/sh", "-c", "kill -USR1 $$"}).exit_code, 128 + SIGUSR1);
  const Outcome missing = weft({"card", kCard, "--", "./no-such-program"}, environment());
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(split(missing.err).size(), 1U) << missing.err;
  EXPECT_TRUE(test::has(missing.err, "no-such-program"));
}

TEST_F(Card, WhatAProgramLeavesRunningEndsWithIt) {
  EXPECT_EQ(run({"/bin/sh", "-c", "sleep 1000 & setsid sleep 1000 & exit 0"}).exit_code, 0);
}

TEST_F(Card, ProgramsMayComeOneAfterTheOther) {
  const std::string file = xclbin("card.xclbin");
  const Outcome outcome = run({"/bin/sh", "-c", R"("$0" "$1" && "$0" "$1")", host("each_kind"), file});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "12 launches, 2 reconfigurations"));
}

// An error of the card's process becomes the exit code that README.md promises, whatever the program prints.
TEST_F(Card, ACheckThatFindsADifferenceIsAFailedComparison) {
  const auto run_with = [&](const auto& error) {
    test::Captured err(STDERR_FILENO);
    const int code = xrt::run_on_card({"/bin/true"}, {"xilinx_u250_gen3x16_xdma", 4, Bytes{16} << 30},
                                      [&](xrt::Visits&, const fs::path&) -> xrt::CardReport { throw error; });
    EXPECT_EQ(err.text(), std::string("weft: error: card: ") + error.what() + "\n");
    return code;
  };
  EXPECT_EQ(run_with(Mismatch("fast and data differ: cycles: fast 7, data 8")), 1);
  EXPECT_EQ(run_with(Error("an address")), 2);
  EXPECT_EQ(run_with(Deadlock("a block")), 3);
}

// --- xclbins

TEST_F(Card, AnXclbinIsTheSameWhereverItIsWritten) {
  EXPECT_EQ(test::read_text_file(xclbin("one.xclbin")), test::read_text_file(xclbin("two.xclbin")));
}

TEST_F(Card, AFolderGetsTheXclbinsOfARunAndAnIndex) {
  Words words{"card", "resnet20-u250", "--xclbin", "resnet20/"};
  for (const char* size : {"z", "z_channel", "k_range", "kern_words", "out_words"}) {
    words = joined(words, {"--set", fmt::format("kernel.{}=shared", size)});
  }
  const Outcome outcome = ok(words);
  const auto index = nlohmann::json::parse(text("resnet20/index.json"));
  EXPECT_EQ(index.at("xclbins").size(), 2U);
  std::map<std::string, std::set<std::string>> of_kind;
  for (const auto& each : index.at("convolutions")) {
    const std::string file = each.at("xclbin");
    EXPECT_TRUE(fs::exists(dir_.path() / "resnet20" / file)) << file;
    of_kind[each.at("kind")].insert(file);
  }
  EXPECT_EQ(of_kind["F"].size(), 1U);
  EXPECT_EQ(of_kind["GI"], of_kind["F"]);
  EXPECT_EQ(of_kind["GW"].size(), 1U);
  EXPECT_NE(of_kind["GW"], of_kind["F"]);
}

TEST_F(Card, OneFileForARunOfSeveralKernelsIsRefusedWithWhatToDo) {
  EXPECT_TRUE(test::has(refused({"card", "resnet20-u250", "--xclbin", "one.xclbin"}, "one.xclbin/"), "`shared`"));
}

TEST_F(Card, WrongOptionsAreRefused) {
  for (const Words& options : std::vector<Words>{{},
                                                 {"--execution", "slow", "--", "true"},
                                                 {"--check", "101", "--", "true"},
                                                 {"--check", "5", "--execution", "data", "--", "true"},
                                                 {"--transcript", "no/such/folder", "--", "true"},
                                                 {"--transcript", "t.csv", "--xclbin", "a.xclbin"},
                                                 {"--xclbin", "no/such/a.xclbin"}}) {
    refused(joined({"card", kCard}, options));
  }
}

// --- faults: one clear line within five seconds, nothing left

// The card is in the middle of a launch, and cannot react before its end.
TEST_F(Card, AProgramThatIsKilledWhileTheKernelRunsLeavesNothing) {
  const Running running = start({host("faults"), xclbin("card.xclbin"), "compute"}, {"--execution", "data"});
  ASSERT_TRUE(test::eventually([&] { return split(log()).size() >= 3; })) << log() << errors();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto begin = std::chrono::steady_clock::now();
  kill(running.program, SIGKILL);
  EXPECT_EQ(running.weft->wait().exit_code, 128 + SIGKILL);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  expect_gone(running, "the program ended (signal 9");
  EXPECT_TRUE(test::has(errors(), "while the kernel ran"));
}

TEST_F(Card, ACardThatIsKilledTakesTheProgramWithIt) {
  const Running running = start({host("faults"), xclbin("card.xclbin"), "poll"});
  const auto begin = std::chrono::steady_clock::now();
  kill(running.card, SIGKILL);
  EXPECT_EQ(running.weft->wait().exit_code, 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  expect_gone(running, "the card was ended by signal 9");
}

TEST_F(Card, ALauncherThatIsKilledTakesAllWithIt) {
  const Running running = start({host("faults"), xclbin("card.xclbin"), "poll"});
  kill(running.weft->process(), SIGKILL);
  expect_gone(running, "weft was killed");
}

TEST_F(Card, WhatIsLeftIfAllAreKilledGoesWithTheNextRun) {
  const std::string file = xclbin("card.xclbin");
  const Running running = start({host("faults"), file, "poll"});
  kill(running.weft->process(), SIGSTOP);  // so that it cannot clean up
  ASSERT_TRUE(test::eventually([&] {
    return test::read_text_file(fmt::format("/proc/{}/stat", running.weft->process())).find(") T ") !=
           std::string::npos;
  }));
  kill(running.card, SIGKILL);
  kill(running.weft->process(), SIGKILL);
  EXPECT_TRUE(all_gone(running));
  // No process could remove the folder; the next run on this machine may.
  EXPECT_EQ(run({host("each_kind"), file}).exit_code, 0);
  EXPECT_FALSE(fs::exists(running.folder));
}

// --- killed and stopped processes

// Returns the process of a run with this name; 0 if there is none.
int process_named(const std::string& mark, const std::string& name) {
  for (const int process : processes_marked(mark)) {
    if (test::read_text_file(fmt::format("/proc/{}/comm", process)) == name + "\n") return process;
  }
  return 0;
}

constexpr const char* kRelay = "weft_card_relay";
// The tests of single faults measure the five seconds; many faults in turn need more on a busy machine.
constexpr std::chrono::seconds kNotForEver{60};

TEST_F(Card, ARelayThatIsKilledEndsTheRunAndIsNamed) {
  const std::string file = xclbin("card.xclbin");
  for (const char* what : {"poll", "wait", "compute"}) {
    const Running running = start({host("faults"), file, what}, {"--execution", "data"});
    int relay = 0;
    ASSERT_TRUE(test::eventually([&] { return (relay = process_named(mark(), kRelay)) != 0; }));
    const auto begin = std::chrono::steady_clock::now();
    kill(relay, SIGKILL);
    EXPECT_EQ(running.weft->wait().exit_code, 1);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    expect_gone(running, fmt::format("(process {}) was killed", relay));
  }
}

// WEFT_CARD_STOPS=500 draws 500 processes, acts and moments; the first twelve have each process and act once.
TEST_F(Card, StoppedProcessesGoOnAndKilledOnesEndTheRun) {
  const char* const more = std::getenv("WEFT_CARD_STOPS");
  const int draws = more ? std::atoi(more) : 12;
  const std::string file = xclbin("card.xclbin");
  constexpr int kHosts = 4;
  // Hosts in sequence: they load, compute and close repeatedly.
  const Words program{"/bin/sh", "-c", R"(for i in 1 2 3 4; do "$0" "$1" || exit 9; done)", host("each_kind"), file};
  enum Act { Stop, Kill, StopAndKill };
  const std::vector<std::string> names{"weft", "weft-card", kRelay, "host_each_kind"};
  std::mt19937 random(31);
  for (int i = 0; i < draws; ++i) {
    const std::string& name = names[i % names.size()];
    const Act act = static_cast<Act>(i / names.size() % 3);
    const auto delay = std::chrono::milliseconds(random() % 600);
    const auto pause = std::chrono::milliseconds(i < 12 ? 300 : random() % 5000);
    SCOPED_TRACE(fmt::format("draw {}: {}, {} ms, {}", i, name, delay.count(),
                             act == Stop   ? fmt::format("stopped for {} ms", pause.count())
                             : act == Kill ? "killed"
                                           : "stopped and killed"));
    const Running running = start(program, {}, 1);
    std::this_thread::sleep_for(delay);
    int process = running.weft->process();
    if (name != "weft") {
      test::eventually([&] { return (process = process_named(mark(), name)) != 0 || !running.weft->running(); });
    }
    if (process == 0) continue;  // the run was over before
    if (act != Kill) {
      kill(process, SIGSTOP);
      std::this_thread::sleep_for(pause);
    }
    const auto begin = std::chrono::steady_clock::now();
    kill(process, act == Stop ? SIGCONT : SIGKILL);
    const int code = running.weft->wait().exit_code;
    EXPECT_TRUE(all_gone(running));
    const std::string said = errors();
    const bool ended = split(log()).size() == 1 + kHosts;  // it was killed when it was no longer needed
    if (name == "weft" && act != Stop && ended) continue;  // the next run removes its folder
    EXPECT_FALSE(fs::exists(running.folder));
    std::size_t wrong = 0;
    for (const std::string& line : split(said)) wrong += line.rfind("weft: error: ", 0) == 0 ? 1 : 0;
    if (act == Stop || (ended && code == 0)) {
      EXPECT_EQ(code, 0) << said;
      EXPECT_EQ(split(log()).size(), 1U + kHosts) << log() << said;
      EXPECT_TRUE(summary(said)) << said;
      continue;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kNotForEver);
    EXPECT_EQ(code, name == "weft" ? 128 + SIGKILL : name == "host_each_kind" ? 9 : 1) << said;
    EXPECT_EQ(wrong, name == "host_each_kind" ? 0U : 1U) << said;
    const std::string reason = name == "weft"        ? "weft was killed"
                               : name == "weft-card" ? "the card was ended by signal 9"
                               : name == kRelay      ? "relay"
                                                     : "card: ";
    EXPECT_TRUE(test::has(said, reason));
  }
}

TEST_F(Card, WhereTheFolderForTemporaryFilesMayNotBeExecutedTheRunIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to mount";
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = test::run_program(
      "/usr/bin/unshare",
      {"--mount", "sh", "-c", R"(mount -t tmpfs -o noexec tmpfs /tmp && "$@"; code=$?; ls -A /tmp; exit $code)", "sh",
       WEFT_BINARY, "card", kCard, "--", "true"},
      dir_.path(), environment());
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kNotForEver);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(split(outcome.err).size(), 1U) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "'/tmp' is mounted noexec"));
}

// --- limits of the user

// A user's limit of processes counts threads, including those of XRT in the program.
TEST_F(Card, WithoutMoreProcessesTheRunEndsAndNamesTheLimit) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become a user with a limit";
  constexpr int kUser = 64'531;
  const std::string file = xclbin("card.xclbin");
  fs::permissions(dir_.path(), fs::perms(0755));
  int refused = 0;
  for (int limit = 1; limit <= 10; ++limit) {
    SCOPED_TRACE(limit);
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = test::run_program(
        "/usr/bin/prlimit",
        {fmt::format("--nproc={0}:{0}", limit), "setpriv", fmt::format("--reuid={}", kUser),
         fmt::format("--regid={}", kUser), "--clear-groups", WEFT_BINARY, "card", kCard, "--", host("each_kind"), file},
        dir_.path(), environment());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kNotForEver);
    EXPECT_EQ(processes_marked(mark()), std::vector<int>{});
    for (const auto& entry : fs::directory_iterator("/tmp")) {
      struct stat status {};
      EXPECT_FALSE(lstat(entry.path().c_str(), &status) == 0 && status.st_uid == kUser) << entry.path();
    }
    if (outcome.exit_code == 0) continue;
    ++refused;
    EXPECT_TRUE(outcome.err.find("ulimit -u") != std::string::npos ||
                outcome.err.find("Resource temporarily unavailable") != std::string::npos)
        << outcome.err;
    EXPECT_FALSE(test::has(outcome.err, "packages"));
    if (limit <= 6) {
      EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
      EXPECT_EQ(split(outcome.err).size(), 1U) << outcome.err;
    }
  }
  EXPECT_GE(refused, 6);
}

// --- folders and files of the user

TEST_F(Card, FoldersThatWeftDidNotMakeAreLeftAlone) {
  const Running running = start({host("faults"), xclbin("card.xclbin"), "wait"});
  std::vector<fs::path> foreign;
  const auto folder = [&] {
    std::string name = "/tmp/weft-card-XXXXXX";
    EXPECT_TRUE(mkdtemp(name.data()));
    foreign.emplace_back(name);
    std::ofstream(foreign.back() / "mine") << "mine\n";
    return foreign.back();
  };
  folder();
  // A copy of weft's folder, with its mark.
  folder();
  for (const auto& entry : fs::directory_iterator(running.folder)) {
    if (fs::is_regular_file(entry.symlink_status()))
      fs::copy_file(entry.path(), foreign.back() / entry.path().filename());
  }
  std::ofstream(folder() / "lock") << "";
  fs::create_directory_symlink(dir_.path(), foreign.emplace_back(folder().string().replace(15, 6, "SYMlnk")));
  for (const fs::path& each : foreign) {
    if (!fs::is_symlink(each)) fs::last_write_time(each, fs::file_time_type::clock::now() - std::chrono::hours(48));
  }
  ok(card({}, {"true"}), environment());
  for (const fs::path& each : foreign) {
    EXPECT_TRUE(fs::exists(fs::is_symlink(each) ? each / "card.xclbin" : each / "mine")) << each;
    fs::is_symlink(each) ? fs::remove(each) : fs::remove_all(each) > 0;
  }
  EXPECT_TRUE(fs::exists(running.folder));
}

TEST_F(Card, FilesThatWeftDidNotWriteAreNotReplaced) {
  const std::string mine = "mine\n";
  const auto refused = [&](const std::string& file, const Words& words) {
    dir_.write(file, mine);
    WeftTest::refused(joined({"card", kCard}, words), "left as it is");
    EXPECT_EQ(text(file), mine);
  };
  refused("calls.csv", {"--transcript", "calls.csv", "--", "true"});
  refused("card.xclbin", {"--xclbin", "card.xclbin"});
  // Another program's xclbin, which took hours.
  dir_.write("other.xclbin", std::string("xclbin2\0", 8) + std::string(5000, '\1'));
  WeftTest::refused({"card", kCard, "--xclbin", "other.xclbin"});
  const Words folder{"--xclbin", "folder/"};
  refused("folder/index.json", folder);
  fs::remove(dir_.path() / "folder/index.json");
  refused("folder/run.yaml", folder);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_.path() / "folder"), fs::directory_iterator()), 1);
  fs::remove(dir_.path() / "folder/run.yaml");
  // weft's own files are replaced, and other files stay.
  dir_.write("folder/notes", mine);
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = ok(joined({"card", kCard}, folder));
  }
  EXPECT_EQ(text("folder/notes"), mine);
  xclbin("twice.xclbin");
  xclbin("twice.xclbin");
}

TEST_F(Card, InterruptsAreTheProgramsAndTheRunEndsInOrder) {
  const Running running = start({host("faults"), xclbin("card.xclbin"), "wait"});
  running.weft->signal(SIGINT);
  EXPECT_EQ(running.weft->wait().exit_code, 128 + SIGINT);
  EXPECT_TRUE(summary(errors())) << errors();
  EXPECT_TRUE(all_gone(running));
  EXPECT_FALSE(fs::exists(running.folder));
}

// The first program continues, and its results stay right.
TEST_F(Card, ASecondProgramAtTheSameTimeIsRefused) {
  const std::string file = xclbin("card.xclbin");
  const Outcome outcome = run({"/bin/sh", "-c", R"(
"$0" "$2" wait >first & first=$!
until grep -q ready first; do sleep 0.05; done
"$1" "$2"; echo "second $?"
kill -0 $first && echo 'first goes on'
kill $first; wait $first
exit 0)",
                               host("faults"), host("each_kind"), file});
  EXPECT_EQ(outcome.out, "second 137\nfirst goes on\n") << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "weft: error: card: another program has the card"));
}

TEST_F(Card, CardRunsAtTheSameTimeHaveACardEach) {
  const std::string file = xclbin("card.xclbin");
  const Running running = start({host("faults"), file, "wait"});
  const Outcome outcome = ok(card({}, {host("each_kind"), file}), environment());
  EXPECT_TRUE(running.weft->running());
}

// Another user tries to connect to all endpoints of the run.
TEST_F(Card, AnotherUserDoesNotReachTheCard) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
  const Running running = start({host("faults"), xclbin("card.xclbin"), "wait"});
  int sockets = 0;
  for (const auto& entry : fs::directory_iterator(running.folder)) {
    if (!entry.is_socket()) continue;
    ++sockets;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    entry.path().string().copy(address.sun_path, sizeof address.sun_path - 1);
    const auto connects_as = [&](uid_t user) {
      const pid_t child = fork();
      if (child == 0) {
        if (user != 0 && (setgid(user) != 0 || setuid(user) != 0)) _exit(2);
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        const bool connected = connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
        _exit(connected ? 0 : errno == EACCES ? 13 : 1);
      }
      int status = 0;
      waitpid(child, &status, 0);
      return WEXITSTATUS(status);
    };
    EXPECT_EQ(connects_as(65534), 13) << entry.path();
    if (entry.path().filename() == "card") {
      EXPECT_EQ(connects_as(0), 0) << entry.path();
    }
  }
  EXPECT_GE(sockets, 2);
}

struct Fault {
  const char* what;
  int exit_code;
  std::vector<std::string> said;
};
class FaultyProgram : public Card, public testing::WithParamInterface<Fault> {};

// One clear line, and soon.
TEST_P(FaultyProgram, IsToldWhatIsWrongOrEndsTheRun) {
  const std::string file = xclbin("card.xclbin");
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run({host("faults"), file, GetParam().what});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(outcome.exit_code, GetParam().exit_code) << outcome.err;
  for (const std::string& text : GetParam().said) EXPECT_TRUE(test::has(outcome.err, text));
  if (outcome.exit_code == 2) {
    EXPECT_EQ(split(outcome.err).size(), 1U) << outcome.err;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Faults, FaultyProgram,
    testing::Values(Fault{"die", 128 + SIGKILL, {"the program was ended by signal 9"}},
                    Fault{"full", 1, {"faults: std::bad_alloc", "simulated in"}},
                    Fault{"kernel", 1, {"No such kernel 'gemm'"}},
                    Fault{"twice", 0, {"weft: warning: card: a start of the kernel was ignored", "2 launches"}},
                    Fault{"register", 1, {"outside kernel register space"}},
                    Fault{"address", 2, {"INP_BASE is 0x9000000000"}}),
    [](const auto& info) { return std::string(info.param.what); });

// --- wrong xclbins

class WrongXclbin : public Card {
 protected:
  // Returns the outcome of a program that loads it; the program must end within five seconds.
  Outcome loaded(const std::string& content) {
    dir_.write("wrong.xclbin", content);
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome = run({host("each_kind"), (dir_.path() / "wrong.xclbin").string()});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
    EXPECT_NE(outcome.exit_code, 0) << outcome.err;
    return outcome;
  }
  std::string with(const std::string& bitstream) {
    return xrt::write_xclbin({"xilinx_u250_gen3x16_xdma",
                              "fpgpt",
                              {{"kind", 0x20}},
                              {},
                              100,
                              design::AddressMap(4, Bytes{16} << 30),
                              bitstream});
  }
};

TEST_F(WrongXclbin, OfAnotherFileIsToldToTheProgram) {
  for (const std::string& content : {std::string("a text\n"), std::string(10'000, '\xff')}) {
    const Outcome outcome = loaded(content);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_TRUE(test::has(outcome.err, "each_kind: "));
  }
}

// XRT itself would crash.
TEST_F(WrongXclbin, ThatIsEmptyIsToldToTheProgram) {
  const Outcome outcome = loaded("");
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "wrong.xclbin' is empty"));
  EXPECT_TRUE(summary(outcome.err));
}

TEST_F(WrongXclbin, ThatIsCutOffIsToldToTheProgram) {
  const std::string whole = test::read_text_file(xclbin("card.xclbin"));
  for (const std::size_t part : {1, 3, 7}) {
    const Outcome outcome = loaded(whole.substr(0, whole.size() * part / 8));
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_TRUE(test::has(outcome.err, "wrong.xclbin' is cut off"));
  }
}

// WEFT_CARD_DAMAGES=200 damages 200 files.
class DamagedXclbin : public WrongXclbin, public testing::WithParamInterface<const char*> {
 protected:
  // Returns files that each differ from the intact one.
  Words damaged() {
    const std::string whole = test::read_text_file(xclbin("card.xclbin"));
    const char* const more = std::getenv("WEFT_CARD_DAMAGES");
    std::mt19937 random(7);
    Words files;
    const int count = more ? std::atoi(more) : 40;
    for (int i = 0; i < count; ++i) {
      std::string part = whole;
      const std::size_t at = random() % whole.size(), in_table = random() % 656;
      switch (i % 5) {
        case 0:
          part.resize(at);
          break;
        case 1:
          part[at] = static_cast<char>(part[at] ^ 1 << random() % 8);
          break;
        case 2:
          part[in_table] = static_cast<char>(part[in_table] + 1 + random() % 255);
          break;
        case 3:
          for (std::size_t j = at; j < std::min(at + 16, part.size()); ++j) part[j] = static_cast<char>(~part[j]);
          break;
        default:
          part.insert(at, 1 + random() % 64, static_cast<char>(random()));
      }
      files.push_back(dir_.write(fmt::format("damaged-{}.xclbin", i), part).string());
    }
    files.push_back(dir_.write("empty.xclbin", "").string());
    files.push_back(dir_.write("first-bytes.xclbin", whole.substr(0, 179)).string());
    return files;
  }
};

// The program survives and gets an error for each file, and one line is printed for each. The intact one is loaded.
TEST_P(DamagedXclbin, IsRefusedByEveryWayOfLoadingIt) {
  const Words files = damaged();
  const std::string way = GetParam();
  const Words program = way == "opencl" ? Words{host("opencl_loads")} : Words{host("loads"), way};
  const Outcome outcome = run(joined(program, files));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Words told = split(outcome.out);
  ASSERT_EQ(told.size(), files.size());
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i].rfind("refused: ", 0), 0U) << files[i] << told[i];
  if (way == "opencl") {
    EXPECT_EQ(told.front(), "refused: -42, status -42");  // CL_INVALID_BINARY
  }
  std::size_t said = 0;
  for (const std::string& line : split(outcome.err)) said += line.rfind("weft: error: card: ", 0) == 0 ? 1 : 0;
  EXPECT_EQ(said, files.size() - (way == "opencl" ? 1 : 0)) << outcome.err;  // OpenCL itself reports an empty file
  const Outcome whole = run(joined(program, {(dir_.path() / "card.xclbin").string()}));
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(whole.out, "loaded\n");
  EXPECT_EQ(split(whole.err).size(), 1U) << whole.err;
}
INSTANTIATE_TEST_SUITE_P(Ways, DamagedXclbin,
                         testing::Values("device_file", "device_memory", "xclbin_file", "xclbin_vector",
                                         "xclbin_memory", "c_file", "c_memory", "c_name", "c_raw", "opencl"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(WrongXclbin, ThatIsAFifoIsToldToTheProgram) {
  ASSERT_EQ(mkfifo((dir_.path() / "fifo").c_str(), 0600), 0);
  const Outcome outcome = run({host("each_kind"), (dir_.path() / "fifo").string()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "fifo' is no regular file"));
}

TEST_F(WrongXclbin, OfAnotherCardIsRefused) {
  const std::string kernel = "kernel: {design: fpgpt}\n";
  const Outcome board = loaded(with("board: u280\nbanks: 4\nbytes_per_bank: 17179869184\n" + kernel));
  EXPECT_EQ(board.exit_code, 2);
  EXPECT_TRUE(test::has(board.err, "'u280'"));
  const Outcome banks = loaded(with("board: u250\nbanks: 2\nbytes_per_bank: 17179869184\n" + kernel));
  EXPECT_EQ(banks.exit_code, 2);
  EXPECT_TRUE(test::has(banks.err, "2 banks"));
}

TEST_F(WrongXclbin, OfAnotherDesignOrOfNoneIsRefused) {
  const std::string board = "board: u250\nbanks: 4\nbytes_per_bank: 17179869184\n";
  for (const std::string& bitstream :
       {board + "kernel: {design: gemm}\n", board + "kernel: {design: fpgpt, array: {x: 4, y: 4}}\n", board,
        std::string("{"), std::string()}) {
    const Outcome outcome = loaded(with(bitstream));
    EXPECT_EQ(outcome.exit_code, 2) << bitstream << outcome.err;
    EXPECT_EQ(last_line(outcome.err).rfind("weft: error: card: ", 0), 0U) << outcome.err;
  }
}

}  // namespace
}  // namespace weft
