#include "model/fpgpt/exact/interval.h"

#include <algorithm>

namespace weft::fpgpt::exact {

Words out_word(const Plan& plan, std::int64_t round) {
  const Words words = Anchor{0, round}.out_words(plan);
  return plan.out.base + words / plan.out.run_words * plan.out.run_pitch + words % plan.out.run_words;
}

Address base_address(const Plan& plan, std::int64_t round, const engine::Base& base) {
  const auto port = static_cast<Port>(base.port);
  const auto of_word = [&](Words word, int band) { return word / band * plan.alpha.beat_bytes(port); };
  const auto pass_of = [&](const stream::RangeLoop& loop, std::int64_t pass) {
    return of_word(loop.base + pass / loop.n * loop.pitch_a + pass % loop.n * loop.pitch_n, loop.band);
  };
  switch (port) {
    case Port::Inp:
      return pass_of(plan.inp, (round + base.number) / plan.groups);
    case Port::Kern:
      return pass_of(plan.kern, round / plan.groups + base.number);
    case Port::Out:
      break;
  }
  return of_word(out_word(plan, round), plan.out.band);
}

void add(engine::Transfers& transfers, engine::Transfer transfer, const engine::Base& base, Address address,
         const stream::BurstRequest& request, Cycles cycle) {
  std::vector<engine::Base>& bases = transfers.bases;
  auto found = std::find(bases.begin(), bases.end(), base);
  if (found == bases.end()) found = bases.insert(found, base);
  transfers.events.push_back({static_cast<std::int32_t>(cycle), transfer, base.port,
                              static_cast<std::uint16_t>(request.beats),
                              static_cast<std::uint16_t>(found - bases.begin()), request.address - address});
}

}  // namespace weft::fpgpt::exact
