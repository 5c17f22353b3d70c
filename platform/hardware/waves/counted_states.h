#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "model/stream/observer.h"

namespace weft::waves {

// Counts what the blocks of a launch have done by the start of some cycles.
class CountedStates : public stream::Observer {
 public:
  // `cycles` rise.
  explicit CountedStates(std::vector<Cycles> cycles) : cycles_(std::move(cycles)) {}

  // At those of the cycles that are not behind the end: of each block.
  const std::vector<std::vector<Activities>>& up_to() const { return up_to_; }

  bool after(Cycles now, const stream::CycleEvents& events) override {
    count(now);
    last_ = events.blocks;
    return true;
  }
  void end(Cycles cycles) override {
    count(cycles);
    while (up_to_.size() < cycles_.size() && cycles_[up_to_.size()] == cycles) up_to_.push_back(activities_);
  }

 private:
  // Up to the start of `now` the blocks stay in the states of the last cycle.
  void count(Cycles now) {
    while (up_to_.size() < cycles_.size() && cycles_[up_to_.size()] < now) {
      add(cycles_[up_to_.size()]);
      up_to_.push_back(activities_);
    }
    add(now);
  }
  void add(Cycles now) {
    activities_.resize(last_.size());
    for (std::size_t block = 0; block < last_.size(); ++block) activities_[block].add(last_[block], now - counted_);
    counted_ = now;
  }

  std::vector<Cycles> cycles_;
  std::vector<std::vector<Activities>> up_to_;
  std::vector<Activity> last_;  // states of the cycle that was stepped last
  std::vector<Activities> activities_;
  Cycles counted_ = 0;
};

}  // namespace weft::waves
