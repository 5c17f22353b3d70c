#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/card/card.h"
#include "platform/card/xrt/messages.h"

namespace weft::xrt {

// Answers the calls of one shim after another for a card: the device process of XRT's hardware emulation.
class Server {
 public:
  struct Notes {
    std::function<void(const std::string& line)> warn;  // gets one sentence for the user
    std::function<void()> closing;                      // called before a Close is answered
    // Called before an answer; for a full message, which the transfer may continue, once no other message follows.
    std::function<void()> answering;
    std::function<bool()> begins;    // true if a message of a transfer is the first of a call
    std::function<void()> settling;  // called before the answer of a full message
    std::function<bool()> queued;    // true if XRT's next start was handed over while the kernel ran for another
  };
  Server(card::Card& card, Notes notes);

  // Answers calls from the socket until Close (returns true) or until the other side is gone (false). Throws Error if
  // the other side violates the protocol, stops in the middle of a message for kSilenceMs, or accesses memory that the
  // card does not have: XRT could not report it to the program.
  bool serve(int socket);

  // Transfers between the first register write of a launch and the poll that found it done: the program had not waited
  // for it, and the order in which XRT's threads send is not fixed.
  std::uint64_t unordered_calls() const { return unordered_calls_; }

  static constexpr int kSilenceMs = 5000;

 private:
  void answer(const CallHeader& header, const Fields& fields);
  void copy_to_card(const Fields& fields);
  void copy_to_host(const Fields& fields);
  bool has_registers(std::uint64_t address, std::uint64_t bytes) const;
  void write_control(const Fields& fields);
  void read_control(const Fields& fields);
  void begin_message();

  card::Card& card_;
  Notes notes_;
  std::vector<char> payload_;
  std::string response_;  // the message without `data_`, which follows it
  std::string_view data_;
  std::vector<char> block_;  // storage of data_
  bool goes_on_ = false;     // the last call was a full message of a transfer
  bool launching_ = false;   // XRT's scheduler writes registers, or waits for the kernel
  std::uint64_t unordered_calls_ = 0;
};

}  // namespace weft::xrt
