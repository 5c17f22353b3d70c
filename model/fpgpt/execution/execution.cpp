#include "model/fpgpt/execution/execution.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <future>

#include "model/core/error.h"
#include "model/fpgpt/direct_convolution.h"
#include "model/fpgpt/placement.h"
#include "model/stream/lanes.h"
#include "model/stream/ports.h"

namespace weft::fpgpt {

namespace {

constexpr int kPercent = 100;
constexpr std::int64_t kProductsPerThread = 1 << 20;  // fewer are not worth a thread

const conv::TensorView& view_of(const conv::Convolution& beta, Port port) {
  return port == Port::Inp ? beta.inp : port == Port::Kern ? beta.kern : beta.out;
}

std::string described(const conv::Convolution& c) {
  return fmt::format(
      "{} of A {}, N_INP {}, N_KERN {}, C {}, INP {}x{} at {:#x}, KERN {}x{} at {:#x}, OUT {}x{} at {:#x}",
      conv::to_string(c.kind), c.a, c.n_inp, c.n_kern, c.c, c.h.inp, c.w.inp, c.inp.base, c.h.kern, c.w.kern,
      c.kern.base, c.h.out, c.w.out, c.out.base);
}

void check_within(const conv::Convolution& beta, const Extents& extents, const std::vector<int>& port_channel,
                  const std::vector<memory::Store>& channels) {
  for (std::size_t i = 0; i < kPorts; ++i) {
    const auto port = static_cast<Port>(i);
    const Address base = view_of(beta, port).base, first = base + extents.at(i).first, end = base + extents.at(i).end;
    const memory::Store& store = channels.at(static_cast<std::size_t>(port_channel.at(i)));
    if (first >= store.first() && end <= store.end()) continue;
    throw Error(fmt::format("{}: {} is {} at {:#x} to {:#x} of memory channel {}, which holds {:#x} to {:#x}",
                            described(beta), to_string(port), port == Port::Out ? "written" : "read", first, end - 1,
                            port_channel.at(i), store.first(), store.end() - 1));
  }
}

// Words from the first to the last of a tensor.
Words inp_words(const conv::Convolution& c) {
  return (c.a - 1) * c.inp.pitch_a + (c.n_inp - 1) * c.inp.pitch_n + (c.c - 1) * c.inp.pitch_c + c.inp_map();
}
Words kern_words(const conv::Convolution& c) {
  return (c.a - 1) * c.kern.pitch_a + c.kern_words();
}

struct Range {
  Address first, end;
};
bool meet(const Range& a, const Range& b) {
  return a.first < b.end && b.first < a.end;
}

// True if the value of a word depends on the order of reads and writes. Narrow words are compared by their beats.
bool order_matters(const Alpha& alpha, const conv::Convolution& c, const std::vector<int>& port_channel) {
  const Words image = c.c_out() * c.out_map();
  if (c.n_out() > 1 && c.out.pitch_n < image) return true;
  const auto range = [&](Port port, Words words) {
    const conv::TensorView& view = view_of(c, port);
    const stream::Lanes lanes = alpha.lanes(port);
    if (lanes.word_bits == kSumBits) return Range{view.base, view.base + kSumBytes * words};
    const Words first = alpha.first_word(port, view);
    return Range{first / lanes.band * lanes.beat_bytes, ceil_div(first + words, lanes.band) * lanes.beat_bytes};
  };
  const Range inp = range(Port::Inp, inp_words(c)), kern = range(Port::Kern, kern_words(c));
  const Range out = range(Port::Out, (c.n_out() - 1) * c.out.pitch_n + image);
  const auto channel = [&](Port port) { return port_channel.at(static_cast<std::size_t>(port)); };
  return (channel(Port::Inp) == channel(Port::Out) && meet(inp, out)) ||
         (channel(Port::Kern) == channel(Port::Out) && meet(kern, out));
}

// True if a thread's memory for a convolution, or that of narrow words shared by all threads, exceeds `most`.
bool is_larger(const Alpha& alpha, const conv::Convolution& c, Bytes most) {
  if (!alpha.format.is_fixed()) return direct_convolution_bytes(c) > most;
  const auto narrow = static_cast<Bytes>(sizeof(std::int16_t));
  return inp_words(c) > most / narrow || kern_words(c) > most / narrow || fixed_convolution_bytes(c) > most;
}

}  // namespace

Execution::Execution(const ExecutionSettings& settings) : settings_(settings), platform_(systemc::virtual_platform()) {}

ConvolutionResult Execution::execute(const Alpha& alpha, const conv::Convolution& convolution,
                                     const memory::MemoryConfig& memory, std::vector<memory::Store>& channels) {
  const conv::Convolution beta = as_registers_hold(convolution, alpha.format);
  const std::int64_t before = counts_.launches * settings_.check_percent / kPercent;
  ++counts_.launches;
  if (settings_.data) return in_data(alpha, beta, memory, channels);
  const KnownTime& known = times_.of(alpha, beta, memory);
  counts_.simulated = times_.simulated();
  check_within(beta, known.extents, memory.port_channel, channels);
  if (order_matters(alpha, beta, memory.port_channel) || is_larger(alpha, beta, settings_.most_bytes)) {
    ++counts_.in_data;
    return in_data(alpha, beta, memory, channels);
  }
  if (counts_.launches * settings_.check_percent / kPercent > before) {
    return checked(alpha, beta, memory, channels, known);
  }
  ConvolutionResult result = known.result;
  result.overflows = compute(alpha, beta, memory.port_channel, channels);
  return result;
}

ConvolutionResult Execution::in_data(const Alpha& alpha, const conv::Convolution& beta,
                                     const memory::MemoryConfig& memory, std::vector<memory::Store>& channels) {
  const Plan plan = make_plan(alpha, beta, true);
  check_within(beta, extents(plan), memory.port_channel, channels);
  std::array<int, kPorts> channel_of_port{};
  std::copy_n(memory.port_channel.begin(), kPorts, channel_of_port.begin());
  return platform_.run(plan, *memory::make_memory(memory), channel_of_port, &channels);
}

std::int64_t Execution::compute(const Alpha& alpha, const conv::Convolution& beta, const std::vector<int>& port_channel,
                                std::vector<memory::Store>& channels) const {
  const auto channel = [&](Port port) -> memory::Store& {
    return channels.at(static_cast<std::size_t>(port_channel.at(static_cast<std::size_t>(port))));
  };
  if (!alpha.format.is_fixed()) {
    const auto words = [&](Port port) { return channel(port).floats(view_of(beta, port).base); };
    const TensorWords tensors{words(Port::Inp), words(Port::Kern), words(Port::Out)};
    return in_parts(beta, [&](int part, int parts) {
      direct_convolution(beta, tensors, part, parts);
      return 0;
    });
  }
  const auto unpacked = [&](Port port, Words count) {
    const stream::Lanes lanes = alpha.lanes(port);
    const Words first = alpha.first_word(port, view_of(beta, port));
    std::vector<std::int16_t> words(static_cast<std::size_t>(count));
    stream::unpack(lanes, channel(port).at(first / lanes.band * lanes.beat_bytes), first % lanes.band, count,
                   words.data());
    return words;
  };
  const std::vector<std::int16_t> inp = unpacked(Port::Inp, inp_words(beta)),
                                  kern = unpacked(Port::Kern, kern_words(beta));
  const FixedTensorWords tensors{inp.data(), kern.data(),
                                 reinterpret_cast<std::int32_t*>(channel(Port::Out).at(beta.out.base))};
  const bool overflowing = may_overflow(beta, tensors);
  return in_parts(beta,
                  [&](int part, int parts) { return direct_convolution(beta, tensors, overflowing, part, parts); });
}

std::int64_t Execution::in_parts(const conv::Convolution& beta,
                                 const std::function<std::int64_t(int part, int parts)>& compute) const {
  const std::int64_t products = beta.a * beta.n_inp * beta.n_kern * beta.out_map() * beta.m();
  const auto parts = static_cast<int>(std::clamp<std::int64_t>(products / kProductsPerThread, 1, settings_.threads));
  std::vector<std::future<std::int64_t>> others;
  for (int part = 1; part < parts; ++part) {
    others.push_back(std::async(std::launch::async, [&compute, part, parts] { return compute(part, parts); }));
  }
  std::int64_t overflows = compute(0, parts);
  for (std::future<std::int64_t>& other : others) overflows += other.get();
  return overflows;
}

// Executes both ways on the same contents. Only the pages of OUT can differ: its port touches nothing else.
ConvolutionResult Execution::checked(const Alpha& alpha, const conv::Convolution& beta,
                                     const memory::MemoryConfig& memory, std::vector<memory::Store>& channels,
                                     const KnownTime& known) {
  ++counts_.checked;
  const auto out = static_cast<std::size_t>(Port::Out);
  const int channel = memory.port_channel.at(out);
  memory::Store& store = channels.at(static_cast<std::size_t>(channel));
  const Extent& extent = known.extents.at(out);
  constexpr Bytes kPage = stream::kPageBytes;
  const Address first = std::max((beta.out.base + extent.first) / kPage * kPage, store.first());
  const Address end = std::min(align_up(beta.out.base + extent.end, kPage), store.end());
  const auto contents = [&] {
    std::vector<Word> words(static_cast<std::size_t>((end - first) / kSumBytes));
    std::memcpy(words.data(), store.at(first), words.size() * sizeof(Word));
    return words;
  };

  const std::vector<Word> before = contents();
  const ConvolutionResult data = in_data(alpha, beta, memory, channels);
  const std::vector<Word> expected = contents();
  std::memcpy(store.at(first), before.data(), before.size() * sizeof(Word));
  ConvolutionResult fast = known.result;
  fast.overflows = compute(alpha, beta, memory.port_channel, channels);

  std::string unequal = difference(contents(), expected, first);
  if (!unequal.empty()) unequal += fmt::format(" of memory channel {}", channel);
  if (unequal.empty()) unequal = difference(fast, data);
  if (!unequal.empty()) throw Mismatch(fmt::format("{}: fast and data differ: {}", described(beta), unequal));
  return fast;
}

std::string difference(const ConvolutionResult& fast, const ConvolutionResult& data) {
  const auto unequal = [](const std::string& what, std::int64_t a, std::int64_t b) {
    return a == b ? std::string() : fmt::format("{}: fast {}, data {}", what, a, b);
  };
  std::vector<std::string> all{unequal("cycles", fast.cycles, data.cycles),
                               unequal("drain cycles", fast.drain_cycles, data.drain_cycles),
                               unequal("overflows", fast.overflows, data.overflows)};
  for (std::size_t block = 0; block < kBlocks; ++block) {
    for (std::size_t i = 0; i < kActivities; ++i) {
      all.push_back(unequal(fmt::format("{} {}", to_string(static_cast<Block>(block)), kActivityNames.at(i)),
                            fast.activities.at(block).cycles.at(i), data.activities.at(block).cycles.at(i)));
    }
  }
  for (std::size_t i = 0; i < kPeClasses; ++i) {
    all.push_back(
        unequal(fmt::format("PE-cycles {}", kPeClassInfos.at(i).name), fast.pe_cycles.at(i), data.pe_cycles.at(i)));
  }
  for (std::size_t port = 0; port < kPorts; ++port) {
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      all.push_back(unequal(fmt::format("{} {}", to_string(static_cast<Port>(port)), field.name),
                            fast.ports.at(port).*field.count, data.ports.at(port).*field.count));
    }
  }
  const auto first = std::find_if(all.begin(), all.end(), [](const std::string& each) { return !each.empty(); });
  if (first != all.end()) return *first;
  return fast.limiter == data.limiter ? "" : fmt::format("limiter: fast {}, data {}", fast.limiter, data.limiter);
}

std::string difference(const std::vector<Word>& fast, const std::vector<Word>& data, Address first) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (fast[i] == data[i]) continue;
    return fmt::format("address {:#x}: fast {:08X}, data {:08X}", first + static_cast<Address>(4 * i), fast[i].bits,
                       data[i].bits);
  }
  return "";
}

Progress::Progress(const Alpha& alpha, const conv::Convolution& beta, const memory::MemoryConfig& memory)
    : plan_(make_plan(alpha, beta, false)), memory_(memory::make_memory(memory)) {
  restart();
}

void Progress::restart() {
  clocked_ = std::make_unique<exact::Clocked>(plan_, *memory_, nullptr);
}

const BlockActivities& Progress::before(Cycles cycle) {
  if (cycle < clocked_->cycles()) restart();
  while (clocked_->cycles() < cycle) clocked_->step();
  return clocked_->activities();
}

}  // namespace weft::fpgpt
