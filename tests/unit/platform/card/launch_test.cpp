#include <random>

#include "model/conv/loop_nest.h"
#include "model/fpgpt/analytical/rtl_resources.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/sizing.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/config/host.h"
#include "platform/config/model_config.h"
#include "platform/designs/fpgpt/cosim/kernel_case.h"
#include "tests/support/hardware_order.h"
#include "tests/support/texts.h"
#include "tests/unit/platform/card/cards.h"
#include "workloads/lowering.h"

namespace weft::card {
namespace {

using conv::Convolution;
using conv::Kind;
using fpgpt::Refusal;
using test::cards;
using test::launch;
using test::on_card;
using test::start;
using test::wait;
using test::write_beta;

constexpr Address kKernAt = 4096, kOutAt = 8192;  // within their banks

// IFM 5x11x13, 7 filters of 3x3.
Convolution small(Kind kind) {
  Convolution beta = workloads::lower({"", 1, 5, 7, 1, {11, 3, 1, 1, 1, 1}, {13, 3, 1, 1, 1, 1}}, kind);
  beta.kern.base += kKernAt;
  beta.out.base += kOutAt;
  return beta;
}

fpgpt::Alpha small_kernel(const fpgpt::Profile& profile = fpgpt::Profile::hls()) {
  fpgpt::Alpha alpha;
  alpha.x = 5;
  alpha.y = 3;
  alpha.profile = profile;
  std::vector<Convolution> all;
  for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) all.push_back(small(kind));
  return fpgpt::fitted(alpha, all);
}

// Returns the first words of a bank; only the transfer takes simulated time.
std::vector<float> read_words(Card& card, int bank, std::size_t words) {
  std::vector<float> data(words);
  card.read(card.memory().address(bank), data.data(), static_cast<Bytes>(4 * words));
  return data;
}

TEST(Launch, LeavesInTheBanksWhatTheHardwareComputesOfEachKindInBothExecutions) {
  constexpr std::size_t kWords = 1 << 14;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<Cycles> cycles;
  for (Card* card : {cards().opencl.get(), cards().xrt.get()}) {  // data, fast
    card->load(test::bitstream(small_kernel()));
    for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) {
      SCOPED_TRACE(std::string(conv::to_string(kind)) + ", " + card->name());
      std::vector<float> inp(kWords), kern(kWords), out(kWords);
      for (std::vector<float>* tensor : {&inp, &kern, &out}) {
        for (float& word : *tensor) word = value(random);
      }
      card->write(card->memory().address(0), inp.data(), 4 * kWords);
      card->write(card->memory().address(1), kern.data(), 4 * kWords);
      card->write(card->memory().address(2), out.data(), 4 * kWords);
      launch(*card, small(kind));
      wait(*card);
      EXPECT_EQ(card->read_register(fpgpt::kStatus), 0U);
      cycles.push_back(card->read_register(fpgpt::kCycles));
      test::hardware_order(small(kind), inp, kern, out);
      const std::vector<float> made = read_words(*card, 2, kWords);
      for (std::size_t i = 0; i < kWords; ++i) ASSERT_EQ(bits(made[i]), bits(out[i])) << i;
    }
  }
  for (std::size_t kind = 0; kind < 3; ++kind) EXPECT_EQ(cycles[kind], cycles[kind + 3]);
}

// NUM-6: the sum of an output in 64 bits, truncated to 32.
struct CutSum {
  std::int64_t sum = 0;
  void add(std::int32_t inp, std::int32_t kern) { sum += std::int64_t{inp} * kern; }
  void end_of_a() {}
  std::int32_t value() const { return static_cast<std::int32_t>(sum); }
};

fpgpt::Alpha fixed_kernel(NumberFormat format, Packing packing) {
  fpgpt::Alpha alpha = small_kernel();
  alpha.format = format;
  alpha.packing = packing;
  return alpha;
}

