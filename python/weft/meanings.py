"""What the keys of results mean, as weft says it: ``weft show schema --format json``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from .binary import call_json, find


class Meaning(NamedTuple):
    """Type, unit and description of a key. Unit "1": a share or a ratio; empty: no unit."""

    type: str
    unit: str
    description: str


@lru_cache(maxsize=None)
def _schema_of(binary: str) -> dict[str, Any]:
    return call_json(["show", "schema"])


def schema() -> dict[str, Any]:
    """The JSON Schema of all that weft prints, a definition for each kind of result."""
    return _schema_of(str(find()))


def node(kind: str, path: str = "") -> dict[str, Any]:
    """The part of the schema of ``kind`` ("run") at ``path``: "totals.network.cycles", "convolutions[].layer".

    Raises KeyError if there is none."""
    at = schema()["$defs"][kind]
    for word in path.replace("[]", ".[]").split(".") if path else []:
        if word == "[]":
            at = at["items"]
        elif word in at.get("properties", {}):
            at = at["properties"][word]
        elif isinstance(at.get("additionalProperties"), dict):
            at = at["additionalProperties"]
        else:
            raise KeyError(f"{kind} has no '{path}'")
    return at


def meaning_of(schema_node: dict[str, Any]) -> Meaning:
    kinds = schema_node["type"]
    if isinstance(kinds, list):
        kinds = " or ".join(kinds)
    return Meaning(kinds, schema_node.get("unit", ""), schema_node["description"])


def meaning(kind: str, path: str = "") -> Meaning:
    """Type, unit and meaning of a key: ``meaning("run", "totals.network.cycles")``. Raises KeyError without one."""
    return meaning_of(node(kind, path))


class Field:
    """A key of a result's JSON as an attribute; its documentation is weft's."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __set_name__(self, owner: type, name: str) -> None:
        self.kind: str = owner.kind  # type: ignore[attr-defined]
        self.name = name

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        of = meaning(self.kind, self.path)
        return of.description + (f" [{of.unit}]" if of.unit else "") + f" (`{self.path}`)"

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        value = instance.json
        for key in self.path.split("."):
            if key not in value:
                return None
            value = value[key]
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"{self.name} is a result of weft and cannot be set")
