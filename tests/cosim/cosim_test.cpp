#include <fmt/core.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "kernels/fp32.h"
#include "model/fpgpt/registers.h"
#include "model/fpgpt/sizing.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/catalogue/designs.h"
#include "platform/designs/fpgpt/cosim/kernel_case.h"
#include "platform/designs/fpgpt/cosim/random_case.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/work.h"
#include "platform/hardware/cosim/campaign.h"
#include "platform/hardware/cosim/mutation.h"
#include "tests/support/places.h"
#include "tests/support/texts.h"
#include "workloads/onnx/import.h"

// The RTL, written from the contract alone, is compared with the SystemC model: it passes only with zero differences.
namespace weft {
namespace {

using conv::Kind;

constexpr int kRandomConvolutions = 60;  // per build
constexpr int kMaxSets = 128;

cosim::BuildContext build_context() {
  return {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE};
}

cosim::BuildOptions quick() {
  cosim::BuildOptions options;
  options.quick = true;
  options.jobs = 1;
  return options;
}

struct Build {
  const char* name;
  int x, y, z, band;
  fpgpt::Profile profile;  // exact_bursts, overlap_drain, wide_kern_load, early_kern_feed, packed_gw_sets
  int fifo_depth;
  stream::PortConfig port;
  NumberFormat format = NumberFormat::fp32();
  Packing packing = Packing::Packed;
  friend void PrintTo(const Build& build, std::ostream* out) { *out << build.name; }
};

// No size divides another, nor X, Y, Z or the band: the last element of every set, group, beat and row is a remainder.
// Name, batch, channels, filters, groups; then of H and W: size, kernel, stride, padding before and after, dilation.
std::vector<conv::Layer> fixed_layers() {
  return {{"usual", 1, 5, 7, 1, {11, 3, 1, 1, 1, 1}, {13, 3, 1, 1, 1, 1}},
          {"strides", 2, 3, 7, 1, {13, 5, 3, 2, 1, 1}, {11, 2, 2, 0, 1, 1}},  // dilated GI and GW
          {"1x1", 3, 7, 11, 1, {5, 1, 1, 0, 0, 1}, {7, 1, 1, 0, 0, 1}},
          {"groups and dilation", 2, 6, 9, 3, {7, 3, 1, 2, 0, 2}, {9, 2, 1, 1, 1, 3}},
          {"depthwise", 1, 3, 3, 3, {13, 3, 2, 1, 1, 1}, {15, 3, 2, 1, 1, 1}}};
}

// Returns a kernel that runs every fixed layer and the smallest needs of random cases.
fpgpt::Alpha alpha_of(const Build& b) {
  fpgpt::Alpha alpha;
  alpha.x = b.x;
  alpha.y = b.y;
  alpha.bus_bits = 32 * b.band;
  alpha.format = b.format;
  alpha.packing = b.packing;
  alpha.profile = b.profile;
  alpha.fifo.fill(b.fifo_depth);
  alpha.inp_port = alpha.kern_port = alpha.out_port = b.port;
  std::vector<conv::Convolution> all;
  for (const conv::Layer& fixed : fixed_layers()) {
    for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) all.push_back(workloads::lower(fixed, kind));
  }
  alpha = fpgpt::fitted(alpha, all);
  alpha.z = std::max(alpha.z, b.z);
  alpha.z_channel = std::max<Words>(alpha.z_channel, 96);
  alpha.k_range = std::max<Words>(alpha.k_range, 96);
  alpha.kern_words = std::max<Words>(alpha.kern_words, 512);
  alpha.out_words = std::max<Words>(alpha.out_words, 4096);
  return alpha;
}

cosim::AxiEnvironment environment(memory::MemoryKind kind, const fpgpt::Alpha& alpha) {
  auto s = cosim::three_channels(kind, alpha.beat_bytes(fpgpt::Port::Inp));
  s.memory.ideal_latency_cycles = 3;
  return s;
}

class Cosim : public testing::TestWithParam<Build> {};

TEST_P(Cosim, RtlAndSystemCAgreeInEveryHandshakeOfEachKindOnIdealMemoryAndDdr4) {
  const fpgpt::Alpha alpha = alpha_of(GetParam());
  const cosim::RtlBuild build(fpgpt::hardware(alpha, kMaxSets), build_context(), quick());
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();  // one kernel for all, as in hardware
  for (const conv::Layer& fixed : fixed_layers()) {
    for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) {
      for (const memory::MemoryKind memory : {memory::MemoryKind::ideal, memory::MemoryKind::ddr4}) {
        SCOPED_TRACE(fixed.name + ", " + to_string(kind) +
                     (memory == memory::MemoryKind::ideal ? ", ideal" : ", ddr4"));
        fpgpt::DataCase data = fpgpt::make_case(fixed, kind, fixed.groups - 1, alpha, 7);
        const cosim::Verdict verdict =
            cosim::run_lockstep(*rtl, fpgpt::KernelCase(data.plan), data.memory.channels, environment(memory, alpha));
        ASSERT_EQ(verdict.difference, "");
        EXPECT_GT(verdict.handshakes, 100);
      }
    }
  }
}

