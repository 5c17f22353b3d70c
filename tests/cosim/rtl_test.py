"""weft rtl: the written kernel is complete by itself, and equals the verified one."""

from __future__ import annotations

import unittest
from xml.etree import ElementTree

from support import ROOT, WeftTest, run, sets

SMALL = ("conv-small", *sets("kernel={extends: fpgpt-8x8-hls, array: {x: 2, y: 1}, band: 2, profile: rtl}", "batch=1",
                             "convolution={kind: F, channels: 2, filters: 3, h: 5, w: 4, kernel: 3, pad: 1}"))


class Rtl(WeftTest):
    def written(self, *arguments: str) -> str:
        return self.ok("rtl", "--out", "out", *(arguments or SMALL)).out

    def lints(self) -> None:
        """Verilator's output is only the report ("- Verilator: ...") that ends it since 5.026."""
        lint = run("/bin/sh", "out/verilator.sh", folder=self.folder)
        said = [line for line in (lint.out + lint.err).splitlines() if not line.startswith("- V")]
        self.assertEqual((lint.code, said), (0, []))

    def arguments(self) -> dict[str, tuple[str, str]]:
        """The kernel's arguments in kernel.xml: name -> port, offset."""
        kernel = ElementTree.fromstring(self.text("out/kernel.xml").encode()).find("kernel")
        return {each.get("name"): (each.get("port"), each.get("offset")) for each in kernel.findall("args/arg")}

    def test_lints_and_equals_the_model_as_it_is(self) -> None:
        out = self.written()
        self.assertTrue(out.startswith("module       fpgpt_conv_small, 100 MHz\n"), out)
        self.lints()
        self.assertIn("RTL and model agree.", self.ok("cosim", "out/config.yaml", "--rtl", "out", "--refuse", "20").out)

    def test_what_is_compared_is_the_folder(self) -> None:
        """A fault in the written copy alone: parameters come from the wrapper, sources from the folder."""
        self.written()
        before, end, after = self.text("out/rtl/encode.sv").rpartition("endmodule")
        self.assertTrue(end)
        self.write("out/rtl/encode.sv", before + '  initial $error("of the copy");\n' + end + after)
        outcome = self.weft("cosim", "out/config.yaml", "--rtl", "out")
        self.assertEqual(outcome.code, 1, outcome.out)
        self.assertIn("of the copy", outcome.out)

    def test_sources_are_the_projects_byte_by_byte(self) -> None:
        self.written()
        here = [path for folder in ("common", "fpgpt") for path in (ROOT / "kernels" / folder / "rtl").iterdir()
                if path.is_file() and path.suffix != ".md"]
        there = self.folder / "out/rtl"
        self.assertEqual(sorted(path.name for path in here), sorted(path.name for path in there.iterdir()))
        for path in here:
            self.assertEqual((there / path.name).read_bytes(), path.read_bytes(), path)
        self.assertEqual((self.folder / "out/REGISTERS.md").read_bytes(),
                         (ROOT / "kernels/fpgpt/rtl/REGISTERS.md").read_bytes())

    def test_yosys_reads_it(self) -> None:
        self.written()
        reading, mapping, _ = self.text("out/synth.ys").partition("synth_xilinx")
        self.assertTrue(mapping)
        self.write("out/read.ys", reading + "stat\n")
        outcome = run("yosys", "-q", "-s", "read.ys", folder=self.folder / "out")
        self.assertEqual(outcome.code, 0, outcome.out + outcome.err)

    def test_kernel_xml_has_ports_and_arguments(self) -> None:
        """Registers are at the addresses of REGISTERS.md, each pointer on the port that uses it."""
        self.written()
        kernel = ElementTree.fromstring(self.text("out/kernel.xml").encode()).find("kernel")
        self.assertEqual(kernel.get("name"), "fpgpt_conv_small")
        self.assertEqual([(port.get("name"), port.get("dataWidth")) for port in kernel.findall("ports/port")],
                         [("m_axi_inp", "64"), ("m_axi_kern", "64"), ("m_axi_out", "64"), ("s_axi_control", "32")])
        arguments = self.arguments()
        self.assertEqual(arguments["KIND"], ("s_axi_control", "0x20"))
        self.assertEqual(arguments["KERN_BASE"], ("m_axi_kern", "0x74"))
        self.assertEqual(arguments["OUT_PITCH_N"], ("s_axi_control", "0x94"))
        self.assertNotIn("INP_FIRST", arguments)

    def test_of_fixed_point_has_its_lanes_and_its_two_registers_more(self) -> None:
        self.written(*SMALL, "--set", "kernel.format=fxp12")
        wrapper = self.text("out/fpgpt_conv_small.sv")
        for parameter in (".WordBits(12),", ".LaneBits(12),"):
            self.assertIn(parameter, wrapper)
        arguments = self.arguments()
        self.assertEqual([arguments[name][1] for name in ("INP_FIRST", "KERN_FIRST")], ["0x98", "0x9c"])
        self.lints()

    def test_another_configuration_is_refused(self) -> None:
        self.written()
        self.assertEqual(self.refused("cosim", "out/config.yaml", "--rtl", "out", "--set", "kernel.fifo.out_beat=16"),
                         "weft: error: --rtl out: fpgpt_conv_small.sv is the kernel of another configuration: it has "
                         "'    .OutBeatDepth(32),' where this one has '    .OutBeatDepth(16),'\n")
        self.refused("cosim", "out/config.yaml", "--rtl", "out/rtl", says="is not a folder written by weft rtl")

    def test_is_that_of_the_runs_design(self) -> None:
        """Barista's kernel, with the tile of FPGPT's convolution as one image: linted, equal to the model at the outer pins,
        and with registers at the addresses of REGISTERS.md."""
        out = self.written("resnet20-barista", *sets(
            "kernel={tile: {r: 2, c: 2, p: 4}, partial_sums: 2, band: 4}", "batch=1",
            "network={layers: [{name: a, channels: 2, h: 5, w: 4, filters: 3, kernel: 3, pad: 1}]}"))
        self.assertTrue(out.startswith("module       barista_resnet20_barista, 250 MHz\n"), out)
        self.lints()
        self.assertIn("RTL and model agree.", self.ok("cosim", "out/config.yaml", "--rtl", "out").out)
        self.assertEqual(list(self.arguments().items()),
                         [("A_BASE", ("m_axi_a", "0x20")), ("B_BASE", ("m_axi_b", "0x28")),
                          ("PARAMS", ("m_axi_a", "0x30")), ("C_BASE", ("m_axi_c", "0x38"))])


if __name__ == "__main__":
    unittest.main()
