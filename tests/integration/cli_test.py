"""The command line for users: help, overrides, output that fails, the directory that weft is started in."""

from __future__ import annotations

import subprocess
import unittest

from support import CONFIGS, WeftTest


class CommandLine(WeftTest):
    def test_without_arguments_prints_the_usage_to_standard_error_and_fails(self) -> None:
        outcome = self.weft()
        self.assertEqual((outcome.code, outcome.out), (2, ""))
        for word in ("Usage: weft", "run", "dram", "show", "bench"):
            self.assertIn(word, outcome.err)

    def test_output_that_cannot_be_written_is_an_error(self) -> None:
        for arguments in (["show", "u250"], ["--help"], ["--version"], ["run", "--help"]):
            with open("/dev/full", "w") as full:
                ended = subprocess.run([self.binary, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=full,
                                       stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((ended.returncode, ended.stderr),
                             (2, "weft: error: cannot write to standard output: No space left on device\n"), arguments)


class Show(WeftTest):
    def test_prints_every_configuration_of_the_project(self) -> None:
        for folder in ("runs", "boards", "hosts", "kernels", "sweeps", "dse", "validate"):
            files = sorted((CONFIGS / folder).glob("*.yaml"))
            self.assertTrue(files, folder)
            for file in files:
                for what in (str(file), file.stem):
                    self.assertIn(file.stem, self.ok("show", what).out)

    def test_prints_a_resolved_run_that_it_reads_again(self) -> None:
        first = self.ok("show", "googlenet-u250", "--set", "kernel.array.x=32", "--yaml").out
        self.assertIn("x: 32", first)
        self.write("again.yaml", first)
        self.assertEqual(self.ok("show", "again.yaml", "--yaml").out, first)

    def test_tells_a_board_from_a_run_by_what_the_file_says(self) -> None:
        for base, kind in (("u250", "board"), ("fpgpt-8x8-hls", "kernel"), ("conv-small", "run"),
                           ("u250-slr", "exploration"), ("googlenet-small", "validation")):
            self.write("a.yaml", f"extends: {base}\nname: mine\n")
            self.assertEqual(self.weft("show", "a.yaml").out.split()[:2], [kind, "mine"])

    def test_paths_are_relative_to_the_current_directory(self) -> None:
        self.write("deep/er/k.yaml", "extends: fpgpt-8x8-hls\narray: {x: 5}\n")
        self.write("run.yaml", "extends: conv-small\nkernel: deep/er/k.yaml\n")
        self.assertIn("5 x 8 = 40 PEs", self.ok("show", "run.yaml").out)
        self.ok("show", "run.yaml", "--set", "kernel=deep/er/k.yaml")


if __name__ == "__main__":
    unittest.main()
