#pragma once

#include <string>
#include <vector>

#include "model/conv/convolution.h"
#include "platform/config/difference.h"
#include "platform/run/figures.h"
#include "platform/run/result.h"

namespace weft::run {

// A convolution that two results have.
struct Pair {
  const Row* a = nullptr;
  const Row* b = nullptr;

  Cycles moved() const { return b->cycles - a->cycles; }
  bool same_limiter() const { return a->limiter == b->limiter; }
};

// Two results, row by row. Rows are of one convolution if layer, kind and what lowered it (fc or not) are equal.
struct Comparison {
  std::vector<config::Difference> keys;    // of the runs, names and outputs left out
  std::vector<Pair> pairs;                 // what moved most first; of equal moves in the order of `a`
  std::vector<const Row*> only_a, only_b;  // rows without a partner
  bool same_clock = true;                  // else cycles are of different length

  std::size_t changed_limiters() const;
};

// One kind of two results, or all of it ("network"); a kind that one lacks is empty there.
struct Total {
  std::string name;  // "all F", ...
  Sum a, b;
};

// Of the kinds that either has, then of the network.
std::vector<Total> totals(const Result& a, const Result& b);

// Keys of two runs, but for those that say which run it is and where its result goes.
std::vector<config::Difference> differing_keys(const config::RunConfig& a, const config::RunConfig& b);
std::vector<config::Difference> differing_keys(const config::Node& a, const config::Node& b);  // as they are saved

// Both must outlive it.
Comparison compare(const Result& a, const Result& b);

// (b - a) / a; 0 where both are 0, 1 where only a is.
double change(double a, double b);

// The largest change of the cycles of any pair, of any kind and of the network, either way; infinity where rows have no
// partner.
double largest_change(const Comparison& comparison, const Result& a, const Result& b);

}  // namespace weft::run
