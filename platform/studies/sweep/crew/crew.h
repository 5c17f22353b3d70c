#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::sweep {

// What happened to a worker since it was last asked.
struct Event {
  enum class Kind : std::uint8_t {
    Ready,  // it is there and has nothing to do
    Done,   // it ran its point: `bytes` is the encoded outcome
    Died    // it ended; `bytes` says how. Its point, if it had one, is not done
  };
  Kind kind = Kind::Ready;
  int worker = 0;
  std::string bytes;
};

// Workers that run points, wherever they are. Used from one thread.
class Crew {
 public:
  virtual ~Crew() = default;

  // What happened, after at most `milliseconds`.
  virtual std::vector<Event> wait(int milliseconds) = 0;
  virtual void give(int worker, std::int64_t point) = 0;  // to one that is ready
  virtual int alive() const = 0;                          // workers that are there or will be
  virtual std::string name(int worker) const = 0;         // for the record: "process 123 on host"
};

// Runs in a worker: a point to its encoded outcome.
using Work = std::function<std::string(std::int64_t point)>;

// Workers that are child processes of this one: a point may take its process down, and SystemC keeps one simulation a
// process. One that dies is replaced. They end with this object and with this process, however that ends.
class LocalCrew : public Crew {
 public:
  LocalCrew(int workers, Work work);
  ~LocalCrew() override;
  LocalCrew(const LocalCrew&) = delete;
  LocalCrew& operator=(const LocalCrew&) = delete;

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
  std::string bury(Worker& worker);
  void read_from(std::size_t index, std::vector<Event>& events);

  Work work_;
  std::vector<Worker> workers_;
};

}  // namespace weft::sweep
