#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "platform/hardware/cosim/rtl_design.h"
#include "platform/hardware/mutation/model_faults.h"

namespace weft::cosim {

struct Mutant : mutation::Fault {  // relative to the folder of the RTL
  std::string kernel;              // one of the design's small kernels; empty: the first
};

// Reads the mutants of a YAML file. Throws InputError for errors in it.
std::vector<Mutant> load_mutants(const RtlDesign& rtl_design, const std::filesystem::path& path);
config::Node describe_mutants(const RtlDesign& rtl_design);  // JSON Schema of the file

// Throws as mutation::check() does, for the mutant's file in the project `source`.
void check(const RtlDesign& rtl_design, const Mutant& mutant, const std::filesystem::path& source);

struct MutantResult {
  Mutant mutant;
  int cases = 0;           // compared, including the one that differs
  std::string difference;  // empty: the mutant survived
};

struct MutationResult {
  std::vector<MutantResult> mutants;
  std::vector<std::string> controls;  // unmodified RTL on each kernel: empty, or the difference
  std::int64_t noticed() const;       // number of mutants that were noticed
  bool agrees() const;                // true if the unmodified RTL equals the model
  bool passed() const { return agrees() && noticed() == static_cast<std::int64_t>(mutants.size()); }
};

// Compares each mutant with the model, on a small kernel and without the RTL's own assertions, until they differ. The
// unmodified RTL runs all cases: convolutions beyond the kernel's limits, at its limits, `most_random` random ones, and
// one longer than 2^20 cycles.
MutationResult run_mutants(const RtlDesign& rtl_design, const std::vector<Mutant>& mutants,
                           const BuildContext& build_context, int most_random, int workers,
                           const std::function<void(std::int64_t done, std::int64_t all)>& progress);

}  // namespace weft::cosim
