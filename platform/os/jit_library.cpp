#include "platform/os/jit_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "model/core/error.h"
#include "platform/os/content.h"
#include "platform/os/data_root.h"
#include "platform/os/failure.h"
#include "platform/os/process.h"
#include "platform/os/temporary_folder.h"

namespace weft::os {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Makes `file`, complete or not at all. The compiler and the linker run one after the other.
void build(const JitLibrary& library, const fs::path& source, const fs::path& file) {
  const TemporaryFolder folder(file.parent_path(), "weft-library-");
  const fs::path object = folder.path() / "library.o", fresh = folder.path() / "library.so",
                 log = file.string() + ".log";
  const auto must_run = [&](Words words) {
    if (run({std::move(words)}, log) == 0) return;
    throw Error(fmt::format("{} does not build ({}): {}", library.what, log.string(), first_error(log)));
  };
  Words compiler{"g++"}, linker{"g++", "-shared", object.string()};
  append(compiler, library.compile);
  if (library.compile_with) append(compiler, library.compile_with());
  append(compiler, {"-I" + source.string(), "-c", (source / library.sources.front()).string(), "-o", object.string()});
  append(linker, library.link);
  append(linker, {"-o", fresh.string()});
  must_run(std::move(compiler));
  must_run(std::move(linker));
  std::error_code code;
  fs::rename(fresh, file, code);
  if (code) fail(fmt::format("cannot write '{}'", file.string()), code.value());
}

}  // namespace

void* load(const JitLibrary& library, const fs::path& source, const fs::path& cache, const char* name) {
  require_checkout(source, library.sources.front(), library.what);
  std::string everything = library.machine;
  for (const Words& options : {library.compile, library.link}) {
    for (const std::string& word : options) everything += " " + word;
  }
  for (const std::string& each : library.sources) everything += content(source / each);
  const fs::path file = cache / (digest(everything) + ".so");
  if (!fs::is_regular_file(file)) {
    require_packages(source, library.packages);
    std::error_code code;
    fs::create_directories(cache, code);
    if (code) fail(fmt::format("cannot create '{}'", cache.string()), code.value());
    const BuildLock lock(file.string() + ".lock");
    if (!fs::is_regular_file(file)) build(library, source, file);
  }
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) throw Error(fmt::format("cannot load '{}': {}", file.string(), dlerror()));
  void* const function = dlsym(handle, name);
  if (!function) throw Error(fmt::format("'{}' exports no {}", file.string(), name));
  return function;
}

BuildLock::BuildLock(const std::filesystem::path& file)
    : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0 || flock(descriptor_, LOCK_EX) != 0) fail(fmt::format("cannot lock '{}'", file.string()), errno);
}

BuildLock::~BuildLock() {
  close(descriptor_);
}

}  // namespace weft::os
