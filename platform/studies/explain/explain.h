#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/run/result.h"
#include "platform/run/row_cache.h"
#include "platform/studies/explain/explanation.h"

namespace weft::explain {

struct Request {
  config::RunConfig run;
  config::Library library;
  std::string config;             // CONFIG: a name or a file
  std::vector<std::string> sets;  // KEY=VALUE that gives `run`
  std::string command;            // weft run CONFIG with these
  // Returns the run that the command simulates with more --set options. Throws Error.
  std::function<config::RunConfig(const std::vector<std::string>& sets)> load;
  std::vector<std::string> held;   // keys that no change may alter
  int workers = 1;                 // processes
  run::RowCache* cache = nullptr;  // cache of simulated rows; may be null
};

// Callbacks during explain(). Each may be empty.
struct Listener {
  std::function<void(const std::string& label)> stage;  // called at the start of a stage
  run::Progress progress;                               // of the current stage
};

struct Explained {
  Explanation explanation;
  // File name -> run (YAML): the files that Line::config names, and advised.yaml, the end of the ladder as a run that
  // extends CONFIG and has its rung.
  std::map<std::string, std::string> configs;
};

// Finds what limits a run and what to change. Throws Error if the run is invalid, Deadlock if its simulation stalls for
// ever.
Explained explain(const Request& request, const Listener& listener);

// Adds --set options to a command.
std::string with_sets(std::string command, const std::vector<std::string>& sets);

}  // namespace weft::explain
