"""weft synth from the command line, on single blocks of a kernel: title, shares of the board, notes, and keys."""

from __future__ import annotations

import unittest
from typing import Any

import yaml

from support import WeftTest

KERNEL = "fpgpt-4x8-hls"
# The GW constructor takes DSPs, LUTs, registers and block RAM, and yosys a few seconds.
BLOCK = ("--block", "out_constructor_gw")
RESOURCES = ("dsp", "lut", "ff", "bram18", "uram")


class Synth(WeftTest):
    def printed(self, *arguments: str) -> list[str]:
        return self.ok("synth", KERNEL, *BLOCK, *arguments).out.splitlines()

    def assert_shares(self, table: list[str], result: Any) -> None:
        """The last row of the table has each figure of the row before as a share of the board; a resource that the board
        does not have has none."""
        row, share = (line.split() for line in table)
        self.assertEqual((row[0], share[:2]), ("out_constructor_gw", ["of", result["board"]]))
        available = [result["available"][name] for name in RESOURCES for _ in range(2 if name in ("lut", "ff") else 3)]
        self.assertEqual(len(row) - 1, len(available))
        for use, part, whole in zip(row[1:], share[2:], available, strict=True):
            self.assertEqual(part, "-" if use == "-" or whole == 0 else f"{100 * int(use) / whole:.1f}%")

    def test_takes_a_key_as_a_run_has_it_or_as_the_kernel_has_it_and_names_the_change(self) -> None:
        of_run = self.printed("--set", "kernel.array.y=4")
        of_kernel = self.printed("--set", "array.y=4")
        self.assertEqual(of_run[of_run.index(""):], of_kernel[of_kernel.index(""):])
        self.assertTrue(of_run[0].startswith("fpgpt-4x8-hls with kernel.array.y=4: 4 x 4 PEs, profile hls, "), of_run[0])
        self.assertTrue(of_kernel[0].startswith("fpgpt-4x8-hls with array.y=4: 4 x 4 PEs, profile hls, "), of_kernel[0])
        self.assertTrue(self.printed()[0].startswith("fpgpt-4x8-hls: 4 x 8 PEs, profile hls, "))
        self.refused("synth", KERNEL, "--set", "kernel.aray.y=4", says="kernel.aray: unknown key; did you mean 'array'?")

    def test_other_files_take_the_keys_of_a_run_too(self) -> None:
        for name, key, value in ((KERNEL, "kernel.array.y", "4"), ("u250", "board.memory.channels", "2"),
                                 ("xeon-bronze-3104", "host.threads", "3")):
            own = self.ok("show", name, "--yaml", "--set", f"{key.partition('.')[2]}={value}").out
            self.assertEqual(self.ok("show", name, "--yaml", "--set", f"{key}={value}").out, own)
            self.assertNotEqual(self.ok("show", name, "--yaml").out, own)

    def test_prints_the_shares_of_the_board(self) -> None:
        result = self.json_of("synth", KERNEL, *BLOCK)
        board = yaml.safe_load(self.ok("show", "u250", "--yaml").out)
        usable = {name: board[name]["usable"] for name in ("dsp", "lut", "ff", "uram")}
        self.assertEqual(result["available"], usable | {"bram18": 2 * board["bram36"]["usable"]})
        self.assertEqual((result["board"], result["changes"]), ("u250", []))
        table = self.printed()
        (at,) = (number for number, line in enumerate(table) if line.startswith("of u250"))
        self.assert_shares(table[at - 1:at + 1], result)
        other = self.json_of("synth", KERNEL, *BLOCK, "--board", "vc709", "--set", "kernel.array.y=4")
        self.assertEqual((other["board"], other["changes"]), ("vc709", ["kernel.array.y=4"]))
        self.assertEqual((other["available"]["dsp"], other["available"]["uram"]), (3600, 0))
        table = self.printed("--board", "vc709", "--set", "kernel.array.y=4")
        (at,) = (number for number, line in enumerate(table) if line.startswith("of vc709"))
        self.assert_shares(table[at - 1:at + 1], other)
        self.refused("synth", KERNEL, "--board", "u25O", says="u25O")

    def test_says_why_its_columns_differ_and_that_it_estimates_no_clock(self) -> None:
        def notes(*arguments: str) -> dict[str, str]:
            lines = self.printed(*arguments)
            lines = lines[lines.index("", lines.index("") + 1) + 1:]
            text = "\n".join(lines).replace("\n             ", " ")
            return {name: rest for name, _, rest in (line.partition(" ") for line in text.splitlines())}

        fp32, fixed = notes(), notes("--set", "kernel.format=fxp8")
        self.assertEqual(list(fp32), ["synth", "model", "thesis", "clock"])
        self.assertIn("2 DSPs, for the product of two mantissas; its adder and small memories are in LUTs", fp32["synth"])
        self.assertIn("9 DSPs a PE, the average of its Vitis HLS builds", fp32["thesis"])
        self.assertIn("1 DSP, for the product (0 at 4 bits)", fixed["synth"])
        self.assertIn("3 DSPs a PE; blocks", fixed["thesis"])
        self.assertIn("weft synth --errors", fp32["model"])
        self.assertIn("no estimate", fp32["clock"])


if __name__ == "__main__":
    unittest.main()
