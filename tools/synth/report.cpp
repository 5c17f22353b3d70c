#include "tools/synth/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "platform/document/fitted_table.h"

namespace weft::tools {

using Line = synth::Line;

namespace {

struct Column {
  const char* name;
  std::int64_t LogicUse::*of;
  std::optional<std::int64_t> Line::*thesis;
};
constexpr Column kColumns[] = {{"dsp", &LogicUse::dsp, &Line::thesis_dsp},
                               {"lut", &LogicUse::lut, nullptr},
                               {"ff", &LogicUse::ff, nullptr},
                               {"bram18", &LogicUse::bram18, &Line::thesis_bram18},
                               {"uram", &LogicUse::uram, &Line::thesis_uram}};

constexpr std::size_t kBlockWidth = 19, kKernelWidth = 66;

double relative(std::int64_t model, std::int64_t measured) {
  return static_cast<double>(model - measured) / static_cast<double>(std::max<std::int64_t>(measured, 1));
}

double largest_error(const std::vector<synth::CheckedKernel>& kernels, const Column& column, bool test) {
  double largest = 0;
  for (const synth::CheckedKernel& each : kernels) {
    if (each.test == test) {
      largest = std::max(largest, std::abs(relative(each.model.*column.of, each.measured.*column.of)));
    }
  }
  return largest;
}

}  // namespace

std::string synth_table(const std::vector<Line>& lines, std::size_t page) {
  std::vector<std::string> first{std::string(kBlockWidth, ' '), fmt::format("{:<{}}", "block", kBlockWidth)};
  for (const Line& line : lines) first.push_back(fmt::format("{:<{}}", line.block, kBlockWidth));
  std::vector<std::vector<std::string>> groups;
  for (const Column& column : kColumns) {
    const int width = column.of == &LogicUse::uram ? 5 : column.thesis ? 6 : 7;
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
      std::string thesis;
      if (column.thesis) thesis = line.*column.thesis ? std::to_string(*(line.*column.thesis)) : "-";
      group.push_back(row(std::to_string(line.synthesised.*column.of), std::to_string(line.model.*column.of), thesis));
    }
  }
  return "\n" + report::stacked(first, groups, page);
}

nlohmann::ordered_json use_json(const LogicUse& use) {
  nlohmann::ordered_json json;
  for (const Column& column : kColumns) json[column.name] = use.*column.of;
  return json;
}

nlohmann::ordered_json synth_json(const std::vector<Line>& lines) {
  nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    nlohmann::ordered_json json{
        {"block", line.block}, {"synthesised", use_json(line.synthesised)}, {"model", use_json(line.model)}};
    for (const Column& column : kColumns) {
      if (column.thesis && line.*column.thesis) json["thesis"][column.name] = *(line.*column.thesis);
    }
    blocks.push_back(json);
  }
  return blocks;
}

std::string synth_columns() {
  std::string text = "block";
  for (const Column& column : kColumns) {
    text += fmt::format(",{0},{0}_model{1}", column.name, column.thesis ? fmt::format(",{}_thesis", column.name) : "");
  }
  return text + '\n';
}

std::string synth_csv(const std::vector<Line>& lines) {
  std::string text = synth_columns();
  for (const Line& line : lines) {
    text += line.block;
    for (const Column& column : kColumns) {
      text += fmt::format(",{},{}", line.synthesised.*column.of, line.model.*column.of);
      if (column.thesis) text += "," + (line.*column.thesis ? std::to_string(*(line.*column.thesis)) : "");
    }
    text += '\n';
  }
  return text;
}

std::string flattened_csv(const LogicUse& use) {
  std::string text = "flattened";
  for (const Column& column : kColumns) text += fmt::format(",{},{}", use.*column.of, column.thesis ? "," : "");
  return text + "\n";
}

namespace {

// The kernels, and below them the largest errors; a group of columns for each resource.
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
  for (const Column& column : kColumns) {
    if (column.of == &LogicUse::uram) continue;
    std::vector<std::string>& group = groups.emplace_back();
    group.push_back(fmt::format("{:>8} {:>7} {:>7}", column.name, "model", "error"));
    for (const synth::CheckedKernel& each : kernels) {
      const std::int64_t measured = each.measured.*column.of, model = each.model.*column.of;
      group.push_back(fmt::format("{:>8} {:>7} {:>+6.1f}%", measured, model, 100 * relative(model, measured)));
    }
    for (const bool test : {false, true}) {
      group.push_back(fmt::format("{:>{}.1f}%", 100 * largest_error(kernels, column, test), kGroup - 1));
    }
  }
  return report::stacked(first, groups, page);
}

}  // namespace

Report calibration_errors(const std::vector<synth::CheckedKernel>& kernels, const std::string& columns, Format format) {
  Report report;
  report.csv = "set";
  for (const auto& [name, value] : kernels.front().fields.items()) report.csv += "," + name;
  for (const Column& column : kColumns) {
    if (column.of != &LogicUse::uram) report.csv += fmt::format(",{0},{0}_model", column.name);
  }
  report.csv += '\n';
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const synth::CheckedKernel& each : kernels) {
    const char* set = each.test ? "test" : "fit";
    report.csv += set;
    for (const auto& value : each.fields)
      report.csv += "," + (value.is_string() ? value.get<std::string>() : value.dump());
    for (const Column& column : kColumns) {
      if (column.of == &LogicUse::uram) continue;
      report.csv += fmt::format(",{},{}", each.measured.*column.of, each.model.*column.of);
    }
    report.csv += '\n';
    nlohmann::ordered_json one{{"set", set}};
    one.update(each.fields);
    one["synthesised"] = use_json(each.measured);
    one["model"] = use_json(each.model);
    json.push_back(one);
  }
  const TableView view = table_view(columns, format);
  check(view, report::columns_of(report.csv));
  report.table = view.columns.empty() ? errors_table(kernels, view.width) : report::chosen_table(report.csv, view);
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
