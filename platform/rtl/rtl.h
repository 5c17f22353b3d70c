#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/fpgpt/alpha.h"

// The kernel's RTL as files and parameters: what its tools (Verilator, yosys) have in common.
namespace weft::rtl {

// Where the RTL's sources are, and where what is made of them is kept.
struct Workshop {
  std::filesystem::path source;  // the project
  std::filesystem::path cache;
};

// One parameter of module fpgpt_kernel.
struct Parameter {
  std::string name;
  std::int64_t value = 0;
  bool bit = false;  // of one bit; else an int
};

// All parameters that follow from alpha. `max_sets`: the largest S of the convolutions to come.
std::vector<Parameter> parameters(const fpgpt::Alpha& alpha, std::int64_t max_sets);

// Of the project's RTL.
std::filesystem::path folder(const Workshop& workshop);

// The .sv files in `folder` in the order in which they are read: the package first.
std::vector<std::filesystem::path> sources(const std::filesystem::path& folder);

// The whole of a file. Throws Error if it cannot be read.
std::string content(const std::filesystem::path& path);

// 128 bits in hexadecimal: names what is kept by what it was made from.
std::string digest(const std::string& text);

// The first line of a tool's log that speaks of an error.
std::string first_error(const std::filesystem::path& log);

}  // namespace weft::rtl
