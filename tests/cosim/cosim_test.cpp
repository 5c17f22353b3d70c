#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <random>

#include "kernels/fpgpt/fp32.h"
#include "model/core/error.h"
#include "model/fpgpt/kernel.h"
#include "model/memory/config.h"
#include "tests/cosim/rtl_kernel.h"
#include "tests/support/random_layer.h"
#include "tests/support/run_data.h"

// The RTL, written from the contract alone, and the model, side by side: every handshake of every FIFO and AXI channel in every
// cycle, every word, OUT, and the number of cycles. Zero difference is the only pass.
namespace weft {
namespace {

using conv::Kind;
using fpgpt::Port;
using fpgpt::port_id;

// How the AXI side disturbs the kernel: the memory behind it, and how often it is not ready.
struct Disturbance {
  memory::MemoryConfig memory;
  int refuse_percent = 0;
};

memory::MemoryConfig memory_config(test::Random& random, const fpgpt::Alpha& alpha) {
  memory::MemoryConfig config;
  config.kernel_clock = test::pick(random, 0, 1) ? Frequency{100, 1} : Frequency{300, 1};
  config.beat_bytes = alpha.beat_bytes();
  config.port_channel = {0, test::pick(random, 0, 1), test::pick(random, 0, 2)};
  config.channels = 3;
  config.latency_cycles = test::pick(random, 0, 30);
  config.ideal_latency_cycles = test::pick(random, 0, 9);
  config.kind = test::pick(random, 0, 1) ? memory::MemoryKind::ddr4 : memory::MemoryKind::ideal;
  config.ddr4.auto_precharge_a3 = test::pick(random, 0, 1) != 0;
  return config;
}

// One side's view of its memory: beats and responses that have become known.
struct Side {
  std::unique_ptr<memory::Memory> memory;
  std::vector<memory::Store> stores;
  fpgpt::BeatQueue inp, kern, responses;
  std::deque<int> inp_bursts, kern_bursts;  // beats still to come of the open bursts, for RLAST

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
  Lockstep(test::RtlKernel& rtl, const fpgpt::Plan& plan, const std::vector<memory::Store>& stores,
           const test::Channels& channels, const Disturbance& disturbance, std::uint64_t seed)
      : rtl_(rtl),
        kernel_(std::make_shared<const fpgpt::Plan>(plan)),
        channels_(channels),
        refuse_percent_(disturbance.refuse_percent),
        random_(seed) {
    model_ = side(disturbance.memory, stores, plan.alpha.band);
    hardware_ = side(disturbance.memory, stores, plan.alpha.band);
    kernel_.inp.port.data = fpgpt::BeatQueue(plan.alpha.band);
    kernel_.kern.port.data = fpgpt::BeatQueue(plan.alpha.band);
  }

  // Empty, or what differed first.
  std::string run() {
    const fpgpt::PeArithmetic arithmetic;
    rtl_.start(kernel_.plan->beta);
    std::string difference;
    for (Cycles now = 0; difference.empty() && !kernel_.done(); ++now) {
      if (now > 3'000'000) return "neither ends";
      difference = step(now);
      cycles_ = now + 1;
    }
    if (!difference.empty()) return difference;
    drain();
    if (!rtl_.finish()) return "the RTL does not report done";
    for (std::size_t i = 0; i < model_.stores.size(); ++i) {
      const std::vector<float> a = test::contents(model_.stores[i]), b = test::contents(hardware_.stores[i]);
      for (std::size_t word = 0; word < a.size(); ++word) {
        if (fpgpt::bits(a[word]) != fpgpt::bits(b[word])) return "word " + std::to_string(word) + " of OUT differs";
      }
    }
    return "";
  }
  Cycles cycles() const { return cycles_; }
  const fpgpt::BlockActivities& activities() const { return activities_; }

 private:
  // T ends with the last write response; beats that are read to be discarded may still be under way (GEN-6).
  void drain() {
    std::array<test::FifoEvent, test::kFifos> ignored;
    int quiet = 0;
    for (Cycles now = cycles_; quiet < 8 && now < cycles_ + 1'000'000; ++now) {
      step_rtl(now, {}, ignored);
      quiet = hardware_.inp_bursts.empty() && hardware_.kern_bursts.empty() ? quiet + 1 : 0;
    }
  }

