#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The file of an xclbin: what XRT's xclbin.h says, little-endian structures with the padding of x86-64. Shared by
// libraries without weft's.
namespace weft::xrt {

struct SectionHeader {
  std::uint32_t kind = 0;
  std::array<char, 16> name{};
  std::uint32_t padding = 0;
  std::uint64_t offset = 0, size = 0;
};
static_assert(sizeof(SectionHeader) == 40);

struct XclbinHeader {
  std::array<char, 8> magic{'x', 'c', 'l', 'b', 'i', 'n', '2', 0};
  std::int32_t signature_length = -1;
  std::array<unsigned char, 28> reserved{};
  std::array<unsigned char, 256> key_block{};
  std::uint64_t unique_id = 0;
  std::uint64_t length = 0, timestamp = 0, feature_rom_timestamp = 0;
  std::uint16_t patch = 0;
  std::uint8_t major = 2, minor = 13;
  std::uint16_t mode = 4, action_mask = 0;  // of hardware emulation
  std::array<unsigned char, 16> interface_uuid{};
  std::array<char, 64> platform{};
  std::array<unsigned char, 16> uuid{};
  std::array<char, 16> debug_file{};
  std::uint32_t sections = 0, padding = 0;
};
static_assert(sizeof(XclbinHeader) == 456);

// Longest file that is taken for an xclbin of weft card, in bytes: the bitstream has at most kMaxBitstream.
inline constexpr std::size_t kMaxXclbin = std::size_t{16} << 20;

// Header of the xclbin whose section table and sections are `rest`. The UUID is a digest of `rest`: XRT takes two
// xclbins of one UUID for the same.
XclbinHeader xclbin_header(const std::array<char, 64>& platform, std::uint32_t sections, const std::string& rest);

// Why `file` is not as write_xclbin() wrote it, as the end of a sentence: "is cut off: ...". Empty if it is.
std::string damage_of(std::string_view file);

}  // namespace weft::xrt
