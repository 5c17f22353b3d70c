#pragma once

#include <optional>
#include <systemc>

#include "model/core/error.h"
#include "model/link/ethernet/framed_link.h"

namespace weft::ethernet {

// SystemC host of one direction between two boards. Internal times are exact; waiters for `arrived` wake at the next
// whole picosecond. SystemC reports exceptions that leave a process; so an error of the link pauses the simulation,
// ends all activity here, and is thrown by check().
class FramedLinkModule : public sc_core::sc_module {
 public:
  FramedLinkModule(const sc_core::sc_module_name& name, const FramedConfig& config);

  void push(Bytes bytes, std::int64_t image, bool last);
  void take(Bytes bytes);
  Bytes available() const { return link_.available(); }
  const sc_core::sc_event& arrived() const { return arrived_; }
  // Throws the error that ended the simulation, if any; to be called after sc_start.
  void check() const;
  const LinkCounts& counts() const { return link_.counts(); }

 private:
  Ticks now() const;
  void wake();
  void arrange();
  // Applies `act` to the link and schedules the next internal event.
  template <typename Act>
  void attempt(Act act);

  FramedLink link_;
  std::optional<Error> error_;
  sc_core::sc_event due_, arrived_;
};

}  // namespace weft::ethernet
