#include "platform/os/data_root.h"

#include <fmt/core.h>

#include <system_error>

#include "model/core/error.h"

namespace weft::os {

namespace fs = std::filesystem;

namespace {

// Prefix of an installed program, as /usr; empty if this program is in a folder of a build.
const fs::path& installed_prefix() {
  static const fs::path prefix = [] {
    std::error_code code;
    const fs::path folder = fs::read_symlink("/proc/self/exe", code).parent_path().parent_path();
    return !code && fs::is_directory(folder / "share/weft/configs", code) ? folder : fs::path();
  }();
  return prefix;
}

}  // namespace

bool is_installed() {
  return !installed_prefix().empty();
}

const fs::path& data_root() {
  static const fs::path root = is_installed() ? installed_prefix() / "share/weft" : fs::path(WEFT_SOURCE_DIR);
  return root;
}

fs::path built_file(const fs::path& of_build) {
  return is_installed() ? installed_prefix() / "lib/weft" / of_build.filename() : of_build;
}

void require_checkout(const fs::path& root, const std::string& file, const std::string& what) {
  std::error_code code;
  if (fs::exists(root / file, code)) return;
  throw Error(
      fmt::format("{} needs a checkout of weft, because it is compiled from '{}', which '{}' does not have; clone the "
                  "repository of weft and start the same command there with ./weft",
                  what, file, root.string()));
}

}  // namespace weft::os
