#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::test {

// What GTKWave's own reader (fstapi.c) finds in an FST file.
struct FstSignal {
  std::map<std::string, std::string> names;  // of values, if it is enumerated
  // By time, values as the file has them: "0101", or a text.
  std::vector<std::pair<std::uint64_t, std::string>> changes;
  friend bool operator==(const FstSignal& a, const FstSignal& b) {
    return a.names == b.names && a.changes == b.changes;
  }
};
struct FstFile {
  int timescale = 0;  // a time is so many times ten to this of a second
  std::uint64_t end = 0;
  std::map<std::string, FstSignal> signals;  // "kernel.fifo.inp_beat[5:0]"
};

// Throws std::runtime_error if it is none.
FstFile read_fst(const std::filesystem::path& path);

}  // namespace weft::test
