#include "platform/cosim/lockstep.h"

#include <fmt/core.h>

#include "kernels/fpgpt/fp32.h"

namespace weft::cosim {

using fpgpt::Port;
using fpgpt::port_id;

namespace {

constexpr std::size_t kHistory = 10;

// One side's memory, and what it has on the way back to the ports.
struct Side {
  std::unique_ptr<memory::Memory> memory;
  std::vector<memory::Store> stores;
  fpgpt::BeatQueue inp, kern, responses;
  std::deque<int> inp_bursts, kern_bursts;  // beats still to come of the open bursts, for RLAST
  Address write_address = 0;                // of the next write beat

  Side(const Surroundings& surroundings, const std::vector<memory::Store>& contents, int band)
      : memory(memory::make_memory(surroundings.memory)), stores(contents), inp(band), kern(band) {}

  void deliver(Cycles now) {
    memory->advance(now);
    const auto read = [&](Port port, fpgpt::BeatQueue& queue) {
      for (Cycles v; (v = memory->next_read_beat(port_id(port))) != kNever;) {
        memory->take_read_beat(port_id(port), v);
        queue.push(v);
      }
    };
    read(Port::Inp, inp);
    read(Port::Kern, kern);
    for (Cycles v; (v = memory->next_write_response(port_id(Port::Out))) != kNever;) {
      memory->take_write_response(port_id(Port::Out), v);
      responses.push(v);
    }
  }
};

class Lockstep {
 public:
  Lockstep(RtlKernel& rtl, const fpgpt::Plan& plan, const std::vector<memory::Store>& stores,
           const Surroundings& surroundings)
      : rtl_(rtl),
        kernel_(std::make_shared<const fpgpt::Plan>(plan)),
        channels_(surroundings.channels),
        refuse_percent_(surroundings.refuse_percent),
        random_(surroundings.seed),
        model_(surroundings, stores, plan.alpha.band),
        hardware_(surroundings, stores, plan.alpha.band) {}

  Verdict run() {
    const fpgpt::PeArithmetic arithmetic;
    if (!rtl_.start(kernel_.plan->beta)) return differs("the RTL refuses beta");
    Cycles last_move = 0;
    for (Cycles now = 0; !kernel_.done(); ++now) {
      const std::int64_t before = verdict_.handshakes;
      const std::string difference = step(now);
      verdict_.cycles = now + 1;
      if (!difference.empty()) return differs(fmt::format("cycle {}: {}", now, difference));
      if (verdict_.handshakes != before) last_move = now;
      if (now - last_move > 1'000'000) return differs(fmt::format("nothing has moved since cycle {}", last_move));
    }
    drain();
    if (!rtl_.finish()) return differs("the RTL does not report done, or reports an error");
    for (std::size_t i = 0; i < model_.stores.size(); ++i) {
      const memory::Store &a = model_.stores[i], &b = hardware_.stores[i];
      for (Address at = 0; at < a.bytes(); at += 4) {
        const std::uint32_t model = fpgpt::bits(*a.words(at)), rtl = fpgpt::bits(*b.words(at));
        if (model != rtl) {
          return differs(fmt::format("memory channel {}, byte {}: model {:08x}, RTL {:08x}", i, at, model, rtl));
        }
      }
    }
    return verdict_;
  }
  std::vector<memory::Store>& contents() { return model_.stores; }

 private:
  Verdict differs(const std::string& text) {
    verdict_.difference = text;
    return verdict_;
  }
  memory::Store& store(Side& side, Port port) {
    return side.stores[static_cast<std::size_t>(channels_[static_cast<std::size_t>(port)])];
  }
  bool ready() { return std::uniform_int_distribution<int>(0, 99)(random_) >= refuse_percent_; }

  // T ends with the last write response; beats that are read to be discarded may still be under way (GEN-6).
  void drain() {
    std::array<FifoEvent, kFifos> ignored;
    int quiet = 0;
    for (Cycles now = verdict_.cycles; quiet < 8; ++now) {
      step_rtl(now, {}, ignored);
      quiet = hardware_.inp_bursts.empty() && hardware_.kern_bursts.empty() ? quiet + 1 : 0;
    }
  }

  std::string step(Cycles now) {
    AxiInputs inputs;
    inputs.inp_arready = ready();
    inputs.kern_arready = ready();
    inputs.out_awready = ready();
    inputs.out_wready = inputs.out_awready && ready();  // no beat before its address
    std::array<FifoEvent, kFifos> model_fifos, rtl_fifos;
    const AxiOutputs model = step_model(now, inputs, model_fifos);
    const AxiOutputs rtl = step_rtl(now, inputs, rtl_fifos);
    for (std::size_t i = 0; i < kFifos; ++i) {
      const std::string text = compare(model_fifos[i], rtl_fifos[i]);
      if (!text.empty()) return fmt::format("FIFO {}{}; before: {}", kFifoNames[i], text, history_text(i));
      remember(i, now, model_fifos[i]);
    }
    verdict_.handshakes += model.inp_address + model.kern_address + model.out_address + model.inp_beat_taken +
                           model.kern_beat_taken + model.response_taken + model.beat_sent;
    return model == rtl ? "" : "AXI " + describe(model, rtl);
  }

