#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <numeric>

#include "model/sparse/mask.h"
#include "platform/catalogue/designs.h"
#include "platform/run/columns.h"
#include "platform/run/simulate.h"
#include "tests/support/files.h"
#include "tests/support/runs.h"

namespace weft::run {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::int64_t>;

constexpr const char* kSizes = "weft-rows.sizes";  // 16 numbers of 8 bytes

std::vector<fs::path> entries(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    if (entry.path().extension() == ".row") files.push_back(entry.path());
  }
  return files;
}

fs::path only_file(const fs::path& directory) {
  const std::vector<fs::path> files = entries(directory);
  EXPECT_EQ(files.size(), 1U);
  return files.at(0);
}

// Sum of the sizes that the cache has recorded; with `of`, `bytes` are recorded for its folder first.
Bytes recorded_bytes(const fs::path& directory, const fs::path& of = {}, Bytes bytes = 0) {
  std::array<Bytes, 16> sizes{};
  std::fstream file(directory / kSizes, std::ios::binary | std::ios::in | std::ios::out);
  file.read(reinterpret_cast<char*>(sizes.data()), sizeof sizes);
  if (!of.empty()) {
    sizes.at(std::stoul(of.parent_path().filename(), nullptr, 16)) = bytes;
    file.seekp(0).write(reinterpret_cast<const char*>(sizes.data()), sizeof sizes);
  }
  return std::accumulate(sizes.begin(), sizes.end(), Bytes{0});
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

class RowCacheTest : public testing::Test {
 protected:
  test::TemporaryDirectory directory_;
  RowCache cache_{directory_.path(), "code"};
};

TEST_F(RowCacheTest, GivesBackWhatWasStored) {
  RowCache cache(directory_.path() / "not there yet", "code");
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", {1, -2, std::int64_t{1} << 62});
  EXPECT_EQ(cache.problem(), "");
  EXPECT_EQ(RowCache(cache.directory(), "code").find("key"), (Words{1, -2, std::int64_t{1} << 62}));
  cache.store("key", {});
  EXPECT_EQ(cache.find("key"), Words{}) << "the newest";
  EXPECT_FALSE(cache.find("kez"));
  EXPECT_FALSE(RowCache(cache.directory(), "codf").find("key")) << "other code";
  EXPECT_EQ(cache.asked(), 3);
  EXPECT_EQ(cache.found(), 1);
}

// Opening a FIFO would wait for its writer.
TEST_F(RowCacheTest, WhatIsNoRegularFileIsNoEntryAndIsReplaced) {
  cache_.store("key", {1});
  const fs::path path = only_file(directory_.path());
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(cache_.find("key"));
  EXPECT_EQ(cache_use(directory_.path()).entries, 0);
  cache_.store("key", {2});
  EXPECT_EQ(cache_.problem(), "");
  EXPECT_EQ(cache_.find("key"), Words{2});
}

TEST_F(RowCacheTest, BelievesNoEntryThatIsChangedInAnyBitOrCutOrLonger) {
  cache_.store("key", {3, 141592653589793, -7});
  const fs::path path = only_file(directory_.path());
  const std::string good = test::read_text_file(path);
  ASSERT_EQ(good.size(), 11U + 8 + 4 + 8 + 3 + 3 * 8 + 8);
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[place] = static_cast<char>(static_cast<unsigned char>(bad[place]) ^ (1U << bit));
      write(path, bad);
      EXPECT_FALSE(cache_.find("key")) << "byte " << place << ", bit " << bit;
    }
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    write(path, good.substr(0, size));
    EXPECT_FALSE(cache_.find("key")) << size << " bytes";
  }
  for (std::size_t more = 1; more < 20; ++more) {
    write(path, good + std::string(more, '\0'));
    EXPECT_FALSE(cache_.find("key")) << more << " bytes more";
  }
  write(path, good);
  EXPECT_TRUE(cache_.find("key"));
}

TEST_F(RowCacheTest, BelievesNoEntryOfAnotherKeyInItsPlace) {
  const test::TemporaryDirectory one, two;
  RowCache a(one.path(), "code"), b(two.path(), "code");
  a.store("key", {1});
  b.store("other", {2});
  fs::copy_file(only_file(two.path()), only_file(one.path()), fs::copy_options::overwrite_existing);
  EXPECT_FALSE(a.find("key"));
}

