"""weft host-profile for users: its measurements, its output, and weft's use of the output. The first test to run compiles
the runner."""

from __future__ import annotations

import re
import unittest
from collections import Counter
from typing import Any

from support import WeftTest, sets


def names_of(operators: list[Any]) -> Counter[str]:
    return Counter(each["operator"] for each in operators if each["class"] not in ("view", "convolution"))


class HostProfile(WeftTest):
    def profile(self, network: str, *more: str) -> Any:
        return self.json_of("host-profile", network, "--repeat", "1", "--threads", "1", *more)

    def assert_shown(self, shown: str, key: str, ns: float) -> None:
        """The host has the measured time, to the picosecond."""
        self.assertGreater(ns, 0, key)
        found = re.search(f"  {key}: (.*)", shown)
        assert found, shown
        self.assertAlmostEqual(float(found[1]), ns, delta=0.00051, msg=key)

    def test_measures_every_host_operator_and_writes_a_host(self) -> None:
        measured = self.profile("resnet20", "--batch", "2", "--out", "mine.yaml")["operators"]
        wanted = names_of(self.json_of("show", "resnet20", "--training", "--batch", "2")["operators"])
        self.assertGreater(wanted.total(), 100)
        self.assertEqual(names_of(measured), wanted)
        for each in measured:
            self.assertGreater(each["ns"], 0, each)
            self.assertEqual(each["plain_loop"], each["kernel"] == "plain loop", each)

        # Read as a host, and as the host of a run.
        self.assertIn(f"measured   {wanted.total()} operators", self.ok("show", "mine.yaml").out)
        self.assertIn("plain loop", self.ok("show", "resnet20-u250", "--set", "host=mine.yaml", "--yaml").out)
        # Read as the start of the next profile: another batch is added, this batch is replaced.
        for batch in "12":
            self.profile("resnet20", "--batch", batch, "--host", "mine.yaml", "--out", "mine.yaml")
        self.assertIn(f"measured   {2 * wanted.total()} operators", self.ok("show", "mine.yaml").out)

    def test_measures_the_matrices_of_a_host_that_cuts_tiles(self) -> None:
        matrices = self.profile("alexnet_cifar10", "--batch", "1", "--matrices", "16x16x64", "--out", "mine.yaml")["matrices"]
        self.assertEqual(matrices["tile_size"], [16, 16, 64])
        # In an iteration on that host a word costs the measured time and is not an assumption.
        timeline = self.ok("timeline", "resnet20-barista", "--format", "json",
                           *sets("network=alexnet_cifar10", "batch=1", "host=mine.yaml")).out
        shown = self.ok("show", "mine.yaml", "--yaml").out
        for step in ("tile", "untile", "col2im"):
            self.assert_shown(shown, f"{step}_ns", matrices[step]["ns"] / matrices[step]["words"])
        self.assertNotIn("  - matrices", shown)
        self.assertNotIn('"matrices', timeline)

    def test_measures_what_words_of_fixed_point_take(self) -> None:
        quantiser = self.profile("alexnet_cifar10", "--batch", "1", "--out", "mine.yaml")["quantiser"]
        shown = self.ok("show", "mine.yaml", "--yaml").out
        for key in ("quantise_ns", "dequantise_ns"):
            self.assert_shown(shown, key, quantiser[key] / quantiser["words"])
        self.assertNotIn("  - quantiser", shown)

    def test_is_the_same_file_but_for_the_times(self) -> None:
        files = []
        for _ in range(2):
            self.profile("alexnet_cifar10", "--batch", "1", "--forward", "--convolutions")
            lines = self.text("results/host-alexnet_cifar10.yaml").splitlines()
            files.append([line for line in lines if "ns: " not in line])
        self.assertEqual(*files)
        self.assertIn("conv1 F", "".join(files[0]))


if __name__ == "__main__":
    unittest.main()
