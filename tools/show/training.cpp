#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "model/core/text.h"
#include "platform/iteration/training/trained_network.h"
#include "tools/cli/options.h"
#include "tools/show/show.h"
#include "workloads/graph/dependencies.h"
#include "workloads/graph/training_graph.h"

namespace weft::tools {

using report::csv_field;
using report::trimmed;

using namespace weft::workloads;

namespace {

struct Sum {
  std::size_t operators = 0;
  double flops = 0, read = 0, written = 0;
};

class Formatter {
 public:
  Formatter(const training::TrainedNetwork& network, const Graph& graph)
      : network_(network), graph_(graph), dependencies_(graph), peak_(peak_memory(graph, given_order(graph))) {}

  Report report() const { return {table(), json(), csv()}; }

 private:
  std::string peak_at() const { return graph_.operators.empty() ? "" : label(graph_.operators[peak_.position]); }

  std::string table() const {
    std::string out = fmt::format("training {}: {} operators at batch {}, {} bytes a word\n", graph_.name,
                                  graph_.operators.size(), graph_.batch, graph_.word_bytes);
    if (network_.restoration) out += fmt::format("  source     {}\n", network_.restoration->source);
    for (const std::string& note : network_.notes) out += fmt::format("  note       {}\n", note);
    out += fmt::format("  memory     {} bytes at most, at {}\n\n", thousands(peak_.bytes), peak_at());
    report::FittedTable operators({{"operator"},
                                   {"direction", false, 9, 1},
                                   {"class", false, 15},
                                   {"operations", true, 18},
                                   {"bytes read", true, 17, 2},
                                   {"bytes written", true, 17, 3},
                                   {"problem"}});
    std::map<std::pair<Direction, OperatorClass>, Sum> sums;
    for (const Operator& op : graph_.operators) {
      operators.add({label(op), to_string(op.direction), to_string(class_of(op)), thousands(op.flops),
                     thousands(op.bytes_read), thousands(op.bytes_written), op.problem});
      Sum& sum = sums[{op.direction, class_of(op)}];
      ++sum.operators;
      sum.flops += static_cast<double>(op.flops);
      sum.read += static_cast<double>(op.bytes_read);
      sum.written += static_cast<double>(op.bytes_written);
    }
    out += operators.text(page_width()) + left_out_line(operators, "--format csv has them") + '\n';
    const auto billions = [](double value) { return fmt::format("{:.3f}", value / 1e9); };
    report::FittedTable table({{"operators"},
                               {"direction", false, 9},
                               {"class", false, 15},
                               {"10^9 operations", true},
                               {"GB read", true, 10},
                               {"GB written", true}});
    for (const auto& [what, sum] : sums) {
      table.add({std::to_string(sum.operators), to_string(what.first), to_string(what.second), billions(sum.flops),
                 billions(sum.read), billions(sum.written)});
    }
    out += table.text(page_width());
    return out;
  }

  std::string json() const {
    using Json = nlohmann::ordered_json;
    Json operators = Json::array();
    const auto names = [&](const std::vector<TensorId>& tensors) {
      Json all = Json::array();
      for (const TensorId t : tensors) {
        all.push_back({{"tensor", graph_.tensors[t].name},
                       {"kind", to_string(graph_.tensors[t].kind)},
                       {"bytes", graph_.tensors[t].bytes()}});
      }
      return all;
    };
    for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
      const Operator& op = graph_.operators[id];
      Json one{{"operator", label(op)},
               {"direction", to_string(op.direction)},
               {"class", to_string(class_of(op))},
               {"operations", op.flops},
               {"bytes_read", op.bytes_read},
               {"bytes_written", op.bytes_written},
               {"after", dependencies_.predecessors(id)},
               {"inputs", names(op.inputs)},
               {"outputs", names(op.outputs)}};
      if (!op.problem.empty()) one["problem"] = op.problem;
      operators.push_back(std::move(one));
    }
    Json all{{"network", graph_.name}, {"batch", graph_.batch}, {"word_bytes", graph_.word_bytes}};
    if (network_.restoration) all["source"] = network_.restoration->source;
    all["notes"] = network_.notes;
    all["peak_bytes"] = peak_.bytes;
    all["peak_at"] = peak_at();
    all["operators"] = std::move(operators);
    return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  std::string csv() const {
    std::string out = "number,operator,direction,class,operations,bytes_read,bytes_written,problem\n";
    for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
      const Operator& op = graph_.operators[id];
      out += fmt::format("{},{},{},{},{},{},{},{}\n", id, csv_field(label(op)), to_string(op.direction),
                         to_string(class_of(op)), op.flops, op.bytes_read, op.bytes_written, csv_field(op.problem));
    }
    return out;
  }

  const training::TrainedNetwork& network_;
  const Graph& graph_;
  Dependencies dependencies_;
  Peak peak_;
};

}  // namespace

std::string show_training(const ShowOptions& options) {
  const Format format = parse_format(options.format, true);
  ImportOptions import;
  if (!options.batch.empty()) {
    import.batch = static_cast<int>(whole_number(options.batch, "--batch", 1, std::numeric_limits<int>::max()));
  }
  const training::TrainedNetwork network =
      training::load_trained(options.what, {(project_library().configs / "networks").string()}, import);
  TrainingOptions training;
  training.loss = options.loss;
  const Graph graph = training_graph(network.forward, training);
  return Formatter(network, graph).report().in(format);
}

}  // namespace weft::tools
