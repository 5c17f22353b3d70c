// each_kind XCLBIN: runs one convolution of each kind after the other, by XRT's native interface.
#include "native.h"

int main(int, char** arguments) {
  const auto work = [](const xrt::device& device, const xrt::kernel& kernel) {
    for (const host::Layer& layer : {host::Layer{2, 3, 9, 10, 3, 1, 1}, host::Layer{1, 4, 8, 6, 3, 2, 1}}) {
      for (const host::Kind kind : {host::Kind::F, host::Kind::GI, host::Kind::GW}) {
        host::Prepared convolution(device, kernel, host::convolution(kind, layer));
        convolution.run().start();
        convolution.run().wait();
        convolution.check(host::name(kind));
      }
    }
  };
  return host::run("each_kind", arguments[1], work);
}
