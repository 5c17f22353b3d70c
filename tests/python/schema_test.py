"""Every key of every JSON that weft prints is in its schema, with a unit if it is a number, and a meaning."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import Any, Iterator

import jsonschema
import weft

# Two layers, one of them in groups, and one that is fully connected.
RUN = """
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: a, channels: 3, h: 12, w: 11, filters: 8, kernel: 5, stride: 2, pad: 2},
                   {name: b, channels: 8, h: 6, w: 6, filters: 12, kernel: 3, pad: 1, groups: 2}]}
batch: 2
rung: exact
"""
# On the design of tests/support/copy_design.
COPY = """
board: u250
kernel: {design: copy, clock_mhz: 100}
network: {layers: [{name: a, channels: 3, h: 19, w: 17, filters: 8, kernel: 5, pad: 2}]}
batch: 1
rung: systemc
kinds: [F]
"""
SWEEP = """
run: r.yaml
set: {rung: analytical}
space: {batch: [0, 1, 2], kernel.profile: [hls, rtl]}
objectives: [{minimize: cycles}, {minimize: dsp}]
"""


def places(schema: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A schema and all that are in it."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from places(inner, f"{path}.{name}")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from places(schema["additionalProperties"], f"{path}.*")
    if "items" in schema:
        yield from places(schema["items"], f"{path}[]")


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.schema = weft.schema()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "r.yaml").write_text(RUN)
        (cls.folder / "s.yaml").write_text(SWEEP)

    def printed(self, *arguments: str) -> str:
        done = subprocess.run([os.environ["WEFT_BINARY"], *arguments], capture_output=True, encoding="utf-8",
                              cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def hold(self, kind: str, *arguments: str) -> Any:
        """What the command prints has the keys of the kind, all that it must have and no others."""
        value = json.loads(self.printed(*arguments, "--format", "json"))
        self.hold_value(kind, value, " ".join(arguments))
        return value

    def hold_value(self, kind: str, value: Any, name: str = "") -> None:
        validator = jsonschema.Draft202012Validator(self.schema["$defs"][kind])
        faults = [f"{fault.json_path}: {fault.message[:200]}" for fault in validator.iter_errors(value)]
        self.assertEqual(faults, [], name)

    def test_is_a_schema(self) -> None:
        jsonschema.Draft202012Validator.check_schema(self.schema)
        references = {each["$ref"] for each in self.schema["anyOf"]}
        self.assertEqual(references, {f"#/$defs/{kind}" for kind in self.schema["$defs"]})

    def test_every_key_has_a_meaning_and_every_number_a_unit(self) -> None:
        for kind, definition in self.schema["$defs"].items():
            for path, of in places(definition, kind):
                with self.subTest(path=path):
                    self.assertRegex(of.get("description", ""), r"\S")
                    types = of["type"] if isinstance(of["type"], list) else [of["type"]]
                    numbers = {"integer", "number"} & set(types)
                    self.assertTrue(not numbers or "unit" in of or "string" in types)
                    self.assertTrue(numbers or "unit" not in of)
                    if "object" in types:
                        self.assertIn("additionalProperties", of)

    def test_has_a_line_for_each_key_as_table_and_csv(self) -> None:
        keys = [path for kind, definition in self.schema["$defs"].items() for path, _ in places(definition, kind)]
        lines = list(csv.DictReader(io.StringIO(self.printed("show", "schema", "--format", "csv"))))
        self.assertEqual([line["key"] for line in lines], keys)
        words = " ".join(self.printed("show", "schema").split())  # lines are broken at the width of the page
        at = 0
        for line in lines:
            of = line["type"] + (", " + line["unit"] if line["unit"] else "")
            text = " ".join(f"{line['key']} {of} {line['meaning']}".split())
            at = words.index(text, at) + len(text)

    def test_holds_runs(self) -> None:
        for rung in ("analytical", "exact", "systemc"):
            value = self.hold("run", "run", "r.yaml", "--no-save", "--rung", rung)
        self.assertIn("launch_cycles", value["convolutions"][-1])
        self.hold("run", "run", "r.yaml", "--no-save", "--rung", "systemc", "--set", "mode=data")
        self.hold("run", "run", "r.yaml", "--no-save", "--verify", "3", "--set", "kernel.profile=rtl")
        sizes = "kernel.z_channel=shared", "kernel.k_range=shared", "kernel.kern_words=shared"
        shared = [word for size in sizes for word in ("--set", size)]
        value = self.hold("run", "run", "r.yaml", "--no-save", *shared, "--set", "readings.resources=synthesis")
        self.assertIn("shared_sizes", value)
        self.assertIn("lut", value["fit"])
        self.hold("run", "run", "squeezenet-u250", "--no-save", "--rung", "analytical", "--set", "lower_fc=true")
        self.hold("run", "run", "alexnet-u250", "--no-save", "--rung", "analytical", "--set", "lower_fc=true")

    def test_holds_runs_of_a_second_design_that_a_weft_knows(self) -> None:
        (self.folder / "copy.yaml").write_text(COPY)
        with unittest.mock.patch.dict(os.environ, WEFT_BINARY=os.environ["WEFT_WITH_COPY"]):
            schema = weft.schema()
            for config in ("copy.yaml", "r.yaml"):
                value = json.loads(self.printed("run", config, "--no-save", "--format", "json"))
                faults = list(jsonschema.Draft202012Validator(schema["$defs"]["run"]).iter_errors(value))
                self.assertEqual(faults, [])
        self.assertIn("depth", schema["$defs"]["run"]["properties"]["convolutions"]["items"]["properties"]["kernel"]
                      ["properties"])

    def test_holds_every_line_of_a_csv_file(self) -> None:
        row = self.schema["$defs"]["convolutions.csv"]
        for rung in ("analytical", "exact"):
            result = weft.run(self.folder / "r.yaml", rung=rung)
            for line in result.rows:
                self.hold_value("convolutions.csv", line)
            self.assertLessEqual(set(result.rows[0]), set(row["properties"]))

    def test_holds_timelines(self) -> None:
        value = self.hold("timeline", "timeline", "resnet20-u250", "--no-save", "--rung", "analytical")
        self.assertTrue(value["steps"])
        for config in ("table59-resnet20", "table59-alexnet-cifar10-im2col-cpu"):
            value = self.hold("timeline", "timeline", config, "--no-save", "--rung", "analytical")
            self.assertIn("published", value)
        self.hold("timeline", "timeline", "resnet20-u250", "--no-save", "--rung", "analytical", "--set", "batch=4",
                  "--set", "schedule.transfers=keep_activations", "--set", "schedule.overlap=double_buffer", "--set",
                  "schedule.order=fewest_loads", "--set", "schedule.load=region")

    def test_holds_plans_and_timelines_of_clusters(self) -> None:
        some = "--no-save", "--set", "network=resnet20", "--set", "boards=2"
        value = self.hold("plan", "plan", "nada-mobilenetv2", *some)
        self.assertIn("link_gbits_per_second", value["boards"][0])
        value = self.hold("plan array", "plan", "fpdeep-alexnet", "--no-save")
        self.assertEqual(len(value["readings"][0]["images_per_second"]), 150)
        self.hold("timeline cluster", "timeline", "nada-mobilenetv2", *some)

    def test_holds_trainings(self) -> None:
        value = self.hold("train", "train", "muppet-resnet20", "--no-save", "--rung", "analytical")
        self.assertEqual(len(value["epochs"]), 81)
        value = self.hold("train", "train", "muppet-resnet20-optimum", "--no-save")
        self.assertTrue(value["published"])
        self.hold("timeline", "timeline", "resnet20-card", "--no-save", "--rung", "analytical", "--set", "kernel.format=fxp12")

    def test_holds_validations(self) -> None:
        value = self.hold("validate", "validate", "conv-small", "--no-save")
        self.assertTrue(value["limits"]["holds"])
        self.hold("validate", "validate", "r.yaml", "--no-save", "--model", "systemc")
        self.hold("validate", "validate", "googlenet-small", "--no-save", "--only", "conv1*,inception3a.branch1*")
        self.hold("validate link", "validate", "pcie", "--no-save")

    def test_holds_sweeps(self) -> None:
        self.printed("sweep", "s.yaml", "--out", "s.db")
        for kind, options in (("sweep", []), ("sweep convolutions", ["--convolutions"])):
            value = self.hold(kind, "show", "s.db", *options)
            # Other names than the schema's are axes, and no field that it lacks.
            properties = self.schema["$defs"][kind]["properties"]["rows"]["items"]["properties"]
            others = {name for row in value["rows"] for name in row} - set(properties)
            self.assertLessEqual(others, {"batch", "kernel.profile"})
        self.assertEqual({row["status"] for row in self.hold("sweep", "show", "s.db")["rows"]}, {"done", "failed"})

    def test_holds_points_that_were_run_again(self) -> None:
        (self.folder / "a.yaml").write_text("run: conv-small\nset: {rung: analytical}\n"
                                            "space: {kernel.array.x: [4, 8]}\n"
                                            "objectives: [minimize: convolutions_seconds]\nrerank: {count: 2}\n")
        self.printed("sweep", "a.yaml", "--out", "a.db")
        value = self.hold("sweep rerank", "show", "a.db", "--rerank")
        self.assertEqual([row["rank"] for row in value["rerankings"][0]["rows"]], [1, 2])

    def test_holds_explorations(self) -> None:
        some = ("--only", "inception5b.branch1*,inception5b.branch4*", "--set",
                "dse.budget={dsp: 3072, bram18: 640, uram: 0}")
        value = self.hold("dse", "dse", "googlenet", "--no-save", *some, "--set", "dse.penalties_percent=[0, 5]",
                          "--rerank", "2", "--set", "dse.rerank.batch=1")
        self.assertTrue(value["sharing"] and value["rerank"] and value["epoch_hours_by_reading"])
        self.assertTrue({"optimal", "smallest"} <= {key for row in value["convolutions"] for key in row})
        value = self.hold("dse several", "dse", "alexnet_cifar10", "resnet20", "--no-save", "--set",
                          "dse.penalties_percent=[]", "--set", "dse.compare_reading=none")
        self.assertEqual(len(value), 2)
        # Of the tiles of another design, with what others found of a layer and of the network.
        value = self.hold("dse", "dse", "barista-alexnet_cifar10", "--no-save")
        self.assertIn("published_gops_per_watt", value["layers"][0]["published"])
        self.assertIn("better_than_published", value["network_tile"]["highest_mean"])
        value = self.hold("dse", "dse", "darkfpga", "--no-save", "--only", "features.12:F", "--rerank", "1")
        self.assertIn("simulated_cycles", value["network_kernels"][0])
        kernel = self.schema["$defs"]["dse"]["properties"]["convolutions"]["items"]["properties"]["optimal"]
        self.assertEqual(kernel["properties"]["kernel"]["properties"]["z"]["unit"],
                         self.schema["$defs"]["run"]["properties"]["convolutions"]["items"]["properties"]["kernel"]
                         ["properties"]["z"]["unit"])

    def test_holds_co_simulations(self) -> None:
        small = [word for key in ("kernel.array.x=2", "kernel.array.y=2", "convolution.channels=4",
                                  "convolution.filters=4") for word in ("--set", key)]
        self.hold("cosim", "cosim", "conv-small", *small)
        value = self.hold("cosim campaign", "cosim", "--campaign", "--count", "2", "--builds", "1")
        self.assertEqual(len(value["each_build"]), 1)

    def test_holds_syntheses(self) -> None:
        self.hold("synth", "synth", "fpgpt-4x8-hls", "--block", "out_writer")
        self.assertTrue(self.hold("synth errors", "synth", "--errors"))

    def test_holds_comparisons_and_lists(self) -> None:
        self.printed("run", "r.yaml", "--out", "a")
        self.printed("run", "r.yaml", "--out", "b", "--only", "b", "--set", "kernel.profile=rtl")
        value = self.hold("compare", "compare", "./a", "./b")
        self.assertTrue(value["only_a"] and value["keys"] and value["convolutions"])
        self.hold("results", "show", ".")

    def test_holds_comparisons_of_timelines(self) -> None:
        self.printed("timeline", "resnet20-u250", "--rung", "analytical", "--set", "batch=2", "--out", "c")
        self.printed("timeline", "resnet20-barista", "--rung", "analytical", "--set", "batch=1", "--out", "d")
        value = self.hold("compare timelines", "compare", "./c", "./d")
        self.assertTrue(value["keys"] and value["where"][-1]["part"] == "iteration")

    def test_holds_comparisons_of_validations(self) -> None:
        for name, latency in (("e", "40"), ("f", "41")):
            self.printed("validate", "conv-small", "--out", name, "--set", f"memory.latency_cycles={latency}")
        value = self.hold("compare validations", "compare", "./e", "./f")
        self.assertTrue(value["keys"] and value["deviations"])

    def test_holds_explanations(self) -> None:
        value = self.hold("explain", "explain", "r.yaml", "--no-save", "--set", "batch=1")
        self.assertTrue(value["lines"] and value["no_iteration"])
        value = self.hold("explain", "explain", "resnet20-u250", "--no-save", "--rung", "analytical", "--set",
                          "batch=4")
        self.assertTrue(value["lines"] and value["bounds"] and value["question"] and value["changes"])
        used = {key for part in ("lines", "question") for line in value[part] for key in line}
        self.assertLessEqual(used, set(value["fields"]) | {"change", "why_not"})

    def test_notices_a_key_that_it_does_not_know_and_one_that_is_missing(self) -> None:
        value = json.loads(self.printed("run", "r.yaml", "--no-save", "--format", "json"))
        for change in (lambda row: row.update(news=1), lambda row: row.pop("cycles"),
                       lambda row: row["blocks"]["array"].update(asleep=1), lambda row: row.update(cycles="1")):
            changed = json.loads(json.dumps(value))
            change(changed["convolutions"][0])
            with self.assertRaises(AssertionError):
                self.hold_value("run", changed)


if __name__ == "__main__":
    unittest.main()
