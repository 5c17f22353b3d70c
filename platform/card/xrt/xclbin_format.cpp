#include "platform/card/xrt/xclbin_format.h"

#include <algorithm>
#include <cstring>

#include "model/core/fnv1a.h"

namespace weft::xrt {

XclbinHeader xclbin_header(const std::array<char, 64>& platform, std::uint32_t sections, const std::string& rest) {
  XclbinHeader header;
  header.reserved.fill(0xff);
  header.length = sizeof header + rest.size();
  header.platform = platform;
  header.sections = sections;
  Fnv1a64 digest;
  for (std::size_t half = 0; half < 2; ++half) {
    digest.add_bytes(rest);
    for (std::size_t i = 0; i < 8; ++i) {
      header.uuid[8 * half + i] = static_cast<unsigned char>(digest.value() >> (8 * i));
    }
  }
  return header;
}

std::string damage_of(std::string_view file) {
  XclbinHeader header;
  const std::string_view magic(header.magic.data(), std::min(header.magic.size(), file.size()));
  if (file.empty()) return "is empty";
  if (file.substr(0, magic.size()) != magic) return "is no xclbin";
  if (file.size() < sizeof header) return "is cut off: it has " + std::to_string(file.size()) + " bytes";
  std::memcpy(&header, file.data(), sizeof header);
  if (header.length != file.size()) {
    return "is cut off or damaged: it has " + std::to_string(file.size()) + " bytes, and its header names " +
           std::to_string(header.length);
  }
  const std::string damaged = "is damaged, or weft card did not write it";
  const std::size_t rest = file.size() - sizeof header;
  if (header.sections == 0 || header.sections > rest / sizeof(SectionHeader))
    return damaged + ": it has no room for its sections";
  for (std::uint32_t i = 0; i < header.sections; ++i) {
    SectionHeader section;
    std::memcpy(&section, file.data() + sizeof header + i * sizeof section, sizeof section);
    if (section.offset > file.size() || section.size > file.size() - section.offset) {
      return damaged + ": section " + std::to_string(i) + " lies beyond its end";
    }
    // The digest does not cover the number of sections.
    if (i == 0 && section.offset != sizeof header + header.sections * sizeof section) {
      return damaged + ": its number of sections is wrong";
    }
  }
  // The digest does not cover the header; the metadata repeats the platform's name.
  const std::string body(file.substr(sizeof header));
  const auto end = std::find(header.platform.begin(), header.platform.end(), '\0');
  const std::string platform(header.platform.begin(), end);
  const bool escaped = platform.find_first_of("&<>\"'") != std::string::npos;
  if (end == header.platform.end() || std::any_of(end, header.platform.end(), [](char c) { return c != 0; }) ||
      (!escaped && body.find("name=\"" + platform + "\"") == std::string::npos)) {
    return damaged + ": its platform's name is wrong";
  }
  const XclbinHeader whole = xclbin_header(header.platform, header.sections, body);
  return std::memcmp(&whole, &header, sizeof header) == 0 ? "" : damaged + ": its header or its digest is wrong";
}

}  // namespace weft::xrt
