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

// What takes a share of the time.
struct Share {
  std::string name;
  double of_time = 0;
};

// Of F, GI and GW, in the order of conv::Kind.
struct KindCycles {
  std::array<std::optional<Cycles>, 3> of;
};

// What a run came to; nothing, if it was not tried.
struct Figures {
  std::optional<double> seconds;             // of the convolutions, or of the iteration
  std::optional<std::vector<Share>> shares;  // of the seconds: blocks that limit, or what the iteration is made of
  std::optional<std::string> kernel;         // "16 x 16 PEs at 100 MHz, profile hls"
  std::optional<std::string> memory;         // "DDR4-2400, 4 channels"
  // Of convolutions:
  std::optional<Cycles> cycles;
  std::optional<KindCycles> kinds;
  std::optional<double> utilisation;  // useful multiply-accumulates over what the kernel could have done
  std::optional<double> stall_share, ddr_efficiency;
  std::optional<std::int64_t> do_not_fit;  // convolutions whose kernels do not fit the board
};

enum class Ending : std::uint8_t {
  AsIs,       // the run as it is
  Kept,       // the step of this number
  NoGain,     // tried, and no faster
  Slower,     // tried, and slower
  Impossible  // why_not says why
};
const char* to_string(Ending ending);

// A line of a ladder: the run as it is, a step, or a change that is not kept.
struct Line {
  Ending ending = Ending::AsIs;
  std::optional<int> step;            // of AsIs and Kept: 0, 1, 2, ...
  std::optional<std::string> change;  // its name; none of AsIs
  std::optional<std::string> why_not;
  Figures figures;                          // with the change and all before it
  std::optional<double> gain, alone, last;  // shares of the time that it saves; negative: that it costs
  std::optional<std::string> config;        // the file beside that is this run
};
void fields(record::Visitor& io, Line& line);

// Less than this nothing takes.
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

// What `weft explain` found of a run: all that its reports say.
struct Explanation {
  std::string weft_version = record::weft_version(), run, network, board, rung, kernel;
  int batch = 1, search_batch = 1;
  std::int64_t convolutions = 0;
  std::vector<Change> changes;              // of both ladders
  LadderLines kernels;                      // by the time of the convolutions
  LadderLines iteration;                    // by that of a whole training iteration; no lines if there is none
  std::optional<std::string> no_iteration;  // why
  std::int64_t asked = 0, simulated = 0;    // convolutions of all runs, and of them different ones
  record::Named<KeyWords> words;            // explanation_words()
  std::optional<config::Inputs> inputs;
};
void fields(record::Visitor& io, Explanation& explanation);

record::Named<KeyWords> explanation_words();

// Three: what limits it, what to change first and what that gains, what limits it then. `lines`: a ladder, its first
// line the run as it is.
std::vector<std::string> sentences(const std::vector<Line>& lines, const std::vector<Change>& changes);

// "2.51 s", "738 ms".
std::string duration_text(double seconds);

}  // namespace weft::explain
