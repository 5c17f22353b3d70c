#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "workloads/graph/graph.h"

// Operators that can be run on this machine. weft sees only this interface; the runner is a library that needs oneDNN
// and is built on first use (runner_build.h).
namespace weft::host {

// Memory of a tensor, shared by tensors that are views of each other.
struct Buffer {
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;
  void* data = nullptr;

  float* floats() const { return static_cast<float*>(data); }
  unsigned char* marks() const { return static_cast<unsigned char*>(data); }
};

// An operator and its tensors, in the order of its inputs and outputs; floats have 4 bytes.
struct OperatorTask {
  const workloads::Operator* op = nullptr;
  std::vector<Buffer> inputs, outputs;
};

// Tile sizes in words: A is cut into r by p, B into p by c, C into r by c. All at least 1.
struct TileShape {
  std::int64_t r = 1, p = 1, c = 1;
};

// A host step around a launch, for one image and group of a convolution. Matrices are stored as in Caffe: dense; A and
// B of `kind` may be transposed; C is row-major.
struct MatrixTask {
  enum class Step : std::uint8_t { Tile, Untile, Col2im };
  Step step = Step::Tile;
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  conv::Gemm gemm;
  TileShape tile;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  float *a_tiles = nullptr, *b_tiles = nullptr, *c_tiles = nullptr;
  float* map = nullptr;  // of one group's channels; GI only
};

class OperatorRun {
 public:
  virtual ~OperatorRun() = default;
  virtual void once() = 0;

  std::string kernel;       // implementation: "oneDNN jit:avx512_common"
  bool plain_loop = false;  // true if a loop of weft computes it or a part of it
};

class OperatorRunner {
 public:
  virtual ~OperatorRunner() = default;
  // Prepares a run; the buffers must outlive it. Throws std::runtime_error if the operator cannot be run.
  virtual std::unique_ptr<OperatorRun> prepare(const OperatorTask& task) = 0;
  virtual std::unique_ptr<OperatorRun> prepare(const MatrixTask& task) = 0;
};

inline constexpr const char* kMakeRunner = "weft_make_operator_runner";
using MakeRunner = OperatorRunner* (*)(int threads);

}  // namespace weft::host
