#!/usr/bin/env python3
"""For any content of a file or option weft ends: with 0, or with 2 or 3 and one line with the reason.

    fuzz_test.py [--count N] [--seed S] [--kind onnx] [--case I]

WEFT_BINARY is the program. Files of every kind that weft reads are damaged at random; each case depends only on the seed and
its number. --case runs one case and keeps its input."""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

WEFT = str(pathlib.Path(os.environ["WEFT_BINARY"]).resolve())
CONFIGS = pathlib.Path(__file__).resolve().parents[3] / "configs"
PATIENCE_S = 60
# Fragments that break readers: invalid text, terminal escapes, extreme numbers, and YAML's own words.
FRAGMENTS = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1b[2J", b"\\x1b[31m", b"\x7f", b"\xc2\x9b", b"\0", b"\r", b"\n", b"\t", b"0",
             b"-1", b"1e400", b"nan", b"1/0", b"4294967296", b"9223372036854775808", b"-0", b"0x10", b": ", b"- ", b"{", b"}",
             b"[", b"]", b"&a ", b"*a", b"!!int ", b'"', b"'", b"#", b"|\n", b"null", b"true", b"auto", b"=x", b"..",
             b"extends: small\n", b'name: "\\e[1m"\n', b"\xe2\x80\xae"]
# Characters that weft must escape: controls, except of lines and columns, and invisible characters that reorder, hide or
# join their neighbours (Unicode categories Zl, Zp and Cf, except those with a glyph).
NO_TEXT = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
                     "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001-\U000e007f]")
# A small validation that writes its baseline.
VALIDATION = b"""name: v
run: conv-small
set: {batch: 1}
kernels: [fpgpt-4x8-hls]
rungs: {model: analytical, against: exact}
baseline: b.json
"""
SWEEP = b"""run: conv-small
set: {rung: analytical, batch: 1}
space: {kernel.array.x: [2, 4]}
objectives: [{minimize: seconds}]
"""
RUN = b"""name: r
board: u250
kernel: {extends: fpgpt-4x8-hls, z: shared}
batch: 2
rung: exact
network:
  name: n
  layers:
    - {name: a, channels: 3, h: 19, w: 17, filters: 8, kernel: 5, stride: 2, pad: 2}
    - {name: "b c", channels: 8, h: 10, w: 9, filters: 12, kernel: [3, 1], groups: 2}
readings: {burst: auto}
memory: {kind: ideal, latency_cycles: 7}
"""
TRAINING = b"""source: s
batch_norm:
  - {after: [conv1, layer1.0.conv1], epsilon: 0.1, source: t}
dropout:
  - {before: fc, ratio: 0.5, source: t}
without_bias: [layer3.2.conv2, fc]
assumed: ["all"]
"""
TRACE = b"".join(b"%c 0x%x\n" % (b"RW"[i % 3 == 0], 4096 * (i % 7) + 64 * i) for i in range(40))
QUICK = "--set batch=1 --rung analytical --no-save"


class Kind(NamedTuple):
    """One kind of input."""

    name: str
    file: str  # name of the damaged file; "" for an option
    originals: list  # bytes
    commands: list  # that read it, in words with spaces between
    compares: bool = False  # exit code 1 is allowed, too
    others: dict = {}  # name -> bytes of other files


def config(path):
    return (CONFIGS / path).read_bytes()