// Fixed point, tensors that begin with any word of a beat: INP_FIRST and KERN_FIRST. 33 registers are written, and the
// time is that of 33 writes.
TEST(Launch, LeavesInTheBanksTheSumsOfFixedPointCutTo32BitsInBothExecutions) {
  constexpr std::size_t kWords = 1 << 13;
  std::mt19937 random(5);
  for (const auto& [bits, packing] : {std::pair{8, Packing::Packed}, std::pair{12, Packing::Packed},
                                      std::pair{12, Packing::Padded}, std::pair{16, Packing::Packed}}) {
    const NumberFormat format = NumberFormat::fixed(bits);
    const fpgpt::Alpha alpha = fixed_kernel(format, packing);
    const stream::Lanes lanes = alpha.lanes(fpgpt::Port::Inp);
    std::uniform_int_distribution<std::int32_t> value(-(1 << (bits - 1)), (1 << (bits - 1)) - 1);
    std::vector<std::int32_t> inp(kWords), kern(kWords);
    std::vector<std::byte> inp_bytes(4 * kWords), kern_bytes(4 * kWords);
    for (std::size_t i = 0; i < kWords; ++i) {
      inp[i] = value(random);
      kern[i] = value(random);
      lanes.put(inp_bytes.data(), static_cast<Words>(i), {static_cast<std::uint32_t>(inp[i])});
      lanes.put(kern_bytes.data(), static_cast<Words>(i), {static_cast<std::uint32_t>(kern[i])});
    }
    for (Card* card : {cards().opencl.get(), cards().xrt.get()}) {  // data, fast
      card->load(test::bitstream(alpha));
      for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) {
        SCOPED_TRACE(
            fmt::format("{} {} {} {}", to_string(format), to_string(packing), conv::to_string(kind), card->name()));
        card->write(card->memory().address(0), inp_bytes.data(), 4 * kWords);
        card->write(card->memory().address(1), kern_bytes.data(), 4 * kWords);
        Convolution beta = small(kind);
        beta.kern.base = 0;
        beta.inp.first = 71;
        beta.kern.first = 1013;
        const Picoseconds before = card->now();
        launch(*card, beta, format);
        EXPECT_EQ(card->now() - before, host::launch_time(*card->run().host, card->run().schedule.calls, 33));
        wait(*card);
        EXPECT_EQ(card->read_register(fpgpt::kStatus), 0U);
        std::vector<std::int32_t> made(kWords), wanted(kWords);
        card->read(card->memory().address(2), made.data(), 4 * kWords);
        wanted = made;
        conv::run_loop_nest<CutSum, std::int32_t>(beta, {inp.data(), kWords}, {kern.data(), kWords},
                                                  {wanted.data(), kWords});
        EXPECT_EQ(made, wanted);
      }
    }
  }
}

// 5 channels of 3x3: an output in the middle is the sum of 45 products of 2^30, which is 2^30 modulo 2^32 (45 mod 4 =
// 1).
TEST(Launch, CountsTheSumsThatLeave32Bits) {
  const fpgpt::Alpha alpha = fixed_kernel(NumberFormat::fixed(16), Packing::Packed);
  const std::vector<std::uint16_t> least(1 << 12, 0x8000);
  for (Card* card : {cards().opencl.get(), cards().xrt.get()}) {  // data, fast
    SCOPED_TRACE(card->name());
    card->load(test::bitstream(alpha));
    card->write(card->memory().address(0), least.data(), 2 * Bytes{1 << 12});
    card->write(card->memory().address(1), least.data(), 2 * Bytes{1 << 12});
    Convolution beta = small(Kind::F);
    beta.kern.base = 0;
    const std::int64_t before = card->totals().overflows;
    launch(*card, beta, alpha.format);
    wait(*card);
    EXPECT_EQ(card->totals().overflows - before, 7 * 11 * 13);  // all: a corner has 4 * 5 products
    std::int32_t middle = 0;
    card->read(card->memory().address(2, kOutAt + 4 * (5 * 13 + 6)), &middle, 4);
    EXPECT_EQ(middle, 1 << 30);
  }
}

// Tensors of fixed point begin with a beat: a first word within it has its own register (PCK-2).
TEST(Launch, RefusesTensorsOfFixedPointThatBeginWithinABeat) {
  const fpgpt::Alpha alpha = fixed_kernel(NumberFormat::fixed(12), Packing::Packed);
  Card& card = *cards().xrt;
  card.load(test::bitstream(alpha));
  Convolution beta = small(Kind::F);
  beta.inp.base = 32;
  write_beta(card, on_card(beta, card.memory()), alpha.format);
  EXPECT_TRUE(test::fails([&] { start(card); },
                          "words of fxp12 need a multiple of 64 bytes, a beat; INP_FIRST selects a word in it"));
}

