#include "platform/sweep/fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "platform/run/figures.h"

namespace weft::sweep {

namespace {

constexpr const char* kInteger = "INTEGER";
constexpr const char* kReal = "REAL";
constexpr const char* kText = "TEXT";

// A value that exists only where something was simulated.
template <class T>
Value if_simulated(const run::Result& result, T value) {
  return run::simulated(result) ? Value(value) : Value();
}

std::string block_field(std::size_t block, std::size_t activity) {
  std::string name = fmt::format("{}_{}", fpgpt::to_string(static_cast<fpgpt::Block>(block)), kActivityNames[activity]);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_'; });
  return name;
}

std::vector<Field> list_convolution_fields() {
  std::vector<Field> fields{
      {"layer", kText, "name of the layer"},
      {"kind", kText, "F, GI or GW"},
      {"channels", kInteger, "of the layer's input"},
      {"height", kInteger, "of the layer's input"},
      {"width", kInteger, "of the layer's input"},
      {"filters", kInteger, "channels of the layer's output"},
      {"kernel_h", kInteger, "height of the filter"},
      {"kernel_w", kInteger, "width of the filter"},
      {"groups", kInteger, "groups of the layer, which run one after the other"},
      {"z", kInteger, "words handed to the line buffer in a cycle"},
      {"z_channel", kInteger, "words of one channel in half the line buffer"},
      {"k_range", kInteger, "KERN words of one GW pass"},
      {"kern_words", kInteger, "KERN memory, words"},
      {"out_words", kInteger, "OUT memory, words"},
      {"macs", kInteger, "useful multiply-accumulates"},
      {"cycles", kInteger, "kernel cycles on the rung of the point"},
      {"seconds", kReal, "the same in seconds"},
      {"gops", kReal, "1e9 operations a second, two a useful multiply-accumulate"},
      {"array_utilisation", kReal, "useful multiply-accumulates over what the array could do in that time"},
      {"limiter", kText, "what limits the convolution"},
      {"stall_share", kReal, "cycles in which the array does not advance, as a share"},
      {"ddr_efficiency", kReal, "bytes moved over what the memory channels in use could move"},
      {"analytical_cycles", kInteger, "total of the equations"},
      {"analytical_limiter", kText, "what limits the convolution by the equations"},
      {"analytical_error", kReal, "(equations - simulated) / simulated"},
      {"dsp", kInteger, "DSPs of its kernel"},
      {"bram18", kInteger, "BRAM18 of its kernel"},
      {"uram", kInteger, "URAM of its kernel"},
      {"lut", kInteger, "LUTs of its kernel, under readings.resources: synthesis"},
      {"ff", kInteger, "registers of its kernel, likewise"},
      {"fits", kInteger, "1 if its kernel fits the board"},
      {"data_digest", kText, "digest of OUT's bits (data mode)"},
      {"largest_error", kReal, "largest error against double precision, of the sum of |products| (data mode)"}};
  for (std::size_t block = 0; block < fpgpt::kBlocks; ++block) {
    for (std::size_t i = 0; i < kActivityNames.size(); ++i) {
      fields.push_back({block_field(block, i), kInteger,
                        fmt::format("cycles in which {} is {}", fpgpt::to_string(static_cast<fpgpt::Block>(block)),
                                    kActivityNames[i])});
    }
  }
  for (const PortInfo& info : fpgpt::topology().ports) {
    const char* const port = info.name;
    for (const char* what : {"beats", "bursts", "row_hits", "row_misses", "row_conflicts"}) {
      fields.push_back({fmt::format("{}_{}", port, what), kInteger, fmt::format("{} of port {}", what, port)});
    }
  }
  return fields;
}

// Of the resource of this name; empty if the report does not have it, as LUT and FF by the equations.
const fpgpt::ResourceUse* find(const fpgpt::ResourceReport& report, std::string_view name) {
  const auto found =
      std::find_if(report.begin(), report.end(), [&](const fpgpt::ResourceUse& use) { return use.name == name; });
  return found == report.end() ? nullptr : &*found;
}
Value used(const fpgpt::ResourceReport& report, std::string_view name) {
  const fpgpt::ResourceUse* const use = find(report, name);
  return use ? Value(use->used) : Value();
}
Value available(const fpgpt::ResourceReport& report, std::string_view name) {
  const fpgpt::ResourceUse* const use = find(report, name);
  return use ? Value(use->available) : Value();
}

Value cycles_of(const std::map<conv::Kind, run::Sum>& kinds, conv::Kind kind) {
  const auto found = kinds.find(kind);
  return found == kinds.end() ? Value() : Value(found->second.cycles);
}

}  // namespace

const std::vector<Field>& point_fields() {
  static const std::vector<Field> fields{
      {"convolutions", kInteger, "convolutions of the point"},
      {"macs", kInteger, "useful multiply-accumulates of an iteration"},
      {"cycles", kInteger, "kernel cycles of an iteration, on the rung of the point"},
      {"cycles_f", kInteger, "of the forward convolutions"},
      {"cycles_gi", kInteger, "of the gradients of the input"},
      {"cycles_gw", kInteger, "of the gradients of the weights"},
      {"seconds", kReal, "an iteration, convolutions only"},
      {"images_per_second", kReal, "batch / seconds"},
      {"seconds_per_epoch", kReal, "seconds times the iterations of an epoch"},
      {"gops", kReal, "1e9 operations a second, two a useful multiply-accumulate"},
      {"peak_gops", kReal, "2 X Y operations a cycle"},
      {"array_utilisation", kReal, "useful multiply-accumulates over what the array could do in that time"},
      {"stall_share", kReal, "cycles in which the array does not advance, as a share"},
      {"ddr_efficiency", kReal, "bytes moved over what the memory channels in use could move"},
      {"analytical_cycles", kInteger, "total of the equations"},
      {"analytical_error", kReal, "(equations - simulated) / simulated"},
      {"dsp", kInteger, "DSPs of the largest kernel"},
      {"bram18", kInteger, "BRAM18 of the largest kernel"},
      {"uram", kInteger, "URAM of the largest kernel"},
      {"lut", kInteger, "LUTs of the largest kernel, under readings.resources: synthesis"},
      {"ff", kInteger, "registers of the largest kernel, likewise"},
      {"dsp_available", kInteger, "what the board leaves to kernels"},
      {"bram18_available", kInteger, "what the board leaves to kernels"},
      {"uram_available", kInteger, "what the board leaves to kernels"},
      {"lut_available", kInteger, "what the board leaves to kernels, where lut is known"},
      {"ff_available", kInteger, "what the board leaves to kernels, where ff is known"},
      {"misfits", kInteger, "convolutions whose kernel does not fit the board"},
      {"fits", kInteger, "1 if every kernel fits"},
      {"launches", kInteger, "kernel launches of an iteration"},
      {"kernels", kInteger, "distinct kernels"},
      {"reconfigurations", kInteger, "loads of another kernel in an iteration"},
      {"pcie_to_card", kInteger, "bytes to the card in an iteration"},
      {"pcie_to_host", kInteger, "bytes back in an iteration"},
      {"largest_error", kReal, "largest error against double precision (data mode)"}};
  return fields;
}

const std::vector<Field>& convolution_fields() {
  static const std::vector<Field> fields = list_convolution_fields();
  return fields;
}

std::vector<Value> point_values(const run::Result& result) {
  const run::Sum sum = run::sum_of(result);
  const run::Figures f = run::figures(result, sum);
  const auto kinds = run::sums_by_kind(result);
  const fpgpt::ResourceReport use = run::largest_use(result);
  const auto misfits = static_cast<std::int64_t>(run::rows_that_do_not_fit(result).size());
  const config::Kernel& kernel = result.config.kernel;
  Value largest_error;
  for (const run::Row& row : result.rows) {
    if (!row.data) continue;
    const double* const old = std::get_if<double>(&largest_error);
    largest_error = std::max(old ? *old : 0.0, row.data->largest_error);
  }
  return {sum.convolutions,
          sum.macs,
          sum.cycles,
          cycles_of(kinds, conv::Kind::F),
          cycles_of(kinds, conv::Kind::GI),
          cycles_of(kinds, conv::Kind::GW),
          f.seconds,
          f.seconds > 0 ? Value(result.config.batch / f.seconds) : Value(),
          f.seconds * static_cast<double>(run::iterations_per_epoch(result)),
          f.gops,
          2e-3 * kernel.x * kernel.y * kernel.clock.mhz(),
          f.utilisation,
          if_simulated(result, f.stall_share),
          if_simulated(result, f.ddr_efficiency),
          sum.equations,
          if_simulated(result, f.equation_error),
          used(use, "DSP"),
          used(use, "BRAM18"),
          used(use, "URAM"),
          used(use, "LUT"),
          used(use, "FF"),
          available(use, "DSP"),
          available(use, "BRAM18"),
          available(use, "URAM"),
          available(use, "LUT"),
          available(use, "FF"),
          misfits,
          std::int64_t{misfits == 0},
          sum.launches,
          result.kernels,
          result.reconfigurations,
          sum.pcie_to_card,
          sum.pcie_to_host,
          largest_error};
}

std::vector<Value> convolution_values(const run::Result& result, const run::Row& row) {
  const run::Figures f = run::figures(result, run::sum_of(row));
  const conv::Layer& l = row.layer;
  const fpgpt::Alpha& a = row.alpha;
  const auto integer = [](auto value) { return Value(static_cast<std::int64_t>(value)); };
  std::vector<Value> values{l.name,
                            std::string(conv::to_string(row.kind)),
                            integer(l.channels),
                            integer(l.h.size),
                            integer(l.w.size),
                            integer(l.filters),
                            integer(l.h.kernel),
                            integer(l.w.kernel),
                            integer(l.groups),
                            integer(a.z),
                            integer(a.z_channel),
                            integer(a.k_range),
                            integer(a.kern_words),
                            integer(a.out_words),
                            row.macs,
                            row.cycles,
                            f.seconds,
                            f.gops,
                            f.utilisation,
                            row.limiter,
                            if_simulated(result, f.stall_share),
                            if_simulated(result, f.ddr_efficiency),
                            row.gamma.total,
                            std::string(fpgpt::limiter_name(row.kind, row.gamma.limiter)),
                            if_simulated(result, f.equation_error),
                            used(row.resources, "DSP"),
                            used(row.resources, "BRAM18"),
                            used(row.resources, "URAM"),
                            used(row.resources, "LUT"),
                            used(row.resources, "FF"),
                            integer(fpgpt::fits(row.resources)),
                            row.data ? Value(fmt::format("{:016x}", row.data->digest)) : Value(),
                            row.data ? Value(row.data->largest_error) : Value()};
  for (const Activities& block : row.activities) {
    for (const Cycles cycles : block.cycles) values.push_back(if_simulated(result, cycles));
  }
  for (const memory::PortStats& port : row.ports) {
    for (const std::int64_t count : {port.read_beats + port.write_beats, port.read_bursts + port.write_bursts,
                                     port.row_hits, port.row_misses, port.row_conflicts}) {
      values.push_back(if_simulated(result, count));
    }
  }
  return values;
}

int find_field(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

}  // namespace weft::sweep
