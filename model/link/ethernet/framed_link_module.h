#pragma once

#include <optional>
#include <systemc>

#include "model/core/error.h"
#include "model/link/ethernet/framed_link.h"

namespace weft::ethernet {

// Hosts one direction between two boards. What happens inside keeps its exact time; whoever waits for `arrived` is
// woken at the next whole picosecond. An exception that leaves a process is SystemC's to report: so an error of the
// link pauses the simulation, after which nothing happens here any more, and is thrown by check().
class FramedLinkModule : public sc_core::sc_module {
 public:
  FramedLinkModule(const sc_core::sc_module_name& name, const FramedConfig& config);

  void push(Bytes bytes, std::int64_t image, bool last);
  void take(Bytes bytes);
  Bytes available() const { return link_.available(); }
  const sc_core::sc_event& arrived() const { return arrived_; }
  // Throws the error, if one ended the simulation: to be called behind sc_start.
  void check() const;
  const LinkCounts& counts() const { return link_.counts(); }

 private:
  Ticks now() const;
  void wake();
  void arrange();
  // What `act` does to the link, and what comes next of itself.
  template <typename Act>
  void attempt(Act act);

  FramedLink link_;
  std::optional<Error> error_;
  sc_core::sc_event due_, arrived_;
};

}  // namespace weft::ethernet
