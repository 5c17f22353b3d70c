#include "platform/studies/sweep/workers/runner.h"

#include <fmt/core.h>

#include <chrono>
#include <deque>
#include <map>

#include "model/core/error.h"
#include "platform/record/bytes.h"

namespace weft::sweep {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kWaitMs = 100;

class Scheduler {
 public:
  Scheduler(const Definition& definition, Store& store, WorkerGroup& worker_group,
            const std::vector<std::int64_t>& points, const RunCallbacks& callbacks)
      : definition_(definition),
        store_(store),
        worker_group_(worker_group),
        callbacks_(callbacks),
        waiting_(points.begin(), points.end()) {}

  RunStatus run() {
    while (!interrupted() && work_left()) {
      for (const Event& event : worker_group_.wait(kWaitMs)) take(event);
      if (worker_group_.alive() == 0) {
        throw Error(fmt::format("all workers died; {} points are recorded: start the same command again to go on",
                                store_.recorded().size()));
      }
      if (callbacks_.progress) callbacks_.progress(status_);
    }
    return status_;
  }

 private:
  struct Task {
    std::int64_t point = 0;
    Clock::time_point start;
  };

  bool work_left() {
    if (!waiting_.empty() || !busy_.empty()) return true;
    if (!callbacks_.more) return false;
    for (const std::int64_t task : callbacks_.more()) waiting_.push_back(task);
    hand_out();
    return !waiting_.empty() || !busy_.empty();
  }
  bool interrupted() const { return callbacks_.interrupt && *callbacks_.interrupt != 0; }

  void take(const Event& event) {
    switch (event.kind) {
      case Event::Kind::Ready:
        busy_.erase(event.worker);
        idle_.push_back(event.worker);
        break;
      case Event::Kind::Done: {
        busy_.erase(event.worker);
        idle_.push_back(event.worker);
        hand_out();  // first: the worker must not wait for the database
        const Outcome outcome = record::from_bytes<Outcome>(event.bytes);
        record(outcome, {outcome.point, worker_group_.name(event.worker), outcome.seconds,
                         outcome.error.empty() ? "done" : "failed"});
        return;
      }
      case Event::Kind::Died:
        for (auto idle = idle_.begin(); idle != idle_.end();) {
          idle = *idle == event.worker ? idle_.erase(idle) : idle + 1;
        }
        died(event);
        break;
    }
    hand_out();
  }

  void hand_out() {
    while (!idle_.empty() && !waiting_.empty()) {
      const int worker = idle_.front();
      idle_.pop_front();
      busy_[worker] = {waiting_.front(), Clock::now()};
      waiting_.pop_front();
      worker_group_.give(worker, busy_[worker].point);
    }
  }

  void died(const Event& event) {
    const auto found = busy_.find(event.worker);
    if (found == busy_.end()) return;
    const Task task = found->second;
    busy_.erase(found);
    const Attempt attempt{task.point, event.bytes, std::chrono::duration<double>(Clock::now() - task.start).count(),
                          "died"};
    const int times = ++deaths_[task.point];
    if (times < kAttempts) {
      if (callbacks_.notice)
        callbacks_.notice(fmt::format("{}; point {} runs again", event.bytes, definition_.point_of(task.point)));
      store_.record_attempt(definition_, attempt);
      waiting_.push_front(task.point);
      return;
    }
    Outcome outcome;
    outcome.point = task.point;
    outcome.error = fmt::format("the process that ran it died {} times; the table attempts says how", times);
    record(outcome, attempt);
  }

  void record(const Outcome& outcome, const Attempt& attempt) {
    if (store_.has(definition_, outcome.point)) return;  // from a worker that had been declared dead
    store_.record(definition_, outcome, attempt);
    ++status_.done;
    status_.busy_seconds += outcome.seconds;
    status_.failed += !outcome.error.empty();
  }

  const Definition& definition_;
  Store& store_;
  WorkerGroup& worker_group_;
  const RunCallbacks& callbacks_;
  std::deque<std::int64_t> waiting_;
  std::deque<int> idle_;
  std::map<int, Task> busy_;
  std::map<std::int64_t, int> deaths_;
  RunStatus status_;
};

}  // namespace

RunStatus run_points(const Definition& definition, Store& store, WorkerGroup& worker_group,
                     const std::vector<std::int64_t>& points, const RunCallbacks& callbacks) {
  return Scheduler(definition, store, worker_group, points, callbacks).run();
}

}  // namespace weft::sweep
