#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "convolution.h"

// A convolution by OpenCL, through the loader of installable drivers.
namespace host::opencl {

inline void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) throw std::runtime_error(std::string(call) + " gives " + std::to_string(code));
}

// The card with an xclbin, and a queue that works in order.
class Card {
 public:
  explicit Card(const char* xclbin) {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int code = 0;
    context = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueue(context, device_, 0, &code);
    check(code, "clCreateCommandQueue");
    std::ifstream in(xclbin, std::ios::binary);
    const std::vector<unsigned char> binary{std::istreambuf_iterator<char>(in), {}};
    const unsigned char* bytes = binary.data();
    const std::size_t size = binary.size();
    program = clCreateProgramWithBinary(context, 1, &device_, &size, &bytes, nullptr, &code);
    check(code, "clCreateProgramWithBinary");
    check(clBuildProgram(program, 1, &device_, nullptr, nullptr, nullptr), "clBuildProgram");
  }
  ~Card() {
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;

 private:
  cl_device_id device_ = nullptr;
};

// A convolution in the card's memory, ready to start.
class Prepared {
 public:
  Prepared(const Card& card, Convolution c) : c_(std::move(c)), queue_(card.queue) {
    cl_int code = 0;
    kernel_ = clCreateKernel(card.program, "fpgpt", &code);
    check(code, "clCreateKernel");
    cl_uint argument = 0;
    for (const std::uint32_t value : c_.sizes) set(argument++, value);
    std::size_t i = 0;
    for (const std::size_t words : {c_.inp.size(), c_.kern.size(), c_.out.size()}) {
      buffers_[i] = clCreateBuffer(card.context, CL_MEM_READ_WRITE, words * 4 + kGuardBytes, nullptr, &code);
      check(code, "clCreateBuffer");
      set(argument++, buffers_[i++]);
    }
    for (const std::uint32_t value : c_.pitches) set(argument++, value);
    write(buffers_[0], c_.inp);
    write(buffers_[1], c_.kern);
  }
  ~Prepared() {
    for (cl_mem buffer : buffers_) clReleaseMemObject(buffer);
    clReleaseKernel(kernel_);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  void start() { check(clEnqueueTask(queue_, kernel_, 0, nullptr, nullptr), "clEnqueueTask"); }
  void wait() { check(clFinish(queue_), "clFinish"); }
  void check_result(const std::string& what) {
    Tensor out(c_.out.size());
    check(clEnqueueReadBuffer(queue_, buffers_[2], CL_TRUE, 0, out.size() * 4, out.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    require_equal(out, c_.out, what);
  }

 private:
  void set(cl_uint argument, std::uint32_t value) {
    check(clSetKernelArg(kernel_, argument, sizeof value, &value), "clSetKernelArg");
  }
  void set(cl_uint argument, cl_mem buffer) {
    check(clSetKernelArg(kernel_, argument, sizeof(void*), &buffer), "clSetKernelArg");  // the size of a handle
  }
  void write(cl_mem buffer, const Tensor& tensor) {
    check(clEnqueueWriteBuffer(queue_, buffer, CL_TRUE, 0, tensor.size() * 4, tensor.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }

  Convolution c_;
  cl_command_queue queue_;
  cl_kernel kernel_ = nullptr;
  std::array<cl_mem, 3> buffers_{};
};

}  // namespace host::opencl
