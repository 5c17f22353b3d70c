#include "platform/designs/fpgpt/work.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/fp32.h"
#include "model/conv/loop_nest.h"
#include "model/core/error.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/drain.h"
#include "model/fpgpt/exact/exact.h"
#include "model/fpgpt/exact/memo_cache.h"
#include "model/fpgpt/placement.h"
#include "model/fpgpt/registers.h"
#include "model/fpgpt/result.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/config/model_config.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/hardware/waves/counted_states.h"
#include "platform/os/free_memory.h"
#include "platform/os/worker_pool.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {

using conv::Convolution;

namespace {

constexpr Bytes kLeastMemo = Bytes{64} << 20;  // of a worker

// The tensor of a port in its channel; words are addressed by their index in the lanes of the port.
template <bool kNarrow>
class Tensor {
 public:
  Tensor(const stream::Lanes& lanes, const memory::Store& channel) : lanes_(lanes), memory_(channel.at(0)) {}
  Word at(Words index) const {
    if constexpr (kNarrow) return lanes_.get(memory_, index);
    Word word;
    std::memcpy(&word, memory_ + index * static_cast<Words>(sizeof word), sizeof word);
    return word;
  }

 private:
  stream::Lanes lanes_;
  const std::byte* memory_;
};

// Returns the convolution with its views counted in lanes of their ports, from address 0 on.
conv::Convolution in_lanes(const Alpha& alpha, conv::Convolution c) {
  const auto count = [&](Port port, conv::TensorView& view) {
    view.first = alpha.first_word(port, view);
    view.base = 0;
  };
  count(Port::Inp, c.inp);
  count(Port::Kern, c.kern);
  count(Port::Out, c.out);
  return c;
}

struct FloatCheck {
  static constexpr bool kNarrow = false;  // true: words of INP and KERN have fewer than 32 bits
  double sum = 0, magnitude = 0;
  void add(Word inp, Word kern) {
    const double product = static_cast<double>(from_bits(inp.bits)) * from_bits(kern.bits);
    sum += product;
    magnitude += std::fabs(product);
  }
  double error(Word out) const { return std::fabs(from_bits(out.bits) - sum); }
};

struct FixedCheck {
  static constexpr bool kNarrow = true;
  std::int64_t sum = 0;
  double magnitude = 0;
  void add(Word inp, Word kern) {
    const std::int64_t product =
        std::int64_t{static_cast<std::int32_t>(inp.bits)} * static_cast<std::int32_t>(kern.bits);
    sum += product;
    magnitude += std::fabs(static_cast<double>(product));
  }
  double error(Word out) const {
    return std::fabs(static_cast<double>(static_cast<std::int32_t>(out.bits)) - static_cast<std::int32_t>(sum));
  }
};

template <class Check>
design::DataCheck check(const Alpha& alpha, const conv::Convolution& c, const std::vector<memory::Store>& channels,
                        const std::array<int, kPorts>& channel_of_port) {
  const auto channel = [&](Port port) -> const memory::Store& {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  };
  const Tensor<Check::kNarrow> inp(alpha.lanes(Port::Inp), channel(Port::Inp));
  const Tensor<Check::kNarrow> kern(alpha.lanes(Port::Kern), channel(Port::Kern));
  const Tensor<false> out(alpha.lanes(Port::Out), channel(Port::Out));
  const conv::Convolution counted = in_lanes(alpha, c);
  const conv::WordAddress at{counted};
  const auto word = [&](std::int64_t i) {
    const int x = static_cast<int>(i % c.w.out), y = static_cast<int>(i / c.w.out % c.h.out);
    return out.at(at.out(i / c.out_map() / c.n_kern, i / c.out_map() % c.n_kern, y, x));
  };
  const auto error = [&](std::int64_t i) {
    const int x = static_cast<int>(i % c.w.out), y = static_cast<int>(i / c.w.out % c.h.out);
    const std::int64_t k = i / c.out_map() % c.n_kern, n = i / c.out_map() / c.n_kern;
    Check sums;
    for (std::int64_t a = 0; a < c.a; ++a) {
      for (std::int64_t channel = 0; channel < c.c; ++channel) {
        for (int p = 0; p < c.h.kern; ++p) {
          for (int q = 0; q < c.w.kern; ++q) {
            const int row = c.h.sample(y, p * c.h.kern_dilation), column = c.w.sample(x, q * c.w.kern_dilation);
            if (row < 0 || column < 0) continue;
            sums.add(inp.at(at.inp(a, n, channel, row, column)), kern.at(at.kern(a, k, channel, p, q)));
          }
        }
      }
    }
    return sums.magnitude > 0 ? sums.error(word(i)) / sums.magnitude : 0;
  };
  return design::check_outputs(
      c.n_inp * c.n_kern * c.out_map(), 1024, [&](std::int64_t i) { return word(i).bits; }, error);
}

// Compares OUT of a finished convolution with sums in double precision (fixed point: exact sums, cut to 32 bits) at up
// to 1024 outputs, and digests all of its words (FNV-1a). `channels`: contents of the memory channels.
design::DataCheck check_data(const Alpha& alpha, const conv::Convolution& c, const std::vector<memory::Store>& channels,
                             const std::array<int, kPorts>& channel_of_port) {
  const auto run = alpha.format.is_fixed() ? check<FixedCheck> : check<FloatCheck>;
  return run(alpha, c, channels, channel_of_port);
}

Gamma sum(const std::vector<Gamma>& gammas) {
  Gamma total = gammas.front();
  for (std::size_t i = 1; i < gammas.size(); ++i) {
    const Gamma& g = gammas[i];
    for (const auto member :
         {&Gamma::sa, &Gamma::inp_ddr, &Gamma::inp_dec, &Gamma::inp_constr, &Gamma::inp_i2c, &Gamma::kern_ddr,
          &Gamma::kern_dec, &Gamma::kern_feed, &Gamma::out_constr, &Gamma::out_enc, &Gamma::out_ddr, &Gamma::total}) {
      checked::add(total.*member, g.*member, "the cycles of the launches of a layer");
    }
  }
  return total;
}

design::Equations equations_of(const RowWork& row) {
  const Gamma gamma = sum(row.gammas);  // z, z_channel and the limiter are those of the first launch
  design::Equations equations;
  equations.cycles = gamma.total;
  equations.limiter = limiter_name(row.kind, gamma.limiter);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const auto block = static_cast<Block>(i);
    equations.work.push_back(gamma[block]);
    equations.terms.emplace_back(to_string(block), gamma[block]);
  }
  equations.terms.emplace_back("m", gamma.m);
  equations.summary = {{"z", gamma.z}, {"z_channel", gamma.z_channel}};
  equations.terms.insert(equations.terms.end(), equations.summary.begin(), equations.summary.end());
  equations.terms.emplace_back("total", gamma.total);
  equations.terms.emplace_back("limiter", equations.limiter);
  equations.unshared = row.unshared;
  return equations;
}

