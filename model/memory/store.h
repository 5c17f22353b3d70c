#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "model/core/units.h"

namespace weft::memory {

// Contents of one memory channel: bytes from address `first` on, a multiple of 4; an FP32 host accesses them as floats.
// Bytes never written are zero and take no room: a channel may be far larger than the machine's memory.
class Store {
 public:
  explicit Store(Bytes bytes = 0, Address first = 0);  // throws Error if there is no address space left
  ~Store();
  Store(const Store& other);  // copies only the contents that are not zero
  Store(Store&& other) noexcept;
  Store& operator=(Store other) noexcept;

  std::byte* at(Address address) { return memory_ + (address - first_); }
  const std::byte* at(Address address) const { return memory_ + (address - first_); }
  float* floats(Address address) { return reinterpret_cast<float*>(at(address)); }
  const float* floats(Address address) const { return reinterpret_cast<const float*>(at(address)); }
  Bytes bytes() const { return bytes_; }
  Address first() const { return first_; }
  Address end() const { return first_ + bytes_; }

  void clear();  // sets all to zero, the initial contents

 private:
  Address first_;
  Bytes bytes_;
  std::byte* memory_ = nullptr;
};

// Contents of the memory channels in data mode, and the channel of each port.
template <std::size_t kPorts>
struct PortStores {
  std::vector<Store> channels;
  std::array<int, kPorts> channel_of_port{};
  template <class Port>
  Store& of(Port port) {
    return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
  }
};

}  // namespace weft::memory
