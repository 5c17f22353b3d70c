#include "platform/hardware/synth/calibration.h"

#include <fmt/format.h>
#include <gsl/gsl_linalg.h>

#include <algorithm>
#include <sstream>

#include "model/core/error.h"
#include "platform/os/content.h"

namespace weft::synth {

namespace {

constexpr const char* kSamplesFile = "rtl_resources.csv";
constexpr std::size_t kUseColumns = 5;

std::string header(const SynthDesign& synth_design) {
  return fmt::format("set,{},block,dsp,lut,ff,bram18,uram", synth_design.columns());
}

// Returns the least squares solution of smallest norm of a*x = b; `a` has `columns` values a row.
std::vector<double> least_squares(std::vector<double> a, std::vector<double> b, std::size_t columns) {
  const std::size_t rows = std::max(b.size(), columns);  // zero rows make an underdetermined system square
  a.resize(rows * columns);
  b.resize(rows);
  std::vector<double> q(columns), z(columns), work(columns), x(columns), residual(rows);
  std::vector<std::size_t> order(columns);
  const auto view = [](std::vector<double>& values) { return gsl_vector_view_array(values.data(), values.size()); };
  gsl_matrix_view matrix = gsl_matrix_view_array(a.data(), rows, columns);
  gsl_vector_view tau_q = view(q), tau_z = view(z), space = view(work), right = view(b), solution = view(x),
                  rest = view(residual);
  gsl_permutation permutation{columns, order.data()};
  std::size_t rank = 0;
  gsl_linalg_COD_decomp(&matrix.matrix, &tau_q.vector, &tau_z.vector, &permutation, &rank, &space.vector);
  gsl_linalg_COD_lssolve(&matrix.matrix, &tau_q.vector, &tau_z.vector, &permutation, rank, &right.vector,
                         &solution.vector, &rest.vector);
  return x;
}

// Each row is divided by its measured value, so that equal relative errors weigh the same at every point.
std::vector<double> solve(const std::vector<const Sample*>& samples, std::int64_t LogicUse::*resource) {
  std::vector<double> a, b;
  for (const Sample* const sample : samples) {
    const auto measured = static_cast<double>(sample->use.*resource);
    const double weight = 1 / std::max(measured, 1.0);
    for (const double feature : sample->of.kernel->features(sample->block)) a.push_back(feature * weight);
    b.push_back((measured - static_cast<double>(sample->of.kernel->memory_use(sample->block).*resource)) * weight);
  }
  return least_squares(a, b, a.size() / b.size());
}

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
  return "{" + text + "}";
}

// The forms as included by C++: one LogicForm for each block.
std::string to_source(const SynthDesign& synth_design, const std::vector<LogicForm>& forms) {
  std::string text = fmt::format("// Made by `weft synth --calibrate {}` from {}: per block DSP, LUT, FF.\n",
                                 synth_design.folder(), kSamplesFile);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    text += fmt::format("// {}\n{{{},\n {},\n {}}},\n", synth_design.blocks()[i], numbers(forms[i].dsp),
                        numbers(forms[i].lut), numbers(forms[i].ff));
  }
  return text;
}

std::vector<Sample> measure(const std::vector<CalibrationKernel>& points, Synthesis& synthesis) {
  std::vector<Kernel> kernels;
  kernels.reserve(points.size());
  for (const CalibrationKernel& point : points) kernels.push_back(point.kernel->kernel());
  const std::vector<BlockUse> uses = synthesis.blocks(kernels);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t block = 0; block < uses[i].size(); ++block) {
      if (points[i].kernel->has_block(block)) samples.push_back({points[i], block, uses[i][block]});
    }
  }
  return samples;
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

std::string to_csv(const SynthDesign& synth_design, const std::vector<Sample>& samples) {
  std::string text = header(synth_design) + "\n";
  for (const auto& [of, block, use] : samples) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", of.test ? "test" : "fit", fmt::join(of.kernel->cells(), ","),
                        synth_design.blocks()[block], use.dsp, use.lut, use.ff, use.bram18, use.uram);
  }
  return text;
}

