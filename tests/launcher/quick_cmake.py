#!/usr/bin/env python3
"""cmake for a tree that differs from the project in few files: builds in seconds, with the libraries of the project's build.

    quick_cmake.py --preset release [OPTION...]                  configures as cmake does, without LibTorch and benchmarks
    quick_cmake.py --build --preset release --target TARGET      builds weft, and for the target all the tests of new folders

Only objects of new or changed sources are compiled, and those that hold the path of the tree. All other objects and libraries are links to
the project's. The commands are those of the tree's own build.ninja. WEFT_PROJECT, WEFT_BUILD_DIR: the project and its build.
"""

from __future__ import annotations

import filecmp
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

TREE = Path.cwd()
BUILD = TREE / "build/release"
PROJECT = Path(os.environ["WEFT_PROJECT"])
PROJECT_BUILD = Path(os.environ["WEFT_BUILD_DIR"])
OUTPUT = re.compile(r" -o (\S+)| qc (\S+\.a)")
SOURCE = re.compile(r" -c (\S+)$")
INCLUDED = re.compile(r'#include "(/\S+\.cpp)"')
PRECOMPILED = re.compile(r"-include (\S+/cmake_pch\.hxx)")


def differs(file: Path) -> bool:
    """True for a source of the tree that the project does not have, or has with other text."""
    if not file.is_relative_to(TREE) or file.is_relative_to(BUILD):
        return False
    of_project = PROJECT / file.relative_to(TREE)
    return not of_project.exists() or not filecmp.cmp(file, of_project, shallow=False)


def sources_of(command: str) -> list[Path]:
    """The sources that a command compiles: one file, or those of a unity file."""
    found = SOURCE.search(command)
    if not found:
        return []
    file = Path(found[1])
    return [Path(each) for each in INCLUDED.findall(file.read_text())] if "Unity" in file.parts else [file]


def configure(arguments: list[str]) -> None:
    subprocess.run(["/usr/bin/cmake", *arguments, "-DWEFT_TORCH=OFF", "-DWEFT_BENCH=OFF"], check=True)
    for file in (*PROJECT_BUILD.rglob("*.a"), *PROJECT_BUILD.rglob("*.o")):
        link = BUILD / file.relative_to(PROJECT_BUILD)
        if not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file)


def build(target: str) -> None:
    tests: list[str] = []
    if target == "all":
        for lists in TREE.glob("tests/**/CMakeLists.txt"):
            if differs(lists) and not (PROJECT / lists.relative_to(TREE)).exists():
                tests += re.findall(r"weft_test\(\s*(\w+)", lists.read_text())
    listed = subprocess.run(["/usr/bin/ninja", "-C", BUILD, "-t", "commands", "tools/weft", *tests], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    changed: set[str] = set()  # outputs
    for command in listed.splitlines():
        found = OUTPUT.search(command)
        if not found:
            continue
        output = found[1] or found[2]
        sources = sources_of(command)
        inputs = [each for each in shlex.split(command) if each in changed]
        of_tree = f"-DWEFT_SOURCE_DIR=\\\"{TREE}" in command
        if not (any(map(differs, sources)) or of_tree or inputs):
            continue
        changed.add(output)
        made = BUILD / output
        if made.is_symlink():
            made.unlink()  # a compiler would write to the project's file
        elif sources and made.exists() and all(each.stat().st_mtime < made.stat().st_mtime for each in sources):
            continue
        print(output, flush=True)
        subprocess.run(PRECOMPILED.sub(lambda of: of[0].replace(str(BUILD), str(PROJECT_BUILD)), command), shell=True,
                       cwd=BUILD, check=True)


if "--build" in sys.argv:
    build(sys.argv[-1])
else:
    configure(sys.argv[1:])
