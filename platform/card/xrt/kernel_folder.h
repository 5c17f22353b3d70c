#pragma once

#include <cstdint>
#include <functional>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "platform/config/run_config.h"
#include "platform/design/card_kernel.h"
#include "platform/design/row.h"
#include "platform/record/record.h"

// Files that `weft card CONFIG --xclbin FOLDER/` writes: the xclbins of a run, the run as run.yaml, and index.json.
namespace weft::xrt {

// Appends the arguments of a kernel in XRT's and Vitis' XML: an `arg` for each, below `kernel`. `memory_port`: maps the
// number of a port to its name.
void append_arguments(pugi::xml_node kernel, const std::vector<design::KernelArgument>& arguments,
                      const std::function<std::string(int)>& memory_port, const std::string& control_port);

// Appends an interface of a kernel: a `port` below `kernel`.
void append_port(pugi::xml_node kernel, const std::string& name, bool master, const std::string& range, int data_bits);

// A kernel that is packaged from RTL.
struct RtlKernel {
  std::string name;                       // of its module
  std::vector<std::string> memory_ports;  // AXI4 masters, in the order of the design's ports
  int data_bits = 0;                      // width of each memory port
  std::string control_port;               // AXI4-Lite slave
  Address control_bytes = 0;              // bytes of its address range
  std::vector<design::KernelArgument> arguments;
};
// Returns kernel.xml, as Vitis' `package_xo -kernel_xml` reads it (UG1393, "RTL kernel XML file").
std::string kernel_xml(const RtlKernel& kernel);

struct IndexedConvolution {
  bool fully_connected = false;
  std::string kind;
  std::int64_t launches = 0;
  std::string layer, xclbin;
};
inline void fields(record::Visitor& io, IndexedConvolution& of) {
  io("fully_connected", "whether the layer is fully connected, run as a convolution of 1 x 1", of.fully_connected);
  io("kind", "F, GI or GW", of.kind);
  io("launches", "launches", "launches of the kernel", of.launches);
  io("layer", "name of the layer", of.layer);
  io("xclbin", "file of the kernel that runs the convolution", of.xclbin);
}

inline constexpr const char* kKernelIndex = "index.json";
struct KernelIndex {
  std::int64_t batch = 1;
  std::string board, config = "run.yaml";
  std::vector<IndexedConvolution> convolutions;
  std::string kernel;
  std::vector<std::string> kernels;  // as YAML, one per xclbin
  std::string run;
  std::vector<std::string> xclbins;
};
inline void fields(record::Visitor& io, KernelIndex& index) {
  io("batch", "images", "images of an iteration", index.batch);
  io("board", "name of the board", index.board);
  io("config", "file of the run", index.config);
  io("convolutions", "kernel of each convolution", index.convolutions);
  io("kernel", "design of the kernels", index.kernel);
  io("kernels", "each kernel as YAML", index.kernels);
  io("run", "name of the run", index.run);
  io("xclbins", "files of the kernels", index.xclbins);
}

// Writes the xclbins of a run with these rows. `place` that ends with a slash: a folder, which gets a file for each
// bitstream; otherwise one file, for a run of one bitstream. Returns lines that name the files. Throws Error.
std::string write_xclbins(const config::RunConfig& run, const std::vector<design::Row>& rows, const std::string& place);

}  // namespace weft::xrt
