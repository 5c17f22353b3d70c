#include "model/fpgpt/registers.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "kernels/fp32.h"
#include "model/fpgpt/analytical/rtl_resources.h"
#include "model/fpgpt/sizing.h"
#include "platform/card/kernel_control.h"
#include "platform/catalogue/designs.h"
#include "platform/config/model_config.h"
#include "platform/designs/fpgpt/cosim/kernel_case.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/hardware/cosim/axi_side.h"
#include "workloads/lowering.h"

// Compares the card's registers with axi_lite_regs.sv in the kernel's RTL, access by access: software accesses a port
// of each in the same cycles.
namespace weft {
namespace {

using conv::Convolution;
using conv::Kind;
using fpgpt::BetaWords;
using fpgpt::kBeta;

constexpr int kBanks = 4;
constexpr Bytes kBankBytes = Bytes{16} << 30;
constexpr Bytes kUsed = 1 << 16;  // in each bank
constexpr Picoseconds kCycle = 10'000;

config::RunConfig run_of(const fpgpt::Alpha& alpha) {
  return config::with_kernel(design::load_run("resnet20-u250", {}, config::Library{WEFT_SOURCE_DIR "/configs"}),
                             fpgpt::kernel_config_of(alpha));
}

// The card's side of the registers: a master, KernelControl, ComputeUnit, banks.
class Module : public sc_core::sc_module, private card::BlockingInitiator {
 public:
  Module(const sc_core::sc_module_name& name, const fpgpt::Alpha& alpha, design::Execution execution)
      : sc_module(name),
        socket_("master"),
        control_("control", clock_),
        unit_("unit", banks_),
        run_(run_of(alpha)),
        kernels_(fpgpt::card_kernels({execution, 0})) {
    for (int bank = 0; bank < kBanks; ++bank) banks_.emplace_back(kBankBytes);
    socket_.bind(*this);
    socket_.bind(control_.socket);
    control_.unit.bind(unit_.socket);
  }

  void load() {
    kernel_ = kernels_->load(run_, map());
    control_.load(kernel_.get());
    unit_.load(kernel_.get());
  }
  static design::AddressMap map() { return {kBanks, kBankBytes}; }
  memory::MemoryConfig memory() const { return config::memory_config(run_); }
  std::vector<memory::Store>& banks() { return banks_; }

  // Accesses in a cycle of the kernel, not before the cycle of the last access.
  std::uint32_t read(Cycles cycle, Address address) {
    std::uint32_t data = 0;
    access(tlm::TLM_READ_COMMAND, cycle, address, data, 0xF);
    return data;
  }
  std::optional<design::CardLaunch> write(Cycles cycle, Address address, std::uint32_t data, unsigned strobes) {
    return access(tlm::TLM_WRITE_COMMAND, cycle, address, data, strobes);
  }

 private:
  std::optional<design::CardLaunch> access(tlm::tlm_command command, Cycles cycle, Address address, std::uint32_t& data,
                                           unsigned strobes) {
    clock_.advance_to(cycle * kCycle);
    std::array<unsigned char, 4> enables{};
    for (unsigned i = 0; i < 4; ++i) enables.at(i) = (strobes >> i & 1U) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    card::RegisterExtension extension;
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(static_cast<sc_dt::uint64>(address));
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    payload.set_data_length(4);
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(4);
    const card::Attached attached(payload, extension);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket_->b_transport(payload, delay);
    EXPECT_TRUE(payload.is_response_ok());
    return extension.launch;
  }

  card::CardClock clock_;
  std::vector<memory::Store> banks_;
  card::ControlInitiatorSocket socket_;
  card::KernelControl control_;
  card::ComputeUnit unit_;
  config::RunConfig run_;
  std::unique_ptr<design::CardKernels> kernels_;
  std::unique_ptr<design::CardKernel> kernel_;
};

fpgpt::Alpha kernel(bool hls) {
  fpgpt::Alpha alpha = fpgpt::limit_kernel(hls);
  if (!hls) alpha.variant = fpgpt::Variant::FGI;
  return alpha;
}

// Modules are built before the first simulation of the process.
Module& module(bool hls, design::Execution execution) {
  using design::Execution;
  static Module rtl("rtl", kernel(false), Execution::Data), rtl_fast("rtl_fast", kernel(false), Execution::Fast),
      of_hls("hls", kernel(true), Execution::Data), hls_fast("hls_fast", kernel(true), Execution::Fast);
  const bool fast = execution == Execution::Fast;
  return hls ? (fast ? hls_fast : of_hls) : (fast ? rtl_fast : rtl);
}

struct Access {
  bool write = false;
  std::uint32_t address = 0, data = 0;
  unsigned strobes = 0xF;
};

// One master of both sides, with one access at a time and random valid and ready.
class Bench {
 public:
  Bench(bool hls, design::Execution execution, std::uint64_t seed)
      : module_(module(hls, execution)),
        alpha_(kernel(hls)),
        build_(fpgpt::hardware(alpha_, fpgpt::max_sets_of(alpha_)), {WEFT_SOURCE_DIR, WEFT_COSIM_CACHE}, quick()),
        rtl_(build_.make()),
        random_(seed) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    module_.load();
    around_.memory = module_.memory();
    around_.channels = {0, 1, 2};
    for (int bank = 0; bank < kBanks; ++bank) {
      memory::Store& store = module_.banks()[static_cast<std::size_t>(bank)];
      stores_.emplace_back(kBankBytes);
      for (Address at = 0; at < kUsed; at += 4) {
        *store.floats(at) = *stores_.back().floats(at) =
            static_cast<float>(static_cast<int>(random_() % 2001) - 1000) / 1000;
      }
    }
  }

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }

