#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/activity.h"
#include "model/engine/account.h"
#include "model/memory/memory.h"
#include "platform/config/inputs.h"
#include "platform/config/run_config.h"
#include "platform/record/record.h"
#include "platform/run/figures.h"

namespace weft::run {

// A kernel's use of a board resource.
struct Use {
  std::int64_t used = 0;
  std::optional<std::int64_t> available{};  // nothing: the board does not state it
  std::optional<bool> fits{};               // nothing: not known

  bool exceeds() const { return fits && !*fits; }
};
// Largest use by any kernel of the run, and the convolution that this kernel runs, as LAYER:KIND.
struct LargestUse {
  Use use;
  std::string by;
};

// Findings of data mode for a convolution.
struct FoundData {
  std::string out_digest;
  double largest_error = 0;
  std::optional<std::int64_t> overflows;
};

// Convolution of a run as it is printed and saved. Fields that need a simulation are empty on the analytical rung.
struct RowRecord {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
  bool fully_connected = false;
  Figures figures;
  std::string limiter;
  design::NamedValues summary, terms;  // by the equations
  Cycles analytical_cycles = 0;
  std::optional<std::string> analytical_limiter;  // set if the row was simulated
  std::optional<record::Named<Activities>> blocks;
  std::optional<record::Named<memory::PortStats>> ports;
  std::optional<Cycles> drain_cycles;
  std::optional<std::vector<Cycles>> launch_cycles;  // set if there are several launches
  std::optional<std::int64_t> parts;                 // as of the row
  std::optional<Cycles> skipped_cycles;
  std::optional<bool> repeats;
  std::optional<std::int64_t> verified;
  std::optional<engine::ExactAccount> exact;  // not saved: depends on the speed and the memory of the machine
  design::NamedValues kernel;
  std::optional<Cycles> unshared;
  record::Named<Use> resources;
  std::int64_t launches = 0;
  Bytes pcie_to_card = 0, pcie_to_host = 0;
  std::optional<FoundData> data;

  std::string name() const;  // LAYER:KIND
  bool fits() const;
};

// Convolutions with one limiter.
struct LimiterUse {
  std::string name;
  Cycles cycles = 0;
  std::int64_t convolutions = 0;
};

// Cost by the equations of sizes that all convolutions share.
struct SharedSizes {
  Cycles shared = 0, unshared = 0;
  std::int64_t payers = 0;
};

// Sums over the convolutions of a kind, or over all.
struct Sums {
  std::string name;  // "all F", "network"
  std::string kind;  // "F"; empty for the network
  const Figures* figures = nullptr;
  std::int64_t convolutions = 0;
};

// Training iteration of the run: convolutions, host, PCIe and loads. Its times, or the reason why they are unknown.
struct IterationRecord {
  std::optional<double> seconds, epoch_hours;
  record::Named<double> shares;     // of the seconds, by activity; those above 0
  std::optional<std::string> host;  // name of the host
  std::optional<std::string> error;

  std::string largest_shares(std::size_t most) const;  // "kernels 71.9%, H2C 0.2%": those of a thousandth or more
};

// Run as it is printed and saved: the only input of tables, CSV, pages and comparisons.
struct Record {
  std::string weft_version = record::weft_version(), run, network, board;
  int batch = 1;
  config::Rung rung = config::Rung::Analytical;
  config::Mode mode = config::Mode::Timing;
  std::uint64_t seed = 1;
  double clock_mhz = 0;
  design::NamedValues head;  // fields of KernelText::head
  record::Named<std::string> readings;
  std::vector<std::string> do_not_know;
  std::optional<std::string> equations;  // note on the source of the equations, if the reader needs it
  record::Named<Figures> kinds;
  Figures whole;
  double seconds = 0, epoch_hours = 0;  // of the convolutions only
  std::int64_t iterations_per_epoch = 0;
  std::optional<IterationRecord> iteration;
  std::optional<std::vector<std::string>> remarks;
  std::int64_t launches = 0, kernels = 0, loads = 0;
  Bytes pcie_to_card = 0, pcie_to_host = 0;
  record::Named<LargestUse> fit;
  std::vector<std::string> do_not_fit;  // as LAYER:KIND
  std::string resource_source;
  std::optional<SharedSizes> shared_sizes;
  std::vector<RowRecord> rows;
  std::int64_t operators = 0;
  std::vector<workloads::HostLayer> host_layers;
  std::string design, kernel, array;
  std::int64_t peak_macs = 1;  // per cycle
  Bytes beat_bytes = 0, channel_bytes_per_s = 0;
  std::optional<std::vector<Bytes>> port_beat_bytes;  // in the order of the ports, if they differ
  Bytes beat_bytes_of(std::size_t port) const { return port_beat_bytes ? port_beat_bytes->at(port) : beat_bytes; }
  int channels = 0;  // used channels
  std::int64_t dataset_images = 0;
  std::optional<config::Inputs> inputs;

  bool simulated() const { return rung != config::Rung::Analytical; }
  std::string headline() const;  // "resnet20 on u250, 16 x 16 PEs at 100 MHz, profile hls, batch 1, exact rung"
  std::vector<LimiterUse> limiters() const;    // most cycles first
  engine::ExactAccount exact_account() const;  // of all convolutions
  bool knows_fit() const;                      // true if the board states all resources that the kernels use
  std::string misfit_text() const;  // resources that exceed the board, and the number of convolutions that need them
  std::vector<Sums> sums() const;   // kinds, then the network
  std::int64_t transposed() const;  // convolutions of transposed layers
};
void fields(record::Visitor& io, Record& record);

// Kernel parameters of all designs.
const record::Words& kernel_words();

// Visits a field of PE-cycles by class.
void pe_cycles(record::Visitor& io, const char* name, std::optional<record::Named<Value>>& of);

inline constexpr const char* kRowName = "a convolution, as LAYER:KIND";
std::string name_of(const conv::Layer& layer, conv::Kind kind);

RowRecord row_of(const Result& result, const Row& row);
// `iteration`: nothing if there is none.
Record record_of(const Result& result, std::optional<IterationRecord> iteration);

// Reads a saved result.json. Throws InputError for a file not in the form that this version writes.
Record read_record(const std::filesystem::path& file);

}  // namespace weft::run
