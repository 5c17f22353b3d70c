#include "platform/os/content.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>

#include "model/core/error.h"
#include "model/core/fnv1a.h"

namespace weft::os {

namespace {

// Opening a FIFO does not wait for its writer; reading does, if there is one.
std::optional<std::string> content_of(const std::filesystem::path& path, bool only_regular) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat status {};
  bool readable = fstat(file, &status) == 0 && (!only_regular || S_ISREG(status.st_mode));
  std::string text;
  std::array<char, 1 << 16> block{};
  while (readable) {
    const ssize_t got = read(file, block.data(), block.size());
    if (got == 0) break;
    if (got > 0) {
      text.append(block.data(), static_cast<std::size_t>(got));
    } else if (errno == EAGAIN) {
      readable = fcntl(file, F_SETFL, 0) == 0;
    } else {
      readable = errno == EINTR;
    }
  }
  close(file);
  return readable ? std::optional(text) : std::nullopt;
}

}  // namespace

std::string content(const std::filesystem::path& path) {
  std::optional<std::string> text = content_of(path, false);
  if (!text) throw Error(fmt::format("cannot read '{}'", path.string()));
  return *text;
}

std::optional<std::string> content_of_regular(const std::filesystem::path& path) {
  return content_of(path, true);
}

std::string digest(const std::string& text) {
  Fnv1a64 a, b(0x9AE16A3B2F90404FU);  // two initial values make 128 bits
  a.add_bytes(text);
  b.add_bytes(text);
  return fmt::format("{:016x}{:016x}", a.value(), b.value());
}

std::string first_error(const std::filesystem::path& log) {
  std::ifstream in(log);
  std::string line;
  while (std::getline(in, line)) {
    if (line.find("rror") != std::string::npos || line.find("ERROR") != std::string::npos) return line;
  }
  return "no error in its output";
}

}  // namespace weft::os
