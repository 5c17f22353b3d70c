// each_kind XCLBIN: one convolution of each kind after the other, by XRT's native interface.
#include <cstdio>

#include "native.h"

int main(int, char** arguments) try {
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(arguments[1]);
  const xrt::kernel kernel(device, uuid, "fpgpt");
  for (const host::Layer& layer : {host::Layer{2, 3, 9, 10, 3, 1, 1}, host::Layer{1, 4, 8, 6, 3, 2, 1}}) {
    for (const host::Kind kind : {host::Kind::F, host::Kind::GI, host::Kind::GW}) {
      host::Prepared convolution(device, kernel, host::convolution(kind, layer));
      convolution.run().start();
      convolution.run().wait();
      convolution.check(host::name(kind));
    }
  }
  std::puts("each kind: as it must be");
} catch (const std::exception& error) {
  std::fprintf(stderr, "each_kind: %s\n", error.what());
  return 1;
}
