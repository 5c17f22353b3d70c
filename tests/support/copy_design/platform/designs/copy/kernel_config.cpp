#include "platform/designs/copy/kernel_config.h"

#include <fmt/core.h>

namespace weft::copy {

void KernelConfig::fields(config::MapIo& io, KernelConfig& k) {
  config::band_field(io, k.band);
  config::clock_field(io, k);
  config::fifo_and_port_fields(io, k);
}

std::vector<std::pair<const char*, int*>> KernelConfig::fifo_depths() {
  return {{kFifoInfos[0].name, &fifo[FifoId::Beat]}};
}

config::KernelText KernelConfig::text() const {
  const std::string headline = fmt::format("{} words a cycle at {} MHz", band, config::exact_text(clock));
  return {headline, std::to_string(band), {{"band", std::int64_t{band}}}, {{"moves", headline}}};
}

std::vector<config::ReadingChoice> KernelConfig::readings(const std::vector<config::ReadingChoice>& given) const {
  if (!given.empty()) {
    throw config::error_at(given.front().place, "readings", "design copy has no readings; remove this key");
  }
  return {};
}

Alpha alpha_of(const KernelConfig& kernel) {
  return {kernel.band, kernel.fifo, kernel.port_configs[0], kernel.port_configs[1], kernel.clock};
}

}  // namespace weft::copy
