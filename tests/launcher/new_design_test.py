"""./weft new-design, and the commands of docs/how-to/new-design.md, in a copy of the tree.

    new_design_test.py --write    writes the page again, with what its commands print now; WEFT_BUILD_DIR: the build
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("support", "cookbook")]

from cookbook_test import page_now
from support import ROOT, Outcome, run

PAGE = ROOT / "docs/how-to/new-design.md"
# Folders that new-design reads or changes, and those that the page's commands read.
FOLDERS = ("bench", "cmake", "configs", "docs", "kernels", "model", "platform", "tests", "tools", "torch", "workloads")


def copy_tree(place: Path) -> None:
    """Copies the project to `place`, times included, without builds and results."""
    ignored = shutil.ignore_patterns("__pycache__", "build", "outputs")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, place / folder, ignore=ignored)
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy2(file, place)


def files_of(tree: Path) -> dict[str, str]:
    """The text of every file outside build/."""
    return {str(path.relative_to(tree)): path.read_text(errors="replace") for path in tree.rglob("*")
            if path.is_file() and path.relative_to(tree).parts[0] != "build"}


def printed_in(tree: Path) -> str:
    """The page with what its commands print in this tree. cmake compiles only what is new in the tree."""
    programs = tree / "build/programs"
    programs.mkdir(parents=True)
    (programs / "cmake").symlink_to(ROOT / "tests/launcher/quick_cmake.py")
    (programs / "dpkg-query").write_text("#!/bin/sh\necho installed\n")
    (programs / "dpkg-query").chmod(0o755)
    os.environ |= {"PATH": f"{programs}:{os.environ['PATH']}", "WEFT_PROJECT": str(ROOT)}
    return page_now(PAGE.read_text(encoding="utf-8"), str(tree))


class NewDesign(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="weft-new-design-")
        cls.addClassCleanup(folder.cleanup)
        cls.tree = Path(folder.name).resolve() / "tree"
        cls.tree.mkdir()
        copy_tree(cls.tree)

    def start(self, *arguments: str) -> Outcome:
        return run(self.tree / "weft", "new-design", *arguments, folder=self.tree)

    def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(self) -> None:
        before = files_of(self.tree)
        for name, says in (("", "cannot be the name"), ("Mover", "cannot be the name"), ("2d", "cannot be the name"),
                           ("a-b", "cannot be the name"), ("a__b", "cannot be the name"), ("../x", "cannot be the name"),
                           ("a" * 41, "cannot be the name"), ("class", "a keyword"), ("logic", "a keyword"),
                           ("std", "a namespace"), ("barista", "'kernels/barista' exists"), ("common", "'kernels/common' exists"),
                           ("stream", "'model/stream' exists"), ("copy", "is a name in"), ("checked", "is a name in"),
                           ("waves", "is a name in"), ("bits", "is a name in"), ("design", "a keyword"),
                           ("tools", "is a name in")):
            with self.subTest(name=name):
                outcome = self.start(name)
                self.assertEqual((outcome.code, outcome.out), (2, ""))
                self.assertRegex(outcome.err, r"^weft: error: weft new-design: .*\n$")
                self.assertIn(says, outcome.err)
        for arguments in ((), ("a", "b"), ("--frob",)):
            outcome = self.start(*arguments)
            self.assertEqual((outcome.code, outcome.err.count("\n")), (2, 1))
        self.assertIn("Usage: weft new-design NAME\n", self.start("--help").out)
        self.assertEqual(files_of(self.tree), before)

    def test_a_file_without_the_lines_that_it_adds_to_is_an_error_and_nothing_is_written(self) -> None:
        for file, line in (("platform/catalogue/rtl_designs.cpp", "}};\n"), ("platform/catalogue/designs.cpp", "::design()};\n"),
                           ("platform/catalogue/CMakeLists.txt", "weft_library(weft_rtl_designs "),
                           ("configs/keys.yaml", "    .: AXI4 masters;")):
            with self.subTest(file=file):
                path = self.tree / file
                text = path.read_text()
                self.assertIn(line, text)
                path.write_text(text.replace(line, "?\n"))
                before = files_of(self.tree)
                outcome = self.start("mover")
                self.assertEqual((outcome.code, outcome.out), (1, ""))
                self.assertEqual(outcome.err, f"weft: error: cannot add a line to '{file}': the lines after which it would stand "
                                              "have changed\n")
                self.assertEqual(files_of(self.tree), before)
                path.write_text(text)

    def test_needs_the_sources(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy2(ROOT / "weft", folder)
            outcome = run(Path(folder) / "weft", "new-design", "mover", folder=Path(folder))
        self.assertEqual(outcome.code, 2)
        self.assertIn("weft: error: weft new-design needs the sources: there is no '", outcome.err)
        installed = run(os.environ["WEFT_BINARY"], "new-design", "mover", folder=self.tree)
        self.assertEqual((installed.code, installed.err.count("\n")), (2, 1))
        self.assertIn("belongs to the launcher", installed.err)

    def test_the_commands_of_the_page_print_what_it_shows(self) -> None:
        now = printed_in(self.tree)
        self.assertEqual(PAGE.read_text(encoding="utf-8").splitlines(), now.splitlines(),
                         "WEFT_BUILD_DIR=... tests/launcher/new_design_test.py --write writes the page again")
        # No word of the design that it was written from is left, and a second one has lines of its own.
        written = {path: text for path, text in files_of(self.tree).items()
                   if "mover" in path and not path.startswith(("mover.db", "results/"))}
        self.assertGreater(len(written), 40)
        self.assertEqual([path for path, text in written.items() if "copy" in text.lower()], [])
        self.assertEqual(self.start("mover").code, 2)
        self.assertEqual(self.start("e").code, 0)
        for table in ("designs", "rtl_designs"):
            text = (self.tree / f"platform/catalogue/{table}.cpp").read_text()
            self.assertIn("&mover::design()", text)
            self.assertIn("&e::design()", text)
        keys = (self.tree / "configs/keys.yaml").read_text()
        self.assertEqual((keys.count("\n    beat:"), keys.count("\n    in:")), (1, 1))


def write() -> None:
    with tempfile.TemporaryDirectory(prefix="weft-new-design-") as folder:
        tree = Path(folder).resolve() / "tree"
        tree.mkdir()
        copy_tree(tree)
        PAGE.write_text(printed_in(tree), encoding="utf-8")


if __name__ == "__main__":
    write() if sys.argv[1:] == ["--write"] else unittest.main()
