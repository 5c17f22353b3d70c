"""The launcher ./weft in a tree of its own.

Stand-ins for the programs that it calls write their calls to a file. The stand-in for cmake makes a binary that prints its
arguments and its folder, and ends with exit code 7.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import ROOT, InAFolder, Outcome, run

CMAKE = r"""echo "cmake $*" >>"$CALLS"
case "$1" in
  --build)
    [ ! -e "$CALLS.break" ] || { echo "[1/2] fine"; echo "weft.cpp:1: error: broken"; exit 1; }
    sleep "${BUILD_SECONDS:-0}"
    for target; do :; done
    [ "$target" != all ] || target=weft
    printf '#!/bin/sh\necho "args:$#"; for a in "$@"; do echo "arg:$a"; done; echo "cwd:$(pwd)"; exit 7\n' \
      >"build/release/tools/$target"
    chmod +x "build/release/tools/$target" ;;
  *) mkdir -p build/release/tools ;;
esac
"""
# cmake whose log becomes a folder while the build runs.
CMAKE_THAT_LOSES_ITS_LOG = r"""case "$1" in
  --build)
    echo "[1/3] one"
    sleep 1; rm build/release/weft-build.log; mkdir build/release/weft-build.log
    echo "[2/3] two"; echo "[3/3] three"
    printf '#!/bin/sh\nexit 7\n' >build/release/tools/weft; chmod +x build/release/tools/weft ;;
  *) mkdir -p build/release/tools ;;
esac
"""
CPACK = r"""echo "cpack $* in $PWD" >>"$CALLS"
[ -e "$CALLS.break" ] || : >"weft_$$_amd64.deb"
[ ! -e "$CALLS.break" ]
"""
MKDOCS = r"""echo "mkdocs $*" >>"$CALLS"
[ ! -e "$CALLS.break" ] || { echo 'WARNING - broken link'; exit 1; }
"""
CTEST_WITH_TWO_TIMES = r"""echo "ctest $*"
cat >build/release/tests.xml <<'END'
	<testcase name="A.Short" classname="A.Short" time="0.5" status="run">
	<testcase name="B.Long" classname="B.Long" time="12.25" status="run">
END
exit 5
"""
CTEST_WITH_MANY_TIMES = r"""seq 1 5000 |
  sed 's,.*,<testcase name="Suite.HasALongNameOfACase&" time="&">,' >build/release/tests.xml
"""
# A program of unit tests: only one_test has cases of this name.
UNIT_TESTS = r"""echo 'Running main()'
case $2 in
  '--gtest_filter=*Config*:*Node*') [ "${0##*/}" = two_test ] || printf 'Config.\n  Reads\n' ;;
