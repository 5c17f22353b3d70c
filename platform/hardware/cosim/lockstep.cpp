#include "platform/hardware/cosim/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include "kernels/fp32.h"
#include "model/core/error.h"
#include "platform/hardware/cosim/axi_side.h"

namespace weft::cosim {

namespace {

constexpr std::size_t kHistory = 3;
constexpr const char *kPush = "push", *kWrite = "W";  // signals
constexpr Cycles kLongestDrain = 1'000'000;
constexpr int kQuiet = 8;  // cycles without an open burst before the result is read

bool is_read(const PortInfo& port) {
  return port.direction == PortDirection::Read;
}
const char* address_channel(const PortInfo& port) {
  return is_read(port) ? "AR" : "AW";
}

// A word as a number; nothing: not a number, or infinite. Without floats: the model's arithmetic has no subnormal ones.
std::optional<double> value_of(std::uint32_t word, bool floats) {
  if (!floats) return static_cast<std::int32_t>(word);
  const int exponent = static_cast<int>(word >> 23 & 0xFF), fraction = static_cast<int>(word & 0x7FFFFF);
  if (exponent == 0xFF) return {};
  const double value = std::ldexp(exponent == 0 ? fraction : fraction | 0x800000, std::max(exponent, 1) - 150);
  return word >> 31 != 0 ? -value : value;
}

std::string value_text(const std::string& word, const std::optional<double>& value) {
  return value ? fmt::format("{} ({:.9g})", word, *value) : word;
}

// Number of a word in the order of the numbers; neighbours differ by one.
std::int64_t rank_of(std::uint32_t word, bool floats) {
  const auto number = static_cast<std::int32_t>(word);
  if (!floats || number >= 0) return number;
  return -static_cast<std::int64_t>(word & 0x7FFFFFFF);
}

// Difference of two words, or of two other values of a signal.
Difference words_differ(std::uint32_t model, std::uint32_t rtl, bool floats) {
  Difference d;
  d.model = fmt::format("{:08x}", model);
  d.rtl = fmt::format("{:08x}", rtl);
  d.model_value = value_of(model, floats);
  d.rtl_value = value_of(rtl, floats);
  if (d.model_value && d.rtl_value) d.ulps = std::abs(rank_of(model, floats) - rank_of(rtl, floats));
  return d;
}
Difference differ(const char* signal, std::string model, std::string rtl) {
  Difference d;
  d.signal = signal;
  d.model = std::move(model);
  d.rtl = std::move(rtl);
  return d;
}
Difference differ(const char* signal, bool model) {
  return differ(signal, model ? "yes" : "no", model ? "no" : "yes");
}
Difference in_lane(std::size_t lane, const char* signal, Difference d) {
  d.signal = signal;
  d.lane = static_cast<std::int64_t>(lane);
  return d;
}

std::string burst_text(const PortEvents& port) {
  return port.address ? fmt::format("{} beats at {}", port.request.beats, port.request.address) : "none";
}

std::optional<Difference> compare(const FifoEvent& model, const FifoEvent& rtl, bool floats) {
  if (model.push != rtl.push) return differ(kPush, model.push);
  if (model.pop != rtl.pop) return differ("pop", model.pop);
  for (std::size_t lane = 0; model.push && lane < rtl.words.size(); ++lane) {
    const std::uint32_t word = lane < model.words.size() ? model.words[lane] : 0;
    if (word != rtl.words[lane]) return in_lane(lane, kPush, words_differ(word, rtl.words[lane], floats));
  }
  return {};
}

std::optional<Difference> compare(const PortInfo& port, const PortEvents& model, const PortEvents& rtl, bool floats) {
  const std::string burst = burst_text(model), rtl_burst = burst_text(rtl);
  if (burst != rtl_burst) return differ(address_channel(port), burst, rtl_burst);
  if (model.beat != rtl.beat) return differ(is_read(port) ? "R" : kWrite, model.beat);
  if (model.response != rtl.response) return differ("B", model.response);
  if (is_read(port) || !model.beat) return {};
  if (model.last != rtl.last) return differ("WLAST", model.last);
  for (std::size_t lane = 0; lane < std::min(model.words.size(), rtl.words.size()); ++lane) {
    if (model.words[lane] != rtl.words[lane]) {
      return in_lane(lane, kWrite, words_differ(model.words[lane], rtl.words[lane], floats));
    }
    if (model.strobe[lane] != rtl.strobe[lane]) return in_lane(lane, "WSTRB", differ("", model.strobe[lane]));
  }
  return {};
}

// Transfers of one FIFO or one port: their numbers, and the last ones.
class History {
 public:
  std::int64_t addresses = 0, beats = 0, responses = 0;  // beats: also pushes; responses: also pops

