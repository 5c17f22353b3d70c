#include "platform/iteration/timeline/schedule.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "model/core/error.h"
#include "tests/support/texts.h"
#include "tests/unit/platform/iteration/timeline/small_graph.h"

namespace weft::timeline {
namespace {

using link::Direction;

// Two convolutions with an operator of the host between them:
//   x (40), w1 (20) -> conv1 -> y1 (30) -> relu -> a1 (30); a1, w2 (20) -> conv2 -> y2 (10)
// INP in channel 0, KERN in 1, OUT in 2. A call takes 10 ps and 1 ps per byte; a launch 5, precompute 3 and the kernel
// 50 from the register write on; an operator of the host 100, a load 1000, im2col 2 ps per byte.
class TwoConvolutions : public testing::Test {
 protected:
  TwoConvolutions() {
    x = g.tensor("x", 40, workloads::TensorKind::Input);
    w1 = g.tensor("w1", 20, workloads::TensorKind::Weight);
    y1 = g.tensor("y1", 30);
    a1 = g.tensor("a1", 30);
    w2 = g.tensor("w2", 20, workloads::TensorKind::Weight);
    y2 = g.tensor("y2", 10);
    jobs.push_back(
        job(g.convolution("conv1", {x, w1}, {y1}), {{x, "INP", 40, 0}, {w1, "KERN", 20, 1}}, {y1, "OUT", 30, 2}));
    g.host("relu", {y1}, {a1});
    jobs.emplace_back();
    jobs.push_back(
        job(g.convolution("conv2", {a1, w2}, {y2}), {{a1, "INP", 30, 0}, {w2, "KERN", 20, 1}}, {y2, "OUT", 10, 2}));
    prices.host_operator = [](workloads::OperatorId) { return Picoseconds{100}; };
    prices.transfer = [](Direction, Bytes bytes) { return CallTime{10, 10 + bytes}; };
    prices.im2col = [](Bytes bytes) { return 2 * bytes; };
    prices.launch_software = prices.queued_launch_software = 5;
    prices.reconfiguration = 1000;
  }

  static Job job(workloads::OperatorId op, std::vector<CardTensor> inputs, CardTensor output) {
    Job job;
    job.op = op;
    job.inputs = std::move(inputs);
    job.outputs = {std::move(output)};
    job.launches = {{3, 50}};
    return job;
  }

  Timeline run() const {
    const workloads::Dependencies dependencies(g.graph());
    return schedule({&g.graph(), &dependencies, jobs, {"k0", "k1"}, other_channels}, prices, how, card);
  }
  static Picoseconds time(const Timeline& timeline, StepKind activity) {
    return breakdown(timeline).time[static_cast<std::size_t>(activity)];
  }
  // Makes the host prepare the launches of this convolution.
  static design::HostPrepared& serve(Job& job) {
    job.inputs.clear();
    job.outputs.clear();
    return job.host_prepared.emplace();
  }
  static Picoseconds start_of(const Timeline& timeline, StepKind activity, const std::string& what,
                              workloads::OperatorId op) {
    for (const Step& step : timeline.steps) {
      if (step.activity == activity && step.what == what && step.op == op) return step.start;
    }
    return -1;
  }

