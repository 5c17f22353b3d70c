#include "tools/synth/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "platform/record/csv.h"
#include "platform/record/json.h"

namespace weft::tools {

namespace {

using synth::Line, synth::Resource, synth::kResources;

// Lines of the CSV. The kernel as a whole has no estimate.
struct LineRow {
  const Line& line;
  bool has_model = true;
};
void fields(record::Visitor& io, LineRow& row) {
  std::string block = row.line.block;
  io("block", "name", block);
  for (const Resource& of : kResources) {
    Value use = row.line.synthesised.*of.use, model, thesis;
    if (row.has_model) model = row.line.model.*of.use;
    if (const auto known = row.line.by_thesis(of)) thesis = *known;
    io(of.name, "by yosys", use);
    io(of.model, "by the fit to yosys", model);
    if (of.thesis) io(of.thesis, "by the thesis' equations", thesis);
  }
}

struct CheckedRow {
  synth::CheckedKernel kernel;
};
void fields(record::Visitor& io, CheckedRow& row) {
  std::string set = row.kernel.set();
  io("set", "fit or test", set);
  io.others("", "a parameter of the kernel", row.kernel.fields);
  for (const Resource& of : kResources) {
    if (of.use == &LogicUse::uram) continue;
    io(of.name, "by yosys", row.kernel.measured.*of.use);
    io(of.model, "by the fit to yosys", row.kernel.model.*of.use);
  }
}

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

std::string synth_table(const std::vector<Line>& lines, std::size_t page) {
  std::vector<std::string> first{std::string(kBlockWidth, ' '), fmt::format("{:<{}}", "block", kBlockWidth)};
  for (const Line& line : lines) first.push_back(fmt::format("{:<{}}", line.block, kBlockWidth));
  std::vector<std::vector<std::string>> groups;
  for (const Resource& column : kResources) {
    const int width = column.use == &LogicUse::uram ? 5 : column.thesis ? 6 : 7;
    const auto row = [&](const std::string& synth, const std::string& model, const std::string& thesis) {
      std::string text = fmt::format("{:>{}} {:>{}}", synth, width, model, width);
      return column.thesis ? text + fmt::format(" {:>6}", thesis) : text;
    };
    std::vector<std::string>& group = groups.emplace_back();
    group.push_back({});
    group.push_back(row("synth", "model", "thesis"));
    std::string title = column.name;
    std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
    group[0] = fmt::format("{:<{}}", title, group[1].size());
    for (const Line& line : lines) {
      const std::optional<std::int64_t> known = line.by_thesis(column);
      const std::string thesis = known ? std::to_string(*known) : "-";
      group.push_back(
          row(std::to_string(line.synthesised.*column.use), std::to_string(line.model.*column.use), thesis));
    }
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

}  // namespace

std::string synth_columns() {
  return record::csv_head(LineRow{Line()});
}

Report report(const synth::SynthResult& result, const std::string& text, const TableView& view) {
  Report report{report::wrapped(text, view.width), record::json_text(result), synth_columns()};
  for (const Line& line : result.blocks) report.csv += record::csv_line(LineRow{line});
  report.table +=
      view.columns.empty() ? synth_table(result.blocks, view.width) : "\n" + report::chosen_table(report.csv, view);
  if (const auto& whole = result.flattened) {
    report.table += fmt::format("\nflattened: DSP {}, LUT {}, FF {}, BRAM18 {}, URAM {}\n", whole->dsp, whole->lut,
                                whole->ff, whole->bram18, whole->uram);
    report.csv += record::csv_line(LineRow{Line{"flattened", *whole, {}, {}}, false});
  }
  return report;
}

Report calibration_errors(const std::vector<synth::CheckedKernel>& kernels, const std::string& columns, Format format) {
  const std::vector<record::Any> all(kernels.begin(), kernels.end());
  Report report{"", record::json_list(all), record::csv_head(CheckedRow{kernels.front()})};
  for (const synth::CheckedKernel& each : kernels) report.csv += record::csv_line(CheckedRow{each});
  const TableView view = table_view(columns, format);
  check(view, report::columns_of(report.csv));
  report.table = view.columns.empty() ? errors_table(kernels, view.width) : report::chosen_table(report.csv, view);
  return report;
}

}  // namespace weft::tools
