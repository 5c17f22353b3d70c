#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/core/units.h"

namespace weft::explain {

// What takes a share of the time.
struct Share {
  std::string name;
  double of_time = 0;
};

// What a run came to.
struct Figures {
  double seconds = 0;         // of the convolutions, or of the iteration
  std::vector<Share> shares;  // of the seconds: blocks that limit convolutions, or what the iteration is made of
  std::string kernel;         // "16 x 16 PEs at 100 MHz, profile hls"
  std::string memory;         // "DDR4-2400, 4 channels"
  // Of convolutions:
  std::optional<Cycles> cycles;
  std::map<std::string, Cycles> kinds;  // of F, GI, GW
  std::optional<double> utilisation;    // useful multiply-accumulates over what the kernel could have done
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
  int step = 0;        // of AsIs and Kept: 0, 1, 2, ...
  std::string change;  // a name, empty for AsIs
  std::string why_not;
  std::optional<Figures> figures;           // with the change and all before it
  std::optional<double> gain, alone, last;  // shares of the time that it saves; negative: that it costs
  std::string config;                       // the file beside that is this run
};

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

struct Change {
  std::string name, meaning, caveat;
};

// What `weft explain` found of a run: all that its reports say.
struct Explanation {
  std::string run, network, board, rung, kernel;
  int batch = 1, search_batch = 1;
  std::int64_t convolutions = 0;
  std::vector<Change> changes;            // of both ladders
  LadderLines kernels;                    // by the time of the convolutions
  LadderLines iteration;                  // by that of a whole training iteration; no lines if there is none
  std::string no_iteration;               // why
  std::int64_t asked = 0, simulated = 0;  // convolutions of all runs, and of them different ones
};

// A key of its JSON.
struct FieldMeaning {
  const char* name;
  const char* unit;  // "1" for a share, empty for what has none
  const char* meaning;
};
const std::vector<FieldMeaning>& field_meanings();

nlohmann::ordered_json to_json(const Explanation& explanation);
// Throws Error at JSON that to_json did not make.
Explanation from_json(const nlohmann::ordered_json& json);

// Whether it is the JSON of an explanation.
bool is_explanation(const nlohmann::ordered_json& json);

}  // namespace weft::explain
