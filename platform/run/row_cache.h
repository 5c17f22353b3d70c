#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/core/topology.h"
#include "model/core/units.h"
#include "platform/config/run_config.h"
#include "platform/design/design.h"

namespace weft::run {

// Persistent cache of simulated rows, kept in files across runs. An entry is used only if its checksum holds and it
// contains, word by word, everything that its counts depend on, including the code; otherwise it is a miss. Entries are
// written to a temporary file and renamed, so that kill -9 or other processes leave no partial entry. They are in 16
// folders, and a file has the size of each folder: the cost of find() and store() does not grow with their number.
class RowCache {
 public:
  static constexpr Bytes kMostBytes = Bytes{1} << 30;

  // `code`: identifies the version of the code. Above `most_bytes`, entries of the largest folder are evicted,
  // the least recently used ones first.
  RowCache(std::filesystem::path directory, std::string code, Bytes most_bytes = kMostBytes);

  // Returns the words stored under `key`.
  std::optional<std::vector<std::int64_t>> find(const std::string& key);
  void store(const std::string& key, const std::vector<std::int64_t>& words);

  std::int64_t asked() const { return asked_; }
  std::int64_t found() const { return found_; }
  const std::string& problem() const { return problem_; }  // reason why entries could not be written; empty if none
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path path_of(const std::string& key) const;
  // Moves a complete entry to its place. Returns the reason if it cannot.
  std::string put(const std::filesystem::path& part, const std::filesystem::path& path, Bytes bytes) const;

  std::filesystem::path directory_;
  std::string code_;
  Bytes most_bytes_;
  std::int64_t asked_ = 0, found_ = 0;
  std::string problem_;
};

// The run's configuration as a node, without the keys that no count depends on.
config::Node cycles_node(const config::RunConfig& run);

// Configuration that the counts of convolutions of `kind` depend on, in addition to the convolution itself. In timing
// mode different runs may have the same text (design::Design::as_seen_by).
std::string look_of(const config::RunConfig& run, conv::Kind kind);
// Further inputs of the counts of a unit of `row`: design::Work::identity(), and in data mode the sources of the data.
std::vector<std::int64_t> identity_of(const config::RunConfig& run, const design::Row& row, const design::Work& work,
                                      std::size_t unit);
// Cache key of a row: everything that its counts depend on.
std::string row_key(const std::string& look, const std::vector<const std::vector<std::int64_t>*>& identities);

// A unit's result in the form of accounting.h, and the processor time it took.
struct UnitWords {
  std::vector<std::int64_t> words;
  std::int64_t cost_us = 0;
};
std::optional<std::vector<UnitWords>> find_row(RowCache& cache, const std::string& key, std::size_t units,
                                               const Topology& topology);
void store_row(RowCache& cache, const std::string& key, const std::vector<UnitWords>& units);

// True if rows of the run may be cached: rung systemc, or rung exact with nothing to verify and memo_mb > 0.
bool may_cache(const config::RunConfig& run);

// Entries and size of a cache directory.
struct CacheUse {
  std::int64_t entries = 0;
  Bytes bytes = 0;
};
CacheUse cache_use(const std::filesystem::path& directory);
// Removes every entry and no other file. Throws Error if it cannot.
CacheUse clear_cache(const std::filesystem::path& directory);

}  // namespace weft::run
