"""weft train from the command line to its result."""

from __future__ import annotations

import unittest
from typing import Any

from support import WeftTest, sets

RUN = "run: resnet20-u250\nset: {batch: 128, rung: analytical}\n"
FP32 = f"{RUN}policy: muppet\nmuppet: {{levels: [fp32]}}\n"


class Train(WeftTest):
    def train(self, file: str, *more: str) -> Any:
        """The result of a training that `file` describes."""
        self.write("t.yaml", file)
        return self.json_of("train", "--no-save", "t.yaml", *more)

    def cycles(self, *assignments: str) -> int:
        """The cycles of the convolutions of an iteration, as weft run counts them."""
        run = self.json_of("run", "resnet20-u250", "--rung", "analytical", "--no-save", *sets("batch=128", *assignments))
        return run["totals"]["network"]["cycles"]

    def test_takes_the_iteration_of_the_timeline(self) -> None:
        """With FP32 alone only the timeline counts: 45 epochs of ceil(50000 / 128) = 391 iterations, each as in weft
        timeline, and 150 such epochs take 150 / 45 times the hours."""
        saved = self.train(FP32)
        iteration = self.json_of("timeline", "resnet20-u250", "--rung", "analytical", "--set", "batch=128")
        setup, = saved["setups"]
        self.assertEqual(setup["iteration_seconds"], iteration["iteration_seconds"])
        self.assertEqual(setup["loads"], iteration["loads"]["count"])
        self.assertEqual((len(saved["epochs"]), saved["iterations_per_epoch"]), (45, 391))
        self.assertAlmostEqual(saved["hours"], 45 * 391 * iteration["iteration_seconds"] / 3600, delta=1e-6)
        self.assertAlmostEqual(saved["speedup"], 150 / 45, delta=1e-9)

    def test_takes_any_hours_of_imagenet(self) -> None:
        """45 epochs of ceil(1281167 / 128) = 10010 iterations exceed the 2562 hours that 64 bits of picoseconds hold."""
        for network in ("googlenet", "alexnet"):
            saved = self.train(FP32.replace("resnet20", network) + "time: convolutions\n")
            hours = 45 * 10010 * saved["setups"][0]["convolutions_seconds"] / 3600
            self.assertGreater(hours, 2563, network)
            for found, wanted in ((saved["hours"], hours), (saved["fp32_alone"]["hours"], 150 / 45 * hours),
                                  (sum(epoch["hours"] for epoch in saved["epochs"]), hours)):
                self.assertAlmostEqual(found, wanted, delta=1e-6 * hours, msg=network)

    def test_refuses_more_iterations_than_can_be_counted(self) -> None:
        """2^62 images at batch 1: two epochs are 2^63 iterations."""
        def file(images: int) -> str:
            return (f"run: resnet20-card\nset: {{batch: 1, rung: analytical, dataset_images: {images}}}\npolicy: muppet\n"
                    "muppet: {levels: [fp32], fp32_epochs: 2}\nfp32_alone_epochs: 1\ntime: convolutions\n")

        saved = self.train(file(2**62 - 1))
        seconds = saved["setups"][0]["convolutions_seconds"]
        self.assertAlmostEqual(saved["hours"] / (2**63 * seconds / 3600), 1, delta=1e-6)
        self.write("t.yaml", file(2**62))
        self.refused("train", "t.yaml", "--no-save", says="the iterations of all epochs exceed 2^63 - 1")

    def test_takes_the_cycles_of_the_run(self) -> None:
        """Convolutions alone: the cycles of weft run at its clock."""
        saved, cycles = self.train(FP32, "--set", "train.time=convolutions"), self.cycles()
        self.assertEqual(saved["setups"][0]["cycles"], cycles)
        self.assertAlmostEqual(saved["hours"], 45 * 391 * cycles / 100e6 / 3600, delta=1e-6)

    def test_adds_up_the_epochs_of_each_level(self) -> None:
        """Earliest switches: 9 epochs in each of four levels, 45 in FP32, of 391 iterations each."""
        saved = self.train(f"{RUN}policy: muppet\nswitch_epochs: [9, 18, 27, 36]\ntime: convolutions\n")
        seconds = 0.0
        for level in saved["levels"]:
            each = level["convolutions_seconds"]
            seconds += (45 if level["level"] == "fp32" else 9) * 391 * each
            self.assertAlmostEqual(each, self.cycles(f"kernel.format={level['level']}") / 100e6, delta=1e-9)
        self.assertAlmostEqual(saved["hours"], seconds / 3600, delta=1e-6)
        self.assertEqual((len(saved["setups"]), len(saved["epochs"])), (5, 81))

    def test_takes_the_timeline_of_the_format(self) -> None:
        """In fixed point a timeline contains the host's quantisation; the card reads a quarter of the bytes and writes as
        many."""
        saved = self.train("run: resnet20-card\nset: {batch: 128, rung: analytical}\npolicy: muppet\nswitch_epochs: [9]\n"
                           "muppet: {levels: [fxp8, fp32]}\n")
        fp32, fxp8 = (self.json_of("timeline", "resnet20-card", "--rung", "analytical", "--no-save",
                                   *sets("batch=128", f"kernel.format={form}")) for form in ("fp32", "fxp8"))
        first, second = saved["setups"]
        self.assertEqual(first["iteration_seconds"], fp32["iteration_seconds"])
        self.assertEqual(second["iteration_seconds"], fxp8["iteration_seconds"])
        self.assertGreater(fxp8["where_ps"]["quantise"], 0)
        self.assertGreater(fxp8["where_ps"]["dequantise"], 0)
        self.assertNotIn("quantise", fp32["where_ps"])
        self.assertAlmostEqual(fxp8["bytes_to_card"] / fp32["bytes_to_card"], 0.25, delta=0.001)
        self.assertEqual(fxp8["bytes_to_host"], fp32["bytes_to_host"])
        # One kernel: an iteration loads nothing, but each of the two formats is loaded once.
        self.assertEqual((second["loads"], saved["loads"]), (0, 2))
        iterations = 391 * (9 * fxp8["iteration_seconds"] + 45 * fp32["iteration_seconds"])
        self.assertAlmostEqual(saved["hours"] * 3600, iterations + 2 * first["load_seconds"], delta=1e-3)

    def test_replays_gm_from_a_trace_of_errors(self) -> None:
        """Differences of 0.01 pass: at the third tick, that of epoch 2, GM lowers all that it may from 12 to 8 bits, and
        in epoch 4 all follow MuPPET to FP32."""
        names = [each["convolution"] for each in self.train(FP32)["convolutions"]]
        epochs = ["".join(f"{epoch},0,{name},fxp8,0.02\n{epoch},0,{name},fxp12,0.01\n" for name in names)
                  for epoch in range(3)]
        head = "epoch,tick,convolution,level,rae\n"
        self.write("e.csv", head + "".join(epochs))
        saved = self.train(f"{RUN}policy: gm\nswitch_epochs: [4]\nerrors: e.csv\ntime: convolutions\n"
                           "muppet: {levels: [fxp12, fp32], fp32_epochs: 2}\ngm: {levels: [fxp8, fxp12, fp32]}\n")
        accelerated = len(saved["accelerated"])
        self.assertGreater(accelerated, 0)
        self.assertEqual([epoch["stretches"][0]["lowered"] for epoch in saved["epochs"]], [0, 0, 0, accelerated, 0, 0])
        self.write("e.csv", head + "".join(epochs[:2]))
        self.refused("train", "t.yaml", "--no-save", says="in epoch 2, tick 0, but GM needs one")

    def test_computes_all_weights_before_it_prunes_and_the_masks_from_then_on(self) -> None:
        file = ("run: vgg11-deephi\nset: {rung: analytical}\npolicy: pruning\npruning: {epochs: 5, dense_epochs: 2}\n"
                "time: convolutions\n")
        saved = self.train(file)
        dense, pruned = (self.json_of("run", "vgg11-deephi", "--rung", "analytical", "--no-save", *more)["totals"]["network"]
                         for more in (["--set", "sparsity={density: 1}"], []))
        self.assertEqual([epoch["level"] for epoch in saved["epochs"]], ["dense"] * 2 + ["pruned"] * 3)
        self.assertEqual([(setup["cycles"], setup["macs"]) for setup in saved["setups"]],
                         [(each["cycles"], each["macs"]) for each in (dense, pruned)])
        self.assertLess(pruned["macs"], dense["macs"] / 2)
        hours = 1563 / 250e6 / 3600
        self.assertAlmostEqual(saved["hours"], (2 * dense["cycles"] + 3 * pruned["cycles"]) * hours, delta=1e-9)
        self.assertAlmostEqual(saved["fp32_alone"]["hours"], 5 * dense["cycles"] * hours, delta=1e-9)
        self.assertEqual(saved["loads"], 1)  # dense and pruned epochs have one bitstream
        for change, says in (("dense_epochs: 5", "t.yaml:4: pruning.dense_epochs: must be less than epochs (5), but is 5"),
                             ("dense_epochs: 2}\nswitch_epochs: [1", "switch_epochs: is not for policy pruning; remove it")):
            self.write("t.yaml", file.replace("dense_epochs: 2", change).replace("[1}", "[1]"))
            self.refused("train", "t.yaml", "--no-save", says=says)
        self.write("t.yaml", file.replace("vgg11-deephi", "resnet20-u250"))
        self.refused("train", "t.yaml", "--no-save", says="t.yaml:3: policy: pruning needs a run with sparsity")
        self.write("t.yaml", file.replace("policy: pruning", "policy: muppet"))
        self.refused("train", "t.yaml", "--no-save", says="pruning: is for policy pruning only")

    def test_names_switches_that_muppet_cannot_make(self) -> None:
        """It looks every 3 epochs; the first diversity of a level is the largest, the next two can be violations: 9 epochs."""
        levels = "levels: [fxp8, fxp12, fp32]"
        for switches, unreachable in (([9, 18], []), ([8, 18], [8]), ([9, 19], [19]), ([9, 15], [15]), ([12, 24], [])):
            saved = self.train(f"{RUN}policy: muppet\nmuppet: {{{levels}}}\nswitch_epochs: {switches}\ntime: convolutions\n")
            self.assertEqual(saved["unreachable_switches"], unreachable, switches)

    def test_shows_what_it_saved_and_reads_its_own_configuration(self) -> None:
        self.write("t.yaml", FP32)
        text, shown = self.ok("train", "t.yaml", "--out", "r").out, self.ok("show", "./r").out
        self.assertTrue(shown)
        self.assertEqual(text[:len(shown)], shown)
        for form in ("json", "csv"):
            self.assertEqual(self.ok("show", "./r", "--format", form).out,
                             self.ok("train", "t.yaml", "--no-save", "--format", form).out)
        self.assertEqual(self.ok("train", "r/config.yaml", "--no-save").out, shown)
        self.ok("report", "./r")
        self.write("r/config.yaml", "none: 1\n")  # a saved result is complete
        self.assertEqual(self.ok("show", "./r").out, shown)
        self.ok("report", "./r")


if __name__ == "__main__":
    unittest.main()