  static Side side(const memory::MemoryConfig& config, const std::vector<memory::Store>& stores, int band) {
    Side result;
    result.memory = memory::make_memory(config);
    result.stores = stores;
    result.inp = result.kern = fpgpt::BeatQueue(band);
    return result;
  }
  memory::Store& store(Side& side, Port port) {
    return side.stores[static_cast<std::size_t>(channels_[static_cast<std::size_t>(port)])];
  }
  bool ready() { return test::pick(random_, 0, 99) >= refuse_percent_; }

  std::string step(Cycles now) {
    test::AxiInputs inputs;
    inputs.inp_arready = ready();
    inputs.kern_arready = ready();
    inputs.out_awready = ready();
    inputs.out_wready = inputs.out_awready && ready();  // no beat before its address
    std::array<test::FifoEvent, test::kFifos> model_fifos, rtl_fifos;
    const test::AxiOutputs model = step_model(now, inputs, model_fifos);
    const test::AxiOutputs rtl = step_rtl(now, inputs, rtl_fifos);
    std::string text;
    for (std::size_t i = 0; i < test::kFifos && text.empty(); ++i) text = compare(i, model_fifos[i], rtl_fifos[i]);
    if (text.empty() && !(model == rtl)) text = "AXI: " + describe(model, rtl);
    return text.empty() ? "" : "cycle " + std::to_string(now) + ": " + text;
  }

  test::AxiOutputs step_model(Cycles now, const test::AxiInputs& inputs,
                              std::array<test::FifoEvent, test::kFifos>& events) {
    fpgpt::Kernel& k = kernel_;
    model_.deliver(now);
    k.inp.port.ready = inputs.inp_arready;
    k.kern.port.ready = inputs.kern_arready;
    k.out.port.address_ready = inputs.out_awready;
    k.out.port.data_ready = inputs.out_wready;
    // The model's ports hold the queues; words travel with them.
    move_runs(model_.inp, k.inp.port.data, now);
    move_runs(model_.kern, k.kern.port.data, now);
    move_runs(model_.responses, k.out.port.responses, now);
    const bool inp_visible = k.inp.port.data.visible(now), kern_visible = k.kern.port.data.visible(now);
    const bool response = k.out.port.responses.visible(now);
    const std::array<Fifo*, test::kFifos> fifos{&k.inp.beat,  &k.inp.word, &k.inp.group, &k.column,    &k.kern.beat,
                                                &k.kern.word, &k.kern_row, &k.out_row,   &k.out.group, &k.out.beat};
    std::array<std::int64_t, test::kFifos> pushed{}, popped{};
    for (std::size_t i = 0; i < fifos.size(); ++i) {
      pushed[i] = fifos[i]->pushed();
      popped[i] = fifos[i]->popped();
    }
    const Cycles inp_busy = k.inp.port.busy_cycles, kern_busy = k.kern.port.busy_cycles;
    k.inp.step(now, *k.plan, k.column);
    k.kern.step(now, *k.plan, k.kern_row);
    k.step_array(now);
    k.out.step(now, *k.plan, k.out_row);
    account(k, activities_);
    for (std::size_t i = 0; i < fifos.size(); ++i) {
      events[i].push = fifos[i]->pushed() != pushed[i];
      events[i].pop = fifos[i]->popped() != popped[i];
      if (!events[i].push) continue;
      for (int lane = 0; lane < fifos[i]->width(); ++lane) {
        events[i].words.push_back(fpgpt::bits(fifos[i]->newest()[lane]));
      }
    }
    test::AxiOutputs out;
    read(model_, Port::Inp, k.inp.port.requested, k.inp.port.request, now, &k.inp.port.data);
    read(model_, Port::Kern, k.kern.port.requested, k.kern.port.request, now, &k.kern.port.data);
    out.inp_address = k.inp.port.requested;
    out.inp_request = k.inp.port.request;
    out.kern_address = k.kern.port.requested;
    out.kern_request = k.kern.port.request;
    out.inp_beat_taken = inp_visible && k.inp.port.busy_cycles != inp_busy;
    out.kern_beat_taken = kern_visible && k.kern.port.busy_cycles != kern_busy;
    out.response_taken = response;
    const fpgpt::WritePort& w = k.out.port;
    out.out_address = w.requested;
    out.out_request = w.request;
    out.beat_sent = w.beat_sent;
    if (w.beat_sent) {
      for (int lane = 0; lane < k.plan->alpha.band; ++lane) {
        out.beat.push_back(fpgpt::bits(w.beat[static_cast<std::size_t>(lane)]));
        out.strobe.push_back(lane >= w.first_lane && lane < w.first_lane + w.lanes);
      }
    }
    if (out.out_address) model_write_ = w.request.address;
    write(model_, out, now, model_write_);
    return out;
  }

