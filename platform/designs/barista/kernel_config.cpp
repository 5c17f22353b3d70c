#include "platform/designs/barista/kernel_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "model/barista/analytical/rtl_resources.h"
#include "model/core/error.h"
#include "platform/config/model_config.h"
#include "platform/config/reading_table.h"

namespace weft::barista {

namespace {

using config::exact_text;
using config::Need;

constexpr int kMaxSide = 4096;     // of rows, columns or products of a tile; their product is limited separately
constexpr int kMaxPartials = 256;  // of a processing element
constexpr std::int64_t kMaxElements = 1 << 20;
constexpr std::int64_t kMaxTileWords = std::int64_t{1} << 24;
// S + 1 and V of the thesis (section 4.3); V of FP32 is a reading.
constexpr int kPartialsFp32 = 11, kPartialsFixed = 2, kDspFixed = 3;

void published_fields(config::MapIo& io, PublishedResources& published) {
  io.text("board", published.board, Need::Required);
  io.map("tile", Need::Required, [&](config::MapIo& sub) {
    for (const auto& [key, side] :
         {std::pair("r", &published.tr), std::pair("c", &published.tc), std::pair("p", &published.tp)}) {
      sub.integer(key, *side, 1, kMaxSide, Need::Required);
    }
  });
  for (const auto& [key, share] :
       {std::pair("dsp_percent", &published.dsp), std::pair("lut_percent", &published.lut),
        std::pair("ff_percent", &published.ff), std::pair("bram_percent", &published.bram)}) {
    io.real(key, *share, 0, 100, Need::Required);
  }
  io.text("source", published.source);
}

}  // namespace

void KernelConfig::fields(config::MapIo& io, KernelConfig& k) {
  io.map("tile", Need::Required, [&](config::MapIo& sub) {
    for (const auto& [key, side] : {std::pair("r", &k.tr), std::pair("c", &k.tc), std::pair("p", &k.tp)}) {
      sub.integer(key, *side, 1, kMaxSide, Need::Required);
    }
  });
  config::auto_or_integer(io, "partial_sums", k.partials, 1, kMaxPartials);
  config::format_field(io, k.format);
  config::band_field(io, k.band);
  config::clock_field(io, k);
  config::fifo_and_port_fields(io, k);
  io.optional_map("published", k.published,
                  [](config::MapIo& sub, PublishedResources& of) { published_fields(sub, of); });
  if (const config::MapReader* const reader = io.reader()) {
    if (std::int64_t{k.tr} * k.tc > kMaxElements) {
      throw reader->error(
          "tile", fmt::format("has {} x {} processing elements; at most {} are allowed", k.tr, k.tc, kMaxElements));
    }
    const std::int64_t words = std::int64_t{k.tp} * std::max(k.tr, k.tc);
    if (words > kMaxTileWords) {
      throw reader->error("tile", fmt::format("a tile of {} words; at most {} are modelled", words, kMaxTileWords));
    }
  }
}

std::vector<std::pair<const char*, int*>> KernelConfig::fifo_depths() {
  std::vector<std::pair<const char*, int*>> all;
  all.reserve(std::size(kFreeFifos));
  for (const FifoId id : kFreeFifos) all.emplace_back(to_string(id), &fifo[id]);
  return all;
}

config::KernelText KernelConfig::text() const {
  const std::string tile = fmt::format("<{}, {}, {}>", tr, tc, tp);
  std::string bursts;
  for (const config::KernelPort& port : ports()) {
    bursts += fmt::format("{}{} {} x {} beats on channel {}", bursts.empty() ? "" : ", ", port.name,
                          port.config.outstanding, port.config.max_burst_beats, *port.channel);
  }
  const double peak = 2.0 * static_cast<double>(peak_macs()) * mhz(clock) / 1000;
  const bool fixed = format.is_fixed();
  config::KernelText text;
  text.headline = fmt::format("tiles {}{} at {} MHz", tile, fixed ? " of " + to_string(format) : "", exact_text(clock));
  text.shape = fmt::format("{}x{}x{}", tr, tc, tp);
  text.head = {{"tile", tile}};
  if (fixed) text.head.emplace_back("format", to_string(format));
  text.lines = {
      {"mesh", fmt::format("{} x {} = {} PEs at {} MHz, peak {:.2f} {}", tr, tc, peak_macs(), exact_text(clock), peak,
                           fixed ? "GOP/s" : "GFLOP/s")},
      {"tile", fmt::format("{}: {} products deep, {} partial sums an element", tile, tp, alpha_of(*this).partials)},
      {"band", fmt::format("{} words, {} bits", band, band * 32)},
      {"bursts", bursts}};
  return text;
}

std::vector<config::ReadingChoice> KernelConfig::readings(const std::vector<config::ReadingChoice>& given) const {
  return all_readings(readings_of(given));
}

Alpha alpha_of(const KernelConfig& kernel) {
  const auto alike = [](auto& t) { return std::tie(t.tr, t.tc, t.tp, t.format, t.band, t.fifo, t.clock); };
  Alpha alpha;
  alike(alpha) = alike(kernel);
  alpha.partials = kernel.partials.value_or(kernel.format.is_fixed() ? kPartialsFixed : kPartialsFp32);
  std::tie(alpha.a_port, alpha.b_port, alpha.c_port) = std::tuple_cat(kernel.port_configs);
  return alpha;
}

std::vector<std::pair<std::string, Value>> tile_values(const Alpha& alpha) {
  return {{"tile_r", std::int64_t{alpha.tr}}, {"tile_c", std::int64_t{alpha.tc}}, {"tile_p", std::int64_t{alpha.tp}}};
}

namespace {

constexpr double kFittedMemory = 105.3e9, kFittedPcie = 54.6e9;  // bit/s, fitted to Table 4.1

const std::vector<Reading<Readings>>& table() {
  using R = Readings;
  static const std::vector<Reading<R>> all{
      reading_of<R, &R::dsp_per_element>(
          "dsp_per_element", {{R::DspPerElement::Published, "published"}, {R::DspPerElement::Text, "text"}}),
      reading_of<R, &R::memory_bandwidth>(
          "memory_bandwidth", {{R::MemoryBandwidth::Board, "board"}, {R::MemoryBandwidth::Fitted, "fitted"}}),
      reading_of<R, &R::pcie_bandwidth>("pcie_bandwidth",
                                        {{R::PcieBandwidth::Fitted, "fitted"}, {R::PcieBandwidth::Line, "line"}}),
      reading_of<R, &R::resources>("resources",
                                   {{R::Resources::Thesis, "thesis"}, {R::Resources::Synthesis, "synthesis"}}),
      reading_of<R, &R::bram>("bram", {{R::Bram::Bits, "bits"}, {R::Bram::Banks, "banks"}}),
      reading_of<R, &R::wordlength>("wordlength",
                                    {{R::Wordlength::Memory, "memory"}, {R::Wordlength::Format, "format"}})};
  return all;
}

// Peak bandwidth of the channels that the ports use; ideal memory gives each port a beat a cycle.
double board_bandwidth(const config::RunConfig& run) {
  const std::vector<int> ports = config::port_channels(run);
  const std::set<int> used(ports.begin(), ports.end());
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&run.board.memory)) {
    return static_cast<double>(used.size()) * mhz(ddr4->data_rate_mtps) * 1e6 * ddr4->organisation.data_bits;
  }
  return static_cast<double>(ports.size()) * mhz(run.kernel->clock) * 1e6 * 8 *
         static_cast<double>(run.kernel->beat_bytes());
}

