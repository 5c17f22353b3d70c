#include <csignal>

#include "tests/integration/sweep/sweep_case.h"

namespace weft {
namespace {

using nlohmann::json;
using test::Background;
using test::eventually;
using test::Outcome;

// By the equations 6 x 16, 9 x 11 and 9 x 12 take 50,688 cycles each, and the fewest DSPs win; 4 x 8 takes longer.
const char* const kTies =
    "run: conv-small\n"
    "set: {batch: 1, rung: analytical}\n"
    "space: {points: [{kernel.array.x: 9, kernel.array.y: 12}, {kernel.array.x: 4, kernel.array.y: 8},"
    " {kernel.array.x: 6, kernel.array.y: 16}, {kernel.array.x: 9, kernel.array.y: 11}]}\n"
    "objectives: [minimize: convolutions_seconds, minimize: dsp]\n";

class Rerank : public test::SweepCase {
 protected:
  json reranking(const std::string& database) { return json_of(show({database, "--rerank"}))["rerankings"].at(0); }
  std::int64_t reranked(const std::string& database) const {
    try {
      return std::stoll(query(database, "SELECT count(*) FROM reranked"));
    } catch (const std::exception&) {
      return 0;  // not there yet
    }
  }
};

TEST_F(Rerank, TheRanksAreThoseOfTheRunsOnBothRungs) {
  dir_.write("s.yaml", std::string(kTies) + "rerank: {count: 3}\n");
  const Outcome outcome = ok(sweep({"s.yaml", "--out", "s.db"}));
  const auto cycles = [&](const std::string& rung, int x, int y) {
    return json_of(with({"run", "conv-small", "--no-save", "--rung", rung},
                        {"batch=1", "kernel.array.x=" + std::to_string(x),
                         "kernel.array.y=" + std::to_string(y)}))["totals"]["network"]["cycles"]
        .get<std::int64_t>();
  };
  const json found = reranking("s.db");
  EXPECT_EQ(found["from"], "analytical");
  EXPECT_EQ(found["rung"], "exact");
  EXPECT_EQ(found["ranked"], 4);
  ASSERT_EQ(found["rows"].size(), 3U);
  std::vector<std::int64_t> exact;
  for (const json& row : found["rows"]) {
    const int x = row["kernel.array.x"], y = row["kernel.array.y"];
    EXPECT_EQ(row["first"]["cycles"], 50688);
    EXPECT_EQ(row["first"]["cycles"], cycles("analytical", x, y));
    exact.push_back(cycles("exact", x, y));
    EXPECT_EQ(row["again"]["cycles"], exact.back());
    EXPECT_EQ(row["again"]["objective"], static_cast<double>(exact.back()) / 1e8);
    EXPECT_EQ(row["error"].get<double>(), 50688.0 / static_cast<double>(exact.back()) - 1);
  }
  std::vector<std::int64_t> order = exact;
  std::sort(order.begin(), order.end());
  const std::vector<std::int64_t> points{2, 3, 0};  // 864, 891 and 972 DSPs
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_EQ(found["rows"][i]["point"], points[i]);
    EXPECT_EQ(found["rows"][i]["rank"], i + 1);
    EXPECT_EQ(found["rows"][i]["reranked"], std::find(order.begin(), order.end(), exact[i]) - order.begin() + 1);
  }
  ASSERT_GT(exact[0], exact[2]);  // 55,239 against 54,886
  EXPECT_EQ(found["winner"]["from"], 2);
  EXPECT_EQ(found["winner"]["reranked"], 0);
  EXPECT_EQ(found["winner"]["changed"], true);
  EXPECT_NEAR(found["winner"]["first_costs"].get<double>(),
              static_cast<double>(exact[0]) / static_cast<double>(exact[2]) - 1, 1e-12);
  EXPECT_TRUE(test::has(outcome.out,
                        "winner       changed: point 2 on the analytical rung, point 0 on the exact rung, where "
                        "point 2 has +0.643% convolutions_seconds\n"));
  EXPECT_TRUE(test::has(outcome.out, weft(show({"s.db", "--rerank"})).out));
}

TEST_F(Rerank, TheWinnerMayStayAndAPointThatLeavesTheConstraintsHasNoSecondRank) {
  dir_.write("s.yaml", std::string(kTies) + "constraints: [cycles < 55000]\n");
  ok(sweep({"s.yaml", "--out", "s.db", "--rerank", "2"}));
  const json left = reranking("s.db");
  EXPECT_EQ(left["ranked"], 3);  // 4 x 8 takes longer on either rung
  EXPECT_TRUE(left["rows"][0]["reranked"].is_null());
  EXPECT_EQ(left["rows"][1]["reranked"], 1);
  EXPECT_EQ(left["winner"]["reranked"], 3);
  EXPECT_EQ(weft(show({"s.db", "--rerank", "--format", "csv"})).out.substr(0, 59),
            "point,from,rung,rank,reranked,kernel.array.x,kernel.array.y");

  dir_.write("s.yaml", std::string(kTies) + "constraints: [x == 9]\n");
  const Outcome stays = weft(sweep({"s.yaml", "--out", "s.db", "--rerank", "1"}));
  EXPECT_TRUE(test::has(stays.out, "winner       point 3 on both rungs\n"));
  EXPECT_TRUE(test::has(stays.out, "this start ran 0 in"));  // the result was already there
}

TEST_F(Rerank, AnyNumberOfWorkersAndRanksOfMpiFindTheSame) {
  dir_.write("s.yaml", std::string(kTies) + "rerank: {count: 3}\n");
  const auto bytes = [&](const std::string& database) {
    return rows(database) + weft(show({database, "--rerank", "--format", "json"})).out;
  };
  ok(sweep({"s.yaml", "--workers", "1", "--out", "one.db"}));
  ok(sweep({"s.yaml", "--workers", "5", "--out", "five.db"}));
  EXPECT_EQ(bytes("one.db"), bytes("five.db"));
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
  const Outcome mpi =
      test::run_program("/usr/bin/mpirun", {"-n", "2", WEFT_BINARY, "sweep", "s.yaml", "--out", "mpi.db"}, dir_.path());
  ASSERT_EQ(mpi.exit_code, 0) << mpi.err;
  EXPECT_EQ(bytes("one.db"), bytes("mpi.db"));
}

// The second rung steps every cycle, which leaves time for a kill.
TEST_F(Rerank, KilledAtAnyMomentItGoesOnWhereItStopped) {
  dir_.write("s.yaml",
             "run: conv-small\nset: {batch: 4, rung: analytical}\nspace: {seed: {from: 1, to: 30, step: 1}}\n"
             "objectives: [minimize: convolutions_seconds]\nrerank: {count: 24, rung: systemc}\n");
  ok(sweep({"s.yaml", "--out", "whole.db"}));
  for (const std::int64_t enough : {1, 7, 13}) {
    Background killed(WEFT_BINARY, sweep({"s.yaml", "--out", "s.db", "--workers", "2"}), dir_.path());
    ASSERT_TRUE(eventually([&] { return reranked("s.db") >= enough; }));
    killed.signal(SIGKILL);
    EXPECT_EQ(killed.wait().exit_code, 128 + SIGKILL);
  }
  EXPECT_LT(reranked("s.db"), 24);
  ok(sweep({"s.yaml", "--out", "s.db"}));
  EXPECT_EQ(rows("s.db"), rows("whole.db"));
  EXPECT_EQ(weft(show({"s.db", "--rerank", "--format", "csv"})).out,
            weft(show({"whole.db", "--rerank", "--format", "csv"})).out);
  // No point ran twice, on either rung.
  EXPECT_EQ(query("s.db", "SELECT outcome, count(*), count(DISTINCT point) FROM attempts GROUP BY 1"),
            "done|30|30\ndone on systemc|24|24\n");
}

TEST_F(Rerank, WaitsUntilAllPointsAreRecordedAndGrowsByWhatIsMissing) {
  dir_.write("s.yaml", kTies);
  const Outcome part = weft(sweep({"s.yaml", "--out", "s.db", "--rerank", "1", "--points", "0-2"}));
  EXPECT_TRUE(test::has(part.out, "re-ranked    after all 4 points are recorded"));
  refused(show({"s.db", "--rerank"}));
  EXPECT_TRUE(test::has(weft(sweep({"s.yaml", "--out", "s.db", "--rerank", "1"})).out, "this start ran 2 in"));
  EXPECT_TRUE(test::has(weft(sweep({"s.yaml", "--out", "s.db", "--rerank", "3"})).out, "this start ran 2 in"));
  EXPECT_EQ(reranked("s.db"), 3);
  EXPECT_TRUE(
      test::has(weft(show({"s.db"})).out, "3 points were re-ranked on the exact rung: weft show s.db --rerank\n"));
}

}  // namespace
}  // namespace weft
