#pragma once

#include <cstddef>

// What the relay, which the shim starts for each xclbin that it loads, and a card say to each other: the relay sends
// what is in its folder and the socket to the shim (SCM_RIGHTS), and keeps the connection until the card closes it.
// Shared by a program without weft's libraries.
namespace weft::xrt {

// How the launcher tells a program's shim, and with it the relay, about the card.
inline constexpr const char* kRelayVariable = "WEFT_CARD_RELAY";  // the relay's program
inline constexpr const char* kCardVariable = "WEFT_CARD_SOCKET";  // where the card listens

// In the folder that the shim unpacks an xclbin to, beside simulate.sh: what bitstream it is.
inline constexpr const char* kBitstreamFile = "bitstream.yaml";
inline constexpr std::size_t kMaxBitstream = std::size_t{1} << 20;

// In the folder of the shim's sockets: a socket that a relay serves, with this before its name.
inline constexpr const char* kServedPrefix = "served-";

// There, too: how many times the program asked something of the card while a launch was under way that it had not
// waited for (host_order.cpp), in 8 bytes.
inline constexpr const char* kUnorderedFile = "unordered";

// What comes before the text of a bitstream, with the socket.
struct Handover {
  unsigned host = 0;  // process
  unsigned bytes = 0;
};

// The card's answer, which ends the connection. No answer: the card is gone, and the host would wait for it for ever.
inline constexpr char kClosed = 'c', kInUse = 'u', kRefused = 'r';

}  // namespace weft::xrt
