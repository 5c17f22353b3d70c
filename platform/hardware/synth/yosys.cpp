#include "platform/hardware/synth/yosys.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/core/error.h"
#include "platform/os/content.h"
#include "platform/os/process.h"

namespace weft::synth {

namespace fs = std::filesystem;

namespace {

// Returns a name that no other thread or process uses.
fs::path scratch(const fs::path& result, const char* suffix) {
  static std::atomic<int> serial{0};
  return result.string() + fmt::format(".{}.{}{}", getpid(), ++serial, suffix);
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Error(fmt::format("cannot write '{}'", path.string()));
}

struct Resource {
  const char* cell;
  std::int64_t LogicUse::*of;
  std::int64_t each;
};

// Resources of each primitive (UG573/UG574). A memory in LUTs counts the LUTs of its slice; multiplexers after LUTs
// (MUXF7 to 9) and carry chains come with the LUTs.
constexpr Resource kResources[] = {
    {"LUT1", &LogicUse::lut, 1},      {"LUT2", &LogicUse::lut, 1},        {"LUT3", &LogicUse::lut, 1},
    {"LUT4", &LogicUse::lut, 1},      {"LUT5", &LogicUse::lut, 1},        {"LUT6", &LogicUse::lut, 1},
    {"INV", &LogicUse::lut, 1},       {"SRL16E", &LogicUse::lut, 1},      {"SRLC32E", &LogicUse::lut, 1},
    {"RAM32X1D", &LogicUse::lut, 2},  {"RAM64X1D", &LogicUse::lut, 2},    {"RAM128X1D", &LogicUse::lut, 4},
    {"RAM256X1D", &LogicUse::lut, 8}, {"RAM32M", &LogicUse::lut, 4},      {"RAM64M", &LogicUse::lut, 4},
    {"RAM32M16", &LogicUse::lut, 8},  {"RAM64M8", &LogicUse::lut, 8},     {"FDRE", &LogicUse::ff, 1},
    {"FDSE", &LogicUse::ff, 1},       {"FDCE", &LogicUse::ff, 1},         {"FDPE", &LogicUse::ff, 1},
    {"DSP48E2", &LogicUse::dsp, 1},   {"RAMB18E2", &LogicUse::bram18, 1}, {"RAMB36E2", &LogicUse::bram18, 2},
    {"URAM288", &LogicUse::uram, 1},
};
// $scopeinfo: yosys (0.39 and later) keeps it of a module whose boundary is dissolved.
constexpr std::array<const char*, 6> kFree{"MUXF7", "MUXF8", "MUXF9", "CARRY4", "CARRY8", "$scopeinfo"};

void add_cells(LogicUse& use, const std::string& cell, std::int64_t count) {
  if (std::find(kFree.begin(), kFree.end(), cell) != kFree.end()) return;
  if (cell[0] == '$' || cell[0] == '\\') {
    // Module names contain a backslash; a name with $ and no backslash is an unmapped primitive.
    if (cell.find('\\') == std::string::npos) throw Error(fmt::format("yosys left a cell {} unmapped", cell));
    return;
  }
  for (const Resource& each : kResources) {
    if (cell == each.cell) {
      use.*each.of += count * each.each;
      return;
    }
  }
  if (std::islower(static_cast<unsigned char>(cell[0])) != 0) return;  // a module without parameters
  throw Error(fmt::format("yosys mapped to a cell {} that weft cannot count", cell));
}

}  // namespace

std::string yosys_version() {
  const os::Output version = os::output_of({{"yosys", "-V"}});
  if (version.exit_code != 0) throw Error(fmt::format("cannot read the version of yosys: {}", version.text));
  return version.text;
}

std::string mapping_script(bool uram, bool flatten) {
  std::string script;
  if (uram) script += "setattr -set ram_style \"ultra\" */m:*\n";
  script += "read_verilog -lib +/xilinx/cells_sim.v\nread_verilog -lib +/xilinx/cells_xtra.v\n";
  if (flatten) script += "hierarchy -auto-top\n";
  // Starts at "prepare": the step before would drop modules that the top does not use, but here every module is a top.
  return script + fmt::format("synth_xilinx -family xcup -noiopad -noclkbuf{}{} -run prepare:check\n",
                              uram ? " -uram" : "", flatten ? " -flatten" : "");
}

std::string script_word(const fs::path& path) {
  return "\"" + path.string() + "\"";
}

void run_yosys(const std::string& script, const std::string& last, const fs::path& result) {
  const fs::path commands = scratch(result, ".ys"), log = result.string() + ".log", product = scratch(result, ".part");
  write_file(commands, script + fmt::format(fmt::runtime(last), product.filename().string()) + "\n");
  const int code = os::run({{"yosys", "-q", "-s", commands.filename()}, result.parent_path()}, log);
  std::error_code ignored;
  fs::remove(commands, ignored);
  if (code != 0) {
    fs::remove(product, ignored);
    throw Error(fmt::format("yosys fails ({}): {}", log.string(), os::first_error(log)));
  }
  fs::remove(log, ignored);
  fs::rename(product, result);
}

void map_module(const std::string& design, const std::string& script, const fs::path& result) {
  const fs::path input = scratch(result, ".il");
  write_file(input, design);
  try {
    run_yosys("read_rtlil " + input.filename().string() + "\n" + script, "tee -q -o {} stat -json", result);
  } catch (...) {
    std::error_code ignored;
    fs::remove(input, ignored);
    throw;
  }
  fs::remove(input);
}

// Removes commas before a closing brace: yosys 0.23 writes one after the last module.
std::string without_last_commas(std::string text) {
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next != std::string::npos && text[next] == '}') text[at] = ' ';
  }
  return text;
}

