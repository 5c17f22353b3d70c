"""An installed weft: the program in PREFIX/bin, configurations and RTL in PREFIX/share/weft, and no checkout.

WEFT_BINARY names the program that is installed.
"""

from __future__ import annotations

import shutil
import unittest

from support import ROOT, InAFolder, Outcome, install, run


class Installed(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.here = self.folder / "here"
        self.here.mkdir()
        self.program = install(self.folder / "prefix", "kernels")
        self.configs = self.folder / "prefix/share/weft/configs"
        shutil.copytree(ROOT / "configs", self.configs)

    def weft(self, *arguments: str) -> Outcome:
        return run(self.program, *arguments, folder=self.here,
                   environment={"HOME": str(self.here), "WEFT_CACHE": "none", "PATH": "/nonexistent"})

    def test_runs_its_configs_and_saves_results_in_the_current_folder(self) -> None:
        for config in ("conv-small", "configs/runs/conv-small.yaml"):
            shutil.rmtree(self.here / "results", ignore_errors=True)
            outcome = self.weft("run", config)
            self.assertEqual(outcome.code, 0, outcome.err)
            self.assertTrue((self.here / "results/conv-small/result.json").exists())
        missing = self.weft("run", "configs/runs/none.yaml")
        self.assertEqual(missing.code, 2)
        self.assertIn("configs/runs/none.yaml: no such file", missing.err)

    def test_reads_its_own_data_not_those_of_the_checkout(self) -> None:
        runs = self.configs / "runs"
        (runs / "conv-small.yaml").rename(runs / "mine.yaml")
        self.assertEqual(self.weft("show", "mine").code, 0)
        self.assertEqual(self.weft("show", "conv-small").code, 2)

    def test_writes_the_rtl(self) -> None:
        outcome = self.weft("rtl", "conv-small", "--out", "rtl")
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertTrue((self.here / "rtl/files.f").exists())

    def test_says_in_one_line_that_a_command_needs_a_checkout(self) -> None:
        for arguments in (["cosim", "conv-small"],
                          ["run", "conv-small", "--rung", "systemc", "--waves", "conv.fst"],
                          ["mutants"],
                          ["bench"],
                          ["host-profile", "resnet20", "--batch", "1"],
                          ["card", "resnet20-card", "--train", "resnet20"]):
            outcome = self.weft(*arguments)
            self.assertEqual(outcome.code, 2, f"{arguments} {outcome.err}")
            self.assertIn("needs a checkout of weft", outcome.err)
            self.assertEqual(outcome.err.count("\n"), 1, outcome.err)


if __name__ == "__main__":
    unittest.main()
