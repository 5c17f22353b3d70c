#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "platform/dse/result.h"
#include "platform/hardware/cosim/result.h"
#include "platform/hardware/synth/synth_design.h"
#include "platform/iteration/host/profile_result.h"
#include "platform/iteration/timeline/result.h"
#include "platform/iteration/train/result.h"
#include "platform/record/json.h"
#include "platform/run/columns.h"
#include "platform/run/comparison.h"
#include "platform/run/record.h"
#include "platform/studies/cluster/comparison.h"
#include "platform/studies/cluster/results.h"
#include "platform/studies/explain/explanation.h"
#include "platform/studies/sweep/store/rerank.h"
#include "platform/studies/validate/result.h"
#include "tools/show/show.h"

namespace weft::tools {

using Schema = nlohmann::ordered_json;

namespace {

struct CsvLine {
  record::Named<Value> cells;
};
void fields(record::Visitor& io, CsvLine& line) {
  io.words(run::csv_words(), line.cells);
}

template <class Record>
Schema of_record(const char* meaning) {
  return record::json_schema(meaning, Record());
}
template <bool kConvolutions>
Schema of_listing(const char* meaning) {
  return record::json_schema(meaning, sweep::whole_listing(kConvolutions));
}

// Adds kernel parameters of all designs, which the record does not describe.
void describe_kernels(Schema& schema) {
  for (auto& [name, of] : schema.at("properties").items()) {
    if (name == "kernel") {
      of["properties"] = Schema::object();
      for (const record::Word& word : run::kernel_words()) {
        Schema& parameter = of["properties"][word.name] = {{"type", word.type}};
        if (!word.unit.empty()) parameter["unit"] = word.unit;
        parameter["description"] = word.meaning;
      }
      of["required"] = Schema::array();
      of["additionalProperties"] = {{"type", {"integer", "number", "string", "boolean", "array", "object"}},
                                    {"description", "a parameter"},
                                    {"properties", Schema::object()},
                                    {"additionalProperties", {{"type", "string"}, {"description", "a part of it"}}}};
      continue;
    }
    Schema& inner = of.contains("items") ? of.at("items") : of;
    if (inner.contains("properties")) describe_kernels(inner);
  }
}
Schema of_exploration(const char* meaning) {
  Schema schema = of_record<dse::Result>(meaning);
  describe_kernels(schema);
  return schema;
}

struct Kind {
  const char *name, *meaning;  // of the definition
  Schema (*schema)(const char* meaning);
  const char* list = nullptr;  // meaning of the printed list, for kinds that print several
};
constexpr Kind kKinds[] = {
    {"run", "a run (weft run, result.json)", of_record<run::Record>},
    {"convolutions.csv", "a line of convolutions.csv; empty cells are null", of_record<CsvLine>},
    {"timeline", "a training iteration (weft timeline)", of_record<timeline::TimelineResult>},
    {"timeline cluster", "batches in training over boards in a row (weft timeline of a cluster)",
     of_record<cluster::BatchResult>},
    {"plan", "layers over boards in a row, each with an implementation of its own (weft plan)",
     of_record<cluster::NadaResult>},
    {"plan array", "layers and parts of layers over boards in a row (weft plan)", of_record<cluster::ArrayResult>},
    {"train", "a training under a precision policy (weft train)", of_record<train::TrainResult>},
    {"sweep", "a sweep (weft show FILE.db)", of_listing<false>},
    {"sweep convolutions", "a sweep (weft show FILE.db --convolutions)", of_listing<true>},
    {"sweep rerank", "the best points of a sweep on another rung (weft show FILE.db --rerank)",
     of_record<sweep::RerankResult>},
    {"compare", "two results (weft compare)", of_record<run::Comparison>},
    {"compare plans", "two saved plans of one design (weft compare)", of_record<cluster::PlanComparison>},
    {"compare timelines", "two saved timelines (weft compare)", of_record<timeline::TimelineComparison>},
    {"compare validations", "two saved validations (weft compare)", of_record<validate::ValidationComparison>},
    {"explain", "what limits a run (weft explain, result.json of its folder)", of_record<explain::Explanation>},
    {"validate", "one rung against another (weft validate)", of_record<validate::ValidateResult>},
    {"validate link", "the model of a link against its references (weft validate pcie)",
     of_record<validate::LinkResult>},
    {"results", "a result; what it lacks is empty", of_record<ListedResult>,
     "results in a folder, newest first (weft show FOLDER)"},
    {"dse", "an exploration (weft dse, and its result.json)", of_exploration},
    {"dse several", "an exploration (weft dse, and its result.json)", of_exploration,
     "several explorations (weft dse A B)"},
    {"cosim", "RTL against model (weft cosim CONFIG)", of_record<cosim::RunComparisonResult>},
    {"cosim campaign", "random convolutions on random builds (weft cosim --campaign)",
     of_record<cosim::CampaignRecord>},
    {"cosim mutants", "faults put into the RTL (weft cosim --mutants)", of_record<cosim::MutationResult>},
    {"synth", "FPGA resources of a kernel's RTL (weft synth KERNEL)", of_record<synth::SynthResult>},
    {"synth errors", "a kernel with its parameters", of_record<synth::CheckedKernel>,
     "errors of the fit (weft synth --errors)"},
    {"host-profile", "operators measured on this machine (weft host-profile)", of_record<host::ProfileResult>}};

// Key as a line describes it.
struct Line {
  std::string path, type, unit, meaning;
};

std::string type_of(const Schema& schema) {
  const Schema& type = schema.at("type");
  if (type.is_string()) return type.get<std::string>();
  std::string text;
  for (const Schema& each : type) text += (text.empty() ? "" : " or ") + each.get<std::string>();
  return text;
}

// Adds the keys of `schema` at `path`; "[]" is a list element, "*" a name that is not fixed.
void add_lines(const std::string& path, const Schema& schema, std::vector<Line>& lines) {
  lines.push_back({path, type_of(schema), schema.value("unit", ""), schema.at("description").get<std::string>()});
  if (schema.contains("items")) add_lines(path + "[]", schema.at("items"), lines);
  if (!schema.contains("properties")) return;
  for (const auto& [name, of] : schema.at("properties").items()) add_lines(fmt::format("{}.{}", path, name), of, lines);
  const Schema& others = schema.at("additionalProperties");
  if (others.is_object()) add_lines(path + ".*", others, lines);
}

// Two lines per key: names are long, and meanings are sentences.
std::string table(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{}  {}{}\n", line.path, line.type, line.unit.empty() ? "" : ", " + line.unit);
    text += report::wrapped("    " + line.meaning, page_width());
  }
  return text;
}

std::string csv(const std::vector<Line>& lines) {
  using report::csv_field;
  std::string text = "key,type,unit,meaning\n";
  for (const Line& line : lines) {
    text += fmt::format("{},{},{},{}\n", csv_field(line.path), csv_field(line.type), csv_field(line.unit),
                        csv_field(line.meaning));
  }
  return text;
}

}  // namespace

report::Report results_schema() {
  Schema definitions = Schema::object(), any = Schema::array();
  std::vector<Line> lines;
  for (const auto& [name, meaning, schema, list] : kKinds) {
    Schema definition = schema(meaning);
    if (list != nullptr) definition = {{"type", "array"}, {"description", list}, {"items", Schema(definition)}};
    add_lines(name, definition, lines);
    definitions[name] = std::move(definition);
    any.push_back({{"$ref", fmt::format("#/$defs/{}", name)}});
  }
  const Schema json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "JSON of weft; `unit`: unit of a number, 1 for a share or a ratio"},
                    {"anyOf", any},
                    {"$defs", definitions}};
  return {table(lines), json.dump(2) + "\n", csv(lines)};
}

}  // namespace weft::tools
