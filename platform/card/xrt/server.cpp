#include "platform/card/xrt/server.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "model/core/error.h"
#include "platform/card/xrt/stopped.h"
#include "platform/card/xrt/xclbin.h"

namespace weft::xrt {

namespace {

constexpr Address kStart = 0, kFirstWritten = 0x10;  // XRT's scheduler writes from kFirstWritten on, kStart last
constexpr std::uint32_t kStartBit = 1, kDoneBit = 2;

[[noreturn]] void garbage(const std::string& what) {
  throw Error("the program's XRT sent an invalid message: " + what);
}

std::uint64_t needed(const Fields& fields, std::uint32_t field) {
  const auto value = fields.number(field);
  if (!value) garbage(fmt::format("field {} is missing", field));
  return *value;
}

std::string_view needed_bytes(const Fields& fields, std::uint32_t field) {
  const auto value = fields.bytes(field);
  if (!value) garbage(fmt::format("field {} is missing", field));
  return *value;
}

// Card address at which a transfer begins: the buffer's address plus the offset in it.
Address card_address(const Fields& fields, std::uint32_t address, std::uint32_t offset) {
  const std::uint64_t base = needed(fields, address), seek = fields.number(offset).value_or(0);
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;
  if (base >= kLimit || seek >= kLimit) {
    throw Error(fmt::format("a transfer at {:#x} + {:#x} is outside of the card's memory", base, seek));
  }
  return static_cast<Address>(base + seek);
}

// True if the program at the other end is stopped.
bool peer_is_stopped(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && is_stopped(peer.pid);
}

// Returns space for `bytes`, never null. The buffer grows on demand: most messages are short.
char* room(std::vector<char>& buffer, std::size_t bytes) {
  if (buffer.size() <= bytes) buffer.resize(bytes + 1);
  return buffer.data();
}

// Returns false if the other side is gone.
bool receive(int socket, char* to, std::size_t bytes, bool first) {
  for (std::size_t have = 0; have < bytes;) {
    pollfd event{socket, POLLIN, 0};
    const int ready = poll(&event, 1, first && have == 0 ? -1 : Server::kSilenceMs);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (peer_is_stopped(socket)) continue;
      garbage(fmt::format("{} of {} bytes, then nothing for {} s", have, bytes, Server::kSilenceMs / 1000));
    }
    const ssize_t got = recv(socket, to + have, bytes - have, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

bool send_message(int socket, std::string_view message, std::string_view data) {
  const std::string header = response_header(message.size() + data.size());
  std::array<std::string_view, 3> parts{header, message, data};
  while (true) {
    std::array<iovec, 3> vectors{};
    std::size_t left = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      vectors[i] = {const_cast<char*>(parts[i].data()), parts[i].size()};
      left += parts[i].size();
    }
    if (left == 0) return true;
    msghdr out{};
    out.msg_iov = vectors.data();
    out.msg_iovlen = vectors.size();
    const ssize_t sent = sendmsg(socket, &out, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    auto gone = static_cast<std::size_t>(sent);
    for (std::string_view& part : parts) {
      const std::size_t of_part = std::min(gone, part.size());
      part.remove_prefix(of_part);
      gone -= of_part;
    }
  }
}

}  // namespace

Server::Server(card::Card& card, Notes notes) : card_(card), notes_(std::move(notes)) {}

bool Server::serve(int socket) {
  launching_ = false;
  for (;;) {
    pollfd event{socket, POLLIN, 0};
    constexpr int kPauseMs = 1;  // between two messages of a transfer: less
    if (std::exchange(goes_on_, false) && poll(&event, 1, kPauseMs) == 0 && notes_.answering) notes_.answering();
    std::array<char, kCallHeaderBytes> head{};
    if (!receive(socket, head.data(), head.size(), true)) return false;
    const auto header = parse_call_header(head.data());
    if (!header) garbage("a header of a call was expected");
    if (!receive(socket, room(payload_, header->payload), header->payload, false)) return false;
    const auto fields = Fields::parse({payload_.data(), header->payload});
    if (!fields) garbage(fmt::format("call {} holds no protobuf message", header->api));
    const bool close = static_cast<Api>(header->api) == Api::Close;
    if (close && notes_.closing) notes_.closing();
    answer(*header, *fields);
    if (const auto& note = goes_on_ ? notes_.settling : notes_.answering) note();
    if (!send_message(socket, response_, data_)) return false;
    if (close) return true;
  }
}

void Server::answer(const CallHeader& header, const Fields& fields) {
  response_.clear();
  data_ = {};
  goes_on_ = false;
  switch (static_cast<Api>(header.api)) {
    case Api::CopyHostToDevice:
      return copy_to_card(fields);
    case Api::CopyDeviceToHost:
      return copy_to_host(fields);
    case Api::WriteKernelControl:
      return write_control(fields);
    case Api::ReadKernelControl:
      return read_control(fields);
    case Api::GetDeviceTimestamp:
      return put_number(response_, 1, static_cast<std::uint64_t>(card_.now() / 1000));
    // Empty answers: there are no counters, traces or messages.
    case Api::PerfMonReadCounters:
    case Api::PerfMonGetTraceCount:
    case Api::PerfMonReadTrace:
    case Api::ReadBusStatus:
    case Api::GetDebugMessages:
      return;
    // XRT's own book-keeping, which the card only confirms: the card keeps no list of buffers.
    case Api::AllocDeviceBuffer:
    case Api::FreeDeviceBuffer:
    case Api::SetEnvironment:
    case Api::Close:
      return put_number(response_, 1, 1);
  }
  garbage(fmt::format("there is no call {}", header.api));
}

void Server::begin_message() {
  if (launching_) ++unordered_calls_;
  if (notes_.begins && notes_.begins()) card_.finish();
}

void Server::copy_to_card(const Fields& fields) {
  const std::string_view data = needed_bytes(fields, 4);
  if (data.size() != needed(fields, 5)) garbage("a transfer with more or fewer bytes than its length");
  begin_message();
  card_.write(card_address(fields, 3, 6), data.data(), static_cast<Bytes>(data.size()),
              static_cast<Address>(fields.number(6).value_or(0)));
  put_number(response_, 1, data.size());
  goes_on_ = data.size() == kPacketBytes;
}

void Server::copy_to_host(const Fields& fields) {
  const std::uint64_t bytes = needed(fields, 5);
  if (bytes > kPacketBytes) garbage(fmt::format("a transfer of {} bytes in one message", bytes));
  begin_message();
  card_.read(card_address(fields, 4, 6), room(block_, bytes), static_cast<Bytes>(bytes),
             static_cast<Address>(fields.number(6).value_or(0)));
  put_number(response_, 1, bytes);
  put_bytes_header(response_, 2, bytes);
  data_ = {block_.data(), bytes};
  goes_on_ = bytes == kPacketBytes;
}

// True if the registers of an access exist. If not, the answer is false, which XRT reports as the program's error.
bool Server::has_registers(std::uint64_t address, std::uint64_t bytes) const {
  constexpr std::uint64_t kWindow = card::Card::kRegisterWindow;
  if (address % 4 != 0 || bytes % 4 != 0 || bytes > kPacketBytes) garbage("an access to parts of registers");
  if (address >= kControlBase && bytes <= kWindow && address - kControlBase <= kWindow - bytes) return true;
  notes_.warn(fmt::format("an access to {:#x} is outside the registers of the compute unit, {:#x} to {:#x}", address,
                          kControlBase, kControlBase + kWindow - 1));
  return false;
}

// Message: field 2: address, field 4: data. Register 0 is written last: it starts the kernel.
void Server::write_control(const Fields& fields) {
  const std::uint64_t address = needed(fields, 2);
  const std::string_view data = needed_bytes(fields, 4);
  const bool there = has_registers(address, data.size());
  put_number(response_, 1, there ? 1 : 0);
  if (!there) return;
  const auto write = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, data.data() + at, sizeof value);
    const Address offset = static_cast<Address>(address - kControlBase + at);
    if (offset == kFirstWritten) launching_ = true;
    const bool starts = offset == kStart && (value & kStartBit) != 0;
    if (starts && card_.now() < card_.busy_until()) {
      notes_.warn("a start of the kernel was ignored: the previous launch had not ended");
    }
    card_.write_register(offset, value, starts && launching_ && notes_.queued && notes_.queued());
  };
  const bool from_start = address == kControlBase;
  for (std::size_t at = from_start ? 4 : 0; at < data.size(); at += 4) write(at);
  if (from_start && !data.empty()) write(0);
}

// Message: field 2: address, field 3: bytes.
void Server::read_control(const Fields& fields) {
  const std::uint64_t address = needed(fields, 2), bytes = needed(fields, 3);
  const bool there = has_registers(address, bytes);
  char* const words = room(block_, bytes);
  for (std::uint64_t at = 0; at < bytes; at += 4) {
    const Address offset = static_cast<Address>(address - kControlBase + at);
    const std::uint32_t value = there ? card_.read_register(offset) : 0;  // the shim copies them even after a false
    if (there && offset == kStart && (value & kDoneBit) != 0) launching_ = false;
    std::memcpy(words + at, &value, sizeof value);
  }
  put_number(response_, 1, there ? 1 : 0);
  put_bytes_header(response_, 2, bytes);
  data_ = {words, bytes};
}

}  // namespace weft::xrt
