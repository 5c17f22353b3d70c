#include "platform/card/xrt/stopped.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace weft::xrt {

namespace {

std::string folder_of(pid_t process) {
  return "/proc/" + std::to_string(process);
}

// Reads the state from "PID (NAME) STATE ..."; 0: no such process.
char state_of(pid_t process) {
  std::ifstream in(folder_of(process) + "/stat");
  std::string text;
  std::getline(in, text, '\0');  // an iterator over the stream would throw if the process ends meanwhile
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() ? text[name_end + 2] : '\0';
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code code;
  std::filesystem::directory_iterator thread(folder_of(process) + "/task", code);
  for (; !code && thread != std::filesystem::directory_iterator(); thread.increment(code)) {
    std::ifstream in(thread->path() / "children");
    for (pid_t child = 0; in >> child;) children.push_back(child);
  }
  return children;
}

}  // namespace

bool is_stopped(pid_t process) {
  return std::tolower(static_cast<unsigned char>(state_of(process))) == 't';
}

bool has_stopped(pid_t process) {
  const std::vector<pid_t> children = children_of(process);
  return is_stopped(process) || std::any_of(children.begin(), children.end(), is_stopped);
}

bool has_child(pid_t process) {
  const std::vector<pid_t> children = children_of(process);
  return !std::all_of(children.begin(), children.end(), has_ended);
}

bool has_ended(pid_t process) {
  const char state = state_of(process);
  return state == '\0' || state == 'Z' || state == 'X';
}

}  // namespace weft::xrt
