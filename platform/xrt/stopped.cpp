#include "platform/xrt/stopped.h"

#include <fmt/core.h>

#include <cctype>
#include <fstream>
#include <iterator>
#include <string>

namespace weft::xrt {

bool is_stopped(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t name_end = text.rfind(')');  // "PID (NAME) STATE ..."
  return name_end != std::string::npos && name_end + 2 < text.size() &&
         std::tolower(static_cast<unsigned char>(text[name_end + 2])) == 't';
}

}  // namespace weft::xrt
