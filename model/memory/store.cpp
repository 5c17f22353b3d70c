#include "model/memory/store.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/core/error.h"

namespace weft::memory {

namespace {

constexpr Bytes kPage = 4096;

std::byte* map(Bytes bytes) {
  if (bytes == 0) return nullptr;
  void* const mapped = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw MachineError(fmt::format("cannot map {} bytes for a memory channel: {}", bytes, std::strerror(errno)));
  }
  return static_cast<std::byte*>(mapped);
}

bool zero(const std::byte* bytes, std::size_t count) {
  // All are zero if the first is and each equals the one before it.
  return bytes[0] == std::byte{0} && std::memcmp(bytes, bytes + 1, count - 1) == 0;
}

}  // namespace

Store::Store(Bytes bytes, Address first) : first_(first), bytes_(align_up(bytes, 4)), memory_(map(bytes_)) {}

Store::~Store() {
  if (memory_) munmap(memory_, static_cast<std::size_t>(bytes_));
}

Store::Store(const Store& other) : Store(other.bytes_, other.first_) {
  for (Bytes done = 0; done < bytes_; done += kPage) {
    const auto part = static_cast<std::size_t>(std::min(kPage, bytes_ - done));
    const std::byte* const from = other.at(first_ + done);
    if (!zero(from, part)) std::memcpy(at(first_ + done), from, part);
  }
}

Store::Store(Store&& other) noexcept
    : first_(other.first_), bytes_(std::exchange(other.bytes_, 0)), memory_(std::exchange(other.memory_, nullptr)) {}

Store& Store::operator=(Store other) noexcept {
  std::swap(first_, other.first_);
  std::swap(bytes_, other.bytes_);
  std::swap(memory_, other.memory_);
  return *this;
}

void Store::clear() {
  // Released pages of a private mapping are zero when they are next touched.
  if (memory_) madvise(memory_, static_cast<std::size_t>(bytes_), MADV_DONTNEED);
}

}  // namespace weft::memory
