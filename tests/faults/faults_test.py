#!/usr/bin/env python3
"""Faults of the machine around weft: streams that cannot be written, limits, a full disk, kills and stops.

    faults_test.py [--seed S] [--cases N] [--kind KIND] [--case I]

WEFT_BINARY is the program. Each case is a command of weft and a fault, both chosen by seed, kind and case number; a failed
case prints the options that repeat it. The suite runs a few cases of each kind; 400 take some six minutes.

What must hold: a command ends with its own exit code and all its files, or with exit code 1 and one line that names what
ran out; files that were there before are as they were; nothing is left behind; the same command then succeeds, and its
files have the bytes of a run without a fault. Kinds that need root say so and are left out without it."""

import argparse
import contextlib
import dataclasses
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

WEFT = os.environ["WEFT_BINARY"]
NOBODY = 65534
PATIENCE_S = 60
SWEEP = """run: conv-small
set: {rung: analytical, batch: 1}
space: {kernel.array.x: [2, 4, 8], kernel.array.y: [2, 4, 8]}
objectives: [{minimize: convolutions_seconds}]
"""
# Words of which a message about this machine has one.
RESOURCES = re.compile(r"ulimit|disk|quota|memory|processes|open files|signal 9|SIGKILL|Too many open files|No space left", re.I)


@dataclasses.dataclass(frozen=True)
class Command:
    name: str
    words: tuple
    files: tuple  # that it writes: folders, files, a database
    needs: tuple = ()  # names of commands that must have run before


COMMANDS = (
    Command("run", ("run", "conv-small", "--set", "batch=1", "--out", "r", "--workers", "2"), ("r",)),
    Command("analytical", ("run", "googlenet-u250", "--rung", "analytical", "--out", "g"), ("g",)),
    Command("activity", ("run", "conv-small", "--set", "batch=1", "--out", "ra", "--activity", "a.csv"), ("ra", "a.csv")),
    Command("perfetto", ("run", "conv-small", "--set", "batch=1", "--out", "rp", "--only", "convolution:F", "--perfetto", "p.trace"),
            ("rp", "p.trace")),
    Command("timeline", ("timeline", "resnet20-u250", "--rung", "analytical", "--out", "t", "--perfetto", "t.trace"),
            ("t", "t.trace")),
    Command("sweep", ("sweep", "s.yaml", "--out", "s.db", "--workers", "2"), ("s.db",)),
    Command("explain", ("explain", "conv-small", "--set", "batch=1", "--out", "e"), ("e",)),
    Command("report", ("report", "r", "--out", "page.html"), ("page.html",), ("run",)),
    Command("compare", ("compare", "r", "r"), (), ("run",)),
    Command("show", ("show", "r"), (), ("run",)),
)


class Wrong(Exception):
    """What must hold does not."""


def files_below(folder):
    """Relative name -> bytes of every file, without the folders of the test's own."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name.split("/")[0] not in ("cache", "home", "s.yaml"):
            found[name] = path.read_bytes()
    return found


def rows_of(database):
    with contextlib.closing(sqlite3.connect(database)) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(points)")]
        return [columns] + sorted(connection.execute("SELECT * FROM points ORDER BY point"), key=repr)


class Place:
    """An empty folder with a cache, a home and a folder for temporary files of its own."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        for name in ("tmp", "cache", "home"):
            (self.root / name).mkdir()
        (self.root / "s.yaml").write_text(SWEEP)
        self.environment = dict(os.environ, TMPDIR=str(self.root / "tmp"), HOME=str(self.root / "home"),
                                XDG_CACHE_HOME=str(self.root / "cache"))
        self.environment.pop("WEFT_CACHE", None)

    def start(self, command, prepare=None, out=subprocess.PIPE, err=subprocess.PIPE, wrap=(), user=None):
        return subprocess.Popen([*wrap, WEFT, *command.words], cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=out, stderr=err, preexec_fn=prepare, user=user, start_new_session=True)

    def run(self, command, **how):
        process = self.start(command, **how)
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Wrong(f"hangs for {PATIENCE_S} s") from None
        return process.returncode, (out or b"").decode(), (err or b"").decode()

    def open_to_all(self):
        for path in (self.root, *self.root.rglob("*")):
            os.chown(path, NOBODY, NOBODY)


@dataclasses.dataclass
class Reference:
    """A command without a fault."""

    code: int
    seconds: float
    files: dict
    rows: list


class References:
    def __init__(self):
        self.known = {}

    def of(self, command):
        if command.name not in self.known:
            with tempfile.TemporaryDirectory(prefix="weft-faults-") as root:
                place = Place(root)
                prepare(place, command)
                before = files_below(place.root)
                begin = time.monotonic()
                code, _, err = place.run(command)
                seconds = time.monotonic() - begin
                if code != 0:
                    raise SystemExit(f"{command.name} fails without a fault: {err}")
                files = {name: text for name, text in files_below(place.root).items() if name not in before}
                rows = rows_of(place.root / "s.db") if "s.db" in command.files else []
                files.pop("s.db", None)
                self.known[command.name] = Reference(code, seconds, files, rows)
        return self.known[command.name]


