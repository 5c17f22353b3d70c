"""bundle_test.py PAGE AXE: what is committed of other people's code is what the lock files name.

Rebuilds PAGE/page.min.js and PAGE/LICENSES.txt with npm and compares them, and AXE/axe.min.js with the package. Without
npm, or without a registry, it says so and exits with 77.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
NO_REGISTRY = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT")


def npm(folder, *arguments):
    done = subprocess.run(["npm", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode == 0:
        return
    if NO_REGISTRY.search(done.stderr):
        print("skipped: npm reaches no registry, so the bundle of weft report was not rebuilt and compared")
        sys.exit(SKIPPED)
    sys.exit(f"npm {' '.join(arguments)}: {done.stderr}")


def same(made, committed):
    if made.read_bytes() != committed.read_bytes():
        sys.exit(f"{committed} is not what its lock file gives: rebuild it (docs/how-to/report.md)")
    print(f"{committed.name}: equal bytes")


def main():
    page, axe = map(pathlib.Path, sys.argv[1:])
    if shutil.which("npm") is None:
        print("skipped: there is no npm here, so the bundle of weft report was not rebuilt and compared")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "page"
        shutil.copytree(page, copy, ignore=shutil.ignore_patterns("node_modules", "page.min.js", "LICENSES.txt"))
        npm(copy, "ci")
        npm(copy, "run", "build")
        same(copy / "page.min.js", page / "page.min.js")
        same(copy / "LICENSES.txt", page / "LICENSES.txt")
        copy = pathlib.Path(folder) / "axe"
        shutil.copytree(axe, copy, ignore=shutil.ignore_patterns("node_modules"))
        npm(copy, "ci")
        for name in ("axe.min.js", "LICENSE", "LICENSE-3RD-PARTY.txt"):
            same(copy / "node_modules" / "axe-core" / name, axe / name)


main()
