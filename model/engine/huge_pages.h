#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace weft::engine {

// Lets the kernel back what is large with large pages, where it has them to give: tables of many megabytes are read here
// and there, and with small pages most of such reads also miss the TLB.
template <typename T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  HugePages() = default;
  template <typename U>
  HugePages(const HugePages<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* const block = std::aligned_alloc(kPage, whole);
    if (!block) throw std::bad_alloc();
    madvise(block, whole, MADV_HUGEPAGE);  // advice: without it all is well, too
    return static_cast<T*>(block);
  }
  void deallocate(T* block, std::size_t count) {
    if (count * sizeof(T) < kPage) {
      ::operator delete(block);
    } else {
      std::free(block);
    }
  }
  friend bool operator==(const HugePages&, const HugePages&) { return true; }
  friend bool operator!=(const HugePages&, const HugePages&) { return false; }
};

}  // namespace weft::engine
