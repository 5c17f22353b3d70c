#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/conv/convolution.h"
#include "model/conv/layer.h"
#include "model/fpgpt/analytical/gamma.h"
#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/config.h"
#include "model/memory/store.h"
#include "platform/config/run_config.h"
#include "workloads/network.h"

namespace weft::run {

// One row of a run before it is simulated: the convolutions of its groups and the kernel that runs them.
struct Work {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  bool fully_connected = false;
  std::vector<conv::Convolution> groups;
  fpgpt::Alpha alpha;
  std::vector<fpgpt::Gamma> gammas;  // of the groups
  std::optional<Cycles> unshared;    // sizes shared: the total of the equations, all groups, were the sizes its own
};

// What `config` asks for, sizes fitted. Throws Error for a convolution that its kernel cannot hold.
std::vector<Work> plan_work(const config::RunConfig& config, const workloads::Network& network,
                            const fpgpt::Readings& readings);

// One convolution of a run: a group of a row.
struct Job {
  std::size_t row = 0, group = 0;
};

// All of them, row by row.
std::vector<Job> jobs_of(const std::vector<Work>& works);

// The cycles that the equations expect of each job: its share of the progress, and its place in the order.
std::vector<std::int64_t> weights_of(const std::vector<Work>& works, const std::vector<Job>& jobs);

// One convolution in its memory, ready to run.
struct PlacedJob {
  fpgpt::Plan plan;
  memory::MemoryConfig memory;
  std::array<int, fpgpt::kPorts> channel_of_port{};
  std::vector<memory::Store> stores;  // data mode: the channels, filled with random values of `seed`
};
PlacedJob place_job(const config::RunConfig& config, const Work& work, const conv::Convolution& group, bool with_data,
                    std::uint64_t seed);

}  // namespace weft::run
