// One sweep under mpirun and as a Slurm job array. ./weft test installs the programs.
#include <csignal>
#include <optional>

#include "tests/integration/sweep/sweep_case.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using test::Background;
using test::eventually;
using test::Outcome;

bool found(const std::string& program) {
  for (const char* folder : {"/usr/bin/", "/usr/sbin/"}) {
    if (fs::exists(folder + program)) return true;
  }
  return false;
}

// A FIFO of depth 0 is a deadlock, batch 0 is invalid.
const char* const kFailing = "run: conv-small\nspace: {kernel.fifo.inp_beat: [0, 32], batch: [0, 1]}\n";

class Mpi : public test::SweepCase {
 protected:
  void SetUp() override {
    ASSERT_TRUE(found("mpirun")) << "./weft test installs it (packages-test.txt)";
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    // More ranks than processors: Open MPI 4, and 5.
    ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    ::setenv("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", 1);
    ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  }
  static Words mpirun(const std::string& ranks, const Words& more, const Words& options = {}) {
    return test::joined(test::joined({"-n", ranks}, options), test::joined({WEFT_BINARY, "sweep"}, more));
  }
  Outcome run_ranks(const std::string& ranks, const Words& more) const {
    return test::run_program("/usr/bin/mpirun", mpirun(ranks, more), dir_.path());
  }
  // Returns the weft process of a rank: mpirun starts them in order.
  static int rank_process(const Background& mpirun, std::size_t rank) {
    std::vector<int> ranks = test::children_of(mpirun.process());
    std::sort(ranks.begin(), ranks.end());
    return rank < ranks.size() ? ranks[rank] : -1;
  }
};

TEST_F(Mpi, TwoToFourRanksRecordTheRowsOfTheLocalRun) {
  ok(sweep({"small", "--out", "local.db"}));
  const std::string wanted = rows("local.db");
  for (const char* ranks : {"2", "3", "4"}) {
    const std::string database = std::string("mpi") + ranks + ".db";
    const Outcome outcome = run_ranks(ranks, {"small", "--out", database});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(rows(database), wanted);
    EXPECT_GE(query(database, "SELECT count(DISTINCT substr(worker, 1, 6)) FROM attempts"), "2\n");
  }
}

TEST_F(Mpi, PointsThatFailAreRecordedAsInTheLocalRun) {
  dir_.write("s.yaml", kFailing);
  ok(sweep({"s.yaml", "--out", "local.db"}));
  const Outcome outcome = run_ranks("3", {"s.yaml", "--out", "s.db"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(query("s.db", "SELECT status, count(*) FROM points GROUP BY 1"), "done|1\nfailed|3\n");
  EXPECT_EQ(rows("s.db"), rows("local.db"));
}

TEST_F(Mpi, ThePointsOfARankThatDiesRunAgainOnTheOthers) {
  write_equal("s.yaml", 24, 3);
  ok(sweep({"s.yaml", "--out", "local.db"}));
  Background running("/usr/bin/mpirun",
                     mpirun("3", {"s.yaml", "--out", "s.db", "--rank-timeout", "2"}, {"--enable-recovery"}),
                     dir_.path());
  ASSERT_TRUE(eventually([&] {
    return recorded("s.db") >= 3 && query("s.db", "SELECT count(*) FROM attempts WHERE worker LIKE 'rank 2%'") != "0\n";
  }));
  ::kill(rank_process(running, 2), SIGKILL);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "gave no sign for 2 s; point"));
  EXPECT_EQ(query("s.db", "SELECT count(*) FROM attempts WHERE outcome = 'died'"), "1\n");
  EXPECT_EQ(rows("s.db"), rows("local.db"));
}

TEST_F(Mpi, WithoutRecoveryMpirunEndsAndTheNextStartGoesOn) {
  write_equal("s.yaml", 24, 3);
  {
    Background running("/usr/bin/mpirun", mpirun("2", {"s.yaml", "--out", "s.db"}), dir_.path());
    ASSERT_TRUE(eventually([&] { return recorded("s.db") >= 3; }));
    ::kill(rank_process(running, 1), SIGKILL);
    EXPECT_NE(running.wait().exit_code, 0);
  }
  const std::int64_t before = recorded("s.db");
  EXPECT_LT(before, 24);
  const Outcome outcome = run_ranks("2", {"s.yaml", "--out", "s.db"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(test::has(outcome.out, std::to_string(before) + " recorded before"));
  EXPECT_EQ(query("s.db", "SELECT count(*), count(DISTINCT point) FROM attempts WHERE outcome = 'done'"), "24|24\n");
}

// Ranks of one job with different settings, for instance from an old file on one of the machines.
TEST_F(Mpi, ARankThatReadsAnotherConfigurationIsRefused) {
  write_equal("s.yaml", 2000);
  const std::string start = R"([ $OMPI_COMM_WORLD_RANK = 0 ] || set -- --set batch=2; exec ")" WEFT_BINARY
                            R"(" sweep s.yaml --out s.db "$@")";
  const Words words{"-n", "2", "/bin/sh", "-c", start, "sh"};
  const Outcome outcome = test::run_program("/usr/bin/mpirun", words, dir_.path());
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(test::has(outcome.err, "has another configuration or another version of weft than rank 0"));
  EXPECT_LT(recorded("s.db"), 2000);
}

