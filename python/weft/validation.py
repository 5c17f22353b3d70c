"""How wrong a model is."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from . import table
from .printed import Printed
from .meanings import node

if TYPE_CHECKING:
    import pandas


class Validation(Printed):
    """One rung against another, or a link's model against measurements: ``weft.validate``."""

    def __init__(self, json: dict[str, Any]) -> None:
        super().__init__(json)
        self.kind = json["kind"]  # type: ignore[misc]

    @property
    def name(self) -> str:
        """Name of the validation."""
        return self.json["name"]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each convolution and kernel, with its error, or each figure of a link. Needs no pandas."""
        if self.kind == "validate link":
            return self.json["rows"]
        rungs = ("model", "against")
        return [{**{key: value for key, value in row.items() if not isinstance(value, dict)},
                 **{f"{rung}_cycles": row[rung]["cycles"] for rung in rungs}} for row in self.json["convolutions"]]

    @property
    def _of_rows(self) -> dict[str, Any]:
        if self.kind == "validate link":
            return node(self.kind, "rows[]")
        of = node(self.kind, "convolutions[]")
        cycles = {f"{rung}_cycles": node(self.kind, f"convolutions[].{rung}.cycles") for rung in ("model", "against")}
        return {**of, "properties": {**of["properties"], **cycles}}

    @property
    def frame(self) -> "pandas.DataFrame":
        """The same as a DataFrame."""
        return table.data_frame(self.rows, self._of_rows)

    @property
    def holds(self) -> bool | None:
        """Whether all errors are within their limits, or tolerances; None for a validation that has no limits."""
        if self.kind == "validate link":
            return all(row["holds"] for row in self.rows)
        return self.json["limits"]["holds"] if "limits" in self.json else None

    def __repr__(self) -> str:
        rungs = self.json.get("rungs")
        what = f"{rungs['model']} against {rungs['against']}" if rungs else f"the link of {self.json['board']}"
        return f"<weft.Validation {self.name}: {what}, {len(self.rows)} rows>"

    def _repr_html_(self) -> str:
        return self._html(repr(self)[1:-1], self.rows, self._of_rows)