  test::AxiOutputs step_rtl(Cycles now, test::AxiInputs inputs, std::array<test::FifoEvent, test::kFifos>& events) {
    hardware_.deliver(now);
    inputs.inp_beat = hardware_.inp.visible(now) ? hardware_.inp.front() : nullptr;
    inputs.kern_beat = hardware_.kern.visible(now) ? hardware_.kern.front() : nullptr;
    inputs.inp_last = !hardware_.inp_bursts.empty() && hardware_.inp_bursts.front() == 1;
    inputs.kern_last = !hardware_.kern_bursts.empty() && hardware_.kern_bursts.front() == 1;
    inputs.response = hardware_.responses.visible(now);
    const test::AxiOutputs out = rtl_.cycle(inputs, events);
    take(out.inp_beat_taken, hardware_.inp, hardware_.inp_bursts);
    take(out.kern_beat_taken, hardware_.kern, hardware_.kern_bursts);
    if (out.inp_address) hardware_.inp_bursts.push_back(out.inp_request.beats);
    if (out.kern_address) hardware_.kern_bursts.push_back(out.kern_request.beats);
    if (out.response_taken) hardware_.responses.pop();
    read(hardware_, Port::Inp, out.inp_address, out.inp_request, now, &hardware_.inp);
    read(hardware_, Port::Kern, out.kern_address, out.kern_request, now, &hardware_.kern);
    if (out.out_address) rtl_write_ = out.out_request.address;
    write(hardware_, out, now, rtl_write_);
    return out;
  }

  static void take(bool taken, fpgpt::BeatQueue& beats, std::deque<int>& bursts) {
    if (!taken) return;
    beats.pop();
    if (--bursts.front() == 0) bursts.pop_front();
  }

  static void move_runs(fpgpt::BeatQueue& from, fpgpt::BeatQueue& to, Cycles now) {
    while (from.visible(now)) {
      to.push(from.next_visible());
      from.pop();
    }
  }

  void read(Side& side, Port port, bool requested, const fpgpt::BurstRequest& request, Cycles now,
            fpgpt::BeatQueue* words) {
    if (!requested) return;
    side.memory->send_read(port_id(port), now, request.address, request.beats);
    words->push_words(store(side, port).words(request.address),
                      static_cast<std::size_t>(request.beats) * static_cast<std::size_t>(kernel_.plan->alpha.band));
  }

  void write(Side& side, const test::AxiOutputs& out, Cycles now, Address& at) {
    if (out.out_address) side.memory->send_write(port_id(Port::Out), now, out.out_request.address, out.out_request.beats);
    if (!out.beat_sent) return;
    side.memory->send_write_beat(port_id(Port::Out), now);
    float* const words = store(side, Port::Out).words(at);
    for (std::size_t lane = 0; lane < out.beat.size(); ++lane) {
      if (out.strobe[lane]) words[lane] = fpgpt::from_bits(out.beat[lane]);
    }
    at += kernel_.plan->alpha.beat_bytes();
  }

  static std::string compare(std::size_t fifo, const test::FifoEvent& model, const test::FifoEvent& rtl) {
    const std::string name = test::kFifoNames[fifo];
    const auto yes = [](bool value) { return value ? std::string("yes") : std::string("no"); };
    if (model.push != rtl.push) return name + " push: model " + yes(model.push) + ", RTL " + yes(rtl.push);
    if (model.pop != rtl.pop) return name + " pop: model " + yes(model.pop) + ", RTL " + yes(rtl.pop);
    for (std::size_t lane = 0; model.push && lane < rtl.words.size(); ++lane) {
      const std::uint32_t word = lane < model.words.size() ? model.words[lane] : 0;
      if (word == rtl.words[lane]) continue;
      char text[96];
      std::snprintf(text, sizeof text, " lane %zu: model %08x, RTL %08x", lane, word, rtl.words[lane]);
      return name + text;
    }
    return "";
  }

