#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::waves {

// Display format of a signal in GTKWave: bits of TraceEnt's flags (analyzer.h), as in its save files.
enum class Format : std::uint64_t { Hex = 0x22, Decimal = 0x24, Bits = 0x28, ByName = 0x100000028 };

// A signal of a waveform file, or a vector of several.
struct ShownSignal {
  Format as = Format::Hex;
  std::string name;  // "kernel.fifo.inp_beat[5:0]"; of a vector: "#{kernel.cycle[1:0]} kernel.cycle[1] kernel.cycle[0]"
};
struct Group {
  std::string title;  // empty: the signals are in no group
  std::vector<ShownSignal> signals;
};

// Part of the waveforms that GTKWave shows first.
struct View {
  std::string file;                           // of the waveforms, relative to the save file
  std::string scope;                          // opened in the tree
  double period_ps = 0;                       // of the clock
  std::int64_t first_ps = 0, marker_ps = -1;  // left edge, and the primary marker; -1: none
};

// Returns a save file of GTKWave with these signals.
std::string save_file(const View& view, const std::vector<Group>& groups);

// Throws Error unless `file` can be the name of waveforms; a save file next to it has the same name with .gtkw.
void check_name(const std::string& option, const std::string& file);

}  // namespace weft::waves
