"""Finds weft and calls it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, IO, Sequence

from .errors import Error

VARIABLE = "WEFT_BINARY"  # of the environment: the weft to call
_PREFIX = "weft: "
_ERROR = _PREFIX + "error: "


def find() -> Path:
    """The weft that is called: $WEFT_BINARY, else the launcher of the project that this module lies in, which builds
    what is missing, else the weft of $PATH. Raises Error if there is none."""
    given = os.environ.get(VARIABLE)
    if given:
        if not os.access(given, os.X_OK) or Path(given).is_dir():
            raise Error(f"${VARIABLE} names '{given}', which is not a program")
        return Path(given).resolve()
    launcher = Path(__file__).resolve().parents[2] / "weft"
    if launcher.is_file() and os.access(launcher, os.X_OK):
        return launcher
    installed = shutil.which("weft")
    if installed:
        return Path(installed)
    raise Error(f"cannot find weft: neither '{launcher}' nor $PATH has it; set ${VARIABLE} to its path")


def _relay(stream: IO[str], lines: list[str]) -> None:
    """Keeps what weft says on standard error and passes its notices on, as they come."""
    for line in stream:
        lines.append(line.rstrip("\n"))
        if line.startswith(_PREFIX) and not line.startswith(_ERROR):
            print(line, end="", file=sys.stderr, flush=True)


def call(arguments: Sequence[str], failed: Sequence[int] = ()) -> str:
    """Output of ``weft ARGUMENTS``. Raises Error with the error line of weft if it fails; an exit code in ``failed`` that
    comes with an output is none."""
    with subprocess.Popen([str(find()), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace") as process:
        said: list[str] = []
        relay = threading.Thread(target=_relay, args=(process.stderr, said), daemon=True)
        relay.start()
        try:
            printed = process.stdout.read()
            code = process.wait()
        except BaseException:  # KeyboardInterrupt above all
            process.terminate()
            raise
        relay.join()
    if code != 0 and not (code in failed and printed):
        errors = [line for line in said if line.startswith(_ERROR)]
        text = "\n".join(line[len(_ERROR):] for line in errors) or "\n".join(said) or f"weft ended with {code}"
        raise Error(text, code)
    return printed


def call_json(arguments: Sequence[str], failed: Sequence[int] = ()) -> Any:
    """The JSON that ``weft ARGUMENTS --format json`` prints."""
    return json.loads(call([*arguments, "--format", "json"], failed))