def written(files, command):
    """The files that a command of weft leaves: name -> bytes."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        for name, content in files.items():
            (place / name).write_bytes(content)
        subprocess.run([WEFT, *command.split()], cwd=place, stdout=subprocess.DEVNULL, check=True)
        return {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def kinds():
    saved = written({}, "run conv-small --set batch=1 --rung analytical --out r")
    baseline = written({"v.yaml": VALIDATION}, "validate v.yaml --no-save --baseline none --save-baseline b.json")
    database = written({"s.yaml": SWEEP}, "sweep s.yaml --out s.db")
    networks = [config(f"networks/{name}.onnx") for name in ("resnet20", "squeezenet1_1", "alexnet_cifar10")]
    return [
        Kind("run", "in.yaml", [RUN, config("runs/googlenet-u250.yaml"), config("runs/conv-small.yaml")],
             ["show in.yaml", "show in.yaml --yaml", "run in.yaml --rung analytical --no-save"]),
        Kind("board", "in.yaml", [config("boards/u250.yaml"), config("boards/u50.yaml")],
             ["show in.yaml", "run conv-small --set board=in.yaml --rung analytical --no-save"]),
        Kind("host", "in.yaml", [config("hosts/xeon-bronze-3104.yaml")],
             ["show in.yaml", "show conv-small --set host=in.yaml --yaml"]),
        Kind("kernel", "in.yaml", [config("kernels/fpgpt-16x16-hls.yaml")],
             ["show in.yaml", "run conv-small --set kernel=in.yaml --rung analytical --no-save"]),
        Kind("sweep", "in.yaml", [config("sweeps/small.yaml")], ["show in.yaml"]),
        Kind("dse", "in.yaml", [config("dse/u250-slr.yaml"), config("dse/googlenet.yaml")], ["show in.yaml"]),
        Kind("validate", "in.yaml", [config("validate/googlenet-small.yaml"), VALIDATION], ["show in.yaml"]),
        Kind("onnx", "in.onnx", networks,
             ["show in.onnx", "show in.onnx --training --format json",
              f"run conv-small --set network=in.onnx --format json {QUICK}"]),
        Kind("training", "in.training.yaml", [config("networks/resnet20.training.yaml"), TRAINING],
             ["show in.onnx --training", "show in.onnx --training --batch 3 --format csv"], others={"in.onnx": networks[0]}),
        Kind("trace", "in.trc", [TRACE], ["dram in.trc --map INTLV", "dram in.trc"]),
        Kind("baseline", "b.json", [baseline["b.json"]], ["validate v.yaml --no-save"], True, {"v.yaml": VALIDATION}),
        Kind("result", "r/result.json", [saved["r/result.json"]],
             ["show r", "show r --format csv", "compare r r", "report r --out p.html"], others=saved),
        Kind("database", "in.db", [database["s.db"]],
             ["show in.db", "show in.db --format json", "show in.db --convolutions --format csv", "show in.db --pareto"]),
        Kind("set", "", [b"kernel.array.x=32", b"memory={kind: ideal, latency_cycles: 40}", b"readings.burst=printed",
                         b"kernel.clock_mhz=1000/3", b"name=a", b"only=conv*",
                         b"network={layers: [{name: a, channels: 3, h: 9, w: 9, filters: 8, kernel: 3}]}",
                         b"kernel.profile.exact_bursts=true"],
             ["show conv-small --set", "run conv-small --rung analytical --no-save --set"])]


def damage(text, choose):
    """Damages `text` in one place."""
    at = choose.randrange(len(text) or 1)
    length = choose.randrange(1, 25)
    act = choose.randrange(9)
    if act == 0:
        return text[:at] + bytes([choose.randrange(256)]) + text[at + 1:]
    if act == 1:
        return text[:at] + bytes(byte ^ 1 << choose.randrange(8) for byte in text[at:at + 1]) + text[at + 1:]
    if act == 2:
        return text[:at] + text[at + length:]
    if act == 3:
        return text[:at] + text[at:at + length] + text[at:]
    if act == 4:
        return text[:at]
    if act == 5:  # replaces a number
        number = re.compile(rb"\d+").search(text, at)
        return text[:number.start()] + choose.choice(FRAGMENTS) + text[number.end():] if number else text
    if act == 6:  # moves a line
        lines = text.splitlines(keepends=True)
        if lines:
            lines.insert(choose.randrange(len(lines)), lines.pop(choose.randrange(len(lines))))
        return b"".join(lines)
    return text[:at] + choose.choice(FRAGMENTS) + text[at:]


def complaint(outcome, compares):
    """The error in a command's outcome, or "" if there is none."""
    code = outcome.returncode
    refused = code in (2, 3)
    if not refused and code != 0 and not (compares and code == 1):
        return f"ends with {code}"
    if b"internal error" in outcome.stderr:
        return "has an internal error"
    if refused and outcome.stderr.count(b"\n") != 1:
        return "does not say why in one line"
    if refused and not outcome.stderr.startswith(b"weft: "):
        return "does not say why"
    try:
        printed = outcome.stdout.decode() + outcome.stderr.decode()
    except UnicodeDecodeError:
        return "prints what is no text"
    return "prints what is no text" if NO_TEXT.search(printed) else ""


def tried(kind, choose, keep):
    """Runs one case. Returns the words of its command, the exit code (None for a hang), the error and what weft printed."""
    text = choose.choice(kind.originals)
    for _ in range(choose.randrange(1, 4)):
        text = damage(text, choose)
    words = choose.choice(kind.commands).split()
    with tempfile.TemporaryDirectory(prefix="weft test ") as folder:
        place = pathlib.Path(folder)
        if kind.file:
            for name, content in {**kind.others, kind.file: text}.items():
                (place / name).parent.mkdir(exist_ok=True)
                (place / name).write_bytes(content)
        else:
            words.append(text.replace(b"\0", b""))  # an argument cannot contain it
        try:
            outcome = subprocess.run([WEFT, *words], cwd=place, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S)
            code, wrong, err = outcome.returncode, complaint(outcome, kind.compares), outcome.stderr
        except subprocess.TimeoutExpired:
            code, wrong, err = None, "hangs", b""
    if wrong and keep and kind.file:
        kept = pathlib.Path(kind.file).name
        pathlib.Path(kept).write_bytes(text)
        print(f"the input is kept in {kept}")
    return words, code, wrong, err


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=330, help="cases of all kinds")
    parser.add_argument("--seed", type=int, default=1)
    every = kinds()
    parser.add_argument("--kind", choices=[kind.name for kind in every])
    parser.add_argument("--case", type=int, help="this one alone")
    options = parser.parse_args()
    failed = 0
    codes = {kind.name: [] for kind in every}
    for number in range(options.count) if options.case is None else [options.case]:
        kind = every[number % len(every)]
        if options.kind not in (None, kind.name):
            continue
        words, code, wrong, err = tried(kind, random.Random(f"{options.seed} {number}"), options.case is not None)
        codes[kind.name].append(code)
        if wrong:
            failed += 1
            print(f"FAILED --seed {options.seed} --case {number}: {kind.name}: weft {words} {wrong}\n{err[:500]!r}", flush=True)
    for name, of_kind in codes.items():
        if of_kind:
            print(f"{name}: {len(of_kind)} cases, {sum(code != 0 for code in of_kind)} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