// Places name the token of a first difference.
TEST_P(Cosim, TheTokensOfEachFifoFollowTheLoopsOfTheContract) {
  const fpgpt::Alpha alpha = alpha_of(GetParam());
  for (const conv::Layer& fixed : fixed_layers()) {
    for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) {
      SCOPED_TRACE(fixed.name + ", " + to_string(kind));
      const fpgpt::DataCase data = fpgpt::make_case(fixed, kind, fixed.groups - 1, alpha, 7);
      test::expect_places(fpgpt::KernelCase(data.plan), environment(memory::MemoryKind::ideal, alpha),
                          data.memory.channels);
    }
  }
}

TEST_P(Cosim, RtlAndSystemCAgreeInEveryHandshakeOfRandomConvolutions) {
  const fpgpt::Alpha alpha = alpha_of(GetParam());
  const cosim::RtlBuild build(fpgpt::hardware(alpha, kMaxSets), build_context(), quick());
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
  std::array<int, 3> kinds{};
  fpgpt::BlockActivities seen{};
  for (int number = 0; number < kRandomConvolutions; ++number) {
    SCOPED_TRACE("case " + std::to_string(number));
    cosim::RandomCase drawn = fpgpt::to_case(fpgpt::random_case(1, 0, number, alpha), alpha);
    const cosim::Verdict verdict = cosim::run_case(*rtl, drawn);
    ASSERT_EQ(verdict.difference, "");
    ++kinds.at(drawn.kind);
    for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) seen[block] += verdict.activities[block];
  }
  for (const int count : kinds) EXPECT_GE(count, kRandomConvolutions / 8);
  for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
    const char* name = to_string(static_cast<fpgpt::Block>(block));
    EXPECT_GT(seen[block].of(Activity::Active), 0) << name;
    EXPECT_GT(seen[block].of(Activity::Starved), 0) << name;
  }
}

// The sizes of section 2 of the contract, "What a beta may need of an alpha".
class CosimLimits : public testing::TestWithParam<bool> {};

