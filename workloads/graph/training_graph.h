#pragma once

#include <optional>
#include <string>

#include "workloads/graph/graph.h"

namespace weft::workloads {

enum class UpdateOrder : std::uint8_t { AtEnd, AsReady };  // after the whole backward pass, or after the last reader

struct TrainingOptions {
  std::string loss;                      // output for softmax cross-entropy; required if there are several
  std::optional<SourceLine> loss_place;  // source of the choice of loss; default: messages name the graph's file
  bool gi_first = false;                 // adds GI of the layers that read the network's input
  SgdOp optimiser;
  UpdateOrder updates = UpdateOrder::AtEnd;
  bool in_place = true;  // Relu and Clip overwrite an input without other readers
};

// One training iteration of a forward graph: forward, loss, backward, update. Operators are in the order of the forward
// graph, then in reverse for backward, with gradients accumulated once complete; deterministic. Convolutions are those
// of training_convolutions(). docs/explanation/training-graph.md lists the tensors saved for backward. Throws
// InputError (at `loss_place`) if no output is chosen among several, or the chosen one is missing, depends on nothing
// trained, or is not of form (rows, classes); also if sizes exceed 64 bits.
Graph training_graph(const Graph& forward, const TrainingOptions& options = {});

}  // namespace weft::workloads
