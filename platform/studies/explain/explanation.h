#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "platform/config/inputs.h"
#include "platform/record/record.h"

namespace weft::explain {

// Named share of the time.
struct Share {
  std::string name;
  double of_time = 0;
};

// Cycles of F, GI and GW, in the order of conv::Kind.
struct KindCycles {
  std::array<std::optional<Cycles>, 3> of;
};

// Figures of a run that was tried; empty otherwise.
struct Figures {
  std::optional<double> seconds;             // time of the convolutions, or of the iteration
  std::optional<std::vector<Share>> shares;  // shares of `seconds`: limiting blocks, or parts of the iteration
  std::optional<std::string> kernel;         // "16 x 16 PEs at 100 MHz, profile hls"
  std::optional<std::string> memory;         // "DDR4-2400, 4 channels"
  // Convolutions only:
  std::optional<Cycles> cycles;
  std::optional<KindCycles> kinds;
  std::optional<double> utilisation;  // useful multiply-accumulates over the kernel's peak
  std::optional<double> stall_share, ddr_efficiency;
  std::optional<std::int64_t> do_not_fit;  // convolutions whose kernels do not fit the board
};

enum class Ending : std::uint8_t {
  AsIs,       // the unchanged run
  Kept,       // a step that was kept, numbered by Line::step
  NoGain,     // tried, and no faster
  Slower,     // tried, and slower
  Impossible  // the reason is in why_not
};
const char* to_string(Ending ending);

// Line of a ladder: the unchanged run, a step, or a change that is not kept.
struct Line {
  Ending ending = Ending::AsIs;
  std::optional<int> step;            // 0, 1, 2, ... for AsIs and Kept
  std::optional<std::string> change;  // name of the change; nothing for AsIs
  std::optional<std::string> why_not;
  Figures figures;                          // with this change and all before it
  std::optional<double> gain, alone, last;  // fraction of the time saved; negative: lost
  std::optional<std::string> config;        // name of the run's configuration file
};
void fields(record::Visitor& io, Line& line);

// Lower bound on the time.
struct Bound {
  std::string name;  // "array", "memory"
  std::string of;    // "as is", "at the end"
  Cycles cycles = 0;
  double seconds = 0;
};

struct LadderLines {
  std::vector<Line> lines;
  std::vector<Bound> bounds;
  std::vector<std::string> sentences;
};
void fields(record::Visitor& io, LadderLines& ladder);

struct Change {
  std::string name, meaning, caveat;
};

// Unit and meaning of a key of the lines.
struct KeyWords {
  std::string unit, meaning;
};

// Result of `weft explain`: everything in its reports.
struct Explanation {
  std::string weft_version = record::weft_version(), run, network, board, rung, kernel;
  int batch = 1, search_batch = 1;
  std::int64_t convolutions = 0;
  std::vector<Change> changes;              // of both ladders
  LadderLines kernels;                      // rated by the time of the convolutions
  LadderLines iteration;                    // rated by the time of a training iteration; empty if there is none
  std::optional<std::string> no_iteration;  // reason why there is no iteration
  std::int64_t asked = 0, simulated = 0;    // convolutions of all runs, and the distinct ones that were simulated
  record::Named<KeyWords> words;            // explanation_words()
  std::optional<config::Inputs> inputs;
};
void fields(record::Visitor& io, Explanation& explanation);

record::Named<KeyWords> explanation_words();

// Returns three sentences: what limits the run, which change to make first and its gain, and what limits the run after
// it. `lines`: a ladder that begins with the unchanged run.
std::vector<std::string> sentences(const std::vector<Line>& lines, const std::vector<Change>& changes);

// Text of a duration: "2.51 s", "738 ms".
std::string duration_text(double seconds);

}  // namespace weft::explain
