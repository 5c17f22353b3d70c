"""The best points of a sweep, simulated again on another rung."""

from __future__ import annotations

import signal
import unittest
from typing import Any

from support import OPEN_MPI, SweepCase, eventually, run, sets

# By the equations 6 x 16, 9 x 11 and 9 x 12 take 50,688 cycles each, and the fewest DSPs win; 4 x 8 takes longer.
TIES = """
run: conv-small
set: {batch: 1, rung: analytical}
space: {points: [{kernel.array.x: 9, kernel.array.y: 12}, {kernel.array.x: 4, kernel.array.y: 8},
                 {kernel.array.x: 6, kernel.array.y: 16}, {kernel.array.x: 9, kernel.array.y: 11}]}
objectives: [minimize: convolutions_seconds, minimize: dsp]
"""
SLOW = """
run: conv-small
set: {batch: 4, rung: analytical}
space: {seed: {from: 1, to: 30, step: 1}}
objectives: [minimize: convolutions_seconds]
rerank: {count: 24, rung: systemc}
"""


class Rerank(SweepCase):
    def reranking(self) -> Any:
        return self.json_of("show", "s.db", "--rerank")["rerankings"][0]

    def reranked(self) -> int:
        return self.count("s.db", "FROM reranked")

    def test_the_ranks_are_those_of_the_runs_on_both_rungs(self) -> None:
        self.write("s.yaml", TIES + "rerank: {count: 3}\n")
        printed = self.sweep("s.yaml", "--out", "s.db").out
        found = self.reranking()
        rows = found["rows"]
        self.assertEqual((found["from"], found["rung"], found["ranked"], len(rows)), ("analytical", "exact", 4, 3))
        exact = []
        for row in rows:
            array = sets("batch=1", *(f"kernel.array.{axis}={row[f'kernel.array.{axis}']}" for axis in "xy"))
            first, again = (self.json_of("run", "conv-small", "--no-save", "--rung", rung, *array)
                            ["totals"]["network"]["cycles"] for rung in ("analytical", "exact"))
            self.assertEqual((row["first"]["cycles"], first), (50688, 50688))
            self.assertEqual(row["again"]["cycles"], again)
            self.assertEqual(row["again"]["objective"], again / 1e8)
            self.assertEqual(row["error"], 50688 / again - 1)
            exact.append(again)
        self.assertEqual([row["point"] for row in rows], [2, 3, 0])  # 864, 891 and 972 DSPs
        self.assertEqual([row["rank"] for row in rows], [1, 2, 3])
        self.assertEqual([row["reranked"] for row in rows], [sorted(exact).index(cycles) + 1 for cycles in exact])
        self.assertGreater(exact[0], exact[2])  # 55,239 against 54,886
        winner = found["winner"]
        self.assertEqual((winner["from"], winner["reranked"], winner["changed"]), (2, 0, True))
        self.assertAlmostEqual(winner["first_costs"], exact[0] / exact[2] - 1, delta=1e-12)
        self.assertIn("winner       changed: point 2 on the analytical rung, point 0 on the exact rung, where point 2 has "
                      "+0.643% convolutions_seconds\n", printed)
        self.assertIn(self.ok("show", "s.db", "--rerank").out, printed)

    def test_the_winner_may_stay_and_a_point_that_leaves_the_constraints_has_no_second_rank(self) -> None:
        self.write("s.yaml", TIES + "constraints: [cycles < 55000]\n")
        self.sweep("s.yaml", "--out", "s.db", "--rerank", "2")
        left = self.reranking()
        self.assertEqual(left["ranked"], 3)  # 4 x 8 takes longer on either rung
        self.assertEqual([row["reranked"] for row in left["rows"]], [None, 1])
        self.assertEqual(left["winner"]["reranked"], 3)
        head = self.ok("show", "s.db", "--rerank", "--format", "csv").out
        self.assertTrue(head.startswith("point,from,rung,rank,reranked,kernel.array.x,kernel.array.y"), head)

        self.write("s.yaml", TIES + "constraints: [x == 9]\n")
        stays = self.sweep("s.yaml", "--out", "s.db", "--rerank", "1").out
        self.assertIn("winner       point 3 on both rungs\n", stays)
        self.assertIn("this start ran 0 in", stays)  # the result was already there

    def test_any_number_of_workers_and_ranks_of_mpi_find_the_same(self) -> None:
        self.write("s.yaml", TIES + "rerank: {count: 3}\n")
        self.sweep("s.yaml", "--workers", "1", "--out", "one.db")
        self.sweep("s.yaml", "--workers", "5", "--out", "five.db")
        mpi = run("/usr/bin/mpirun", "-n", "2", self.binary, "sweep", "s.yaml", "--out", "mpi.db", folder=self.folder,
                  environment=OPEN_MPI)
        self.assertEqual(mpi.code, 0, mpi.err)
        one, *others = (self.rows(database) + self.ok("show", database, "--rerank", "--format", "json").out
                        for database in ("one.db", "five.db", "mpi.db"))
        self.assertTrue(one)
        self.assertEqual(others, [one, one])

    def test_killed_at_any_moment_it_goes_on_where_it_stopped(self) -> None:
        """The second rung steps every cycle, which leaves time for a kill."""
        self.write("s.yaml", SLOW)
        self.sweep("s.yaml", "--out", "whole.db")
        for enough in (1, 7, 13):
            killed = self.start("sweep", "s.yaml", "--out", "s.db", "--workers", "2")
            self.assertTrue(eventually(lambda: self.reranked() >= enough))
            killed.process.send_signal(signal.SIGKILL)
            self.assertEqual(killed.wait().code, -signal.SIGKILL)
        self.assertLess(self.reranked(), 24)
        self.sweep("s.yaml", "--out", "s.db")
        self.assertEqual(self.rows("s.db"), self.rows("whole.db"))
        self.assertEqual(*(self.ok("show", database, "--rerank", "--format", "csv").out
                           for database in ("s.db", "whole.db")))
        # No point ran twice, on either rung.
        self.assertEqual(self.query("s.db", "SELECT outcome, count(*), count(DISTINCT point) FROM attempts GROUP BY 1"),
                         [("done", 30, 30), ("done on systemc", 24, 24)])

    def test_waits_until_all_points_are_recorded_and_grows_by_what_is_missing(self) -> None:
        self.write("s.yaml", TIES)
        part = self.sweep("s.yaml", "--out", "s.db", "--rerank", "1", "--points", "0-2").out
        self.assertIn("re-ranked    after all 4 points are recorded", part)
        self.refused("show", "s.db", "--rerank")
        for best in "13":
            self.assertIn("this start ran 2 in", self.sweep("s.yaml", "--out", "s.db", "--rerank", best).out)
        self.assertEqual(self.reranked(), 3)
        self.assertIn("3 points were re-ranked on the exact rung: weft show s.db --rerank\n", self.ok("show", "s.db").out)


if __name__ == "__main__":
    unittest.main()
