// in_flight XCLBIN: several convolutions handed to XRT before the first is waited for.
#include <cstdio>
#include <memory>
#include <vector>

#include "native.h"

int main(int, char** arguments) try {
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(arguments[1]);
  const xrt::kernel kernel(device, uuid, "fpgpt");
  std::vector<std::unique_ptr<host::Prepared>> convolutions;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const auto kind = static_cast<host::Kind>(i % 3);
    convolutions.push_back(
        std::make_unique<host::Prepared>(device, kernel, host::convolution(kind, {1, 2 + i, 7, 5, 3, 1, 1}, 10 * i)));
  }
  for (auto& convolution : convolutions) convolution->run().start();
  for (auto& convolution : convolutions) convolution->run().wait();
  for (auto& convolution : convolutions) convolution->check("in flight");
  std::puts("in flight: as it must be");
} catch (const std::exception& error) {
  std::fprintf(stderr, "in_flight: %s\n", error.what());
  return 1;
}
