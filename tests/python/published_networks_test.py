"""The networks that the scripts of configs/networks write are those in the folder, byte for byte."""

from __future__ import annotations

import importlib.util
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "configs/networks"


class PublishedNetworks(unittest.TestCase):
    def test_are_what_the_scripts_write(self) -> None:
        for name in ("write_published", "write_zoo"):
            spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
            assert spec is not None and spec.loader is not None
            script = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(script)
            with tempfile.TemporaryDirectory() as scratch:
                for write in script.NETWORKS:
                    write(scratch)
                    written = Path(scratch) / f"{write.__name__}.onnx"
                    self.assertEqual(written.read_bytes(), (FOLDER / written.name).read_bytes(), written.name)


if __name__ == "__main__":
    unittest.main()
