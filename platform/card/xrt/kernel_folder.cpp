#include "platform/card/xrt/kernel_folder.h"

#include <fmt/core.h>

#include <filesystem>
#include <sstream>
#include <system_error>

#include "model/core/error.h"
#include "platform/card/card.h"
#include "platform/card/xrt/xclbin.h"
#include "platform/catalogue/designs.h"
#include "platform/design/row.h"
#include "platform/os/output_file.h"
#include "platform/record/json.h"

namespace weft::xrt {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOption = "--xclbin";
constexpr const char* kRun = "run.yaml";
constexpr const char* kIndexMark = "\"config\": \"run.yaml\"";

// A bitstream of a run: its kernel, and the first row that needs it.
struct NumberedKernel {
  config::KernelPtr kernel;
  const design::Row* row = nullptr;
};

std::string xclbin_of(const config::RunConfig& run, const config::Kernel& kernel) {
  const design::AddressMap memory = card::memory_of(run);
  Xclbin xclbin{platform_name(run.board),
                kernel.design(),
                design::design_of(run).card_arguments(kernel),
                config::port_channels(run),
                kernel.clock,
                memory,
                write_bitstream(run, memory, kernel)};
  return write_xclbin(xclbin);
}

KernelIndex index_of(const std::vector<design::Row>& rows, const std::vector<std::size_t>& numbers,
                     const std::vector<std::string>& files, const std::vector<NumberedKernel>& kernels,
                     const config::RunConfig& run) {
  KernelIndex index{run.batch, run.board.name, kRun, {}, run.kernel->design(), {}, run.name, files};
  for (const NumberedKernel& each : kernels) index.kernels.push_back(config::to_yaml(each.kernel->write()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    index.convolutions.push_back({rows[i].fully_connected, conv::to_string(rows[i].kind), rows[i].launches,
                                  rows[i].layer.name, files[numbers[i]]});
  }
  return index;
}

}  // namespace

std::string write_xclbins(const config::RunConfig& run, const std::vector<design::Row>& rows,
                          const std::string& place) {
  const design::Design& design = design::design_of(run);
  if (!design.card_kernel_of(run, rows.front())) {
    throw Error(fmt::format("{}: the design {} cannot be loaded into a card", kOption, design.name()));
  }
  const std::vector<std::size_t> numbers = design::bitstreams_of(rows);
  std::vector<NumberedKernel> kernels;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (numbers[i] == kernels.size()) kernels.push_back({design.card_kernel_of(run, rows[i]), &rows[i]});
  }
  if (place.empty() || place.back() != '/') {
    if (kernels.size() > 1) {
      throw Error(fmt::format(
          "{0} {1}: the run needs {2} kernels, but an xclbin holds one: name a folder ({0} {1}/), or reduce "
          "the kernels: sizes that are `shared` or numbers, or --set only=LAYER:KIND",
          kOption, place, kernels.size()));
    }
    os::OutputFile(place, kOption, kXclbinMark).write(xclbin_of(run, *kernels.front().kernel));
    return fmt::format("xclbin       {}: {}\n", place, design::kernel_text(*kernels.front().row));
  }
  const fs::path folder(place);
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw Error(fmt::format("{}: cannot create '{}': {}", kOption, place, code.message()));
  // All files are checked before the first is written. A run.yaml is replaced only if there is an index.json.
  std::vector<os::OutputFile> xclbins;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    files.push_back(fmt::format("{}-{}.xclbin", run.name, i));
    xclbins.emplace_back(folder / files.back(), kOption, kXclbinMark);
  }
  const os::OutputFile index(folder / kKernelIndex, kOption, kIndexMark);
  if (fs::exists(folder / kRun) && !fs::exists(folder / kKernelIndex)) {
    throw Error(fmt::format("{} {}: holds a {}, but no {} of weft; the folder is left as it is: name another one",
                            kOption, place, kRun, kKernelIndex));
  }
  const os::OutputFile config(folder / kRun, kOption, "");
  for (std::size_t i = 0; i < kernels.size(); ++i) xclbins[i].write(xclbin_of(run, *kernels[i].kernel));
  index.write(record::json_text(index_of(rows, numbers, files, kernels, run), 1));
  config.write(config::resolved_yaml(run));
  return fmt::format("xclbins      {} in {}, for {} convolutions; {} names the kernel of each\n", files.size(), place,
                     rows.size(), kKernelIndex);
}

namespace {

std::string hex(Address value) {
  return fmt::format("0x{:x}", value);
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = value.c_str();
}

}  // namespace

void append_arguments(pugi::xml_node kernel, const std::vector<design::KernelArgument>& arguments,
                      const std::function<std::string(int)>& memory_port, const std::string& control_port) {
  std::size_t id = 0;
  for (const design::KernelArgument& argument : arguments) {
    const bool buffer = argument.port >= 0;
    pugi::xml_node arg = kernel.append_child("arg");
    set(arg, "name", argument.name);
    set(arg, "addressQualifier", buffer ? "1" : "0");
    set(arg, "id", std::to_string(id++));
    set(arg, "port", buffer ? memory_port(argument.port) : control_port);
    set(arg, "size", hex(argument.bytes));
    set(arg, "offset", hex(argument.offset));
    set(arg, "hostOffset", "0x0");
    set(arg, "hostSize", hex(argument.bytes));
    set(arg, "type", buffer ? "float*" : argument.is_signed ? "int" : "uint");
  }
}

void append_port(pugi::xml_node kernel, const std::string& name, bool master, const std::string& range, int data_bits) {
  pugi::xml_node port = kernel.append_child("port");
  set(port, "name", name);
  set(port, "mode", master ? "master" : "slave");
  set(port, "range", range);
  set(port, "dataWidth", std::to_string(data_bits));
  set(port, "portType", "addressable");
  set(port, "base", "0x0");
}

std::string kernel_xml(const RtlKernel& what) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("root");
  set(root, "versionMajor", "1");
  set(root, "versionMinor", "6");
  pugi::xml_node kernel = root.append_child("kernel");
  set(kernel, "name", what.name);
  set(kernel, "language", "ip_c");
  set(kernel, "vlnv", fmt::format("weft:kernel:{}:1.0", what.name));
  set(kernel, "attributes", "");
  set(kernel, "preferredWorkGroupSizeMultiple", "0");
  set(kernel, "workGroupSize", "1");
  set(kernel, "interrupt", "false");
  set(kernel, "hwControlProtocol", "ap_ctrl_hs");
  pugi::xml_node ports = kernel.append_child("ports");
  for (const std::string& port : what.memory_ports) {
    append_port(ports, port, true, "0xFFFFFFFFFFFFFFFF", what.data_bits);
  }
  append_port(ports, what.control_port, false, hex(what.control_bytes), 32);
  append_arguments(
      kernel.append_child("args"), what.arguments,
      [&](int port) { return what.memory_ports[static_cast<std::size_t>(port)]; }, what.control_port);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace weft::xrt