  void add(Cycles now, const FifoEvent& fifo) {
    if (!fifo.push && !fifo.pop) return;
    beats += fifo.push;
    responses += fifo.pop;
    keep({now, fifo, {}});
  }
  void add(Cycles now, const PortEvents& port) {
    if (port.transfers() == 0) return;
    addresses += port.address;
    beats += port.beat;
    responses += port.response;
    keep({now, {}, port});
  }

  // Texts of the last transfers, with the word in `lane`. `port`: null for a FIFO.
  std::vector<std::string> texts(std::size_t lane, const PortInfo* port, bool floats) const {
    std::vector<std::string> texts;
    for (const Past& each : past_) {
      std::string text = fmt::format("cycle {}:", each.cycle);
      const auto word = [&](const std::vector<std::uint32_t>& words) {
        if (lane >= words.size()) return std::string();
        return " " + value_text(fmt::format("{:08x}", words[lane]), value_of(words[lane], floats));
      };
      if (each.fifo.push) text += " push" + word(each.fifo.words);
      if (each.fifo.pop) text += " pop";
      if (each.port.address) text += fmt::format(" {} {}", address_channel(*port), burst_text(each.port));
      if (each.port.beat) text += is_read(*port) ? " R" : " W" + word(each.port.words);
      if (each.port.response) text += " B";
      texts.push_back(std::move(text));
    }
    return texts;
  }

 private:
  struct Past {
    Cycles cycle = 0;
    FifoEvent fifo;
    PortEvents port;
  };
  void keep(Past past) {
    past_.push_back(std::move(past));
    if (past_.size() > kHistory) past_.pop_front();
  }

  std::deque<Past> past_;
};

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
        fifo_history_(topology_.fifos.size()),
        port_history_(topology_.ports.size()) {
    nothing_.fifos.resize(topology_.fifos.size());
    nothing_.ports.resize(topology_.ports.size());
  }

