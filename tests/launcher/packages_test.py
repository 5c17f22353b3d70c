"""The packages of the lists packages*.txt are sufficient.

Every header and library of the build, and every program that weft and its tests start, belongs to a package of the lists or
to one of its dependencies. A package that is installed here for another reason must not hide that a list lacks it.

WEFT_BINARY: the program; WEFT_BUILD_DIR: the build with tests; WEFT_HOST: its host_each_kind.
"""

from __future__ import annotations

import os
import re
import shlex
import sysconfig
import tempfile
import unittest
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from support import ROOT, InAFolder, install, run

BUILD = Path(os.environ["WEFT_BUILD_DIR"]).resolve()
LIBRARIES = Path("/usr/lib") / sysconfig.get_config_var("MULTIARCH")

RUN = ["packages.txt"]
COSIM = [*RUN, "packages-cosim.txt"]
CARD = [*RUN, "packages-card.txt"]
SYNTH = [*RUN, "packages-synth.txt"]
PROFILE = [*RUN, "packages-profile.txt"]
TRAIN = [*CARD, "packages-torch.txt"]
PYTHON = [*RUN, "packages-python.txt"]
BENCH = [*RUN, "packages-bench.txt"]
ALL = [*RUN, "packages-bench.txt", "packages-card.txt", "packages-cosim.txt", "packages-docs.txt", "packages-package.txt",
       "packages-profile.txt", "packages-python.txt", "packages-synth.txt", "packages-test.txt", "packages-torch.txt"]

MOST_STRANGERS = 20  # to find the package of one takes a while


def output_of(program: str, *arguments: str | Path) -> str:
    outcome = run(f"/usr/bin/{program}", *arguments)
    if outcome.code != 0:
        raise AssertionError(f"{program}: {outcome.err}")
    return outcome.out


def package_name(text: str) -> str:
    """The name alone of "libc6 (>= 2.34)" or " perl:any"; "" if there is none."""
    found = re.match(r" *([^ :(]+)", text)
    return found[1] if found else ""


class Debian:
    """The installed packages and their dependencies."""

    def __init__(self) -> None:
        self.needs: dict[str, list[list[str]]] = {}  # for each dependency, the packages that satisfy it
        self.providers: dict[str, set[str]] = defaultdict(set)
        self.base: set[str] = set()
        fields = ["${Package}", "${db:Status-Status}", "${Essential}", "${Pre-Depends},${Depends}", "${Provides}"]
        for line in output_of("dpkg-query", "--show", "--showformat=" + "\t".join(fields) + "\n").splitlines():
            name, status, essential, needs, provides = line.split("\t")
            if status != "installed":
                continue
            self.needs[name] = [[package_name(each) for each in need.split("|")]
                                for need in needs.split(",") if package_name(need)]
            for provided in provides.split(","):
                self.providers[package_name(provided)].add(name)
            if essential == "yes":
                self.base.add(name)

    def closure(self, lists: Iterable[str]) -> set[str]:
        """The packages of a machine on which apt has installed these lists: mmdebstrap --variant=apt, and the lists."""
        left = [*self.base, "apt"]
        for file in lists:
            lines = (ROOT / file).read_text().splitlines()
            left += [package_name(line) for line in lines if line and not line.startswith("#")]
        found: set[str] = set()
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                for names in self.needs.get(name, []):
                    left += self.choice(names)
        return found

    def choice(self, names: Iterable[str]) -> set[str]:
        """What apt chooses for "a | b": the first one available; for a virtual package, its installed providers."""
        for name in names:
            if name in self.needs:
                return {name}
            if name in self.providers:
                return self.providers[name]
        return set()


@cache
def files_of(*lists: str) -> set[str]:
    """The files of the lists' packages, without symbolic links between folders."""
    # dpkg-query complains of names that are not installed, such as virtual ones; their files are then missing here.
    listed = run("/usr/bin/dpkg-query", "--listfiles", *sorted(Debian().closure(lists))).out
    return {re.sub("^/(bin|sbin|lib|lib64)/", r"/usr/\1/", path) for path in listed.splitlines()}


def strangers(wanted: Iterable[str | Path], lists: list[str]) -> set[str]:
    """The files that belong to no package of the lists, each with its package here; at most MOST_STRANGERS."""
    files = files_of(*lists)
    found: set[str] = set()
    for path in sorted(map(str, wanted)):
        real = os.path.realpath(path)
        if not os.path.exists(real) or real in files:
            continue
        if len(found) == MOST_STRANGERS:
            break
        owner = run("/usr/bin/dpkg-query", "--search", real)
        found.add(owner.out if owner.code == 0 else f"{real}, of no package")
    return found


def of_others(paths: Iterable[str]) -> set[str]:
    """Those of the paths that are neither relative nor in the project or its build."""
    return {path for path in set(paths) if path.startswith("/")
            and not any(Path(os.path.realpath(path)).is_relative_to(folder) for folder in (ROOT, BUILD))}