  test::SmallGraph g;
  workloads::TensorId x, w1, y1, a1, w2, y2;
  std::vector<std::optional<Job>> jobs;
  std::map<int, int> other_channels;
  Prices prices;
  config::Schedule how;
  Card card{1 << 20, 4};
};

// conv1: 10 + 40, 10 + 20, launch 5, kernel 50, 10 + 30 = 175; relu 100; conv2: 10 + 30, 10 + 20, 5, 50, 10 + 10 = 145.
TEST_F(TwoConvolutions, OneThingAtATimeTakesTheSumOfAll) {
  const Timeline timeline = run();
  EXPECT_EQ(timeline.end, 175 + 100 + 145);
  EXPECT_EQ(timeline.loads, 0);
  EXPECT_EQ(timeline.calls, 8);  // 4 + 2 transfers and 2 launches
  EXPECT_EQ(timeline.launches, 2);
  EXPECT_EQ(timeline.to_card, 110);
  EXPECT_EQ(timeline.to_host, 40);
  EXPECT_EQ(time(timeline, StepKind::Kernel), 2 * 47);
  EXPECT_EQ(time(timeline, StepKind::Precompute), 2 * 3);
  EXPECT_EQ(time(timeline, StepKind::ToCard), 110);
  EXPECT_EQ(time(timeline, StepKind::ToHost), 40);
  EXPECT_EQ(time(timeline, StepKind::Call), 6 * 10 + 2 * 5);
  EXPECT_EQ(time(timeline, StepKind::HostOperator), 100);
  EXPECT_EQ(breakdown(timeline).idle, 0);
  EXPECT_EQ(critical_path(timeline).size(), timeline.steps.size());
  EXPECT_EQ(timeline.data_path, timeline.end);  // each operator needs the one before it
}

// For a kernel of fixed point the host quantises inputs, 3 ps per word, and dequantises outputs, 2 ps per word: x 3*40,
// w1 3*20, y1 2*30, a1 3*30, w2 3*20, y2 2*10, in addition to the 420 ps of FP32. relu waits for y1 in FP32.
TEST_F(TwoConvolutions, AHostQuantisesWhatFixedPointReadsAndDequantisesWhatItWrote) {
  for (const std::size_t conv : {0, 2}) jobs[conv]->format = NumberFormat::fixed(8);
  prices.quantise = [](std::int64_t words) { return 3 * words; };
  prices.dequantise = [](std::int64_t words) { return 2 * words; };
  const Timeline timeline = run();
  EXPECT_EQ(time(timeline, StepKind::Quantise), 3 * (40 + 20 + 30 + 20));
  EXPECT_EQ(time(timeline, StepKind::Dequantise), 2 * (30 + 10));
  EXPECT_EQ(timeline.end, 420 + 330 + 80);
  EXPECT_EQ(start_of(timeline, StepKind::Quantise, "x", 0), 0);
  EXPECT_EQ(start_of(timeline, StepKind::HostOperator, "", 1), 175 + 180 + 60);
  EXPECT_EQ(critical_path(timeline).size(), timeline.steps.size());
}

// A tensor that two convolutions read, such as a gradient, is quantised once per format.
TEST_F(TwoConvolutions, AHostKeepsTheWordsOfATensorInEachFormat) {
  prices.quantise = [](std::int64_t words) { return 3 * words; };
  prices.dequantise = [](std::int64_t) { return Picoseconds{0}; };
  for (const int bits : {8, 12}) {
    jobs[0]->format = NumberFormat::fixed(8);
    jobs[2]->format = NumberFormat::fixed(bits);
    jobs[2]->inputs.front() = {x, "INP", 40, 0};
    EXPECT_EQ(time(run(), StepKind::Quantise), 3 * (40 + 20 + (bits == 8 ? 0 : 40) + 20));
  }
}

// conv1 is two launches that the host prepares. Each: im2col 2*6, tiles 3*7, A 10 + 8, B 10 + 12, launch 5, kernel 50,
// C 10 + 4, untiling 4*2 and col2im 5*1: 155. relu waits for the second; conv2 is unchanged.
TEST_F(TwoConvolutions, AHostThatPreparesLaunchesServesOneAfterTheOther) {
  Job& job = *jobs[0];
  job.launches = {{3, 50}, {3, 50}};
  design::HostPrepared& host_prepared = serve(job);
  host_prepared.im2col_bytes = 6;
  host_prepared.tiled = 7;
  host_prepared.to_card = {{"A", 8, 1}, {"B", 12, 1}};
  host_prepared.to_host = {{"C", 4, 2}};
  host_prepared.untiled = 2;
  host_prepared.col2im = 1;
  prices.tile = [](const design::HostPrepared& of) { return 3 * of.tiled; };
  prices.untile = [](const design::HostPrepared& of) { return 4 * of.untiled + 5 * of.col2im; };
  prices.queued_launch_software = 1;  // no launch is queued: each waits until the one before was fetched
  const Timeline timeline = run();
  EXPECT_EQ(timeline.end, 2 * 155 + 100 + 145);
  EXPECT_EQ(start_of(timeline, StepKind::HostOperator, "", 1), 310);
  EXPECT_EQ(time(timeline, StepKind::Im2col), 2 * 12);
  EXPECT_EQ(time(timeline, StepKind::Tiling), 2 * 21);
  EXPECT_EQ(time(timeline, StepKind::Untiling), 2 * 13);
  EXPECT_EQ(time(timeline, StepKind::Kernel), 3 * 47);
  EXPECT_EQ(timeline.calls, 2 * 4 + 4);
  EXPECT_EQ(timeline.launches, 3);
  EXPECT_EQ(timeline.to_card, 2 * 20 + 50);
  EXPECT_EQ(timeline.to_host, 2 * 4 + 10);
  // conv2's tensors take one page each; conv1's A and B take 20 bytes of the page in channel 1.
  for (const std::size_t channel : {0, 1, 2}) EXPECT_EQ(timeline.channel_peak[channel], 4096);
  EXPECT_EQ(timeline.channel_peak[3], 0);
  EXPECT_EQ(critical_path(timeline).size(), timeline.steps.size());
}

// conv2's tiles wait for the result of relu, and relu for conv1's last launch.
TEST_F(TwoConvolutions, AServedConvolutionWaitsForItsInputs) {
  serve(*jobs[2]).tiled = 1;
  prices.tile = [](const design::HostPrepared&) { return Picoseconds{7}; };
  prices.untile = [](const design::HostPrepared&) { return Picoseconds{0}; };
  const Timeline timeline = run();
  EXPECT_EQ(start_of(timeline, StepKind::Tiling, "", 2), 275);
  EXPECT_EQ(timeline.end, 275 + 7 + 5 + 50);
}

// A load of the whole card clears its memory: transfers to it wait, though a load ahead does not block the host.
// conv2's kernel is present at the start; conv1's is loaded from 0 to 1000, while the host tiles.
TEST_F(TwoConvolutions, AServedLaunchSendsNothingToACardThatIsBeingLoaded) {
  jobs[2]->kernel = 1;
  how.load_time = config::LoadTime::Ahead;
  design::HostPrepared& host_prepared = serve(*jobs[0]);
  host_prepared.tiled = 1;
  host_prepared.to_card = {{"A", 8, 1}};
  prices.tile = [](const design::HostPrepared&) { return Picoseconds{7}; };
  prices.untile = [](const design::HostPrepared&) { return Picoseconds{0}; };
  const Timeline timeline = run();
  EXPECT_EQ(start_of(timeline, StepKind::Tiling, "", 0), 0);
  EXPECT_EQ(start_of(timeline, StepKind::Call, "A", 0), 1000);
}

// Iterations follow each other: conv2's kernel is present at the start, so both kernels are loaded once each.
TEST_F(TwoConvolutions, AKernelOfItsOwnForEachIsLoadedOnceAnIteration) {
  jobs[2]->kernel = 1;
  const Timeline timeline = run();
  EXPECT_EQ(timeline.loads, 2);
  EXPECT_EQ(timeline.fewest_loads, 2);
  EXPECT_EQ(timeline.end, 420 + 2000);
  EXPECT_EQ(start_of(timeline, StepKind::Reconfiguration, "k0", 0), 0);
  EXPECT_EQ(start_of(timeline, StepKind::Reconfiguration, "k1", 2), 1000 + 175 + 100);
}

// load_time: ahead: the second load begins when y1 is back, at 1175, not after relu; conv2 waits for it until 2175.
TEST_F(TwoConvolutions, ALoadAheadHidesBehindTheHost) {
  jobs[2]->kernel = 1;
  how.load_time = config::LoadTime::Ahead;
  const Timeline timeline = run();
  EXPECT_EQ(start_of(timeline, StepKind::Reconfiguration, "k1", 2), 1175);
  EXPECT_EQ(timeline.end, 1175 + 1000 + 145);
}

// A third convolution reads w1 again, as GI does: if w1 is kept, 20 + 10 less.
TEST_F(TwoConvolutions, WeightsThatAreKeptAreSentOnce) {
  const auto z = g.tensor("z", 10);
  jobs.push_back(
      job(g.convolution("conv3", {y2, w1}, {z}), {{y2, "INP", 10, 0}, {w1, "KERN", 20, 1}}, {z, "OUT", 10, 2}));
  const Picoseconds every = run().end;
  EXPECT_EQ(every, 420 + 20 + 30 + 55 + 20);
  how.transfers = config::Transfers::KeepWeights;
  EXPECT_EQ(run().end, every - 30);
  // A load of the whole card in between clears them; a load of a region does not.
  jobs[2]->kernel = 1;
  Timeline timeline = run();
  EXPECT_EQ(timeline.loads, 2);
  EXPECT_EQ(timeline.sent_again, 1);
  EXPECT_EQ(timeline.sent_again_bytes, 20);
  EXPECT_EQ(timeline.end, every + 2000);
  how.load = config::LoadKind::Region;
  timeline = run();
  EXPECT_EQ(timeline.sent_again, 0);
  EXPECT_EQ(timeline.end, every - 30 + 2000);
}

// conv3 finds y2 on the card only if OUT and INP share a channel.
TEST_F(TwoConvolutions, ActivationsAreKeptWhereTheNextPortSeesThem) {
  const auto z = g.tensor("z", 10);
  jobs.push_back(
      job(g.convolution("conv3", {y2, w1}, {z}), {{y2, "INP", 10, 0}, {w1, "KERN", 20, 1}}, {z, "OUT", 10, 2}));
  how.transfers = config::Transfers::KeepActivations;
  const Picoseconds apart = run().end;
  for (auto& each : jobs) {
    if (!each) continue;
    each->inputs[0].channel = 2;
  }
  EXPECT_EQ(run().end, apart - 20);
  // relu has changed y1 into a1, so conv2 cannot read conv1's result on the card.
  EXPECT_EQ(run().to_card, 40 + 20 + 30 + 20);
}

TEST_F(TwoConvolutions, AReshapedTensorIsTheSameValue) {
  const auto flat = g.tensor("flat", 10), z = g.tensor("z", 10);
  g.view("reshape", y2, flat);
  prices.host_operator = [](workloads::OperatorId op) { return Picoseconds{op == 1 ? 100 : 0}; };
  jobs.emplace_back();
  jobs.push_back(
      job(g.convolution("conv3", {flat, w1}, {z}), {{flat, "INP", 10, 2}, {w1, "KERN", 20, 1}}, {z, "OUT", 10, 2}));
  how.transfers = config::Transfers::KeepActivations;
  const Timeline timeline = run();
  EXPECT_EQ(timeline.to_card, 40 + 20 + 30 + 20);
  // The operator is part of the iteration, after conv2, and takes no time.
  EXPECT_EQ(start_of(timeline, StepKind::HostOperator, "", 3), 420);
}

// conv1's channels are 0, 1 and 2; conv2's are 3, 1 and 2. w2's channel is busy during conv1, and a1 does not exist
// yet: no transfer is early. With KERN in 3, w2 is sent from the start of kernel 1 on (at 85), 10 and 20, during it.
TEST_F(TwoConvolutions, WhatTheNextReadsIsSentBesideTheKernelToChannelsThatItLeavesAlone) {
  how.overlap = config::Overlap::DoubleBuffer;
  other_channels = {{0, 3}};
  Timeline timeline = run();
  EXPECT_EQ(timeline.prefetches, 0);
  EXPECT_EQ(timeline.end, 420);
  other_channels = {{1, 3}};
  timeline = run();
  EXPECT_EQ(timeline.prefetches, 1);
  EXPECT_EQ(start_of(timeline, StepKind::ToCard, "w2", 2), 95);
  EXPECT_EQ(timeline.end, 420 - 30);
  // A load of the whole card in between would clear it.
  jobs[2]->kernel = 1;
  EXPECT_EQ(run().prefetches, 0);
  how.load = config::LoadKind::Region;
  EXPECT_EQ(run().prefetches, 1);
}

// conv1 starts at 85. w2's call is made then, its data is on the link from 95 to 125; kernel 1 ends at 147 instead of
// 135, and conv2 need not wait for w2.
TEST_F(TwoConvolutions, BesideAKernelOnItsOwnChannelBothAreSimulatedTogether) {
  how.overlap = config::Overlap::SameBank;
  prices.contended = [](const Job& job, const std::vector<Contender>& beside) {
    EXPECT_EQ(job.op, 0U);
    EXPECT_EQ(beside.size(), 1U);
    EXPECT_EQ(beside[0].channel, 1);
    EXPECT_EQ(beside[0].bytes, 20);
    EXPECT_EQ(beside[0].from, 10);
    return Contended{{3, 62}, {40}};
  };
  const Timeline timeline = run();
  EXPECT_EQ(timeline.prefetches, 1);
  EXPECT_EQ(start_of(timeline, StepKind::Call, "w2", 2), 85);
  EXPECT_EQ(start_of(timeline, StepKind::ToCard, "w2", 2), 95);
  EXPECT_EQ(timeline.end, 420 + 12 - 30);
}

// The number of calls and their durations equal those without overlap.
TEST_F(TwoConvolutions, TheSoftwareOfATransferBesideAKernelIsOnTheHost) {
  prices.transfer = [](Direction, Bytes bytes) { return CallTime{40, 40 + bytes}; };
  const auto calls = [&] {
    std::pair<int, Picoseconds> sum;
    for (const Step& step : run().steps) {
      if (step.activity != StepKind::Call) continue;
      sum.first += 1;
      sum.second += step.duration();
    }
    return sum;
  };
  const auto alone = calls();
  EXPECT_EQ(alone, (std::pair<int, Picoseconds>{8, 6 * 40 + 2 * 5}));
  how.overlap = config::Overlap::SameBank;
  prices.contended = [](const Job&, const std::vector<Contender>& beside) {
    return Contended{{3, 50}, {beside.at(0).from + beside[0].bytes}};
  };
  EXPECT_EQ(calls(), alone);
  // x 40 + 40, w1 40 + 20, launch 5: kernel 1 starts at 145.
  EXPECT_EQ(start_of(run(), StepKind::Call, "w2", 2), 145);
  EXPECT_EQ(start_of(run(), StepKind::ToCard, "w2", 2), 185);
  // x 40, w1 20, launch 5: kernel 1 starts at 65, and its cycle 0 is at 68.
  prices.transfer = [](Direction, Bytes bytes) { return CallTime{0, bytes}; };
  prices.contended = [](const Job&, const std::vector<Contender>& beside) {
    EXPECT_EQ(beside.at(0).from, 0);
    return Contended{{3, 50}, {3 + 20}};
  };
  EXPECT_EQ(start_of(run(), StepKind::ToCard, "w2", 2), 68);
}

// Three convolutions in sequence, with the costs above; the third reads the result of the first:
//   x1 (40), w1 (20) -> conv1 -> y1 (30); x2 (40), w2 (20) -> conv2 -> y2 (10); y1, w3 (20) -> conv3 -> y3 (10)
// Alone, conv1 sends x1 from 10 to 50 and w1 from 60 to 80, is launched at 80 and runs from 85 to 135.
class ThreeConvolutions : public TwoConvolutions {
 protected:
  ThreeConvolutions() {
    g = {};
    jobs.clear();
    const auto input = workloads::TensorKind::Input, weight = workloads::TensorKind::Weight;
    x1 = g.tensor("x1", 40, input);
    w1 = g.tensor("w1", 20, weight);
    y1 = g.tensor("y1", 30);
    x2 = g.tensor("x2", 40, input);
    w2 = g.tensor("w2", 20, weight);
    y2 = g.tensor("y2", 10);
    w3 = g.tensor("w3", 20, weight);
    y3 = g.tensor("y3", 10);
    card.channels = 6;
    // Every byte takes its time, regardless of concurrent transfers.
    prices.contended = [](const Job&, const std::vector<Contender>& beside) {
      Contended contended{{3, 50}, {}};
      Picoseconds end = 0;
      for (const Contender& each : beside) {
        const Picoseconds start = std::max(each.from, contended.ends.empty() ? 0 : end + each.pause);
        contended.ends.push_back(end = start + each.bytes);
      }
      return contended;
    };
  }
  // Channels of INP, KERN and OUT.
  using Ports = std::array<int, 3>;
  void first(Ports at) { add("conv1", {x1, "INP", 40, at[0]}, {w1, "KERN", 20, at[1]}, {y1, "OUT", 30, at[2]}); }
  void second(Ports at) { add("conv2", {x2, "INP", 40, at[0]}, {w2, "KERN", 20, at[1]}, {y2, "OUT", 10, at[2]}); }
  void third(workloads::TensorId inp, Ports at) {
    add("conv3", {inp, "INP", g.graph().tensors[inp].bytes(), at[0]}, {w3, "KERN", 20, at[1]}, {y3, "OUT", 10, at[2]});
  }
  void add(const char* name, const CardTensor& inp, const CardTensor& kern, const CardTensor& out) {
    jobs.resize(g.graph().operators.size());
    const workloads::OperatorId op = g.convolution(name, {inp.tensor, kern.tensor}, {out.tensor});
    jobs.push_back(job(op, {inp, kern}, out));
  }

