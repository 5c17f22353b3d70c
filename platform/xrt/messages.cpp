#include "platform/xrt/messages.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <array>

namespace weft::xrt {

namespace {

namespace io = google::protobuf::io;
using Wire = google::protobuf::internal::WireFormatLite;

constexpr char kSizeTag = 0x09;    // field 1, fixed64
constexpr char kApiTag = 0x15;     // field 2, fixed32
constexpr std::size_t kApiAt = 9;  // of its tag, in a call's header

void put_varint(std::string& message, std::uint64_t value) {
  std::array<std::uint8_t, 10> buffer{};
  const std::uint8_t* const end = io::CodedOutputStream::WriteVarint64ToArray(value, buffer.data());
  message.append(buffer.begin(), buffer.begin() + (end - buffer.data()));
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
    if (!in.ReadVarint32(&tag) || Wire::GetTagFieldNumber(tag) == 0) return std::nullopt;
    const auto field = static_cast<std::uint32_t>(Wire::GetTagFieldNumber(tag));
    std::uint64_t number = 0;
    std::uint32_t narrow = 0;
    switch (Wire::GetTagWireType(tag)) {
      case Wire::WIRETYPE_VARINT:
        if (!in.ReadVarint64(&number)) return std::nullopt;
        fields.numbers_.emplace_back(field, number);
        break;
      case Wire::WIRETYPE_FIXED64:
        if (!in.ReadLittleEndian64(&number)) return std::nullopt;
        fields.numbers_.emplace_back(field, number);
        break;
      case Wire::WIRETYPE_FIXED32:
        if (!in.ReadLittleEndian32(&narrow)) return std::nullopt;
        fields.numbers_.emplace_back(field, narrow);
        break;
      case Wire::WIRETYPE_LENGTH_DELIMITED: {
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
  put_varint(message, Wire::MakeTag(static_cast<int>(field), Wire::WIRETYPE_VARINT));
  put_varint(message, value);
}

void put_bytes_header(std::string& message, std::uint32_t field, std::size_t bytes) {
  put_varint(message, Wire::MakeTag(static_cast<int>(field), Wire::WIRETYPE_LENGTH_DELIMITED));
  put_varint(message, bytes);
}

void put_bytes(std::string& message, std::uint32_t field, std::string_view value) {
  put_bytes_header(message, field, value.size());
  message.append(value);
}

}  // namespace weft::xrt
