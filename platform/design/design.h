#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/core/error.h"
#include "model/core/topology.h"
#include "model/memory/traffic.h"
#include "model/stream/observer.h"
#include "platform/config/run_config.h"
#include "platform/design/card_kernel.h"
#include "platform/design/row.h"
#include "workloads/network.h"

namespace weft::design {

// A run with a change made to it, or the reason why the change cannot be made.
struct Changed {
  std::optional<config::RunConfig> run;
  std::string why_not;

  static Changed to(config::RunConfig run);
  static Changed impossible(std::string why);
};

// A change to a run whose gain `weft explain` measures.
struct Counterfactual {
  enum class Use : std::uint8_t {
    Step,      // an architect can make it
    Question,  // changes the question: batch, number format, clock, board
    Bound      // cannot be bought: bounds the time from below
  };

  std::string name;     // one word, used in file names too
  std::string meaning;  // the difference, in a few words
  // Returns a run that a file can express, because that file is run.
  std::function<Changed(const config::RunConfig&)> make;
  Use use = Use::Step;
  bool again = false;    // may be applied repeatedly
  bool sizes = false;    // changes the array or sizes of the kernel, which `schedule.kernels` replaces
  std::string caveat{};  // obstacle, such as "needs timing closure"; empty: only the resources of the board
  std::string set{};     // KEY=VALUE of --set, if it is shorter than the keys that differ; or empty
};

// Changes that any design may list.

Counterfactual ideal_memory();  // instead of the board's: a bound
Counterfactual faster_ddr();    // fastest bin of DDR4: a question
Counterfactual faster_clock();  // twice that of the kernel: a question

}  // namespace weft::design

namespace weft::dse {
class Explorer;
}

namespace weft::design {

// Result of one unit of work: counts in the order of the design's topology.
struct UnitResult {
  Cycles cycles = 0;
  Cycles drain_cycles = 0;  // after `cycles`, for reads whose words are not needed; the kernel is done after them
  Cycles skipped_cycles = 0;
  std::vector<Activities> blocks;
  std::vector<memory::PortStats> ports;
  std::vector<std::int64_t> pe_cycles;  // their sum is the number of PEs times `cycles`
  engine::ExactAccount account;
  DataCheck data;
};

// Transfers of the card's DMA engine while a unit runs, from the unit's cycle 0 on. The design chooses their addresses
// within the channel.
struct ConcurrentTransfer {
  int channel = 0;  // memory channel
  memory::Traffic traffic;
};
struct UnitWithTransfers {
  UnitResult unit;
  std::vector<Cycles> ends;  // cycle in which the last byte of each transfer is in memory, or has left over the link
  memory::PortStats moved;   // statistics of the engine's ports
};

// Activities of all blocks of a unit, in total and up to each of some cycles.
struct UnitActivity {
  Cycles cycles = 0;               // of the whole unit
  std::vector<Activities> blocks;  // of the whole unit
  std::vector<std::vector<Activities>> up_to;
};

// A register write by software over AXI4-Lite.
struct RegisterWrite {
  Address offset = 0;
  std::uint32_t data = 0;
};

// The work of a run on a design: rows and the units that make them up, row by row. Units are independent of each other:
// each is a launch of the kernel, from cycle 0.
class Work {
 public:
  virtual ~Work() = default;

  // Rows with all that is known without simulating; cycles and limiter are those of the equations.
  virtual std::vector<Row> rows() const = 0;

