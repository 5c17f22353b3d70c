#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/graph.h"

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
};

inline constexpr const char* kMakeRunner = "weft_make_operator_runner";
using MakeRunner = OperatorRunner* (*)(int threads);

}  // namespace weft::host
