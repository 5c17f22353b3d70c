#!/usr/bin/env python3
"""Compares what weft prints and writes with the committed files in tests/golden/outputs, and writes these again.

    outputs.py list [NAME...]           the cases, with their commands
    outputs.py check [NAME...]          runs the cases and prints which files moved; exit code 1 if one did
    outputs.py write [NAME...]          runs the cases, writes their files again and prints which moved
    outputs.py docs check [PAGE...]     the same for the blocks of README.md and the pages of docs that show an output
    outputs.py docs write [PAGE...]     writes these blocks again

A NAME is that of a case, or a pattern such as 'run/*'; a PAGE is a file, such as pcie.md. WEFT is the program: ./weft of the
checkout unless given. Exit codes: 0 nothing moved, 1 a file or a block moved, 2 wrong arguments, or a command that failed.

Files of the case run/conv in tests/golden/outputs:

    run/conv.txt              standard output of the command in a pipe (120 columns)
    run/conv.80.txt           the same on a terminal of 80 columns
    run/conv.json, .csv       the same command with --format json, csv
    run/conv.stderr.txt       standard error, and the exit code unless it is 0; no file if there is neither
    run/conv.show.txt         weft show of the result
    run/conv.page.json, .txt  the data and the text of the HTML page of the result (weft report)
    run/conv/FILE             each file that the command wrote; the rows of a database, a digest of another binary file

A JSON of more than 200 KB is kept in fewer lines than it has, another text of that size as a digest.

A comment before a block of a page names the command that prints the block:

    <!-- prints: ./weft show u250 | sed -n '1,5p' -->
    <!-- prints, slow: ./weft explain googlenet-u250 --set batch=1 -->
    <!-- prints, measured: ./weft bench --only card -->

The command is a bash script. It runs in a new folder with ./weft and links to all that the checkout holds. If the page leaves out
lines, the script does (sed '7,9c...'). If a block begins with a line ./weft ..., it stays up to its first empty line.
slow: takes more than half a minute, or needs programs that are not everywhere; runs with --slow only. measured: prints times of
a machine; written by `docs write --slow`, never compared. docs/how-to/cookbook.md has its commands in its blocks, and a test of its own
(tests/cookbook), which --slow runs.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import difflib
import fcntl
import fnmatch
import hashlib
import html
import itertools
import json
import os
import pty
import re
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "outputs"
SHOWN = 5  # lines of a file or block that moved
MOST = 200000  # bytes of a text that is kept as it is; a longer JSON is kept in fewer lines, another text as a digest


class Broken(Exception):
    """A command that cannot run, or an argument that is wrong."""


# --- The cases ---


@dataclasses.dataclass(frozen=True)
class Case:
    """A command of weft in an empty folder, and the outputs that are kept."""

    command: str  # the words after `weft`, quoted as in a shell; results are saved in `out`
    also: str = ""  # further outputs: 80 200 (columns), json csv (formats), show page (of the result in `out`)
    before: tuple[str, ...] = ()  # commands that run first; none of their outputs is kept
    files: tuple[tuple[str, str], ...] = ()  # names and contents of files that the commands read
    drop: str = ""  # patterns of written files that are not kept


COMMANDS = ("init schema run timeline sweep dse train plan card show explain cache compare report host-profile dram cosim rtl synth "
            "validate mutants bench completion").split()
# 40 lines of memory in a row, then jumps over rows and banks; every fifth is written.
TRACE = "".join(f"{'W' if i % 5 == 4 else 'R'} 0x{64 * (i if i < 40 else i * 50176):x}\n" for i in range(120))
# A sweep on one rung, with the best points simulated and a point that fails.
ARRAYS = """name: arrays
title: Arrays for one convolution
run: conv-small
set: {rung: analytical, batch: 1}
space: {kernel.array.x: [2, 4, 8], kernel.array.y: [0, 4, 8]}
objectives: [{minimize: seconds}, {minimize: dsp}]
constraints: [dsp <= 500]
rerank: {count: 3}
"""
SMALL = ("sweep small --points 0-3,16-19 --out small.db",)
ALEXNET = "--set network=alexnet_cifar10 --set batch=1"
TIMELINE = f"timeline resnet20-u250 {ALEXNET} --rung analytical"
BLOCK = "--only 'layer1.0.*,layer2.0.conv1' --set batch=1"  # of ResNet-20
TWO_RUNS = (f"run resnet20-u250 {BLOCK} --out a", f"run resnet20-u250 {BLOCK} --set kernel.profile=rtl --out b")

CASES = {
    "run/conv": Case("run conv-small --rung exact --out out", "80 200 json csv show page"),
    "run/conv-analytical": Case("run conv-small --rung analytical --out out", "show page"),
    "run/conv-systemc": Case("run conv-small --rung systemc --out out"),
    "run/conv-data": Case("run conv-small --set mode=data --set batch=1 --out out"),
    "run/conv-data-fxp8": Case("run conv-small --set mode=data --set batch=1 --set kernel.format=fxp8 --no-save", "json"),
    "run/conv-fxp12-padded": Case("run conv-small --rung exact --set kernel.format=fxp12 --set kernel.packing=padded --no-save",
                                  "csv"),
    "run/conv-synthesis": Case("run conv-small --rung exact --set readings.resources=synthesis --no-save", "json"),
    "run/conv-ddr4-3200": Case("run conv-small --rung exact --set 'memory={kind: ddr4, data_rate_mtps: 3200}' --no-save"),
    "run/conv-activity": Case("run conv-small --rung exact --activity activity.csv --out out", "page", drop="activity.csv"),
    "run/conv-perfetto": Case("run conv-small --perfetto conv.pftrace --cycles 2000 --no-save"),
    "run/block": Case(f"run resnet20-u250 {BLOCK} --out out", "80 200 show page"),
    "run/block-systemc": Case(f"run resnet20-u250 {BLOCK} --rung systemc --no-save", "csv"),
    "run/block-rtl-profile": Case(f"run resnet20-u250 {BLOCK} --set kernel.profile=rtl --no-save", "csv"),
    "run/block-verify": Case(f"run resnet20-u250 {BLOCK} --verify 20 --no-save"),
    "run/block-columns": Case(f"run resnet20-u250 {BLOCK} --columns layer,kind,cycles,macs,limiter --no-save"),
    "run/groups": Case("run mobilenet-u250 --only 'features.2.conv.*' --set batch=1 --no-save", "csv"),
    "run/resnet20": Case("run resnet20-card --set batch=1 --no-save"),
    "run/googlenet-analytical": Case("run googlenet-u250 --rung analytical --no-save", "80 csv"),
    "run/googlenet-summary": Case("run googlenet-u250 --rung analytical --rows 0 --no-save"),
    "run/strict-fit": Case("run googlenet-u250 --rung analytical --only conv1.conv:GW --strict-fit --no-save"),
    "run/real-layers": Case("run real-layers --rung analytical --no-save"),
    "run/im2col-fpgpt": Case("run im2col-fpgpt --rung analytical --rows 0 --no-save"),
    "run/im2col-cpu": Case(f"run im2col-fpgpt {ALEXNET} --rung analytical --set schedule.im2col=cpu --no-save"),
    "run/im2col-barista": Case("run im2col-barista --rung analytical --rows 0 --no-save"),
    "run/barista": Case(f"run resnet20-barista {BLOCK} --out out", "80 show page"),
    "run/barista-analytical": Case("run resnet20-barista --set batch=1 --rung analytical --no-save", "csv"),
    "run/barista-systemc": Case(f"run resnet20-barista {BLOCK} --rung systemc --no-save", "csv"),
    "run/barista-data": Case("run resnet20-barista --only layer3.0.conv2:F --set batch=1 --set mode=data --no-save", "json"),
    "run/barista-activity": Case("run resnet20-barista --only layer1.0.conv1:F --set batch=1 --activity activity.csv --no-save"),
    "run/deephi": Case("run vgg11-deephi --only features.0,features.13,classifier.0 --out out", "80 show page"),
    "run/deephi-whole": Case("run vgg11-deephi --no-save"),
    "run/deephi-analytical": Case("run vgg11-deephi --rung analytical --no-save", "csv"),
    "run/deephi-systemc": Case("run vgg11-deephi --only features.13 --rung systemc --no-save", "csv"),
    "run/deephi-data": Case("run vgg11-deephi --only features.16:F --set mode=data --rung systemc --no-save", "json"),
    "run/deephi-random": Case("run vgg11-deephi --set sparsity.mask=random --set kernel.ahead=1 --rows 0 --no-save"),
    "run/darkfpga": Case("run vgglike-darkfpga --rung analytical --no-save", "csv"),

    "timeline/alexnet": Case(f"{TIMELINE} --out out", "80 200 show page"),
    "timeline/exact": Case(f"timeline resnet20-u250 {ALEXNET} --no-save"),
    "timeline/columns": Case(f"{TIMELINE} --columns activity,start_ps,bytes --no-save"),
    "timeline/from": Case(f"timeline resnet20-u250 {ALEXNET} --from run --rung analytical --no-save",
                          before=(f"run resnet20-u250 {ALEXNET} --rung analytical --out run",)),
    "timeline/schedule": Case(f"{TIMELINE} --set schedule.order=fewest_loads --set schedule.load=region "
                              "--set schedule.transfers=keep_activations --set schedule.host_buffers=copied --no-save"),
    "timeline/perfetto": Case(f"{TIMELINE} --perfetto iteration.pftrace --no-save"),
    "timeline/googlenet": Case("timeline googlenet-u250 --rung analytical --no-save"),
    "timeline/table56": Case("timeline table56-alexnet --no-save"),
    "timeline/table59": Case("timeline table59-alexnet-cifar10 --no-save"),
    "timeline/table59-im2col-cpu": Case("timeline table59-alexnet-cifar10-im2col-cpu --no-save"),
    "timeline/barista": Case(f"timeline resnet20-barista {ALEXNET} --no-save", "csv"),
    "timeline/nada": Case("timeline nada-mobilenetv2 --set batch=8 --out out", "show page"),

    "sweep/small": Case("sweep small --out small.db", drop="small.db"),
    "sweep/points": Case(*SMALL),
    "sweep/dry-run": Case("sweep small --dry-run --out small.db"),
    "sweep/rerank": Case("sweep arrays.yaml --out arrays.db", files=(("arrays.yaml", ARRAYS),)),
    "sweep/merge": Case("sweep small --points 0-1 --merge part.db --out small.db", drop="*.db",
                        before=("sweep small --points 2-3 --out part.db",)),
    "sweep/formats": Case("sweep formats --points 0-3 --out formats.db", drop="formats.db"),
    "sweep/nada": Case("sweep nada-size --points 0-3,6 --out nada.db"),
    "sweep/fpdeep": Case("sweep fpdeep-size --points 0-5 --out fpdeep.db", drop="fpdeep.db"),

    "dse/resnet20": Case("dse resnet20 --only 'layer2.0.*' --set 'dse.penalties_percent=[0, 5]' --rerank 2 --out out",
                         "80 200 show page"),
    "dse/shared": Case("dse alexnet_cifar10 --no-save"),
    "dse/several": Case("dse alexnet_cifar10 alexnet --set 'dse.penalties_percent=[0]' --no-save", "csv"),
    "dse/formats": Case("dse resnet20-formats --only 'layer1.0.*' --no-save", "csv"),
    "dse/barista": Case("dse barista-alexnet_cifar10 --out out", "show page"),
    "dse/barista-several": Case("dse barista-alexnet_cifar10 barista-resnet20 --set dse.space.p.step=8 --no-save"),
    "dse/darkfpga": Case("dse darkfpga --rerank 0 --out out", "show page"),
    "dse/deephi": Case("dse deephi --set 'dse.space.pes={from: 32, to: 32, step: 16}' --rerank 2 --no-save"),

    "explain/conv": Case("explain conv-small --set batch=1 --out out", "80 200 csv show page"),
    "explain/iteration": Case(f"explain resnet20-u250 {ALEXNET} --rung analytical --no-save"),
    "explain/held": Case("explain resnet20-card --only 'layer1.0.conv1' --set batch=2 --hold kernel.profile --no-save"),
    "explain/barista": Case("explain resnet20-barista --set batch=1 --rung analytical --no-save"),
    "explain/deephi": Case("explain vgg11-deephi --rung analytical --no-save"),

    "validate/googlenet": Case("validate googlenet-small --only 'inception3a.branch1*' --baseline none --out out",
                               "80 200 show page"),
    "validate/baseline": Case("validate googlenet-small --only 'inception3a.branch1*' --no-save", "json"),
    "validate/barista": Case("validate barista-small --only 'layer2.0.*' --no-save", "csv"),
    "validate/run": Case("validate conv-small --no-save", "json"),
    "validate/between-simulations": Case("validate conv-small --model systemc --against exact --no-save"),
    "validate/of-a-result": Case("validate results/conv-small --no-save", before=("run conv-small",)),
    "validate/beyond-limits": Case("validate conv-small --set validate.limits_percent.total=0.001 --no-save"),
    "validate/moved": Case("validate memory-bound --only 'layer2.0.*' --set memory.timing_nCK.tRP=25 --no-save --junit j.xml"),
    "validate/save-baseline": Case("validate barista-small --only 'layer1.0.*' --baseline none --save-baseline b.json --no-save"),
    "validate/formats": Case("validate googlenet-small-formats --only 'inception3a.branch1*:GW' --no-save"),
    "validate/table54": Case("validate googlenet-table54 --kernel 4x8 --only 'inception3a.branch1*' --set batch=1 --no-save",
                             "csv"),
    "validate/pcie": Case("validate pcie --out out", "80 show page"),

    "compare/runs": Case("compare a b", "80 200 json csv",
                         before=TWO_RUNS),
    "compare/fail-above": Case("compare conv-small conv --fail-above 1%",
                               before=("run conv-small --set kernel.array.x=4 --out conv",)),
    "compare/designs": Case("compare resnet20-u250 resnet20-barista --set batch=1 --set rung=analytical --most 3"),
    "compare/timelines": Case("compare a b", "80 json csv",
                              before=(f"{TIMELINE} --out a", f"timeline resnet20-barista {ALEXNET} --out b")),
    "compare/validations": Case("compare a b --fail-above 0.01%", "json csv",
                                before=tuple(f"validate memory-bound --only 'layer2.0.*:F' --baseline none --model systemc "
                                             f"--out {words}" for words in ("a", "b --set memory.timing_nCK.tRP=25"))),
    "report/compare": Case("report a b --out page.html",
                           before=TWO_RUNS),
    "report/explained": Case("report run explain --out page.html",
                             before=("run conv-small --rung exact --out run", "explain conv-small --out explain --rung exact")),
    "report/sweep": Case("report small.db --out page.html", before=SMALL),

    "plan/fpdeep": Case("plan fpdeep-alexnet --set boards=4 --out out", "80 show page"),
    "plan/fpdeep-shared": Case("plan fpdeep-vgg19 --set fpdeep.gradients=shared --no-save"),
    "plan/nada": Case("plan nada-mobilenetv2 --out out", "show page"),

    "train/muppet": Case("train muppet-resnet20 --rung analytical --out out", "80 show page"),
    "train/optimum": Case("train muppet-resnet20-optimum --no-save"),
    "train/pruning": Case("train pruning-vgg11 --out out", "show page"),
    "train/gm": Case("train gm-resnet20-live --no-save", "csv"),

    "show/run": Case("show googlenet-u250", "80 200"),
    "show/run-yaml": Case("show googlenet-u250 --set kernel.array.x=32 --yaml"),
    "show/run-barista": Case("show resnet20-barista"),
    "show/run-deephi": Case("show vgg11-deephi"),
    "show/board": Case("show u250", "80"),
    "show/board-yaml": Case("show vc709 --yaml"),
    "show/host": Case("show xeon-bronze-3104", "80"),
    "show/host-yaml": Case("show xeon-bronze-3104 --yaml"),
    "show/kernel": Case("show fpgpt-16x16-hls"),
    "show/kernel-barista": Case("show barista-16x16x64 --yaml"),
    "show/kernel-batchlane": Case("show batchlane-32x32"),
    "show/network": Case("show resnet20", "80"),
    "show/training": Case("show alexnet_cifar10 --training --batch 128", "80 200 json csv"),
    "show/sweep": Case("show small", "80"),
    "show/exploration": Case("show u250-slr", "80"),
    "show/exploration-barista": Case("show barista-resnet20"),
    "show/exploration-darkfpga": Case("show darkfpga --yaml"),
    "show/training-policy": Case("show muppet-resnet20"),
    "show/validation": Case("show googlenet-small"),
    "show/validation-link": Case("show pcie"),
    "show/cluster": Case("show fpdeep-alexnet"),
    "show/cluster-nada": Case("show nada-mobilenetv2 --yaml"),
    "show/schema": Case("show schema", "json csv"),
    "show/result": Case("show out --columns kind,cycles,layer", before=("run conv-small --rung exact --out out",)),
    "show/result-json": Case("show out --format json", before=("run conv-small --rung exact --out out",)),
    # The newest first, and of one second by name: c, b and a are made in an order in which both agree.
    "show/results": Case("show .", "80 json csv",
                         before=("run conv-small --out c", f"{TIMELINE} --out b", "sweep formats --points 0 --out a.db")),
    "show/database": Case("show small.db", "80 200 csv", before=SMALL),
    "show/database-json": Case("show small.db --limit 2 --format json", before=SMALL),
    "show/database-pareto": Case("show small.db --pareto --columns x,y,rung,seconds,dsp", before=SMALL),
    "show/database-where": Case("show small.db --where 'x*y <= 32 && fits' --sort seconds --descending --limit 5", before=SMALL),
    "show/database-convolutions": Case("show small.db --convolutions --limit 4", "csv", before=SMALL),
    "show/database-point": Case("show small.db --point 3 --yaml", before=SMALL),
    "show/database-failed": Case("show arrays.db --failed",
                                 before=("sweep arrays.yaml --out arrays.db",), files=(("arrays.yaml", ARRAYS),)),
    "show/database-rerank": Case("show arrays.db --rerank", "80 json csv", before=("sweep arrays.yaml --out arrays.db",),
                                 files=(("arrays.yaml", ARRAYS),)),
    "show/nothing": Case("show googlnet-u250"),

    "dram/rcb": Case("dram a.trc --map RCB", "json", files=(("a.trc", TRACE),)),
    "dram/intlv": Case("dram a.trc --map INTLV --set memory.auto_precharge_a3=true", files=(("a.trc", TRACE),)),
    "rtl/conv": Case("rtl conv-small --set kernel.array.x=4 --out out", drop="out/rtl/* *CONTRACT.md"),
    "rtl/barista": Case("rtl resnet20-barista --only layer1.0.conv1:F --set kernel.tile.r=4 --set kernel.tile.c=4 --out out",
                        drop="out/rtl/* *CONTRACT.md"),
    "synth/errors": Case("synth --errors", "80 csv json"),
    "synth/errors-barista": Case("synth --errors --design barista"),
    "card/xclbin": Case("card conv-small --xclbin conv.xclbin", drop="*.xclbin"),  # zipped: bytes depend on libzip
    "card/xclbins": Case(f"card resnet20-u250 {ALEXNET} --xclbin out/", drop="*.xclbin"),
    "cache/show": Case("cache --cache cache", before=("run conv-small --rung exact --cache cache --no-save",)),
    "cache/used": Case("run conv-small --rung exact --cache cache --no-save",
                       drop="cache/*", before=("run conv-small --rung exact --cache cache --no-save",)),
    "cache/clear": Case("cache clear --cache cache", before=("run conv-small --rung exact --cache cache --no-save",)),
    "completion/bash": Case("completion bash"),
    "completion/runs": Case("__complete run ''"),
    "completion/keys": Case("__complete run conv-small --set kernel."),
    "completion/layers": Case("__complete run resnet20-u250 --only layer1"),
    "help/weft": Case("--help"),
    "help/version": Case("--version"),
    **{f"help/{command}": Case(f"{command} --help") for command in COMMANDS},
}


# --- The masks ---

# Pattern, replacement and reason. Whatever else a command prints depends on nothing but the command and the code.
MASKS = (
    (r"\b\d+\.\d+\.\d+\+[0-9a-f]+\b", "CODE_VERSION", "a digest of the sources"),
    (r"(weft |\"weft_version\": \"|weft_version\":\")\d+\.\d+\.\d+", r"\1VERSION", "the version"),
    (r"/[^\s'\":,]*?/(?=(configs|kernels)/)", "CHECKOUT/", "the folder of the checkout"),
    (r'("path": ?"configs/[^"]*",\s*"digest": ?")[0-9a-f]{16}', r"\1DIGEST", "of a file of weft's own"),
    (r'(path: configs/\S+\s+digest: )"?[0-9a-f]{16}"?', r"\1DIGEST", "of a file of weft's own"),
    (r' time="\d+\.\d+"', ' time="TIME"', "the processor time of a test"),
    (r"in \d+(\.\d+)? m?s \(\d+(\.\d+)? points/s\)", "in TIME", "the time of a sweep"),
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", "DATE", "the date of a result"),
)


def masked(text: str, place: Path) -> str:
    text = text.replace(str(place), "PLACE")
    for pattern, replacement, _ in MASKS:
        text = re.sub(pattern, replacement, text)
    return text


# --- Running a command ---


def program() -> Path:
    """The program, built: ./weft builds itself before it answers."""
    given = os.environ.get("WEFT", str(ROOT / "weft"))
    found = shutil.which(given)
    if found is None or subprocess.run([found, "show", "u250"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise Broken(f"WEFT: '{given}' is not weft; give the path of a built weft")
    return Path(found).resolve()


def environment(home: Path, rows: Path) -> dict[str, str]:
    """The caller's without settings of weft; convolutions are kept in ROWS, and no progress is printed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("WEFT_", "XDG_"))}
    return own | {"HOME": str(home), "TMPDIR": str(home), "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "WEFT_CACHE": str(rows),
                  "WEFT_ALIVE_SECONDS": "100000"}


