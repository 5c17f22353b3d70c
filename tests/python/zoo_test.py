"""Networks of configs/networks/write_zoo.py, odd convolutions and networks given alone, through the program."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path
from typing import Any

from onnx import TensorProto, helper, load, save

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "tests/golden/networks/published.csv"
SLOW = ("fcn_resnet50", "inception_v3", "unet")  # docs/reference/networks.md has the command
ALONE = "ran on board u250 with kernel fpgpt-16x16-hls at batch 1; --set board=NAME"


def names() -> list[str]:
    with PUBLISHED.open(newline="") as file:
        return [row["network"] for row in csv.DictReader(file)]


def write(path: Path, nodes: list[Any], image: list[Any], weights: dict[str, list[int]], opset: int = 18) -> None:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, image)] +
                              [value(name, TensorProto.FLOAT, shape) for name, shape in weights.items()],
                              [value("y", TensorProto.FLOAT, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    save(model, path)


class Zoo(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def weft(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([os.environ["WEFT_BINARY"], *arguments], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done

    def run_of(self, network: str, rung: str, *more: str) -> dict[str, Any]:
        sets = [word for each in (f"network={network}", "batch=1", *more) for word in ("--set", each)]
        done = self.weft("run", "googlenet-u250", *sets, "--rung", rung, "--format", "json", "--no-save")
        return json.loads(done.stdout)

    def test_runs_by_the_equations_with_an_iteration(self) -> None:
        for name in names():
            with self.subTest(name):
                rows = self.run_of(name, "analytical")["convolutions"]
                macs = {kind: {row["layer"]: row["macs"] for row in rows if row["kind"] == kind} for kind in ("F", "GI", "GW")}
                self.assertEqual(macs["F"], macs["GW"])
                self.assertEqual(macs["GI"], {layer: each for layer, each in macs["F"].items() if layer in macs["GI"]})
                self.assertLessEqual(len(macs["F"]) - len(macs["GI"]), 1)
                loss = ["--set", "schedule.loss=output0"] if name == "yolov3_tiny" else []
                self.weft("timeline", "googlenet-u250", "--set", f"network={name}", "--set", "batch=1", *loss, "--rung",
                          "analytical", "--no-save")

    def test_runs_cycle_by_cycle(self) -> None:
        for name in names():
            if name in SLOW:
                continue
            with self.subTest(name):
                exact, equations = (sum(row["cycles"] for row in self.run_of(name, rung)["convolutions"])
                                    for rung in ("exact", "analytical"))
                self.assertAlmostEqual(exact / equations, 1, delta=0.2)

    def test_computes_odd_convolutions(self) -> None:
        node = helper.make_node
        cases = {
            "transposed": ([node("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2], pads=[1, 1, 1, 1], group=2,
                                 output_padding=[1, 1])], [1, 4, 5, 5], {"w": [4, 3, 3, 3]}),
            "line": ([node("Conv", ["x", "w"], ["y"], strides=[2])], [1, 4, 21], {"w": [6, 4, 5]}),
            "volume": ([node("Conv", ["x", "w"], ["y"], pads=[1, 0, 0, 1, 0, 0])], [1, 3, 4, 6, 6], {"w": [4, 3, 3, 2, 2]}),
        }
        for name, (nodes, image, weights) in cases.items():
            with self.subTest(name):
                write(self.folder / f"{name}.onnx", nodes, image, weights)
                path = str(self.folder / f"{name}.onnx")
                results = [self.run_of(path, rung, "mode=data", "gi_first=true")["convolutions"]
                           for rung in ("exact", "systemc")]
                self.assertEqual([row["kind"] for row in results[0]], ["F", "GI", "GW"])
                for exact, systemc in zip(*results):
                    self.assertEqual(exact["cycles"], systemc["cycles"])
                    self.assertEqual(exact["data"], systemc["data"])
                    self.assertLess(exact["data"]["largest_error"], 1e-4)

    def test_takes_the_default_run_for_a_network_alone(self) -> None:
        write(self.folder / "net.onnx", [helper.make_node("Conv", ["x", "w"], ["y"])], [1, 4, 9, 9], {"w": [6, 4, 3, 3]}, 17)
        done = self.weft("run", "net.onnx", "--rung", "analytical", "--no-save")
        self.assertIn(ALONE, done.stderr)
        (self.folder / "net.csv").write_text("Layer,H,W,R,S,C,K,Strides,\na,9,9,3,3,4,6,1,\nb,8,8,3,3,6,2,2,\n")
        done = self.weft("run", "net.csv", "--rung", "analytical", "--format", "json", "--no-save")
        self.assertIn(ALONE, done.stderr)
        macs = {row["layer"]: row["macs"] for row in json.loads(done.stdout)["convolutions"]}
        self.assertEqual(macs, {"a": 6 * 4 * 9 * 49, "b": 2 * 6 * 9 * 16})

    def test_says_what_a_file_declares_wrongly(self) -> None:
        write(self.folder / "net.onnx", [helper.make_node("Conv", ["x", "w"], ["y"])], [1, 4, 9, 9], {"w": [6, 4, 3, 3]}, 17)
        model = load(self.folder / "net.onnx")
        model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 6, 8, 8]))
        save(model, self.folder / "net.onnx")
        done = self.weft("run", "net.onnx", "--rung", "analytical", "--no-save")
        self.assertEqual(done.stderr.count("weft: warning: "), 1)
        self.assertIn("y is 1x6x7x7, but declared as 1x6x8x8; the inferred shape is used", done.stderr)

    def test_says_which_layers_are_transposed(self) -> None:
        wanted = {"conv1", "conv2", "conv3", "conv4"}  # ConvTranspose in the file; fc is a Gemm
        rows = self.run_of("dcgan_generator", "analytical")["convolutions"]
        self.assertEqual({row["layer"] for row in rows if row["shape"].get("transposed")}, wanted)
        command = ("run", "default", "--set", "network=dcgan_generator", "--rung", "analytical", "--no-save")
        lines = list(csv.DictReader(io.StringIO(self.weft(*command, "--format", "csv").stdout)))
        self.assertEqual({line["layer"] for line in lines if line["transposed"] == "true"}, wanted)
        table = self.weft(*command, "--rows", "all").stdout
        self.assertEqual(set(re.findall(r"^(\S+) +(?:F|GI|GW) t\b", table, re.MULTILINE)), wanted)
        self.assertIn(f"marked t     {len(lines)} transposed convolutions\n", table)
        plain = ("run", "default", "--set", "network=m5", "--rung", "analytical", "--no-save", "--format")
        self.assertNotIn("transposed", self.weft(*plain, "csv").stdout)
        self.assertNotIn("transposed", self.weft(*plain, "json").stdout)

    def test_trains_for_more_than_ten_years(self) -> None:
        """64 bits of picoseconds end after 106 days; the hours of more are worked here from cycles and picoseconds."""
        images, ten_years = 10_000_000, 10 * 365.25 * 24
        command = ("--set", "network=unet", "--set", "batch=1", "--set", f"dataset_images={images}", "--rung", "analytical",
                   "--no-save")

        def hours(picoseconds: int) -> Fraction:
            return Fraction(picoseconds, 3600 * 10**12)

        def check(printed: float, exact: Fraction) -> None:
            self.assertGreater(printed, ten_years)
            self.assertAlmostEqual(printed / float(exact), 1, delta=1e-12)

        run = json.loads(self.weft("run", "default", *command, "--format", "json").stdout)
        cycles = sum(row["cycles"] for row in run["convolutions"])
        check(run["convolutions_epoch_hours"], hours(cycles * 10_000 * images))  # 100 MHz
        timeline = json.loads(self.weft("timeline", "default", *command, "--format", "json").stdout)
        exact = hours(timeline["iteration_ps"] * images)
        check(timeline["epoch_hours"], exact)
        check(run["iteration"]["epoch_hours"], exact)
        line = f"{float(exact):.2f} h of 10,000,000 images"
        self.assertIn(line, self.weft("run", "default", *command).stdout)
        self.assertIn(f"{float(exact):.2f} h", self.weft("timeline", "default", *command).stdout)

        train = json.loads(self.weft("train", "muppet-resnet20", *command, "--format", "json").stdout)
        setups = [tuple(round(setup[f"{name}_seconds"] * 10**12) for name in ("iteration", "load")) + (setup["loads"],)
                  for setup in train["setups"]]
        time = sum(stretch["iterations"] * setups[stretch["setup"]][0] +
                   (stretch["loads"] - stretch["iterations"] * setups[stretch["setup"]][2]) * setups[stretch["setup"]][1]
                   for epoch in train["epochs"] for stretch in epoch["stretches"])
        check(train["hours"], hours(time))
        check(train["fp32_alone"]["hours"], hours(150 * images * setups[0][0]))
        self.assertIn(f"MuPPET           {train['hours']:.2f} hours", self.weft("train", "muppet-resnet20", *command).stdout)

    def test_says_that_an_iteration_is_beyond_64_bits_of_picoseconds(self) -> None:
        command = ["default", "--set", "network=unet", "--set", "batch=150", "--set", "kernel.clock_mhz=1", "--set",
                   "kernel.array={x: 1, y: 1}", "--rung", "analytical", "--no-save"]
        refusal = "the picoseconds of a kernel's cycles exceed 2^63 - 1, the most that can be counted: "
        run = json.loads(self.weft("run", *command, "--format", "json").stdout)
        self.assertIn(refusal, run["iteration"]["error"])
        seconds = sum(row["cycles"] for row in run["convolutions"]) / 10**6  # 1 MHz
        self.assertGreater(seconds, 3.2e8)
        self.assertAlmostEqual(run["convolutions_seconds"] / seconds, 1, delta=1e-12)
        done = subprocess.run([os.environ["WEFT_BINARY"], "timeline", *command], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"weft: error: {refusal}give smaller sizes or a smaller batch\n")

    def test_names_the_command_that_runs_a_network(self) -> None:
        done = subprocess.run([os.environ["WEFT_BINARY"], "run", "resnet20"], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        advised = re.fullmatch(r"weft: error: resnet20: 'resnet20' is a network, not a run: use weft (.*)\n", done.stderr)
        assert advised, done.stderr
        pasted = self.weft(*advised[1].split(), "--no-save").stdout
        self.assertIn("default: resnet20 on u250", pasted)

    def test_takes_sizes_that_the_file_leaves_open(self) -> None:
        write(self.folder / "net.onnx", [helper.make_node("Conv", ["x", "w"], ["y"])], ["N", 4, "H", "W"], {"w": [6, 4, 3, 3]})
        command = ("run", "net.onnx", "--rung", "analytical", "--no-save")
        done = subprocess.run([os.environ["WEFT_BINARY"], *command], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("dimension 2 (H) of graph input x is open; give its size in input_sizes of the run", done.stderr)
        done = self.weft(*command, "--set", "input_sizes=[9, 11]", "--format", "json")
        self.assertEqual({row["macs"] for row in json.loads(done.stdout)["convolutions"]}, {6 * 4 * 9 * 7 * 9})


if __name__ == "__main__":
    unittest.main()
