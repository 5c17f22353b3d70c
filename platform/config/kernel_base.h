#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "model/core/number_format.h"
#include "model/stream/ports.h"
#include "platform/config/board.h"
#include "platform/config/reader.h"
#include "platform/config/run_config.h"

namespace weft::config {

// Base of a design's kernel `Config`. Its file has common keys and those of `Config::fields(io, config)`;
// `Config::kDesign` is the name of its design.
template <class Config>
class KernelBase : public Kernel {
 public:
  const char* design() const override { return Config::kDesign; }
  std::shared_ptr<Kernel> copy() const override { return std::make_shared<Config>(self()); }
  Node write() const override {
    return write_map(self(), [](auto& io, Config& copy) { all_fields(io, copy); });
  }

  // `key`: dotted key of the node in the run ("kernel"), or "" in a file of its own.
  static std::shared_ptr<Config> read(const Node& node, const std::string& key) {
    auto kernel = std::make_shared<Config>();
    read_map(node, key, *kernel, [](auto& io, Config& config) { all_fields(io, config); });
    return kernel;
  }
  static Node describe() {
    return describe_map(Config{}, [](MapIo& io, Config& config) { all_fields(io, config); });
  }
  // Returns the kernel of a run of this design.
  static const Config& of(const RunConfig& run) { return dynamic_cast<const Config&>(*run.kernel); }

 private:
  // Name, title and design of every kernel's file, then the design's own fields.
  static void all_fields(MapIo& io, Config& config) {
    io.text("name", config.name);
    io.text("title", config.title);
    io.custom(
        kDesignKey, Need::Optional, [](const Node&, const std::string&) {},
        [] { return scalar_node(Config::kDesign, true); }, [] { return schema::choice({Config::kDesign}); });
    Config::fields(io, config);
  }
  const Config& self() const { return static_cast<const Config&>(*this); }
};

// Base of a kernel with `band` words of 32 bits per beat and the ports of the table `kInfos`. `Channel`: int, or
// std::optional<int> if a port may omit its memory channel (KernelPort). Ports of a Config with kPortBands may have
// a band of their own.
template <class Config, const auto& kInfos, class Channel>
class BandKernel : public KernelBase<Config> {
 public:
  static constexpr std::size_t kPorts = std::tuple_size_v<std::decay_t<decltype(kInfos)>>;
  static constexpr bool kPortBands = false;

  int band = 16;
  std::array<std::optional<int>, kPorts> port_band{};  // of each port, in place of `band`
  std::array<stream::PortConfig, kPorts> port_configs;
  std::array<Channel, kPorts> channel{};  // of each port

  std::vector<KernelPort> ports() const override {
    std::vector<KernelPort> all;
    for (std::size_t i = 0; i < kPorts; ++i) {
      all.push_back({kInfos[i].name, port_configs[i], channel[i], Bytes{band_of(i)} * 4});
    }
    return all;
  }
  int band_of(std::size_t port) const { return port_band[port].value_or(band); }
  Bytes beat_bytes() const override { return Bytes{band_of(widest())} * 4; }
  std::string beat_text() const override {
    const std::size_t port = widest();
    const std::string key =
        port_band[port] ? std::string("kernel.ports.") + kInfos[port].name + ".band" : "kernel.band";
    return key + ": " + std::to_string(band_of(port)) + " words a beat";
  }
  void double_bands() {
    band *= 2;
    for (std::optional<int>& own : port_band) {
      if (own) *own *= 2;
    }
  }

 private:
  std::size_t widest() const {
    std::size_t port = 0;
    for (std::size_t i = 1; i < kPorts; ++i) port = band_of(i) > band_of(port) ? i : port;
    return port;
  }
};

// Returns the run with another kernel.
inline RunConfig with_kernel(RunConfig run, const Kernel& kernel) {
  run.kernel = kernel.copy();
  return run;
}

inline void clock_field(MapIo& io, Kernel& kernel) {
  io.exact("clock_mhz", kernel.clock, 1, 2000, Need::Required);
}

// Words per beat. The maximum is for the equations; simulated kernels are limited to the widest AXI4 bus.
constexpr int kWidestBand = 256;
inline void check_band(MapIo& io, int band) {
  if (const MapReader* const reader = io.reader()) {
    if ((band & (band - 1)) != 0) {
      throw reader->error("band", "must be a power of two, as an AXI bus is, but is " + std::to_string(band));
    }
  }
}
inline void band_field(MapIo& io, int& band) {
  io.integer("band", band, 1, kWidestBand);
  check_band(io, band);
}
inline void band_field(MapIo& io, std::optional<int>& band) {
  io.value("band", band, form::integer(1, kWidestBand));
  if (band) check_band(io, *band);
}

// Number format of the operands; left out for FP32.
inline void format_field(MapIo& io, NumberFormat& format) {
  io.custom(
      "format", Need::Optional,
      [&](const Node& node, const std::string& path) {
        const auto given =
            node.kind == Node::Kind::Scalar ? parse_number_format(node.text) : std::optional<NumberFormat>();
        if (!given) {
          throw error_at(node.place, path, "must be " + number_formats_text() + ", not " + describe(node));
        }
        format = *given;
      },
      [&] { return format.is_fixed() ? std::optional<Node>(scalar_node(to_string(format))) : std::nullopt; },
      schema::text);
}

// AXI4 bursts of a port, and its memory channel if it has one.
inline void port_fields(MapIo& io, stream::PortConfig& port) {
  io.integer("max_burst_beats", port.max_burst_beats, 1, 256);
  io.integer("outstanding", port.outstanding, 1, 256);
}
inline void port_fields(MapIo& io, stream::PortConfig& port, int& channel) {
  port_fields(io, port);
  io.integer("channel", channel, 0, kMaxChannels - 1);
}
inline void port_fields(MapIo& io, stream::PortConfig& port, std::optional<int>& channel) {
  port_fields(io, port);
  io.value("channel", channel, form::integer(0, kMaxChannels - 1));
}

// `fifo` and `ports` of a BandKernel, whose fifo_depths() lists the FIFOs with a depth that a file may set.
constexpr int kDeepestFifo = 65536;
template <class Config>
void fifo_and_port_fields(MapIo& io, Config& kernel) {
  io.map("fifo", Need::Optional, [&](MapIo& sub) {
    // 0: the FIFO is a cut wire, which the run reports.
    for (const auto& [name, depth] : kernel.fifo_depths()) sub.integer(name, *depth, 0, kDeepestFifo);
  });
  io.map("ports", Need::Optional, [&](MapIo& sub) {
    for (std::size_t i = 0; i < Config::kPorts; ++i) {
      sub.map(kernel.ports()[i].name.c_str(), Need::Optional, [&](MapIo& port) {
        port_fields(port, kernel.port_configs[i], kernel.channel[i]);
        if constexpr (Config::kPortBands) band_field(port, kernel.port_band[i]);
      });
    }
  });
}

}  // namespace weft::config
