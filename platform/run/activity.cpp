#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/os/output_file.h"
#include "platform/os/progress.h"
#include "platform/os/worker_pool.h"
#include "platform/record/csv.h"
#include "platform/run/watched.h"

namespace weft::run {

namespace {

constexpr const char* kActivityOption = "--activity";
constexpr const char* kActivityColumns = "layer,kind,part,from_cycle,to_cycle";

Cycles border_of(Cycles part, Cycles cycles) {
  // In two steps: the product of both may overflow.
  return cycles / kActivityParts * part + cycles % kActivityParts * part / kActivityParts;
}

// Writes the activities of the blocks up to the end of each part of a row.
void count_row(const design::Work& work, const std::vector<std::size_t>& units, Cycles cycles, std::uint64_t seed,
               const std::function<void(Cycles)>& report, std::int64_t* counts) {
  std::vector<Activities> before;  // of finished launches
  Cycles start = 0;
  Cycles part = 0;
  for (const std::size_t unit : units) {
    std::vector<Cycles> ends;
    for (Cycles each = part; each < kActivityParts; ++each) ends.push_back(border_of(each + 1, cycles) - start);
    const design::UnitActivity activity = design::offered<design::Sampled>(work).activity(
        unit, seed + unit, ends, [&](Cycles done) { report(start + done); });
    before.resize(activity.blocks.size());
    for (const std::vector<Activities>& blocks : activity.up_to) {
      for (std::size_t block = 0; block < blocks.size(); ++block) {
        Activities all = before[block];
        all += blocks[block];
        for (const Cycles count : all.cycles) *counts++ = count;
      }
      ++part;
    }
    for (std::size_t block = 0; block < before.size(); ++block) before[block] += activity.blocks[block];
    start += activity.cycles;
  }
}

std::string activity_lines(const design::Row& row, Cycles cycles, std::size_t blocks, const std::int64_t* counts) {
  const std::size_t width = blocks * kActivities;
  std::string text;
  for (Cycles part = 0; part < kActivityParts; ++part, counts += width) {
    text += fmt::format("{},{},{},{},{}", report::csv_field(row.layer.name), conv::to_string(row.kind), part,
                        border_of(part, cycles), border_of(part + 1, cycles));
    for (std::size_t i = 0; i < width; ++i) {
      const std::int64_t before =
          part > 0 ? counts[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(width)] : 0;
      text += fmt::format(",{}", counts[i] - before);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

RunActivity::RunActivity(std::string file, const config::RunConfig& run, workloads::Network network)
    : file_(std::move(file)), run_(run), network_(std::move(network)) {
  if (run.rung == config::Rung::Analytical) {
    throw Error(
        fmt::format("{} {}: rung analytical has no cycles to count; allowed: systemc, exact", kActivityOption, file_));
  }
  const os::OutputFile writable(file_, kActivityOption, kActivityColumns);
}

std::string RunActivity::count(const Record& result) const {
  std::vector<Cycles> cycles;  // by row
  for (const RowRecord& row : result.rows) cycles.push_back(row.figures.cycles);
  const design::Design& design = design::design_of(run_);
  const std::unique_ptr<design::Work> work = design.plan(run_, network_);
  const std::vector<BlockInfo>& blocks = design.topology().blocks;
  std::vector<std::vector<std::size_t>> units(cycles.size());
  const std::vector<design::Work::Unit> all = work->units();
  for (std::size_t unit = 0; unit < all.size(); ++unit) units.at(all[unit].row).push_back(unit);

  const std::size_t bytes =
      static_cast<std::size_t>(kActivityParts) * blocks.size() * kActivities * sizeof(std::int64_t);
  os::WorkerPool pool(cycles.size(), bytes, run_.workers.value_or(os::processors()));
  os::Progress progress("activity", std::accumulate(cycles.begin(), cycles.end(), Cycles{0}));
  pool.run(
      os::Deal::LongestFirst, cycles,
      [&](std::size_t row, void* counts, const std::function<void(Cycles)>& report) {
        count_row(*work, units[row], cycles[row], run_.seed, report, static_cast<std::int64_t*>(counts));
      },
      [&](std::int64_t done) { progress.update(done); });

  std::string text = kActivityColumns;
  for (const BlockInfo& block : blocks) {
    for (const char* state : kActivityNames) text += fmt::format(",{}_{}", block.name, state);
  }
  text += '\n';
  const std::vector<design::Row> rows = work->rows();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    text += activity_lines(rows[row], cycles[row], blocks.size(), static_cast<const std::int64_t*>(pool.result(row)));
  }
  return text;
}

void RunActivity::write(const std::string& content) const {
  os::OutputFile(file_, kActivityOption, kActivityColumns).write(content);
}

}  // namespace weft::run
