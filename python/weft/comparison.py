"""Two results, side by side."""

from __future__ import annotations

from typing import Any, Callable, TYPE_CHECKING

from . import table
from .meanings import Field, node
from .printed import Printed

if TYPE_CHECKING:
    import pandas


def _flat(row: dict[str, Any], classes: Callable[[Any], dict[str, Any]] = dict) -> dict[str, Any]:
    """The row with a column for each PE class of either side."""
    flat = {name: value for name, value in row.items() if not name.startswith("pe_cycles_")}
    for side in ("a", "b"):
        of_side = classes(row[f"pe_cycles_{side}"]) if f"pe_cycles_{side}" in row else {}
        flat.update({f"pe_{name}_{side}": value for name, value in of_side.items()})
    return flat


class Comparison(Printed):
    """Two results, side by side: ``weft.compare``."""

    kind = "compare"
    changed_limiters = Field("changed_limiters")
    only_a = Field("only_a")
    only_b = Field("only_b")

    @property
    def cycles_change(self) -> float | None:
        """Cycles of the network: B / A - 1."""
        return self.json["totals"]["network"]["cycles_change"]

    @property
    def keys(self) -> list[dict[str, Any]]:
        """Keys of the run that differ: key, a, b."""
        return self.json["keys"]

    @property
    def convolutions(self) -> "pandas.DataFrame":
        """A row for each convolution of both, largest change first; PE-cycles as pe_CLASS_a and pe_CLASS_b."""
        row = node(self.kind, "convolutions[]")
        schema = {"properties": _flat(row["properties"], lambda classes: classes["properties"])}
        return table.data_frame([_flat(each) for each in self._rows("convolutions")], schema)

    @property
    def total_rows(self) -> list[dict[str, Any]]:
        """A dictionary for each kind and for the network. Needs no pandas."""
        return [{"kind": kind, "cycles_a": total["a"]["cycles"], "cycles_b": total["b"]["cycles"],
                 "cycles_change": total["cycles_change"], "time_change": total["time_change"]}
                for kind, total in self.json["totals"].items()]

    def __repr__(self) -> str:
        of = self.json["totals"]["network"]
        change = "" if of["cycles_change"] is None else f" ({of['cycles_change']:+.2%})"
        return f"<weft.Comparison {of['a']['cycles']:,} -> {of['b']['cycles']:,} cycles{change}>"

    def _repr_html_(self) -> str:
        total = node(self.kind, "totals.network")["properties"]
        row = node(self.kind, "convolutions[]")["properties"]
        schema = {"properties": {**{name: row[name] for name in ("kind", "cycles_a", "cycles_b")},
                                 **{name: total[name] for name in ("cycles_change", "time_change")}}}
        changes = ", ".join(f"{each['key']}: {each['a']} -> {each['b']}" for each in self.keys)
        return self._html(changes or "no key differs", self.total_rows, schema)


class IterationComparison(Printed):
    """Two timelines, side by side: ``weft.compare`` of two that were saved."""

    kind = "compare timelines"

    @property
    def change(self) -> float:
        """Change of the time of an iteration per image: B / A - 1."""
        return self.json["where"][-1]["change"]

    @property
    def keys(self) -> list[dict[str, Any]]:
        """Keys of the run that differ: key, a, b."""
        return self.json["keys"]

    @property
    def parts(self) -> "pandas.DataFrame":
        """A row for each activity of either; last the iteration."""
        return table.data_frame(self._rows("where"), node(self.kind, "where[]"))

    def __repr__(self) -> str:
        of = self.json["where"][-1]
        return f"<weft.IterationComparison {of['a_seconds_per_image']:.6f} -> {of['b_seconds_per_image']:.6f} s an image ({self.change:+.2%})>"

    def _repr_html_(self) -> str:
        changes = ", ".join(f"{each['key']}: {each['a']} -> {each['b']}" for each in self.keys)
        return self._html(changes or "no key differs", self._rows("where"), node(self.kind, "where[]"))


class PlanComparison(Printed):
    """Two plans of one design, side by side: ``weft.compare`` of two that were saved."""

    kind = "compare plans"

    @property
    def keys(self) -> list[dict[str, Any]]:
        """Keys of the cluster that differ: key, a, b."""
        return self.json["keys"]

    @property
    def figures(self) -> "pandas.DataFrame":
        """A row for each figure of either plan."""
        return table.data_frame(self._rows("figures"), node(self.kind, "figures[]"))

    def __repr__(self) -> str:
        of = self.json["figures"][0]
        return f"<weft.PlanComparison {of['a']:.1f} -> {of['b']:.1f} images/s ({of['change']:+.2%})>"

    def _repr_html_(self) -> str:
        changes = ", ".join(f"{each['key']}: {each['a']} -> {each['b']}" for each in self.keys)
        return self._html(changes or "no key differs", self._rows("figures"), node(self.kind, "figures[]"))


class ValidationComparison(Printed):
    """Two validations, side by side, of which A is the baseline: ``weft.compare`` of two that were saved."""

    kind = "compare validations"

    @property
    def keys(self) -> list[dict[str, Any]]:
        """Keys of the runs that differ: key, a, b."""
        return self.json["keys"]

    @property
    def deviations(self) -> "pandas.DataFrame":
        """A row for each convolution that differs, largest change of cycles first."""
        return table.data_frame(self._rows("deviations"), node(self.kind, "deviations[]"))

    def __repr__(self) -> str:
        return f"<weft.ValidationComparison, deviations: {len(self.json['deviations'])}>"

    def _repr_html_(self) -> str:
        changes = ", ".join(f"{each['key']}: {each['a']} -> {each['b']}" for each in self.keys)
        return self._html(changes or "no key differs", self._rows("deviations"), node(self.kind, "deviations[]"))
