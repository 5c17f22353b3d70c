#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

#include "model/core/fnv1a.h"

namespace weft::sweep {

// A digest of texts and numbers in their order, each kept apart from the next.
class Digest {
 public:
  void add(const std::string& text) {
    state_.add_bytes(text);
    add(text.size());
  }
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) state_.add(static_cast<unsigned char>(number >> (8 * i)));
  }
  std::string text() const { return fmt::format("{:016x}", state_.value()); }

 private:
  Fnv1a64 state_;
};

}  // namespace weft::sweep
