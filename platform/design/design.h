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

// A run with a change made to it; or why it cannot be made.
struct Changed {
  std::optional<config::RunConfig> run;
  std::string why_not;

  static Changed to(config::RunConfig run) { return {std::move(run), ""}; }
  static Changed impossible(std::string why) { return {std::nullopt, std::move(why)}; }
};

// A change to a run of which an architect may ask what it would gain: `weft explain` tries it. What `make` gives must
// be a run that a file can hold, for the file is what is run.
struct Counterfactual {
  std::string name;     // a word, which names files too
  std::string meaning;  // what is different then, in a few words
  std::string caveat;   // what stands in its way: "needs timing closure"; empty: only what it takes of the board
  std::string within;  // the resource of which no kernel may need more than the board has, as reports name it; or empty
  bool again = false;  // may be made on top of itself
  std::function<Changed(const config::RunConfig&)> make;
};

// Changes that any design may list.

Counterfactual ideal_memory();  // in place of the board's
Counterfactual faster_ddr();    // the fastest bin of DDR4
Counterfactual faster_clock();  // twice that of the kernel

}  // namespace weft::design

namespace weft::dse {
class Explorer;
}

namespace weft::design {

// What one unit of work came to: counts in the order of the design's topology.
struct UnitResult {
  Cycles cycles = 0;
  Cycles drain_cycles = 0;  // behind them, for reads whose words nobody needs: the kernel is not done before
  Cycles skipped_cycles = 0;
  std::vector<Activities> blocks;
  std::vector<memory::PortStats> ports;
  std::vector<std::int64_t> pe_cycles;  // they sum to its PEs times its cycles
  engine::ExactAccount account;
  DataCheck data;
};

// What the card's DMA engine moves while a unit runs, from the unit's cycle 0 on. Where in its channel it lies is the
// design's to choose.
struct Beside {
  int channel = 0;  // of memory
  memory::Traffic traffic;
};
struct UnitBeside {
  UnitResult unit;
  std::vector<Cycles> ends;  // of each transfer, from cycle 0: the last byte is in memory, or has left over the link
  memory::PortStats moved;   // by the engine's ports
};

// Of a unit up to some of its cycles: for each the activities of all blocks.
struct UnitActivity {
  Cycles cycles = 0;               // of the whole unit
  std::vector<Activities> blocks;  // likewise
  std::vector<std::vector<Activities>> up_to;
};

// Of AXI4-Lite, by software.
struct RegisterWrite {
  Address offset = 0;
  std::uint32_t data = 0;
};

// The work of a run on a design: rows, and the units that make them up, row by row. Units are independent of each
// other: each is a launch of the kernel, from cycle 0.
class Work {
 public:
  virtual ~Work() = default;

  // With all that is known without simulating; cycles and limiter are those of the equations.
  virtual std::vector<Row> rows() const = 0;

  struct Unit {
    std::size_t row = 0;
    std::int64_t weight = 0;  // cycles expected by the equations: its share of the progress, and its place in the order
    int group = 0;            // of the row's layer
  };
  virtual std::vector<Unit> units() const = 0;
  // Whether a unit is simulated faster behind those before it, by what they had to find out.
  virtual bool learns() const { return false; }
  // All that a unit's cycles depend on in timing mode: two of the same identity take the same cycles.
  virtual std::vector<std::int64_t> identity(std::size_t unit) const = 0;
  // Simulates a unit on the rung and in the mode of the run. `seed`: of its data. Throws Error or Deadlock.
  virtual UnitResult simulate(std::size_t unit, std::uint64_t seed,
                              const std::function<void(Cycles)>& report) const = 0;
  // What is known of a unit without simulating it.
  virtual Launch launch(std::size_t unit) const = 0;
  // What the host must have sent before it, in the order of a workloads::ConvolutionOp's inputs, and what it can fetch
  // behind it, its outputs.
  virtual std::vector<UnitTensor> tensors(std::size_t unit) const = 0;
  // Of a design whose host makes something of its own for each launch (as here, none).
  virtual std::optional<HostServed> served(std::size_t) const { return std::nullopt; }
  // What limited a row of this work that was simulated.
  virtual std::string limiter(const Row& row) const = 0;
};

// Interfaces that the work of some designs offers beside; offered() finds them.

class Watched {
 public:
  static constexpr const char* kMissing =
      "this design has no model whose cycles can be watched, for waveforms and traces";
  virtual ~Watched() = default;
  // As Work::simulate(), but cycle by cycle, on the systemc rung whatever that of the run, beside `observer`: the
  // counts are of the cycles up to where it ends the unit.
  virtual UnitResult watch(std::size_t unit, std::uint64_t seed, const std::function<void(Cycles)>& report,
                           stream::Observer& observer) const = 0;
};

class Sampled {
 public:
  static constexpr const char* kMissing = "this design cannot say what its blocks did in parts of a convolution";
  virtual ~Sampled() = default;
  // The activities of all blocks up to the start of each of `cycles`, which rise; those after its end are left
  // out. On the rung and in the mode of the run.
  virtual UnitActivity activity(std::size_t unit, std::uint64_t seed, const std::vector<Cycles>& cycles,
                                const std::function<void(Cycles)>& report) const = 0;
};

class SharesChannels {
 public:
  static constexpr const char* kMissing =
      "overlap: same_bank: this design cannot simulate a transfer and the kernel on one memory channel; allowed: none, "
      "double_buffer";
  virtual ~SharesChannels() = default;
  // A unit and transfers at once, one after the other, on memory channels that they may share: in timing mode, cycle
  // by cycle. Throws Error where the rung cannot, or a channel is too small for them.
  virtual UnitBeside simulate_beside(std::size_t unit, const std::vector<Beside>& transfers,
                                     const std::function<void(Cycles)>& report) const = 0;
};

class StartedByRegisters {
 public:
  static constexpr const char* kMissing = "this design has no kernel on the card";
  virtual ~StartedByRegisters() = default;
  // The writes by which software launches a unit on a card with this memory, in order, the start last; its
  // tensors lie one after the other in each bank, from its first byte on.
  virtual std::vector<RegisterWrite> register_writes(std::size_t unit, const AddressMap& memory) const = 0;
};

// The interface `Offer` of the work; throws Error if its design does not have it.
template <class Offer>
const Offer& offered(const Work& work) {
  if (const auto* const offer = dynamic_cast<const Offer*>(&work)) return *offer;
  throw Error(Offer::kMissing);
}

// A name that a design puts into results.
struct ResultField {
  const char* name;
  const char* type;  // of SQLite: INTEGER, REAL or TEXT
  const char* unit;  // "words"; empty for what has none
  const char* meaning;
};

// All of them that do not follow from its topology.
struct ResultFields {
  std::vector<ResultField> head;        // of KernelText::head
  std::vector<ResultField> kernel;      // of Row::kernel: columns of the rows, of a sweep's database too
  std::vector<ResultField> row_kernel;  // of Row::kernel: in JSON alone
  std::vector<ResultField> summary;     // of Equations::summary
  std::vector<ResultField> equations;   // of Equations::terms, beside the blocks and the summary
};

// What the equations of a run stand for, so that nobody takes their cycles for those of another kernel.
struct EquationsNote {
  std::vector<config::ReadingChoice> readings;  // all of them, with the value that is used
  std::vector<config::ReadingChoice> followed;  // those of them that follow a setting of the kernel ...
  std::string kernel;                           // ... which is this: "profile rtl"; empty if none does
  std::vector<std::string> unknown;             // the keys of the run that the equations do not depend on
  bool needed = false;  // beside a simulation too: the kernel is not the one that the equations were written for
};
// "for profile rtl read with burst exact, ...; they do not know memory.*, ...": the readings that the profile's
// switches ask for, and the keys that the equations do not depend on, so that nobody takes their cycles for those of
// another kernel.
std::string equations_text(const EquationsNote& note);

// An accelerator design: what `weft` needs to know to run, sweep and report it. Stateless.
class Design {
 public:
  // `compute`: the block whose work the others serve: where it is not active, it stalls.
  template <class Block>
  Design(const Topology& topology, Block compute, ResultFields fields)
      : topology_(topology), compute_block_(static_cast<std::size_t>(compute)), result_fields_(std::move(fields)) {}
  virtual ~Design() = default;

