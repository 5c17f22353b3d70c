"""weft's commands as functions."""

from __future__ import annotations

import json
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Sequence, Union

from .arguments import options, overrides
from .binary import call, call_json
from .cluster import ClusterTimeline, Plan
from .comparison import Comparison, IterationComparison, PlanComparison, ValidationComparison
from .errors import Error
from .explanation import Explanation
from .exploration import Exploration
from .result import FILES, Result
from .database import Sweep
from .iteration import Timeline
from .training import Training
from .validation import Validation

Name = Union[str, Path]

_KINDS = {"timeline": Timeline, "timeline cluster": ClusterTimeline, "plan": Plan, "plan array": Plan, "explain": Explanation,
          "validate": Validation, "validate link": Validation, "dse": Exploration, "train": Training}


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


def timeline(config: Name, *, rung: str | None = None, result: Result | Name | None = None, out: Name | None = None,
             workers: int | None = None, **values: Any) -> Timeline | ClusterTimeline:
    """A whole training iteration, host and card, or a batch over a cluster: ``weft timeline CONFIG``.

    ``result``: of the same run, to take the cycles from instead of simulating. ``out``: saved in this folder, too.
    ``values``: as in ``run``. Raises Error."""
    if rung is None and isinstance(result, Result):
        rung = result.rung
    with _folder() as folder:
        place = _place(result, folder / "result") if result is not None else None
        printed = call_json(["timeline", str(config), *overrides(values), *_saved(out),
                             *options(rung=rung, workers=workers, from_=place)])
        return _KINDS[printed["kind"]](printed)


def plan(config: Name, *, out: Name | None = None, **values: Any) -> Plan:
    """A network over a cluster of boards: ``weft plan CONFIG``.

    ``config``: a file, or a name in configs/clusters. ``out``: saved in this folder, too. ``values``: of the cluster
    by their keys, as ``boards=3`` or ``nada={"clock_mhz": 100}``. Raises Error."""
    return Plan(call_json(["plan", str(config), *overrides(values), *_saved(out)]))


def sweep(config: Name, *, out: Name | None = None, workers: int | None = None, points: str | None = None,
          rerank: int | None = None, **values: Any) -> Sweep:
    """Every point of a parameter space: ``weft sweep CONFIG``. Recorded points are not run again.

    ``out``: the database; default: results/NAME.db below the current directory. ``points``: only these, as
    "0-3,7". ``rerank``: number of best points to run again on the exact rung: ``Sweep.reranked()``. ``values``: of the
    run that the sweep starts from. Raises Error."""
    printed = call(["sweep", str(config), *overrides(values),
                    *options(out=out, workers=workers, points=points, rerank=rerank)])
    if out is not None:
        return Sweep(out)
    saved = [line.split(maxsplit=1)[1] for line in printed.splitlines() if line.startswith("saved ")]
    return Sweep(saved[0])


def explain(config: Name, *, only: str | None = None, rung: str | None = None, hold: Sequence[str] = (),
            out: Name | None = None, workers: int | None = None, **values: Any) -> Explanation:
    """What limits a run, and what to change: ``weft explain CONFIG``.

    ``hold``: keys of the run that no change may alter. ``out``: saved in this folder, with the run of each line. The
    rest as in ``run``. Raises Error."""
    held = [word for key in hold for word in ("--hold", key)]
    return Explanation(call_json(["explain", str(config), *overrides(values), *held, *_saved(out), *options(
        only=only, rung=rung, workers=workers)]))


def dse(config: Name, *, only: str | None = None, rerank: int | None = None, out: Name | None = None,
        workers: int | None = None, **values: Any) -> Exploration:
    """The best kernel of each convolution, and the fewest: ``weft dse CONFIG``.

    ``config``: a file, or a name in configs/dse. ``rerank``: number of best kernels of each convolution to simulate.
    ``values``: of the run by their keys, and of the exploration as ``dse={"budget": {"dsp": 1024}}``. The rest as in
    ``run``. Raises Error."""
    return Exploration(call_json(["dse", str(config), *overrides(values), *_saved(out), *options(
        only=only, rerank=rerank, workers=workers)]))


