#include "platform/rtl/rtl.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "model/core/error.h"
#include "model/core/fnv1a.h"

namespace weft::rtl {

namespace fs = std::filesystem;

fs::path folder(const Sources& sources, const Workshop& workshop) {
  return workshop.source / sources.folder;
}

std::vector<fs::path> files(const Sources& sources, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".sv") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end(), [&](const fs::path& a, const fs::path& b) {
    const bool package_a = a.stem() == sources.package, package_b = b.stem() == sources.package;
    return package_a != package_b ? package_a : a < b;
  });
  return files;
}

std::string camel_case(const std::string& name) {
  std::string text;
  bool upper = true;
  for (const char c : name) {
    if (c != '_') text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return text;
}

std::string digest(const std::string& text) {
  Fnv1a64 a, b(0x9AE16A3B2F90404FU);  // two starts make 128 bits
  a.add_bytes(text);
  b.add_bytes(text);
  return fmt::format("{:016x}{:016x}", a.value(), b.value());
}

std::string first_error(const fs::path& log) {
  std::ifstream in(log);
  std::string line;
  while (std::getline(in, line)) {
    if (line.find("rror") != std::string::npos || line.find("ERROR") != std::string::npos) return line;
  }
  return "no error in its output";
}

}  // namespace weft::rtl
