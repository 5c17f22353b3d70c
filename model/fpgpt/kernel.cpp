#include "model/fpgpt/kernel.h"

#include <algorithm>

namespace weft::fpgpt {

namespace {

Fifos fifos_of(const Plan& plan) {
  Fifos fifos;
  for (std::size_t i = 0; i < kFifos; ++i) {
    const auto fifo = static_cast<FifoId>(i);
    fifos[fifo] = Fifo(plan.alpha.fifo[fifo], fifo_width(plan.alpha, plan.beta.kind, fifo), plan.with_data);
  }
  return fifos;
}

}  // namespace

InpSubsystem::InpSubsystem(const Plan& plan)
    : reader(plan.inp, plan.alpha.inp_port, plan.alpha.beat_bytes(Port::Inp)),
      decode(plan.inp),
      construct(plan.inp, plan.alpha.z, plan.z_channel, false, plan.with_data),
      im2col(plan) {
  if (plan.with_data) port.data = stream::BeatQueue(plan.alpha.lanes(Port::Inp));
}

KernSubsystem::KernSubsystem(const Plan& plan)
    : reader(plan.kern, plan.alpha.kern_port, plan.alpha.beat_bytes(Port::Kern)), decode_wide(plan.kern) {
  if (plan.gw()) {
    decode = stream::Regroup(plan.kern, plan.alpha.y, plan.beta.kern_map(), true, plan.with_data);
    feeder_gw = KernFeederGw(plan);
  } else {
    decode = stream::Regroup(plan.kern, 1, plan.kern.words, true, plan.with_data);
    feeder_fgi = KernFeederFgi(plan);
  }
  if (plan.with_data) port.data = stream::BeatQueue(plan.alpha.lanes(Port::Kern));
}

OutSubsystem::OutSubsystem(const Plan& plan)
    : encode(plan), writer(plan.out, plan.alpha.out_port, plan.alpha.beat_bytes(Port::Out)) {
  if (plan.gw()) {
    constructor_gw = OutConstructorGw(plan);
  } else {
    constructor_fgi = OutConstructorFgi(plan);
  }
}

Kernel::Kernel(std::shared_ptr<const Plan> plan_of_convolution)
    : plan(std::move(plan_of_convolution)), inp(*plan), kern(*plan), array(*plan), out(*plan), fifos(fifos_of(*plan)) {}

Cycles Kernel::quiet_until(Cycles now) const {
  return std::min({inp.reader.quiet_until(now, plan->inp, inp.port, fifos[FifoId::InpBeat]),
                   kern.reader.quiet_until(now, plan->kern, kern.port, fifos[FifoId::KernBeat]),
                   out.writer.quiet_until(now, out.port)});
}

void InpSubsystem::relative(Relative& state, const Plan& plan, const Anchor& at) {
  const std::int64_t first = at.inp_range(plan);
  reader.relative_receiving(state, plan.inp, first);
  decode.relative(state, plan.inp, first);
  construct.relative(state, plan.inp, first);
  im2col.relative(state, plan, at);
}

void KernSubsystem::relative(Relative& state, const Plan& plan, const Anchor& at) {
  const std::int64_t first = at.kern_range(plan);
  reader.relative_receiving(state, plan.kern, first);
  if (plan.gw()) {
    decode.relative(state, plan.kern, first);
    feeder_gw.relative(state, plan, at);
  } else {
    if (plan.alpha.profile.wide_kern_load) {
      decode_wide.relative(state, plan.kern, first);
    } else {
      decode.relative(state, plan.kern, first);
    }
    feeder_fgi.relative(state, plan, at);
  }
}

void OutSubsystem::relative(Relative& state, const Plan& plan, const Anchor& at) {
  if (plan.gw()) {
    constructor_gw.relative(state, plan, at);
  } else {
    constructor_fgi.relative(state, plan, at);
  }
  encode.relative(state, plan, at);
  writer.relative(state, plan.out, at.out_words(plan));
  port.relative(state, at.now);
}

// Y-groups of a GW pass differ in the KERN words that are left to read.
void Kernel::relative(Relative& state, const Anchor& at) {
  std::int64_t group = plan->gw() ? at.group(*plan) : 0;
  state.value(group);
  inp.relative(state, *plan, at);
  kern.relative(state, *plan, at);
  array.relative(state, *plan, at);
  out.relative(state, *plan, at);
  for (Fifo& fifo : fifos) fifo.relative(state);
}

std::string limiter(conv::Kind kind, const BlockActivities& activities) {
  return limiter_name(kind, static_cast<Block>(most_active(activities)));
}

}  // namespace weft::fpgpt
