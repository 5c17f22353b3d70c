#include <fmt/core.h>

#include "model/core/error.h"
#include "platform/designs/barista/design.h"

namespace weft::barista {

rtl::Kernel rtl_kernel(const Alpha& a) {
  if (a.band < kLeastRtlBand || a.band > kMostRtlBand || (a.band & (a.band - 1)) != 0) {
    throw Error(fmt::format("band: the RTL's bus has 4, 8, 16 or 32 words a beat, not {}", a.band));
  }
  std::vector<rtl::Parameter> all{{"Tr", a.tr}, {"Tc", a.tc}, {"Tp", a.tp}, {"S1", a.partials}, {"Band", a.band}};
  for (const FifoId fifo : kFreeFifos) all.push_back({rtl::camel_case(to_string(fifo)) + "Depth", a.fifo[fifo]});
  const auto port = [&](Port which, const stream::PortConfig& config) {
    const std::string name = rtl::camel_case(kPortInfos[static_cast<std::size_t>(which)].name);
    all.push_back({name + "MaxBurstBeats", config.max_burst_beats});
    all.push_back({name + "Outstanding", config.outstanding});
  };
  port(Port::A, a.a_port);
  port(Port::B, a.b_port);
  port(Port::C, a.c_port);
  return {kRtlSources, all};
}

}  // namespace weft::barista
