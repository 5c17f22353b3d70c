#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/compose.h"

namespace weft::config {

// A file about a run (an exploration, a validation): `run` names the run, or is one; `set` changes it; all other keys
// are its own.
struct Study {
  Node file;                            // with the overrides of its own keys applied
  std::vector<Override> run_overrides;  // the others

  // The run, changed by `set` and the overrides. Throws InputError.
  Node composed_run(const Library& library) const;
  // Whether the overrides take another network than the file is about: what it says is published is not about that.
  bool another_network() const;
};

// The study `name_or_path` of `kind`. An override whose key begins with the folder of that kind ("dse.", "validate.")
// is of its own keys; every other is of its run. Throws InputError.
Study load_study(FileKind kind, const std::string& name_or_path, const std::vector<Override>& overrides,
                 const Library& library);

// The study of `kind` that is about one run and says nothing else: the overrides as above. Throws InputError.
Study study_of_run(FileKind kind, const std::filesystem::path& run, const std::vector<Override>& overrides,
                   const Library& library);

}  // namespace weft::config