  bool busy() { return rtl_->busy(); }
  const fpgpt::Alpha& alpha() const { return alpha_; }
  std::int64_t accesses = 0, starts = 0, refused = 0, while_busy = 0, done_seen = 0;
  std::int64_t counting = 0;  // nonzero reads of counters while they count
  std::array<std::int64_t, 8> status_seen{};

  // Runs to the end of the access. Both sides must give equal answers.
  std::uint32_t access(const Access& wanted) {
    ++accesses;
    if (busy()) ++while_busy;
    return wanted.write ? write(wanted) : read(wanted.address);
  }
  void idle(Cycles cycles) {
    for (Cycles i = 0; i < cycles; ++i) step({});
  }
  // Runs to a cycle of the launch, or up to three cycles before it.
  void idle_to(Cycles cycle) {
    cycle -= static_cast<Cycles>(below(4));
    while (now_ - began_ < cycle) step({});
  }
  // Cycles from the start until CYCLES can be read, and until done.
  Cycles ended() const { return launch_.refused ? launch_.busy : first_ - began_ + launch_.cycles; }
  Cycles done() const { return launch_.busy; }
  std::string failed_assertion() const { return rtl_->failed_assertion(); }

  void write_beta(const BetaWords& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      access({true, static_cast<std::uint32_t>(kBeta + 4 * i), words[i]});
    }
  }

 private:
  static cosim::BuildOptions quick() {
    cosim::BuildOptions options;
    options.quick = true;
    options.jobs = 1;
    return options;
  }

  std::uint32_t write(const Access& wanted) {
    cosim::ControlInputs in;
    in.address_to_write = wanted.address;
    in.data = wanted.data;
    in.strobes = wanted.strobes;
    bool taken = false, answered = false;
    while (!answered) {
      in.write_address = !taken && (in.write_address || chance(60));
      in.write_data = !taken && (in.write_data || chance(60));
      in.response_ready = chance(60);
      const Cycles cycle = now_;
      const cosim::ControlEvents events = step(in);
      EXPECT_EQ(events.write_address, events.write_data);
      if (events.write_address) {
        EXPECT_FALSE(taken);
        taken = true;
        started(cycle, module_.write(cycle, aliased(wanted.address), wanted.data, wanted.strobes));
      }
      answered = events.response;
      if (answered) {
        EXPECT_EQ(events.write_resp, 0);
      }
    }
    EXPECT_TRUE(taken);
    return 0;
  }

  std::uint32_t read(std::uint32_t address) {
    cosim::ControlInputs in;
    in.address_to_read = address;
    bool taken = false;
    std::uint32_t expected = 0;
    for (;;) {
      in.read_address = !taken && (in.read_address || chance(60));
      in.word_ready = chance(60);
      const Cycles cycle = now_;
      const cosim::ControlEvents events = step(in);
      if (events.read_address) {
        EXPECT_FALSE(taken);
        taken = true;
        expected = module_.read(cycle, aliased(address));
      }
      if (!events.word) continue;
      EXPECT_TRUE(taken);
      EXPECT_EQ(events.read_resp, 0);
      if (address % fpgpt::kRegisterBytes >= fpgpt::kActivity && axi_ && expected != 0) ++counting;
      EXPECT_EQ(events.data, expected) << "register " << std::hex << address << " in cycle " << std::dec << cycle
                                       << ", " << cycle - began_ << " after the last start";
      return events.data;
    }
  }
  // Another address of the register within the compute unit's window.
  Address aliased(std::uint32_t address) { return address + fpgpt::kRegisterBytes * static_cast<Address>(below(64)); }

  void started(Cycles cycle, const std::optional<design::CardLaunch>& launch) {
    if (!launch) return;
    ++starts;
    began_ = cycle;
    launch_ = *launch;
    refused += launch->refused;
    // A launch that runs has a cycle 0.
    first_ =
        launch->refused ? kNever : cycle + fpgpt::launch_cycles(fpgpt::decode(beta_written(), NumberFormat::fp32()));
  }
  BetaWords beta_written() {
    BetaWords words(static_cast<std::size_t>(fpgpt::beta_registers(NumberFormat::fp32())));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = module_.read(now_, kBeta + 4 * static_cast<Address>(i));
    return words;
  }

  cosim::ControlEvents step(const cosim::ControlInputs& in) {
    if (now_ == first_) {
      axi_ = std::make_unique<cosim::AxiSide>(fpgpt::topology(), around_, std::move(stores_),
                                              alpha_.bus_words(fpgpt::Port::Inp));
    }
    static const std::vector<cosim::PortInputs> nothing(fpgpt::kPorts);
    cosim::ControlEvents control;
    if (axi_) {
      control = rtl_->cycle(axi_->inputs(now_ - first_, ready_), in, events_);
      for (std::size_t port = 0; port < fpgpt::kPorts; ++port) {
        events_.ports[port].request.address -= Module::map().address(static_cast<int>(port));
      }
      axi_->after(now_ - first_, events_.ports);
    } else {
      control = rtl_->cycle(nothing, in, events_);
    }
    ++now_;
    if (axi_ && !rtl_->busy()) finish();
    return control;
  }
  // Keeps the memory contents of both sides.
  void finish() {
    stores_ = std::move(axi_->stores());
    axi_.reset();
    first_ = kNever;
    EXPECT_EQ(now_, began_ + launch_.busy);
    for (std::size_t bank = 0; bank < kBanks; ++bank) {
      for (Address at = 0; at < kUsed; at += 4) {
        ASSERT_EQ(bits(*stores_[bank].floats(at)), bits(*module_.banks()[bank].floats(at))) << bank << " " << at;
      }
    }
  }

  Module& module_;
  fpgpt::Alpha alpha_;
  cosim::RtlBuild build_;
  std::unique_ptr<cosim::RtlKernel> rtl_;
  std::mt19937_64 random_;
  cosim::AxiEnvironment around_;
  std::vector<cosim::PortReady> ready_{fpgpt::kPorts};
  std::vector<memory::Store> stores_;
  std::unique_ptr<cosim::AxiSide> axi_;
  cosim::CycleEvents events_;
  Cycles now_ = 0, began_ = 0, first_ = kNever;
  design::CardLaunch launch_;
};

