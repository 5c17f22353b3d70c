#include "platform/os/packages.h"

#include <fmt/core.h>

#include <cstdlib>
#include <mutex>
#include <set>

#include "model/core/error.h"
#include "platform/os/shell.h"

namespace weft::os {

void require_packages(const std::filesystem::path& source, const std::string& list) {
  static std::mutex mutex;
  static std::set<std::string> there;
  const std::lock_guard lock(mutex);
  if (there.count(list) > 0) return;
  const std::string command = fmt::format("{} install {} </dev/null >&2", shell_word((source / "weft").string()), list);
  if (std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c): the command is made of our own paths
    throw Error(
        fmt::format("the packages of '{}' are not all there", (source / ("packages-" + list + ".txt")).string()));
  }
  there.insert(list);
}

}  // namespace weft::os
