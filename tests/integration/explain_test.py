"""weft explain, its folder, and other commands on its results."""

from __future__ import annotations

import shlex
import unittest

import yaml

from support import CONFIGS, WeftTest, sets, two_layers


class Explain(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("r.yaml", two_layers("name: two\nbatch: 1\n"))

    def test_writes_the_run_of_every_line_and_weft_run_takes_its_cycles(self) -> None:
        self.assertEqual(self.ok("explain", "r.yaml", "--out", "e").err, "")
        lines = [line for line in self.result("e")["lines"] if "config" in line]
        for line in lines:
            totals = self.json_of("run", f"e/{line['config']}", "--no-save")["totals"]
            self.assertEqual(totals["network"]["cycles"], line["cycles"], line)
            for kind, cycles in line["kinds"].items():
                self.assertEqual(totals[kind]["cycles"], cycles, line)
        self.assertGreater(len(lines), 4)

    def test_prints_json_and_csv_that_say_the_same(self) -> None:
        found = self.json_of("explain", "r.yaml", "--no-save")
        lines, fields = found["lines"], found["fields"]
        head, *rows = self.ok("explain", "r.yaml", "--no-save", "--format", "csv", "--workers", "1").out.splitlines()
        self.assertTrue(head.startswith("list,ending,step,change,seconds,epoch_hours,gain,"), head)
        for line, row in zip(lines, rows):
            self.assertTrue(row.startswith(f"ladder,{line['ending']},"), row)
            if "cycles" in line:
                self.assertIn(f",{line['cycles']},", row)
            self.assertLessEqual(set(line), {*fields, "change", "why_not"})
        self.assertGreaterEqual(len(rows), len(lines))
        for row in rows[len(lines):]:
            self.assertTrue(row.startswith(("question,", "bounds,")), row)
            self.assertGreaterEqual(row.count(","), head.count(","), row)  # a text may have commas of its own

    def test_gives_the_same_bytes_for_any_number_of_workers(self) -> None:
        for workers in ("1", "3"):
            self.ok("explain", "r.yaml", "--out", workers, "--workers", workers)
        for name in ("result.json", "ladder.csv"):
            self.assertEqual(self.text(f"1/{name}"), self.text(f"3/{name}"))

    def test_prints_commands_that_run_and_take_the_time_of_their_lines(self) -> None:
        """A network with a graph on a board with a link, by the equations."""
        self.ok("explain", "googlenet-u250", "--rung", "analytical", "--out", "e", *sets("network=resnet20", "batch=4"))
        found = self.result("e")
        lines = [line for line in found["lines"] + found["question"] if "command" in line]
        for line in lines:
            weft, run, *words = shlex.split(line["command"])
            self.assertEqual((weft, run), ("weft", "run"))
            timeline = self.json_of("timeline", *words, "--no-save")
            self.assertEqual(timeline["iteration_seconds"], line["seconds"], line["command"])
        self.assertGreater(len(lines), 10)
        changes = {line.get("change") for line in found["lines"] + found["question"]}
        self.assertLessEqual({"one_kernel", "fewest_kernels", "few_region_loads", "larger_batch", "faster_clock"}, changes)
        self.assertFalse({"no_loads", "no_calls", "free_host", "ideal_memory"} & changes)
        self.assertEqual(len(found["verdict"]), 3)

    def test_takes_the_loads_out_of_resnet20(self) -> None:
        """One kernel for all convolutions needs no loads, whatever its profile."""
        for profile, most in (("rtl", 0.11), ("hls", 1.27)):
            lines = self.json_of("explain", "resnet20-u250", "--rung", "analytical", *sets(f"kernel.profile={profile}"),
                                 "--hold", "kernel.profile", "--no-save")["lines"]
            end = [line for line in lines if line["ending"] in ("as_is", "kept")][-1]
            self.assertLessEqual(end["epoch_hours"], most)
            self.assertEqual(end["misfits"], 0)

    def test_advises_the_shipped_run_of_googlenet(self) -> None:
        self.ok("explain", "googlenet-u250", "--rung", "analytical", "--out", "e")
        advised = yaml.safe_load(self.text("e/advised.yaml"))
        del advised["inputs"]
        shipped = yaml.safe_load((CONFIGS / "runs/googlenet-u250-advised.yaml").read_text())
        self.assertEqual(shipped, advised)
        lines = [line for line in self.result("e")["lines"] if line["ending"] in ("as_is", "kept")]
        self.assertEqual(lines[-1]["misfits"], 0)
        iteration = self.json_of("run", "googlenet-u250-advised", "--rung", "analytical", "--no-save")["iteration"]
        self.assertEqual(iteration["epoch_hours"], lines[-1]["epoch_hours"])

    def test_says_why_there_is_no_iteration(self) -> None:
        for more, why in ((["--only", "conv1*"], "the run leaves convolutions out (only)"),
                          (["--set", "kinds=[F]"], "the run leaves convolutions out (kinds)"),
                          (["--set", "board=arria10_10ax115"], "board 'arria10_10ax115' has no link to a host (pcie)")):
            found = self.json_of("explain", "resnet20-u250", "--set", "network=alexnet_cifar10", "--rung", "analytical", "--no-save",
                                 *more)
            self.assertEqual(found["no_iteration"], why)

    def test_is_not_compared_and_not_shown_where_it_is_damaged(self) -> None:
        self.ok("explain", "r.yaml", "--only", "a:F", "--out", "e")
        self.refused("compare", "e", "e", says="cannot compare 'e' (weft explain) and 'e' (weft explain)")
        self.write("e/result.json", '{"kind": "explain"}')
        self.refused("show", "./e", says="e/result.json: schema: is missing")

    def test_ends_with_the_deadlock_of_a_run_that_is_stuck(self) -> None:
        """Nothing passes a FIFO of depth 0."""
        outcome = self.weft("explain", "r.yaml", "--set", "kernel.fifo.kern_row=0", "--no-save")
        self.assertEqual(outcome.code, 3)
        self.assertIn("layer 'a'", outcome.err)


if __name__ == "__main__":
    unittest.main()
