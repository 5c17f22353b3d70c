#include "platform/card/status.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <type_traits>
#include <utility>

#include "model/core/error.h"

namespace weft::card {

namespace {

// Contents of the file: a Status after its own size, which differs if the two programs have different versions.
struct Record {
  std::uint64_t bytes = sizeof(Record);
  Status status;
};
static_assert(std::is_trivially_copyable_v<Record>);

void* map(const std::filesystem::path& path, bool write) {
  const int file = open(path.c_str(), (write ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY) | O_CLOEXEC, 0600);
  void* data = MAP_FAILED;
  if (file >= 0) {
    struct stat info {};
    const bool sized = write ? ftruncate(file, sizeof(Record)) == 0
                             : fstat(file, &info) == 0 && info.st_size == static_cast<off_t>(sizeof(Record));
    if (sized) data = mmap(nullptr, sizeof(Record), write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
    close(file);
  }
  if (data == MAP_FAILED) {
    throw Error(fmt::format("cannot {} the card's '{}': {}", write ? "write" : "read", path.string(),
                            errno != 0 ? std::strerror(errno) : "it is of another version of weft"));
  }
  return data;
}

bool is_written(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t bytes = 0;
  return in.read(reinterpret_cast<char*>(&bytes), sizeof bytes) && bytes != 0;
}

}  // namespace

StatusWriter::StatusWriter(const std::filesystem::path& folder) : data_(map(folder / kFile, true)) {
  const Record empty;
  std::memcpy(data_, &empty, sizeof empty);
}

StatusWriter::~StatusWriter() {
  munmap(data_, sizeof(Record));
}

void StatusWriter::write(Card& card) const {
  Record record;
  record.status = {card.now(), card.totals()};
  std::memcpy(data_, &record, sizeof record);
}

std::optional<StatusReader> StatusReader::of_environment() {
  const char* const folder = std::getenv(StatusWriter::kVariable);
  if (!folder) return std::nullopt;
  // The card and the program start at the same time; the reader waits for the file.
  constexpr std::chrono::milliseconds kPause{10};
  constexpr int kMostPauses = 500;
  for (int i = 0; i < kMostPauses && !is_written(std::filesystem::path(folder) / StatusWriter::kFile); ++i) {
    std::this_thread::sleep_for(kPause);
  }
  return StatusReader(folder);
}

StatusReader::StatusReader(const std::filesystem::path& folder) : data_(map(folder / StatusWriter::kFile, false)) {}

StatusReader::StatusReader(StatusReader&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}

StatusReader::~StatusReader() {
  if (data_) munmap(const_cast<void*>(data_), sizeof(Record));
}

Status StatusReader::read() const {
  Record record;
  std::memcpy(&record, data_, sizeof record);
  return record.status;
}

}  // namespace weft::card
