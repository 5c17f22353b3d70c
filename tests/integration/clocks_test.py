"""Ten questions on a run, whose answers are equal on every surface: terminal, page, JSON, CSV of a sweep, and Python."""

from __future__ import annotations

import csv
import html
import io
import re
import sys
import unittest
from typing import Any

from support import ROOT, WeftTest

sys.path.insert(0, str(ROOT / "python"))
import weft  # noqa: E402

RUNS = ("resnet20-u250", "alexnet-u250", "squeezenet-u250", "googlenet-u250", "mobilenet-u250", "resnet20-barista")
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}


def seconds(text: str) -> float:
    """The seconds of "14.0 min"."""
    number, unit = text.replace(",", "").split()[:2]
    return float(number) * UNITS[unit]


def found(pattern: str, text: str) -> tuple[str, ...]:
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise AssertionError(f"no {pattern} in\n{text}")
    return match.groups()


class Clocks(WeftTest):
    """The JSON of a run is the reference; times of texts are rounded."""

    def rounded(self, text: str, value: float, what: str) -> None:
        digits = len(text.split()[0].split(".")[-1]) if "." in text.split()[0] else 0
        unit = UNITS[text.split()[1]]
        self.assertLessEqual(abs(seconds(text) - value), (0.51 * 10 ** -digits) * unit + 1e-9, f"{what}: {text}, not {value} s")

    def check_terminal(self, run: str, text: str, result: dict[str, Any]) -> None:
        iteration, host, whole = result.get("iteration") or {}, result["host"], result["totals"]["network"]
        self.assertEqual(found(r"^network +(?:\d+ convs +)?([\d,]+) ", text)[0].replace(",", ""), str(whole["cycles"]), run)
        self.rounded(found(r"^convolutions +([\d.,]+ \w+) of an iteration", text)[0], result["convolutions_seconds"], run)
        limiter, share = found(r"^limit +(\w+) ([\d.]+)% of the cycles", text)
        of_limiter = sum(row["cycles"] for row in result["convolutions"] if row["limiter"] == limiter)
        self.assertAlmostEqual(float(share), 100 * of_limiter / whole["cycles"], delta=0.051)
        self.assertEqual(max({row["limiter"] for row in result["convolutions"]},
                             key=lambda name: sum(row["cycles"] for row in result["convolutions"] if row["limiter"] == name)), limiter)
        if "seconds" in iteration:
            self.rounded(found(r"^iteration +([\d.,]+ \w+) with host", text)[0], iteration["seconds"], run)
            self.rounded(found(r"^epoch +([\d.,]+ h) of", text)[0], 3600 * iteration["epoch_hours"], run)
            part, share = found(r"^iteration .* loads: ([\w0-9 ]+?) ([\d.]+)%", text)
            largest = max(iteration["shares"], key=iteration["shares"].get)
            self.assertEqual(part, largest)
            self.assertAlmostEqual(float(share), 100 * iteration["shares"][largest], delta=0.051)
        else:
            self.assertIn("epoch        not known", text)
        launches, kernels, loads, to_card, to_host = found(
            r"^host +([\d,]+) launches, ([\d,]+) kernels, ([\d,]+) loads; PCIe ([\d,]+) MB to the card, ([\d,]+) MB back", text)
        for shown, key, unit in ((launches, "launches", 1), (kernels, "kernels", 1), (loads, "loads", 1),
                                 (to_card, "bytes_to_card", 10 ** 6), (to_host, "bytes_to_host", 10 ** 6)):
            self.assertEqual(int(shown.replace(",", "")), host[key] // unit, f"{run}: {key}")
        self.assertAlmostEqual(float(found(r"^network .*?(?:min|ms|us|s|h) +([\d.,]+) +[\d.]+%", text)[0]), whole["gops"], delta=0.0051)
        misfits = result["fit"]["misfits"]
        if misfits == 0:
            self.assertIn("every kernel fits", text)
        else:
            self.assertIn(f"the kernels of {misfits} of {len(result['convolutions'])} convolutions", text)
        for resource, name in (("dsp", "DSP"), ("bram18", "BRAM18")):
            use = result["fit"][resource]
            self.assertIn(f"{name} {use['used']:,} of {use['available']:,}", text)

    def check_page(self, run: str, page: str, result: dict[str, Any]) -> None:
        text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(script|style).*?</\1>", "", page))))
        self.rounded(found(r"Convolutions ([\d.]+ \w+)", text)[0], result["convolutions_seconds"], run)
        iteration = result.get("iteration") or {}
        if "seconds" in iteration:
            self.rounded(found(r"Iteration ([\d.]+ \w+)", text)[0], iteration["seconds"], run)
            self.rounded(found(r"Epoch ([\d.]+ h)", text)[0], 3600 * iteration["epoch_hours"], run)
        else:
            self.assertIn("Iteration not known", text)

    def check_sweep(self, run: str, result: dict[str, Any]) -> None:
        self.write("s.yaml", f"name: s\nrun: {run}\nset: {{rung: analytical}}\nspace: {{batch: [{result['batch']}]}}\n")
        self.ok("sweep", "s.yaml", "--out", f"{run}.db")
        row = next(csv.DictReader(io.StringIO(self.ok("show", f"./{run}.db", "--format", "csv").out)))
        iteration, whole = result.get("iteration") or {}, result["totals"]["network"]
        for column, value in (("cycles", whole["cycles"]), ("convolutions_seconds", result["convolutions_seconds"]),
                              ("gops", whole["gops"]), ("iteration_seconds", iteration.get("seconds")),
                              ("epoch_hours", iteration.get("epoch_hours")), ("misfits", result["fit"]["misfits"]),
                              *((key, result["host"][key]) for key in ("launches", "kernels", "loads", "bytes_to_card", "bytes_to_host"))):
            if value is None:
                self.assertEqual(row[column], "", column)
            else:
                self.assertEqual(float(row[column]), value, f"{run}: {column}")

    def check_python(self, run: str, result: dict[str, Any]) -> None:
        of = weft.load(self.folder / "r")
        iteration, whole = result.get("iteration") or {}, result["totals"]["network"]
        for name, value in (("cycles", whole["cycles"]), ("convolutions_seconds", result["convolutions_seconds"]),
                            ("iteration_seconds", iteration.get("seconds")), ("epoch_hours", iteration.get("epoch_hours")),
                            ("gops", whole["gops"]), ("host", result["host"]), ("fit", result["fit"])):
            self.assertEqual(getattr(of, name), value, f"{run}: {name}")
        self.assertEqual(of.iteration.get("shares"), iteration.get("shares"), run)

        def limiter(rows: list[dict[str, Any]]) -> str:
            cycles: dict[str, int] = {}
            for row in rows:
                cycles[row["limiter"]] = cycles.get(row["limiter"], 0) + row["cycles"]
            return max(cycles, key=cycles.get)

        self.assertEqual(limiter(of.rows), limiter(result["convolutions"]), run)

    def test_ten_questions_have_one_answer(self) -> None:
        for run in RUNS:
            with self.subTest(run):
                text = self.ok("run", run, "--rung", "analytical", "--out", "r").out
                result = self.result("r")
                self.check_terminal(run, text, result)
                self.ok("report", "r", "--out", "r.html")
                self.check_page(run, self.text("r.html"), result)
                self.check_sweep(run, result)
                self.check_python(run, result)


if __name__ == "__main__":
    unittest.main()
