"""kernel.split_by: filters. Convolutions in parts of their filters: weft run on all rungs, timeline, dse, and what cannot be split."""

from __future__ import annotations

import unittest
from typing import Any

from support import WeftTest, sets

# Maps of 16 x 8, 40 channels, 40 filters of 4 x 4: parts of two Y-groups of 8 begin at a page in each tensor, so that a
# part on its own reads and writes the same bursts. 10240 words of KERN hold two Y-groups of F and GI, 8 * 640 words each;
# 2048 words of the range of GW, 128 for each filter, 16 filters.
LAYER = "{{name: a, channels: {}, h: 16, w: 8, filters: {}, kernel: 4, pad: [1, 1, 2, 2]}}"
SIZES = sets("kernel.kern_words=10240", "kernel.k_range=2048", "kernel.out_words=10240")
IDEAL = sets("memory={kind: ideal, latency_cycles: 20}")
FILTERS = ("--set", "kernel.split_by=filters")


class Split(WeftTest):
    def rows(self, channels: int, filters: int, *more: str) -> Any:
        return self.json_of("run", "resnet20-u250", "--no-save", *sets(
            f"network={{layers: [{LAYER.format(channels, filters)}]}}", "kernel=fpgpt-8x8-hls", "gi_first=true", "batch=2"),
            *SIZES, *more)["convolutions"]

    def assert_sum(self, whole: Any, parts: list[Any]) -> None:
        """Every count of the convolution is the sum over its parts, each simulated as a convolution of its own."""
        self.assertEqual((whole["parts"], whole["launches"]), (len(parts), len(parts)))
        self.assertEqual(whole["kernel"], parts[0]["kernel"])
        for key in ("cycles", "analytical_cycles", "macs", "drain_cycles"):
            self.assertEqual(whole.get(key, 0), sum(part.get(key, 0) for part in parts), key)
        for key in ("blocks", "memory", "pe_cycles"):
            self.assertEqual(key in whole, key in parts[0], key)
            for name, counts in whole.get(key, {}).items():
                if isinstance(counts, dict):
                    for what, count in counts.items():
                        self.assertEqual(count, sum(part[key][name][what] for part in parts), (key, name, what))
                else:
                    self.assertEqual(counts, None if counts is None else sum(part[key][name] for part in parts), (key, name))

    def test_a_convolution_in_parts_is_the_sum_of_its_parts(self) -> None:
        """F and GW are split along the 40 filters, GI along the 40 channels: 16, 16 and 8."""
        for rung in ("analytical", "systemc", "exact"):
            how = ("--rung", rung, *IDEAL)
            f, gi, gw = self.rows(40, 40, *how, *FILTERS)
            f_parts, gi_parts, gw_parts = [], [], []
            for count in (16, 16, 8):
                f_parts += self.rows(40, count, *how, "--only", "a:F")
                gi_parts += self.rows(count, 40, *how, "--only", "a:GI")
                gw_parts += self.rows(40, count, *how, "--only", "a:GW")
            for whole, parts in ((f, f_parts), (gi, gi_parts), (gw, gw_parts)):
                self.assert_sum(whole, parts)
                if rung != "analytical":
                    self.assertEqual(whole["launch_cycles"],
                                     [part["cycles"] + part.get("drain_cycles", 0) for part in parts])

    def test_takes_the_fewest_parts(self) -> None:
        """Two parts would have three Y-groups: 24 filters, for which the sizes do not suffice."""
        refused = self.refused("run", "resnet20-u250", "--no-save", "--rung", "analytical", *sets(
            f"network={{layers: [{LAYER.format(40, 24)}]}}", "kernel=fpgpt-8x8-hls"), *SIZES)
        self.assertIn("layer 'a', F: kernel.kern_words: this F convolution needs 15360 words, but the kernel was compiled "
                      "for at most 10240; kernel.split_by: filters runs it in parts that fit", refused)
        self.assertNotIn("parts", self.rows(16, 16, "--rung", "analytical", *FILTERS)[0])

    def test_both_simulated_rungs_and_data_agree_with_a_dram(self) -> None:
        for more in ((), sets("kernel.format=fxp12"), sets("kernel.profile=rtl")):
            systemc, exact = (self.rows(40, 40, "--rung", rung, *FILTERS, *more) for rung in ("systemc", "exact"))
            self.assertEqual([row["parts"] for row in exact], [3, 3, 3])
            self.assert_same(systemc, exact, ("cycles", "limiter", "blocks", "memory", "pe_cycles", "launch_cycles"))
        for more in ((), sets("kernel.format=fxp8")):
            data = self.rows(40, 40, "--rung", "systemc", "--set", "mode=data", *FILTERS, *more)
            for row in data:
                self.assertLess(row["data"]["largest_error"], 1e-6)
                self.assertEqual(row["cycles"], next(each["cycles"] for each in self.rows(
                    40, 40, "--rung", "exact", *FILTERS, *more) if each["kind"] == row["kind"]))

    def test_fits_the_board_in_the_fewest_parts(self) -> None:
        """With fitted sizes, the blocks of the board count. KERN of F of VGG's last layer, 512 filters of 512 x 3 x 3 words
        on 16 rows: a Y-group takes 9 blocks of 512 words in each of 16 partitions, 32 Y-groups 4608 blocks."""
        layer = "network={layers: [{name: a, channels: 512, h: 14, w: 14, filters: 512, kernel: 3, pad: 1}]}"

        def run(*more: str) -> Any:
            return self.json_of("run", "googlenet-u250", "--rung", "analytical", "--no-save", "--only", "a:F",
                                *sets(layer, "batch=1", *more))["convolutions"][0]

        whole = run()
        self.assertEqual(whole["resources"]["bram18"]["fits"], False)
        other = whole["resources"]["bram18"]["used"] - 4608
        split = run("kernel.split_by=filters")
        available = whole["resources"]["bram18"]["available"]
        groups = (available - other) // 144
        self.assertEqual(split["parts"], -(-32 // groups))
        self.assertEqual(split["resources"]["bram18"]["used"], other + 144 * -(-32 // split["parts"]))
        self.assertEqual(split["kernel"]["kern_words"], 16 * 4608 * -(-32 // split["parts"]))
        self.assertEqual(split["cycles"], whole["cycles"])  # INP, which limits it, is read for every Y-group
        self.assertEqual((split["macs"], split["bytes_to_card"], split["bytes_to_host"]),
                         (whole["macs"], whole["bytes_to_card"], whole["bytes_to_host"]))

    def test_says_what_cannot_be_split(self) -> None:
        refused = self.refused("run", "resnet20-u250", "--no-save", "--rung", "analytical", *sets(
            f"network={{layers: [{LAYER.format(40, 40)}]}}", "kernel=fpgpt-8x8-hls", "kernel.kern_words=5119"), *FILTERS)
        self.assertIn("layer 'a', F: kernel.split_by: a launch of one Y-group, 8 of 40 KERN tensors, does not fit: "
                      "kernel.kern_words: this F convolution needs 5120 words, but the kernel was compiled for at most 5119",
                      refused)
        refused = self.refused("run", "resnet20-u250", "--no-save", "--rung", "analytical", *sets(
            f"network={{layers: [{LAYER.format(40, 40)}]}}", "kernel=fpgpt-8x8-hls", "kernel.z=1"), *FILTERS)
        self.assertIn("kernel.z: this F convolution needs", refused)
        # KERN of GW takes 2 * Y * Y partitions whatever the filters.
        result = self.json_of("run", "googlenet-u250", "--rung", "analytical", "--no-save", "--only", "conv1.conv:GW", *FILTERS)
        self.assertNotIn("parts", result["convolutions"][0])
        self.assertIn("kernel.split_by: the board does not hold one Y-group of KERN of conv1.conv:GW: no number of parts fits",
                      result["remarks"])

    def test_a_timeline_pays_every_launch_and_the_order_of_kern(self) -> None:
        def timeline(*more: str) -> Any:
            return self.json_of("timeline", "resnet20-u250", "--rung", "analytical", *sets(
                "batch=4", "schedule.transfers=keep_weights", "schedule.load=region", "kernel=fpgpt-8x8-hls", *more))

        def of(result: Any, activity: str) -> list[Any]:
            return [step for step in result["steps"] if step["activity"] == activity]

        whole = timeline()
        split = timeline("kernel.kern_words=20000", "kernel.split_by=filters")
        run = self.json_of("run", "resnet20-u250", "--rung", "analytical", "--no-save", *sets(
            "batch=4", "kernel=fpgpt-8x8-hls", "kernel.kern_words=20000", "kernel.split_by=filters"))["convolutions"]
        launches = sum(row["launches"] for row in run)
        self.assertGreater(launches, len(run))
        self.assertEqual(split["launches"], launches)
        self.assertEqual(len(of(split, "kernel")), launches)
        self.assertEqual(len(of(whole, "kernel")), len(run))
        in_parts = [row for row in run if row["kind"] == "GI" and "parts" in row]
        self.assertTrue(in_parts)
        # F kept the weights on the card; GI in parts needs them in another order, which the host writes and sends.
        words = [row["shape"]["channels"] * row["shape"]["filters"] * 9 for row in in_parts]
        self.assertEqual(sorted(step["bytes"] for step in of(split, "tiling")), sorted(4 * count for count in words))
        self.assertEqual(split["bytes_to_card"], whole["bytes_to_card"] + 4 * sum(words))
        self.assertEqual(split["bytes_to_host"], whole["bytes_to_host"])
        # configs/hosts/xeon-bronze-3104.yaml: operators.copy, 10 us and 0.6 of 102.4 GB/s, for a read and a write.
        for step in of(split, "tiling"):
            self.assertAlmostEqual((step["end_ps"] - step["start_ps"]) / 1e6, 10 + 2 * step["bytes"] / 61440, 5)
        self.assertEqual(of(whole, "tiling"), [])

    def test_an_exploration_chooses_kernels_for_parts(self) -> None:
        """features.28 of VGG-16: no kernel of the budget without URAM holds it whole."""
        def dse(*more: str) -> Any:
            return self.json_of("dse", "alexnet", "--no-save", "--only", "features.0*,features.28", *sets(
                "network=vgg16", "dse.penalties_percent=[0]", "dse.budget.uram=0", *more))

        whole = dse("dse.sharing.minimum=false")
        self.assertEqual((whole["optimal"]["misfits"], len(whole["convolutions"])), (3, 5))
        self.assertNotIn("split", whole)
        split = self.ok("dse", "alexnet", "--out", "found", "--only", "features.28", "--format", "csv", *sets(
            "network=vgg16", "dse.penalties_percent=[0]", "dse.budget.uram=0", "kernel.split_by=filters")).out
        self.assertIn(",parts,", split)
        result = self.result("found")
        self.assertEqual((result["optimal"]["misfits"], result["split"]), (0, "filters"))
        for each in result["convolutions"]:
            best = each["optimal"]
            self.assertGreater(best["parts"], 1)
            self.assertLessEqual(best["resources"]["bram18"], 1344)
            name = f"features.28:{each['kind']}"
            self.write("k.yaml", self.ok("show", "found", "--convolution", name, "--yaml").out)
            row, = self.json_of("run", "googlenet-u250", "--no-save", "--rung", "analytical", "--only", name, *sets(
                "network=vgg16", "batch=256", "kernel=k.yaml"))["convolutions"]
            self.assertEqual((row["cycles"], row["parts"], row["limiter"]), (best["cycles"], best["parts"], best["limiter"]))
        sharing, = result["sharing"]
        for which in ("heuristic", "minimum"):
            self.assertEqual(sharing[which]["cycles"], result["optimal"]["cycles"], which)
        self.refused("dse", "alexnet", "--no-save", *sets("kernel.split_by=filters", "readings.out_storage=tensor"),
                     says="readings.out_storage: must be group with kernel.split_by: filters")


if __name__ == "__main__":
    unittest.main()
