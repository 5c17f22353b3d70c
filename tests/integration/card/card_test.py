"""Host programs on the card, started like users' programs: XRT's own libraries, the programs of tests/hosts, weft card."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import struct
import time
import unittest
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partialmethod
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from support import ROOT, Background, Outcome, WeftTest, children_of, eventually, run, sets

CARD = str(ROOT / "tests/hosts/card.yaml")
RELAY = "weft_card_relay"
# Prints the folder of the run and then becomes the program.
SHOWN = ("/bin/sh", "-c", 'echo "$USER"; exec "$@"', "sh")
GW = ("--set", "kernel.variant=gw", "--set", "convolution.kind=GW")
# Tests of single faults measure five seconds; many faults in turn need more on a busy machine.
NOT_FOR_EVER = 60


def host(name: str) -> str:
    return f"{os.environ['WEFT_BUILD_DIR']}/tests/hosts/host_{name}"


def content_of(path: str | Path) -> str:
    """The text of a file in /proc; empty if its process has ended."""
    try:
        return Path(path).read_bytes().decode(errors="replace")
    except OSError:
        return ""


class Summary(NamedTuple):
    """The summary line at the end of a run."""

    simulated: str  # seconds, with all digits
    line: str


class Running(NamedTuple):
    """A run under way whose program has printed that it has the card, or a given number of lines."""

    weft: Background
    card: int
    program: int
    folder: Path


class CardTest(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.mark = f"WEFT_TEST_MARK={self.folder}"
        self.environment = dict([self.mark.split("=")])

    def marked(self) -> list[int]:
        """The processes that have inherited the mark of the test in their environment."""
        return [int(process.name) for process in Path("/proc").glob("[0-9]*")
                if self.mark in content_of(process / "environ") and ") Z" not in content_of(process / "stat")]

    def named(self, name: str) -> int:
        """The process of a run with this name; 0 if there is none."""
        return next((each for each in self.marked() if content_of(f"/proc/{each}/comm") == name + "\n"), 0)

    def on_card(self, *program: str, options: tuple[str, ...] = ()) -> Outcome:
        """Runs a program on the card; afterwards no process or file of the run may be left."""
        outcome = self.weft("card", CARD, *options, "--", *SHOWN, *program)
        self.ended = time.monotonic()
        folder, _, rest = outcome.out.partition("\n")
        self.assertTrue(folder, outcome.err)
        self.assertFalse(Path("/tmp", folder).exists(), folder)
        self.assertEqual(self.marked(), [])
        return outcome._replace(out=rest)

    def xclbin(self, name: str = "card.xclbin", *options: str) -> str:
        self.ok("card", CARD, "--xclbin", name, *options)
        return str(self.folder / name)

    def summary(self, err: str) -> Summary:
        found = re.findall(r"^(weft: card: ([0-9]+\.[0-9]{12}) s simulated in .*)$", err, re.M)
        self.assertTrue(found, err)
        return Summary(found[-1][1], found[-1][0])

    def one_line(self, text: str) -> None:
        self.assertEqual(text.count("\n"), 1, text)

    @contextlib.contextmanager
    def within(self, seconds: float = 5) -> Iterator[None]:
        begin = time.monotonic()
        yield
        self.assertLess(time.monotonic() - begin, seconds)

    def begin(self, *program: str, options: tuple[str, ...] = (), lines: int = 2) -> Running:
        weft = self.start("card", CARD, *options, "--", *SHOWN, *program)
        self.assertTrue(eventually(lambda: len(weft.printed().out.splitlines()) >= lines), weft.printed())
        found: dict[bool, int] = {}

        def both() -> bool:
            """The card's process gets its name some time after its fork."""
            found.clear()
            found.update((content_of(f"/proc/{child}/comm") == "weft-card\n", child)
                         for child in children_of(weft.process.pid))
            return len(found) == 2

        self.assertTrue(eventually(both))
        return Running(weft, found[True], found[False], Path("/tmp", weft.printed().out.splitlines()[0]))

    def all_gone(self, running: Running) -> bool:
        """When a process ends, its environment disappears before its files are closed, and its first thread may be a zombie
        while another still holds them (the lock of the folder): known processes are watched to the end of all threads."""
        def gone(process: int) -> bool:
            stat = content_of(f"/proc/{process}/stat")
            return not stat or ") Z" in stat and len(list(Path(f"/proc/{process}/task").glob("*"))) <= 1

        return eventually(lambda: not self.marked() and
                          all(map(gone, (running.weft.process.pid, running.card, running.program))), 5)

    def assert_gone(self, running: Running, why: str) -> None:
        """Expects that no process or file is left, and one line with the reason."""
        self.assertTrue(self.all_gone(running))
        errors = running.weft.printed().err
        self.one_line(errors)
        self.assertIn(why, errors)
        self.assertFalse(running.folder.exists())


