#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::test {

// Signal of an FST file as GTKWave's own reader (fstapi.c) finds it.
struct FstSignal {
  std::map<std::string, std::string> names;  // names of values, if it is enumerated
  // Values by time, in the file's form: "0101" or a text.
  std::vector<std::pair<std::uint64_t, std::string>> changes;
  friend bool operator==(const FstSignal& a, const FstSignal& b) {
    return a.names == b.names && a.changes == b.changes;
  }
};
struct FstFile {
  int timescale = 0;  // the unit of time is 10^timescale seconds
  std::uint64_t end = 0;
  std::map<std::string, FstSignal> signals;  // "kernel.fifo.inp_beat[5:0]"
};

// Throws std::runtime_error if the file is not an FST file.
FstFile read_fst(const std::filesystem::path& path);

}  // namespace weft::test
