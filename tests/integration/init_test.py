"""weft init: a project that runs as it stands."""

from __future__ import annotations

import unittest

from support import WeftTest

ANALYTICAL = ["--rung", "analytical", "--no-save"]


class Init(WeftTest):
    def test_the_project_runs_as_it_stands(self) -> None:
        self.assertIn("weft run mine/run.yaml", self.ok("init", "mine").out)
        for kind in ("run", "sweep", "board", "kernel"):
            first = self.text(f"mine/{kind}.yaml").splitlines()[0]
            self.assertEqual(first, f"# yaml-language-server: $schema=schemas/{kind}.schema.json")
            self.assertEqual(self.text(f"mine/schemas/{kind}.schema.json"), self.ok("schema", kind).out)
        # The files are those of resnet20-u250 at batch 1, so that both have equal cycles.
        self.assertEqual(self.json_of("run", "mine/run.yaml", *ANALYTICAL)["totals"],
                         self.json_of("run", "resnet20-u250", "--set", "batch=1", *ANALYTICAL)["totals"])
        self.assertIn("9 points", self.ok("sweep", "mine/sweep.yaml", "--dry-run").out)

    def test_takes_a_board_a_kernel_of_another_design_and_a_network(self) -> None:
        self.ok("init", "tiled", "--board", "u200", "--kernel", "barista-16x16x64", "--network", "alexnet_cifar10")
        self.assertTrue(self.json_of("run", "tiled/run.yaml", *ANALYTICAL)["convolutions"])
        self.assertIn("u200", self.ok("show", "tiled/run.yaml").out)
        self.assertIn("6 points", self.ok("sweep", "tiled/sweep.yaml", "--dry-run").out)

    def test_names_may_have_what_yaml_reads_as_its_own(self) -> None:
        self.ok("init", "it's: #1")
        self.ok("run", "it's: #1/run.yaml", *ANALYTICAL)

    def test_writes_nothing_where_something_is_wrong(self) -> None:
        self.refused("init", "a", "--board", "u25", says="there is no board 'u25'")
        self.refused("init", "a", "--network", "none.onnx", says="none.onnx")
        self.assertEqual(self.listing(), [])
        self.write("full/notes.txt", "mine")
        self.refused("init", "full", says="full")
        self.assertEqual(self.text("full/notes.txt"), "mine")


if __name__ == "__main__":
    unittest.main()
