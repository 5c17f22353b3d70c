#include "platform/hardware/cosim/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <random>

#include "kernels/fp32.h"
#include "model/core/error.h"
#include "platform/hardware/cosim/axi_side.h"

namespace weft::cosim {

namespace {

constexpr std::size_t kHistory = 10;
constexpr Cycles kLongestDrain = 1'000'000;
constexpr int kQuiet = 8;  // cycles without an open burst before the result is read

const char* yes(bool value) {
  return value ? "yes" : "no";
}

// Text of the difference, beginning with the block that differs; empty: equal.
std::string compare(const FifoInfo& fifo, const FifoEvent& model, const FifoEvent& rtl) {
  if (model.push != rtl.push) {
    return fmt::format("{}, FIFO {} push: model {}, RTL {}", fifo.producer, fifo.name, yes(model.push), yes(rtl.push));
  }
  if (model.pop != rtl.pop) {
    return fmt::format("{}, FIFO {} pop: model {}, RTL {}", fifo.consumer, fifo.name, yes(model.pop), yes(rtl.pop));
  }
  for (std::size_t lane = 0; model.push && lane < rtl.words.size(); ++lane) {
    const std::uint32_t word = lane < model.words.size() ? model.words[lane] : 0;
    if (word == rtl.words[lane]) continue;
    return fmt::format("{}, FIFO {} lane {}: model {:08x}, RTL {:08x}", fifo.producer, fifo.name, lane, word,
                       rtl.words[lane]);
  }
  return "";
}

bool is_read(const PortInfo& port) {
  return port.direction == PortDirection::Read;
}
const char* address_channel(const PortInfo& port) {
  return is_read(port) ? "AR" : "AW";
}

// Calls visit(port, index) for the read ports, then for the write ports.
template <class Visit>
void reads_first(const Topology& topology, Visit visit) {
  for (const PortDirection direction : {PortDirection::Read, PortDirection::Write}) {
    for (std::size_t i = 0; i < topology.ports.size(); ++i) {
      if (topology.ports[i].direction == direction) visit(topology.ports[i], i);
    }
  }
}

std::string describe_difference(const Topology& topology, const std::vector<PortEvents>& model,
                                const std::vector<PortEvents>& rtl) {
  std::string text;
  const auto flag = [&](const PortInfo& port, const char* what, bool a, bool b) {
    if (a != b) text += fmt::format("{} {}: model {}, RTL {}; ", port.block, what, yes(a), yes(b));
  };
  reads_first(topology, [&](const PortInfo& port, std::size_t i) {
    const auto one = [](const PortEvents& e) {
      return e.address ? fmt::format("{} beats at {}", e.request.beats, e.request.address) : std::string("none");
    };
    if (one(model[i]) != one(rtl[i])) {
      text += fmt::format("{} {}: model {}, RTL {}; ", port.block, address_channel(port), one(model[i]), one(rtl[i]));
    }
  });
  reads_first(topology, [&](const PortInfo& port, std::size_t i) {
    const PortEvents &m = model[i], &r = rtl[i];
    if (is_read(port)) return flag(port, "R", m.beat, r.beat);
    flag(port, "B", m.response, r.response);
    flag(port, "W", m.beat, r.beat);
    if (m.beat && r.beat) flag(port, "WLAST", m.last, r.last);
    for (std::size_t lane = 0; lane < std::min(m.words.size(), r.words.size()); ++lane) {
      if (m.words[lane] != r.words[lane]) {
        text += fmt::format("{} W lane {}: model {:08x}, RTL {:08x}; ", port.block, lane, m.words[lane], r.words[lane]);
      }
      flag(port, "WSTRB", m.strobe[lane], r.strobe[lane]);
    }
  });
  return text;
}

// Text of the AXI ports' events, for the history before a difference.
std::string describe(const Topology& topology, const std::vector<PortEvents>& events) {
  std::string text;
  reads_first(topology, [&](const PortInfo& port, std::size_t i) {
    const PortEvents& e = events[i];
    if (!e.address) return;
    text += fmt::format(" {} {} {} beats at {}", port.block, address_channel(port), e.request.beats, e.request.address);
  });
  reads_first(topology, [&](const PortInfo& port, std::size_t i) {
    if (events[i].beat) text += fmt::format(" {} {}", port.block, is_read(port) ? "R" : "W");
    if (events[i].response) text += fmt::format(" {} B", port.block);
  });
  return text;
}

class Lockstep : public stream::Observer {
 public:
  Lockstep(RtlKernel& rtl, const Case& convolution, const std::vector<memory::Store>& stores,
           const AxiEnvironment& environment, const Waves* waves, const Shown* shown)
      : rtl_(rtl),
        convolution_(convolution),
        topology_(convolution.topology()),
        environment_(environment),
        waves_(waves),
        shown_(shown),
        random_(environment.seed),
        axi_(topology_, environment, stores, convolution.band()),
        ready_(topology_.ports.size()),
        write_left_(topology_.ports.size()),
        history_(topology_.fifos.size() + 1) {
    nothing_.fifos.resize(topology_.fifos.size());
    nothing_.ports.resize(topology_.ports.size());
  }

