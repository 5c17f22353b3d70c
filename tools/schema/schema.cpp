#include "tools/schema/schema.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/hardware/cosim/result.h"
#include "platform/hardware/synth/line.h"
#include "platform/iteration/host/profile_result.h"
#include "platform/iteration/timeline/comparison.h"
#include "platform/iteration/train/result.h"
#include "platform/record/json.h"
#include "platform/run/columns.h"
#include "platform/run/comparison.h"
#include "platform/studies/cluster/results.h"
#include "platform/studies/explain/explanation.h"
#include "platform/studies/sweep/store/rerank.h"
#include "platform/studies/validate/link_validation.h"
#include "platform/studies/validate/result.h"
#include "tools/cli/cli.h"
#include "tools/show/list_results.h"

namespace weft::tools {

using schema::Json;

namespace {

Json plan_of_layers() {
  return record::json_schema("layers over boards in a row, each with an implementation of its own (weft plan)",
                             cluster::NadaResult());
}
Json plan_of_parts() {
  return record::json_schema("layers and parts of layers over boards in a row (weft plan)", cluster::ArrayResult());
}
Json batches() {
  return record::json_schema("batches in training over boards in a row (weft timeline of a cluster)",
                             cluster::BatchResult());
}
Json explanation() {
  return record::json_schema("what limits a run (weft explain, result.json of its folder)", explain::Explanation());
}
Json validation() {
  return record::json_schema("one rung against another (weft validate)", validate::ValidateResult());
}
Json validation_of_link() {
  return record::json_schema("the model of a link beside what it is held to (weft validate pcie)",
                             validate::LinkResult());
}
Json iteration() {
  return record::json_schema("a training iteration (weft timeline)", timeline::TimelineResult());
}
Json two_iterations() {
  return record::json_schema("two saved timelines (weft compare)", timeline::TimelineComparison());
}
Json training() {
  return record::json_schema("a training under a precision policy (weft train)", train::TrainResult());
}
Json co_simulation() {
  return record::json_schema("RTL and model side by side (weft cosim CONFIG)", cosim::RunComparisonResult());
}
Json campaign() {
  return record::json_schema("random convolutions on random builds (weft cosim --campaign)", cosim::CampaignRecord());
}
Json mutants() {
  return record::json_schema("faults put into the RTL (weft cosim --mutants)", cosim::MutationResult());
}
Json synthesis() {
  return record::json_schema("what a kernel's RTL takes of an FPGA (weft synth KERNEL)", synth::SynthResult());
}
Json synthesis_errors() {
  return schema::list("how wrong the fit is (weft synth --errors)",
                      record::json_schema("a kernel, with what tells it from the others", synth::CheckedKernel()));
}
Json host_profile() {
  return record::json_schema("operators measured on this machine (weft host-profile)", host::ProfileResult());
}

Json run() {
  return record::json_schema("a run (weft run, result.json)", run::Record());
}
struct CsvLine {
  record::Named<Value> cells;
};
void fields(record::Visitor& io, CsvLine& line) {
  io.words(run::csv_words(), line.cells);
}
Json convolutions_csv() {
  return record::json_schema("a line of convolutions.csv; empty cells are null", CsvLine());
}
Json two_runs() {
  return record::json_schema("two results (weft compare)", run::Comparison());
}
Json results() {
  return schema::list("what lies in a folder, newest first (weft show FOLDER)",
                      record::json_schema("a result; what it has none of is empty", ListedResult()));
}
Json sweep_of_points() {
  return record::json_schema("a sweep (weft show FILE.db)", sweep::whole_listing(false));
}
Json sweep_of_convolutions() {
  return record::json_schema("a sweep (weft show FILE.db --convolutions)", sweep::whole_listing(true));
}
Json sweep_rerank() {
  return record::json_schema("the best points of a sweep on another rung (weft show FILE.db --rerank)",
                             sweep::RerankResult());
}

struct Kind {
  const char* name;  // of its definition
  Json (*schema)();
};
constexpr Kind kKinds[] = {{"run", run},
                           {"convolutions.csv", convolutions_csv},
                           {"timeline", iteration},
                           {"timeline cluster", batches},
                           {"plan", plan_of_layers},
                           {"plan array", plan_of_parts},
                           {"train", training},
                           {"sweep", sweep_of_points},
                           {"sweep convolutions", sweep_of_convolutions},
                           {"sweep rerank", sweep_rerank},
                           {"compare", two_runs},
                           {"compare timelines", two_iterations},
                           {"explain", explanation},
                           {"validate", validation},
                           {"validate link", validation_of_link},
                           {"results", results},
                           {"dse", schema::dse},
                           {"dse several", schema::dse_several},
                           {"cosim", co_simulation},
                           {"cosim campaign", campaign},
                           {"cosim mutants", mutants},
                           {"synth", synthesis},
                           {"synth errors", synthesis_errors},
                           {"host-profile", host_profile}};

// A key as a line says it.
struct Line {
  std::string path, type, unit, meaning;
};

std::string type_of(const Json& schema) {
  const Json& type = schema.at("type");
  if (type.is_string()) return type.get<std::string>();
  std::string text;
  for (const Json& each : type) text += (text.empty() ? "" : " or ") + each.get<std::string>();
  return text;
}

// The keys of `schema`, which stands at `path`; "[]" is an element of a list, "*" a name that is not given here.
void add_lines(const std::string& path, const Json& schema, std::vector<Line>& lines) {
  lines.push_back({path, type_of(schema), schema.value("unit", ""), schema.at("description").get<std::string>()});
  if (schema.contains("items")) add_lines(path + "[]", schema.at("items"), lines);
  if (!schema.contains("properties")) return;
  for (const auto& [name, of] : schema.at("properties").items()) add_lines(fmt::format("{}.{}", path, name), of, lines);
  const Json& others = schema.at("additionalProperties");
  if (others.is_object()) add_lines(path + ".*", others, lines);
}

// Two lines each: names are long, and meanings sentences.
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
  Json definitions = Json::object(), any = Json::array();
  std::vector<Line> lines;
  for (const auto& [name, schema] : kKinds) {
    Json definition = schema();
    add_lines(name, definition, lines);
    definitions[name] = std::move(definition);
    any.push_back({{"$ref", fmt::format("#/$defs/{}", name)}});
  }
  const Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                  {"title", "what weft prints as JSON; `unit`: of a number, 1 for a share or a ratio"},
                  {"anyOf", any},
                  {"$defs", definitions}};
  return {table(lines), json.dump(2) + "\n", csv(lines)};
}

}  // namespace weft::tools
