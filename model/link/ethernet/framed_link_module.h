#pragma once

#include <systemc>

#include "model/link/ethernet/framed_link.h"

namespace weft::ethernet {

// Hosts one direction between two boards. What happens inside keeps its exact time; whoever waits for `arrived` is
// woken at the next whole picosecond.
class FramedLinkModule : public sc_core::sc_module {
 public:
  FramedLinkModule(const sc_core::sc_module_name& name, const FramedConfig& config);

  void push(Bytes bytes, std::int64_t image, bool last);
  void take(Bytes bytes);
  Bytes available() const { return link_.available(); }
  const sc_core::sc_event& arrived() const { return arrived_; }
  const LinkCounts& counts() const { return link_.counts(); }

 private:
  Ticks now() const;
  void wake();
  void arrange();

  FramedLink link_;
  sc_core::sc_event due_, arrived_;
};

}  // namespace weft::ethernet