TEST_F(Mpi, AFaultIsSaidOnce) {
  const Outcome outcome = run_ranks("3", {"nosuch"});
  EXPECT_NE(outcome.exit_code, 0);
  const std::string message = "there is no sweep 'nosuch'";
  const auto first = outcome.err.find(message);
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find(message, first + 1), std::string::npos) << outcome.err;
}

// A Slurm installation of the test; its folder needs a short path without spaces.
class Slurm : public test::SweepCase {
 protected:
  void SetUp() override {
    ASSERT_TRUE(found("slurmctld") && found("slurmd") && found("munged"))
        << "./weft test installs them (packages-test.txt)";
    std::string name = "/tmp/weft-slurm-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ready_ = dir_.path() / "ready";
    node_.emplace(WEFT_SOURCE_DIR "/tests/support/slurm_node.sh",
                  Words{folder_, "/bin/bash", "-c", "touch \"$0\"; sleep 600", ready_.string()}, dir_.path());
    ASSERT_TRUE(eventually([&] { return fs::exists(ready_) || !node_->running(); }, 60));
    ASSERT_TRUE(node_->running()) << node_->wait().err;
    ::setenv("SLURM_CONF", (folder_ + "/slurm.conf").c_str(), 1);
  }
  void TearDown() override {
    if (node_ && node_->running()) {
      for (const int child : test::children_of(node_->process())) ::kill(child, SIGTERM);
      eventually([&] { return !node_->running(); }, 20);
    }
    node_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string folder_;
  fs::path ready_;
  std::optional<Background> node_;
};

TEST_F(Slurm, AJobArrayRecordsTheRowsOfTheLocalRunAndTheTasksThatDieRunAgain) {
  ok(sweep({"small", "--out", "local.db"}));
  const Outcome array = ok(sweep({"small", "--out", "array.db", "--slurm", "3", "--slurm-poll", "0.2"}));
  EXPECT_TRUE(test::has(array.err, "3 tasks, 32 points"));
  EXPECT_EQ(rows("array.db"), rows("local.db"));
  EXPECT_FALSE(fs::exists(dir_.path() / "array.db.jobs"));

  dir_.write("failing.yaml", kFailing);
  ok(sweep({"failing.yaml", "--out", "failing.db"}));
  ok(sweep({"failing.yaml", "--out", "failing_array.db", "--slurm", "2", "--slurm-poll", "0.2"}));
  EXPECT_EQ(query("failing_array.db", "SELECT status, count(*) FROM points GROUP BY 1"), "done|1\nfailed|3\n");
  EXPECT_EQ(rows("failing_array.db"), rows("failing.db"));

  // A task is killed, with its workers, after it has finished some of its points.
  write_equal("s.yaml", 20, 4);
  ok(sweep({"s.yaml", "--out", "equal.db"}));
  {
    Background running(WEFT_BINARY, sweep({"s.yaml", "--out", "s.db", "--slurm", "2", "--slurm-poll", "0.2"}),
                       dir_.path());
    std::string shard;
    ASSERT_TRUE(eventually([&] {
      std::error_code code;
      for (const auto& entry : fs::directory_iterator(dir_.path() / "s.db.jobs", code)) {
        const std::string name = "s.db.jobs/" + entry.path().filename().string();
        if (entry.path().extension() == ".db" && recorded(name) >= 2) shard = entry.path().filename().string();
      }
      return !shard.empty();
    }));
    for (const int task : test::processes_with({"sweep", "s.db.jobs/" + shard})) ::kill(task, SIGKILL);
    const Outcome outcome = running.wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(test::has(outcome.err, "they are submitted again"));
  }
  EXPECT_EQ(rows("s.db"), rows("equal.db"));
  EXPECT_EQ(query("s.db", "SELECT count(*), count(DISTINCT point) FROM attempts WHERE outcome = 'done'"), "20|20\n");

  // The process that submitted the job is killed; the next start finds the job.
  {
    Background killed(WEFT_BINARY, sweep({"s.yaml", "--out", "t.db", "--slurm", "2", "--slurm-poll", "0.2"}),
                      dir_.path());
    ASSERT_TRUE(eventually([&] {
      try {
        return !query("t.db", "SELECT value FROM notes WHERE value <> ''").empty();
      } catch (const std::exception&) {
        return false;
      }
    }));
    killed.signal(SIGKILL);
    killed.wait();
  }
  const Outcome second = ok(sweep({"s.yaml", "--out", "t.db", "--slurm", "2", "--slurm-poll", "0.2"}));
  EXPECT_FALSE(test::has(second.err, "submitted job"));
  EXPECT_EQ(rows("t.db"), rows("equal.db"));

  refused(sweep({"s.yaml", "--out", "u.db", "--slurm", "2", "--sbatch", "--partition=nosuch"}),
          "sbatch refuses the job");
}

}  // namespace
}  // namespace weft
