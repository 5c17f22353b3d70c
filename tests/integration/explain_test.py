"""weft explain, its folder, and other commands on its results."""

from __future__ import annotations

import unittest

from support import WeftTest, sets, two_layers


class Explain(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("r.yaml", two_layers("name: two\nbatch: 1\n"))

    def test_writes_the_run_of_every_line_and_weft_run_takes_its_cycles(self) -> None:
        self.assertEqual(self.ok("explain", "r.yaml", "--out", "e").err, "")
        lines = [line for line in self.result("e")["kernels"]["lines"] if "config" in line]
        for line in lines:
            totals = self.json_of("run", f"e/{line['config']}", "--no-save")["totals"]
            self.assertEqual(totals["network"]["cycles"], line["cycles"], line)
            for kind, cycles in line["kinds"].items():
                self.assertEqual(totals[kind]["cycles"], cycles, line)
        self.assertGreater(len(lines), 8)

    def test_prints_json_and_csv_that_say_the_same(self) -> None:
        found = self.json_of("explain", "r.yaml", "--no-save")
        lines, fields = found["kernels"]["lines"], found["fields"]
        head, *rows = self.ok("explain", "r.yaml", "--no-save", "--format", "csv", "--workers", "1").out.splitlines()
        self.assertTrue(head.startswith("ladder,ending,step,change,seconds,gain,alone,last,cycles,"), head)
        for line, row in zip(lines, rows):
            self.assertTrue(row.startswith(f"kernels,{line['ending']},"), row)
            if "cycles" in line:
                self.assertIn(f",{line['cycles']},", row)
            self.assertLessEqual(set(line), {*fields, "change", "why_not"})
        self.assertGreaterEqual(len(rows), len(lines))
        for row in rows[len(lines):]:
            self.assertTrue(row.startswith("kernels,bound,"), row)
            self.assertEqual(row.count(","), head.count(","), row)

    def test_gives_the_same_bytes_for_any_number_of_workers(self) -> None:
        for workers in ("1", "3"):
            self.ok("explain", "r.yaml", "--out", workers, "--workers", workers)
        for name in ("result.json", "ladder.csv"):
            self.assertEqual(self.text(f"1/{name}"), self.text(f"3/{name}"))

    def test_replays_at_the_batch_of_the_run_the_order_of_batch_one(self) -> None:
        explained = self.ok("explain", "r.yaml", "--set", "batch=2", "--out", "two").err
        self.assertTrue(explained.startswith("weft: "), explained)
        self.assertIn("runs at batch 2, one per step, in the order found at batch 1", explained)
        self.ok("explain", "r.yaml", "--out", "one")
        one, two = ([line["change"] for line in self.result(folder)["kernels"]["lines"] if line["ending"] == "kept"]
                    for folder in ("one", "two"))
        self.assertEqual(one, two)
        self.assertGreater(len(one), 3)
        searched = self.ok("explain", "r.yaml", "--set", "batch=2", "--search-batch", "2", "--no-save")
        self.assertEqual(searched.err, "")

    def test_has_a_ladder_of_the_iteration_that_the_timeline_makes(self) -> None:
        """A network with a graph on a board with a link, by the equations."""
        self.ok("explain", "googlenet-u250", "--rung", "analytical", "--out", "e", *sets("network=resnet20", "batch=4"))
        iteration = self.result("e")["iteration"]
        for line in [line for line in iteration["lines"] if "config" in line][:4]:
            self.assertEqual(self.json_of("timeline", f"e/{line['config']}")["iteration_seconds"], line["seconds"])
        changes = {line.get("change") for line in iteration["lines"]}
        self.assertLessEqual({"kernels", "faster_pcie", "no_calls", "no_loads", "load_region"}, changes)
        self.assertEqual(len(iteration["sentences"]), 3)

    def test_says_why_there_is_no_iteration(self) -> None:
        for more, why in ((["--only", "conv1*"], "the run leaves convolutions out (only)"),
                          (["--set", "kinds=[F]"], "the run leaves convolutions out (kinds)"),
                          (["--set", "board=arria10_10ax115"], "board 'arria10_10ax115' has no link to a host (pcie)")):
            found = self.json_of("explain", "googlenet-u250", "--rung", "analytical", "--no-save", *more)
            self.assertEqual(found["iteration"]["why_not"], why)

    def test_is_not_compared_and_not_shown_where_it_is_damaged(self) -> None:
        self.ok("explain", "r.yaml", "--only", "a:F", "--out", "e")
        self.refused("compare", "e", "e", says="is a result of weft explain")
        self.write("e/result.json", '{"kind": "explain"}')
        self.refused("show", "./e", says="e/result.json: schema: is missing")

    def test_ends_with_the_deadlock_of_a_run_that_is_stuck(self) -> None:
        """Nothing passes a FIFO of depth 0."""
        outcome = self.weft("explain", "r.yaml", "--set", "kernel.fifo.kern_row=0", "--no-save")
        self.assertEqual(outcome.code, 3)
        self.assertIn("layer 'a'", outcome.err)


if __name__ == "__main__":
    unittest.main()
