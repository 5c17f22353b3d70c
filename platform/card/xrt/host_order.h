#pragma once

#include <cstdint>
#include <filesystem>

namespace weft::xrt {

// What the programs of a run tell of the order of their calls (handover.h), read by its card.
class HostOrderReader {
 public:
  explicit HostOrderReader(const std::filesystem::path& run_folder);  // throws Error
  ~HostOrderReader();
  HostOrderReader(const HostOrderReader&) = delete;
  HostOrderReader& operator=(const HostOrderReader&) = delete;

  // Asked of the card while a launch was under way that the program had not waited for.
  std::uint64_t unordered() const;
  // A program has loaded an xclbin: starts from now on are of launches that it makes.
  void begin();
  // Whether the next launch, which comes now, was handed over while the one before was under way.
  bool next_is_queued();

 private:
  std::uint64_t word(std::size_t offset) const;

  int file_ = -1;
  std::uint64_t next_ = 0;
};

}  // namespace weft::xrt
