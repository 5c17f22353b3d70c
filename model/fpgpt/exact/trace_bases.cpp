#include "model/fpgpt/exact/trace_bases.h"

#include <algorithm>

#include "model/fpgpt/exact/interval.h"

namespace weft::fpgpt::exact {

using engine::Base;
using engine::RequestTrace;

engine::Bases TraceBases::of(const RequestTrace& trace, std::int64_t round) {
  engine::Bases bases;
  if (trace.bases.empty()) {
    bases.fill = [](const RequestTrace&, std::vector<Address>&) {};
    return bases;
  }
  bases.first = base_address(plan_, round, trace.bases.front());
  bases.fill = [this, round](const RequestTrace& laid, std::vector<Address>& addresses) {
    for (const Base& base : laid.bases) addresses.push_back(base_address(plan_, round, base));
  };
  if (trace.bases.size() == 1) return bases;
  std::uint32_t spread = 0;
  for (auto base = trace.bases.begin(); base != trace.bases.end();) {
    const auto next = std::find_if(base, trace.bases.end(), [&](const Base& b) { return b.port != base->port; });
    if (base != trace.bases.begin()) {
      spread = spreads_.number(spread, base_address(plan_, round, *base) - bases.first);
    }
    if (next - base > 1) spread = spreads_.number(spread, passes_from(*base, *(next - 1), round));
    base = next;
  }
  bases.spread = spread;
  return bases;
}

// Returns the number that determines the passes from one base of INP or KERN to another, relative to the first.
std::int64_t TraceBases::passes_from(const Base& first, const Base& last, std::int64_t round) const {
  const bool inp = static_cast<Port>(first.port) == Port::Inp;
  const stream::RangeLoop& loop = inp ? plan_.inp : plan_.kern;
  const std::int64_t group = inp ? (round + first.number) % plan_.groups : 0;
  const std::int64_t beyond = last.number - first.number;
  const std::int64_t passes = inp ? (group + beyond) / plan_.groups : beyond;
  const std::int64_t pass = inp ? (round + first.number) / plan_.groups : round / plan_.groups + first.number;
  const std::int64_t of_run = pass % loop.n;
  const Words word = loop.base + pass / loop.n * loop.pitch_a + of_run * loop.pitch_n;
  const std::int64_t run = std::min(loop.n - of_run, passes + 1);
  return (run * plan_.groups + group) * loop.band + word % loop.band;
}

}  // namespace weft::fpgpt::exact
