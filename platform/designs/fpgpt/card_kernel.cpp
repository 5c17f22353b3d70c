#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "model/core/error.h"
#include "model/fpgpt/analytical/rtl_resources.h"
#include "model/fpgpt/execution/execution.h"
#include "model/fpgpt/registers.h"
#include "platform/config/model_config.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/os/worker_pool.h"

namespace weft::fpgpt {

using conv::Axis;
using conv::Convolution;
using conv::Kind;

namespace {

constexpr std::array<const char*, kPorts> kBaseRegisters{"INP_BASE", "KERN_BASE", "OUT_BASE"};
constexpr int kLargestSize = 32767;                            // REGISTERS.md
constexpr std::int64_t kMostProducts = std::int64_t{1} << 28;  // of an output: a table of them is kept

std::string shape_of(const Convolution& c) {
  return fmt::format("{} A {} N_INP {} N_KERN {} C {} INP {}x{} KERN {}x{} OUT {}x{}", conv::to_string(c.kind), c.a,
                     c.n_inp, c.n_kern, c.c, c.h.inp, c.w.inp, c.h.kern, c.w.kern, c.h.out, c.w.out);
}

// Throws Error for words in which bits are set that the kernel drops.
void require_known(const BetaWords& words, NumberFormat format) {
  for (const BetaField& field : beta_fields(format)) {
    const std::uint32_t word = words.at(static_cast<std::size_t>((field.address - kBeta) / 4));
    const std::uint32_t dropped = field.bits < 32 ? word >> field.bits : field.bits > 32 ? word % 4 : 0;
    const bool negative = field.is_signed && dropped == ~std::uint32_t{0} >> field.bits;
    if (field.address == kBeta && word > static_cast<std::uint32_t>(Kind::GW)) {
      throw Error(fmt::format("KIND is {}; 0 (F), 1 (GI) and 2 (GW) are allowed", word));
    }
    if (dropped == 0 || negative) continue;
    throw Error(fmt::format("{} is {:#x}; {}", field.name, word,
                            field.bits > 32 ? "a multiple of 4 is needed"
                                            : fmt::format("it has {} bits, and those beyond must be 0", field.bits)));
  }
}

// Throws Error for values that REGISTERS.md and the contract leave to the host to respect.
void require_defined(const Convolution& c) {
  const auto refuse = [&](const std::string& what) { return Error(fmt::format("{}: {}", shape_of(c), what)); };
  for (const Axis& axis : {c.h, c.w}) {
    for (const int size : {axis.inp, axis.kern, axis.out, axis.stride, axis.inp_dilation, axis.kern_dilation,
                           std::abs(axis.pad_begin)}) {
      if (size <= kLargestSize) continue;
      throw refuse(fmt::format("a size register holds {}; at most {} is allowed", size, kLargestSize));
    }
  }
  if (c.kind != Kind::GW && c.a != 1) throw refuse(fmt::format("A is {}; F and GI have 1", c.a));
  if (c.kind == Kind::GW && c.c != 1) throw refuse(fmt::format("C is {}; GW has 1", c.c));
  if (c.c > kMostProducts / c.h.kern_dilated() / c.w.kern_dilated()) {
    throw refuse(fmt::format("an output has more than {} products, the most that are modelled", kMostProducts));
  }
}

// Words from a tensor's base to its end, for any register values.
__extension__ using Wide = unsigned __int128;
Wide steps(std::int64_t count, Words pitch) {
  return static_cast<Wide>(count - 1) * static_cast<Wide>(pitch);
}
Wide inp_words(const Convolution& c) {
  return steps(c.a, c.inp.pitch_a) + steps(c.n_inp, c.inp.pitch_n) + steps(c.c, c.inp.pitch_c) +
         static_cast<Wide>(c.inp_map());
}
Wide kern_words(const Convolution& c) {  // few, because the kernel holds them
  return steps(c.a, c.kern.pitch_a) + static_cast<Wide>(c.kern_words());
}
Wide out_words(const Convolution& c) {
  const Wide image = static_cast<Wide>(c.c_out()) * static_cast<Wide>(c.out_map());
  return steps(c.n_out(), c.out.pitch_n) + image;
}

// Extents of a tensor at `base`: `words` words in a row, repeated as the levels say, the innermost first. Of a tensor
// in very many pieces only the first ones.
struct Level {
  std::int64_t count;
  Words pitch;
};
std::vector<design::Extent> extents_of(const stream::Lanes& lanes, Address base, Words first, Words words,
                                       const std::vector<Level>& levels) {
  constexpr std::size_t kMostPieces = 1 << 16;
  std::vector<Words> begins{first};
  for (const Level& level : levels) {
    if (begins.size() == 1 && level.pitch == words) {
      words *= level.count;
      continue;
    }
    const std::vector<Words> inner = begins;
    for (std::int64_t i = 1; i < level.count && begins.size() < kMostPieces; ++i) {
      for (const Words begin : inner) begins.push_back(begin + i * level.pitch);
    }
  }
  std::vector<design::Extent> extents;
  for (const Words begin : begins) {
    const Words last = begin + words - 1;
    extents.push_back(
        {base + begin / lanes.band * lanes.beat_bytes + begin % lanes.band * lanes.lane_bits / 8,
         base + last / lanes.band * lanes.beat_bytes +
             ceil_div(last % lanes.band * lanes.lane_bits + std::int64_t{lanes.word_bits}, std::int64_t{8})});
  }
  return extents;
}

// Returns what cannot be meant of OUT's pitch; empty: nothing.
std::string fault_of(const Convolution& c) {
  const Words image = c.c_out() * c.out_map();
  if (c.n_out() == 1) return {};
  if (c.out.pitch_n < image) {
    return fmt::format("OUT_PITCH_N is {}, so that the {} images of OUT overlap; each has {} words", c.out.pitch_n,
                       c.n_out(), image);
  }
  if (c.out.pitch_n != 4 * image) return {};
  return fmt::format("OUT_PITCH_N is {}, four times the words of an image of OUT; pitches are in words", c.out.pitch_n);
}

class FpgptKernel : public design::CardKernel {
 public:
  FpgptKernel(const config::RunConfig& run, const design::AddressMap& map, Execution& execution)
      : execution_(execution),
        alpha_(alpha_of(KernelConfig::of(run))),
        max_sets_(max_sets_of(alpha_)),
        memory_(config::memory_config(run)),
        map_(map),
        registers_(alpha_.format) {
    std::copy_n(memory_.port_channel.begin(), kPorts, channel_of_port_.begin());
  }

