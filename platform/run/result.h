#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/conv/layer.h"
#include "model/fpgpt/analytical/gamma.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/exact/exact.h"
#include "model/fpgpt/result.h"
#include "platform/config/run_config.h"
#include "workloads/network.h"

namespace weft::run {

// What data mode adds: a digest of OUT's bits and how far OUT is from the same sums in double precision.
struct DataCheck {
  std::uint64_t digest = 0;
  double largest_error = 0;  // largest |OUT - reference| over the sum of |products|: rounding alone stays below 2^-20
};

// One row of a result: one training convolution of one layer, its groups summed.
struct Row {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  bool fully_connected = false;
  fpgpt::Alpha alpha;     // of the kernel that runs it
  std::int64_t macs = 0;  // useful multiply-accumulates
  Cycles cycles = 0;      // simulated, or on the analytical rung the equations' total
  std::string limiter;
  fpgpt::BlockActivities activities;                   // all zero on the analytical rung
  std::array<memory::PortStats, fpgpt::kPorts> ports;  // likewise
  fpgpt::Gamma gamma;                                  // summed over the groups; z and z_channel are those of one group
  std::optional<Cycles> unshared;  // sizes shared: gamma.total were the sizes fitted to this convolution alone
  Cycles skipped_cycles = 0;
  engine::ExactAccount account;  // exact rung
  bool repeats = false;          // simulated, timing: all of it equals convolutions of rows before it, and is theirs
  fpgpt::ResourceReport resources;
  Bytes pcie_to_card = 0, pcie_to_host = 0;
  std::int64_t launches = 0;  // one per group
  std::optional<DataCheck> data;

  // (equations - simulated) / simulated
  double analytical_error() const { return static_cast<double>(gamma.total - cycles) / static_cast<double>(cycles); }
};

struct Result {
  config::RunConfig config;
  workloads::Network network;
  std::vector<Row> rows;
  Bytes channel_peak_bytes_per_second = 0;  // of one memory channel, 0 for ideal memory
  int channels_used = 0;
  std::int64_t kernels = 0;           // distinct alphas
  std::int64_t reconfigurations = 0;  // changes of alpha in the order of training, the first load included
  fpgpt::Budget budget;
};

}  // namespace weft::run
