#include "platform/designs/fpgpt/dse/dse_config.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "platform/config/model_config.h"
#include "platform/config/reader.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/dse/config_fields.h"

namespace weft::fpgpt::exploration {

using config::Need;
using config::Node;
using fpgpt::dse::MergeReading;
using fpgpt::dse::PenaltyLimit;
using fpgpt::dse::StopReading;
using fpgpt::dse::StorageChoice;
using fpgpt::dse::ZChoice;

namespace {

using weft::dse::kLargestBudget;
constexpr double kMilli = 1000;

const config::Names<ZChoice>& z_choices() {
  static const config::Names<ZChoice> names{{"searched", ZChoice::Searched}, {"fitted", ZChoice::Fitted}};
  return names;
}
const config::Names<StorageChoice>& storage_choices() {
  static const config::Names<StorageChoice> names{{"searched", StorageChoice::Searched},
                                                  {"kernel", StorageChoice::Fixed}};
  return names;
}
const config::Names<MergeReading>& merge_readings() {
  static const config::Names<MergeReading> names{{"refitted", MergeReading::Refitted},
                                                 {"printed", MergeReading::Printed}};
  return names;
}
const config::Names<StopReading>& stop_readings() {
  static const config::Names<StopReading> names{{"exhausted", StopReading::Exhausted},
                                                {"printed", StopReading::Printed}};
  return names;
}

PenaltyLimit read_penalty(const Node& node, const std::string& key) {
  const double percent = config::read_real(node, key, 0, 100);
  const double milli = percent * kMilli;
  if (std::fabs(milli - std::round(milli)) > 1e-6) {
    throw config::error_at(node.place, key, fmt::format("must have at most three decimals, not {}", percent));
  }
  return {std::llround(milli)};
}

std::vector<std::string> reading_keys() {
  std::vector<std::string> keys;
  for (const fpgpt::ReadingDescriptor& one : fpgpt::reading_table()) keys.push_back(one.key);
  keys.emplace_back("none");
  return keys;
}

void compared_field(config::MapIo& io, const fpgpt::ReadingDescriptor*& compared) {
  io.custom(
      "compare_reading", Need::Optional,
      [&](const Node& node, const std::string& key) {
        const std::vector<std::string> known = reading_keys();
        const std::size_t chosen = config::read_choice(node, key, known);
        compared = chosen + 1 < known.size() ? &fpgpt::reading_table()[chosen] : nullptr;
      },
      [&]() -> std::optional<Node> {
        if (!compared) return std::nullopt;
        return config::scalar_node(compared->key);
      },
      [] { return config::schema::choice(reading_keys()); });
}

void space_fields(config::MapIo& io, fpgpt::dse::Space& space) {
  io.integer("max_x", space.max_x, 1, config::kIntMax);
  io.integer("max_y", space.max_y, 1, config::kIntMax);
  io.integer("min_pes", space.min_pes, 1, kLargestBudget);
  io.integer("max_pes", space.max_pes, 1, std::numeric_limits<std::int64_t>::max());
  io.choice("z", space.z, z_choices());
  io.choice("storage", space.storage, storage_choices());
  if (const config::MapReader* const reader = io.reader()) {
    if (space.min_pes > space.max_pes) {
      throw reader->clash("min_pes", {"max_pes"},
                          fmt::format("must be at most max_pes = {}, but is {}", space.max_pes, space.min_pes));
    }
  }
}

// Keys of the rerank in the file; changes of the run are read by the run's own rules.
struct RerankKeys {
  int count = 0;
  std::optional<Node> rung, batch, only;
};

void fields(config::MapIo& io, RerankKeys& rerank) {
  io.integer("count", rerank.count, 0, 1000);
  const auto keep = [&](const char* key, std::optional<Node>& value, const config::MapIo::Shape& shape) {
    io.custom(
        key, Need::Optional, [&](const Node& node, const std::string&) { value = node; }, [&] { return value; }, shape);
  };
  keep("rung", rerank.rung, [] { return config::schema::choice({"exact", "systemc"}); });
  keep("batch", rerank.batch, [] { return config::schema::integer(1, config::kIntMax); });
  keep("only", rerank.only, config::schema::text);
}

void fields(config::MapIo& io, DseConfig& dse, RerankKeys& rerank) {
  config::experiment_fields(io);
  io.text("name", dse.name);
  io.text("title", dse.title);
  weft::dse::budget_fields(io, dse.budget);
  io.map("space", Need::Optional, [&](config::MapIo& sub) { space_fields(sub, dse.space); });
  io.ascending_list("penalties_percent", dse.penalties,
                    {read_penalty, [](PenaltyLimit limit) { return config::scalar_node(percent_text(limit)); },
                     [] { return config::schema::number(0, 100); }});
  io.map("sharing", Need::Optional, [&](config::MapIo& sub) {
    sub.choice("merge", dse.sharing.merge, merge_readings());
    sub.choice("stop", dse.sharing.stop, stop_readings());
    sub.boolean("minimum", dse.minimum);
  });
  compared_field(io, dse.compared_reading);
  io.map("rerank", Need::Optional, [&](config::MapIo& sub) { fields(sub, rerank); });
  io.map("published", Need::Optional, [&](config::MapIo& sub) {
    sub.value("kernels", dse.published.kernels, config::form::integer<std::int64_t>(1, kLargestBudget));
    sub.value("epoch_hours", dse.published.epoch_hours, config::form::real(0, 1e12));
    sub.text("source", dse.published.source);
  });
}

// Default rung on which kernels are simulated.
constexpr const char* kDefaultRung = "exact";

RerankConfig read_rerank(const RerankKeys& keys, Node run, const config::Library& library) {
  const auto lay = [&](const char* key, const std::optional<Node>& value) {
    if (!value) return;
    run = config::merge(std::move(run), config::overlay_of(config::FileKind::Run, key, *value, library), "");
  };
  Node rung = keys.rung.value_or(config::scalar_node(kDefaultRung));
  rung.key = "rung";
  lay("rung", rung);
  lay("batch", keys.batch);
  lay("only", keys.only);
  RerankConfig rerank;
  rerank.count = keys.count;
  rerank.run = config::read_run(run, KernelConfig::read);
  if (rerank.run.rung == config::Rung::Analytical) {
    throw config::error_at(rung.place, "rerank.rung",
                           "must not be analytical, the rung of the ranking; allowed: exact, systemc");
  }
  rerank.run.mode = config::Mode::Timing;
  if (rerank.count > 0) config::require_simulated_memory(rerank.run);
  return rerank;
}

// Reports an error at `key` where the exploration or its run gives it, else at the exploration's own `entry`.
InputError error_of(const Node& root, const std::string& key, const config::MapReader& reader, const char* entry,
                    const std::string& message) {
  const Node* const node = config::find_path(root, key);
  return node ? config::error_at(node->place, key, message) : reader.error(entry, key + " " + message);
}

void check(const DseConfig& dse, const Node& file, const Node& run, const config::MapReader& reader) {
  if (KernelConfig::of(dse.run).variant != VariantChoice::Auto) {
    throw error_of(run, "kernel.variant", reader, "run",
                   "must be auto: an exploration finds kernels for F and GI, and for GW");
  }
  if (dse.budget.dsp < fpgpt::dsp_per_pe(alpha_of(KernelConfig::of(dse.run)).format)) {
    throw error_of(file, "budget.dsp", reader, "budget",
                   fmt::format("{} DSPs are too few for one PE: raise the budget", dse.budget.dsp));
  }
  if (dse.readings.resources != fpgpt::reading::Resources::Thesis) {
    throw error_of(run, "readings.resources", reader, "run",
                   "must be thesis: the budget of an exploration is in DSPs, BRAM18 and URAM");
  }
  if (KernelConfig::of(dse.run).split_by == Split::Filters &&
      dse.readings.out_storage == fpgpt::reading::OutStorage::Tensor) {
    throw error_of(
        run, "readings.out_storage", reader, "run",
        "must be group with kernel.split_by: filters: with tensor, OUT shrinks with the parts, which out_words "
        "of a kernel does not say");
  }
  if (dse.minimum && !dse.penalties.empty() && dse.readings.k_range == fpgpt::reading::KRange::Group) {
    throw error_of(run, "readings.k_range", reader, "sharing",
                   "the fewest kernels cannot be found with 'group'; set sharing.minimum: false");
  }
}

}  // namespace

std::string percent_text(fpgpt::dse::PenaltyLimit limit) {
  return fmt::format("{}", static_cast<double>(limit.milli_percent) / kMilli);
}

Node describe_dse() {
  DseConfig dse;
  dse.budget = weft::dse::kBudgetOfBoard;
  return config::describe_map(std::move(dse), [](config::MapIo& io, DseConfig& each) {
    RerankKeys rerank;
    fields(io, each, rerank);
  });
}

DseConfig read_dse(const config::Experiment& experiment, const config::Library& library) {
  // Its own keys first: a misspelt one is reported before errors of the run.
  DseConfig dse;
  dse.budget = weft::dse::kBudgetOfBoard;
  RerankKeys rerank;
  config::MapReader reader(experiment.file, "");
  fields(reader, dse, rerank);
  reader.finish();
  if (experiment.another_network()) dse.published = {};

  const Node run = experiment.composed_run(library);
  dse.run = config::read_run(run, KernelConfig::read);
  dse.budget = weft::dse::completed(dse.budget, dse.run.board);
  dse.readings = readings_of(dse.run);
  dse.rerank = read_rerank(rerank, run, library);
  check(dse, experiment.file, run, reader);
  return dse;
}

std::string resolved_yaml(const DseConfig& config) {
  DseConfig copy = config;
  RerankKeys rerank;
  rerank.count = config.rerank.count;
  const Node simulated = config::write_run(config.rerank.run);
  const auto take = [&](const char* key, std::optional<Node>& value) {
    if (const Node* node = simulated.find(key)) value = *node;
  };
  take("rung", rerank.rung);
  take("batch", rerank.batch);
  take("only", rerank.only);
  config::MapWriter writer;
  fields(writer, copy, rerank);
  Node node = writer.take();
  node.set("run", config::write_run(config.run));
  return config::to_yaml(node);
}

}  // namespace weft::fpgpt::exploration
