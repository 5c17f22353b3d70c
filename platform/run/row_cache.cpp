#include "platform/run/row_cache.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "model/core/error.h"
#include "model/core/fnv1a.h"
#include "platform/catalogue/designs.h"
#include "platform/config/node.h"
#include "platform/os/content.h"
#include "platform/run/accounting.h"

namespace weft::run {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMagic = "weft row 1\n";
constexpr const char* kExtension = ".row";
constexpr const char* kPart = ".part";                 // extension of an entry that is being written
constexpr auto kLongestWrite = std::chrono::hours(1);  // older ones were left by a killed process

void append(std::string& text, std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  text.append(bytes, sizeof bytes);
}

std::uint64_t number_at(const std::string& text, std::size_t place) {
  std::uint64_t number = 0;
  std::memcpy(&number, text.data() + place, sizeof number);
  return number;
}

std::uint64_t digest_of(const std::string& text) {
  Fnv1a64 digest;
  digest.add_bytes(text);
  return digest.value();
}

// Start of an entry, up to the words.
std::string head_of(const std::string& code, const std::string& key) {
  std::string head = kMagic;
  append(head, code.size());
  head += code;
  append(head, key.size());
  return head + key;
}

struct Entry {
  fs::file_time_type used;
  Bytes bytes = 0;
  fs::path path;
};
// True if the file name is that of an entry or of its temporary file: a user's folder may hold other files.
bool has_name_of_entry(const fs::path& path) {
  constexpr std::size_t kDigits = 16;
  const std::string name = path.filename().string();
  const std::size_t digits = name.find_first_not_of("0123456789abcdef");
  return digits == kDigits && name.compare(digits, std::strlen(kExtension), kExtension) == 0;
}

// Lists the entries; entries removed meanwhile are skipped.
std::vector<Entry> entries_of(const fs::path& directory, const char* extension = kExtension) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != extension || !has_name_of_entry(at->path())) continue;
    std::error_code gone;
    const auto bytes = static_cast<Bytes>(at->file_size(gone));
    const fs::file_time_type used = gone ? fs::file_time_type() : at->last_write_time(gone);
    if (!gone) entries.push_back({used, bytes, at->path()});
  }
  return entries;
}

}  // namespace

RowCache::RowCache(fs::path directory, std::string code, Bytes most_bytes)
    : directory_(std::move(directory)), code_(std::move(code)), most_bytes_(most_bytes) {}

fs::path RowCache::path_of(const std::string& key) const {
  return directory_ / fmt::format("{:016x}{}", digest_of(head_of(code_, key)), kExtension);
}

std::optional<std::vector<std::int64_t>> RowCache::find(const std::string& key) {
  ++asked_;
  const fs::path path = path_of(key);
  const std::optional<std::string> entry = os::content_of_regular(path);
  const std::string head = head_of(code_, key);
  constexpr std::size_t kWord = sizeof(std::int64_t);
  if (!entry || entry->size() < head.size() + kWord || (entry->size() - head.size()) % kWord != 0) return std::nullopt;
  const std::size_t end = entry->size() - kWord;
  if (entry->compare(0, head.size(), head) != 0 || number_at(*entry, end) != digest_of(entry->substr(0, end))) {
    return std::nullopt;
  }
  std::vector<std::int64_t> words((end - head.size()) / kWord);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::int64_t>(number_at(*entry, head.size() + i * kWord));
  }
  std::error_code ignored;  // an entry that cannot be touched is only evicted earlier
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  ++found_;
  return words;
}

void RowCache::store(const std::string& key, const std::vector<std::int64_t>& words) {
  std::string entry = head_of(code_, key);
  for (const std::int64_t word : words) append(entry, static_cast<std::uint64_t>(word));
  append(entry, digest_of(entry));
  const fs::path path = path_of(key);
  const fs::path part = fs::path(path).concat(fmt::format(".{}{}", getpid(), kPart));
  std::error_code error;
  fs::create_directories(directory_, error);
  std::ofstream file(part, std::ios::binary);
  file.write(entry.data(), static_cast<std::streamsize>(entry.size()));
  file.close();
  if (!file) {
    problem_ = fmt::format("'{}' cannot be written", part.string());
  } else if (fs::rename(part, path, error); error) {
    problem_ = fmt::format("'{}': {}", path.string(), error.message());
  }
  if (!problem_.empty()) fs::remove(part, error);
}

