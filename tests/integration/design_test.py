"""A design consists of its folders and one line in the table of designs."""

from __future__ import annotations

import os
import unittest
from collections import defaultdict
from pathlib import Path
from typing import Any

from support import ROOT, WeftTest, run, sets

COPY = """
name: copy
board: u250
kernel: {design: copy, clock_mhz: 100}
network:
  layers:
    - {name: a, channels: 3, h: 19, w: 17, filters: 8, kernel: 5, pad: 2}
    - {name: b, channels: 8, h: 40, w: 40, filters: 12, kernel: 3, pad: 1}
batch: 2
rung: systemc
kinds: [F]
"""


class ACopyDesign(WeftTest):
    """weft with a second design in its table: tests/support/copy_design."""

    binary = os.environ["WEFT_WITH_COPY"]

    def setUp(self) -> None:
        super().setUp()
        self.write("copy.yaml", COPY)

    def run_of(self, file: str, *arguments: str) -> Any:
        return self.json_of("run", file, "--no-save", *arguments)

    def rows(self, *arguments: str) -> list[Any]:
        return self.run_of("copy.yaml", *arguments)["convolutions"]

    def test_takes_the_cycles_of_its_equations(self) -> None:
        """3 x 19 x 17 x 2 = 1938 words are 122 beats, the last with 2 words (CONTRACT.md, section 6)."""
        for latency in (1, 7, 40):
            for rung in ("systemc", "analytical"):
                row = self.rows("--only", "a", "--rung", rung, "--set",
                                f"memory={{kind: ideal, latency_cycles: {latency}}}")[0]
                self.assertEqual(row["cycles"], 125 + 2 * latency)
        # Bursts of 16 beats, one open: seven times, the reader waits for the last of a burst, then latency + 1 cycles.
        one = sets("kernel.ports.in={max_burst_beats: 16, outstanding: 1}", "memory={kind: ideal, latency_cycles: 40}")
        for rung in ("exact", "analytical"):
            row = self.rows("--only", "a", "--rung", rung, *one)[0]
            self.assertEqual(row["cycles"], 125 + 2 * 40 + 7 * 41)
        self.assertEqual(row["gamma"]["in_stalls"], 7 * 41)

    def test_takes_the_same_on_every_rung_that_simulates_it(self) -> None:
        for assignments in ([], ["kernel.fifo.beat=1"], ["kernel.band=4"]):
            self.assert_same(self.rows(*sets(*assignments)), self.rows(*sets(*assignments), "--rung", "exact"),
                             ("cycles", "limiter", "blocks", "memory"))

    def test_copies_every_word(self) -> None:
        systemc, exact = (self.rows("--set", "mode=data", "--rung", rung) for rung in ("systemc", "exact"))
        for row in (*systemc, *exact):
            self.assertEqual(row["data"]["largest_error"], 0)
        self.assertEqual(*([row["data"]["out_digest"] for row in rows] for rows in (systemc, exact)))

    def test_is_reported_by_its_own_names(self) -> None:
        run_copy = ["run", "copy.yaml", "--no-save"]
        self.assertIn("copy on u250, 16 words a cycle at 100 MHz, batch 2", self.ok(*run_copy).out)
        head = self.ok(*run_copy, "--format", "csv").out.splitlines()[0].split(",")
        self.assertLessEqual({"reader_active", "writer_starved", "in_beats", "out_row_conflicts"}, set(head))
        self.assertEqual([name for name in head if "array_" in name], ["array_utilisation"])
        self.assertEqual([name for name in head if "kern_" in name], [])
        self.assertIn("in 0, out 1", self.ok("show", "copy.yaml").out)

    def test_is_swept_beside_the_others_in_one_file(self) -> None:
        self.write("s.yaml", "name: s\nrun: copy.yaml\nspace: {kernel.fifo.beat: [1, 4], kernel.band: [4, 16]}\n")
        self.ok("sweep", "s.yaml", "--out", "s.db", "--workers", "2")
        points = self.json_of("show", "s.db")["rows"]
        wanted = [self.run_of("copy.yaml", *sets(f"kernel.fifo.beat={depth}", f"kernel.band={band}"))
                  for depth in (1, 4) for band in (4, 16)]
        self.assertEqual([point["cycles"] for point in points], [each["totals"]["network"]["cycles"] for each in wanted])
        self.ok("show", "s.db", "--convolutions", "--columns", "layer,depth,reader_active,inp_reader_active,z", "--format",
                "csv")

    def test_is_explained_by_its_own_changes(self) -> None:
        explained = self.json_of("explain", "copy.yaml", *sets("batch=1", "kernel.band=4"), "--rung", "exact", "--out", "e")
        self.assertEqual([change["name"] for change in explained["changes"]],
                         ["wider_ports", "more_bursts", "deeper_fifos", "faster_ddr", "faster_clock"])
        self.assertEqual(explained["no_iteration"], "the run leaves convolutions out (kinds)")
        lines = explained["lines"]
        for line in lines:
            if "config" in line:
                totals = self.run_of(f"e/{line['config']}")["totals"]
                self.assertEqual(totals["network"]["cycles"], line["cycles"], line)
        kept = {line["change"] for line in lines if line["ending"] == "kept"}
        self.assertIn("wider_ports", kept, "four words a beat limit a copy")
        # Also for a network with a graph: the copy is no kernel on a card.
        whole = self.ok("explain", "copy.yaml", *sets("network=resnet20", "kinds=[F, GI, GW]", "batch=1"), "--rung",
                        "analytical", "--no-save").out
        self.assertIn("of the convolutions alone: design copy has no kernel on a card", whole)

    def test_refuses_what_it_does_not_have(self) -> None:
        self.write("d.yaml", "name: d\nrun: copy.yaml\n")
        self.refused("dse", "d.yaml", says="design copy")
        self.refused("run", "copy.yaml", "--set", "kernel.design=copi", says="fpgpt, copy")
        # The ordinary weft does not have this design.
        unknown = run(os.environ["WEFT_BINARY"], "run", "copy.yaml", folder=self.folder)
        self.assertEqual(unknown.code, 2)
        self.assertIn("copy.yaml:4: kernel.design: must be one of fpgpt, barista", unknown.err)


