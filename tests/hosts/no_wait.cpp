// no_wait XCLBIN [late]: moves data to and from the card while kernels run that it has not waited for. With `late`, it
// waits until the only kernel ended long ago.
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "native.h"

int main(int count, char** arguments) {
  const bool late = count > 2;
  const auto work = [late](const xrt::device& device, const xrt::kernel& kernel) {
    std::vector<std::unique_ptr<host::Prepared>> convolutions;
    for (std::uint32_t i = 0; i < (late ? 1 : 8); ++i) {
      convolutions.push_back(std::make_unique<host::Prepared>(
          device, kernel, host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1}, 10 * i)));
    }
    for (auto& convolution : convolutions) convolution->run().start();
    if (late) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const host::Tensor other = host::numbers(1000, 7);
    for (int i = 0; i < (late ? 1 : 200); ++i) {
      xrt::bo buffer = host::filled(device, kernel, host::kInp, other);
      host::require_equal(host::content(buffer, other.size()), other, "beside the kernels");
    }
    for (auto& convolution : convolutions) convolution->run().wait();
    for (auto& convolution : convolutions) convolution->check("no wait");
  };
  return host::run("no_wait", arguments[1], work);
}
