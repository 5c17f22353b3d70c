#include "model/fpgpt/exact/joint_run.h"

#include <algorithm>

#include "model/core/error.h"
#include "model/fpgpt/exact/block_runs.h"
#include "model/stream/port_traffic.h"

namespace weft::fpgpt::exact {

bool JointRun::run(std::int64_t windows) {
  while (kernel_.inp.im2col.windows_emitted(*kernel_.plan) < windows) {
    go_on(windows);
    if (kernel_.done()) return true;
    if (beat_to_beat_ && now_ >= pass_from_) pass_beats(windows);
  }
  return false;
}

void JointRun::run_past_samples(Cycles end) {
  while (sample_cycle_ < end) go_on(kernel_.plan->inp.count() + 1);
}

void JointRun::pass_beats(std::int64_t windows) {
  constexpr Cycles kUntilNext = 16;  // until the next try
  BeatToBeat::StepOut out;
  if (writes_) out = [this](Cycles now) { step_out(now); };
  Address last = -1;
  const Cycles passed =
      beat_to_beat_->pass(kernel_, static_cast<memory::Ddr4Memory&>(*memory_), now_, windows, out, activities_, last);
  now_ += passed;
  stepped_ += passed;
  looked_up_ += passed;
  pass_from_ = now_ + kUntilNext;
  if (last >= 0) note_address(channel_of_port_[static_cast<std::size_t>(Port::Inp)], last);
}

// Steps OUT alone, whose writes are answered after a fixed time.
void JointRun::step_out(Cycles now) {
  kernel_.step_out(now);
  for (const Block block : kBlocksOfOut) activities_[static_cast<std::size_t>(block)].add(kernel_.last(block));
  send(Port::Out, now);
}

// Advances as far as the returns of the memory are known.
void JointRun::go_on(std::int64_t windows) {
  while (sample_cycle_ == now_) take_sample();
  deliver(kernel_, *memory_, now_);
  BlockRuns runs(kernel_, activities_, [this](Port port, Cycles now) { send(port, now); });
  const Cycles end = runs.run(now_, std::min(std::max(memory_->known_until(now_), now_ + 1), sample_cycle_), windows);
  stepped_ += end - now_;
  now_ = end;
  if (runs.active_until() < end && !kernel_.done()) skip(runs.active_until());
}

// Passes the transfers of the port in cycle `now` to the memory.
void JointRun::send(Port id, Cycles now) {
  const auto note = [&](const auto& port) {
    if (port.requested) note_address(channel_of_port_[static_cast<std::size_t>(id)], port.request.address);
  };
  const auto read = [&](stream::ReadPort& port) {
    if (!port.requested) return;
    note(port);
    stream::send(*memory_, port_id(id), port, now, nullptr);
    stream::deliver(*memory_, port_id(id), port);  // for a memory with immediate answers
  };
  if (id == Port::Inp) return read(kernel_.inp.port);
  if (id == Port::Kern) return read(kernel_.kern.port);
  stream::WritePort& port = kernel_.out.port;
  note(port);
  if (port.requested) {
    const Address last = port.request.address + port.request.beats * kernel_.plan->alpha.beat_bytes(Port::Out) - 1;
    written_ = written_.empty() ? Extent{port.request.address, last}
                                : Extent{std::min(written_.first, port.request.address), std::max(written_.last, last)};
  }
  if (writes_) return writes_->take(kernel_, now);
  stream::send(*memory_, port_id(id), port, now, nullptr);
  stream::deliver(*memory_, port_id(id), port);
}

void JointRun::take_sample() {
  sample_cycle_ = on_sample_(activities_);
}

// Skips to the next visible beat or response. Nothing has moved since cycle `quiet_from`.
void JointRun::skip(Cycles quiet_from) {
  const Cycles event = memory_->next_event();
  const Cycles next = std::min(kernel_.quiet_until(now_), event == kNever ? kNever : std::max(now_, event));
  if (next == kNever) throw Deadlock(deadlock_text(topology(), quiet_from, kernel_));
  Cycles accounted = now_;
  for (; sample_cycle_ < next; take_sample()) {
    account(kernel_, activities_, sample_cycle_ - accounted);
    accounted = sample_cycle_;
  }
  account(kernel_, activities_, next - accounted);
  stream::account_waits(kernel_, next - now_);
  quiet_ += next - now_;
  now_ = next;
}

}  // namespace weft::fpgpt::exact
