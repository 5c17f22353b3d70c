#include "platform/designs/barista/kernel_config.h"

#include <fmt/core.h>

#include "platform/designs/barista/readings.h"

namespace weft::barista {

namespace {

using config::exact_text;
using config::Need;

constexpr int kMaxSide = 4096;     // rows, columns or products of a tile; their number is bounded apart
constexpr int kMaxPartials = 256;  // of a processing element
constexpr std::int64_t kMaxElements = 1 << 20;
constexpr std::int64_t kMaxTileWords = std::int64_t{1} << 24;

std::string tile_text(const KernelConfig& k) {
  return fmt::format("<{}, {}, {}>", k.tr, k.tc, k.tp);
}

}  // namespace

template <class Io>
void KernelConfig::fields(Io& io, KernelConfig& k) {
  config::kernel_head(io, k);
  io.map("tile", Need::Required, [&](auto& sub) {
    sub.integer("r", k.tr, 1, kMaxSide, Need::Required);
    sub.integer("c", k.tc, 1, kMaxSide, Need::Required);
    sub.integer("p", k.tp, 1, kMaxSide, Need::Required);
  });
  io.integer("partial_sums", k.partials, 1, kMaxPartials);
  config::band_field(io, k.band);
  config::clock_field(io, k);
  io.map("fifo", Need::Optional, [&](auto& sub) {
    // 0: a wire that is cut, which the run reports.
    for (const FifoId fifo : kFreeFifos) sub.integer(to_string(fifo), k.fifo[fifo], 0, 65536);
  });
  io.map("ports", Need::Optional, [&](auto& sub) {
    for (std::size_t i = 0; i < kPorts; ++i) {
      sub.map(kPortInfos[i].name, Need::Optional,
              [&](auto& port) { config::port_fields(port, k.port_configs.at(i), k.channel.at(i)); });
    }
  });
  if constexpr (Io::kReads) {
    if (std::int64_t{k.tr} * k.tc > kMaxElements) {
      throw io.error("tile",
                     fmt::format("{} x {} processing elements; at most {} are modelled", k.tr, k.tc, kMaxElements));
    }
    const std::int64_t words = std::int64_t{k.tp} * std::max(k.tr, k.tc);
    if (words > kMaxTileWords) {
      throw io.error("tile", fmt::format("a tile of {} words; at most {} are modelled", words, kMaxTileWords));
    }
  }
}
template void KernelConfig::fields(config::MapReader&, KernelConfig&);
template void KernelConfig::fields(config::MapWriter&, KernelConfig&);

std::vector<config::KernelPort> KernelConfig::ports() const {
  std::vector<config::KernelPort> all;
  for (std::size_t i = 0; i < kPorts; ++i) all.push_back({kPortInfos[i].name, port_configs.at(i), channel.at(i)});
  return all;
}

std::string KernelConfig::headline() const {
  return fmt::format("tiles {} at {} MHz", tile_text(*this), exact_text(clock));
}

std::vector<std::pair<std::string, Value>> KernelConfig::summary() const {
  return {{"tile", tile_text(*this)}};
}

std::vector<std::pair<std::string, std::string>> KernelConfig::lines() const {
  std::string bursts;
  for (const config::KernelPort& port : ports()) {
    bursts += fmt::format("{}{} {} x {} beats on channel {}", bursts.empty() ? "" : ", ", port.name,
                          port.config.outstanding, port.config.max_burst_beats, *port.channel);
  }
  return {{"mesh", fmt::format("{} x {} = {} PEs at {} MHz, peak {:.2f} GFLOP/s", tr, tc, peak_macs(),
                               exact_text(clock), 2.0 * static_cast<double>(peak_macs()) * mhz(clock) / 1000)},
          {"tile", fmt::format("{}: {} products deep, {} partial sums an element", tile_text(*this), tp, partials)},
          {"band", fmt::format("{} words, {} bits", band, band * 32)},
          {"bursts", bursts}};
}

std::vector<config::ReadingChoice> KernelConfig::readings(const std::vector<config::ReadingChoice>& given) const {
  return all_readings(readings_of(given));
}

std::string KernelConfig::shape() const {
  return fmt::format("{}x{}x{}", tr, tc, tp);
}

Alpha alpha_of(const KernelConfig& kernel) {
  Alpha alpha;
  alpha.tr = kernel.tr;
  alpha.tc = kernel.tc;
  alpha.tp = kernel.tp;
  alpha.partials = kernel.partials;
  alpha.band = kernel.band;
  alpha.fifo = kernel.fifo;
  alpha.a_port = kernel.port_configs[0];
  alpha.b_port = kernel.port_configs[1];
  alpha.c_port = kernel.port_configs[2];
  alpha.clock = kernel.clock;
  return alpha;
}

}  // namespace weft::barista
