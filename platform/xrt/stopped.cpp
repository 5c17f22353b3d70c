#include "platform/xrt/stopped.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace weft::xrt {

namespace {

std::string folder_of(pid_t process) {
  return "/proc/" + std::to_string(process);
}

// "PID (NAME) STATE ..."; 0: there is no such process.
char state_of(pid_t process) {
  std::ifstream in(folder_of(process) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() ? text[name_end + 2] : '\0';
}

}  // namespace

bool is_stopped(pid_t process) {
  return std::tolower(static_cast<unsigned char>(state_of(process))) == 't';
}

bool has_stopped(pid_t process) {
  if (is_stopped(process)) return true;
  std::error_code code;
  for (const auto& thread : std::filesystem::directory_iterator(folder_of(process) + "/task", code)) {
    std::ifstream in(thread.path() / "children");
    for (pid_t child = 0; in >> child;) {
      if (is_stopped(child)) return true;
    }
  }
  return false;
}

bool has_ended(pid_t process) {
  const char state = state_of(process);
  return state == '\0' || state == 'Z' || state == 'X';
}

}  // namespace weft::xrt
