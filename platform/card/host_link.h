#pragma once

#include <algorithm>
#include <systemc>

#include "model/core/error.h"
#include "model/core/units.h"
#include "platform/card/transfer_extension.h"
#include "platform/design/address_map.h"

namespace weft::card {

// Simulated time of a card run, in whole picoseconds.
class CardClock {
 public:
  Picoseconds now() const { return now_; }
  void advance(Picoseconds duration) { checked::add(now_, duration, "the picoseconds of a card run"); }
  void advance_to(Picoseconds time) { now_ = std::max(now_, time); }

 private:
  Picoseconds now_ = 0;
};

// The host's end of the link: transfers and register accesses over PCIe, one after the other.
//
// The shim of a driver may cut a transfer into messages of kMessage bytes without naming the call. A message that
// continues a full one at its end, in the same direction, belongs to the same call. The time after each message is that
// of a call with all bytes so far. The link's model walks through all of them, so after a full message it is evaluated
// only on demand: settle().
class HostLink : public sc_core::sc_module, private BlockingInitiator {
 public:
  static constexpr Bytes kMessage = Bytes{1} << 20;

  // The clock must outlive the link.
  HostLink(const sc_core::sc_module_name& name, CardClock& clock, const design::AddressMap& memory);
  CardInitiatorSocket socket;
  ControlInitiatorSocket control;

  // A call that is under way: its bytes so far, its begin and end.
  struct Transfer {
    link::Direction direction = link::Direction::HostToCard;
    Address card_address = 0, host_address = 0;
    Bytes bytes = 0;
    link::CallCost cost;
    bool copied = false;
    bool goes_on = false;    // the last message was full
    bool unsettled = false;  // and its time is not computed yet
    Picoseconds start = 0, end = 0;
    link::Bound bound = link::Bound::SetUp;
  };

  // `host_address`: address of the host's buffer; only its offset in a page matters. Throws Error if the range is not
  // within the card's memory; then no byte is moved and no time passes.
  void require_within(Address card_address, Bytes bytes) const;
  void write(Address card_address, const void* data, Bytes bytes, Address host_address, const link::CallCost& cost,
             bool copied = false);
  void read(Address card_address, void* data, Bytes bytes, Address host_address, const link::CallCost& cost,
            bool copied = false);
  // True if such a message would continue the previous call.
  bool goes_on(link::Direction direction, Address card_address) const;
  const Transfer& last() const { return last_; }
  void settle();  // advances the clock to the end of the last message
  void end_call();

  // One AXI4-Lite access, at the clock's time. Throws Error if no kernel is loaded.
  std::uint32_t read_register(Address address);
  void write_register(Address address, std::uint32_t data, RegisterExtension& access);

 private:
  void transfer(tlm::tlm_command command, Address card_address, void* data, Bytes bytes, Address host_address,
                const link::CallCost& cost, bool copied);
  void move(void* data, Bytes bytes, bool timed);
  void access(tlm::tlm_command command, Address address, std::uint32_t& data, RegisterExtension& access);

  CardClock& clock_;
  design::AddressMap memory_;
  Transfer last_;
};

}  // namespace weft::card
