#include <fmt/core.h>

#include <array>
#include <system_error>

#include "platform/iteration/host/matrices.h"
#include "platform/iteration/host/profile.h"
#include "platform/iteration/host/runner_build.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/data_root.h"
#include "platform/os/failure.h"
#include "platform/os/worker_pool.h"
#include "tools/cli/commands.h"
#include "tools/host_profile/report.h"
#include "workloads/graph/training_graph.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

struct HostProfileOptions : ResultOptions {
  std::string network, batch, threads, repeat, loss, matrices, host, out;
  bool forward = false, convolutions = false;
};

void declare(Arguments& command, HostProfileOptions& options) {
  command.add_argument("NETWORK", options.network, "Network: a name, or an ONNX file").required();
  command.add_option("--batch", options.batch, "N", "Images per iteration (default 256)");
  command.add_option("--host", options.host, "HOST", "Host of all values not measured (default xeon-bronze-3104)");
  command.add_set(options.sets, "a key of that host, as cpu=mine");
  command.add_flag("--forward", options.forward, "Measure only the forward pass");
  command.add_flag("--convolutions", options.convolutions, "Measure convolutions too, for a host without a card");
  command.add_option("--matrices", options.matrices, "TILE",
                     "Measure tiling and col2im; tiles of ROWSxCOLUMNSxDEPTH, as 16x16x64");
  command.add_option("--loss", options.loss, "NAME", "Output of the network that the loss is computed from");
  command.add_format(options.format);
  command.add_option("--out", options.out, "FILE", "Host file (default results/host-NETWORK.yaml)")
      .heading(headings::kOutput);
  command.heading(headings::kExecution);
  command.add_option("--threads", options.threads, "N", "Threads; auto: one per processor (default auto)");
  command.add_option("--repeat", options.repeat, "N", "Runs of each operator, whose median counts (default 5)");
}

int threads_of(const std::string& text) {
  if (text.empty() || text == "auto") return os::processors();
  return static_cast<int>(whole_number(text, "--threads", 1, 1024));
}

fs::path output_of(const HostProfileOptions& options, const workloads::Graph& graph) {
  if (!options.out.empty()) return options.out;
  std::error_code code;
  fs::create_directories("results", code);
  if (code) os::fail("cannot create 'results'", code.value());
  return fs::path("results") / fmt::format("host-{}.yaml", graph.name);
}

host::TileShape tile_of(const std::string& text) {
  std::array<std::int64_t, 3> sizes{};
  std::size_t from = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t end = i + 1 < sizes.size() ? text.find('x', from) : text.size();
    if (end == std::string::npos) {
      throw Error(fmt::format("--matrices: must be ROWSxCOLUMNSxDEPTH, such as 16x16x64, not '{}'", text));
    }
    sizes[i] = whole_number(text.substr(from, end - from), "--matrices", 1, 4096);
    from = end + 1;
  }
  return {sizes[0], sizes[2], sizes[1]};
}

workloads::Graph graph_of(const HostProfileOptions& options) {
  workloads::ImportOptions import;
  import.batch = options.batch.empty() ? 256 : static_cast<int>(whole_number(options.batch, "--batch", 1, 1 << 20));
  const auto network =
      training::load_trained(options.network, {(project_library().configs / "networks").string()}, import);
  if (options.forward) return network.forward;
  workloads::TrainingOptions training;
  training.loss = options.loss;
  return workloads::training_graph(network.forward, training);
}

// Part of the title of each measured host file.
constexpr const char* kOfAnother = "; all else of ";

int execute(const HostProfileOptions& options) {
  const Format format = parse_format(options.format, true);
  host::ProfileOptions how;
  how.threads = threads_of(options.threads);
  how.repeat = options.repeat.empty() ? 5 : static_cast<int>(whole_number(options.repeat, "--repeat", 1, 1000));
  how.convolutions = options.convolutions;
  std::optional<host::TileShape> tile;
  if (!options.matrices.empty()) tile = tile_of(options.matrices);
  if (options.forward && !options.loss.empty())
    throw Error("--loss cannot be used with --forward: a forward pass has no loss");
  const config::Library library = project_library();
  const config::Host base = config::load_host(options.host.empty() ? "xeon-bronze-3104" : options.host,
                                              parse_overrides(options.sets), library);
  const workloads::Graph graph = graph_of(options);
  workloads::require_known(graph);
  const std::vector<workloads::OperatorId> operators = host::profiled_operators(graph, how.convolutions);
  if (operators.empty()) throw Error(fmt::format("{} has no operator for the host; see --convolutions", graph.name));
  host::check_memory(graph, operators, host::available_memory());
  const OutputFile file(output_of(options, graph), "--out", kOfAnother);

  const host::RunnerBuild build(os::data_root(), build_cache(WEFT_HOST_CACHE));
  const auto runner = build.make(how.threads);
  std::vector<host::ProfiledOperator> profiled;
  {
    Progress progress(graph.name, static_cast<std::int64_t>(operators.size()));
    profiled = host::profile(graph, operators, *runner, how,
                             [&](std::size_t done) { progress.update(static_cast<std::int64_t>(done)); });
  }

  std::optional<host::ProfiledMatrices> matrices;
  if (tile) {
    std::int64_t convolutions = 0;
    for (const workloads::Operator& op : graph.operators) convolutions += op.is_convolution() ? 1 : 0;
    Progress progress("matrices", convolutions);
    matrices = host::profile_matrices(graph, *tile, *runner, how.repeat,
                                      [&](std::size_t done) { progress.update(static_cast<std::int64_t>(done)); });
  }

  const std::string cpu = host::cpu_name();
  config::Host result = host::with_measured(base, graph, profiled, how.threads);
  if (matrices) result = host::with_matrices(result, *matrices);
  const host::ProfiledQuantiser quantiser = host::profile_quantiser(how.threads, how.repeat);
  result = host::with_quantiser(result, quantiser);
  if (!cpu.empty()) result.cpu = cpu;
  result.name = output_of(options, graph).stem().string();
  result.title =
      fmt::format("{} measured on {}{}{}", graph.name, cpu.empty() ? "a machine" : cpu, kOfAnother, base.name);
  file.write(config::to_yaml(config::write_host(result)));
  Report report = profile_report({graph.name, graph.batch, how.threads, cpu, base.name,
                                  host::results_of(graph, profiled, base), matrices, quantiser},
                                 base);
  report.table += fmt::format("host file: {}\n", output_of(options, graph).string());
  print(report, format);
  return 0;
}

}  // namespace

Command host_profile_command() {
  return command<HostProfileOptions>("host-profile", "Measure a network's host operators on this machine with oneDNN",
                                     declare, execute);
}

}  // namespace weft::tools
