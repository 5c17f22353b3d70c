#include "tools/cli/cache.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/os/data_root.h"
#include "platform/os/standard_streams.h"
#include "platform/record/record.h"

namespace weft::tools {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Both variables must be absolute paths, by the XDG Base Directory Specification.
fs::path user_directory() {
  if (const fs::path base = environment("XDG_CACHE_HOME"); base.is_absolute()) return base / "weft";
  if (const fs::path home = environment("HOME"); home.is_absolute()) return home / ".cache" / "weft";
  return {};
}

// True if the folder is writable or can be created.
bool can_be_written(fs::path folder) {
  std::error_code code;
  while (!fs::exists(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

fs::path build_cache(const fs::path& of_build) {
  if (!os::is_installed() && can_be_written(of_build)) return of_build;
  const std::string given = environment("WEFT_CACHE");
  const fs::path user = given.empty() || given == "none" ? user_directory() : fs::absolute(given);
  if (!user.empty()) return user / of_build.filename();
  throw Error(
      fmt::format("cannot write compiled files to '{}', and neither XDG_CACHE_HOME nor HOME names another folder; set "
                  "XDG_CACHE_HOME to a folder of your own",
                  of_build.string()));
}

fs::path cache_directory(const CacheOptions& options) {
  if (options.off && !options.directory.empty()) throw Error("cannot combine --no-cache and --cache: give one");
  if (options.off) return {};
  if (!options.directory.empty()) return options.directory;
  const std::string given = environment("WEFT_CACHE");
  if (given == "none") return {};
  if (!given.empty()) return given;
  return user_directory();
}

std::optional<run::RowCache> open_cache(const CacheOptions& options) {
  const fs::path directory = cache_directory(options);
  if (directory.empty()) return std::nullopt;
  if (!options.directory.empty() && fs::exists(directory) && !fs::is_directory(directory)) {
    throw Error(fmt::format("--cache: '{}' is not a directory", directory.string()));
  }
  return run::RowCache(directory, record::weft_version());
}

void report_use(const std::optional<run::RowCache>& cache, const CacheOptions& options) {
  if (!cache) return;
  if (cache->found() > 0 && !options.quiet) {
    os::say(fmt::format("weft: {} of {} convolutions read from the cache in {}\n", cache->found(), cache->asked(),
                        printable(cache->directory().string())));
  }
  if (!cache->problem().empty()) {
    os::say(fmt::format("weft: these convolutions are not cached: {}\n", printable(cache->problem())));
  }
}

}  // namespace weft::tools
