"""Output and refusals of weft report, without a browser; page_test.py checks the pages in one."""

from __future__ import annotations

import json
import unittest

from support import ROOT, WeftTest

RUN = r"""
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: "a<b>&\"c\"</script>", channels: 3, h: 12, w: 11, filters: 8, kernel: 5, pad: 2}]}
batch: 1
rung: analytical
"""
TIMELINE = ["timeline", "resnet20-u250", "--rung", "analytical"]


class Report(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("r.yaml", RUN)
        self.ok("run", "r.yaml", "--out", "a")

    def saved(self, page: str, *arguments: str) -> None:
        """Expects a report with this name."""
        self.assertEqual(self.ok("report", *arguments).out, f"saved        {page}\n")

    def refuses(self, says: str, *arguments: str) -> None:
        before = self.listing()
        self.refused("report", *arguments, says=says)
        self.assertEqual(self.listing(), before)

    def test_is_written_beside_the_result_unless_told_where(self) -> None:
        self.saved("a.html", "a")
        self.saved("a.html", "./a/")
        (self.folder / "deep").mkdir()
        self.ok("run", "r.yaml", "--out", "deep/b")
        self.saved("deep/b-vs-a.html", "deep/b", "a")
        self.saved("there.html", "a", "--out", "there.html")
        self.assertEqual(self.text("there.html"), self.text("a.html"))
        self.saved("a.html", "a")
        self.assertEqual(self.text("there.html"), self.text("a.html"), "the same input gives the same bytes")

    def test_carries_its_script_its_style_and_the_licences_as_they_are_committed(self) -> None:
        self.saved("a.html", "a")
        page, folder = self.text("a.html"), ROOT / "platform/document/page"
        for part in ((folder / "page.min.js").read_text(), (folder / "page.css").read_text(),
                     "Copyright 2020-2025 Observable, Inc."):
            self.assertTrue(part in page, part[:80])

    def test_takes_a_name_for_a_name(self) -> None:
        self.saved("a.html", "a")
        page = self.text("a.html")
        self.assertIn("<th scope=row>a&lt;b&gt;&amp;&quot;c&quot;&lt;/script&gt;", page)
        data = page.partition("<script type=application/json id=weft-data>")[2].partition("</script>")[0]
        self.assertNotIn("<", data)
        self.assertEqual(json.loads(data)["frame"][0]["values"][0], 'a<b>&"c"</script>')

    def test_refuses_what_is_no_result_or_no_pair_of_results(self) -> None:
        self.ok(*TIMELINE, "--out", "t")
        self.refuses("cannot combine 'a' (weft run) and 't' (weft timeline)", "a", "t")
        self.refuses("give two results of weft run", "t", "t")
        for name, content in (("a", '{"run": 1}'), ("t", '{"run": 1, "steps": 2}'), ("t", "no JSON")):
            self.write(f"{name}/result.json", content)
            self.refuses(f"{name}/result.json", name)

    def test_refuses_a_place_that_cannot_be_written(self) -> None:
        self.refuses("--out nowhere/a.html: there is no folder 'nowhere'", "a", "--out", "nowhere/a.html")
        self.refuses("--out a: is not a file that can be replaced", "a", "--out", "a")
        (self.folder / "a.html").mkdir()
        self.refuses("the report a.html: is not a file that can be replaced", "a")

    def test_of_a_timeline_is_of_what_the_timeline_saved(self) -> None:
        line = self.ok(*TIMELINE).out.splitlines()[-1]
        self.assertRegex(line, r"^saved        results/timeline-resnet20-u250-rung-analytical-")
        place = line.split()[1]
        for name, form in (("steps.csv", "csv"), ("result.json", "json")):
            self.assertEqual(self.text(f"{place}/{name}"), self.ok(*TIMELINE, "--no-save", "--format", form).out)
        self.saved(f"{place}.html", place)


if __name__ == "__main__":
    unittest.main()
