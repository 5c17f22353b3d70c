#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// File format of an xclbin, from XRT's xclbin.h: little-endian structures with the padding of x86-64. Also
// included by libraries that do not link weft's.
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
  std::uint16_t mode = 4, action_mask = 0;  // mode: hardware emulation
  std::array<unsigned char, 16> interface_uuid{};
  std::array<char, 64> platform{};
  std::array<unsigned char, 16> uuid{};
  std::array<char, 16> debug_file{};
  std::uint32_t sections = 0, padding = 0;
};
static_assert(sizeof(XclbinHeader) == 456);

// Longest file that weft card accepts as an xclbin, in bytes: the bitstream has at most kMaxBitstream.
inline constexpr std::size_t kMaxXclbin = std::size_t{16} << 20;

// Returns the header of an xclbin with the section table and sections `rest`. The UUID is a digest of `rest`: XRT
// treats two xclbins with equal UUIDs as the same.
XclbinHeader xclbin_header(const std::array<char, 64>& platform, std::uint32_t sections, const std::string& rest);

// Returns the fault of a `file` that write_xclbin() did not write, as in "is cut off: ..."; empty if there is none.
std::string damage_of(std::string_view file);

}  // namespace weft::xrt
