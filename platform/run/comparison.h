#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/config/difference.h"
#include "platform/run/record.h"

namespace weft::run {

// Convolution of two results. A convolution without a partner has one side only.
struct ComparedRow {
  std::string layer;
  conv::Kind kind = conv::Kind::F;
  std::optional<Cycles> cycles_a, cycles_b;
  std::optional<double> cycles_change;
  std::optional<std::string> limiter_a, limiter_b;
  // Empty if the designs differ: PE classes of different designs are not comparable.
  std::optional<record::Named<Value>> pe_cycles_a, pe_cycles_b;
  double seconds_a = 0, seconds_b = 0;

  Cycles moved() const { return cycles_b.value_or(0) - cycles_a.value_or(0); }
  std::string name() const { return layer + ":" + conv::to_string(kind); }
};

// One side of a kind, or of the whole result; empty if the result lacks the kind.
struct ComparedSide {
  std::int64_t convolutions = 0;
  Figures figures;
};
struct ComparedSums {
  ComparedSide a, b;
  double cycles_change = 0, time_change = 0;
};

// Convolutions of equal kind, cycles and limiters that moved.
struct Moved {
  std::vector<const ComparedRow*> pairs;
  double seconds = 0;  // B - A, of all
};

// Comparison of two results, row by row, as it is printed. Two rows match if their layer, kind and lowering (fc or not)
// are equal.
struct Comparison {
  std::string weft_version = record::weft_version();
  std::string a, b;                      // names given by the user
  std::string what_a, what_b;            // "conv-small, conv-small on u250, ..."; not saved
  std::vector<config::Difference> keys;  // differing keys of the runs, without names and outputs
  record::Named<ComparedSums> kinds;     // "all F", ...: kinds that A or B has
  ComparedSums whole;
  std::vector<ComparedRow> pairs;  // largest change in cycles first; equal changes in the order of A
  std::vector<ComparedRow> alone;  // rows without a partner: first of A, then of B
  std::optional<double> iteration_seconds_a, iteration_seconds_b;  // of whole iterations, if both are known
  bool same_clock = true;                                          // if false, cycles of A and B differ in length
  std::vector<std::string> pe_classes;
  std::int64_t peak_macs_a = 1, peak_macs_b = 1;  // per cycle

  std::int64_t changed_limiters() const;
  std::vector<std::string> only(bool of_a) const;     // names of the rows in `alone`
  record::Named<const ComparedSums*> totals() const;  // kinds, then the network
  // At most `most` groups of convolutions, largest absolute change in seconds first.
  std::vector<Moved> most_moved(std::size_t most) const;
  // Largest absolute change of the cycles of any pair, kind or of the network; infinity if a row has no partner.
  double largest_change() const;
};
void fields(record::Visitor& io, Comparison& comparison);

// Record with the configuration of its run.
struct Compared {
  std::string name;
  Record record;
  config::Node config;
};
Comparison compare(const Compared& a, const Compared& b);

// The convolutions as CSV; those without a partner come last.
std::string csv_text(const Comparison& comparison);

// Keys in which two runs differ, without the keys that name the run or its output.
std::vector<config::Difference> differing_keys(const config::Node& a, const config::Node& b);

// (b - a) / a; 0 if both are 0, 1 if only a is 0.
double change(double a, double b);

}  // namespace weft::run
