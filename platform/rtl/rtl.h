#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/os/content.h"

// A design's RTL as files and parameters: what its tools (Verilator, yosys) have in common.
namespace weft::rtl {

// Where the RTL's sources are, and where what is made of them is kept.
struct Workshop {
  std::filesystem::path source;  // the project
  std::filesystem::path cache;
};

// The RTL of a design.
struct Sources {
  const char* folder;   // in the project
  const char* package;  // the file that is read before all others, without .sv
  const char* top;      // the module of the kernel
};

// One parameter of its top module.
struct Parameter {
  std::string name;
  std::int64_t value = 0;
  bool bit = false;  // of one bit; else an int

  bool operator==(const Parameter& other) const {
    return name == other.name && value == other.value && bit == other.bit;
  }
};

// A kernel: its RTL, and what it is built with.
struct Kernel {
  Sources sources;
  std::vector<Parameter> parameters;
};

// Of the project's RTL.
std::filesystem::path folder(const Sources& sources, const Workshop& workshop);

// The .sv files in `folder` in the order in which they are read: the package first.
std::vector<std::filesystem::path> files(const Sources& sources, const std::filesystem::path& folder);

// The name of a thing in the topology as the RTL's parameters have it: "inp_beat" -> "InpBeat".
std::string camel_case(const std::string& name);

using os::content;

// 128 bits in hexadecimal: names what is kept by what it was made from.
std::string digest(const std::string& text);

// The first line of a tool's log that speaks of an error.
std::string first_error(const std::filesystem::path& log);

}  // namespace weft::rtl
