#include "platform/studies/explain/explanation.h"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/core/error.h"

namespace weft::explain {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kSchema = 1;

constexpr std::array<std::pair<Ending, const char*>, 5> kEndings{{{Ending::AsIs, "as_is"},
                                                                  {Ending::Kept, "kept"},
                                                                  {Ending::NoGain, "no_gain"},
                                                                  {Ending::Slower, "slower"},
                                                                  {Ending::Impossible, "impossible"}}};

Json fields_json() {
  Json json = Json::object();
  for (const auto& [name, unit, meaning] : field_meanings()) json[name] = {{"unit", unit}, {"meaning", meaning}};
  return json;
}

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}
template <class T>
void take(const Json& json, const char* key, std::optional<T>& value) {
  if (json.contains(key)) value = json.at(key).get<T>();
}
void take(const Json& json, const char* key, std::string& value) {
  if (json.contains(key)) value = json.at(key).get<std::string>();
}

Json figures_json(const Figures& f) {
  Json json{{"seconds", f.seconds}};
  put(json, "cycles", f.cycles);
  if (!f.kinds.empty()) json["kinds"] = f.kinds;
  json["shares"] = Json::array();
  for (const Share& share : f.shares) json["shares"].push_back({{"name", share.name}, {"of_time", share.of_time}});
  put(json, "array_utilisation", f.utilisation);
  put(json, "stall_share", f.stall_share);
  put(json, "ddr_efficiency", f.ddr_efficiency);
  put(json, "do_not_fit", f.do_not_fit);
  json["kernel"] = f.kernel;
  json["memory"] = f.memory;
  return json;
}

Figures read_figures(const Json& json) {
  Figures f;
  f.seconds = json.at("seconds").get<double>();
  take(json, "cycles", f.cycles);
  if (json.contains("kinds")) f.kinds = json.at("kinds").get<std::map<std::string, Cycles>>();
  for (const Json& share : json.at("shares")) {
    f.shares.push_back({share.at("name").get<std::string>(), share.at("of_time").get<double>()});
  }
  take(json, "array_utilisation", f.utilisation);
  take(json, "stall_share", f.stall_share);
  take(json, "ddr_efficiency", f.ddr_efficiency);
  take(json, "do_not_fit", f.do_not_fit);
  f.kernel = json.at("kernel").get<std::string>();
  f.memory = json.at("memory").get<std::string>();
  return f;
}

Json line_json(const Line& line) {
  Json json{{"ending", to_string(line.ending)}};
  if (line.ending == Ending::AsIs || line.ending == Ending::Kept) json["step"] = line.step;
  if (!line.change.empty()) json["change"] = line.change;
  if (!line.why_not.empty()) json["why_not"] = line.why_not;
  if (line.figures) json.update(figures_json(*line.figures));
  put(json, "gain", line.gain);
  put(json, "alone", line.alone);
  put(json, "last", line.last);
  if (!line.config.empty()) json["config"] = line.config;
  return json;
}

Line read_line(const Json& json) {
  Line line;
  const auto ending = json.at("ending").get<std::string>();
  for (const auto& [value, name] : kEndings) {
    if (ending == name) line.ending = value;
  }
  if (json.contains("step")) line.step = json.at("step").get<int>();
  take(json, "change", line.change);
  take(json, "why_not", line.why_not);
  if (json.contains("seconds")) line.figures = read_figures(json);
  take(json, "gain", line.gain);
  take(json, "alone", line.alone);
  take(json, "last", line.last);
  take(json, "config", line.config);
  return line;
}

Json ladder_json(const LadderLines& ladder) {
  Json json = Json::object();
  json["lines"] = Json::array();
  for (const Line& line : ladder.lines) json["lines"].push_back(line_json(line));
  json["bounds"] = Json::array();
  for (const Bound& bound : ladder.bounds) {
    json["bounds"].push_back(
        {{"name", bound.name}, {"of", bound.of}, {"cycles", bound.cycles}, {"seconds", bound.seconds}});
  }
  json["sentences"] = ladder.sentences;
  return json;
}

LadderLines read_ladder(const Json& json) {
  LadderLines ladder;
  for (const Json& line : json.at("lines")) ladder.lines.push_back(read_line(line));
  for (const Json& bound : json.at("bounds")) {
    ladder.bounds.push_back({bound.at("name").get<std::string>(), bound.at("of").get<std::string>(),
                             bound.at("cycles").get<Cycles>(), bound.at("seconds").get<double>()});
  }
  ladder.sentences = json.at("sentences").get<std::vector<std::string>>();
  return ladder;
}

}  // namespace

