"""Python's values as weft's command line."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Iterator, Mapping

from .errors import Error


def text_of(value: Any) -> str:
    """A value as YAML on one line: True is true, [1, 2] is [1, 2], Fraction(1, 3) is 1/3."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str, Fraction)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(each) for each in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {text_of(each)}" for key, each in value.items()) + "}"
    if hasattr(value, "item"):  # a number of numpy, as a DataFrame has them
        return text_of(value.item())
    raise Error(f"a value of a run is a number, a text, True, False or a list of these, not {value!r}")


def _flat(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", value


def overrides(values: Mapping[str, Any]) -> list[str]:
    """``--set`` for each value: ``kernel={"array": {"x": 4}}`` and ``**{"kernel.array.x": 4}`` are both
    ``--set kernel.array.x=4``."""
    return [word for key, value in _flat("", values) for word in ("--set", f"{key}={text_of(value)}")]


def options(**values: Any) -> list[str]:
    """``only="a"`` is ``--only a``; None is nothing."""
    return [word for name, value in values.items() if value is not None
            for word in ("--" + name.strip("_").replace("_", "-"), str(value))]
