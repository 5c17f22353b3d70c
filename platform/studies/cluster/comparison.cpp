#include "platform/studies/cluster/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::cluster {

namespace {

struct Named {
  std::string figure, unit;
  double value = 0;
};

void add(std::vector<Named>& all, const std::string& figure, const char* unit, double value) {
  all.push_back({figure, unit, value});
}

std::vector<Named> figures_of(const NadaResult& plan) {
  std::vector<Named> all;
  add(all, "planned", "images/s", plan.images_per_second);
  add(all, "simulated", "images/s", plan.simulated.images_per_second);
  add(all, "bound of any placement", "images/s", plan.pooled_images_per_second);
  add(all, "planned cycles", "cycles", static_cast<double>(plan.cycles_an_image));
  add(all, "latency", "cycles", static_cast<double>(plan.simulated.latency_cycles));
  add(all, "resent frames", "frames/image", plan.simulated.resent_frames_an_image);
  nada::Use used;
  std::int64_t fifos = 0;
  double dram = 0, link = 0;
  for (const NadaBoard& board : plan.boards) {
    used = used + board.used;
    fifos += board.fifo_block_ram;
    dram = std::max(dram, board.dram_gbytes_per_s);
    link = std::max(link, board.link_gbits_per_s.value_or(0));
  }
  add(all, "boards", "boards", static_cast<double>(plan.boards.size()));
  add(all, "DSPs", "DSPs", static_cast<double>(used.dsp));
  add(all, "blocks of layers", "blocks", static_cast<double>(used.m20k));
  add(all, "blocks of FIFOs", "blocks", static_cast<double>(fifos));
  add(all, "MLABs", "MLABs", static_cast<double>(used.mlab));
  add(all, "busiest DRAM", "GB/s", dram);
  add(all, "busiest link", "Gb/s", link);
  return all;
}

std::vector<Named> figures_of(const ArrayResult& plan) {
  std::vector<Named> all;
  add(all, "planned", "images/s", plan.images_per_second);
  add(all, "simulated", "images/s", plan.simulated.images_per_second);
  add(all, "planned cycles", "cycles", static_cast<double>(plan.cycles_an_image));
  add(all, "per board", "GOPS", plan.gops_per_board);
  add(all, "balance", "", plan.balance);
  add(all, "latency", "cycles", static_cast<double>(plan.simulated.latency_cycles));
  add(all, "boards", "boards", static_cast<double>(plan.boards.size()));
  add(all, "stored words", "words", static_cast<double>(plan.memory.words));
  add(all, "fetched weights", "Gb/s", plan.memory.weight_fetch_gbits_per_s);
  for (const ArrayReading& reading : plan.readings) {
    add(all, "linear up to, " + reading.name, "boards", reading.linear_boards);
    add(all, "busiest link, " + reading.name, "Gb/s", reading.busiest_gbits_per_s);
  }
  return all;
}

PlanComparison compared(const std::vector<Named>& a, const std::vector<Named>& b) {
  PlanComparison comparison;
  const auto find = [](const std::vector<Named>& in, const std::string& figure) {
    const auto found = std::find_if(in.begin(), in.end(), [&](const Named& each) { return each.figure == figure; });
    return found == in.end() ? std::nullopt : std::optional<double>(found->value);
  };
  for (const Named& each : a) {
    ComparedFigure figure{each.figure, each.unit, each.value, find(b, each.figure), {}};
    if (figure.b && each.value != 0) figure.change = *figure.b / each.value - 1;
    if (figure.b == each.value) figure.change = 0;
    comparison.figures.push_back(figure);
  }
  for (const Named& each : b) {
    if (!find(a, each.figure)) comparison.figures.push_back({each.figure, each.unit, {}, each.value, {}});
  }
  return comparison;
}

}  // namespace

double PlanComparison::largest_change() const {
  double largest = 0;
  for (const ComparedFigure& each : figures) {
    largest = std::max(largest, each.change ? std::abs(*each.change) : std::numeric_limits<double>::infinity());
  }
  return largest;
}

PlanComparison compare(const NadaResult& a, const NadaResult& b) {
  return compared(figures_of(a), figures_of(b));
}

PlanComparison compare(const ArrayResult& a, const ArrayResult& b) {
  return compared(figures_of(a), figures_of(b));
}

void fields(record::Visitor& io, ComparedFigure& figure) {
  io("figure", "name of the figure", figure.figure);
  io("unit", "unit of a and b; empty for a ratio", figure.unit);
  io.nullable("a", "as `unit` says", "figure of A; null if A has none", figure.a);
  io.nullable("b", "as `unit` says", "figure of B; null if B has none", figure.b);
  io.nullable("change", "1", "B / A - 1; null if A or B has none, or A is 0", figure.change);
}

void fields(record::Visitor& io, PlanComparison& comparison) {
  io.head("compare plans", 1, comparison.weft_version);
  io("a", "first result, as named on the command line", comparison.a);
  io("b", "second result, as named on the command line", comparison.b);
  io.list("keys", "keys of the cluster that differ", "", "a key", comparison.keys);
  io.list("figures", "figures of A and B", "", "a figure", comparison.figures);
}

}  // namespace weft::cluster
