"""What the tests in Python share: a temporary folder, stand-ins for programs, and functions that start a program."""

from __future__ import annotations

import json
import os
import pty
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import termios
import time
import unittest
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "configs"
# Open MPI 4, and 5, as root, with more ranks than processors.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "OMPI_MCA_mpi_yield_when_idle": "1"}


class Outcome(NamedTuple):
    """How a program ended. A negative code is the signal that ended it."""

    code: int
    out: str
    err: str


def run(program: str | Path, *arguments: str | Path, folder: Path = ROOT, environment: dict[str, str] | None = None) -> Outcome:
    """Starts the program in `folder` and waits for its end; `environment` is added to the variables of the test.

    The output goes to files: a process that the program leaves behind may hold them open.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = subprocess.run([program, *arguments], cwd=folder, env=os.environ | (environment or {}),
                              stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False).returncode
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    return Outcome(code, *texts)


def run_on_terminal(columns: int, program: str | Path, *arguments: str, folder: Path, stream: str = "stdout",
                    environment: dict[str, str] | None = None) -> Outcome:
    """Starts the program with one stream, "stdout" or "stderr", on a terminal of `columns` columns. The other stream goes
    to a file."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, columns))
    with tempfile.TemporaryFile() as file:
        streams = {"stdout": file, "stderr": file, stream: theirs}
        process = subprocess.Popen([program, *arguments], cwd=folder, env=os.environ | (environment or {}), stdin=theirs,
                                   **streams)
        os.close(theirs)
        terminal = b""
        try:
            while part := os.read(ours, 65536):
                terminal += part
        except OSError:  # EIO: the program has ended
            pass
        os.close(ours)
        code = process.wait()
        file.seek(0)
        texts = [terminal.decode().replace("\r\n", "\n"), file.read().decode()]  # a terminal ends lines so
    return Outcome(code, *texts) if stream == "stdout" else Outcome(code, *reversed(texts))


class Background:
    """A program that runs during the test and leads a process group."""

    def __init__(self, program: str | Path, *arguments: str, folder: Path, environment: dict[str, str]) -> None:
        self.streams = [tempfile.TemporaryFile() for _ in range(2)]
        self.process = subprocess.Popen([program, *arguments], cwd=folder, env=os.environ | environment,
                                        stdin=subprocess.DEVNULL, stdout=self.streams[0], stderr=self.streams[1],
                                        process_group=0)

    def running(self) -> bool:
        return self.process.poll() is None

    def printed(self) -> Outcome:
        """The output so far, without an exit code: -1. The program may still run."""
        return Outcome(-1, *(os.pread(each.fileno(), os.fstat(each.fileno()).st_size, 0).decode() for each in self.streams))

    def wait(self) -> Outcome:
        code = self.process.wait()
        return self.printed()._replace(code=code)

    def end(self) -> None:
        """Kills the whole process group, unless the program has ended."""
        if self.running():
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for stream in self.streams:
            stream.close()


def children_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def eventually(condition: Callable[[], bool], seconds: float = 30) -> bool:
    """Polls every 10 ms. Returns True if the condition became true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor time, the system's included, of the processes that `work` starts and waits for."""
    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    work()
    return used() - before


def has_terminals() -> bool:
    """True if this machine has pseudo-terminals; a root without /dev/pts has none."""
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError:
        return False
    return True


def sets(*assignments: str) -> list[str]:
    """A --set before each of the assignments."""
    return [word for each in assignments for word in ("--set", each)]


def install(prefix: Path, *parts: str) -> Path:
    """Lays weft out as an installation does: the program in PREFIX/bin, these parts of the project as links in
    PREFIX/share/weft. Returns the program."""
    data, program = prefix / "share/weft", prefix / "bin/weft"
    for folder in (data, program.parent):
        folder.mkdir(parents=True)
    shutil.copy(os.environ["WEFT_BINARY"], program)  # no link: weft would find the binary of the build through it
    for part in parts:
        (data / part).symlink_to(ROOT / part)
    return program


