#include "platform/run/simulate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "kernels/fpgpt/fp32.h"
#include "model/conv/loop_nest.h"
#include "model/core/error.h"
#include "model/core/fnv1a.h"
#include "model/fpgpt/analytical/readings.h"
#include "model/fpgpt/exact/exact.h"
#include "model/fpgpt/placement.h"
#include "model/fpgpt/sizing.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "model/memory/config.h"
#include "platform/config/model_config.h"
#include "platform/run/work.h"
#include "platform/run/worker_pool.h"
#include "workloads/lowering.h"

namespace weft::run {

using conv::Convolution;
using conv::Kind;
using fpgpt::Alpha;
using fpgpt::Port;

namespace {

// The plain result of a job, in memory shared by processes.
struct JobResult {
  Cycles cycles;
  Cycles skipped_cycles;
  fpgpt::BlockActivities activities;
  std::array<memory::PortStats, fpgpt::kPorts> ports;
  engine::ExactAccount account;
  DataCheck data;
};

fpgpt::Variant variant_for(const config::Kernel& kernel, Kind kind) {
  switch (kernel.variant) {
    case config::VariantChoice::Fgi:
      return fpgpt::Variant::FGI;
    case config::VariantChoice::Gw:
      return fpgpt::Variant::GW;
    case config::VariantChoice::Both:
      return fpgpt::Variant::Both;
    case config::VariantChoice::Auto:
      break;
  }
  return kind == Kind::GW ? fpgpt::Variant::GW : fpgpt::Variant::FGI;
}

bool uses(const config::Kernel& kernel, config::Size::Fit fit) {
  return kernel.z.fit == fit || kernel.z_channel.fit == fit || kernel.k_range.fit == fit ||
         kernel.kern_words.fit == fit || kernel.out_words.fit == fit;
}

// The same kernel with `auto` for `shared`.
config::Kernel unshared(config::Kernel kernel) {
  for (config::Size* size : {&kernel.z, &kernel.z_channel, &kernel.k_range, &kernel.kern_words, &kernel.out_words}) {
    if (size->fit == config::Size::Fit::Shared) size->fit = config::Size::Fit::Auto;
  }
  return kernel;
}

// Fits the sizes that are not numbers: `auto` to the row's own convolutions, `shared` to all that the variant runs.
Alpha kernel_for(const config::Kernel& kernel, const Work& work, const std::vector<Convolution>& all) {
  Alpha alpha = config::alpha_of(kernel);
  alpha.variant = variant_for(kernel, work.kind);
  if (!fpgpt::runs(alpha.variant, work.kind)) {
    throw Error(
        fmt::format("kernel.variant: a kernel of variant {} cannot run {} of layer '{}'; use variant auto or both, "
                    "or choose kinds that it runs",
                    fpgpt::to_string(alpha.variant), conv::to_string(work.kind), work.layer.name));
  }
  const Alpha own = uses(kernel, config::Size::Fit::Auto) ? fpgpt::fitted(alpha, work.groups) : alpha;
  const Alpha shared = uses(kernel, config::Size::Fit::Shared) ? fpgpt::fitted(alpha, all) : alpha;
  const auto pick = [&](const config::Size& size, auto member) {
    if (size.fit == config::Size::Fit::Auto) alpha.*member = own.*member;
    if (size.fit == config::Size::Fit::Shared) alpha.*member = shared.*member;
  };
  pick(kernel.z, &Alpha::z);
  pick(kernel.z_channel, &Alpha::z_channel);
  pick(kernel.k_range, &Alpha::k_range);
  pick(kernel.kern_words, &Alpha::kern_words);
  pick(kernel.out_words, &Alpha::out_words);
  return alpha;
}

fpgpt::Gamma sum(const std::vector<fpgpt::Gamma>& gammas) {
  fpgpt::Gamma total = gammas.front();
  for (std::size_t i = 1; i < gammas.size(); ++i) {
    const fpgpt::Gamma& g = gammas[i];
    for (const auto member :
         {&fpgpt::Gamma::sa, &fpgpt::Gamma::inp_ddr, &fpgpt::Gamma::inp_dec, &fpgpt::Gamma::inp_constr,
          &fpgpt::Gamma::inp_i2c, &fpgpt::Gamma::kern_ddr, &fpgpt::Gamma::kern_dec, &fpgpt::Gamma::kern_feed,
          &fpgpt::Gamma::out_constr, &fpgpt::Gamma::out_enc, &fpgpt::Gamma::out_ddr, &fpgpt::Gamma::total}) {
      total.*member += g.*member;
    }
  }
  return total;
}

std::array<int, fpgpt::kPorts> channels_of(const config::Board& board) {
  return {board.ports.inp, board.ports.kern, board.ports.out};
}

Bytes capacity_of(const config::Board& board) {
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&board.memory)) return ddr4->bytes_per_channel;
  return Bytes{1} << 46;  // ideal memory has no size
}

