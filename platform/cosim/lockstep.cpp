#include "platform/cosim/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <random>

#include "kernels/fpgpt/fp32.h"
#include "model/core/error.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/cosim/read_port.h"
#include "platform/fpgpt/cosim/probe.h"

namespace weft::cosim {

using fpgpt::Port;
using fpgpt::port_id;

namespace {

constexpr std::size_t kHistory = 10;
constexpr Cycles kLongestDrain = 1'000'000;

// The RTL with its memory, and what that has on the way back to the ports.
class Hardware {
 public:
  Hardware(RtlKernel& rtl, const Surroundings& surroundings, const std::vector<memory::Store>& contents, int band)
      : rtl_(rtl),
        memory_(memory::make_memory(surroundings.memory)),
        channels_(surroundings.channels),
        band_(band),
        stores_(contents),
        inp_(Port::Inp, *memory_, store(Port::Inp), band),
        kern_(Port::Kern, *memory_, store(Port::Kern), band) {}

  CycleEvents step(Cycles now, const systemc::Ready& ready) {
    deliver(now);
    AxiInputs inputs{ready.inp_address, ready.kern_address, ready.out_address, ready.out_data};
    inputs.inp_beat = inp_.beat(now);
    inputs.kern_beat = kern_.beat(now);
    inputs.inp_last = inp_.last();
    inputs.kern_last = kern_.last();
    inputs.response = responses_.visible(now);
    CycleEvents events;
    events.axi = rtl_.cycle(inputs, events.fifos);
    const AxiOutputs& out = events.axi;
    if (out.inp_beat_taken) inp_.taken();
    if (out.kern_beat_taken) kern_.taken();
    if (out.response_taken) responses_.pop();
    // What does not fit the memory is a difference that ends the run before it is answered.
    if (out.inp_address && fits(Port::Inp, out.inp_request)) inp_.request(out.inp_request, now);
    if (out.kern_address && fits(Port::Kern, out.kern_request)) kern_.request(out.kern_request, now);
    write(out, now);
    return events;
  }
  bool reads_open() const { return inp_.open() || kern_.open(); }
  const std::vector<memory::Store>& stores() const { return stores_; }

 private:
  void deliver(Cycles now) {
    memory_->advance(now);
    inp_.deliver();
    kern_.deliver();
    for (Cycles v; (v = memory_->next_write_response(port_id(Port::Out))) != kNever;) {
      memory_->take_write_response(port_id(Port::Out), v);
      responses_.push(v);
    }
  }
  memory::Store& store(Port port) {
    return stores_[static_cast<std::size_t>(channels_[static_cast<std::size_t>(port)])];
  }
  bool fits(Port port, const stream::BurstRequest& burst) {
    const Bytes bytes = Bytes{4} * band_ * burst.beats;
    return burst.address >= store(port).first() && burst.address % (Bytes{4} * band_) == 0 &&
           burst.address + bytes <= store(port).end() && burst.address % 4096 + bytes <= 4096;
  }
  void write(const AxiOutputs& out, Cycles now) {
    if (out.out_address && fits(Port::Out, out.out_request)) {
      memory_->send_write(port_id(Port::Out), now, out.out_request.address, out.out_request.beats);
      write_address_ = out.out_request.address;
      write_left_ = out.out_request.beats;
    }
    if (!out.beat_sent || write_left_ == 0) return;
    --write_left_;
    memory_->send_write_beat(port_id(Port::Out), now);
    float* const words = store(Port::Out).words(write_address_);
    for (std::size_t lane = 0; lane < out.beat.size(); ++lane) {
      if (out.strobe[lane]) words[lane] = fpgpt::from_bits(out.beat[lane]);
    }
    write_address_ += Bytes{4} * band_;
  }

