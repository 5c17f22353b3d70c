#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/design/card_kernel.h"

namespace weft::card {

// Ranges of addresses, apart from each other.
class Ranges {
 public:
  void add(design::Extent extent);
  Bytes missing(design::Extent extent) const;  // bytes of it that are in no range
  void clear() { ranges_.clear(); }

 private:
  std::map<Address, Address> ranges_;  // from begin to end
};

// Faults of a program that a card carries out all the same: a launch that reads memory which nobody has written, and
// the like. Reports the first of each kind, and counts all.
class ProgramFaults {
 public:
  // A launch by its numbers, both from 1 on: among the calls (transfers and launches), and among the launches.
  struct Number {
    std::int64_t call = 0, launch = 0;
  };

  std::function<void(const std::string& line)> on_fault;  // gets a sentence; nothing is watched without it

  void transferred(bool to_card, Address address, Bytes bytes);
  // `unset`: registers of arguments that the program has not set.
  void launched(const design::CardLaunch& launch, Number number, const std::vector<std::string>& unset);
  // The program read OUT back before it had waited for the launch.
  void read_early(Number number);
  // The contents of the memory are lost, or no more calls come: OUT that is not read yet never is.
  void lost();

  std::int64_t count() const { return count_; }
  const std::string& first_refused() const { return first_refused_; }  // with its number; empty: none

 private:
  enum Kind : std::uint8_t { Unwritten, Unset, Pitch, Early, Unread, kKinds };
  struct Out {
    Number number;
    std::vector<design::Extent> extents;
  };

  void tell(Kind kind, Number number, const std::string& what);
  void forget_read(design::Extent extent);

  Ranges written_;
  std::map<Address, Out> unread_;  // OUT of launches by their first addresses
  std::array<bool, kKinds> told_{};
  std::int64_t count_ = 0;
  std::string first_refused_;
};

}  // namespace weft::card
