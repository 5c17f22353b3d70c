#include "platform/cosim/rtl_run.h"

#include <array>
#include <deque>
#include <memory>
#include <string>

#include "kernels/fpgpt/fp32.h"
#include "model/core/error.h"
#include "model/memory/memory.h"

namespace weft::cosim {

namespace {

using fpgpt::Port;
using fpgpt::port_id;

// A read port between the memory and the kernel.
struct ReadPort {
  ReadPort(Port port, memory::Memory& memory, memory::Store& store, int band)
      : port(port), memory(memory), store(store), band(band), beats(band) {}

  void deliver() {
    for (Cycles visible; (visible = memory.next_read_beat(port_id(port))) != kNever;) {
      memory.take_read_beat(port_id(port), visible);
      beats.push(visible);
    }
  }
  const float* beat(Cycles now) const { return beats.visible(now) ? beats.front() : nullptr; }
  bool last() const { return !bursts.empty() && bursts.front() == 1; }
  void after(Cycles now, bool taken, bool requested, const fpgpt::BurstRequest& request) {
    if (taken) {
      beats.pop();
      if (--bursts.front() == 0) bursts.pop_front();
    }
    if (!requested) return;
    memory.send_read(port_id(port), now, request.address, request.beats);
    beats.push_words(store.words(request.address),
                     static_cast<std::size_t>(request.beats) * static_cast<std::size_t>(band));
    bursts.push_back(request.beats);
  }

  Port port;
  memory::Memory& memory;
  memory::Store& store;
  int band;
  fpgpt::BeatQueue beats;
  std::deque<int> bursts;  // beats still to come of the open bursts
};

// The write port, and what of OUT is still missing.
struct WriteSide {
  WriteSide(memory::Memory& memory, memory::Store& store, Words missing)
      : memory(memory), store(store), missing(missing) {}

  void deliver() {
    for (Cycles visible; (visible = memory.next_write_response(port_id(Port::Out))) != kNever;) {
      memory.take_write_response(port_id(Port::Out), visible);
      responses.push(visible);
    }
  }
  void after(Cycles now, const AxiOutputs& out) {
    if (out.response_taken) {
      responses.pop();
      --open;
    }
    if (out.out_address) {
      memory.send_write(port_id(Port::Out), now, out.out_request.address, out.out_request.beats);
      address = out.out_request.address;
      ++open;
    }
    if (!out.beat_sent) return;
    memory.send_write_beat(port_id(Port::Out), now);
    float* const words = store.words(address);
    for (std::size_t lane = 0; lane < out.beat.size(); ++lane) {
      if (!out.strobe[lane]) continue;
      words[lane] = fpgpt::from_bits(out.beat[lane]);
      --missing;
    }
    address += static_cast<Address>(out.beat.size() * sizeof(float));
  }
  bool done() const { return missing == 0 && open == 0; }

  memory::Memory& memory;
  memory::Store& store;
  Words missing;
  int open = 0;  // bursts without a response
  Address address = 0;
  fpgpt::BeatQueue responses;
};

}  // namespace

Cycles run_rtl(RtlKernel& rtl, const fpgpt::Plan& plan, const memory::MemoryConfig& config,
               const std::array<int, fpgpt::kPorts>& channels, std::vector<memory::Store>& stores) {
  constexpr int kQuiet = 8;  // cycles without an open read before the kernel is asked how it went
  const conv::Convolution& beta = plan.beta;
  const std::unique_ptr<memory::Memory> memory = memory::make_memory(config);
  const auto store = [&](Port port) -> memory::Store& {
    return stores[static_cast<std::size_t>(channels[static_cast<std::size_t>(port)])];
  };
  ReadPort inp(Port::Inp, *memory, store(Port::Inp), plan.alpha.band);
  ReadPort kern(Port::Kern, *memory, store(Port::Kern), plan.alpha.band);
  WriteSide out(*memory, store(Port::Out), beta.out_words());
  if (!rtl.start(beta)) throw Error("the RTL refuses the convolution");
  std::array<FifoEvent, kFifos> ignored;
  Cycles end = 0;
  for (Cycles now = 0, quiet = 0; quiet < kQuiet; ++now) {
    memory->advance(now);
    inp.deliver();
    kern.deliver();
    out.deliver();
    AxiInputs inputs;
    inputs.inp_beat = inp.beat(now);
    inputs.kern_beat = kern.beat(now);
    inputs.inp_last = inp.last();
    inputs.kern_last = kern.last();
    inputs.response = out.responses.visible(now);
    const AxiOutputs outputs = rtl.cycle(inputs, ignored);
    inp.after(now, outputs.inp_beat_taken, outputs.inp_address, outputs.inp_request);
    kern.after(now, outputs.kern_beat_taken, outputs.kern_address, outputs.kern_request);
    out.after(now, outputs);
    if (!out.done()) end = now + 2;  // the cycle that takes the last response counts
    quiet = out.done() && inp.bursts.empty() && kern.bursts.empty() ? quiet + 1 : 0;
  }
  if (const std::string failed = rtl.failed_assertion(); !failed.empty()) throw Error(failed);
  if (!rtl.finish()) throw Error("the RTL does not report that it is done");
  return end;
}

}  // namespace weft::cosim
