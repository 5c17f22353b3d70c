#include "platform/iteration/training/trained_network.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/config/topology.h"
#include "platform/os/standard_streams.h"
#include "workloads/onnx/import.h"

namespace weft::training {

using namespace weft::workloads;

namespace {

// Note on possibly folded operators of a network without a restoration file.
std::string folded_note(const std::vector<std::string>& layers, const std::string& file) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown(layers.begin(),
                                 layers.begin() + static_cast<std::ptrdiff_t>(std::min(layers.size(), kMost)));
  if (layers.size() > kMost) shown.emplace_back("...");
  return fmt::format(
      "{} of its convolutions have a bias and no batch normalisation ({}): if export folded it into them, "
      "{} can restore it",
      layers.size(), config::join(shown), file);
}

}  // namespace

TrainedNetwork load_trained(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                            const ImportOptions& options) {
  ImportedGraph imported = find_graph(name_or_path, search_dirs, options);
  TrainedNetwork trained;
  trained.network = std::move(imported.network);
  const std::filesystem::path path = restoration_path(imported.graph.file);
  std::error_code unreadable;  // an error is reported when the file is read
  if (!std::filesystem::exists(path, unreadable) && !unreadable) {
    trained.forward = std::move(imported.graph);
    const std::vector<std::string> folded = maybe_folded(trained.forward);
    if (!folded.empty()) trained.notes.push_back(folded_note(folded, path.string()));
    return trained;
  }
  trained.restoration = read_restoration(path);
  trained.forward = restore(imported.graph, *trained.restoration);
  for (const std::string& each : trained.restoration->left_out) trained.notes.push_back("left out: " + each);
  for (const std::string& each : trained.restoration->assumed) trained.notes.push_back("assumed: " + each);
  return trained;
}

namespace {

std::string folder(const config::Library& library) {
  return (library.configs / "networks").string();
}

// Operators of a network in forward order, without repetition.
std::string operators_of(const workloads::Network& network) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> operators;
  for (const workloads::HostLayer& layer : network.host_layers) {
    if (std::find(operators.begin(), operators.end(), layer.op) == operators.end()) operators.push_back(layer.op);
  }
  if (operators.size() > kShown) {
    operators.resize(kShown);
    operators.emplace_back("...");
  }
  return operators.empty() ? "none" : config::join(operators);
}

// Reports the warnings of an import, each once per process.
void warn(const workloads::Network& network) {
  static std::set<std::string> reported;
  for (const std::string& warning : network.warnings) {
    if (reported.insert(warning).second) os::say(fmt::format("weft: warning: {}\n", warning));
  }
}

void require_convolution(const workloads::Network& network, const std::string& name, const config::Place& place) {
  warn(network);
  if (!network.layers.empty() || !network.fc_layers.empty()) return;
  const std::size_t products = network.fully_connected.size();
  throw config::error_at(
      place, "network",
      fmt::format("{} has no convolution; its operators are {}; {}", name, operators_of(network),
                  products > 0 ? fmt::format("set lower_fc: true to run its {} fully connected layer{} as convolutions",
                                             products, products == 1 ? "" : "s")
                               : "name a network with a Conv, with a Gemm or MatMul of weights and lower_fc: true, or "
                                 "with a MatMul of two computed matrices and lower_matmul: true"));
}

// Calls `load` with the network's name or file.
template <class Load>
auto loaded(const config::RunConfig& run, const config::Library& library, const Load& load) {
  workloads::ImportOptions options;
  options.batch = run.batch;
  options.lower_fc = run.lower_fc;
  options.lower_matmul = run.lower_matmul;
  options.input_sizes = run.input_sizes;
  const std::vector<std::string> folders{folder(library)};
  const auto noted = [&](const std::string& name, const config::Place& place) {
    library.note(workloads::network_file(name, folders));
    return load(name, place, folders, options);
  };
  if (const auto* onnx = std::get_if<config::OnnxNetwork>(&run.workload)) {
    return noted(onnx->path.string(), onnx->place);
  }
  const auto& named = std::get<config::NamedNetwork>(run.workload);
  try {
    return noted(named.name, named.place);
  } catch (const InputError&) {
    throw;  // names the file and the error in it
  } catch (const Error& error) {
    throw config::error_at(named.place, "network", error.what());
  }
}

}  // namespace

workloads::Network load_network(const config::RunConfig& run, const config::Library& library) {
  if (!std::holds_alternative<config::OnnxNetwork>(run.workload) &&
      !std::holds_alternative<config::NamedNetwork>(run.workload)) {
    workloads::Network network;
    network.name = run.name;
    network.batch = run.batch;
    network.layers = config::inline_layers(run);
    return network;
  }
  return loaded(run, library, [](const auto& name, const auto& place, const auto& folders, const auto& options) {
    workloads::Network network = workloads::find_network(name, folders, options);
    require_convolution(network, name, place);
    return network;
  });
}

