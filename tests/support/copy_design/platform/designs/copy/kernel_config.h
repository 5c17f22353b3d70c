#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/copy/alpha.h"
#include "platform/config/kernel_base.h"

namespace weft::copy {

// A kernel as given in its file.
class KernelConfig : public config::BandKernel<KernelConfig, kPortInfos, std::optional<int>> {
 public:
  static constexpr const char* kDesign = "copy";

  FifoDepths fifo;

  std::vector<std::pair<const char*, int*>> fifo_depths();  // depths that a file may choose
  std::int64_t peak_macs() const override { return band; }  // words moved per cycle
  config::KernelText text() const override;
  std::vector<config::ReadingChoice> readings(const std::vector<config::ReadingChoice>& given) const override;

  static void fields(config::MapIo& io, KernelConfig& k);
};

Alpha alpha_of(const KernelConfig& kernel);

}  // namespace weft::copy
