// two_xclbins F_AND_GI GW: forward on one kernel, gradient of the weights on another, in turn. A load clears the card's
// memory.
#include <cstdio>

#include "native.h"

int main(int, char** arguments) try {
  const host::Layer layer{2, 4, 8, 6, 3, 1, 1};
  xrt::device device(0);
  for (int turn = 0; turn < 2; ++turn) {
    for (const host::Kind kind : {host::Kind::F, host::Kind::GW}) {
      const xrt::uuid uuid = device.load_xclbin(arguments[kind == host::Kind::F ? 1 : 2]);
      const xrt::kernel kernel(device, uuid, "fpgpt");
      host::Prepared convolution(device, kernel, host::convolution(kind, layer, static_cast<std::uint32_t>(turn)));
      convolution.run().start();
      convolution.run().wait();
      convolution.check(host::name(kind));
    }
  }
  std::puts("two xclbins: as it must be");
} catch (const std::exception& error) {
  std::fprintf(stderr, "two_xclbins: %s\n", error.what());
  return 1;
}
