#include "platform/iteration/train/train_config.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/catalogue/designs.h"
#include "platform/config/reader.h"

namespace weft::train {

using config::Need;
using config::Node;
using precision::Level;

namespace {

constexpr double kMost = 1e6;
constexpr int kMostEpochs = 100'000;
constexpr config::Scale kSeconds{12, 1'000'000'000'000, 1'000'000, true};  // to picoseconds

const config::Names<Policy>& policies() {
  static const config::Names<Policy> names{
      {"muppet", Policy::Muppet}, {"gm", Policy::Gm}, {"pruning", Policy::Pruning}};
  return names;
}
const config::Names<Counted>& counted_names() {
  static const config::Names<Counted> names{{"iteration", Counted::Iteration}, {"convolutions", Counted::Convolutions}};
  return names;
}
const config::Names<Claim>& claims() {
  static const config::Names<Claim> names{{"speedup", Claim::Speedup},
                                          {"hours", Claim::Hours},
                                          {"fp32_hours", Claim::Fp32Hours},
                                          {"convolutions_for_80_percent", Claim::ConvolutionsFor80Percent}};
  return names;
}

template <class E>
const char* name_of(const config::Names<E>& names, E value) {
  for (const auto& name : names) {
    if (name.second == value) return name.first;
  }
  return "?";
}

Level read_level(const Node& node, const std::string& key) {
  const std::string text = config::read_text(node, key);
  const std::optional<Level> level = precision::parse_level(text);
  if (!level) throw config::error_at(node.place, key, fmt::format("must be fxp4 to fxp16 or fp32, not '{}'", text));
  return *level;
}

void levels(config::MapIo& io, std::vector<Level>& levels) {
  io.ascending_list<Level>("levels", levels,
                           {read_level, [](Level level) { return config::scalar_node(precision::level_name(level)); },
                            config::schema::text});
  const config::MapReader* const reader = io.reader();
  if (reader && (levels.empty() || levels.back() != precision::kFp32)) {
    throw reader->error("levels", "must end with fp32; add it to the end");
  }
}

void muppet_fields(config::MapIo& io, precision::MuppetRules& rules) {
  levels(io, rules.levels);
  io.integer("resolution", rules.resolution, 1, kMostEpochs);
  io.real("alpha", rules.alpha, 0, kMost);
  io.real("beta", rules.beta, 0, kMost);
  io.real("lambda", rules.lambda, 0, kMost);
  io.integer("patience", rules.patience, 1, kMostEpochs);
  io.integer("fp32_epochs", rules.fp32_epochs, 0, kMostEpochs);
  io.integer("epochs_per_rate", rules.epochs_per_rate, 1, kMostEpochs);
  io.real("rate_factor", rules.rate_factor, 0, 1);
}

void gm_fields(config::MapIo& io, precision::GmRules& rules) {
  levels(io, rules.levels);
  io.real("error_threshold", rules.error_threshold, 0, kMost);
  io.integer("history", rules.history, 1, kMostEpochs);
  io.integer("passes", rules.passes, 1, kMostEpochs);
  io.integer("ticks_per_epoch", rules.ticks_per_epoch, 1, kMostEpochs);
  config::scaled(io, "gain_threshold_seconds", rules.gain_threshold, kSeconds, Need::Optional);
  io.real("total_percent", rules.total_percent, 0, 100);
  io.boolean("in_fp32", rules.in_fp32);
}

void pruning_fields(config::MapIo& io, precision::Pruning& rules) {
  io.integer("epochs", rules.epochs, 1, kMostEpochs, Need::Required);
  io.integer("dense_epochs", rules.dense_epochs, 0, kMostEpochs, Need::Required);
  const config::MapReader* const reader = io.reader();
  if (reader && rules.dense_epochs >= rules.epochs) {
    throw reader->error("dense_epochs",
                        fmt::format("must be less than epochs ({}), but is {}", rules.epochs, rules.dense_epochs));
  }
}

void published_fields(config::MapIo& io, Published& published) {
  io.choice("of", published.of, claims(), Need::Required);
  io.real("value", published.value, 0, kMost, Need::Required);
  io.text("source", published.source, Need::Required);
  io.text("why", published.why);
}

// Keys of a file, except the run and the kernels.
void fields(config::MapIo& io, TrainConfig& train) {
  config::experiment_fields(io);
  io.mention("kernels", [] { return config::schema::map_of(config::schema::file("kernel")); });
  io.text("name", train.name);
  io.text("title", train.title);
  io.choice("policy", train.policy, policies(), Need::Required);
  io.ascending_list("switch_epochs", train.rules.switch_epochs, config::form::integer(1, kMostEpochs));
  io.value("diversities", train.diversities, config::form::path());
  io.value("errors", train.errors, config::form::path());
  io.choice("time", train.counted, counted_names());
  if (io.reader() || !train.pruning) {
    io.integer("fp32_alone_epochs", train.fp32_alone_epochs, 1, kMostEpochs);
    io.map("muppet", Need::Optional, [&](config::MapIo& sub) { muppet_fields(sub, train.rules.muppet); });
    io.map("gm", Need::Optional, [&](config::MapIo& sub) { gm_fields(sub, train.rules.gm); });
  }
  io.optional_map("pruning", train.pruning,
                  [](config::MapIo& sub, precision::Pruning& pruning) { pruning_fields(sub, pruning); });
  io.map_list("published", Need::Optional, train.published,
              [](config::MapIo& sub, Published& each) { published_fields(sub, each); });
}

// Checks the keys of a training that prunes. Throws InputError.
void check_pruning(const config::MapReader& reader, const Node& file) {
  if (!file.find("pruning")) throw reader.error("policy", "pruning needs the key pruning: {epochs, dense_epochs}");
  for (const char* key : {"switch_epochs", "diversities", "errors", "muppet", "gm", "fp32_alone_epochs", "kernels"}) {
    if (file.find(key)) throw reader.error(key, "is not for policy pruning; remove it");
  }
}

// Checks combinations of keys.
void check(const config::MapReader& reader, const TrainConfig& train) {
  const precision::Replay& rules = train.rules;
  const std::vector<Level>& chosen = rules.muppet.levels;
  if (rules.switch_epochs.empty() == train.diversities.empty() && chosen.size() > 1) {
    throw reader.error(train.diversities.empty() ? "policy" : "diversities",
                       "MuPPET needs exactly one of switch_epochs and diversities (a CSV file of a training)");
  }
  if (!rules.switch_epochs.empty() && rules.switch_epochs.size() + 1 != chosen.size()) {
    throw reader.error("switch_epochs", fmt::format("must have {} epochs: the first epoch of each level after {}",
                                                    chosen.size() - 1, precision::level_name(chosen.front())));
  }
  if (train.gm() == train.errors.empty()) {
    throw reader.error(train.gm() ? "policy" : "errors", train.gm()
                                                             ? "GM needs errors, a CSV file of a training"
                                                             : "are only for policy gm, but the policy is muppet");
  }
  if (!train.gm()) return;
  for (const Level level : chosen) {
    const std::vector<Level>& all = rules.gm.levels;
    if (std::find(all.begin(), all.end(), level) == all.end()) {
      throw reader.error("gm", fmt::format("levels: must contain {}, a level of MuPPET", precision::level_name(level)));
    }
  }
}

std::vector<Level> all_levels(const TrainConfig& train) {
  // MuPPET's levels are a subset of GM's.
  return train.gm() ? train.rules.gm.levels : train.rules.muppet.levels;
}

// Returns the run in the format of a level, on the kernel given for it in `kernels`, if any.
config::RunConfig run_in(const Node& base, Level level, const Node* kernels, const config::Library& library) {
  Node node = base;
  const std::string name = precision::level_name(level);
  const Node* given = kernels ? kernels->find(name) : nullptr;
  const auto lay = [&](const std::string& key, const Node& value) {
    node = config::merge(std::move(node), config::overlay_of(config::FileKind::Run, key, value, library), "");
  };
  if (given) lay("kernel", *given);
  if (level != precision::kFp32 || config::find_path(node, "kernel.format")) {
    Node format = config::scalar_node(name);
    format.place = given ? given->place : base.place;
    lay("kernel.format", format);
  }
  return design::read_run(std::move(node));
}

// The run with its masks, and the same run with all weights. Throws InputError.
std::vector<LevelRun> pruned_and_dense(const Node& base, const config::MapReader& reader) {
  const config::RunConfig pruned = design::read_run(base);
  if (!pruned.sparsity) {
    throw reader.error("policy", "pruning needs a run with sparsity (its masks); such a run is vgg11-deephi");
  }
  config::RunConfig dense = pruned;
  dense.sparsity.reset();
  return {{precision::kPruned, pruned}, {precision::kDense, dense}};
}

void check_kernels(const Node* kernels, const std::vector<Level>& levels) {
  if (!kernels) return;
  std::vector<std::string> names;
  names.reserve(levels.size());
  for (const Level level : levels) names.push_back(precision::level_name(level));
  for (const Node& entry : config::expect_map(*kernels, "kernels").children) {
    if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
      throw config::error_at(entry.place, "kernels",
                             fmt::format("'{}' is not a level; allowed: {}", entry.key, config::join(names)));
    }
  }
}

}  // namespace

