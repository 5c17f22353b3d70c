// Trains the network of a run on the card; started by `weft card CONFIG --train NETWORK` like any other program.
#include <fmt/core.h>
#include <torch/utils.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/iteration/train/train.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/failure.h"
#include "platform/os/output_file.h"
#include "platform/os/progress.h"
#include "platform/os/standard_streams.h"
#include "torch/iteration_costs.h"
#include "torch/live_policy.h"
#include "torch/loop_accelerator.h"
#include "torch/trainer.h"
#include "torch/xrt_accelerator.h"

namespace weft::nn {
namespace {

// Bounds of --compare: differences of the losses in the first steps and in later ones, where rounding has accumulated;
// difference of a gradient of the first step, relative to the largest value of its tensor.
constexpr std::int64_t kFirstSteps = 10;
constexpr double kFirstLossBound = 1e-3, kLossBound = 4e-3, kGradientBound = 1e-4;

struct Options {
  std::string kernels, data, live;
  std::int64_t steps = 20, seed = 1;
  double rate = 0.001;
  bool compare = false, emulate = false;
};

void say(const std::string& line) {
  fmt::print("{}\n", printable(line));
  std::fflush(stdout);
}

workloads::SgdOp optimiser_of(const workloads::Graph& training) {
  for (const workloads::Operator& op : training.operators) {
    if (const auto* sgd = std::get_if<workloads::SgdOp>(&op.what)) return *sgd;
  }
  throw Error(fmt::format("{}: has no parameters to train", training.name));
}

std::unique_ptr<ImageSource> images_for(const Trainer& trainer, const Options& options) {
  const ImageShape shape = trainer.image_shape();
  const auto seed = static_cast<std::uint64_t>(options.seed);
  if (options.data.empty()) return std::make_unique<SyntheticImages>(shape, trainer.classes(), seed);
  if (shape != Cifar10Images::kShape || trainer.classes() < Cifar10Images::kClasses) {
    throw Error(
        fmt::format("--data: CIFAR-10 has images of 3x32x32 of 10 classes, but the network takes {}x{}x{} of {}",
                    shape[0], shape[1], shape[2], trainer.classes()));
  }
  return std::make_unique<Cifar10Images>(options.data, seed);
}

std::string milliseconds(Picoseconds time) {
  return fmt::format("{:.6f} ms", static_cast<double>(time) * 1e-9);
}

// Reports the last steps: the first step begins with loading a kernel, later ones find it loaded.
void report_time(const config::RunConfig& run, NumberFormat format, const std::vector<IterationCosts>& steps) {
  if (steps.empty()) return;
  const bool alike = std::all_of(steps.begin() + (steps.size() > 1 ? 1 : 0), steps.end(),
                                 [&](const IterationCosts& each) { return each == steps.back(); });
  std::vector<std::string> changed;
  const config::RunConfig planned = run_of_trainer(run, &changed);
  os::Progress progress("timeline", 0);
  const timeline::TrainingIteration iteration =
      timeline::iteration(planned, config::project_library(), progress.watcher());
  const IterationCosts& card = steps.back();
  const IterationCosts planned_costs = costs_of(iteration.timeline, format);
  say("");
  say(steps.size() == 1
          ? "iteration 1 on the card, in simulated time, against weft timeline:"
          : fmt::format("iteration {} on the card, in simulated time, against weft timeline{}:", steps.size(),
                        alike ? fmt::format("; 2 to {} are equal to the picosecond", steps.size())
                              : "; not all after the first are equal"));
  say("");
  fmt::print("{}", comparison(card, planned_costs));
  say("");
  for (const std::string& line : explanation(card, planned_costs, changed)) say(line);
}

// Check of fixed-point convolutions against plain_convolution().
struct Emulation {
  std::int64_t convolutions = 0, words = 0;