def has_terminals() -> bool:
    try:
        ends = pty.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


def on_terminal(words: list[str], columns: int, **options) -> tuple[int, bytes]:
    """The exit code, and what is printed on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST  # the ends of lines as they are written
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    printed = b""
    with subprocess.Popen(words, stdout=theirs, **options) as process:
        os.close(theirs)
        with contextlib.suppress(OSError):  # EIO: the program has ended
            while part := os.read(ours, 65536):
                printed += part
    os.close(ours)
    return process.returncode, printed


def run(words: list[str], place: Path, rows: Path, columns: int = 0) -> tuple[int, str, str]:
    """The exit code, standard output, of a terminal if there are columns, and standard error; in PLACE/work."""
    with tempfile.TemporaryFile() as errors:
        options = {"cwd": place / "work", "env": environment(place / "home", rows), "stdin": subprocess.DEVNULL,
                   "stderr": errors}
        if columns:
            code, printed = on_terminal(words, columns, **options)
        else:
            done = subprocess.run(words, stdout=subprocess.PIPE, check=False, **options)
            code, printed = done.returncode, done.stdout
        errors.seek(0)
        return code, printed.decode(errors="replace"), errors.read().decode(errors="replace")


@contextlib.contextmanager
def new_place():
    with tempfile.TemporaryDirectory(prefix="weft-outputs-") as name:
        for folder in ("work", "home"):
            (Path(name) / folder).mkdir()
        yield Path(name)


# --- The files of a case ---


def natural(text: str) -> list:
    """A key by which 9 is before 10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", text)]


