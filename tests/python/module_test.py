"""The module weft against the binary that it calls."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import weft
from weft.arguments import overrides, text_of
from weft.binary import find

RUN = """
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: a, channels: 3, h: 12, w: 11, filters: 8, kernel: 5, stride: 2, pad: 2},
                   {name: "b<&>", channels: 8, h: 6, w: 6, filters: 12, kernel: 3, pad: 1, groups: 2}]}
batch: 2
rung: exact
"""


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([os.environ["WEFT_BINARY"], *arguments], capture_output=True, encoding="utf-8", check=False)


class InAFolder(unittest.TestCase):
    """A folder of its own with a small run in it: two layers, F, GI and GW of the second."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.config = self.folder / "r.yaml"
        self.config.write_text(RUN)


class Cells(InAFolder):
    def test_names_like_formulas_come_back_as_they_are(self) -> None:
        self.config.write_text(RUN.replace("name: a,", "name: '=1+1',"))
        result = weft.run(self.config, rung="analytical")
        self.assertEqual(result.rows[0]["layer"], "=1+1")
        self.assertIn("\n'=1+1,F,", result.csv)


class Arguments(unittest.TestCase):
    def test_values_are_yaml_on_one_line(self) -> None:
        self.assertEqual(overrides({"batch": 1, "kernel": {"array": {"x": 4}, "profile": "rtl"}, "kernel.z": 8}),
                         ["--set", "batch=1", "--set", "kernel.array.x=4", "--set", "kernel.profile=rtl",
                          "--set", "kernel.z=8"])
        self.assertEqual(text_of(True), "true")
        self.assertEqual(text_of([1, "a", False]), "[1, a, false]")
        self.assertEqual(text_of(Fraction(100, 3)), "100/3")

    def test_other_values_are_refused(self) -> None:
        with self.assertRaisesRegex(weft.Error, "not None"):
            text_of(None)

    def test_numbers_of_numpy_are_numbers(self) -> None:
        import numpy

        self.assertEqual(overrides({"batch": numpy.int64(3)}), ["--set", "batch=3"])


class Finding(unittest.TestCase):
    def test_the_variable_names_the_binary(self) -> None:
        self.assertEqual(find(), Path(os.environ["WEFT_BINARY"]).resolve())
        with mock.patch.dict(os.environ, {"WEFT_BINARY": "/nonexistent/weft"}):
            with self.assertRaisesRegex(weft.Error, "WEFT_BINARY names '/nonexistent/weft'"):
                find()

    def test_else_it_is_the_launcher_of_the_project(self) -> None:
        with mock.patch.dict(os.environ):
            del os.environ["WEFT_BINARY"]
            self.assertEqual(find(), Path(weft.__file__).resolve().parents[2] / "weft")


class Errors(InAFolder):
    def test_are_wefts_own_line_and_exit_code(self) -> None:
        for arguments in (["nope"], [str(self.config), "--set", "kernel.nope=3"]):
            with self.subTest(arguments=arguments):
                said = command("run", *arguments, "--no-save")
                values = {"kernel.nope": 3} if len(arguments) > 1 else {}
                with self.assertRaises(weft.Error) as raised:
                    weft.run(arguments[0], **values)
                self.assertEqual(f"weft: error: {raised.exception}\n", said.stderr)
                self.assertEqual(raised.exception.exit_code, 2)
                self.assertEqual(raised.exception.exit_code, said.returncode)

    def test_of_what_is_not_there(self) -> None:
        with self.assertRaisesRegex(weft.Error, "'/nonexistent' does not exist"):
            weft.load("/nonexistent")
        with self.assertRaisesRegex(weft.Error, "is not a result"):
            weft.load(self.folder)
        with self.assertRaises(weft.Error):
            weft.load(self.config)