TEST_P(CosimLimits, AConvolutionThatFitsExactlyRunsAndOneThatNeedsAWordMoreIsRefusedByBoth) {
  const bool hls = GetParam();
  const fpgpt::Alpha alpha = fpgpt::limit_kernel(hls);
  const cosim::RtlBuild build(fpgpt::hardware(alpha, fpgpt::kLimitSets), build_context(), quick());
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
  for (const fpgpt::Beyond& beyond : fpgpt::convolutions_beyond_the_limits()) {
    SCOPED_TRACE(beyond.chosen.what);
    const conv::Convolution c = workloads::lower(beyond.chosen.layer, beyond.chosen.kind);
    const std::string message = test::message_of([&] { fpgpt::refuse_beyond(alpha, c); });
    EXPECT_EQ(message.substr(0, message.find(':')),
              beyond.parameter ? fmt::format("kernel.{}", beyond.parameter) : "nothing");
    ASSERT_EQ(cosim::offer(*rtl, fpgpt::refused_case(c, beyond.status, alpha.format)), "");
  }
  fpgpt::Sizes needed;
  std::int64_t sets = 0;
  std::array<fpgpt::Sizes, 3> by_kind;
  bool crosses = false, above = false;
  for (const fpgpt::Chosen& chosen : fpgpt::convolutions_at_the_limits()) {
    SCOPED_TRACE(chosen.what);
    fpgpt::DataCase data = fpgpt::make_case(chosen.layer, chosen.kind, 0, alpha, 7, {0, 1, 2}, chosen.firsts);
    const cosim::Verdict verdict =
        cosim::run_lockstep(*rtl, fpgpt::KernelCase(data.plan), data.memory.channels,
                            cosim::three_channels(memory::MemoryKind::ddr4, alpha.beat_bytes(fpgpt::Port::Inp)));
    ASSERT_EQ(verdict.difference, "");
    const fpgpt::Sizes sizes = fpgpt::sizes_of(alpha, data.plan.beta);
    fpgpt::grow_sizes(needed, sizes);
    fpgpt::grow_sizes(by_kind.at(static_cast<std::size_t>(chosen.kind)), sizes);
    sets = std::max(sets, data.plan.sets);
    crosses =
        crosses || (data.plan.beta.inp.base < Address{1} << 32 && data.memory.channels[0].end() > Address{1} << 32);
    above = above || data.plan.beta.out.base > Address{3} << 32;
    // 264 beats of KERN, 480 of OUT.
    if (chosen.what == std::string(hls ? "OUT of F" : "KERN of F")) {
      EXPECT_EQ(verdict.longest_burst, 256);
    }
  }
  EXPECT_EQ(sets, fpgpt::kLimitSets);
  EXPECT_EQ(needed.z_channel, alpha.z_channel);
  EXPECT_EQ(needed.k_range, alpha.k_range);
  for (const fpgpt::Sizes& sizes : by_kind) {
    EXPECT_EQ(sizes.kern_words, 576);
    EXPECT_EQ(sizes.out_words, 1536);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, CosimLimits, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "Hls" : "Rtl"; });

// LCH-1 and LCH-4 in the RTL itself, for any convolution; LCH-5 for one that cannot start. The kernel is that of the
// convolutions at the limits.
TEST(CosimLaunch, Lch1To5TheRtlTakesTheCyclesOfTheContractToCycle0OrToItsRefusal) {
  const fpgpt::Alpha alpha = fpgpt::limit_kernel(true);
  const cosim::RtlBuild build(fpgpt::hardware(alpha, fpgpt::kLimitSets), build_context(), quick());
  const conv::Layer layer{"", 1, 2, 3, 1, {6, 3, 1, 1, 1, 1}, {5, 2, 1, 0, 0, 1}};  // OUT: F 6 x 4, GI 6 x 5, GW 3 x 2
  const std::vector<std::pair<Kind, Cycles>> outputs{{Kind::F, 24}, {Kind::GI, 30}, {Kind::GW, 6}};
  for (const auto& [kind, out_map] : outputs) {
    SCOPED_TRACE(to_string(kind));
    const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
    conv::Convolution beta = workloads::lower(layer, kind);
    const cosim::RtlStart start = fpgpt::rtl_start(beta, alpha.format);
    EXPECT_EQ(start.registers.size() + 1, fpgpt::register_writes(NumberFormat::fp32()));
    EXPECT_EQ(start.cycles, 587 + out_map);
    const auto refused = [&](int status, Cycles cycles) {
      const cosim::RefusedCase refusal = fpgpt::refused_case(beta, status, alpha.format);
      EXPECT_EQ(refusal.start.cycles, cycles);
      EXPECT_EQ(cosim::offer(*rtl, refusal), "");
    };
    for (int conv::Axis::*const size : {&conv::Axis::out, &conv::Axis::inp_dilation}) {
      const conv::Convolution whole = beta;
      beta.w.*size = 0;
      refused(2, 2);
      beta = whole;
      beta.h.*size = 0;
      refused(2, 2);
      beta = whole;
    }
    beta.w.stride = 0;
    refused(2, 583 + out_map);
    beta.w.stride = 1;
    const cosim::RtlStarted started = rtl->start(start);
    EXPECT_TRUE(started.runs);
    EXPECT_EQ(started.cycles, 587 + out_map);
  }
}