design::UnitResult unit_result(const ConvolutionResult& simulated, const engine::ExactAccount& account) {
  design::UnitResult result = design::unit_result(simulated);
  result.drain_cycles = simulated.drain_cycles;
  result.account = account;
  return result;
}

// PE-cycles by the equations: those of products, if the equations' cycles suffice for them, which other readings of
// products or drain do not guarantee; nothing for the other classes.
std::vector<std::optional<std::int64_t>> pe_cycles_by_equations(const RowWork& work, Cycles cycles) {
  PeCycles all{};
  std::int64_t sum = 0;
  for (const Convolution& launch : work.launches) {
    const PeCycles of_launch = pe_cycles_of_products(work.alpha.x, work.alpha.y, launch);
    for (std::size_t i = 0; i < all.size(); ++i) {
      checked::add(all.at(i), of_launch.at(i), kPeCyclesName);
      checked::add(sum, of_launch.at(i), kPeCyclesName);
    }
  }
  std::vector<std::optional<std::int64_t>> known(kPeClasses);
  if (sum > checked::product(kPeCyclesName, {work.alpha.x, work.alpha.y, cycles})) return known;
  for (const PeClass each : {PeClass::Useful, PeClass::Zeros, PeClass::UnusedColumns, PeClass::UnusedRows}) {
    known.at(static_cast<std::size_t>(each)) = all.at(static_cast<std::size_t>(each));
  }
  return known;
}

// Calls visit(name in results, value) for each value that distinguishes kernels of a run; the run has the rest.
template <class AnAlpha, class Visit>
void for_each_field(AnAlpha& alpha, Visit visit) {
  visit("x", alpha.x);
  visit("y", alpha.y);
  for_each_size([&](const char* key, auto, auto size) { visit(key, alpha.*size); });
  visit("variant", alpha.variant);
}

// Those fields and the number format, which distinguishes kernels of different runs.
std::vector<std::int64_t> bitstream_of(const Alpha& alpha) {
  std::vector<std::int64_t> all;
  for_each_field(alpha, [&](const char*, auto value) { all.push_back(static_cast<std::int64_t>(value)); });
  all.insert(all.end(), {alpha.format.bits, lane_bits(alpha.format, alpha.packing)});
  return all;
}

