// refused XCLBIN: a convolution that the kernel refuses. XRT reports completion; only exclusive access reads why.
#include "native.h"

int main(int, char** arguments) {
  constexpr std::uint32_t kStatus = 0x004, kCycles = 0x008, kZeroSize = 2;
  const auto work = [](const xrt::device& device, const xrt::kernel& kernel) {
    host::Convolution c = host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1});
    host::Prepared sound(device, kernel, c);
    c.sizes[2] = 0;  // N_INP
    host::Prepared none(device, kernel, c);
    none.run().start();
    const ert_cmd_state state = none.run().wait();
    const std::uint32_t status = kernel.read_register(kStatus), cycles = kernel.read_register(kCycles);
    if (state != ERT_CMD_STATE_COMPLETED || status != kZeroSize || cycles != 0) {
      throw std::runtime_error("state " + std::to_string(state) + ", STATUS " + std::to_string(status) + ", CYCLES " +
                               std::to_string(cycles));
    }
    sound.run().start();
    sound.run().wait();
    sound.check("after a refused one");
    if (kernel.read_register(kStatus) != 0 || kernel.read_register(kCycles) == 0) throw std::runtime_error("refused");
  };
  return host::run("refused", arguments[1], work, xrt::kernel::cu_access_mode::exclusive);
}
