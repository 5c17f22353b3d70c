#include "platform/os/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "model/core/error.h"
#include "platform/os/failure.h"
#include "platform/os/temporary_folder.h"

namespace weft::os {

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

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

OutputFile::OutputFile(fs::path path, std::string option, std::string mark)
    : path_(std::move(path)), option_(std::move(option)), mark_(std::move(mark)) {
  const auto refuse = [&](const std::string& why) {
    return Error(fmt::format("{} {}: {}", option_, path_.string(), why));
  };
  std::error_code code;
  const fs::path folder = folder_of(path_);
  if (!fs::is_directory(folder, code)) throw refuse(fmt::format("there is no folder '{}'; create it", folder.string()));
  refuse_foreign();
  if (::access(folder.c_str(), W_OK) != 0) {
    throw refuse(fmt::format("the folder '{}' cannot be written: {}", folder.string(), std::strerror(errno)));
  }
}

void OutputFile::refuse_foreign() const {
  std::error_code code;
  if (!fs::exists(path_, code)) return;
  if (!fs::is_regular_file(path_, code)) {
    throw Error(fmt::format("{} {}: is not a file that can be replaced; give another name", option_, path_.string()));
  }
  std::array<char, 1024> head{};
  std::ifstream file(path_, std::ios::binary);
  file.read(head.data(), head.size());
  const std::string_view text(head.data(), static_cast<std::size_t>(file.gcount()));
  if (fs::file_size(path_, code) == 0 || text.find(mark_) != std::string_view::npos) return;
  throw Error(fmt::format("{0} {1}: exists, was not written by weft for {0} and is left as it is; give another name",
                          option_, path_.string()));
}

void OutputFile::write(const std::string& content) const {
  refuse_foreign();
  const std::string what = fmt::format("{} {}", option_, path_.string());
  const os::TemporaryFolder folder(folder_of(path_), "." + path_.filename().string() + ".", what);
  const fs::path fresh = folder.path() / "file";
  constexpr mode_t kReadable = 0644;
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReadable);
  bool written = file >= 0 && write_all(file, content) && ::fchmod(file, kReadable) == 0;
  int reason = errno;
  if (file >= 0) ::close(file);
  if (written && std::rename(fresh.c_str(), path_.c_str()) != 0) {
    written = false;
    reason = errno;
  }
  if (!written) os::fail(what, reason);
}

}  // namespace weft::os