// Bit/s after the line code (PCI Express base specification 5.0, 4.2).
double line_rate(const link::PcieConfig& pcie) {
  constexpr std::array<double, 5> kTransfers{2.5e9, 5e9, 8e9, 16e9, 32e9};
  const double code = pcie.generation <= 2 ? 8.0 / 10 : 128.0 / 130;
  return kTransfers.at(static_cast<std::size_t>(pcie.generation - 1)) * code * pcie.lanes;
}

}  // namespace

Readings readings_of(const std::vector<config::ReadingChoice>& given) {
  return config::readings_of(table(), given, Readings{});
}

std::vector<config::ReadingChoice> all_readings(const Readings& readings) {
  return config::all_readings(table(), readings);
}

int dsp_per_element(const Readings& readings, NumberFormat format) {
  if (format.is_fixed()) return kDspFixed;
  return readings.dsp_per_element == Readings::DspPerElement::Text ? 9 : 5;
}

int word_bits(const Readings& readings, NumberFormat format) {
  return readings.wordlength == Readings::Wordlength::Format ? format.bits : kWordBits;
}

std::int64_t bram18(const Alpha& alpha, const Readings& readings) {
  const int bits = word_bits(readings, alpha.format);
  return readings.bram == Readings::Bram::Banks ? bram18_of_banks(alpha, bits) : bram18_of(bram_bits(alpha, bits));
}