// Contract, section 14: the calls of the timeline, then launch cycles, T, the drain, and one cycle until done.
TEST(Launch, TakesTheHostsShareAndTheCyclesOfTheContractToThePicosecond) {
  for (Card* card : {cards().opencl.get(), cards().xrt.get()}) {
    for (const auto& profile : {fpgpt::Profile::hls(), fpgpt::Profile::rtl()}) {
      card->load(test::bitstream(small_kernel(profile)));
      const Convolution beta = small(Kind::F);
      const std::int64_t polls = card->totals().polls;
      const Cycles busy_before = card->totals().kernel_cycles;
      Picoseconds before = card->now();
      launch(*card, beta);
      EXPECT_EQ(card->now() - before, host::launch_time(*card->run().host, card->run().schedule.calls, 31));
      before = card->now();
      wait(*card);
      const Picoseconds took = card->now() - before;
      EXPECT_EQ(card->totals().polls, polls + 1);
      const Cycles busy = card->totals().kernel_cycles - busy_before;
      EXPECT_EQ(took, busy * 10'000);  // 100 MHz
      before = card->now();
      const Cycles cycles = card->read_register(fpgpt::kCycles);
      EXPECT_EQ(card->now() - before, card->run().host->xrt.register_read_ps);  // equal in both libraries
      const Cycles before_and_behind = fpgpt::launch_cycles(beta) + fpgpt::kDoneCycles;
      EXPECT_EQ(fpgpt::launch_cycles(beta), 587 + 11 * 13);
      if (profile == fpgpt::Profile::rtl()) {
        EXPECT_EQ(busy, before_and_behind + cycles);
      } else {
        EXPECT_GE(busy, before_and_behind + cycles);  // beats that are read and discarded
      }
      Cycles counted = 0;  // sum for one block: the four add up to T (GEN-5)
      for (Address k = 0; k < Address{kActivities}; ++k)
        counted += card->read_register(fpgpt::kActivity + 7 * 16 + 4 * k);
      EXPECT_EQ(counted, cycles);
    }
  }
}

// Ends a run before a given cycle.
class Until : public stream::Observer {
 public:
  explicit Until(Cycles cycle) : cycle_(cycle) {}
  bool after(Cycles finished, const stream::CycleEvents&) override { return finished + 1 < cycle_; }

 private:
  Cycles cycle_;
};

// REGISTERS.md: ACTIVITY counts while the kernel runs. Expected values: those of the SystemC model, ended in that
// cycle.
TEST(Launch, CountsActivityWhileItRunsInBothExecutions) {
  std::mt19937_64 random(14);
  constexpr std::array<Activity, kActivities> kOrder{Activity::Idle, Activity::Starved, Activity::Blocked,
                                                     Activity::Active};
  for (Card* card : {cards().opencl.get(), cards().xrt.get()}) {  // data, fast
    for (const Kind kind : {Kind::F, Kind::GI, Kind::GW}) {
      card->load(test::bitstream(small_kernel()));
      const memory::MemoryConfig memory = config::memory_config(card->run());
      const fpgpt::Plan plan = fpgpt::make_plan(small_kernel(), small(kind), false);
      launch(*card, small(kind));
      const Picoseconds started = card->now();
      const Cycles first = fpgpt::launch_cycles(small(kind));
      int counting = 0;
      while (card->now() < card->busy_until()) {
        card->advance(static_cast<Picoseconds>(random() % 20'000'000));
        const std::size_t block = random() % fpgpt::kBlocks, k = random() % kActivities;
        const std::uint32_t read = card->read_register(fpgpt::kActivity + static_cast<Address>(16 * block + 4 * k));
        const Cycles cycle = (card->now() - started) / 10'000 - first;
        std::int64_t expected = 0;
        if (cycle > 0) {
          Until until(cycle);
          const auto of_model =
              fpgpt::systemc::virtual_platform().run(plan, *memory::make_memory(memory), {0, 1, 2}, nullptr, &until);
          expected = of_model.activities[block].of(kOrder[k]);
          counting += of_model.cycles == cycle && expected > 0;
        }
        EXPECT_EQ(read, expected) << card->name() << ", block " << block << ", " << k << ", cycle " << cycle;
      }
      EXPECT_GT(counting, 3) << card->name() << ", " << conv::to_string(kind);
      wait(*card);
    }
  }
}

struct Refused {
  Refusal why;
  Convolution beta;
};

// Returns convolutions that each exceed one limit of the limit kernel; the limits before it in REGISTERS.md hold.
std::vector<Refused> refused() {
  std::vector<Refused> all;
  for (const fpgpt::Beyond& beyond : fpgpt::convolutions_beyond_the_limits()) {
    const auto why = static_cast<Refusal>(beyond.status);
    if (why != Refusal::Sets) all.push_back({why, workloads::lower(beyond.chosen.layer, beyond.chosen.kind)});
  }
  // The card's kernels have the table of start(s) that out_words allows: 512 sets of 3.
  all.push_back({Refusal::Sets, workloads::lower({"", 1, 1, 1, 1, {40, 1}, {40, 1}}, Kind::F)});
  const Convolution whole = workloads::lower({"", 1, 2, 3, 1, {6, 3, 1, 1, 1, 1}, {5, 2, 1, 0, 0, 1}}, Kind::F);
  for (std::int64_t Convolution::*const member :
       {&Convolution::a, &Convolution::n_inp, &Convolution::n_kern, &Convolution::c}) {
    all.push_back({Refusal::Zero, whole});
    all.back().beta.*member = 0;
  }
  for (int conv::Axis::*const member : {&conv::Axis::inp, &conv::Axis::kern, &conv::Axis::out, &conv::Axis::stride,
                                        &conv::Axis::inp_dilation, &conv::Axis::kern_dilation}) {
    for (conv::Axis Convolution::*const axis : {&Convolution::h, &Convolution::w}) {
      all.push_back({Refusal::Zero, whole});
      all.back().beta.*axis.*member = 0;
    }
  }
  return all;
}

TEST(Launch, ThatTheKernelRefusesEndsInTheCycleOfTheContractWithItsStatus) {
  Card& card = *cards().xrt;
  const fpgpt::Alpha alpha = fpgpt::limit_kernel(true);
  card.load(test::bitstream(alpha));
  std::array<int, 8> seen{};
  for (const auto& [why, beta] : refused()) {
    SCOPED_TRACE(fpgpt::to_string(why));
    EXPECT_EQ(fpgpt::refusal(alpha, fpgpt::max_sets_of(alpha), beta), why);
    const std::int64_t launches = card.totals().launches, refusals = card.totals().refused;
    launch(card, beta);
    const Picoseconds began = card.now();
    wait(card);
    EXPECT_EQ(card.now() - began, fpgpt::refusal_cycles(beta) * 10'000);
    EXPECT_EQ(card.read_register(fpgpt::kStatus), static_cast<std::uint32_t>(why));
    EXPECT_EQ(card.read_register(fpgpt::kCycles), 0U);
    EXPECT_EQ(card.read_register(fpgpt::kActivity + 12), 0U);
    EXPECT_EQ(card.totals().launches, launches + 1);
    EXPECT_EQ(card.totals().refused, refusals + 1);
    ++seen.at(static_cast<std::size_t>(why));
  }
  fpgpt::Alpha narrow = alpha;
  narrow.variant = fpgpt::Variant::FGI;
  card.load(test::bitstream(narrow));
  launch(card, workloads::lower({"", 1, 1, 2, 1, {6, 1}, {8, 1}}, Kind::GW));
  wait(card);
  EXPECT_EQ(card.read_register(fpgpt::kStatus), 1U);
  ++seen[1];
  for (std::size_t why = 1; why < seen.size(); ++why) EXPECT_GT(seen.at(why), 0) << why;
}

TEST(Launch, AsksForNothingThatTheKernelCannotBeToldToRefuse) {
  Card& card = *cards().xrt;
  fpgpt::Alpha alpha = small_kernel();
  const auto expect_error = [&](const Convolution& beta, const std::string& part) {
    const std::int64_t launches = card.totals().launches;
    write_beta(card, beta);
    EXPECT_TRUE(test::fails([&] { start(card); }, part));
    EXPECT_EQ(card.totals().launches, launches);
    EXPECT_EQ(card.read_register(fpgpt::kCtrl) & fpgpt::kCtrlIdle, fpgpt::kCtrlIdle);
  };
  card.load(test::bitstream(alpha));
  const Convolution good = on_card(small(Kind::F), card.memory());
  Convolution beta = good;
  beta.kern.base = card.memory().address(3);
  expect_error(beta,
               "KERN_BASE is 0x4c00000000, but that port of the kernel reaches bank 1, 0x4400000000 to 0x47ffffffff");
  beta = good;
  beta.out.base = 4096;
  expect_error(beta, "OUT_BASE is 0x1000, but that port of the kernel reaches bank 2");
  beta = good;
  beta.inp.base = card.memory().address(1) - 1024;
  expect_error(beta, "the tensor at INP_BASE 0x43fffffc00 ends beyond bank 0; it begins at 0x3fffffc00 of this bank");
  beta.inp.base = card.memory().address(1) - 4096;  // the discarded beats are after the bank's end
  expect_error(beta, "the channel's capacity of 0x400000000 bytes");
  beta = good;
  beta.inp.pitch_c = 0xffffffff;
  expect_error(beta, "the tensor at INP_BASE 0x4000000000 ends beyond bank 0");
  beta = good;
  beta.a = 2;
  expect_error(beta, "A is 2; F and GI have 1");
  beta = good;
  beta.h.stride = 40000;
  expect_error(beta, "a size register holds 40000; at most 32767 is allowed");
  alpha.variant = fpgpt::Variant::FGI;
  alpha = fpgpt::fitted(alpha, small(Kind::F));
  --alpha.z;
  card.load(test::bitstream(alpha));
  expect_error(good, "kernel.z: this F convolution needs");
  // The kernel still works.
  alpha = small_kernel();
  card.load(test::bitstream(alpha));
  write_beta(card, good);
  start(card);
  wait(card);
  EXPECT_EQ(card.read_register(fpgpt::kStatus), 0U);
}

TEST(Launch, WhileTheKernelIsBusyIsIgnoredAndSoAreItsRegisters) {
  Card& card = *cards().xrt;
  card.load(test::bitstream(small_kernel()));
  launch(card, small(Kind::F));
  const Picoseconds busy_until = card.busy_until();
  const std::int64_t launches = card.totals().launches;
  const Picoseconds before = card.now();
  start(card);
  EXPECT_EQ(card.now() - before, card.run().host->xrt.register_write_ps);  // no launch
  card.write_register(fpgpt::kBeta + 4, 77);
  EXPECT_EQ(card.read_register(fpgpt::kBeta + 4), 1U);
  EXPECT_EQ(card.read_register(fpgpt::kCycles), 0U);
  EXPECT_EQ(card.totals().launches, launches);
  EXPECT_EQ(card.busy_until(), busy_until);
  ASSERT_LT(card.now(), busy_until);
  wait(card);
  EXPECT_EQ(card.now(), busy_until);
  EXPECT_NE(card.read_register(fpgpt::kCycles), 0U);
  card.write_register(fpgpt::kBeta + 4, 77);
  EXPECT_EQ(card.read_register(fpgpt::kBeta + 4), 77U);
}

TEST(Launch, MakesTransfersWaitThatTouchItsBanksAndNoOthers) {
  Card& card = *cards().xrt;
  card.load(test::bitstream(small_kernel()));
  std::vector<unsigned char> page(4096);
  for (int bank = 0; bank < 4; ++bank) {
    launch(card, small(Kind::F));
    const Picoseconds busy_until = card.busy_until();
    const card::Totals totals = card.totals();
    const Picoseconds before = card.now();
    card.write(card.memory().address(bank, Bytes{1} << 30), page.data(), 4096);
    link::Link link(*card.run().board.pcie);
    const Picoseconds alone =
        link.time(link::Direction::HostToCard, 0, 4096,
                  host::call_cost(*card.run().host, card.run().schedule.calls, link::Direction::HostToCard));
    EXPECT_EQ(card.now(), (bank < 3 ? busy_until : before) + alone) << bank;
    EXPECT_EQ(card.totals().serialised - totals.serialised, bank < 3 ? 1 : 0);
    EXPECT_EQ(card.totals().serialised_time - totals.serialised_time, bank < 3 ? busy_until - before : 0);
    wait(card);
  }
  // A read across banks 2 and 3.
  launch(card, small(Kind::F));
  const Picoseconds busy_until = card.busy_until();
  card.read(card.memory().address(3) - 1, page.data(), 2);
  EXPECT_GT(card.now(), busy_until);
}

TEST(Load, OfTwoKernelsInTurnLosesTheMemoryAndTheRegisters) {
  Card& card = *cards().opencl;
  const fpgpt::Alpha other = fpgpt::limit_kernel(false);
  for (int turn = 0; turn < 2; ++turn) {
    card.load(test::bitstream(turn == 0 ? small_kernel() : other));
    for (int bank = 0; bank < 4; ++bank) EXPECT_EQ(read_words(card, bank, 1), std::vector<float>{0}) << bank;
    EXPECT_EQ(card.read_register(fpgpt::kBeta + 4), 0U);
    EXPECT_EQ(card.read_register(fpgpt::kCtrl), fpgpt::kCtrlIdle);
    const std::vector<float> one{1};
    for (int bank = 0; bank < 4; ++bank) card.write(card.memory().address(bank), one.data(), 4);
    const Convolution beta = workloads::lower({"", 1, 1, 1, 1, {1, 1}, {1, 1}}, Kind::F);
    launch(card, beta);
    wait(card);
    EXPECT_EQ(card.read_register(fpgpt::kStatus), 0U);
    EXPECT_EQ(read_words(card, 2, 1), std::vector<float>{1});
  }
}

TEST(Load, OfARegionKeepsTheMemory) {
  Card& card = *cards().region;
  const std::vector<float> one{1};
  card.load(test::bitstream(small_kernel()));
  card.write(card.memory().address(3), one.data(), 4);
  const Picoseconds before = card.now();
  card.load(test::bitstream(fpgpt::limit_kernel(false)));
  EXPECT_EQ(card.now() - before, card.run().host->load_region.typical_ps);
  EXPECT_EQ(read_words(card, 3, 1), one);
}

TEST(Load, WaitsForTheKernelAndCostsTheReconfigurationOfTheTimeline) {
  Card& card = *cards().xrt;
  card.load(test::bitstream(small_kernel()));
  launch(card, small(Kind::F));
  const Picoseconds busy_until = card.busy_until();
  const std::int64_t loads = card.totals().reconfigurations;
  card.load(test::bitstream(small_kernel()));
  EXPECT_EQ(card.now(), busy_until + card.run().host->load_card.typical_ps);
  EXPECT_EQ(card.totals().reconfigurations, loads + 1);
}

TEST(Load, OfWhatIsNoBitstreamIsAnErrorAndChangesNothing) {
  Card& card = *cards().xrt;
  card.load(test::bitstream(small_kernel()));
  card.write_register(fpgpt::kBeta + 4, 5);
  const Picoseconds before = card.now();
  const auto refused = [&](std::string yaml, const std::string& old, const std::string& now, const std::string& part) {
    if (!old.empty()) {
      const std::size_t at = yaml.find(old);
      ASSERT_NE(at, std::string::npos) << yaml;
      yaml.replace(at, old.size(), now);
    }
    EXPECT_TRUE(test::fails([&] { card.load(yaml); }, part));
  };
  const std::string good = test::bitstream(small_kernel());
  refused(good, "variant: both", "variant: auto", "kernel.variant: must be fgi, gw or both for a bitstream, not auto");
  refused(good, "z_channel: ", "z_channel: auto  #",
          "kernel.z_channel: must be a number of words for a bitstream, not auto");
  refused(good, "band: 16", "bandage: 16", "bandage");
  refused("{", "", "", "the bitstream's kernel");
  refused(good, "design: fpgpt", "design: none", "design");
  EXPECT_EQ(card.now(), before);
  EXPECT_EQ(card.read_register(fpgpt::kBeta + 4), 5U);
}

TEST(Registers, WithoutAKernelOrBeyondTheWindowAreErrors) {
  Card& card = *cards().copied;
  card.unload();
  EXPECT_THROW(card.read_register(0), Error);
  EXPECT_THROW(card.write_register(0x20, 1), Error);
  card.load(test::bitstream(small_kernel()));
  EXPECT_THROW(card.read_register(Card::kRegisterWindow), Error);
  EXPECT_THROW(card.write_register(-4, 1), Error);
  // 10 bits of address: the registers repeat within the window.
  card.write_register(0x424, 9);
  EXPECT_EQ(card.read_register(0x24), 9U);
  card.unload();
  EXPECT_FALSE(card.loaded());
  EXPECT_THROW(card.read_register(0), Error);
}

}  // namespace
}  // namespace weft::card
