#pragma once

#include <string>
#include <vector>

#include "workloads/graph/graph.h"
#include "workloads/network.h"

namespace weft::workloads {

struct ImportOptions {
  int batch = 1;          // images per training step; whatever batch the file was exported with
  bool lower_fc = false;  // fully connected layers become 1x1 convolutions (Network::fc_layers)
  int word_bytes = 4;     // of a number, in the graph
};

// Reads a network from an ONNX file of any opset that the installed libonnx knows. Only shapes matter: weights may be
// inline, in external files (never opened) or absent, as long as a graph input or a value_info gives their shape.
//
// - Conv with 2-D kernels becomes a layer; a convolution of another rank is refused.
// - Gemm and MatMul whose second operand is a constant matrix are fully connected layers.
// - Every other operator that depends on the graph's input is a host layer; what depends on constants only is no layer.
// - A graph input that is used only as weights (second or later operand of Conv, Gemm, MatMul, normalisations, also
//   through Identity, Cast, Transpose and reshapes) is a weight, not an input of the network.
// - Layer::from_graph_input is literal: the layer's input is a graph input. An operator in between makes it false, even
//   Identity or a normalisation.
// - A layer is named as PyTorch names the module: "/features/features.3/squeeze/Conv" is features.3.squeeze.
// - Shapes the file declares for computed tensors give way where they contradict the inferred ones.
//
// Throws InputError, naming the file and the node, for anything else.
Network import_onnx(const std::string& path, const ImportOptions& options = {});

struct ImportedGraph {
  Network network;  // as import_onnx gives it
  Graph graph;
};

// The same file as a forward graph: each layer of the network is an operator of its name, each host layer one of its.
// Operators that are not known are in it as such (Operator::problem); what depends on constants only is left out.
// Weights that an exporter merged because their values were equal (Identity of an initializer) are parameters of their
// own. Throws InputError as import_onnx does, and where a tensor's bytes or an operator's work exceed 64 bits.
ImportedGraph import_graph(const std::string& path, const ImportOptions& options = {});

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