// Random values in [-1, 1) in every word of the channels, guards included: what lies there must not matter.
void fill(std::vector<memory::Store>& channels, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (memory::Store& store : channels) {
    for (Address at = 0; at < store.bytes(); at += 4) {
      *store.words(at) = static_cast<float>(static_cast<std::int32_t>(random() >> 32)) * 0x1p-31F;
    }
  }
}

// OUT against sums in double precision at up to 1024 outputs, and a digest of all of its words (FNV-1a).
DataCheck check_data(const Convolution& c, const std::vector<memory::Store>& channels,
                     const std::array<int, fpgpt::kPorts>& channel_of_port) {
  const auto store = [&](Port port) -> const memory::Store& {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  };
  const conv::WordAddress at{c};
  const float* const inp = store(Port::Inp).words(0);
  const float* const kern = store(Port::Kern).words(0);
  const float* const out = store(Port::Out).words(0);
  DataCheck check;
  Fnv1a64 digest;
  const std::int64_t outputs = c.n_inp * c.n_kern * c.out_map(), step = std::max<std::int64_t>(1, outputs / 1024);
  for (std::int64_t i = 0; i < outputs; ++i) {
    const int x = static_cast<int>(i % c.w.out), y = static_cast<int>(i / c.w.out % c.h.out);
    const std::int64_t k = i / c.out_map() % c.n_kern, n = i / c.out_map() / c.n_kern;
    const float value = out[at.out(n, k, y, x)];
    digest.add(fpgpt::bits(value));
    if (i % step != 0) continue;
    double sum = 0, magnitude = 0;
    for (std::int64_t a = 0; a < c.a; ++a) {
      for (std::int64_t channel = 0; channel < c.c; ++channel) {
        for (int p = 0; p < c.h.kern; ++p) {
          for (int q = 0; q < c.w.kern; ++q) {
            const int row = c.h.sample(y, p * c.h.kern_dilation), column = c.w.sample(x, q * c.w.kern_dilation);
            if (row < 0 || column < 0) continue;
            const double product =
                static_cast<double>(inp[at.inp(a, n, channel, row, column)]) * kern[at.kern(a, k, channel, p, q)];
            sum += product;
            magnitude += std::fabs(product);
          }
        }
      }
    }
    if (magnitude > 0) check.largest_error = std::max(check.largest_error, std::fabs(value - sum) / magnitude);
  }
  check.digest = digest.value();
  return check;
}

