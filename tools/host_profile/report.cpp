#include "tools/host_profile/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "model/core/text.h"
#include "platform/iteration/host/price.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/record/csv.h"
#include "platform/record/json.h"
#include "tools/cli/options.h"
#include "workloads/graph/training_graph.h"

namespace weft::tools {

using namespace workloads;

namespace {

std::string us(double ns) {
  return fmt::format("{:.1f}", ns / 1000);
}

// Work per nanosecond, i.e. 10^9 per second.
std::string rate(std::int64_t work, std::int64_t ns) {
  return ns == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(work) / static_cast<double>(ns));
}

std::string profile_table(const host::ProfileResult& result) {
  std::string out = fmt::format("{} at batch {} on {} with {} thread{}: {} operators measured\n\n", result.network,
                                result.batch, result.cpu.empty() ? "this machine" : result.cpu, result.threads,
                                result.threads == 1 ? "" : "s", result.operators.size());
  std::size_t width = 8;
  for (const host::OperatorResult& line : result.operators) width = std::max(width, line.op.size());
  const auto row = [&](const std::string& op, const std::string& direction, const std::string& kind,
                       const std::string& time, const std::string& roofline, const std::string& flops,
                       const std::string& bytes, const std::string& kernel) {
    out += report::trimmed(fmt::format("{:<{}}  {:<9} {:<15} {:>12} {:>12} {:>9} {:>8}  {}", op, width, direction, kind,
                                       time, roofline, flops, bytes, kernel));
  };
  row("operator", "direction", "class", "us", "roofline us", "GFLOP/s", "GB/s", "kernel");
  std::map<std::string, std::pair<std::int64_t, double>> sums;
  std::pair<std::int64_t, double> all;
  for (const host::OperatorResult& line : result.operators) {
    row(line.op, line.direction, line.kind, us(static_cast<double>(line.ns)), us(line.roofline_ns),
        rate(line.operations, line.ns), rate(line.bytes, line.ns), line.kernel);
    for (auto* sum : {&sums[line.kind], &all}) {
      sum->first += line.ns;
      sum->second += line.roofline_ns;
    }
  }
  out += '\n';
  const auto total = [&](const std::string& name, const std::pair<std::int64_t, double>& sum) {
    row(name, "", "", us(static_cast<double>(sum.first)), us(sum.second), "", "", "");
  };
  for (const auto& [kind, sum] : sums) total(kind, sum);
  total("all", all);
  return out + fmt::format("roofline: of host {}\n", result.base);
}

struct MatrixStep {
  const char* name;  // key in a host's `matrices`, without its unit
  host::ProfiledMatrices::Step host::ProfiledMatrices::*of;
  Picoseconds config::MatrixCosts::*base;
};
constexpr MatrixStep kMatrixSteps[] = {
    {"tile", &host::ProfiledMatrices::tiled, &config::MatrixCosts::tile_ps},
    {"untile", &host::ProfiledMatrices::untiled, &config::MatrixCosts::untile_ps},
    {"col2im", &host::ProfiledMatrices::col2im, &config::MatrixCosts::col2im_ps},
};

std::string matrices_table(const host::ProfiledMatrices& matrices, const config::Host& base) {
  const host::TileShape& tile = matrices.tile;
  std::string out = fmt::format(
      "\nmatrices of {} convolutions, an image each, in tiles <{}, {}, {}>\n{:<8} {:>12} {:>12} {:>9} {:>9}\n",
      matrices.convolutions, tile.r, tile.c, tile.p, "", "words", "us", "ns a word", "of base");
  const auto ns = [](Picoseconds ps) { return fmt::format("{:.3f}", static_cast<double>(ps) / 1000); };
  for (const MatrixStep& step : kMatrixSteps) {
    const host::ProfiledMatrices::Step& measured = matrices.*step.of;
    out += fmt::format("{:<8} {:>12} {:>12} {:>9} {:>9}\n", step.name, measured.words,
                       us(static_cast<double>(measured.ns)), measured.words > 0 ? ns(measured.per_word()) : "-",
                       base.matrices ? ns((*base.matrices).*step.base) : "-");
  }
  return out;
}

training::TrainedNetwork published_network(const config::PublishedRate& rate, const std::vector<std::string>& folders,
                                           const ImportOptions& import) {
  try {
    return training::load_trained(rate.network, folders, import);
  } catch (const InputError&) {
    throw;  // the message already names the file and the fault
  } catch (const Error& error) {
    throw config::error_at(rate.place, "published.gops.network", error.what());
  }
}

}  // namespace

std::string published_table(const config::Host& host) {
  if (!host.published) return "";
  std::string out = fmt::format("\n  published: {}\n  {:<16}{:>22}{:>14}{:>20}{:>14}{:>12}\n", host.published->source,
                                fmt::format("at batch {}", host.published->batch), "host s, published", "of the prices",
                                "im2col GB/s, publ.", "of the price", "im2col GB");
  const std::vector<std::string> folders{(project_library().configs / "networks").string()};
  for (const config::PublishedRate& rate : host.published->rates) {
    ImportOptions import;
    import.batch = host.published->batch;
    TrainingOptions training;
    training.gi_first = rate.gi_first;
    const auto network = published_network(rate, folders, import);
    const host::Comparison c = host::compare(host, rate, training_graph(network.forward, training));
    out += fmt::format("  {:<16}{:>22.3f}{:>14.3f}{:>20.2f}{:>14.2f}{:>12.1f}\n", rate.network, c.host_published,
                       c.host_model, c.im2col_published / 1e9, c.im2col_model / 1e9, c.gbytes_im2col);
  }
  return out;
}

Report profile_report(const host::ProfileResult& result, const config::Host& base) {
  std::string table = profile_table(result);
  if (result.matrices) table += matrices_table(*result.matrices, base);
  const host::ProfiledQuantiser& quantiser = result.quantiser;
  const auto ns_a_word = [&](std::int64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(quantiser.words);
  };
  table +=
      fmt::format("\nfixed point: {:.3f} ns a word quantised, {:.3f} ns a sum dequantised, of {} words\n",
                  ns_a_word(quantiser.quantise_ns), ns_a_word(quantiser.dequantise_ns), thousands(quantiser.words));
  return {table, record::json_text(result), record::csv_text(result.operators)};
}

}  // namespace weft::tools
