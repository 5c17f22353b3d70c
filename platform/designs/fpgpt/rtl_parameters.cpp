#include <algorithm>

#include "platform/designs/fpgpt/design.h"

namespace weft::fpgpt {

rtl::Kernel rtl_kernel(const Alpha& a, std::int64_t max_sets) {
  std::vector<rtl::Parameter> all{{"X", a.x},
                                  {"Y", a.y},
                                  {"Z", a.z},
                                  {"Band", a.bus_words()},
                                  {"WordBits", a.format.bits},
                                  {"LaneBits", lane_bits(a.format, a.packing)},
                                  {"ZChannel", a.z_channel},
                                  {"KRange", std::max<Words>(a.k_range, 1)},
                                  {"KernWords", a.kern_words},
                                  {"OutWords", a.out_words},
                                  {"MaxSets", max_sets},
                                  {"HasFgi", a.variant != Variant::GW, true},
                                  {"HasGw", a.variant != Variant::FGI, true},
                                  {"ExactBursts", a.profile.exact_bursts, true},
                                  {"OverlapDrain", a.profile.overlap_drain, true},
                                  {"WideKernLoad", a.profile.wide_kern_load, true},
                                  {"EarlyKernFeed", a.profile.early_kern_feed, true},
                                  {"PackedGwSets", a.profile.packed_gw_sets, true}};
  for (std::size_t i = 0; i < kFifos; ++i) {
    all.push_back({rtl::camel_case(kFifoInfos[i].name) + "Depth", a.fifo.all()[i]});
  }
  const auto port = [&](Port which, const stream::PortConfig& config) {
    const std::string name = rtl::camel_case(to_string(which));
    all.push_back({name + "MaxBurstBeats", config.max_burst_beats});
    all.push_back({name + "Outstanding", config.outstanding});
  };
  port(Port::Inp, a.inp_port);
  port(Port::Kern, a.kern_port);
  port(Port::Out, a.out_port);
  return {kRtlSources, all};
}

}  // namespace weft::fpgpt
