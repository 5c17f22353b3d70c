#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/config/model_config.h"
#include "platform/config/reader.h"
#include "platform/document/document.h"
#include "platform/hardware/synth/calibration.h"
#include "platform/hardware/synth/synth_design.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/data_root.h"
#include "platform/record/csv.h"
#include "platform/record/json.h"
#include "tools/cli/commands.h"

namespace weft::tools {

namespace {

struct SynthOptions : ResultOptions {
  std::string kernel, run = "conv-small", board = "u250", block, calibrate, design;
  bool whole = false, errors = false;
};

void declare(Arguments& command, SynthOptions& options) {
  const Argument kernel =
      command.add_argument("KERNEL", options.kernel, "Kernel: a file, or a name in configs/kernels");
  command.add_set(options.sets, "a key of the kernel").needs(kernel);
  command.add_option("--board", options.board, "BOARD", "Board whose shares are printed (default u250)").needs(kernel);
  command.add_option("--run", options.run, "RUN", "Run that auto and shared sizes are fitted to (default conv-small)");
  command.add_option("--block", options.block, "NAME", "Only this block, by its name in the table");
  command.add_flag("--whole", options.whole, "Also the flattened kernel as one module: minutes to hours");
  command.add_flag("--errors", options.errors, "Errors of the design's estimate, instead of KERNEL");
  command.add_option("--calibrate", options.calibrate, "DIR", "Fit the design's estimate and write it to DIR");
  command.add_option("--design", options.design, "NAME", "Design of --errors or --calibrate (default fpgpt)");
  command.add_format(options.format);
  command.add_columns(options.columns);
  command.add_workers(options.workers, "Processes of yosys");
}

using synth::CheckedRow, synth::Line, synth::LineRow, synth::Resource, synth::kResources;

constexpr std::size_t kBlockWidth = 19, kKernelWidth = 66;

double relative(std::int64_t model, std::int64_t measured) {
  return static_cast<double>(model - measured) / static_cast<double>(std::max<std::int64_t>(measured, 1));
}

double largest_error(const std::vector<synth::CheckedKernel>& kernels, const Resource& column, bool test) {
  double largest = 0;
  for (const synth::CheckedKernel& each : kernels) {
    if (each.test == test) {
      largest = std::max(largest, std::abs(relative(each.model.*column.use, each.measured.*column.use)));
    }
  }
  return largest;
}

// Table of blocks, followed by the shares of the last line in the board's resources.
std::string synth_table(const synth::SynthResult& result, std::size_t page) {
  const auto name = [](const std::string& text) { return fmt::format("{:<{}}", text, kBlockWidth); };
  std::vector<std::string> first{name(""), name("block")};
  for (const Line& line : result.blocks) first.push_back(name(line.block));
  first.push_back(name("of " + result.board));
  std::vector<std::vector<std::string>> groups;
  for (const Resource& column : kResources) {
    const int width = column.use == &LogicUse::uram ? 5 : column.thesis ? 6 : 7;
    const auto row = [&](const std::string& synth, const std::string& model, const std::string& thesis) {
      std::string text = fmt::format("{:>{}} {:>{}}", synth, width, model, width);
      return column.thesis ? text + fmt::format(" {:>6}", thesis) : text;
    };
    const auto cells = [&](const Line& line, auto text) {
      const std::optional<std::int64_t> known = line.by_thesis(column);
      return row(text(line.synthesised.*column.use), text(line.model.*column.use), known ? text(*known) : "-");
    };
    std::vector<std::string>& group = groups.emplace_back();
    group = {{}, row("synth", "model", "thesis")};
    std::string title = column.name;
    std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
    group[0] = fmt::format("{:<{}}", title, group[1].size());
    for (const Line& line : result.blocks) {
      group.push_back(cells(line, [](std::int64_t use) { return std::to_string(use); }));
    }
    group.push_back(cells(result.blocks.back(), [&](std::int64_t use) {
      const std::int64_t all = result.available.*column.use;
      return all == 0 ? "-" : fmt::format("{:.1f}%", 100 * report::ratio(use, all));
    }));
  }
  return "\n" + report::stacked(first, groups, page);
}

// Table of kernels, followed by the largest errors; a group of columns per resource.
std::string errors_table(const std::vector<synth::CheckedKernel>& kernels, std::size_t page) {
  constexpr std::size_t kGroup = 24, kGap = 2;
  const std::size_t width = std::min(kKernelWidth, page - std::min(page, kGroup + kGap));
  const auto name = [&](const std::string& text) {
    return fmt::format("{:<{}}", report::shortened(text, width), width);
  };
  std::vector<std::string> first{name("kernel")};
  for (const synth::CheckedKernel& each : kernels) {
    first.push_back(name(fmt::format("{:<4} {}", each.test ? "test" : "fit", each.text)));
  }
  first.insert(first.end(), {name("largest error, fitted"), name("largest error, kept out of the fit")});
  std::vector<std::vector<std::string>> groups;
  for (const Resource& column : kResources) {
    if (column.use == &LogicUse::uram) continue;
    std::vector<std::string>& group = groups.emplace_back();
    group.push_back(fmt::format("{:>8} {:>7} {:>7}", column.name, "model", "error"));
    for (const synth::CheckedKernel& each : kernels) {
      const std::int64_t measured = each.measured.*column.use, model = each.model.*column.use;
      group.push_back(fmt::format("{:>8} {:>7} {:>+6.1f}%", measured, model, 100 * relative(model, measured)));
    }
    for (const bool test : {false, true}) {
      group.push_back(fmt::format("{:>{}.1f}%", 100 * largest_error(kernels, column, test), kGroup - 1));
    }
  }
  return report::stacked(first, groups, page);
}

// First line of the CSV.
std::string synth_columns() {
  return record::csv_head(LineRow{Line()});
}

Report report(const synth::SynthResult& result, const synth::PreparedKernel& kernel, const TableView& view) {
  const std::string changes = result.changes.empty() ? "" : " with " + config::join(result.changes);
  Report report{report::wrapped(result.kernel + changes + ": " + kernel.text(), view.width), record::json_text(result),
                synth_columns()};
  for (const Line& line : result.blocks) report.csv += record::csv_line(LineRow{line});
  report.table += view.columns.empty()
                      ? synth_table(result, view.width) + report::wrapped(synth::notes(kernel), view.width)
                      : "\n" + report::chosen_table(report.csv, view);
  if (const auto& whole = result.flattened) {
    report.table += fmt::format("\nflattened: DSP {}, LUT {}, FF {}, BRAM18 {}, URAM {}\n", whole->dsp, whole->lut,
                                whole->ff, whole->bram18, whole->uram);
    report.csv += record::csv_line(LineRow{Line{"flattened", *whole, {}, {}}, false});
  }
  return report;
}

// Errors of a design's own estimate on its calibration kernels, with those held out of the fit shown separately.
// `columns`: as in --columns. Throws Error if the table lacks one.
Report calibration_errors(const std::vector<synth::CheckedKernel>& kernels, const std::string& columns, Format format) {
  const std::vector<record::Any> all(kernels.begin(), kernels.end());
  Report report{"", record::json_list(all), record::csv_head(CheckedRow{kernels.front()})};
  for (const synth::CheckedKernel& each : kernels) report.csv += record::csv_line(CheckedRow{each});
  const TableView view = table_view(columns, format);
  check(view, report::columns_of(report.csv));
  report.table = view.columns.empty() ? errors_table(kernels, view.width) : report::chosen_table(report.csv, view);
  return report;
}

namespace fs = std::filesystem;

std::optional<std::size_t> block_of(const synth::SynthDesign& synth_design, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const std::vector<std::string_view> blocks = synth_design.blocks();
  const auto found = std::find(blocks.begin(), blocks.end(), name);
  if (found != blocks.end()) return static_cast<std::size_t>(found - blocks.begin());
  throw Error(
      fmt::format("--block: there is no block '{}'; there are {}", name, config::join({blocks.begin(), blocks.end()})));
}

std::vector<conv::Layer> layers_of(const std::string& run_name) {
  const config::RunConfig run = design::load_run(run_name, {}, project_library());
  return training::load_network(run, project_library()).layers;
}

// All destinations are checked before the first file is written. A calibration file is recognised by its first line.
void write_calibration(const fs::path& folder, const synth::Calibration& calibration) {
  std::vector<OutputFile> places;
  for (const auto& [name, text] : calibration.files) {
    places.emplace_back(folder / name, "--calibrate", text.substr(0, text.find('\n')));
  }
  for (std::size_t i = 0; i < places.size(); ++i) places[i].write(calibration.files[i].second);
}

int calibrate(const SynthOptions& options, const synth::SynthDesign& synth_design, synth::Synthesis& synthesis) {
  const synth::Calibration calibration = synth::calibrate(synth_design, synthesis, os::data_root());
  write_calibration(options.calibrate, calibration);
  print(fmt::format("{} blocks of {} kernels in {}\n", calibration.blocks, calibration.kernels, options.calibrate));
  return 0;
}

// Resources that the board leaves to kernels; 0: none, or not stated.
LogicUse available(const config::Board& board) {
  const Budget budget = config::budget(board);
  return {budget.dsp, budget.lut.value_or(0), budget.ff.value_or(0), budget.bram18, budget.uram};
}

int execute(const SynthOptions& options) {
  const Format format = parse_format(options.format, true);
  if (int{!options.kernel.empty()} + int{!options.calibrate.empty()} + int{options.errors} != 1) {
    throw Error("weft synth takes a KERNEL or --calibrate DIR or --errors (see weft synth --help)");
  }
  if (!options.kernel.empty() && !options.design.empty()) {
    throw Error("--design needs --calibrate or --errors; a KERNEL has its own design (see weft synth --help)");
  }
  config::KernelPtr kernel;
  if (!options.kernel.empty()) {
    kernel = design::load_kernel(options.kernel, parse_overrides(options.sets), project_library());
  }
  const config::Board board = config::load_board(options.board, {}, project_library());
  const synth::SynthDesign& synth_design =
      design::synth_design_of(kernel                   ? design::design_of(*kernel)
                              : options.design.empty() ? design::design_with_rtl()
                                                       : design::design_named(options.design));
  if (options.errors) {
    print(
        calibration_errors(synth::checked(synth::read_samples(synth_design, os::data_root())), options.columns, format),
        format);
    return 0;
  }
  const TableView view = table_view(options.columns, format);
  check(view, report::columns_of(synth_columns()));
  const std::optional<std::size_t> only = block_of(synth_design, options.block);
  const rtl::BuildContext build_context{os::data_root(), build_cache(WEFT_SYNTH_CACHE)};
  Progress progress("synth", 1);
  synth::Synthesis synthesis(synth_design, build_context, workers_of(options.workers), progress.watcher());
  if (!kernel) return calibrate(options, synth_design, synthesis);

  const std::unique_ptr<synth::PreparedKernel> sized =
      synth_design.sized(*kernel, [&] { return layers_of(options.run); });
  if (only && !sized->has_block(*only)) {
    throw Error(fmt::format("--block: a kernel of this variant has no {}; give --set variant=both", options.block));
  }
  synth::SynthResult result{kernel->name, options.sets, board.name, available(board), {}, {}};
  result.blocks = synth::lines_of(synth_design, *sized, synthesis.blocks({sized->kernel()}, only).front(), only);
  if (options.whole) result.flattened = synthesis.flattened(sized->kernel());
  print(report(result, *sized, view), format);
  return 0;
}

}  // namespace

Command synth_command() {
  return command<SynthOptions>("synth", "Synthesise a kernel's RTL with yosys and compare with the estimates", declare,
                               execute);
}

}  // namespace weft::tools
