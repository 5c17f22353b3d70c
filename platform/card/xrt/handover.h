#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>

// Protocol between the card and a relay, which the shim starts for each xclbin that it loads. The relay sends the card
// the bitstream and the socket of the shim (SCM_RIGHTS), and keeps the connection until the host no longer needs it.
// Also included by a program that does not link weft's libraries.
namespace weft::xrt {

// Environment variables by which the launcher passes the card to a program's shim and its relay.
inline constexpr const char* kRelayVariable = "WEFT_CARD_RELAY";  // path of the relay's executable
inline constexpr const char* kCardVariable = "WEFT_CARD_SOCKET";  // path of the card's listening socket

// The bitstream's text, in the folder to which the shim unpacks an xclbin, next to simulate.sh.
inline constexpr const char* kBitstreamFile = "bitstream.yaml";
inline constexpr std::size_t kMaxBitstream = std::size_t{1} << 20;

// Prefix of a file in the folder of the shim's sockets: "served-" + name of a socket that a relay serves.
inline constexpr const char* kServedPrefix = "served-";

// Header of a handover: precedes the bitstream's text and carries the socket.
struct Handover {
  unsigned host = 0;  // process number
  unsigned bytes = 0;
};

// A handover as sendmsg() and recvmsg() take it, with space for the socket.
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

// The card's answer. A connection that ends without one: the card is gone, and the host would wait for ever.
inline constexpr char kClosed = 'c', kInUse = 'u', kRefused = 'r';

// The relay's last byte: the relay has finished. Without it the relay was killed, and the host would wait for ever.
inline constexpr char kLeft = 'l';

}  // namespace weft::xrt