JobResult run_job(const config::RunConfig& config, const Work& work, const Convolution& group, std::uint64_t seed,
                  const std::function<void(Cycles)>& report) {
  const bool with_data = config.mode == config::Mode::Data;
  PlacedJob job = place_job(config, work, group, with_data, seed);
  if (config.rung == config::Rung::Exact && !with_data) {
    engine::ExactOptions options;
    options.memo_bytes = config.memo_mb << 20;
    options.verify = config.verify;
    options.seed = config.seed;
    options.on_progress = report;
    const engine::ExactResult exact = engine::run_exact(job.plan, job.memory, options);
    const fpgpt::ConvolutionResult& simulated = exact.convolution;
    return {simulated.cycles, simulated.skipped_cycles, simulated.activities, simulated.ports, exact.account, {}};
  }
  const std::unique_ptr<memory::Memory> memory = memory::make_memory(job.memory);
  systemc::VirtualPlatform& platform = systemc::virtual_platform();
  platform.on_progress = report;
  const fpgpt::ConvolutionResult simulated = platform.run(job.plan, *memory, job.channel_of_port, &job.stores);
  JobResult result{simulated.cycles, simulated.skipped_cycles, simulated.activities, simulated.ports, {}, {}};
  if (with_data) result.data = check_data(job.plan.beta, job.stores, job.channel_of_port);
  return result;
}

Row start_row(const Work& work, const fpgpt::Readings& readings, const fpgpt::Budget& budget) {
  Row row;
  row.layer = work.layer;
  row.kind = work.kind;
  row.fully_connected = work.fully_connected;
  row.alpha = work.alpha;
  for (const Convolution& group : work.groups) row.macs += group.useful_macs;
  row.gamma = sum(work.gammas);
  row.unshared = work.unshared;
  row.resources = fpgpt::compare(fpgpt::resources(work.alpha, work.groups, readings), budget);
  row.launches = static_cast<std::int64_t>(work.groups.size());
  const workloads::TensorWords words = workloads::tensor_words(work.layer, work.kind);
  row.pcie_to_card = (words.inp + words.kern) * 4;
  row.pcie_to_host = words.out * 4;
  return row;
}

// All that a convolution's cycles depend on: two of the same identity take the same cycles.
std::vector<std::int64_t> identity(const config::RunConfig& config, const Work& work, const Convolution& group) {
  const Convolution c = place_job(config, work, group, false, 0).plan.beta;
  std::vector<std::int64_t> all{static_cast<std::int64_t>(c.kind), c.a, c.n_inp, c.n_kern, c.c};
  for (const conv::Axis& axis : {c.h, c.w}) {
    for (const int value :
         {axis.inp, axis.kern, axis.out, axis.stride, axis.pad_begin, axis.inp_dilation, axis.kern_dilation}) {
      all.push_back(value);
    }
  }
  for (const conv::TensorView& view : {c.inp, c.kern, c.out}) {
    all.insert(all.end(), {view.base, view.pitch_a, view.pitch_n, view.pitch_c});
  }
  const Alpha& alpha = work.alpha;  // the rest of it is the run's
  all.insert(all.end(), {alpha.z, alpha.z_channel, alpha.k_range, alpha.kern_words, alpha.out_words,
                         static_cast<std::int64_t>(alpha.variant)});
  return all;
}

