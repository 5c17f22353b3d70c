#pragma once

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <cstdio>
#include <string>

#include "convolution.h"

// A convolution by XRT's native interface.
namespace host {

inline constexpr int kInp = 19, kKern = 20, kOut = 21;  // buffer arguments

inline xrt::bo filled(const xrt::device& device, const xrt::kernel& kernel, int argument, const Tensor& tensor) {
  xrt::bo buffer(device, tensor.size() * sizeof(float) + kGuardBytes, kernel.group_id(argument));
  buffer.write(tensor.data(), tensor.size() * sizeof(float), 0);
  buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE, tensor.size() * sizeof(float), 0);
  return buffer;
}

inline Tensor content(xrt::bo& buffer, std::size_t words) {
  Tensor tensor(words);
  buffer.sync(XCL_BO_SYNC_BO_FROM_DEVICE, words * sizeof(float), 0);
  buffer.read(tensor.data(), words * sizeof(float), 0);
  return tensor;
}

// Runs `work` with the kernel of an xclbin; prints that all results are right, or the error on standard error.
template <class Work>
int run(const char* name, const char* xclbin, const Work& work,
        xrt::kernel::cu_access_mode mode = xrt::kernel::cu_access_mode::shared) try {
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(xclbin);
  work(device, xrt::kernel(device, uuid, "fpgpt", mode));
  std::printf("%s: as it must be\n", name);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", name, error.what());
  return 1;
}

// A convolution in the card's memory, ready to start.
class Prepared {
 public:
  // `arguments`: number of arguments that are set.
  Prepared(const xrt::device& device, const xrt::kernel& kernel, Convolution c, int arguments = 27)
      : c_(std::move(c)),
        inp_(filled(device, kernel, kInp, c_.inp)),
        kern_(filled(device, kernel, kKern, c_.kern)),
        out_(device, c_.out.size() * sizeof(float) + kGuardBytes, kernel.group_id(kOut)),
        run_(kernel) {
    int argument = 0;
    for (const std::uint32_t value : c_.sizes) run_.set_arg(argument++, value);
    run_.set_arg(argument++, inp_);
    run_.set_arg(argument++, kern_);
    run_.set_arg(argument++, out_);
    for (const std::uint32_t value : c_.pitches) {
      if (argument < arguments) run_.set_arg(argument++, value);
    }
  }

  xrt::run& run() { return run_; }
  void start() { run_.start(); }
  void wait() { run_.wait(); }
  xrt::bo& out() { return out_; }
  void check(const std::string& what) { require_equal(content(out_, c_.out.size()), c_.out, what); }

 private:
  Convolution c_;
  xrt::bo inp_, kern_, out_;
  xrt::run run_;
};

}  // namespace host
