#include <fmt/core.h>

#include "model/core/error.h"
#include "tools/cli/commands.h"

namespace weft::tools {

namespace {

struct CacheCommandOptions {
  std::string action, directory;
};

void declare(Arguments& command, CacheCommandOptions& options) {
  command.add_argument("ACTION", options.action, "show or clear (default show)");
  command.add_option("--cache", options.directory, "DIR", "Cache directory (default ~/.cache/weft)");
}

int execute(const CacheCommandOptions& options) {
  if (!options.action.empty() && options.action != "show" && options.action != "clear")
    throw Error(fmt::format("weft cache takes show or clear, not '{}'", options.action));
  const std::filesystem::path directory = cache_directory({options.directory, false});
  if (directory.empty())
    throw Error("there is no cache: neither HOME nor XDG_CACHE_HOME is set, or WEFT_CACHE is none");
  if (options.action == "clear") {
    const run::CacheUse gone = run::clear_cache(directory);
    print(fmt::format("{} convolutions, {:.1f} MB, removed from {}\n", gone.entries,
                      1e-6 * static_cast<double>(gone.bytes), directory.string()));
    return 0;
  }
  const run::CacheUse use = run::cache_use(directory);
  print(fmt::format("{}: {} convolutions, {:.1f} of {:.1f} MB\n", directory.string(), use.entries,
                    1e-6 * static_cast<double>(use.bytes), 1e-6 * static_cast<double>(run::RowCache::kMostBytes)));
  return 0;
}

}  // namespace

Command cache_command() {
  return command<CacheCommandOptions>("cache", "Show or clear the cache of simulated convolutions", declare, execute);
}

}  // namespace weft::tools
