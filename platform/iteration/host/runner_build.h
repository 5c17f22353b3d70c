#pragma once

#include <filesystem>
#include <memory>

#include "platform/iteration/host/operator_run.h"

namespace weft::host {

// The library that runs operators, compiled for this machine's processor. Built from `source` (the project) into
// `cache` if it is not there; packages: packages-profile.txt. Throws Error if it does not build.
class RunnerBuild {
 public:
  RunnerBuild(const std::filesystem::path& source, const std::filesystem::path& cache);

  std::unique_ptr<OperatorRunner> make(int threads) const;

 private:
  MakeRunner make_ = nullptr;
};

// "model name" of /proc/cpuinfo; "" if there is none.
std::string cpu_name();

}  // namespace weft::host
