#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "platform/run/row_cache.h"

namespace weft::tools {

// Location of a command's row cache: `directory`; default: the folder given by the environment (WEFT_CACHE, with `none`
// for no cache; $XDG_CACHE_HOME/weft; ~/.cache/weft).
struct CacheOptions {
  std::string directory;
  bool off = false;
  bool quiet = false;  // no notes on standard error
};

// Folder for compiled files: `of_build`, a folder of the build. If the program is installed or `of_build` is not
// writable (a checkout of another user, or on a read-only disk), the folder of the same name in the row cache. Throws
// Error if the environment gives no location.
std::filesystem::path build_cache(const std::filesystem::path& of_build);

// Folder of the row cache; empty if there is none. Throws Error if options contradict each other.
std::filesystem::path cache_directory(const CacheOptions& options);
std::optional<run::RowCache> open_cache(const CacheOptions& options);

// Prints to standard error the number of cached rows used, if any, and why none could be stored.
void report_use(const std::optional<run::RowCache>& cache, const CacheOptions& options);

}  // namespace weft::tools
