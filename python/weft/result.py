"""A run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TYPE_CHECKING

from . import table
from .errors import Error
from .printed import Printed
from .meanings import Field, node

if TYPE_CHECKING:
    import pandas

FILES = ("result.json", "convolutions.csv", "config.yaml")


class Result(Printed):
    """A run: ``weft.run``, or ``weft.load`` of a directory."""

    kind = "run"
    name = Field("name")
    network = Field("network")
    board = Field("board")
    batch = Field("batch")
    rung = Field("rung")
    mode = Field("mode")
    clock_mhz = Field("clock_mhz")
    profile = Field("profile")
    cycles = Field("totals.network.cycles")
    macs = Field("totals.network.macs")
    convolutions_seconds = Field("convolutions_seconds")
    convolutions_epoch_hours = Field("convolutions_epoch_hours")
    gops = Field("totals.network.gops")
    array_utilisation = Field("totals.network.array_utilisation")
    pe_cycles = Field("totals.network.pe_cycles")
    stall_share = Field("totals.network.stall_share")
    ddr_efficiency = Field("totals.network.ddr_efficiency")
    analytical_error = Field("totals.network.analytical_error")
    host = Field("host")
    fit = Field("fit")

    @property
    def iteration(self) -> dict[str, Any]:
        """The training iteration: seconds, epoch_hours, shares; or error, why they are not known; or nothing."""
        return self.json.get("iteration") or {}

    @property
    def iteration_seconds(self) -> float | None:
        """Convolutions, host, PCIe and loads of an iteration; None if they are not known."""
        return self.iteration.get("seconds")

    @property
    def epoch_hours(self) -> float | None:
        """Hours of an epoch of these iterations; None if they are not known."""
        return self.iteration.get("epoch_hours")

    def __init__(self, text: str, csv: str, config: str) -> None:
        super().__init__(json.loads(text))
        self.text = text
        self.csv = csv
        self.config = config  # YAML that reproduces it: weft run FILE

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each convolution: the lines of convolutions.csv. Needs no pandas."""
        return table.rows_of_csv(self.csv, node("convolutions.csv"))

    @property
    def convolutions(self) -> "pandas.DataFrame":
        """A row for each convolution; ``attrs["units"]`` and ``attrs["meanings"]`` say what the columns are."""
        return table.data_frame(self.rows, node("convolutions.csv"))

    @property
    def total_rows(self) -> list[dict[str, Any]]:
        """Figures of F, GI, GW and the network. Needs no pandas."""
        return [{"kind": kind, **{name: value for name, value in total.items() if name != "pe_cycles"}}
                for kind, total in self.json["totals"].items()]

    @property
    def totals(self) -> "pandas.DataFrame":
        """A row for F, GI, GW and the network."""
        return table.data_frame(self.total_rows, node(self.kind, "totals.network"))

    @classmethod
    def read(cls, folder: str | Path) -> "Result":
        """The files of a folder, as weft run writes them."""
        return cls(*((Path(folder) / name).read_text(encoding="utf-8") for name in FILES))

    def save(self, folder: str | Path) -> Path:
        """Writes the files of the result into a folder, new or empty, as weft run --out does."""
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise Error(f"will not write the result to '{path}': it is not empty")
        for name, text in zip(FILES, (self.text, self.csv, self.config)):
            (path / name).write_text(text, encoding="utf-8")
        return path

    def __repr__(self) -> str:
        count = len(self.json["convolutions"])
        return (f"<weft.Result {self.name}: {self.network} on {self.board}, batch {self.batch}, {self.rung} rung, "
                f"{count} convolutions, {self.cycles:,} cycles>")

    def _repr_html_(self) -> str:
        head = (f"{self.name}: {self.network} on {self.board}, batch {self.batch}, {self.rung} rung; "
                f"{len(self.json['convolutions'])} convolutions")
        return self._html(head, self.total_rows, node(self.kind, "totals.network"))
