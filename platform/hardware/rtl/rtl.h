#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// A design's RTL as files and parameters: what its tools (Verilator, yosys) have in common.
namespace weft::rtl {

// Where the RTL's sources are, and where what is made of them is kept.
struct Workshop {
  std::filesystem::path source;  // the project
  std::filesystem::path cache;
};

struct Sources {
  const char* folder;   // in the project; what designs share lies beside it (kCommonFolder)
  const char* package;  // the file that is read before its others, without .sv
  const char* top;      // the module of the kernel
};

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

// What every design's RTL may use, beside its own.
inline constexpr const char* kCommonFolder = "kernels/common/rtl";
inline constexpr const char* kCommonPackage = "framework_pkg";

// Of the design's own RTL in the project.
std::filesystem::path folder(const Sources& sources, const Workshop& workshop);

// All that a design's RTL consists of, in the order in which tools read it: packages before what uses them.
struct Files {
  std::vector<std::filesystem::path> waivers;  // of Verilator's lint: .vlt
  std::vector<std::filesystem::path> sources;  // .sv
};
// In the project: the common ones and its own. No two have one name.
Files files(const Sources& sources, const Workshop& workshop);
// In a folder that holds them all.
Files files(const Sources& sources, const std::filesystem::path& folder);
// The one of the project of this name, or where the design would have it.
std::filesystem::path file(const Sources& sources, const Workshop& workshop, const std::string& name);

// The name of a thing in the topology as the RTL's parameters have it: "inp_beat" -> "InpBeat".
std::string camel_case(const std::string& name);

}  // namespace weft::rtl