  Verdict run(std::vector<memory::Store>& stores) {
    const RtlStart start = convolution_.start();
    const RtlStarted started = rtl_.start(start);
    if (!started.runs) {
      return differs(fmt::format("the RTL refuses beta with status {}", rtl_.status()));
    }
    if (shown_) shown_->observer->begin(shown_->what, axi_.memory());
    const ModelCounts counts = convolution_.run_model(environment_, stores, *this);
    verdict_.activities = counts.activities;
    if (verdict_.equal()) compare_end(counts, stores);
    if (verdict_.equal()) compare_launch(start.cycles, started.cycles, counts.done_cycles);
    if (shown_) shown_->observer->end(verdict_.cycles);
    finish_waves();
    return verdict_;
  }

  const std::vector<PortReady>* ready() override {
    for (PortReady& port : ready_) port.address = accepts();
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      if (is_read(topology_.ports[i])) continue;
      ready_[i].data = accepts() && (ready_[i].address || write_left_[i] > 0);  // no beat before its address
    }
    return &ready_;
  }

  bool after(Cycles now, const CycleEvents& events) override {
    for (; next_ < now && verdict_.equal(); ++next_) step(next_, nothing_);
    if (verdict_.equal()) {
      step(now, events);
      next_ = now + 1;
    }
    return verdict_.equal();
  }

 private:
  Verdict differs(const std::string& text) {
    verdict_.difference = text;
    return verdict_;
  }
  bool accepts() {
    const Stall& stall = environment_.stall;
    const bool stalled = next_ >= stall.from && next_ < stall.from + stall.cycles;
    return std::uniform_int_distribution<int>(0, 99)(random_) >= environment_.refuse_percent && !stalled;
  }

  void step_rtl(Cycles now) {
    rtl_.cycle(axi_.inputs(now, ready_), events_);
    axi_.after(now, events_.ports);
  }

  // Steps one cycle of the RTL and compares it with the model's.
  void step(Cycles now, const CycleEvents& model) {
    switch_waves(now);
    step_rtl(now);
    if (shown_) shown_->observer->after(now, events_);
    verdict_.cycles = now + 1;
    const std::string difference = compare_cycle(model);
    const std::string failed = rtl_.failed_assertion();
    if (!difference.empty() || !failed.empty()) {
      differs(fmt::format("cycle {}: {}", now, difference.empty() ? "assertion of the RTL: " + failed : difference));
      return;
    }
    for (std::size_t i = 0; i < model.fifos.size(); ++i) remember(i, now, events_.fifos[i]);
    int transfers = 0;
    for (std::size_t i = 0; i < model.ports.size(); ++i) {
      const PortEvents& port = model.ports[i];
      transfers += port.transfers();
      if (port.address) verdict_.longest_burst = std::max(verdict_.longest_burst, port.request.beats);
      if (is_read(topology_.ports[i])) continue;
      if (port.address) write_left_[i] = port.request.beats;
      write_left_[i] -= port.beat;
    }
    if (transfers > 0) note(model.fifos.size(), fmt::format("{}{}", now, describe(topology_, model.ports)));
    verdict_.handshakes += transfers;
  }

