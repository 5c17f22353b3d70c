#include <sys/mount.h>

#include <csignal>

#include "tests/integration/sweep/sweep_case.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using test::Background;
using test::eventually;
using test::Outcome;

class Sweep : public test::SweepCase {};

TEST_F(Sweep, RowsAreWhatWeftRunPrintsForEachPoint) {
  dir_.write(
      "s.yaml",
      "run: conv-small\nspace: {rung: [analytical, systemc], kernel.array.x: [3, 8], convolution.kind: [F, GW]}\n");
  ok(sweep({"s.yaml"}));
  EXPECT_EQ(query("results/s.db", "SELECT count(*), sum(status = 'done') FROM points"), "8|8\n");
  for (const char* point : {"0", "3", "6", "7"}) {
    // The stored run, run again alone, gives the stored cycles.
    const Outcome yaml = ok(show({"results/s.db", "--point", point, "--yaml"}));
    EXPECT_TRUE(test::has(yaml.out, std::string("title: \"point ") + point + " of s: rung "));
    dir_.write("point.yaml", yaml.out);
    const Outcome run = ok({"run", "point.yaml", "--no-save", "--format", "csv"});
    const std::string stored =
        query("results/s.db", std::string("SELECT macs, cycles FROM convolutions WHERE point = ") + point);
    const std::string wanted = "," + stored.substr(0, stored.find('|')) + "," +
                               stored.substr(stored.find('|') + 1, stored.size() - stored.find('|') - 2) + ",";
    EXPECT_TRUE(test::has(run.out, wanted));
  }
}

// A point has one convolution here. The equations give only the products.
TEST_F(Sweep, PeCyclesOfPointsAndConvolutionsSumToThePesTimesTheCycles) {
  dir_.write("s.yaml",
             "run: conv-small\nspace: {rung: [analytical, systemc, exact], kernel.array.x: [3, 8], "
             "kernel.array.y: [5], convolution.kind: [F, GW]}\n");
  ok(sweep({"s.yaml"}));
  const auto points = [&](const std::string& of, const std::string& where) {
    const std::string sum = of + ".pe_useful + " + of + ".pe_zeros + " + of + ".pe_unused_columns + " + of +
                            ".pe_unused_rows + " + of + ".pe_gaps + " + of + ".pe_fill_drain + " + of +
                            ".pe_starved_inp_column + " + of + ".pe_starved_kern_row + " + of +
                            ".pe_blocked_out_row + " + of + ".pe_idle";
    return query("results/s.db",
                 "SELECT count(*) FROM points JOIN convolutions USING (sweep, point) WHERE " + sum + where);
  };
  for (const char* of : {"points", "convolutions"}) {
    EXPECT_EQ(points(of, " = 5 * points.cycles * json_extract(parameters, '$.\"kernel.array.x\"')"), "8\n");
    EXPECT_EQ(points(of, std::string(" IS NULL AND ") + of + ".pe_useful > 0"), "4\n");
  }
}

// A network that fits the boards with one copy of its weights at a usable share of 40 %, but not at 3 %.
TEST_F(Sweep, PointsOfClustersAreWhatWeftPlanPrintsAndSayWhereNoPlanIs) {
  dir_.write("s.yaml",
             "cluster: nada-mobilenetv2\nset: {network: resnet20, nada.copies: 1}\n"
             "space: {boards: [1, 2], nada.usable_percent: [3, 40]}\n"
             "objectives: [maximize: images_per_second, minimize: boards]\nconstraints: [link_load < 0.9]\n");
  ok(sweep({"s.yaml", "--points", "1", "--workers", "1"}));
  const Outcome rest = ok(sweep({"s.yaml", "--workers", "2"}));
  EXPECT_TRUE(test::has(rest.out, "4 of 4 points recorded, 2 of them failed; this start ran 3"));
  EXPECT_EQ(query("results/s.db", "SELECT point, status FROM points ORDER BY 1"),
            "0|failed\n1|done\n2|failed\n3|done\n");
  EXPECT_TRUE(test::has(query("results/s.db", "SELECT error FROM points WHERE point = 0"), "the network fits no plan"));
  for (const char* point : {"1", "3"}) {
    const Outcome yaml = ok(show({"results/s.db", "--point", point, "--yaml"}));
    dir_.write("point.yaml", yaml.out);
    const Outcome plan = ok({"plan", "point.yaml", "--no-save", "--format", "json"});
    const std::string stored = query("results/s.db", std::string("SELECT cycles_an_image, latency_cycles FROM points "
                                                                 "WHERE point = ") +
                                                         point);
    const std::size_t bar = stored.find('|');
    EXPECT_TRUE(test::has(plan.out, "\"cycles_an_image\": " + stored.substr(0, bar) + ",\n  \"images_per_second\""))
        << stored;
    EXPECT_TRUE(test::has(plan.out, "\"latency_cycles\": " + stored.substr(bar + 1, stored.size() - bar - 2) + ","))
        << stored;
  }
  ok(sweep({"s.yaml", "--workers", "1", "--out", "one.db"}));
  EXPECT_EQ(rows("results/s.db"), rows("one.db"));
}

