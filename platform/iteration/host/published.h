#pragma once

#include "platform/config/host.h"
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

}  // namespace weft::host
