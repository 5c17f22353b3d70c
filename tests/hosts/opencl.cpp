// opencl XCLBIN: runs one convolution of each kind by OpenCL, through the loader of installable drivers.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "convolution.h"

namespace {

void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) throw std::runtime_error(std::string(call) + " gives " + std::to_string(code));
}

class Card {
 public:
  explicit Card(const char* xclbin) {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int code = 0;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &code);
    check(code, "clCreateCommandQueue");
    std::ifstream in(xclbin, std::ios::binary);
    const std::vector<unsigned char> binary{std::istreambuf_iterator<char>(in), {}};
    const unsigned char* bytes = binary.data();
    const std::size_t size = binary.size();
    program_ = clCreateProgramWithBinary(context_, 1, &device_, &size, &bytes, nullptr, &code);
    check(code, "clCreateProgramWithBinary");
    check(clBuildProgram(program_, 1, &device_, nullptr, nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, "fpgpt", &code);
    check(code, "clCreateKernel");
  }
  ~Card() {
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  host::Tensor run(const host::Convolution& c) {
    cl_uint argument = 0;
    for (const std::uint32_t value : c.sizes) set(argument++, value);
    std::array<cl_mem, 3> buffers{};
    std::size_t i = 0;
    for (const std::size_t words : {c.inp.size(), c.kern.size(), c.out.size()}) {
      cl_int code = 0;
      buffers[i] = clCreateBuffer(context_, CL_MEM_READ_WRITE, words * 4 + host::kGuardBytes, nullptr, &code);
      check(code, "clCreateBuffer");
      set(argument++, buffers[i++]);
    }
    for (const std::uint32_t value : c.pitches) set(argument++, value);
    write(buffers[0], c.inp);
    write(buffers[1], c.kern);
    check(clEnqueueTask(queue_, kernel_, 0, nullptr, nullptr), "clEnqueueTask");
    host::Tensor out(c.out.size());
    check(clFinish(queue_), "clFinish");
    check(clEnqueueReadBuffer(queue_, buffers[2], CL_TRUE, 0, out.size() * 4, out.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
    return out;
  }

 private:
  void set(cl_uint argument, std::uint32_t value) {
    check(clSetKernelArg(kernel_, argument, sizeof value, &value), "clSetKernelArg");
  }
  void set(cl_uint argument, cl_mem buffer) {
    check(clSetKernelArg(kernel_, argument, sizeof(void*), &buffer), "clSetKernelArg");  // the size of a handle
  }
  void write(cl_mem buffer, const host::Tensor& tensor) {
    check(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, tensor.size() * 4, tensor.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
};

}  // namespace

int main(int, char** arguments) try {
  Card card(arguments[1]);
  for (const host::Kind kind : {host::Kind::F, host::Kind::GI, host::Kind::GW}) {
    const host::Convolution c = host::convolution(kind, {2, 3, 9, 10, 3, 1, 1});
    host::require_equal(card.run(c), c.out, host::name(kind));
  }
  std::puts("OpenCL: as it must be");
} catch (const std::exception& error) {
  std::fprintf(stderr, "opencl: %s\n", error.what());
  return 1;
}