TEST_F(Sweep, TheSameRowsComeFromAnyNumberOfWorkers) {
  ok(sweep({"small", "--workers", "1", "--out", "one.db"}));
  ok(sweep({"small", "--workers", "5", "--out", "five.db"}));
  EXPECT_EQ(recorded("one.db"), 32);
  EXPECT_EQ(rows("one.db"), rows("five.db"));
}

TEST_F(Sweep, KilledAtAnyMomentItLosesNothingFinishedAndRepeatsNothing) {
  write_equal("s.yaml", 60);
  ok(sweep({"s.yaml", "--out", "whole.db"}));
  for (const std::int64_t enough : {1, 9, 23, 40}) {
    Background killed(WEFT_BINARY, sweep({"s.yaml", "--out", "s.db", "--workers", "2"}), dir_.path());
    ASSERT_TRUE(eventually([&] { return recorded("s.db") >= enough; }));
    killed.signal(SIGKILL);
    EXPECT_EQ(killed.wait().exit_code, 128 + SIGKILL);
    EXPECT_GE(recorded("s.db"), enough);
  }
  const std::int64_t before = recorded("s.db");
  EXPECT_LT(before, 60);
  const Outcome last = ok(sweep({"s.yaml", "--out", "s.db"}));
  EXPECT_TRUE(test::has(last.out, "60 of 60 points recorded"));
  EXPECT_TRUE(test::has(last.out, std::to_string(before) + " recorded before"));
  EXPECT_EQ(query("s.db", "SELECT count(*), count(DISTINCT point) FROM attempts"), "60|60\n");
  EXPECT_EQ(rows("s.db"), rows("whole.db"));
  EXPECT_EQ(dir_.listing(), (std::vector<std::string>{"s.db", "s.yaml", "whole.db"}));
}

TEST_F(Sweep, AWorkerThatIsKilledIsNoticedAndItsPointRunsAgain) {
  write_equal("s.yaml", 12, 4);
  Background running(WEFT_BINARY, sweep({"s.yaml", "--out", "s.db", "--workers", "2"}), dir_.path());
  ASSERT_TRUE(eventually([&] { return recorded("s.db") >= 2; }));
  const std::vector<int> workers = test::children_of(running.process());
  ASSERT_EQ(workers.size(), 2U);
  ::kill(workers[0], SIGKILL);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "runs again"));
  EXPECT_EQ(query("s.db", "SELECT sum(status = 'done') FROM points"), "12\n");
  EXPECT_EQ(query("s.db", "SELECT outcome, count(*) FROM attempts GROUP BY 1"), "died|1\ndone|12\n");
}

TEST_F(Sweep, ASecondStartAtTheSameTimeIsRefused) {
  write_equal("s.yaml", 20000);  // more than it can finish
  Background first(WEFT_BINARY, sweep({"s.yaml", "--out", "s.db", "--workers", "1"}), dir_.path());
  ASSERT_TRUE(eventually([&] { return recorded("s.db") >= 1; }));
  const Outcome second = weft(sweep({"s.yaml", "--out", "s.db"}));
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_TRUE(
      test::has(second.err, "is being written by another weft sweep (process " + std::to_string(first.process())));
  EXPECT_TRUE(first.running());
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait().exit_code, 128 + SIGTERM);
  EXPECT_GE(recorded("s.db"), 1);
}

