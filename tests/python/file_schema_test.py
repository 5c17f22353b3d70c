"""The JSON Schemas of YAML files: configs/schemas is what weft schema writes, every file of configs/ obeys its schema, and a wrong key,
value or range does not."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Iterator

import jsonschema
import yaml

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
SCHEMAS = CONFIGS / "schemas"
MODELINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")


class Loader(yaml.SafeLoader):
    """Scalars as in YAML 1.2, which weft reads: true and false alone are truth values, 1e-5 is a number, a date is text."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile("^[-+]?[0-9]+$"), list("-+0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?$", re.I),
                             list("-+0123456789"))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def files() -> Iterator[Path]:
    return (file for file in sorted(CONFIGS.rglob("*.yaml")) if file.name != "keys.yaml")


class FileSchemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.schemas = {file.name: json.loads(file.read_text()) for file in SCHEMAS.glob("*.json")}

    def errors(self, name: str, document: Any) -> list[str]:
        store = {f"file:///{key}": value for key, value in self.schemas.items()}
        resolver = jsonschema.RefResolver(f"file:///{name}", self.schemas[name], store=store)
        validator = jsonschema.Draft202012Validator(self.schemas[name], resolver=resolver)
        return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(document)]

    def test_are_as_weft_writes_them(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            out = Path(place) / "schemas"
            subprocess.run([os.environ["WEFT_BINARY"], "schema", "--out", out], check=True, stdout=subprocess.PIPE)
            self.assertEqual({file.name: file.read_text() for file in out.iterdir()},
                             {file.name: file.read_text() for file in SCHEMAS.iterdir()},
                             "weft schema --out DIR writes them again")

    def test_are_schemas(self) -> None:
        for schema in self.schemas.values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_of_every_file_is_named_in_its_first_line_and_holds(self) -> None:
        count = 0
        for file in files():
            with self.subTest(file=str(file.relative_to(CONFIGS))):
                text = file.read_text()
                named = MODELINE.match(text)
                assert named, "no modeline"
                schema = (file.parent / named[1]).resolve()
                self.assertEqual(schema.parent, SCHEMAS)
                self.assertEqual(self.errors(schema.name, yaml.load(text, Loader)), [])
                count += 1
        self.assertGreater(count, 90)

    def test_refuse_unknown_keys_and_values_out_of_range(self) -> None:
        run = {"name": "a", "board": "u250", "kernel": {"array": {"x": 4, "y": 4}, "profile": "hls"}, "batch": 1, "rung": "exact"}
        self.assertEqual(self.errors("run.schema.json", run), [])
        for path, value in [("frobnicate", 1), ("batch", 0), ("batch", "many"), ("rung", "fast"), ("kernel.array.x", 0),
                            ("kernel.arrey", 1), ("memory", {"kind": "ddr9"}), ("schedule", {"overlap": "maybe"}),
                            ("readings", {"no_reading": "x"})]:
            wrong = copy.deepcopy(run)
            *parents, last = path.split(".")
            place = wrong
            for each in parents:
                place = place[each]
            place[last] = value
            self.assertTrue(self.errors("run.schema.json", wrong), f"{path}: {value}")


if __name__ == "__main__":
    unittest.main()