def names_of(paths: Iterable[Path | str]) -> set[str]:
    return {Path(path).name for path in paths}


class Recorder:
    """A folder that serves as the whole PATH: for every program of the machine, a stand-in that records its name and
    starts it. Instead of compiling, g++ records the headers and leaves an empty file.

    The stand-in for verilator adds its option for waveforms: weft cosim --waves uses it in its second build only.
    """

    def __init__(self, folder: Path) -> None:
        self.started, self.headers, programs, stand_in = (
            folder / name for name in ("started", "headers", "programs", "stand-in"))
        stand_in.write_text(rf"""#!/bin/sh
name=${{0##*/}}
echo "$name" >>{shlex.quote(str(self.started))}
if [ "$name $1" = 'verilator --cc' ]; then set -- "$@" --trace-fst; fi
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
  if [ -n "$compile" ]; then /usr/bin/g++ "$@" -M -MF - >>{shlex.quote(str(self.headers))} || exit; fi
  if [ -n "$out" ]; then : >"$out"; exit; fi
fi
for folder in /usr/bin /usr/sbin; do
  if [ -x "$folder/$name" ]; then exec "$folder/$name" "$@"; fi
done
""")
        stand_in.chmod(0o700)
        programs.mkdir()
        for name in {*os.listdir("/usr/bin"), *os.listdir("/usr/sbin")}:
            (programs / name).symlink_to(stand_in)
        self.environment = {"PATH": str(programs)}

    def programs(self) -> set[Path]:
        """The programs that were started, with the interpreters of those that are scripts."""
        found = set()
        for name in set(self.started.read_text().splitlines()):
            program = Path("/usr/bin" if os.path.exists(f"/usr/bin/{name}") else "/usr/sbin") / name
            found.add(program)
            first = program.read_bytes().split(b"\n")[0] if program.is_file() else b""
            if first.startswith(b"#!"):
                found.add(Path(first[2:].split()[0].decode()))
        return found

    def headers_read(self) -> set[str]:
        """The absolute paths among the words of g++ -M, in which a backslash precedes a space of a path."""
        words = re.split(r"(?<!\\)\s", self.headers.read_text().replace("\\\n", " "))
        return {word.replace("\\ ", " ") for word in words if word.startswith("/")}