const char* to_string(Counted counted) {
  return name_of(counted_names(), counted);
}
const char* to_string(Claim claim) {
  return name_of(claims(), claim);
}

const config::RunConfig& TrainConfig::run(Level level) const {
  return std::find_if(runs.begin(), runs.end(), [&](const LevelRun& each) { return each.level == level; })->run;
}

const char* to_string(Policy policy) {
  return name_of(policies(), policy);
}

std::int64_t TrainConfig::iterations_per_epoch() const {
  return run().iterations_per_epoch();
}

config::Node describe_train() {
  return config::describe_map(TrainConfig{}, [](config::MapIo& io, TrainConfig& each) { fields(io, each); });
}

TrainConfig load_train(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                       const config::Library& library) {
  const config::Experiment experiment =
      config::load_experiment(config::FileKind::Train, name_or_path, overrides, library);
  TrainConfig train;
  config::MapReader reader(experiment.file, "");
  fields(reader, train);
  reader.finish();
  if (train.pruning && train.policy != Policy::Pruning) {
    throw reader.error("pruning", "is for policy pruning only; remove it, or set policy: pruning");
  }
  if (train.policy == Policy::Pruning) {
    check_pruning(reader, experiment.file);
  } else {
    check(reader, train);
  }
  if (experiment.another_network()) train.published.clear();
  const Node* kernels = experiment.file.find("kernels");
  check_kernels(kernels, all_levels(train));
  for (const auto& trace : {train.diversities, train.errors}) {
    if (!trace.empty()) library.note(trace);
  }
  const Node base = experiment.composed_run(library);
  if (train.pruning) {
    train.fp32_alone_epochs = train.pruning->epochs;
    train.runs = pruned_and_dense(base, reader);
    return train;
  }
  for (const Level level : all_levels(train)) train.runs.push_back({level, run_in(base, level, kernels, library)});
  if (train.gm() && train.rules.gm.ticks_per_epoch > train.iterations_per_epoch()) {
    throw reader.error("gm", fmt::format("ticks_per_epoch: {}, but an epoch has {} iterations",
                                         train.rules.gm.ticks_per_epoch, train.iterations_per_epoch()));
  }
  return train;
}

std::string resolved_yaml(const TrainConfig& config) {
  TrainConfig copy = config;
  config::MapWriter writer;
  fields(writer, copy);
  Node node = writer.take();
  node.set("run", config::write_run(config.whole_run()));
  if (config.pruning) return config::to_yaml(node);
  Node kernels = config::map_node();
  for (const LevelRun& each : config.runs) {
    const Node run = config::write_run(each.run);
    if (const Node* kernel = run.find("kernel")) kernels.set(precision::level_name(each.level), *kernel);
  }
  node.set("kernels", kernels);
  return config::to_yaml(node);
}

}  // namespace weft::train
