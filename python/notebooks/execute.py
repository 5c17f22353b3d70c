"""Executes the notebooks beside it, or those that are named, and keeps their outputs: ./weft python execute.py"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIMEOUT_S = 300  # of a cell


def execute(path: Path) -> dict:
    """The notebook with fresh outputs, in this Python, whatever kernels the user has; its files are found beside it."""
    # Before anything of Jupyter is imported: it reads these once.
    with tempfile.TemporaryDirectory(prefix="weft-notebook-") as home:
        kernel = Path(home) / "kernels" / "weft" / "kernel.json"
        kernel.parent.mkdir(parents=True)
        argv = [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        kernel.write_text(json.dumps({"argv": argv, "display_name": "weft", "language": "python"}))
        os.environ.update(JUPYTER_PATH=home, JUPYTER_RUNTIME_DIR=home, JUPYTER_CONFIG_DIR=home, IPYTHONDIR=home,
                          JUPYTER_PLATFORM_DIRS="1")
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(path, as_version=4)
        client = NotebookClient(notebook, timeout=TIMEOUT_S, kernel_name="weft", record_timing=False,
                                resources={"metadata": {"path": str(path.parent)}})
        metadata = dict(notebook.metadata)
        client.execute()
        notebook.metadata = nbformat.from_dict(metadata)
        return notebook


def main() -> None:
    import nbformat

    for path in [Path(name) for name in sys.argv[1:]] or sorted(HERE.glob("*.ipynb")):
        notebook = execute(path.resolve())
        nbformat.write(notebook, path)
        print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells executed")


if __name__ == "__main__":
    main()
