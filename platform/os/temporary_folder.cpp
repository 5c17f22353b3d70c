#include "platform/os/temporary_folder.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "model/core/error.h"

namespace weft::os {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent, const std::string& prefix) {
  std::string name = (parent / (prefix + "XXXXXX")).string();
  if (!mkdtemp(name.data())) throw Error(fmt::format("cannot create a folder '{}': {}", name, std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weft::os