def rows_of(database: Path) -> str:
    """The tables of a database with their rows; of `attempts`, which has times and processes, none."""
    lines = []
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall():
            lines.append(sql)
            if sql.startswith("CREATE TABLE") and name != "attempts":
                lines += sorted((f"  {row}" for row in connection.execute(f'SELECT * FROM "{name}"')), key=natural)
    return "\n".join(lines) + "\n"


def compact(value: object, indent: int = 0) -> str:
    """JSON in which a list or an object has a line of its own for each element, unless it fits one line."""
    text = json.dumps(value, ensure_ascii=False)
    if indent + len(text) <= 120 or not isinstance(value, (dict, list)) or not value:
        return text
    names = [json.dumps(name, ensure_ascii=False) + ": " for name in value] if isinstance(value, dict) else [""] * len(value)
    inner = value.values() if isinstance(value, dict) else value
    lines = (" " * (indent + 1) + name + compact(each, indent + 1) for name, each in zip(names, inner))
    return text[0] + "\n" + ",\n".join(lines) + "\n" + " " * indent + text[-1]


def page_of(text: str) -> tuple[str, str]:
    """The data of an HTML page, and its text without script, style and licences; [meanings] of columns in brackets."""
    data = re.search("<script type=application/json id=weft-data>(.*?)</script>", text, re.DOTALL)
    words = re.sub("<style>.*?</style>|<script.*?</script>|<footer>.*?</footer>", "", text, flags=re.DOTALL)
    words = re.sub('<[^>]* title="([^"]*)">([^<]*)', r"\t\2 [\1]", words)
    lines = (re.sub("\t+", "  ", line).strip() for line in html.unescape(re.sub("<[^>]*>", "\t", words)).splitlines())
    return compact(json.loads(data[1])) + "\n", "".join(line + "\n" for line in lines if line)


