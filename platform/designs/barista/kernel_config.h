#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/barista/alpha.h"
#include "platform/config/kernel_base.h"

namespace weft::barista {

// A Barista kernel as its file says it.
class KernelConfig : public config::KernelBase<KernelConfig> {
 public:
  static constexpr const char* kDesign = "barista";

  int tr = 16, tc = 16, tp = 64;
  int partials = 11;
  int band = 16;
  FifoDepths fifo;
  std::array<stream::PortConfig, kPorts> port_configs;
  std::array<int, kPorts> channel{};  // of each port

  std::vector<config::KernelPort> ports() const override;
  Bytes beat_bytes() const override { return Bytes{band} * 4; }
  std::int64_t peak_macs() const override { return std::int64_t{tr} * tc; }
  std::string headline() const override;
  std::vector<std::pair<std::string, Value>> summary() const override;
  std::vector<std::pair<std::string, std::string>> lines() const override;
  std::vector<config::ReadingChoice> readings(const std::vector<config::ReadingChoice>& given) const override;
  std::string shape() const override;

  template <class Io>
  static void fields(Io& io, KernelConfig& k);
};

Alpha alpha_of(const KernelConfig& kernel);

}  // namespace weft::barista
