#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace weft::waves {

// Writes an FST file: first all scopes and signals, then what they change to, in the order of time. Implemented by
// fst_library.cpp, which is compiled with GTKWave's fstapi.c into a shared library.
class FstWriter {
 public:
  using Signal = std::uint32_t;
  using Enumeration = std::uint32_t;

  virtual ~FstWriter() = default;

  virtual void open_scope(const std::string& name) = 0;
  virtual void close_scope() = 0;
  // Literal i stands for the value i. Names are without spaces.
  virtual Enumeration add_enumeration(const std::string& name, const std::vector<std::string>& literals) = 0;
  // Of up to 32 bits, unknown up to its first change.
  virtual Signal add_bits(const std::string& name, int bits) = 0;
  virtual Signal add_enumerated(const std::string& name, Enumeration enumeration) = 0;
  virtual Signal add_text(const std::string& name) = 0;

  virtual void at(std::int64_t time_ps) = 0;  // later than the last
  virtual void change(Signal signal, std::uint32_t value) = 0;
  virtual void change(Signal signal, const std::string& text) = 0;

  // To be called at the end. False: not all of it is in the file.
  virtual bool close() = 0;
};

// The version in the header of an FST file that weft writes.
inline constexpr const char* kFstVersion = "weft";

// What the shared library exports; nullptr if the file cannot be written.
inline constexpr const char* kMakeFstWriter = "weft_make_fst_writer";
using MakeFstWriter = FstWriter* (*)(const char* path);

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