void RowCache::trim() const {
  for (const Entry& part : entries_of(directory_, kPart)) {
    std::error_code gone;
    if (part.used < fs::file_time_type::clock::now() - kLongestWrite) fs::remove(part.path, gone);
  }
  std::vector<Entry> entries = entries_of(directory_);
  Bytes all = 0;
  for (const Entry& entry : entries) all += entry.bytes;
  if (all <= most_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.used, a.path) < std::tie(b.used, b.path); });
  for (const Entry& entry : entries) {
    if (all <= most_bytes_) return;
    std::error_code gone;
    fs::remove(entry.path, gone);
    all -= entry.bytes;
  }
}

config::Node cycles_node(const config::RunConfig& run) {
  config::Node node = config::write_run(run);
  for (const char* key : {"name", "title", "host", "schedule", "published", "output", "results", "workers", "verify",
                          "memo_mb", "strict_fit", "seed", "dataset_images"}) {
    node.erase(key);
  }
  if (config::Node* const board = node.find("board")) {
    for (const char* key : {"title", "pcie", "network", "default_host", "assumed"}) board->erase(key);
  }
  return node;
}

std::string look_of(const config::RunConfig& run, conv::Kind kind) {
  const bool data = run.mode == config::Mode::Data;
  config::Node node = cycles_node(data ? run : design::design_of(run).as_seen_by(run, kind));
  // The convolutions themselves are covered by the identities.
  for (const char* key :
       {"network", "convolution", "batch", "only", "kinds", "gi_first", "lower_fc", "lower_matmul", "input_sizes"}) {
    node.erase(key);
  }
  return config::to_yaml(node);
}

std::vector<std::int64_t> identity_of(const config::RunConfig& run, const design::Row& row, const design::Work& work,
                                      std::size_t unit) {
  std::vector<std::int64_t> identity = work.identity(unit);
  if (run.mode != config::Mode::Data) return identity;
  // Random data also depend on the sizes of whole tensors.
  const conv::Layer& layer = row.layer;
  identity.insert(identity.end(), {static_cast<std::int64_t>(run.seed + unit), static_cast<std::int64_t>(row.kind),
                                   layer.batch, layer.channels, layer.filters, layer.groups});
  for (const conv::LayerAxis& axis : {layer.h, layer.w}) {
    identity.insert(identity.end(), {axis.size, axis.kernel, axis.stride, axis.pad_begin, axis.pad_end, axis.dilation});
  }
  return identity;
}

std::string row_key(const std::string& look, const std::vector<const std::vector<std::int64_t>*>& identities) {
  std::string key = look;
  for (const std::vector<std::int64_t>* identity : identities) {
    append(key, identity->size());
    for (const std::int64_t number : *identity) append(key, static_cast<std::uint64_t>(number));
  }
  return key;
}

std::optional<std::vector<UnitWords>> find_row(RowCache& cache, const std::string& key, std::size_t units,
                                               const Topology& topology) {
  const std::optional<std::vector<std::int64_t>> found = cache.find(key);
  const std::size_t each = unit_words(topology) + 1;
  if (!found || found->size() != units * each) return std::nullopt;
  std::vector<UnitWords> words;
  for (auto at = found->begin(); at != found->end(); at += static_cast<std::ptrdiff_t>(each)) {
    words.push_back({{at + 1, at + static_cast<std::ptrdiff_t>(each)}, *at});
  }
  return words;
}

void store_row(RowCache& cache, const std::string& key, const std::vector<UnitWords>& units) {
  std::vector<std::int64_t> all;
  for (const UnitWords& unit : units) {
    all.push_back(unit.cost_us);
    all.insert(all.end(), unit.words.begin(), unit.words.end());
  }
  cache.store(key, all);
}

bool may_cache(const config::RunConfig& run) {
  if (run.rung == config::Rung::Exact) return run.verify == 0 && run.memo_mb != 0;
  return run.rung == config::Rung::SystemC;
}

CacheUse cache_use(const fs::path& directory) {
  CacheUse use;
  for (const Entry& entry : entries_of(directory)) {
    ++use.entries;
    use.bytes += entry.bytes;
  }
  return use;
}

CacheUse clear_cache(const fs::path& directory) {
  const CacheUse use = cache_use(directory);
  for (const char* extension : {kExtension, kPart}) {
    for (const Entry& entry : entries_of(directory, extension)) {
      std::error_code error;
      fs::remove(entry.path, error);
      if (error) throw Error(fmt::format("cannot remove '{}': {}", entry.path.string(), error.message()));
    }
  }
  return use;
}

}  // namespace weft::run
