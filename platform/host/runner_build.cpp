#include "platform/host/runner_build.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "model/core/error.h"
#include "platform/os/build_lock.h"
#include "platform/os/packages.h"
#include "platform/os/process.h"
#include "platform/os/temporary_folder.h"
#include "platform/rtl/rtl.h"

namespace weft::host {

namespace fs = std::filesystem;

namespace {

// What the runner is made of: its source, and the headers of the project that it reads.
constexpr std::array kSources{"platform/host/onednn_operators.cpp",
                              "platform/host/operator_run.h",
                              "platform/host/plain_loops.h",
                              "workloads/arithmetic.h",
                              "workloads/graph.h",
                              "workloads/network.h",
                              "model/conv/convolution.h",
                              "model/conv/layer.h",
                              "model/core/units.h"};

const std::vector<std::string>& options() {
  static const std::vector<std::string> words{"-std=c++17", "-O3",   "-march=native", "-fopenmp",
                                              "-fPIC",      "-Wall", "-Wextra",       "-Wpedantic"};
  return words;
}

void must_run(std::vector<std::string> words, const fs::path& log) {
  if (os::run({std::move(words)}, log) == 0) return;
  throw Error(fmt::format("what runs operators does not build ({}): {}", log.string(), rtl::first_error(log)));
}

// Leaves `library`, complete or not at all. The compiler and the linker are started one after the other.
void compile(const fs::path& source, const fs::path& library) {
  const os::TemporaryFolder folder(library.parent_path(), "weft-runner-");
  const fs::path object = folder.path() / "runner.o", fresh = folder.path() / "runner.so",
                 log = library.string() + ".log";
  std::vector<std::string> compiler{"g++"};
  compiler.insert(compiler.end(), options().begin(), options().end());
  for (const std::string& word : {"-I" + source.string(), std::string("-c"), (source / kSources[0]).string(),
                                  std::string("-o"), object.string()}) {
    compiler.push_back(word);
  }
  must_run(std::move(compiler), log);
  must_run({"g++", "-shared", "-fopenmp", object.string(), "-ldnnl", "-o", fresh.string()}, log);
  std::error_code code;
  fs::rename(fresh, library, code);
  if (code) throw Error(fmt::format("cannot write '{}': {}", library.string(), code.message()));
}

}  // namespace

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

RunnerBuild::RunnerBuild(const fs::path& source, const fs::path& cache) {
  // A cache may be shared by machines of several kinds.
  std::string everything = cpu_name();
  for (const std::string& word : options()) everything += word;
  for (const char* file : kSources) everything += rtl::content(source / file);
  const fs::path library = cache / (rtl::digest(everything) + ".so");
  if (!fs::exists(library)) {
    os::require_packages(source, "profile");
    std::error_code code;
    fs::create_directories(cache, code);
    if (code) throw Error(fmt::format("cannot create '{}': {}", cache.string(), code.message()));
    const os::BuildLock lock(library.string() + ".lock");
    if (!fs::exists(library)) compile(source, library);
  }
  // OpenMP's threads outlive it, so that it is never unloaded.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) throw Error(fmt::format("cannot load '{}': {}", library.string(), dlerror()));
  make_ = reinterpret_cast<MakeRunner>(dlsym(handle, kMakeRunner));
  if (!make_) throw Error(fmt::format("'{}' exports no {}", library.string(), kMakeRunner));
}

std::unique_ptr<OperatorRunner> RunnerBuild::make(int threads) const {
  return std::unique_ptr<OperatorRunner>(make_(threads));
}

}  // namespace weft::host
