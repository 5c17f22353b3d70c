#include "platform/config/host.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "model/core/error.h"

namespace weft::config {

namespace {

using workloads::Direction;
using workloads::OperatorClass;

constexpr std::int64_t kGiga = 1'000'000'000;
constexpr Picoseconds kPsPerUs = 1'000'000;
constexpr Picoseconds kPsPerSecond = 1'000'000'000'000;
constexpr std::int64_t kMaxThreads = 1 << 16;

const Names<Direction>& directions() {
  static const Names<Direction> names{{"forward", Direction::Forward},
                                      {"loss", Direction::Loss},
                                      {"backward", Direction::Backward},
                                      {"update", Direction::Update}};
  return names;
}

constexpr Scale kGigaPerSecond{9, kGiga, 1'000'000, false};
constexpr Scale kCopy{9, kGiga, 200, false};  // maximum of link::Link
constexpr Scale kMicroseconds{6, kPsPerUs, 1'000'000, true};
constexpr Scale kSeconds{12, kPsPerSecond, 1000, true};
constexpr Scale kGops{3, 1000, 1'000'000, false};
constexpr Scale kShare{6, kPpm, 1, false};

void fields(MapIo& io, OperatorCost& cost) {
  scaled(io, "compute", cost.compute_ppm, kShare);
  scaled(io, "memory", cost.memory_ppm, kShare);
  scaled(io, "call_us", cost.fixed_ps, kMicroseconds);
}

void fields(MapIo& io, CallCosts& costs) {
  scaled(io, "to_card_us", costs.to_card_ps, kMicroseconds);
  scaled(io, "to_host_us", costs.to_host_ps, kMicroseconds);
  scaled(io, "launch_us", costs.launch_ps, kMicroseconds);
  scaled(io, "launch_pipelined_us", costs.launch_pipelined_ps, kMicroseconds);
  scaled(io, "register_write_us", costs.register_write_ps, kMicroseconds);
  scaled(io, "register_read_us", costs.register_read_ps, kMicroseconds);
}

void fields(MapIo& io, MatrixCosts& costs) {
  scaled(io, "tile_ns", costs.tile_ps, kNanoseconds);
  scaled(io, "untile_ns", costs.untile_ps, kNanoseconds);
  scaled(io, "col2im_ns", costs.col2im_ps, kNanoseconds);
}

void fields(MapIo& io, Quantiser& quantiser) {
  scaled(io, "quantise_ns", quantiser.quantise_ps, kNanoseconds);
  scaled(io, "dequantise_ns", quantiser.dequantise_ps, kNanoseconds);
  constexpr int kMostHeadroom = 15;  // of 16 bits
  if (!io.writes() || quantiser.headroom != 0) io.integer("headroom", quantiser.headroom, 0, kMostHeadroom);
}

void fields(MapIo& io, LoadCost& cost) {
  scaled(io, "seconds", cost.typical_ps, kSeconds);
  if (io.reader()) cost.low_ps = cost.high_ps = cost.typical_ps;
  scaled(io, "low", cost.low_ps, kSeconds, Need::Optional);
  scaled(io, "high", cost.high_ps, kSeconds, Need::Optional);
  if (const MapReader* const reader = io.reader()) {
    const auto seconds = [](Picoseconds ps) { return decimal_text(ps, kPsPerSecond); };
    if (cost.low_ps > cost.typical_ps) {
      throw reader->clash("low", {"seconds"},
                          fmt::format("must not exceed the {} of 'seconds', but is {}", seconds(cost.typical_ps),
                                      seconds(cost.low_ps)));
    }
    if (cost.high_ps < cost.typical_ps) {
      throw reader->clash("high", {"seconds"},
                          fmt::format("must be at least the {} of 'seconds', but is {}", seconds(cost.typical_ps),
                                      seconds(cost.high_ps)));
    }
  }
}

void fields(MapIo& io, MeasuredOperator& m) {
  io.text("network", m.network, Need::Required);
  io.text("operator", m.op, Need::Required);
  io.choice("direction", m.direction, directions(), Need::Required);
  io.integer("occurrence", m.occurrence, 0, kIntMax);
  io.integer("batch", m.batch, 1, 1 << 20, Need::Required);
  io.integer("threads", m.threads, 1, kMaxThreads, Need::Required);
  io.integer("ns", m.ns, 0, kPsPerSecond, Need::Required);  // at most 1000 s
  io.text("kernel", m.kernel);
  io.boolean("plain_loop", m.plain_loop);
}

void measured_fields(MapIo& io, std::vector<MeasuredOperator>& measured) {
  std::map<std::tuple<std::string, std::string, Direction, int, int>, std::size_t> seen;
  const auto once = [&](MapIo& sub, MeasuredOperator& m) {
    fields(sub, m);
    const MapReader* const reader = sub.reader();
    if (!reader) return;
    reader->finish();
    const auto [first, fresh] = seen.try_emplace({m.network, m.op, m.direction, m.occurrence, m.batch}, seen.size());
    if (fresh) return;
    throw reader->error("operator", fmt::format("'{}' {} is measured twice at batch {} of {}: first in {}[{}]", m.op,
                                                to_string(m.direction), m.batch, m.network,
                                                io.reader()->path("measured"), first->second));
  };
  io.map_list("measured", Need::Optional, measured, once, true);
}

void fields(MapIo& io, PublishedRate& rate) {
  io.text("network", rate.network, Need::Required);
  scaled(io, "convolutions", rate.convolutions, kGops);
  scaled(io, "average", rate.average, kGops);
  scaled(io, "cpu_im2col", rate.cpu_im2col, kGops);
  io.boolean("gi_first", rate.gi_first);
  if (const MapReader* const reader = io.reader()) {
    rate.place = reader->place("network");
    const auto gops = [](std::int64_t milli) { return decimal_text(milli, kGops.unit); };
    if (rate.average > rate.convolutions) {
      throw reader->clash(
          "average", {"convolutions"},
          fmt::format("must not exceed the {} of 'convolutions' (an iteration has other work too), but is {}",
                      gops(rate.convolutions), gops(rate.average)));
    }
    if (rate.cpu_im2col >= rate.convolutions) {
      throw reader->clash("cpu_im2col", {"convolutions"},
                          fmt::format("must be below the {} of 'convolutions' (im2col takes time), but is {}",
                                      gops(rate.convolutions), gops(rate.cpu_im2col)));
    }
  }
}

void fields(MapIo& io, Published& published) {
  io.text("source", published.source, Need::Required);
  io.integer("batch", published.batch, 1, 1 << 20, Need::Required);
  constexpr bool kNumbered = true;
  io.map_list(
      "gops", Need::Required, published.rates, [](MapIo& sub, PublishedRate& rate) { fields(sub, rate); }, kNumbered);
}

void fields(MapIo& io, Host& h) {
  io.text("name", h.name, Need::Required);
  io.text("title", h.title);
  io.text("cpu", h.cpu);
  io.integer("threads", h.threads, 1, kMaxThreads, Need::Required);
  scaled(io, "peak_gflops", h.peak_flops_per_s, kGigaPerSecond);
  scaled(io, "memory_gbytes_per_s", h.memory_bytes_per_s, kGigaPerSecond);
  io.map("operators", Need::Required, [&](MapIo& sub) {
    for (std::size_t i = 0; i < kOperatorClasses; ++i) {
      const auto kind = static_cast<OperatorClass>(i);
      if (kind == OperatorClass::View) continue;
      const std::string key = class_key(kind);
      sub.map(key.c_str(), Need::Required, [&](MapIo& of_class) { fields(of_class, h.operators[i]); });
    }
  });
  io.map("calls", Need::Required, [&](MapIo& sub) {
    sub.map("opencl", Need::Required, [&](MapIo& library) { fields(library, h.opencl); });
    sub.map("xrt", Need::Required, [&](MapIo& library) { fields(library, h.xrt); });
  });
  io.map("unaligned_copy", Need::Required, [&](MapIo& sub) {
    scaled(sub, "to_card_gbytes_per_s", h.copy_to_card_bytes_per_s, kCopy);
    scaled(sub, "to_host_gbytes_per_s", h.copy_to_host_bytes_per_s, kCopy);
  });
  scaled(io, "im2col_gbytes_per_s", h.im2col_bytes_per_s, kGigaPerSecond);
  io.optional_map("matrices", h.matrices, [](MapIo& sub, MatrixCosts& value) { fields(sub, value); });
  io.optional_map("quantiser", h.quantiser, [](MapIo& sub, Quantiser& value) { fields(sub, value); });
  io.map("reconfiguration", Need::Required, [&](MapIo& sub) {
    sub.map("card", Need::Required, [&](MapIo& load) { fields(load, h.load_card); });
    sub.map("region", Need::Required, [&](MapIo& load) { fields(load, h.load_region); });
  });
  measured_fields(io, h.measured);
  io.optional_map("published", h.published, [](MapIo& sub, Published& value) { fields(sub, value); });
  assumed_fields(io, h.assumed);
}

constexpr auto kHostFields = [](auto& io, auto& object) { fields(io, object); };

}  // namespace

std::string class_key(OperatorClass kind) {
  std::string key = workloads::to_string(kind);
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

Host read_host(const Node& node, const std::string& key) {
  Host host;
  read_map(node, key, host, kHostFields);
  drop_settled(host.assumed, node, key);
  return host;
}

Node describe_host() {
  return describe_map(Host{}, kHostFields);
}

Node write_host(const Host& host) {
  return write_map(host, kHostFields);
}

}  // namespace weft::config

namespace weft::host {

const config::CallCosts& costs(const config::Host& host, config::Calls calls) {
  return calls == config::Calls::OpenCl ? host.opencl : host.xrt;
}

link::CallCost call_cost(const config::Host& host, config::Calls calls, link::Direction direction) {
  const config::CallCosts& of = costs(host, calls);
  link::CallCost cost;
  cost.setup_ps = direction == link::Direction::HostToCard ? of.to_card_ps : of.to_host_ps;
  cost.copy_to_card_bytes_per_s = host.copy_to_card_bytes_per_s;
  cost.copy_to_host_bytes_per_s = host.copy_to_host_bytes_per_s;
  return cost;
}

Picoseconds launch_time(const config::Host& host, config::Calls calls, std::int64_t register_writes, bool queued) {
  const config::CallCosts& of = costs(host, calls);
  constexpr const char* kWhat = "the picoseconds of a launch";
  return checked::sum(kWhat, {queued ? of.launch_pipelined_ps : of.launch_ps,
                              checked::product(kWhat, {register_writes, of.register_write_ps})});
}

Picoseconds tile_time(const config::Host& host, std::int64_t words) {
  return checked::product("the picoseconds of putting words into tiles", {words, host.matrices.value().tile_ps});
}

Picoseconds quantise_time(const config::Host& host, std::int64_t words) {
  return checked::product("the picoseconds of quantising words", {words, host.quantiser.value().quantise_ps});
}

Picoseconds dequantise_time(const config::Host& host, std::int64_t words) {
  return checked::product("the picoseconds of dequantising words", {words, host.quantiser.value().dequantise_ps});
}

Picoseconds untile_time(const config::Host& host, std::int64_t words, std::int64_t col2im) {
  constexpr const char* kWhat = "the picoseconds of taking words out of tiles";
  const config::MatrixCosts& costs = host.matrices.value();
  return checked::sum(
      kWhat, {checked::product(kWhat, {words, costs.untile_ps}), checked::product(kWhat, {col2im, costs.col2im_ps})});
}

Picoseconds im2col_time(const config::Host& host, Bytes written) {
  // Whole seconds are computed separately, so that no product exceeds 64 bits: a rate is at most 10^15.
  constexpr std::int64_t kPsPerSecond = 1'000'000'000'000;
  const std::int64_t rate = host.im2col_bytes_per_s;
  __extension__ using Wide = unsigned __int128;
  const auto rest = static_cast<Wide>(written % rate) * kPsPerSecond;
  constexpr const char* kWhat = "the picoseconds of im2col";
  return checked::sum(kWhat, {checked::product(kWhat, {written / rate, kPsPerSecond}),
                              static_cast<Picoseconds>((rest + rate - 1) / rate)});
}

}  // namespace weft::host
