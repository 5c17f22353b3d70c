"""weft rtl: the written kernel is complete by itself, and equals the verified one."""

from __future__ import annotations

import json
import re
import unittest
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from support import ROOT, Outcome, WeftTest, run, sets

SMALL = ("conv-small", *sets("kernel={extends: fpgpt-8x8-hls, array: {x: 2, y: 1}, band: 2, profile: rtl}", "batch=1",
                             "convolution={kind: F, channels: 2, filters: 3, h: 5, w: 4, kernel: 3, pad: 1}"))


class Rtl(WeftTest):
    def written(self, *arguments: str) -> str:
        return self.ok("rtl", "--out", "out", *(arguments or SMALL)).out

    def lints(self) -> None:
        """Verilator's own output is only the report ("- Verilator: ...") that ends it since 5.026."""
        lint = run("/bin/sh", "out/verilator.sh", folder=self.folder)
        said = [line for line in (lint.out + lint.err).splitlines() if not line.startswith("- V")]
        self.assertEqual((lint.code, said), (0, ["lint: clean"]))

    def arguments(self) -> dict[str, tuple[str, str]]:
        """The kernel's arguments in kernel.xml: name -> port, offset."""
        kernel = ElementTree.fromstring(self.text("out/kernel.xml").encode()).find("kernel")
        return {each.get("name"): (each.get("port"), each.get("offset")) for each in kernel.findall("args/arg")}

    def test_lints_and_equals_the_model_as_it_is(self) -> None:
        out = self.written()
        self.assertTrue(out.startswith("module       fpgpt, 100 MHz\n"), out)
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
        self.assertIn("of the copy", " ".join(outcome.out.split()))

    def test_sources_are_the_projects_byte_by_byte(self) -> None:
        self.written()
        here = [path for folder in ("common", "fpgpt") for path in (ROOT / "kernels" / folder / "rtl").iterdir()
                if path.is_file()]
        there = self.folder / "out/rtl"
        self.assertEqual(sorted(path.name for path in here), sorted(path.name for path in there.iterdir()))
        for path in here:
            self.assertEqual((there / path.name).read_bytes(), path.read_bytes(), path)
        self.assertEqual((self.folder / "out/CONTRACT.md").read_bytes(), (ROOT / "kernels/fpgpt/CONTRACT.md").read_bytes())
        self.references_hold("rtl/REGISTERS.md", "../CONTRACT.md")

    def references_hold(self, page: str, other: str) -> None:
        """A page of the export names another one relative to its own folder."""
        self.assertIn(other, self.text(f"out/{page}"))
        self.assertTrue((self.folder / "out" / page).parent.joinpath(other).is_file(), other)

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
        self.assertEqual([(port.get("name"), port.get("dataWidth")) for port in kernel.findall("ports/port")],
                         [("m_axi_inp", "64"), ("m_axi_kern", "64"), ("m_axi_out", "64"), ("s_axi_control", "32")])
        arguments = self.arguments()
        self.assertEqual(arguments["KIND"], ("s_axi_control", "0x20"))
        self.assertEqual(arguments["KERN_BASE"], ("m_axi_kern", "0x74"))
        self.assertEqual(arguments["OUT_PITCH_N"], ("s_axi_control", "0x94"))
        self.assertNotIn("INP_FIRST", arguments)

    def test_of_fixed_point_has_its_lanes_and_its_two_registers_more(self) -> None:
        self.written(*SMALL, "--set", "kernel.format=fxp12")
        wrapper = self.text("out/fpgpt.sv")
        for parameter in (".WordBits(12),", ".LaneBits(12),"):
            self.assertIn(parameter, wrapper)
        arguments = self.arguments()
        self.assertEqual([arguments[name][1] for name in ("INP_FIRST", "KERN_FIRST")], ["0x98", "0x9c"])
        self.lints()

    def test_another_configuration_is_refused(self) -> None:
        self.written()
        self.assertEqual(self.refused("cosim", "out/config.yaml", "--rtl", "out", "--set", "kernel.fifo.out_beat=16"),
                         "weft: error: --rtl out: fpgpt.sv is the kernel of another configuration: it has "
                         "'    .OutBeatDepth(32),' where this one has '    .OutBeatDepth(16),'\n")
        self.refused("cosim", "out/config.yaml", "--rtl", "out/rtl", says="is not a folder written by weft rtl")

    def test_is_that_of_the_runs_design(self) -> None:
        """Barista's kernel, with the tile of FPGPT's convolution as one image: linted, equal to the model at the outer pins,
        and with registers at the addresses of REGISTERS.md."""
        out = self.written("resnet20-barista", *sets(
            "kernel={tile: {r: 2, c: 2, p: 4}, partial_sums: 2, band: 4}", "batch=1",
            "network={layers: [{name: a, channels: 2, h: 5, w: 4, filters: 3, kernel: 3, pad: 1}]}"))
        self.assertTrue(out.startswith("module       barista, 250 MHz\n"), out)
        self.lints()
        self.assertIn("RTL and model agree.", self.ok("cosim", "out/config.yaml", "--rtl", "out").out)
        self.assertEqual(list(self.arguments().items()),
                         [("A_BASE", ("m_axi_a", "0x20")), ("B_BASE", ("m_axi_b", "0x28")),
                          ("PARAMS", ("m_axi_a", "0x30")), ("C_BASE", ("m_axi_c", "0x38"))])

        self.references_hold("rtl/REGISTERS.md", "../CONTRACT.md")
        self.references_hold("CONTRACT.md", "fpgpt/CONTRACT.md")
        self.assertEqual(self.packaged().out, """create_project barista no part
add_files 24
ip weft:kernel:barista:1.0
package_xo barista barista.xo
packaged: barista.xo
""")

    def packaged(self) -> Outcome:
        return run("tclsh", str(Path(__file__).with_name("vivado.tcl")), "out/package.tcl", folder=self.folder)

    def test_has_one_name_in_kernel_xml_xclbin_and_link_cfg(self) -> None:
        """A host program names the kernel."""
        self.written(*SMALL, "--set", "kernel.ports.kern.channel=0", "--set", "kernel.clock_mhz=1000/3")
        self.ok("card", "out/config.yaml", "--xclbin", "k.xclbin")
        in_xclbin = re.search(rb'<kernel [^>]*name="(\w+)"', (self.folder / "k.xclbin").read_bytes())
        in_xml = ElementTree.fromstring(self.text("out/kernel.xml").encode()).find("kernel")
        self.assertEqual((in_xclbin[1].decode(), in_xml.get("name"), in_xml.get("vlnv")),
                         ("fpgpt", "fpgpt", "weft:kernel:fpgpt:1.0"))
        self.assertEqual([line for line in self.text("out/link.cfg").splitlines() if line and line[0] != "#"],
                         ["[connectivity]", "nk=fpgpt:1:fpgpt_1", "sp=fpgpt_1.m_axi_inp:DDR[0]", "sp=fpgpt_1.m_axi_kern:DDR[0]",
                          "sp=fpgpt_1.m_axi_out:DDR[2]", "[clock]", "freqHz=333333333:fpgpt_1"])

    def test_is_packaged_by_a_script_of_vivado(self) -> None:
        """The script runs against stand-ins that refuse what Vivado refuses, from another folder; the package is of the
        interfaces of the module and of kernel.xml."""
        self.written()
        done = self.packaged()
        sources = len(list((self.folder / "out/rtl").glob("*.sv"))) + 1
        self.assertEqual(done, (0, f"""create_project fpgpt xcu250-figd2104-2L-e
add_files {sources}
ip weft:kernel:fpgpt:1.0
package_xo fpgpt fpgpt.xo
packaged: fpgpt.xo
""", ""))
        self.assertTrue((self.folder / "out/fpgpt.xo").is_file())
        self.assertIn("Neither package.tcl nor link.cfg was run in AMD's tools", self.text("out/README.md"))
        before = self.text("out/package.tcl")
        for right, wrong, says in (("m_axi_kern", "m_axi_krn", "no interface m_axi_krn"),
                                   ("m_axi_kern ", "", "with a clock"),
                                   ("-vendor weft", "-vender weft", "unknown option -vender"),
                                   ("ipx::save_core $core\n", "", "the IP is not saved"),
                                   ("set_property version 1.0", "set_property version 1.1", "another vlnv than")):
            self.change("out/package.tcl", right, wrong)
            failed = self.packaged()
            self.assertEqual(failed.code, 1, wrong)
            self.assertIn(says, failed.err)
            self.write("out/package.tcl", before)
        (self.folder / "out/rtl/encode.sv").unlink()
        self.assertIn("files.f names rtl/encode.sv, which is not there", self.packaged().err)

    def test_yosys_shows_its_progress_and_the_sums_of_its_cells(self) -> None:
        """The sums are those of the modules' own cells, each as often as it is instantiated."""
        self.written(*SMALL, "--set", "kernel.variant=fgi")
        done = run("/bin/sh", "out/yosys.sh", "1", folder=self.folder)
        self.assertEqual(done.code, 0, done.out + done.err)
        *progress, sums = done.out.splitlines()
        self.assertGreater(len(progress), 2)
        for number, line in enumerate(progress, 1):
            self.assertRegex(line, rf"^yosys: {number} s: ([0-9.]+ .+)?$")
        self.assertTrue(any("Executing" in line for line in progress), progress)
        # yosys 0.23 writes commas before braces, and after the modules a text.
        text = self.text("out/fpgpt.stat.json").partition("\n   },\n")[0] + "\n}}"
        modules = json.loads(re.sub(r",(\s*})", r"\1", text))["modules"]
        cells = {name.lstrip("\\"): module["num_cells_by_type"] for name, module in modules.items()}

        def counted(module: str) -> Counter[str]:
            total: Counter[str] = Counter()
            for cell, count in cells[module].items():
                for each, of_each in (counted(cell.lstrip("\\")) if cell.lstrip("\\") in cells else {cell: 1}).items():
                    total[each] += count * of_each
            return total

        of = counted("fpgpt")
        luts = {"RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM32X1D": 2, "RAM64X1D": 2}
        expected = {"DSP": of["DSP48E2"], "FF": sum(of[cell] for cell in ("FDRE", "FDSE", "FDCE", "FDPE")),
                    "LUT": sum(count * luts.get(cell, 1) for cell, count in of.items() if re.match("LUT|INV|SRL|RAM[0-9]", cell)),
                    "BRAM18": of["RAMB18E2"] + 2 * of["RAMB36E2"], "URAM": 0, "CARRY": of["CARRY4"] + of["CARRY8"],
                    "MUXF": of["MUXF7"] + of["MUXF8"] + of["MUXF9"]}
        self.assertGreater(min(expected["DSP"], expected["FF"], expected["LUT"]), 0)
        self.assertEqual(sums, "cells of fpgpt: " + ", ".join(
            f"{name} {expected[name]}" for name in ("DSP", "LUT", "FF", "BRAM18", "URAM", "CARRY", "MUXF")))


if __name__ == "__main__":
    unittest.main()
