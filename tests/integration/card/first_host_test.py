"""The host programs of docs/how-to/host.md, compiled and started as the page says, and its table of arguments."""

from __future__ import annotations

import re
import shlex
import unittest

from support import ROOT, WeftTest, run

PAGE = (ROOT / "docs/how-to/host.md").read_text()

# Computes a kind by the page's host and by the layer's definition: whole numbers, whose sums are exact.
COMPUTES = """
import sys
import numpy as np
from host import convolve
kind, arguments = sys.argv[2], [int(word) for word in sys.argv[3:]]
drawn = np.random.default_rng(1)
x, w, y = (drawn.integers(-3, 4, shape).astype(np.float32) for shape in ((2, 3, 9, 9), (10, 3, 3, 3), (2, 10, 9, 9)))
padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
results = {"F": np.zeros((2, 10, 9, 9)), "GI": np.zeros_like(padded), "GW": np.zeros((10, 3, 3, 3))}
for i in range(3):
    for j in range(3):
        part = padded[:, :, i:i + 9, j:j + 9]
        results["F"] += np.einsum("nchw,fc->nfhw", part, w[:, :, i, j])
        results["GI"][:, :, i:i + 9, j:j + 9] += np.einsum("nfhw,fc->nchw", y, w[:, :, i, j])
        results["GW"][:, :, i, j] = np.einsum("nchw,nfhw->fc", part, y)
results["GI"] = results["GI"][:, :, 1:-1, 1:-1]
inp, kern = {"F": (x, w), "GI": (y, w), "GW": (x, y)}[kind]
out = np.zeros(results[kind].shape, np.float32)
convolve(sys.argv[1], arguments, inp, kern, out)
sys.exit(0 if (out == results[kind]).all() else "other results")
"""


class FirstHost(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        files = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
        self.assertEqual(sorted(files), ["host.py", "native.cpp", "ocl.cpp"])
        for name, text in files.items():
            self.assertLess(text.count("\n"), 45)
            self.write(name, text)

    def test_each_compiles_runs_and_is_right(self) -> None:
        for line in re.findall(r"^    (g\+\+ .*|\./weft .*)$", PAGE, re.MULTILINE):
            program, *words = shlex.split(line)
            outcome = self.ok(*words) if program == "./weft" else run(f"/usr/bin/{program}", *words, folder=self.folder)
            self.assertEqual(outcome.code, 0, outcome.err)
            if "--" not in words:
                continue
            self.assertIn("corner 12, middle 27\n", outcome.out)
            self.assertRegex(outcome.err, r"; 1 launch, 1 reconfiguration\n$")  # no warning

    def test_each_line_of_the_table_of_arguments_computes_its_kind(self) -> None:
        card = str(ROOT / "tests/hosts/card.yaml")
        self.ok("card", card, "--xclbin", "card.xclbin")
        self.write("computes.py", COMPUTES)
        lines = re.findall(r"^\| (F|GI|GW) \| ([0-9 ]+) \| ([0-9 ]+) \|$", PAGE, re.MULTILINE)
        self.assertEqual([kind for kind, _, _ in lines], ["F", "GI", "GW"])
        for kind, sizes, pitches in lines:
            self.ok("card", card, "--strict", "--", "/usr/bin/python3", "computes.py", "card.xclbin", kind, *sizes.split(),
                    *pitches.split())

    def test_an_xclbin_for_ideal_memory_has_the_banks_of_a_u250(self) -> None:
        self.write("banks.py", """
import pyopencl as cl
device, = cl.get_platforms()[0].get_devices()
print(device.global_mem_size >> 30)
""")
        self.assertEqual(self.ok("card", "conv-small", "--", "/usr/bin/python3", "banks.py").out, "64\n")


if __name__ == "__main__":
    unittest.main()
