#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/conv/convolution.h"
#include "platform/config/board.h"
#include "platform/config/compose.h"
#include "platform/config/host.h"
#include "platform/config/kernel.h"
#include "platform/config/schedule.h"
#include "platform/config/selection.h"

namespace weft::config {

enum class Rung : std::uint8_t { Analytical, SystemC, Exact };
enum class Mode : std::uint8_t { Timing, Data };

// Workload of a run: a network that the workloads know by name, an ONNX file, layers given in the file, or one
// convolution. `place`: origin of the name, for the error of an unknown one.
struct NamedNetwork {
  std::string name;
  Place place;
};
struct OnnxNetwork {
  std::filesystem::path path;
  Place place;
};
struct InlineNetwork {
  std::string name;
  std::vector<conv::Layer> layers;
};
struct OneConvolution {
  conv::Layer layer;
  conv::Kind kind = conv::Kind::F;
};
using Workload = std::variant<NamedNetwork, OnnxNetwork, InlineNetwork, OneConvolution>;

// Published results of an iteration, printed next to the computed ones; they tune nothing.
struct PublishedIteration {
  std::optional<double> epoch_hours;
  std::optional<double> conv_gops;   // of the convolutions while kernels run
  std::optional<double> gops;        // over the whole iteration
  std::string source;                // citation; empty: nothing is published
  std::vector<std::string> assumed;  // assumptions of the run where the source says nothing
};

// Weights that pruning has kept, for a design that skips the zeros.
struct Sparsity {
  enum class Mask : std::uint8_t { Random, Balanced, File };
  struct LayerDensity {
    std::string layer;
    double density = 1;
    Place place;
  };

  Mask mask = Mask::Balanced;
  std::uint64_t seed = 1;
  double density = 1;                // of the layers that are not listed, 0..1
  std::vector<LayerDensity> layers;  // by name
  std::filesystem::path file;        // mask: file
  Place place, density_place, file_place;
};

std::vector<conv::Kind> all_kinds();  // F, GI, GW

// A run, checked. Immutable by use: load_run makes it, all others take it by const reference.
struct RunConfig {
  // Defined in one place: the copies of a run cost much to compile.
  RunConfig();
  RunConfig(const RunConfig& other);
  RunConfig(RunConfig&& other) noexcept;
  RunConfig& operator=(const RunConfig& other);
  RunConfig& operator=(RunConfig&& other) noexcept;
  ~RunConfig();

  std::string name;
  std::string title;
  Board board;  // board.memory is the memory of the run: the run's `memory` merged over its board's
  KernelPtr kernel;
  std::optional<Host> host;  // the run's `host` merged over its board's default; nothing if there is neither
  Workload workload;
  std::optional<Sparsity> sparsity;
  int batch = 1;
  Rung rung = Rung::Exact;
  Mode mode = Mode::Timing;
  std::vector<conv::Kind> kinds = all_kinds();
  Selection only;
  bool gi_first = false;
  bool lower_fc = false;
  bool lower_matmul = false;
  std::vector<std::int64_t> input_sizes;  // of dimensions that the ONNX file leaves open (workloads::ImportOptions)
  std::uint64_t seed = 1;
  std::optional<int> workers;    // nothing: one per processor
  int processes = 1;             // that simulate runs at the same time on this machine; not a key
  std::filesystem::path output;  // result directory; empty: none
  bool keep_inputs = false;      // results contain copies of the files that they were made from
  std::vector<ReadingChoice> readings;
  bool strict_fit = false;
  std::int64_t verify = 0;  // exact: intervals of each convolution that are replayed cycle by cycle and compared
  // exact: memo of each worker, in MiB; 0: no memo, all is stepped; nothing: the free memory decides.
  std::optional<std::int64_t> memo_mb;
  std::int64_t dataset_images = 1281167;  // ImageNet-1k (ILSVRC 2012), training set: images per epoch
  Schedule schedule;                      // of a training iteration
  PublishedIteration published;

  std::int64_t iterations_per_epoch() const { return (dataset_images - 1) / batch + 1; }

  Place batch_place, kinds_place, workload_place;  // of the keys `batch`, `kinds`, and `network` or `convolution`
};

// Returns the YAML of the run `name_or_path` (a file, or a name in the library's runs/) with the files that it names
// read in and the overrides applied. A network's file takes the run runs/default.yaml. Throws InputError.
Node compose_run(const std::string& name_or_path, const std::vector<Override>& overrides, const Library& library);

// Reads a kernel from its node, as the table of designs does (platform/catalogue/designs.h). `key`: dotted key of the
// node in the run ("kernel"), or "" in a file of its own.
using KernelReader = std::function<KernelPtr(const Node& node, const std::string& key)>;

// Reads a run from composed YAML. Throws InputError.
RunConfig read_run(Node node, const KernelReader& read_kernel);
Node describe_run();      // a JSON Schema
Node describe_network();  // the same of a list of layers
Node write_run(const RunConfig& run);

// Returns the file of a command-line argument: a path, a file of the current directory, or a name. configs/..., if
// there is no such path here, is that of the library.
std::filesystem::path locate(FileKind kind, const std::string& name_or_path, const Library& library);

Board load_board(const std::string& name_or_path, const std::vector<Override>& overrides, const Library& library);
Host load_host(const std::string& name_or_path, const std::vector<Override>& overrides, const Library& library);
// Returns the YAML of a kernel, found in the same way.
Node compose_kernel(const std::string& name_or_path, const std::vector<Override>& overrides, const Library& library);

// Returns the memory channel of each port of the run's kernel, in the order of its ports.
std::vector<int> port_channels(const RunConfig& run);

// Throws Error with the reason if the memory or the bus to it cannot be simulated. Resource checks and equations need
// neither.
void require_simulated_memory(const RunConfig& run);

// Returns the convolutions of `layers` that the run selects by `kinds` and `only`; GI of layers that read the graph's
// input needs gi_first. Throws InputError that lists the existing ones if none is selected.
std::vector<Chosen> choose(const RunConfig& run, const std::vector<conv::Layer>& layers);

// Returns the layers of an inline network or of one convolution, with the batch of the run; empty for networks that the
// workloads must look up.
std::vector<conv::Layer> inline_layers(const RunConfig& run);

// Returns the run as one self-contained YAML file: reading it gives the identical run.
std::string resolved_yaml(const RunConfig& run);

const char* to_string(Rung rung);
const char* to_string(Mode mode);

}  // namespace weft::config