  void check(const Computed& computed) {
    if (computed.sums == nullptr) return;
    const std::vector<std::int32_t> plain =
        plain_convolution(computed.layer, computed.kind, *computed.inp, *computed.kern);
    const auto differs = std::mismatch(plain.begin(), plain.end(), computed.sums->begin(), computed.sums->end());
    if (differs.first != plain.end() || differs.second != computed.sums->end()) {
      throw Mismatch(fmt::format("{} in {}: word {} of OUT is {} on the card, {} by the emulation", computed.name(),
                                 to_string(computed.format), differs.first - plain.begin(), *differs.second,
                                 *differs.first));
    }
    ++convolutions;
    words += static_cast<std::int64_t>(plain.size());
  }
  std::string summary() const {
    return fmt::format("emulation in plain C++: {} convolutions in fixed point, each of their {} words of OUT equal",
                       convolutions, words);
  }
};

// Network, its training images, and the card.
class Session {
 public:
  Session(const Options& options, const config::RunConfig& run, KernelSet kernels)
      : run_(run),
        status_(card::StatusReader::of_environment()),
        card_(std::make_shared<XrtAccelerator>(std::move(kernels))) {
    const workloads::Graph forward = training::load_trained(run, config::project_library()).forward;
    const workloads::Graph training = timeline::training_graph_of(run, forward);
    TrainingSettings settings;
    settings.rate = options.rate;
    settings.optimiser = optimiser_of(training);
    settings.seed = static_cast<std::uint64_t>(options.seed);
    precision().seed = settings.seed;
    if (run.host && run.host->quantiser) precision().headroom = run.host->quantiser->headroom;
    if (options.emulate) {
      precision().watchers.emplace_back([this](const Computed& computed) { emulation.check(computed); });
    }
    trainer_ = std::make_unique<Trainer>(forward, training, card_, options.compare, settings);
    images_ = images_for(*trainer_, options);
    say(fmt::format("{}: {}, batch {}, {}, SGD (rate {}, momentum {}, weight decay {})", run.name, forward.name,
                    run.batch, options.data.empty() ? "synthetic images" : "CIFAR-10", settings.rate,
                    settings.optimiser.momentum, settings.optimiser.weight_decay));
    say("");
  }

  Trainer& trainer() { return *trainer_; }
  Precision& precision() { return card_->precision; }
  StepResult step() {
    StepResult result = trainer_->step(*images_, run_.gi_first);
    ++precision().iteration;
    return result;
  }
  // Status of a simulated card; nothing on a real one.
  std::optional<card::Status> moment() {
    if (!status_) return std::nullopt;
    card_->settle();
    return status_->read();
  }

  Emulation emulation;

