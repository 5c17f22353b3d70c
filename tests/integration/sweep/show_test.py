"""weft show of the database of a sweep: filters, orders, fronts."""

from __future__ import annotations

import csv
import unittest

from support import SweepCase

SWEEP = """
run: conv-small
set: {rung: analytical}
space: {kernel.array.x: [1, 2, 4, 8], kernel.array.y: [1, 2, 4, 8]}
objectives: [{minimize: cycles}, {minimize: dsp}]
constraints: [dsp < 500]
"""
RESOURCES = """
run: conv-small
set: {rung: analytical}
space: {readings.resources: [thesis, synthesis], kernel.array.x: [2, 4, 8]}
objectives: [{maximize: gops}, {minimize: lut}]
constraints: [lut <= 100000 && ff < ff_available]
"""


class ShowSweep(SweepCase):
    def setUp(self) -> None:
        super().setUp()
        self.write("s.yaml", SWEEP)
        self.sweep("s.yaml", "--out", "s.db")

    def column(self, *options: str, at: int = 0) -> list[str]:
        """A column of CSV output."""
        _, *rows = csv.reader(self.ok("show", "s.db", "--format", "csv", *options).out.splitlines())
        return [row[at] for row in rows]

    def test_filters_and_sorts(self) -> None:
        self.assertEqual(self.column("--where", "x*y == 8", "--where", "x > 1"), ["6", "9", "12"])
        self.assertEqual(len(self.column("--where", "kernel.array.x == 8 && status == 'done'")), 4)
        self.assertEqual(self.column("--sort", "y-x", "--limit", "2"), ["12", "13"])
        self.assertEqual(self.column("--sort", "dsp", "--descending", "--limit", "1"), ["15"])
        self.assertEqual(len(self.column("--feasible")), 15)  # 9 * 8 * 8 = 576 DSPs are too many
        self.assertEqual(self.column("--columns", "board.dsp.usable,x*y", "--point", "7", at=2), ["16"])

    def test_the_pareto_front_is_what_sql_finds_too(self) -> None:
        wanted = self.query("s.db", "SELECT point FROM points p WHERE dsp < 500 AND NOT EXISTS (SELECT 1 FROM points q "
                                    "WHERE q.dsp < 500 AND q.cycles <= p.cycles AND q.dsp <= p.dsp AND (q.cycles < "
                                    "p.cycles OR q.dsp < p.dsp)) ORDER BY point")
        self.assertEqual(self.column("--pareto", "--sort", "point"), [str(point) for point in wanted])
        self.assertGreaterEqual(len(wanted), 4)
        self.assertEqual(self.column("--maximize", "x", "--minimize", "y"), ["12"])

    def test_points_of_two_rungs_do_not_compete_for_the_pareto_front(self) -> None:
        self.write("s.yaml", SWEEP.replace("set: {rung: analytical}\nspace: {", "space: {rung: [analytical, systemc], "))
        (self.folder / "s.db").unlink()
        self.sweep("s.yaml", "--out", "s.db")
        fronts = [self.column("--pareto", "--where", f"rung == '{rung}'") for rung in ("analytical", "systemc")]
        self.assertGreaterEqual(min(map(len, fronts)), 4)
        self.assertEqual(sorted(self.column("--pareto")), sorted(fronts[0] + fronts[1]))
        self.assertIn("the Pareto front of each rung", self.ok("show", "s.db", "--pareto").out)

    def test_objectives_and_constraints_may_change_without_running_anything(self) -> None:
        self.change("s.yaml", "dsp < 500", "dsp < 200")
        self.assertIn("this start ran 0", self.sweep("s.yaml", "--out", "s.db").out)
        self.assertEqual(len(self.column("--feasible")), 13)

    def test_every_resource_is_recorded_and_can_be_an_objective_or_a_constraint(self) -> None:
        """LUTs and registers are those that weft run prints, and can be searched like every other field; the equations
        have none."""
        self.write("r.yaml", RESOURCES)
        self.sweep("r.yaml", "--out", "r.db")
        names = ["dsp", "bram18", "uram", "lut", "ff"]
        for point in (0, 4):
            self.write("point.yaml", self.ok("show", "r.db", "--point", str(point), "--yaml").out)
            fit = self.json_of("run", "point.yaml", "--no-save")["fit"]
            wanted = [fit[name][key] if name in fit else None for key in ("used", "available") for name in names]
            both = ", ".join([*names, *(f"{name}_available" for name in names)])
            self.assertEqual(self.query("r.db", f"SELECT {both} FROM results_1 WHERE point = {point}"), [tuple(wanted)])
            # One convolution: the largest kernel is that of the convolution.
            self.assertEqual(*(self.query("r.db", f"SELECT {', '.join(names)} FROM {table} WHERE point = {point}")
                               for table in ("convolutions", "points")))
        self.assertEqual(self.count("r.db", "FROM points WHERE (lut IS NULL) = (ff IS NULL) AND (lut IS NULL) = (point < 3)"),
                         6)
        # The array grows from point 3 to 4 to 5; the last needs more LUTs than the constraint allows.
        self.assertEqual(self.query("r.db", "SELECT sum(lut <= 100000), sum(lut > 100000) FROM points"), [(2, 1)])
        front = self.ok("show", "r.db", "--pareto", "--format", "csv", "--columns", "lut").out
        self.assertEqual(front.count("\n"), 3, front)
        self.assertIn("  lut  ", self.ok("show", "r.db").out)
        self.assertNotIn("  lut  ", self.ok("show", "s.db").out)

    def test_what_is_wrong_is_said(self) -> None:
        assigns = "the expression 'x = 2' is wrong"
        for words, says in ((["s.db", "--where", "cylces > 3"], "did you mean 'cycles'"),
                            (["s.db", "--where", "cycles >"], "the expression 'cycles >' is wrong"),
                            (["s.db", "--where", "x = 2"], f"--where: {assigns}: a single '=' assigns; write =="),
                            (["s.db", "--columns", "x = 2"], f"--columns: {assigns}"),
                            (["s.db", "--minimize", "x = 2"], f"--minimize: {assigns}"),
                            (["s.db", "--sort", "x = 2"], f"--sort: {assigns}"),
                            (["s.db", "--sort", "nosuch"], "there is no field, axis or key 'nosuch'"),
                            (["s.db", "--sweep", "7"], "holds no sweep 7"),
                            (["s.db", "--point", "77", "--yaml"], "point 77 is not recorded"),
                            (["s.db", "--yaml"], "--point N"),
                            (["s.db", "--limit", "x"], "--limit: must be a whole number"),
                            (["s.db", "--format", "xml"], "must be one of table, json, csv"),
                            (["nosuch.db"], "nosuch.db")):
            outcome = self.weft("show", *words)
            self.assertEqual((outcome.code, outcome.out), (2, ""), words)
            self.assertIn(says, outcome.err)


if __name__ == "__main__":
    unittest.main()
