#include "model/fpgpt/exact/free_run.h"

#include <algorithm>
#include <utility>

#include "model/core/error.h"
#include "model/engine/arrivals.h"
#include "model/fpgpt/exact/cycle.h"

namespace weft::fpgpt::exact {

namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
constexpr Cycles kPatience = 1 << 22;

// One run of a kernel without its memory: read data is always there, and nobody asks for it.
class FreeRun {
 public:
  FreeRun(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, WriteAnswer answer,
          Stretch& stretch)
      : plan_(*plan), anchor_(anchor), stretch_(stretch), writes_(*plan, anchor, answer), kernel_(plan) {
    Relative state(bytes, true);
    kernel_.relative(state, anchor);
    for (stream::ReadPort* port : {&kernel_.inp.port, &kernel_.kern.port}) {
      port->ready = false;
      port->data.push(engine::kLongAgo, kPlenty);
    }
  }

  void run(std::int64_t windows) {
    const std::int64_t target = kernel_.inp.im2col.windows_emitted(plan_) + windows;
    Cycles now = anchor_.now;
    for (; kernel_.inp.im2col.windows_emitted(plan_) < target; ++now) {
      if (now - anchor_.now > kPatience) throw Error(describe_deadlock(kernel_, now));
      step(now);
      now += discard(now + 1);
    }
    stretch_.cycles = now - anchor_.now;
    finish();
  }

  Kernel& kernel() { return kernel_; }

 private:
  void step(Cycles now) {
    const std::array<std::int64_t, 2> before{kernel_.inp.port.beats_left, kernel_.kern.port.beats_left};
    exact::step(kernel_, now, stretch_.activities);
    if (kernel_.inp.port.beats_left != before[0]) append(stretch_.takes[0], now - anchor_.now, 1);
    if (kernel_.kern.port.beats_left != before[1]) append(stretch_.takes[1], now - anchor_.now, 1);
    writes_.take(kernel_, now);
    const bool draining =
        plan_.gw() ? kernel_.out.constructor_gw.draining(plan_) : kernel_.out.constructor_fgi.draining();
    if (draining || kernel_.out.last[1] == Activity::Active || kernel_.out.last[2] == Activity::Active ||
        kernel_.out.last[2] == Activity::Blocked) {
      stretch_.out_moved = true;
    }
  }

  // From cycle `now` on the reader of INP may do nothing but discard what it has read beyond a window, and nothing else
  // move: goes over these cycles at once and returns how many there were.
  Cycles discard(Cycles now) {
    if (kernel_.inp.reader.discards(plan_.inp) <= 0 || kernel_.inp.last[0] != Activity::Active) return 0;
    if (kernel_.fifos[FifoId::InpBeat].touched(now - 1)) return 0;  // a beat of the window has just become visible
    const auto last = kernel_.last();
    if (std::find(last.begin() + 1, last.end(), Activity::Active) != last.end()) return 0;
    const Cycles others =
        std::min(kernel_.kern.reader.quiet_until(now, plan_.kern, kernel_.kern.port, kernel_.fifos[FifoId::KernBeat]),
                 kernel_.out.writer.quiet_until(now, kernel_.out.port));
    const Cycles cycles = std::min(kernel_.inp.reader.discards(plan_.inp), others - now);
    if (cycles <= 0) return 0;
    kernel_.inp.reader.pass(cycles, kernel_.inp.port);
    append(stretch_.takes[0], now - anchor_.now, cycles);
    account(kernel_, stretch_.activities, cycles);
    if (kernel_.out.port.outstanding > 0) kernel_.out.port.wait_cycles += cycles;
    return cycles;
  }

  void finish() {
    stretch_.array_starved = kernel_.array.starved();
    stretch_.out = std::move(writes_.sent);
    stretch_.writes = writes_.bursts;
    stretch_.written = writes_.beats;
    stretch_.answers = std::move(writes_.answers);
    stretch_.write_busy = kernel_.out.port.busy_cycles;
    stretch_.write_wait = kernel_.out.port.wait_cycles;
    stretch_.looked = looked(plan_, kernel_, anchor_);
  }

  const Plan& plan_;
  Anchor anchor_;
  Stretch& stretch_;
  AnsweredWrites writes_;
  Kernel kernel_;
};

}  // namespace

Kernel run_free(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, std::int64_t windows,
                WriteAnswer answer, Stretch& stretch) {
  FreeRun run(plan, bytes, anchor, answer, stretch);
  run.run(windows);
  return std::move(run.kernel());
}

}  // namespace weft::fpgpt::exact