  static std::string describe(const test::AxiOutputs& m, const test::AxiOutputs& r) {
    const auto request = [](const char* name, bool a, const fpgpt::BurstRequest& x, bool b, const fpgpt::BurstRequest& y) {
      const auto one = [](bool valid, const fpgpt::BurstRequest& q) {
        return valid ? std::to_string(q.beats) + " beats at " + std::to_string(q.address) : std::string("none");
      };
      return one(a, x) == one(b, y) ? std::string() : name + (" model " + one(a, x)) + ", RTL " + one(b, y) + "; ";
    };
    std::string text = request("inp AR", m.inp_address, m.inp_request, r.inp_address, r.inp_request) +
                       request("kern AR", m.kern_address, m.kern_request, r.kern_address, r.kern_request) +
                       request("out AW", m.out_address, m.out_request, r.out_address, r.out_request);
    const auto flag = [&](const char* name, bool a, bool b) {
      if (a != b) text += std::string(name) + (a ? " only the model; " : " only the RTL; ");
    };
    flag("inp R", m.inp_beat_taken, r.inp_beat_taken);
    flag("kern R", m.kern_beat_taken, r.kern_beat_taken);
    flag("out B", m.response_taken, r.response_taken);
    flag("out W", m.beat_sent, r.beat_sent);
    if (m.beat != r.beat) text += "out W words; ";
    if (m.strobe != r.strobe) text += "out W strobes; ";
    return text;
  }

  test::RtlKernel& rtl_;
  fpgpt::Kernel kernel_;
  test::Channels channels_;
  int refuse_percent_;
  test::Random random_;
  Side model_, hardware_;
  Address model_write_ = 0, rtl_write_ = 0;
  Cycles cycles_ = 0;
  fpgpt::BlockActivities activities_{};
};

// A random convolution that the compiled kernel can hold, placed in memory with random contents.
struct Case {
  test::DataCase data;
  test::Channels channels;
  Disturbance disturbance;
};

std::optional<Case> random_case(std::uint64_t seed) {
  test::Random random(seed);
  const fpgpt::Alpha& alpha = test::RtlKernel::alpha();
  const conv::Layer layer = test::random_layer(random);
  const auto kind = static_cast<Kind>(test::pick(random, 0, 2));
  const int group = test::pick(random, 0, layer.groups - 1);
  const conv::Convolution c = workloads::lower(layer, kind, group);
  if (c.a * c.n_inp * c.n_kern * c.out_map() * c.m() > 60000) return std::nullopt;
  if (ceil_div(c.out_map(), alpha.x) > test::RtlKernel::max_sets()) return std::nullopt;
  Case result;
  result.disturbance.memory = memory_config(random, alpha);
  result.disturbance.refuse_percent = test::pick(random, 0, 2) * 30;
  const std::vector<int>& map = result.disturbance.memory.port_channel;
  result.channels = {map[0], map[1], map[2]};
  try {
    result.data = test::make_case(layer, kind, group, alpha, seed, result.channels);
  } catch (const Error&) {
    return std::nullopt;  // beyond the compiled sizes
  }
  return result;
}

TEST(Cosim, RtlAndModelAgreeInEveryHandshakeOfRandomConvolutions) {
  test::RtlKernel rtl;  // one kernel for all, as hardware
  std::array<int, 3> kinds{};
  fpgpt::BlockActivities seen{};
  Cycles cycles = 0;
  int done = 0;
  for (std::uint64_t seed = 1; done < WEFT_COSIM_COUNT; ++seed) {
    ASSERT_LT(seed, 200000U);
    const std::optional<Case> each = random_case(seed);
    if (!each) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Lockstep lockstep(rtl, each->data.plan, each->data.memory.channels, each->channels, each->disturbance, seed);
    ASSERT_EQ(lockstep.run(), "");
    ++done;
    ++kinds.at(static_cast<std::size_t>(each->data.plan.beta.kind));
    cycles += lockstep.cycles();
    for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
      for (std::size_t i = 0; i < 4; ++i) seen[block].cycles[i] += lockstep.activities()[block].cycles[i];
    }
  }
  for (const int count : kinds) EXPECT_GE(count, WEFT_COSIM_COUNT / 8);
  for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
    const char* name = to_string(static_cast<fpgpt::Block>(block));
    EXPECT_GT(seen[block].of(Activity::Active), 0) << name;
    EXPECT_GT(seen[block].of(Activity::Starved), 0) << name;
  }
  std::printf("%d convolutions (%d F, %d GI, %d GW), %lld cycles\n", done, kinds[0], kinds[1], kinds[2],
              static_cast<long long>(cycles));
}

}  // namespace
}  // namespace weft
