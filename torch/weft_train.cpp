// Trains the network of a run on the card: what `weft card CONFIG --train NETWORK` starts, as it starts any program.
#include <fmt/core.h>
#include <torch/utils.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/card/status.h"
#include "platform/timeline/iteration.h"
#include "tools/iteration.h"
#include "tools/options.h"
#include "torch/iteration_costs.h"
#include "torch/trainer.h"
#include "torch/xrt_accelerator.h"

namespace weft::nn {
namespace {

// What --compare allows: the loss of each step; a gradient of the first, relative to the largest value of its tensor.
constexpr double kLossBound = 1e-3, kGradientBound = 1e-4;

struct Options {
  std::string kernels, data;
  std::int64_t steps = 20, seed = 1;
  double rate = 0.001;
  bool compare = false;
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
        fmt::format("--data: CIFAR-10 has images of 3x32x32 of 10 classes, and the network takes {}x{}x{} of {}",
                    shape[0], shape[1], shape[2], trainer.classes()));
  }
  return std::make_unique<Cifar10Images>(options.data, seed);
}

std::string milliseconds(Picoseconds time) {
  return fmt::format("{:.6f} ms", static_cast<double>(time) * 1e-9);
}

// Of the last steps: the first loads a kernel before it begins, where those that follow find the one they left.
void report_time(const config::RunConfig& run, const std::vector<IterationCosts>& steps) {
  if (steps.empty()) return;
  const bool alike = std::all_of(steps.begin() + (steps.size() > 1 ? 1 : 0), steps.end(),
                                 [&](const IterationCosts& each) { return each == steps.back(); });
  std::vector<std::string> changed;
  const config::RunConfig planned = run_of_trainer(run, &changed);
  tools::Progress progress("timeline", 0);
  const timeline::TrainingIteration iteration = tools::iteration(planned, std::nullopt, progress);
  const IterationCosts& card = steps.back();
  const IterationCosts planned_costs = costs_of(iteration.timeline);
  say("");
  say(steps.size() == 1
          ? "iteration 1 on the card, in simulated time, beside weft timeline:"
          : fmt::format("iteration {} on the card, in simulated time, beside weft timeline{}:", steps.size(),
                        alike ? fmt::format("; 2 to {} are equal to the picosecond", steps.size())
                              : "; not all behind the first are equal"));
  say("");
  fmt::print("{}", comparison(card, planned_costs));
  say("");
  for (const std::string& line : explanation(card, planned_costs, changed)) say(line);
}

int train(const Options& options) {
  torch::set_num_threads(1);  // sums in one order, whatever the machine
  KernelFolder folder = read_kernel_folder(options.kernels);
  const config::RunConfig run = folder.run;
  const workloads::Graph forward = tools::trained_network(run).forward;
  const workloads::Graph training = timeline::training_graph_of(run, forward);
  TrainingSettings settings;
  settings.rate = options.rate;
  settings.optimiser = optimiser_of(training);
  settings.seed = static_cast<std::uint64_t>(options.seed);
  const auto card = std::make_shared<XrtAccelerator>(std::move(folder.set));
  Trainer trainer(forward, training, card, options.compare, settings);
  const std::unique_ptr<ImageSource> images = images_for(trainer, options);
  const std::optional<card::StatusReader> status = card::StatusReader::of_environment();

  say(fmt::format("{}: {}, batch {}, {}, SGD (rate {}, momentum {}, weight decay {})", run.name, forward.name,
                  run.batch, options.data.empty() ? "synthetic images" : "CIFAR-10", settings.rate,
                  settings.optimiser.momentum, settings.optimiser.weight_decay));
  say("");
  const auto moment = [&]() -> std::optional<card::Status> {
    if (!status) return std::nullopt;
    card->settle();
    return status->read();
  };
  std::vector<IterationCosts> costs;
  double loss_apart = 0;
  GradientDifference gradients;
  for (std::int64_t i = 1; i <= options.steps; ++i) {
    const std::optional<card::Status> before = moment();
    const StepResult step = trainer.step(*images, run.gi_first);
    std::string line = fmt::format("step {:>4}  loss {:.6f}", i, step.loss);
    if (step.native_loss) {
      line += fmt::format("  LibTorch alone {:.6f}", *step.native_loss);
      const double apart = std::abs(step.loss - *step.native_loss);
      if (!(apart <= loss_apart)) loss_apart = apart;
      if (i == 1) gradients = trainer.difference();
    }
    if (before) {
      costs.push_back(costs_between(*before, *moment()));
      line += fmt::format("  on the card {} simulated", milliseconds(costs.back().whole));
    }
    say(line);
  }
  bool near = true;
  if (options.compare) {
    near = loss_apart <= kLossBound && gradients.largest <= kGradientBound;
    say("");
    say(fmt::format("LibTorch alone: losses within {:.2g} ({:g} allowed)", loss_apart, kLossBound));
    say(fmt::format(
        "gradients of step 1 within {:.2g} of their largest value ({:g} allowed; {}), the same words of ReLU "
        "and max pools taken; LibTorch alone takes {} of {} others",
        gradients.largest, kGradientBound, gradients.parameter, gradients.turns.other, gradients.turns.all));
  }
  report_time(run, costs);
  return near ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app("weft-train: trains the network of a run on the card that XRT finds", "weft-train");
  Options options;
  app.add_option("--kernels", options.kernels, "What weft card CONFIG --xclbin FOLDER/ wrote")->required();
  app.add_option("--steps", options.steps, "Steps of SGD, a batch each")->check(CLI::Range(1, 1 << 30));
  app.add_option("--rate", options.rate, "Learning rate")->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Of parameters and images")->check(CLI::Range(0, 1 << 30));
  app.add_option("--data", options.data, "A folder with CIFAR-10's binary files; without it images are synthetic");
  app.add_flag("--compare", options.compare, "Train the same network by LibTorch alone beside");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw Error(error.what());
  }
  return train(options);
}

}  // namespace
}  // namespace weft::nn

int main(int argc, char** argv) {
  try {
    return weft::nn::run(argc, argv);
  } catch (const weft::Error& error) {
    fmt::print(stderr, "weft-train: error: {}\n", weft::printable(error.what()));
    return 2;
  } catch (const std::exception& error) {
    // XRT's and LibTorch's errors, of which the first line says what is wrong.
    const std::string text = error.what();
    fmt::print(stderr, "weft-train: error: {}\n", weft::printable(text.substr(0, text.find('\n'))));
    return 1;
  }
}
