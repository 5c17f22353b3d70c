#include "tools/network.h"

#include "model/core/error.h"
#include "workloads/catalogue.h"

namespace weft::tools {

namespace {

std::string folder(const config::Library& library) {
  return (library.configs / "networks").string();
}

}  // namespace

workloads::Network load_network(const config::RunConfig& run, const config::Library& library) {
  workloads::ImportOptions options;
  options.batch = run.batch;
  options.lower_fc = run.lower_fc;
  if (const auto* onnx = std::get_if<config::OnnxNetwork>(&run.workload)) {
    return workloads::find_network(onnx->path.string(), {folder(library)}, options);
  }
  if (const auto* named = std::get_if<config::NamedNetwork>(&run.workload)) {
    try {
      return workloads::find_network(named->name, {folder(library)}, options);
    } catch (const InputError&) {
      throw;  // names the file and what is wrong in it
    } catch (const Error& error) {
      throw config::error_at(named->place, "network", error.what());
    }
  }
  workloads::Network network;
  network.name = run.name;
  network.batch = run.batch;
  network.layers = config::inline_layers(run);
  return network;
}

workloads::Network load_network(const std::string& name_or_path, const config::Library& library) {
  return workloads::find_network(name_or_path, {folder(library)});
}

}  // namespace weft::tools
