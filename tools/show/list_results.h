#pragma once

#include <ctime>
#include <filesystem>
#include <string>

#include "platform/record/record.h"
#include "tools/cli/cli.h"

namespace weft::tools {

// A result in a list; what it has none of is empty.
struct ListedResult {
  std::string name, of, network, board, array, kernel, batch, rung, cycles, made;
  std::time_t time = 0;
};
void fields(record::Visitor& io, ListedResult& result);

// What results lie in a folder, newest first: those of run, timeline, dse, train and validate (directories), and of
// sweep (databases). What lies beside them is left alone. Throws Error if there is none.
std::string list_results(const std::filesystem::path& folder, Format format);

// Whether the folder has a result in it.
bool has_results(const std::filesystem::path& folder);

}  // namespace weft::tools