  std::string compare_cycle(const CycleEvents& model) const {
    for (std::size_t i = 0; i < model.fifos.size(); ++i) {
      const std::string text = compare(topology_.fifos[i], model.fifos[i], events_.fifos[i]);
      if (!text.empty()) return fmt::format("{}; before: {}", text, history_text(i));
    }
    if (model.ports == events_.ports) return "";
    return fmt::format("AXI {}before: {}", describe_difference(topology_, model.ports, events_.ports),
                       history_text(model.fifos.size()));
  }

  void compare_end(const ModelCounts& result, const std::vector<memory::Store>& stores) {
    drain();
    if (!rtl_.finish()) {
      differs("the RTL does not report done, or reports an error");
      return;
    }
    const RtlCounts counts = rtl_.counts();
    if (counts.cycles != result.cycles) {
      differs(fmt::format("cycles of the convolution: model {}, RTL {}", result.cycles, counts.cycles));
    }
    for (std::size_t block = 0; block < topology_.blocks.size() && verdict_.equal(); ++block) {
      const Activities& m = result.activities[block];
      std::array<Cycles, kActivities> model{};
      std::transform(kActivityRegisterOrder.begin(), kActivityRegisterOrder.end(), model.begin(),
                     [&](Activity activity) { return m.of(activity); });
      const auto& rtl = counts.activity[block];
      if (std::equal(model.begin(), model.end(), rtl.begin())) continue;
      differs(fmt::format("{}: idle, starved, blocked, active cycles: model {}, RTL {}", topology_.blocks[block].name,
                          fmt::join(model, " "), fmt::join(rtl, " ")));
    }
    if (verdict_.equal()) compare_memory(stores);
  }

  // T ends with the last write response; reads whose beats are discarded may still be outstanding (GEN-6).
  void drain() {
    ready_.assign(ready_.size(), {});
    const Cycles end = next_, latest = end + kLongestDrain;
    for (int quiet = 0; quiet < kQuiet && next_ < latest; ++next_) {
      if (!done_cycles_ && !rtl_.busy()) done_cycles_ = next_ - end;
      step_rtl(next_);
      quiet = axi_.reads_open() ? 0 : quiet + 1;
    }
  }

  // Compares the cycles before cycle 0 and after T.
  void compare_launch(Cycles model_start, Cycles rtl_start, Cycles model_done) {
    if (model_start != rtl_start) {
      differs(fmt::format("cycles from the start to cycle 0: model {}, RTL {}", model_start, rtl_start));
    } else if (done_cycles_ == model_done) {
      verdict_.done_cycles = model_done;
    } else {
      differs(fmt::format("cycles from the end to done: model {}, RTL {}", model_done,
                          done_cycles_ ? std::to_string(*done_cycles_) : "more"));
    }
  }

  void compare_memory(const std::vector<memory::Store>& stores) {
    for (std::size_t i = 0; i < stores.size(); ++i) {
      const memory::Store &a = stores[i], &b = axi_.stores()[i];
      for (Address at = a.first(); at < a.end(); at += 4) {
        const std::uint32_t model = bits(*a.floats(at)), rtl = bits(*b.floats(at));
        if (model == rtl) continue;
        differs(fmt::format("memory channel {}, byte {}: model {:08x}, RTL {:08x}", i, at, model, rtl));
        return;
      }
    }
  }

  void switch_waves(Cycles now) {
    if (!waves_) return;
    if (now == waves_->from) waves_written_ = rtl_.waves_on(waves_->file);
    if (now == waves_->from + waves_->cycles) rtl_.waves_off();
  }
  // After a difference the RTL continues alone to the end of the window.
  void finish_waves() {
    if (!waves_) return;
    for (; next_ < waves_->from + waves_->cycles && !verdict_.equal(); ++next_) {
      switch_waves(next_);
      step_rtl(next_);
    }
    rtl_.waves_off();
    if (waves_written_) return;
    throw Error(waves_->from >= next_ ? fmt::format("no waveforms: the convolution ended in cycle {}", next_ - 1)
                                      : fmt::format("cannot write the waveforms '{}'", waves_->file));
  }

