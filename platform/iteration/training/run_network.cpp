#include "platform/iteration/training/run_network.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/iteration/training/restoration_file.h"
#include "workloads/onnx/catalogue.h"

namespace weft::training {

namespace {

std::string folder(const config::Library& library) {
  return (library.configs / "networks").string();
}

// The operators of a network, each once, in forward order.
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

void require_convolution(const workloads::Network& network, const std::string& name, const config::Place& place) {
  if (!network.layers.empty() || !network.fc_layers.empty()) return;
  const std::size_t products = network.fully_connected.size();
  throw config::error_at(
      place, "network",
      fmt::format("{} has no convolution; its operators are {}; {}", name, operators_of(network),
                  products > 0 ? fmt::format("set lower_fc: true to run its {} fully connected layer{} as convolutions",
                                             products, products == 1 ? "" : "s")
                               : "name a network with a Conv, or with a Gemm or MatMul of weights and lower_fc: true"));
}

// What `load` makes of the network's name or file.
template <class Load>
auto loaded(const config::RunConfig& run, const config::Library& library, const Load& load) {
  workloads::ImportOptions options;
  options.batch = run.batch;
  options.lower_fc = run.lower_fc;
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
    throw;  // names the file and what is wrong in it
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

workloads::Network load_network(const std::string& name_or_path, const config::Library& library) {
  return workloads::find_network(name_or_path, {folder(library)});
}

}  // namespace weft::training