void simulate_rows(const config::RunConfig& config, const std::vector<Work>& works, std::vector<Row>& rows,
                   const Progress& progress) {
  const std::vector<Job> jobs = jobs_of(works);
  std::vector<std::int64_t> weights = weights_of(works, jobs);
  // Equal convolutions are simulated once, `first` of them. In data mode none are equal: their data differ.
  std::vector<std::size_t> first(jobs.size());
  std::map<std::vector<std::int64_t>, std::size_t> known;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    first[job] = job;
    if (config.mode == config::Mode::Timing) {
      const Work& work = works[jobs[job].row];
      first[job] = known.emplace(identity(config, work, work.groups[jobs[job].group]), job).first->second;
    }
    if (first[job] != job) weights[job] = 0;
  }
  std::vector<std::size_t> order = longest_first(weights);
  order.erase(std::remove_if(order.begin(), order.end(), [&](std::size_t job) { return first[job] != job; }),
              order.end());
  WorkerPool pool(jobs.size(), sizeof(JobResult), config.workers.value_or(processors()));
  const std::int64_t expected = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  pool.run(
      order, weights,
      [&](std::size_t job, void* result, const std::function<void(Cycles)>& report) {
        const Work& work = works[jobs[job].row];
        try {
          new (result) JobResult(run_job(config, work, work.groups[jobs[job].group], config.seed + job, report));
        } catch (const Deadlock& error) {
          throw Deadlock(fmt::format("layer '{}', {}: {}", work.layer.name, conv::to_string(work.kind), error.what()));
        } catch (const Error& error) {
          throw Error(fmt::format("layer '{}', {}: {}", work.layer.name, conv::to_string(work.kind), error.what()));
        }
      },
      [&](std::int64_t done) {
        if (progress) progress(done, expected);
      });
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const auto& result = *static_cast<const JobResult*>(pool.result(first[job]));
    Row& row = rows[jobs[job].row];
    row.repeats = (jobs[job].group == 0 || row.repeats) && first[job] != job;
    row.cycles += result.cycles;
    row.skipped_cycles += result.skipped_cycles;
    for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) row.activities[block] += result.activities[block];
    for (std::size_t port = 0; port < fpgpt::kPorts; ++port) row.ports[port] += result.ports[port];
    if (first[job] == job) row.account += result.account;
    if (config.mode == config::Mode::Data) {
      if (!row.data) row.data = DataCheck{};
      row.data->digest = row.data->digest * Fnv1a64::kPrime ^ result.data.digest;
      row.data->largest_error = std::max(row.data->largest_error, result.data.largest_error);
    }
  }
  for (Row& row : rows) row.limiter = fpgpt::limiter(row.kind, row.activities);
}

// Training runs the forward convolutions in order, then from the last layer back GW and GI of each. Loading a kernel
// that is not the one on the card is a reconfiguration.
void count_kernels(Result& result) {
  const auto same = [](const Alpha& a, const Alpha& b) {
    return a.z == b.z && a.z_channel == b.z_channel && a.k_range == b.k_range && a.kern_words == b.kern_words &&
           a.out_words == b.out_words && a.variant == b.variant;
  };
  std::vector<const Row*> order;
  for (const Row& row : result.rows) {
    if (row.kind == Kind::F) order.push_back(&row);
  }
  for (auto row = result.rows.rbegin(); row != result.rows.rend(); ++row) {
    if (row->kind != Kind::F) order.push_back(&*row);
  }
  std::vector<const Alpha*> distinct;
  const Alpha* loaded = nullptr;
  for (const Row* row : order) {
    const auto equal = [&](const Alpha* alpha) { return same(*alpha, row->alpha); };
    if (std::none_of(distinct.begin(), distinct.end(), equal)) distinct.push_back(&row->alpha);
    if (!loaded || !same(*loaded, row->alpha)) ++result.reconfigurations;
    loaded = &row->alpha;
  }
  result.kernels = static_cast<std::int64_t>(distinct.size());
}

void describe_memory(Result& result) {
  auto channels = channels_of(result.config.board);
  std::sort(channels.begin(), channels.end());
  result.channels_used = static_cast<int>(std::unique(channels.begin(), channels.end()) - channels.begin());
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&result.config.board.memory)) {
    result.channel_peak_bytes_per_second = ddr4->data_rate_mtps.num * 8'000'000 / ddr4->data_rate_mtps.den;
  }
}

void require_fit(const Result& result) {
  for (const Row& row : result.rows) {
    for (const fpgpt::ResourceUse& use : row.resources) {
      if (use.fits()) continue;
      throw Error(fmt::format(
          "strict_fit: the kernel of layer '{}', {} needs {} {}, board '{}' offers {}; leave "
          "--strict-fit away to simulate it all the same",
          row.layer.name, conv::to_string(row.kind), use.used, use.name, result.config.board.name, use.available));
    }
  }
}

}  // namespace

