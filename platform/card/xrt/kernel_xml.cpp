#include "platform/card/xrt/kernel_xml.h"

#include <fmt/core.h>

#include <sstream>

namespace weft::xrt {

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
