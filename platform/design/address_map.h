#pragma once

#include <optional>

#include "model/core/units.h"

namespace weft::design {

// Addresses of a card's memory, as XRT shows those of a U250: the banks follow each other. A bank is a memory channel;
// addresses within it begin at 0.
class AddressMap {
 public:
  static constexpr Address kFirst = 0x40'0000'0000;

  AddressMap(int banks, Bytes bytes_per_bank) : banks_(banks), bytes_per_bank_(bytes_per_bank) {}

  int banks() const { return banks_; }
  Bytes bytes_per_bank() const { return bytes_per_bank_; }
  Bytes bytes() const { return banks_ * bytes_per_bank_; }
  Address address(int bank, Address within = 0) const { return kFirst + bank * bytes_per_bank_ + within; }

  // True if the range lies in the banks; it may cross from one bank into the next.
  bool holds(Address address, Bytes bytes) const {
    return address >= kFirst && bytes >= 0 && address - kFirst <= this->bytes() &&
           bytes <= this->bytes() - (address - kFirst);
  }
  struct Place {
    int bank = 0;
    Address within = 0;
  };
  // Returns nothing for an address outside the banks.
  std::optional<Place> place(Address address) const {
    if (!holds(address, 1)) return std::nullopt;
    return Place{static_cast<int>((address - kFirst) / bytes_per_bank_), (address - kFirst) % bytes_per_bank_};
  }

 private:
  int banks_;
  Bytes bytes_per_bank_;
};

}  // namespace weft::design
