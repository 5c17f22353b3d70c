#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/design/row.h"
#include "workloads/network.h"

namespace weft::run {

// Called from time to time with the kernel cycles done and those expected in all (by the equations).
using Progress = std::function<void(std::int64_t done, std::int64_t expected)>;

using design::Row;

struct Result {
  config::RunConfig config;
  workloads::Network network;
  std::vector<Row> rows;
  Bytes channel_peak_bytes_per_second = 0;  // of one memory channel, 0 for ideal memory
  int channels_used = 0;
  std::int64_t kernels = 0;           // distinct bitstreams
  std::int64_t reconfigurations = 0;  // changes of bitstream in the order of training, the first load included
};

}  // namespace weft::run
