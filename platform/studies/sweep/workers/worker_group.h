#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::sweep {

// Change in the state of a worker since the last wait().
struct Event {
  enum class Kind : std::uint8_t {
    Ready,  // available and idle
    Done,   // finished its point: `bytes` is the encoded outcome
    Died    // ended: `bytes` is the reason. Its point, if any, is not done
  };
  Kind kind = Kind::Ready;
  int worker = 0;
  std::string bytes;
};

// Workers that run points, on any machine. Used from one thread.
class WorkerGroup {
 public:
  virtual ~WorkerGroup() = default;

  // Returns the events so far; waits up to `milliseconds` for one.
  virtual std::vector<Event> wait(int milliseconds) = 0;
  virtual void give(int worker, std::int64_t point) = 0;  // requires a ready worker
  virtual int alive() const = 0;                          // workers present or being started
  virtual std::string name(int worker) const = 0;         // for the records: "process 123 on host"
};

// Runs in a worker; returns the encoded outcome of a point.
using Work = std::function<std::string(std::int64_t point)>;

// Workers that are child processes: a point may crash its process, and SystemC allows one simulation per process. A
// dead worker is replaced. Workers end with this object and with this process, however it ends.
class LocalWorkers : public WorkerGroup {
 public:
  LocalWorkers(int workers, Work work);
  ~LocalWorkers() override;
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;

  std::vector<Event> wait(int milliseconds) override;
  void give(int worker, std::int64_t point) override;
  int alive() const override { return static_cast<int>(workers_.size()); }
  std::string name(int worker) const override;

 private:
  struct Worker {
    int process = 0;
    int socket = -1;
    bool announced = false;
    std::string received;
  };

  void start(Worker& worker);
  [[noreturn]] void serve(int socket);
  std::string reap(Worker& worker);
  void read_from(std::size_t index, std::vector<Event>& events);

  Work work_;
  std::vector<Worker> workers_;
};

}  // namespace weft::sweep