@unittest.skipUnless(os.path.exists("/usr/bin/dpkg-query"), "this is no Debian")
class Packages(InAFolder):
    def assert_listed(self, wanted: Iterable[str | Path], lists: list[str]) -> None:
        self.assertEqual(strangers(wanted, lists), set())

    def assert_compiles_with(self, arguments: list[str], lists: list[str], headers: set[str],
                             programs: Iterable[str] = ()) -> None:
        """Checks a library that weft compiles on first use, and that these headers and programs are among those in use.

        An installed weft does not find what the build has already compiled. It has links to the whole project.
        """
        recorder = Recorder(self.folder)
        weft = install(self.folder / "prefix", *os.listdir(ROOT))
        outcome = run(weft, *arguments, folder=self.folder,
                      environment=recorder.environment | {"WEFT_CACHE": str(self.folder / "cache")})
        self.assertNotEqual(outcome.code, 0)
        self.assertIn("cannot load", outcome.err)  # the library that g++ left empty
        found = of_others(recorder.headers_read())
        self.assertLessEqual(headers, names_of(found))
        self.assertLessEqual(set(programs), names_of(recorder.programs()))
        self.assert_listed(recorder.programs(), lists)
        self.assert_listed(found, lists)

    def test_every_list_is_tested(self) -> None:
        self.assertEqual({name for name in os.listdir(ROOT) if name.startswith("packages")}, set(ALL))

    def test_every_probe_is_a_program_or_header_of_its_list(self) -> None:
        # "NAME PROBE # reason": where there is no dpkg, the launcher looks for the probe instead of the package.
        probes = 0
        for file in ALL:
            found = set()
            for line in (ROOT / file).read_text().splitlines():
                words = line.split("#")[0].split()
                if len(words) < 2:
                    continue
                probe = words[1]
                folders = ["/usr/include"] if re.search("[./]", probe) else ["/usr/bin", "/usr/sbin"]
                paths = [f"{folder}/{probe}" for folder in folders if os.path.exists(f"{folder}/{probe}")]
                self.assertTrue(paths, line)
                found.add(paths[0])
                probes += 1
            self.assert_listed(found, [file])
        self.assertGreater(probes, 30)

    def test_every_header_that_the_build_read_is_of_a_listed_package(self) -> None:
        # ninja -t deps: an object, then its files, indented. Only mpirun needs weft_mpi, and a run does not need it.
        read: dict[str, set[str]] = {"tool": set(), "torch": set(), "bench": set(), "tests": set()}
        part = ""
        for line in output_of("ninja", "-C", BUILD, "-t", "deps").splitlines():
            if line.startswith(" "):
                read[part].add(line.strip())
            elif line and not line.startswith("ninja:"):
                folder = line.split("/")[0]
                part = "tests" if "weft_mpi" in line else folder if folder in read else "tool"
        for part, lists in (("tool", RUN), ("torch", TRAIN), ("bench", BENCH), ("tests", ALL)):
            headers = of_others(read[part])
            self.assertGreater(len(headers), 100, part)
            self.assert_listed(headers, lists)

    def test_every_library_that_is_linked_is_of_a_listed_package(self) -> None:
        def libraries(*question: str) -> set[str]:
            # "query" writes bars before some paths.
            paths = (line[line.find("/"):] for line in output_of("ninja", "-C", BUILD, "-t", *question).splitlines()
                     if "/" in line)
            return of_others(path for path in paths if re.match(r"lib.*\.(so|a)", Path(path).name))

        tool, everything = libraries("query", "tools/weft"), libraries("inputs", "all")
        self.assertGreater(len(tool), 5)
        self.assertGreater(len(everything), len(tool))
        self.assert_listed(tool, RUN)
        self.assert_listed(everything, ALL)

    def test_every_program_and_header_of_a_build_of_the_rtl_is_of_a_listed_package(self) -> None:
        self.assertIn('if (options.waves) add({"--trace-fst"});', (ROOT / "platform/hardware/cosim/build.cpp").read_text(),
                      "the stand-in for verilator adds the option that weft uses")
        self.assert_compiles_with(
            ["cosim", "conv-small", "--set", "kernel.array={x: 1, y: 1}", "--set", "kernel.band=2"], COSIM,
            {"verilated.h", "verilated_fst_c.h", "zlib.h"}, {"g++", "make", "perl", "verilator"})

    def test_every_program_and_header_of_the_runner_of_operators_is_of_a_listed_package(self) -> None:
        self.assert_compiles_with(["host-profile", "resnet20", "--batch", "1"], PROFILE, {"dnnl.hpp", "omp.h"})

    def test_every_program_and_header_of_what_writes_waveforms_is_of_a_listed_package(self) -> None:
        self.assert_compiles_with(["run", "conv-small", "--rung", "systemc", "--waves", "conv.fst"], COSIM,
                                  {"fstapi.c", "lz4.c", "zlib.h"})

    def test_every_module_of_python_is_of_a_listed_package(self) -> None:
        for modules, lists in (("pandas, matplotlib", PYTHON),
                               ("nbclient, nbformat, ipykernel, matplotlib_inline, jsonschema", ALL)):
            files = output_of("python3", "-c", f"import {modules}\nfor each in {modules}: print(each.__file__)")
            self.assert_listed(files.splitlines(), lists)

    def test_yosys_is_of_a_listed_package(self) -> None:
        # Without a folder for its cache, weft ends after it has asked for the version of yosys.
        recorder = Recorder(self.folder)
        weft = install(self.folder / "prefix", "configs", "kernels", "packages-synth.txt")
        outcome = run(weft, "synth", "fpgpt-16x16-hls", folder=self.folder,
                      environment=recorder.environment | {"WEFT_CACHE": "/dev/null"})
        self.assertIn("cannot create '/dev/null/", outcome.err)
        # dpkg-query: an installed weft asks for the packages without the launcher.
        self.assertEqual(recorder.programs(), {Path("/usr/bin/dpkg-query"), Path("/usr/bin/yosys")})
        self.assert_listed(recorder.programs(), SYNTH)

    def test_every_program_that_a_card_run_starts_is_of_a_listed_package(self) -> None:
        # XRT's shim starts the program that unpacks an xclbin.
        recorder = Recorder(self.folder)
        outcome = run(os.environ["WEFT_BINARY"], "card", ROOT / "tests/hosts/card.yaml", "--xclbin", "card.xclbin", "--",
                      os.environ["WEFT_HOST"], "card.xclbin", folder=self.folder, environment=recorder.environment)
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertLessEqual({"chmod", "unzip"}, names_of(recorder.programs()))
        self.assert_listed(recorder.programs(), CARD)
        self.assert_listed([LIBRARIES / "libxrt_hwemu.so.2", LIBRARIES / "libxilinxopencl.so.2"], CARD)

    def test_every_program_of_the_tests_is_of_a_listed_package(self) -> None:
        # The parts of the tests' Slurm, and the programs of Slurm and MPI that sweeps start.
        recorder = Recorder(self.folder)
        with tempfile.TemporaryDirectory(prefix="weft-slurm-", dir="/tmp") as place:  # holds sockets: a short path
            outcome = run(ROOT / "tests/support/slurm_node.sh", place, "/bin/sh", "-c",
                          "squeue; sbatch --version; mpirun --version", folder=self.folder,
                          environment=recorder.environment | {"OMPI_ALLOW_RUN_AS_ROOT": "1",
                                                              "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertLessEqual({"mpirun", "munged", "sbatch", "slurmctld", "slurmd", "squeue"},
                             names_of(recorder.programs()))
        self.assert_listed(recorder.programs(), ALL)


if __name__ == "__main__":
    unittest.main()
