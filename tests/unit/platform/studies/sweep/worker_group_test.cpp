// Worker processes and the loop that hands out points; the work only sleeps or dies.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "platform/record/bytes.h"
#include "platform/studies/sweep/definition/figures.h"
#include "platform/studies/sweep/workers/mpi_workers.h"
#include "platform/studies/sweep/workers/runner.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::sweep {
namespace {

using Clock = std::chrono::steady_clock;

class Running : public testing::Test {
 protected:
  Running()
      : definition_(dir_.write("s.yaml", "run: conv-small\nspace: {seed: {from: 1, to: 500, step: 1}}\n").string(), {},
                    {WEFT_CONFIG_DIR}),
        store_(dir_.path() / "s.db") {
    store_.begin(definition_, {"digest", "version"}, false);
  }

  static std::string outcome(std::int64_t point, const std::string& error = "") {
    Outcome outcome;
    outcome.point = point;
    outcome.error = error;
    outcome.fields.assign(point_columns().size(), Value(point));
    return record::to_bytes(outcome);
  }
  static std::vector<std::int64_t> points(std::int64_t count) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return all;
  }
  RunStatus run(int workers, std::int64_t count, const Work& work) {
    LocalWorkers worker_group(workers, work);
    RunCallbacks callbacks;
    callbacks.notice = [&](const std::string& text) { notices_.push_back(text); };
    return run_points(definition_, store_, worker_group, points(count), callbacks);
  }

  test::TemporaryDirectory dir_;
  Definition definition_;
  Store store_;
  std::vector<std::string> notices_;
};

TEST_F(Running, EveryPointIsRecordedOnce) {
  const RunStatus status = run(3, 100, [](std::int64_t point) { return outcome(point); });
  EXPECT_EQ(status.done, 100);
  EXPECT_EQ(store_.recorded().size(), 100U);
  EXPECT_TRUE(notices_.empty());
}

TEST_F(Running, APointThatFailsIsRecordedAndTheOthersGoOn) {
  const RunStatus status =
      run(2, 20, [](std::int64_t point) { return outcome(point, point % 5 == 0 ? "no such luck" : ""); });
  EXPECT_EQ(status.done, 20);
  EXPECT_EQ(status.failed, 4);
  EXPECT_EQ(store_.failed(), 4);
}

TEST_F(Running, APointWhoseWorkerDiesRunsAgain) {
  const std::string mark = (dir_.path() / "died").string();
  const RunStatus status = run(2, 20, [&](std::int64_t point) {
    if (point == 7 && ::access(mark.c_str(), F_OK) != 0) {
      std::FILE* const file = std::fopen(mark.c_str(), "w");
      if (file) std::fclose(file);
      ::raise(SIGKILL);
    }
    return outcome(point);
  });
  EXPECT_EQ(status.done, 20);
  EXPECT_EQ(status.failed, 0);
  ASSERT_EQ(notices_.size(), 1U);
  EXPECT_TRUE(test::has(notices_[0], "signal 9"));
  EXPECT_TRUE(test::has(notices_[0], "point 7 runs again"));
}

TEST_F(Running, APointThatAlwaysKillsItsWorkerFailsAfterThreeTimes) {
  const RunStatus status = run(2, 10, [](std::int64_t point) {
    if (point == 3) ::raise(SIGSEGV);
    if (point == 4) ::_exit(9);
    return outcome(point);
  });
  EXPECT_EQ(status.done, 10);
  EXPECT_EQ(status.failed, 2);
  EXPECT_EQ(notices_.size(), 4U);
}

TEST_F(Running, LargeOutcomesArriveWhole) {
  const RunStatus status = run(2, 6, [](std::int64_t point) { return outcome(point, std::string(3'000'000, 'x')); });
  EXPECT_EQ(status.failed, 6);
}

TEST_F(Running, AnInterruptStopsAfterWhatIsRecorded) {
  std::sig_atomic_t interrupt = 0;
  LocalWorkers worker_group(1, [](std::int64_t point) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return outcome(point);
  });
  RunCallbacks callbacks;
  callbacks.interrupt = &interrupt;
  callbacks.progress = [&](const RunStatus& status) { interrupt = status.done >= 4; };
  const RunStatus status = run_points(definition_, store_, worker_group, points(400), callbacks);
  EXPECT_GE(status.done, 4);
  EXPECT_LT(status.done, 400);
  EXPECT_EQ(static_cast<std::int64_t>(store_.recorded().size()), status.done);
}

