#include "platform/cosim/campaign.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "platform/fpgpt/cosim/limits.h"
#include "platform/os/worker_pool.h"

namespace weft::cosim {

namespace {

constexpr std::size_t kTextBytes = 1000;

// What a worker leaves of a build: this, then its cases.
struct Header {
  std::array<char, kTextBytes> first_difference;
};

CaseResult describe(const RandomCase& drawn) {
  const conv::Convolution& c = drawn.data.plan.beta;
  const Surroundings& s = drawn.surroundings;
  CaseResult result;
  result.kind = c.kind;
  result.a = c.a;
  result.n_inp = c.n_inp;
  result.n_kern = c.n_kern;
  result.c = c.c;
  result.m = c.m();
  result.out_map = c.out_map();
  result.memory = s.memory.kind;
  result.channels_used = static_cast<int>(std::set<int>(s.channels.begin(), s.channels.end()).size());
  for (const memory::Store& store : drawn.data.memory.channels) {
    result.high = result.high || store.end() > Address{1} << 32;
  }
  result.clock = s.memory.kernel_clock;
  result.refuse_percent = s.refuse_percent;
  return result;
}

// Cases of a build: how many, and the first of them that is reported.
struct Share {
  int build = 0, cases = 0, first = 0;
};

void run_build(const CampaignOptions& options, const Share& share, const Workshop& workshop, Header& header,
               CaseResult* results, const std::function<void(Cycles)>& report) {
  const fpgpt::Alpha alpha = random_build(options.seed, share.build);
  BuildOptions quick;
  quick.quick = true;
  quick.jobs = options.workers > 1 ? 1 : 2;
  const RtlBuild build(alpha, kRandomMaxSets, workshop, quick);
  std::unique_ptr<RtlKernel> rtl = build.make();  // one kernel for all, as hardware
  for (int i = 0; i < share.cases; ++i) {
    RandomCase drawn = campaign_case(options.seed, share.build, i, alpha);
    CaseResult result = describe(drawn);
    const Verdict verdict = run_case(*rtl, drawn, alpha, kRandomMaxSets);
    if (drawn.beyond) result.refused_with = status_of(alpha, kRandomMaxSets, *drawn.beyond);
    result.longest_burst = verdict.longest_burst;
    result.cycles = verdict.cycles;
    result.handshakes = verdict.handshakes;
    result.activities = verdict.activities;
    result.equal = verdict.equal();
    result.done = true;
    if (!verdict.equal()) {
      rtl = build.make();
      if (header.first_difference[0] == 0 && i >= share.first) {
        std::strncpy(header.first_difference.data(), verdict.difference.c_str(), kTextBytes - 1);
      }
    }
    if (i >= share.first) results[i - share.first] = result;
    report(i + 1);
  }
}

std::vector<Share> shares(const CampaignOptions& options) {
  if (options.only) {
    const int number = *options.only / options.builds;
    return {{*options.only % options.builds, number + 1, number}};
  }
  std::vector<Share> shares;
  for (int build = 0; build < std::min(options.builds, options.count); ++build) {
    shares.push_back({build, (options.count - build + options.builds - 1) / options.builds, 0});
  }
  return shares;
}

}  // namespace

CampaignResult run_campaign(const CampaignOptions& options, const Workshop& workshop,
                            const std::function<void(std::int64_t done, std::int64_t all)>& progress) {
  const std::vector<Share> parts = shares(options);
  int largest = 0;
  std::vector<std::int64_t> weights;
  for (const Share& share : parts) {
    largest = std::max(largest, share.cases);
    weights.push_back(share.cases);
  }
  const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  os::WorkerPool pool(parts.size(), sizeof(Header) + static_cast<std::size_t>(largest) * sizeof(CaseResult),
                      options.workers);
  pool.run(
      os::longest_first(weights), weights,
      [&](std::size_t job, void* memory, const std::function<void(Cycles)>& report) {
        auto* const header = new (memory) Header{};
        auto* const cases = reinterpret_cast<CaseResult*>(header + 1);
        std::uninitialized_default_construct_n(cases, largest);
        run_build(options, parts[job], workshop, *header, cases, report);
      },
      [&](std::int64_t done) {
        if (progress) progress(done, all);
      });
  CampaignResult result;
  result.options = options;
  for (std::size_t job = 0; job < parts.size(); ++job) {
    const auto* const header = static_cast<const Header*>(pool.result(job));
    const auto* const cases = reinterpret_cast<const CaseResult*>(header + 1);
    result.builds.push_back({parts[job].build, random_build(options.seed, parts[job].build),
                             std::vector<CaseResult>(cases, cases + parts[job].cases - parts[job].first),
                             header->first_difference.data()});
  }
  return result;
}

}  // namespace weft::cosim
