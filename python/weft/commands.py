"""weft's commands as functions."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Union

from .arguments import options, overrides
from .binary import call, call_json
from .comparison import Comparison
from .errors import Error
from .result import FILES, Result
from .database import Sweep
from .iteration import Timeline

Name = Union[str, Path]


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="weft-python-") as name:
        yield Path(name)


def run(config: Name, *, only: str | None = None, rung: str | None = None, out: Name | None = None,
        workers: int | None = None, verify: int | None = None, strict_fit: bool = False, **values: Any) -> Result:
    """Simulates a network or convolution: ``weft run CONFIG``.

    ``config``: a file, or a name in configs/runs. ``only``: these convolutions, as "inception3b.*:GW". ``rung``:
    analytical, systemc or exact. ``out``: saved in this folder, too. ``values``: of the run by their keys, as
    ``batch=1``, ``kernel={"profile": "rtl"}`` or ``**{"kernel.array.x": 32}``. Raises Error."""
    with _folder() as folder:
        place = Path(out) if out is not None else folder / "result"
        flags = ["--strict-fit"] if strict_fit else []
        call(["run", str(config), *overrides(values), *options(only=only, rung=rung, workers=workers, verify=verify),
              *flags, "--out", str(place), "--format", "json"])
        return Result.read(place)


def timeline(config: Name, *, rung: str | None = None, result: Result | Name | None = None,
             workers: int | None = None, **values: Any) -> Timeline:
    """A whole training iteration, host and card: ``weft timeline CONFIG``.

    ``result``: of the same run, to take the cycles from instead of simulating. ``values``: as in ``run``. Raises
    Error."""
    if rung is None and isinstance(result, Result):
        rung = result.rung
    with _folder() as folder:
        place = _place(result, folder / "result") if result is not None else None
        return Timeline(call_json(["timeline", str(config), *overrides(values),
                                   *options(rung=rung, workers=workers, from_=place)]))


def sweep(config: Name, *, out: Name | None = None, workers: int | None = None, points: str | None = None,
          **values: Any) -> Sweep:
    """Every point of a parameter space: ``weft sweep CONFIG``. It goes on where it stopped.

    ``out``: the database; unless given, results/NAME.db below the current directory. ``points``: only these, as
    "0-3,7". ``values``: of the run that the sweep starts from. Raises Error."""
    printed = call(["sweep", str(config), *overrides(values), *options(out=out, workers=workers, points=points)])
    if out is not None:
        return Sweep(out)
    saved = [line.split(maxsplit=1)[1] for line in printed.splitlines() if line.startswith("saved ")]
    return Sweep(saved[0])


def compare(a: Result | Name, b: Result | Name, *, only: str | None = None, workers: int | None = None,
            **values: Any) -> Comparison:
    """Two results, side by side: ``weft compare A B``. Each is a Result, a folder or a run.

    ``only`` and ``values`` are for runs that are simulated for this. Raises Error."""
    with _folder() as folder:
        return Comparison(call_json(["compare", _place(a, folder / "a"), _place(b, folder / "b"),
                                     *overrides(values), *options(only=only, workers=workers)]))


def _place(of: Result | Name, folder: Path) -> str:
    """Where weft finds a result: one that is here alone goes to `folder`."""
    return str(of.save(folder)) if isinstance(of, Result) else str(of)


def load(path: Name) -> Result | Sweep:
    """What weft saved: a folder of ``weft run``, or a database of ``weft sweep``.

    weft reads it, so that a result of an earlier version comes in today's form. Raises Error."""
    place = Path(path)
    if not place.is_dir():
        if not place.exists():
            raise Error(f"'{place}' is not there; weft.load takes a folder with a result, or a database of a sweep")
        return Sweep(place)
    if not (place / FILES[0]).is_file():
        raise Error(f"'{place}' is no result: it has no {FILES[0]}")
    shown = ["show", str(place.absolute()), "--format"]
    text = call([*shown, "json"])
    return Result(text, call([*shown, "csv"]), (place / FILES[2]).read_text(encoding="utf-8"))