// Returns a small convolution in the banks of its ports.
Convolution random_convolution(Bench& bench) {
  const auto from = [&](int low, int high) {
    const int values = high - low + 1;
    return low + static_cast<int>(bench.below(static_cast<std::uint64_t>(values)));
  };
  for (;;) {
    conv::LayerAxis h{from(2, 8), from(1, 3)}, w{from(2, 9), from(1, 3)};
    h.stride = from(1, 2);
    w.stride = from(1, 2);
    h.pad_begin = h.pad_end = from(0, h.kernel - 1);
    w.pad_begin = w.pad_end = from(0, w.kernel - 1);
    if (h.kernel > h.size || w.kernel > w.size) continue;
    const conv::Layer layer{"", from(1, 2), from(1, 4), from(1, 5), 1, h, w};
    Convolution beta = workloads::lower(layer, static_cast<Kind>(bench.below(3)));
    if (fpgpt::runs(bench.alpha().variant, beta.kind) && fpgpt::sizes_of(bench.alpha(), beta).z > bench.alpha().z) {
      continue;
    }
    const design::AddressMap map = Module::map();
    beta.inp.base = map.address(0, 4 * from(0, 2000));
    beta.kern.base = map.address(1, 4 * from(0, 2000));
    beta.out.base = map.address(2, 4 * from(0, 2000));
    return beta;
  }
}

// Returns a convolution that must be refused because one value is zero or far too large.
Convolution spoilt(Bench& bench, const Convolution& beta) {
  for (;;) {
    Convolution bad = beta;
    const fpgpt::BetaField& field = fpgpt::beta_fields(NumberFormat::fp32())[1 + bench.below(18)];  // A to KERN_DIL_W
    if (field.is_signed) continue;
    const bool count = field.bits == 32;
    field.set(bad, bench.chance(70)            ? 0
                   : count && bench.chance(50) ? static_cast<std::int64_t>(0xFFFFFFFF - bench.below(1000))
                                               : static_cast<std::int64_t>(200 + bench.below(300)));
    if (bad.out_map() > 5000) continue;  // precompute takes one cycle per output
    if (fpgpt::refusal(bench.alpha(), fpgpt::max_sets_of(bench.alpha()), bad) != fpgpt::Refusal::None) return bad;
  }
}

