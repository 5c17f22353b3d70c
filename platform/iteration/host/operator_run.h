#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "workloads/graph/graph.h"

// Operators that can be run on this machine. The runner is a library of its own, built when it is first needed
// (runner_build.h), for it needs oneDNN: weft sees this interface alone.
namespace weft::host {

// A tensor's memory, which tensors that are views of each other share.
struct Buffer {
  std::vector<std::int64_t> shape;
  std::int64_t elements = 0;
  void* data = nullptr;

  float* floats() const { return static_cast<float*>(data); }
  unsigned char* marks() const { return static_cast<unsigned char*>(data); }
};

// An operator with its tensors, in the order of its inputs and outputs; floats are of 4 bytes.
struct OperatorTask {
  const workloads::Operator* op = nullptr;
  std::vector<Buffer> inputs, outputs;
};

// Words of tiles: A is cut into r by p, B into p by c, C into r by c. All at least 1.
struct TileShape {
  std::int64_t r = 1, p = 1, c = 1;
};

// A step of the host around a launch of one image and group of a convolution. Matrices are as Caffe has them in memory:
// dense, A and B of `kind` maybe as their transposed; C row-major.
struct MatrixTask {
  enum class Step : std::uint8_t { Tile, Untile, Col2im };
  Step step = Step::Tile;
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  conv::Gemm gemm;
  TileShape tile;
  float *a = nullptr, *b = nullptr, *c = nullptr;
  float *a_tiles = nullptr, *b_tiles = nullptr, *c_tiles = nullptr;
  float* map = nullptr;  // of one group's channels; of GI alone
};

class OperatorRun {
 public:
  virtual ~OperatorRun() = default;
  virtual void once() = 0;

  std::string kernel;       // what computes it: "oneDNN jit:avx512_common"
  bool plain_loop = false;  // a loop of weft computes it, or a part of it
};

class OperatorRunner {
 public:
  virtual ~OperatorRunner() = default;
  // Buffers are used as long as the run lives. Throws std::runtime_error where there is no way to run it.
  virtual std::unique_ptr<OperatorRun> prepare(const OperatorTask& task) = 0;
  virtual std::unique_ptr<OperatorRun> prepare(const MatrixTask& task) = 0;
};

inline constexpr const char* kMakeRunner = "weft_make_operator_runner";
using MakeRunner = OperatorRunner* (*)(int threads);

}  // namespace weft::host