def compiled_from() -> dict[str, set[str]]:
    """The files of the project that each object of the build was compiled from, as ninja recorded them."""
    build = Path(os.environ["WEFT_BUILD_DIR"])
    listed = run("/usr/bin/ninja", "-C", build, "-t", "deps", folder=build)
    assert listed.code == 0, listed.err
    objects: dict[str, set[str]] = defaultdict(set)
    name = ""
    for line in listed.out.splitlines():
        if not line.startswith(" "):
            name = line.partition(":")[0]
        elif (path := os.path.normpath(build / line.strip())).startswith(f"{ROOT}/"):
            objects[name].add(path.removeprefix(f"{ROOT}/"))
    return objects


class TheHouse(unittest.TestCase):
    def test_no_generic_file_includes_a_header_of_a_design(self) -> None:
        designs = [path.parent.name for path in (ROOT / "kernels").glob("*/CONTRACT.md")]
        self.assertGreaterEqual(len(designs), 2)
        of_designs = tuple(f"{folder}/{design}/" for folder in ("kernels", "model", "platform/designs")
                           for design in designs)
        tables = ("platform/catalogue/designs.cpp", "platform/catalogue/rtl_designs.cpp")
        generic = specific = 0
        for name, files in compiled_from().items():
            # FOLDER/CMakeFiles/TARGET.dir/FILE.o
            folder, _, rest = name.partition("CMakeFiles/")
            _, _, file = rest.partition(".dir/")
            if name.startswith("tests/") or not file:
                continue
            source = folder + file.rpartition(".o")[0]
            # torch/ is a host of FPGPT: it writes that kernel's registers.
            if source.startswith((*of_designs, "torch/")):
                specific += 1
            elif source not in tables and files:
                generic += 1
                self.assertEqual([path for path in files if path.startswith(of_designs)], [], source)
        self.assertGreater(generic, 50)
        self.assertGreater(specific, 20)


if __name__ == "__main__":
    unittest.main()
