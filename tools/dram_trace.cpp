#include "tools/dram_trace.h"

#include <fmt/core.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "model/core/error.h"

namespace weft::tools {

namespace {

constexpr Bytes kRequestBytes = 64;

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

memory::Trace read_trace(const std::filesystem::path& path, Bytes capacity) {
  const std::string name = path.string();
  std::error_code code;
  if (!std::filesystem::exists(path, code)) throw InputError(name, 0, "", "no such file");
  if (std::filesystem::is_directory(path, code)) throw InputError(name, 0, "", "is a directory, not a trace");
  errno = 0;
  std::ifstream in(path);
  if (!in) throw InputError(name, 0, "", fmt::format("cannot be read: {}", std::strerror(errno)));

  memory::Trace requests;
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    const std::string_view line = trimmed(text);
    if (line.empty() || line.front() == '#') continue;
    const auto fail = [&](const std::string& why) {
      return InputError(name, number, "", fmt::format("{}, not '{}'", why, line.substr(0, 60)));
    };
    const bool write = line.front() == 'W';
    std::string_view address = trimmed(line.substr(1));
    if ((!write && line.front() != 'R') || address.size() + 1 == line.size()) {
      throw fail("must be 'R ADDRESS' or 'W ADDRESS'");
    }
    const bool hexadecimal = address.substr(0, 2) == "0x" || address.substr(0, 2) == "0X";
    if (hexadecimal) address.remove_prefix(2);
    Address value = 0;
    const char* end = address.data() + address.size();
    const auto parsed = std::from_chars(address.data(), end, value, hexadecimal ? 16 : 10);
    if (parsed.ec != std::errc() || parsed.ptr != end || value < 0) throw fail("must end in an address such as 0x1f40");
    if (value % kRequestBytes != 0) throw fail("the address must be a multiple of 64");
    if (value >= capacity) throw fail(fmt::format("the address must be below the channel's {} bytes", capacity));
    requests.push_back({value, write});
  }
  if (in.bad()) throw InputError(name, 0, "", "cannot be read to its end");
  if (requests.empty()) throw InputError(name, 0, "", "has no requests");
  return requests;
}

}  // namespace weft::tools
