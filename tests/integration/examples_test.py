"""Every command that a --help or a page of docs gives as an example runs, with smaller settings where it takes long.

The cookbook has a test of its own (tests/cookbook). Commands of programs that need minutes or other machines (ELSEWHERE)
are not started here: their options and the names that they give must be known. EXAMPLES_TIMES=1 prints what each costs."""

import os
import re
import resource
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

WEFT = os.environ["WEFT_BINARY"]
ROOT = Path(__file__).resolve().parents[2]
# Of these commands other tests start what can be started: Verilator, yosys, LibTorch, XRT, mutants and benchmarks.
# A replay of GM needs a trace of the very run (train_test.py makes one), a comparison with GoogLeNet simulates it.
ELSEWHERE = "(bench|card|cosim|host-profile|mutants|synth)( |$)|train .*train.errors=|compare googlenet"
LAUNCHER = ("build", "docs", "install", "new-design", "package", "python", "test")  # of ./weft, not of the program
ONE = "--only inception3b.branch3.1.conv:F"  # of GoogLeNet
SMALL = "--set network=alexnet_cifar10"
# Added to an example whose command, and whose words, match the expressions. The first match counts.
SMALLER = [
    ("run", "--waves|--verify", "--only inception5b.branch3.0.conv:F --set batch=1 --set kernel.profile=rtl"),
    ("run", "--perfetto", "--only inception5b.branch1.conv:F"),
    ("run", "--activity", "--only inception5b.branch1.conv:F --set batch=1"),
    ("run", "kernel.yaml", ""),
    ("run", "--rung (exact|systemc)|mode=data|conv-small|--only", "--set batch=1"),
    ("run", "", "--rung analytical --set batch=1"),
    ("explain", "", f"--rung analytical {SMALL} --only conv2:F"),
    ("timeline", "nada-", ""),
    ("timeline", "table5", SMALL),
    ("timeline", "im2col", f"--rung analytical {SMALL}"),
    ("train", "optimum", ""),
    ("timeline|train", "", "--rung analytical"),
    ("compare", "googlenet-u250 results", "--set rung=analytical"),
    ("sweep", "--dry-run", ""),
    ("sweep", "--rerank", "--points 0-3 --rerank 1"),
    ("sweep", "best-array.*--set", "--points 0-3 --new"),
    ("sweep", "best-array", "--points 0-3"),
    ("sweep", "", "--points 0"),
    ("dse", "--rerank", "--set batch=1 --rerank 2"),
    ("dse", "darkfpga|deephi", "--set dse.space.lanes.to=16 --set dse.space.pes.to=16 --set dse.rerank.count=1 --only conv1:F,features.0:F"),
    ("dse", "alexnet resnet20", f"{SMALL} --set dse.sharing.minimum=false --set dse.space.max_pes=64 --set dse.compare_reading=none"),
    ("dse", "formats", "--only layer3.2.conv2:F"),
    ("dse", "resnet18", "--only layer1.0.conv1:F --set dse.sharing.minimum=false"),
    ("dse", "vgg16", "--only features.28:F --set dse.sharing.minimum=false"),
    ("dse", "", "--only inception3b.branch3.1.conv:F --set dse.sharing.minimum=false"),
    ("plan", "nada-.*u250", "--set network=resnet20 --set nada.clock_mhz=100"),
    ("plan", "nada-(?!.*resnet18)", "--set nada.clock_mhz=40"),
    ("plan", "fpdeep-vgg", "--set scaling_to=20"),
    ("validate", "table54", f"{ONE} --kernel 3x10 --set batch=1"),
    ("validate", "squeezenet", "--only features.3.squeeze:F --set batch=1"),
    ("validate", "formats", "--only inception5b.branch3.0.conv:F --kernel fxp8"),
    ("validate", "--save-baseline configs", "--only inception5b.branch3.0.conv:F --save-baseline b.json"),
    ("validate", "googlenet-small", "--only inception5b.branch3.0.conv:F"),
    ("validate", "barista-small", "--only layer3.2.conv2:F"),
    ("rtl", "array.x=4", "--out other-rtl"),
]
REPLACED = ("--rung", "--only", "--rerank", "--points", "--out", "--save-baseline")  # options that may be given once: an added one replaces the example's
# Words of an example that stand for something of the user, and what is there in this test.
WORDS = {"$rung": "analytical", "fpdeep-$n": "fpdeep-alexnet"}