def digest(content: bytes) -> str:
    return f"{len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}\n"


def kept(name: str, file: Path) -> dict[str, str]:
    """The texts that are kept of a written file, by their names."""
    content = file.read_bytes()
    if content.startswith(b"SQLite format 3\0"):
        return {f"{name}.rows": rows_of(file)}
    if file.suffix == ".html":
        return dict(zip((f"{name}.json", f"{name}.txt"), page_of(content.decode())))
    try:
        return {name: content.decode()}
    except UnicodeDecodeError:
        return {f"{name}.digest": digest(content)}


def shortened(name: str, text: str) -> str:
    if len(text) <= MOST:
        return text
    return compact(json.loads(text)) + "\n" if name.endswith(".json") else digest(text.encode())


def stamps(folder: Path) -> dict[str, int]:
    return {str(file.relative_to(folder)): file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}


def files_of(name: str, weft: Path, terminals: bool) -> dict[str, str]:
    """The files of a case by their names in GOLDEN."""
    case = CASES[name]
    with new_place() as place:
        work = place / "work"

        def of_weft(command: str, columns: int = 0) -> tuple[str, str]:
            code, printed, errors = run([str(weft), *shlex.split(command)], place, place / "rows", columns)
            return printed, errors + (f"exit code {code}\n" if code else "")

        for file, content in case.files:
            (work / file).write_text(content)
        for command in case.before:
            of_weft(command)
        before = stamps(work)
        form = re.search("--format (json|csv)", case.command)
        printed, errors = of_weft(case.command)
        files = {f"{name}.{form[1] if form else 'txt'}": printed}
        if errors:
            files[f"{name}.stderr.txt"] = errors
        for file, stamp in stamps(work).items():
            if before.get(file) != stamp and not any(fnmatch.fnmatch(file, pattern) for pattern in case.drop.split()):
                files |= kept(f"{name}/{file.removeprefix('out/')}", work / file)
        for each in case.also.split():
            if each == "page":
                said = "".join(of_weft("report out --out page.html"))
                page = work / "page.html"
                files |= kept(f"{name}.page", page) if page.exists() else {f"{name}.page.txt": said}
            elif each == "show":
                files[f"{name}.show.txt"] = "".join(of_weft("show ./out"))
            elif each.isdigit() and not terminals:
                pass
            elif each.isdigit():
                files[f"{name}.{each}.txt"] = of_weft(case.command, int(each))[0]
            else:
                files[f"{name}.{each}"] = of_weft(f"{case.command} --format {each}")[0]
        return {file: shortened(file, masked(text, place)) for file, text in files.items()}


