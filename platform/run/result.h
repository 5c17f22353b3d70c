#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/design/row.h"
#include "workloads/network.h"

namespace weft::run {

// Called periodically with the kernel cycles done and the expected total (by the equations).
using Progress = std::function<void(std::int64_t done, std::int64_t expected)>;

using design::Row;

struct Result {
  config::RunConfig config;
  workloads::Network network;
  std::vector<Row> rows;
  Bytes channel_peak_bytes_per_second = 0;  // per memory channel; 0 for ideal memory
  int channels_used = 0;
  std::int64_t kernels = 0;  // distinct bitstreams
  std::int64_t loads = 0;    // loads of bitstreams in an iteration that follows an equal one
};

}  // namespace weft::run
