#include "platform/run/row_cache.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <numeric>
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
constexpr const char* kSizes = "weft-rows.sizes";      // file of Sizes
constexpr std::size_t kFolders = 16;                   // by the digits of an entry on which FNV-1a has every byte act

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

fs::path folder_of(const fs::path& directory, std::size_t folder) {
  return directory / fmt::format("{:x}", folder);
}

Bytes bytes_of(const std::vector<Entry>& entries) {
  return std::accumulate(entries.begin(), entries.end(), Bytes{0},
                         [](Bytes sum, const Entry& entry) { return sum + entry.bytes; });
}

// Removes the partial entries that killed processes left in a folder, and the least recently used entries, until the
// others have `most` bytes. Returns their bytes.
Bytes evict(const fs::path& folder, Bytes most) {
  std::error_code gone;
  for (const Entry& part : entries_of(folder, kPart)) {
    if (part.used < fs::file_time_type::clock::now() - kLongestWrite) fs::remove(part.path, gone);
  }
  std::vector<Entry> entries = entries_of(folder);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.used, a.path) < std::tie(b.used, b.path); });
  Bytes all = bytes_of(entries);
  for (auto entry = entries.begin(); entry != entries.end() && all > most; ++entry) {
    fs::remove(entry->path, gone);
    all -= entry->bytes;
  }
  return all;
}

// Bytes of the entries of each folder. They are kept in a file, so that no store lists the cache. The file is locked
// while this object exists. A killed process may leave a number too large; eviction in its folder corrects the number.
class Sizes {
 public:
  // Without a file, counts all entries, and removes those of earlier versions, which are in no folder.
  explicit Sizes(const fs::path& directory) : directory_(directory) {
    struct stat status {};
    do {
      ::close(file_);
      file_ = ::open((directory / kSizes).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
      while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0 && errno == EINTR) continue;
    } while (file_ >= 0 && ::fstat(file_, &status) == 0 && status.st_nlink == 0);  // removed before it was locked
    if (file_ < 0 || (status.st_size == kBytes && ::pread(file_, sizes_.data(), sizeof sizes_, 0) == kBytes)) return;
    evict(directory, 0);
    for (std::size_t i = 0; i < kFolders; ++i) sizes_.at(i) = bytes_of(entries_of(folder_of(directory, i)));
  }
  ~Sizes() { ::close(file_); }
  Sizes(const Sizes&) = delete;
  Sizes& operator=(const Sizes&) = delete;

  // Returns false if it cannot save the numbers.
  bool add(std::size_t folder, Bytes bytes) {
    sizes_.at(folder) += bytes;
    return file_ >= 0 && save();
  }
  // Removes an eighth of the largest folder, until all entries have `most` bytes. So an eviction lists one folder, and
  // makes room for many entries.
  void trim(Bytes most) {
    if (sum() <= most) return;
    while (sum() > most) {
      const auto largest = std::max_element(sizes_.begin(), sizes_.end());
      *largest = evict(folder_of(directory_, static_cast<std::size_t>(largest - sizes_.begin())), *largest / 8 * 7);
    }
    save();
  }

 private:
  Bytes sum() const { return std::accumulate(sizes_.begin(), sizes_.end(), Bytes{0}); }
  bool save() const { return ::pwrite(file_, sizes_.data(), sizeof sizes_, 0) == kBytes; }

  static constexpr ssize_t kBytes = kFolders * sizeof(Bytes);
  const fs::path& directory_;
  int file_ = -1;
  std::array<Bytes, kFolders> sizes_{};
};

}  // namespace

RowCache::RowCache(fs::path directory, std::string code, Bytes most_bytes)
    : directory_(std::move(directory)), code_(std::move(code)), most_bytes_(most_bytes) {}

fs::path RowCache::path_of(const std::string& key) const {
  const std::uint64_t digest = digest_of(head_of(code_, key));
  return folder_of(directory_, digest >> 40U & (kFolders - 1)) / fmt::format("{:016x}{}", digest, kExtension);
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
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(part, std::ios::binary);
  file.write(entry.data(), static_cast<std::streamsize>(entry.size()));
  file.close();
  const std::string problem =
      file ? put(part, path, static_cast<Bytes>(entry.size())) : fmt::format("'{}' cannot be written", part.string());
  if (problem.empty()) return;
  fs::remove(part, error);
  problem_ = problem;
}

std::string RowCache::put(const fs::path& part, const fs::path& path, Bytes bytes) const {
  std::error_code error;
  Sizes sizes(directory_);
  const std::uintmax_t replaced = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  bytes = std::max<Bytes>(bytes - static_cast<Bytes>(replaced), 0);
  // The number first: a process that is killed before the rename leaves it too large.
  if (!sizes.add(std::stoul(path.parent_path().filename().string(), nullptr, 16), bytes)) {
    return fmt::format("'{}' cannot be written", (directory_ / kSizes).string());
  }
  if (fs::rename(part, path, error); error) return fmt::format("'{}': {}", path.string(), error.message());
  sizes.trim(most_bytes_);
  return "";
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
  for (std::size_t i = 0; i <= kFolders; ++i) {
    const std::vector<Entry> entries = entries_of(i < kFolders ? folder_of(directory, i) : directory);
    use.entries += static_cast<std::int64_t>(entries.size());
    use.bytes += bytes_of(entries);
  }
  return use;
}

CacheUse clear_cache(const fs::path& directory) {
  const CacheUse use = cache_use(directory);
  std::error_code error;
  for (std::size_t i = 0; i <= kFolders; ++i) {
    const fs::path folder = i < kFolders ? folder_of(directory, i) : directory;
    for (const char* extension : {kExtension, kPart}) {
      for (const Entry& entry : entries_of(folder, extension)) {
        if (fs::remove(entry.path, error); error)
          throw Error(fmt::format("cannot remove '{}': {}", entry.path.string(), error.message()));
      }
    }
    if (i < kFolders) ::rmdir(folder.c_str());  // fails if the user has files in it
  }
  fs::remove(directory / kSizes, error);
  return use;
}

}  // namespace weft::run
