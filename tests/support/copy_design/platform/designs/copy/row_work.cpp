#include "platform/designs/copy/row_work.h"

#include <random>

#include "workloads/lowering.h"

namespace weft::copy {

std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network, const Alpha& alpha) {
  // The equations know no latency of DDR4.
  const auto* const ideal = std::get_if<config::IdealMemory>(&run.board.memory);
  std::vector<RowWork> rows = design::chosen_rows<RowWork>(run, network);
  for (RowWork& row : rows) {
    row.words = workloads::tensor_words(row.layer, row.kind).inp;
    row.terms = equations(alpha, row.words, ideal ? ideal->latency_cycles : 0);
  }
  return rows;
}

Placement placement_of(const config::RunConfig& run, Words words) {
  Placement placement(run);
  placement.beta.words = words;
  placement.beta.in = placement.put(Port::In, words * 4);
  placement.beta.out = placement.put(Port::Out, words * 4);
  placement.require_fit(run.board, "the tensors need");
  return placement;
}

std::vector<memory::Store> contents_of(const Placement& placement, std::uint64_t seed) {
  std::vector<memory::Store> channels = placement.stores();
  const auto channel = static_cast<std::size_t>(placement.channel_of_port[0]);
  float* const tensor = channels[channel].floats(placement.beta.in);
  std::mt19937_64 random(seed);
  for (Words i = 0; i < placement.beta.words; ++i) {
    tensor[i] = static_cast<float>(static_cast<std::int32_t>(random() >> 32)) * 0x1p-31F;
  }
  return channels;
}

}  // namespace weft::copy
