#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/barista/alpha.h"
#include "platform/config/run_config.h"

namespace weft::barista {

inline constexpr const char* kDesignName = "barista";

// A Barista kernel as its file says it.
class KernelConfig : public config::Kernel {
 public:
  int tr = 16, tc = 16, tp = 64;
  int partials = 11;
  int band = 16;
  FifoDepths fifo;
  std::array<stream::PortConfig, kPorts> port_configs;
  std::array<int, kPorts> channel{};  // of each port

  const char* design() const override { return kDesignName; }
  std::vector<config::KernelPort> ports() const override;
  Bytes beat_bytes() const override { return Bytes{band} * 4; }
  std::string beat_text() const override;
  std::int64_t peak_macs() const override { return std::int64_t{tr} * tc; }
  std::string headline() const override;
  std::vector<std::pair<std::string, Value>> summary() const override;
  std::vector<std::pair<std::string, std::string>> lines() const override;
  std::vector<config::ReadingChoice> readings(const std::vector<config::ReadingChoice>& given) const override;
  std::string shape() const override;
  config::Node write() const override;
  std::shared_ptr<config::Kernel> copy() const override { return std::make_shared<KernelConfig>(*this); }
};

// `key` is the node's place in the run: "kernel", or "" for a file of its own.
std::shared_ptr<KernelConfig> read_kernel(const config::Node& node, const std::string& key);

// The kernel of a run of this design.
const KernelConfig& kernel_of(const config::RunConfig& run);
// A run with another kernel in it.
config::RunConfig with_kernel(config::RunConfig run, const KernelConfig& kernel);

Alpha alpha_of(const KernelConfig& kernel);

}  // namespace weft::barista