  Frequency clock() const override { return alpha_.clock; }
  std::uint32_t read(Address address, Cycles since_start) const override {
    return registers_.read(address, since_start);
  }
  bool write(Address address, std::uint32_t data, unsigned strobes, Cycles since_start) override {
    return registers_.write(address, data, strobes, since_start);
  }
  bool tells_done(Address address) const override { return address % kRegisterBytes / 4 * 4 == kCtrl; }

  design::CardLaunch launch(std::vector<memory::Store>& banks) override {
    require_known(registers_.beta(), alpha_.format);
    Convolution beta = decode(registers_.beta(), alpha_.format);
    design::CardLaunch launch;
    if (const Refusal why = refusal(alpha_, max_sets_, beta); why != Refusal::None) {
      launch.refused = true;
      launch.busy = refusal_cycles(beta);
      launch.what = fmt::format("{}: refused, STATUS {}: {}", shape_of(beta), static_cast<int>(why), to_string(why));
      registers_.refuse(why, launch.busy);
      return launch;
    }
    require_defined(beta);
    place(beta);
    const ConvolutionResult result = execution_.execute(alpha_, beta, memory_, banks);
    launch.cycles = result.cycles;
    launch.overflows = result.overflows;
    launch.busy = launch_cycles(beta) + result.cycles + result.drain_cycles + kDoneCycles;
    launch.banks.assign(channel_of_port_.begin(), channel_of_port_.end());
    launch.what = shape_of(beta);
    const auto tensor = [&](Port port, const conv::TensorView& view, Words words, const std::vector<Level>& levels) {
      const auto at = static_cast<std::size_t>(port);
      const Address base = map_.address(channel_of_port_[at], view.base);
      return design::CardLaunch::Tensor{kBaseRegisters[at],
                                        extents_of(alpha_.lanes(port), base, view.first, words, levels)};
    };
    launch.reads = {tensor(Port::Inp, beta.inp, beta.inp_map(),
                           {{beta.c, beta.inp.pitch_c}, {beta.n_inp, beta.inp.pitch_n}, {beta.a, beta.inp.pitch_a}}),
                    tensor(Port::Kern, beta.kern, beta.kern_words(), {{beta.a, beta.kern.pitch_a}})};
    launch.written = tensor(Port::Out, beta.out, beta.c_out() * beta.out_map(), {{beta.n_out(), beta.out.pitch_n}});
    launch.fault = fault_of(beta);
    registers_.run(launch_cycles(beta), result.cycles, launch.busy, activity_of(beta, result));
    return launch;
  }

