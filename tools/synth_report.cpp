#include "tools/synth_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

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

constexpr int kKernelWidth = 66;

double relative(std::int64_t model, std::int64_t measured) {
  return static_cast<double>(model - measured) / static_cast<double>(std::max<std::int64_t>(measured, 1));
}

std::string summary(const std::vector<synth::CheckedKernel>& kernels, bool test) {
  std::string text =
      fmt::format("{:<{}}", test ? "largest error, kept out of the fit" : "largest error, fitted", kKernelWidth);
  for (const Column& column : kColumns) {
    if (column.of == &LogicUse::uram) continue;
    double largest = 0;
    for (const synth::CheckedKernel& each : kernels) {
      if (each.test == test) {
        largest = std::max(largest, std::abs(relative(each.model.*column.of, each.measured.*column.of)));
      }
    }
    text += fmt::format("  {:>23.1f}%", 100 * largest);
  }
  return text + "\n";
}

}  // namespace

std::string synth_table(const std::vector<Line>& lines) {
  std::string text =
      fmt::format("\n{:<19}  {:<20}  {:<15}  {:<15}  {:<20}  {:<17}\n", "", "DSP", "LUT", "FF", "BRAM18", "URAM");
  text += fmt::format("{:<19}", "block");
  for (const Column& column : kColumns) {
    const int width = column.of == &LogicUse::uram ? 5 : column.thesis ? 6 : 7;
    text += fmt::format("  {:>{}} {:>{}}", "synth", width, "model", width);
    if (column.thesis) text += fmt::format(" {:>6}", "thesis");
  }
  text += '\n';
  for (const Line& line : lines) {
    text += fmt::format("{:<19}", line.block);
    for (const Column& column : kColumns) {
      const int width = column.of == &LogicUse::uram ? 5 : column.thesis ? 6 : 7;
      text += fmt::format("  {:>{}} {:>{}}", line.synthesised.*column.of, width, line.model.*column.of, width);
      if (!column.thesis) continue;
      const std::optional<std::int64_t>& thesis = line.*column.thesis;
      text += fmt::format(" {:>6}", thesis ? std::to_string(*thesis) : "-");
    }
    text += '\n';
  }
  return text;
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

std::string synth_csv(const std::vector<Line>& lines) {
  std::string text = "block";
  for (const Column& column : kColumns) {
    text += fmt::format(",{0},{0}_model{1}", column.name, column.thesis ? fmt::format(",{}_thesis", column.name) : "");
  }
  text += '\n';
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

Report calibration_errors(const std::vector<synth::CheckedKernel>& kernels) {
  Report report;
  report.table = fmt::format("{:<{}}", "kernel", kKernelWidth);
  report.csv = "set";
  for (const auto& [name, value] : kernels.front().fields.items()) report.csv += "," + name;
  for (const Column& column : kColumns) {
    if (column.of == &LogicUse::uram) continue;
    report.table += fmt::format("  {:>8} {:>7} {:>7}", column.name, "model", "error");
    report.csv += fmt::format(",{0},{0}_model", column.name);
  }
  report.table += '\n';
  report.csv += '\n';
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const synth::CheckedKernel& each : kernels) {
    const char* set = each.test ? "test" : "fit";
    report.table += fmt::format("{:<{}}", fmt::format("{:<4} {}", set, each.text), kKernelWidth);
    report.csv += set;
    for (const auto& value : each.fields)
      report.csv += "," + (value.is_string() ? value.get<std::string>() : value.dump());
    for (const Column& column : kColumns) {
      if (column.of == &LogicUse::uram) continue;
      const std::int64_t measured = each.measured.*column.of, model = each.model.*column.of;
      report.table += fmt::format("  {:>8} {:>7} {:>+6.1f}%", measured, model, 100 * relative(model, measured));
      report.csv += fmt::format(",{},{}", measured, model);
    }
    report.table += '\n';
    report.csv += '\n';
    nlohmann::ordered_json one{{"set", set}};
    one.update(each.fields);
    one["synthesised"] = use_json(each.measured);
    one["model"] = use_json(each.model);
    json.push_back(one);
  }
  report.table += summary(kernels, false) + summary(kernels, true);
  report.json = json.dump(2) + "\n";
  return report;
}

}  // namespace weft::tools
