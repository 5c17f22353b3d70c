#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// A design's RTL as files and parameters: common part of its tools (Verilator, yosys).
namespace weft::rtl {

// Locations of the RTL's sources and of cached results.
struct BuildContext {
  std::filesystem::path source;  // the project
  std::filesystem::path cache;
};

struct Sources {
  const char* folder;   // in the project; shared sources are in kCommonFolder
  const char* package;  // file that is read first, without .sv
  const char* top;      // module of the kernel
};

struct Parameter {
  std::string name;
  std::int64_t value = 0;
  bool bit = false;  // of one bit; else an int

  bool operator==(const Parameter& other) const {
    return name == other.name && value == other.value && bit == other.bit;
  }
};

// A kernel: its RTL and the values of its parameters.
struct Kernel {
  Sources sources;
  std::vector<Parameter> parameters;
};

// Sources that every design's RTL may use in addition to its own.
inline constexpr const char* kCommonFolder = "kernels/common/rtl";
inline constexpr const char* kCommonPackage = "framework_pkg";

// Folder of the design's own RTL in the project.
std::filesystem::path folder(const Sources& sources, const BuildContext& build_context);

// All files of a design's RTL, in the order in which tools read them: packages before their users.
struct Files {
  std::vector<std::filesystem::path> waivers;  // of Verilator's lint: .vlt
  std::vector<std::filesystem::path> sources;  // .sv
};
// Files in the project: the common ones and the design's own. Their names are distinct.
Files files(const Sources& sources, const BuildContext& build_context);
// Files in a folder that holds them all.
Files files(const Sources& sources, const std::filesystem::path& folder);
// Path of the project's file of this name, or its path in the design's folder if there is none.
std::filesystem::path file(const Sources& sources, const BuildContext& build_context, const std::string& name);

// Name of a topology's element in the RTL's parameters: "inp_beat" -> "InpBeat".
std::string camel_case(const std::string& name);

}  // namespace weft::rtl
