#include "platform/iteration/train/result.h"

#include <algorithm>

#include "model/core/error.h"
#include "platform/iteration/timeline/result.h"
#include "platform/record/json.h"

namespace weft::train {

using precision::Level;
using precision::level_name;

namespace {

constexpr int kTrainSchema = 4;

double hours(LongTime time) {
  return seconds(time) / 3600;
}

// Time of all convolutions in a level, and the epochs in that level, if any.
LevelResult level_of(const TrainConfig& config, const Training& training, std::size_t place) {
  const LevelRun& of = config.runs[place];
  Picoseconds convolutions = 0;
  for (const precision::LevelTimes& times : training.times) {
    checked::add(convolutions, times[place], "the picoseconds of all convolutions");
  }
  LongTime time = 0;
  LevelResult level;
  for (std::size_t e = 0; e < training.epochs.size(); ++e) {
    if (training.precision_schedule.epochs[e].level != of.level) continue;
    ++level.epochs;
    time += training.time(e);
  }
  level.level = level_name(of.level);
  level.kernel = of.run.schedule.kernels.given() ? "kernels of weft dse " + of.run.schedule.kernels.dse
                                                 : of.run.kernel->text().headline;
  level.convolution_s = timeline::seconds(convolutions);
  level.hours = hours(time);
  return level;
}

SetupResult setup_of(const Setup& from) {
  SetupResult setup;
  setup.cycles = from.cycles;
  setup.macs = from.macs;
  setup.convolution_s = timeline::seconds(from.convolutions);
  if (from.iteration) {
    setup.iteration_s = timeline::seconds(from.iteration->end);
    setup.kernel_s = timeline::seconds(from.iteration->kernels);
    setup.host_s = timeline::seconds(from.iteration->host);
    setup.loads = from.iteration->loads;
    setup.bitstreams = from.iteration->bitstreams;
    setup.load_s = timeline::seconds(from.iteration->load);
  }
  for (const Level level : from.levels) setup.levels.push_back(level_name(level));
  return setup;
}

EpochResult epoch_of(const Training& training, std::size_t e) {
  const precision::Epoch& from = training.precision_schedule.epochs[e];
  EpochResult epoch;
  epoch.epoch = static_cast<std::int64_t>(e);
  epoch.level = level_name(from.level);
  epoch.learning_rate = from.rate;
  epoch.diversity = from.diversity;
  epoch.threshold = from.threshold;
  if (from.diversity) epoch.violations = from.violations;
  for (const TimedStretch& stretch : training.epochs[e]) {
    const std::vector<Level>& levels = training.setups[stretch.setup].levels;
    const auto lowered = std::count_if(levels.begin(), levels.end(), [&](Level each) { return each < from.level; });
    epoch.stretches.push_back(
        {stretch.iterations, stretch.setup, lowered, training.loads(stretch), hours(training.time(stretch))});
  }
  epoch.loads = training.loads(e);
  epoch.hours = hours(training.time(e));
  return epoch;
}

double here(const TrainResult& r, Claim claim) {
  switch (claim) {
    case Claim::Speedup:
      return r.speedup;
    case Claim::Hours:
      return r.hours;
    case Claim::Fp32Hours:
      return r.fp32_alone_hours;
    case Claim::ConvolutionsFor80Percent:
      break;
  }
  return static_cast<double>(r.for_80_percent.size());
}

}  // namespace

static void fields(record::Visitor& io, LevelResult& level) {
  io("level", "fp32, or fxp and its bits; or pruned, dense", level.level);
  io("kernel", "array, clock and profile of the kernel", level.kernel);
  io("convolutions_seconds", "s", "time of the convolutions of an iteration, all at this level", level.convolution_s);
  io("epochs", "epochs", "epochs of MuPPET at this level", level.epochs);
  io("hours", "h", "hours of these epochs", level.hours);
}

static void fields(record::Visitor& io, SwitchResult& each) {
  io("epoch", "1", "the first epoch in the new level", each.epoch);
  io("level", "the new level", each.level);
}

static void fields(record::Visitor& io, ConvolutionResult& convolution) {
  io("convolution", "layer and kind: conv1:F", convolution.name);
  io.named("seconds", "time of the convolution, by level", "s", "time in an iteration", convolution.seconds);
}

static void fields(record::Visitor& io, SetupResult& setup) {
  io("cycles", "cycles", "cycles of the convolutions", setup.cycles);
  io("macs", "MACs", "multiply-accumulates of the convolutions, with the weights that are kept", setup.macs);
  io("convolutions_seconds", "s", "time of the convolutions, one after the other", setup.convolution_s);
  io("iteration_seconds", "s", "time of host, link, loads and kernels (weft timeline)", setup.iteration_s);
  io("kernel_seconds", "s", "time while kernels run", setup.kernel_s);
  io("host_seconds", "s", "time while only the host computes", setup.host_s);
  io("loads", "loads", "loads of bitstreams in an iteration that follows an equal one", setup.loads);
  io("bitstreams", "bitstreams", "distinct bitstreams", setup.bitstreams);
  io("load_seconds", "s", "time of a load", setup.load_s);
  io.list("levels", "level of each convolution, in the order of `convolutions`", "", "a level", setup.levels);
}

static void fields(record::Visitor& io, StretchResult& stretch) {
  io("iterations", "iterations", "number of iterations", stretch.iterations);
  io("setup", "1", "index into `setups`, from 0", stretch.setup);
  io("lowered", "convolutions", "convolutions below MuPPET's level", stretch.lowered);
  io("loads", "loads", "loads of bitstreams", stretch.loads);
  io("hours", "h", "hours of these iterations", stretch.hours);
}

static void fields(record::Visitor& io, EpochResult& epoch) {
  io("epoch", "1", "number of the epoch, from 0", epoch.epoch);
  io("level", "level of MuPPET; or pruned, dense", epoch.level);
  io("learning_rate", "1", "learning rate as a share of the initial one", epoch.learning_rate);
  io("diversity", "1", "diversity of the gradients, if measured", epoch.diversity);
  io("threshold", "1", "limit of the largest diversity over this one; above it is a violation", epoch.threshold);
  io("violations", "violations", "violations at this level so far", epoch.violations);
  io.list("stretches", "iterations of the epoch, in order", "", "iterations with the same levels", epoch.stretches);
  io("loads", "loads", "loads of bitstreams", epoch.loads);
  io("hours", "h", "hours of this epoch", epoch.hours);
}

static void fields(record::Visitor& io, PublishedResult& published) {
  io.choice("of", "figure: speedup, hours, fp32_hours or convolutions_for_80_percent", published.of, kClaims);
  io("value", "1", "published value", published.value);
  io("here", "1", "value of this result", published.here);
  io("source", "source of the figure", published.source);
  io("why", "why the two differ", published.why);
}

void fields(record::Visitor& io, TrainResult& r) {
  constexpr const char* kConvolution = "layer and kind: conv1:F";
  io.head("train", kTrainSchema, r.weft_version);
  io("name", "name of the training", r.training);
  io("policy", "muppet, gm on top of it, or pruning", r.policy);
  io("network", "name of the network", r.network);
  io("board", "name of the board", r.board);
  io("batch", "images", "images of an iteration", r.batch);
  io("rung", "what counted the cycles: analytical, systemc or exact", r.rung);
  io.choice("time", "what the hours count: iteration or convolutions", r.counted, 2);
  io("iterations_per_epoch", "iterations", "images of the data set over the batch, rounded up", r.iterations_per_epoch);
  io("epochs_in_all", "epochs", "epochs of the training", r.epochs_in_all);
  io("hours", "h", "hours of the training", r.hours);
  io.group("fp32_alone", "the same network in FP32, or dense, from the first epoch to the last",
           [&](record::Visitor& sub) {
             sub("epochs", "epochs", "number of epochs", r.fp32_alone_epochs);
             sub("hours", "h", "hours of these epochs", r.fp32_alone_hours);
           });
  io("speedup", "1", "hours of fp32_alone / hours of the training", r.speedup);
  io("card_hours", "h", "hours without those in which only the host computes, loads included; with a timeline",
     r.card_hours);
  io("loads", "loads", "loads of bitstreams in the training; 0 without a timeline", r.loads);
  io.list("levels", "the levels", "", "a level that the policy may choose, lowest first", r.levels);
  io.list("switches", "switches of MuPPET", "", "a switch", r.switches);
  io.list("convolutions", "convolutions in the order of the graph", "", "a convolution", r.convolutions);
  io.list("for_80_percent", "fewest convolutions with 80 % of the gain of the lowest level over the highest", "",
          kConvolution, r.for_80_percent);
  io.list("accelerated", "convolutions that GM may lower", "", kConvolution, r.accelerated);
  io.list("setups", "distinct levels of all convolutions; the first is that of fp32_alone", "",
          "levels of all convolutions, and the cost of an iteration at these levels", r.setups);
  io.list("epochs", "course of the training", "", "an epoch", r.epochs);
  io.list("published", "published figures next to those of this result", "", "a figure", r.published);
  io("unused_lines", "lines", "lines of the traces for epochs in which no policy reads them", r.unused_lines);
  io.list("unreachable_switches", "switch_epochs at which MuPPET cannot switch by its resolution and patience",
          "epochs", "an epoch, from 0", r.unreachable_switches);
  config::inputs_field(io, r.inputs);
}

TrainResult read_result(const std::filesystem::path& file) {
  auto result = record::from_file<TrainResult>(file);
  const auto sound = [&](const EpochResult& epoch) {
    return !epoch.stretches.empty() &&
           std::all_of(epoch.stretches.begin(), epoch.stretches.end(),
                       [&](const StretchResult& stretch) { return stretch.setup < result.setups.size(); });
  };
  if (result.levels.empty() || result.setups.empty() ||
      !std::all_of(result.epochs.begin(), result.epochs.end(), sound)) {
    throw InputError(file.string(), 0, "epochs", "must have stretches, each with a place in setups");
  }
  return result;
}

TrainResult result_of(const TrainConfig& config, const Training& training, const std::string& network) {
  const LongTime time = training.time(), alone = fp32_alone(config, training);
  const auto names = [&](const std::vector<std::size_t>& convolutions) {
    std::vector<std::string> list;
    list.reserve(convolutions.size());
    for (const std::size_t c : convolutions) list.push_back(training.convolutions[c]);
    return list;
  };
  TrainResult r;
  r.training = config.name;
  r.policy = to_string(config.policy);
  r.network = network;
  r.board = config.run().board.name;
  r.batch = config.run().batch;
  r.rung = config::to_string(config.run().rung);
  r.counted = config.counted;
  r.iterations_per_epoch = config.iterations_per_epoch();
  r.epochs_in_all = static_cast<std::int64_t>(training.epochs.size());
  r.hours = hours(time);
  r.fp32_alone_epochs = config.fp32_alone_epochs;
  r.fp32_alone_hours = hours(alone);
  r.speedup = time == 0 ? 0 : static_cast<double>(alone) / static_cast<double>(time);
  if (training.setups.front().iteration) r.card_hours = hours(training.card_time());
  r.loads = training.loads();
  for (std::size_t place = 0; place < config.runs.size(); ++place) {
    r.levels.push_back(level_of(config, training, place));
  }
  for (std::size_t c = 0; c < training.convolutions.size(); ++c) {
    ConvolutionResult& convolution = r.convolutions.emplace_back();
    convolution.name = training.convolutions[c];
    for (std::size_t place = 0; place < config.runs.size(); ++place) {
      convolution.seconds.emplace_back(r.levels[place].level, timeline::seconds(training.times[c][place]));
    }
  }
  r.for_80_percent = names(training.for_80_percent);
  if (config.gm()) r.accelerated = names(training.precision_schedule.accelerated);
  for (const Setup& setup : training.setups) r.setups.push_back(setup_of(setup));
  for (std::size_t e = 0; e < training.epochs.size(); ++e) {
    r.epochs.push_back(epoch_of(training, e));
    const std::string& level = r.epochs[e].level;
    if (e > 0 && level != r.epochs[e - 1].level) r.switches.push_back({r.epochs[e].epoch, level});
  }
  for (const Published& each : config.published) {
    r.published.push_back({each.of, each.value, here(r, each.of), each.source, {}});
    if (!each.why.empty()) r.published.back().why = each.why;
  }
  r.unused_lines = static_cast<std::int64_t>(training.precision_schedule.unused_lines);
  const precision::MuppetRules& rules = config.rules.muppet;
  int begin = 0;  // of the level; its first diversity is no violation, as it is the largest so far
  for (const int epoch : config.rules.switch_epochs) {
    const bool asks = epoch % rules.resolution == 0, lasts = epoch - begin >= rules.resolution * (rules.patience + 1);
    if (!asks || !lasts) r.unreachable_switches.push_back(epoch);
    begin = epoch;
  }
  return r;
}

}  // namespace weft::train
