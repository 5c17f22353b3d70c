"""The best kernel of each convolution."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from . import table
from .printed import Printed
from .meanings import Field, node

if TYPE_CHECKING:
    import pandas


class Exploration(Printed):
    """The best kernels, and the fewest: ``weft.dse``."""

    kind = "dse"
    name = Field("name")
    network = Field("network")
    board = Field("board")
    batch = Field("batch")
    cycles = Field("optimal.cycles")
    convolutions_epoch_hours = Field("optimal.convolutions_epoch_hours")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each convolution with its optimal kernel. Needs no pandas."""
        rows = []
        for each in self.json["convolutions"]:
            row = {key: value for key, value in each.items() if not isinstance(value, dict)}
            best = each.get("optimal", {})
            for of in (best, best.get("kernel", {}), best.get("resources", {})):
                row.update({key: value for key, value in of.items() if not isinstance(value, dict)})
            rows.append(row)
        return rows

    @property
    def _of_rows(self) -> dict[str, Any]:
        of = node(self.kind, "convolutions[]")
        best = of["properties"]["optimal"]["properties"]
        more = [best, best["kernel"]["properties"], best["resources"]["properties"]]
        return {**of, "properties": {key: value for part in [of["properties"], *more] for key, value in part.items()}}

    @property
    def convolutions(self) -> "pandas.DataFrame":
        """A row for each convolution with its optimal kernel."""
        return table.data_frame(self.rows, self._of_rows)

    @property
    def tiles(self) -> "pandas.DataFrame":
        """One tile for the convolutions of each layer and for all, and the published ones; only for explorations of
        tiles. ``tile`` is "optimal" or "published", ``of`` a layer, "least_time" or "highest_mean"."""
        every = {each["layer"]: each for each in self.json.get("layers", [])}
        every.update(self.json.get("network_tile", {}))
        rows = []
        for of, tiles in every.items():
            for which in ("optimal", "published"):
                if which not in tiles:
                    continue
                row: dict[str, Any] = {"of": of, "tile": which}
                found = tiles[which]
                for part in (found, found["kernel"], found["resources"]):
                    row.update({key: value for key, value in part.items() if not isinstance(value, dict)})
                rows.append(row)
        tile = node(self.kind, "layers[]")["properties"]["published"]["properties"]
        parts = [tile, tile["kernel"]["properties"], tile["resources"]["properties"]]
        return table.data_frame(rows, {"properties": {key: value for part in parts for key, value in part.items()}})

    @property
    def sharing(self) -> "pandas.DataFrame":
        """Number of kernels for each penalty, by Algorithms 1 and 2 and the smallest, and the loss of time."""
        rows = []
        for each in self.json["sharing"]:
            row: dict[str, Any] = {"penalty_percent": each["penalty_percent"]}
            for how in ("heuristic", "minimum"):
                row.update({f"{how}_{key}": value for key, value in each.get(how, {}).items()
                            if not isinstance(value, list)})
            rows.append(row)
        of = node(self.kind, "sharing[]")["properties"]
        both = {f"{how}_{key}": value for how in ("heuristic", "minimum")
                for key, value in of[how]["properties"].items()}
        return table.data_frame(rows, {"properties": {**of, **both}})

    def __repr__(self) -> str:
        return (f"<weft.Exploration {self.name}: {self.network} on {self.board}, batch {self.batch}, "
                f"{len(self.rows)} convolutions>")

    def _repr_html_(self) -> str:
        return self._html(repr(self)[1:-1], self.rows, self._of_rows)
