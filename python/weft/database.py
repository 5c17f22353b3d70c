"""The points of a parameter space."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any, TYPE_CHECKING

from . import table
from .binary import call, call_json
from .errors import Error
from .meanings import node

if TYPE_CHECKING:
    import pandas


def _shortened(rows: list[dict[str, Any]], only: bool) -> list[dict[str, Any]]:
    """Rows with the columns that have a value in one of them. Axes have their last words as names, where no other column
    has that name: ``only``, or in addition to the whole name."""
    names = list(dict.fromkeys(name for row in rows for name, value in row.items() if value is not None))
    last = [name.rpartition(".")[2].lstrip("$") for name in names]
    short = {name: word for name, word in zip(names, last) if last.count(word) == 1}

    def columns(name: str) -> list[str]:
        return [short.get(name, name)] if only else list(dict.fromkeys([name, short.get(name, name)]))

    return [{column: row.get(name) for name in names for column in columns(name)} for row in rows]


class Sweep:
    """The database of a sweep: ``weft.sweep``, or ``weft.load`` of a file."""

    kind = "sweep"

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.json = self._read(["--columns", "point"])  # as soon as it can be said that this is none

    def _read(self, options: list[str]) -> dict[str, Any]:
        return call_json(["show", str(self.path), *options])

    @property
    def name(self) -> str:
        """Name of the sweep."""
        return self.json["name"]

    def __len__(self) -> int:
        """Points that are recorded."""
        return len(self.json["rows"])

    def rows(self, *options: str, convolutions: bool = False) -> list[dict[str, Any]]:
        """A dictionary for each point, or each convolution of each point, with all axes and fields. Needs no pandas.

        ``options``: of weft show, as "--pareto", or "--where", "fits == 1"."""
        more = ["--convolutions"] if convolutions else []
        return self._read([*more, *options])["rows"]

    def frame(self, *options: str, convolutions: bool = False, short: bool = False) -> "pandas.DataFrame":
        """The same as a DataFrame, without columns that have no value in any row. An axis has two columns, by its key and,
        as in weft show, by its last word: "kernel.array.x" and "x". ``short``: the second alone."""
        kind = "sweep convolutions" if convolutions else "sweep"
        rows = self.rows(*options, convolutions=convolutions)
        return table.data_frame(_shortened(rows, short), node(kind, "rows[]"))

    @property
    def points(self) -> "pandas.DataFrame":
        """A row for each point."""
        return self.frame()

    @property
    def convolutions(self) -> "pandas.DataFrame":
        """A row for each convolution of each point."""
        return self.frame(convolutions=True)

    def pareto(self, minimize: list[str] | None = None, maximize: list[str] | None = None) -> "pandas.DataFrame":
        """The points that no other beats in the sweep's objectives, or in these expressions."""
        options = ["--pareto"]
        for flag, expressions in (("--minimize", minimize), ("--maximize", maximize)):
            options += [word for each in expressions or [] for word in (flag, each)]
        return self.frame(*options)

    @property
    def rerankings(self) -> list[dict[str, Any]]:
        """The best points run again on other rungs, as weft says it: a dictionary for each rung. Needs no pandas.

        Of each: "from" and "rung", "objective", "rows" with both ranks, "winner". None: an empty list."""
        try:
            return self._read(["--rerank"])["rerankings"]
        except Error as error:
            if "no re-ranked points" in str(error):
                return []
            raise

    def reranked(self, rung: str | None = None) -> "pandas.DataFrame":
        """A row for each point that was run again on ``rung`` (unless there is only one): axes, both ranks, the objective
        and the cycles on both rungs, the error. Raises Error if there is none."""
        found = [each for each in self.rerankings if rung in (None, each["rung"])]
        if len(found) != 1:
            known = ", ".join(each["rung"] for each in self.rerankings) or "none; weft.sweep(..., rerank=N) makes one"
            raise Error(f"{self.path}: needs exactly one re-ranking{f' on rung {rung}' if rung else ''}; found: {known}")
        rows = []
        for row in found[0]["rows"]:
            flat = {key: value for key, value in row.items() if not isinstance(value, dict)}
            for on in ("first", "again"):
                flat.update({f"{key}_{on}": value for key, value in row.get(on, {}).items()})
            rows.append(flat)
        of = node("sweep rerank", "rerankings[].rows[]")
        both = {f"{key}_{on}": value for on in ("first", "again")
                for key, value in of["properties"][on]["properties"].items()}
        return table.data_frame(rows, {**of, "properties": {**of["properties"], **both}})

    def config(self, point: int) -> str:
        """The run of a point as YAML, which weft run takes."""
        return call(["show", str(self.path), "--point", str(point), "--yaml"])

    def __repr__(self) -> str:
        return f"<weft.Sweep {self.name}: {len(self)} of {self.json['points']} points in {self.path}>"

    def _repr_html_(self) -> str:
        return f"<p><b>{html.escape(self.name)}</b>: {len(self)} of {self.json['points']} points recorded</p>"
