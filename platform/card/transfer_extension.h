#pragma once

#include <optional>
#include <tlm>

#include "model/link/link.h"
#include "platform/design/card_kernel.h"

namespace weft::card {

// What a transfer between host and card is beyond its generic payload: sizes above the payload's 4 GiB, the call it is
// of, and what it took. The payload's data pointer is the host's memory, its address the card's.
struct TransferExtension : tlm::tlm_extension<TransferExtension> {
  Bytes bytes = 0;
  Bytes bytes_before = 0;    // of the same call, moved already
  Address host_address = 0;  // of the call's first byte
  link::CallCost cost;
  bool copied = false;
  bool timed = true;  // false: bytes are moved, and nobody asks yet how long the call is

  // Of the call so far, all its bytes together: set by the endpoint.
  Picoseconds duration = 0;
  link::Bound bound = link::Bound::SetUp;

  tlm_extension_base* clone() const override { return new TransferExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const TransferExtension&>(other); }
};

// An extension that its owner keeps, on a payload for as long as this lives: payloads delete what they are left with.
template <class Extension>
class Attached {
 public:
  Attached(tlm::tlm_generic_payload& payload, Extension& extension) : payload_(payload) {
    payload_.set_extension(&extension);
  }
  ~Attached() { payload_.template clear_extension<Extension>(); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  tlm::tlm_generic_payload& payload_;
};

inline constexpr unsigned kCardBusBits = 512;
using CardInitiatorSocket = tlm::tlm_initiator_socket<kCardBusBits>;
using CardTargetSocket = tlm::tlm_target_socket<kCardBusBits>;

// An initiator whose targets only ever answer blocking calls.
class BlockingInitiator : public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// A target of blocking calls. Simulated time of a card run is counted in whole picoseconds by CardClock: sc_time, in
// femtoseconds, would end after 5.1 hours. So no call waits, and `delay` stays as it came.
class BlockingTarget : public tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                     sc_core::sc_time& delay) override {
    b_transport(payload, delay);
    return tlm::TLM_COMPLETED;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
};

inline constexpr unsigned kControlBits = 32;  // AXI4-Lite
using ControlInitiatorSocket = tlm::tlm_initiator_socket<kControlBits>;
using ControlTargetSocket = tlm::tlm_target_socket<kControlBits>;

// What an access to a register is beyond its generic payload: what software spends before the kernel starts, if the
// access starts it; and then the launch.
struct RegisterExtension : tlm::tlm_extension<RegisterExtension> {
  Picoseconds before_start = 0;

  std::optional<design::CardLaunch> launch;  // set by the compute unit

  tlm_extension_base* clone() const override { return new RegisterExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const RegisterExtension&>(other); }
};

}  // namespace weft::card