  Verdict run(std::vector<memory::Store>& stores) {
    const RtlStart start = convolution_.start();
    const RtlStarted started = rtl_.start(start);
    if (!started.runs) {
      differs(fmt::format("the RTL refuses beta with status {}", rtl_.status()));
      return verdict_;
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
  void differs(Difference difference) {
    verdict_.first = std::move(difference);
    verdict_.difference = text(verdict_.first);
  }
  void differs(std::string what) {
    Difference difference;
    difference.what = std::move(what);
    differs(std::move(difference));
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
    if (waves_) rtl_.show_model(model);
    step_rtl(now);
    if (shown_) shown_->observer->after(now, events_);
    verdict_.cycles = now + 1;
    std::optional<Difference> found = compare_cycle(model);
    if (const std::string failed = rtl_.failed_assertion(); !found && !failed.empty()) {
      found.emplace().what = "assertion of the RTL: " + failed;
    }
    if (found) {
      found->cycle = now;
      differs(std::move(*found));
      return;
    }
    for (std::size_t i = 0; i < model.fifos.size(); ++i) {
      verdict_.handshakes += model.fifos[i].push + model.fifos[i].pop;
      fifo_history_[i].add(now, model.fifos[i]);
    }
    for (std::size_t i = 0; i < model.ports.size(); ++i) {
      const PortEvents& port = model.ports[i];
      verdict_.handshakes += port.transfers();
      port_history_[i].add(now, port);
      if (port.address) verdict_.longest_burst = std::max(verdict_.longest_burst, port.request.beats);
      if (is_read(topology_.ports[i])) continue;
      if (port.address) write_left_[i] = port.request.beats;
      write_left_[i] -= port.beat;
    }
  }

  std::optional<Difference> compare_cycle(const CycleEvents& model) const {
    const bool floats = convolution_.floats();
    for (std::size_t i = 0; i < model.fifos.size(); ++i) {
      auto found = compare(model.fifos[i], events_.fifos[i], floats);
      if (!found) continue;
      const FifoInfo& fifo = topology_.fifos[i];
      const bool push = found->signal == kPush;
      found->fifo = fifo.name;
      found->block = push ? fifo.producer : fifo.consumer;
      found->token = push ? fifo_history_[i].beats : fifo_history_[i].responses;
      return completed(std::move(*found), i, nullptr, fifo_history_[i]);
    }
    for (std::size_t i = 0; i < model.ports.size(); ++i) {
      const PortInfo& port = topology_.ports[i];
      auto found = compare(port, model.ports[i], events_.ports[i], floats);
      if (!found) continue;
      const History& history = port_history_[i];
      found->block = port.block;
      found->token = found->signal == address_channel(port) ? history.addresses
                     : found->signal == "B"                 ? history.responses
                                                            : history.beats;
      // A beat that is written is the token of a FIFO; beats that are read may be discarded.
      std::size_t fifo = found->signal[0] == *kWrite ? 0 : topology_.fifos.size();
      while (fifo < topology_.fifos.size() && std::string_view(topology_.fifos[fifo].consumer) != port.block) ++fifo;
      return completed(std::move(*found), fifo, &port, history);
    }
    return {};
  }

  // Adds instance, place and history. `fifo`: that has the token; the number of FIFOs: none.
  Difference completed(Difference d, std::size_t fifo, const PortInfo* port, const History& history) const {
    d.in = convolution_.instance_of(find_index(topology_.blocks, d.block));
    std::optional<std::size_t> lane;
    if (d.lane) lane = static_cast<std::size_t>(*d.lane);
    if (fifo < topology_.fifos.size()) d.place = convolution_.place(fifo, *d.token, lane);
    d.before = history.texts(lane.value_or(0), port, convolution_.floats());
    return d;
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
        Difference difference = words_differ(model, rtl, convolution_.floats());
        difference.what = fmt::format("memory channel {}, byte {}", i, at);
        differs(std::move(difference));
        return;
      }
    }
  }

  void switch_waves(Cycles now) {
    if (!waves_) return;
    if (now == waves_->from) {
      const Rational period_ps = 1'000'000 / environment_.memory.kernel_clock;
      waves_written_ = rtl_.waves_on(waves_->file, {now, period_ps.numerator(), period_ps.denominator()});
    }
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
  std::vector<History> fifo_history_, port_history_;
  Verdict verdict_;
};

std::string not_done(const RtlKernel& rtl, Cycles limit, Words written, Words all) {
  const std::string failed = rtl.failed_assertion();
  return fmt::format("the RTL is not done after {} cycles: {} of {} words of OUT are written{}", limit, written, all,
                     failed.empty() ? "" : "; " + failed);
}

}  // namespace

Place place_of(std::int64_t number, const std::vector<Trip>& trips) {
  Place place;
  for (const Trip& trip : trips) {
    place.emplace(place.begin(), trip.name, number % trip.count);
    number /= trip.count;
  }
  return place;
}

std::string text(const Difference& d) {
  std::string text = d.cycle ? fmt::format("cycle {}: ", *d.cycle) : "";
  if (d.signal.empty()) {
    text += d.what;
  } else {
    text += fmt::format("{} ({}, {}), {} {} {}", d.block, d.in.instance, d.in.file,
                        d.fifo.empty() ? "AXI" : "FIFO " + d.fifo, d.signal, *d.token);
  }
  if (d.lane) text += fmt::format(" lane {}", *d.lane);
  if (!d.model.empty()) {
    text += fmt::format(": model {}, RTL {}", value_text(d.model, d.model_value), value_text(d.rtl, d.rtl_value));
  }
  if (d.ulps) text += fmt::format(", {} unit{} in the last place apart", *d.ulps, *d.ulps == 1 ? "" : "s");
  std::string place;
  for (const auto& [name, value] : d.place) place += fmt::format("{} {} {}", place.empty() ? ";" : ",", name, value);
  std::replace(place.begin(), place.end(), '_', ' ');
  text += place;
  if (d.signal.empty()) return text;
  return text + (d.before.empty() ? "; no transfer before" : fmt::format("; before: {}", fmt::join(d.before, ", ")));
}

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
