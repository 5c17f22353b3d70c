"""weft run --activity: activities of each block in 200 parts of a convolution, equal on both simulating rungs."""

from __future__ import annotations

import csv
import json
import unittest
from collections import Counter

from support import WeftTest, sets

# A convolution that the exact rung mostly replays, and one that ends before it can.
RUN = """
name: activity
board: u250
kernel: {design: fpgpt, array: {x: 4, y: 4}, clock_mhz: 100, profile: hls}
network:
  layers:
    - {name: tiny, channels: 1, h: 3, w: 3, filters: 1, kernel: 1}
    - {name: plain, channels: 8, h: 14, w: 14, filters: 12, kernel: 3, pad: 1}
    - {name: grouped, channels: 8, h: 15, w: 13, filters: 6, kernel: 3, pad: 1, stride: 2, groups: 2}
batch: 8
"""
BARISTA = "kernel=barista-16x16x64"
IDEAL = "memory={kind: ideal, latency_cycles: 7}"


class Activity(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("run.yaml", RUN)

    def check(self, *assignments: str) -> None:
        """The activity is equal on both rungs and adds up to the result."""
        def run(*more: str) -> str:
            return self.ok("run", "run.yaml", "--no-save", "--format", "json", *sets(*assignments), *more).out

        run("--rung", "systemc", "--activity", "systemc.csv")
        exact = run("--rung", "exact", "--activity", "exact.csv", "--workers", "1")
        self.assertEqual(self.text("systemc.csv"), self.text("exact.csv"))
        self.assertEqual(exact, run("--rung", "exact"), "the result does not change")
        rows = json.loads(exact)["convolutions"]
        head, *lines = csv.reader(self.text("exact.csv").splitlines())
        self.assertEqual(len(lines), 200 * len(rows))
        for at, row in enumerate(rows):
            cycles, sums = row["cycles"], Counter[str]()
            for part, fields in enumerate(lines[200 * at:200 * (at + 1)]):
                start, end = part * cycles // 200, (part + 1) * cycles // 200
                self.assertEqual(fields[:5], [row["layer"], row["kind"], str(part), str(start), str(end)])
                counts = {name: int(field) for name, field in zip(head[5:], fields[5:], strict=True)}
                self.assertGreaterEqual(min(counts.values()), 0)
                sums.update(counts)
                for block, states in row["blocks"].items():
                    self.assertEqual(sum(counts.pop(f"{block}_{state}") for state in states), end - start, block)
                self.assertEqual(counts, {}, "columns of no block")
            for block, states in row["blocks"].items():
                self.assertEqual({state: sums[f"{block}_{state}"] for state in states}, states, block)
        table = self.ok("run", "run.yaml", "--no-save", "--rung", "exact", "--verbose", *sets(*assignments)).out
        self.assertEqual(" replayed in " in table, BARISTA not in assignments, "Barista's exact rung replays nothing")

    def test_of_fpgpt(self) -> None:
        self.check()

    def test_of_fpgpt_with_the_profile_of_the_rtl(self) -> None:
        self.check("kernel.profile=rtl", "kernel.clock_mhz=250")

    def test_of_fpgpt_with_an_ideal_memory(self) -> None:
        self.check(IDEAL)

    def test_of_barista(self) -> None:
        self.check(BARISTA)

    def test_of_barista_with_data(self) -> None:
        self.check(BARISTA, "mode=data")

    def test_of_barista_with_an_ideal_memory(self) -> None:
        self.check(BARISTA, IDEAL)

    def test_is_saved_with_the_result_for_its_page(self) -> None:
        run = ["run", "run.yaml", "--rung", "exact", "--out"]
        self.ok(*run, "plain")
        self.ok(*run, "saved", "--activity", "a.csv")
        activity = self.text("a.csv")
        self.assertEqual(self.text("saved/activity.csv"), activity)
        self.assertEqual(self.text("saved/result.json"), self.text("plain/result.json"))
        for name in ("plain", "saved"):
            self.ok("report", name)
            self.assertEqual("Activity of the blocks over time" in self.text(f"{name}.html"), name == "saved", name)
        other = "does not match this result: write it again with weft run --activity"
        half = activity.index("\n", len(activity) // 2) + 1
        last = activity.rindex(",") + 1
        for changed, says in ((activity[:half], other), ("", other),
                              (activity.replace("tiny,", "tinx,", 1), "has 'tinx' where the result has 'tiny'"),
                              (activity[:last] + "x" + activity[last + 1:], "has 'x")):
            self.write("saved/activity.csv", changed)
            self.refused("report", "saved", says=f"saved/activity.csv: {says}")
        self.ok(*run, "saved")  # replaces the whole folder
        self.assertFalse((self.folder / "saved/activity.csv").exists())


if __name__ == "__main__":
    unittest.main()
