#include "tools/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "model/core/error.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

bool write_all(int file, const std::string& content) {
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t n = ::write(file, content.data() + at, content.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return ::fsync(file) == 0;
}

}  // namespace

OutputFile::OutputFile(fs::path path, std::string option) : path_(std::move(path)), option_(std::move(option)) {
  const auto refuse = [&](const std::string& why) {
    return Error(fmt::format("{} {}: {}", option_, path_.string(), why));
  };
  std::error_code code;
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, code)) throw refuse(fmt::format("there is no folder '{}'", folder.string()));
  if (fs::exists(path_, code) && !fs::is_regular_file(path_, code)) throw refuse("is not a file that can be replaced");
  if (::access(folder.c_str(), W_OK) != 0) {
    throw refuse(fmt::format("the folder '{}' cannot be written: {}", folder.string(), std::strerror(errno)));
  }
}

void OutputFile::write(const std::string& content) const {
  std::string beside = path_.string() + ".XXXXXX";
  const int file = ::mkstemp(beside.data());
  const auto fail = [&] { return Error(fmt::format("{} {}: {}", option_, path_.string(), std::strerror(errno))); };
  if (file < 0) throw fail();
  constexpr mode_t kReadable = 0644;
  const bool written = write_all(file, content) && ::fchmod(file, kReadable) == 0;
  const int reason = errno;
  ::close(file);
  if (written && std::rename(beside.c_str(), path_.c_str()) == 0) return;
  if (!written) errno = reason;
  const Error error = fail();
  ::unlink(beside.c_str());
  throw error;
}

}  // namespace weft::tools
