#pragma once

#include <functional>
#include <optional>
#include <string>

#include "platform/config/run_config.h"

namespace weft::design {

// A run with a change made to it; or why it cannot be made.
struct Changed {
  std::optional<config::RunConfig> run;
  std::string why_not;

  static Changed to(config::RunConfig run) { return {std::move(run), ""}; }
  static Changed impossible(std::string why) { return {std::nullopt, std::move(why)}; }
};

// A change to a run of which an architect may ask what it would gain: `weft explain` tries it. What `make` gives must
// be a run that a file can hold, for the file is what is run.
struct Counterfactual {
  std::string name;     // a word, which names files too
  std::string meaning;  // what is different then, in a few words
  std::string caveat;   // what stands in its way: "needs timing closure"; empty: only what it takes of the board
  std::string within;  // the resource of which no kernel may need more than the board has, as reports name it; or empty
  bool again = false;  // may be made on top of itself
  std::function<Changed(const config::RunConfig&)> make;
};

// Changes that any design may list.

Counterfactual ideal_memory();  // in place of the board's
Counterfactual faster_ddr();    // the fastest bin of DDR4
Counterfactual faster_clock();  // twice that of the kernel

}  // namespace weft::design
