"""What weft printed as JSON, of any kind."""

from __future__ import annotations

import html
from typing import Any, ClassVar, TYPE_CHECKING

from . import table
from .meanings import Meaning, meaning, node

if TYPE_CHECKING:
    import pandas


class Printed:
    """What weft printed as JSON: ``json`` is all of it, ``describe`` says what a key of it means."""

    kind: ClassVar[str]

    def __init__(self, json: dict[str, Any]) -> None:
        self.json = json

    def describe(self, path: str) -> Meaning:
        """Type, unit and meaning of a key of ``json``: ``describe("totals.network.cycles")``."""
        return meaning(self.kind, path)

    def _rows(self, path: str) -> list[dict[str, Any]]:
        value: Any = self.json
        for key in path.split("."):
            value = value[key]
        return value

    def _frame(self, path: str) -> "pandas.DataFrame":
        return table.data_frame(self._rows(path), node(self.kind, path + "[]"))

    def _html(self, title: str, rows: list[dict[str, Any]], row_schema: dict[str, Any]) -> str:
        names = dict.fromkeys(name for row in rows for name in row)
        return f"<p><b>{html.escape(title)}</b></p>" + table.html_table(rows, table.meanings(names, row_schema))
