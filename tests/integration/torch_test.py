"""Training on the simulated card for users: weft card --train, and a user's program with weft::nn::Conv2d."""

from __future__ import annotations

import os
import re
import unittest

from onnx import TensorProto, helper, save

from support import Outcome, WeftTest, sets

TRAIN = ("card", "resnet20-card", "--train")


def losses_of(text: str) -> list[tuple[float, float]]:
    """The loss of each step on the card, and by LibTorch alone."""
    found = re.findall(r"step +\d+ +loss ([0-9.]+) +LibTorch alone ([0-9.]+)", text)
    return [(float(card), float(native)) for card, native in found]


class Training(WeftTest):
    def assert_learnt(self, text: str, steps: int) -> None:
        losses = losses_of(text)
        self.assertEqual(len(losses), steps, text)
        # The two round differently, and the difference grows from step to step, by an amount that depends on the processor.
        for step, (card, native) in enumerate(losses, 1):
            self.assertAlmostEqual(card, native, delta=1e-3 if step <= 10 else 4e-3, msg=f"step {step}")
        # Losses depend on the batch, hence means of five.
        self.assertLess(sum(card for card, _ in losses[-5:]), sum(card for card, _ in losses[:5]), text)

    def assert_takes_the_time_of_the_timeline(self, text: str) -> None:
        """A line of the table ends with a difference of zero."""
        for part in ("to the card", "to the host", "kernels", "reconfiguration"):
            line = re.search(f"^{part}  .* ms.*$", text, re.M)
            self.assertTrue(line and line[0].endswith(" 0"), part + "\n" + text)
        self.assertIn("are equal to the picosecond", text)

    def grouped_network(self) -> str:
        """Writes a network for 12x12 images of 10 classes with convolutions of one group, of two, of one per channel, and of
        1x1: 12 launches of F."""
        shapes = {"u": [8, 3, 3, 3], "v": [8, 4, 3, 3], "w": [8, 1, 3, 3], "z": [10, 8, 1, 1]}
        node, pads = helper.make_node, [1, 1, 1, 1]
        nodes = [node("Conv", ["x", "u"], ["a"], "n0", pads=pads), node("Relu", ["a"], ["b"], "n1"),
                 node("Conv", ["b", "v"], ["c"], "n2", pads=pads, group=2, strides=[2, 2]), node("Relu", ["c"], ["d"], "n3"),
                 node("Conv", ["d", "w"], ["e"], "n4", pads=pads, group=8), node("Relu", ["e"], ["f"], "n5"),
                 node("Conv", ["f", "z"], ["h"], "n6"), node("GlobalAveragePool", ["h"], ["i"], "n7"),
                 node("Flatten", ["i"], ["y"], "n8")]
        inputs, output = ([helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in each.items()]
                          for each in ({"x": [1, 3, 12, 12], **shapes}, {"y": [1, 10]}))
        model = helper.make_model(helper.make_graph(nodes, "g", inputs, output), opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 7
        path = str(self.folder / "grouped.onnx")
        save(model, path)
        return path

    def test_resnet20_learns_on_the_card_as_without_it(self) -> None:
        out = self.ok(*TRAIN, "resnet20", "--steps", "20", "--compare").out
        self.assert_learnt(out, 20)
        self.assert_takes_the_time_of_the_timeline(out)

    def test_alexnet_learns_on_kernels_that_take_turns(self) -> None:
        """One kernel per variant: the card is reloaded repeatedly, which the timeline counts too."""
        training = self.ok(*TRAIN, "alexnet_cifar10", "--steps", "12", "--batch", "4", "--rate", "0.01", "--compare",
                           "--set", "kernel.variant=auto")
        self.assert_learnt(training.out, 12)
        self.assert_takes_the_time_of_the_timeline(training.out)
        self.assertIn("96 reconfigurations", training.err)  # 8 per step

    def test_takes_the_time_of_the_timeline_on_a_kernel_for_each_convolution(self) -> None:
        """Sizes `auto`: each convolution has its own kernel, and the card is loaded before each."""
        self.assert_takes_the_time_of_the_timeline(
            self.ok("card", "resnet20-u250", "--train", "alexnet_cifar10", "--steps", "2", "--batch", "2").out)

    def test_of_a_grouped_network_takes_the_time_of_the_timeline(self) -> None:
        """Convolutions of groups: the launches after the first are queued, and the time is the timeline's plus the four
        additional registers that XRT writes (docs/how-to/torch.md)."""
        network = self.grouped_network()
        for kernel in ((), sets("kernel.variant=auto")):
            out = self.ok(*TRAIN, network, "--steps", "3", "--batch", "2", "--compare", *kernel).out
            self.assert_takes_the_time_of_the_timeline(out)
            # 35 launches per step: F 1 + 2 + 8 + 1, GI without the first layer's 1, GW as F. A register takes 0.1 us.
            self.assertRegex(out, r"launches +35 +\S+ ms +35 +\S+ ms +0\.014000000 ms")
            self.assertIn("XRT wrote 1,225 registers, the timeline counts 1,085", out)

    def test_in_fixed_point_equals_plain_cpp_to_the_last_bit(self) -> None:
        """Fixed point: each OUT is compared with plain C++, groups begin with their own first word, and the time is that of
        the timeline of the format. XRT writes 4 registers more than the 33 of a launch."""
        network = self.grouped_network()
        # 4 convolutions: 11 launches per step. OUT of F: 2 x (8 x 12 x 12 + (8 + 8 + 10) x 6 x 6) words, of GI 2 x (8 x 12
        # x 12 + (8 + 8) x 6 x 6), of GW 216 + 288 + 72 + 80.
        words = 3 * (2 * (1152 + 936) + 2 * (1152 + 576) + 656)
        for numbers in (sets("kernel.format=fxp8"), sets("kernel.format=fxp12"),
                        [*sets("kernel.format=fxp12", "kernel.packing=padded"), "--check", "20"]):
            out = self.ok(*TRAIN, network, "--steps", "3", "--batch", "2", "--emulate", *numbers).out
            self.assertIn(f"33 convolutions in fixed point, each of their {words} words of OUT equal", out)
            self.assert_takes_the_time_of_the_timeline(out)
            self.assertIn("XRT wrote 1,295 registers, the timeline counts 1,155", out)

    def test_of_resnet20_in_8_bits_falls_and_equals_plain_cpp(self) -> None:
        out = self.ok(*TRAIN, "resnet20", "--steps", "10", "--batch", "4", "--rate", "0.01", "--emulate",
                      "--set", "kernel.format=fxp8").out
        self.assertIn("620 convolutions in fixed point", out)  # 62 per step
        losses = [float(loss) for loss in re.findall(r"step +\d+ +loss ([0-9.]+)", out)]
        self.assertEqual(len(losses), 10)
        self.assertLess(sum(losses[7:]), sum(losses[:3]), out)

    def test_live_under_gm_is_replayed_from_its_traces(self) -> None:
        """Live under MuPPET and GM, then replayed from its own traces: equal formats and loads in each epoch."""
        network = self.grouped_network()
        self.write("live.yaml", """
run: resnet20-card
set: {batch: 2, dataset_images: 4, rung: exact}
policy: gm
diversities: traces/diversities.csv
errors: traces/errors.csv
muppet: {levels: [fxp8, fxp12, fp32], resolution: 2, alpha: 1, beta: 0, fp32_epochs: 2}
gm: {levels: [fxp6, fxp8, fxp12, fp32], ticks_per_epoch: 2, history: 3, passes: 2, total_percent: 60}
""")
        out = self.ok("card", "live.yaml", "--live", "traces", "--train", network, "--emulate").out
        saved = self.json_of("train", "live.yaml", "--set", "network=" + network, "--no-save")["epochs"]
        line = r"epoch +(\d+) +loss [0-9.]+ +(\w+)(?:, (\d+) of \d+ lower)?.* (\d+) reconfigurations?"
        live = [(int(number), level, int(lower or 0), int(loads)) for number, level, lower, loads in re.findall(line, out)]
        self.assertEqual(live, [(number, epoch["level"], epoch["stretches"][-1]["lowered"], epoch["loads"])
                                for number, epoch in enumerate(saved)], out)
        self.assertGreater(sum(lower for _, _, lower, _ in live), 0, out)
        # The same hours on the card: measured in its simulated time, and replayed.
        found = re.search(r"hours +([0-9.e+-]+) on the card; ([0-9.e+-]+) by weft train with these traces", out)
        assert found, out
        measured, replayed = map(float, found.groups())
        self.assertAlmostEqual(replayed / measured, 1, delta=1e-3, msg=out)
        card = self.json_of("train", "live.yaml", "--set", "network=" + network, "--no-save")["card_hours"]
        self.assertAlmostEqual(card / replayed, 1, delta=1e-5)

    def test_says_what_is_wrong(self) -> None:
        for why, *options in (("--steps needs --train or --live", "--steps", "2"),
                              ("resnet21", "--train", "resnet21"),
                              ("--steps: must be a whole number", "--train", "resnet20", "--steps", "0"),
                              ("rate", "--train", "resnet20", "--rate", "fast"),
                              ("data_batch_1.bin", "--train", "resnet20", "--data", "."),
                              ("--train and --live run no other program", "--train", "resnet20", "--", "true"),
                              ("--emulate needs --train or --live", "--emulate"),
                              ("--steps cannot be used with --live: the policy ends the training",
                               "--live", "t", "--steps", "2"),
                              ("resnet20-card", "--live", "t")):
            outcome = self.weft("card", "resnet20-card", *options)  # the card reports its time as at any end
            self.assertEqual(outcome.code, 2, outcome.err)
            self.assertIn(why, outcome.err)


class Example(WeftTest):
    """The example as described in its first lines, on its own images and on files in CIFAR-10's binary format."""

    def make_kernels(self, folder: str, network: str) -> None:
        """Makes kernels for a network's convolutions."""
        self.ok("card", "resnet20-card", "--set", "network=" + network, "--xclbin", folder + "/")

    @staticmethod
    def cifar10(images: int) -> bytes:
        """The brightness of an image depends on its class."""
        return b"".join(bytes([i % 10, *((20 * (i % 10) + 10 * (pixel // 1024) + (pixel * 7 + i * 13) % 40) % 256
                                         for pixel in range(3072))]) for i in range(images))

    def write_batch(self, number: int, content: bytes) -> None:
        self.write(f"cifar/data_batch_{number}.bin", "").write_bytes(content)

    def example(self, *arguments: str) -> Outcome:
        return self.weft("card", "resnet20-card", "--", os.environ["WEFT_BUILD_DIR"] + "/torch/cifar10-example", *arguments)

    def test_trains_both_networks_on_synthetic_images_and_on_cifar10(self) -> None:
        self.write_batch(1, self.cifar10(30))
        self.write_batch(5, self.cifar10(20))
        for name, network in (("resnet20", "resnet20"), ("alexnet", "alexnet_cifar10")):
            self.make_kernels(name, network)
            for images in ([], ["cifar"]):
                outcome = self.example(name, name, "2", *images)
                self.assertEqual(outcome.code, 0, outcome.err + outcome.out)  # losses and gradients are near
                self.assertEqual(len(losses_of(outcome.out)), 2, outcome.out)
                self.assertIn("gradients within", outcome.out)

    def test_says_what_is_wrong_in_one_line(self) -> None:
        self.make_kernels("kernels", "resnet20")
        (self.folder / "cifar").mkdir()

        def refused(why: str, *words: str) -> None:
            outcome = self.example(*words)
            self.assertEqual(outcome.code, 2, outcome.out)
            self.assertTrue(outcome.err.startswith("cifar10-example: error: "), outcome.err)
            self.assertIn(why, outcome.err)
            self.assertEqual(outcome.err.count("\n"), 2, outcome.err)  # in addition to the line of the card run

        data = ("kernels", "resnet20", "1", "cifar")
        refused("'cifar' holds none of CIFAR-10's files", *data)
        self.write_batch(1, self.cifar10(2)[:4000])
        refused("data_batch_1.bin: has 4000 bytes, not a multiple of 3073", *data)
        self.write_batch(1, self.cifar10(1) + b"\x0a" + self.cifar10(2)[3074:])
        refused("data_batch_1.bin: image 1 is of class 10; CIFAR-10 has 0 to 9", *data)
        refused("the networks are resnet20 and alexnet, not 'lenet'", "kernels", "lenet", "1")
        refused("STEPS must be a whole number from 1 on, not 'many'", "kernels", "resnet20", "many")
        refused("no-kernels", "no-kernels", "resnet20", "1")


if __name__ == "__main__":
    unittest.main()
