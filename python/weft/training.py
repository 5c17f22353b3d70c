"""Hours of a training."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from . import table
from .meanings import Field, node
from .printed import Printed

if TYPE_CHECKING:
    import pandas


class Training(Printed):
    """Hours of a training under a precision policy: ``weft.train``."""

    kind = "train"
    name = Field("name")
    policy = Field("policy")
    network = Field("network")
    board = Field("board")
    batch = Field("batch")
    rung = Field("rung")
    hours = Field("hours")
    fp32_alone_hours = Field("fp32_alone_hours")
    speedup = Field("speedup")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each epoch: its level, loads and hours. Needs no pandas."""
        return [{key: value for key, value in row.items() if not isinstance(value, list)} for row in self.json["epochs"]]

    @property
    def epochs(self) -> "pandas.DataFrame":
        """A row for each epoch: its level, loads and hours."""
        return table.data_frame(self.rows, node(self.kind, "epochs[]"))

    @property
    def levels(self) -> "pandas.DataFrame":
        """A row for each level: its kernel, epochs and hours."""
        return self._frame("levels")

    def __repr__(self) -> str:
        return (f"<weft.Training {self.name}: {self.network} on {self.board}, batch {self.batch}, {self.rung} rung, "
                f"{self.hours:.6g} hours>")

    def _repr_html_(self) -> str:
        return self._html(repr(self)[1:-1], self._rows("levels"), node(self.kind, "levels[]"))
