#include "tools/load_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "platform/design/designs.h"
#include "platform/design/load.h"
#include "platform/os/content.h"
#include "platform/run/simulate.h"
#include "tools/cli.h"
#include "tools/interrupted_run.h"
#include "tools/network.h"
#include "tools/report.h"
#include "tools/result_dir.h"
#include "tools/result_kind.h"
#include "tools/saved_value.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

constexpr int kPeCyclesSchema = 3;  // the first with the PE-cycles

nlohmann::json read_json(const fs::path& path) {
  nlohmann::json json = nlohmann::json::parse(os::content(path), nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw InputError(path.string(), 0, "", "is not a result of weft run");
  return json;
}

int schema_of(const nlohmann::json& json, const fs::path& path) {
  const auto schema = json.find("schema");
  if (schema == json.end() || !schema->is_number_integer() || *schema < 1 || *schema > kResultSchema) {
    throw InputError(path.string(), 0, "schema",
                     fmt::format("must be from 1 to {}, not {}; a later one needs a later weft", kResultSchema,
                                 schema == json.end() ? "missing" : schema->dump()));
  }
  return schema->get<int>();
}

// What each launch of a result may take, so that all of them together can be counted in picoseconds.
Cycles most_cycles(const run::Result& result) {
  std::int64_t launches = 0;
  for (const design::Row& row : result.rows) launches += static_cast<std::int64_t>(row.units.size());
  constexpr std::int64_t kMostUs = (std::int64_t{1} << 61) / 1'000'000;
  const Frequency clock = result.config.kernel->clock;
  __extension__ using Wide = unsigned __int128;
  const Wide cycles = static_cast<Wide>(kMostUs) * static_cast<Wide>(clock.numerator()) /
                      static_cast<Wide>(clock.denominator()) / static_cast<Wide>(std::max<std::int64_t>(launches, 1));
  return static_cast<Cycles>(std::min<Wide>(cycles, static_cast<Wide>(1) << 61));
}

void read_units(design::Row& row, const SavedValue& json, Cycles most) {
  const Cycles all = row.cycles + row.drain_cycles;
  if (!json.has("launch_cycles")) {
    if (row.units.size() != 1) {
      throw json.error(fmt::format("has no 'launch_cycles' of its {} launches", row.units.size()));
    }
    if (all > most) throw json.at("cycles").error(fmt::format("must be at most {}, not {}", most, all));
    row.units.front().cycles = all;
    return;
  }
  const std::vector<SavedValue> cycles = json.at("launch_cycles").items();
  if (cycles.size() != row.units.size()) {
    throw json.at("launch_cycles").error(fmt::format("has {} launches, not {}", cycles.size(), row.units.size()));
  }
  Cycles sum = 0;
  for (std::size_t unit = 0; unit < cycles.size(); ++unit) sum += row.units[unit].cycles = cycles[unit].count(most);
  if (sum != all) {
    throw json.at("launch_cycles").error(fmt::format("come to {}, but 'cycles' and 'drain_cycles' to {}", sum, all));
  }
}

void read_account(engine::ExactAccount& account, const SavedValue& json) {
  account.simulated = json.at("simulated_cycles").count();
  account.walked = json.at("walked_cycles").count();
  account.stretches = json.at("stretches").count();
  account.verified = json.at("verified_stretches").count();
}

// What a simulation found of a row.
void read_row(design::Row& row, const SavedValue& json, const Topology& topology, config::Rung rung, Cycles most,
              int schema) {
  row.cycles = json.at("cycles").count();
  row.limiter = json.at("limiter").as<std::string>();
  row.drain_cycles = json.has("drain_cycles") ? json.at("drain_cycles").count() : 0;
  row.skipped_cycles = json.at("skipped_cycles").count();
  row.repeats = json.has("repeats") && json.at("repeats").as<bool>();
  read_units(row, json, most);
  for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
    const SavedValue counts = json.at("blocks").at(topology.blocks[block].name);
    for (std::size_t i = 0; i < kActivityNames.size(); ++i) {
      row.blocks[block].cycles[i] = counts.at(kActivityNames[i]).count();
    }
  }
  for (std::size_t port = 0; port < topology.ports.size(); ++port) {
    const SavedValue counts = json.at("memory").at(topology.ports[port].name);
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      row.ports[port].*field.count = counts.at(field.name).count();
    }
  }
  row.pe_cycles.clear();
  if (schema >= kPeCyclesSchema && !topology.pe_classes.empty()) {
    const SavedValue counts = json.at("pe_cycles");
    for (const PeClassInfo& each : topology.pe_classes) row.pe_cycles.emplace_back(counts.at(each.name).count());
  }
  if (rung == config::Rung::Exact) read_account(row.account, json.at("exact"));
  if (!json.has("data")) return;
  row.data.emplace();
  row.data->digest = std::stoull(json.at("data").at("out_digest").as<std::string>(), nullptr, 16);
  row.data->largest_error = json.at("data").at("largest_error").as<double>();
  if (json.at("data").has("overflows")) row.data->overflows = json.at("data").at("overflows").as<std::int64_t>();
}

}  // namespace

run::Result load_result(const fs::path& folder) {
  if (is_interrupted(folder)) {
    throw Error(fmt::format("'{}' is of a run that was interrupted: {}", folder.string(), interrupted_text(folder)));
  }
  if (!is_result(folder)) throw Error(fmt::format("'{}' is not a directory of results of weft run", folder.string()));
  if (const ResultKind kind = saved_kind(folder); kind != ResultKind::Run) {
    const std::string runs = kind == ResultKind::Explain
                                 ? fmt::format("; the runs of its steps are files in it: weft run {}",
                                               (folder / "step-00-as_is.yaml").string())
                                 : "";
    throw Error(fmt::format("'{}' is a result of weft {}, not of weft run{}", folder.string(), to_string(kind), runs));
  }
  const config::RunConfig made = design::load_run((folder / kResultConfig).string(), {}, project_library());
  run::Result result = run::prepare(made, load_network(made, project_library()));
  const fs::path path = folder / kResultJson;
  const nlohmann::json json = read_json(path);
  const int schema = schema_of(json, path);
  try {
    const std::string file = path.string();
    std::map<std::tuple<std::string, std::string, bool>, SavedValue> known;
    for (const SavedValue& each : SavedValue(file, "convolutions", json.at("convolutions")).items()) {
      known.emplace(std::tuple(each.at("layer").as<std::string>(), each.at("kind").as<std::string>(),
                               each.at("fully_connected").as<bool>()),
                    each);
    }
    const Cycles most = most_cycles(result);
    if (known.size() != result.rows.size()) {
      throw Error(fmt::format("has {} convolutions, not {}", known.size(), result.rows.size()));
    }
    for (design::Row& row : result.rows) {
      const auto found = known.find({row.layer.name, conv::to_string(row.kind), row.fully_connected});
      if (found == known.end()) {
        throw Error(fmt::format("has no '{}', {}", row.layer.name, conv::to_string(row.kind)));
      }
      if (made.rung == config::Rung::Analytical) continue;  // the equations are here
      read_row(row, found->second, design::design_of(made).topology(), made.rung, most, schema);
    }
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(path.string(), 0, "convolutions", error.what());
  } catch (const std::exception& error) {  // of the JSON, or of a digest
    throw InputError(path.string(), 0, "convolutions", fmt::format("is not as weft run writes it ({})", error.what()));
  }
  return result;
}

}  // namespace weft::tools
