"""A network over boards in a row."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from .meanings import Field, Meaning, meaning, node
from .printed import Printed
from . import table

if TYPE_CHECKING:
    import pandas


class Plan(Printed):
    """What each board computes, and how fast: ``weft.plan``."""

    kind = "plan"
    name = Field("name")
    network = Field("network")
    board = Field("board")
    boards_in_a_row = Field("number_of_boards")
    cycles_an_image = Field("cycles_an_image")
    images_per_second = Field("images_per_second")

    @property
    def _kind(self) -> str:
        return self.json["kind"]

    def describe(self, path: str) -> Meaning:
        return meaning(self._kind, path)

    def _flat(self, path: str) -> "pandas.DataFrame":
        rows = [{key: value for key, value in row.items() if not isinstance(value, list)} for row in self._rows(path)]
        return table.data_frame(rows, node(self._kind, path + "[]"))

    @property
    def boards(self) -> "pandas.DataFrame":
        """A row for each board, with its resources."""
        return self._flat("boards")

    @property
    def layers(self) -> "pandas.DataFrame":
        """A row for each layer with an implementation of its own; of other designs KeyError."""
        return self._flat("layers")

    @property
    def readings(self) -> "pandas.DataFrame":
        """A row for each reading of the links of FPDeep's array; of other designs KeyError."""
        return self._flat("readings")

    def __repr__(self) -> str:
        return (f"<weft.Plan {self.name}: {self.network} on {self.boards_in_a_row} x {self.board}, "
                f"{self.images_per_second:.6g} images/s>")

    def _repr_html_(self) -> str:
        rows = [{key: value for key, value in row.items() if not isinstance(value, list)}
                for row in self.json["boards"]]
        return self._html(repr(self)[1:-1], rows, node(self._kind, "boards[]"))


class ClusterTimeline(Printed):
    """Batches in training over boards in a row: ``weft.timeline`` of a cluster."""

    kind = "timeline cluster"
    name = Field("name")
    network = Field("network")
    batch = Field("batch")
    efficiency = Field("efficiency")
    images_per_second = Field("images_per_second")
    epoch_hours = Field("epoch_hours")

    @property
    def steps(self) -> "pandas.DataFrame":
        """Fill, steady state, drain and update of a batch."""
        return self._frame("steps")

    @property
    def efficiencies(self) -> "pandas.DataFrame":
        """A row for each number of images in a batch."""
        return self._frame("efficiencies")

    @property
    def stores(self) -> "pandas.DataFrame":
        """Data that waits from F to GW of each layer."""
        return self._frame("stores")

    @property
    def links(self) -> "pandas.DataFrame":
        """The load of each link."""
        return self._frame("links")

    def __repr__(self) -> str:
        return (f"<weft.ClusterTimeline {self.name}: {self.network}, batches of {self.batch}, "
                f"{self.images_per_second:.6g} images/s, {self.epoch_hours:.6g} hours an epoch>")

    def _repr_html_(self) -> str:
        rows: list[dict[str, Any]] = self.json["steps"]
        return self._html(repr(self)[1:-1], rows, node(self.kind, "steps[]"))
