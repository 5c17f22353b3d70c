#include "platform/cosim/mutation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <set>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/cosim/random_case.h"
#include "platform/os/temporary_folder.h"
#include "platform/os/worker_pool.h"
#include "platform/rtl/rtl.h"

namespace weft::cosim {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSeed = 1;

// Plain, for the memory that workers share.
struct Outcome {
  int cases;
  std::array<char, 1000> difference;
};

// A copy of the RTL that goes with the object, with the fault in it if there is one.
class RtlCopy {
 public:
  RtlCopy(const fs::path& original, const Mutant* mutant) {
    for (const auto& entry : fs::directory_iterator(original)) {
      if (entry.is_regular_file()) fs::copy_file(entry.path(), path() / entry.path().filename());
    }
    if (mutant) std::ofstream(path() / mutant->file) << mutated(*mutant, rtl::content(original / mutant->file));
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  os::TemporaryFolder folder_{fs::temp_directory_path(), "weft-mutant-"};
};

// Small, so that it builds quickly; no FIFO, port or buffer is larger than it must be to be filled.
fpgpt::Alpha small_kernel(bool hls) {
  fpgpt::Alpha alpha;
  alpha.x = 3;
  alpha.y = 3;
  alpha.z = 20;
  alpha.band = 4;
  alpha.z_channel = 96;
  alpha.k_range = 96;
  alpha.kern_words = 512;
  alpha.out_words = 4096;
  alpha.profile = hls ? fpgpt::Profile::hls() : fpgpt::Profile::rtl();
  alpha.fifo = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  alpha.inp_port = alpha.kern_port = alpha.out_port = {16, 2};
  return alpha;
}

void compare(bool hls, const Mutant* mutant, const Workshop& workshop, int most_cases, Outcome& outcome) {
  const fpgpt::Alpha alpha = small_kernel(hls);
  const RtlCopy copy(rtl::folder(workshop), mutant);
  BuildOptions options;
  options.rtl = copy.path();
  options.strict = false;
  options.quick = true;
  options.jobs = 1;
  const RtlBuild build(alpha, kRandomMaxSets, workshop, options);
  const std::unique_ptr<RtlKernel> rtl = build.make();
  for (outcome.cases = 0; outcome.cases < most_cases && outcome.difference[0] == 0; ++outcome.cases) {
    RandomCase drawn = random_case(kSeed, 0, outcome.cases, alpha);
    const Verdict verdict = run_lockstep(*rtl, drawn.data.plan, drawn.data.memory.channels, drawn.surroundings);
    std::strncpy(outcome.difference.data(), verdict.difference.c_str(), outcome.difference.size() - 1);
  }
}

Mutant read_mutant(const config::Node& node, const std::string& path) {
  Mutant mutant;
  config::MapReader reader(node, path);
  reader.text("name", mutant.name, config::Need::Required);
  reader.text("what", mutant.what, config::Need::Required);
  reader.text("file", mutant.file, config::Need::Required);
  reader.text("old", mutant.old_text, config::Need::Required);
  reader.text("new", mutant.new_text, config::Need::Required);
  reader.choice("profile", mutant.hls, config::Names<bool>{{"rtl", false}, {"hls", true}});
  reader.finish();
  if (mutant.file.find('/') != std::string::npos) throw reader.error("file", "must be a file of kernels/fpgpt/rtl");
  if (mutant.old_text.empty() || mutant.old_text.find('\n') != std::string::npos) {
    throw reader.error("old", "must be a text of one line");
  }
  if (mutant.old_text == mutant.new_text) throw reader.error("new", "must differ from 'old'");
  return mutant;
}

}  // namespace

std::vector<Mutant> load_mutants(const fs::path& path) {
  const config::Node root = config::parse_file(path);
  std::vector<Mutant> mutants;
  std::set<std::string> names;
  for (std::size_t i = 0; i < config::expect_list(root, "mutants").children.size(); ++i) {
    const config::Node& node = root.children[i];
    mutants.push_back(read_mutant(node, fmt::format("[{}]", i)));
    if (!names.insert(mutants.back().name).second) {
      throw config::error_at(node.place, "name", fmt::format("'{}' names two mutants", mutants.back().name));
    }
  }
  return mutants;
}

std::string mutated(const Mutant& mutant, const std::string& text) {
  const std::size_t at = text.find(mutant.old_text);
  if (at == std::string::npos || text.find(mutant.old_text, at + 1) != std::string::npos) {
    throw Error(fmt::format("mutant '{}': its old text stands {} in {}; it must stand there exactly once", mutant.name,
                            at == std::string::npos ? "nowhere" : "more than once", mutant.file));
  }
  return text.substr(0, at) + mutant.new_text + text.substr(at + mutant.old_text.size());
}

void check(const Mutant& mutant, const fs::path& source) {
  mutated(mutant, rtl::content(rtl::folder({source, {}}) / mutant.file));
}

bool MutationResult::passed() const {
  return std::all_of(mutants.begin(), mutants.end(), [](const MutantResult& m) { return !m.difference.empty(); }) &&
         std::all_of(controls.begin(), controls.end(), [](const std::string& text) { return text.empty(); });
}

MutationResult run_mutants(const std::vector<Mutant>& mutants, const Workshop& workshop, int most_cases, int workers,
                           const std::function<void(std::int64_t done, std::int64_t all)>& progress) {
  for (const Mutant& mutant : mutants) check(mutant, workshop.source);  // all errors before the first build
  std::set<bool> kernels;
  for (const Mutant& mutant : mutants) kernels.insert(mutant.hls);
  const std::size_t jobs = mutants.size() + kernels.size();  // and the RTL as it is
  const std::vector<std::int64_t> weights(jobs, 1);
  os::WorkerPool pool(jobs, sizeof(Outcome), workers);
  pool.run(
      os::longest_first(weights), weights,
      [&](std::size_t job, void* memory, const std::function<void(Cycles)>&) {
        const Mutant* const mutant = job < mutants.size() ? &mutants[job] : nullptr;
        const bool hls =
            mutant ? mutant->hls : *std::next(kernels.begin(), static_cast<std::ptrdiff_t>(job - mutants.size()));
        compare(hls, mutant, workshop, most_cases, *new (memory) Outcome{});
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