// A model with one cycle too many before cycle 0 or after T.
class CaseOneCycleOff : public fpgpt::KernelCase {
 public:
  CaseOneCycleOff(const fpgpt::Plan& plan, Cycles start, Cycles done) : KernelCase(plan), start_(start), done_(done) {}
  cosim::RtlStart start() const override {
    cosim::RtlStart start = KernelCase::start();
    start.cycles += start_;
    return start;
  }
  cosim::ModelCounts run_model(const cosim::AxiEnvironment& environment, std::vector<memory::Store>& stores,
                               stream::Observer& observer) const override {
    cosim::ModelCounts counts = KernelCase::run_model(environment, stores, observer);
    counts.done_cycles += done_;
    return counts;
  }

 private:
  Cycles start_, done_;
};

TEST(CosimLaunch, ACycleTooManyBeforeCycle0OrBehindTheEndIsReported) {
  const fpgpt::Alpha alpha = fpgpt::limit_kernel(false);
  const cosim::RtlBuild build(fpgpt::hardware(alpha, fpgpt::kLimitSets), build_context(), quick());
  const fpgpt::Chosen chosen = fpgpt::convolutions_at_the_limits().front();
  const auto difference = [&](Cycles start, Cycles done) {
    fpgpt::DataCase data = fpgpt::make_case(chosen.layer, chosen.kind, 0, alpha, 7);
    return cosim::run_lockstep(*build.make(), CaseOneCycleOff(data.plan, start, done), data.memory.channels,
                               cosim::three_channels(memory::MemoryKind::ddr4, alpha.beat_bytes(fpgpt::Port::Inp)))
        .difference;
  };
  EXPECT_EQ(difference(0, 0), "");
  EXPECT_EQ(difference(1, 0), "cycles from the start to cycle 0: model 600, RTL 599");  // OUT 3 x 4
  EXPECT_EQ(difference(0, 1), "cycles from the end to done: model 2, RTL 1");           // bursts are exact
}

// LCH-6 with late readers: the kernel with the most discarded beats, on random convolutions and memories.
TEST(CosimLaunch, Lch6TheRtlIsDoneWhenTheLastDiscardedBeatIsTaken) {
  const fpgpt::Alpha alpha = fpgpt::limit_kernel(true);
  const cosim::RtlBuild build(fpgpt::hardware(alpha, fpgpt::kLimitSets), build_context(), quick());
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
  int late = 0;
  for (int number = 0; number < kRandomConvolutions; ++number) {
    SCOPED_TRACE(number);
    cosim::RandomCase drawn = fpgpt::to_case(fpgpt::random_case(3, 0, number, alpha), alpha);
    const cosim::Verdict verdict = cosim::run_case(*rtl, drawn);
    ASSERT_EQ(verdict.difference, "");
    late += verdict.done_cycles > fpgpt::kDoneCycles;
  }
  EXPECT_GT(late, kRandomConvolutions / 10);
  EXPECT_LT(late, kRandomConvolutions);
}

// Exercises the widths of the RTL's counters, 32 bits and more, and a memory that answers late.
TEST(CosimLong, RtlAndSystemCAgreeInAConvolutionOfMoreThanAMillionCycles) {
  const fpgpt::Alpha alpha = fpgpt::limit_kernel(false);
  const cosim::RtlBuild build(fpgpt::hardware(alpha, fpgpt::kLimitSets), build_context(), quick());
  const fpgpt::Chosen chosen = fpgpt::convolutions_at_the_limits().front();
  fpgpt::DataCase data = fpgpt::make_case(chosen.layer, chosen.kind, 0, alpha, 7);
  cosim::AxiEnvironment around = cosim::three_channels(memory::MemoryKind::ddr4, alpha.beat_bytes(fpgpt::Port::Inp));
  around.stall = {100, cosim::kLongStall};
  const cosim::Verdict verdict =
      cosim::run_lockstep(*build.make(), fpgpt::KernelCase(data.plan), data.memory.channels, around);
  ASSERT_EQ(verdict.difference, "");
  EXPECT_GT(verdict.cycles, Cycles{1} << 20);
  EXPECT_GT(verdict.activities[static_cast<std::size_t>(fpgpt::Block::InpReader)].of(Activity::Starved),
            Cycles{1} << 20);
}

