"""weft cosim from the command line, on the smallest possible kernel."""

from __future__ import annotations

import json
import os
import struct
import unittest
from typing import Any

from support import WeftTest, run, sets

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
        self.assertEqual((first, last), (300_000, 500_000))  # ps: cycle k begins at k periods of 10 ns
        self.assertIn("\n[timestart] 300000\n", self.text("w.gtkw"))
        self.refused(*SMALL, "--waves", "late.fst", "--waves-from", "1000000",
                     says="no waveforms: the convolution ended in cycle ")
        self.assertEqual(self.listing(), ["w.fst", "w.gtkw"])

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


class CopyDesign(WeftTest):
    """The smallest design, tests/support/copy_design."""

    binary = os.environ["WEFT_WITH_COPY"]

    def test_takes_the_cycles_of_its_rtl_and_the_resources_of_its_synthesis(self) -> None:
        self.write("copy.yaml", """
name: copy
board: u250
kernel: {design: copy, clock_mhz: 100, band: 4}
network: {layers: [{name: a, channels: 3, h: 9, w: 7, filters: 8, kernel: 5, pad: 2}]}
memory: {kind: ideal, latency_cycles: 5}
batch: 2
rung: systemc
kinds: [F]
""")
        row, = self.json_of("run", "copy.yaml", "--no-save")["convolutions"]
        unit, = self.json_of("cosim", "copy.yaml")["convolutions"]
        self.assertEqual((unit["cycles"], unit["equal"]), (row["cycles"], True))
        self.refused("cosim", "copy.yaml", *sets("kernel.band=1"),
                     says="band: the RTL's bus has 2, 4, 8, 16 or 32 words a beat, not 1")
        self.refused("cosim", "copy.yaml", *sets("kernel.fifo.beat=0"), says="fifo.beat: the RTL's FIFO has 1 beat or more")
        self.write("k.yaml", "name: k\ndesign: copy\nclock_mhz: 100\n")
        block, = self.json_of("synth", "k.yaml", "--block", "fifo")["blocks"]
        self.assertEqual((block["block"], block["synthesised"]["lut"]), ("fifo", block["model"]["lut"]))

    def test_notices_every_fault_in_its_rtl(self) -> None:
        result = self.json_of("cosim", "--mutants", "--design", "copy")
        self.assertEqual([fault["name"] for fault in result["mutants"] if not fault["difference"]], [])
        self.assertGreater(len(result["mutants"]), 5)


