#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/difference.h"
#include "platform/config/inputs.h"
#include "platform/iteration/timeline/iteration.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "platform/record/record.h"
#include "platform/run/record.h"

// The result of weft timeline: printed, saved and read back.
namespace weft::timeline {

double seconds(Picoseconds time);
double epoch_hours(const TrainingIteration& iteration);

// Columns that a training iteration adds to a point of a sweep; times in seconds.
struct IterationFigures {
  double epoch_hours = 0;
  double whole = 0, kernels = 0, loads = 0, link = 0, calls = 0, host = 0;
};
void fields(record::Visitor& io, IterationFigures& figures);

IterationFigures figures_of(const TrainingIteration& iteration);

struct PartName {
  const char* name;
  const char* meaning;
};
// Parts of an iteration's time by activity. Concurrent activities count as the first of these.
inline constexpr std::array<PartName, kStepKinds> kPartNames{
    {{"kernels", "convolutions on the card"},
     {"precompute", "kernels computing constants from their registers"},
     {"reconfiguration", "loads of bitstreams"},
     {"H2C", "data on the link to the card"},
     {"C2H", "data on the link to the host"},
     {"calls", "software around transfers and launches"},
     {"host layers", "operators of the host"},
     {"im2col", "im2col on the host"},
     {"tiling", "matrices into tiles, or KERN into the order of its parts, on the host"},
     {"untiling", "matrices out of tiles and back into maps, on the host"},
     {"quantise", "FP32 into fixed point, on the host"},
     {"dequantise", "sums of fixed point into FP32, on the host"}}};

// True for activities that occur only with hosts that prepare each launch, or with fixed-point kernels.
constexpr bool of_some_kernels(StepKind activity) {
  return activity >= StepKind::Tiling;
}

struct StepResult {
  std::string of;  // the operator
  std::size_t number = 0;
  std::string direction, operator_class;
  StepKind activity = StepKind::HostOperator;
  Resource resource = Resource::Host;
  Picoseconds start = 0, end = 0;
  std::optional<std::string> what;
  std::optional<Bytes> bytes;
  std::optional<std::size_t> kernel;
  std::optional<int> channel;
  std::optional<std::string> priced_by;

  Picoseconds duration() const { return end - start; }
};
void fields(record::Visitor& io, StepResult& step);

struct KernelsResult {
  std::string dse;
  std::optional<bool> own;
  std::optional<double> penalty_percent;
};
void fields(record::Visitor& io, KernelsResult& kernels);

struct PublishedResult {
  std::optional<double> epoch_hours, conv_gops, gops;
  std::optional<std::string> source;
  std::optional<std::vector<std::string>> assumed;
};

struct TimelineResult {
  TimelineResult();

  std::string weft_version = record::weft_version(), run, network, board, host;
  int batch = 1;
  std::string rung;
  Counts counts;
  double iteration_seconds = 0;
  std::int64_t iterations_per_epoch = 0;
  double epoch_hours = 0, conv_gops = 0, gops = 0;
  record::Named<std::string> schedule;
  std::optional<KernelsResult> kernels_of_dse;
  std::array<std::optional<Picoseconds>, kStepKinds> where;  // by activity; only of_some_kernels() may be absent
  Picoseconds idle = 0;
  std::array<double, kResources> busy_share{};
  double load_s = 0, load_s_low = 0, load_s_high = 0;
  double epoch_hours_low = 0, epoch_hours_high = 0;  // with the smallest and the largest load time
  std::vector<std::size_t> critical_path;            // indices in `steps`
  std::optional<PublishedResult> published;
  MeasuredUse measured;
  std::vector<std::string> notes;
  Assumed assumed;
  std::vector<StepResult> steps;
  std::string kernel;
  std::int64_t dataset_images = 0;
  std::optional<config::Inputs> inputs;

  double share(Picoseconds time) const;          // fraction of the iteration
  std::string scheduled(const char* key) const;  // value of a key of the schedule
};
void fields(record::Visitor& io, TimelineResult& result);

TimelineResult result_of(const TrainingIteration& iteration);

// Reads a saved result. Throws InputError if weft timeline did not write it.
TimelineResult read_result(const std::filesystem::path& file);

// The iteration as a result of weft run has it.
run::IterationRecord record_of(const TrainingIteration& iteration);

// A part of the time of two iterations. `change`: b / a - 1 by time per image; nothing if A has none of the part.
struct ComparedPart {
  std::string part;
  Picoseconds a = 0, b = 0;
  double a_image_s = 0, b_image_s = 0;
  std::optional<double> change;
};
void fields(record::Visitor& io, ComparedPart& part);

// Comparison of two saved timelines, per image if their batches differ.
struct TimelineComparison {
  std::string weft_version = record::weft_version();
  std::string a, b;  // names of the two results
  std::vector<config::Difference> keys;
  TimelineResult iteration_a, iteration_b;
  std::vector<ComparedPart> where;  // parts of either iteration; the whole iteration last
};
void fields(record::Visitor& io, TimelineComparison& comparison);

// Compares two results; fills all but names and keys.
TimelineComparison compare(TimelineResult a, TimelineResult b);

}  // namespace weft::timeline
