"""weft run --waves: GTKWave's own reader finds in the file the counts of the run's JSON."""

from __future__ import annotations

import json
import os
import unittest
from collections import Counter
from itertools import pairwise
from typing import Any, NamedTuple

from support import WeftTest, run

# Three launches: F, and GW of two groups. 250 MHz: a cycle is 4000 ps, and 24/5 nCK of DDR4-2400.
RUN = """
name: waves
board: u250
kernel: {design: fpgpt, array: {x: 4, y: 4}, clock_mhz: 250, profile: rtl}
network:
  layers:
    - {name: a, channels: 3, h: 9, w: 7, filters: 8, kernel: 3, pad: 1}
    - {name: b, channels: 8, h: 8, w: 8, filters: 6, kernel: 3, pad: 1, groups: 2}
batch: 2
rung: systemc
only: "a:F,b:GW"
"""
CYCLE_PS = 4000
HANDSHAKES = {"AR": "read_bursts", "R": "read_beats", "AW": "write_bursts", "W": "write_beats", "B": "write_bursts"}


class Stretch(NamedTuple):
    """A value of a signal, by name or as a number, and its interval."""

    begin: int  # ps, as the end
    end: int
    value: str


class FstFile:
    """The signals of an FST file: the unit of time is 10^timescale seconds."""

    def __init__(self, path: str) -> None:
        found = json.loads(run(os.environ["WEFT_BUILD_DIR"] + "/tests/support/fst_signals", path).out)
        self.timescale, self.end = found["timescale"], found["end"]
        self.signals: dict[str, Any] = found["signals"]

    def changes(self, name: str) -> list[tuple[int, str]]:
        names = self.signals[name]["names"]
        return [(time, names[value] if names else value) for time, value in self.signals[name]["changes"]]

    def stretches(self, name: str) -> list[Stretch]:
        return [Stretch(begin, end, value) for (begin, value), (end, _) in pairwise([*self.changes(name), (self.end, "")])]

    def cycles(self, name: str, begin: int = 0, end: int | None = None) -> Counter[str]:
        """The cycles of the interval with each value of the signal."""
        found: Counter[str] = Counter()
        for each in self.stretches(name):
            first, last = max(begin, each.begin), min(self.end if end is None else end, each.end)
            if first < last:
                assert first % CYCLE_PS == last % CYCLE_PS == 0, name
                found[each.value] += (last - first) // CYCLE_PS
        return found

    def commands(self, channel: str, begin: int, end: int) -> Counter[str]:
        """The number of commands in the interval, by name."""
        return Counter(command for name in self.signals if name.startswith(f"kernel.{channel}.")
                       for time, value in self.changes(name) if begin <= time < end for command in value.split("+"))