 private:
  const config::RunConfig& run_;
  std::optional<card::StatusReader> status_;
  std::shared_ptr<XrtAccelerator> card_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<ImageSource> images_;
};

std::string overflow_text(const card::Status& before, const card::Status& after) {
  const std::int64_t overflows = after.totals.overflows - before.totals.overflows;
  return overflows == 0 ? "" : fmt::format("  {} sums exceeded 32 bits", overflows);
}

int train_steps(const Options& options) {
  KernelFolder folder = read_kernel_folder(options.kernels);
  const NumberFormat format = folder.set.kernels.front().alpha.format;
  Session session(options, folder.run, std::move(folder.set));
  std::vector<IterationCosts> costs;
  double first_apart = 0, apart = 0;  // largest differences of the losses, in the first steps and in all
  GradientDifference gradients;
  for (std::int64_t i = 1; i <= options.steps; ++i) {
    const std::optional<card::Status> before = session.moment();
    const StepResult step = session.step();
    std::string line = fmt::format("step {:>4}  loss {:.6f}", i, step.loss);
    if (step.native_loss) {
      line += fmt::format("  LibTorch alone {:.6f}", *step.native_loss);
      const double by = std::abs(step.loss - *step.native_loss);
      if (!(by <= apart)) apart = by;
      if (i <= kFirstSteps) first_apart = apart;
      if (i == 1) gradients = session.trainer().difference();
    }
    if (before) {
      const card::Status after = *session.moment();
      costs.push_back(costs_between(*before, after));
      line += fmt::format("  on the card {} simulated", milliseconds(costs.back().whole));
      line += overflow_text(*before, after);
    }
    say(line);
  }
  bool near = true;
  if (options.compare) {
    // Fixed point rounds, so its differences are not bounded.
    const bool bounded = !format.is_fixed();
    near = !bounded || (first_apart <= kFirstLossBound && apart <= kLossBound && gradients.largest <= kGradientBound);
    const auto allowed = [&](double bound) { return bounded ? fmt::format("{:g} allowed", bound) : "in FP32"; };
    say("");
    std::string losses = fmt::format("losses within {:.2g} ({})", first_apart, allowed(kFirstLossBound));
    if (options.steps > kFirstSteps) {
      losses += fmt::format(" in the first {} steps, {:.2g} ({}) in all", kFirstSteps, apart, allowed(kLossBound));
    }
    say("LibTorch alone: " + losses);
    say(fmt::format(
        "gradients of step 1 within {:.2g} of their largest value ({}; {}), the same words of ReLU "
        "and max pools taken; LibTorch alone takes {} of {} others",
        gradients.largest, allowed(kGradientBound), gradients.parameter, gradients.turns.other, gradients.turns.all));
  }
  if (options.emulate) {
    say("");
    say(session.emulation.summary());
  }
  report_time(folder.run, format, costs);
  return near ? 0 : 1;
}

// Level of an epoch: MuPPET's level, and the number of convolutions that GM has lowered at its end.
std::string level_text(const precision::Epoch& epoch) {
  const std::vector<precision::Level>& levels = epoch.stretches.back().levels;
  const auto lower =
      std::count_if(levels.begin(), levels.end(), [&](precision::Level level) { return level < epoch.level; });
  std::string text = precision::level_name(epoch.level);
  if (lower > 0) text += fmt::format(", {} of {} lower", lower, levels.size());
  return text;
}

// Kernels of all levels in one set.
KernelSet kernels_of(const train::TrainConfig& config, const std::filesystem::path& folder) {
  std::optional<KernelSet> all;
  for (const train::LevelRun& each : config.runs) {
    KernelSet set = read_kernel_folder(folder / precision::level_name(each.level)).set;
    if (!all) {
      all = std::move(set);
      continue;
    }
    if (set.channel_of_port != all->channel_of_port) {
      throw Error(fmt::format("kernels: the kernels of {} and {} must have their ports on the same channels",
                              precision::level_name(each.level), precision::level_name(config.runs.front().level)));
    }
    all->kernels.insert(all->kernels.end(), set.kernels.begin(), set.kernels.end());
  }
  return *all;
}

// Hours on the card of the same training, replayed from its traces.
double replayed_hours(train::TrainConfig config, const timeline::IterationNetwork& network,
                      const config::Library& library, const std::filesystem::path& diversities,
                      const std::filesystem::path& errors) {
  config.rules.switch_epochs.clear();
  config.diversities = diversities;
  if (config.gm()) config.errors = errors;
  config.counted = train::Counted::Iteration;
  os::Progress progress(config.name, 0);
  return train::seconds(train::train(config, network.network, network.graph, library, progress.watcher()).card_time()) /
         3600;
}

int train_live(const Options& options) {
  const std::filesystem::path folder(options.kernels), traces(options.live);
  const config::Library library = config::project_library();
  const train::TrainConfig config = train::load_train((folder / "training.yaml").string(), {}, library);
  std::filesystem::create_directories(traces);
  const os::OutputFile diversities(traces / "diversities.csv", "--live", LivePolicy::kDiversitiesHead),
      errors(traces / "errors.csv", "--live", LivePolicy::kErrorsHead);
  os::Progress progress(config.name, 0);
  const timeline::IterationNetwork network = timeline::iteration_network(config.run(), library);
  const train::Measured measured = train::measure(config, network.network, library, progress.watcher());
  LivePolicy policy(config.rules, config.gm(), config.iterations_per_epoch(), measured.convolutions, measured.times);
  Session session(options, config.run(), kernels_of(config, folder));
  Precision& numbers = session.precision();
  numbers.chosen = [&](const std::string& convolution) { return policy.format(convolution); };
  numbers.watchers.emplace_back([&](const Computed& computed) { policy.observe(computed, numbers.headroom); });
  double on_card_hours = 0;
  while (!policy.finished()) {
    session.trainer().set_rate(options.rate * policy.policies().rate());
    const std::optional<card::Status> before = session.moment();
    double losses = 0;
    do losses += session.step().loss;
    while (!policy.end_iteration());
    const std::vector<torch::Tensor> tensors = session.trainer().weight_gradients();
    std::vector<Gradient> gradients;
    gradients.reserve(tensors.size());
    for (const torch::Tensor& tensor : tensors) {
      gradients.push_back({tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())});
    }
    policy.end_epoch(gradients);
    const precision::Epoch& epoch = policy.policies().precision_schedule().epochs.back();
    std::string line = fmt::format("epoch {:>4}  loss {:.6f}  {}", policy.policies().epoch() - 1,
                                   losses / static_cast<double>(config.iterations_per_epoch()), level_text(epoch));
    if (epoch.diversity) {
      line += fmt::format("  diversity {:.4f} (threshold {:.4f}, violations {})", *epoch.diversity, *epoch.threshold,
                          epoch.violations);
    }
    if (before) {
      const card::Status after = *session.moment();
      const IterationCosts costs = costs_between(*before, after);
      on_card_hours += static_cast<double>(costs.whole) / 3600e12;
      line += fmt::format("  on the card {} simulated, {} reconfiguration{}", milliseconds(costs.whole),
                          costs.reconfigurations, costs.reconfigurations == 1 ? "" : "s");
      line += overflow_text(*before, after);
    }
    say(line);
  }
  say("");
  if (options.emulate) say(session.emulation.summary());
  diversities.write(policy.diversities());
  if (config.gm()) errors.write(policy.errors());
  say(fmt::format("traces       {}{}", diversities.path().string(),
                  config.gm() ? " and " + errors.path().string() : ""));
  if (on_card_hours > 0 && network.graph) {
    const double replayed = replayed_hours(config, network, library, diversities.path(), errors.path());
    say(fmt::format("hours        {:.6g} on the card; {:.6g} by weft train with these traces ({:+.3f} %)",
                    on_card_hours, replayed, 100 * (replayed / on_card_hours - 1)));
  }
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("weft-train: trains the network of a run on the card that XRT finds", "weft-train");
  Options options;
  app.add_option("--kernels", options.kernels,
                 "Folder of weft card CONFIG --xclbin FOLDER/; with --live a folder with "
                 "one per level, and training.yaml")
      ->required();
  app.add_option("--live", options.live, "Train under the policy of training.yaml; write the traces to this folder");
  app.add_option("--steps", options.steps, "Steps of SGD, one batch each")->check(CLI::Range(1, 1 << 30));
  app.add_option("--rate", options.rate, "Learning rate")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Seed of parameters and images")->check(CLI::Range(0, 1 << 30));
  app.add_option("--data", options.data, "Folder with CIFAR-10's binary files (default: synthetic images)");
  app.add_flag("--compare", options.compare, "Also train the network with LibTorch alone, and compare");
  app.add_flag("--emulate", options.emulate, "Also compute each fixed-point convolution in plain C++, and compare");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw Error(error.what());
  }
  torch::set_num_threads(1);  // fixed order of sums on every machine
  return options.live.empty() ? train_steps(options) : train_live(options);
}

}  // namespace
}  // namespace weft::nn

int main(int argc, char** argv) {
  weft::os::expect_failed_writes();
  try {
    return weft::nn::run(argc, argv);
  } catch (...) {
    const weft::os::Ending ending = weft::os::ending_of(std::current_exception());
    // The first line of XRT's and LibTorch's errors names the fault.
    const std::string line = ending.text.substr(0, ending.text.find('\n'));
    weft::os::say(fmt::format("weft-train: error: {}\n", weft::printable(line)));
    return ending.exit_code;
  }
}
