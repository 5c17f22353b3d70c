"""weft's cache from the command line."""

from __future__ import annotations

import signal
import struct
import time
import unittest

from support import WeftTest

RUN = """
name: two
board: u250
kernel: {extends: fpgpt-8x8-hls}
batch: 2
rung: exact
network:
  layers:
    - {name: a, channels: 3, h: 28, w: 28, filters: 8, kernel: 5, pad: 2}
    - {name: b, channels: 16, h: 14, w: 14, filters: 16, groups: 4, kernel: 3, pad: 1}
"""


class Cache(WeftTest):
    """weft runs as a user whose home is the test's folder."""

    def setUp(self) -> None:
        super().setUp()
        self.write("two.yaml", RUN)
        self.environment = {"HOME": str(self.folder), "XDG_CACHE_HOME": "", "WEFT_CACHE": ""}
        self.users = self.folder / ".cache/weft"

    def made(self, out: str, *more: str, says: str | None = None, without: str = "read from the cache") -> str:
        """The result of a run. Its errors have the text `says`, or where there is none, not the text `without`."""
        err = self.ok("run", "two.yaml", "--out", out, *more).err
        if says:
            self.assertIn(says, err)
        else:
            self.assertNotIn(without, err)
        return self.text(f"{out}/result.json")

    def test_lies_in_the_users_folder_and_changes_no_byte_of_a_result(self) -> None:
        without = self.made("a", "--no-cache", without="cache")
        self.assertFalse((self.folder / ".cache").exists())
        self.assertEqual(self.made("b", without="cache"), without)
        said = f"weft: 5 of 5 convolutions read from the cache in {self.users}"
        self.assertEqual(self.made("c", says=said), without)
        self.assertIn("/.cache/weft: 5 convolutions", self.ok("cache").out)
        self.assertIn("5 convolutions", self.ok("cache", "clear").out)
        self.assertEqual(self.made("d", without="cache"), without)

    def test_is_where_the_option_or_the_environment_says(self) -> None:
        run = ["run", "two.yaml", "--no-save"]
        self.ok(*run, "--cache", "here")
        self.ok(*run, WEFT_CACHE="none")
        self.assertFalse((self.folder / ".cache").exists())
        self.ok(*run, XDG_CACHE_HOME=str(self.folder / "xdg"))
        self.ok(*run, WEFT_CACHE=str(self.folder / "other"))
        for folder in ("here", "xdg/weft", "other"):
            self.assertTrue(list((self.folder / folder).iterdir()), folder)

    def test_serves_every_command_that_simulates(self) -> None:
        self.made("a")
        for command in (["explain", "two.yaml", "--no-save"],
                        ["run", "two.yaml", "--no-save", "--only", "b"]):
            self.assertIn("read from the cache", self.ok(*command).err, command)

    def test_is_not_used_where_something_is_verified(self) -> None:
        self.made("a")
        self.made("b", "--verify", "1")

    def test_that_is_damaged_or_cannot_be_written_costs_time_alone(self) -> None:
        without = self.made("a", "--no-cache")
        self.made("b")
        for entry in self.users.rglob("*.row"):
            entry.write_bytes(b"x" * 21 + entry.read_bytes()[21:])
        self.assertEqual(self.made("c"), without)
        self.assertEqual(self.made("d", says="5 of 5"), without, "what was damaged is replaced")
        said = self.ok("run", "two.yaml", "--no-save", WEFT_CACHE=str(self.write("file", ""))).err
        self.assertIn("these convolutions are not cached", said)

    def test_survives_kill_and_others_beside(self) -> None:
        """Runs are killed at random times while others use the cache: every remaining entry is complete."""
        without = self.made("a", "--no-cache")
        for milliseconds in range(1, 200, 20):
            running = [self.start("run", "two.yaml", "--no-save", "--cache", "shared") for _ in range(3)]
            time.sleep(milliseconds / 1000)
            for each in running:
                each.process.send_signal(signal.SIGKILL)
                each.wait()
            err = self.ok("run", "two.yaml", "--out", "b", "--cache", "shared").err
            self.assertEqual(self.text("b/result.json"), without, (milliseconds, err))
        self.assertEqual(list((self.folder / "shared").glob("*.row")), [])
        recorded, real = self.sizes("shared")
        for one, other in zip(recorded, real):
            self.assertGreaterEqual(one, other, "a killed process leaves a size too large, never one too small")

    def test_counts_its_entries_while_runs_share_it(self) -> None:
        """Runs beside each other store equal rows and others."""
        running = [self.start("run", "two.yaml", "--no-save", "--cache", "shared", "--set", f"batch={batch}")
                   for batch in (2, 2, 3, 3)]
        for each in running:
            self.assertEqual(each.wait().code, 0)
        recorded, real = self.sizes("shared")
        self.assertEqual(recorded, real)
        self.assertIn("shared: 10 convolutions", self.ok("cache", "--cache", "shared").out)

    def sizes(self, cache: str) -> tuple[list[int], list[int]]:
        """The bytes of each folder's entries: as the cache has recorded them, and as they are."""
        folder = self.folder / cache
        return (list(struct.unpack("=16q", (folder / "weft-rows.sizes").read_bytes())),
                [sum(entry.stat().st_size for entry in (folder / f"{number:x}").glob("*.row")) for number in range(16)])


if __name__ == "__main__":
    unittest.main()