  workloads::TensorId x1, x2, w3, y3;
};

// During kernel 1, from 85 on: x2 95 to 135 after its call, w2 145 to 165; y1's call is at 145, and y1 is back at 185.
// Kernel 2 is launched at 165 and runs from 170 to 220. During it y1 can be sent from 185 on.
TEST_F(ThreeConvolutions, WhatIsSentAheadIsOnTheHostFirst) {
  how.overlap = config::Overlap::DoubleBuffer;
  first({0, 1, 2});
  second({3, 4, 5});
  third(y1, {0, 1, 2});
  const Timeline timeline = run();
  EXPECT_EQ(start_of(timeline, StepKind::ToCard, "x2", 1), 95);
  EXPECT_EQ(start_of(timeline, StepKind::ToCard, "w2", 1), 145);
  EXPECT_EQ(start_of(timeline, StepKind::ToHost, "y1", 0), 155);
  EXPECT_EQ(start_of(timeline, StepKind::Kernel, "", 1), 173);
  EXPECT_EQ(start_of(timeline, StepKind::Call, "y1", 2), 185);
  // y1 195 to 225, w3 235 to 255, y2's call at 235, its data 245 to 255; launch, kernel 260 to 310, y3.
  EXPECT_EQ(timeline.end, 330);
}

// Now conv3 reads a reshaped y1, which the host reshapes after conv2.
TEST_F(ThreeConvolutions, AViewIsOnTheHostWhenWhatItIsAViewOfIs) {
  how.overlap = config::Overlap::DoubleBuffer;
  const workloads::TensorId flat = g.tensor("flat", 30);
  first({0, 1, 2});
  second({3, 4, 5});
  g.view("reshape", y1, flat);
  third(flat, {0, 1, 2});
  prices.host_operator = [](workloads::OperatorId) { return Picoseconds{0}; };
  const Timeline timeline = run();
  EXPECT_EQ(start_of(timeline, StepKind::Call, "flat", 3), 185);
  EXPECT_EQ(timeline.end, 330);
}

// On one set of channels: kernel 2 and the transfers share 0 and 1.
TEST_F(ThreeConvolutions, WhatIsSentBesideAKernelOnItsChannelsIsOnTheHostFirst) {
  how.overlap = config::Overlap::SameBank;
  first({0, 1, 2});
  second({0, 1, 3});
  third(y1, {0, 1, 2});
  const Timeline timeline = run();
  EXPECT_EQ(timeline.prefetches, 4);
  EXPECT_EQ(start_of(timeline, StepKind::ToCard, "x2", 1), 95);
  EXPECT_EQ(start_of(timeline, StepKind::Call, "w2", 1), 135);
  EXPECT_EQ(start_of(timeline, StepKind::ToCard, "w2", 1), 145);
  EXPECT_EQ(start_of(timeline, StepKind::Call, "y1", 2), 185);
  EXPECT_EQ(start_of(timeline, StepKind::ToCard, "y1", 2), 195);
  EXPECT_EQ(start_of(timeline, StepKind::Call, "w3", 2), 225);
  EXPECT_EQ(timeline.end, 330);
}

// y1 leaves channel 2 from 155 to 185, during kernel 2. A transfer to channel 2 for conv3 waits for it, although the
// link is free in that direction: its call is made at 185, not at 170.
TEST_F(ThreeConvolutions, ATransferToTheCardWaitsForOneFromTheSameChannel) {
  how.overlap = config::Overlap::DoubleBuffer;
  const workloads::TensorId x3 = g.tensor("x3", 20, workloads::TensorKind::Input);
  first({0, 1, 2});
  second({3, 4, 5});
  third(x3, {2, 1, 0});
  const Timeline timeline = run();
  EXPECT_EQ(start_of(timeline, StepKind::ToHost, "y1", 0), 155);
  EXPECT_EQ(start_of(timeline, StepKind::Call, "x3", 2), 185);
  // x3 195 to 215, w3 225 to 245; launch, kernel 250 to 300, y3.
  EXPECT_EQ(timeline.end, 320);
}

// w2 is sent to channel 2 from 145 to 165. y1 leaves the channel after that: its call is made at 165, not at 145.
TEST_F(ThreeConvolutions, ATransferFromTheCardWaitsForOneToTheSameChannel) {
  how.overlap = config::Overlap::SameBank;
  first({0, 1, 2});
  second({0, 2, 3});
  third(y1, {0, 1, 2});
  const Timeline timeline = run();
  EXPECT_EQ(start_of(timeline, StepKind::ToCard, "w2", 1), 145);
  EXPECT_EQ(start_of(timeline, StepKind::Call, "y1", 0), 165);
}

// w2 is the tensor w1, which conv1 leaves on the card, in another order: 3 * 20 ps on the host, and a transfer.
TEST_F(TwoConvolutions, AReorderedTensorIsWrittenByTheHostAndSentThoughItIsOnTheCard) {
  how.transfers = config::Transfers::KeepWeights;
  jobs[2]->inputs[1].tensor = w1;
  prices.reorder = [](Bytes bytes) { return 3 * bytes; };
  const Timeline kept = run();
  jobs[2]->inputs[1].whole = false;
  jobs[2]->inputs[1].reordered = true;
  const Timeline timeline = run();
  EXPECT_EQ(timeline.end, kept.end + 3 * 20 + 10 + 20);
  EXPECT_EQ(timeline.to_card, kept.to_card + 20);
  EXPECT_EQ(time(timeline, StepKind::Tiling), 60);
  EXPECT_EQ(time(kept, StepKind::Tiling), 0);
}

// im2col of x makes 360 bytes: 720 ps on the host, and 320 more on the link.
TEST_F(TwoConvolutions, Im2colOnTheHostComesBeforeItsTransfer) {
  jobs[0]->inputs[0].bytes = jobs[0]->im2col_bytes = 360;
  jobs[0]->inputs[0].whole = false;
  const Timeline timeline = run();
  EXPECT_EQ(timeline.end, 420 + 720 + 320);
  EXPECT_EQ(time(timeline, StepKind::Im2col), 720);
}

TEST_F(TwoConvolutions, GroupsAreLaunchesOneBehindTheOther) {
  jobs[0]->launches = {{3, 50}, {3, 50}, {4, 60}};
  // Later launches are queued while the one before them runs.
  prices.queued_launch_software = 2;
  const Timeline timeline = run();
  EXPECT_EQ(timeline.end, 420 + 52 + 62);
  EXPECT_EQ(timeline.launches, 4);
}

// Tensors begin at pages: 40 and 30 bytes of channel 0 are one page each, one tensor at a time.
TEST_F(TwoConvolutions, AMemoryThatIsTooSmallNamesTheConvolutionAndWhatIsMissing) {
  card = {4096, 3};
  EXPECT_EQ(run().channel_peak, std::vector<Bytes>(3, 4096));
  card.bytes_per_channel = 4095;
  EXPECT_TRUE(
      test::fails([&] { run(); }, "conv1 F: memory channel 0 of the card would hold 4096 bytes, 1 more than its 4095"));
}

// Everything except the host's operator between the convolutions takes 320 ps.
TEST_F(TwoConvolutions, EndUpToTheLastPicosecondAndNoFurther) {
  constexpr Picoseconds kMost = std::numeric_limits<Picoseconds>::max();
  prices.host_operator = [](workloads::OperatorId) { return kMost - 320; };
  const Timeline timeline = run();
  EXPECT_EQ(timeline.end, kMost);
  EXPECT_EQ(timeline.data_path, kMost);
  prices.host_operator = [](workloads::OperatorId) { return kMost - 319; };
  EXPECT_THROW(run(), checked::Overflow);
}

}  // namespace
}  // namespace weft::timeline
