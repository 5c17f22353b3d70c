#pragma once

#include <optional>
#include <string>

#include "workloads/graph/graph.h"

namespace weft::workloads {

enum class UpdateOrder : std::uint8_t { AtEnd, AsReady };  // behind the whole backward pass, or behind the last reader

struct TrainingOptions {
  std::string loss;  // the output that softmax cross-entropy is put on; needed only where there are several
  std::optional<SourceLine> loss_place;  // who says the loss; unless given, messages name the graph's file
  bool gi_first = false;                 // GI of the layers that read the network's input, too
  SgdOp optimiser;
  UpdateOrder updates = UpdateOrder::AtEnd;
  bool in_place = true;  // Relu and Clip write over their input where nobody else reads it
};

// One training iteration of a forward graph: forward, loss, backward, update. The order of its operators is that of
// the forward graph, then the reverse for backward, gradients accumulated as soon as they are complete; it is the same
// for the same input. Convolutions are those of training_convolutions(). docs/training-graph.md says what is saved for
// backward. Throws InputError (at `loss_place`) for several outputs and none chosen, for one that is not there, one
// that nothing trained leads to, or one of another form than (rows, classes), and where sizes do not fit 64 bits.
Graph training_graph(const Graph& forward, const TrainingOptions& options = {});

}  // namespace weft::workloads
