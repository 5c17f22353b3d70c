#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>

// What the relay, which the shim starts for each xclbin that it loads, and a card say to each other: the relay sends
// what is in its folder and the socket to the shim (SCM_RIGHTS), and keeps the connection until the host needs it no
// more. Shared by a program without weft's libraries.
namespace weft::xrt {

// How the launcher tells a program's shim, and with it the relay, about the card.
inline constexpr const char* kRelayVariable = "WEFT_CARD_RELAY";  // the relay's program
inline constexpr const char* kCardVariable = "WEFT_CARD_SOCKET";  // where the card listens

// In the folder that the shim unpacks an xclbin to, beside simulate.sh: what bitstream it is.
inline constexpr const char* kBitstreamFile = "bitstream.yaml";
inline constexpr std::size_t kMaxBitstream = std::size_t{1} << 20;

// In the folder of the shim's sockets: a socket that a relay serves, with this before its name.
inline constexpr const char* kServedPrefix = "served-";

// What programs tell of the order of their calls (host_calls.cpp): a file in the folder of the run.
inline constexpr const char* kHostOrderFile = "host-order";
struct HostOrder {
  static constexpr std::size_t kStarts = 1 << 16;  // that are remembered: more are never on their way

  std::uint64_t unordered = 0;  // asked of the card while a launch was under way that the program had not waited for
  std::uint64_t starts = 0;     // of XRT's runs
  // Of start n, at n % kStarts: handed over while the program did not know that the one before was over.
  std::array<std::uint8_t, kStarts> queued{};
};

// What comes before the text of a bitstream, with the socket.
struct Handover {
  unsigned host = 0;  // process
  unsigned bytes = 0;
};

// The same as sendmsg() and recvmsg() take it, with room for the socket.
struct HandoverMessage {
  HandoverMessage() {
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  HandoverMessage(const HandoverMessage&) = delete;
  HandoverMessage& operator=(const HandoverMessage&) = delete;

  Handover head;
  iovec vector{&head, sizeof head};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
};

// The card's answer. No answer: the card is gone, and the host would wait for it for ever.
inline constexpr char kClosed = 'c', kInUse = 'u', kRefused = 'r';

// The relay's last byte: nobody needs it any more. Without it the relay was killed, and the host would wait for ever.
inline constexpr char kLeft = 'l';

}  // namespace weft::xrt