std::vector<Sample> read_csv(const SynthDesign& synth_design, const std::string& text, const std::string& name) {
  const std::vector<std::string_view> blocks = synth_design.blocks();
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  if (line != header(synth_design))
    throw Error(fmt::format("{}:1: the columns must be {}", name, header(synth_design)));
  const auto expected = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  std::vector<Sample> samples;
  for (int line_number = 2; std::getline(in, line); ++line_number) {
    std::vector<std::string> fields;
    std::istringstream words(line);
    for (std::string field; std::getline(words, field, ',');) fields.push_back(field);
    const std::string place = fmt::format("{}:{}", name, line_number);
    if (fields.size() != expected)
      throw Error(fmt::format("{}: must have {} columns, has {}", place, expected, fields.size()));
    const auto at = fields.end() - kUseColumns - 1;
    const auto block = std::find(blocks.begin(), blocks.end(), *at);
    if (block == blocks.end()) throw Error(fmt::format("{}: there is no block '{}'", place, *at));
    const auto value = [&](int i) { return number(*(at + i), place); };
    samples.push_back({{synth_design.read({fields.begin() + 1, at}, place), fields.front() == "test"},
                       static_cast<std::size_t>(block - blocks.begin()),
                       {value(1), value(2), value(3), value(4), value(5)}});
  }
  return samples;
}

std::vector<Sample> read_samples(const SynthDesign& synth_design, const std::filesystem::path& source) {
  return read_csv(synth_design, os::content(source / synth_design.folder() / kSamplesFile), kSamplesFile);
}

std::vector<LogicForm> fit(const SynthDesign& synth_design, const std::vector<Sample>& samples,
                           const std::string& coefficients) {
  std::vector<LogicForm> forms;
  for (std::size_t block = 0; block < synth_design.blocks().size(); ++block) {
    std::vector<const Sample*> points;
    for (const Sample& sample : samples) {
      if (sample.block != block || sample.of.test || sample.of.kernel->coefficients() != coefficients) continue;
      points.push_back(&sample);
    }
    if (points.empty()) throw Error(fmt::format("no sample to fit {}", synth_design.blocks()[block]));
    forms.push_back({solve(points, &LogicUse::dsp), solve(points, &LogicUse::lut), solve(points, &LogicUse::ff)});
  }
  return forms;
}

std::vector<CalibrationKernel> kernels_of(const std::vector<Sample>& samples) {
  std::vector<CalibrationKernel> kernels;
  for (const Sample& sample : samples) {
    if (sample.block == 0) kernels.push_back(sample.of);
  }
  return kernels;
}

Calibration calibrate(const SynthDesign& synth_design, Synthesis& synthesis, const std::filesystem::path& source) {
  const std::vector<CalibrationKernel> kernels = kernels_of(read_samples(synth_design, source));
  const std::vector<Sample> samples = measure(kernels, synthesis);
  Calibration result{samples.size(), kernels.size(), {{kSamplesFile, to_csv(synth_design, samples)}}};
  for (const CalibrationKernel& each : kernels) {
    const std::string file = each.kernel->coefficients();
    const bool there =
        std::any_of(result.files.begin(), result.files.end(), [&](const auto& other) { return other.first == file; });
    if (!there) result.files.emplace_back(file, to_source(synth_design, fit(synth_design, samples, file)));
  }
  return result;
}

std::vector<CheckedKernel> checked(const std::vector<Sample>& samples) {
  std::vector<CheckedKernel> kernels;
  for (const auto& [of, block, use] : samples) {
    if (block == 0) {
      kernels.push_back(of.kernel->described());
      kernels.back().test = of.test;
    }
    kernels.back().measured += use;
    kernels.back().model += of.kernel->model(block);
  }
  return kernels;
}

std::vector<Line> lines_of(const SynthDesign& synth_design, const PreparedKernel& kernel, const BlockUse& use,
                           std::optional<std::size_t> only) {
  std::vector<Line> lines;
  Line sum{"sum", {}, {}, kernel.thesis({})};
  for (std::size_t block = 0; block < use.size(); ++block) {
    if (!kernel.has_block(block) || (only && *only != block)) continue;
    lines.push_back({std::string(synth_design.blocks()[block]), use[block], kernel.model(block), kernel.thesis(block)});
    sum.synthesised += lines.back().synthesised;
    sum.model += lines.back().model;
  }
  if (!only) lines.push_back(sum);
  return lines;
}

}  // namespace weft::synth