class Hosts(CardTest):
    """Results of programs, with values through every FIFO and fast."""

    def computes(self, program: str) -> None:
        file = self.xclbin()
        simulated = set()
        for execution in ("fast", "data"):
            outcome = self.on_card(host(program), file, options=("--execution", execution))
            self.assertEqual(outcome.code, 0, outcome.err)
            self.one_line(outcome.out)
            self.one_line(outcome.err)
            end = self.summary(outcome.err)
            if program != "no_wait":
                self.assertNotIn("not repeatable", end.line)
                simulated.add(end.simulated)
        self.assertLessEqual(len(simulated), 1)

    test_each_kind = partialmethod(computes, "each_kind")
    test_in_flight = partialmethod(computes, "in_flight")
    test_no_wait = partialmethod(computes, "no_wait")
    test_refused = partialmethod(computes, "refused")
    test_transfers = partialmethod(computes, "transfers")
    test_ways_to_wait = partialmethod(computes, "ways_to_wait")
    test_opencl = partialmethod(computes, "opencl")


class Card(CardTest):
    # WEFT_CARD_REPEATS=20 repeats as often as the project promises.
    repeats = int(os.environ.get("WEFT_CARD_REPEATS", "3"))

    def test_the_time_of_a_program_that_does_not_wait_is_said_not_to_be_repeatable(self) -> None:
        """Holds in every run, also if XRT's thread ended long before: the program's own order decides."""
        file = self.xclbin()
        for calls, more in (("400 calls", []), ("2 calls", ["late"])):
            for _ in range(self.repeats):
                outcome = self.on_card(host("no_wait"), file, *more)
                self.assertEqual(outcome.code, 0, outcome.err)
                self.assertIn(f"; the time is not repeatable: {calls} while", outcome.err)
                # This machine decides whether a transfer meets a kernel that runs.
                for waited in re.findall(r"\d+ transfers? waited [^;]*", outcome.err):
                    self.assertRegex(waited, r"^\d+ transfers? waited \d+\.\d{12} s for a kernel in the same bank$")

    def test_threads_that_are_joined_before_the_next_have_a_fixed_order(self) -> None:
        file = self.xclbin()
        ends = {self.summary(self.on_card(host("each_kind"), file, *more).err) for more in ([], ["threads"])}
        self.assertEqual(len({end.simulated for end in ends}), 1, ends)
        for end in ends:
            self.assertNotIn("not repeatable", end.line)

    def test_two_xclbins_in_turn_are_four_reconfigurations(self) -> None:
        outcome = self.on_card(host("two_xclbins"), self.xclbin("fgi.xclbin", "--set", "kernel.variant=fgi"),
                               self.xclbin("gw.xclbin", *GW), options=("--check", "100"))
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertIn("4 launches, 4 reconfigurations", outcome.err)

    def test_programs_that_wait_end_at_the_same_picosecond_in_every_run(self) -> None:
        file, gw = self.xclbin(), self.xclbin("gw.xclbin", *GW)
        for name in ("each_kind", "in_flight", "refused", "transfers", "ways_to_wait", "opencl", "two_xclbins"):
            simulated = set()
            for _ in range(self.repeats):
                outcome = self.on_card(host(name), file, *([gw] if name == "two_xclbins" else []))
                self.assertEqual(outcome.code, 0, outcome.err)
                end = self.summary(outcome.err)
                self.assertNotIn("not repeatable", end.line)
                simulated.add(end.simulated)
            self.assertEqual(len(simulated), 1, name)

    def test_the_transcript_has_every_call_in_its_order_and_ends_at_the_simulated_time(self) -> None:
        outcome = self.on_card(host("each_kind"), self.xclbin(), options=("--transcript", "calls.csv"))
        self.assertEqual(outcome.code, 0, outcome.err)
        text = self.text("calls.csv")
        self.assertTrue(text.startswith("call,address,bytes,data,start_ps,end_ps,why\n"), text[:80])
        calls = list(csv.DictReader(io.StringIO(text)))
        self.assertGreaterEqual(len(calls), 200)
        last = latest = 0
        for call in calls:
            start, end = int(call["start_ps"]), int(call["end_ps"])
            self.assertIsNotNone(call["why"], call)
            self.assertLessEqual(last, start, call)
            self.assertLessEqual(start, end, call)
            last, latest = start, max(latest, end)
        count = Counter(call["call"] for call in calls)
        for name, number in {"load": 1, "launch": 6, "H2C": 12, "C2H": 6, "register write": 6 * 35}.items():
            self.assertEqual(count[name], number, name)
        self.assertEqual(f"{latest // 10**12}.{latest % 10**12:012}", self.summary(outcome.err).simulated)

    def test_the_exit_code_is_the_programs_and_its_streams_are_its_own(self) -> None:
        outcome = self.on_card("/bin/sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((outcome.code, outcome.out), (7, "out\n"))
        self.assertTrue(outcome.err.startswith("err\n"), outcome.err)
        self.assertEqual(outcome.err.count("\n"), 2, outcome.err)
        self.assertEqual(self.on_card("/bin/sh", "-c", "kill -USR1 $$").code, 128 + signal.SIGUSR1)
        missing = self.weft("card", CARD, "--", "./no-such-program")
        self.assertEqual(missing.code, 2)
        self.one_line(missing.err)
        self.assertIn("no-such-program", missing.err)

    def test_what_a_program_leaves_running_ends_with_it(self) -> None:
        self.assertEqual(self.on_card("/bin/sh", "-c", "sleep 1000 & setsid sleep 1000 & exit 0").code, 0)

    def test_programs_may_come_one_after_the_other(self) -> None:
        outcome = self.on_card("/bin/sh", "-c", '"$0" "$1" && "$0" "$1"', host("each_kind"), self.xclbin())
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertIn("12 launches, 2 reconfigurations", outcome.err)

    # --- xclbins

    def test_an_xclbin_is_the_same_wherever_it_is_written(self) -> None:
        self.assertEqual(Path(self.xclbin("one.xclbin")).read_bytes(), Path(self.xclbin("two.xclbin")).read_bytes())

    def test_a_folder_gets_the_xclbins_of_a_run_and_an_index(self) -> None:
        self.ok("card", "resnet20-u250", "--xclbin", "resnet20/",
                *sets(*(f"kernel.{size}=shared" for size in ("z", "z_channel", "k_range", "kern_words", "out_words"))))
        index = json.loads(self.text("resnet20/index.json"))
        self.assertEqual(len(index["xclbins"]), 2)
        of_kind: dict[str, set[str]] = defaultdict(set)
        for each in index["convolutions"]:
            self.assertTrue((self.folder / "resnet20" / each["xclbin"]).exists(), each)
            of_kind[each["kind"]].add(each["xclbin"])
        self.assertEqual([len(of_kind[kind]) for kind in ("F", "GW")], [1, 1])
        self.assertEqual(of_kind["GI"], of_kind["F"])
        self.assertNotEqual(of_kind["GW"], of_kind["F"])

    def test_one_file_for_a_run_of_several_kernels_is_refused_with_what_to_do(self) -> None:
        error = self.refused("card", "resnet20-u250", "--xclbin", "one.xclbin", says="one.xclbin/")
        self.assertIn("`shared`", error)

    def test_wrong_options_are_refused(self) -> None:
        for options in ([],
                        ["--execution", "slow", "--", "true"],
                        ["--check", "101", "--", "true"],
                        ["--check", "5", "--execution", "data", "--", "true"],
                        ["--transcript", "no/such/folder", "--", "true"],
                        ["--transcript", "t.csv", "--xclbin", "a.xclbin"],
                        ["--xclbin", "no/such/a.xclbin"]):
            self.refused("card", CARD, *options)

    # --- faults: one clear line within five seconds, nothing left

    def test_a_program_that_is_killed_while_the_kernel_runs_leaves_nothing(self) -> None:
        """The card is in the middle of a launch, and cannot react before its end."""
        running = self.begin(host("faults"), self.xclbin(), "compute", options=("--execution", "data"), lines=3)
        time.sleep(0.2)
        with self.within():
            os.kill(running.program, signal.SIGKILL)
            self.assertEqual(running.weft.wait().code, 128 + signal.SIGKILL)
        self.assert_gone(running, "the program ended (signal 9")
        self.assertIn("while the kernel ran", running.weft.printed().err)

    def test_a_card_that_is_killed_takes_the_program_with_it(self) -> None:
        running = self.begin(host("faults"), self.xclbin(), "poll")
        with self.within():
            os.kill(running.card, signal.SIGKILL)
            self.assertEqual(running.weft.wait().code, 1)
        self.assert_gone(running, "the card was ended by signal 9")

    def test_a_launcher_that_is_killed_takes_all_with_it(self) -> None:
        running = self.begin(host("faults"), self.xclbin(), "poll")
        os.kill(running.weft.process.pid, signal.SIGKILL)
        self.assert_gone(running, "weft was killed")

    def test_what_is_left_if_all_are_killed_goes_with_the_next_run(self) -> None:
        file = self.xclbin()
        running = self.begin(host("faults"), file, "poll")
        launcher = running.weft.process.pid
        os.kill(launcher, signal.SIGSTOP)  # so that it cannot clean up
        self.assertTrue(eventually(lambda: ") T " in content_of(f"/proc/{launcher}/stat")))
        for process in (running.card, launcher):
            os.kill(process, signal.SIGKILL)
        self.assertTrue(self.all_gone(running))
        # No process could remove the folder; the next run on this machine may.
        self.assertEqual(self.on_card(host("each_kind"), file).code, 0)
        self.assertFalse(running.folder.exists())

    # --- killed and stopped processes

    def test_a_relay_that_is_killed_ends_the_run_and_is_named(self) -> None:
        file = self.xclbin()
        for what in ("poll", "wait", "compute"):
            running = self.begin(host("faults"), file, what, options=("--execution", "data"))
            self.assertTrue(eventually(lambda: self.named(RELAY) != 0))
            relay = self.named(RELAY)
            with self.within():
                os.kill(relay, signal.SIGKILL)
                self.assertEqual(running.weft.wait().code, 1)
            self.assert_gone(running, f"(process {relay}) was killed")

    def test_stopped_processes_go_on_and_killed_ones_end_the_run(self) -> None:
        """WEFT_CARD_STOPS=500 draws 500 processes, acts and moments; the first twelve have each process and act once."""
        file = self.xclbin()
        names = ("weft", "weft-card", RELAY, "host_each_kind")
        drawn = random.Random(31)
        for i in range(int(os.environ.get("WEFT_CARD_STOPS", "12"))):
            name, act = names[i % 4], ("stop", "kill", "stop and kill")[i // 4 % 3]
            delay, pause = 0.6 * drawn.random(), 0.3 if i < 12 else 5 * drawn.random()
            with self.subTest(draw=i, name=name, act=act, delay=delay, pause=pause):
                self.disturb(file, name, act, delay, pause)

    def disturb(self, file: str, name: str, act: str, delay: float, pause: float) -> None:
        """Hosts in sequence: they load, compute and close repeatedly. One process is stopped, killed or both."""
        hosts = 4
        running = self.begin("/bin/sh", "-c", 'for i in 1 2 3 4; do "$0" "$1" || exit 9; done', host("each_kind"), file, lines=1)
        time.sleep(delay)
        found = [running.weft.process.pid] if name == "weft" else []
        if not found:
            eventually(lambda: bool(found.append(self.named(name)) or found[-1]) or not running.weft.running())
        process = found[-1]
        if process == 0:
            return  # the run was over before
        with contextlib.suppress(ProcessLookupError):
            if act != "kill":
                os.kill(process, signal.SIGSTOP)
                time.sleep(pause)
        begin = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT if act == "stop" else signal.SIGKILL)
        code = running.weft.wait().code
        self.assertTrue(self.all_gone(running))
        log, errors = running.weft.printed()[1:]
        ended = log.count("\n") == 1 + hosts  # it was killed when it was no longer needed
        if name == "weft" and act != "stop" and ended:
            return  # the next run removes its folder
        self.assertFalse(running.folder.exists())
        if act == "stop" or (ended and code == 0):
            self.assertEqual(code, 0, errors)
            self.assertEqual(log.count("\n"), 1 + hosts, log + errors)
            self.summary(errors)
            return
        self.assertLess(time.monotonic() - begin, NOT_FOR_EVER)
        wanted, reason = {"weft": (-signal.SIGKILL, "weft was killed"),
                          "weft-card": (1, "the card was ended by signal 9"),
                          RELAY: (1, "relay"),
                          "host_each_kind": (9, "card: ")}[name]
        self.assertEqual(code, wanted, errors)
        wrong = [line for line in errors.splitlines() if line.startswith("weft: error: ")]
        self.assertEqual(len(wrong), 0 if name == "host_each_kind" else 1, errors)
        self.assertIn(reason, errors)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to mount")
    def test_where_the_folder_for_temporary_files_may_not_be_executed_the_run_is_refused(self) -> None:
        script = 'mount -t tmpfs -o noexec tmpfs /tmp && "$@"; code=$?; ls -A /tmp; exit $code'
        with self.within(NOT_FOR_EVER):
            outcome = run("/usr/bin/unshare", "--mount", "sh", "-c", script, "sh", self.binary, "card", CARD, "--", "true",
                          folder=self.folder, environment=self.environment)
        self.assertEqual((outcome.code, outcome.out), (2, ""), outcome.err)
        self.one_line(outcome.err)
        self.assertIn("'/tmp' is mounted noexec", outcome.err)

    # --- limits of the user

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to become a user with a limit")
    def test_without_more_processes_the_run_ends_and_names_the_limit(self) -> None:
        """A user's limit of processes counts threads, including those of XRT in the program."""
        user = 64531
        file = self.xclbin()
        self.folder.chmod(0o755)
        refused = 0
        for limit in range(1, 11):
            with self.within(NOT_FOR_EVER):
                outcome = run("/usr/bin/prlimit", f"--nproc={limit}:{limit}", "setpriv", f"--reuid={user}", f"--regid={user}",
                              "--clear-groups", self.binary, "card", CARD, "--", host("each_kind"), file, folder=self.folder,
                              environment=self.environment)
            self.assertEqual(self.marked(), [], limit)
            for entry in Path("/tmp").iterdir():
                with contextlib.suppress(FileNotFoundError):
                    self.assertNotEqual(entry.lstat().st_uid, user, entry)
            if outcome.code == 0:
                continue
            refused += 1
            self.assertRegex(outcome.err, "ulimit -u|Resource temporarily unavailable")
            self.assertNotIn("packages", outcome.err)
            if limit <= 6:
                self.assertEqual(outcome.code, 1, outcome.err)
                self.one_line(outcome.err)
        self.assertGreaterEqual(refused, 6)

    # --- folders and files of the user

    def test_folders_that_weft_did_not_make_are_left_alone(self) -> None:
        running = self.begin(host("faults"), self.xclbin(), "wait")
        foreign = [Path(run("/usr/bin/mktemp", "-d", "/tmp/weft-card-XXXXXX").out.strip()) for _ in range(4)]
        for each in foreign:
            self.addCleanup(shutil.rmtree, each, ignore_errors=True)
            (each / "mine").write_text("mine\n")
        # A copy of weft's folder, with its mark.
        for entry in running.folder.iterdir():
            if entry.is_file() and not entry.is_symlink():
                shutil.copy(entry, foreign[1])
        (foreign[2] / "lock").touch()
        link = Path("/tmp/weft-card-SYMlnk")
        link.symlink_to(self.folder)
        self.addCleanup(link.unlink, missing_ok=True)
        two_days_ago = time.time() - 48 * 3600
        for each in foreign:
            os.utime(each, (two_days_ago, two_days_ago))
        self.ok("card", CARD, "--", *SHOWN, "true")
        for path in [each / "mine" for each in foreign] + [link / "card.xclbin", running.folder]:
            self.assertTrue(path.exists(), path)

    def test_files_that_weft_did_not_write_are_not_replaced(self) -> None:
        mine = "mine\n"
        folder = ("--xclbin", "folder/")
        for file, words in (("calls.csv", ("--transcript", "calls.csv", "--", "true")),
                            ("card.xclbin", ("--xclbin", "card.xclbin")),
                            ("folder/index.json", folder), ("folder/run.yaml", folder)):
            path = self.write(file, mine)
            self.refused("card", CARD, *words, says="left as it is")
            self.assertEqual(path.read_text(), mine)
            self.assertEqual(len(list((self.folder / "folder").glob("*"))), file.startswith("folder"))
            path.unlink()
        # Another program's xclbin, which took hours.
        (self.folder / "other.xclbin").write_bytes(b"xclbin2\0" + b"\1" * 5000)
        self.refused("card", CARD, "--xclbin", "other.xclbin")
        # weft's own files are replaced, and other files stay.
        self.write("folder/notes", mine)
        for _ in range(2):
            self.ok("card", CARD, *folder)
            self.xclbin("twice.xclbin")
        self.assertEqual(self.text("folder/notes"), mine)

    def test_interrupts_are_the_programs_and_the_run_ends_in_order(self) -> None:
        running = self.begin(host("faults"), self.xclbin(), "wait")
        running.weft.process.send_signal(signal.SIGINT)
        outcome = running.weft.wait()
        self.assertEqual(outcome.code, 128 + signal.SIGINT)
        self.summary(outcome.err)
        self.assertTrue(self.all_gone(running))
        self.assertFalse(running.folder.exists())

    def test_a_second_program_at_the_same_time_is_refused(self) -> None:
        """The first program continues, and its results stay right."""
        outcome = self.on_card("/bin/sh", "-c", """
"$0" "$2" wait >first & first=$!
until grep -q ready first; do sleep 0.05; done
"$1" "$2"; echo "second $?"
kill -0 $first && echo 'first goes on'
kill $first; wait $first
exit 0""", host("faults"), host("each_kind"), self.xclbin())
        self.assertEqual(outcome.out, "second 137\nfirst goes on\n", outcome.err)
        self.assertIn("weft: error: card: another program has the card", outcome.err)

    def test_card_runs_at_the_same_time_have_a_card_each(self) -> None:
        file = self.xclbin()
        running = self.begin(host("faults"), file, "wait")
        self.ok("card", CARD, "--", *SHOWN, host("each_kind"), file)
        self.assertTrue(running.weft.running())

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to become somebody else")
    def test_another_user_does_not_reach_the_card(self) -> None:
        """Another user tries to connect to all endpoints of the run."""
        running = self.begin(host("faults"), self.xclbin(), "wait")

        def connects(path: Path, user: int) -> int:
            """0, or the number of the error: 13 if access is denied."""
            connect = "import socket, sys; sys.exit(socket.socket(socket.AF_UNIX).connect_ex(sys.argv[1]))"
            return run("/usr/bin/setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "/usr/bin/python3", "-c",
                       connect, path).code

        sockets = [path for path in running.folder.iterdir() if path.is_socket()]
        self.assertGreaterEqual(len(sockets), 2)
        for path in sockets:
            self.assertEqual(connects(path, 65534), 13, path)
        self.assertEqual(connects(running.folder / "card", 0), 0)


class Clock(CardTest):
    """The time that programs see is that of the transcript and of the last line."""

    def calls(self) -> list[dict[str, Any]]:
        """Transfers and launches of the transcript, with their numbers."""
        return [call | {key: int(call[key]) for key in ("bytes", "start_ps", "end_ps")}
                for call in csv.DictReader(io.StringIO(self.text("calls.csv")))
                if call["call"] in ("H2C", "C2H", "launch")]

    def ends_at(self, outcome: Outcome) -> None:
        last = max(call["end_ps"] for call in self.calls())
        self.assertEqual(f"{last // 10**12}.{last % 10**12:012}", self.summary(outcome.err).simulated)

    def test_a_native_program_asks_the_card(self) -> None:
        outcome = self.on_card(host("clock"), self.xclbin(), options=("--transcript", "calls.csv"))
        self.assertEqual(outcome.code, 0, outcome.err)
        told = [line.split() for line in outcome.out.splitlines()[:-1]]
        self.assertEqual([what for what, _ in told], ["load", "H2C", "launch", "C2H", "H2C"])
        of_calls = [str(call["end_ps"]) for call in self.calls()]
        self.assertEqual([time for _, time in told[1:]], of_calls[1:])  # of the first two transfers only the second
        self.ends_at(outcome)

    def test_without_a_card_there_is_no_clock(self) -> None:
        self.assertEqual(run(host("clock"), "none.xclbin").out, "no clock\n")

    def events(self, seed: int) -> int:
        """Compares the events of a random program with the transcript; returns their number."""
        outcome = self.on_card("/usr/bin/python3", str(ROOT / "tests/hosts/events.py"), str(self.folder / "card.xclbin"),
                               str(seed), options=("--transcript", "calls.csv", "--strict"))
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertNotIn("not repeatable", outcome.err)
        calls = iter(self.calls())
        events = [json.loads(line) for line in outcome.out.splitlines() if line.startswith("[")]
        for name, size, queued, submitted, start, end in events:
            self.assertEqual((queued, submitted), (start, start))
            if start == end:  # data that XRT keeps in the host's memory
                continue
            call = next(each for each in calls if each["start_ps"] // 1000 == start)  # after buffers that XRT moves by itself
            while call["end_ps"] // 1000 < end:
                call = next(calls)
            self.assertEqual(call["end_ps"] // 1000, end)
            kind = {"launch": "launch", "read": "C2H"}.get(name, "H2C")
            self.assertEqual((call["call"], call["bytes"]), (kind, call["bytes"] if name == "migrate" else size))
        self.ends_at(outcome)
        # A call begins where the one before ends, a launch after the 35 writes of its registers and the library's share.
        costs = self.run_of_card["host"]["calls"][self.run_of_card["schedule"]["calls"]]
        before_launch = round((35 * costs["register_write_us"] + costs["launch_us"]) * 10**6)
        calls_of_run = self.calls()
        for before, after in zip(calls_of_run, calls_of_run[1:]):
            self.assertEqual(after["start_ps"] - before["end_ps"], before_launch if after["call"] == "launch" else 0)
        times = {(call["call"], call["bytes"], call["address"][-3:]): call["end_ps"] - call["start_ps"]
                 for call in calls_of_run if call["call"] != "launch"}
        for call, time_ps in times.items():  # the same transfer takes the same time in all programs
            self.assertEqual(self.times.setdefault(call, time_ps), time_ps)
        return len(events)

    def test_events_of_opencl_have_the_nanoseconds_of_the_transcript(self) -> None:
        """WEFT_CARD_HOSTS=100 takes 100 random programs (a minute)."""
        self.xclbin()
        self.times: dict[tuple[str, int, str], int] = {}
        self.run_of_card = yaml.safe_load(self.ok("show", CARD, "--yaml").out)
        hosts = int(os.environ.get("WEFT_CARD_HOSTS", "5"))
        self.assertGreater(sum(self.events(seed) for seed in range(hosts)), 5 * hosts)


class Clients(CardTest):
    """Programs of others, which know nothing of weft."""

    def test_clinfo_lists_the_card(self) -> None:
        outcome = self.on_card("clinfo")
        self.assertEqual(outcome.code, 0, outcome.err)
        for line in (r"Number of devices +1", r"Platform Version +OpenCL 1.0 XRT", r"Device Version +OpenCL 1.0 XRT", r"Device Name +xilinx_u250_gen3x16_xdma",
                     r"Global memory size +68719476736 \(64GiB\)"):
            self.assertRegex(outcome.out, line)

    def test_pyopencl_is_told_of_commands_that_wait_for_nothing(self) -> None:
        """The program waits for its writes alone: a launch or two, and a read next to them."""
        outcome = self.on_card("/usr/bin/python3", str(ROOT / "tests/hosts/events.py"), self.xclbin(), "unordered")
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertRegex(outcome.err, r"weft: warning: card: call [0-9]+ \(launch 1\): OUT was read back before the program had")
        self.assertRegex(outcome.err, "the time is not repeatable: [0-9]+ calls? while the program had not waited")


class Ends(CardTest):
    """Programs that end between the start of a launch and the wait. WEFT_CARD_ENDS=1000 runs 1,000 of them, and allows each a
    second; WEFT_CARD_SEED draws others."""

    def test_as_programmed_with_the_output_of_the_program_and_a_time_that_is_repeatable_or_said_not_to_be(self) -> None:
        file = self.xclbin()
        codes = {"return": 5, "throw": 6, "exit": 7, "abort": 128 + signal.SIGABRT, "signal": 128 + signal.SIGTERM}
        ways = [(interface, how, threads) for interface in ("native", "opencl") for how in codes for threads in (1, 4)]
        drawn = random.Random(os.environ.get("WEFT_CARD_SEED", "1"))
        simulated: dict[str, set[str]] = defaultdict(set)
        for i in range(int(os.environ.get("WEFT_CARD_ENDS", "40"))):
            interface, how, threads = ways[i % len(ways)]
            pause = drawn.choice((0, drawn.randrange(3000)))
            with self.subTest(interface=interface, how=how, threads=threads, pause=pause):
                outcome = self.on_card(host("ends"), file, interface, how, str(threads), str(pause))
                ended, *errors = (line for line in outcome.err.splitlines() if not line.startswith("weft: warning: "))
                self.assertEqual(outcome.code, codes[how], outcome.err)
                self.assertLess(self.ended - float(ended), 1 if "WEFT_CARD_ENDS" in os.environ else NOT_FOR_EVER)
                killed = outcome.code > 128
                self.assertEqual(outcome.out, "" if killed else f"ends: {how}\n" +
                                 ("ends: the program's own\n" if how == "throw" else ""))
                self.assertEqual(len(errors), 2 if killed else 1, outcome.err)
                end = self.summary(outcome.err)
                self.assertEqual("not repeatable" in end.line, killed or threads > 1, end.line)
                if not killed and threads == 1:
                    simulated[interface].add(end.simulated)
        self.assertEqual([len(each) for each in simulated.values()], [1, 1], simulated)


class FaultyProgram(CardTest):
    """One clear line, and soon."""

    def ends(self, what: str, code: int, *said: str) -> None:
        file = self.xclbin()
        with self.within():
            outcome = self.on_card(host("faults"), file, what)
        self.assertEqual(outcome.code, code, outcome.err)
        for text in said:
            self.assertIn(text, outcome.err)
        if code == 2:
            self.one_line(outcome.err)

    test_die = partialmethod(ends, "die", 128 + signal.SIGKILL, "the program was ended by signal 9")
    test_full = partialmethod(ends, "full", 1, "faults: std::bad_alloc", "simulated in")
    test_kernel = partialmethod(ends, "kernel", 1, "No such kernel 'gemm'")
    test_twice = partialmethod(ends, "twice", 0, "weft: warning: card: a start of the kernel was ignored", "2 launches")
    test_register = partialmethod(ends, "register", 1, "outside kernel register space")
    test_address = partialmethod(ends, "address", 2, "INP_BASE is 0x9000000000")
    test_kind9 = partialmethod(ends, "kind9", 2, "KIND is 9; 0 (F), 1 (GI) and 2 (GW) are allowed")
    test_bits = partialmethod(ends, "bits", 2, "INP_H is 0x10009; it has 16 bits, and those beyond must be 0")
    test_refused = partialmethod(ends, "refused", 0, "; 1 launch refused, the first call 3 (launch 1): F A 1 N_INP 0 ",
                                 ": refused, STATUS 2: a size, stride, dilation or count is zero\n")

    def warns(self, what: str, *said: str) -> None:
        """One warning with the number of the call for each text, and exit code 1 with --strict."""
        file = self.xclbin()
        for options, code in ((), 0), (("--strict",), 1):
            outcome = self.on_card(host("faults"), file, what, options=options)
            self.assertEqual(outcome.code, code, outcome.err)
            # The read that is too early may come before the launch, or after it.
            *warnings, end = outcome.err.replace("call 5 (launch 2)", "call 4 (launch 2)").splitlines()
            self.assertEqual(warnings, [f"weft: warning: card: call {text}" for text in said])
            self.assertIn(f"; {len(said)} warning{'s' if len(said) > 1 else ''}", end)

    test_unwritten = partialmethod(warns, "unwritten", "3 (launch 1): reads 1544 bytes that nobody has written, of the 1944 "
                                   "bytes of the tensor at INP_BASE 0x4000000000")
    test_unset = partialmethod(
        warns, "unset", "3 (launch 1): argument 26 (OUT_PITCH_N) was never set, so that the kernel takes 0",
        "3 (launch 1): OUT_PITCH_N is 0, so that the 2 images of OUT overlap; each has 648 words")
    test_pitch0 = partialmethod(
        warns, "pitch0", "3 (launch 1): OUT_PITCH_N is 0, so that the 2 images of OUT overlap; each has 648 words")
    test_bytes = partialmethod(warns, "bytes", "3 (launch 1): OUT_PITCH_N is 2592, four times the words of an image of OUT; "
                               "pitches are in words")
    test_early = partialmethod(warns, "early", "4 (launch 2): OUT was read back before the program had waited for the launch; "
                               "the data may be older")
    test_unread = partialmethod(warns, "unread", "3 (launch 1): its OUT was never read")


def with_bitstream(whole: bytes, bitstream: str) -> bytes:
    """An xclbin of weft with another text for the card. The layout is that of XRT's xclbin.h: a header of 456 bytes with the
    length at 304, the UUID at 416 and the number of sections at 448; then 40 bytes for each section: kind, name, offset
    and size. weft's UUID is FNV-1a of everything after the header, once for each half."""
    count, = struct.unpack_from("<I", whole, 448)
    table, body = b"", b""
    for i in range(count):
        kind, name, offset, size = struct.unpack_from("<I16s4xQQ", whole, 456 + 40 * i)
        content = whole[offset:offset + size]
        if kind == 0:  # BITSTREAM: an archive
            archive = io.BytesIO()
            with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(archive, "w") as new:
                for entry in old.infolist():
                    new.writestr(entry, bitstream if entry.filename.endswith("/bitstream.yaml") else old.read(entry))
            content = archive.getvalue()
        table += struct.pack("<I16s4xQQ", kind, name, 456 + 40 * count + len(body), len(content))
        body += content + bytes(-len(content) % 8)
    digest, uuid = 0xcbf29ce484222325, b""
    for _ in range(2):
        for byte in table + body:
            digest = (digest ^ byte) * 0x100000001b3 % 2**64
        uuid += struct.pack("<Q", digest)
    header = bytearray(whole[:456])
    struct.pack_into("<Q", header, 304, 456 + len(table + body))
    header[416:432] = uuid
    return bytes(header) + table + body


class WrongXclbin(CardTest):
    def loaded(self, content: bytes) -> Outcome:
        """The outcome of a program that loads it; the program must end within five seconds."""
        (self.folder / "wrong.xclbin").write_bytes(content)
        with self.within():
            outcome = self.on_card(host("each_kind"), str(self.folder / "wrong.xclbin"))
        return outcome

    def refuses(self, content: bytes, code: int, *said: str) -> Outcome:
        outcome = self.loaded(content)
        self.assertEqual(outcome.code, code, outcome.err)
        for text in said:
            self.assertIn(text, outcome.err)
        return outcome

    def test_of_another_file_is_told_to_the_program(self) -> None:
        for content in (b"a text\n", b"\xff" * 10000):
            self.refuses(content, 1, "each_kind: ")

    def test_that_is_empty_is_told_to_the_program(self) -> None:
        """XRT itself would crash."""
        self.summary(self.refuses(b"", 1, "wrong.xclbin' is empty").err)

    def test_that_is_cut_off_is_told_to_the_program(self) -> None:
        whole = Path(self.xclbin()).read_bytes()
        for part in (1, 3, 7):
            self.refuses(whole[:len(whole) * part // 8], 1, "wrong.xclbin' is cut off")

    def test_that_is_a_fifo_is_told_to_the_program(self) -> None:
        os.mkfifo(self.folder / "fifo", 0o600)
        outcome = self.on_card(host("each_kind"), str(self.folder / "fifo"))
        self.assertEqual(outcome.code, 1, outcome.err)
        self.assertIn("fifo' is no regular file", outcome.err)

    def test_of_another_card_is_refused(self) -> None:
        whole = Path(self.xclbin()).read_bytes()
        with zipfile.ZipFile(io.BytesIO(whole)) as archive:
            own = archive.read("behav_waveform/xsim/bitstream.yaml").decode()
        self.assertEqual(self.loaded(with_bitstream(whole, own)).code, 0)  # the text alone makes the difference
        bitstream = "board: {}\nbanks: {}\nbytes_per_bank: 17179869184\nkernel: {{design: fpgpt}}\n"
        self.refuses(with_bitstream(whole, bitstream.format("u280", 4)), 2, "'u280'")
        self.refuses(with_bitstream(whole, bitstream.format("u250", 2)), 2, "2 banks")

    def test_of_another_design_or_of_none_is_refused(self) -> None:
        whole = Path(self.xclbin()).read_bytes()
        board = "board: u250\nbanks: 4\nbytes_per_bank: 17179869184\n"
        for bitstream in (board + "kernel: {design: gemm}\n", board + "kernel: {design: fpgpt, array: {x: 4, y: 4}}\n",
                          board, "{", ""):
            outcome = self.refuses(with_bitstream(whole, bitstream), 2)
            self.assertTrue(outcome.err.splitlines()[-1].startswith("weft: error: card: "), bitstream + outcome.err)


class DamagedXclbin(CardTest):
    def damaged(self, whole: bytes) -> list[str]:
        """Files that each differ from the intact one. WEFT_CARD_DAMAGES=200 damages 200 files."""
        drawn = random.Random(7)
        contents = {}
        for i in range(int(os.environ.get("WEFT_CARD_DAMAGES", "40"))):
            at, in_table, part = drawn.randrange(len(whole)), drawn.randrange(656), bytearray(whole)
            if i % 5 == 0:
                del part[at:]
            elif i % 5 == 1:
                part[at] ^= 1 << drawn.randrange(8)
            elif i % 5 == 2:
                part[in_table] = (part[in_table] + drawn.randrange(1, 256)) % 256
            elif i % 5 == 3:
                part[at:at + 16] = bytes(~byte & 255 for byte in part[at:at + 16])
            else:
                part[at:at] = bytes([drawn.randrange(256)]) * drawn.randrange(1, 65)
            contents[f"damaged-{i}"] = bytes(part)
        contents |= {"empty": b"", "first-bytes": whole[:179]}
        for name, content in contents.items():
            (self.folder / f"{name}.xclbin").write_bytes(content)
        return [str(self.folder / f"{name}.xclbin") for name in contents]

    def refuses(self, way: str) -> None:
        """The program survives and gets an error for each file, and one line is printed for each. The intact one is loaded."""
        intact = self.xclbin()
        files = self.damaged(Path(intact).read_bytes())
        program = [host("opencl_loads")] if way == "opencl" else [host("loads"), way]
        outcome = self.on_card(*program, *files)
        self.assertEqual(outcome.code, 0, outcome.err)
        told = outcome.out.splitlines()
        self.assertEqual(len(told), len(files))
        for file, line in zip(files, told):
            self.assertTrue(line.startswith("refused: "), file + line)
        if way == "opencl":
            self.assertEqual(told[0], "refused: -42, status -42")  # CL_INVALID_BINARY
        errors = [line for line in outcome.err.splitlines() if line.startswith("weft: error: card: ")]
        self.assertEqual(len(errors), len(files) - (way == "opencl"), outcome.err)  # OpenCL itself reports an empty file
        whole = self.on_card(*program, intact)
        self.assertEqual((whole.code, whole.out), (0, "loaded\n"), whole.err)
        self.one_line(whole.err)

    test_device_file = partialmethod(refuses, "device_file")
    test_device_memory = partialmethod(refuses, "device_memory")
    test_xclbin_file = partialmethod(refuses, "xclbin_file")
    test_xclbin_vector = partialmethod(refuses, "xclbin_vector")
    test_xclbin_memory = partialmethod(refuses, "xclbin_memory")
    test_c_file = partialmethod(refuses, "c_file")
    test_c_memory = partialmethod(refuses, "c_memory")
    test_c_name = partialmethod(refuses, "c_name")
    test_c_raw = partialmethod(refuses, "c_raw")
    test_opencl = partialmethod(refuses, "opencl")


if __name__ == "__main__":
    unittest.main()
