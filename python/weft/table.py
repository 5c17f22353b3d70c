"""Rows with units, as a DataFrame where pandas is, and as HTML."""

from __future__ import annotations

import csv
import html
import io
import re
from typing import Any, Iterable, Mapping, Sequence, TYPE_CHECKING

from .errors import Error
from .meanings import Meaning, meaning_of

if TYPE_CHECKING:
    import pandas

Row = Mapping[str, Any]


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise Error("a DataFrame needs pandas: apt-get install python3-pandas, or start ./weft python, which installs "
                    "it; .rows has the same without it") from error
    return pandas


_CONVERT = {"integer": int, "number": float, "boolean": lambda cell: cell == "true"}


_GUARDED = re.compile("'+[=+\\-@\t\r]")


def _cell(text: str) -> str:
    """A cell without the apostrophe that weft puts before a text that a spreadsheet would compute."""
    return text[1:] if _GUARDED.match(text) else text


def rows_of_csv(text: str, schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The lines of a CSV file by the schema of a line; an empty cell is None."""
    properties = schema["properties"]
    convert = {}
    for name, of in properties.items():
        kinds = of["type"] if isinstance(of["type"], list) else [of["type"]]
        convert[name] = next((_CONVERT[kind] for kind in kinds if kind in _CONVERT), str)
    return [{name: convert.get(name, str)(_cell(cell)) if cell != "" else None for name, cell in line.items()}
            for line in csv.DictReader(io.StringIO(text))]


def meanings(names: Iterable[str], schema: Mapping[str, Any]) -> dict[str, Meaning]:
    """Of those columns that the schema of a row knows; axes of a sweep, say, have the run's keys as names."""
    properties = schema["properties"]
    others = schema.get("additionalProperties")
    found = {}
    for name in names:
        of = properties.get(name, others if isinstance(others, dict) else None)
        if of is not None and "type" in of:
            found[name] = meaning_of(of)
    return found


def data_frame(rows: Sequence[Row], schema: Mapping[str, Any]) -> "pandas.DataFrame":
    """A DataFrame; ``attrs["units"]`` and ``attrs["meanings"]`` say what its columns are, by their names.

    Whole numbers stay whole: a column of them with gaps is Int64, not float."""
    pd = _pandas()
    names = list(dict.fromkeys(name for row in rows for name in row)) or list(schema["properties"])
    known = meanings(names, schema)
    columns = {}
    for name in names:
        values = [row.get(name) for row in rows]
        types = set(known[name].type.split(" or ")) - {"null"} if name in known else set()
        if types == {"integer"}:
            columns[name] = pd.Series(values, dtype="Int64" if None in values else "int64")
        elif types == {"number"}:
            columns[name] = pd.Series(values, dtype="float64")
        else:
            columns[name] = pd.Series(values, dtype=None if values else "object")
    frame = pd.DataFrame(columns)
    frame.attrs["units"] = {name: of.unit for name, of in known.items() if of.unit}
    frame.attrs["meanings"] = {name: of.description for name, of in known.items()}
    return frame


def cell_text(value: Any) -> str:
    """1234567 as 1,234,567; 0.123456 as 0.1235; None as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)


def html_table(rows: Sequence[Row], known: Mapping[str, Meaning], caption: str = "") -> str:
    """A table with the unit below each title and the meaning as its tooltip."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = []
    for name in names:
        of = known.get(name)
        unit = f"<br><small>{html.escape(of.unit)}</small>" if of and of.unit not in ("", "1") else ""
        title = f' title="{html.escape(of.description, quote=True)}"' if of else ""
        head.append(f'<th scope="col"{title}>{html.escape(name)}{unit}</th>')
    body = []
    for row in rows:
        cells = []
        for name in names:
            value = row.get(name)
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            style = ' style="text-align: right"' if number else ' style="text-align: left"'
            cells.append(f"<td{style}>{html.escape(cell_text(value))}</td>")
        body.append("<tr>" + "".join(cells) + "</tr>")
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return ("<table>" + title + "<thead><tr>" + "".join(head) + "</tr></thead><tbody>" + "".join(body) +
            "</tbody></table>")