  RtlKernel& rtl_;
  std::unique_ptr<memory::Memory> memory_;
  Channels channels_;
  int band_;
  std::vector<memory::Store> stores_;
  ReadPort inp_, kern_;
  stream::BeatQueue responses_;
  Address write_address_ = 0;  // of the next write beat
  int write_left_ = 0;         // beats to come of the open write burst
};

// Begins with the block that differs.
std::string compare(std::size_t fifo, const FifoEvent& model, const FifoEvent& rtl) {
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  const auto& [name, from, to, depth, meaning] = fpgpt::kFifoInfos[fifo];
  if (model.push != rtl.push) {
    return fmt::format("{}, FIFO {} push: model {}, RTL {}", from, name, yes(model.push), yes(rtl.push));
  }
  if (model.pop != rtl.pop) {
    return fmt::format("{}, FIFO {} pop: model {}, RTL {}", to, name, yes(model.pop), yes(rtl.pop));
  }
  for (std::size_t lane = 0; model.push && lane < rtl.words.size(); ++lane) {
    const std::uint32_t word = lane < model.words.size() ? model.words[lane] : 0;
    if (word == rtl.words[lane]) continue;
    return fmt::format("{}, FIFO {} lane {}: model {:08x}, RTL {:08x}", from, name, lane, word, rtl.words[lane]);
  }
  return "";
}

std::string describe(const AxiOutputs& m, const AxiOutputs& r) {
  std::string text;
  const auto request = [&](const char* name, bool a, const stream::BurstRequest& x, bool b,
                           const stream::BurstRequest& y) {
    const auto one = [](bool valid, const stream::BurstRequest& q) {
      return valid ? fmt::format("{} beats at {}", q.beats, q.address) : std::string("none");
    };
    if (one(a, x) != one(b, y)) text += fmt::format("{}: model {}, RTL {}; ", name, one(a, x), one(b, y));
  };
  const auto flag = [&](const char* name, bool a, bool b) {
    if (a != b) text += fmt::format("{}: model {}, RTL {}; ", name, a ? "yes" : "no", b ? "yes" : "no");
  };
  request("inp_reader AR", m.inp_address, m.inp_request, r.inp_address, r.inp_request);
  request("kern_reader AR", m.kern_address, m.kern_request, r.kern_address, r.kern_request);
  request("out_writer AW", m.out_address, m.out_request, r.out_address, r.out_request);
  flag("inp_reader R", m.inp_beat_taken, r.inp_beat_taken);
  flag("kern_reader R", m.kern_beat_taken, r.kern_beat_taken);
  flag("out_writer B", m.response_taken, r.response_taken);
  flag("out_writer W", m.beat_sent, r.beat_sent);
  if (m.beat_sent && r.beat_sent) flag("out_writer WLAST", m.last, r.last);
  for (std::size_t lane = 0; lane < std::min(m.beat.size(), r.beat.size()); ++lane) {
    if (m.beat[lane] != r.beat[lane]) {
      text += fmt::format("out_writer W lane {}: model {:08x}, RTL {:08x}; ", lane, m.beat[lane], r.beat[lane]);
    }
    if (m.strobe[lane] != r.strobe[lane]) flag("out_writer WSTRB", m.strobe[lane], r.strobe[lane]);
  }
  return text;
}

// Events of an AXI port, in words, for what preceded a difference there.
std::string describe(const AxiOutputs& a) {
  std::string text;
  const auto request = [&](const char* name, bool valid, const stream::BurstRequest& q) {
    if (valid) text += fmt::format(" {} {} beats at {}", name, q.beats, q.address);
  };
  const auto flag = [&](const char* name, bool valid) { text += valid ? name : ""; };
  request("inp_reader AR", a.inp_address, a.inp_request);
  request("kern_reader AR", a.kern_address, a.kern_request);
  request("out_writer AW", a.out_address, a.out_request);
  flag(" inp_reader R", a.inp_beat_taken);
  flag(" kern_reader R", a.kern_beat_taken);
  flag(" out_writer W", a.beat_sent);
  flag(" out_writer B", a.response_taken);
  return text;
}

class Lockstep : public systemc::Observer {
 public:
  Lockstep(RtlKernel& rtl, const fpgpt::Plan& plan, const std::vector<memory::Store>& stores,
           const Surroundings& surroundings, const Waves* waves)
      : rtl_(rtl),
        plan_(plan),
        surroundings_(surroundings),
        waves_(waves),
        random_(surroundings.seed),
        probe_(plan),
        hardware_(rtl, surroundings, stores, plan.alpha.band) {}

