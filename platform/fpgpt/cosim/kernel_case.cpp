#include "platform/fpgpt/cosim/kernel_case.h"

#include <algorithm>

#include "model/fpgpt/launch.h"
#include "model/fpgpt/sizing.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/fpgpt/cosim/probe.h"
#include "platform/fpgpt/rtl/parameters.h"

namespace weft::fpgpt {

namespace {

std::array<int, kPorts> channel_of_port(const std::vector<int>& channels) {
  std::array<int, kPorts> result{};
  std::copy_n(channels.begin(), kPorts, result.begin());
  return result;
}

// Hands what the platform's run shows to a watcher.
class PlatformWatch : public systemc::Observer {
 public:
  PlatformWatch(const Plan& plan, cosim::Watcher& watcher) : probe_(plan), watcher_(watcher) {}

  systemc::Ready ready() override {
    const std::vector<cosim::PortReady>& ports = watcher_.ready();
    const auto of = [&](Port port) { return ports[static_cast<std::size_t>(port)]; };
    return {of(Port::Inp).address, of(Port::Kern).address, of(Port::Out).address, of(Port::Out).data};
  }
  bool after(Cycles now, const Kernel& kernel) override {
    probe_.look(kernel, events_);
    return watcher_.after(now, events_);
  }

 private:
  KernelProbe probe_;
  cosim::Watcher& watcher_;
  cosim::CycleEvents events_;
};

}  // namespace

cosim::Hardware hardware(const Alpha& alpha, std::int64_t max_sets) {
  cosim::Hardware hardware{&topology(), rtl_kernel(alpha, max_sets), alpha.band, {}};
  for (std::size_t i = 0; i < kFifos; ++i) hardware.fifo_words.push_back(widest_token(alpha, static_cast<FifoId>(i)));
  return hardware;
}

// REGISTERS.md
cosim::RtlStart rtl_start(const conv::Convolution& c) {
  const auto word = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::int64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  const std::uint32_t kind = c.kind == conv::Kind::F ? 0 : c.kind == conv::Kind::GI ? 1 : 2;
  return {{kind,
           word(c.a),
           word(c.n_inp),
           word(c.n_kern),
           word(c.c),
           word(c.h.inp),
           word(c.w.inp),
           word(c.h.kern),
           word(c.w.kern),
           word(c.h.out),
           word(c.w.out),
           word(c.h.stride),
           word(c.w.stride),
           word(c.h.pad_begin),
           word(c.w.pad_begin),
           word(c.h.inp_dilation),
           word(c.w.inp_dilation),
           word(c.h.kern_dilation),
           word(c.w.kern_dilation),
           word(c.inp.base),
           high(c.inp.base),
           word(c.kern.base),
           high(c.kern.base),
           word(c.out.base),
           high(c.out.base),
           word(c.inp.pitch_a),
           word(c.inp.pitch_n),
           word(c.inp.pitch_c),
           word(c.kern.pitch_a),
           word(c.out.pitch_n)},
          launch_cycles(c)};
}

cosim::ModelCounts KernelCase::run_model(const cosim::Surroundings& surroundings, std::vector<memory::Store>& stores,
                                         cosim::Watcher& watcher) const {
  const std::unique_ptr<memory::Memory> memory = memory::make_memory(surroundings.memory);
  PlatformWatch watch(plan_, watcher);
  const ConvolutionResult result =
      systemc::virtual_platform().run(plan_, *memory, channel_of_port(surroundings.channels), &stores, &watch);
  return {result.cycles, result.drain_cycles + kDoneCycles, {result.activities.begin(), result.activities.end()}};
}

}  // namespace weft::fpgpt
