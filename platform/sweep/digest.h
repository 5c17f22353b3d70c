#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

namespace weft::sweep {

// FNV-1a of 64 bits over texts and numbers, kept apart: against accidents, not against malice.
class Digest {
 public:
  void add(const std::string& text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    add(text.size());
  }
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) step(static_cast<unsigned char>(number >> (8 * i)));
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  void step(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001B3ULL; }

  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace weft::sweep