// The headline run's kernel, FIFOs, ports and memory (configs/runs/googlenet-u250.yaml), on a layer of its network.
// One build for the three kinds.
TEST(CosimHeadline, RtlAndSystemCAgreeOnALayerOfEachKindWithItsKernelAndMemory) {
  const config::Library library{WEFT_SOURCE_DIR "/configs"};
  const config::RunConfig run = design::load_run(
      "googlenet-u250", {{"batch", "1", "batch"}, {"only", "inception4a.branch3.1.*", "only", true}}, library);
  const workloads::Network network = workloads::find_network("googlenet", {WEFT_SOURCE_DIR "/configs/networks"});
  std::vector<fpgpt::RowWork> works = fpgpt::plan_rows(run, network, fpgpt::readings_of(run));
  ASSERT_EQ(works.size(), 3U);
  std::vector<conv::Convolution> all;
  std::int64_t sets = 1;
  for (const fpgpt::RowWork& work : works) {
    EXPECT_EQ(work.alpha.x, 16);
    EXPECT_EQ(work.alpha.y, 16);
    EXPECT_TRUE(work.alpha.profile == fpgpt::Profile::hls());
    all.push_back(work.launches.front());
    sets = std::max(sets, ceil_div(all.back().out_map(), work.alpha.x));
  }
  fpgpt::Alpha alpha = works.front().alpha;
  alpha.variant = fpgpt::Variant::Both;
  alpha = fpgpt::fitted(alpha, all);
  const cosim::RtlBuild build(fpgpt::hardware(alpha, sets), build_context(), quick());
  const std::unique_ptr<cosim::RtlKernel> rtl = build.make();
  for (fpgpt::RowWork& work : works) {
    SCOPED_TRACE(work.layer.name + ", " + to_string(work.kind));
    work.alpha = alpha;
    fpgpt::PlacedJob placed = fpgpt::place_job(run, work, work.launches.front(), true, run.seed);
    const cosim::Verdict verdict = cosim::run_lockstep(
        *rtl, fpgpt::KernelCase(placed.plan), placed.stores,
        {placed.memory, {placed.channel_of_port.begin(), placed.channel_of_port.end()}, 0, run.seed});
    ASSERT_EQ(verdict.difference, "");
    EXPECT_GT(verdict.cycles, 10'000);
  }
}

// Both profiles, each switch alone, and fixed point: beats with a power of two of words, with as many words as fit
// without a gap, and with padded lanes.
INSTANTIATE_TEST_SUITE_P(
    Builds, Cosim,
    testing::Values(Build{"Rtl", 5, 3, 24, 8, {true, true, true, true, true}, 2, {16, 4}},
                    Build{"Hls", 3, 4, 17, 4, {false, false, false, false, false}, 1, {256, 2}},
                    Build{"ExactBursts", 4, 3, 20, 16, {true, false, false, false, false}, 3, {2, 1}},
                    Build{"OverlapDrain", 2, 5, 19, 8, {false, true, false, false, false}, 1, {16, 3}},
                    Build{"WideKernLoad", 3, 2, 23, 4, {false, false, true, false, false}, 2, {64, 8}},
                    Build{"EarlyKernFeed", 4, 4, 21, 2, {false, false, false, true, false}, 4, {7, 2}},
                    Build{"PackedGwSets", 7, 2, 25, 4, {false, false, false, false, true}, 2, {3, 5}},
                    Build{"Fxp8", 5, 3, 24, 4, {true, true, true, true, true}, 2, {16, 4}, NumberFormat::fixed(8)},
                    Build{
                        "Fxp12", 3, 4, 17, 8, {false, false, true, false, false}, 1, {256, 2}, NumberFormat::fixed(12)},
                    Build{"Fxp14Padded",
                          4,
                          2,
                          20,
                          4,
                          {false, true, false, true, false},
                          3,
                          {2, 1},
                          NumberFormat::fixed(14),
                          Packing::Padded}),
    [](const testing::TestParamInfo<Build>& info) { return std::string(info.param.name); });

// The RTL alone, as in `weft bench`: the model's cycles and results, or an error instead of an endless run.
TEST(CosimRun, GivesTheModelsCyclesAndResultsOrEndsAtItsLimit) {
  const Build rtl_build{"", 5, 3, 24, 8, {true, true, true, true, true}, 2, {16, 4}};
  const fpgpt::Alpha alpha = alpha_of(rtl_build);
  const cosim::RtlBuild build(fpgpt::hardware(alpha, kMaxSets), build_context(), quick());
  const cosim::AxiEnvironment around = environment(memory::MemoryKind::ddr4, alpha);
  fpgpt::DataCase data = fpgpt::make_case(fixed_layers().front(), Kind::F, 0, alpha, 7);
  std::vector<memory::Store> stores = data.memory.channels, model = data.memory.channels;
  const std::unique_ptr<memory::Memory> memory = memory::make_memory(around.memory);
  const Cycles expected = fpgpt::systemc::virtual_platform().run(data.plan, *memory, {0, 1, 2}, &model, nullptr).cycles;
  EXPECT_EQ(cosim::run_rtl(*build.make(), fpgpt::KernelCase(data.plan), stores, around, 2 * expected), expected);
  for (std::size_t i = 0; i < stores.size(); ++i) {
    for (Address at = 0; at < stores[i].bytes(); at += 4) {
      ASSERT_EQ(bits(*stores[i].floats(at)), bits(*model[i].floats(at))) << i << " " << at;
    }
  }
  EXPECT_TRUE(
      test::fails([&] { cosim::run_rtl(*build.make(), fpgpt::KernelCase(data.plan), stores, around, expected / 2); },
                  fmt::format("not done after {} cycles", expected / 2)));
}

// Faults of six sorts in the RTL: configs/cosim/mutants.yaml has them all, and `weft cosim --mutants` tries them all.
TEST(CosimMutants, AFaultInTheRtlIsNoticed) {
  std::vector<cosim::Mutant> some;
  for (cosim::Mutant& mutant :
       cosim::load_mutants(fpgpt::rtl_design(), WEFT_SOURCE_DIR "/configs/cosim/mutants.yaml")) {
    for (const char* name : {"regroup-takes-early", "add-truncates-ties", "im2col-ignores-full", "writer-strobes",
                             "constructor-gw-absent-row", "counters-20-bits"}) {
      if (mutant.name == name) some.push_back(mutant);
    }
  }
  ASSERT_EQ(some.size(), 6U);
  const cosim::MutationResult result = cosim::run_mutants(fpgpt::rtl_design(), some, build_context(), 60, 2, nullptr);
  for (const cosim::MutantResult& each : result.mutants) EXPECT_NE(each.difference, "") << each.mutant.name;
  for (const std::string& difference : result.controls) EXPECT_EQ(difference, "");
  EXPECT_TRUE(result.passed());
}

TEST(CosimMutants, AnOldTextThatDoesNotStandThereExactlyOnceIsAnError) {
  const mutation::Fault mutant{"name", "what", "fifo.sv", "one", "two"};
  EXPECT_EQ(mutation::mutated(mutant, "zero\none\n"), "zero\ntwo\n");
  EXPECT_THROW(mutation::mutated(mutant, "zero\n"), Error);
  EXPECT_THROW(mutation::mutated(mutant, "one\none\n"), Error);
  EXPECT_THROW(mutation::mutated({"name", "what", "fifo.sv", "11", "1"}, "111\n"), Error);  // overlapping
}

TEST(CosimMutants, EachOfTheProjectsStandsExactlyOnceInTheRtl) {
  const std::vector<cosim::Mutant> mutants =
      cosim::load_mutants(fpgpt::rtl_design(), WEFT_SOURCE_DIR "/configs/cosim/mutants.yaml");
  EXPECT_GE(mutants.size(), 20U);
  for (const cosim::Mutant& mutant : mutants)
    EXPECT_NO_THROW(cosim::check(fpgpt::rtl_design(), mutant, WEFT_SOURCE_DIR)) << mutant.name;
}

// Every case of a campaign's report, of any size and number of workers, can be run again alone.
TEST(CosimCampaign, GivesTheSameForAnyNumberOfWorkersAndForOneCaseAlone) {
  cosim::CampaignOptions options;
  options.seed = 8;
  options.builds = 1;
  options.count = 5;
  const cosim::CampaignResult one = cosim::run_campaign(fpgpt::rtl_design(), options, build_context(), nullptr);
  options.workers = 3;
  const cosim::CampaignResult three = cosim::run_campaign(fpgpt::rtl_design(), options, build_context(), nullptr);
  options.only = 4;
  const cosim::CampaignResult alone = cosim::run_campaign(fpgpt::rtl_design(), options, build_context(), nullptr);
  ASSERT_EQ(one.builds.size(), 1U);
  ASSERT_EQ(one.builds[0].cases.size(), 5U);
  ASSERT_EQ(three.builds[0].cases.size(), 5U);
  ASSERT_EQ(alone.builds[0].cases.size(), 1U);
  const auto same = [](const cosim::CaseResult& a, const cosim::CaseResult& b) {
    EXPECT_TRUE(a.done && b.done && a.equal && b.equal);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.cycles, b.cycles);
    EXPECT_EQ(a.handshakes, b.handshakes);
    EXPECT_EQ(a.activities, b.activities);
  };
  for (std::size_t i = 0; i < 5; ++i) same(one.builds[0].cases[i], three.builds[0].cases[i]);
  same(one.builds[0].cases[4], alone.builds[0].cases[0]);
}