  AxiOutputs step_model(Cycles now, const AxiInputs& inputs, std::array<FifoEvent, kFifos>& events) {
    fpgpt::Kernel& k = kernel_;
    k.inp.port.ready = inputs.inp_arready;
    k.kern.port.ready = inputs.kern_arready;
    k.out.port.address_ready = inputs.out_awready;
    k.out.port.data_ready = inputs.out_wready;
    model_.deliver(now);
    move_visible(model_.inp, k.inp.port.data, now);
    move_visible(model_.kern, k.kern.port.data, now);
    move_visible(model_.responses, k.out.port.responses, now);
    const std::array<Fifo*, kFifos> fifos{&k.inp.beat,  &k.inp.word, &k.inp.group, &k.column,    &k.kern.beat,
                                          &k.kern.word, &k.kern_row, &k.out_row,   &k.out.group, &k.out.beat};
    std::array<std::int64_t, kFifos> pushed{}, popped{};
    for (std::size_t i = 0; i < kFifos; ++i) {
      pushed[i] = fifos[i]->pushed();
      popped[i] = fifos[i]->popped();
    }
    AxiOutputs out;
    out.response_taken = k.out.port.responses.visible(now);
    const Cycles inp_busy = k.inp.port.busy_cycles, kern_busy = k.kern.port.busy_cycles;
    k.inp.step(now, *k.plan, k.column);
    k.kern.step(now, *k.plan, k.kern_row);
    k.step_array(now);
    k.out.step(now, *k.plan, k.out_row);
    account(k, verdict_.activities);
    for (std::size_t i = 0; i < kFifos; ++i) {
      events[i].push = fifos[i]->pushed() != pushed[i];
      events[i].pop = fifos[i]->popped() != popped[i];
      for (int lane = 0; events[i].push && lane < fifos[i]->width(); ++lane) {
        events[i].words.push_back(fpgpt::bits(fifos[i]->newest()[lane]));
      }
    }
    out.inp_address = k.inp.port.requested;
    out.inp_request = k.inp.port.request;
    out.kern_address = k.kern.port.requested;
    out.kern_request = k.kern.port.request;
    out.inp_beat_taken = k.inp.port.busy_cycles != inp_busy;
    out.kern_beat_taken = k.kern.port.busy_cycles != kern_busy;
    const fpgpt::WritePort& w = k.out.port;
    out.out_address = w.requested;
    out.out_request = w.request;
    out.beat_sent = w.beat_sent;
    for (int lane = 0; w.beat_sent && lane < k.plan->alpha.band; ++lane) {
      out.beat.push_back(fpgpt::bits(w.beat[static_cast<std::size_t>(lane)]));
      out.strobe.push_back(lane >= w.first_lane && lane < w.first_lane + w.lanes);
    }
    read(model_, Port::Inp, out.inp_address, out.inp_request, now, k.inp.port.data);
    read(model_, Port::Kern, out.kern_address, out.kern_request, now, k.kern.port.data);
    write(model_, out, now);
    return out;
  }

  AxiOutputs step_rtl(Cycles now, AxiInputs inputs, std::array<FifoEvent, kFifos>& events) {
    Side& h = hardware_;
    h.deliver(now);
    inputs.inp_beat = h.inp.visible(now) ? h.inp.front() : nullptr;
    inputs.kern_beat = h.kern.visible(now) ? h.kern.front() : nullptr;
    inputs.inp_last = !h.inp_bursts.empty() && h.inp_bursts.front() == 1;
    inputs.kern_last = !h.kern_bursts.empty() && h.kern_bursts.front() == 1;
    inputs.response = h.responses.visible(now);
    AxiOutputs out = rtl_.cycle(inputs, events);
    take(out.inp_beat_taken, h.inp, h.inp_bursts);
    take(out.kern_beat_taken, h.kern, h.kern_bursts);
    if (out.inp_address) h.inp_bursts.push_back(out.inp_request.beats);
    if (out.kern_address) h.kern_bursts.push_back(out.kern_request.beats);
    if (out.response_taken) h.responses.pop();
    read(h, Port::Inp, out.inp_address, out.inp_request, now, h.inp);
    read(h, Port::Kern, out.kern_address, out.kern_request, now, h.kern);
    write(h, out, now);
    return out;
  }

  static void take(bool taken, fpgpt::BeatQueue& beats, std::deque<int>& bursts) {
    if (!taken) return;
    beats.pop();
    if (--bursts.front() == 0) bursts.pop_front();
  }
  static void move_visible(fpgpt::BeatQueue& from, fpgpt::BeatQueue& to, Cycles now) {
    while (from.visible(now)) {
      to.push(from.next_visible());
      from.pop();
    }
  }

