#pragma once

#include <filesystem>
#include <memory>

#include "platform/hardware/waves/fst_writer.h"

namespace weft::waves {

// The library that writes FST files. Built from `source` (the project) into `cache` when it is not there yet; fstapi.c
// comes with Verilator, so its packages are those of packages-cosim.txt. Throws Error if it does not build.
class WriterBuild {
 public:
  WriterBuild(const std::filesystem::path& source, const std::filesystem::path& cache);

  // Throws Error if `file` cannot be written. The writer must not outlive this.
  std::unique_ptr<FstWriter> make(const std::filesystem::path& file) const;

 private:
  MakeFstWriter make_ = nullptr;
};

}  // namespace weft::waves