// Other programs share the processor, so the points only sleep: the rest is the sweep's own overhead.
TEST_F(Running, TwoWorkersAreAtLeast1Point8TimesAsFastAsOne) {
  double best = 0;
  for (int attempt = 0; attempt < 3 && best < 1.8; ++attempt) {
    const auto seconds = [&](int workers) {
      const auto start = Clock::now();
      LocalWorkers worker_group(workers, [](std::int64_t point) {
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
        return outcome(point);
      });
      std::vector<std::int64_t> fresh;
      for (std::int64_t point = 0; fresh.size() < 40; ++point) {
        if (store_.recorded().count(point) == 0) fresh.push_back(point);
      }
      run_points(definition_, store_, worker_group, fresh, {});
      return std::chrono::duration<double>(Clock::now() - start).count();
    };
    const double one = seconds(1);
    best = std::max(best, one / seconds(2));
  }
  EXPECT_GE(best, 1.8);
}

// Ranks without MPI: the test receives their messages and sends messages to them.
class FakeTransport : public MpiTransport {
 public:
  int size() const override { return 3; }
  void send(int to, const std::string& bytes) override {
    const std::string what = record::from_bytes<RankMessage>(bytes).what;
    sent.emplace_back(to, what);
    if (what == "stop") arrive(to, {"bye"});
  }
  std::optional<Message> receive() override {
    if (inbox_.empty()) return std::nullopt;
    Message message = inbox_.front();
    inbox_.erase(inbox_.begin());
    return message;
  }
  void leave_without_the_others() override { left = true; }
  void arrive(int from, const RankMessage& message) { inbox_.push_back({from, record::to_bytes(message)}); }
  bool has_sent(int to, const std::string& what) const {
    return std::find(sent.begin(), sent.end(), std::pair(to, what)) != sent.end();
  }

  std::vector<std::pair<int, std::string>> sent;
  bool left = false;

 private:
  std::vector<Message> inbox_;
};

// MPI's finalisation waits for all ranks, sometimes forever for a dead one: after a death no rank may call it.
TEST(MpiRanks, EndByThemselvesOnceOneIsDead) {
  for (const bool dies : {false, true}) {
    FakeTransport transport;
    LocalWorkers own(1, [](std::int64_t) { return std::string(); });
    {
      MpiWorkers worker_group(transport, own, "same", std::chrono::milliseconds(dies ? 500 : 60'000));
      for (const int rank : {1, 2}) transport.arrive(rank, {"hello", 1, 0, "same", "process"});
      if (dies) {  // both have sent a message; then 2 is silent
        const auto end = Clock::now() + std::chrono::seconds(10);
        while (worker_group.alive() > 2 && Clock::now() < end) {
          transport.arrive(1, {"alive"});
          worker_group.wait(1);
        }
        ASSERT_EQ(worker_group.alive(), 2);
      } else {
        worker_group.wait(20);
        ASSERT_EQ(worker_group.alive(), 3);
      }
    }
    EXPECT_EQ(transport.left, dies);
    EXPECT_TRUE(transport.has_sent(1, "stop"));
    EXPECT_EQ(transport.has_sent(2, "stop"), !dies);
  }
}

TEST(MpiRanks, AreToldThatOneIsDead) {
  for (const bool lost : {false, true}) {
    FakeTransport transport;
    LocalWorkers own(1, [](std::int64_t) { return std::string(); });
    transport.arrive(0, {"stop", 0, 0, "", "", lost});
    serve_rank(transport, own, "same", std::chrono::seconds(60));
    EXPECT_EQ(transport.left, lost);
    EXPECT_EQ(transport.has_sent(0, "bye"), lost);
  }
  FakeTransport transport;
  LocalWorkers own(1, [](std::int64_t) { return std::string(); });
  EXPECT_THROW(serve_rank(transport, own, "same", std::chrono::milliseconds(30)), Error);  // rank 0 is dead
  EXPECT_TRUE(transport.left);
}

}  // namespace
}  // namespace weft::sweep
