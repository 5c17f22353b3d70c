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

// Resource of the board: largest use by a kernel of the run.
struct Resource {
  std::string name;  // "BRAM18"
  std::int64_t used = 0, available = 0;
};

// Figures of a run that was tried; empty otherwise.
struct Figures {
  std::optional<double> seconds;             // of an iteration, or of the convolutions if there is none
  std::optional<double> epoch_hours;         // of these seconds
  std::optional<std::vector<Share>> shares;  // of these seconds: parts of the iteration, or limiting blocks
  std::optional<double> convolutions_seconds;
  std::optional<std::vector<Share>> limiters;  // of the convolutions
  std::optional<std::int64_t> kernels, loads;  // kernels of the run, loads in an iteration
  std::optional<std::int64_t> misfits;         // convolutions whose kernels do not fit the board
  std::optional<std::vector<Resource>> resources;
  std::optional<std::string> kernel;  // "16 x 16 PEs at 100 MHz, profile hls"
  std::optional<std::string> memory;  // "DDR4-2400, 4 channels"
  // Convolutions:
  std::optional<Cycles> cycles;
  std::optional<KindCycles> kinds;
  std::optional<double> utilisation;  // multiply-accumulates of the layers over the kernels' peak
  std::optional<double> stall_share, ddr_efficiency;
};

enum class Ending : std::uint8_t {
  AsIs,       // the unchanged run
  Kept,       // a step that was kept, numbered by Line::step
  NoGain,     // tried, and no faster
  Slower,     // tried, and slower
  Impossible  // the reason is in why_not
};
const char* to_string(Ending ending);

// Line of the ladder: the unchanged run, a step, or a change that is not kept. Or a change to the question, made at the
// end of the ladder.
struct Line {
  Ending ending = Ending::AsIs;
  std::optional<int> step;            // 0, 1, 2, ... for AsIs and Kept
  std::optional<std::string> change;  // names of the changes, with " + " between them; nothing for AsIs
  std::optional<std::string> why_not;
  Figures figures;                          // with this change and all before it
  std::optional<double> gain, alone, last;  // fraction of the time saved; negative: lost
  std::optional<std::string> command;       // command that simulates this line's run
  std::optional<std::string> config;        // name of the run's configuration file
};
void fields(record::Visitor& io, Line& line);

// Lower bound on the time.
struct Bound {
  std::string name, meaning;
  std::string of;  // "as is", "at the end"
  double seconds = 0;
  std::optional<double> epoch_hours{};
  std::optional<Cycles> cycles{};  // of convolutions
};
void fields(record::Visitor& io, Bound& bound);

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
  int batch = 1;
  std::int64_t dataset_images = 0, convolutions = 0;
  std::vector<std::string> verdict;  // verdict()
  std::vector<std::string> held;     // keys that no change may alter
  std::vector<Change> changes;
  std::vector<Line> lines;                  // the ladder; the unchanged run first
  std::vector<Bound> bounds;                // what cannot be bought
  std::vector<Line> question;               // changes to the question
  std::optional<std::string> no_iteration;  // reason why the times are those of convolutions alone
  std::int64_t sets = 0;                    // sets of changes that were tried by the equations
  std::int64_t asked = 0, simulated = 0;    // convolutions of all runs, and the distinct ones that were simulated
  record::Named<KeyWords> words;            // explanation_words()
  std::optional<config::Inputs> inputs;

  const Line& end() const;                    // last line that is kept, or the unchanged run
  std::string added(const Line& line) const;  // options of a line's command that the end's command lacks
};
void fields(record::Visitor& io, Explanation& explanation);

// True if a line of `lines` is of this change; `kept`: if a kept line is.
bool is_of(const std::vector<Line>& lines, const Change& change, bool kept);

record::Named<KeyWords> explanation_words();

// Returns three sentences: what the run takes, what limits it, and which change to make first, with its gain and price.
std::vector<std::string> verdict(const Explanation& explanation);

// Returns the CSV: lines of the ladder, changes to the question, bounds.
std::string csv_text(const Explanation& explanation);
std::string csv_head();  // its first line

}  // namespace weft::explain
