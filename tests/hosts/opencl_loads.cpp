// opencl_loads XCLBIN...: makes an OpenCL program of each and prints each outcome on a line.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

int main(int count, char** arguments) {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 1, &device, nullptr) != CL_SUCCESS) {
    return 1;
  }
  for (int i = 1; i < count; ++i) {
    cl_int code = CL_SUCCESS, status = CL_SUCCESS;
    const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    if (code != CL_SUCCESS) return 1;
    std::ifstream in(arguments[i], std::ios::binary);
    const std::vector<unsigned char> binary{std::istreambuf_iterator<char>(in), {}};
    const unsigned char* bytes = binary.data();
    const std::size_t size = binary.size();
    const cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &bytes, &status, &code);
    if (code == CL_SUCCESS) {
      std::puts("loaded");
      clReleaseProgram(program);
    } else {
      std::printf("refused: %d, status %d\n", code, status);
    }
    std::fflush(stdout);
    clReleaseContext(context);
  }
}
