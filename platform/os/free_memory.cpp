#include "platform/os/free_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace weft::os {

namespace {

// Number in a file of one number; nothing for "max" or without the file.
std::optional<Bytes> number_in(const std::string& file) {
  std::ifstream in(file);
  Bytes value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

// Value of the line "KEY VALUE" or "KEY: VALUE".
std::optional<Bytes> value_of(const std::string& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    Bytes value = 0;
    if (words >> word >> value && (word == key || word == key + ":")) return value;
  }
  return std::nullopt;
}

// Memory that a group leaves. Pages of files that were read long ago count as used in its usage, but are given back.
Bytes left_of(const std::string& group, const char* limit, const char* usage) {
  const std::optional<Bytes> most = number_in(group + limit), used = number_in(group + usage);
  if (!most || !used) return std::numeric_limits<Bytes>::max();
  return std::max<Bytes>(*most - *used + value_of(group + "/memory.stat", "inactive_file").value_or(0), 0);
}

}  // namespace

Bytes free_memory(const std::string& root) {
  Bytes left = 1024 * value_of(root + "/proc/meminfo", "MemAvailable").value_or(0);
  // Lines of /proc/self/cgroup: "0::PATH" for version 2, "N:CONTROLLERS:PATH" for version 1.
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && ("," + controllers + ",").find(",memory,") == std::string::npos) continue;
    const std::string mount = root + (version2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
    // Within a container the path may not exist: the group is the mount itself. Limits of the groups above hold too.
    for (std::string path = line.substr(second + 1);; path.erase(path.rfind('/'))) {
      left = std::min(left, version2 ? left_of(mount + path, "/memory.max", "/memory.current")
                                     : left_of(mount + path, "/memory.limit_in_bytes", "/memory.usage_in_bytes"));
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return left;
}

}  // namespace weft::os
