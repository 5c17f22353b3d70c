"""Ports of several widths: kernel.ports.PORT.band."""

from __future__ import annotations

import unittest
from typing import Any

from support import WeftTest, sets

WIDTHS = sets("kernel.ports.kern.band=4", "kernel.ports.out.band=2")


class Widths(WeftTest):
    def conv(self, *more: str) -> Any:
        return self.json_of("run", "conv-small", "--no-save", *more)

    def test_the_band_of_every_port_is_that_of_the_kernel(self) -> None:
        """The band of a port replaces that of the kernel, and nothing else."""
        for rung in ("analytical", "systemc", "exact"):
            of_kernel = self.conv("--rung", rung, "--set", "kernel.band=8")
            of_ports = self.conv("--rung", rung, *sets(*(f"kernel.ports.{port}.band=8" for port in ("inp", "kern", "out"))))
            for key in ("beat_bytes", "totals", "convolutions_seconds"):
                self.assertEqual(of_ports[key], of_kernel[key], (rung, key))
            self.assert_same(of_ports["convolutions"], of_kernel["convolutions"])
            self.assertNotIn("port_beat_bytes", of_ports)

    def test_rungs_agree_and_beats_are_those_of_each_port(self) -> None:
        """KERN of conv-small has 32 * 16 * 9 words, OUT 2 * 32 * 14 * 14."""
        for memory in ((), ("--set", "memory={kind: ddr4}")):
            systemc, exact = (self.conv("--rung", rung, *WIDTHS, *memory) for rung in ("systemc", "exact"))
            self.assert_same(systemc["convolutions"], exact["convolutions"])
            ports = systemc["convolutions"][0]["memory"]
            self.assertEqual(ports["kern"]["read_beats"], 32 * 16 * 9 // 4)
            self.assertEqual(ports["out"]["write_beats"], 2 * 32 * 14 * 14 // 2)
            self.assertEqual((systemc["beat_bytes"], systemc["port_beat_bytes"]), (64, [64, 16, 8]))
        peak = systemc["channel_bytes_per_second"] * systemc["memory_channels"] * systemc["convolutions"][0]["seconds"]
        moved = 64 * ports["inp"]["read_beats"] + 16 * ports["kern"]["read_beats"] + 8 * ports["out"]["write_beats"]
        self.assertAlmostEqual(systemc["convolutions"][0]["ddr_efficiency"], moved / peak, 12)

    def test_a_narrow_port_limits_by_the_equations_and_by_simulation(self) -> None:
        """One word a cycle of OUT: 12,544 beats, four times those of a port of four words."""
        for rung in ("analytical", "systemc"):
            row = self.conv("--rung", rung, *sets("kernel.ports.out.band=1", "kernel.profile=rtl", "convolution.channels=1",
                                                  "convolution.kernel=1", "convolution.pad=0"))["convolutions"][0]
            self.assertEqual(row["limiter"], "out_writer" if rung == "systemc" else "out_encode")
            self.assertGreaterEqual(row["cycles"], 2 * 32 * 14 * 14)

    def test_data_is_right_at_any_width(self) -> None:
        for more in ((), sets("kernel.format=fxp12"), sets("kernel.format=fxp6", "kernel.packing=padded")):
            row = self.conv("--set", "mode=data", *WIDTHS, *more)["convolutions"][0]
            self.assertLess(row["data"]["largest_error"], 1e-6)

    def test_is_refused_where_there_is_one_width(self) -> None:
        says = ("kernel.ports: the RTL has ports of one width, not INP of 512 bits, KERN of 128 and OUT of 64; leave out the "
                "band of ports")
        self.refused("rtl", "conv-small", *WIDTHS, "--out", "rtl", says=says)
        self.refused("cosim", "conv-small", *WIDTHS, says=says)
        self.refused("run", "conv-small", "--no-save", *WIDTHS, "--set", "readings.resources=synthesis", says=says)
        self.refused("synth", "fpgpt-4x8-hls", *sets("ports.kern.band=4", "ports.out.band=2"), says=says)
        self.refused("run", "conv-small", "--set", "kernel.ports.kern.band=3", says="kernel.ports.kern.band: must be a power of two")
        self.refused("run", "conv-small", "--set", "kernel.ports.kern.band=64",
                     says="kernel.ports.kern.band: 64 words a beat cannot be simulated")
        self.refused("run", "im2col-barista", "--set", "kernel.ports.a.band=4", says="kernel.ports.a.band")


if __name__ == "__main__":
    unittest.main()
