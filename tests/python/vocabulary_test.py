"""One quantity has one name, one type and one unit in the results of all commands: vocabulary.yaml holds them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import tempfile
import unittest
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
# Endings of names, and the unit that a number of such a name has.
UNITS = {"seconds": "s", "ps": "ps", "ns": "ns", "us": "us", "ms": "ms", "hours": "h", "mhz": "MHz", "bytes": "bytes", "cycles": "cycles",
         "beats": "beats", "percent": "%", "share": "1", "gops": "GOPS"}
# Spellings of units that no name has; "s" is the unit of rates per second only where the kind of a file has it so.
REFUSED = re.compile(r"(_sec|_secs|_msec|_usec|_nsec|_hrs|_pct|_mhertz|_kbytes|_s)$|_per_s(_|$)|hours_per_|MHz|_MB|_GB")
RATES = re.compile(r"(gbits|gbytes|mib|bytes|images)_per_s(_|$)")  # of files of hardware: the unit is Gb/s, GB/s, MiB/s
NESTED = re.compile(r"^pe_(?=\w)|_(a|b)$|_(h|w)$")  # parts that a name has where its record is flat: pe_useful is pe_cycles.useful

OF_THE_STORE = {"sweep", "parameters"}  # columns of the table of points that no result shows


def type_of(node: dict[str, Any]) -> str:
    types = node.get("type", [each.get("type") for each in node.get("anyOf", [])])
    kinds = sorted({each for each in ([types] if isinstance(types, str) else types) if each not in ("null", None)})
    if kinds == ["array"]:
        return f"list of {type_of(node.get('items', {}))}"
    return " or ".join(kinds)


class Key:
    def __init__(self, place: str, node: dict[str, Any]) -> None:
        self.place, self.name, self.meaning = place, place.rpartition(".")[2], node.get("description", "")
        self.type = type_of(node)
        self.unit = node.get("unit", node.get("items", {}).get("unit", "")) if "number" in self.type or "integer" in self.type else ""

    @property
    def sort(self) -> str:
        return f"{self.type} {self.unit}".strip()


def keys(node: dict[str, Any], place: str) -> Iterator[Key]:
    for name, value in node.get("properties", {}).items():
        if type_of(value) not in ("object", ""):
            yield Key(f"{place}.{name}", value)
        yield from keys(value, f"{place}.{name}")
    for part in [node.get("items"), node.get("additionalProperties"), *node.get("anyOf", [])]:
        if isinstance(part, dict):
            yield from keys(part, place)


def names_of_files(node: Any) -> Iterator[str]:
    """Every key that a schema of a configuration file has."""
    if isinstance(node, dict):
        if isinstance(node.get("properties"), dict):
            yield from node["properties"]
        for value in node.values():
            yield from names_of_files(value)
    elif isinstance(node, list):
        for value in node:
            yield from names_of_files(value)


class Vocabulary(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        printed = subprocess.run([os.environ["WEFT_BINARY"], "show", "schema", "--format", "json"], capture_output=True, text=True,
                                 check=True).stdout
        cls.keys = [key for kind, node in json.loads(printed)["$defs"].items() for key in keys(node, kind)]
        table = yaml.safe_load((Path(__file__).parent / "vocabulary.yaml").read_text())
        cls.table: dict[str, list[str]] = {sort: words.split() for sort, words in table["names"].items()}
        cls.several: dict[str, str] = table["several"]
        cls.all = {key.name for key in cls.keys}

    def test_holds_every_name_with_its_type_and_unit(self) -> None:
        found: dict[str, set[str]] = defaultdict(set)
        for key in self.keys:
            found[key.sort].add(key.name.replace(" ", "~"))
        self.assertEqual({sort: sorted(names) for sort, names in found.items()}, self.table,
                         "vocabulary.yaml lacks a name, or has one that no result has")

    def test_gives_a_name_one_type_and_unit(self) -> None:
        sorts: dict[str, set[str]] = defaultdict(set)
        for sort, names in self.table.items():
            for name in names:
                sorts[name].add(sort)
        self.assertEqual({name for name, each in sorts.items() if len(each) > 1}, set(self.several),
                         "a name of several quantities is below `several`, with the reason")

    def test_gives_a_quantity_one_name(self) -> None:
        names: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for key in self.keys:
            if key.meaning and not re.search(r"\.(h|w)\.|busy_share|\.keys\[?", key.place):
                name = NESTED.sub("", key.name)
                names[key.sort, key.meaning][name].add(f"{key.place.split('.')[-2]}_{name}")
        # iteration.seconds of a run is iteration_seconds of a point.
        several = {meaning: {name for name, flat in each.items() if not flat & set(each)} for meaning, each in names.items()}
        self.assertEqual({meaning: each for meaning, each in several.items() if len(each) > 1}, {})

    def test_ends_names_with_the_unit_that_they_have(self) -> None:
        for key in self.keys:
            unit = UNITS.get(key.name.rpartition("_")[2])
            if unit and key.unit and key.name not in self.several and key.unit != "convolutions":  # of a condition's convolutions
                self.assertEqual(key.unit, unit, key.place)

    def test_spells_units_in_one_way_in_results_and_in_files(self) -> None:
        names = set(self.all)
        for schema in (ROOT / "configs/schemas").glob("*.json"):
            names.update(names_of_files(json.loads(schema.read_text())))
        self.assertEqual({name for name in names if REFUSED.search(name) and not RATES.search(name)}, set())

    def test_gives_columns_of_a_database_the_names_of_the_records(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([os.environ["WEFT_BINARY"], "sweep", "small", "--points", "0", "--out", "s.db"], cwd=folder, capture_output=True,
                           check=True)
            with contextlib.closing(sqlite3.connect(Path(folder) / "s.db")) as database:
                views = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE name LIKE 'results%' OR name = 'points'")]
                columns = {row[1] for view in views for row in database.execute(f"PRAGMA table_info({view})")}
                axes = {axis for text, in database.execute("SELECT parameters FROM points") for axis in json.loads(text)}
        axes |= {axis.rpartition(".")[2].lstrip("$") for axis in axes}
        self.assertGreater(len(columns), 20)
        self.assertEqual({column for column in columns - axes if column not in self.all}, OF_THE_STORE)


if __name__ == "__main__":
    unittest.main()
