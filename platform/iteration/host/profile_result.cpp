#include "platform/iteration/host/profile_result.h"

#include "platform/iteration/host/price.h"

namespace weft::host {

void fields(record::Visitor& io, OperatorResult& op) {
  io("operator", "name of the operator", op.op);
  io("direction", "forward, of a gradient or an update", op.direction);
  io("class", "class of operators that determines the price", op.kind);
  io("operations", "operations", "additions and multiplications", op.operations);
  io("bytes", "bytes", "bytes that the operator reads and writes", op.bytes);
  io("ns", "ns", "measured time", op.ns);
  io("roofline_ns", "ns", "time by the roofline of the other host", op.roofline_ns);
  io("kernel", "library kernel, or plain loop, that computed the operator", op.kernel);
  io("plain_loop", "whether a plain loop computed the operator, not a library", op.plain_loop);
}

static void fields(record::Visitor& io, ProfiledMatrices::Step& step) {
  io("words", "words", "words of one launch of each convolution and group, with padding of tiles", step.words);
  io("ns", "ns", "time of these words", step.ns);
}

static void fields(record::Visitor& io, ProfiledMatrices& matrices) {
  TileShape& tile = matrices.tile;
  std::array<std::int64_t, 3> sizes{tile.r, tile.c, tile.p};
  io.list("tile_size", "rows, columns and depth of a tile", "words", "words along a side", sizes);
  io("convolutions", "convolutions", "convolutions whose matrices were measured", matrices.convolutions);
  io("tile", "words put into tiles", matrices.tiled);
  io("untile", "words taken out of tiles", matrices.untiled);
  io("col2im", "words added to the map that they belong to", matrices.col2im);
}

static void fields(record::Visitor& io, ProfiledQuantiser& quantiser) {
  io("words", "words", "words of the tensor", quantiser.words);
  io("quantise_ns", "ns", "time to quantise these words", quantiser.quantise_ns);
  io("dequantise_ns", "ns", "time to dequantise this many sums", quantiser.dequantise_ns);
}

void fields(record::Visitor& io, ProfileResult& result) {
  io("network", "name of the network", result.network);
  io("batch", "images", "images an iteration", result.batch);
  io("threads", "threads", "threads of an operator", result.threads);
  io("cpu", "name of the processor; empty: not known", result.cpu);
  io("roofline_of", "name of the host with these rooflines", result.base);
  io.list("operators", "measured operators", "", "an operator", result.operators);
  io("matrices", "matrices that the host prepares for launches of a GEMM, with --matrices", result.matrices);
  io("quantiser", "conversions to and from fixed point", result.quantiser);
}

std::vector<OperatorResult> results_of(const workloads::Graph& graph, const std::vector<ProfiledOperator>& profiled,
                                       const config::Host& base) {
  std::vector<OperatorResult> results;
  for (const ProfiledOperator& each : profiled) {
    const workloads::Operator& op = graph.operators[each.op];
    results.push_back({label(op), to_string(op.direction), to_string(class_of(op)), op.flops,
                       op.bytes_read + op.bytes_written, each.ns, static_cast<double>(roofline(base, op).time) / 1000,
                       each.kernel, each.plain_loop});
  }
  return results;
}

}  // namespace weft::host
