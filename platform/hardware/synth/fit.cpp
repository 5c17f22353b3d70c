#include "platform/hardware/synth/fit.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <sstream>

#include "model/core/error.h"

namespace weft::synth {

namespace {

constexpr std::size_t kUseColumns = 5;

std::string header(const std::string& columns) {
  return "set," + columns + ",block,dsp,lut,ff,bram18,uram";
}

// Weights make a relative error of equal size count the same at every point.
std::vector<double> solve(const std::vector<FitPoint>& points, std::int64_t LogicUse::*resource) {
  const auto rows = static_cast<Eigen::Index>(points.size());
  const std::size_t columns = points.front().features.size();
  Eigen::MatrixXd a(rows, static_cast<Eigen::Index>(columns));
  Eigen::VectorXd b(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const FitPoint& point = points[static_cast<std::size_t>(i)];
    const auto measured = static_cast<double>(point.use.*resource);
    const double weight = 1 / std::max(measured, 1.0);
    for (std::size_t j = 0; j < columns; ++j) a(i, static_cast<Eigen::Index>(j)) = point.features[j] * weight;
    b(i) = (measured - static_cast<double>(point.memory.*resource)) * weight;
  }
  const Eigen::VectorXd x = a.completeOrthogonalDecomposition().solve(b);
  return {x.data(), x.data() + x.size()};
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
  return "{" + text + "}";
}

}  // namespace

std::int64_t number(const std::string& field, const std::string& place) {
  std::size_t end = 0;
  std::int64_t value = -1;
  try {
    value = std::stoll(field, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end == 0 || end != field.size()) throw Error(fmt::format("{}: '{}' is not a number", place, field));
  return value;
}

std::string to_csv(const std::string& columns, const std::vector<Measured>& all) {
  std::string text = header(columns) + "\n";
  for (const Measured& each : all) {
    const LogicUse& use = each.use;
    text += fmt::format("{},{},{},{},{},{},{},{}\n", each.test ? "test" : "fit", fmt::join(each.kernel, ","),
                        each.block, use.dsp, use.lut, use.ff, use.bram18, use.uram);
  }
  return text;
}

std::vector<Measured> read_csv(const std::string& columns, const std::string& text, const std::string& name) {
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  if (line != header(columns)) throw Error(fmt::format("{}:1: the columns must be {}", name, header(columns)));
  const auto expected = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  std::vector<Measured> all;
  for (int line_number = 2; std::getline(in, line); ++line_number) {
    std::vector<std::string> fields;
    std::istringstream words(line);
    for (std::string field; std::getline(words, field, ',');) fields.push_back(field);
    const std::string place = fmt::format("{}:{}", name, line_number);
    if (fields.size() != expected)
      throw Error(fmt::format("{}: must have {} columns, has {}", place, expected, fields.size()));
    const auto block = fields.end() - kUseColumns - 1;
    const auto value = [&](int i) { return number(*(block + i), place); };
    all.push_back({fields.front() == "test",
                   {fields.begin() + 1, block},
                   *block,
                   {value(1), value(2), value(3), value(4), value(5)}});
  }
  return all;
}

LogicForm fitted(const std::vector<FitPoint>& points) {
  return {solve(points, &LogicUse::dsp), solve(points, &LogicUse::lut), solve(points, &LogicUse::ff)};
}

std::string to_source(const std::string& folder, const std::vector<std::pair<std::string_view, LogicForm>>& blocks) {
  std::string text =
      fmt::format("// Made by `weft synth --calibrate {}` from rtl_resources.csv: per block DSP, LUT, FF.\n", folder);
  for (const auto& [block, form] : blocks) {
    text += fmt::format("// {}\n{{{},\n {},\n {}}},\n", block, numbers(form.dsp), numbers(form.lut), numbers(form.ff));
  }
  return text;
}

}  // namespace weft::synth