def train(config: Name, *, rung: str | None = None, out: Name | None = None, workers: int | None = None,
          **values: Any) -> Training:
    """The hours of a training under a precision policy: ``weft train CONFIG``.

    ``config``: a file, or a name in configs/train. ``values``: of the run by their keys, and of the training as
    ``train={"policy": "muppet"}``. The rest as in ``run``. Raises Error."""
    return Training(call_json(["train", str(config), *overrides(values), *_saved(out), *options(
        rung=rung, workers=workers)]))


def validate(config: Name, *, only: str | None = None, kernel: str | None = None, model: str | None = None,
             against: str | None = None, baseline: Name | None = None, out: Name | None = None,
             workers: int | None = None, **values: Any) -> Validation:
    """The error of one rung against another: ``weft validate CONFIG``.

    ``config``: a validation or a run, a file or a name. ``kernel``: kernels by name, as "16x16". ``model``, ``against``:
    rungs. ``baseline``: a file, or "none". ``values``: of the run by their keys, and of the validation as
    ``validate={"limits_percent": {"total": 5}}``; those of the kernel as ``**{"kernel.profile": "rtl"}``. The rest as in
    ``run``. Errors that moved, or that exceed a limit, are no exception: see ``.holds``. Raises Error."""
    return Validation(call_json(["validate", str(config), *overrides(values), *_saved(out), *options(
        only=only, kernel=kernel, model=model, against=against, baseline=baseline, workers=workers)], [1]))


def compare(a: Result | Name, b: Result | Name, *, only: str | None = None, workers: int | None = None,
            **values: Any) -> Comparison | IterationComparison | PlanComparison | ValidationComparison:
    """Two results, side by side: ``weft compare A B``. Each is a Result, a folder or a run, or both are folders of
    ``weft timeline``, of ``weft validate`` or of ``weft plan``.

    ``only`` and ``values`` are for runs that are simulated for this. Raises Error."""
    with _folder() as folder:
        compared = call_json(["compare", _place(a, folder / "a"), _place(b, folder / "b"), *overrides(values),
                              *options(only=only, workers=workers)])
        classes = (Comparison, IterationComparison, PlanComparison, ValidationComparison)
        return next(each for each in classes if each.kind == compared["kind"])(compared)


def _saved(out: Name | None) -> list[str]:
    return ["--no-save"] if out is None else options(out=out)


def _place(of: Result | Name, folder: Path) -> str:
    """Where weft finds a result: one that is here alone goes to `folder`."""
    return str(of.save(folder)) if isinstance(of, Result) else str(of)


def load(path: Name) -> (Result | Sweep | Timeline | Plan | ClusterTimeline | Explanation | Validation | Exploration |
                         Training):
    """A saved result: a folder of ``weft run``, ``timeline``, ``plan``, ``explain``, ``validate``, ``dse`` or ``train``, or a
    database of ``weft sweep``. Raises Error, also for results of earlier versions."""
    place = Path(path)
    if not place.is_dir():
        if not place.exists():
            raise Error(f"'{place}' does not exist; give weft.load a folder with a result, or a database of a sweep")
        return Sweep(place)
    if not (place / FILES[0]).is_file():
        raise Error(f"'{place}' is not a result: it has no {FILES[0]}")
    saved = _read_json(place / FILES[0])
    kind = saved.get("kind")
    if kind == "run":
        return Result.read(place)
    if kind not in _KINDS:
        raise Error(f"{place / FILES[0]}: kind: is {'unknown' if kind else 'missing'}: another version of weft made this "
                    f"result; make it again with the {FILES[2]} next to it")
    return _KINDS[kind](saved)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Error(f"{path}: is not a result of weft ({error})") from error
    if not isinstance(value, dict):
        raise Error(f"{path}: is not a result of weft")
    return value
