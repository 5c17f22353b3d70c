#include "model/copy/analytical/equations.h"

#include <algorithm>

namespace weft::copy {

namespace {

Cycles stalls(const stream::PortConfig& port, std::int64_t page_beats, std::int64_t beats, Cycles per_beat,
              Cycles latency) {
  const std::int64_t burst = std::min<std::int64_t>(port.max_burst_beats, page_beats);
  const Cycles round_trip = latency + per_beat * (burst - 1) + 2;
  const std::int64_t rounds = ceil_div(ceil_div(beats, burst), port.outstanding);
  return (rounds - 1) * std::max<Cycles>(0, round_trip - per_beat * burst * port.outstanding);
}

}  // namespace

EquationTerms equations(const Alpha& alpha, Words words, Cycles latency) {
  const std::int64_t page_beats = std::max<std::int64_t>(1, stream::kPageBytes / alpha.beat_bytes());
  const Cycles per_beat = alpha.fifo[FifoId::Beat] > 1 ? 1 : 2;
  EquationTerms t;
  t.beats = ceil_div(words, alpha.band);
  t.in_stalls = stalls(alpha.in, page_beats, t.beats, per_beat, latency);
  t.out_stalls = stalls(alpha.out, page_beats, t.beats, per_beat, latency);
  t.cycles = per_beat * (t.beats - 1) + 2 * latency + 4 + std::max(t.in_stalls, t.out_stalls);
  return t;
}

}  // namespace weft::copy
