#pragma once

#include <string>
#include <vector>

#include "workloads/network.h"
#include "workloads/onnx/import.h"

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

// The names of the networks in `search_dirs` (a network is <directory>/<name>.onnx), sorted, without repetitions.
std::vector<std::string> known_networks(const std::vector<std::string>& search_dirs);

// The ONNX file that is meant, by name or path: see below. Throws Error for an unknown name.
std::string network_file(const std::string& name_or_path, const std::vector<std::string>& search_dirs);

// Imports a network by name, from the first of `search_dirs` that has it, or by path: whatever ends in .onnx or holds
// a '/'. Throws Error, with the known names and the likeliest one, for an unknown name.
Network find_network(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                     const ImportOptions& options = {});

// The same as a forward graph.
ImportedGraph find_graph(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                         const ImportOptions& options = {});

}  // namespace weft::workloads
