"""weft validate: errors, baselines, limits, JUnit XML."""

from __future__ import annotations

import json
import unittest
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
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
        with self.baseline() as baseline:
            entry = baseline["convolutions"][at]
            entry["against"]["cycles"] = entry["against"]["cycles"] * numerator // denominator
        return entry

    @contextmanager
    def baseline(self) -> Iterator[Any]:
        """Gives the contents of b.json, which are written back."""
        contents = json.loads(self.text("b.json"))
        yield contents
        self.write("b.json", json.dumps(contents))

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
        self.assertIn("conv1 F on 16x16x64: analytical unchanged, exact 28,388 -> 14,194 (-50.0000%), error ", moved.out)

    def test_memory_bound_is_where_its_baseline_says_and_sees_every_timing(self) -> None:
        """One clock more of each of these timings moves cycles."""
        for name, clocks in (("memory-bound", "CL=18 tRCD=18 tRP=18 tCCD_L=7 tRFC=421"),
                             ("memory-bound-frfcfs", "CL=16 tRCD=16 tRP=16 tCCD_L=7 tRFC=375")):
            self.assertEqual(self.json_of("validate", name, "--no-save")["baseline"]["deviations"], [])
            for timing in clocks.split():
                moved = self.validate(name, "--no-save", *sets(f"memory.timing_nCK.{timing}"))
                self.assertEqual(moved.code, 1, timing)
                self.assertIn(f"keys that differ: board.memory.timing_nCK.{timing.split('=')[0]} ", moved.out)

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
        self.assertIn("a GI on flat: analytical unchanged, exact ", outcome.out)
        failed = [(suite.get("name"), case.get("name"), failure.get("type"))
                  for suite in self.junit(failures=1) for case in suite for failure in case.findall("failure")]
        self.assertEqual(failed, [("flat", "a:GI", "moved")])
        # Intentionally omitted convolutions are not judged.
        self.ok(*command, "--baseline", "b.json", "--kernel", "4x8")

    def test_each_tolerance_is_its_own(self) -> None:
        """A tenth less in the baseline: the cycles moved by 1/9, the error from m / 0.9a - 1 to m / a - 1."""
        self.write("tiny.yaml", TINY)
        command = ["validate", "tiny.yaml", "--no-save", "--only", "a:F", "--kernel", "4x8"]
        self.ok(*command, "--save-baseline", "b.json")
        entry = self.change_baseline(0, 9, 10)
        then, = json.loads(self.text("b.json"))["convolutions"]
        now, = self.json_of(*command)["convolutions"]
        model, was, cycles = now["model"]["cycles"], then["against"]["cycles"], now["against"]["cycles"]
        self.assertEqual(was, cycles * 9 // 10)
        self.assertEqual((entry["tolerance_percent"], entry["tolerance_cycles_percent"]), (0.5, 0.01))
        moved = {"tolerance_percent": 100 * (model / was - model / cycles), "tolerance_cycles_percent": 100 * (cycles / was - 1)}
        for key, by in moved.items():
            for share, code in ((1.001, 0), (0.999, 1)):
                with self.baseline() as baseline:
                    baseline["convolutions"][0] |= dict.fromkeys(moved, 1000) | {key: by * share}
                outcome = self.weft(*command, "--baseline", "b.json")
                self.assertEqual(outcome.code, code, f"{key} {share} {outcome.out}")

    def test_names_what_is_new_and_what_is_missing(self) -> None:
        self.write("tiny.yaml", TINY)
        command = ["validate", "tiny.yaml", "--no-save", "--format", "json"]
        self.ok(*command, "--save-baseline", "b.json")
        with self.baseline() as baseline:
            baseline["convolutions"][0]["layer"] = "other"
        outcome = self.weft(*command, "--baseline", "b.json", "--junit", "j.xml")
        self.assertEqual(outcome.code, 1)
        found = json.loads(outcome.out)["baseline"]["deviations"]
        self.assertEqual([(each["layer"], each["old"] is None, each["new"] is None) for each in found],
                         [("a", True, False), ("other", False, True)])
        self.assertEqual([each.get("type") for each in self.junit(7, 2).iter("failure")], ["new", "missing"])
        # What --only leaves out is not missing.
        self.ok(*command, "--baseline", "b.json", "--only", "a:GW")

    # A controller that keeps accesses of a bank waiting for its PRE, so that tRP counts. ResNet-20 at batch 1, on 16 x 16 PEs:
    # 18,176 cycles with tRP 17, 18,204 with 25, 18,167 with 60.
    FRFCFS = sets("memory.controller=frfcfs", "memory.controller_latency_ns=55")
    DRAM = ("resnet20-u250", "--no-save", *sets("batch=1"), *FRFCFS, "--only", "layer1.0.conv1:GW", "--model", "systemc")

    def test_cycles_that_move_on_both_rungs_alike_are_noticed(self) -> None:
        self.ok("validate", *self.DRAM, "--save-baseline", "b.json")
        self.ok("validate", *self.DRAM, "--baseline", "b.json")
        moved = self.validate(*self.DRAM, "--baseline", "b.json", *sets("memory.timing_nCK.tRP=60"))
        self.assertEqual(moved.code, 1)
        change = "18,176 -> 18,167 (-0.0495%; inp_reader -9 starved)"
        self.assertIn(f"layer1.0.conv1 GW on 16x16: systemc {change}, exact {change}, error +0.0000% -> +0.0000%\n"
                      "  keys that differ: board.memory.timing_nCK.tRP 17 -> 60, tRC 56 -> 99\n", moved.out)
        # The same configuration, another code.
        self.change_baseline(0, 2, 1)
        with self.baseline() as baseline:
            code, baseline["weft_version"] = baseline["weft_version"], "0.0.0+0"
        self.assertIn(f"keys that differ: weft_version 0.0.0+0 -> {code}\n", self.validate(*self.DRAM, "--baseline", "b.json").out)

    def test_drift_says_why_and_begins_with_the_largest(self) -> None:
        run = ["resnet20-u250", "--no-save", *sets("batch=1"), *self.FRFCFS, "--only", "layer?.0.conv2:GW"]
        limits = sets("validate.limits_percent={total: 99, convolution: 99}")
        self.ok("validate", *run, *limits, "--save-baseline", "b.json")
        outcome = self.validate(*run, *limits, "--baseline", "b.json", *sets("memory.timing_nCK.tRP=25"), "--format", "json",
                                "--junit", "j.xml")
        self.assertEqual(outcome.code, 1, outcome.err)
        found = json.loads(outcome.out)["baseline"]["deviations"]
        self.assertGreater(len(found), 1)
        moved = [abs(each["against_new"] - each["against_old"]) for each in found]
        self.assertEqual(moved, sorted(moved, reverse=True))
        for each in found:
            self.assertEqual((each["model_old"], each["keys"]),
                             (each["model_new"], "board.memory.timing_nCK.tRP 17 -> 25, tRC 56 -> 64"))
        root = self.junit(failures=len(found))
        messages = [failure.get("message") or "" for failure in root.iter("failure")]
        self.assertEqual(len(messages), len(found))
        for message in messages:
            self.assertRegex(message, r"analytical unchanged, exact [\d,]+ -> [\d,]+ \(.*%; \w+ [-+].*\), error .*"
                                      r"; keys that differ: board.memory.timing_nCK.tRP 17 -> 25, tRC 56 -> 64$")
        # Times: those of the tests add up to that of their suite and of the file.
        times = [float(case.get("time") or 0) for case in root.iter("testcase")]
        self.assertGreater(sum(times), 0)
        for whole in (root, root[0]):
            self.assertAlmostEqual(float(whole.get("time") or 0), sum(times), places=4)

    def test_a_baseline_of_another_network_is_refused(self) -> None:
        """Layers in the run are a network, too: one filter more makes another."""
        self.write("tiny.yaml", TINY)
        self.ok("validate", "tiny.yaml", "--no-save", "--save-baseline", "b.json")
        self.write("tiny.yaml", TINY.replace("filters: 8", "filters: 9"))
        self.refused("validate", "tiny.yaml", "--no-save", "--baseline", "b.json",
                     says="b.json: is a baseline of another validation: digest of the network ")

    def test_two_runs_have_one_baseline_and_a_suite_for_each_kernel(self) -> None:
        self.write("other.yaml", "extends: conv-small\nname: other\nconvolution: {filters: 24}\n")
        self.write("two.yaml", "runs: [conv-small, ./other.yaml]\nkernels: [{array: {x: 4, y: 8}}, {name: flat, array: {x: 9, y: 2}}]\n")
        rows = self.json_of("validate", "two.yaml", "--out", "r", "--save-baseline", "b.json", "--junit", "j.xml")["convolutions"]
        names = ["conv-small/4x8", "conv-small/flat", "other/4x8", "other/flat"]
        self.assertEqual([each["kernel"] for each in rows], names)
        self.assertEqual([suite.get("name") for suite in self.junit(4)], names)
        # Each is what it is alone, and from the saved configuration.
        for run in ("conv-small", "./other.yaml"):
            self.write("one.yaml", self.text("two.yaml").replace("runs: [conv-small, ./other.yaml]", f"run: {run}"))
            alone = self.json_of("validate", "one.yaml", "--no-save")["convolutions"]
            mine = rows[:2] if run == "conv-small" else rows[2:]
            self.assertEqual([dict(each, kernel="") for each in alone], [dict(each, kernel="") for each in mine])
        self.assertEqual(self.json_of("validate", "r", "--no-save", "--baseline", "b.json")["convolutions"], rows)
        # A pattern matches the kernel with or without its run.
        for pattern, count in (("flat", 2), ("other/*", 2), ("*/4x8", 2), ("other/flat", 1)):
            part = self.json_of("validate", "two.yaml", "--no-save", "--baseline", "b.json", "--kernel", pattern)
            self.assertEqual(len(part["convolutions"]), count, pattern)
        with self.baseline() as baseline:
            self.assertEqual([each["run"] for each in baseline["made_from"]], ["conv-small"] * 2 + ["other"] * 2)
            baseline["made_from"][2]["batch"] = 99
        self.refused("validate", "two.yaml", "--no-save", "--baseline", "b.json", says="another validation: batch 99, not 2")

    def test_compare_takes_two_validations(self) -> None:
        for name, changes in (("a", []), ("b", sets("memory.timing_nCK.tRP=60"))):
            self.ok("validate", *(word for word in self.DRAM if word != "--no-save"), "--out", name, *changes)
        same = self.ok("compare", "a", "a").out
        self.assertIn("no error and no cycles have changed", same)
        found = self.json_of("compare", "a", "b")
        self.assertEqual([(each["key"], each["a"], each["b"]) for each in found["keys"]],
                         [("board.memory.timing_nCK.tRP", "17", "60"), ("board.memory.timing_nCK.tRC", "56", "99")])
        one, = found["deviations"]
        self.assertEqual([one[key] for key in ("model_old", "model_new", "against_old", "against_new")], [18176, 18167] * 2)
        self.assertIn("18176,18167", self.ok("compare", "a", "b", "--format", "csv").out)
        self.assertIn("board.memory.timing_nCK.tRC", self.ok("compare", "a", "b").out)
        # 9 / 18,176 is 0.0495 %.
        self.assertEqual([self.weft("compare", "a", "b", "--fail-above", percent).code for percent in ("0.0496", "0.0494")], [0, 1])
        self.ok("run", "conv-small", "--out", "r")
        self.refused("compare", "a", "r", says="cannot compare 'a' (weft validate) and 'r' (weft run)")
        self.refused("compare", "a", "b", "--only", "x", says="'a' is a result")
        self.ok("validate", "conv-small", "--out", "c", "--model", "systemc", "--against", "analytical",
                *sets("validate.limits_percent={total: 9, convolution: 9}"))
        self.refused("compare", "a", "c", says="give two validations of the same rungs")

    def test_limits_are_of_sums_and_of_each_convolution(self) -> None:
        """Errors below zero, and the other way round above."""
        self.write("tiny.yaml", TINY + "limits_percent: {total: 4, convolution: 5}\n")
        for model, against in (("analytical", "exact"), ("exact", "analytical")):
            outcome = self.validate("tiny.yaml", "--no-save", "--format", "json", "--model", model, "--against", against)
            self.assertEqual(outcome.code, 1)
            result = json.loads(outcome.out)
            rows, limits = result["convolutions"], result["limits"]
            self.assertEqual(set(limits["totals"]), {"F", "GI", "GW", "all"})
            for name, total in limits["totals"].items():
                of = [each for each in rows if name in (each["kind"], "all")]
                a, b = (sum(each[side]["cycles"] for each in of) for side in ("model", "against"))
                self.assertEqual((total["model"], total["against"], total["error"]), (a, b, (a - b) / b))
                self.assertEqual(total["holds"], abs(total["error"]) <= 0.04, name)
            self.assertEqual({total["holds"] for total in limits["totals"].values()}, {True, False})
            errors = [each["error"] for each in rows]
            beyond = sorted((error for error in errors if abs(error) > 0.05), key=abs, reverse=True)
            self.assertEqual([each["error"] for each in limits["beyond"]], beyond)
            self.assertTrue(1 < len(beyond) < len(rows), errors)

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
