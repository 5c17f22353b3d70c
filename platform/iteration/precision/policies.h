#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "platform/iteration/precision/precision_schedule.h"

namespace weft::precision {

// MuPPET, with or without GM, applied to a training, live or replayed: the levels of every iteration, the measurements
// that the policies need and when, and the schedule of levels so far.
class Policies {
 public:
  // `times`: of each of `convolutions` convolutions in each of GM's levels; empty without GM.
  Policies(const MuppetRules& muppet, const std::optional<GmRules>& gm, std::int64_t iterations_per_epoch,
           std::size_t convolutions, const std::vector<LevelTimes>& times);

  bool finished() const { return muppet_.finished(); }
  int epoch() const { return muppet_.epoch(); }
  Level level() const { return muppet_.level(); }  // MuPPET's
  double rate() const { return muppet_.rate(); }   // relative to the initial learning rate
  std::vector<Level> levels() const;               // of each convolution, now
  const std::optional<Gm>& gm() const { return gm_; }

  int ticks() const { return ticks_; }                  // per epoch; 1 without GM
  std::int64_t iterations_before_tick(int tick) const;  // within the epoch; tick 0 to ticks()
  // Ends tick `tick` of the epoch; called once for each of ticks(). `error`: mean over the tick's iterations for a
  // convolution watched by GM, in its level and in the one below.
  void end_tick(int tick, const std::function<double(std::size_t convolution, Level level)>& error);

  bool asks() const { return muppet_.asks(); }  // true if the end of the epoch needs a diversity
  void end_epoch(std::optional<double> diversity);
  void end_epoch_by(bool switches);  // decision chosen in advance

  const PrecisionSchedule& precision_schedule() const { return precision_schedule_; }  // of completed epochs

 private:
  void begin_epoch();
  void close(bool switches);

  Muppet muppet_;
  std::optional<Gm> gm_;
  int ticks_ = 1;
  std::int64_t iterations_;
  std::size_t convolutions_;
  PrecisionSchedule precision_schedule_;
  Epoch now_;
};

}  // namespace weft::precision
