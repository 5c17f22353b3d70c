#include "platform/iteration/host/runner_build.h"

#include <array>
#include <fstream>
#include <string>

#include "platform/os/jit_library.h"

namespace weft::host {

namespace fs = std::filesystem;

namespace {

// Inputs of the runner's build: its source, and the project's headers that it includes.
constexpr std::array kSources{"platform/iteration/host/onednn_operators.cpp",
                              "platform/iteration/host/matrix_loops.h",
                              "platform/iteration/host/onednn.h",
                              "platform/iteration/host/operator_run.h",
                              "platform/iteration/host/plain_loops.h",
                              "workloads/graph/graph.h",
                              "workloads/network.h",
                              "model/conv/convolution.h",
                              "model/core/units.h"};

os::JitLibrary library() {
  os::JitLibrary library{"what runs operators",
                         "profile",
                         {kSources.begin(), kSources.end()},
                         {"-std=c++17", "-O3", "-march=native", "-fopenmp", "-fPIC", "-Wall", "-Wextra", "-Wpedantic"},
                         {"-fopenmp", "-ldnnl"}};
  library.machine = cpu_name();  // machines of several kinds may share a cache
  return library;
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

RunnerBuild::RunnerBuild(const fs::path& source, const fs::path& cache)
    : make_(reinterpret_cast<MakeRunner>(os::load(library(), source, cache, kMakeRunner))) {}

std::unique_ptr<OperatorRunner> RunnerBuild::make(int threads) const {
  return std::unique_ptr<OperatorRunner>(make_(threads));
}

}  // namespace weft::host
