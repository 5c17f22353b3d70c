#include "workloads/network.h"

#include <fmt/core.h>

#include <limits>

#include "model/core/error.h"

namespace weft::workloads {

using conv::Kind;
using conv::Layer;

namespace {

int checked_batch(const std::string& what, std::int64_t images, int batch) {
  if (batch < 1) throw Error(fmt::format("{}: the batch is {}, but must be at least 1", what, batch));
  const std::int64_t limit = std::numeric_limits<int>::max() / batch;
  if (images > limit) {
    throw Error(fmt::format("{}: a batch of {} gives more than the {} images a layer may have", what, batch,
                            std::numeric_limits<int>::max()));
  }
  return static_cast<int>(images * batch);
}

int checked_features(const std::string& what, std::int64_t features) {
  if (features < 1 || features > std::numeric_limits<int>::max()) {
    throw Error(
        fmt::format("{}: {} features, but 1 to {} are allowed", what, features, std::numeric_limits<int>::max()));
  }
  return static_cast<int>(features);
}

}  // namespace

Layer as_convolution(const FullyConnected& fc, int batch) {
  const std::string what = "fully connected layer " + fc.name;
  Layer layer;
  layer.name = fc.name;
  layer.batch = checked_batch(what, fc.rows, batch);
  layer.channels = checked_features(what, fc.in_features);
  layer.filters = checked_features(what, fc.out_features);
  layer.from_graph_input = fc.from_graph_input;
  return layer;
}

std::int64_t macs(const Layer& layer) {
  return checked::product("the multiply-accumulates of a layer",
                          {layer.batch, layer.filters, layer.channels / layer.groups, layer.h.kernel, layer.w.kernel,
                           layer.h.out(), layer.w.out()});
}

std::vector<TrainingConvolution> training_convolutions(const std::vector<Layer>& layers, bool gi_first) {
  std::vector<TrainingConvolution> all;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    all.push_back({i, Kind::F});
    if (gi_first || !layers[i].from_graph_input) all.push_back({i, Kind::GI});
    all.push_back({i, Kind::GW});
  }
  return all;
}

}  // namespace weft::workloads
