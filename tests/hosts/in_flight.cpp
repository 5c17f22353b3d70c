// in_flight XCLBIN: submits several convolutions to XRT before it waits for the first.
#include <memory>
#include <vector>

#include "native.h"

int main(int, char** arguments) {
  const auto work = [](const xrt::device& device, const xrt::kernel& kernel) {
    std::vector<std::unique_ptr<host::Prepared>> convolutions;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const auto kind = static_cast<host::Kind>(i % 3);
      convolutions.push_back(
          std::make_unique<host::Prepared>(device, kernel, host::convolution(kind, {1, 2 + i, 7, 5, 3, 1, 1}, 10 * i)));
    }
    for (auto& convolution : convolutions) convolution->run().start();
    for (auto& convolution : convolutions) convolution->run().wait();
    for (auto& convolution : convolutions) convolution->check("in flight");
  };
  return host::run("in_flight", arguments[1], work);
}
