"""weft timeline --perfetto and weft run --perfetto: the decoded file has the content of the CSV and JSON."""

from __future__ import annotations

import csv
import unittest
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from support import WeftTest, sets

# A convolution of two groups, with DDR4: two launches.
RUN = """
name: trace
board: u250
kernel: {design: fpgpt, array: {x: 4, y: 4}, clock_mhz: 300, profile: hls}
network:
  layers:
    - {name: a, channels: 8, h: 9, w: 7, filters: 6, kernel: 3, pad: 1, groups: 2}
batch: 2
rung: systemc
"""
# Numbers of fields and types of events: https://perfetto.dev/docs/reference/trace-packet-proto.
PACKET, TIMESTAMP, SEQUENCE, EVENT, DESCRIPTOR = 1, 8, 10, 11, 60
DESCRIPTOR_UUID, DESCRIPTOR_NAME = 1, 2
ANNOTATION, TYPE, TRACK, NAME, COUNT = 4, 9, 11, 23, 30
INT_VALUE, STRING_VALUE, ANNOTATION_NAME = 4, 6, 10
SLICE_BEGIN, SLICE_END, COUNTER = 1, 2, 4


class Slice(NamedTuple):
    start: int  # ns, as the end
    end: int
    name: str
    notes: dict[str, int | str]


class Trace(NamedTuple):
    slices: dict[str, list[Slice]]  # by the names of the tracks, in the order of the file
    counts: dict[str, list[tuple[int, int]]]  # values of counters by time


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of protobuf and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The numbers and values of a message of protobuf; a value is a number or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            at, value = at + value, data[at:at + value]
        elif key & 7 != 0:
            raise ValueError(f"byte {at}: a field of wire type {key & 7}")
        yield key >> 3, value


def annotations(event: bytes) -> dict[str, int | str]:
    notes = {}
    for number, content in fields(event):
        if number == ANNOTATION:
            note = dict(fields(content))
            text = note.get(STRING_VALUE)
            notes[note[ANNOTATION_NAME].decode()] = note[INT_VALUE] if text is None else text.decode()
    return notes


def decoded(data: bytes) -> Trace:
    """A slice of a track must end before the next begins."""
    names: dict[int, str] = {}
    open_slices: dict[str, Slice] = {}
    trace = Trace(defaultdict(list), defaultdict(list))
    for number, content in fields(data):
        packet = dict(fields(content))
        assert number == PACKET and packet[SEQUENCE] == 1, packet
        if DESCRIPTOR in packet:
            descriptor = dict(fields(packet[DESCRIPTOR]))
            assert descriptor[DESCRIPTOR_UUID] not in names, descriptor
            names[descriptor[DESCRIPTOR_UUID]] = descriptor[DESCRIPTOR_NAME].decode()
            continue
        event, time = dict(fields(packet[EVENT])), packet.get(TIMESTAMP, 0)
        track = names[event[TRACK]]
        if event[TYPE] == COUNTER:
            trace.counts[track].append((time, event.get(COUNT, 0)))
        elif event[TYPE] == SLICE_BEGIN:
            assert track not in open_slices, (track, time)
            open_slices[track] = Slice(time, 0, event[NAME].decode(), annotations(packet[EVENT]))
        else:
            assert event[TYPE] == SLICE_END, event
            trace.slices[track].append(open_slices.pop(track)._replace(end=time))
    assert not open_slices, open_slices
    return trace


