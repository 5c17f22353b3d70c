"""The same command continues a run that was interrupted or killed: finished convolutions come from the cache."""

from __future__ import annotations

import re
import shutil
import signal
import time
import unittest

from support import Outcome, WeftTest

# Units of very different lengths; two of two groups; some units are equal.
RUN = """
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: a, channels: 3, h: 24, w: 23, filters: 8, kernel: 5, stride: 2, pad: 2},
                   {name: b, channels: 8, h: 12, w: 12, filters: 12, kernel: 3, pad: 1, groups: 2},
                   {name: c, channels: 12, h: 12, w: 12, filters: 16, kernel: 3, pad: 1},
                   {name: d, channels: 16, h: 12, w: 12, filters: 16, kernel: 3, pad: 1},
                   {name: e, channels: 16, h: 12, w: 12, filters: 16, kernel: 3, pad: 1},
                   {name: f, channels: 16, h: 12, w: 12, filters: 24, kernel: 1}]}
batch: 2
rung: systemc
"""
# The suite has WEFT_CACHE=none: no cache unless an option names one.
ALONE = ["run", "r.yaml", "--out", "r"]
CACHED = [*ALONE, "--workers", "1", "--cache", "cache"]


class Interrupt(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("r.yaml", RUN)
        self.out, self.cache = self.folder / "r", self.folder / "cache"

    def remove(self) -> None:
        """Removes the result and the cache."""
        for folder in (self.out, self.cache):
            shutil.rmtree(folder, ignore_errors=True)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.out.iterdir()}

    def signalled(self, command: list[str], after: float, number: int) -> Outcome:
        running = self.start(*command)
        time.sleep(after)
        running.process.send_signal(number)
        return running.wait()

    def whole(self, *more: str) -> dict[str, bytes]:
        """The whole result of a run without a cache, which is removed; `took`: its seconds."""
        start = time.monotonic()
        self.ok(*ALONE, *(more or ("--workers", "1")))
        self.took = time.monotonic() - start
        files = self.files()
        self.remove()
        return files

    def interrupted(self, command: list[str]) -> str:
        """The errors of a command that was interrupted when some, not all, of its convolutions were finished. An attempt
        that was too late restores r."""
        earlier = self.files() if self.out.exists() else None
        share = 0.6
        while True:
            shutil.rmtree(self.cache, ignore_errors=True)
            outcome = self.signalled(command, share * self.took, signal.SIGINT)
            if outcome.code == 0:
                self.remove()
                for name, content in (earlier or {}).items():
                    self.write(f"r/{name}", "").write_bytes(content)
            finished = re.search("interrupted with ([0-9]+) of", outcome.err)
            if outcome.code == 130 and finished and finished[1] != "0":
                return outcome.err
            share = 0.9 if share < 0.1 else share * 0.97

    def goes_on(self, expected: dict[str, bytes], command: list[str], says: str | None) -> None:
        """Expects the whole result, and that the command says so, or without `says`, that it reads nothing."""
        err = self.ok(*command).err
        if says:
            self.assertIn(says, err)
        else:
            self.assertNotIn("read from the cache", err)
        self.assertEqual(self.files(), expected)

    def test_at_any_moment_the_same_command_goes_on_to_the_same_bytes(self) -> None:
        """Also for SIGKILL, which cannot be handled."""
        went_on = 0
        for workers in "15":
            command = [*ALONE, "--cache", "cache", "--workers", workers]
            expected = self.whole("--workers", workers)
            self.assertEqual(len(expected), 3)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                for share in (0.0, 0.6, 0.9):
                    self.remove()
                    outcome = self.signalled(command, share * self.took, number)
                    if outcome.code == 0:  # the run was complete
                        continue
                    self.assertIn(outcome.code, (-number, 128 + number), outcome.err)
                    self.assertEqual(outcome.out, "")
                    if self.out.exists():  # the signal came after the result and before the exit
                        self.assertEqual(self.files(), expected, "nothing of a result, or all of it")
                        continue
                    if number != signal.SIGKILL and outcome.err:
                        self.assertIn(" of 17 convolutions finished; the same command continues\n", outcome.err)
                    kept = any(self.cache.rglob("*.row"))
                    err = self.ok(*command).err
                    self.assertEqual(self.files(), expected, (number, share, workers))
                    if kept:
                        went_on += 1
                        self.assertIn(" of 17 convolutions read from the cache", err)
        self.assertGreater(went_on, 0)

    def test_only_what_is_missing_is_simulated(self) -> None:
        expected = self.whole()
        finished = re.search("with ([0-9]+) of 17", self.interrupted(CACHED))[1]
        self.goes_on(expected, CACHED, f"weft: {finished} of 17 convolutions read from the cache")

    def test_only_the_same_run_goes_on(self) -> None:
        """A changed key, another rung or another mode reuses nothing."""
        self.whole()
        self.interrupted(CACHED)
        for change in (["--set", "kernel.array.x=8"], ["--set", "batch=3"], ["--set", "mode=data"], ["--rung", "exact"]):
            self.assertNotIn("read from the cache", self.ok(*CACHED, *change).err, change)

    def test_a_damaged_entry_is_simulated_again(self) -> None:
        expected = self.whole()
        self.interrupted(CACHED)
        for entry in self.cache.rglob("*.row"):
            content = entry.read_bytes()
            entry.write_bytes(content[:-20] + b"x" + content[-19:])
        self.goes_on(expected, CACHED, None)

    def test_a_run_with_data_goes_on(self) -> None:
        """In data mode, with random numbers for each convolution."""
        command = [*CACHED, "--set", "mode=data"]
        expected = self.whole("--workers", "1", "--set", "mode=data")
        self.interrupted(command)
        self.goes_on(expected, command, "read from the cache")
        self.assertNotIn("read from the cache", self.ok(*command, "--set", "seed=77").err)

    def test_it_has_the_activity_of_all_its_convolutions(self) -> None:
        expected = self.whole("--workers", "1", "--activity", "a.csv")
        activity = self.text("a.csv")
        self.whole()
        command = [*CACHED, "--activity", "a.csv"]
        self.interrupted(command)
        self.ok(*command)
        self.assertEqual(self.files(), expected)
        self.assertEqual(self.text("a.csv"), activity)

    def test_leaves_an_earlier_result_as_it_was(self) -> None:
        self.whole()
        self.ok(*ALONE)
        earlier = self.files()
        self.interrupted(CACHED)
        self.assertEqual(self.files(), earlier)

    def test_says_where_the_same_command_starts_anew(self) -> None:
        self.whole()
        self.write("file", "")
        for more, why in (([], "there is no cache"),  # WEFT_CACHE=none
                          (["--no-cache"], "there is no cache"),
                          (["--cache", "file/folder"], "the cache cannot be written"),
                          (["--cache", "cache", "--waves", "w.fst"], "no cache is used with --waves")):
            said = self.interrupted([*ALONE, "--workers", "1", *more])
            self.assertIn(f"{why}, so the same command starts from the beginning\n", said)
            self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
