#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace weft::waves {

// Writer of an FST file: first all scopes and signals, then their changes in the order of time. Implemented by
// fst_library.cpp, which is compiled with GTKWave's fstapi.c into a shared library.
class FstWriter {
 public:
  using Signal = std::uint32_t;
  using Enumeration = std::uint32_t;

  virtual ~FstWriter() = default;

  virtual void open_scope(const std::string& name) = 0;
  virtual void close_scope() = 0;
  // Adds an enumeration; literal i stands for the value i. Names contain no spaces.
  virtual Enumeration add_enumeration(const std::string& name, const std::vector<std::string>& literals) = 0;
  // Adds a signal of up to 32 bits, unknown until its first change.
  virtual Signal add_bits(const std::string& name, int bits) = 0;
  virtual Signal add_enumerated(const std::string& name, Enumeration enumeration) = 0;
  virtual Signal add_text(const std::string& name) = 0;

  virtual void at(std::int64_t time_ps) = 0;  // later than the previous time
  virtual void change(Signal signal, std::uint32_t value) = 0;
  virtual void change(Signal signal, const std::string& text) = 0;

  // Ends the file; must be the last call. Returns false if the file is incomplete.
  virtual bool close() = 0;
};

// The version in the header of an FST file that weft writes.
inline constexpr const char* kFstVersion = "weft";

// Replaces Verilator's version in an FST file by kFstVersion, so that the file may be overwritten later.
std::string marked_fst(std::string fst);

// The functions exported by the shared library. The first returns nullptr if the file cannot be written, the second
// false if it cannot be read.
inline constexpr const char *kMakeFstWriter = "weft_make_fst_writer", *kFstNames = "weft_fst_names";
using MakeFstWriter = FstWriter* (*)(const char* path);
using FstNames = bool (*)(const char* path, std::vector<std::string>* names);

// The library that writes FST files. Built from `source` (the project) into `cache` if it is not there; fstapi.c comes
// with Verilator (packages-cosim.txt). Throws Error if it does not build.
class WriterBuild {
 public:
  WriterBuild(const std::filesystem::path& source, const std::filesystem::path& cache);

  // Throws Error if `file` cannot be written. The writer must not outlive this object.
  std::unique_ptr<FstWriter> make(const std::filesystem::path& file) const;
  // Returns the names of all signals of an FST file, as GTKWave has them. Throws Error if it cannot be read.
  std::vector<std::string> names(const std::filesystem::path& file) const;

 private:
  MakeFstWriter make_ = nullptr;
  FstNames names_ = nullptr;
};

}  // namespace weft::waves
