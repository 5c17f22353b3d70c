#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace weft {

// State of a model relative to a time and a position, as bytes. States with equal future behaviour have equal bytes,
// independent of time and place. The same function of a block writes and reads them, so compared and restored fields
// are the same: a forgotten field is lost on the first restore, not silently ignored.
class Relative {
 public:
  // Writes to `bytes` or, if `loading`, reads from them.
  Relative(std::string& bytes, bool loading) : bytes_(bytes), loading_(loading) {}

  bool loading() const { return loading_; }

  // An integer, flag or enumerator whose meaning does not depend on time.
  template <typename T>
  void value(T& field) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    if (loading_) {
      field = static_cast<T>(read());
    } else {
      write(static_cast<std::int64_t>(field));
    }
  }
  // A time or position, stored as its distance from `base`.
  template <typename T>
  void from(T& field, std::int64_t base) {
    if (loading_) {
      field = static_cast<T>(read() + base);
    } else {
      write(static_cast<std::int64_t>(field) - base);
    }
  }
  // The end of a waiting time: all times in the past are equivalent.
  template <typename T>
  void timer(T& field, std::int64_t now) {
    if (loading_) {
      field = static_cast<T>(read() + now);
    } else {
      write(field > now ? static_cast<std::int64_t>(field) - now : 0);
    }
  }
  // A field of which only the value `seen` matters; restored as `seen`.
  template <typename T>
  void as(T& field, T seen) {
    if (loading_) {
      field = static_cast<T>(read());
    } else {
      write(static_cast<std::int64_t>(seen));
    }
  }

 private:
  // Zigzag encoding, seven bits per byte, least significant first.
  void write(std::int64_t signed_value) {
    auto rest = (static_cast<std::uint64_t>(signed_value) << 1) ^ static_cast<std::uint64_t>(signed_value >> 63);
    for (; rest >= 0x80; rest >>= 7) bytes_.push_back(static_cast<char>(rest | 0x80));
    bytes_.push_back(static_cast<char>(rest));
  }
  std::int64_t read() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }

  std::string& bytes_;
  std::size_t at_ = 0;
  bool loading_;
};

}  // namespace weft
