#pragma once

#include <string>
#include <vector>

namespace weft::workloads {

// Which kernels of a weight tensor [outputs][inputs][...] are not all zeros; of a matrix each element is a kernel, and
// the operators that use it say which way round it is stored.
struct KeptKernels {
  std::string weight;  // as the file names it: "features.0.weight"
  int outputs = 0, inputs = 0;
  std::vector<bool> kept;  // inputs innermost
};

// Of every tensor "....weight" of two dimensions or more in an ONNX file, in its order. Of 32-bit floats and 8-bit
// integers; a minus zero is a zero. Throws InputError, naming the file and the tensor, where values are not in the file
// or are of another type, and where it is not known which way round a matrix is stored.
std::vector<KeptKernels> read_kept_kernels(const std::string& path);

}  // namespace weft::workloads
