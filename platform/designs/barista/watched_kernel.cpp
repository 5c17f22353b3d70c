#include "platform/designs/barista/watched_kernel.h"

namespace weft::barista {

bool WatchedKernel::after(Cycles now, const Kernel& kernel) {
  const std::array<Activity, kBlocks> last = kernel.last();
  states_.blocks.assign(last.begin(), last.end());
  states_.fills = watched_.fills();
  for (std::size_t i = 0; i < kFifos; ++i) watched_.leave(i, kernel.fifos[static_cast<FifoId>(i)]);
  const auto read = [&](Port port, const stream::ReadPort& state) {
    return watched_.read(static_cast<std::size_t>(port), state);
  };
  states_.ports.assign(
      {read(Port::A, kernel.a.port), read(Port::B, kernel.b.port), waves::WatchedStates::write(kernel.c.port)});
  return watcher_.after(now, states_);
}

}  // namespace weft::barista
