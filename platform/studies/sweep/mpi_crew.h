#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "platform/studies/sweep/crew.h"
#include "platform/studies/sweep/mpi_transport.h"

namespace weft::sweep {

// Rank 0's view: its own workers and those of every other rank, as one crew. A rank that falls silent is dead: its
// workers died. Under `mpirun --enable-recovery` the others go on; without it mpirun ends them all.
class MpiCrew : public Crew {
 public:
  // `identity`: what every rank must have read and be. `silence`: how long a rank may give no sign before it counts as
  // dead; ranks give one every second, also while a point runs.
  MpiCrew(MpiTransport& transport, LocalCrew& own, std::string identity, std::chrono::milliseconds silence);
  ~MpiCrew() override;
  MpiCrew(const MpiCrew&) = delete;
  MpiCrew& operator=(const MpiCrew&) = delete;

  std::vector<Event> wait(int milliseconds) override;
  void give(int worker, std::int64_t point) override;
  int alive() const override;
  std::string name(int worker) const override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank {
    bool dead = false;
    int workers = 0;  // 0: not heard of yet
    std::string name;
    Clock::time_point heard = Clock::now();
  };

  void take(const MpiTransport::Message& message, std::vector<Event>& events);
  void look_for_dead(std::vector<Event>& events);
  int id(int rank, int worker) const { return worker * transport_.size() + rank; }

  MpiTransport& transport_;
  LocalCrew& own_;
  std::string identity_;
  std::chrono::milliseconds silence_;
  std::vector<Rank> ranks_;
  Clock::time_point next_sign_ = Clock::now();
};

// What every other rank does until rank 0 has no more use for it, or is gone.
void serve_rank(MpiTransport& transport, LocalCrew& own, const std::string& identity,
                std::chrono::milliseconds silence);

}  // namespace weft::sweep
