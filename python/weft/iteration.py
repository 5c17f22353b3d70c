"""A training iteration."""

from __future__ import annotations

from typing import Any, ClassVar, TYPE_CHECKING

from . import table
from .printed import Printed
from .meanings import Field

if TYPE_CHECKING:
    import pandas


class Timeline(Printed):
    """A training iteration: ``weft.timeline``."""

    kind = "timeline"
    name = Field("name")
    network = Field("network")
    board = Field("board")
    batch = Field("batch")
    rung = Field("rung")
    iteration_seconds = Field("iteration_seconds")
    epoch_hours = Field("epoch_hours")
    gops = Field("gops")
    conv_gops = Field("conv_gops")
    busy_share = Field("busy_share")
    loads = Field("loads")

    @property
    def where_rows(self) -> list[dict[str, Any]]:
        """Time of the iteration by activity, in seconds and as a share. Needs no pandas."""
        all_ps = self.json["iteration_ps"]
        return [{"part": part, "seconds": ps / 1e12, "share": ps / all_ps if all_ps else 0.0}
                for part, ps in self.json["where_ps"].items()]

    _WHERE: ClassVar[dict[str, Any]] = {"properties": {
        "part": {"type": "string", "description": "what the time goes to"},
        "seconds": {"type": "number", "unit": "s", "description": "of the iteration"},
        "share": {"type": "number", "unit": "1", "description": "of the iteration"}}}

    @property
    def where(self) -> "pandas.DataFrame":
        """A row for each activity; of activities at the same time the first counts."""
        return table.data_frame(self.where_rows, self._WHERE)

    @property
    def steps(self) -> "pandas.DataFrame":
        """A row for each step, with its start and end."""
        return self._frame("steps")

    def __repr__(self) -> str:
        return (f"<weft.Timeline {self.name}: {self.network} on {self.board}, batch {self.batch}, {self.rung} rung, "
                f"{self.iteration_seconds:.6g} s, {self.epoch_hours:.6g} hours an epoch>")

    def _repr_html_(self) -> str:
        head = (f"{self.name}: an iteration of {self.network} on {self.board}, batch {self.batch}: "
                f"{self.iteration_seconds:.4g} s, {self.epoch_hours:.4g} hours an epoch")
        return self._html(head, self.where_rows, self._WHERE)
