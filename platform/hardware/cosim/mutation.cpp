#include "platform/hardware/cosim/mutation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "platform/config/reader.h"
#include "platform/hardware/cosim/lockstep.h"
#include "platform/hardware/rtl/rtl.h"
#include "platform/os/content.h"
#include "platform/os/temporary_folder.h"
#include "platform/os/worker_pool.h"

namespace weft::cosim {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSeed = 1;

// Outcome of a mutant; trivially copyable, for memory shared with workers.
struct Outcome {
  int cases;
  std::array<char, 1000> difference;
};

// Temporary copy of the RTL, with the fault if there is one.
class RtlCopy {
 public:
  RtlCopy(const rtl::Sources& sources, const BuildContext& build_context, const Mutant* mutant) {
    const rtl::Files files = rtl::files(sources, build_context);
    for (const auto* kind : {&files.waivers, &files.sources}) {
      for (const fs::path& file : *kind) fs::copy_file(file, path() / file.filename());
    }
    if (!mutant) return;
    const std::string original = os::content(path() / mutant->file);
    std::ofstream(path() / mutant->file) << mutation::mutated(*mutant, original);
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  os::TemporaryFolder folder_{fs::temp_directory_path(), "weft-mutant-"};
};

// Cases that may reveal a fault, in this order: the limits of the kernel, random convolutions, and one longer than 2^20
// cycles. Ends with the first difference.
class Trial {
 public:
  Trial(RtlKernel& rtl, const FaultKernel& kernel, Outcome& outcome) : rtl_(rtl), kernel_(kernel), outcome_(outcome) {}

  void run(int most_random) {
    for (const RefusedCase& beyond : kernel_.beyond_limits()) {
      if (!noticed()) note(offer(rtl_, beyond));
    }
    for (PlacedCase& placed : kernel_.at_limits(kSeed)) {
      if (!noticed()) note(run_lockstep(rtl_, *placed.convolution, placed.stores, placed.environment).difference);
    }
    for (int i = 0; i < most_random; ++i) {
      if (!noticed()) random(i, {});
    }
    if (!noticed()) random(0, {0, kLongStall});
  }

 private:
  bool noticed() const { return outcome_.difference[0] != 0; }
  void random(int number, const Stall& stall) {
    RandomCase drawn = kernel_.random(kSeed, number);
    drawn.placed.environment.stall = stall;
    note(run_case(rtl_, drawn).difference);
  }
  void note(const std::string& difference) {
    ++outcome_.cases;
    std::strncpy(outcome_.difference.data(), difference.c_str(), outcome_.difference.size() - 1);
  }

  RtlKernel& rtl_;
  const FaultKernel& kernel_;
  Outcome& outcome_;
};

void compare(const RtlDesign& rtl_design, const std::string& kernel_name, const Mutant* mutant,
             const BuildContext& build_context, int most_random, Outcome& outcome) {
  const std::unique_ptr<FaultKernel> kernel = rtl_design.small_kernel(kernel_name);
  const RtlCopy copy(rtl_design.sources(), build_context, mutant);
  BuildOptions options;
  options.rtl = copy.path();
  options.strict = false;
  options.quick = true;
  options.jobs = 1;
  const RtlBuild build(kernel->hardware(), build_context, options);
  const std::unique_ptr<RtlKernel> rtl = build.make();
  Trial(*rtl, *kernel, outcome).run(most_random);
}

}  // namespace

static void fields(config::MapIo& io, Mutant& mutant, const RtlDesign& rtl_design) {
  config::Names<std::string> kernels;
  for (const char* name : rtl_design.small_kernels()) kernels.emplace_back(name, name);
  mutation::fault_fields(io, mutant);
  mutant.kernel = kernels.front().second;
  io.choice("profile", mutant.kernel, kernels);
  if (const config::MapReader* const reader = io.reader(); reader && mutant.file.find('/') != std::string::npos) {
    throw reader->error("file",
                        fmt::format("must be a file of {} or {}", rtl_design.sources().folder, rtl::kCommonFolder));
  }
}

std::vector<Mutant> load_mutants(const RtlDesign& rtl_design, const fs::path& path) {
  return mutation::load_faults<Mutant>(path,
                                       [&](config::MapIo& io, Mutant& mutant) { fields(io, mutant, rtl_design); });
}

config::Node describe_mutants(const RtlDesign& rtl_design) {
  return mutation::describe_faults<Mutant>([&](config::MapIo& io, Mutant& mutant) { fields(io, mutant, rtl_design); });
}

void check(const RtlDesign& rtl_design, const Mutant& mutant, const fs::path& source) {
  mutation::check(mutant, rtl::file(rtl_design.sources(), {source, {}}, mutant.file).parent_path());
}

std::int64_t MutationResult::noticed() const {
  return std::count_if(mutants.begin(), mutants.end(), [](const MutantResult& m) { return !m.difference.empty(); });
}

bool MutationResult::agrees() const {
  return std::all_of(controls.begin(), controls.end(), [](const std::string& text) { return text.empty(); });
}

MutationResult run_mutants(const RtlDesign& rtl_design, const std::vector<Mutant>& mutants,
                           const BuildContext& build_context, int most_random, int workers,
                           const std::function<void(std::int64_t done, std::int64_t all)>& progress) {
  for (const Mutant& mutant : mutants)
    check(rtl_design, mutant, build_context.source);  // errors before the first build
  std::vector<std::string> kernels;
  for (const char* name : rtl_design.small_kernels()) {
    if (std::any_of(mutants.begin(), mutants.end(), [&](const Mutant& mutant) { return mutant.kernel == name; })) {
      kernels.emplace_back(name);
    }
  }
  const std::size_t jobs = mutants.size() + kernels.size();  // mutants, and the unmodified RTL on each kernel
  const std::vector<std::int64_t> weights(jobs, 1);
  os::WorkerPool pool(jobs, sizeof(Outcome), workers);
  pool.run(
      os::Deal::LongestFirst, weights,
      [&](std::size_t job, void* memory, const std::function<void(Cycles)>&) {
        const Mutant* const mutant = job < mutants.size() ? &mutants[job] : nullptr;
        const std::string& kernel = mutant ? mutant->kernel : kernels[job - mutants.size()];
        compare(rtl_design, kernel, mutant, build_context, most_random, *new (memory) Outcome{});
      },
      [&](std::int64_t done) {
        if (progress) progress(done, static_cast<std::int64_t>(jobs));
      });
  MutationResult result;
  for (std::size_t job = 0; job < jobs; ++job) {
    const auto* const outcome = static_cast<const Outcome*>(pool.result(job));
    if (job < mutants.size()) {
      result.mutants.push_back({mutants[job], outcome->cases, outcome->difference.data()});
    } else {
      result.controls.emplace_back(outcome->difference.data());
    }
  }
  return result;
}

}  // namespace weft::cosim
