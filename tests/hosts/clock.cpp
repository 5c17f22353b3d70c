// clock XCLBIN: prints the simulated picoseconds after each call of a convolution; without weft, that there is no
// clock.
#include <cstdint>

#include "native.h"

extern "C" std::uint64_t weft_card_time_ps() __attribute__((weak));

int main(int, char** arguments) try {
  const auto tell = [](const char* what) {
    if (weft_card_time_ps) std::printf("%s %llu\n", what, static_cast<unsigned long long>(weft_card_time_ps()));
  };
  if (!weft_card_time_ps) std::puts("no clock");
  const auto work = [&](const xrt::device& device, const xrt::kernel& kernel) {
    tell("load");
    host::Prepared convolution(device, kernel, host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1}));
    tell("H2C");
    convolution.start();
    convolution.wait();
    tell("launch");
    convolution.check("the convolution");
    tell("C2H");
    const host::Tensor large(std::size_t{2} << 18);  // two full messages
    host::filled(device, kernel, host::kInp, large);
    tell("H2C");
  };
  return host::run("clock", arguments[1], work);
} catch (...) {
  return 1;
}
