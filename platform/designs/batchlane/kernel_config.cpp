#include "platform/designs/batchlane/kernel_config.h"

#include <fmt/core.h>

#include "model/batchlane/topology.h"
#include "platform/config/model_config.h"
#include "platform/config/reader.h"
#include "platform/config/reading_table.h"
#include "platform/designs/batchlane/design.h"

namespace weft::batchlane {

namespace {

using config::exact_text;
using config::Need;

constexpr int kMaxTile = 1 << 16;
constexpr int kMaxBlock = 256;  // a coordinate of CSB is a byte
constexpr int kMostElements = 100'000'000;
constexpr const char* kUnlimitedText = "unlimited";

void ahead_field(config::MapIo& io, int& ahead) {
  io.custom(
      "ahead", Need::Optional,
      [&](const config::Node& node, const std::string& path) {
        const bool unlimited = node.kind == config::Node::Kind::Scalar && node.text == kUnlimitedText;
        ahead =
            unlimited ? Alpha::kUnlimited : static_cast<int>(config::read_integer(node, path, 1, Alpha::kUnlimited));
      },
      [&] { return config::scalar_node(ahead == Alpha::kUnlimited ? kUnlimitedText : std::to_string(ahead)); },
      [] {
        return config::schema::any_of(
            {config::schema::choice({kUnlimitedText}), config::schema::integer(1, Alpha::kUnlimited)});
      });
}

void fabric_field(config::MapIo& io, const char* key, FabricUse& use) {
  io.map(key, Need::Optional, [&](config::MapIo& sub) {
    sub.integer("lut", use.lut, 0, kMostElements);
    sub.integer("ff", use.ff, 0, kMostElements);
  });
}

void published_fields(config::MapIo& io, PublishedResources& published) {
  io.integer("lanes", published.lanes, 4, kMaxLanes, Need::Required);
  io.integer("pes", published.pes, 1, kMaxPes, Need::Required);
  io.integer("dsp", published.dsp, 1, kMostElements, Need::Required);
  io.integer("bram36", published.bram36, 1, kMostElements, Need::Required);
  io.integer("lut", published.lut, 1, kMostElements, Need::Required);
  io.integer("ff", published.ff, 1, kMostElements, Need::Required);
  io.text("source", published.source);
}

}  // namespace

void KernelConfig::fields(config::MapIo& io, KernelConfig& k) {
  Alpha& a = k.alpha;
  io.integer("lanes", a.lanes, 4, kMaxLanes, Need::Required);
  io.integer("pes", a.pes, 1, kMaxPes, Need::Required);
  io.integer("outputs_per_pe", a.outputs_per_pe, 1, kMaxBlock);
  io.integer("split", a.split, 1, kMaxPes);
  io.boolean("split_pixels", a.split_pixels);
  io.choice("across", a.across, config::Names<Across>{{"outputs", Across::Outputs}, {"channels", Across::Channels}});
  io.boolean("accumulators_in_uram", a.accumulators_in_uram);
  io.integer("tile_pixels", a.tile_pixels, 1, kMaxTile, Need::Required);
  ahead_field(io, a.ahead);
  io.integer("strips", a.strips, 1, 65536);
  io.integer("csb_beats", a.csb_beats, 1, 65536);
  config::clock_field(io, k);
  io.map("ports", Need::Optional, [&](config::MapIo& sub) {
    sub.map("feature", Need::Optional,
            [&](config::MapIo& port) { config::port_fields(port, a.feature_port, k.feature_channel); });
    sub.map("csb", Need::Optional, [&](config::MapIo& port) { config::port_fields(port, a.csb_port, k.csb_channel); });
    sub.map("result", Need::Optional, [&](config::MapIo& port) { config::port_fields(port, a.result_port); });
  });
  io.map("fabric", Need::Optional, [&](config::MapIo& sub) {
    fabric_field(sub, "mac", k.fabric.mac);
    fabric_field(sub, "accumulator", k.fabric.accumulator);
    fabric_field(sub, "adder_bit", k.fabric.adder_bit);
    fabric_field(sub, "pe", k.fabric.pe);
    fabric_field(sub, "port", k.fabric.port);
    fabric_field(sub, "once", k.fabric.once);
  });
  io.optional_map("published", k.published,
                  [&](config::MapIo& sub, PublishedResources& of) { published_fields(sub, of); });
  io.optional_map("unverified", k.unverified, [&](config::MapIo& sub, Unverified& of) {
    sub.integer("lanes", of.lanes, 4, kMaxLanes, Need::Required);
    sub.integer("pes", of.pes, 1, kMaxPes, Need::Required);
    sub.real("gops", of.gops, 0, 1e9);
    sub.real("watts", of.watts, 0, 1e6);
  });
  config::assumed_fields(io, k.assumed);
  if (const config::MapReader* const reader = io.reader()) {
    a.clock = k.clock;
    k.tile_place = reader->place("tile_pixels");
    if (a.dense() && (a.split != 1 || a.split_pixels)) {
      throw reader->error("across",
                          "channels cannot be combined with split pixels; allowed: split 1, split_pixels false");
    }
    if (a.lanes % 4 != 0) {
      throw reader->error(
          "lanes", fmt::format("must be a multiple of 4 because words of results have 32 bits, but is {}", a.lanes));
    }
    if (a.pes % a.split != 0) {
      throw reader->error(
          "split", fmt::format("{} PEs cannot be split into groups of {}; allowed: divisors of pes", a.pes, a.split));
    }
    if (a.block() > kMaxBlock) {
      throw reader->error(
          "outputs_per_pe",
          fmt::format("{} PEs of {} outputs make blocks of {}; allowed: up to {}, because a coordinate is a byte",
                      a.pes, a.outputs_per_pe, a.block(), kMaxBlock));
    }
  }
}

std::string ahead_text(const Alpha& alpha) {
  return alpha.ahead == Alpha::kUnlimited ? kUnlimitedText : std::to_string(alpha.ahead);
}

std::vector<config::KernelPort> KernelConfig::ports() const {
  return {{kPortInfos[0].name, alpha.feature_port, feature_channel, Alpha::kBeatBytes},
          {kPortInfos[1].name, alpha.csb_port, csb_channel, Alpha::kBeatBytes},
          {kPortInfos[2].name, alpha.result_port, feature_channel, Alpha::kBeatBytes}};
}

config::KernelText KernelConfig::text() const {
  const double peak = 2.0 * static_cast<double>(peak_macs()) * mhz(clock) / 1000;
  config::KernelText text;
  text.headline = fmt::format("{} PEs of {} lanes at {} MHz", alpha.pes, alpha.lanes, exact_text(clock));
  text.shape = fmt::format("{}x{}", alpha.pes, alpha.lanes);
  text.head = {{"pes", std::int64_t{alpha.pes}}, {"lanes", std::int64_t{alpha.lanes}}};
  text.lines = {
      {"array", fmt::format("{} PEs x {} lanes = {} MACs of 8 bits at {} MHz, peak {:.1f} GOP/s", alpha.pes,
                            alpha.lanes, peak_macs(), exact_text(clock), peak)},
      {"block", fmt::format("{} outputs, tiles of {} pixels: two banks of {} bytes", alpha.block(), alpha.tile_pixels,
                            alpha.bank_bytes())},
      {"across", alpha.dense() ? "channels: dense, the products of all PEs are added to one output" : "outputs"},
      {"ahead", fmt::format("{} channel buffers, {} strips of kernels", ahead_text(alpha), alpha.strips)},
      {"ports",
       fmt::format("features and results on channel {}, kernels on channel {}", feature_channel, csb_channel)}};
  if (!assumed.empty()) text.lines.emplace_back("assumed", config::join(assumed));
  return text;
}

std::vector<config::ReadingChoice> KernelConfig::readings(const std::vector<config::ReadingChoice>& given) const {
  return all_readings(readings_of(given));
}

namespace {

const std::vector<Reading<Readings>>& table() {
  using R = Readings;
  static const std::vector<Reading<R>> all{
      reading_of<R, &R::balance>("balance", {{R::Balance::Mean, "mean"}, {R::Balance::Slowest, "slowest"}}),
      reading_of<R, &R::writes>("writes", {{R::Writes::Serial, "serial"}, {R::Writes::Hidden, "hidden"}}),
      reading_of<R, &R::tail>("tail", {{R::Tail::Exposed, "exposed"}, {R::Tail::Hidden, "hidden"}}),
      reading_of<R, &R::gw_overlap>("gw_overlap", {{R::GwOverlap::Full, "full"}, {R::GwOverlap::None, "none"}}),
      reading_of<R, &R::gw_gradients>("gw_gradients",
                                      {{R::GwGradients::Bytes, "bytes"}, {R::GwGradients::Words, "words"}}),
      reading_of<R, &R::gw_sums>("gw_sums",
                                 {{R::GwSums::Written, "written"}, {R::GwSums::Accumulated, "accumulated"}})};
  return all;
}

}  // namespace

Readings readings_of(const std::vector<config::ReadingChoice>& given) {
  return config::readings_of(table(), given, Readings{});
}

std::vector<config::ReadingChoice> all_readings(const Readings& readings) {
  return config::all_readings(table(), readings);
}

Latencies latencies(const config::RunConfig& run) {
  const memory::MemoryConfig config = config::memory_config(run);
  // As model/memory defines them: one cycle to the first DRAM edge, and the first kernel edge after the last one.
  if (config.kind == memory::MemoryKind::ideal)
    return {config.ideal_latency_cycles + 1, config.ideal_latency_cycles + 1};
  const memory::ClockRatio clocks(config.kernel_clock, config.ddr4.data_rate_mtps);
  const auto& timing = config.ddr4.timing;
  const memory::Nck closed_row = timing.rcd_nck + timing.cl_nck + timing.burst_nck();
  return {1 + clocks.cycle_after(closed_row) + config.latency_cycles,
          1 + clocks.cycle_after(0) + config.latency_cycles + config.write_response_cycles};
}

}  // namespace weft::batchlane
