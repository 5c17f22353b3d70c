#pragma once

#include <optional>
#include <tlm>

#include "model/link/link.h"
#include "platform/design/card_kernel.h"

namespace weft::card {

// Extension of the payload of a transfer between host and card: sizes of 4 GiB and more, the call it belongs to, and
// its time. The payload's data pointer is in the host's memory, its address in the card's.
struct TransferExtension : tlm::tlm_extension<TransferExtension> {
  Bytes bytes = 0;
  Bytes bytes_before = 0;    // bytes of the same call that have been moved before
  Address host_address = 0;  // of the call's first byte
  link::CallCost cost;
  bool copied = false;
  bool timed = true;  // false: move the bytes, and do not compute the call's time yet

  // Set by the endpoint, for all bytes of the call so far.
  Picoseconds duration = 0;
  link::Bound bound = link::Bound::SetUp;

  tlm_extension_base* clone() const override { return new TransferExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const TransferExtension&>(other); }
};

// Sets an extension on a payload and clears it at the end, because a payload deletes the extensions that it still has.
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

// An initiator whose targets answer blocking calls only.
class BlockingInitiator : public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// A target of blocking calls. CardClock counts simulated time in whole picoseconds: sc_time, in femtoseconds, would end
// after 5.1 hours. So no call waits, and `delay` does not change.
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

// Extension of the payload of a register access. If the access starts the kernel: the software time before the start,
// and the launch.
struct RegisterExtension : tlm::tlm_extension<RegisterExtension> {
  Picoseconds before_start = 0;

  std::optional<design::CardLaunch> launch;  // set by the compute unit

  tlm_extension_base* clone() const override { return new RegisterExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const RegisterExtension&>(other); }
};

}  // namespace weft::card
