"""Every notebook runs, and says what it said when its outputs were committed (pictures aside)."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "python" / "notebooks"
sys.path.insert(0, str(NOTEBOOKS))

import nbformat  # noqa: E402
from execute import execute  # noqa: E402


def said(notebook: nbformat.NotebookNode) -> list[list[str]]:
    """Of each cell of code: its texts, and which pictures it has."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        texts = []
        stream = ""
        for output in cell.outputs:
            data = output.get("data", {})
            # Into how many pieces a stream is cut depends on when it was read.
            if output.output_type == "stream":
                if stream == output.name:
                    texts[-1] += output.text
                    continue
                stream = output.name
            else:
                stream = ""
            texts.append(output.get("text") or data.get("text/html") or data.get("text/plain", ""))
            if "image/png" in data:
                texts[-1] = "a picture"
        cells.append(texts)
    return cells


class Notebooks(unittest.TestCase):
    maxDiff = None

    def check(self, name: str) -> None:
        path = NOTEBOOKS / f"{name}.ipynb"
        committed = said(nbformat.read(path, as_version=4))
        self.assertTrue(all(isinstance(text, str) for cell in committed for text in cell))
        self.assertTrue(any(committed), "its outputs are committed")
        self.assertEqual(said(execute(path)), committed, "./weft python python/notebooks/execute.py renews the outputs")

    def test_first_answer(self) -> None:
        self.check("first-answer")

    def test_which_array(self) -> None:
        self.check("which-array")

    def test_how_wrong_are_the_equations(self) -> None:
        self.check("how-wrong-are-the-equations")

    def test_all_are_tested(self) -> None:
        names = {"test_" + path.stem.replace("-", "_") for path in NOTEBOOKS.glob("*.ipynb")}
        self.assertEqual(names | {"test_all_are_tested"}, {name for name in dir(self) if name.startswith("test_")})


if __name__ == "__main__":
    unittest.main()
