// opencl XCLBIN: runs one convolution of each kind by OpenCL.
#include "opencl.h"

#include <cstdio>

int main(int, char** arguments) try {
  const host::opencl::Card card(arguments[1]);
  for (const host::Kind kind : {host::Kind::F, host::Kind::GI, host::Kind::GW}) {
    host::opencl::Prepared convolution(card, host::convolution(kind, {2, 3, 9, 10, 3, 1, 1}));
    convolution.start();
    convolution.wait();
    convolution.check_result(host::name(kind));
  }
  std::puts("OpenCL: as it must be");
} catch (const std::exception& error) {
  std::fprintf(stderr, "opencl: %s\n", error.what());
  return 1;
}
