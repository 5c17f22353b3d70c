// each_kind XCLBIN [threads]: runs one convolution of each kind after the other, by XRT's native interface. With
// `threads`, each in a thread of its own, and no two at a time.
#include <thread>

#include "native.h"

int main(int count, char** arguments) try {
  const auto work = [count](const xrt::device& device, const xrt::kernel& kernel) {
    for (const host::Layer& layer : {host::Layer{2, 3, 9, 10, 3, 1, 1}, host::Layer{1, 4, 8, 6, 3, 2, 1}}) {
      for (const host::Kind kind : {host::Kind::F, host::Kind::GI, host::Kind::GW}) {
        const auto convolve = [&] {
          host::Prepared convolution(device, kernel, host::convolution(kind, layer));
          convolution.start();
          convolution.wait();
          convolution.check(host::name(kind));
        };
        if (count > 2) {
          std::thread(convolve).join();
        } else {
          convolve();
        }
      }
    }
  };
  return host::run("each_kind", arguments[1], work);
} catch (...) {
  return 1;
}
