"""What limits a run."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from . import table
from .printed import Printed
from .meanings import Field, node

if TYPE_CHECKING:
    import pandas


class Explanation(Printed):
    """The ladder of changes to a run: ``weft.explain``."""

    kind = "explain"
    name = Field("name")
    network = Field("network")
    board = Field("board")
    batch = Field("batch")
    rung = Field("rung")
    verdict = Field("verdict")

    def rows(self, of: str = "lines") -> list[dict[str, Any]]:
        """The lines of the ladder ("lines"), of the changes to the question ("question") or of the bounds ("bounds").
        Needs no pandas."""
        return [{key: value for key, value in line.items() if not isinstance(value, (list, dict))}
                for line in self.json[of]]

    def frame(self, of: str = "lines") -> "pandas.DataFrame":
        """The same as a DataFrame."""
        return table.data_frame(self.rows(of), node(self.kind, f"{of}[]"))

    @property
    def ladder(self) -> "pandas.DataFrame":
        """The ladder: a row for each step, and for each change that is not kept."""
        return self.frame()

    def __repr__(self) -> str:
        return "\n".join([f"<weft.Explanation {self.name}: {self.network} on {self.board}, batch {self.batch}>",
                          *self.verdict])

    def _repr_html_(self) -> str:
        shown = ("step", "change", "epoch_hours", "seconds", "gain", "alone", "last", "ending")
        rows = [{key: row.get(key) for key in shown} for row in self.rows()]
        title = f"{self.name}: {self.network} on {self.board}, batch {self.batch}. " + " ".join(self.verdict)
        return self._html(title, rows, node(self.kind, "lines[]"))
