#include "platform/designs/fpgpt/watched_kernel.h"

namespace weft::fpgpt {

bool WatchedKernel::after(Cycles now, const Kernel& kernel) {
  const std::array<Activity, kBlocks> last = kernel.last();
  states_.blocks.assign(last.begin(), last.end());
  states_.fills = watched_.fills();
  for (std::size_t i = 0; i < kFifos; ++i) watched_.leave(i, kernel.fifos[static_cast<FifoId>(i)]);
  const auto read = [&](Port port, const stream::ReadPort& state) {
    return watched_.read(static_cast<std::size_t>(port), state);
  };
  states_.ports.assign({read(Port::Inp, kernel.inp.port), read(Port::Kern, kernel.kern.port),
                        waves::WatchedStates::write(kernel.out.port)});
  return watcher_.after(now, states_);
}

}  // namespace weft::fpgpt
