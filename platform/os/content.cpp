#include "platform/os/content.h"

#include <fmt/core.h>

#include <fstream>
#include <sstream>

#include "model/core/error.h"

namespace weft::os {

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(fmt::format("cannot read '{}'", path.string()));
  return text.str();
}

}  // namespace weft::os
