#include "platform/hardware/cosim/campaign.h"

#include <cstring>
#include <memory>
#include <numeric>
#include <set>

#include "platform/hardware/cosim/lockstep.h"
#include "platform/os/worker_pool.h"

namespace weft::cosim {

namespace {

constexpr std::size_t kTextBytes = 2000;

// Result of a build in shared memory: this header, the figures of its cases, then each block's activities in each case.
struct Header {
  std::array<char, kTextBytes> first_difference;
};
struct Leavings {
  Leavings(void* memory, int cases)
      : header(static_cast<Header*>(memory)),
        figures(reinterpret_cast<CaseFigures*>(header + 1)),
        activities(reinterpret_cast<Activities*>(figures + cases)) {}
  static std::size_t bytes(int cases, std::size_t blocks) {
    return sizeof(Header) + static_cast<std::size_t>(cases) * (sizeof(CaseFigures) + blocks * sizeof(Activities));
  }

  Header* header;
  CaseFigures* figures;
  Activities* activities;
};

CaseFigures describe(const RandomCase& drawn) {
  const AxiEnvironment& s = drawn.placed.environment;
  CaseFigures result;
  result.kind = drawn.kind;
  std::copy(drawn.sizes.begin(), drawn.sizes.end(), result.sizes.begin());
  result.memory = s.memory.kind;
  result.channels_used = static_cast<int>(std::set<int>(s.channels.begin(), s.channels.end()).size());
  for (const memory::Store& store : drawn.placed.stores) {
    result.high = result.high || store.end() > Address{1} << 32;
  }
  if (drawn.beyond) result.refused_with = drawn.beyond->status;
  result.clock = s.memory.kernel_clock;
  result.refuse_percent = s.refuse_percent;
  return result;
}

// Cases of a build: their number, and the first that is reported.
struct Share {
  int build = 0, cases = 0, first = 0;
};

void run_build(const RtlDesign& rtl_design, const CampaignOptions& options, const Share& share,
               const BuildContext& build_context, const Leavings& leavings, const std::function<void(Cycles)>& report) {
  const std::unique_ptr<RandomKernel> kernel = rtl_design.random_kernel(options.seed, share.build, options.numbers);
  const std::size_t blocks = rtl_design.topology().blocks.size();
  BuildOptions quick;
  quick.quick = true;
  quick.jobs = options.workers > 1 ? 1 : 2;
  const RtlBuild build(kernel->hardware(), build_context, quick);
  std::unique_ptr<RtlKernel> rtl = build.make();  // one kernel for all cases, as in hardware
  for (int i = 0; i < share.cases; ++i) {
    RandomCase drawn = kernel->draw(options.seed, share.build, i);
    CaseFigures result = describe(drawn);
    const Verdict verdict = run_case(*rtl, drawn);
    result.longest_burst = verdict.longest_burst;
    result.cycles = verdict.cycles;
    result.handshakes = verdict.handshakes;
    result.equal = verdict.equal();
    result.done = true;
    const bool reported = i >= share.first;
    if (!verdict.equal()) {
      rtl = build.make();
      std::array<char, kTextBytes>& text = leavings.header->first_difference;
      if (text[0] == 0 && reported) std::strncpy(text.data(), verdict.difference.c_str(), kTextBytes - 1);
    }
    if (reported) {
      leavings.figures[i - share.first] = result;
      std::copy(verdict.activities.begin(), verdict.activities.end(),
                leavings.activities + static_cast<std::size_t>(i - share.first) * blocks);
    }
    report(i + 1);
  }
}

std::vector<Share> shares(const CampaignOptions& options) {
  if (options.only) {
    const int number = *options.only / options.builds;
    return {{*options.only % options.builds, number + 1, number}};
  }
  std::vector<Share> shares;
  shares.reserve(static_cast<std::size_t>(options.builds));
  for (int build = 0; build < std::min(options.builds, options.count); ++build) {
    shares.push_back({build, (options.count - build + options.builds - 1) / options.builds, 0});
  }
  return shares;
}

}  // namespace

Verdict run_case(RtlKernel& rtl, RandomCase& drawn) {
  if (drawn.beyond) {
    Verdict verdict;
    verdict.difference = offer(rtl, *drawn.beyond);
    if (!verdict.equal()) return verdict;
  }
  return run_lockstep(rtl, *drawn.placed.convolution, drawn.placed.stores, drawn.placed.environment);
}

CampaignResult run_campaign(const RtlDesign& rtl_design, const CampaignOptions& options,
                            const BuildContext& build_context,
                            const std::function<void(std::int64_t done, std::int64_t all)>& progress) {
  const std::vector<Share> parts = shares(options);
  int largest = 0;
  std::vector<std::int64_t> weights;
  for (const Share& share : parts) {
    largest = std::max(largest, share.cases);
    weights.push_back(share.cases);
  }
  const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  const std::size_t blocks = rtl_design.topology().blocks.size();
  os::WorkerPool pool(parts.size(), Leavings::bytes(largest, blocks), options.workers);
  pool.run(
      os::Deal::LongestFirst, weights,
      [&](std::size_t job, void* memory, const std::function<void(Cycles)>& report) {
        new (memory) Header{};
        const Leavings leavings(memory, largest);
        std::uninitialized_default_construct_n(leavings.figures, largest);
        std::uninitialized_default_construct_n(leavings.activities, static_cast<std::size_t>(largest) * blocks);
        run_build(rtl_design, options, parts[job], build_context, leavings, report);
      },
      [&](std::int64_t done) {
        if (progress) progress(done, all);
      });
  CampaignResult result;
  result.options = options;
  for (std::size_t job = 0; job < parts.size(); ++job) {
    const Leavings leavings(const_cast<void*>(pool.result(job)), largest);
    BuildResult build{parts[job].build,
                      rtl_design.random_kernel(options.seed, parts[job].build, options.numbers)->text(),
                      {},
                      leavings.header->first_difference.data()};
    for (int i = 0; i < parts[job].cases - parts[job].first; ++i) {
      const Activities* const activities = leavings.activities + static_cast<std::size_t>(i) * blocks;
      build.cases.push_back({leavings.figures[i], {activities, activities + blocks}});
    }
    result.builds.push_back(std::move(build));
  }
  return result;
}

}  // namespace weft::cosim