  struct Unit {
    std::size_t row = 0;
    std::int64_t weight = 0;  // cycles expected by the equations: weight in the progress, key of the processing order
    int group = 0;            // of the row's layer
  };
  virtual std::vector<Unit> units() const = 0;
  // True if a unit is simulated faster after others in the same process, because their memo entries are reused.
  virtual bool learns() const { return false; }
  // All inputs that a unit's cycles depend on in timing mode: units of equal identity take equal cycles.
  virtual std::vector<std::int64_t> identity(std::size_t unit) const = 0;
  // Simulates a unit on the rung and in the mode of the run. `seed`: of its data. Throws Error or Deadlock.
  virtual UnitResult simulate(std::size_t unit, std::uint64_t seed,
                              const std::function<void(Cycles)>& report) const = 0;
  // Launch overhead of a unit, known without simulation.
  virtual Launch launch(std::size_t unit) const = 0;
  // Tensors that the host must have sent before the unit, in the order of a workloads::ConvolutionOp's inputs, and the
  // outputs that it can fetch afterwards.
  virtual std::vector<UnitTensor> tensors(std::size_t unit) const = 0;
  // Host work around each launch; nothing if the host sends the layer's tensors as they are (default).
  virtual std::optional<HostPrepared> host_prepared(std::size_t) const { return std::nullopt; }
  // Returns the limiter of a simulated row of this work.
  virtual std::string limiter(const Row& row) const = 0;
};

// Interfaces that the work of some designs offers in addition; offered() finds them.

class Watched {
 public:
  static constexpr const char* kMissing = "this design has no model for waveforms and traces";
  virtual ~Watched() = default;
  // As Work::simulate(), but cycle by cycle on the systemc rung, whatever the rung of the run, watched by `observer`.
  // The counts cover the cycles up to the one at which the observer ends the unit.
  virtual UnitResult watch(std::size_t unit, std::uint64_t seed, const std::function<void(Cycles)>& report,
                           stream::Observer& observer) const = 0;
};

class Sampled {
 public:
  static constexpr const char* kMissing = "this design cannot count the activity of its blocks over time";
  virtual ~Sampled() = default;
  // Returns the activities of all blocks up to the start of each of `cycles` (ascending); cycles after the end of the
  // unit are left out. Uses the rung and the mode of the run.
  virtual UnitActivity activity(std::size_t unit, std::uint64_t seed, const std::vector<Cycles>& cycles,
                                const std::function<void(Cycles)>& report) const = 0;
};

class SharesChannels {
 public:
  static constexpr const char* kMissing =
      "overlap: same_bank: this design cannot simulate a transfer and the kernel on one memory channel; allowed: none, "
      "double_buffer";
  virtual ~SharesChannels() = default;
  // Simulates a unit and, concurrently, transfers that follow each other, on memory channels that they may share;
  // timing mode, cycle by cycle. Throws Error if the rung does not support it or a channel is too small.
  virtual UnitWithTransfers simulate_with_transfers(std::size_t unit, const std::vector<ConcurrentTransfer>& transfers,
                                                    const std::function<void(Cycles)>& report) const = 0;
};

class StartedByRegisters {
 public:
  static constexpr const char* kMissing = "this design has no kernel on the card";
  virtual ~StartedByRegisters() = default;
  // Register writes by which software launches a unit on a card with this memory, in order, the start last. The tensors
  // of the unit follow each other in each bank, from its first byte on.
  virtual std::vector<RegisterWrite> register_writes(std::size_t unit, const AddressMap& memory) const = 0;
};

// Returns the interface `Offer` of the work; throws Error if its design does not have it.
template <class Offer>
const Offer& offered(const Work& work) {
  if (const auto* const offer = dynamic_cast<const Offer*>(&work)) return *offer;
  throw Error(Offer::kMissing);
}

// A named value that a design adds to results.
struct ResultField {
  const char* name;
  const char* type;  // SQLite type: INTEGER, REAL or TEXT
  const char* unit;  // "words"; empty: no unit
  const char* meaning;
};

// All result fields that do not follow from the topology.
struct ResultFields {
  std::vector<ResultField> head;        // of KernelText::head
  std::vector<ResultField> kernel;      // of Row::kernel: columns of the rows, also in a sweep's database
  std::vector<ResultField> row_kernel;  // of Row::kernel: in JSON only
  std::vector<ResultField> summary;     // of Equations::summary
  std::vector<ResultField> equations;   // of Equations::terms, in addition to the blocks and the summary
};

// Validity of a run's equations: the kernel that they describe.
struct EquationsNote {
  std::vector<config::ReadingChoice> readings;  // all readings, with the values used
  std::vector<config::ReadingChoice> followed;  // the readings that follow a setting of the kernel
  std::string kernel;                           // that setting: "profile rtl"; empty if there is none
  std::vector<std::string> unknown;             // keys of the run that the equations do not depend on
  bool needed = false;  // true: printed with simulated results too; the equations were written for another kernel
};
// "for profile rtl read with burst exact, ...; they do not know memory.*, ...": the readings that follow from the
// profile's switches, and the keys that the equations do not depend on.
std::string equations_text(const EquationsNote& note);

// An accelerator design: all that `weft` needs to run, sweep and report it. Stateless.
class Design {
 public:
  // `compute`: the block that the other blocks serve; a cycle in which it is not active is a stall.
  template <class Block>
  Design(const Topology& topology, Block compute, ResultFields fields)
      : topology_(topology), compute_block_(static_cast<std::size_t>(compute)), result_fields_(std::move(fields)) {}
  virtual ~Design() = default;

