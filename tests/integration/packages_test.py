"""Every header and library of the build, and every program that weft and its tests start, belongs to a package of the lists
or of their dependencies: packages that are installed here by chance must not hide a gap in a list."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sysconfig
import tempfile
import unittest
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from support import OPEN_MPI, ROOT, InAFolder, Outcome, install, run, sets

BUILD = Path(os.environ["WEFT_BUILD_DIR"])
MOST_STRANGERS = 20  # a query takes a while
ALL = ["", "-bench", "-card", "-cosim", "-docs", "-package", "-profile", "-python", "-synth", "-test", "-torch"]
# A stand-in for every program of the machine: it records its name and starts the program. Instead of compiling, g++ records
# the headers and leaves an empty file; yosys only tells its version.
STAND_IN = r"""
name=${0##*/}
echo "$name" >>'FOLDER/started'
if [ "$name" = yosys ] && [ "$1" != -V ]; then exit 1; fi
if [ "$name" = g++ ]; then
  out= compile=
  for word; do
    shift
    case $word in
      -o) out=next ;;
      -c) compile=-M ;;
      -MMD) ;;
      *) if [ "$out" = next ]; then out=$word; else set -- "$@" "$word"; fi ;;
    esac
  done
  if [ -n "$compile" ]; then /usr/bin/g++ "$@" -M -MF - >>'FOLDER/headers' || exit; fi
  if [ -n "$out" ]; then : >"$out"; exit; fi
fi
for folder in /usr/bin /usr/sbin; do
  if [ -x "$folder/$name" ]; then exec "$folder/$name" "$@"; fi
done
"""


def output_of(program: str, *arguments: str | Path) -> str:
    return subprocess.run([f"/usr/bin/{program}", *arguments], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout


def package_name(text: str) -> str:
    """The name alone of "libc6 (>= 2.34)" or " perl:any"."""
    return text.strip().split(" ")[0].split(":")[0].split("(")[0]


@functools.cache
def debian() -> tuple[dict[str, list[list[str]]], dict[str, list[str]], list[str]]:
    """The installed packages: alternatives for each dependency, the packages that provide a name, the essential packages."""
    needs: dict[str, list[list[str]]] = {}
    providers = defaultdict(list)
    base = []
    fields = r"${Package}\t${db:Status-Status}\t${Essential}\t${Pre-Depends},${Depends}\t${Provides}\n"
    for line in output_of("dpkg-query", "--show", "--showformat=" + fields).splitlines():
        package, status, essential, depends, provides = line.split("\t")
        if status != "installed":
            continue
        needs[package] = [[package_name(each) for each in need.split("|")] for need in depends.split(",") if need.strip()]
        for provided in provides.split(","):
            providers[package_name(provided)].append(package)
        if essential == "yes":
            base.append(package)
    return needs, providers, base


def closure(lists: Iterable[str]) -> set[str]:
    """The packages of a machine on which apt has installed these lists: mmdebstrap --variant=apt, and the lists."""
    needs, providers, base = debian()
    remaining = [*base, "apt"]
    for name in lists:
        lines = (ROOT / f"packages{name}.txt").read_text().splitlines()
        remaining += [package_name(line) for line in lines if line and not line.startswith("#")]
    found: set[str] = set()
    while remaining:
        package = remaining.pop()
        if package in found:
            continue
        found.add(package)
        for alternatives in needs.get(package, []):
            # apt's choice for "a | b": the first one available; for a virtual package, its installed providers.
            remaining += next(([name] if name in needs else providers[name] for name in alternatives
                               if name in needs or name in providers), [])
    return found


@functools.cache
def files_of(lists: tuple[str, ...]) -> set[str]:
    """The files of the lists' packages, without symbolic links between folders. dpkg-query complains of names that are not
    installed, such as virtual ones; their files are then missing here."""
    listed = run("/usr/bin/dpkg-query", "--listfiles", *sorted(closure(lists))).out.splitlines()
    return {"/usr" + path if path.startswith(("/bin/", "/sbin/", "/lib/", "/lib64/")) else path for path in listed}


def of_the_project(path: str) -> bool:
    whole = Path(os.path.realpath(path))
    return not path.startswith("/") or whole.is_relative_to(ROOT) or whole.is_relative_to(BUILD)


class Recorder:
    """A folder that serves as the whole PATH: stand-ins for every program of the machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        stand_in = folder / "stand-in"
        stand_in.write_text("#!/bin/sh" + STAND_IN.replace("FOLDER", str(folder)))
        stand_in.chmod(0o700)
        (folder / "bin").mkdir()
        for name in {path.name for each in ("/usr/bin", "/usr/sbin") for path in Path(each).iterdir()}:
            (folder / "bin" / name).symlink_to(stand_in)
        self.environment = {"PATH": str(folder / "bin")}

    def programs(self) -> set[str]:
        """The programs that were started, with the interpreters of those that are scripts."""
        found = set()
        for name in set((self.folder / "started").read_text().splitlines()):
            program = Path("/usr/bin" if Path("/usr/bin", name).exists() else "/usr/sbin", name)
            found.add(str(program))
            with program.open("rb") as file:
                if file.read(2) == b"#!":
                    found.add(file.readline().decode().split()[0])
        return found

    def headers(self) -> set[str]:
        words = (self.folder / "headers").read_text().split()
        return {word for word in words if word.startswith("/") and not of_the_project(word)}