TEST_F(Sweep, AnInterruptEndsItInOrder) {
  write_equal("s.yaml", 200);
  Background running(WEFT_BINARY, sweep({"s.yaml", "--out", "s.db"}), dir_.path());
  ASSERT_TRUE(eventually([&] { return recorded("s.db") >= 3; }));
  running.signal(SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_TRUE(test::has(outcome.err, "interrupted; the same command continues"));
  EXPECT_EQ(dir_.listing(), (std::vector<std::string>{"s.db", "s.yaml"}));
}

TEST_F(Sweep, PointsThatFailAreRecordedWithTheirErrorsAndTheOthersRun) {
  // A FIFO of depth 0 is a deadlock, batch 0 is invalid.
  dir_.write("s.yaml", "run: conv-small\nspace: {kernel.fifo.inp_beat: [0, 32], batch: [0, 1]}\n");
  const Outcome outcome = ok(sweep({"s.yaml", "--out", "s.db"}));
  EXPECT_TRUE(test::has(outcome.err, "cannot run"));
  EXPECT_TRUE(test::has(outcome.out, "4 of 4 points recorded, 3 of them failed"));
  EXPECT_EQ(query("s.db",
                  "SELECT point, status, error LIKE 'deadlock: %', error LIKE '%s.yaml:2: batch: must be%', "
                  "cycles > 0 FROM points ORDER BY point"),
            "0|failed|0|1|\n1|failed|1|0|\n2|failed|0|1|\n3|done|||1\n");
  const Outcome failed = weft(show({"s.db", "--failed"}));
  EXPECT_TRUE(test::has(failed.out, "deadlock: "));
  const Outcome again = weft(sweep({"s.yaml", "--out", "s.db"}));
  EXPECT_TRUE(test::has(again.out, "this start ran 0"));
  const Outcome retried = weft(sweep({"s.yaml", "--out", "s.db", "--retry-failed"}));
  EXPECT_TRUE(test::has(retried.out, "this start ran 3"));
}

TEST_F(Sweep, AChangedConfigurationIsNeverMixedWithOldRows) {
  write_equal("s.yaml", 3);
  ok(sweep({"s.yaml"}));
  write_equal("s.yaml", 4);
  refused(sweep({"s.yaml"}), "before its configuration or a file it names changed");
  refused(sweep({"s.yaml", "--set", "batch=2"}));
  EXPECT_EQ(recorded("results/s.db"), 3);
  ok(sweep({"s.yaml", "--new"}));
  EXPECT_EQ(query("results/s.db", "SELECT sweep, count(*) FROM points GROUP BY 1"), "1|3\n2|4\n");
}

TEST_F(Sweep, RowsOfAnotherVersionOfWeftAreNeverMixed) {
  write_equal("s.yaml", 3);
  ok(sweep({"s.yaml", "--out", "s.db"}));
  execute("s.db", "UPDATE sweeps SET weft_version = '0.0.1+elsewhere'");
  const std::string before = rows("s.db");
  for (const Words& words : {Words{"s.yaml", "--out", "s.db"}, Words{"s.yaml", "--out", "t.db", "--merge", "s.db"}}) {
    const Outcome outcome = weft(sweep(words));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(rows("s.db"), before);
  }
  EXPECT_TRUE(test::has(weft(sweep({"s.yaml", "--out", "s.db"})).err, "weft 0.0.1+elsewhere, and this is weft "));
  ok(sweep({"s.yaml", "--out", "s.db", "--new"}));
  EXPECT_EQ(query("s.db", "SELECT sweep, count(*) FROM points GROUP BY 1"), "1|3\n2|3\n");
}

// Every operation on them gives one line of error and leaves every byte unchanged.
TEST_F(Sweep, FilesThatAreNotItsOwnAreRefusedAndLeftAsTheyAre) {
  write_equal("s.yaml", 3);
  for (const char* name : {"newer.db", "damaged.db"}) ok(sweep({"s.yaml", "--out", name}));
  execute("newer.db", "PRAGMA user_version = " + std::to_string(sweep::kSchema + 1));
  fs::resize_file(dir_.path() / "damaged.db", 20'000);
  dir_.write("text.db", "not a database, but long enough to be taken for one by its name");
  sweep::Connection((dir_.path() / "other.db").string(), sweep::Connection::Access::Create)
      .execute("CREATE TABLE mine (a)");
  const std::vector<std::pair<std::string, std::string>> cases{{"newer.db", "was written by a newer weft (schema "},
                                                               {"damaged.db", "is damaged: "},
                                                               {"text.db", "not an SQLite file"},
                                                               {"other.db", "is a database of another program"}};
  for (const auto& [name, wanted] : cases) {
    const std::string content = text(name);
    const std::vector<std::string> listing = dir_.listing();
    for (const Words& words :
         {Words{"sweep", "s.yaml", "--out", name}, Words{"sweep", "s.yaml", "--out", name, "--new"},
          Words{"sweep", "s.yaml", "--out", "into.db", "--merge", name}, Words{"show", name}}) {
      const Outcome outcome = weft(words);
      EXPECT_EQ(outcome.exit_code, 2) << name << " " << words.back();
      EXPECT_TRUE(test::has(outcome.err, "'" + name + "' "));
      EXPECT_TRUE(test::has(outcome.err, wanted)) << name << " " << words.back();
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
      EXPECT_EQ(outcome.out, "");
      EXPECT_EQ(text(name), content) << name << " " << words.back();
      fs::remove(dir_.path() / "into.db");
      EXPECT_EQ(dir_.listing(), listing) << name << " " << words.back();
    }
  }
}

// A separate disk that fills up during the sweep.
TEST_F(Sweep, AFullDiskIsSaidAndLosesNothing) {
  write_equal("s.yaml", 60);
  ok(sweep({"s.yaml", "--out", "whole.db"}));
  const fs::path disk = dir_.path() / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=200k") != 0) GTEST_SKIP() << "needs the right to mount a tmpfs";
  const Outcome full = weft(sweep({"s.yaml", "--out", "disk/s.db"}));
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_TRUE(test::has(full.err, "cannot write 'disk/s.db'"));
  EXPECT_TRUE(test::has(full.err, "is the disk full?"));
  EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << full.err;
  const std::int64_t before = recorded("disk/s.db");
  EXPECT_GT(before, 0);
  EXPECT_LT(before, 60);
  EXPECT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=8m"), 0);
  const Outcome rest = ok(sweep({"s.yaml", "--out", "disk/s.db"}));
  EXPECT_TRUE(test::has(rest.out, std::to_string(before) + " recorded before"));
  EXPECT_EQ(rows("disk/s.db"), rows("whole.db"));
  // A disk that accepts no data at all.
  EXPECT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=8m"), 0);
  for (const char* name : {"disk/s.db", "disk/t.db"}) {
    refused(sweep({"s.yaml", "--out", name}), std::string("cannot write '") + name);
  }
  EXPECT_EQ(rows("disk/s.db"), rows("whole.db"));
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Sweep, AFileThatCannotGrowIsSaidAndLosesNothing) {
  write_equal("s.yaml", 30);
  const std::string command = std::string("ulimit -f 120; exec \"$0\" sweep s.yaml --out s.db");
  const Outcome full = test::run_program("/bin/bash", {"-c", command, WEFT_BINARY}, dir_.path());
  EXPECT_EQ(full.exit_code, 1) << full.err;
  EXPECT_TRUE(test::has(full.err, "cannot write 's.db'"));
  EXPECT_TRUE(test::has(full.err, "start the same command again"));
  EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << full.err;
  const std::int64_t before = recorded("s.db");
  EXPECT_GT(before, 0);
  EXPECT_LT(before, 30);
  const Outcome rest = ok(sweep({"s.yaml", "--out", "s.db"}));
  EXPECT_TRUE(test::has(rest.out, std::to_string(before) + " recorded before"));
  EXPECT_EQ(query("s.db", "SELECT count(*), count(DISTINCT point) FROM attempts WHERE outcome = 'done'"), "30|30\n");
}

TEST_F(Sweep, PointsCanBeChosenAndMerged) {
  write_equal("s.yaml", 6);
  ok(sweep({"s.yaml", "--out", "whole.db"}));
  ok(sweep({"s.yaml", "--out", "a.db", "--points", "0-1,5"}));
  EXPECT_EQ(recorded("a.db"), 3);
  const Outcome merged = ok(sweep({"s.yaml", "--out", "b.db", "--merge", "a.db"}));
  EXPECT_TRUE(test::has(merged.out, "this start ran 3"));
  EXPECT_EQ(rows("b.db"), rows("whole.db"));
}

// Processor time of one more point with a negligible simulation: an upper bound of the overhead.
TEST_F(Sweep, APointCostsLessThan5MillisecondsMoreThanItsSimulation) {
  const auto processor_ms = [&](int points) {
    const std::string name = std::to_string(points);
    dir_.write(name + ".yaml",
               "run: conv-small\nset: {rung: analytical}\nspace: {seed: {from: 1, to: " + name + ", step: 1}}\n");
    return 1e3 * test::processor_seconds_of_children([&] {
             ok(sweep({name + ".yaml", "--out", name + ".db", "--workers", "1"}));
           });
  };
  EXPECT_LT((processor_ms(520) - processor_ms(20)) / 500, 5.0);
}

}  // namespace
}  // namespace weft