Access random_access(Bench& bench) {
  Access access;
  access.write = bench.chance(40);
  access.data = static_cast<std::uint32_t>(bench.below(std::uint64_t{1} << 32));
  access.strobes = bench.chance(60) ? 0xFU : static_cast<unsigned>(bench.below(16));
  switch (bench.below(4)) {
    case 0:  // CTRL, STATUS, CYCLES and the addresses up to beta
      access.address = static_cast<std::uint32_t>(bench.below(0x20));
      break;
    case 1:
      access.address = static_cast<std::uint32_t>(kBeta + bench.below(4 * fpgpt::beta_registers(NumberFormat::fp32())));
      break;
    case 2:
      access.address = static_cast<std::uint32_t>(fpgpt::kActivity + bench.below(0xC0));  // also beyond the last
      break;
    default:
      access.address = static_cast<std::uint32_t>(bench.below(0x400));
  }
  return access;
}

// Returns a convolution that needs one word too much; a different one for each number.
Convolution beyond(int number) {
  const std::vector<fpgpt::Beyond> all = fpgpt::convolutions_beyond_the_limits();
  // The last one needs more sets than other kernels have.
  const fpgpt::Beyond& one = all[static_cast<std::size_t>(number) % (all.size() - 1)];
  return workloads::lower(one.chosen.layer, one.chosen.kind);
}

// True if the access starts nothing that was not started before.
bool harmless(Bench& bench, const Access& access) {
  const bool starts =
      access.write && access.address / 4 * 4 == fpgpt::kCtrl && (access.data & 1U) != 0 && (access.strobes & 1U) != 0;
  return !starts || bench.busy();
}

class Registers : public testing::TestWithParam<std::tuple<bool, design::Execution>> {
 protected:
  bool hls() const { return std::get<0>(GetParam()); }
  design::Execution execution() const { return std::get<1>(GetParam()); }
};

TEST_P(Registers, AnswerRandomTrafficAsTheRtlDoesInEveryCycle) {
  Bench bench(hls(), execution(), 20 + hls());
  for (int round = 0; round < 170 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    for (std::uint64_t i = bench.below(20); i > 0; --i) {
      const Access access = random_access(bench);
      if (harmless(bench, access)) bench.access(access);
    }
    const Convolution whole = random_convolution(bench);
    const Convolution written = round % 4 == 0 ? beyond(round / 4) : bench.chance(60) ? whole : spoilt(bench, whole);
    bench.write_beta(fpgpt::encode(written, NumberFormat::fp32()));
    bench.access({true, 0, static_cast<std::uint32_t>(1 | bench.below(256) << 1), 1});
    if (bench.chance(50)) {
      const Cycles done = bench.done();
      bench.idle_to(bench.ended());
      bench.access({false, fpgpt::kCycles});
      bench.idle_to(done);
      bench.access({false, fpgpt::kCtrl});
    }
    while (bench.busy() && !testing::Test::HasFailure()) {
      const Access access = random_access(bench);
      if (bench.chance(40) && harmless(bench, access)) {
        bench.access(access);
      } else if (bench.chance(30)) {
        bench.done_seen += (bench.access({false, 0}) & fpgpt::kCtrlDone) != 0;
      } else {
        bench.idle(static_cast<Cycles>(bench.below(60)));
      }
    }
    ++bench.status_seen.at(bench.access({false, fpgpt::kStatus}) & 7U);
    for (Address at = 0; at < 0x1C0 && bench.chance(95); at += 4) bench.access({false, static_cast<std::uint32_t>(at)});
  }
  EXPECT_EQ(bench.failed_assertion(), "");
  EXPECT_GT(bench.accesses, 10'000);
  EXPECT_GT(bench.while_busy, 1'000);
  EXPECT_GT(bench.counting, 100);
  EXPECT_GT(bench.refused, 40);
  EXPECT_GT(bench.starts - bench.refused, 20);
  for (std::size_t status = 0; status < bench.status_seen.size(); ++status) {
    // The hls kernel computes all kinds; the rtl kernel has no GW, and its table of start(s) is as long as its OUT.
    if (hls() ? status == 1 : status >= 6) continue;
    EXPECT_GT(bench.status_seen.at(status), 0) << status;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Registers,
                         testing::Combine(testing::Bool(),
                                          testing::Values(design::Execution::Data, design::Execution::Fast)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) ? "Hls" : "RtlOfFgi") +
                                  (std::get<1>(info.param) == design::Execution::Data ? "InData" : "Fast");
                         });

}  // namespace
}  // namespace weft
