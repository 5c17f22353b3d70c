"""weft cosim from the command line, on the smallest possible kernel."""

from __future__ import annotations

import struct
import unittest

from support import WeftTest, sets

SMALL = ("cosim", "conv-small", *sets("kernel.array={x: 1, y: 1}", "kernel.band=2", "batch=1",
                                      "convolution={kind: F, channels: 2, filters: 3, h: 5, w: 4, kernel: 3, pad: 1}"))


class CosimCommand(WeftTest):
    def test_says_what_it_compared_in_every_format(self) -> None:
        self.assertIn("RTL and model agree.", self.ok(*SMALL).out)
        csv = self.ok(*SMALL, "--format", "csv").out
        self.assertTrue(csv.startswith("layer,kind,cycles,handshakes,equal\nconvolution,F,"), csv)
        found = self.json_of(*SMALL, "--refuse", "50")
        self.assertIs(found["equal"], True)
        convolution, = found["convolutions"]
        self.assertGreater(convolution["handshakes"], 1000)

    def test_writes_the_cycles_that_are_asked_for_as_waveforms(self) -> None:
        """An FST file begins with its header: a type of one byte, a length and the first and last time of 8 bytes each."""
        outcome = self.ok(*SMALL, "--waves", "w.fst", "--waves-from", "30", "--waves-cycles", "20")
        self.assertIn("cycles 30 to 49", outcome.err)
        waves = (self.folder / "w.fst").read_bytes()
        self.assertGreater(len(waves), 100)
        kind, _, first, last = struct.unpack_from(">BQQQ", waves)
        self.assertEqual(kind, 0)
        self.assertEqual(last - first, 39 * 5)  # 20 cycles of two edges, 5 ns apart
        self.refused(*SMALL, "--waves", "late.fst", "--waves-from", "1000000",
                     says="no waveforms: the convolution ended in cycle ")
        self.assertEqual(self.listing(), ["w.fst"])

    def test_compares_the_gemms_of_each_image_and_group_of_a_run(self) -> None:
        """Barista: a unit is the GEMM of an image and a group. The cycles equal those that weft run counts without RTL."""
        self.write("two.yaml", """
name: two
board: vu9p_f1
kernel: {design: barista, tile: {r: 3, c: 2, p: 5}, partial_sums: 2, band: 4, clock_mhz: 250}
network:
  layers:
    - {name: a, channels: 4, h: 6, w: 5, filters: 4, groups: 2, kernel: 3, pad: 1}
    - {name: b, channels: 4, h: 5, w: 5, filters: 5, kernel: 2, stride: 2}
batch: 2
rung: exact
gi_first: true
""")
        units = self.json_of("cosim", "two.yaml")["convolutions"]
        rows = self.json_of("run", "two.yaml", "--no-save")["convolutions"]
        self.assertEqual(len(rows), 6)
        self.assertEqual(len(units), 3 * 4 + 3 * 2)
        self.assertEqual([units[i]["layer"] for i in (2, 4)], ["a image 1 group 0", "a image 0 group 0"])
        self.assertEqual(units[4]["kind"], "GI")
        for row in rows:
            of_row, units = units[:row["launches"]], units[row["launches"]:]
            for unit in of_row:
                self.assertEqual((unit["layer"][:8], unit["kind"]), (row["layer"] + " image ", row["kind"]))
            self.assertEqual(row["cycles"], sum(unit["cycles"] for unit in of_row), row)
        self.assertEqual(units, [])
        # The beat of RT, CT and K has at least four words (BLC-5).
        self.assertEqual(self.refused("cosim", "two.yaml", "--set", "kernel.band=2"),
                         "weft: error: band: the RTL's bus has 4, 8, 16 or 32 words a beat, not 2\n")


if __name__ == "__main__":
    unittest.main()
