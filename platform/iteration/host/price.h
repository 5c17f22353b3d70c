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

// What follows from a published rate for an iteration of a network, in seconds and bytes a second, beside what the
// host's prices give.
struct Comparison {
  double host_published = 0, host_model = 0;      // seconds of all that is no convolution
  double im2col_published = 0, im2col_model = 0;  // bytes of the im2col matrices written a second
  double gbytes_im2col = 0;                       // of the iteration
};

// `graph`: the training iteration at the batch of what was published.
Comparison compare(const config::Host& host, const config::PublishedRate& rate, const workloads::Graph& graph);

// Of F, GI or GW of a layer: what its im2col writes for the whole batch. Each output of the convolution is one dot
// product with a column; GW reads the columns of F.
Bytes im2col_bytes(const workloads::ConvolutionOp& op, int word_bytes);

// What a price goes by.
enum class Basis : std::uint8_t {
  Nothing,          // a view
  Compute,          // roofline, of the arithmetic
  Memory,           // roofline, of the bytes; also where both take the same
  Measured,         // of this operator at this batch
  MeasuredAtOther,  // of this operator at another batch, in proportion
  Bytes             // an operator that is not known, priced as class `unknown` by the bytes it is taken to move
};
const char* to_string(Basis basis);

struct Price {
  Picoseconds time = 0;  // exact, rounded up once
  Basis basis = Basis::Nothing;
  std::string kernel;                // of Measured and MeasuredAtOther: what computed it there
  bool plain_loop = false;           // likewise: it was no library
  std::optional<std::size_t> entry;  // likewise: of Host::measured
};

// What each operator of `graph` takes on the host, by OperatorId; a convolution as if it ran there. Of what the host
// has measured, entries of this network (Graph::name) with the operator's label and direction are used: one of the
// graph's batch, else the one of the nearest batch in proportion (an update does not depend on it). Throws Error that
// names the operators with a `problem`, unless they are priced by their bytes and those are known, and for a price
// beyond 100 days.
std::vector<Price> prices(const config::Host& host, const workloads::Graph& graph,
                          config::UnknownOperators unknown = config::UnknownOperators::Refuse);

// Which operator of its label and direction each is: 0 for the first, as in MeasuredOperator::occurrence.
std::vector<int> occurrences(const workloads::Graph& graph);

// The roofline of one operator, without what was measured.
Price roofline(const config::Host& host, const workloads::Operator& op);

}  // namespace weft::host
