#pragma once

#include <string>
#include <vector>

#include "workloads/graph/graph.h"
#include "workloads/network.h"

namespace weft::workloads {

struct ImportOptions {
  int batch = 1;              // images per training step, independent of the file's batch
  bool lower_fc = false;      // fully connected layers become 1x1 convolutions (Network::fc_layers)
  int word_bytes = 4;         // bytes per number in the graph
  bool lower_matmul = false;  // so do products of two computed matrices
  // Sizes of the dimensions that the file's inputs leave open, in order, without the batch; a symbol counts once.
  // Empty: they stay open. Else as many as are open.
  std::vector<std::int64_t> input_sizes = {};
};

// Reads a network from an ONNX file of any opset up to 24. Only shapes matter: weights may be inline, in external files
// (never opened) or absent if a graph input or a value_info gives their shape.
//
// - Conv, ConvTranspose, QLinearConv, ConvInteger, and an Einsum that multiplies the channels of maps by a constant
// matrix
//   become layers. One spatial dimension has height 1. Of three, each depth of the result is an image and the taps of
//   depth are channels; a ConvTranspose of three is refused.
// - Gemm, MatMul and Einsum whose second operand is a constant matrix are fully connected layers.
// - Functions of the file are replaced by their nodes, an If whose condition follows from constants and shapes by the
//   branch taken, Attention and RotaryEmbedding by the operators that define them.
// - All other operators that depend on the graph's input are host layers; those that depend only on constants are none.
// - A graph input used only as weights (second or later operand of Conv, Gemm, MatMul, normalisations, also through
//   Identity, Cast, Transpose, QuantizeLinear, DequantizeLinear and reshapes) is a weight, not an input of the network.
// - Layer::from_graph_input is true only if the layer reads a graph input directly or through QuantizeLinear and
//   DequantizeLinear; even Identity or a normalisation in between makes it false.
// - Layers are named as PyTorch names the module: "/features/features.3/squeeze/Conv" is features.3.squeeze.
// - Inferred shapes override those that the file declares for computed tensors; Network::warnings names the first
//   contradiction, and the first operator that is not known, which the host computes.
//
// Throws InputError that names the file and the node for anything else.
Network import_onnx(const std::string& path, const ImportOptions& options = {});

struct ImportedGraph {
  Network network;  // as from import_onnx()
  Graph graph;
};

// Imports a file as a forward graph: each layer and each host layer of the network is an operator of the same name.
// Unknown operators are included (Operator::problem); operators that depend only on constants are left out. Weights
// that an exporter merged for equal values (Identity of an initializer) are separate parameters. Throws InputError as
// import_onnx does, and if a tensor's bytes or an operator's work exceed 64 bits.
ImportedGraph import_graph(const std::string& path, const ImportOptions& options = {});

// Kernels of a weight tensor [outputs][inputs][...] that are not all zeros. In a matrix each element is a kernel; its
// orientation follows from the operators that use it.
struct KeptKernels {
  std::string weight;  // name in the file: "features.0.weight"
  int outputs = 0, inputs = 0;
  std::vector<bool> kept;  // inputs innermost
};

// Reads the kept kernels of every tensor "....weight" of two or more dimensions in an ONNX file, in file order. Types:
// 32-bit floats and 8-bit integers; minus zero counts as zero. Throws InputError that names file and tensor if values
// are missing or of another type, or if a matrix' orientation is unknown.
std::vector<KeptKernels> read_kept_kernels(const std::string& path);

// Sorted names of the networks in `search_dirs` (<directory>/<name>.onnx), without duplicates.
std::vector<std::string> known_networks(const std::vector<std::string>& search_dirs);

// ONNX file of a name or path, as in find_network(). Throws Error for an unknown name.
std::string network_file(const std::string& name_or_path, const std::vector<std::string>& search_dirs);

// Imports a network by name, from the first of `search_dirs` that has it, or by path if it ends in .onnx or contains a
// '/'. Throws Error for an unknown name, with the known names and the most similar one.
Network find_network(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                     const ImportOptions& options = {});

// Imports a network as a forward graph.
ImportedGraph find_graph(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                         const ImportOptions& options = {});

}  // namespace weft::workloads
