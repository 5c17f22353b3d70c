#include "tools/load_result.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "model/core/error.h"
#include "platform/design/designs.h"
#include "platform/design/load.h"
#include "platform/os/content.h"
#include "platform/run/simulate.h"
#include "tools/cli.h"
#include "tools/network.h"
#include "tools/result_dir.h"

namespace weft::tools {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

Json read_json(const fs::path& path) {
  Json json = Json::parse(os::content(path), nullptr, false);
  if (json.is_discarded() || !json.is_object()) throw InputError(path.string(), 0, "", "is not a result of weft run");
  return json;
}

void read_units(design::Row& row, const Json& json) {
  const auto cycles = json.contains("launch_cycles") ? json.at("launch_cycles").get<std::vector<Cycles>>()
                                                     : std::vector<Cycles>{row.cycles + row.drain_cycles};
  if (cycles.size() != row.units.size()) {
    throw Error(fmt::format("has {} launches of '{}', {}, not {}", cycles.size(), row.layer.name,
                            conv::to_string(row.kind), row.units.size()));
  }
  for (std::size_t unit = 0; unit < cycles.size(); ++unit) row.units[unit].cycles = cycles[unit];
}

void read_account(engine::ExactAccount& account, const Json& json) {
  json.at("simulated_cycles").get_to(account.simulated);
  json.at("walked_cycles").get_to(account.walked);
  json.at("learnt_cycles").get_to(account.learnt);
  json.at("stretches").get_to(account.stretches);
  json.at("distinct_stretches").get_to(account.distinct);
  json.at("memory_steps").get_to(account.memory_steps);
  json.at("verified_stretches").get_to(account.verified);
  json.at("memo_bytes").get_to(account.memo_bytes);
}

// What a simulation found of a row.
void read_row(design::Row& row, const Json& json, const Topology& topology, config::Rung rung) {
  json.at("cycles").get_to(row.cycles);
  json.at("limiter").get_to(row.limiter);
  row.drain_cycles = json.value("drain_cycles", Cycles{0});
  json.at("skipped_cycles").get_to(row.skipped_cycles);
  row.repeats = json.value("repeats", false);
  read_units(row, json);
  for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
    const Json& counts = json.at("blocks").at(topology.blocks[block].name);
    for (std::size_t i = 0; i < kActivityNames.size(); ++i) {
      counts.at(kActivityNames[i]).get_to(row.blocks[block].cycles[i]);
    }
  }
  for (std::size_t port = 0; port < topology.ports.size(); ++port) {
    const Json& counts = json.at("memory").at(topology.ports[port].name);
    for (const memory::PortStats::Field& field : memory::PortStats::fields()) {
      counts.at(field.name).get_to(row.ports[port].*field.count);
    }
  }
  if (rung == config::Rung::Exact) read_account(row.account, json.at("exact"));
  if (!json.contains("data")) return;
  row.data.emplace();
  row.data->digest = std::stoull(json.at("data").at("out_digest").get<std::string>(), nullptr, 16);
  json.at("data").at("largest_error").get_to(row.data->largest_error);
}

}  // namespace

run::Result load_result(const fs::path& folder) {
  if (!is_result(folder)) throw Error(fmt::format("'{}' is not a directory of results of weft run", folder.string()));
  const config::RunConfig made = design::load_run((folder / kResultConfig).string(), {}, project_library());
  run::Result result = run::prepare(made, load_network(made, project_library()));
  const fs::path path = folder / kResultJson;
  const Json json = read_json(path);
  try {
    std::map<std::tuple<std::string, std::string, bool>, const Json*> known;
    for (const Json& each : json.at("convolutions")) {
      known[{each.at("layer").get<std::string>(), each.at("kind").get<std::string>(),
             each.at("fully_connected").get<bool>()}] = &each;
    }
    if (known.size() != result.rows.size()) {
      throw Error(fmt::format("has {} convolutions, not {}", known.size(), result.rows.size()));
    }
    for (design::Row& row : result.rows) {
      const auto found = known.find({row.layer.name, conv::to_string(row.kind), row.fully_connected});
      if (found == known.end()) {
        throw Error(fmt::format("has no '{}', {}", row.layer.name, conv::to_string(row.kind)));
      }
      if (made.rung == config::Rung::Analytical) continue;  // the equations are here
      read_row(row, *found->second, design::design_of(made).topology(), made.rung);
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
