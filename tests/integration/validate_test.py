"""weft validate: errors, baselines, limits, JUnit XML."""

from __future__ import annotations

import json
import unittest
from collections import Counter
from typing import Any
from xml.etree import ElementTree

from support import Outcome, WeftTest, sets

# Three convolutions on two kernels; runs in an instant.
LAYER = "channels: 3, h: 9, w: 7, filters: 8, kernel: 3, pad: 1}"
TINY = f"""
run: conv-small
set: {{network: {{layers: [{{name: a, {LAYER}]}}, batch: 2, gi_first: true}}
kernels:
  - {{array: {{x: 4, y: 8}}}}
  - {{name: flat, array: {{x: 9, y: 2}}}}
tolerance_percent: 0.5
"""


class Validate(WeftTest):
    def validate(self, *arguments: str) -> Outcome:
        return self.weft("validate", *arguments)

    def junit(self, tests: int | None = None, failures: int = 0) -> ElementTree.Element:
        """The file of --junit j.xml; `tests`: the expected number of them."""
        root = ElementTree.fromstring(self.text("j.xml"))
        self.assertEqual((root.tag, root.get("failures")), ("testsuites", str(failures)))
        if tests is not None:
            self.assertEqual(root.get("tests"), str(tests))
        return root

    def change_baseline(self, at: int, numerator: int, denominator: int) -> Any:
        """Multiplies the simulated cycles of an entry of b.json. Returns the entry."""
        baseline = json.loads(self.text("b.json"))
        entry = baseline["convolutions"][at]
        entry["against"] = entry["against"] * numerator // denominator
        self.write("b.json", json.dumps(baseline))
        return entry

    def test_googlenet_small_is_where_its_baseline_says(self) -> None:
        """The project's own baseline: the equations' errors on 20 convolutions of GoogLeNet have not changed."""
        result = self.json_of("validate", "googlenet-small", "--junit", "j.xml")
        self.assertEqual(len(result["convolutions"]), 40)
        self.assertEqual(result["baseline"]["deviations"], [])
        for each in result["convolutions"]:
            model, against = each["model"]["cycles"], each["against"]["cycles"]
            self.assertEqual(each["error"], (model - against) / against)
        self.assertEqual(result["statistics"]["F"]["published_percent"]["mean"], 8.19)
        self.junit(tests=40)
        self.assertTrue((self.folder / "results/validate-googlenet-small/result.json").is_file())

    def test_resnet20_on_barista_is_where_its_baseline_says(self) -> None:
        """Barista: each convolution of ResNet-20 on three kernels. The equations have no refresh, no latency and no shared
        channels, so they are never above the simulation."""
        result = self.json_of("validate", "barista-small", "--no-save")
        self.assertEqual(len(result["convolutions"]), 3 * 62)  # 21 layers, of which the first has no GI
        self.assertEqual(result["baseline"]["deviations"], [])
        for each in result["convolutions"]:
            self.assertLess(each["error"], 0, each)
        # A run can have a baseline, too; a simulation with half the baseline's cycles is reported.
        run = ["resnet20-barista", "--only", "conv1", "--no-save",
               *sets("batch=1", "validate.limits_percent={total: 50, convolution: 50}")]
        self.ok("validate", *run, "--save-baseline", "b.json")
        self.ok("validate", *run, "--baseline", "b.json")
        self.change_baseline(0, 2, 1)
        moved = self.validate(*run, "--baseline", "b.json")
        self.assertEqual(moved.code, 1)
        self.assertIn("b.json: 1 differ", moved.out)
        self.assertIn("conv1 F on 16x16x64: error was ", moved.out)

    def test_fails_when_an_error_moves_and_names_it(self) -> None:
        self.write("tiny.yaml", TINY)
        command = ["validate", "tiny.yaml", "--no-save"]
        self.ok(*command, "--save-baseline", "b.json")
        self.ok(*command, "--baseline", "b.json")
        # A baseline whose simulation was a tenth shorter.
        entry = self.change_baseline(4, 9, 10)
        self.assertEqual((entry["kernel"], entry["kind"]), ("flat", "GI"))
        outcome = self.weft(*command, "--baseline", "b.json", "--junit", "j.xml")
        self.assertEqual(outcome.code, 1)
        self.assertIn("b.json: 1 differ", outcome.out)
        self.assertIn("a GI on flat: error was ", outcome.out)
        failed = [(suite.get("name"), case.get("name"), failure.get("type"))
                  for suite in self.junit(failures=1) for case in suite for failure in case.findall("failure")]
        self.assertEqual(failed, [("flat", "a:GI", "moved")])
        # Intentionally omitted convolutions are not judged.
        self.ok(*command, "--baseline", "b.json", "--kernel", "4x8")

    def test_says_the_same_for_any_number_of_workers_and_from_its_saved_config(self) -> None:
        self.write("tiny.yaml", TINY)
        one, three, again = (self.ok("validate", *words, "--format", "csv").out
                             for words in (["tiny.yaml", "--workers", "1", "--out", "r"],
                                           ["tiny.yaml", "--workers", "3", "--no-save"], ["r/config.yaml", "--no-save"]))
        self.assertEqual(one.count("\n"), 7)
        self.assertEqual((three, again, self.text("r/convolutions.csv")), (one, one, one))
        shown = self.ok("show", "r/config.yaml").out
        self.assertTrue(shown.startswith("validation tiny"), shown)
        self.assertIn("kernels    4x8, flat\n", shown)

    def test_simulates_equal_convolutions_once_and_says_so(self) -> None:
        """b equals a: it is simulated once, and the bytes do not depend on the worker."""
        layers = f", {{name: b, {LAYER}, {{name: c, {LAYER.replace('channels: 3', 'channels: 4')}]}}, batch"
        self.write("equal.yaml", TINY.replace("]}, batch", layers))
        for against in ("exact", "systemc"):
            command = ["validate", "equal.yaml", "--no-save", "--against", against, "--format"]
            one, *others = (self.ok(*command, "json", "--workers", workers).out for workers in "125")
            self.assertEqual(others, [one, one])
            rows = json.loads(one)["convolutions"]
            self.assertEqual(len(rows), 18)
            for row in rows:
                self.assertEqual("repeats" in row["against"], row["layer"] == "b", row)
                self.assertNotIn("repeats", row["model"])
            self.assertIn("6 convolutions equal another on their kernel, simulated once\n",
                          self.ok(*command, "table", "--workers", "2").out)

    def test_systemc_against_exact_has_no_error(self) -> None:
        """For each beta the rungs are equal, so any difference would come from the comparison."""
        self.write("tiny.yaml", TINY)
        rows = self.json_of("validate", "tiny.yaml", "--no-save", "--model", "systemc")["convolutions"]
        self.assertTrue(rows)
        for each in rows:
            self.assertEqual(each["error"], 0)
            self.assertEqual(*(json.dumps(each[key]) for key in ("model", "against")))

    def test_rtl_against_exact_has_no_error(self) -> None:
        """Verilator builds one kernel; half a minute the first time."""
        self.write("tiny.yaml", TINY)
        row, = self.json_of("validate", "tiny.yaml", "--no-save", "--model", "rtl", "--only", "a:F", "--set",
                            "validate.kernels=[{array: {x: 2, y: 2}}]")["convolutions"]
        self.assertEqual(row["error"], 0)
        self.assertGreater(row["model"]["cycles"], 0)

    def test_a_run_is_held_to_limits_that_it_prints(self) -> None:
        """conv-small: 153,600 cycles by the equations, 157,818 simulated: an error of -2.673 %."""
        printed = self.ok("validate", "conv-small", "--junit", "j.xml").out
        self.junit(tests=3)
        # The saved result is a validation with the same limits.
        again = self.validate("results/validate-conv-small", "--no-save")
        self.assertEqual(again.out + "saved        results/validate-conv-small\n", printed, again.err)

    def test_a_run_beyond_a_limit_ends_with_one(self) -> None:
        """2.673 %: within 2.68, beyond 2.67."""
        for key, failures in (("total", 2), ("convolution", 1)):
            total = key == "total"

            def limited(percent: str, form: str) -> Outcome:
                return self.validate("conv-small", "--no-save", "--set", f"validate.limits_percent.{key}={percent}",
                                     "--junit", "j.xml", "--format", form)

            self.assertEqual(limited("2.68", "table").code, 0, key)
            beyond = limited("2.67", "json")
            self.assertEqual(beyond.code, 1, key)
            self.assertIn("EXCEEDED", beyond.err)
            limits = json.loads(beyond.out)["limits"]
            self.assertEqual((limits["holds"], limits["totals"]["F"]["holds"]), (False, not total))
            everything = limits["totals"]["all"]
            self.assertEqual((everything["model"], everything["against"]), (153600, 157818))
            self.assertEqual(len(limits["beyond"]), 0 if total else 1)
            self.assertEqual(len(self.junit(failures=failures).findall(".//failure[@type='limit']")), failures)

    def test_a_saved_run_is_validated_as_its_configuration_is(self) -> None:
        changes = ["--only", "features.3.*", "--set", "batch=1"]
        self.ok("run", "squeezenet-u250", "--out", "r", "--rung", "analytical", *changes)
        one = self.json_of("validate", "r", "--no-save")
        other = self.json_of("validate", "squeezenet-u250", "--no-save", *changes)
        self.assertEqual(one["inputs"][0]["path"], "r/config.yaml")
        for each in (one, other):
            del each["inputs"]
        self.assertEqual(one, other)
        self.assertEqual(len(one["convolutions"]), 9)
        # Between two simulations the limit is zero, and no convolution differs.
        exact = self.ok("validate", "r", "--no-save", "--model", "systemc", "--only", "*squeeze:F").out
        self.assertIn("each convolution within 0%: all are\n", exact)

    def test_the_link_is_within_its_tolerances(self) -> None:
        rows = self.json_of("validate", "pcie", "--no-save")["rows"]
        for row in rows:
            self.assertLessEqual(100 * abs(row["error"]), row["tolerance_percent"], row)
        self.assertEqual(Counter(row["held_to"] for row in rows), {"beside": 2, "closed form": 12, "measured": 12})

    def test_a_link_that_leaves_its_tolerances_ends_with_one(self) -> None:
        faster = self.validate("pcie", "--no-save", "--set", "board.pcie.read_round_trip_ns=1000")
        self.assertEqual(faster.code, 1)
        self.assertIn("EXCEEDED", faster.out)


if __name__ == "__main__":
    unittest.main()