@unittest.skipUnless(shutil.which("dpkg-query"), "this is no Debian")
class Packages(InAFolder):
    def listed(self, wanted: Iterable[str], *lists: str) -> None:
        """Expects that each file belongs to a package of the lists; tells at most MOST_STRANGERS that do not, with their
        packages here."""
        files = files_of(lists)
        strangers = [path for path in map(os.path.realpath, sorted(wanted)) if path not in files and os.path.exists(path)]
        self.assertFalse([run("/usr/bin/dpkg-query", "--search", path).out or f"{path}, of no package"
                          for path in strangers[:MOST_STRANGERS]])

    def succeeds(self, outcome: Outcome) -> None:
        self.assertEqual(outcome.code, 0, outcome.err)

    def recorder(self) -> Recorder:
        return Recorder(Path(self.enterContext(tempfile.TemporaryDirectory())))

    def names(self, wanted: set[str], paths: set[str]) -> None:
        self.assertFalse(wanted - {Path(path).name for path in paths})

    def installed(self, *arguments: str, **environment: str) -> Outcome:
        """Starts an installed weft: what it compiles is in the cache of the user, which is empty at first."""
        prefix = self.folder / "prefix"
        if not prefix.exists():
            install(prefix, *(path.name for path in ROOT.iterdir() if path.name != "build"))
        return run(prefix / "bin/weft", *arguments, folder=self.folder,
                   environment={"XDG_CACHE_HOME": str(self.folder / "cache")} | environment)

    def compiled(self, *arguments: str) -> Recorder:
        """Starts a command that compiles a library on first use. It must load the library, which here is empty."""
        recorder = self.recorder()
        outcome = self.installed(*arguments, **recorder.environment)
        self.assertIn("cannot load", outcome.out + outcome.err)
        return recorder

    def test_every_list_is_tested(self) -> None:
        self.assertEqual({path.name for path in ROOT.glob("packages*")}, {f"packages{name}.txt" for name in ALL})

    def test_every_probe_is_a_program_or_header_of_its_list(self) -> None:
        """NAME PROBE # reason: where there is no dpkg, the launcher checks for the probe instead of the package."""
        probes = 0
        for name in ALL:
            found = set()
            for line in (ROOT / f"packages{name}.txt").read_text().splitlines():
                for probe in line.partition("#")[0].split()[1:2]:
                    header = "." in probe or "/" in probe
                    path = Path("/usr/include" if header else "/usr/bin", probe)
                    if not header and not path.exists():
                        path = Path("/usr/sbin", probe)
                    self.assertTrue(path.exists(), line)
                    found.add(str(path))
            self.listed(found, name)
            probes += len(found)
        self.assertGreater(probes, 30)

    def test_every_header_that_the_build_read_is_of_a_listed_package(self) -> None:
        """ninja -t deps: an object, then its files, indented. Only mpirun needs weft_mpi, and a run does not need it."""
        read = defaultdict(set)
        for line in output_of("ninja", "-C", BUILD, "-t", "deps").splitlines():
            if line.startswith(" "):
                if not of_the_project(line.strip()):
                    read[part].add(line.strip())
            elif line and not line.startswith("ninja:"):
                part = "tests" if line.startswith("tests/") or "weft_mpi" in line else line.split("/")[0]
                part = part if part in ("tests", "torch", "bench") else "tool"
        for part, lists in {"tool": [""], "torch": ["", "-card", "-torch"], "bench": ["", "-bench"], "tests": ALL}.items():
            self.assertGreater(len(read[part]), 100, part)
            self.listed(read[part], *lists)

    def test_every_library_that_is_linked_is_of_a_listed_package(self) -> None:
        def libraries(*question: str) -> set[str]:
            """A query puts bars before some files."""
            lines = output_of("ninja", "-C", BUILD, "-t", *question).splitlines()
            paths = {line[line.index("/"):] for line in lines if "/" in line}
            return {path for path in paths if Path(path).name.startswith("lib") and
                    (".so" in Path(path).name or ".a" in Path(path).name) and not of_the_project(path)}

        tool, every = libraries("query", "tools/weft"), libraries("inputs", "all")
        self.assertGreater(len(tool), 5)
        self.assertGreater(len(every), len(tool))
        self.listed(tool, "")
        self.listed(every, *ALL)

    def test_every_program_and_header_of_a_build_of_the_rtl_is_of_a_listed_package(self) -> None:
        small = ["cosim", "conv-small", *sets("kernel.array={x: 1, y: 1}", "kernel.band=2", "batch=1",
                                              "convolution={kind: F, channels: 2, filters: 3, h: 5, w: 4, kernel: 3, pad: 1}")]
        self.succeeds(self.installed(*small))  # the build without waveforms, which is compared first
        recorder = self.compiled(*small, "--waves", "w.fst")
        self.names({"verilated.h", "verilated_fst_c.h", "zlib.h"}, recorder.headers())
        self.names({"g++", "make", "perl", "verilator"}, recorder.programs())
        self.listed(recorder.programs() | recorder.headers(), "", "-cosim")

    def test_every_program_and_header_of_the_runner_of_operators_is_of_a_listed_package(self) -> None:
        recorder = self.compiled("host-profile", "resnet20", "--batch", "1")
        self.names({"dnnl.hpp", "omp.h"}, recorder.headers())
        self.listed(recorder.programs() | recorder.headers(), "", "-profile")

    def test_every_program_and_header_of_what_writes_waveforms_is_of_a_listed_package(self) -> None:
        recorder = self.compiled("run", "conv-small", "--rung", "systemc", "--no-save", "--waves", "w.fst")
        self.names({"fstapi.c", "lz4.c", "zlib.h"}, recorder.headers())
        self.listed(recorder.programs() | recorder.headers(), "", "-cosim")

    def test_every_module_of_python_is_of_a_listed_package(self) -> None:
        """Of Debian's Python."""
        def files(*modules: str) -> list[str]:
            names = ", ".join(modules)
            return output_of("python3", "-c", f"import {names}\nfor each in {names}: print(each.__file__)").splitlines()

        self.listed(files("pandas", "matplotlib"), "", "-python")
        self.listed(files("nbclient", "nbformat", "ipykernel", "matplotlib_inline", "jsonschema"), *ALL)

    def test_yosys_is_of_a_listed_package(self) -> None:
        recorder = self.recorder()
        outcome = run(os.environ["WEFT_BINARY"], "synth", "fpgpt-4x8-hls", "--set", "kern_words=1537", folder=self.folder,
                      environment=recorder.environment)
        self.assertIn("yosys fails", outcome.err)
        self.names({"yosys"}, recorder.programs())
        self.listed(recorder.programs(), "", "-synth")

    def test_every_program_that_a_card_run_starts_is_of_a_listed_package(self) -> None:
        """XRT's shim starts the program that unpacks an xclbin."""
        recorder = self.recorder()
        self.succeeds(run(os.environ["WEFT_BINARY"], "card", ROOT / "tests/hosts/card.yaml", "--xclbin", "card.xclbin", "--",
                          BUILD / "tests/hosts/host_each_kind", "card.xclbin", folder=self.folder,
                          environment=recorder.environment))
        self.names({"chmod", "unzip"}, recorder.programs())
        libraries = Path("/usr/lib", sysconfig.get_config_var("MULTIARCH"))
        shim, opencl = libraries / "libxrt_hwemu.so.2", libraries / "libxilinxopencl.so.2"
        self.assertTrue(shim.exists() and opencl.exists())
        self.listed({*recorder.programs(), str(shim), str(opencl)}, "", "-card")

    def test_every_program_of_the_tests_is_of_a_listed_package(self) -> None:
        """The parts of the tests' Slurm, and the programs of Slurm and MPI that sweeps start."""
        recorder = self.recorder()
        place = self.enterContext(tempfile.TemporaryDirectory(prefix="weft-slurm-", dir="/tmp", ignore_cleanup_errors=True))
        self.succeeds(run(ROOT / "tests/support/slurm_node.sh", place, "/bin/sh", "-c",
                          "squeue; sbatch --version; mpirun --version", folder=self.folder,
                          environment=recorder.environment | OPEN_MPI))
        self.names({"mpirun", "munged", "sbatch", "slurmctld", "slurmd", "squeue"}, recorder.programs())
        self.listed(recorder.programs(), *ALL)


if __name__ == "__main__":
    unittest.main()