ResourceReport resources(const Alpha& alpha, const Readings& readings, const Budget& budget) {
  if (readings.resources == Readings::Resources::Thesis) {
    return {{"DSP", dsp_use(alpha, dsp_per_element(readings, alpha.format)), budget.dsp},
            {"BRAM18", bram18(alpha, readings), budget.bram18},
            {"URAM", 0, budget.uram}};
  }
  require_fp32(alpha, "readings.resources: synthesis");
  const LogicUse use = synthesised(alpha);
  ResourceReport report{
      {"DSP", use.dsp, budget.dsp}, {"BRAM18", use.bram18, budget.bram18}, {"URAM", use.uram, budget.uram}};
  if (budget.lut) report.push_back({"LUT", use.lut, *budget.lut});
  if (budget.ff) report.push_back({"FF", use.ff, *budget.ff});
  return report;
}

void require_fp32(const Alpha& alpha, const char* what) {
  if (!alpha.format.is_fixed()) return;
  throw Error(fmt::format("{} needs the RTL of Barista, which is FP32, but kernel.format is {}; allowed: fp32", what,
                          to_string(alpha.format)));
}

std::vector<std::string> published_lines(const config::RunConfig& run) {
  const KernelConfig& kernel = KernelConfig::of(run);
  const auto& published = kernel.published;
  if (!published || published->board != run.board.name ||
      std::tie(published->tr, published->tc, published->tp) != std::tie(kernel.tr, kernel.tc, kernel.tp) ||
      kernel.format.is_fixed()) {
    return {};
  }
  const Alpha alpha = alpha_of(kernel);
  const config::Board& board = run.board;
  const Budget budget = config::budget(board);
  const auto percent = [](std::int64_t used, std::int64_t all) {
    return all > 0 ? fmt::format("{:.1f} %", 100 * static_cast<double>(used) / static_cast<double>(all)) : "-";
  };
  const std::int64_t elements = alpha.c_tile_words();
  const double dsp = published->dsp / 100 * static_cast<double>(budget.dsp);
  Readings banks;
  banks.bram = Readings::Bram::Banks;
  const LogicUse rtl = synthesised(alpha);
  std::vector<std::string> lines{
      fmt::format("published    DSP {:g} %, {:.2f} an element; Eq. 4.10 with V 5: {}, with V 9: {}; RTL: {}",
                  published->dsp, dsp / static_cast<double>(elements), percent(dsp_use(alpha, 5), budget.dsp),
                  percent(dsp_use(alpha, 9), budget.dsp), percent(rtl.dsp, budget.dsp)),
      fmt::format("published    BRAM {:g} %; Eq. 4.11 bits: {}, banks: {}; RTL: {}, its memories are LUTs",
                  published->bram, percent(bram18(alpha, {}), budget.bram18),
                  percent(bram18(alpha, banks), budget.bram18), percent(rtl.bram18, budget.bram18))};
  if (budget.lut && budget.ff) {
    lines.push_back(fmt::format("published    LUT {:g} %, FF {:g} %; RTL: {}, {}", published->lut, published->ff,
                                percent(rtl.lut, *budget.lut), percent(rtl.ff, *budget.ff)));
  }
  return lines;
}

Bandwidths bandwidths(const config::RunConfig& run, const Readings& readings) {
  const bool fitted = readings.memory_bandwidth == Readings::MemoryBandwidth::Fitted;
  const bool line = readings.pcie_bandwidth == Readings::PcieBandwidth::Line && run.board.pcie;
  return {fitted ? kFittedMemory : board_bandwidth(run), line ? line_rate(*run.board.pcie) : kFittedPcie};
}

}  // namespace weft::barista
