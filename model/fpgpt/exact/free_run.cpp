#include "model/fpgpt/exact/free_run.h"

#include <utility>

#include "model/core/error.h"
#include "model/engine/arrivals.h"
#include "model/fpgpt/exact/cycle.h"

namespace weft::fpgpt::exact {

using engine::Transfer;

namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
constexpr Cycles kPatience = 1 << 22;

// One run of a kernel without its memory: read data is always there, and nobody asks for it.
class FreeRun {
 public:
  FreeRun(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, WriteAnswer answer,
          Stretch& stretch)
      : plan_(*plan), anchor_(anchor), answer_(answer), stretch_(stretch), kernel_(plan) {
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
    write(now);
    const bool draining =
        plan_.gw() ? kernel_.out.constructor_gw.draining(plan_) : kernel_.out.constructor_fgi.draining();
    if (draining || kernel_.out.last[1] == Activity::Active || kernel_.out.last[2] == Activity::Active ||
        kernel_.out.last[2] == Activity::Blocked) {
      stretch_.out_moved = true;
    }
  }

  void write(Cycles now) {
    stream::WritePort& port = kernel_.out.port;
    const Cycles cycle = now - anchor_.now;
    if (port.requested) {
      add(stretch_.out, Transfer::Write, base_of(Port::Out, 0), port.request, cycle, plan_, anchor_.round);
      ++stretch_.writes;
    }
    if (!port.beat_sent) return;
    add(stretch_.out, Transfer::WriteBeat, base_of(Port::Out, 0), {port.beat_address, 1}, cycle, plan_, anchor_.round);
    ++stretch_.written;
    // The address goes out with the first beat, for the memory always takes both.
    if (!kernel_.out.writer.burst_open()) {
      port.responses.push(now + answer_.after);
      append(stretch_.answers, cycle + answer_.after, 1);
    }
  }

  void finish() {
    stretch_.array_starved = kernel_.array.starved();
    stretch_.write_busy = kernel_.out.port.busy_cycles;
    stretch_.write_wait = kernel_.out.port.wait_cycles;
    stretch_.windows_seen = kernel_.inp.reader.handed_on_index(plan_.inp) - anchor_.inp_range(plan_) + 1;
    stretch_.rounds_fed = plan_.gw() ? 0 : kernel_.kern.feeder_fgi.round(plan_) - anchor_.round + 1;
    stretch_.passes_seen =
        plan_.gw() ? kernel_.kern.reader.handed_on_index(plan_.kern) - anchor_.kern_range(plan_) + 1 : 0;
  }

  const Plan& plan_;
  Anchor anchor_;
  WriteAnswer answer_;
  Stretch& stretch_;
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