  virtual const char* name() const = 0;  // the `design` of its kernel files
  const Topology& topology() const { return topology_; }
  std::size_t compute_block() const { return compute_block_; }  // of the topology
  const ResultFields& result_fields() const { return result_fields_; }

  // `key` is the node's place in the run. Throws InputError.
  virtual config::KernelPtr read_kernel(const config::Node& node, const std::string& key) const = 0;

  // What `run` asks for, sizes fitted. `network`: the layers of its workload, batch set. Throws Error for what its
  // kernel or board cannot hold, InputError for a reading that does not exist.
  virtual std::unique_ptr<Work> plan(const config::RunConfig& run, const workloads::Network& network) const = 0;

  // What says how much of the device a kernel takes: "Eqs. 5.14-5.22".
  virtual std::string resource_source(const config::RunConfig& run) const = 0;
  virtual EquationsNote equations_note(const config::RunConfig& run) const = 0;

  // What an architect may ask of a run of this design, in the order in which ties are broken.
  virtual std::vector<Counterfactual> counterfactuals(const config::RunConfig& run) const = 0;
  // The run with everything set to one value that the counts of convolutions of `kind` cannot depend on in timing mode,
  // their units' identities given: units of equal identity in runs that look alike so have equal counts.
  virtual config::RunConfig as_seen_by(const config::RunConfig& run, conv::Kind) const { return run; }

  // Whether it leaves out weights that the run's `sparsity` does not keep; a run on a design that does not has none.
  virtual bool takes_sparsity() const { return false; }
  // Lines for people below a result of this design; none unless it has something to say that no table shows.
  virtual std::vector<std::string> remarks(const config::RunConfig&, const std::vector<Row>&) const { return {}; }

  // What a design may offer beside; nullptr where it does not.
  virtual const dse::Explorer* explorer() const { return nullptr; }
  virtual std::unique_ptr<CardKernels> card_kernels(const CardOptions&) const { return nullptr; }
  // Of this kernel with RTL or on the card, in the order in which software numbers them.
  virtual std::vector<KernelArgument> card_arguments(const config::Kernel&) const { return {}; }
  // The kernel of a row of the run's work, all sizes fixed, as a card loads it; null: no card can.
  virtual config::KernelPtr card_kernel_of(const config::RunConfig&, const Row&) const { return nullptr; }

 private:
  const Topology& topology_;
  std::size_t compute_block_;
  ResultFields result_fields_;
};

// Base of a design whose kernel files are `Config` (config::KernelBase) and whose runs `kPlan` plans.
template <class Config, auto kPlan>
class DesignOf : public Design {
 public:
  using Design::Design;
  const char* name() const override { return Config::kDesign; }
  config::KernelPtr read_kernel(const config::Node& node, const std::string& key) const override {
    return Config::read(node, key);
  }
  std::unique_ptr<Work> plan(const config::RunConfig& run, const workloads::Network& network) const override {
    return kPlan(run, network);
  }
};

}  // namespace weft::design
