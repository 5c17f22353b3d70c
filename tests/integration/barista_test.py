"""Barista through the commands that all designs share."""

from __future__ import annotations

import json
import unittest
from collections import Counter
from typing import Any

from support import WeftTest, sets

# Two kinds of layers that training needs, strided and grouped, with real memory and a batch.
RUN = """
name: two
board: vu9p_f1
kernel: barista-16x16x64
network:
  layers:
    - {name: strided, channels: 5, h: 9, w: 11, filters: 20, kernel: 3, stride: 2, pad: 1}
    - {name: grouped, channels: 8, h: 7, w: 7, filters: 8, groups: 4, kernel: 3}
batch: 3
rung: exact
gi_first: true
"""


class Barista(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("two.yaml", RUN)

    def run_of(self, *arguments: str) -> Any:
        return self.json_of("run", "--no-save", *arguments)

    def rows(self, *arguments: str) -> list[Any]:
        return self.run_of("two.yaml", *arguments)["convolutions"]

    def timeline(self, *assignments: str) -> Any:
        return self.json_of("timeline", "resnet20-barista", "--no-save", *sets(*assignments))

    def test_takes_the_same_on_every_rung_that_simulates_it(self) -> None:
        burst = "{max_burst_beats: 16, outstanding: 1}"
        for assignments in ([], ["kernel.ports.b.channel=1", "kernel.ports.c.channel=2"],
                            ["kernel.band=1", f"kernel.ports={{a: {burst}, b: {burst}}}"], ["mode=data"]):
            self.assert_same(self.rows(*sets(*assignments)), self.rows("--rung", "systemc", *sets(*assignments)))

    def test_a_row_is_as_many_gemms_as_images_and_groups(self) -> None:
        """A row is the sequence of the GEMMs of its images and groups, each from cycle 0."""
        one, three = self.rows("--set", "batch=1"), self.rows()
        for a, b in zip(one, three, strict=True):
            self.assertEqual((b["cycles"], b["macs"]), (3 * a["cycles"], 3 * a["macs"]))
        self.assertEqual([row["launches"] for row in one], [1, 1, 1, 4, 4, 4])
        self.assertEqual([row["launches"] for row in three], [3, 3, 3, 12, 12, 12])

    def test_pe_cycles_add_up(self) -> None:
        """The PE-cycles of a row are Tr * Tc times its cycles, and those of products are its multiply-accumulates."""
        for row in self.rows():
            pe_cycles = row["pe_cycles"]
            self.assertEqual(sum(pe_cycles.values()), 256 * row["cycles"])
            self.assertEqual(pe_cycles["useful"] + pe_cycles["zeros"], row["macs"])

    def test_data_of_rows_is_right_and_the_same_each_time(self) -> None:
        first, again, other = (self.rows("--set", "mode=data", *more)
                               for more in ([], ["--workers", "1"], ["--set", "seed=2"]))
        self.assertEqual(len(first), 6)
        self.assert_same(first, again, ("data",))
        for row in first:
            self.assertLess(row["data"]["largest_error"], 1e-6)
        self.assertNotEqual(first[0]["data"]["out_digest"], other[0]["data"]["out_digest"])

    def test_runs_resnet20(self) -> None:
        """The whole of ResNet-20, from its file: the equations where they apply. GI of layer1 is bound by the mesh and its
        final adds: 215 cycles for each of 9 * 64 tiles of C, for each of 256 images; the simulation adds a little for
        the loads and the tail."""
        _, gi, _ = self.run_of("resnet20-barista", "--only", "layer1.0.conv1")["convolutions"]
        self.assertEqual((gi["kind"], gi["launches"], gi["limiter"]), ("GI", 256, "mesh"))
        self.assertEqual(gi["gamma"]["compute"], 256 * 576 * 215)
        self.assertTrue(256 * 576 * 215 < gi["cycles"] < 256 * 576 * 216, gi["cycles"])

    def test_sweeps_explains_compares_and_reports(self) -> None:
        self.write("sweep.yaml", "name: s\nrun: two.yaml\nspace: {kernel.tile.p: [32, 64], kernel.band: [4, 16]}\n")
        self.ok("sweep", "sweep.yaml")
        self.assertEqual(self.ok("show", "results/s.db", "--format", "csv").out.count("\n"), 5)
        explained = self.ok("explain", "two.yaml", "--set", "batch=1", "--no-save").out
        self.assertIn("larger_c", explained)
        self.assertIn("It is limited by", explained)
        self.ok("run", "two.yaml")
        self.ok("compare", "results/two", "two.yaml", "--format", "json")
        self.ok("report", "results/two")
        self.assertIn("final_add", self.ok("show", "results/two").out)

    def test_is_compared_with_fpgpt_on_the_same_network(self) -> None:
        both = self.json_of("compare", "resnet20-u250", "resnet20-barista")
        self.assertEqual(len(both["convolutions"]), 62)  # each has its partner
        self.assertEqual((both["only_a"], both["only_b"]), ([], []))
        self.assertEqual(both["totals"]["all GI"]["b"]["cycles"], self.run_of("resnet20-barista")["totals"]["GI"]["cycles"])

    def test_fixed_point_is_exact_with_three_dsps_and_two_partial_sums(self) -> None:
        """Section 4.3: S = 1, V = 3 whatever the bits. (S+1)^2 final adds are 4 cycles, not 121; words keep 32 bits."""
        fp32 = self.rows()
        for form in ("fxp8", "fxp16"):
            fixed = self.rows("--set", f"kernel.format={form}", "--set", "mode=data")
            self.assert_same(fixed, self.rows("--rung", "systemc", "--set", f"kernel.format={form}", "--set", "mode=data"))
            self.assertEqual({row["data"]["largest_error"] for row in fixed}, {0})
            if form == "fxp8":  # no sum has 131072 products
                self.assertEqual({row["data"]["overflows"] for row in fixed}, {0})
            self.assertEqual({row["resources"]["dsp"]["used"] for row in fixed}, {768})
            for a, b in zip(fp32, fixed, strict=True):
                tiles = a["pe_cycles"]["final_add"] // 121 // 256
                self.assertEqual(b["pe_cycles"]["final_add"], 4 * 256 * tiles)
                self.assertLess(b["cycles"], a["cycles"])
                self.assertEqual(b["gamma"]["pcie_bits"], a["gamma"]["pcie_bits"])
        overflows = [row["data"]["overflows"] for row in self.rows("--set", "kernel.format=fxp16", "--set", "mode=data")]
        self.assertGreater(sum(overflows), 0)  # sums of more than one product of 2^30
        for command in (["cosim"], ["rtl", "--out", "rtl"]):
            self.refused(*command, "two.yaml", "--only", "strided:F", "--set", "kernel.format=fxp8",
                         says="needs the RTL of Barista, which is FP32, but kernel.format is fxp8; allowed: fp32")
        timeline = self.timeline("network=alexnet_cifar10", "batch=1", "kernel.format=fxp8")
        self.assertGreater(timeline["where_ps"]["quantise"], 0)
        self.assertGreater(timeline["where_ps"]["dequantise"], 0)

    def test_prints_the_published_resources_of_its_own_tile_alone(self) -> None:
        text = self.ok("run", "resnet20-barista", "--rung", "analytical", "--rows", "0", "--no-save").out
        self.assertIn("DSP 18.8 %, 5.02 an element; Eq. 4.10 with V 5: 18.7 %, with V 9: 33.7 %", text)
        self.assertIn("BRAM 14.1 %; Eq. 4.11 bits: 0.2 %, banks: 7.4 %; RTL: 0.0 %", text)
        for other in ("kernel.tile.p=32", "board=u250"):
            more = ["run", "resnet20-barista", "--rung", "analytical", "--rows", "0", "--no-save", "--set", other]
            self.assertNotIn("published  ", self.ok(*more).out)

    def test_explores_tiles_beside_those_of_table_4_1(self) -> None:
        """Table 4.1 from the network itself: the equations for the published tiles, each within 2.5 %."""
        command = ["dse", "barista-alexnet_cifar10", "--no-save", "--format", "json"]
        printed = self.ok(*command).out
        found = json.loads(printed)
        self.assertEqual(len(found["layers"]), 5)
        for layer in found["layers"]:
            published = layer["published"]["published_gops_per_watt"]
            self.assertAlmostEqual(layer["published"]["gops_per_watt"], published, delta=0.025 * published,
                                   msg=layer["layer"])
            self.assertGreaterEqual(layer["optimal"]["gops_per_watt"], layer["published"]["gops_per_watt"])
        mean = found["network_tile"]["highest_mean"]["published"]["gops_per_watt"]
        self.assertAlmostEqual(mean, 0.22, delta=0.005)
        self.assertEqual(self.ok(*command, "--workers", "1").out, printed)
        # Section 4.3.3: 0.24 with conv1 and conv2 on the card, 0.18 on the CPU alone.
        mix = found["network_tile"]["mix"]
        self.assertEqual(mix["on_card"], ["conv1", "conv2"])
        self.assertAlmostEqual(mix["published_tiles_gops_per_watt"], mix["published_gops_per_watt"], delta=0.005)
        self.assertAlmostEqual(mix["cpu_gops_per_watt"], mix["published_cpu_gops_per_watt"], delta=0.005)
        of = {layer["layer"]: layer for layer in found["layers"]}
        best = [max(of[name]["optimal"]["gops_per_watt"], of[name]["cpu_gops_per_watt"]) for name in of]
        self.assertAlmostEqual(mix["optimal_gops_per_watt"], sum(best) / 5, delta=1e-9)

    def test_found_tiles_are_kernels_of_a_timeline(self) -> None:
        """The kernels that an exploration finds can be run: each convolution on its tile, with the equations' cycles."""
        self.ok("dse", "barista-alexnet_cifar10", "--set", "batch=1")
        timeline = self.timeline("network=alexnet_cifar10", "batch=1",
                                 "schedule.kernels={dse: barista-alexnet_cifar10, own: true}")
        self.assertGreater(timeline["kernels"], 1)

    def test_a_timeline_has_the_hosts_work_around_each_launch(self) -> None:
        """layer1.0.conv1 at batch 1, tiles <16, 16, 64>, 3.75 ns per word and 0.5 GB/s of im2col. F is 16 x 144 x 1024: 1,
        64, 3 tiles, A 3, B 192 and C 64 of them; GI 144 x 16 x 1024: 9, 64, 1, A 9, B 64, C 576; GW 16 x 1024 x 144: 1,
        9, 16, A 16, B 144, C 9. Tiles of A and B have 1024 words, those of C 256; the matrix of im2col 144 * 1024."""
        timeline = self.timeline("batch=1")
        word, beat, matrix = 3750, 64, 144 * 1024
        f_c, gi_c, gw_c = 64 * 256, 576 * 256, 9 * 256
        for operator, im2col, tiled, untiled in (
                ("layer1.0.conv1 F", matrix * 4 * 2000, 195 * 1024 + f_c, f_c),
                ("layer1.0.conv1 GI", 0, 73 * 1024 + gi_c, gi_c + matrix),
                ("layer1.0.conv1 GW", matrix * 4 * 2000, 160 * 1024 + gw_c, gw_c)):
            ps: Counter[str] = Counter()
            moved: Counter[str] = Counter()
            steps: Counter[str] = Counter()
            for step in timeline["steps"]:
                if step["operator"] == operator:
                    activity = step["activity"]
                    ps[activity] += step["end_ps"] - step["start_ps"]
                    moved[activity] += step.get("bytes", 0)
                    steps[activity] += 1
            self.assertEqual((ps["im2col"], ps["tiling"], ps["untiling"]), (im2col, tiled * word, untiled * word), operator)
            self.assertEqual((moved["H2C"], moved["C2H"]), (tiled * 4 + beat, tiled * 4 + beat), operator)
            self.assertEqual([steps[each] for each in ("H2C", "C2H", "call", "kernel")], [4, 4, 9, 1])
        # The host serves each image separately, so two images take twice the time of one.
        two = self.timeline("batch=2")
        for part in ("kernels", "precompute", "H2C", "C2H", "calls", "im2col", "tiling", "untiling"):
            self.assertEqual(two["where_ps"][part], 2 * timeline["where_ps"][part], part)

    def test_shows_a_window_of_its_cycles_as_a_trace(self) -> None:
        """The trace is equal on both rungs; it is simulated cycle by cycle."""
        for rung in ("systemc", "exact"):
            of = ["two.yaml", "--only", "strided:F", "--rung", rung]
            self.assertEqual(self.run_of(*of, "--perfetto", rung, "--from", "1000", "--cycles", "900"), self.run_of(*of))
        trace = (self.folder / "systemc").read_bytes()
        self.assertEqual(trace, (self.folder / "exact").read_bytes())
        for word in (b"mesh", b"a_tile", b"strided:F image 1", b"starved"):
            self.assertIn(word, trace)

    def test_synth_says_how_wrong_its_estimate_is(self) -> None:
        errors = self.ok("synth", "--errors", "--design", "barista", "--format", "csv").out
        self.assertRegex(errors, r"\Aset,tile_r,tile_c,tile_p,partial_sums,band,dsp,dsp_model,lut,lut_model,")
        self.assertIn("\ntest,16,16,64,11,16,", errors)
        self.refused("synth", "barista-16x16x64", "--design", "barista", says="a KERNEL has its own")
        self.assertEqual(self.refused("synth", "barista-16x16x64-32bit"),
                         "weft: error: band: the RTL's bus has 4, 8, 16 or 32 words a beat, not 1\n")


if __name__ == "__main__":
    unittest.main()