// An exact fit: for the first convolutions of a build the RTL's buffers have no spare word.
TEST(CosimCampaign, EveryBuildBeginsWithConvolutionsThatFillIt) {
  for (int number = 0; number < 20; ++number) {
    SCOPED_TRACE(number);
    const fpgpt::Alpha alpha = fpgpt::random_build(1, number, number % 2 == 1);
    fpgpt::Sizes needed;
    for (int i = 0; fpgpt::filled_by(i, alpha.variant); ++i) {
      fpgpt::grow_sizes(needed, fpgpt::sizes_of(alpha, fpgpt::campaign_case(1, number, i, alpha).data.plan.beta));
    }
    EXPECT_EQ(needed.kern_words, alpha.kern_words);
    EXPECT_EQ(needed.out_words, alpha.out_words);
    EXPECT_EQ(needed.z_channel, alpha.z_channel);
    if (alpha.variant != fpgpt::Variant::FGI) {
      EXPECT_EQ(needed.k_range, alpha.k_range);
    }
  }
}

TEST(CosimBuild, WorksBelowAPathWithASpaceAndIsKeptAndVerilatorsLibraryForAllBuilds) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("weft cosim test " + std::to_string(getpid()));
  fs::create_directories(root);
  fs::create_directory_symlink(WEFT_SOURCE_DIR, root / "the source");
  const cosim::BuildContext spaced{root / "the source", root / "the cache"};
  // Counts the compilations of builds in their logs.
  const auto compiled = [&] {
    int times = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(spaced.cache)) {
      if (entry.path().extension() != ".log") continue;
      std::ifstream log(entry.path());
      const std::string text{std::istreambuf_iterator<char>(log), {}};
      if (text.find("-c -o verilated.o ") != std::string::npos) ++times;
    }
    return times;
  };
  fpgpt::Alpha alpha = alpha_of({"", 1, 1, 12, 2, fpgpt::Profile::hls(), 1, {16, 2}});
  alpha.variant = fpgpt::Variant::FGI;
  const cosim::RtlBuild first(fpgpt::hardware(alpha, 8), spaced, quick());
  EXPECT_FALSE(first.was_cached());
  EXPECT_NE(first.make(), nullptr);
  const cosim::RtlBuild second(fpgpt::hardware(alpha, 8), spaced, quick());
  EXPECT_TRUE(second.was_cached());
  EXPECT_EQ(compiled(), 1);
  alpha.k_range *= 2;
  const cosim::RtlBuild larger(fpgpt::hardware(alpha, 8), spaced, quick());
  EXPECT_FALSE(larger.was_cached());
  EXPECT_NE(larger.make(), nullptr);
  EXPECT_EQ(compiled(), 1);
  fs::remove_all(root);
}

}  // namespace
}  // namespace weft