  virtual const char* name() const = 0;  // value of `design` in its kernel files
  const Topology& topology() const { return topology_; }
  std::size_t compute_block() const { return compute_block_; }  // index in the topology
  const ResultFields& result_fields() const { return result_fields_; }

  // Reads a kernel; `key`: path of the node in the run. Throws InputError.
  virtual config::KernelPtr read_kernel(const config::Node& node, const std::string& key) const = 0;

  virtual config::Node describe_kernel() const = 0;  // JSON Schema of a kernel's file

  // Plans the work of `run`, sizes fitted. `network`: layers of its workload, batch set. Throws Error if the kernel or
  // board cannot hold a convolution, InputError for a reading that does not exist.
  virtual std::unique_ptr<Work> plan(const config::RunConfig& run, const workloads::Network& network) const = 0;

  // Source of the kernel's resource use: "Eqs. 5.14-5.22".
  virtual std::string resource_source(const config::RunConfig& run) const = 0;
  virtual EquationsNote equations_note(const config::RunConfig& run) const = 0;

  // Changes that `weft explain` can apply to a run of this design; the order breaks ties.
  virtual std::vector<Counterfactual> counterfactuals(const config::RunConfig& run) const = 0;
  // Returns the run with every key that cannot affect the counts of `kind` in timing mode set to a canonical value.
  // Used as cache key: equal canonical runs and equal unit identities give equal counts.
  virtual config::RunConfig as_seen_by(const config::RunConfig& run, conv::Kind) const { return run; }

  // True if the design skips the weights that `sparsity` drops. False: its runs may have no `sparsity`.
  virtual bool takes_sparsity() const { return false; }
  // Lines for people printed below a result; only for facts that no table shows.
  virtual std::vector<std::string> remarks(const config::RunConfig&, const std::vector<Row>&) const { return {}; }

  // Optional features of a design; nullptr: not offered.
  virtual const dse::Explorer* explorer() const { return nullptr; }
  virtual std::unique_ptr<CardKernels> card_kernels(const CardOptions&) const { return nullptr; }
  // Arguments of this kernel as RTL or on the card, in the order in which software numbers them.
  virtual std::vector<KernelArgument> card_arguments(const config::Kernel&) const { return {}; }
  // The kernel of a row of the run's work, all sizes fixed, as a card loads it; null: no card can.
  virtual config::KernelPtr card_kernel_of(const config::RunConfig&, const Row&) const { return nullptr; }

 private:
  const Topology& topology_;
  std::size_t compute_block_;
  ResultFields result_fields_;
};

// Base of a design whose kernel files are of type `Config` (config::KernelBase) and whose work is planned by `kPlan`.
template <class Config, auto kPlan>
class DesignOf : public Design {
 public:
  using Design::Design;
  const char* name() const override { return Config::kDesign; }
  config::KernelPtr read_kernel(const config::Node& node, const std::string& key) const override {
    return Config::read(node, key);
  }
  config::Node describe_kernel() const override { return Config::describe(); }
  std::unique_ptr<Work> plan(const config::RunConfig& run, const workloads::Network& network) const override {
    return kPlan(run, network);
  }
};

}  // namespace weft::design