  Verdict run(std::vector<memory::Store>& stores) {
    if (!rtl_.start(plan_.beta)) return differs(fmt::format("the RTL refuses beta with status {}", rtl_.status()));
    const std::unique_ptr<memory::Memory> memory = memory::make_memory(surroundings_.memory);
    const fpgpt::ConvolutionResult result =
        systemc::virtual_platform().run(plan_, *memory, surroundings_.channels, &stores, this);
    verdict_.activities = result.activities;
    if (verdict_.equal()) compare_end(result, stores);
    finish_waves();
    return verdict_;
  }

  systemc::Ready ready() override {
    ready_.inp_address = accepts();
    ready_.kern_address = accepts();
    ready_.out_address = accepts();
    ready_.out_data = accepts() && (ready_.out_address || write_left_ > 0);  // no beat before its address
    return ready_;
  }

  bool after(Cycles now, const fpgpt::Kernel& kernel) override {
    for (; next_ < now && verdict_.equal(); ++next_) step(next_, {});
    if (verdict_.equal()) {
      step(now, probe_.look(kernel));
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
    const Stall& stall = surroundings_.stall;
    const bool stalled = next_ >= stall.from && next_ < stall.from + stall.cycles;
    return std::uniform_int_distribution<int>(0, 99)(random_) >= surroundings_.refuse_percent && !stalled;
  }

  // One cycle of the RTL, which must do what the model did.
  void step(Cycles now, const CycleEvents& model) {
    switch_waves(now);
    const CycleEvents rtl = hardware_.step(now, ready_);
    verdict_.cycles = now + 1;
    const std::string difference = compare_cycle(model, rtl);
    const std::string failed = rtl_.failed_assertion();
    if (!difference.empty() || !failed.empty()) {
      differs(fmt::format("cycle {}: {}", now, difference.empty() ? "assertion of the RTL: " + failed : difference));
      return;
    }
    for (std::size_t i = 0; i < kFifos; ++i) remember(i, now, model.fifos[i]);
    const AxiOutputs& axi = model.axi;
    if (axi.out_address) write_left_ = axi.out_request.beats;
    write_left_ -= axi.beat_sent;
    const auto note_burst = [](bool sent, const stream::BurstRequest& burst, int& longest) {
      if (sent) longest = std::max(longest, burst.beats);
    };
    note_burst(axi.inp_address, axi.inp_request, verdict_.longest_burst);
    note_burst(axi.kern_address, axi.kern_request, verdict_.longest_burst);
    note_burst(axi.out_address, axi.out_request, verdict_.longest_burst);
    const int transfers = axi.inp_address + axi.kern_address + axi.out_address + axi.inp_beat_taken +
                          axi.kern_beat_taken + axi.response_taken + axi.beat_sent;
    if (transfers > 0) note(kFifos, fmt::format("{}{}", now, describe(axi)));
    verdict_.handshakes += transfers;
  }

  std::string compare_cycle(const CycleEvents& model, const CycleEvents& rtl) const {
    for (std::size_t i = 0; i < kFifos; ++i) {
      const std::string text = compare(i, model.fifos[i], rtl.fifos[i]);
      if (!text.empty()) return fmt::format("{}; before: {}", text, history_text(i));
    }
    if (model.axi == rtl.axi) return "";
    return fmt::format("AXI {}before: {}", describe(model.axi, rtl.axi), history_text(kFifos));
  }

  void compare_end(const fpgpt::ConvolutionResult& result, const std::vector<memory::Store>& stores) {
    drain();
    if (!rtl_.finish()) {
      differs("the RTL does not report done, or reports an error");
      return;
    }
    const RtlCounts counts = rtl_.counts();
    if (counts.cycles != result.cycles) {
      differs(fmt::format("cycles of the convolution: model {}, RTL {}", result.cycles, counts.cycles));
    }
    for (std::size_t block = 0; block < fpgpt::kBlocks && verdict_.equal(); ++block) {
      const Activities& m = result.activities[block];
      const std::array<Cycles, 4> model{m.of(Activity::Idle), m.of(Activity::Starved), m.of(Activity::Blocked),
                                        m.of(Activity::Active)};
      const auto& rtl = counts.activity[block];
      if (std::equal(model.begin(), model.end(), rtl.begin())) continue;
      differs(fmt::format("{}: idle, starved, blocked, active cycles: model {}, RTL {}",
                          to_string(static_cast<fpgpt::Block>(block)), fmt::join(model, " "), fmt::join(rtl, " ")));
    }
    if (verdict_.equal()) compare_memory(stores);
  }

  // T ends with the last write response; beats that are read to be discarded may still be under way (GEN-6).
  void drain() {
    ready_ = {};
    const Cycles latest = next_ + kLongestDrain;
    for (int quiet = 0; quiet < 8 && next_ < latest; ++next_) {
      hardware_.step(next_, ready_);
      quiet = hardware_.reads_open() ? 0 : quiet + 1;
    }
  }

  void compare_memory(const std::vector<memory::Store>& stores) {
    for (std::size_t i = 0; i < stores.size(); ++i) {
      const memory::Store &a = stores[i], &b = hardware_.stores()[i];
      for (Address at = a.first(); at < a.end(); at += 4) {
        const std::uint32_t model = fpgpt::bits(*a.words(at)), rtl = fpgpt::bits(*b.words(at));
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
  // After a difference the RTL goes on alone to the end of the window.
  void finish_waves() {
    if (!waves_) return;
    for (; next_ < waves_->from + waves_->cycles && !verdict_.equal(); ++next_) {
      switch_waves(next_);
      hardware_.step(next_, ready_);
    }
    rtl_.waves_off();
    if (waves_written_) return;
    throw Error(waves_->from >= next_ ? fmt::format("no waveforms: the convolution ended in cycle {}", next_ - 1)
                                      : fmt::format("cannot write the waveforms '{}'", waves_->file));
  }

  void remember(std::size_t fifo, Cycles now, const FifoEvent& event) {
    if (!event.push && !event.pop) return;
    verdict_.handshakes += event.push + event.pop;
    note(fifo, fmt::format("{}{}{}", now, event.push ? fmt::format(" push {:08x}..", event.words[0]) : "",
                           event.pop ? " pop" : ""));
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
  const fpgpt::Plan& plan_;
  const Surroundings& surroundings_;
  const Waves* waves_;
  std::mt19937_64 random_;
  KernelProbe probe_;
  Hardware hardware_;
  systemc::Ready ready_;
  int write_left_ = 0;  // beats to come of the write burst whose address was accepted
  Cycles next_ = 0;     // of the RTL
  bool waves_written_ = false;
  std::array<std::deque<std::string>, kFifos + 1> history_;  // of each FIFO, and of the AXI ports
  Verdict verdict_;
};

}  // namespace

Verdict run_lockstep(RtlKernel& rtl, const fpgpt::Plan& plan, std::vector<memory::Store>& stores,
                     const Surroundings& surroundings, const Waves* waves) {
  Lockstep lockstep(rtl, plan, stores, surroundings, waves);
  return lockstep.run(stores);
}

}  // namespace weft::cosim
