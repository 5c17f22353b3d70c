#include "model/fpgpt/kernel.h"

#include <fmt/core.h>

#include <algorithm>

namespace weft::fpgpt {

InpSubsystem::InpSubsystem(const Plan& plan)
    : reader(plan.inp, plan.alpha.inp_port, plan.alpha.beat_bytes()),
      decode(plan.inp),
      construct(plan.inp, plan.alpha.z, plan.z_channel, false, plan.with_data),
      im2col(plan),
      beat(plan.alpha.fifo.inp_beat, plan.alpha.band, plan.with_data),
      word(plan.alpha.fifo.inp_word, plan.alpha.band, plan.with_data),
      group(plan.alpha.fifo.inp_group, plan.alpha.z, plan.with_data) {
  port.data = stream::BeatQueue(plan.with_data ? plan.alpha.band : 0);
}

KernSubsystem::KernSubsystem(const Plan& plan)
    : reader(plan.kern, plan.alpha.kern_port, plan.alpha.beat_bytes()),
      decode_wide(plan.kern),
      beat(plan.alpha.fifo.kern_beat, plan.alpha.band, plan.with_data) {
  int token_words = 1;
  if (plan.gw()) {
    token_words = plan.alpha.y;
    decode = stream::Regroup(plan.kern, plan.alpha.y, plan.beta.kern_map(), true, plan.with_data);
    feeder_gw = KernFeederGw(plan);
  } else {
    if (plan.alpha.profile.wide_kern_load) token_words = plan.alpha.band;
    decode = stream::Regroup(plan.kern, 1, plan.kern.words, true, plan.with_data);
    feeder_fgi = KernFeederFgi(plan);
  }
  word = Fifo(plan.alpha.fifo.kern_word, token_words, plan.with_data);
  port.data = stream::BeatQueue(plan.with_data ? plan.alpha.band : 0);
}

OutSubsystem::OutSubsystem(const Plan& plan)
    : encode(plan),
      writer(plan.out, plan.alpha.out_port, plan.alpha.beat_bytes()),
      group(plan.alpha.fifo.out_group, plan.alpha.x, plan.with_data),
      beat(plan.alpha.fifo.out_beat, plan.alpha.band, plan.with_data) {
  if (plan.gw()) {
    constructor_gw = OutConstructorGw(plan);
  } else {
    constructor_fgi = OutConstructorFgi(plan);
  }
}

Kernel::Kernel(std::shared_ptr<const Plan> plan_of_convolution)
    : plan(std::move(plan_of_convolution)),
      inp(*plan),
      kern(*plan),
      array(*plan),
      out(*plan),
      column(plan->alpha.fifo.inp_column, plan->alpha.x, plan->with_data),
      kern_row(plan->alpha.fifo.kern_row, plan->alpha.y, plan->with_data),
      out_row(plan->alpha.fifo.out_row, plan->alpha.x, plan->with_data) {}

Cycles Kernel::quiet_until(Cycles now) const {
  return std::min({inp.reader.quiet_until(now, plan->inp, inp.port, inp.beat),
                   kern.reader.quiet_until(now, plan->kern, kern.port, kern.beat),
                   out.writer.quiet_until(now, out.port)});
}

void InpSubsystem::relative(Relative& state, const Plan& plan, const Anchor& at) {
  const std::int64_t first = at.inp_range(plan);
  reader.relative_receiving(state, plan.inp, first);
  decode.relative(state, plan.inp, first);
  construct.relative(state, plan.inp, first);
  im2col.relative(state, plan, at);
  for (Fifo* fifo : {&beat, &word, &group}) fifo->relative(state);
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
  beat.relative(state);
  word.relative(state);
}

void OutSubsystem::relative(Relative& state, const Plan& plan, const Anchor& at) {
  if (plan.gw()) {
    constructor_gw.relative(state, plan, at);
  } else {
    constructor_fgi.relative(state, plan, at);
  }
  encode.relative(state, plan, at);
  writer.relative(state, plan.out, at.out_words(plan));
  group.relative(state);
  beat.relative(state);
  port.relative(state, at.now);
}

// A Y-group of GW differs from the others of its pass in the KERN words that are left to read.
void Kernel::relative(Relative& state, const Anchor& at) {
  std::int64_t group = plan->gw() ? at.group(*plan) : 0;
  state.value(group);
  inp.relative(state, *plan, at);
  kern.relative(state, *plan, at);
  array.relative(state, *plan, at);
  out.relative(state, *plan, at);
  for (Fifo* fifo : {&column, &kern_row, &out_row}) fifo->relative(state);
}

std::string describe_deadlock(const Kernel& kernel, Cycles now) {
  const std::array<const Fifo*, kBlocks> outputs{&kernel.inp.beat,
                                                 &kernel.inp.word,
                                                 &kernel.inp.group,
                                                 &kernel.column,
                                                 &kernel.kern.beat,
                                                 &kernel.kern.word,
                                                 &kernel.kern_row,
                                                 &kernel.out_row,
                                                 &kernel.out.group,
                                                 &kernel.out.beat,
                                                 nullptr};
  // The causes are the blocks whose output is full although nobody will empty it; everything else follows from them.
  const auto last = kernel.last();
  std::string text = fmt::format("the convolution cannot make progress in cycle {}:", now);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const BlockInfo& block = topology().blocks[i];
    if (last[i] == Activity::Blocked) {
      text += outputs[i] ? fmt::format(" {} waits for room in FIFO {} (depth {});", block.name, block.gives,
                                       outputs[i]->depth())
                         : fmt::format(" {} waits for {};", block.name, block.gives);
    } else if (last[i] == Activity::Starved) {
      text += fmt::format(" {} waits for {};", block.name, block.waits);
    }
  }
  text.back() = '.';
  return text;
}

std::string limiter(conv::Kind kind, const BlockActivities& activities) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < kBlocks; ++i) {
    if (activities[i].of(Activity::Active) > activities[best].of(Activity::Active)) best = i;
  }
  return limiter_name(kind, static_cast<Block>(best));
}

}  // namespace weft::fpgpt
