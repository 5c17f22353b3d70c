#pragma once

#include <filesystem>
#include <vector>

#include "platform/studies/validate/link_validation.h"
#include "tools/validate/report.h"

// Saved results of weft validate, as they were when they were reported. Throw Error: no such result, and InputError:
// what is not as weft wrote it.
namespace weft::tools {

struct SavedValidation {
  validate::ValidateConfig config;
  std::vector<validate::Pair> pairs;  // of the layers only the names
  Verdicts verdicts;
};
SavedValidation load_validation(const std::filesystem::path& folder);

validate::LinkResult load_link_result(const std::filesystem::path& folder);

}  // namespace weft::tools