esac
"""
INSTALL = "apt-get install --yes --no-install-recommends"
# Programs of this machine that the launcher needs.
NEEDED = ["bash", "env", "readlink", "dirname", "find", "flock", "mkdir", "touch", "mv", "tail", "grep", "rm", "sleep",
          "cat", "sed", "sort"]


class Launcher(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.tree = self.folder / "the tree"
        self.tree.mkdir()
        shutil.copy(ROOT / "weft", self.tree)
        self.build = self.tree / "build/release"
        self.binary = self.build / "tools/weft"
        self.in_tree("packages.txt", "# head\nhave-this  # there\nneed-this  # not there\n")
        self.in_tree("CMakeLists.txt", "# build\n")
        self.in_tree("tools/main/main.cpp", "// source\n")
        self.in_tree("tests/a_test.cpp", "// test\n")
        self.program("bin/cmake", CMAKE)
        self.program("bin/ctest", 'echo "ctest $*"\nexit 5\n')
        self.program("bin/dpkg-query", 'case "$4$3" in *have-this*) echo installed;; '
                                       '*) [ -e "$CALLS.installed" ] && echo installed;; esac\n')
        self.program("bin/apt-get", 'echo "apt-get $*" >>"$CALLS"\n'
                                    'case "$1" in install) touch "$CALLS.installed";; esac\n')
        self.program("bin/id", "echo 0\n")

    def in_tree(self, name: str, content: str) -> Path:
        return self.write(f"the tree/{name}", content)

    def start(self, *arguments: str, launcher: Path | None = None, folder: Path | None = None,
              path: str = "/usr/bin:/bin", seconds: str = "0") -> Outcome:
        """Starts the launcher; `path`: where programs without a stand-in are, `seconds`: how long a build takes."""
        return run(launcher or self.tree / "weft", *arguments, folder=folder or self.folder,
                   environment={"PATH": f"{self.folder}/bin:{path}", "CALLS": str(self.calls_file),
                                "BUILD_SECONDS": seconds, "WEFT_ALIVE_SECONDS": "1"})

    def link_programs(self, *names: str) -> None:
        """Adds these programs of the machine to the stand-ins, so that the launcher can run with no others."""
        for name in names:
            program, link = shutil.which(name, path="/usr/bin:/bin"), self.folder / "bin" / name
            if program and not link.exists():
                link.symlink_to(program)

    def builds(self) -> int:
        return self.calls().count("cmake --build")

    def mark(self, name: str) -> Path:
        """Makes the empty file calls.NAME, on which the behaviour of a stand-in depends."""
        return self.write(f"calls.{name}", "")

    def set_age(self, name: str, seconds: int) -> None:
        then = time.time() - seconds
        os.utime(self.tree / name, (then, then))

    def make_newer(self, name: str) -> None:
        """Makes a file newer than the last build, however coarse the times of the file system are."""
        self.set_age(name, -5)

    def assert_one_line(self, outcome: Outcome, text: str) -> None:
        """One line of the launcher with this text, and none of the shell."""
        self.assertEqual(outcome.code, 2)
        self.assertTrue(outcome.err.startswith("weft: error: "), outcome.err)
        self.assertIn(text, outcome.err)
        self.assertNotIn(": line ", outcome.err)
        self.assertEqual(outcome.err.count("\n"), 1, outcome.err)

    def test_builds_once_and_passes_arguments_folder_and_exit_code_on(self) -> None:
        folder = self.folder / "some where"
        folder.mkdir()
        for i in range(3):
            outcome = self.start("run", "a b", "", "--set", "x=*", folder=folder)
            self.assertEqual(outcome.code, 7, outcome.err)
            self.assertEqual(outcome.out, f"args:5\narg:run\narg:a b\narg:\narg:--set\narg:x=*\ncwd:{folder}\n")
            self.assertEqual(outcome.err == "", i > 0, outcome.err)
        self.assertEqual(self.builds(), 1)

    def test_works_through_links_to_it(self) -> None:
        (self.folder / "link one").symlink_to(self.tree / "weft")
        (self.folder / "link two").symlink_to("link one")
        self.assertEqual(self.start(launcher=self.folder / "link two").code, 7)
        self.assertTrue(self.binary.exists())

    def test_one_build_serves_all_commands(self) -> None:
        self.start("run")
        self.start("show")
        self.assertEqual(self.builds(), 1)
        self.assertIn("--target weft\n", self.calls())

    def test_builds_again_when_a_source_is_newer_added_or_removed_and_only_then(self) -> None:
        self.start()
        self.make_newer("tests/a_test.cpp")  # not part of the binary
        self.start()
        self.assertEqual(self.builds(), 1)
        self.make_newer("tools/main/main.cpp")
        self.start()
        self.assertEqual(self.builds(), 2)
        self.set_age("tools/main/main.cpp", 3600)
        self.start()
        self.assertEqual(self.builds(), 2)
        self.in_tree("tools/more.cpp", "// new, but with an old date\n")
        self.set_age("tools/more.cpp", 3600)
        self.make_newer("tools")
        self.start()
        self.assertEqual(self.builds(), 3)

    def test_builds_again_when_the_binary_is_gone(self) -> None:
        self.start()
        self.binary.unlink()
        self.assertEqual(self.start().code, 7)

    def test_shows_what_failed_and_tries_again_next_time(self) -> None:
        broken = self.mark("break")
        failed = self.start()
        self.assertEqual((failed.code, failed.out), (1, ""))
        self.assertIn("weft.cpp:1: error: broken", failed.err)
        self.assertNotIn("[1/2] fine", failed.err)
        broken.unlink()
        self.assertEqual(self.start().code, 7)

    def test_a_long_build_says_that_it_still_runs(self) -> None:
        outcome = self.start(seconds="3.5")
        self.assertEqual(outcome.code, 7)
        self.assertIn(outcome.err.count(" s so far"), [2, 3, 4], outcome.err)
        self.assertIn("weft: building, ", outcome.err)
        self.binary.unlink()
        self.assertNotIn(" s so far", self.start().err)  # a short build says nothing more

    def test_concurrent_starts_build_once(self) -> None:
        with ThreadPoolExecutor(4) as pool:
            codes = [outcome.code for outcome in pool.map(lambda _: self.start(seconds="0.3"), range(4))]
        self.assertEqual(codes, [7, 7, 7, 7])
        self.assertEqual(self.builds(), 1)

    def test_builds_again_in_a_tree_that_was_moved(self) -> None:
        self.start()
        moved = self.tree.rename(self.folder / "another tree")
        self.assertEqual(self.start(launcher=moved / "weft").code, 7)
        self.assertEqual(self.builds(), 2)
        self.start(launcher=moved / "weft")
        self.assertEqual(self.builds(), 2)

    def test_configures_the_tests_for_tests_only_and_then_leaves_them(self) -> None:
        self.start()
        self.assertIn("cmake --preset release -DWEFT_TESTS=OFF\n", self.calls())
        self.start("test")
        self.assertIn("cmake --preset release -DWEFT_TESTS=ON -DWEFT_TORCH=ON -DWEFT_BENCH=ON\n", self.calls())
        self.in_tree("build/release/CMakeCache.txt", f"CMAKE_HOME_DIRECTORY:INTERNAL={self.tree}\n")
        self.make_newer("tools/main/main.cpp")
        self.start()
        self.assertIn("cmake --preset release\n", self.calls())

    def test_installs_only_what_is_missing(self) -> None:
        self.in_tree("packages-test.txt", "test-this  # for a test\n")
        self.assertEqual(self.start().code, 7)
        self.assertIn(f"{INSTALL} need-this\n", self.calls())

    def test_installs_what_only_tests_need_for_tests_only(self) -> None:
        self.in_tree("packages-test.txt", "test-this  # for a test\n")
        self.assertEqual(self.start("test").code, 5)
        self.assertIn(f"{INSTALL} need-this test-this\n", self.calls())

    def test_install_installs_what_the_lists_name_and_builds_nothing(self) -> None:
        self.in_tree("packages-one.txt", "one-this  # for one\n")
        self.in_tree("packages-two.txt", "have-this  # there\ntwo-this  # for two\n")
        outcome = self.start("install", "two")
        self.assertEqual((outcome.code, outcome.out), (0, ""), outcome.err)
        self.assertEqual(self.calls(), f"{INSTALL} two-this\n")
        self.assertEqual(self.start("install", "two").err, "")  # nothing is missing now
        self.assertEqual(self.calls(), f"{INSTALL} two-this\n")
        (self.folder / "calls.installed").unlink()
        self.calls_file.unlink()
        self.assertEqual(self.start("install").code, 0)
        self.assertEqual(self.calls(), f"{INSTALL} need-this one-this two-this\n")

    def test_install_refuses_what_it_does_not_know(self) -> None:
        self.in_tree("packages-one.txt", "one-this  # for one\n")
        self.in_tree("packages-two.txt", "two-this  # for two\n")
        outcome = self.start("install", "one", "three")
        self.assertEqual((outcome.code, outcome.err), (2, "weft: error: there is no list 'three'; lists: one two\n"))
        self.assertEqual(self.start("install", "--frob").code, 2)
        self.assertEqual(self.start("install", "--help").code, 0)
        self.assertFalse(self.calls_file.exists())

    def test_python_finds_the_module_and_the_binary_and_installs_its_list_once(self) -> None:
        self.in_tree("packages.txt", "have-this  # there\n")
        self.in_tree("packages-python.txt", "python-this  # for Python\n")
        module = self.in_tree("python/weft/__init__.py", "place = __file__\n")
        command = "import os, sys, weft; print(weft.place, os.environ['WEFT_BINARY'], sys.argv[1:]); exit(9)"
        for i in range(2):
            outcome = self.start("python", "-c", command, "a b", "")
            self.assertEqual(outcome.code, 9, outcome.err)
            self.assertEqual(outcome.out, f"{module} {self.binary} ['a b', '']\n")
            self.assertEqual(outcome.err == "", i > 0, outcome.err)
        self.assertIn(f"{INSTALL} python-this\n", self.calls())
        self.assertEqual(self.builds(), 1)
        self.assertIn("weft python [FILE", self.start("python", "--help").out)

    def test_docs_installs_its_list_builds_the_site_and_prints_its_first_page(self) -> None:
        self.in_tree("packages-docs.txt", "docs-this  # for the site\n")
        self.program("bin/mkdocs", MKDOCS)
        outcome = self.start("docs")
        self.assertEqual((outcome.code, outcome.out), (0, ""), outcome.err)
        self.assertIn("weft: the tree/build/docs/index.html\n", outcome.err)
        self.assertEqual(self.calls(), f"{INSTALL} docs-this\n"
                                       f"mkdocs build --quiet --strict --site-dir {self.tree}/build/docs\n")
        self.assertEqual(self.start("docs", folder=self.tree).err, "weft: build/docs/index.html\n")  # relative to the folder
        self.mark("break")
        outcome = self.start("docs")
        self.assertEqual(outcome.code, 1)
        self.assertEqual(outcome.err, "WARNING - broken link\nweft: error: the site of the documentation could not be built; "
                                      f"the output of mkdocs is in {self.tree}/build/weft-docs.log\n")
        self.assertEqual(self.start("docs", "--frob").code, 2)
        self.assertEqual(self.start("docs", "site").code, 2)
        self.assertIn("Usage: weft docs\n", self.start("docs", "--help").out)
        self.assertEqual(self.builds(), 0)

    def test_package_builds_in_its_own_folder_and_prints_the_path(self) -> None:
        self.in_tree("packages-package.txt", "package-this  # for the package\n")
        self.program("bin/cmake", 'echo "cmake $*" >>"$CALLS"\n')
        self.program("bin/cpack", CPACK)
        place = self.tree / "build/package"
        for _ in range(2):
            outcome = self.start("package")
            self.assertEqual(outcome.code, 0, outcome.err)
            self.assertEqual(outcome.out.count("\n"), 1, "the old package is removed")
            self.assertTrue(outcome.out.startswith(f"{place}/weft_"), outcome.out)
        first = (f"{INSTALL} need-this package-this\ncmake --preset package\ncmake --build --preset package\n"
                 f"cpack -G DEB in {place}\n")
        self.assertTrue(self.calls().startswith(first), self.calls())
        self.mark("break")
        failed = self.start("package")
        self.assertEqual((failed.code, failed.out), (1, ""))
        self.assertIn(f"the package could not be built; the whole output is in {place}", failed.err)
        self.assertFalse(self.build.exists())

    def test_package_refuses_arguments(self) -> None:
        outcome = self.start("package", "--frob")
        self.assertEqual(outcome.code, 2)
        self.assertEqual(outcome.err,
                         "weft: error: weft package takes no arguments, not '--frob' (see weft package --help)\n")
        self.assertEqual(self.start("package", "--help").code, 0)
        self.assertFalse(self.calls_file.exists())

    def test_without_root_and_sudo_prints_the_command_and_stops(self) -> None:
        self.program("bin/id", "echo 1000\n")
        self.link_programs(*NEEDED)  # no sudo
        outcome = self.start(path="/nonexistent")
        self.assertEqual(outcome.code, 2, outcome.err)
        self.assertIn(f"{INSTALL} need-this\n", outcome.err)
        self.assertEqual(self.builds(), 0)

    def test_without_dpkg_goes_on_if_all_is_there_and_else_names_what_is_missing_in_one_line(self) -> None:
        self.link_programs(*NEEDED, "chmod", "g++")
        (self.folder / "bin/dpkg-query").unlink()
        self.in_tree("packages.txt", "# head\nlibc-dev stdio.h  # a header\nthing-bin no-thing\n"
                                     "libthing-dev thing/no_thing.h # one more\n")
        self.in_tree("packages-one.txt", "libone-dev one.h  # for one\nunprobed  # cannot be told\n")
        outcome = self.start(path="/nonexistent")
        self.assertEqual(outcome.code, 2)
        self.assertEqual(outcome.err, "weft: error: missing (Debian package in brackets): no-thing (thing-bin), "
                                      "<thing/no_thing.h> (libthing-dev); install them and start again\n")
        self.assertEqual(self.builds(), 0)
        self.program("bin/no-thing", "")
        self.in_tree("packages.txt", "libc-dev stdio.h  # a header\nthing-bin no-thing # a program\n")
        self.assertEqual(self.start(path="/nonexistent").code, 7)
        one = self.start("install", "one", path="/nonexistent")
        self.assertEqual(one.code, 2)
        self.assertIn(": <one.h> (libone-dev);", one.err)

    def test_without_root_uses_sudo(self) -> None:
        self.program("bin/id", "echo 1000\n")
        self.program("bin/sudo", 'echo "sudo $*" >>"$CALLS"\nexec "$@"\n')
        self.assertEqual(self.start().code, 7)
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get install", self.calls())

    def test_test_builds_everything_and_runs_the_runner(self) -> None:
        self.program("bin/nproc", "echo 3\n")
        self.program("bin/ctest", CTEST_WITH_TWO_TIMES)
        runner = f"ctest --test-dir {self.build} -j 5 --output-on-failure --output-junit {self.build}/tests.xml"
        slowest = "\nThe slowest tests:\n    12.2 s  B.Long\n     0.5 s  A.Short\n"
        outcome = self.start("test", folder=self.tree)
        self.assertEqual((outcome.code, outcome.out), (5, f"{runner} --no-tests=error\n{slowest}"))
        self.assertIn("--target all", self.calls())
        self.assertEqual(self.start("test", "fast", folder=self.tree).out,
                         f"{runner} --no-tests=error -LE cosim|rtl|slow\n{slowest}")
        self.assertEqual(self.builds(), 1)
        self.assertEqual(self.start("show").code, 7)  # the build of the tests also made the binary
        self.assertEqual(self.builds(), 1)

    def test_tests_that_pass_exit_with_zero_however_many_there_are(self) -> None:
        # A pipe holds 64 KiB; the list of these tests is longer.
        self.program("bin/ctest", CTEST_WITH_MANY_TIMES)
        outcome = self.start("test", folder=self.tree)
        self.assertEqual(outcome.code, 0, outcome.err)
        first = "\nThe slowest tests:\n  5000.0 s  Suite.HasALongNameOfACase5000\n"
        self.assertTrue(outcome.out.startswith(first), outcome.out)
        self.assertEqual(outcome.out.count("\n"), 12)

    def test_a_name_selects_cases_of_unit_test_programs_and_other_tests(self) -> None:
        # A program of unit tests is one test of CTest, and so is a class of tests in Python.
        self.start("test")
        self.write("the tree/build/release/tests/python_cases", "Config Config.is_read\nNode Node.is_made\nRun Run.of_a_Node\n")
        for name in ("one_test", "two_test"):
            self.program(f"the tree/build/release/tests/unit/{name}", UNIT_TESTS)
        self.program("bin/ctest", 'echo "ctest $* (${GTEST_FILTER-}) (${WEFT_TEST_CASES-})" | tee -a "$CALLS"\n')
        some = self.start("test", "Config|Node")
        self.assertEqual(some.code, 0)
        # CTest asks the programs for their cases when they are new; with a filter it would keep those of the filter alone.
        first = next(line for line in self.calls().splitlines() if line.startswith("ctest "))
        self.assertEqual(first, f"ctest --test-dir {self.build} --show-only () ()")
        self.assertIn("--no-tests=ignore -R ^(one_test|Run)$ (*Config*:*Node*) (Config|Node)\n", some.out)
        self.assertIn("--no-tests=ignore -R Config|Node () ()\n", some.out)
        other = self.start("test", "Cosim")
        self.assertIn("--no-tests=error -R Cosim () ()\n", other.out)
        self.assertNotIn("one_test", other.out)

    def test_test_refuses_what_it_does_not_know(self) -> None:
        self.assertEqual(self.start("test", "--frob").code, 2)
        self.assertEqual(self.start("test", "a", "b").code, 2)
        self.assertEqual(self.start("test", "--help").code, 0)
        self.assertEqual(self.builds(), 0)

    def test_says_in_one_line_what_it_cannot_write(self) -> None:
        lock, log = self.tree / "build/.lock", self.build / "weft-build.log"
        lock.mkdir(parents=True)  # a folder in place of the file stops root too
        self.assert_one_line(self.start(), f"cannot write '{lock}': this checkout is not built")
        self.in_tree("packages-one.txt", "one-this  # for one\n")
        self.assert_one_line(self.start("install", "one"), f"run as root: {INSTALL} one-this")
        lock.rmdir()
        log.mkdir(parents=True)
        self.assert_one_line(self.start(), f"cannot write '{log}'")
        log.rmdir()
        self.assertEqual(self.start().code, 7)

    def test_says_once_that_the_log_can_no_longer_be_written(self) -> None:
        self.program("bin/cmake", CMAKE_THAT_LOSES_ITS_LOG)
        outcome = self.start()
        self.assertEqual(outcome.code, 7)
        self.assertEqual(outcome.err.count(f"weft: cannot write '{self.build}/weft-build.log'"), 1, outcome.err)
        self.assertNotIn(": line ", outcome.err)

    def test_a_read_only_tree_that_is_built_works_and_another_says_what_to_do(self) -> None:
        self.start()
        self.start("show")
        place, library = bytes(self.tree), ctypes.CDLL(None)
        bind, remount, read_only = 4096, 32, 1
        if library.mount(place, place, None, ctypes.c_ulong(bind), None) != 0:
            self.skipTest("needs the right to mount")
        try:
            self.assertEqual(library.mount(None, place, None, ctypes.c_ulong(remount | bind | read_only), None), 0)
            run_outcome, test_outcome = self.start("run"), self.start("test")
        finally:
            self.assertEqual(library.umount(place), 0)
        self.assertEqual((run_outcome.code, run_outcome.err), (7, ""))
        self.assert_one_line(test_outcome, "build it as its owner, or copy it to a folder of your own")

    def test_messages_that_cannot_be_written_end_nothing(self) -> None:
        for stream in ("2>/dev/full", "2>&-"):
            shutil.rmtree(self.tree / "build", ignore_errors=True)
            outcome = self.start("-c", f'"$0" run a {stream}', str(self.tree / "weft"), launcher=Path("/bin/bash"))
            self.assertEqual(outcome.code, 7, stream)  # the exit code of the binary
            self.assertIn("arg:a\n", outcome.out, stream)

    def test_forgets_the_cache_of_another_place(self) -> None:
        self.start()
        cache = self.in_tree("build/release/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/some/where/else\n")
        self.make_newer("tools/main/main.cpp")
        self.start()
        self.assertFalse(cache.exists())


if __name__ == "__main__":
    unittest.main()
