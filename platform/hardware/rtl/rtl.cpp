#include "platform/hardware/rtl/rtl.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace weft::rtl {

namespace fs = std::filesystem;

fs::path folder(const Sources& sources, const BuildContext& build_context) {
  return build_context.source / sources.folder;
}

namespace {

Files files_in(const Sources& sources, const std::vector<fs::path>& folders) {
  Files all;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".sv") all.sources.push_back(entry.path());
      if (entry.path().extension() == ".vlt") all.waivers.push_back(entry.path());
    }
  }
  // Sorted by file name, so that the order does not depend on the folder.
  const auto key = [&](const fs::path& file) {
    const std::string stem = file.stem();
    return std::make_pair(stem == kCommonPackage ? 0 : stem == sources.package ? 1 : 2, file.filename());
  };
  const auto before = [&](const fs::path& a, const fs::path& b) { return key(a) < key(b); };
  std::sort(all.sources.begin(), all.sources.end(), before);
  std::sort(all.waivers.begin(), all.waivers.end(), before);
  return all;
}

}  // namespace

Files files(const Sources& sources, const BuildContext& build_context) {
  return files_in(sources, {build_context.source / kCommonFolder, folder(sources, build_context)});
}

Files files(const Sources& sources, const fs::path& folder) {
  return files_in(sources, {folder});
}

fs::path file(const Sources& sources, const BuildContext& build_context, const std::string& name) {
  const fs::path common = build_context.source / kCommonFolder / name;
  return fs::exists(common) ? common : folder(sources, build_context) / name;
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

}  // namespace weft::rtl
