#include "platform/os/packages.h"

#include <fmt/core.h>

#include <mutex>
#include <set>

#include "model/core/error.h"
#include "platform/os/process.h"

namespace weft::os {

void require_packages(const std::filesystem::path& source, const std::string& list) {
  static std::mutex mutex;
  static std::set<std::string> there;
  const std::lock_guard lock(mutex);
  if (there.count(list) > 0) return;
  if (run({{source / "weft", "install", list}}) != 0) {
    throw Error(
        fmt::format("the packages of '{}' are not all there", (source / ("packages-" + list + ".txt")).string()));
  }
  there.insert(list);
}

}  // namespace weft::os