class InAFolder(unittest.TestCase):
    """Each test has an empty folder, which is removed at its end. The name has spaces, as a path of a user may."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="weft test ")))
        # The file to which stand-ins for programs write their calls.
        self.calls_file = self.folder / "calls"

    def write(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def program(self, name: str, script: str) -> Path:
        """Writes a shell script; those in the folder "bin" stand for programs of the machine."""
        path = self.write(name, "#!/bin/sh\n" + script)
        path.chmod(0o700)
        return path

    def calls(self) -> str:
        return self.calls_file.read_text() if self.calls_file.exists() else ""


class WeftTest(InAFolder):
    """Each test starts weft in its own empty folder."""

    binary = os.environ["WEFT_BINARY"]
    environment: dict[str, str] = {}

    def weft(self, *arguments: str, **environment: str) -> Outcome:
        return run(self.binary, *arguments, folder=self.folder, environment=self.environment | environment)

    def start(self, *arguments: str, program: str | None = None) -> Background:
        """Starts weft, or another program, and goes on."""
        started = Background(program or self.binary, *arguments, folder=self.folder, environment=self.environment)
        self.addCleanup(started.end)
        return started

    def ok(self, *arguments: str, **environment: str) -> Outcome:
        """Expects exit code 0."""
        outcome = self.weft(*arguments, **environment)
        self.assertEqual(outcome.code, 0, f"{arguments} {outcome.err}")
        return outcome

    def json_of(self, *arguments: str) -> Any:
        """The output of a command with --format json."""
        return json.loads(self.ok(*arguments, "--format", "json").out)

    def refused(self, *arguments: str, says: str = "") -> str:
        """Expects exit code 2, no output, and one line of error that contains `says`, after any warnings. Returns it."""
        outcome = self.weft(*arguments)
        lines = [line for line in outcome.err.splitlines() if not line.startswith("weft: warning: ")]
        self.assertEqual((outcome.code, outcome.out, len(lines)), (2, "", 1), f"{arguments} {outcome.err}")
        self.assertIn(says, lines[0])
        return lines[0] + "\n"

    def text(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def result(self, folder: str) -> Any:
        return json.loads(self.text(f"{folder}/result.json"))

    def change(self, name: str, before: str, after: str) -> None:
        """Replaces the first occurrence of `before` in a file."""
        whole = self.text(name)
        self.assertIn(before, whole)
        self.write(name, whole.replace(before, after, 1))

    def listing(self) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def assert_same(self, a: list[Any], b: list[Any],
                    keys: tuple[str, ...] = ("cycles", "limiter", "blocks", "memory", "pe_cycles", "data")) -> None:
        """Compares the convolutions of two results in these keys."""
        self.assertTrue(a)
        self.assertEqual([[row.get(key) for key in keys] for row in a], [[row.get(key) for key in keys] for row in b])


class SweepCase(WeftTest):
    """Tests of sweeps and their databases."""

    def sweep(self, *arguments: str) -> Outcome:
        return self.ok("sweep", *arguments)

    def rows(self, database: str) -> str:
        """All recorded columns of points and convolutions, byte for byte."""
        show = ["show", database, "--format", "csv"]
        return self.ok(*show).out + self.ok(*show, "--convolutions").out

    def query(self, database: str, sql: str) -> list[Any]:
        """The rows that SQLite finds: values where they have one column, else tuples."""
        with closing(sqlite3.connect(f"{(self.folder / database).as_uri()}?mode=ro", uri=True)) as connection:
            found = connection.execute(sql).fetchall()
        return [row[0] if len(row) == 1 else row for row in found]

    def count(self, database: str, what: str = "FROM points") -> int:
        """The number of these rows; 0 before the database or its tables are there."""
        try:
            return self.query(database, f"SELECT count(*) {what}")[0]
        except sqlite3.OperationalError:
            return 0

    def execute(self, database: str, sql: str) -> None:
        with closing(sqlite3.connect(self.folder / database)) as connection, connection:
            connection.execute(sql)

    def write_equal(self, name: str, points: int, batch: int = 1) -> None:
        """A sweep of points of equal cost, `batch` images each on the systemc rung (about 20 ms per image)."""
        self.write(name, f"run: conv-small\nset: {{batch: {batch}}}\nspace: {{seed: {{from: 1, to: {points}, step: 1}}}}\n")


def two_layers(more: str) -> str:
    """A short run on the exact rung: a layer with a stride and one in two groups. `more`: its batch and other keys."""
    return f"""
board: u250
kernel: {{extends: fpgpt-16x16-hls, array: {{x: 7, y: 3}}}}
network: {{layers: [{{name: a, channels: 3, h: 12, w: 11, filters: 8, kernel: 5, stride: 2, pad: 2}},
                   {{name: b, channels: 8, h: 6, w: 6, filters: 12, kernel: 3, pad: 1, groups: 2}}]}}
rung: exact
{more}"""
