#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/fpgpt/analytical/gamma.h"
#include "model/fpgpt/analytical/readings.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/topology.h"
#include "model/memory/config.h"
#include "platform/design/rows_work.h"

namespace weft::fpgpt {

// A planned row of a run, before simulation: the convolutions that the kernel is started for, and that kernel.
struct RowWork : design::ChosenRow {
  std::vector<conv::Convolution> launches;  // group by group, of each its parts (parts.h), the first part the largest
  std::int64_t parts = 1;                   // launches of each group
  Alpha alpha;
  std::vector<Gamma> gammas;       // one for each launch
  std::optional<Cycles> unshared;  // if sizes are shared: cycles by the equations, all groups, with the row's own sizes

  std::int64_t group_of(std::size_t launch) const { return static_cast<std::int64_t>(launch) / parts; }
  std::int64_t part_of(std::size_t launch) const { return static_cast<std::int64_t>(launch) % parts; }
  std::string name_of(std::size_t launch) const;  // " group 1 part 0", without what there is one of
};

// Plans the rows of `run`, sizes fitted. Throws Error for a convolution that its kernel cannot hold.
std::vector<RowWork> plan_rows(const config::RunConfig& run, const workloads::Network& network,
                               const Readings& readings);

// One convolution of a run: a launch of a row.
struct Job {
  std::size_t row = 0, launch = 0;
};

std::vector<Job> jobs_of(const std::vector<RowWork>& rows);

// Cycles of each job by the equations.
std::vector<std::int64_t> weights_of(const std::vector<RowWork>& rows, const std::vector<Job>& jobs);

// One convolution placed in memory, ready to run.
struct PlacedJob {
  Plan plan;
  memory::MemoryConfig memory;
  std::array<int, kPorts> channel_of_port{};
  std::vector<Bytes> channel_bytes;   // bytes used of each channel, from 0 on
  std::vector<memory::Store> stores;  // data mode: the channels, with random values of `seed`
};
PlacedJob place_job(const config::RunConfig& run, const RowWork& row, const conv::Convolution& launch, bool with_data,
                    std::uint64_t seed);

// The alpha of a row in a result of `run`.
Alpha alpha_of_row(const config::RunConfig& run, const design::Row& row);

// Plans the rows and units of `run` for the design interface.
std::unique_ptr<design::Work> plan_work(const config::RunConfig& run, const workloads::Network& network);

}  // namespace weft::fpgpt