TEST_F(RowCacheTest, DropsWhatWasUsedLongestAgoWhenItIsFull) {
  RowCache cache(directory_.path(), "code", 350);
  const Words words(8, 5);  // an entry of 11 + 8 + 4 + 8 + 3 + 64 + 8 = 106 bytes
  const std::vector<std::string> keys{"123", "133", "153", "183"};  // of one folder
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 3; ++i) {
    const std::vector<fs::path> before = entries(directory_.path());
    cache.store(keys[i], words);
    for (const fs::path& path : entries(directory_.path())) {
      if (std::count(before.begin(), before.end(), path) == 0)
        fs::last_write_time(path, now - std::chrono::hours(9 - i));
    }
  }
  EXPECT_TRUE(cache.find(keys[0])) << "and it is used now";
  cache.store(keys[3], words);
  EXPECT_FALSE(cache.find(keys[1]));
  for (const int i : {0, 2, 3}) EXPECT_TRUE(cache.find(keys[i])) << i;
  EXPECT_EQ(cache_use(directory_.path()).bytes, 318);
}

// The file of sizes agrees with the files of the entries, of which a folder has a few.
TEST_F(RowCacheTest, StaysBelowItsLimitWhileSeveralProcessesStore) {
  constexpr Bytes kLimit = 20'000;
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    RowCache cache(directory_.path(), "code", kLimit);
    // Pairs of processes store equal entries.
    for (int i = 0; i < 400; ++i) cache.store(std::to_string(process % 2 * 1000 + i), Words(i % 40, i));
    ::_exit(cache.problem().empty() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const CacheUse use = cache_use(directory_.path());
  EXPECT_LE(use.bytes, kLimit);
  EXPECT_GT(use.bytes, kLimit * 3 / 4);
  EXPECT_EQ(recorded_bytes(directory_.path()), use.bytes);
}

// A store that was killed left a partial entry and a size that is too large.
TEST_F(RowCacheTest, CorrectsWhatAKilledProcessLeftWhenItIsFull) {
  cache_.store("key", {1});
  const fs::path entry = entries(directory_.path()).at(0), old = fs::path(entry).concat(".1.part"),
                 fresh = fs::path(entry).concat(".2.part");
  write(old, "half");
  write(fresh, "half");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  recorded_bytes(directory_.path(), entry, 1'000'000);
  RowCache full(directory_.path(), "code", 500'000);
  full.store("another", {1});
  EXPECT_TRUE(full.find("key"));
  EXPECT_TRUE(full.find("another"));
  EXPECT_EQ(recorded_bytes(directory_.path()), cache_use(directory_.path()).bytes);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(RowCacheTest, CountsItsEntriesAgainWithoutItsFileOfSizesAndRemovesThoseOfEarlierVersions) {
  cache_.store("key", {1});
  directory_.write("0123456789abcdef.row", "an earlier version had no folders");
  for (const char* damaged : {"", "short"}) {
    write(directory_.path() / kSizes, damaged);
    cache_.store("other", {1});
    EXPECT_EQ(recorded_bytes(directory_.path()), cache_use(directory_.path()).bytes);
    EXPECT_EQ(cache_use(directory_.path()).entries, 2);
  }
}

TEST_F(RowCacheTest, ClearingRemovesItsEntriesAndNothingElse) {
  cache_.store("a", {1});
  cache_.store("b", {1});
  directory_.write("0123456789abcdef.row.1.part", "half");
  write(entries(directory_.path()).at(0).concat(".1.part"), "half");
  // A user may name any folder, including one with files that have the cache's endings.
  const std::vector<std::string> mine{"first.row", "movie.part", "notes.txt"};
  for (const std::string& name : mine) directory_.write(name, "mine");
  EXPECT_EQ(clear_cache(directory_.path()).entries, 2);
  EXPECT_EQ(directory_.listing(), mine);
  EXPECT_EQ(clear_cache(directory_.path() / "none").entries, 0);
}

TEST_F(RowCacheTest, SaysWhyItKeepsNothing) {
  directory_.write("file", "");
  RowCache cache(directory_.path() / "file", "code");
  cache.store("key", {1});
  EXPECT_NE(cache.problem(), "");
  EXPECT_FALSE(cache.find("key"));
}

class CachedRun : public ::testing::Test {
 protected:
  config::RunConfig load(const std::vector<config::Override>& overrides = {}) const {
    return design::load_run(directory_.write("three.yaml", test::kThreeLayers).string(), overrides,
                            config::Library{WEFT_CONFIG_DIR});
  }
  Result simulated(const config::RunConfig& run, RowCache* cache) const {
    return simulate(run, network_of(run), {}, cache);
  }
  static workloads::Network network_of(const config::RunConfig& run) {
    workloads::Network network;
    network.layers = config::inline_layers(run);
    return network;
  }
  RowCache cache() const { return {directory_.path() / "cache", "code"}; }

  test::TemporaryDirectory directory_;
};

void expect_equal(const Result& a, const Result& b, const std::string& what) {
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (const Column<RowRecord>& column : row_columns(design::design_of(a.config))) {
    for (std::size_t row = 0; row < a.rows.size(); ++row) {
      EXPECT_EQ(column.value(row_of(a, a.rows[row])), column.value(row_of(b, b.rows[row])))
          << what << ": " << column.name << " of row " << row;
    }
  }
  for (std::size_t row = 0; row < a.rows.size(); ++row) {
    for (std::size_t unit = 0; unit < a.rows[row].units.size(); ++unit) {
      EXPECT_EQ(a.rows[row].units[unit].cycles, b.rows[row].units[unit].cycles) << what;
    }
  }
}

TEST_F(CachedRun, IsTheSameInEveryColumnWithAndWithout) {
  const config::RunConfig run = load();
  const Result without = simulated(run, nullptr);
  RowCache first = cache(), second = cache();
  expect_equal(without, simulated(run, &first), "what is stored");
  EXPECT_EQ(first.asked(), 9);
  EXPECT_EQ(first.found(), 0);
  expect_equal(without, simulated(run, &second), "what is looked up");
  EXPECT_EQ(second.found(), 9);
}

// packed_gw_sets affects only GW, wide_kern_load only F and GI.
TEST_F(CachedRun, SimulatesOnlyTheKindsThatAChangedKeyTouches) {
  RowCache first = cache();
  simulated(load(), &first);
  for (const auto& [key, found] : {std::pair<const char*, int>{"packed_gw_sets", 6}, {"wide_kern_load", 3}}) {
    const config::RunConfig run = load({{std::string("kernel.profile.") + key, "true", "--set"}});
    RowCache other(directory_.path() / "cache", "code");
    expect_equal(simulated(run, nullptr), simulated(run, &other), key);
    EXPECT_EQ(other.found(), found) << key;
  }
}

TEST_F(CachedRun, OfAnotherMemoryClockOrFormatFindsNothing) {
  RowCache first = cache();
  simulated(load(), &first);
  for (const config::Override& change :
       {config::Override{"kernel.clock_mhz", "125", "--set"}, config::Override{"kernel.format", "fxp8", "--set"},
        config::Override{"board", "kcu1500", "--set"}, config::Override{"kernel.ports.inp.outstanding", "3", "--set"},
        config::Override{"kernel.fifo.inp_beat", "2", "--set"}}) {
    RowCache other = cache();
    simulated(load({change}), &other);
    EXPECT_EQ(other.found(), 0) << change.key;
  }
}

// Also under the same file name: the key contains the kept kernels of a mask.
TEST_F(CachedRun, OfAnotherMaskFindsNothing) {
  const std::string masked = R"(
name: sparse
board: kcu1500
kernel: batchlane-32x32
network: {layers: [{name: a, channels: 40, h: 1, w: 1, filters: 10, kernel: 1}]}
batch: 32
rung: exact
sparsity: {mask: file, file: masks}
)";
  sparse::Mask mask(10, 40, true);
  const auto found = [&](RowCache cache) {
    directory_.write("masks", sparse::mask_file({{"a", mask}}));
    const config::RunConfig run =
        design::load_run(directory_.write("sparse.yaml", masked).string(), {}, config::Library{WEFT_CONFIG_DIR});
    expect_equal(simulated(run, nullptr), simulated(run, &cache), "masked");
    EXPECT_EQ(cache.asked(), 2);  // F and GW
    return cache.found();
  };
  EXPECT_EQ(found(cache()), 0);
  EXPECT_EQ(found(cache()), 2);
  mask.set(3, 5, false);
  EXPECT_EQ(found(cache()), 0);
  // Equal numbers of kernels, in total and per PE, in other places.
  mask.set(3, 5, true);
  mask.set(3, 6, false);
  EXPECT_EQ(found(cache()), 0);
  mask.set(3, 6, true);
  EXPECT_EQ(found(cache()), 2);
}

// The memory limit does not affect counts.
TEST_F(CachedRun, ThatMayRememberLessFindsEverything) {
  RowCache first = cache(), other = cache();
  const Result before = simulated(load(), &first);
  const config::RunConfig less = load({{"memo_mb", "1", "--set"}});
  expect_equal(simulated(less, nullptr), before, "without the cache");
  expect_equal(simulated(less, &other), before, "from the cache");
  EXPECT_EQ(other.found(), other.asked());
}

TEST_F(CachedRun, IsNeverLookedUpToVerifyOrWhereNothingIsRemembered) {
  RowCache cache = this->cache();
  simulated(load(), &cache);
  const std::int64_t asked = cache.asked();
  simulated(load({{"verify", "2", "--set"}}), &cache);
  simulated(load({{"memo_mb", "0", "--set"}}), &cache);
  simulated(load({{"rung", "analytical", "--set"}}), &cache);
  EXPECT_EQ(cache.asked(), asked);
}

// Each run finds only its own rows, equal in every column: in data mode also the digests and errors of its data.
TEST_F(CachedRun, OfEachRungAndModeAndSeedIsItsOwn) {
  for (const std::vector<config::Override>& changes : {std::vector<config::Override>{},
                                                       {{"rung", "systemc", "--set"}},
                                                       {{"mode", "data", "--set"}},
                                                       {{"rung", "systemc", "--set"}, {"mode", "data", "--set"}},
                                                       {{"mode", "data", "--set"}, {"seed", "5", "--set"}}}) {
    const config::RunConfig run = load(changes);
    RowCache first = cache(), second = cache();
    const Result without = simulated(run, nullptr);
    const std::string what = changes.empty() ? "as it is" : changes.back().key + " " + changes.back().value;
    expect_equal(without, simulated(run, &first), what + ", stored");
    EXPECT_EQ(first.found(), 0) << what;
    expect_equal(without, simulated(run, &second), what + ", looked up");
    EXPECT_EQ(second.found(), 9) << what;
  }
}

// Random data of a tensor depend on the tensors before it in memory: groups share a channel with all the others.
TEST_F(CachedRun, OfAnotherLayerWithDataFindsNothing) {
  const auto found = [&](int groups) {
    const std::string layer = "{name: a, channels: " + std::to_string(4 * groups) +
                              ", h: 6, w: 6, filters: " + std::to_string(4 * groups) +
                              ", kernel: 3, pad: 1, groups: " + std::to_string(groups) + "}";
    const config::RunConfig run =
        load({{"mode", "data", "--set"}, {"batch", "1", "--set"}, {"network", "{layers: [" + layer + "]}", "--set"}});
    RowCache cache = this->cache();
    expect_equal(simulated(run, nullptr), simulated(run, &cache), layer);
    return cache.found();
  };
  EXPECT_EQ(found(1), 0);
  EXPECT_EQ(found(2), 0);
  EXPECT_EQ(found(1), 3);
}

TEST_F(CachedRun, ServesChangedRunsThatAreSimulatedTogether) {
  const config::RunConfig run = load();
  RowCache first = cache(), second = cache();
  simulated(run, &first);
  Simulations simulations(1, &second);
  const std::vector<Simulated> all = simulations.of({run}, network_of(run), {}, {});
  EXPECT_EQ(second.found(), 9);
  ASSERT_TRUE(all.at(0).result.has_value());
  const Result without = simulated(run, nullptr);
  for (std::size_t row = 0; row < without.rows.size(); ++row) {
    EXPECT_EQ(all[0].result->rows[row].cycles, without.rows[row].cycles);
    EXPECT_EQ(all[0].result->rows[row].limiter, without.rows[row].limiter);
  }
}

}  // namespace
}  // namespace weft::run