const std::vector<FieldMeaning>& field_meanings() {
  static const std::vector<FieldMeaning> fields{
      {"batch", "images", "of an iteration of the run"},
      {"search_batch", "images", "at which the order of the changes was looked for, and alone and last were found"},
      {"changes", "",
       "what was tried: name, meaning, and the caveat of what cannot be had for what it takes of the board"},
      {"kernels", "", "the ladder of the convolutions"},
      {"iteration", "", "the ladder of the training iteration; where there is none, why_not says why"},
      {"ending", "", "as_is, kept, no_gain, slower or impossible (why_not says why)"},
      {"step", "1", "place on the ladder, 0 as the run is"},
      {"seconds", "s", "of all convolutions, or of the iteration"},
      {"shares", "1", "of the seconds: convolutions by the block that limits them, or what the iteration is made of"},
      {"cycles", "cycles", "kernel cycles of all convolutions, at the clock of this line's kernel"},
      {"kinds", "cycles", "the same of F, GI and GW"},
      {"array_utilisation", "1", "useful multiply-accumulates over what the kernel could have done"},
      {"stall_share", "1", "cycles in which the compute block did not advance"},
      {"ddr_efficiency", "1", "bytes moved over what the channels in use could move"},
      {"do_not_fit", "convolutions", "whose kernels do not fit the board"},
      {"kernel", "", "what the kernel is on this line"},
      {"memory", "", "what the memory is on this line"},
      {"gain", "1", "share of the time before it that the change saves"},
      {"alone", "1", "share of the time of the run as it is that the change saves by itself"},
      {"last", "1",
       "share of the time that it saves as the last of all kept changes; of one that is not kept, behind all of them"},
      {"config", "", "the file in this folder that is the run of this line; its cycles are those of weft run"},
      {"bounds", "", "what no run takes less than: cycles, and seconds"},
      {"sentences", "", "what limits it; what to change first; what limits it then"}};
  return fields;
}

const char* to_string(Ending ending) {
  return kEndings.at(static_cast<std::size_t>(ending)).second;
}

Json to_json(const Explanation& e) {
  Json json{{"schema", kSchema},
            {"explained", e.run},
            {"network", e.network},
            {"board", e.board},
            {"kernel", e.kernel},
            {"batch", e.batch},
            {"search_batch", e.search_batch},
            {"rung", e.rung},
            {"convolutions", e.convolutions}};
  json["changes"] = Json::array();
  for (const Change& change : e.changes) {
    json["changes"].push_back({{"name", change.name}, {"meaning", change.meaning}, {"caveat", change.caveat}});
  }
  json["kernels"] = ladder_json(e.kernels);
  json["iteration"] = ladder_json(e.iteration);
  if (!e.no_iteration.empty()) json["iteration"]["why_not"] = e.no_iteration;
  json["work"] = {{"convolutions", e.asked}, {"simulated", e.simulated}};
  json["fields"] = fields_json();
  return json;
}

bool is_explanation(const Json& json) {
  return json.is_object() && json.contains("explained");
}

Explanation from_json(const Json& json) {
  try {
    Explanation e;
    const int schema = json.at("schema").get<int>();
    if (schema != kSchema) throw Error(fmt::format("has schema {}, not {}", schema, kSchema));
    e.run = json.at("explained").get<std::string>();
    e.network = json.at("network").get<std::string>();
    e.board = json.at("board").get<std::string>();
    e.kernel = json.at("kernel").get<std::string>();
    e.batch = json.at("batch").get<int>();
    e.search_batch = json.at("search_batch").get<int>();
    e.rung = json.at("rung").get<std::string>();
    e.convolutions = json.at("convolutions").get<std::int64_t>();
    for (const Json& change : json.at("changes")) {
      e.changes.push_back({change.at("name").get<std::string>(), change.at("meaning").get<std::string>(),
                           change.at("caveat").get<std::string>()});
    }
    e.kernels = read_ladder(json.at("kernels"));
    e.iteration = read_ladder(json.at("iteration"));
    take(json.at("iteration"), "why_not", e.no_iteration);
    e.asked = json.at("work").at("convolutions").get<std::int64_t>();
    e.simulated = json.at("work").at("simulated").get<std::int64_t>();
    return e;
  } catch (const Json::exception& error) {
    throw Error(fmt::format("is not as weft explain writes it ({})", error.what()));
  }
}

}  // namespace weft::explain