def prepare(place, command):
    for name in command.needs:
        code, _, err = place.run(next(each for each in COMMANDS if each.name == name))
        if code != 0:
            raise SystemExit(f"{name} fails without a fault: {err}")


def check_files(place, command, reference, before, complete):
    """All that is there is of the command and as without a fault, or as it was before."""
    now = files_below(place.root)
    for name, text in before.items():
        if name not in now:
            raise Wrong(f"{name} is gone")
        if now[name] != text and now[name] != reference.files.get(name):
            raise Wrong(f"{name} is neither as it was nor as it should be")
    for name, text in now.items():
        if name in before:
            continue
        if name.startswith("s.db") and "s.db" in command.files:
            continue
        if name not in reference.files:
            raise Wrong(f"{name} is left behind")
        if text != reference.files[name]:
            raise Wrong(f"{name} has other bytes than without a fault")
    if complete:
        for name in reference.files:
            if name not in now:
                raise Wrong(f"{name} is missing")
        if reference.rows and rows_of(place.root / "s.db") != reference.rows:
            raise Wrong("the rows of s.db are others than without a fault")
    # Folders count, too: of temporary files none may stay.
    for path in place.root.rglob("*"):
        name = path.relative_to(place.root).as_posix()
        if "tmp/" in name or ".weft-temporary" in name:
            raise Wrong(f"{name} is left behind")


def check_error(code, err):
    if code < 0:
        raise Wrong(f"ended by signal {-code}: {err[-300:]}")
    if code == 127 and "error while loading shared libraries" in err:
        return  # the dynamic loader's own, before weft begins
    if code != 1:
        raise Wrong(f"ends with {code}: {err[-300:]}")
    lines = [line for line in err.splitlines() if line.startswith("weft: error: ")]
    if len(lines) != 1:
        raise Wrong(f"does not say why in one line: {err[-300:]}")
    if not RESOURCES.search(lines[0]):
        raise Wrong(f"does not name what ran out: {lines[0]}")


def succeeds_now(place, command, reference, before):
    code, _, err = place.run(command)
    if code != reference.code:
        raise Wrong(f"and then ends with {code}: {err[-300:]}")
    check_files(place, command, reference, before, complete=True)


# --- The kinds of faults ---


def streams(place, command, reference, choose):
    """Standard output and standard error that cannot be written, in all combinations."""
    before = files_below(place.root)
    how = {}
    out, err = choose.choice([(out, err) for out in ("good", "full", "closed", "gone") for err in ("good", "full", "closed", "gone")
                              if (out, err) != ("good", "good")])
    opened = []
    closed = []
    for name, number, fault in (("out", 1, out), ("err", 2, err)):
        if fault == "full":
            how[name] = open("/dev/full", "w")  # noqa: SIM115
            opened.append(how[name])
        elif fault == "gone":
            reader, writer = os.pipe()
            os.close(reader)
            how[name] = writer
            opened.append(writer)
        elif fault == "closed":
            closed.append(number)

    def close_streams():
        for number in closed:
            os.close(number)

    # A closed stream: the file is opened anew by whoever opens next, which must not be a result.
    code, _, _ = place.run(command, prepare=close_streams, **how)
    for each in opened:
        os.close(each) if isinstance(each, int) else each.close()
    expected = {"good": reference.code, "full": 2, "closed": 2, "gone": -signal.SIGPIPE}[out]
    if code != expected:
        raise Wrong(f"standard output {out}, standard error {err}: ends with {code}, not {expected}")
    check_files(place, command, reference, before, complete=True)


def limits(place, command, reference, choose):
    """A limit of the kernel's on the size of files, memory, open files or, as another user, processes."""
    kinds = ["fsize", "as", "nofile"] + (["nproc"] if os.geteuid() == 0 else [])
    kind = choose.choice(kinds)
    before = files_below(place.root)
    how = {}
    if kind == "fsize":
        limit, number = resource.RLIMIT_FSIZE, choose.choice([0, 100, 4096, 20000, 65536, 1 << 18])
    elif kind == "as":
        limit, number = resource.RLIMIT_AS, int(2 ** choose.uniform(25, 33))
    elif kind == "nofile":
        limit, number = resource.RLIMIT_NOFILE, choose.randrange(3, 24)
    else:
        limit, number = resource.RLIMIT_NPROC, choose.randrange(0, 3)
        place.open_to_all()
        how["user"] = NOBODY
    try:
        code, _, err = place.run(command, prepare=lambda: resource.setrlimit(limit, (number, number)), **how)
    except Wrong as wrong:
        raise Wrong(f"{kind} {number}: {wrong}") from None
    try:
        if code != reference.code:
            check_error(code, err)
        check_files(place, command, reference, before, complete=code == reference.code)
        succeeds_now(place, command, reference, before)
    except Wrong as wrong:
        raise Wrong(f"{kind} {number}: {wrong}") from None


