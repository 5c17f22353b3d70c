#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/record/record.h"
#include "platform/studies/sweep/workers/worker_group.h"

namespace weft::sweep {

// Messages between the ranks of an MPI job. The implementation is a separate library (mpi_transport.cpp), loaded only
// under mpirun, so that other uses do not depend on MPI.
class MpiTransport {
 public:
  virtual ~MpiTransport() = default;
  virtual int size() const = 0;
  virtual void send(int to, const std::string& bytes) = 0;
  struct Message {
    int from = 0;
    std::string bytes;
  };
  virtual std::optional<Message> receive() = 0;  // does not block
  // Lets this process end without MPI's common shutdown, which may wait for ever for a dead rank.
  virtual void leave_without_the_others() = 0;
};

// Throws Error that names the missing part.
std::unique_ptr<MpiTransport> load_mpi_transport();

// True if this process was started by mpirun.
bool under_mpirun();
int mpirun_rank();
int mpirun_local_ranks();  // on this machine; 1 without mpirun

// Message of a rank. To rank 0: "hello", "alive", "ready", "done", "died" and "bye"; from rank 0: "give", "alive" and
// "stop".
struct RankMessage {
  std::string what;
  int worker = 0;          // worker of the rank; in "hello" the number of workers
  std::int64_t point = 0;  // "give"
  std::string text = {};   // "hello": identity; "done", "died": Event::bytes
  std::string name = {};   // "hello": name of the rank
  bool lost = false;       // "stop": a rank died
};
void fields(record::Visitor& io, RankMessage& message);

// WorkerGroup of rank 0: its own workers and those of all other ranks. A rank that sends nothing for `silence` counts
// as dead, with its workers. Under `mpirun --enable-recovery` the other ranks continue; without it mpirun ends them
// all.
class MpiWorkers : public WorkerGroup {
 public:
  // `identity`: must be equal on all ranks. `silence`: time without a message after which a rank counts as dead; ranks
  // send one every second, also while a point runs.
  MpiWorkers(MpiTransport& transport, LocalWorkers& own, std::string identity, std::chrono::milliseconds silence);
  ~MpiWorkers() override;
  MpiWorkers(const MpiWorkers&) = delete;
  MpiWorkers& operator=(const MpiWorkers&) = delete;

  std::vector<Event> wait(int milliseconds) override;
  void give(int worker, std::int64_t point) override;
  int alive() const override;
  std::string name(int worker) const override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Rank {
    bool dead = false;
    int workers = 0;  // 0: no message received yet
    std::string name;
    Clock::time_point heard = Clock::now();
  };

  void take(const MpiTransport::Message& message, std::vector<Event>& events);
  void look_for_dead(std::vector<Event>& events);
  int id(int rank, int worker) const { return worker * transport_.size() + rank; }

  MpiTransport& transport_;
  LocalWorkers& own_;
  std::string identity_;
  std::chrono::milliseconds silence_;
  std::vector<Rank> ranks_;
  Clock::time_point next_sign_ = Clock::now();
};

// Main loop of every other rank, until rank 0 stops it or is gone.
void serve_rank(MpiTransport& transport, LocalWorkers& own, const std::string& identity,
                std::chrono::milliseconds silence);

}  // namespace weft::sweep
