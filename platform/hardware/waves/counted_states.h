#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "model/stream/observer.h"

namespace weft::waves {

// Counts the activities of a launch's blocks up to the start of given cycles.
class CountedStates : public stream::Observer {
 public:
  // `cycles`: ascending.
  explicit CountedStates(std::vector<Cycles> cycles) : cycles_(std::move(cycles)) {}

  // Activities of each block at each of the cycles up to the end.
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
  // Counts the states of the last cycle up to the start of `now`; blocks stay in them.
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
  std::vector<Activity> last_;  // states of the last stepped cycle
  std::vector<Activities> activities_;
  Cycles counted_ = 0;
};

}  // namespace weft::waves
