"""The site of the documentation: built strictly, complete, searched from files, and refused where a page is wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """What ./weft docs does once the packages are there."""
    return subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--site-dir", str(site)], cwd=root, capture_output=True,
                          text=True, check=False)


class Site(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def copy(self) -> Path:
        """The files of the repository that the site is made of."""
        copy = self.folder / "copy"
        shutil.copytree(ROOT / "docs", copy / "docs")
        for file in [*ROOT.glob("*.md"), ROOT / "CITATION.cff", ROOT / "mkdocs.yml", *ROOT.glob("kernels/**/*.md"),
                     *ROOT.glob("model/memory/*.h"), *ROOT.glob("configs/boards/*.yaml")]:
            target = copy / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        return copy

    def test_is_whole_and_its_search_needs_no_server(self) -> None:
        site = self.folder / "site"
        built = build(ROOT, site)
        self.assertEqual((built.returncode, built.stdout, built.stderr), (0, "", ""))
        for page in ROOT.glob("docs/**/*.md"):
            if page.parent.name != "figures":
                name = re.sub("README$", "index", str(page.relative_to(ROOT).with_suffix(""))) + ".html"
                self.assertTrue((site / name).is_file(), name)
        dse = (site / "docs/how-to/dse.html").read_text()
        self.assertIn("<pre><code>", dse)
        self.assertNotIn("prints: ./weft", re.sub("<!--.*?-->", "", dse, flags=re.DOTALL))
        page = f"file://{site}/docs/explanation/cycle.html?q=stall"
        words = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder / 'browser'}",
                 "--virtual-time-budget=20000", "--dump-dom", page]
        shown = subprocess.run(words, capture_output=True, text=True, check=True, timeout=200).stdout
        self.assertRegex(shown, r"[1-9][0-9]* matching documents")

    def test_is_refused_where_a_page_is_wrong(self) -> None:
        copy = self.copy()
        page = copy / "docs" / "tutorial.md"
        right = page.read_text()
        self.assertEqual(build(copy, self.folder / "site").returncode, 0)
        for wrong, message in [
            ("[there](nowhere.md)", "docs/tutorial.md links 'docs/nowhere.md', which is no file"),
            ("[there](glossary.md#nowhere)", "links 'glossary.html#nowhere', but the page has no such heading"),
            ("![there](https://weft.invalid/a.svg)", "loads 'https://weft.invalid/a.svg' from another server"),
            ("a line\n- and an item", "a list needs an empty line before it"),
            ("X*Y*T cycles", "write a product as `code`"),
        ]:
            page.write_text(f"{right}\n{wrong}\n")
            built = build(copy, self.folder / "site")
            self.assertNotEqual(built.returncode, 0, wrong)
            self.assertIn(message, " ".join((built.stdout + built.stderr).split()))
        page.write_text(right)
        (copy / "docs" / "new.md").write_text("# New\n")
        self.assertIn("docs/README.md does not list 'docs/new.md'", build(copy, self.folder / "site").stderr)


if __name__ == "__main__":
    unittest.main()