  void remember(std::size_t fifo, Cycles now, const FifoEvent& event) {
    if (!event.push && !event.pop) return;
    verdict_.handshakes += event.push + event.pop;
    std::string text = std::to_string(now);
    if (event.push) text += event.words.empty() ? " push" : fmt::format(" push {:08x}..", event.words[0]);
    note(fifo, text + (event.pop ? " pop" : ""));
  }
  void note(std::size_t where, std::string event) {
    std::deque<std::string>& history = history_[where];
    history.push_back(std::move(event));
    if (history.size() > kHistory) history.pop_front();
  }
  std::string history_text(std::size_t where) const {
    std::string text;
    for (const std::string& event : history_[where]) text += (text.empty() ? "" : ", ") + event;
    return text.empty() ? "nothing" : text;
  }

  RtlKernel& rtl_;
  const Case& convolution_;
  const Topology& topology_;
  const AxiEnvironment& environment_;
  const Waves* waves_;
  const Shown* shown_;
  std::mt19937_64 random_;
  AxiSide axi_;
  std::vector<PortReady> ready_;
  std::vector<int> write_left_;  // remaining beats of each write port's accepted burst
  CycleEvents events_, nothing_;
  Cycles next_ = 0;                    // next cycle of the RTL
  std::optional<Cycles> done_cycles_;  // from the end to the first cycle in which done can be read
  bool waves_written_ = false;
  std::vector<std::deque<std::string>> history_;  // of each FIFO, then of the AXI ports
  Verdict verdict_;
};

std::string not_done(const RtlKernel& rtl, Cycles limit, Words written, Words all) {
  const std::string failed = rtl.failed_assertion();
  return fmt::format("the RTL is not done after {} cycles: {} of {} words of OUT are written{}", limit, written, all,
                     failed.empty() ? "" : "; " + failed);
}

}  // namespace

Verdict run_lockstep(RtlKernel& rtl, const Case& convolution, std::vector<memory::Store>& stores,
                     const AxiEnvironment& environment, const Waves* waves, const Shown* shown) {
  Lockstep lockstep(rtl, convolution, stores, environment, waves, shown);
  return lockstep.run(stores);
}

std::string offer(RtlKernel& rtl, const RefusedCase& refused) {
  const RtlStarted started = rtl.start(refused.start);
  if (started.runs) {
    return fmt::format("the RTL runs a {} that it must refuse with status {}", refused.what, refused.status);
  }
  const int given = rtl.status();
  if (given == refused.status && started.cycles != refused.start.cycles) {
    return fmt::format("the RTL refuses a {} in {} cycles, the model in {}", refused.what, started.cycles,
                       refused.start.cycles);
  }
  if (given == refused.status) return "";
  return fmt::format("the RTL refuses a {} with status {}, not {}", refused.what, given, refused.status);
}

Cycles run_rtl(RtlKernel& rtl, const Case& convolution, std::vector<memory::Store>& stores,
               const AxiEnvironment& environment, Cycles limit) {
  AxiSide axi(convolution.topology(), environment, std::move(stores), convolution.band());
  const std::vector<PortReady> ready(convolution.topology().ports.size());
  const Words all = convolution.result_words();
  if (!rtl.start(convolution.start()).runs) throw Error("the RTL refuses the convolution");
  CycleEvents events;
  Cycles end = 0;
  for (Cycles now = 0, quiet = 0; quiet < kQuiet; ++now) {
    if (now == limit) throw Error(not_done(rtl, limit, axi.written(), all));
    rtl.cycle(axi.inputs(now, ready), events);
    axi.after(now, events.ports);
    const bool done = axi.written() >= all && !axi.writes_open();
    if (!done) end = now + 2;  // includes the cycle that takes the last response
    quiet = done && !axi.reads_open() ? quiet + 1 : 0;
  }
  if (const std::string failed = rtl.failed_assertion(); !failed.empty()) throw Error(failed);
  if (!rtl.finish()) throw Error("the RTL does not report that it is done");
  stores = std::move(axi.stores());
  return end;
}

}  // namespace weft::cosim
