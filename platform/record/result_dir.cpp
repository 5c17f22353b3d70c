#include "platform/record/result_dir.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <system_error>

#include "model/core/error.h"
#include "platform/os/content.h"
#include "platform/os/failure.h"
#include "platform/os/temporary_folder.h"

namespace weft::record {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, const fs::path& path, int code) {
  os::fail(fmt::format("cannot {} '{}'", what, path.string()), code);
}

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
};

void write_file(const fs::path& path, const std::string& content) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (file.number() < 0) fail("create", path, errno);
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t written = ::write(file.number(), content.data() + done, content.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path, errno);
    done += static_cast<std::size_t>(written);
  }
  if (::fsync(file.number()) != 0) fail("write", path, errno);
  if (!file.close()) fail("write", path, errno);
}

void sync_directory(const fs::path& path) {
  const Descriptor directory(path, O_RDONLY | O_DIRECTORY);
  // Some file systems cannot sync a directory; the files themselves are on the disk already.
  if (directory.number() >= 0) ::fsync(directory.number());
}

bool known_file(const std::string& name) {
  if (name == kResultJson || name == kResultCsv || name == kStepsCsv || name == kEpochsCsv || name == kResultConfig ||
      name == kLadderCsv || name == kPlanCsv || name == kActivityCsv)
    return true;
  const bool of_ladder = name.rfind("step-", 0) == 0 || name == "advised.yaml";
  return of_ladder && fs::path(name).extension() == ".yaml";
}

// Returns true if weft made the folder of inputs; any other folder of this name is the user's.
bool keeps_inputs(const fs::path& result) {
  return os::content_of_regular(result / kResultConfig).value_or("").find("keep_inputs: true") != std::string::npos;
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Returns the prefix of the temporary folder of a result.
std::string beside(const fs::path& path) {
  return "." + path.filename().string() + ".";
}

std::string cannot_create(const fs::path& path) {
  return fmt::format("cannot create the result directory '{}'", path.string());
}

// Every result.json begins with its keys `kind` and `schema`.
bool is_written_by_weft(const fs::path& path) {
  constexpr std::streamsize kHead = 64;
  std::array<char, kHead> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), kHead);
  const std::string_view text(head.data(), static_cast<std::size_t>(file.gcount()));
  return text.find("\"schema\"") != std::string_view::npos;
}

constexpr const char* kDefaultFolder = "results";

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name.empty() || name[0] == '.' ? "run" + name : name;
}

}  // namespace

DefaultOutput::DefaultOutput(const std::string& name) : path_(fs::path(kDefaultFolder) / file_name(name)) {
  std::error_code code;
  created_ = fs::create_directory(kDefaultFolder, code);
  if (code) {
    std::string why = code.message();
    if (fs::is_symlink(kDefaultFolder, code)) {
      why = fmt::format("it is a symbolic link to '{}', which is not a folder",
                        fs::read_symlink(kDefaultFolder, code).string());
    }
    throw Error(
        fmt::format("cannot create the folder '{}' for the result: {}; use --out DIR, or --no-save to print only",
                    kDefaultFolder, why));
  }
}

DefaultOutput::~DefaultOutput() {
  std::error_code code;
  if (created_) fs::remove(kDefaultFolder, code);  // removes only an empty folder
}

bool is_result(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path / kResultJson, code) && fs::is_regular_file(path / kResultConfig, code);
}

ResultDir::ResultDir(fs::path path) : path_(std::move(path)) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // "out/" is "out"
  if (path_.empty() || path_.filename() == "." || path_.filename() == "..") {
    throw Error(fmt::format("'{}' cannot be a result directory; give a name such as results/a", path_.string()));
  }
  follow_link();
  refuse_foreign();
  std::error_code code;
  const fs::path parent = parent_of(path_);
  if (!fs::is_directory(parent, code)) {
    throw Error(fmt::format("cannot create the result directory '{}': '{}' is not a directory; create it",
                            path_.string(), parent.string()));
  }
  const os::TemporaryFolder probe(parent, beside(path_), cannot_create(path_));  // fails now rather than after hours
}

void ResultDir::follow_link() {
  std::error_code code;
  if (!fs::is_symlink(path_, code)) return;
  const fs::path target = fs::canonical(path_, code);
  if (code) {
    const std::string why = code.message();
    throw Error(
        fmt::format("will not write the result to '{}': it is a symbolic link to '{}' ({}); remove the link, "
                    "or create that directory",
                    path_.string(), fs::read_symlink(path_, code).string(), why));
  }
  path_ = target;
}

void ResultDir::refuse_foreign() const {
  std::error_code code;
  const auto status = fs::symlink_status(path_, code);
  if (!fs::exists(status)) return;
  const auto refuse = [&](const std::string& why) {
    return Error(fmt::format("will not write the result to '{}': {}; give another folder", path_.string(), why));
  };
  if (!fs::is_directory(status)) throw refuse("it exists and is not a directory");
  bool empty = true;
  for (const auto& entry : fs::directory_iterator(path_, code)) {
    empty = false;
    const std::string name = entry.path().filename().string();
    if (!known_file(name) && !(name == kResultInputs && keeps_inputs(path_))) {
      throw refuse(fmt::format("it is neither empty nor a result of weft: it holds '{}'", name));
    }
  }
  if (code) fail("read", path_, code.value());
  if (!empty && !is_result(path_)) throw refuse("it is neither empty nor a complete result of weft");
  if (!empty && !is_written_by_weft(path_ / kResultJson)) {
    throw refuse(fmt::format("its '{}' was not written by weft", kResultJson));
  }
}

void ResultDir::write(const std::map<std::string, std::string>& files) const {
  refuse_foreign();
  const os::TemporaryFolder folder(parent_of(path_), beside(path_), cannot_create(path_));
  const fs::path fresh = folder.path() / "result";
  for (const auto& [name, content] : files) {
    const fs::path place = fresh / name;
    std::error_code code;
    fs::create_directories(place.parent_path(), code);
    if (code) fail("create", place.parent_path(), code.value());
    write_file(place, content);
  }
  sync_directory(fresh);

  // A rename onto an empty or missing directory is atomic. An old result and the new one are exchanged atomically, so
  // that a complete result exists at any time; the old one is removed with the temporary folder.
  if (::rename(fresh.c_str(), path_.c_str()) != 0) {
    if (errno != ENOTEMPTY && errno != EEXIST) fail("create the result directory", path_, errno);
    if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0) {
      fail("replace the result", path_, errno);
    }
  }
  sync_directory(parent_of(path_));
}

}  // namespace weft::record