class Waves(WeftTest):
    run_yaml = ("run", "run.yaml", "--no-save", "--format", "json")

    def setUp(self) -> None:
        super().setUp()
        self.write("run.yaml", RUN)

    def fst(self, name: str = "w.fst") -> FstFile:
        return FstFile(str(self.folder / name))

    def waves(self, *more: str, name: str = "w.fst") -> str:
        """Runs with waveforms. Returns the result as it is printed."""
        return self.ok(*self.run_yaml, "--waves", name, *more).out

    def assert_as_counted(self, file: FstFile, row: Any, begin: int, end: int) -> None:
        """Each state of each block lasts the cycles of the row; each handshake occurs as often as its bursts and beats."""
        for block, states in row["blocks"].items():
            cycles = file.cycles(f"kernel.block.{block}[1:0]", begin, end)
            for state, count in states.items():
                self.assertEqual(cycles[state], count, f"{block} {state}")
        handshakes = 0
        for port, counts in row["memory"].items():
            for signal, count in HANDSHAKES.items():
                name = f"kernel.port.{port}.{signal}"
                if name in file.signals:
                    self.assertEqual(file.cycles(name, begin, end)["1"], counts[count], name)
                    handshakes += 1
        self.assertEqual(handshakes, 7)  # two ports read and one writes

    def test_show_the_cycles_handshakes_and_commands_that_the_result_counts(self) -> None:
        result = json.loads(self.waves())
        file = self.fst()
        self.assertEqual(file.timescale, -12)
        self.assertEqual(file.end, CYCLE_PS * result["totals"]["network"]["cycles"])
        launches = file.stretches("kernel.convolution")
        self.assertEqual([launch.value for launch in launches], ["a:F", "b:GW group 0", "b:GW group 1"])
        middle = launches[1].begin
        for row, (begin, end) in zip(result["convolutions"], ((0, middle), (middle, file.end)), strict=True):
            self.assert_as_counted(file, row, begin, end)
            ports = row["memory"]
            # Exact bursts: no read is served after the end. A beat of 64 bytes is one access.
            for port, channel in (("inp", "ddr4_0"), ("kern", "ddr4_1")):
                commands = file.commands(channel, begin, end)
                self.assertEqual(commands["RD"] + commands["RDA"], ports[port]["read_beats"], port)
                self.assertEqual(commands["ACT"], ports[port]["row_misses"] + ports[port]["row_conflicts"], port)
                self.assertEqual(commands["more"] + commands["WR"] + commands["WRA"], 0)
            writes = file.commands("ddr4_2", begin, end)  # answered on acceptance
            self.assertGreater(writes["WR"] + writes["WRA"], 0)
            self.assertLessEqual(writes["WR"] + writes["WRA"], ports["out"]["write_beats"])

    def test_count_the_cycles_of_each_launch(self) -> None:
        """Bit i of the number of a cycle changes where the number does; each launch begins with cycle 0."""
        self.waves("--set", "kernel.clock_mhz=1000/3")
        file = self.fst()
        launches = [launch.begin for launch in file.stretches("kernel.convolution")]
        self.assertEqual(len(launches), 3)
        bits = [file.changes(f"kernel.cycle[{bit}]") for bit in range(32)]
        times = sorted({time for changes in bits for time, _ in changes})
        values, cycle, number = [0] * 32, -1, 0  # number: of the cycle in the file
        for time in times:
            for bit, changes in enumerate(bits):
                while changes and changes[0][0] == time:
                    values[bit] = int(changes.pop(0)[1])
            cycle = 0 if time in launches else cycle + 1
            self.assertEqual(sum(value << bit for bit, value in enumerate(values)), cycle, time)
            self.assertEqual(time, number * 3000)
            number += 1
        self.assertEqual(times[-1], file.end)

    def test_show_the_cycles_and_handshakes_of_barista(self) -> None:
        more = ("--set", "kernel=barista-16x16x64", "--set", "batch=3", "--only", "b:GW")
        printed = self.waves(*more)
        self.assertEqual(self.ok(*self.run_yaml, *more).out, printed)
        result = json.loads(printed)
        file = self.fst()
        self.assertEqual(file.end, CYCLE_PS * result["totals"]["network"]["cycles"])
        self.assert_as_counted(file, result["convolutions"][0], 0, file.end)
        launches = file.cycles("kernel.convolution")
        self.assertEqual(len(launches), 6)  # three images of two groups
        self.assertIn("b:GW image 2 group 1", launches)

    def test_fills_stay_within_the_depths_and_move_by_one_a_cycle(self) -> None:
        """At most one push and one pop per cycle (GEN-2)."""
        self.waves("--set", "kernel.fifo.inp_beat=5")
        file = self.fst()
        depths = {"inp_beat[2:0]": 5} | dict.fromkeys((f"{name}[2:0]" for name in
                                                       ("inp_word", "inp_group", "kern_word", "out_group")), 4)
        depths |= dict.fromkeys(("inp_column[3:0]", "kern_row[3:0]", "out_row[3:0]"), 8)
        depths |= dict.fromkeys(("kern_beat[5:0]", "out_beat[5:0]"), 32)
        ends = {launch.begin for launch in file.stretches("kernel.convolution")} | {file.end}
        for name, depth in depths.items():
            fills = [(time, int(value, 2)) for time, value in file.changes(f"kernel.fifo.{name}")]
            for (_, before), (time, fill) in pairwise([(0, 0), *fills]):
                self.assertTrue(time in ends or abs(fill - before) <= 1, f"{name} at {time}")
            self.assertEqual(fills[-1][1], 0, name)
            self.assertIn(max(fill for _, fill in fills), range(1, depth + 1), name)

    def test_change_nothing_of_the_result_and_are_the_same_bytes_each_time(self) -> None:
        self.assertEqual(self.waves(name="a.fst"), self.ok(*self.run_yaml).out)
        self.waves("--workers", "1", name="b.fst")
        self.assertEqual((self.folder / "a.fst").read_bytes(), (self.folder / "b.fst").read_bytes())
        self.assertEqual(self.waves("--set", "mode=data", name="c.fst"), self.ok(*self.run_yaml, "--set", "mode=data").out)
        self.assertEqual(self.fst("c.fst").signals, self.fst("a.fst").signals)

    def test_a_save_file_shows_every_signal(self) -> None:
        self.waves()
        head, *lines = self.text("w.gtkw").splitlines()
        self.assertEqual(head, '[dumpfile] "w.fst"')
        (vector,) = (line.split() for line in lines if line.startswith("#"))
        self.assertEqual(vector, ["#{kernel.cycle[31:0]}", *(f"kernel.cycle[{bit}]" for bit in reversed(range(32)))])
        self.assertEqual(sorted([*vector[1:], *(line for line in lines if line.startswith("kernel."))]),
                         sorted(self.fst().signals))

    def test_of_another_form_are_refused(self) -> None:
        for command in (("run", "run.yaml", "--no-save"), ("cosim", "conv-small")):
            self.refused(*command, "--waves", "w.vcd", says="--waves w.vcd: waveforms are written as FST, not VCD: use .fst")
            self.refused(*command, "--waves", "w.gtkw", says="--waves w.gtkw: .gtkw is for the save file")
        self.assertEqual(self.listing(), ["run.yaml"])

    def test_of_a_whole_convolution_of_the_headline_stay_below_a_megabyte(self) -> None:
        """Required: a whole convolution of 3.8 million cycles with DDR4 in less than a megabyte."""
        result = self.json_of("run", "googlenet-u250", "--only", "inception3b.branch2.1.conv:F", "--set", "batch=1", "--rung",
                              "systemc", "--no-save", "--waves", "w.fst")
        self.assertGreater(result["totals"]["network"]["cycles"], 3_800_000)
        self.assertLess((self.folder / "w.fst").stat().st_size, 1_000_000)


if __name__ == "__main__":
    unittest.main()
