#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/record/record.h"
#include "platform/studies/sweep/crew/crew.h"

namespace weft::sweep {

// Messages between the ranks of an MPI job. What implements it is a library of its own (mpi_transport.cpp), loaded only
// under mpirun, so that nobody else pays for MPI.
class MpiTransport {
 public:
  virtual ~MpiTransport() = default;
  virtual int size() const = 0;
  virtual void send(int to, const std::string& bytes) = 0;
  struct Message {
    int from = 0;
    std::string bytes;
  };
  virtual std::optional<Message> receive() = 0;  // never waits
  // A rank is dead, and the common end of MPI may wait for it for ever: this process is to end without it.
  virtual void leave_without_the_others() = 0;
};

// Throws Error that says what is missing.
std::unique_ptr<MpiTransport> load_mpi_transport();

// Whether this process was started by mpirun.
bool under_mpirun();
int mpirun_rank();

// What ranks say: to rank 0 "hello", "alive", "ready", "done", "died" and "bye", from rank 0 "give", "alive" and
// "stop".
struct RankMessage {
  std::string what;
  int worker = 0;          // of the rank; in "hello" how many it has
  std::int64_t point = 0;  // "give"
  std::string text = {};   // "hello": identity; "done", "died": as Event::bytes
  std::string name = {};   // "hello": of the rank
  bool lost = false;       // "stop": a rank died
};
void fields(record::Visitor& io, RankMessage& message);

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