LogicUse read_cells(const fs::path& result) {
  const std::string text = without_last_commas(os::content(result));
  LogicUse use;
  try {
    const nlohmann::json modules = nlohmann::json::parse(text).at("modules");
    for (const auto& module : modules) {
      for (const auto& [cell, count] : module.at("num_cells_by_type").items())
        add_cells(use, cell, count.get<std::int64_t>());
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("the statistics of yosys have an unknown form ({}): {}", result.string(), error.what()));
  }
  return use;
}

namespace {

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

// Renames yosys' own names ("$add$file.sv:33$2551") to $1, $2, ... in the order of their appearance. Types of cells
// ("$add") and names of modules ("$paramod\...") stay.
class Renumbering {
 public:
  std::string operator()(const std::string& line, bool is_cell) {
    std::string out;
    std::size_t at = 0;
    int word_index = 0;
    while (at < line.size()) {
      if (line[at] == '"') {  // a string is copied unchanged
        std::size_t end = at + 1;
        while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
        out += line.substr(at, end + 1 - at);
        at = end + 1;
      } else if (line[at] == ' ') {
        out += line[at++];
      } else {
        std::size_t end = line.find(' ', at);
        if (end == std::string::npos) end = line.size();
        const std::string word = line.substr(at, end - at);
        const bool type = is_cell && word_index == 1;
        out += !type && word[0] == '$' ? renamed(word) : word;
        ++word_index;
        at = end;
      }
    }
    return out;
  }

 private:
  std::string renamed(const std::string& word) {
    return names_.emplace(word, fmt::format("${}", names_.size() + 1)).first->second;
  }
  std::map<std::string, std::string> names_;
};

std::string own_name(const std::string& name) {
  const std::size_t dot = name.find_last_of(".\\");
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

bool is_port(const std::string& line) {
  return starts_with(line, "  wire ") &&
         (line.find(" input ") != std::string::npos || line.find(" output ") != std::string::npos);
}

}  // namespace

Netlist read_rtlil(const std::string& text) {
  Netlist netlist;
  std::istringstream in(text);
  Module* module = nullptr;
  Renumbering renumber;
  for (std::string line; std::getline(in, line);) {
    if (starts_with(line, "module ")) {
      const std::string name = line.substr(7);
      module = &netlist[name];
      renumber = {};
      module->text = line + "\n";
      module->stub = "attribute \\blackbox 1\n" + line + "\n";
    } else if (module && line == "end") {
      module->text += "end\n";
      module->stub += "end\n";
      module = nullptr;
    } else if (module && line.find("attribute \\src ") == std::string::npos) {
      const bool is_cell = starts_with(line, "  cell ");
      module->text += renumber(line, is_cell) + "\n";
      if (is_port(line)) module->stub += line + "\n";
      if (is_cell) {
        const std::size_t space = line.find(' ', 7);
        module->instances.push_back({line.substr(7, space - 7), own_name(line.substr(space + 1))});
      }
    }
  }
  // Only cells that are modules of the design are instances; the others are yosys' primitives.
  for (auto& [name, each] : netlist) {
    std::vector<Module::Instance> kept;
    for (const Module::Instance& instance : each.instances) {
      if (netlist.count(instance.module) > 0) kept.push_back(instance);
    }
    each.instances = std::move(kept);
  }
  return netlist;
}

}  // namespace weft::synth
