"""What the tests of this folder share: a temporary folder, stand-ins for programs, and a function that starts a program."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Outcome(NamedTuple):
    """How a program ended. A negative code is the signal that ended it."""

    code: int
    out: str
    err: str


def run(program: str | Path, *arguments: str | Path, folder: Path = ROOT, environment: dict[str, str] | None = None) -> Outcome:
    """Starts the program in `folder` and waits for its end; `environment` is added to the variables of the test.

    The output goes to files: a process that the program leaves behind may hold them open.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        code = subprocess.run([program, *arguments], cwd=folder, env=os.environ | (environment or {}),
                              stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False).returncode
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    return Outcome(code, *texts)


def install(prefix: Path, *parts: str) -> Path:
    """Lays weft out as an installation does: the program in PREFIX/bin, these parts of the project as links in
    PREFIX/share/weft. Returns the program."""
    data, program = prefix / "share/weft", prefix / "bin/weft"
    for folder in (data, program.parent):
        folder.mkdir(parents=True)
    shutil.copy(os.environ["WEFT_BINARY"], program)  # no link: weft would find the binary of the build through it
    for part in parts:
        (data / part).symlink_to(ROOT / part)
    return program


class InAFolder(unittest.TestCase):
    """Each test has an empty folder, which is removed at its end. The name has spaces, as a path of a user may."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="weft test ")))
        # The file to which stand-ins for programs write their calls.
        self.calls_file = self.folder / "calls"

    def write(self, name: str, content: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def program(self, name: str, script: str) -> Path:
        """Writes a shell script; those in the folder "bin" stand for programs of the machine."""
        path = self.write(name, "#!/bin/sh\n" + script)
        path.chmod(0o700)
        return path

    def calls(self) -> str:
        return self.calls_file.read_text() if self.calls_file.exists() else ""
