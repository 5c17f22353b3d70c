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

// Counts of simulated rows, kept in files from one run to the next. An entry is believed only if its checksum holds and
// all that the counts depend on, the code included, is in it word by word; otherwise it is as if there were none.
// Entries are written beside their place and renamed, so that neither kill -9 nor other processes leave half of one.
class RowCache {
 public:
  static constexpr Bytes kMostBytes = Bytes{1} << 30;

  // `code`: tells versions of the code apart. More than `most_bytes` are not kept: what was used longest ago goes.
  RowCache(std::filesystem::path directory, std::string code, Bytes most_bytes = kMostBytes);

  // What was stored under `key`.
  std::optional<std::vector<std::int64_t>> find(const std::string& key);
  void store(const std::string& key, const std::vector<std::int64_t>& words);
  // Makes room, after the last store().
  void trim() const;

  std::int64_t asked() const { return asked_; }
  std::int64_t found() const { return found_; }
  const std::string& problem() const { return problem_; }  // why entries could not be written; empty: they were
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path path_of(const std::string& key) const;

  std::filesystem::path directory_;
  std::string code_;
  Bytes most_bytes_;
  std::int64_t asked_ = 0, found_ = 0;
  std::string problem_;
};

// The run as a file would have it, without the keys that no count depends on.
config::Node cycles_node(const config::RunConfig& run);

// What counts of convolutions of `kind` depend on, but for the convolution itself. In timing mode runs may look alike
// that differ (design::Design::as_seen_by).
std::string look_of(const config::RunConfig& run, conv::Kind kind);
// What else the counts of a unit of `row` depend on: design::Work::identity(), and of data what they are made from.
std::vector<std::int64_t> identity_of(const config::RunConfig& run, const design::Row& row, const design::Work& work,
                                      std::size_t unit);
// Key of a row in the cache: all that its counts depend on.
std::string row_key(const std::string& look, const std::vector<const std::vector<std::int64_t>*>& identities);

// A unit's result as accounting.h has it, and what it took of a processor.
struct UnitWords {
  std::vector<std::int64_t> words;
  std::int64_t cost_us = 0;
};
std::optional<std::vector<UnitWords>> find_row(RowCache& cache, const std::string& key, std::size_t units,
                                               const Topology& topology);
void store_row(RowCache& cache, const std::string& key, const std::vector<UnitWords>& units);

// Whether rows of the run may be kept and looked up: it is simulated, has nothing to verify, and may remember.
bool may_cache(const config::RunConfig& run);

// What lies in a cache's folder.
struct CacheUse {
  std::int64_t entries = 0;
  Bytes bytes = 0;
};
CacheUse cache_use(const std::filesystem::path& directory);
// Removes every entry, and nothing else. Throws Error if it cannot.
CacheUse clear_cache(const std::filesystem::path& directory);

}  // namespace weft::run