training::TrainedNetwork load_trained(const config::RunConfig& run, const config::Library& library) {
  return loaded(run, library, [&](const auto& name, const auto& place, const auto& folders, const auto& options) {
    training::TrainedNetwork trained = training::load_trained(name, folders, options);
    if (trained.restoration) library.note(training::restoration_path(workloads::network_file(name, folders)));
    require_convolution(trained.network, name, place);
    return trained;
  });
}

NetworkSize size_of(const TrainedNetwork& trained) {
  NetworkSize size;
  for (const conv::Layer& layer : trained.network.layers) {
    checked::add(size.macs, workloads::macs(layer), "the multiply-accumulates of all layers");
  }
  for (const workloads::Operator& op : trained.forward.operators) {
    const bool other = std::holds_alternative<workloads::FullyConnectedOp>(op.what) ||
                       std::holds_alternative<workloads::MatrixProductOp>(op.what);
    if (other) checked::add(size.products, op.flops / 2, "the multiply-accumulates of all products");
  }
  for (const workloads::Tensor& tensor : trained.forward.tensors) {
    const bool parameter = tensor.kind == workloads::TensorKind::Weight && !tensor.view_of;
    if (parameter) checked::add(size.parameters, tensor.elements, "the parameters");
  }
  return size;
}

TrainedNetwork load_named(const std::string& name_or_path, const config::Library& library) {
  if (std::filesystem::path(name_or_path).extension() == ".csv") {
    TrainedNetwork trained;
    trained.network.name = std::filesystem::path(name_or_path).stem().string();
    trained.network.layers = config::read_topology(name_or_path);
    return trained;
  }
  TrainedNetwork trained = load_trained(name_or_path, std::vector<std::string>{folder(library)});
  warn(trained.network);
  return trained;
}

using config::MapReader;
using config::Need;
using config::Node;
using workloads::LayerChoice;
using workloads::LayerName;
using workloads::Restoration;
using workloads::RestoredBatchNorm;
using workloads::RestoredDropout;
using workloads::SourceLine;

namespace {

SourceLine place_of(const Node& node, const std::string& key) {
  return {node.place.source ? node.place.source->name : "", node.place.line, key};
}

LayerName read_name(const Node& node, const std::string& key) {
  return {config::read_text(node, key), place_of(node, key)};
}

LayerChoice read_choice(const Node& node, const std::string& key) {
  LayerChoice choice;
  choice.place = place_of(node, key);
  if (node.kind == Node::Kind::Scalar && node.text == "all" && !node.quoted) {
    choice.all = true;
  } else if (node.kind == Node::Kind::List) {
    for (const Node& item : node.children) choice.names.push_back(read_name(item, key));
  } else {
    throw config::error_at(node.place, key,
                           fmt::format("must be all or a list of layers, not {}", config::describe(node)));
  }
  return choice;
}

const config::Form<LayerChoice> kLayers{
    read_choice, nullptr, [] {
      return config::schema::any_of({config::schema::choice({"all"}), config::schema::list_of(config::schema::text())});
    }};

void batch_norm_fields(config::MapIo& io, RestoredBatchNorm& norm) {
  io.value("after", norm.after, kLayers, Need::Required);
  io.real("epsilon", norm.epsilon, 0, 1);
  io.real("momentum", norm.momentum, 0, 1);
  io.text("source", norm.source, Need::Required);
}

void dropout_fields(config::MapIo& io, RestoredDropout& dropout) {
  io.value<LayerName>("before", dropout.before, {read_name, nullptr, config::schema::text}, Need::Required);
  io.real("ratio", dropout.ratio, 0, 1, Need::Required);
  io.text("source", dropout.source, Need::Required);
}

void fields(config::MapIo& io, Restoration& restoration) {
  io.text("source", restoration.source, Need::Required);
  io.map_list("batch_norm", Need::Optional, restoration.batch_norms, batch_norm_fields);
  io.map_list("dropout", Need::Optional, restoration.dropouts, dropout_fields);
  io.custom(
      "without_bias", Need::Optional,
      [&](const Node& node, const std::string& key) { restoration.without_bias.push_back(read_choice(node, key)); },
      nullptr, kLayers.shape);
  io.list("left_out", restoration.left_out, config::form::text());
  io.list("assumed", restoration.assumed, config::form::text());
}

}  // namespace

std::filesystem::path restoration_path(const std::filesystem::path& onnx) {
  std::filesystem::path path = onnx;
  return path.replace_extension(".training.yaml");
}

Node describe_restoration() {
  return config::describe_map(Restoration{}, [](config::MapIo& io, Restoration& each) { fields(io, each); });
}

Restoration read_restoration(const std::filesystem::path& path) {
  const Node file = config::parse_file(path);
  Restoration restoration;
  MapReader io(file, "");
  fields(io, restoration);
  io.finish();
  return restoration;
}

}  // namespace weft::training
