#pragma once

#include <filesystem>
#include <fstream>

#include "tests/unit/workloads/onnx/onnx_text.h"

namespace weft::test {

// Writes a network for 12x12 images of 10 classes with convolutions of one group, of two, of one per channel, and of
// 1x1: 12 launches of F. Returns the file's path.
inline std::filesystem::path write_grouped_network(const std::filesystem::path& folder) {
  const onnx::ModelProto model = workloads::model_of(R"(
g (float[1,3,12,12] x, float[8,3,3,3] u, float[8,4,3,3] v, float[8,1,3,3] w, float[10,8,1,1] z) => (float[1,10] y) {
  a = Conv<pads=[1,1,1,1]>(x, u)
  b = Relu(a)
  c = Conv<group=2, strides=[2,2], pads=[1,1,1,1]>(b, v)
  d = Relu(c)
  e = Conv<group=8, pads=[1,1,1,1]>(d, w)
  f = Relu(e)
  h = Conv(f, z)
  i = GlobalAveragePool(h)
  y = Flatten(i)
})");
  std::filesystem::path path = folder / "grouped.onnx";
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  return path;
}

}  // namespace weft::test
