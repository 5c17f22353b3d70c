#pragma once

#include <cstdint>

#include "model/core/units.h"
#include "model/link/link.h"
#include "platform/config/host.h"
#include "platform/config/schedule.h"

// What driving the card takes of the host, by the library that does it.
namespace weft::host {

const config::CallCosts& costs(const config::Host& host, config::Calls calls);

// Of a transfer, for link::Link::time().
link::CallCost call_cost(const config::Host& host, config::Calls calls, link::Direction direction);

// A launch: the library's share and each register write, which is posted: the host does not wait for it to arrive.
// `queued`: the next launch is handed over while the kernel runs, so that only what is left between two is counted.
Picoseconds launch_time(const config::Host& host, config::Calls calls, std::int64_t register_writes,
                        bool queued = false);

// Of words of matrices that are put into tiles, on a host that has a price for it; of those that are taken out of them
// and added up by col2im.
Picoseconds tile_time(const config::Host& host, std::int64_t words);
Picoseconds untile_time(const config::Host& host, std::int64_t words, std::int64_t col2im);
// Of words that are quantised, and of sums that are made FP32, on a host that has a price for it.
Picoseconds quantise_time(const config::Host& host, std::int64_t words);
Picoseconds dequantise_time(const config::Host& host, std::int64_t words);
// Writing the im2col matrix on the CPU, rounded up.
Picoseconds im2col_time(const config::Host& host, Bytes written);

}  // namespace weft::host