class FirstDifference(WeftTest):
    """Faults in exported RTL: where the first difference is, both values, and the transfers before, as text and as fields."""

    def faulty(self, file: str, old: str, new: str, *export: str) -> tuple[Any, str]:
        """The first difference of an export whose file has a fault, and the whole text of the report in one line."""
        self.ok("rtl", "--out", "out", *export)
        self.change(f"out/rtl/{file}", old, new)
        command = ("cosim", "out/config.yaml", "--rtl", "out")
        outcome = self.weft(*command)
        self.assertEqual(outcome.code, 1, outcome.err)
        found = json.loads(self.weft(*command, "--format", "json").out)["convolutions"][0]
        self.assertIs(found["equal"], False)
        difference = found["first_difference"]
        printed = " ".join(outcome.out.split())
        self.assertIn(" ".join(found["difference"].split()), printed)
        before = difference["before"]
        self.assertLessEqual(len(before), 3)
        cycles = [int(each.removeprefix("cycle ").partition(":")[0]) for each in before]
        self.assertEqual(cycles, sorted(set(cycles)))
        self.assertTrue(all(cycle < difference["cycle"] for cycle in cycles), difference)
        for each in (*before, f"cycle {difference['cycle']}: {difference['block']} ({difference['instance']}, {difference['file']}), ",
                     f": model {difference['model']}", f", RTL {difference['rtl']}",
                     ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in difference["place"].items())):
            self.assertIn(each, found["difference"])
        return difference, found["difference"]

    def assert_words(self, difference: Any, text: str) -> int:
        """Both values are those of the words, which are FP32. Returns their distance."""
        words = [int(difference[side], 16) for side in ("model", "rtl")]
        values = [struct.unpack("<f", struct.pack("<I", word))[0] for word in words]
        self.assertEqual([difference["model_value"], difference["rtl_value"]], values)
        ranks = [word if word < 2**31 else 2**31 - word for word in words]
        self.assertEqual(difference["ulps"], abs(ranks[0] - ranks[1]))
        for word, value in zip(words, values):
            self.assertIn(f"{word:08x} ({value:.9g})", text)
        self.assertIn(f", {difference['ulps']} unit", text)
        return difference["ulps"]

    def test_of_rounding_is_some_units_in_the_last_place_of_a_row_of_the_array(self) -> None:
        difference, text = self.faulty("fp32_mul.sv", "fraction[23] && ((|fraction[22:0]) || fraction[24])",
                                       "fraction[23] || ((|fraction[22:0]) && fraction[24])", *SMALL[1:])
        self.assertEqual({key: difference[key] for key in ("block", "instance", "file", "fifo", "signal")},
                         {"block": "array", "instance": "u_array", "file": "out/rtl/array.sv", "fifo": "out_row", "signal": "push"})
        self.assertLess(self.assert_words(difference, text), 1000)
        # Y = 1: a row is a set. OUT has 3 filters of 5 x 4, a set each.
        self.assertEqual(list(difference["place"]), ["a", "n", "group", "set", "row"])
        place = difference["place"]
        self.assertEqual(difference["token"], place["group"] * 20 + place["set"])
        self.assertEqual((place["a"], place["n"], place["row"], difference["lane"]), (0, 0, 0, 0))
        self.assertIn(f"FIFO out_row push {difference['token']} lane 0: ", text)

    def test_is_where_waveforms_open_with_the_models_values_next_to_the_rtls(self) -> None:
        """Cycle k begins at floor(k 10^12 / f) ps: 300 MHz. The words at the marker are those of the report."""
        difference, _ = self.faulty("fp32_mul.sv", "fraction[23] && ((|fraction[22:0]) || fraction[24])",
                                    "fraction[23] || ((|fraction[22:0]) && fraction[24])", *SMALL[1:],
                                    "--set", "kernel.clock_mhz=300")
        self.weft("cosim", "out/config.yaml", "--rtl", "out", "--waves", "d.fst", "--waves-cycles", "100")
        start = [cycle * 10000 // 3 for cycle in range(difference["cycle"] + 200)]
        marker = start[difference["cycle"]]
        head, times, _, _, view, tree, *lines = self.text("d.gtkw").splitlines()
        self.assertEqual(head, '[dumpfile] "d.fst"')
        self.assertEqual(times, f"[timestart] {start[difference['cycle'] - 60]}")
        self.assertEqual(view.split()[1], str(marker))
        self.assertTrue(tree.endswith("fpgpt.u_kernel.u_array."), tree)
        self.assertIn(f"-DIFFERENCE: FIFO out_row push {difference['token']}", lines)
        found = json.loads(run(os.environ["WEFT_BUILD_DIR"] + "/tests/support/fst_signals", "d.fst", folder=self.folder).out)
        signals = {name.replace(" [", "["): signal["changes"] for name, signal in found["signals"].items()}
        shown = [line for line in lines if line[0] not in "@-"]
        self.assertEqual([name for name in shown if name not in signals], [])
        self.assertGreater(len(shown), 60)

        def value(end: str, time: int) -> int:
            (name,) = (name for name in shown if name.partition("[")[0].endswith(end))
            return int([value for at, value in signals[name] if at <= time][-1], 2)

        # The FIFO of the difference is the first, and each of its signals is followed by the model's.
        self.assertEqual([name.partition("u_kernel.")[2].partition("[")[0] for name in shown[:7]],
                         ["u_model.cycle", "u_out_row.push_i", "u_model.out_row_push", "u_out_row.pop_i", "u_model.out_row_pop",
                          "u_out_row.data_i", "u_model.out_row_data"])
        self.assertEqual([time for time, _ in signals[shown[0]]],
                         start[difference["cycle"] - 74:difference["cycle"] + 1])  # the model ends there
        self.assertEqual(value("u_model.cycle", marker), difference["cycle"])
        for end, word in (("u_out_row.data_i", difference["rtl"]), ("u_model.out_row_data", difference["model"])):
            self.assertEqual(value(end, marker) >> 32 * difference["lane"] & 0xFFFFFFFF, int(word, 16), end)
        self.assertEqual((value("u_out_row.push_i", marker), value("u_model.out_row_push", marker)), (1, 1))
        self.assertEqual((found["timescale"], found["end"]), (-12, start[difference["cycle"] + 26]))

    def test_of_a_column_names_window_channel_and_position(self) -> None:
        difference, text = self.faulty("im2col.sv", "+: WordBits] : '0;", "+: WordBits] : WordBits'(1);", *SMALL[1:])
        self.assertEqual({key: difference[key] for key in ("block", "instance", "file", "fifo")},
                         {"block": "inp_im2col", "instance": "u_im2col", "file": "out/rtl/im2col.sv", "fifo": "inp_column"})
        # The first output reads padding at the first position of the window.
        self.assertEqual((difference["model"], difference["rtl"], difference["token"]), ("00000000", "00000001", 0))
        self.assertEqual(self.assert_words(difference, text), 1)
        self.assertIn(", 1 unit in the last place apart; a 0, n 0, ", text)
        self.assertEqual(difference["place"], {"a": 0, "n": 0, "group": 0, "set": 0, "channel": 0, "window_row": 0,
                                               "window_column": 0})
        self.assertEqual(difference["before"], [])
        self.assertTrue(text.endswith("; no transfer before"), text)

    def test_of_an_axi_port_names_the_port_and_the_place_of_the_beat(self) -> None:
        """OUT of 3 x 20 words ends in the middle of a beat of eight."""
        difference, text = self.faulty("run_writer.sv", "32'(i) < 32'(lane_q) + beat_words", "32'(i) < 32'(lane_q) + beat_words + 32'd1",
                                       *SMALL[1:], "--set", "kernel.band=8")
        self.assertEqual({key: difference[key] for key in ("block", "instance", "file", "fifo", "signal", "model", "rtl")},
                         {"block": "out_writer", "instance": "u_out_writer", "file": "out/rtl/run_writer.sv", "fifo": "",
                          "signal": "WSTRB", "model": "no", "rtl": "yes"})
        self.assertNotIn("ulps", difference)
        self.assertEqual((difference["token"], difference["lane"]), (7, 4))
        self.assertIn("AXI WSTRB 7 lane 4: model no, RTL yes; ", text)

    def test_of_fixed_point_is_of_integers(self) -> None:
        difference, text = self.faulty("pe_fxp.sv", "assign sum_o = sum_q;", "assign sum_o = sum_q + 32'd18;", *SMALL[1:],
                                       "--set", "kernel.format=fxp12")
        model, rtl = (int.from_bytes(bytes.fromhex(difference[side]), signed=True) for side in ("model", "rtl"))
        self.assertEqual((difference["model_value"], difference["rtl_value"], difference["ulps"]), (model, rtl, rtl - model))
        self.assertEqual(rtl - model, 18)
        self.assertIn(f"{difference['model']} ({model})", text)

    def test_of_barista_names_the_tile(self) -> None:
        difference, _ = self.faulty("drain.sv", "if (row_q == RowW'(r)) row_data_o", "if (row_q == RowW'(r) && tile_empty_i) row_data_o",
                                    "resnet20-barista", *sets(
            "kernel={tile: {r: 2, c: 2, p: 4}, partial_sums: 2, band: 4}", "batch=1",
            "network={layers: [{name: a, channels: 2, h: 5, w: 4, filters: 3, kernel: 3, pad: 1}]}"))
        self.assertEqual((difference["block"], difference["file"]), ("drain", "out/rtl/drain.sv"))
        self.assertEqual(difference["place"], {"tile_row": 0, "tile_column": 0, "row": 1})  # the first row is right
        self.assertEqual((difference["token"], difference["lane"]), (1, 0))


if __name__ == "__main__":
    unittest.main()