class PerfettoTimeline(WeftTest):
    def check(self, *assignments: str) -> None:
        """Tracks have every step once, and the critical path tiles the iteration. The bytes are the same each time."""
        command = ["timeline", "resnet20-u250", "--rung", "analytical", *sets("batch=2", *assignments)]
        iteration = self.json_of(*command, "--perfetto", "t.pftrace")["iteration_ps"]
        rows = list(csv.DictReader(self.ok(*command, "--format", "csv", "--perfetto", "again").out.splitlines()))
        data = (self.folder / "t.pftrace").read_bytes()
        self.assertEqual(data, (self.folder / "again").read_bytes())
        tracks = decoded(data).slices
        found: Counter[tuple[Any, ...]] = Counter()
        for name, slices in tracks.items():
            free = 0
            for each in slices:
                start, end = each.notes["start_ps"], each.notes["end_ps"]
                self.assertEqual((each.start, each.end), (start // 1000, end // 1000), each)
                if name == "critical path":
                    self.assertEqual(start, free, each)
                else:
                    self.assertGreaterEqual(start, free, each)
                    found[name, each.notes["activity"], start, end] += 1
                free = end
        self.assertEqual(tracks["critical path"][-1].notes["end_ps"], iteration)
        self.assertGreater(len(rows), 500)
        self.assertEqual(found, Counter((row["resource"], row["activity"], int(row["start_ps"]), int(row["end_ps"]))
                                        for row in rows))

    def test_of_the_default_schedule(self) -> None:
        self.check()

    def test_of_double_buffers_and_kept_activations(self) -> None:
        self.check("schedule.overlap=double_buffer", "schedule.transfers=keep_activations", "schedule.load=region")

    def test_of_im2col_and_copies_on_the_host(self) -> None:
        self.check("schedule.im2col=cpu", "schedule.host_buffers=copied")


class PerfettoOfARun(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("run.yaml", RUN)

    def run_of(self, *arguments: str) -> Any:
        return self.json_of("run", "run.yaml", "--no-save", *arguments)

    def traced(self, *window: str) -> tuple[Any, Trace]:
        """The convolution and its trace, in cycles."""
        result = self.run_of("--only", "a:GW", "--perfetto", "t.pftrace", *window)
        trace = decoded((self.folder / "t.pftrace").read_bytes())
        slices = {name: [Slice(self.cycle(each.start), self.cycle(each.end), each.name, each.notes) for each in found]
                  for name, found in trace.slices.items()}
        for each in (each for found in slices.values() for each in found):
            self.assertEqual(each.notes, {"cycle": each.start})
        counts = {name: [(self.cycle(time), value) for time, value in found] for name, found in trace.counts.items()}
        return result["convolutions"][0], Trace(slices, counts)

    def cycle(self, ns: int) -> int:
        """The cycle of the 300 MHz clock that begins at this time: at floor(k 10^12 / f) ps, in whole nanoseconds."""
        cycle = -(-ns * 3 // 10)
        self.assertEqual(cycle * 10**12 // (300 * 10**6) // 1000, ns)
        return cycle

    def test_slices_tile_each_track_and_add_up_to_the_result(self) -> None:
        row, trace = self.traced("--cycles", "1000000")
        self.assertEqual((len(trace.slices), len(trace.counts)), (12, 10))
        for name, slices in trace.slices.items():
            self.assertEqual([each.start for each in slices], [0, *(each.end for each in slices[:-1])], name)
            self.assertEqual(slices[-1].end, row["cycles"], name)
            sums: Counter[str] = Counter()
            for each in slices:
                self.assertLess(each.start, each.end, name)
                sums[each.name] += each.end - each.start
            if name != "convolution":
                self.assertEqual({state: sums[state] for state in row["blocks"][name]}, row["blocks"][name], name)
        launches = trace.slices["convolution"]
        self.assertEqual([each.name for each in launches], ["a:GW group 0", "a:GW group 1"])
        # At most one push and one pop per cycle: between two shown cycles the fill of a FIFO changes by at most one;
        # every launch begins empty.
        for name, values in trace.counts.items():
            self.assertEqual(values[0][1], 0, name)
            before = 0
            for time, value in values:
                self.assertTrue(0 <= value <= 32, (name, time, value))
                if time != launches[1].start:
                    self.assertLessEqual(abs(value - before), 1, (name, time))
                before = value

    def test_a_window_is_that_part_of_the_whole(self) -> None:
        _, whole = self.traced("--cycles", "1000000")
        second = whole.slices["convolution"][1].start
        start, end = second - 700, second + 900
        _, window = self.traced("--from", str(start), "--cycles", str(end - start))
        for name, slices in whole.slices.items():
            part = [(max(each.start, start), min(each.end, end), each.name) for each in slices]
            self.assertEqual([each[:3] for each in window.slices[name]],
                             [each for each in part if each[0] < each[1]], name)
        for name, values in whole.counts.items():
            at_start = ([0] + [value for time, value in values if time <= start])[-1]
            self.assertEqual(window.counts[name],
                             [(start, at_start), *((time, value) for time, value in values if start < time < end)], name)

    def test_is_the_same_on_both_rungs_that_simulate_and_the_result_is_that_without_it(self) -> None:
        for rung in ("systemc", "exact"):
            one = ["--only", "a:F", "--rung", rung]
            self.assertEqual(self.run_of(*one, "--perfetto", rung), self.run_of(*one))
        self.assertEqual((self.folder / "systemc").read_bytes(), (self.folder / "exact").read_bytes())


if __name__ == "__main__":
    unittest.main()
