#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace weft {

// Allocator that requests huge pages for large blocks, if the operating system has them. Tables of many megabytes are
// read at random, and with small pages most such reads also miss the TLB.
template <typename T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes, std::align_val_t(alignof(T))));
    // A separate mapping, so that deallocation frees it at once; one extra page to align the block to a huge page.
    const std::size_t whole = pages(bytes);
    void* const mapped = mmap(nullptr, whole + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto* const from = static_cast<std::byte*>(mapped);
    const std::size_t before = (kPage - reinterpret_cast<std::uintptr_t>(from) % kPage) % kPage;
    if (before > 0) munmap(from, before);
    if (before < kPage) munmap(from + before + whole, kPage - before);
    madvise(from + before, whole, MADV_HUGEPAGE);  // advice only: failure is harmless
    return reinterpret_cast<T*>(from + before);
  }
  void deallocate(T* block, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) {
      ::operator delete(block, std::align_val_t(alignof(T)));
    } else {
      munmap(block, pages(bytes));
    }
  }
  // Default construction does not clear words: a growing pool writes them later.
  template <typename U, typename... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
      ::new (static_cast<void*>(at)) U;
    } else {
      ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }
  friend bool operator!=(const HugePages&, const HugePages&) { return false; }

 private:
  static std::size_t pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }
};

}  // namespace weft
