#include <algorithm>

#include "tests/support/texts.h"
#include "tests/support/work_case.h"
#include "tests/unit/platform/iteration/host/small_host.h"

namespace weft::config {
namespace {

const Library kProject{WEFT_CONFIG_DIR};

Host read(const std::string& text, const std::vector<std::string>& sets = {}) {
  const test::TemporaryDirectory dir;
  return load_host(dir.write("h.yaml", text).string(), test::overrides(sets), kProject);
}

std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
  return test::message_of<InputError>([&] { read(text, sets); });
}
std::string refusal_of(const std::string& set) {
  return refusal(test::small_host_yaml(), {set});
}

// Returns small_host_yaml() with one line replaced.
std::string with(const std::string& line, const std::string& other) {
  std::string text = test::small_host_yaml();
  const auto at = text.find(line);
  EXPECT_NE(at, std::string::npos) << line << " in\n" << text;
  if (at != std::string::npos) text.replace(at, line.size(), other);
  return text;
}

TEST(Host, IsReadAsItWasWritten) {
  const std::string text = test::small_host_yaml();
  EXPECT_EQ(to_yaml(write_host(read(text))), text);
}

TEST(Host, ReadsDecimalsExactly) {
  const Host host = read(with("peak_gflops: 1000\n", "peak_gflops: 326.400000001\n"),
                         {"operators.pool.compute=0.123456", "calls.xrt.launch_us=2.800001",
                          "reconfiguration.card={seconds: 1.4, high: 8}"});
  EXPECT_EQ(host.peak_flops_per_s, 326'400'000'001);
  EXPECT_EQ(host.cost(workloads::OperatorClass::Pool).compute_ppm, 123'456);
  EXPECT_EQ(host.xrt.launch_ps, 2'800'001);
  EXPECT_EQ(host.load_card.typical_ps, 1'400'000'000'000);
  EXPECT_EQ(host.load_card.low_ps, 0);  // from the file
  EXPECT_EQ(host.load_card.high_ps, 8'000'000'000'000);
}

TEST(Host, TakesALoadWithoutBoundsForOneThatIsKnown) {
  Node node = write_host(read(test::small_host_yaml()));
  Node* const card = node.find("reconfiguration")->find("card");
  card->set("seconds", scalar_node("1.4"));
  card->erase("low");
  card->erase("high");
  const Host host = read(to_yaml(node));
  EXPECT_EQ(host.load_card.low_ps, 1'400'000'000'000);
  EXPECT_EQ(host.load_card.high_ps, 1'400'000'000'000);
}

TEST(Host, RefusesWhatIsNoPositiveNumberWithFileLineKeyAndValue) {
  const std::string negative = refusal(with("peak_gflops: 1000\n", "peak_gflops: -5\n"));
  EXPECT_TRUE(test::has(negative, "h.yaml:3: host.peak_gflops: must be a number of GFLOPS above 0"));
  EXPECT_TRUE(test::has(negative, "not '-5'"));
  EXPECT_TRUE(test::has(refusal(with("peak_gflops: 1000\n", "peak_gflops: 0\n")), "not '0'"));
  EXPECT_TRUE(test::has(refusal(with("peak_gflops: 1000\n", "peak_gflops: many\n")), "not 'many'"));
  EXPECT_TRUE(test::has(refusal(with("peak_gflops: 1000\n", "peak_gflops: \"7\"\n")), "peak_gflops"));
  EXPECT_TRUE(test::has(refusal(with("peak_gflops: 1000\n", "peak_gflops: 1000/3\n")), "at most 9 decimals"));
  EXPECT_TRUE(
      test::has(refusal_of("operators.pool.memory=1.01"),
                "--set operators.pool.memory=1.01: host.operators.pool.memory: must be a number above 0, at most 1,"));
  EXPECT_TRUE(test::has(refusal_of("calls.xrt.launch_us=-1"), "from 0 to"));
  EXPECT_TRUE(test::has(refusal_of("calls.xrt.launch_us=0.0000001"), "at most 6 decimals"));
}

TEST(Host, RefusesAConstantThatIsAbsent) {
  for (const char* line : {"peak_gflops: 1000\n", "memory_gbytes_per_s: 100\n", "im2col_gbytes_per_s: 0.000000003\n"}) {
    const std::string key(line, std::string(line).find(':'));
    EXPECT_TRUE(test::has(refusal(with(line, "")), key));
    EXPECT_TRUE(test::has(refusal(with(line, "")), "missing"));
  }
}

TEST(Host, RefusesBoundsOfALoadThatDoNotHoldIt) {
  EXPECT_TRUE(test::has(refusal_of("reconfiguration.card={seconds: 1.4, low: 1.5}"),
                        "must not exceed the 1.4 of 'seconds', but is 1.5"));
  EXPECT_TRUE(test::has(refusal_of("reconfiguration.card={seconds: 1.4, high: 1.25}"),
                        "must be at least the 1.4 of 'seconds', but is 1.25"));
}

// The iteration contains its convolutions, and im2col takes time: derived times are never negative.
TEST(Host, RefusesPublishedRatesThatContradictEachOther) {
  const auto with_rates = [](const std::string& rates) {
    return test::small_host_yaml() + "published: {source: s, batch: 4, gops: [{network: n, " + rates + "}]}\n";
  };
  EXPECT_TRUE(test::has(refusal(with_rates("convolutions: 20, average: 20.5, cpu_im2col: 5")),
                        "host.published.gops[0].average: must not exceed the 20 of 'convolutions'"));
  EXPECT_TRUE(test::has(refusal(with_rates("convolutions: 20, average: 10, cpu_im2col: 20")),
                        "host.published.gops[0].cpu_im2col: must be below the 20 of 'convolutions'"));
  const Host host = read(with_rates("convolutions: 20, average: 20, cpu_im2col: 5, gi_first: true"));
  EXPECT_TRUE(host.published->rates.at(0).gi_first);
  EXPECT_FALSE(read(with_rates("convolutions: 20, average: 20, cpu_im2col: 5")).published->rates.at(0).gi_first);
}

TEST(Host, RefusesAnOptionThatAssumesWhatIsNotThere) {
  EXPECT_TRUE(test::has(refusal_of("assumed=[foo]"),
                        "--set assumed=[foo]: host.assumed: names 'foo', which is not given here"));
}

TEST(Host, RefusesAnOperatorThatIsMeasuredTwice) {
  const std::string one = "{network: n, operator: a, direction: forward, batch: 1, threads: 1, ns: 5}";
  EXPECT_TRUE(test::has(refusal(test::small_host_yaml() + "measured: [" + one + ", " + one + "]\n"),
                        "host.measured[1].operator"));
  const std::string other = "{network: n, operator: a, direction: forward, batch: 2, threads: 1, ns: 5}";
  EXPECT_EQ(read(test::small_host_yaml() + "measured: [" + one + ", " + other + "]\n").measured.size(), 2U);
  EXPECT_TRUE(
      test::has(refusal(test::small_host_yaml() + "measured: [{network: n, operator: a, direction: sideways, batch: 1, "
                                                  "threads: 1, ns: 5}]\n"),
                "must be one of forward, loss, backward, update, not 'sideways'"));
}

TEST(Host, OfEveryFileOfTheProjectReadsBackTheSame) {
  const std::vector<std::string> names = kProject.names(FileKind::Host);
  EXPECT_FALSE(names.empty());
  for (const std::string& name : names) {
    const std::string yaml = to_yaml(write_host(load_host(name, {}, kProject)));
    EXPECT_EQ(to_yaml(write_host(read(yaml))), yaml);
  }
}

// --- In a run ---

RunConfig run_of(const std::vector<std::string>& sets) {
  return test::run_of("conv-small", sets);
}

TEST(HostOfARun, IsTheDefaultOfItsBoard) {
  ASSERT_TRUE(run_of({}).host);
  EXPECT_EQ(run_of({}).host->name, "xeon-bronze-3104");
  for (const std::string& name : kProject.names(FileKind::Board)) {
    EXPECT_TRUE(run_of({"board=" + name, "memory={kind: ideal, latency_cycles: 40}"}).host) << name;
  }
}

TEST(HostOfARun, IsChangedByWhatTheRunSays) {
  const Host host = *run_of({"host.threads=3", "host.operators.pool.compute=0.5"}).host;
  EXPECT_EQ(host.name, "xeon-bronze-3104");
  EXPECT_EQ(host.threads, 3);
  EXPECT_EQ(host.cost(workloads::OperatorClass::Pool).compute_ppm, 500'000);
  EXPECT_EQ(host.peak_flops_per_s, 326'400'000'000);
}

TEST(HostOfARun, IsReplacedByOneThatIsNamed) {
  const test::TemporaryDirectory dir;
  const std::string file = dir.write("h.yaml", test::small_host_yaml()).string();
  EXPECT_EQ(run_of({"host.threads=3", "host=" + file}).host->threads, 1);
  EXPECT_EQ(run_of({"host=" + file, "host.threads=3"}).host->threads, 3);
  EXPECT_EQ(run_of({"host=" + file}).host->name, "small");
  EXPECT_EQ(run_of({"host={extends: " + file + ", threads: 5}"}).host->threads, 5);
}

TEST(HostOfARun, IsNoneWhereTheBoardHasNone) {
  const test::TemporaryDirectory dir;
  const std::string board = dir.write("b.yaml", "name: b\nmemory: {kind: ideal}\n").string();
  EXPECT_FALSE(run_of({"board=" + board}).host);
  EXPECT_EQ(run_of({"board=" + board, "host=xeon-bronze-3104"}).host->name, "xeon-bronze-3104");
}

TEST(HostOfARun, OverridesAreNoAssumptions) {
  const auto assumed = [](const Host& host, const char* key) {
    return std::find(host.assumed.begin(), host.assumed.end(), key) != host.assumed.end();
  };
  EXPECT_TRUE(assumed(*run_of({}).host, "im2col_gbytes_per_s"));
  EXPECT_FALSE(assumed(*run_of({"host.im2col_gbytes_per_s=0.6"}).host, "im2col_gbytes_per_s"));
}

}  // namespace
}  // namespace weft::config
