#include "model/fpgpt/exact/read_ahead.h"

#include <algorithm>

namespace weft::fpgpt::exact {

ReaderState run_reader(const Plan& plan, Port port, std::string& bytes, const Anchor& anchor, Cycles cycles,
                       const std::vector<engine::Run>& consumed, ReadAhead& ahead) {
  const bool inp = port == Port::Inp;
  const stream::RangeLoop& loop = inp ? plan.inp : plan.kern;
  const std::int64_t first = inp ? anchor.inp_range(plan) : anchor.kern_range(plan);
  const std::int64_t ranges_of_base = inp ? plan.sets * plan.beta.c : 1;
  ReaderState run{{loop, inp ? plan.alpha.inp_port : plan.alpha.kern_port, plan.alpha.beat_bytes(port)}, {}};
  Relative state(bytes, true);
  run.relative(state, loop, first);
  for (const engine::Run& beats : consumed) run.port.data.push(anchor.now + beats.first, beats.count);

  // A reader does not depend on free slots (DdrReader::may_ask), so that this FIFO always has one.
  Fifo out(4, loop.band, false);
  const Cycles end = anchor.now + cycles;
  for (Cycles now = anchor.now; now < end;) {
    const std::int64_t next_range = run.reader.request_index(loop), before = run.port.beats_left;
    if (out.can_pop(now)) out.pop(now);
    const std::int64_t alike =
        std::min({run.reader.beats_alike(loop, run.port), run.port.data.in_a_row(now), std::int64_t{end - now}});
    if (alike > 1) {
      run.reader.pass(alike, run.port);
      now += alike;
      continue;
    }
    run.reader.step(now, loop, run.port, out);
    if (run.port.requested) {
      const engine::Base base = base_of(port, next_range / ranges_of_base - (inp ? anchor.round : first));
      add(ahead.transfers, engine::Transfer::Read, base, base_address(plan, anchor.round, base), run.port.request,
          now - anchor.now);
      ++ahead.bursts;
      if (run.port.beats_left == before + run.port.request.beats) ++ahead.request_only;
    }
    // Nothing changes until the next request or beat.
    const Cycles next = std::clamp(run.reader.quiet_until(now + 1, loop, run.port, out), now + 1, end);
    if (run.port.outstanding > 0) run.port.wait_cycles += next - now - 1;
    now = next;
  }
  ahead.wait = run.port.wait_cycles;
  ahead.ranges_seen = run.reader.request_index(loop) - first + 1;
  return run;
}

}  // namespace weft::fpgpt::exact
