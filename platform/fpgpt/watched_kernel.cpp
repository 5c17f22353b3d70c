#include "platform/fpgpt/watched_kernel.h"

namespace weft::fpgpt {

bool WatchedKernel::after(Cycles now, const Kernel& kernel) {
  const std::array<Activity, kBlocks> last = kernel.last();
  states_.blocks.assign(last.begin(), last.end());
  states_.fills.assign(fills_.begin(), fills_.end());
  for (std::size_t i = 0; i < kFifos; ++i) {
    const Fifo& fifo = kernel.fifos[static_cast<FifoId>(i)];
    fills_[i] = static_cast<int>(fifo.pushed() - fifo.popped());
  }
  const auto read = [&](Port port, const stream::ReadPort& state) {
    Cycles& busy = busy_[static_cast<std::size_t>(port)];
    const bool beat = state.busy_cycles != busy;
    busy = state.busy_cycles;
    return PortHandshakes{state.requested, beat, false};
  };
  const stream::WritePort& out = kernel.out.port;
  states_.ports.assign({read(Port::Inp, kernel.inp.port), read(Port::Kern, kernel.kern.port),
                        PortHandshakes{out.requested, out.beat_sent, out.response_taken}});
  return watcher_.after(now, states_);
}

}  // namespace weft::fpgpt
