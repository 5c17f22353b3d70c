#include "platform/cosim/rtl_run.h"

#include <fmt/core.h>

#include <array>
#include <memory>
#include <string>

#include "kernels/fpgpt/fp32.h"
#include "model/core/error.h"
#include "model/memory/memory.h"
#include "platform/cosim/read_port.h"

namespace weft::cosim {

namespace {

using fpgpt::Port;
using fpgpt::port_id;

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
  stream::BeatQueue responses;
};

std::string not_done(const RtlKernel& rtl, Cycles limit, Words written, Words all) {
  const std::string failed = rtl.failed_assertion();
  return fmt::format("the RTL is not done after {} cycles: {} of {} words of OUT are written{}", limit, written, all,
                     failed.empty() ? "" : "; " + failed);
}

}  // namespace

Cycles run_rtl(RtlKernel& rtl, const fpgpt::Plan& plan, const memory::MemoryConfig& config,
               const std::array<int, fpgpt::kPorts>& channels, std::vector<memory::Store>& stores, Cycles limit) {
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
    if (now == limit) throw Error(not_done(rtl, limit, beta.out_words() - out.missing, beta.out_words()));
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
    if (outputs.inp_beat_taken) inp.taken();
    if (outputs.inp_address) inp.request(outputs.inp_request, now);
    if (outputs.kern_beat_taken) kern.taken();
    if (outputs.kern_address) kern.request(outputs.kern_request, now);
    out.after(now, outputs);
    if (!out.done()) end = now + 2;  // the cycle that takes the last response counts
    quiet = out.done() && !inp.open() && !kern.open() ? quiet + 1 : 0;
  }
  if (const std::string failed = rtl.failed_assertion(); !failed.empty()) throw Error(failed);
  if (!rtl.finish()) throw Error("the RTL does not report that it is done");
  return end;
}

}  // namespace weft::cosim