class Work : public design::RowsWork<RowWork>,
             public design::Watched,
             public design::Sampled,
             public design::SharesChannels,
             public design::StartedByRegisters {
 public:
  Work(config::RunConfig run, const workloads::Network& network)
      : RowsWork(std::move(run)), readings_(readings_of(run_)) {
    rows_ = plan_rows(run_, network, readings_);
    jobs_ = jobs_of(rows_);
    const std::vector<std::int64_t> weights = weights_of(rows_, jobs_);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Job& job = jobs_[i];
      units_.push_back({job.row, weights[i], static_cast<int>(rows_[job.row].group_of(job.launch))});
    }
  }

  bool learns() const override {
    return run_.rung == config::Rung::Exact && run_.mode == config::Mode::Timing && run_.memo_mb != 0;
  }

  std::vector<std::int64_t> identity(std::size_t unit) const override {
    const RowWork& row = row_of(unit);
    const Convolution c = placed(unit, false, 0).plan.beta;
    std::vector<std::int64_t> all{static_cast<std::int64_t>(c.kind), c.a, c.n_inp, c.n_kern, c.c};
    for (const conv::Axis& axis : {c.h, c.w}) {
      for (const int value :
           {axis.inp, axis.kern, axis.out, axis.stride, axis.pad_begin, axis.inp_dilation, axis.kern_dilation}) {
        all.push_back(value);
      }
    }
    for (const conv::TensorView& view : {c.inp, c.kern, c.out}) {
      all.insert(all.end(), {view.base, view.pitch_a, view.pitch_n, view.pitch_c, view.first});
    }
    const std::vector<std::int64_t> bitstream = bitstream_of(row.alpha);
    all.insert(all.end(), bitstream.begin(), bitstream.end());
    return all;
  }

  design::UnitResult simulate(std::size_t unit, std::uint64_t seed,
                              const std::function<void(Cycles)>& report) const override {
    const bool with_data = run_.mode == config::Mode::Data;
    PlacedJob job = placed(unit, with_data, seed);
    if (run_.rung == config::Rung::Exact && !with_data) {
      engine::ExactOptions options = exact_options(report);
      options.verify = run_.verify;
      const exact::ExactResult result = exact::run_exact(job.plan, job.memory, options, nullptr, &memo_cache_);
      return unit_result(result.convolution, result.account);
    }
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(job.memory);
    return simulate_cycles(job, *memory, report, nullptr);
  }

  design::UnitResult watch(std::size_t unit, std::uint64_t seed, const std::function<void(Cycles)>& report,
                           stream::Observer& observer) const override {
    const RowWork& row = row_of(unit);
    PlacedJob job = placed(unit, run_.mode == config::Mode::Data, seed);
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(job.memory);
    stream::Observed what{fmt::format("{}:{}", row.layer.name, conv::to_string(row.kind)),
                          {row.alpha.fifo.all().begin(), row.alpha.fifo.all().end()},
                          &job.memory};
    what.name += row.name_of(jobs_[unit].launch);
    observer.begin(what, *memory);
    design::UnitResult result = simulate_cycles(job, *memory, report, &observer);
    observer.end(result.cycles);
    return result;
  }

  design::UnitActivity activity(std::size_t unit, std::uint64_t seed, const std::vector<Cycles>& cycles,
                                const std::function<void(Cycles)>& report) const override {
    if (run_.rung != config::Rung::Exact || run_.mode == config::Mode::Data) {
      waves::CountedStates counted(cycles);
      const design::UnitResult result = watch(unit, seed, report, counted);
      return {result.cycles, result.blocks, counted.up_to()};
    }
    const PlacedJob job = placed(unit, false, seed);
    exact::Samples samples{cycles, {}};
    const ConvolutionResult result =
        exact::run_exact(job.plan, job.memory, exact_options(report), &samples, &memo_cache_).convolution;
    design::UnitActivity activity{result.cycles, {result.activities.begin(), result.activities.end()}, {}};
    for (const BlockActivities& each : samples.activities) activity.up_to.emplace_back(each.begin(), each.end());
    return activity;
  }

  design::UnitWithTransfers simulate_with_transfers(std::size_t unit,
                                                    const std::vector<design::ConcurrentTransfer>& transfers,
                                                    const std::function<void(Cycles)>& report) const override {
    if (run_.rung != config::Rung::SystemC || run_.mode != config::Mode::Timing) {
      throw Error(
          "overlap: same_bank: needs rung: systemc and mode: timing to simulate transfers and the kernel on one "
          "memory channel");
    }
    PlacedJob job = placed(unit, false, 0);
    memory::MemoryConfig config = job.memory;
    config.dma_ports = 2;
    config.port_channel.resize(config.port_channel.size() + 2, 0);
    DmaTransfers dma{memory::DmaMaster(behind_tensors(transfers, job), config.kernel_clock, config.beat_bytes), {}};
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(config);
    systemc::VirtualPlatform& platform = systemc::virtual_platform();
    platform.on_progress = report;
    const ConvolutionResult result = platform.run(job.plan, *memory, job.channel_of_port, nullptr, nullptr, &dma);
    return {unit_result(result, {}), dma.master.ends(), dma.stats};
  }

  design::Launch launch(std::size_t unit) const override {
    const RowWork& row = row_of(unit);
    return {fpgpt::register_writes(row.alpha.format), launch_cycles(convolution_of(unit)), kDoneCycles};
  }

  std::vector<design::RegisterWrite> register_writes(std::size_t unit,
                                                     const design::AddressMap& memory) const override {
    const PlacedJob job = placed(unit, false, 0);
    Convolution beta = job.plan.beta;
    const std::array<conv::TensorView*, kPorts> views{&beta.inp, &beta.kern, &beta.out};
    for (std::size_t port = 0; port < kPorts; ++port) {
      views.at(port)->base = memory.address(job.channel_of_port.at(port), views.at(port)->base);
    }
    std::vector<design::RegisterWrite> writes;
    Address offset = kBeta;
    for (const std::uint32_t word : encode(beta, job.plan.alpha.format)) {
      writes.push_back({offset, word});
      offset += 4;
    }
    writes.push_back({kCtrl, kCtrlStart});
    return writes;
  }

  std::vector<design::UnitTensor> tensors(std::size_t unit) const override {
    const RowWork& row = row_of(unit);
    const workloads::TensorWords words = workloads::tensor_words(row.layer, row.kind);
    const std::vector<int> channels = config::port_channels(run_);
    const std::size_t launch = jobs_[unit].launch;
    const auto of_group = [&](Port port, Words all) {  // groups split every tensor evenly
      const Bytes bytes = tensor_bytes(row.alpha, port, all);
      const std::int64_t group = row.group_of(launch), groups = row.layer.groups;
      return bytes / groups + (group < bytes % groups ? 1 : 0);
    };
    const auto share = [&](Port port, Words all) {  // parts split KERN and OUT by their KERN tensors
      const Bytes bytes = of_group(port, all);
      const std::size_t first = launch - static_cast<std::size_t>(row.part_of(launch));
      std::int64_t before = 0, whole = row.launches[launch].n_kern;
      for (std::size_t i = first; i < first + static_cast<std::size_t>(row.parts); ++i) {
        if (i < launch) before += row.launches[i].n_kern;
        if (i != launch) whole += row.launches[i].n_kern;
      }
      const auto until = [&](std::int64_t tensors) {
        return bytes / whole * tensors + bytes % whole * tensors / whole;
      };
      return until(before + row.launches[launch].n_kern) - until(before);
    };
    const auto channel = [&](Port port) { return channels[static_cast<std::size_t>(port)]; };
    // INP stays in memory for the parts that follow.
    const Bytes inp = row.part_of(launch) == 0 ? of_group(Port::Inp, words.inp) : 0;
    const bool reordered = row.parts > 1 && row.launches[launch].kern_transposed();
    return {{"INP", false, inp, channel(Port::Inp)},
            {"KERN", false, share(Port::Kern, words.kern), channel(Port::Kern), false, reordered},
            {"OUT", true, share(Port::Out, words.out), channel(Port::Out), row.alpha.format.is_fixed()}};
  }

  std::string limiter(const design::Row& row) const override {
    BlockActivities activities;
    std::copy_n(row.blocks.begin(), kBlocks, activities.begin());
    return fpgpt::limiter(row.kind, activities);
  }

 private:
  const Convolution& convolution_of(std::size_t unit) const { return row_of(unit).launches[jobs_[unit].launch]; }
  PlacedJob placed(std::size_t unit, bool with_data, std::uint64_t seed) const {
    return place_job(run_, row_of(unit), convolution_of(unit), with_data, seed);
  }
  engine::ExactOptions exact_options(const std::function<void(Cycles)>& report) const {
    engine::ExactOptions options;
    options.memo_bytes = run_.memo_mb ? *run_.memo_mb << 20 : bytes_of_a_worker();
    options.clock = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    options.seed = run_.seed;
    options.on_progress = report;
    return options;
  }
  // All workers of all processes together take a quarter of the memory that was free when this one began.
  Bytes bytes_of_a_worker() const {
    if (!memo_bytes_) {
      memo_bytes_ = os::free_memory() / 4 / (std::int64_t{run_.processes} * run_.workers.value_or(os::processors()));
    }
    return std::max(*memo_bytes_, kLeastMemo);
  }
  static design::UnitResult simulate_cycles(PlacedJob& job, memory::Memory& memory,
                                            const std::function<void(Cycles)>& report, stream::Observer* observer) {
    systemc::VirtualPlatform& platform = systemc::virtual_platform();
    platform.on_progress = report;
    const ConvolutionResult convolution = platform.run(job.plan, memory, job.channel_of_port, &job.stores, observer);
    design::UnitResult result = unit_result(convolution, engine::ExactAccount{});
    if (!job.plan.with_data) return result;
    result.data = check_data(job.plan.alpha, job.plan.beta, job.stores, job.channel_of_port);
    if (job.plan.alpha.format.is_fixed()) result.data.overflows = convolution.overflows;
    return result;
  }

  // Places transfers after the tensors of their channel, one after the other.
  std::vector<memory::Traffic> behind_tensors(const std::vector<design::ConcurrentTransfer>& transfers,
                                              const PlacedJob& job) const {
    const Bytes capacity = config::channel_capacity(run_.board);
    std::vector<Bytes> used = job.channel_bytes;
    used.resize(static_cast<std::size_t>(job.memory.channels));
    std::vector<memory::Traffic> placed;
    for (const design::ConcurrentTransfer& each : transfers) {
      if (each.channel < 0 || each.channel >= job.memory.channels) {
        throw Error(fmt::format("a transfer on memory channel {}: board '{}' has channels 0 to {}", each.channel,
                                run_.board.name, job.memory.channels - 1));
      }
      Bytes& end = used[static_cast<std::size_t>(each.channel)];
      end = align_up(end, stream::kPageBytes);
      if (each.traffic.bytes > capacity - end) {
        throw Error(
            fmt::format("a transfer of {} bytes on memory channel {} needs {} bytes more than the convolution's "
                        "tensors leave",
                        each.traffic.bytes, each.channel, each.traffic.bytes - (capacity - end)));
      }
      placed.push_back(each.traffic);
      placed.back().address = capacity * each.channel + end;
      end += std::max<Bytes>(each.traffic.bytes, 0);
    }
    return placed;
  }

  void fill(design::Row& row, const RowWork& work, const Budget& budget) const override {
    for (const Convolution& launch : work.launches) {
      checked::add(row.macs, launch.useful_macs, "the multiply-accumulates of the launches of a layer");
    }
    const Alpha& a = work.alpha;
    for_each_field(a, [&](const char* name, auto value) {
      if constexpr (std::is_same_v<decltype(value), Variant>) {
        row.kernel.emplace_back(name, std::string(to_string(value)));
      } else {
        row.kernel.emplace_back(name, std::int64_t{value});
      }
    });
    row.bitstream = bitstream_of(a);
    row.resources = compare(resources(a, work.launches, readings_), budget);
    row.equations = equations_of(work);
    row.launches = static_cast<std::int64_t>(work.launches.size());
    if (work.parts > 1) row.parts = work.parts;
    const workloads::TensorWords words = workloads::tensor_words(work.layer, work.kind);
    row.pcie_to_card = tensor_bytes(a, Port::Inp, words.inp) + tensor_bytes(a, Port::Kern, words.kern);
    row.pcie_to_host = tensor_bytes(a, Port::Out, words.out);
    row.pe_cycles = pe_cycles_by_equations(work, row.equations.cycles);
  }

  Readings readings_;
  std::vector<Job> jobs_;  // by unit
  mutable std::optional<Bytes> memo_bytes_;
  mutable exact::MemoCache memo_cache_;  // of the process: each worker continues with its own copy
};

}  // namespace

Alpha alpha_of_row(const config::RunConfig& run, const design::Row& row) {
  Alpha alpha = alpha_of(KernelConfig::of(run));
  auto from = row.bitstream.begin();
  for_each_field(alpha, [&](const char*, auto& value) { value = static_cast<std::decay_t<decltype(value)>>(*from++); });
  return alpha;
}

std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network) {
  return std::make_unique<Work>(run, network);
}

}  // namespace weft::fpgpt
