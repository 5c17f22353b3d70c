#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Protocol of XRT's hw_emu shim (libxrt_hwemu) and a device process over a Unix socket: calls of the shim, each
// answered before the next. A frame is a header and a protobuf message (encoding.proto3: varints, fixed64, fixed32 and
// length-delimited fields; groups are refused).
//   call      09 <payload bytes, 64 bits> 15 <number of the call, 32 bits>, payload
//   response  09 <payload bytes, 64 bits>, payload
namespace weft::xrt {

// Numbers of the calls that hw_emu makes of an Alveo card.
enum class Api : std::uint32_t {
  Close = 1,
  AllocDeviceBuffer = 4,
  FreeDeviceBuffer = 5,
  CopyHostToDevice = 6,
  CopyDeviceToHost = 7,
  WriteKernelControl = 9,
  ReadKernelControl = 11,
  PerfMonReadCounters = 14,
  PerfMonGetTraceCount = 15,
  PerfMonReadTrace = 16,
  GetDeviceTimestamp = 17,
  ReadBusStatus = 18,
  GetDebugMessages = 19,
  SetEnvironment = 20,
};

// Most data in a message of the shim, 1 MiB: its `packet_size`, which the launcher sets.
inline constexpr std::size_t kPacketBytes = std::size_t{1} << 20;
// Upper bound of the shim's messages; a longer one is invalid.
inline constexpr std::size_t kMaxPayload = 2 * kPacketBytes;

inline constexpr std::size_t kCallHeaderBytes = 14, kResponseHeaderBytes = 9;

struct CallHeader {
  std::uint64_t payload = 0;  // bytes, at most kMaxPayload
  std::uint32_t api = 0;
};
// Returns nothing if these kCallHeaderBytes are no header, or announce more than kMaxPayload.
std::optional<CallHeader> parse_call_header(const char* bytes);

std::string response_header(std::size_t payload);

// Fields of a message, views into the payload, which must outlive this. The last one of a repeated field counts.
class Fields {
 public:
  // Returns nothing if `payload` is no protobuf message.
  static std::optional<Fields> parse(std::string_view payload);

  std::optional<std::uint64_t> number(std::uint32_t field) const;    // of a varint or fixed field
  std::optional<std::string_view> bytes(std::uint32_t field) const;  // of a length-delimited field

 private:
  std::vector<std::pair<std::uint32_t, std::uint64_t>> numbers_;
  std::vector<std::pair<std::uint32_t, std::string_view>> bytes_;
};

// Appends a field to a message.
void put_number(std::string& message, std::uint32_t field, std::uint64_t value);
void put_bytes(std::string& message, std::uint32_t field, std::string_view value);
// Appends a length-delimited field without its bytes, which must follow.
void put_bytes_header(std::string& message, std::uint32_t field, std::size_t bytes);

}  // namespace weft::xrt
