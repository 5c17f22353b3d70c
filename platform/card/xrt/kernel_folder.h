#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/design/row.h"
#include "platform/record/record.h"

// Files that `weft card CONFIG --xclbin FOLDER/` writes: the xclbins of a run, the run as run.yaml, and index.json.
namespace weft::xrt {

struct IndexedConvolution {
  bool fully_connected = false;
  std::string kind;
  std::int64_t launches = 0;
  std::string layer, xclbin;
};
inline void fields(record::Visitor& io, IndexedConvolution& of) {
  io("fully_connected", "as a convolution of 1 x 1", of.fully_connected);
  io("kind", "F, GI or GW", of.kind);
  io("launches", "launches", "launches of the kernel", of.launches);
  io("layer", "name of the layer", of.layer);
  io("xclbin", "the file that runs it", of.xclbin);
}

inline constexpr const char* kKernelIndex = "index.json";
struct KernelIndex {
  std::int64_t batch = 1;
  std::string board, config = "run.yaml";
  std::vector<IndexedConvolution> convolutions;
  std::string kernel;
  std::vector<std::string> kernels;  // as YAML, one an xclbin
  std::string run;
  std::vector<std::string> xclbins;
};
inline void fields(record::Visitor& io, KernelIndex& index) {
  io("batch", "images", "images of an iteration", index.batch);
  io("board", "name of the board", index.board);
  io("config", "file of the run", index.config);
  io("convolutions", "what runs each", index.convolutions);
  io("kernel", "design of the kernels", index.kernel);
  io("kernels", "each kernel as YAML", index.kernels);
  io("run", "name of the run", index.run);
  io("xclbins", "their files", index.xclbins);
}

// Writes the xclbins of a run with these rows. `place` without a slash at its end: one file, for a run of one
// bitstream. With one: a folder with a file for each bitstream. Returns lines that say what was written. Throws Error.
std::string write_xclbins(const config::RunConfig& run, const std::vector<design::Row>& rows, const std::string& place);

}  // namespace weft::xrt
