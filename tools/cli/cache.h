#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "platform/run/row_cache.h"

namespace weft::tools {

// Where a command looks up what was simulated before: in `directory`, or unless that is given in the folder that the
// environment says (WEFT_CACHE, where `none` is nowhere; $XDG_CACHE_HOME/weft; ~/.cache/weft).
struct CacheOptions {
  std::string directory;
  bool off = false;
};

// Where a command keeps what it compiles: `of_build`, a folder of the build's; or, where that cannot be written, the
// folder of the same name in that of the rows: a checkout may belong to another user, or lie on a read-only disk.
// Throws Error if the environment says no place.
std::filesystem::path build_cache(const std::filesystem::path& of_build);

// The folder; empty: there is none. Throws Error if options contradict each other.
std::filesystem::path cache_directory(const CacheOptions& options);
std::optional<run::RowCache> open_cache(const CacheOptions& options);

// Says on standard error what came from it, if anything did, and why nothing could be kept.
void report_use(const std::optional<run::RowCache>& cache);

}  // namespace weft::tools
