"""The card's server, spoken to as XRT's shim speaks: frames over a socket, through the program xrt_server_talk."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import unittest
from typing import Any

import yaml

from support import ROOT, WeftTest

CLOSE, TO_CARD, TO_HOST, WRITE, READ = 1, 6, 7, 9, 11
BANK, BANKS_END = 0x40_0000_0000, 0x50_0000_0000
REGISTERS, WINDOW = 0x1800000, 64 << 10
PACKET = 1 << 20  # the most bytes of a transfer in one message
QUEUED, SILENT = 1, 2


def varint(value: int) -> bytes:
    text = b""
    while value > 127:
        text, value = text + bytes([value & 127 | 128]), value >> 7
    return text + bytes([value])


def message(*fields: tuple[int, int | bytes]) -> bytes:
    """A message of protobuf: numbers as varints, bytes with their length."""
    return b"".join(varint(number << 3 | 2) + varint(len(value)) + value if isinstance(value, bytes) else
                    varint(number << 3) + varint(value) for number, value in fields)


def frame(api: int, payload: bytes) -> bytes:
    return struct.pack("<BQBI", 0x09, len(payload), 0x15, api) + payload


def to_card(address: int, data: bytes, offset: int = 0) -> bytes:
    return frame(TO_CARD, message((2, b"handle"), (3, address), (4, data), (5, len(data)), (6, offset)))


def to_host(address: int, size: int, offset: int = 0) -> bytes:
    return frame(TO_HOST, message((2, b"handle"), (3, b" " * min(size, 100)), (4, address), (5, size), (6, offset)))


def write(address: int, data: bytes = b"\1\0\0\0") -> bytes:
    return frame(WRITE, message((2, address), (3, len(data)), (4, data)))


def read(address: int, size: int = 4) -> bytes:
    return frame(READ, message((2, address), (3, size)))


CLOSING = frame(CLOSE, message((2, b"handle"), (3, 0)))
POLL = read(REGISTERS)


class Server(WeftTest):
    def talk(self, *conversations: bytes, flags: int = 0) -> list[Any]:
        """Sends each conversation on a connection of its own, to one card. Answers are without their headers."""
        outcome = subprocess.run(
            [f"{os.environ['WEFT_BUILD_DIR']}/tests/unit/platform/card/xrt/xrt_server_talk"], check=True,
            input=b"".join(struct.pack("<BI", flags, len(each)) + each for each in conversations), capture_output=True)
        heard = [json.loads(line) for line in outcome.stdout.splitlines()]
        self.assertEqual(len(heard), len(conversations))
        for each in heard:
            each["error"] = bytes.fromhex(each["error"]).decode(errors="replace")
            left, each["answers"] = bytes.fromhex(each["answers"]), b""
            while left:
                size, = struct.unpack_from("<xQ", left)
                each["answers"] += left[9:9 + size]
                left = left[9 + size:]
        return heard

    def answers(self, calls: bytes, *expected: bytes) -> None:
        heard, = self.talk(calls + CLOSING)
        self.assertEqual((heard["error"], heard["closed"]), ("", True))
        self.assertEqual(heard["answers"], b"".join(expected) + message((1, 1)))

    def test_gives_back_what_is_written(self) -> None:
        data = b"d" * 3000
        self.answers(to_card(BANK + 4096, data) + to_host(BANK + 4096, 3000), message((1, 3000)),
                     message((1, 3000), (2, data)))

    def test_begins_a_transfer_at_the_buffer_and_its_offset(self) -> None:
        """The shim gives the address of the buffer and, separately, the offset of a transfer in it."""
        self.answers(to_card(BANK + 8192, b"abcdef", 3) + to_host(BANK + 8195, 6) + to_host(BANK + 8192, 2, 4),
                     message((1, 6)), message((1, 6), (2, b"abcdef")), message((1, 2), (2, b"bc")))

    def test_ends_the_run_for_a_transfer_outside_of_the_banks_and_moves_nothing(self) -> None:
        calls = [call + CLOSING for address in (0, BANK - 1, BANKS_END - 1, BANKS_END, 1 << 61)
                 for call in (to_card(address, b"ab"), to_host(address, 2))]
        before, *outside, inside = self.talk(CLOSING, *calls, to_card(BANKS_END - 2, b"ab") + CLOSING)
        for each in outside:
            self.assertTrue(each["error"], each)
            self.assertEqual(each["now"], before["now"])
        self.assertEqual(inside["error"], "")

    def test_answers_an_access_to_a_register_that_is_not_there_with_false(self) -> None:
        """Among XRT's calls only this one can report an error to the program."""
        calls = write(REGISTERS + WINDOW, b"abcd") + write(REGISTERS - 4, b"abcd")
        self.answers(calls, message((1, 0)), message((1, 0)))
        self.assertEqual(self.talk(calls + CLOSING)[0]["warnings"], 2)

    def test_keeps_what_is_written_to_registers(self) -> None:
        self.answers(write(REGISTERS + 0x28, b"\1\0\0\0\2\0\0\0") + read(REGISTERS + 0x2c), message((1, 1)),
                     message((1, 1), (2, b"\2\0\0\0")))

    def test_ends_a_conversation_with_what_is_no_call_and_says_why(self) -> None:
        heard = self.talk(b"this is no header of a call", frame(7777, b""), frame(TO_CARD, b"\x0b"), frame(TO_CARD, b""),
                          to_host(BANK, PACKET + 1))
        self.assertIn("header", heard[0]["error"])
        self.assertIn("7777", heard[1]["error"])
        for each in heard:
            self.assertTrue(each["error"])

    def test_notices_a_program_that_goes_in_the_middle_of_a_message(self) -> None:
        call = to_card(BANK, b"x" * 100)
        for heard in self.talk(*(call[:length] for length in (0, 1, 14, len(call) - 1))):
            self.assertEqual((heard["closed"], heard["error"]), (False, ""))

    def test_ends_a_conversation_that_stops_in_the_middle_of_a_message(self) -> None:
        heard, = self.talk(b"\x09", flags=SILENT)
        self.assertEqual(heard["error"], "the program's XRT sent an invalid message: 1 of 14 bytes, then nothing for 5 s")

    def test_counts_transfers_between_the_registers_of_a_launch_and_its_end(self) -> None:
        """XRT's scheduler launches with the registers from 0x10 on, then the start, then polls."""
        transfer, first, start = to_card(BANK, b"abcd"), write(REGISTERS + 0x10), write(REGISTERS)
        heard = self.talk(transfer + first + start + POLL + transfer + CLOSING,
                          first + transfer + start + transfer + POLL + transfer + CLOSING)
        self.assertEqual([each["unordered"] for each in heard], [0, 2])

    def test_counts_for_a_start_that_was_queued_what_the_timeline_counts(self) -> None:
        """XRT's scheduler may have queued a start while the kernel ran; a start written by the program was not queued."""
        run = yaml.safe_load(self.ok("show", str(ROOT / "tests/hosts/card.yaml"), "--yaml").out)
        costs = run["host"]["calls"][run["schedule"]["calls"]]

        def picoseconds(microseconds: float) -> int:
            return round(microseconds * 10**6)

        first, start, queued_us = write(REGISTERS + 0x10), write(REGISTERS), costs["launch_pipelined_us"]
        self.assertLess(queued_us, costs["launch_us"])
        for calls, flags, starts, writes, launch_us in ((first + start, 0, 1, 2, costs["launch_us"]),
                                                        (first + start, QUEUED, 1, 2, queued_us),
                                                        (start, QUEUED, 0, 1, costs["launch_us"])):
            before, heard = self.talk(CLOSING, calls + POLL + CLOSING, flags=flags)
            self.assertEqual(heard["starts"], starts)
            self.assertEqual(heard["register_time"] - before["register_time"],
                             writes * picoseconds(costs["register_write_us"]) + picoseconds(launch_us))

    def test_is_neither_ended_nor_hung_by_ten_thousand_random_messages(self) -> None:
        """Random bytes, random messages in valid frames, and valid calls with one change."""
        drawn = random.Random(2)
        apis = (1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 28, 34, 51, 52)
        sound = (to_card(BANK, b"abcdefgh"), to_host(BANK, 64), CLOSING, write(REGISTERS + 0x20, b"abcdefgh"),
                 read(REGISTERS + 4, 8))

        def field() -> tuple[int, int | bytes]:
            number: int = drawn.choice((drawn.getrandbits(64) >> drawn.randrange(64), REGISTERS + 4 * drawn.randrange(1, 41),
                                        BANK + drawn.randrange(1000)))  # also registers and memory that are there
            return drawn.randrange(1, 9), drawn.choice((number, drawn.randbytes(drawn.randrange(20))))

        def call() -> bytes:
            kind = drawn.randrange(4)
            if kind == 0:
                return drawn.randbytes(drawn.randrange(100))
            if kind == 1:
                return frame(drawn.choice(apis), drawn.randbytes(drawn.randrange(40)))
            if kind == 2:
                return frame(drawn.choice(apis), message(*(field() for _ in range(drawn.randrange(7)))))
            changed = bytearray(drawn.choice(sound))
            for _ in range(drawn.randrange(1, 4)):
                changed[drawn.randrange(len(changed))] = drawn.randrange(256)
            return bytes(changed)

        *heard, last = self.talk(*(call() for _ in range(10_000)), to_card(BANK, b"abcd") + to_host(BANK, 4) + CLOSING)
        self.assertGreater(sum(bool(each["answers"]) for each in heard), 500)
        self.assertGreater(sum(bool(each["error"]) for each in heard), 500)
        self.assertGreater(sum(not each["error"] and not each["closed"] for each in heard), 500)
        self.assertEqual(last["answers"], message((1, 4)) + message((1, 4), (2, b"abcd")) + message((1, 1)))


if __name__ == "__main__":
    unittest.main()