def weft(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "WEFT_CACHE": str(folder / "cache"), "NO_COLOR": "1"}
    return subprocess.run([WEFT, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)


def timed(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = weft(folder, *words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if os.environ.get("EXAMPLES_TIMES"):
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{seconds:7.2f} {done.returncode} {shlex.join(words)}", flush=True)
    return done


def commands_of(line: str) -> list[list[str]]:
    """The words after `weft` of each call in a line of a shell; redirections, other programs and comments are left out."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&<>()")
    lexer.whitespace_split, lexer.commenters = True, "#"
    found: list[list[str]] = []
    words: list[str] | None = None
    skip = False
    while True:
        try:
            word = lexer.get_token()
        except ValueError:  # a text that continues in the next line, of a program after a pipe
            break
        if word is None:
            break
        if set(word) <= set("<>") or word in ("2>", ">&"):
            skip = True
        elif set(word) <= set("|;&()"):
            words = None
        elif words is None and word in ("weft", "./weft"):
            words = []
            found.append(words)
        elif words is not None and not skip:
            words.append(WORDS.get(word, word))
        else:
            skip = False
    return [words for words in found if words]


def examples() -> dict[tuple[str, ...], str]:
    """The commands of all --help and pages, each with the place that has it first."""
    found: dict[tuple[str, ...], str] = {}

    def add(line: str, place: str) -> None:
        for words in commands_of(line):
            if words[0] not in LAUNCHER:
                found.setdefault(tuple(words), place)

    help_of = subprocess.run([WEFT, "--help"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    for name in ["", *re.findall(r"^  ([a-z-]+) {2,}[A-Z]", help_of, re.MULTILINE)]:
        text = subprocess.run([WEFT, *name.split(), "--help"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
        for line in re.findall(r"^  ((?:\S+ )*?(?:\./)?weft [a-z].*)$", text.partition("\nExamples:\n")[2], re.MULTILINE):
            if "<Tab>" not in line:
                add(line, f"weft {name} --help")
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        if page.name in ("cookbook.md", "new-design.md"):  # tests of their own carry these out
            continue
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(r"^(?:    |\$ |)((?:\./)?weft [a-z].*)$", text, re.MULTILINE):
            if not line.endswith("-->") and not line.startswith("weft "):  # within a comment, or a sentence
                add(line, str(page.relative_to(ROOT)))
    return found


def smaller(words: tuple[str, ...]) -> list[str]:
    line = " ".join(words)
    for command, pattern, added in SMALLER:
        if re.fullmatch(command, words[0]) and re.search(pattern, line):
            kept = list(words)
            for option in REPLACED:
                if option in kept and option in added.split():
                    del kept[kept.index(option):kept.index(option) + 2]
            pairs = added.split()
            for at in range(len(pairs) - 1, 0, -1):
                if pairs[at - 1] == "--set" and pairs[at] in kept:
                    del pairs[at - 1:at + 1]
            return [*kept, *pairs]
    return list(words)


class Examples(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="weft-examples-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = folder = Path(holder.name)
        for name in ("docs", "tests", "model"):
            (folder / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "configs", folder / "configs")  # examples write into it
        for name in ("my-network.onnx", "my.onnx"):
            shutil.copy(ROOT / "configs/networks/resnet20.onnx", folder / name)
        (folder / "my-board.yaml").write_text("extends: u250\nname: my-board\n")
        (folder / "my-run.yaml").write_text("extends: resnet20-u250\nname: my-run\nbatch: 1\n")
        (folder / "choice.yaml").write_text("extends: resnet20-u250\nname: choice\nbatch: 1\nkernel: fpgpt-31x11-hls\n")
        for name in ("my.trc", "stride.trc"):
            (folder / name).write_text("".join(f"R 0x{64 * i:x}\n" for i in range(40)))
        shutil.copy(ROOT / "configs/hosts/xeon-bronze-3104.yaml", folder / "mine.yaml")
        for name in ("results", "traces"):
            (folder / name).mkdir()
        for name in ("errors", "diversities"):
            shutil.copy(ROOT / f"configs/train/traces/gm-resnet20-live-{name}.csv", folder / f"traces/{name}.csv")
        shutil.copy(folder / "traces/errors.csv", folder)
        small = ("--rung", "analytical")
        for name, run in (("before", "resnet20-u250"), ("after", "resnet20-u250"), ("A", "conv-small"), ("B", "conv-small"),
                          ("googlenet-u250", "googlenet-u250"), ("rtl", "resnet20-u250"), ("choice", "choice.yaml"),
                          ("squeezenet-u250", "squeezenet-u250"), ("resnet20-rtl-card", "resnet20-card"),
                          ("resnet20-barista", "resnet20-barista")):
            cls.prepare("run", run, *small, "--out", f"results/{name}")
        (folder / "results/explain-resnet20-u250").mkdir()
        shutil.copy(folder / "my-run.yaml", folder / "results/explain-resnet20-u250/step-01-one_kernel.yaml")
        cls.prepare("explain", "googlenet-u250", *small, *SMALL.split(), "--only", "conv2:F", "--out",
                    "results/explain-googlenet-u250")
        for name in ("im2col-fpgpt", "im2col-barista"):
            cls.prepare("timeline", name, *small, "--set", "batch=1", "--out", f"results/timeline-{name}")
        for name in ("better-card", "best-array", "small"):
            cls.prepare("sweep", name, "--points", "0", "--out", f"results/{name}.db")
        cls.prepare("dse", "googlenet", *ONE.split(), "--out", "results/dse-googlenet")
        cls.prepare("train", "muppet-resnet20", *small, "--out", "results/train-muppet-resnet20")
        cls.prepare("rtl", "conv-small", "--out", "prepared-rtl")
        (folder / "kernel.yaml").write_text(cls.prepare("show", "results/dse-googlenet", "--convolution",
                                                        ONE.split()[1], "--yaml"))

    @classmethod
    def prepare(cls, *words: str) -> str:
        done = timed(cls.folder, *words)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def test_run(self) -> None:
        help_of: dict[str, str] = {}
        found = examples()
        self.assertGreater(len(found), 150)
        done_before: set[tuple[str, ...]] = set()
        for words, place in found.items():
            with self.subTest(place=place, command=shlex.join(["weft", *words])):
                if re.match(ELSEWHERE, " ".join(words)):
                    self.check_options(words, help_of)
                    continue
                command = tuple(smaller(words))
                if command in done_before:
                    continue
                done_before.add(command)
                done = timed(self.folder, *command)
                known = (0, 1) if words[0] == "validate" else (0,)  # 1: the error of a smaller setting is not within the limits
                self.assertIn(done.returncode, known, f"weft {shlex.join(command)}\n{done.stderr}{done.stdout[-2000:]}")

    def check_options(self, words: tuple[str, ...], help_of: dict[str, str]) -> None:
        if words[0] not in help_of:
            help_of[words[0]] = weft(self.folder, words[0], "--help").stdout
        own = words[1:words.index("--")] if "--" in words else words[1:]
        for word in own:
            if word.startswith("--"):
                self.assertRegex(help_of[words[0]], rf"(?m)^  (-\S+,)?{re.escape(word)}\b")
        if not own or own[0].startswith("--") or words[0] in ("bench", "mutants"):
            return
        # Sets that the command takes must be of the run or kernel that it names.
        sets = [part for at, word in enumerate(own) if word == "--set" for part in ("--set", own[at + 1])]
        network = own[0] + ".onnx" if words[0] == "host-profile" else ""
        name = own[0].replace("conv-small-rtl/", "prepared-rtl/")
        shown = weft(self.folder, "show", f"configs/networks/{network}" if network else name, *sets)
        self.assertEqual(shown.returncode, 0, shown.stderr)


if __name__ == "__main__":
    unittest.main()
