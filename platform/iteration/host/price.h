#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "platform/config/host.h"
#include "platform/config/schedule.h"
#include "workloads/graph/graph.h"

namespace weft::host {

// Times and rates of a network's iteration by a published rate, and by the host's prices.
struct Comparison {
  double host_published = 0, host_model = 0;      // seconds of all operators except convolutions
  double im2col_published = 0, im2col_model = 0;  // seconds of all operators except convolutions
  double gbytes_im2col = 0;                       // of the iteration
};

// Compares both. `graph`: the training iteration at the published batch.
Comparison compare(const config::Host& host, const config::PublishedRate& rate, const workloads::Graph& graph);

// Bytes that im2col writes for the whole batch of F, GI or GW of a layer. Each output of the convolution is one dot
// product with a column; GW reads the columns of F.
Bytes im2col_bytes(const workloads::ConvolutionOp& op, int word_bytes);

// Source of a price.
enum class Basis : std::uint8_t {
  Nothing,          // no cost: a view
  Compute,          // roofline, limited by arithmetic
  Memory,           // roofline, limited by bytes, or both equal
  Measured,         // measured for this operator at this batch
  MeasuredAtOther,  // measured for this operator at another batch, scaled
  Bytes             // unknown operator, priced as class `unknown` by its assumed bytes
};
const char* to_string(Basis basis);

struct Price {
  Picoseconds time = 0;  // exact, rounded up once
  Basis basis = Basis::Nothing;
  std::string kernel;                // Measured, MeasuredAtOther: implementation that was measured
  bool plain_loop = false;           // Measured, MeasuredAtOther: a loop of weft, no library
  std::optional<std::size_t> entry;  // Measured, MeasuredAtOther: index in Host::measured
};

// Host time of each operator of `graph`, by OperatorId; a convolution as if it ran on the host. Measured entries of
// this network (Graph::name) with the operator's label and direction take precedence: one of the graph's batch, else
// the one of the nearest batch, scaled (an update is not scaled). Throws Error with the names of operators with a
// `problem`, unless `unknown` prices them by bytes and these are known, and for a price beyond 100 days.
std::vector<Price> prices(const config::Host& host, const workloads::Graph& graph,
                          config::UnknownOperators unknown = config::UnknownOperators::Refuse);

// Time to copy a tensor of `bytes` into another order: one call of an operator of the class `copy`.
Picoseconds copy_time(const config::Host& host, Bytes bytes);

// Occurrence of each operator among those of its label and direction: 0 for the first (MeasuredOperator::occurrence).
std::vector<int> occurrences(const workloads::Graph& graph);

// Roofline price of one operator, without measured entries.
Price roofline(const config::Host& host, const workloads::Operator& op);

}  // namespace weft::host
