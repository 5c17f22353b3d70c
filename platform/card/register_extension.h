#pragma once

#include <optional>
#include <tlm>

#include "platform/card/transfer_extension.h"
#include "platform/design/card_kernel.h"

namespace weft::card {

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
