#include "model/engine/free_run.h"

#include <algorithm>

#include "model/core/error.h"

namespace weft::engine {

using fpgpt::Anchor;
using fpgpt::Kernel;
using fpgpt::Plan;
using fpgpt::Port;

namespace {

constexpr Cycles kLongAgo = -(Cycles{1} << 40);
constexpr Cycles kPatience = 1 << 22;

// One run of a kernel without its memory.
class FreeRun {
 public:
  FreeRun(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, WriteAnswer answer,
          Stretch& stretch)
      : plan_(*plan), anchor_(anchor), answer_(answer), stretch_(stretch), kernel_(plan) {
    Relative state(bytes, true);
    kernel_.relative(state, anchor);
    for (fpgpt::ReadPort* port : {&kernel_.inp.port, &kernel_.kern.port}) {
      if (port->beats_left > 0) port->data.push(kLongAgo, port->beats_left);
    }
    ask_[0] = kernel_.inp.reader.request_index(plan_.inp);
    ask_[1] = kernel_.kern.reader.request_index(plan_.kern);
  }

  void run(std::int64_t windows) {
    const std::int64_t target = kernel_.inp.im2col.windows_emitted(plan_) + windows;
    Cycles now = anchor_.now;
    for (; kernel_.inp.im2col.windows_emitted(plan_) < target; ++now) {
      if (now - anchor_.now > kPatience) throw Error(fpgpt::describe_deadlock(kernel_, now));
      step(now);
    }
    stretch_.cycles = now - anchor_.now;
    finish();
  }

  Kernel& kernel() { return kernel_; }

 private:
  void step(Cycles now) {
    look(kernel_.inp.port, 0, now);
    look(kernel_.kern.port, 1, now);
    kernel_.inp.step(now, plan_, kernel_.column);
    kernel_.kern.step(now, plan_, kernel_.kern_row);
    kernel_.step_array(now);
    kernel_.out.step(now, plan_, kernel_.out_row);
    fpgpt::account(kernel_, stretch_.activities);
    read(Port::Inp, plan_.inp, kernel_.inp.reader, kernel_.inp.port, now);
    read(Port::Kern, plan_.kern, kernel_.kern.reader, kernel_.kern.port, now);
    write(now);
    const bool draining =
        plan_.gw() ? kernel_.out.constructor_gw.draining(plan_) : kernel_.out.constructor_fgi.draining();
    if (draining || kernel_.out.last[1] == Activity::Active || kernel_.out.last[2] == Activity::Active ||
        kernel_.out.last[2] == Activity::Blocked) {
      stretch_.out_moved = true;
    }
  }

  // A beat that is there is looked for in every cycle until it is taken.
  void look(const fpgpt::ReadPort& port, std::size_t i, Cycles now) {
    before_[i] = port.beats_left;
    if (looking_[i] || !port.data.visible(now)) return;
    looking_[i] = true;
    append(stretch_.read[i].needs, now - anchor_.now, 1);
  }

  void read(Port id, const fpgpt::RangeLoop& loop, const fpgpt::DdrReader& reader, fpgpt::ReadPort& port, Cycles now) {
    const auto i = static_cast<std::size_t>(id);
    ReadStretch& stretch = stretch_.read[i];
    const std::int64_t asked = port.requested ? port.request.beats : 0;
    if (before_[i] + asked != port.beats_left) {
      looking_[i] = false;
      ++stretch.taken;
    }
    if (!port.requested) return;
    stretch.asked += asked;
    ++stretch.bursts;
    port.data.push(now + 1, asked);
    // GW: a range of KERN is that of a pass; INP: its window lies in a round.
    const std::int64_t per_base = id == Port::Inp ? plan_.sets * plan_.beta.c : 1;
    const std::int64_t first = id == Port::Inp ? anchor_.round : plan_.gw() ? anchor_.pass(plan_) : 0;
    event(Transfer::Read, {id, ask_[i] / per_base - first}, port.request, now);
    ask_[i] = reader.request_index(loop);
  }

  void write(Cycles now) {
    fpgpt::WritePort& port = kernel_.out.port;
    if (port.requested) {
      event(Transfer::Write, {Port::Out, 0}, port.request, now);
      ++stretch_.writes;
    }
    if (!port.beat_sent) return;
    event(Transfer::WriteBeat, {Port::Out, 0}, {port.beat_address, 1}, now);
    ++stretch_.written;
    // The address goes out with the first beat, for the memory always takes both.
    if (!kernel_.out.writer.burst_open()) {
      port.responses.push(now + answer_.after);
      append(stretch_.answers, now + answer_.after - anchor_.now, 1);
    }
  }

  void event(Transfer transfer, const Base& base, const fpgpt::BurstRequest& request, Cycles now) {
    auto found = std::find(stretch_.bases.begin(), stretch_.bases.end(), base);
    if (found == stretch_.bases.end()) {
      stretch_.bases.push_back(base);
      address_.push_back(base_address(plan_, anchor_.round, base));
      found = stretch_.bases.end() - 1;
    }
    const auto index = static_cast<std::size_t>(found - stretch_.bases.begin());
    stretch_.events.push_back({static_cast<std::int32_t>(now - anchor_.now), transfer,
                               static_cast<std::uint8_t>(base.port), static_cast<std::uint16_t>(request.beats),
                               static_cast<std::uint16_t>(index), request.address - address_[index]});
  }

  void finish() {
    stretch_.read[0].busy = kernel_.inp.port.busy_cycles;
    stretch_.read[0].wait = kernel_.inp.port.wait_cycles;
    stretch_.read[1].busy = kernel_.kern.port.busy_cycles;
    stretch_.read[1].wait = kernel_.kern.port.wait_cycles;
    stretch_.write_busy = kernel_.out.port.busy_cycles;
    stretch_.write_wait = kernel_.out.port.wait_cycles;
    stretch_.windows_seen = ask_[0] - anchor_.window(plan_) + 1;
    stretch_.rounds_fed = plan_.gw() ? 0 : kernel_.kern.feeder_fgi.round(plan_) - anchor_.round + 1;
    stretch_.passes_seen = plan_.gw() ? ask_[1] - anchor_.pass(plan_) + 1 : 0;
  }

  const Plan& plan_;
  Anchor anchor_;
  WriteAnswer answer_;
  Stretch& stretch_;
  Kernel kernel_;
  std::array<bool, 2> looking_{};
  std::array<std::int64_t, 2> before_{};
  std::array<std::int64_t, 2> ask_{};  // the range that the next request belongs to
  std::vector<Address> address_;       // of the stretch's bases, here
};

}  // namespace

Address base_address(const Plan& plan, std::int64_t round, const Base& base) {
  const auto of_word = [&](Words word) { return word / plan.alpha.band * plan.alpha.beat_bytes(); };
  const auto pass_of = [&](const fpgpt::RangeLoop& loop, std::int64_t pass) {
    return of_word(loop.base + pass / loop.n * loop.pitch_a + pass % loop.n * loop.pitch_n);
  };
  if (base.port == Port::Inp) return pass_of(plan.inp, (round + base.rounds) / plan.groups);
  if (base.port == Port::Kern) return pass_of(plan.kern, round / plan.groups + base.rounds);
  const Words words = Anchor{0, round}.out_words(plan);
  return of_word(plan.out_base + words / plan.out_run_words * plan.out_run_pitch + words % plan.out_run_words);
}

Kernel run_free(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, std::int64_t windows,
                WriteAnswer answer, Stretch& stretch) {
  FreeRun run(plan, bytes, anchor, answer, stretch);
  run.run(windows);
  return std::move(run.kernel());
}

}  // namespace weft::engine
