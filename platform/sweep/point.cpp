#include "platform/sweep/point.h"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "model/core/error.h"
#include "platform/design/value_json.h"
#include "platform/run/simulate.h"
#include "platform/sweep/fields.h"

namespace weft::sweep {

namespace {

using nlohmann::json;

json list_of(const std::vector<Value>& values) {
  json list = json::array();
  for (const Value& value : values) list.push_back(json_of<json>(value));
  return list;
}

std::vector<Value> values_of(const json& list) {
  std::vector<Value> values;
  values.reserve(list.size());
  for (const json& each : list) values.push_back(value_of(each));
  return values;
}

}  // namespace

const workloads::Network& PointRunner::network(const config::RunConfig& run) {
  std::string name;
  if (const auto* named = std::get_if<config::NamedNetwork>(&run.workload)) name = named->name;
  if (const auto* onnx = std::get_if<config::OnnxNetwork>(&run.workload)) name = onnx->path.string();
  if (name.empty()) networks_.clear();  // layers given in the run are no file's
  const std::tuple<std::string, int, bool> key{name, run.batch, run.lower_fc};
  const auto found = networks_.find(key);
  if (found != networks_.end()) return found->second;
  return networks_.emplace(key, load_(run)).first->second;
}

// A sweep of other things does not fail for want of an iteration, but says why there is none.
PointIteration PointRunner::iteration(const run::Result& result) const {
  if (!iteration_) return {};
  try {
    return {iteration_(result), ""};
  } catch (const Error& error) {
    if (definition_->varies_iteration()) throw;
    return {std::nullopt, error.what()};
  }
}

Outcome PointRunner::run(std::int64_t point) {
  Outcome outcome;
  outcome.point = point;
  const auto start = std::chrono::steady_clock::now();
  try {
    config::RunConfig run = definition_->run(point);
    outcome.config = config::resolved_yaml(run);
    run.workers = 1;  // the points are what runs in parallel
    const run::Result result = run::simulate(run, network(run), {});
    outcome.fields = point_values(result, iteration(result));
    outcome.rows = convolution_values(result);
  } catch (const Deadlock& error) {
    outcome.error = fmt::format("deadlock: {}", error.what());
  } catch (const Error& error) {
    outcome.error = error.what();
  } catch (const std::exception& error) {
    outcome.error = fmt::format("internal error: {}", error.what());
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

std::string encode(const Outcome& outcome) {
  json rows = json::array();
  for (const auto& row : outcome.rows) rows.push_back(list_of(row));
  const json all = json::array(
      {outcome.point, outcome.error, outcome.config, list_of(outcome.fields), std::move(rows), outcome.seconds});
  std::string bytes;
  json::to_msgpack(all, bytes);
  return bytes;
}

Outcome decode(const std::string& bytes) {
  const json all = json::from_msgpack(bytes);
  Outcome outcome;
  outcome.point = all.at(0).get<std::int64_t>();
  outcome.error = all.at(1).get<std::string>();
  outcome.config = all.at(2).get<std::string>();
  outcome.fields = values_of(all.at(3));
  for (const json& row : all.at(4)) outcome.rows.push_back(values_of(row));
  outcome.seconds = all.at(5).get<double>();
  return outcome;
}

}  // namespace weft::sweep