std::vector<Work> plan_work(const config::RunConfig& config, const workloads::Network& network,
                            const fpgpt::Readings& readings) {
  std::vector<conv::Layer> layers = network.layers;
  layers.insert(layers.end(), network.fc_layers.begin(), network.fc_layers.end());
  std::vector<Work> works;
  std::vector<Convolution> all;
  for (const config::Chosen& chosen : config::choose(config, layers)) {
    Work work;
    work.layer = layers[chosen.layer];
    work.kind = chosen.kind;
    work.fully_connected = chosen.layer >= network.layers.size();
    work.groups = workloads::lower_groups(work.layer, work.kind);
    all.insert(all.end(), work.groups.begin(), work.groups.end());
    works.push_back(std::move(work));
  }
  for (Work& work : works) {
    work.alpha = kernel_for(config.kernel, work, all);
    // Groups differ in nothing that the equations or the window depend on.
    try {
      work.gammas.assign(work.groups.size(), fpgpt::gamma(work.alpha, work.groups.front(), readings));
      if (uses(config.kernel, config::Size::Fit::Shared)) {
        const Alpha own = kernel_for(unshared(config.kernel), work, all);
        work.unshared =
            fpgpt::gamma(own, work.groups.front(), readings).total * static_cast<Cycles>(work.groups.size());
      }
    } catch (const Error& error) {
      throw Error(fmt::format("layer '{}', {}: {}", work.layer.name, conv::to_string(work.kind), error.what()));
    }
  }
  return works;
}

std::vector<Job> jobs_of(const std::vector<Work>& works) {
  std::vector<Job> jobs;
  for (std::size_t row = 0; row < works.size(); ++row) {
    for (std::size_t group = 0; group < works[row].groups.size(); ++group) jobs.push_back({row, group});
  }
  return jobs;
}

std::vector<std::int64_t> weights_of(const std::vector<Work>& works, const std::vector<Job>& jobs) {
  std::vector<std::int64_t> weights;
  weights.reserve(jobs.size());
  for (const Job& job : jobs) weights.push_back(works[job.row].gammas[job.group].total);
  return weights;
}

PlacedJob place_job(const config::RunConfig& config, const Work& work, const Convolution& group, bool with_data,
                    std::uint64_t seed) {
  PlacedJob job;
  job.memory = config::memory_config(config);
  job.channel_of_port = channels_of(config.board);
  const int channels =
      std::max(job.memory.channels, 1 + *std::max_element(job.channel_of_port.begin(), job.channel_of_port.end()));
  const workloads::TensorWords words = workloads::tensor_words(work.layer, work.kind);
  const fpgpt::Placement placement = fpgpt::place(work.alpha, {words.inp * 4, words.kern * 4, words.out * 4},
                                                  job.channel_of_port, channels, capacity_of(config.board));
  job.plan = fpgpt::make_plan(work.alpha, fpgpt::placed(group, placement), with_data);
  if (!with_data) return job;
  for (const Bytes bytes : placement.channel_bytes) job.stores.emplace_back(bytes);
  fill(job.stores, seed);
  return job;
}

Result simulate(const config::RunConfig& config, const workloads::Network& network, const Progress& progress) {
  const fpgpt::Readings readings = config::readings(config);
  const std::vector<Work> works = plan_work(config, network, readings);
  Result result;
  result.config = config;
  result.network = network;
  result.budget = config::budget(config.board);
  describe_memory(result);
  for (const Work& work : works) result.rows.push_back(start_row(work, readings, result.budget));
  count_kernels(result);
  if (config.strict_fit) require_fit(result);
  if (config.rung == config::Rung::Analytical) {
    for (Row& row : result.rows) {
      row.cycles = row.gamma.total;
      row.limiter = fpgpt::limiter_name(row.kind, row.gamma.limiter);
    }
  } else {
    simulate_rows(config, works, result.rows, progress);
  }
  return result;
}

}  // namespace weft::run
