"""What limits a run."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

from . import table
from .printed import Printed
from .meanings import Field, node

if TYPE_CHECKING:
    import pandas


class Explanation(Printed):
    """The ladder of counterfactuals: ``weft.explain``."""

    kind = "explain"
    name = Field("name")
    network = Field("network")
    board = Field("board")
    batch = Field("batch")
    rung = Field("rung")
    sentences = Field("kernels.sentences")

    def rows(self, ladder: str = "kernels") -> list[dict[str, Any]]:
        """The lines of a ladder, "kernels" (the convolutions) or "iteration". Needs no pandas."""
        return [{key: value for key, value in line.items() if not isinstance(value, (list, dict))}
                for line in self.json[ladder]["lines"]]

    def frame(self, ladder: str = "kernels") -> "pandas.DataFrame":
        """The same as a DataFrame."""
        return table.data_frame(self.rows(ladder), node(self.kind, f"{ladder}.lines[]"))

    @property
    def ladder(self) -> "pandas.DataFrame":
        """The ladder of the convolutions: a row for each step, and for each change that is not kept."""
        return self.frame()

    def __repr__(self) -> str:
        return "\n".join([f"<weft.Explanation {self.name}: {self.network} on {self.board}, batch {self.batch}>",
                          *self.sentences])

    def _repr_html_(self) -> str:
        shown = ("step", "change", "cycles", "seconds", "gain", "alone", "last", "ending")
        rows = [{key: row.get(key) for key in shown} for row in self.rows()]
        title = f"{self.name}: {self.network} on {self.board}, batch {self.batch}. " + " ".join(self.sentences)
        return self._html(title, rows, node(self.kind, "kernels.lines[]"))