 private:
  // The end is known at once in both executions; a counter read before it steps the convolution up to that cycle.
  RegisterFile::ActivityBefore activity_of(const Convolution& beta, const ConvolutionResult& result) const {
    return [alpha = alpha_, memory = memory_, beta, cycles = result.cycles, at_end = result.activities,
            progress = std::shared_ptr<Progress>()](Cycles cycle) mutable {
      if (cycle >= cycles) return at_end;
      if (!progress) progress = std::make_shared<Progress>(alpha, beta, memory);
      return progress->before(cycle);
    };
  }

  // Converts the card's addresses to addresses in each port's channel.
  void place(Convolution& beta) const {
    const std::array<conv::TensorView*, kPorts> views{&beta.inp, &beta.kern, &beta.out};
    const std::array<Wide, kPorts> words{inp_words(beta), kern_words(beta), out_words(beta)};
    for (std::size_t port = 0; port < kPorts; ++port) {
      const auto at = map_.place(views[port]->base);
      if (!at || at->bank != channel_of_port_[port]) {
        throw Error(fmt::format("{}: {} is {:#x}, but that port of the kernel reaches bank {}, {:#x} to {:#x}",
                                shape_of(beta), kBaseRegisters[port], static_cast<std::uint64_t>(views[port]->base),
                                channel_of_port_[port], map_.address(channel_of_port_[port]),
                                map_.address(channel_of_port_[port] + 1) - 1));
      }
      const stream::Lanes lanes = alpha_.lanes(static_cast<Port>(port));
      const bool narrow = lanes.word_bits < kSumBits;
      if (narrow && at->within % lanes.beat_bytes != 0) {
        throw Error(fmt::format(
            "{}: {} is {:#x}, but words of {} need a multiple of {} bytes, a beat; {}_FIRST selects a word in it",
            shape_of(beta), kBaseRegisters[port], static_cast<std::uint64_t>(views[port]->base),
            to_string(alpha_.format), lanes.beat_bytes, port == 0 ? "INP" : "KERN"));
      }
      const Wide end = words[port] + static_cast<Wide>(views[port]->first);
      const Wide bytes = narrow ? (end + static_cast<Wide>(lanes.band) - 1) / static_cast<Wide>(lanes.band) *
                                      static_cast<Wide>(lanes.beat_bytes)
                                : 4 * end;
      if (bytes > static_cast<Wide>(map_.bytes_per_bank() - at->within)) {
        throw Error(fmt::format("{}: the tensor at {} {:#x} ends beyond bank {}; it begins at {:#x} of this bank",
                                shape_of(beta), kBaseRegisters[port], static_cast<std::uint64_t>(views[port]->base),
                                at->bank, at->within));
      }
      views[port]->base = at->within;
    }
  }

  Execution& execution_;
  Alpha alpha_;
  std::int64_t max_sets_;
  memory::MemoryConfig memory_;
  std::array<int, kPorts> channel_of_port_{};
  design::AddressMap map_;
  RegisterFile registers_;
};

class Kernels : public design::CardKernels {
 public:
  explicit Kernels(const design::CardOptions& options)
      : execution_({options.execution == design::Execution::Data, options.check_percent, os::processors()}) {}

  std::unique_ptr<design::CardKernel> load(const config::RunConfig& run, const design::AddressMap& memory) override {
    const KernelConfig& kernel = KernelConfig::of(run);
    for_each_size([&](const char* key, auto size, auto) {
      // A kernel for F and GI has no K_range, which only GW uses.
      const bool unused = size == &KernelConfig::k_range && kernel.variant == VariantChoice::Fgi;
      if ((kernel.*size).fit == Size::Fit::Fixed || unused) return;
      throw Error(
          fmt::format("kernel.{}: must be a number of words for a bitstream, not {}", key, size_text(kernel.*size)));
    });
    if (kernel.variant == VariantChoice::Auto) {
      throw Error("kernel.variant: must be fgi, gw or both for a bitstream, not auto");
    }
    config::require_simulated_memory(run);
    return std::make_unique<FpgptKernel>(run, memory, execution_);
  }

 private:
  Execution execution_;
};

}  // namespace

std::unique_ptr<design::CardKernels> card_kernels(const design::CardOptions& options) {
  return std::make_unique<Kernels>(options);
}

std::vector<design::KernelArgument> card_arguments(NumberFormat format) {
  std::vector<design::KernelArgument> arguments;
  for (const BetaField& field : beta_fields(format)) {
    const auto base = std::find(kBaseRegisters.begin(), kBaseRegisters.end(), std::string(field.name));
    const int port = base == kBaseRegisters.end() ? -1 : static_cast<int>(base - kBaseRegisters.begin());
    arguments.push_back({field.name, field.address, field.bytes(), port, field.is_signed});
  }
  return arguments;
}

}  // namespace weft::fpgpt
