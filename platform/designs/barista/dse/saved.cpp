#include "platform/designs/barista/dse/saved.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/core/error.h"
#include "platform/config/selection.h"
#include "platform/designs/barista/dse/report.h"
#include "platform/dse/saved_report.h"

namespace weft::barista::exploration {

namespace {

constexpr int kLargestSaved = 1 << 20;  // beyond what any file may say

dse::Tile tile_of(const nlohmann::json& json) {
  const auto side = [&](const char* key) {
    const auto value = json.at(key).get<std::int64_t>();
    if (value < 1 || value > kLargestSaved) throw Error(fmt::format("has a kernel with {} {}", key, value));
    return static_cast<int>(value);
  };
  return {side("tile_r"), side("tile_c"), side("tile_p")};
}

dse::Found found_of(const nlohmann::json& json) {
  dse::Found found;
  found.tile = tile_of(json.at("kernel"));
  found.seconds = json.at("seconds").get<double>();
  found.gops = json.at("gops").get<double>();
  found.dsp = json.at("resources").at("dsp").get<std::int64_t>();
  found.bram_bits = json.at("resources").at("bram_bits").get<std::int64_t>();
  return found;
}

dse::Optimum optimum_of(const nlohmann::json& json) {
  dse::Optimum optimum;
  optimum.best = found_of(json.at("optimal"));
  if (!json.contains("published")) return optimum;
  optimum.rival = found_of(json.at("published"));
  optimum.better_than_rival = json.at("better_than_published").get<std::int64_t>();
  return optimum;
}

void read_convolutions(Exploration& e, const nlohmann::json& rows) {
  if (rows.size() != e.convolutions.size()) {
    throw Error(fmt::format("has {} convolutions, its configuration {}", rows.size(), e.convolutions.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Convolution& c = e.convolutions[i];
    if (rows[i].at("layer") != c.layer.name || rows[i].at("kind") != conv::to_string(c.kind)) {
      throw Error(fmt::format("has {} {} where its configuration has {} {}", rows[i].at("layer").dump(),
                              rows[i].at("kind").dump(), c.layer.name, conv::to_string(c.kind)));
    }
    const nlohmann::json& optimal = rows[i].at("optimal");
    dse::Found best = found_of(optimal);
    best.seconds = optimal.at("seconds_each").get<double>();
    e.by_gemm[c.gemm].best = best;
    c.best.cycles = optimal.at("cycles").get<Cycles>();
    c.best.memory_bound = optimal.at("limiter") == "memory";
  }
}

config::KernelPtr kernel_with(const KernelConfig& base, const dse::Tile& tile) {
  KernelConfig kernel = base;
  kernel.tr = tile.r;
  kernel.tc = tile.c;
  kernel.tp = tile.p;
  try {  // as a file would be read: what is out of its range is refused there
    return read_kernel(kernel.write(), "kernel");
  } catch (const InputError& error) {
    throw Error(fmt::format("has a kernel that cannot be ({})", error.what()));
  }
}

}  // namespace

Exploration read_exploration(const DseConfig& config, const workloads::Network& network, const std::string& json,
                             const std::string& file) {
  return weft::dse::read_report(json, file, kDseSchema, [&](const nlohmann::json& report) {
    Exploration e = begun(config, network);
    e.tiles = report.at("tiles").get<std::int64_t>();
    e.fitting = report.at("fitting").get<std::int64_t>();
    e.by_gemm.resize(e.gemms.size());
    read_convolutions(e, report.at("convolutions"));
    const nlohmann::json& layers = report.at("layers");
    if (layers.size() != e.layers.size()) throw Error("has other layers than its configuration");
    for (std::size_t i = 0; i < layers.size(); ++i) {
      e.layers[i].optimum = optimum_of(layers[i]);
      if (e.layers[i].optimum.rival.has_value() != e.layers[i].published.has_value()) {
        throw Error(fmt::format("has other published tiles than its configuration, of layer {}", e.layers[i].layer));
      }
    }
    e.least_time = optimum_of(report.at("network_tile").at("least_time"));
    e.highest_mean = optimum_of(report.at("network_tile").at("highest_mean"));
    if (e.highest_mean.rival.has_value() != e.published.has_value()) {
      throw Error("has another published tile than its configuration");
    }
    return e;
  });
}

weft::dse::KernelSet own_kernels(const KernelConfig& base, const std::string& json, const std::string& file) {
  return weft::dse::read_report(json, file, kDseSchema, [&](const nlohmann::json& report) {
    weft::dse::KernelSet set;
    set.network = report.at("network").get<std::string>();
    std::vector<dse::Tile> seen;
    for (const nlohmann::json& each : report.at("convolutions")) {
      const dse::Tile tile = tile_of(each.at("optimal").at("kernel"));
      const auto at = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), tile) - seen.begin());
      if (at == seen.size()) {
        seen.push_back(tile);
        set.kernels.push_back({kernel_with(base, tile), {}});
      }
      const auto kind = config::parse_kind(each.at("kind").get<std::string>());
      if (!kind) throw Error(fmt::format("has a convolution of kind {}", each.at("kind").dump()));
      set.kernels[at].convolutions.emplace_back(each.at("layer").get<std::string>(), *kind);
    }
    return set;
  });
}

}  // namespace weft::barista::exploration