  void read(Side& side, Port port, bool requested, const fpgpt::BurstRequest& request, Cycles now,
            fpgpt::BeatQueue& words) {
    if (!requested) return;
    side.memory->send_read(port_id(port), now, request.address, request.beats);
    words.push_words(store(side, port).words(request.address),
                     static_cast<std::size_t>(request.beats) * static_cast<std::size_t>(kernel_.plan->alpha.band));
  }
  void write(Side& side, const AxiOutputs& out, Cycles now) {
    if (out.out_address) {
      side.memory->send_write(port_id(Port::Out), now, out.out_request.address, out.out_request.beats);
      side.write_address = out.out_request.address;
    }
    if (!out.beat_sent) return;
    side.memory->send_write_beat(port_id(Port::Out), now);
    float* const words = store(side, Port::Out).words(side.write_address);
    for (std::size_t lane = 0; lane < out.beat.size(); ++lane) {
      if (out.strobe[lane]) words[lane] = fpgpt::from_bits(out.beat[lane]);
    }
    side.write_address += kernel_.plan->alpha.beat_bytes();
  }

  static std::string compare(const FifoEvent& model, const FifoEvent& rtl) {
    const auto yes = [](bool value) { return value ? "yes" : "no"; };
    if (model.push != rtl.push) return fmt::format(" push: model {}, RTL {}", yes(model.push), yes(rtl.push));
    if (model.pop != rtl.pop) return fmt::format(" pop: model {}, RTL {}", yes(model.pop), yes(rtl.pop));
    for (std::size_t lane = 0; model.push && lane < rtl.words.size(); ++lane) {
      const std::uint32_t word = lane < model.words.size() ? model.words[lane] : 0;
      if (word != rtl.words[lane])
        return fmt::format(" lane {}: model {:08x}, RTL {:08x}", lane, word, rtl.words[lane]);
    }
    return "";
  }

  void remember(std::size_t fifo, Cycles now, const FifoEvent& event) {
    if (!event.push && !event.pop) return;
    verdict_.handshakes += event.push + event.pop;
    std::deque<std::string>& history = history_[fifo];
    history.push_back(fmt::format("{}{}{}", now, event.push ? fmt::format(" push {:08x}..", event.words[0]) : "",
                                  event.pop ? " pop" : ""));
    if (history.size() > kHistory) history.pop_front();
  }
  std::string history_text(std::size_t fifo) const {
    std::string text;
    for (const std::string& event : history_[fifo]) text += (text.empty() ? "" : ", ") + event;
    return text.empty() ? "nothing" : text;
  }

  static std::string describe(const AxiOutputs& m, const AxiOutputs& r) {
    std::string text;
    const auto request = [&](const char* name, bool a, const fpgpt::BurstRequest& x, bool b,
                             const fpgpt::BurstRequest& y) {
      const auto one = [](bool valid, const fpgpt::BurstRequest& q) {
        return valid ? fmt::format("{} beats at {}", q.beats, q.address) : std::string("none");
      };
      if (one(a, x) != one(b, y)) text += fmt::format("{}: model {}, RTL {}; ", name, one(a, x), one(b, y));
    };
    const auto flag = [&](const char* name, bool a, bool b) {
      if (a != b) text += fmt::format("{}: only the {}; ", name, a ? "model" : "RTL");
    };
    request("inp AR", m.inp_address, m.inp_request, r.inp_address, r.inp_request);
    request("kern AR", m.kern_address, m.kern_request, r.kern_address, r.kern_request);
    request("out AW", m.out_address, m.out_request, r.out_address, r.out_request);
    flag("inp R", m.inp_beat_taken, r.inp_beat_taken);
    flag("kern R", m.kern_beat_taken, r.kern_beat_taken);
    flag("out B", m.response_taken, r.response_taken);
    flag("out W", m.beat_sent, r.beat_sent);
    if (m.beat != r.beat) text += "out W: other words; ";
    if (m.strobe != r.strobe) text += "out W: other strobes; ";
    return text;
  }

  RtlKernel& rtl_;
  fpgpt::Kernel kernel_;
  Channels channels_;
  int refuse_percent_;
  std::mt19937_64 random_;
  Side model_, hardware_;
  std::array<std::deque<std::string>, kFifos> history_;
  Verdict verdict_;
};

}  // namespace

Verdict run_lockstep(RtlKernel& rtl, const fpgpt::Plan& plan, std::vector<memory::Store>& stores,
                     const Surroundings& surroundings) {
  Lockstep lockstep(rtl, plan, stores, surroundings);
  Verdict verdict = lockstep.run();
  stores = std::move(lockstep.contents());
  return verdict;
}

}  // namespace weft::cosim
