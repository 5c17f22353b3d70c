#include "workloads/onnx/catalogue.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>

#include "model/core/error.h"
#include "model/core/text.h"

namespace weft::workloads {

namespace fs = std::filesystem;

namespace {

// Names differ by case and punctuation more often than by letters: GoogLeNet, squeezenet-1.1.
std::string letters(const std::string& name) {
  std::string text;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0) text += static_cast<char>(std::tolower(c));
  }
  return text;
}

bool is_there(const fs::path& path) {
  std::error_code unreadable;  // what cannot be looked at is as good as absent
  return fs::exists(path, unreadable);
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  if (name.size() > 100) return "";  // nobody mistypes that much
  std::string best;
  std::size_t least = letters(name).size() / 3 + 2;  // beyond this, a guess would only confuse
  for (const std::string& candidate : known) {
    const std::size_t d = edit_distance(letters(name), letters(candidate));
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

std::vector<std::string> known_networks(const std::vector<std::string>& search_dirs) {
  std::set<std::string> names;
  for (const std::string& dir : search_dirs) {
    std::error_code missing;  // a directory that is not there holds no networks
    for (const auto& entry : fs::directory_iterator(dir, missing)) {
      if (entry.path().extension() == ".onnx") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::string network_file(const std::string& name_or_path, const std::vector<std::string>& search_dirs) {
  if (name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".onnx") {
    if (is_there(name_or_path)) return name_or_path;
    for (const std::string& dir : search_dirs) {
      const fs::path path = fs::path(dir) / name_or_path;
      if (is_there(path)) return path.string();
    }
    return name_or_path;  // reading it says why it cannot be read
  }
  for (const std::string& dir : search_dirs) {
    const fs::path path = fs::path(dir) / (name_or_path + ".onnx");
    if (!name_or_path.empty() && is_there(path)) return path.string();
  }
  const std::vector<std::string> known = known_networks(search_dirs);
  const std::string guess = suggestion(name_or_path, known);
  throw Error(fmt::format("network '{}' is not known{}; known are {}, or the path of an ONNX file", name_or_path,
                          guess.empty() ? "" : fmt::format(" (did you mean {}?)", guess), fmt::join(known, ", ")));
}

Network find_network(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                     const ImportOptions& options) {
  return import_onnx(network_file(name_or_path, search_dirs), options);
}

ImportedGraph find_graph(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                         const ImportOptions& options) {
  return import_graph(network_file(name_or_path, search_dirs), options);
}

}  // namespace weft::workloads