def disk(place, command, reference, choose):
    """A disk with room for a part of what is written."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        return "needs root"
    size = choose.choice([8, 16, 32, 64, 128, 256, 1024])
    before = files_below(place.root)
    # Everything of the place lies on the small disk; afterwards it is copied back.
    script = (f'mkdir "$1.disk" && mount -t tmpfs -o size={size}k tmpfs "$1.disk" && cp -a "$1/." "$1.disk/" || exit 99; '
              'cd "$1.disk"; export TMPDIR="$1.disk/tmp" HOME="$1.disk/home" XDG_CACHE_HOME="$1.disk/cache"; shift; '
              '"$@"; code=$?; cp -a ./. "$OLDPWD.back" && exit $code; exit 99')
    wrap = ["unshare", "--mount", "bash", "-c", script, "bash", str(place.root)]
    process = subprocess.run([*wrap, WEFT, *command.words], cwd=place.root, env=place.environment, stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=PATIENCE_S, text=True)
    back = pathlib.Path(str(place.root) + ".back")
    with contextlib.suppress(FileNotFoundError):
        os.rmdir(str(place.root) + ".disk")
    if process.returncode == 99:
        shutil.rmtree(back, ignore_errors=True)
        return "the disk is too small for what was there before"
    for name in os.listdir(place.root):
        path = place.root / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(back, place.root, dirs_exist_ok=True)
    shutil.rmtree(back)
    try:
        if process.returncode != reference.code:
            check_error(process.returncode, process.stderr)
        check_files(place, command, reference, before, complete=process.returncode == reference.code)
        succeeds_now(place, command, reference, before)
    except Wrong as wrong:
        raise Wrong(f"{size} KiB: {wrong}") from None


def members_of(session):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(stat.parent.name))
    return found


def kills(place, command, reference, choose):
    """SIGKILL to the command, or to one of its processes, at any moment."""
    before = files_below(place.root)
    process = place.start(command)
    time.sleep(choose.uniform(0, 1.1 * reference.seconds))
    children = [each for each in members_of(process.pid) if each != process.pid]
    worker = choose.choice(children) if children and choose.random() < 0.5 else 0
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker or process.pid, signal.SIGKILL)
    try:
        _, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise Wrong(f"hangs {'without a worker' if worker else ''}") from None
    deadline = time.monotonic() + 5
    while members_of(process.pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    if members_of(process.pid):
        raise Wrong("leaves a process behind")
    if worker and process.returncode not in (reference.code, -signal.SIGKILL):
        check_error(process.returncode, err.decode())
    for name, text in files_below(place.root).items():
        if name in before and text != before[name] and text != reference.files.get(name):
            raise Wrong(f"{name} is neither as it was nor as it should be")
    succeeds_now(place, command, reference, before)


def stops(place, command, reference, choose):
    """SIGSTOP and SIGCONT to one of the command's processes or to all of them."""
    before = files_below(place.root)
    process = place.start(command)
    for _ in range(choose.randrange(1, 5)):
        time.sleep(choose.uniform(0, reference.seconds / 2))
        chosen = members_of(process.pid)
        if chosen and choose.random() < 0.6:
            chosen = [choose.choice(chosen)]
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for each in chosen:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, number)
            time.sleep(choose.uniform(0, 0.1))
    try:
        _, err = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise Wrong("hangs") from None
    if process.returncode != reference.code:
        raise Wrong(f"ends with {process.returncode}: {err.decode()[-300:]}")
    check_files(place, command, reference, before, complete=True)


KINDS = {"streams": streams, "limits": limits, "disk": disk, "kills": kills, "stops": stops}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=int(os.environ.get("WEFT_FAULT_CASES", "12")), help="of each kind")
    parser.add_argument("--kind", choices=sorted(KINDS))
    parser.add_argument("--case", type=int, help="this one alone")
    options = parser.parse_args()
    references = References()
    failed = 0
    for name, fault in KINDS.items():
        if options.kind not in (None, name):
            continue
        begin, left_out = time.monotonic(), 0
        numbers = range(options.cases) if options.case is None else [options.case]
        for number in numbers:
            choose = random.Random(f"{options.seed} {name} {number}")
            command = COMMANDS[(number + options.seed) % len(COMMANDS)]
            with tempfile.TemporaryDirectory(prefix="weft-faults-") as root:
                place = Place(root)
                prepare(place, command)
                try:
                    left_out += fault(place, command, references.of(command), choose) is not None
                except Wrong as wrong:
                    failed += 1
                    print(f"FAILED --seed {options.seed} --kind {name} --case {number}: weft {' '.join(command.words)}: {wrong}",
                          flush=True)
        print(f"{name}: {len(numbers)} cases of seed {options.seed}, {left_out} left out, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
