#include "platform/iteration/host/profile_result.h"

#include "platform/iteration/host/price.h"

namespace weft::host {

void fields(record::Visitor& io, OperatorResult& op) {
  io("operator", "name of the operator", op.op);
  io("direction", "forward, of a gradient or an update", op.direction);
  io("class", "class of operators that its price goes by", op.kind);
  io("operations", "operations", "additions and multiplications", op.operations);
  io("bytes", "bytes", "that it reads and writes", op.bytes);
  io("ns", "ns", "measured", op.ns);
  io("roofline_ns", "ns", "by the roofline of the other host", op.roofline_ns);
  io("kernel", "what computed it", op.kernel);
  io("plain_loop", "that was no library", op.plain_loop);
}

static void fields(record::Visitor& io, ProfiledMatrices::Step& step) {
  io("words", "words", "of a launch of each convolution and group, padding of tiles counted", step.words);
  io("ns", "ns", "of them together", step.ns);
}

static void fields(record::Visitor& io, ProfiledMatrices& matrices) {
  TileShape& tile = matrices.tile;
  std::array<std::int64_t, 3> sizes{tile.r, tile.c, tile.p};
  io.list("tile_size", "rows, columns and depth of a tile", "words", "words along it", sizes);
  io("convolutions", "convolutions", "convolutions whose matrices were measured", matrices.convolutions);
  io("tile", "words put into tiles", matrices.tiled);
  io("untile", "words taken out of tiles", matrices.untiled);
  io("col2im", "words added to the map that they belong to", matrices.col2im);
}

static void fields(record::Visitor& io, ProfiledQuantiser& quantiser) {
  io("words", "words", "of the tensor", quantiser.words);
  io("quantise_ns", "ns", "to make them words of fixed point", quantiser.quantise_ns);
  io("dequantise_ns", "ns", "to make so many sums FP32", quantiser.dequantise_ns);
}

void fields(record::Visitor& io, ProfileResult& result) {
  io("network", "name of the network", result.network);
  io("batch", "images", "images an iteration", result.batch);
  io("threads", "threads", "of an operator", result.threads);
  io("cpu", "name of the processor; empty: not known", result.cpu);
  io("roofline_of", "name of the host whose rooflines these are", result.base);
  io.list("operators", "those that were measured", "", "an operator", result.operators);
  io("matrices", "what a host does that serves launches of a GEMM, with --matrices", result.matrices);
  io("quantiser", "fixed point", result.quantiser);
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
