#include "model/fpgpt/exact/coupled.h"

#include <algorithm>

#include "model/core/error.h"
#include "model/stream/port_traffic.h"

namespace weft::fpgpt::exact {

bool Coupled::run(std::int64_t windows) {
  const Plan& plan = *kernel_.plan;
  while (kernel_.inp.im2col.windows_emitted(plan) < windows) {
    step();
    if (kernel_.done()) return true;
    if (beat_to_beat_ && now_ >= pass_from_ && pass_beats(windows)) continue;
    skip_if_quiet();
  }
  return false;
}

bool Coupled::pass_beats(std::int64_t windows) {
  constexpr Cycles kUntilNext = 16;  // before it is tried again
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
  return passed > 0;
}

// OUT alone, whose writes are answered after a fixed time.
void Coupled::step_out(Cycles now) {
  kernel_.out.step(now, *kernel_.plan, kernel_.fifos);
  const auto first = static_cast<std::size_t>(Block::OutConstructor);
  for (std::size_t i = 0; i < kernel_.out.last.size(); ++i) activities_[first + i].add(kernel_.out.last[i]);
  writes_->take(kernel_, now);
  note_written();
}

void Coupled::note_written() {
  if (!kernel_.out.port.requested) return;
  const stream::BurstRequest& burst = kernel_.out.port.request;
  note_address(channel_of_port_[static_cast<std::size_t>(Port::Out)], burst.address);
  const Address last = burst.address + burst.beats * kernel_.plan->alpha.beat_bytes() - 1;
  written_ = written_.empty() ? Extent{burst.address, last}
                              : Extent{std::min(written_.first, burst.address), std::max(written_.last, last)};
}

void Coupled::run_past_borders(Cycles end) {
  while (border_ < end) {
    step();
    skip_if_quiet();
  }
}

void Coupled::skip_if_quiet() {
  const auto last = kernel_.last();
  if (std::find(last.begin(), last.end(), Activity::Active) == last.end()) skip();
}

void Coupled::pass_border() {
  border_ = passed_(activities_);
}

void Coupled::step() {
  while (border_ == now_) pass_border();
  if (writes_) {
    step_with_reads(kernel_, *memory_, now_, activities_);
    writes_->take(kernel_, now_);
  } else {
    exact::step(kernel_, *memory_, now_, nullptr, activities_);
  }
  const auto note = [this](Port id, const auto& port) {
    if (port.requested) note_address(channel_of_port_[static_cast<std::size_t>(id)], port.request.address);
  };
  note(Port::Inp, kernel_.inp.port);
  note(Port::Kern, kernel_.kern.port);
  note_written();
  ++now_;
  ++stepped_;
}

// Nothing moved: nothing will until a beat or a response becomes visible.
void Coupled::skip() {
  const Cycles event = memory_->next_event();
  const Cycles next = std::min(kernel_.quiet_until(now_), event == kNever ? kNever : std::max(now_, event));
  if (next == kNever) throw Deadlock(deadlock_text(topology(), now_ - 1, kernel_));
  Cycles accounted = now_;
  for (; border_ < next; pass_border()) {
    account(kernel_, activities_, border_ - accounted);
    accounted = border_;
  }
  account(kernel_, activities_, next - accounted);
  stream::account_waits(kernel_, next - now_);
  quiet_ += next - now_;
  now_ = next;
}

}  // namespace weft::fpgpt::exact
