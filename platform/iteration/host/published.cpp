#include "platform/iteration/host/published.h"

#include "model/core/checked.h"
#include "platform/iteration/host/price.h"

namespace weft::host {

Bytes im2col_bytes(const workloads::ConvolutionOp& op, int word_bytes) {
  const conv::Layer& l = op.layer;
  constexpr const char* kWhat = "the bytes that im2col writes for a layer";
  const std::int64_t window = checked::product(kWhat, {l.h.kernel, l.w.kernel, l.batch, word_bytes});
  if (op.kind == conv::Kind::GI) return checked::product(kWhat, {window, l.filters, l.h.size, l.w.size});
  return checked::product(kWhat, {window, l.channels, l.h.out(), l.w.out()});
}

Comparison compare(const config::Host& host, const config::PublishedRate& rate, const workloads::Graph& graph) {
  const std::vector<Price> price = prices(host, graph, config::UnknownOperators::ByBytes);
  double operations = 0, im2col = 0, picoseconds = 0;
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const workloads::Operator& op = graph.operators[i];
    if (const auto* conv = std::get_if<workloads::ConvolutionOp>(&op.what)) {
      operations += static_cast<double>(op.flops);
      im2col += static_cast<double>(im2col_bytes(*conv, graph.word_bytes));
    } else {
      picoseconds += static_cast<double>(price[i].time);
    }
  }
  const auto seconds = [&](std::int64_t milli_gops) { return operations / (static_cast<double>(milli_gops) * 1e6); };
  const double convolutions = seconds(rate.convolutions);
  Comparison result;
  result.host_published = seconds(rate.average) - convolutions;
  result.host_model = picoseconds / 1e12;
  result.im2col_published = im2col / (seconds(rate.cpu_im2col) - convolutions);
  result.im2col_model = static_cast<double>(host.im2col_bytes_per_s);
  result.gbytes_im2col = im2col / 1e9;
  return result;
}

}  // namespace weft::host
