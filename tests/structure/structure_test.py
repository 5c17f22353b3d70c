#!/usr/bin/env python3
"""The folders of the tree stand in the order in which CMakeLists.txt adds them: a file includes only files of its own
folder and of folders that were added before. So there is no cycle.

    structure_test.py BUILD    BUILD: a build folder of ninja, whose dependency lists name the files that were compiled

Exit code 1, with the includes that go up, if there are any.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)
ADDS = re.compile(r"^\s*add_subdirectory\((\w+)\)", re.MULTILINE)


def order(folder: Path) -> list[Path]:
    """The folder and those below it, as they are added. Those below a folder come after the folder itself."""
    lists = folder / "CMakeLists.txt"
    added = ADDS.findall(lists.read_text()) if lists.exists() else []
    rest = sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name not in added)
    below = [each for name in [*rest, *added] for each in order(folder / name)]
    return [folder, *below]


def compiled(build: Path) -> set[Path]:
    """The files of the project that the compiler read."""
    lists = subprocess.run(["ninja", "-C", build, "-t", "deps"], stdout=subprocess.PIPE, check=True, text=True).stdout
    paths = {Path(line.strip()) for line in lists.splitlines() if line.startswith("    ")}
    files = {path if path.is_absolute() else build / path for path in paths}
    found = {path.resolve() for path in files}
    return {path.relative_to(ROOT) for path in found if path.is_relative_to(ROOT) and path.is_file()}


def includes(file: Path) -> list[Path]:
    return [Path(name) for name in INCLUDE.findall((ROOT / file).read_text()) if (ROOT / name).is_file()]


def main(build: Path) -> int:
    places = {folder.relative_to(ROOT): place for place, folder in enumerate(order(ROOT))}
    files = [file for file in sorted(compiled(build)) if file.parts[0] not in ("build", "tests")]
    up = [
        (file, included)
        for file in files
        for included in includes(file)
        if places[included.parent] > places[file.parent]
    ]
    for file, included in up:
        print(f"{file} includes {included}, whose folder is added later")
    print(f"{len(files)} files, {len(up)} includes go up")
    return 1 if up or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