# --- The blocks of pages ---

COOKBOOK = "docs/how-to/cookbook.md"
COOKBOOK_TEST = ROOT / "tests" / "cookbook" / "cookbook_test.py"
COMMENT = re.compile(r"<!-- prints(?:, (?P<kind>slow|measured))?:\s(?P<script>.*?) -->", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Block:
    """An output in a page, and the script that prints it."""

    page: str
    first: int  # of its lines in the page, from 0
    lines: tuple[str, ...]
    kind: str  # "", slow or measured
    script: str
    indent: str

    def __str__(self) -> str:
        return f"{self.page}:{self.first + 1}"

    def now(self, printed: str) -> tuple[str, ...]:
        """The lines that the page should have."""
        command = self.lines.index("") + 1 if self.lines[0].lstrip().startswith("./weft ") else 0
        shown = (line.rstrip() for line in printed.strip("\n").split("\n"))
        return self.lines[:command] + tuple(self.indent + line if line else "" for line in shown)


def blocks_of(page: str) -> list[Block]:
    text = (ROOT / page).read_text()
    lines = text.split("\n")
    found = []
    for match in COMMENT.finditer(text):
        first = text.count("\n", 0, match.end()) + 1
        fenced = lines[first].startswith("```")
        end = first = first + fenced
        while end < len(lines) and (lines[end] != "```" if fenced else not lines[end] or lines[end].startswith("    ")):
            end += 1
        while end > first and not lines[end - 1]:
            end -= 1
        block = Block(page, first, tuple(lines[first:end]), match["kind"] or "", match["script"], "" if fenced else "    ")
        if not block.lines:
            raise Broken(f"{block}: no block follows the comment")
        found.append(block)
    return found


def printed_by(block: Block, weft: Path, rows: Path) -> tuple[str, str]:
    """What the script of a block prints, and why that cannot be in the page, or nothing."""
    with new_place() as place:
        for entry in ROOT.iterdir():
            if entry.name not in ("weft", "results"):
                (place / "work" / entry.name).symlink_to(entry)
        (place / "work" / "weft").symlink_to(weft)
        code, printed, errors = run(["bash", "-euo", "pipefail", "-c", block.script], place, rows)
        return printed, "" if code == 0 and printed.strip() else f"exit code {code} of: {block.script}\n{errors}"


def cookbook(action: str, weft: Path) -> int:
    """Exit code of the test that runs the commands of docs/how-to/cookbook.md."""
    words = [sys.executable, COOKBOOK_TEST, *["--write"] * (action == "write")]
    return subprocess.run(words, env=os.environ | {"WEFT_BINARY": str(weft), "WEFT_CACHE": "none"}, check=False).returncode


# --- What moved ---


def first_lines(before: str, now: str) -> list[str]:
    """The first lines that differ, as "LINE - the old one" and "LINE + the new one"."""
    shown: list[str] = []
    for number, pair in enumerate(itertools.zip_longest(before.splitlines(), now.splitlines()), 1):
        if pair[0] != pair[1] and len(shown) < SHOWN:
            equal = len(os.path.commonprefix([line or "" for line in pair]))
            start = equal - 40 if equal > 80 else 0  # the part of a long line that moved
            shown += [f"  {number} {sign} {'...' * bool(start)}{line[start:start + 140]}"
                      for sign, line in zip("-+", pair) if line is not None]
    return shown[:SHOWN]


def show(name: str, before: str | None, now: str | None) -> None:
    if before is None or now is None:
        print(f"{name}: {'is new' if before is None else 'is written by no command'}")
    else:
        print("\n".join([f"{name}: moved", *first_lines(before, now)]))


class Progress:
    """How far the work is, on standard error: one line on a terminal, elsewhere a line every 15 seconds."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.next = total, 0, time.monotonic() + 15

    def step(self, name: str) -> None:
        self.done += 1
        line = f"outputs: {self.done} of {self.total}, {name}"
        if sys.stderr.isatty():
            print("\r\033[K" + (line if self.done < self.total else ""), end="", file=sys.stderr, flush=True)
        elif time.monotonic() >= self.next:
            print(line, file=sys.stderr, flush=True)
            self.next = time.monotonic() + 15


def done_of(work, names: list[str], jobs: int):
    """Yields (name, work(name)) in the order of the names."""
    progress = Progress(len(names))

    def step(name: str):
        done = work(name)
        progress.step(name)
        return done

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            yield from zip(names, pool.map(step, names))
        finally:
            pool.shutdown(cancel_futures=True)


# --- The commands ---


def chosen(patterns: list[str], names: list[str]) -> list[str]:
    """The names that match a pattern; all names if there is no pattern."""
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            near = difflib.get_close_matches(pattern, names, 3, 0.4)
            raise Broken(f"there is no '{pattern}'" + (f"; did you mean {', '.join(near)}?" if near else ""))
    return [name for name in names if not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def cases(action: str, names: list[str], jobs: int) -> int:
    """The exit code."""
    weft, terminals = program(), has_terminals()
    committed = {str(file.relative_to(GOLDEN)): file for file in GOLDEN.rglob("*") if file.is_file()}
    if not terminals:
        print("outputs: no terminal can be had here: what is printed on one is not compared", file=sys.stderr)
        committed = {name: file for name, file in committed.items() if not re.search(r"\.\d+\.txt$", name)}
    strays = set(committed) if len(names) == len(CASES) else set()
    moved = count = 0
    for name, now in done_of(lambda name: files_of(name, weft, terminals), names, jobs):
        own = {file for file in committed if file.startswith((f"{name}.", f"{name}/"))}
        strays -= own
        count += len(now)
        for file in sorted(own | set(now)):
            before = committed[file].read_text() if file in own else None
            if before == now.get(file):
                continue
            moved += 1
            show(file, before, now.get(file))
            if action == "write":
                replace(GOLDEN / file, now.get(file))
    for file in sorted(strays):
        moved += 1
        show(file, "", None)
        if action == "write":
            replace(committed[file], None)
    print(f"{count} files of {len(names)} cases, {moved} moved")
    return 1 if moved and action == "check" else 0


def replace(file: Path, text: str | None) -> None:
    if text is None:
        file.unlink()
        with contextlib.suppress(OSError):  # it holds other files
            file.parent.rmdir()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def docs(action: str, pages: list[str], jobs: int, slow: bool) -> int:
    """The exit code."""
    weft = program()
    blocks = {str(block): block for page in pages for block in blocks_of(page)}
    kinds = [""] + ["slow"] * slow + ["measured"] * (slow and action == "write")
    names = [name for name, block in blocks.items() if block.kind in kinds]
    failed = 0
    changes = []
    # As a reader of the pages has them from one block to the next; with DOCS_ROWS, a folder, also from one check to the next.
    own = tempfile.TemporaryDirectory(prefix="weft-outputs-")
    rows = Path(os.environ.get("DOCS_ROWS", own.name))
    for name, (printed, complaint) in done_of(lambda name: printed_by(blocks[name], weft, rows), names, jobs):
        block = blocks[name]
        if complaint:
            failed += 1
            print(f"outputs: error: {name}: {complaint.rstrip()}")
        elif (now := block.now(printed)) != block.lines:
            show(name, "\n".join(block.lines), "\n".join(now))
            changes.append((block, now))
    if action == "write":
        for block, now in reversed(changes):  # from the end of a page, so that blocks before it keep their lines
            lines = (ROOT / block.page).read_text().split("\n")
            lines[block.first:block.first + len(block.lines)] = now
            (ROOT / block.page).write_text("\n".join(lines))
    left = len(blocks) - len(names)
    print(f"{len(names)} of {len(blocks)} blocks, {len(changes)} moved, {failed} failed"
          + (f"; {left} are slow or measured" if left else ""))
    if slow and COOKBOOK in pages:
        failed += cookbook(action, weft)
    return 1 if failed or changes and action == "check" else 0


def main() -> int:
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["list", "check", "write", "docs"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="commands at a time (default 2)")
    parser.add_argument("--slow", action="store_true", help="docs: also the slow blocks, and with write the measured ones")
    options = parser.parse_args()
    names = options.names
    try:
        if options.action == "docs":
            action, *names = names or ["check"]
            if action not in ("check", "write"):
                raise Broken(f"docs takes check or write, not '{action}'")
            pages = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]
            wanted = [each for page in names for each in ([p for p in pages if p == page or p.endswith("/" + page)] or [page])]
            return docs(action, chosen(wanted, pages), options.jobs, options.slow)
        names = chosen(names, list(CASES))
        if options.action == "list":
            print("\n".join(f"{name:28}  weft {CASES[name].command}" for name in names))
            return 0
        return cases(options.action, names, options.jobs)
    except Broken as error:
        print(f"outputs: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
