#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/config/difference.h"
#include "platform/run/record.h"

namespace weft::run {

// A convolution of two results; of one that has no partner, one side alone.
struct ComparedRow {
  std::string layer;
  conv::Kind kind = conv::Kind::F;
  std::optional<Cycles> cycles_a, cycles_b;
  std::optional<double> cycles_change;
  std::optional<std::string> limiter_a, limiter_b;
  // Nothing where the designs differ, for another design's PEs do other things.
  std::optional<record::Named<Value>> pe_cycles_a, pe_cycles_b;
  double seconds_a = 0, seconds_b = 0;

  Cycles moved() const { return cycles_b.value_or(0) - cycles_a.value_or(0); }
  std::string name() const { return layer + ":" + conv::to_string(kind); }
};

// One side of a kind, or of all; a kind that a result lacks is empty there.
struct ComparedSide {
  std::int64_t convolutions = 0;
  Figures figures;
};
struct ComparedSums {
  ComparedSide a, b;
  double cycles_change = 0, time_change = 0;
};

// Two results, row by row, as they are printed. Rows are of one convolution if layer, kind and what lowered it (fc or
// not) are equal.
struct Comparison {
  std::string weft_version = record::weft_version();
  std::string a, b;                      // as the user calls them
  std::string what_a, what_b;            // "conv-small, conv-small on u250, ..."; not saved
  std::vector<config::Difference> keys;  // of the runs, names and outputs left out
  record::Named<ComparedSums> kinds;     // "all F", ...: those that either has
  ComparedSums whole;
  std::vector<ComparedRow> pairs;  // what moved most first; of equal moves in the order of A
  std::vector<ComparedRow> alone;  // rows without a partner: of A, then of B
  bool same_clock = true;          // else cycles are of different length
  std::vector<std::string> pe_classes;
  std::int64_t peak_macs_a = 1, peak_macs_b = 1;  // in a cycle

  std::int64_t changed_limiters() const;
  std::vector<std::string> only(bool of_a) const;     // names of `alone`
  record::Named<const ComparedSums*> totals() const;  // of the kinds, then of the network
  // The largest change of the cycles of any pair, of any kind and of the network, either way; infinity where rows have
  // no partner.
  double largest_change() const;
};
void fields(record::Visitor& io, Comparison& comparison);

// A record and the configuration of its run.
struct Compared {
  std::string name;
  Record record;
  config::Node config;
};
Comparison compare(const Compared& a, const Compared& b);

// The convolutions, those without a partner behind, as CSV.
std::string csv_text(const Comparison& comparison);

// Keys of two runs, but for those that say which run it is and where its result goes.
std::vector<config::Difference> differing_keys(const config::Node& a, const config::Node& b);

// (b - a) / a; 0 where both are 0, 1 where only a is.
double change(double a, double b);

}  // namespace weft::run
