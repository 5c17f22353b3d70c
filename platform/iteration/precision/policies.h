#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "platform/iteration/precision/course.h"

namespace weft::precision {

// MuPPET, and GM on top of it, as a training runs under them, live or replayed: what every iteration is computed in,
// what the policies ask for and when, and the course so far.
class Policies {
 public:
  // `times`: of each of so many convolutions in each of GM's levels; without GM empty.
  Policies(const MuppetRules& muppet, const std::optional<GmRules>& gm, std::int64_t iterations_per_epoch,
           std::size_t convolutions, const std::vector<LevelTimes>& times);

  bool finished() const { return muppet_.finished(); }
  int epoch() const { return muppet_.epoch(); }
  Level level() const { return muppet_.level(); }  // MuPPET's
  double rate() const { return muppet_.rate(); }   // of what the learning rate began with
  std::vector<Level> levels() const;               // of each convolution, now
  const std::optional<Gm>& gm() const { return gm_; }

  int ticks() const { return ticks_; }                  // an epoch, 1 without GM
  std::int64_t iterations_before_tick(int tick) const;  // of the epoch, 0 to ticks()
  // The end of a tick of the epoch, once for each of ticks(). `error`: the mean over its iterations of a convolution
  // that GM watches, in its level and in the one below.
  void end_tick(int tick, const std::function<double(std::size_t convolution, Level level)>& error);

  bool asks() const { return muppet_.asks(); }  // whether the end of the epoch asks for a diversity
  void end_epoch(std::optional<double> diversity);
  void end_epoch_by(bool switches);  // as was chosen beforehand

  const Course& course() const { return course_; }  // of the epochs that are over

 private:
  void begin_epoch();
  void close(bool switches);

  Muppet muppet_;
  std::optional<Gm> gm_;
  int ticks_ = 1;
  std::int64_t iterations_;
  std::size_t convolutions_;
  Course course_;
  Epoch now_;
};

}  // namespace weft::precision