class WithoutPandas(InAFolder):
    def test_everything_but_a_dataframe_works(self) -> None:
        program = f"""
import sys
sys.modules['pandas'] = None  # importing it fails
import weft
result = weft.run({str(self.config)!r})
assert result.rows[0]['layer'] == 'a' and isinstance(result.rows[0]['cycles'], int)
result._repr_html_()
try:
    result.convolutions
except weft.Error as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a DataFrame needs pandas: apt-get install python3-pandas", done.stdout)

    def test_importing_weft_imports_no_pandas_and_calls_nothing(self) -> None:
        program = "import sys, weft; print('pandas' in sys.modules, 'numpy' in sys.modules)"
        environment = {**os.environ, "WEFT_BINARY": "/nonexistent"}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", env=environment,
                              check=False)
        self.assertEqual(done.stdout, "False False\n", done.stderr)


class Runs(InAFolder):
    def test_are_what_weft_run_prints(self) -> None:
        printed = command("run", str(self.config), "--no-save", "--format", "json").stdout
        result = weft.run(self.config)
        self.assertEqual(result.text, printed)
        self.assertEqual(result.json, json.loads(printed))
        total = result.json["totals"]["network"]
        self.assertEqual((result.name, result.batch, result.cycles, result.gops, result.pe_cycles),
                         ("r", 2, total["cycles"], total["gops"], total["pe_cycles"]))
        self.assertEqual(sum(result.pe_cycles.values()), 7 * 3 * result.cycles)
        self.assertIsNone(weft.run(self.config, rung="analytical").stall_share)  # only a simulation knows it

    def test_have_a_row_for_each_convolution_as_the_csv_file_has(self) -> None:
        result = weft.run(self.config)
        printed = command("run", str(self.config), "--no-save", "--format", "csv").stdout
        lines = list(csv.DictReader(printed.splitlines()))
        table = result.convolutions
        self.assertEqual(list(table.columns), list(lines[0]))
        self.assertEqual(len(table), len(lines))
        for name in table.columns:
            for cell, value in zip((line[name] for line in lines), table[name]):
                if table[name].dtype == bool:
                    self.assertEqual(cell == "true", value)
                elif table[name].dtype == object:
                    self.assertEqual(cell, value)
                else:
                    self.assertEqual(float(cell), float(value))
        self.assertEqual(table["cycles"].sum(), result.cycles)
        self.assertEqual(str(table["cycles"].dtype), "int64")

    def test_columns_have_units_and_meanings(self) -> None:
        table = weft.run(self.config).convolutions
        units = table.attrs["units"]
        self.assertEqual((units["cycles"], units["seconds"], units["stall_share"], units["inp_beats"], units["batch"]),
                         ("cycles", "s", "1", "beats", "images"))
        self.assertEqual(set(table.attrs["meanings"]), set(table.columns))
        self.assertNotIn("layer", units)
        for name in table.columns:
            if table[name].dtype.kind in "if":
                self.assertIn(name, units)

    def test_are_saved_and_loaded_byte_by_byte(self) -> None:
        result = weft.run(self.config, out=self.folder / "out", only="a")
        self.assertEqual((self.folder / "out/result.json").read_text(), result.text)
        result.save(self.folder / "again")
        loaded = weft.load(self.folder / "again")
        self.assertEqual((loaded.text, loaded.csv, loaded.config), (result.text, result.csv, result.config))
        with self.assertRaisesRegex(weft.Error, "it is not empty"):
            result.save(self.folder / "again")

    def test_leave_nothing_behind(self) -> None:
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            weft.run("r.yaml")
        finally:
            os.chdir(here)
        self.assertEqual(os.listdir(self.folder), ["r.yaml"])

    def test_documentation_is_wefts(self) -> None:
        of = weft.meaning("run", "totals.network.stall_share")
        self.assertEqual(of, weft.Meaning("number", "1", "share of the cycles in which the array does not advance"))
        self.assertEqual(weft.Result.stall_share.__doc__, f"{of.description} [1] (`totals.network.stall_share`)")
        for kind in (weft.Result, weft.Timeline, weft.Plan, weft.ClusterTimeline, weft.Comparison, weft.Explanation):
            for name, field in vars(kind).items():
                if hasattr(field, "path"):
                    self.assertTrue(field.__doc__, name)
        with self.assertRaises(KeyError):
            weft.meaning("run", "totals.nope")
        with self.assertRaises(AttributeError):
            weft.run(self.config).cycles = 3

    def test_html_is_escaped_and_has_units(self) -> None:
        result = weft.run(self.config, name="<b>x")
        html = result._repr_html_()
        self.assertIn("&lt;b&gt;x", html)
        self.assertNotIn("<b>x", html)
        self.assertIn("cycles<br><small>cycles</small>", html)
        self.assertIn(f"{result.cycles:,}", html)


class OtherCommands(InAFolder):
    def test_compare_takes_folders_of_validations(self) -> None:
        (self.folder / "one.yaml").write_text("run: conv-small\n")
        (self.folder / "two.yaml").write_text("run: conv-small\nset: {memory.latency_cycles: 41}\n")
        for name in ("one", "two"):
            subprocess.run([os.environ["WEFT_BINARY"], "validate", f"{name}.yaml", "--out", name], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL)
        compared = weft.compare(self.folder / "one", self.folder / "two")
        self.assertIsInstance(compared, weft.ValidationComparison)
        self.assertEqual(compared.keys, [{"key": "board.memory.latency_cycles", "a": "40", "b": "41"}])
        one, = compared.deviations.to_dict("records")
        self.assertEqual((one["model_old"], one["model_new"], one["against_old"]), (153600, 153600, 157818))
        self.assertGreater(one["against_new"], one["against_old"])
        self.assertIn("latency_cycles", compared._repr_html_())
        self.assertEqual(repr(compared), "<weft.ValidationComparison, deviations: 1>")

    def test_compare_takes_folders_of_timelines(self) -> None:
        for name, batch in (("one", 1), ("two", 2)):
            weft.timeline("resnet20-u250", rung="analytical", batch=batch, out=self.folder / name)
        compared = weft.compare(self.folder / "one", self.folder / "two")
        one, two = (weft.load(self.folder / name) for name in ("one", "two"))
        self.assertIsInstance(compared, weft.IterationComparison)
        self.assertEqual(compared.keys, [{"key": "batch", "a": "1", "b": "2"}])
        self.assertEqual(list(compared.parts["part"])[-1], "iteration")
        self.assertAlmostEqual(compared.change, two.json["iteration_ps"] / 2 / one.json["iteration_ps"] - 1)
        self.assertEqual(compared.parts.attrs["units"]["a_seconds_per_image"], "s")
        self.assertIn("iteration", compared._repr_html_())

    def test_compare_takes_results_folders_and_runs(self) -> None:
        hls = weft.run(self.config)
        rtl = weft.run(self.config, out=self.folder / "rtl", kernel={"profile": "rtl"})
        of_results, of_folders = weft.compare(hls, rtl), weft.compare(self.config, self.folder / "rtl")
        self.assertEqual(of_results.json["convolutions"], of_folders.json["convolutions"])
        self.assertEqual(of_results.cycles_change, rtl.cycles / hls.cycles - 1)
        self.assertEqual(len(of_results.convolutions), len(hls.rows))
        self.assertEqual(of_results.convolutions.attrs["units"]["cycles_a"], "cycles")
        classes = of_results.convolutions.filter(regex="^pe_.*_b$")
        self.assertEqual(classes.sum().sum(), sum(rtl.pe_cycles.values()))
        self.assertEqual(of_results.convolutions.attrs["units"]["pe_useful_a"], "PE-cycles")
        self.assertIn("kernel.profile", of_results._repr_html_())

    def test_explain_has_its_ladder(self) -> None:
        explanation = weft.explain(self.config, out=self.folder / "e", batch=1)
        ladder = explanation.ladder
        self.assertEqual(ladder["cycles"][0], weft.run(self.config, batch=1).cycles)
        self.assertEqual(ladder.attrs["units"]["gain"], "1")
        self.assertEqual(len(explanation.verdict), 3)
        for row in explanation.rows():
            if "config" in row:
                self.assertEqual(weft.run(self.folder / "e" / row["config"]).cycles, row["cycles"])
        self.assertEqual(weft.load(self.folder / "e").json, explanation.json)
        self.assertIn(explanation.verdict[0], repr(explanation))
        self.assertIn("<table>", explanation._repr_html_())

    def test_timeline_takes_a_result(self) -> None:
        result = weft.run("resnet20-u250", rung="analytical", batch=4)
        iteration = weft.timeline("resnet20-u250", result=result, batch=4)
        direct = weft.timeline("resnet20-u250", rung="analytical", batch=4)
        self.assertEqual(iteration.json, direct.json)
        where = iteration.where
        self.assertEqual(where.attrs["units"], {"seconds": "s", "share": "1"})
        self.assertEqual(sum(iteration.json["where_ps"].values()), iteration.json["iteration_ps"])
        self.assertEqual(iteration.steps.attrs["units"]["start_ps"], "ps")
        self.assertIn("hours an epoch", iteration._repr_html_())
        weft.timeline("resnet20-u250", rung="analytical", batch=4, out=self.folder / "t")
        self.assertEqual(weft.load(self.folder / "t").json, direct.json)

    def test_plans_and_timelines_of_clusters(self) -> None:
        small = {"network": "resnet20", "boards": 2}
        plan = weft.plan("nada-mobilenetv2", out=self.folder / "p", **small)
        self.assertEqual(plan.layers["block_ram"].sum(), plan.boards["block_ram"].sum())
        self.assertEqual(plan.layers.attrs["units"]["interval"], "cycles")
        self.assertAlmostEqual(plan.images_per_second, 200e6 / plan.cycles_an_image)
        self.assertEqual(weft.load(self.folder / "p").json, plan.json)
        self.assertIn("resnet20 on 2 x agfb014", plan._repr_html_())
        array = weft.plan("fpdeep-alexnet")
        self.assertEqual(dict(zip(array.readings["name"], array.readings["linear_boards"]))["inner-13G"], 66)
        self.assertEqual(array.describe("readings[].linear_boards").unit, "boards")
        timeline = weft.timeline("nada-mobilenetv2", out=self.folder / "t", batch=8, **small)
        self.assertIsInstance(timeline, weft.ClusterTimeline)
        total = timeline.steps["cycles"].sum()
        self.assertAlmostEqual(timeline.images_per_second, 8 * 200e6 / total)
        self.assertEqual(weft.load(self.folder / "t").json, timeline.json)

    def test_sweep_has_points_convolutions_and_a_front(self) -> None:
        (self.folder / "s.yaml").write_text(f"run: {self.config}\nset: {{rung: analytical}}\n"
                                            "space: {kernel.array.x: [2, 4, 8]}\n"
                                            "objectives: [{minimize: cycles}, {minimize: dsp}]\n")
        sweep = weft.sweep(self.folder / "s.yaml", out=self.folder / "s.db")
        points = sweep.points
        self.assertEqual(list(points["kernel.array.x"]), [2, 4, 8])
        self.assertEqual((points.attrs["units"]["cycles"], points.attrs["units"]["convolutions_seconds"]), ("cycles", "s"))
        for index, x in enumerate((2, 4, 8)):
            run = weft.run(self.config, rung="analytical", kernel={"array": {"x": x}})
            self.assertEqual(points["cycles"][index], run.cycles)
        self.assertEqual(len(sweep.convolutions), 3 * len(run.rows))
        self.assertEqual(list(points["x"]), [2, 4, 8])
        self.assertEqual([name for name in points if points[name].isna().all()], [])
        self.assertIn("cycles_gi", points.columns)
        self.assertNotIn("pe_padded_rows", points.columns)  # of another design
        short = sweep.frame(short=True)
        self.assertEqual((list(short["x"]), "kernel.array.x" in short), ([2, 4, 8], False))
        with sqlite3.connect(self.folder / "s.db") as database:
            database.row_factory = sqlite3.Row
            view = [dict(row) for row in database.execute("SELECT * FROM results_1 WHERE x > 2")]
        self.assertEqual([(row["x"], row["kernel.array.x"], row["cycles"]) for row in view],
                         [(x, x, cycles) for x, cycles in zip(points["x"], points["cycles"]) if x > 2])
        self.assertEqual(set(view[0]) - {"error"}, set(points.columns))
        self.assertEqual(dir(weft), sorted(weft.__all__))
        self.assertEqual(len(sweep.pareto(minimize=["dsp"])), 1)
        self.assertEqual(weft.load(self.folder / "s.db").rows(), sweep.rows())
        self.assertIn("x: 4", sweep.config(1))

    def test_a_sweep_has_the_points_that_were_run_again(self) -> None:
        (self.folder / "s.yaml").write_text(f"run: {self.config}\nset: {{rung: analytical}}\n"
                                            "space: {kernel.array.x: [2, 4, 8]}\nobjectives: [minimize: cycles]\n")
        sweep = weft.sweep(self.folder / "s.yaml", out=self.folder / "s.db")
        self.assertEqual(sweep.rerankings, [])
        with self.assertRaisesRegex(weft.Error, "needs exactly one re-ranking; found: none"):
            sweep.reranked()
        sweep = weft.sweep(self.folder / "s.yaml", out=self.folder / "s.db", rerank=2)
        ranked = sweep.reranked()
        self.assertEqual((list(ranked["rank"]), sorted(ranked["reranked"])), ([1, 2], [1, 2]))
        self.assertEqual((ranked.attrs["units"]["cycles_again"], ranked.attrs["units"]["error"]), ("cycles", "1"))
        for _, row in ranked.iterrows():
            run = weft.run(self.config, rung="exact", kernel={"array": {"x": int(row["kernel.array.x"])}})
            self.assertEqual(row["cycles_again"], run.cycles)
        self.assertEqual(list(sweep.reranked("exact")["point"]), list(ranked["point"]))
        with self.assertRaisesRegex(weft.Error, "on rung systemc; found: exact"):
            sweep.reranked("systemc")

    def test_validations_and_explorations_are_loaded_as_they_are_returned(self) -> None:
        def saved(function: Any, config: Path | str, **values: Any) -> Any:
            returned = function(config, out=self.folder / "v", **values)
            loaded = weft.load(self.folder / "v")
            self.assertEqual((type(loaded), loaded.json), (type(returned), returned.json))
            return loaded

        validation = saved(weft.validate, self.config)
        self.assertIs(validation.holds, True)
        frame = validation.frame
        self.assertEqual(frame.attrs["units"]["against_cycles"], "cycles")
        run = weft.run(self.config, rung="exact")
        self.assertEqual(list(frame["against_cycles"]), [row["cycles"] for row in run.rows])
        errors = (frame["model_cycles"] - frame["against_cycles"]) / frame["against_cycles"]
        self.assertEqual(list(errors), list(frame["error"]))
        self.assertIn("analytical against exact", repr(validation))
        self.assertIn("<table>", validation._repr_html_())

        self.assertIs(weft.validate(self.config, validate={"limits_percent": {"convolution": 0.0001}}).holds, False)
        with self.assertRaisesRegex(weft.Error, "model"):
            weft.validate(self.config, model="fastest")

        link = saved(weft.validate, "pcie")
        self.assertIs(link.holds, True)
        self.assertEqual(link.frame.attrs["units"]["bytes"], "bytes")
        self.assertEqual(len(link.frame), len(link.json["rows"]))

        exploration = saved(weft.dse, "resnet20", only="layer1.0.*", dse={"penalties_percent": [0, 5]})
        best = exploration.convolutions
        self.assertEqual(int((best["cycles"] * best["launches"]).sum()), exploration.cycles)
        self.assertEqual((best.attrs["units"]["z"], best.attrs["units"]["dsp"]), ("words", "DSPs"))
        sharing = exploration.sharing
        self.assertEqual(list(sharing["penalty_percent"]), [0, 5])
        self.assertEqual(sharing["minimum_kernels"][0], exploration.json["sharing"][0]["minimum"]["kernels"])
        self.assertIn("resnet20", repr(exploration))
        self.assertIn("<table>", exploration._repr_html_())
        self.assertEqual(len(exploration.tiles), 0)

        exploration = saved(weft.dse, "barista-alexnet_cifar10")
        best = exploration.convolutions
        self.assertEqual(int((best["cycles"] * best["launches"]).sum()), exploration.cycles)
        self.assertAlmostEqual(best["seconds"].sum(), exploration.json["optimal"]["seconds"])
        self.assertEqual([best.attrs["units"][key] for key in ("tile_r", "bram18", "gops_per_watt")],
                         ["PEs", "BRAM18s", "GOPS/W"])
        tiles = exploration.tiles
        layers = exploration.json["layers"]
        self.assertEqual(list(tiles["of"]), [each["layer"] for each in layers for _ in range(2)]
                         + ["least_time"] * 2 + ["highest_mean"] * 2)
        conv1 = tiles[(tiles["of"] == "conv1") & (tiles["tile"] == "published")].iloc[0]
        self.assertEqual([conv1[key] for key in ("tile_r", "tile_c", "tile_p", "published_gops_per_watt")],
                         [32, 32, 74, 0.59])
        self.assertEqual(tiles.attrs["units"]["seconds"], "s")

    def test_trainings_have_epochs_and_levels(self) -> None:
        out = self.folder / "t"
        training = weft.train("muppet-resnet20", rung="analytical", out=out, **{"train.switch_epochs": [9, 18, 27, 36]})
        self.assertIs(type(training), weft.Training)
        printed = json.loads((out / "result.json").read_text())
        self.assertEqual((training.hours, len(training.epochs)), (printed["hours"], printed["epochs_in_all"]))
        self.assertAlmostEqual(training.epochs["hours"].sum(), training.hours)
        self.assertEqual(list(training.levels["epochs"]), [9, 9, 9, 9, 45])
        self.assertEqual(training.epochs.attrs["units"]["hours"], "h")
        self.assertIn("resnet20", repr(training))
        self.assertIn("<table>", training._repr_html_())
        loaded = weft.load(out)
        self.assertEqual((type(loaded), loaded.json), (weft.Training, training.json))

    def test_whole_numbers_with_gaps_stay_whole(self) -> None:
        (self.folder / "s.yaml").write_text(f"run: {self.config}\nset: {{rung: analytical}}\n"
                                            "space: {batch: [0, 1]}\n")
        points = weft.sweep(self.folder / "s.yaml", out=self.folder / "s.db").points
        self.assertEqual(list(points["status"]), ["failed", "done"])
        self.assertEqual(str(points["cycles"].dtype), "Int64")


if __name__ == "__main__":
    unittest.main()
