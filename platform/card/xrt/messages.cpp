#include "platform/card/xrt/messages.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <array>

namespace weft::xrt {

namespace {

namespace io = google::protobuf::io;

// Encoding of a field's value: the lower three bits of its tag.
enum class Wire : std::uint32_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };
constexpr int kWireBits = 3;

constexpr char kSizeTag = 0x09;    // field 1, fixed64
constexpr char kApiTag = 0x15;     // field 2, fixed32
constexpr std::size_t kApiAt = 9;  // of its tag, in a call's header

void put_varint(std::string& message, std::uint64_t value) {
  std::array<std::uint8_t, 10> buffer{};
  const std::uint8_t* const end = io::CodedOutputStream::WriteVarint64ToArray(value, buffer.data());
  message.append(buffer.begin(), buffer.begin() + (end - buffer.data()));
}

void put_tag(std::string& message, std::uint32_t field, Wire wire) {
  put_varint(message, field << kWireBits | static_cast<std::uint32_t>(wire));
}

template <class Entries>
auto last_of(const Entries& entries, std::uint32_t field) {
  const auto found =
      std::find_if(entries.rbegin(), entries.rend(), [&](const auto& entry) { return entry.first == field; });
  return found == entries.rend() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<CallHeader> parse_call_header(const char* bytes) {
  if (bytes[0] != kSizeTag || bytes[kApiAt] != kApiTag) return std::nullopt;
  CallHeader header;
  const auto* const raw = reinterpret_cast<const std::uint8_t*>(bytes);
  io::CodedInputStream::ReadLittleEndian64FromArray(raw + 1, &header.payload);
  io::CodedInputStream::ReadLittleEndian32FromArray(raw + kApiAt + 1, &header.api);
  if (header.payload > kMaxPayload) return std::nullopt;
  return header;
}

std::string response_header(std::size_t payload) {
  std::array<std::uint8_t, kResponseHeaderBytes> bytes{kSizeTag};
  io::CodedOutputStream::WriteLittleEndian64ToArray(payload, bytes.data() + 1);
  return {bytes.begin(), bytes.end()};
}

std::optional<Fields> Fields::parse(std::string_view payload) {
  if (payload.size() > kMaxPayload) return std::nullopt;
  io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(payload.data()), static_cast<int>(payload.size()));
  Fields fields;
  while (static_cast<std::size_t>(in.CurrentPosition()) < payload.size()) {
    std::uint32_t tag = 0;
    if (!in.ReadVarint32(&tag)) return std::nullopt;
    const std::uint32_t field = tag >> kWireBits;
    if (field == 0) return std::nullopt;
    std::uint64_t number = 0;
    std::uint32_t narrow = 0;
    switch (static_cast<Wire>(tag & ((1U << kWireBits) - 1))) {
      case Wire::Varint:
        if (!in.ReadVarint64(&number)) return std::nullopt;
        fields.numbers_.emplace_back(field, number);
        break;
      case Wire::Fixed64:
        if (!in.ReadLittleEndian64(&number)) return std::nullopt;
        fields.numbers_.emplace_back(field, number);
        break;
      case Wire::Fixed32:
        if (!in.ReadLittleEndian32(&narrow)) return std::nullopt;
        fields.numbers_.emplace_back(field, narrow);
        break;
      case Wire::Bytes: {
        if (!in.ReadVarint32(&narrow)) return std::nullopt;
        const auto at = static_cast<std::size_t>(in.CurrentPosition());
        if (narrow > payload.size() - at || !in.Skip(static_cast<int>(narrow))) return std::nullopt;
        fields.bytes_.emplace_back(field, payload.substr(at, narrow));
        break;
      }
      default:
        return std::nullopt;
    }
  }
  return fields;
}

std::optional<std::uint64_t> Fields::number(std::uint32_t field) const {
  return last_of(numbers_, field);
}

std::optional<std::string_view> Fields::bytes(std::uint32_t field) const {
  return last_of(bytes_, field);
}

void put_number(std::string& message, std::uint32_t field, std::uint64_t value) {
  put_tag(message, field, Wire::Varint);
  put_varint(message, value);
}

void put_bytes_header(std::string& message, std::uint32_t field, std::size_t bytes) {
  put_tag(message, field, Wire::Bytes);
  put_varint(message, bytes);
}

void put_bytes(std::string& message, std::uint32_t field, std::string_view value) {
  put_bytes_header(message, field, value.size());
  message.append(value);
}

}  // namespace weft::xrt
