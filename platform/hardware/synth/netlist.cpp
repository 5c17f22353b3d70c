#include "platform/hardware/synth/netlist.h"

#include <fmt/core.h>

#include <sstream>

namespace weft::synth {

namespace {

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

// Renames yosys' own names ("$add$file.sv:33$2551") to $1, $2, ... in the order in which they appear. Types of cells
// ("$add") and names of modules ("$paramod\...") stay.
class Renumbering {
 public:
  std::string operator()(const std::string& line, bool is_cell) {
    std::string out;
    std::size_t at = 0;
    int word_index = 0;
    while (at < line.size()) {
      if (line[at] == '"') {  // a string: as it is
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
