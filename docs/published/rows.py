#!/usr/bin/env python3
"""Prints what a system published next to what weft prints of it, as the pages of docs/published show it.

    rows.py SYSTEM          the rows of rows.yaml of a system, such as nada, with commands and reasons
    rows.py SYSTEM --slow   those of its rows that take longer
    rows.py                 the rows of all systems, from the blocks of the pages

Run it where ./weft is. Exit code 1: a command failed, or does not print what the row names.
"""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
HEADS = ("figure", "published", "weft", "difference")
ROW = re.compile(r" {4}(.+?)  +(\S.*?)  +(\S+)  +(\S.*)")


@functools.lru_cache(maxsize=None)
def said(command: str, then: str | None = None) -> str:
    if then:
        said(command)
    done = subprocess.run(then or ["./weft", *shlex.split(command)], shell=bool(then), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"rows.py: exit code {done.returncode} of {then or './weft ' + command}\n{done.stderr}")
    return done.stdout


def value_of(row: dict[str, Any]) -> float | None:
    """The number that weft prints; None if it prints none."""
    if not row.get("match"):
        return None
    found = re.search(row["match"], said(row["command"], row.get("then")), re.MULTILINE)
    if not found:
        sys.exit(f"rows.py: ./weft {row['command']} prints nothing like {row['match']}")
    return float(found[1].replace(",", "")) * row.get("times", 1)


def text_of(value: float | str | None) -> str:
    return value if isinstance(value, str) else "-" if value is None else f"{value:.6g}"


def cells(row: dict[str, Any]) -> tuple[str, str, str, str]:
    published, value = row.get("published"), value_of(row)
    if row.get("unconfirmed"):
        change = "unconfirmed"
    elif isinstance(published, (int, float)) and value is not None and published:
        change = f"{100 * (value / published - 1):+.1f} %"
    else:
        change = "-"
    return row["figure"], text_of(published), text_of(value), change


def table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    last = len(widths) - len(HEADS) + 1  # columns from here on are numbers
    return ["  ".join(cell.ljust(width) if column < last else cell.rjust(width)
                      for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def of_system(system: str, slow: bool) -> list[str]:
    rows = [row for row in yaml.safe_load((HERE / "rows.yaml").read_text(encoding="utf-8"))[system] if row.get("slow", False) == slow]
    lines = table([HEADS, *(cells(row) for row in rows)])
    for row in rows:
        lines += ["", f"{row['figure']}: {row['source']}"]
        if row.get("command"):
            lines.append(f"  ./weft {row['command']}")
        if row.get("then"):
            lines.append(f"  {row['then']}")
        lines += textwrap.wrap(row["why"], 140, initial_indent="  ", subsequent_indent="  ")
    return lines


def of_all() -> list[str]:
    rows = [("system", *HEADS)]
    for system in yaml.safe_load((HERE / "rows.yaml").read_text(encoding="utf-8")):
        inside = False
        for line in (HERE / f"{system}.md").read_text(encoding="utf-8").splitlines():
            if line.startswith("    figure "):
                inside = True
            elif not line:
                inside = False
            elif inside and (found := ROW.fullmatch(line)):
                rows.append((system, *found.groups()))
    return table(rows)


def main() -> None:
    arguments = sys.argv[1:]
    print("\n".join(of_system(arguments[0], "--slow" in arguments) if arguments else of_all()))


if __name__ == "__main__":
    main()
