"""The pages of weft report in a browser: page_test.py WEFT.

Makes a result of each kind, a report of each, and looks at all of them in one session of headless Chromium.
"""
import base64
import csv
import json
import math
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common import utils
from selenium.webdriver.common.keys import Keys

WEFT = ""
AXE = (pathlib.Path(__file__).parent / "axe" / "axe.min.js").read_text()
WIDTHS = (390, 1280, 1920)
HOSTILE = "</script><script>document.title='owned'</script><!--<script>"

# Two layers, one in two groups, one of a name that a careless page would run.
RUN = f"""
board: u250
kernel: {{extends: fpgpt-16x16-hls, array: {{x: 7, y: 3}}}}
network: {{layers: [{{name: "{HOSTILE}", channels: 3, h: 12, w: 11, filters: 8, kernel: 5, stride: 2, pad: 2}},
                   {{name: a.name.that.is.so.long.that.no.narrow.screen.has.room.for.all.of.it.conv, channels: 8, h: 6, w: 6, filters: 12, kernel: 3, pad: 1, groups: 2}}]}}
batch: 2
rung: exact
"""
# Its best points on another rung, too.
RERANK = """
run: r.yaml
set: {rung: analytical}
space: {kernel.array.x: [4, 5, 7]}
objectives: [minimize: seconds]
rerank: {count: 2}
"""
POINTS = 10000


def weft(folder, *arguments):
    done = subprocess.run([WEFT, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"weft {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def large_sweep(folder):
    """small.db with points enough, each a bit different."""
    path = folder / "large.db"
    path.write_bytes((folder / "small.db").read_bytes())
    with sqlite3.connect(path) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(points)")]
        rows = [dict(zip(columns, row)) for row in db.execute("SELECT * FROM points ORDER BY point")]
        db.execute("DELETE FROM points")
        made = []
        for i in range(POINTS):
            row = dict(rows[i % len(rows)], point=i)
            parameters = json.loads(row["parameters"])
            parameters["kernel.array.x"] = 2 + i % 97
            parameters["kernel.array.y"] = 1 + i % 53
            row["parameters"] = json.dumps(parameters)
            row["dsp"] = 9 * parameters["kernel.array.x"] * parameters["kernel.array.y"]
            row["seconds"] = (1 + i * 0.61803398875 % 1) / row["dsp"]
            row["cycles"] = 1000 + 7 * i
            made.append([row[column] for column in columns])
        db.executemany(f"INSERT INTO points VALUES ({','.join('?' * len(columns))})", made)
        db.execute("UPDATE sweeps SET points = ?", [POINTS])
    db.close()


def make_explanation(folder):
    """What weft explain saves, by hand."""
    def line(step, change, seconds, shares, **more):
        return {"ending": "kept" if step else "as_is", "step": step, **({"change": change} if step else {}), "seconds": seconds, "epoch_hours": seconds * 10, "convolutions_seconds": seconds / 2, "shares": [{"name": name, "of_time": share} for name, share in shares], "cycles": round(seconds * 1e8), "misfits": 0, "kernel": "", "memory": "", "command": f"weft run r --set step={step}", **more}

    lines = [line(0, "", 2.0, [("reconfiguration", 0.75), ("kernels", 0.25)]), line(1, "exact_bursts", 0.5, [("kernels", 0.6), ("reconfiguration", 0.4)], gain=0.75, alone=0.75, last=0.7), line(2, "wider_ports", 0.4, [("kernels", 1.0)], gain=0.2, alone=0.0, last=0.2),
             {"ending": "slower", "change": "larger_x", "alone": -0.1, "last": -0.125}, {"ending": "impossible", "change": "out_in_uram", "why_not": "there is none"}]
    changes = [{"name": name, "meaning": f"what {name} is", "caveat": ""} for name in ("exact_bursts", "wider_ports", "larger_x", "out_in_uram", "faster_clock")]
    question = [{"ending": "kept", "change": "faster_clock", "seconds": 0.2, "epoch_hours": 2.0, "gain": 0.5, "command": "weft run r --set step=2 --set kernel.clock_mhz=200"}]
    bounds = [{"name": name, "meaning": f"what {name} assumes", "of": of, "cycles": round(seconds * 1e8), "seconds": seconds, "epoch_hours": seconds * 10} for of in ("as is", "at the end") for name, seconds in (("array", 0.3), ("memory", 0.05))]
    saved = {"kind": "explain", "schema": 4, "weft_version": "0.2.0", "name": "r", "network": "r", "board": "u250", "kernel": "7 x 3 PEs", "batch": 2, "dataset_images": 50000, "rung": "exact", "convolutions": 5, "verdict": ["An iteration takes 2 s.", "It is limited by reconfiguration.", "Change first: exact_bursts."],
             "held": [], "changes": changes, "lines": lines, "bounds": bounds, "question": question, "work": {"sets": 10, "convolutions": 30, "simulated": 20}, "fields": {}}
    (folder / "explain").mkdir()
    (folder / "explain" / "result.json").write_text(json.dumps(saved))
    (folder / "explain" / "config.yaml").write_text((folder / "run" / "config.yaml").read_text())


def make_results(folder):
    (folder / "r.yaml").write_text(RUN)
    weft(folder, "run", "r.yaml", "--out", "run", "--activity", "activity.csv")
    weft(folder, "run", "r.yaml", "--set", "kernel.profile=rtl", "--out", "other")
    weft(folder, "run", "googlenet-u250", "--rung", "analytical", "--out", "network")
    weft(folder, "timeline", "resnet20-u250", "--rung", "analytical", "--out", "timeline")
    weft(folder, "plan", "nada-mobilenetv2", "--set", "network=resnet20", "--set", "boards=2", "--out", "plan")
    weft(folder, "plan", "fpdeep-alexnet", "--out", "array")
    weft(folder, "timeline", "nada-mobilenetv2", "--set", "network=resnet20", "--set", "boards=2", "--out", "batches")
    weft(folder, "train", "muppet-resnet20", "--rung", "analytical", "--out", "train")
    weft(folder, "sweep", "small", "--out", "small.db")
    large_sweep(folder)
    weft(folder, "validate", "googlenet-small", "--only", "conv2*", "--baseline", "none", "--out", "validate")
    weft(folder, "validate", "pcie", "--out", "pcie")
    weft(folder, "validate", "r.yaml", "--out", "limits")
    saved = json.loads((folder / "limits" / "result.json").read_text())
    saved["limits"]["holds"] = False  # as if some were beyond theirs
    saved["limits"]["totals"]["GW"]["holds"] = False
    saved["limits"]["beyond"] = [{key: row[key] for key in ("kernel", "layer", "kind", "error")} for row in saved["convolutions"][-2:]]
    (folder / "limits" / "result.json").write_text(json.dumps(saved))
    (folder / "rerank.yaml").write_text(RERANK)
    weft(folder, "sweep", "rerank.yaml", "--out", "rerank.db")
    make_explanation(folder)
    weft(folder, "dse", "googlenet", "--only", "conv1*,inception5b.branch3*", "--set", "dse.penalties_percent=[0,5,10]", "--out", "dse")
    weft(folder, "dse", "barista-alexnet_cifar10", "--out", "tiles")
    pages = {}
    for result in ("run", "network", "timeline", "plan", "array", "batches", "train", "small.db", "large.db", "validate", "pcie", "limits", "rerank.db", "dse", "tiles", "explain"):
        weft(folder, "report", result)
        name = result.partition(".")[0]
        pages[name] = folder / f"{name}.html"
    for name, profile in (("ra", "hls"), ("rb", "rtl")):
        weft(folder, "run", "resnet20-u250", "--rung", "analytical", "--set", "batch=1", "--set", f"kernel.profile={profile}", "--out", name)
    weft(folder, "report", "ra", "rb", "--out", "folded.html")
    pages["folded"] = folder / "folded.html"
    weft(folder, "report", "run", "other", "--out", "compare.html")
    pages["compare"] = folder / "compare.html"
    weft(folder, "report", "explain", "run", "--out", "explained.html")
    pages["explained"] = folder / "explained.html"
    return pages


# Text that no reader sees whole: of a chart beyond its edge, or in an element that cuts it off.
CLIPPED = """
const out = [];
for (const text of document.querySelectorAll('.plot svg text')) {
  const box = text.getBoundingClientRect(), plot = text.closest('.plot').getBoundingClientRect();
  if (box.width > 0 && (box.left < plot.left - 1 || box.right > plot.right + 1 || box.top < plot.top - 1 || box.bottom > plot.bottom + 1)) out.push(`chart: ${text.textContent}`);
}
for (const each of document.querySelectorAll('body *:not(script, style, option)')) {
  if (each.closest('svg') || each.matches('caption.quiet, details caption')) continue;
  const style = getComputedStyle(each);
  if (style.overflowX !== 'visible' && style.overflowX !== 'auto' && style.overflowX !== 'scroll' && each.scrollWidth > each.clientWidth + 1) out.push(`cut: ${each.tagName} ${each.textContent.slice(0, 40)}`);
}
if (document.documentElement.scrollWidth > innerWidth) {
  out.push(`the page is ${document.documentElement.scrollWidth} wide`);
}
return out;
"""
# Texts of one chart that lie on each other.
OVERLAPS = """
const out = [];
for (const plot of document.querySelectorAll('.plot svg')) {
  const all = [...plot.querySelectorAll('text')].filter((t) => t.textContent && !t.querySelector('tspan') && !/rotate/.test(t.getAttribute('transform') ?? '')).map((t) => [t.textContent, t.getBoundingClientRect()]);
  for (let i = 0; i < all.length; ++i) for (let j = i + 1; j < all.length; ++j) {
    const [p, a] = all[i], [q, b] = all[j];
    const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (x > 2 && y > 4) out.push(`${plot.closest('[data-chart]').dataset.chart}: '${p}' on '${q}'`);
  }
}
return out;
"""
# Of a chart: [key, left, top, width, height] of each mark with a key, in pixels of its own.
MARKS = """
const plot = document.querySelector(`[data-chart=${arguments[0]}] .plot`), frame = plot.getBoundingClientRect();
return [...plot.querySelectorAll(`.${arguments[1]} [data-key]`)].map((mark) => {
  const box = mark.getBoundingClientRect();
  return [mark.dataset.key, box.left - frame.left, box.top - frame.top, box.width, box.height];
});
"""


class Driver(Service):
    """By its address, as the browser is reached by a pipe: a system without /etc/hosts does not know localhost."""

    @property
    def service_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def is_connectable(self) -> bool:
        return utils.is_connectable(self.port, "127.0.0.1")


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.pages = make_results(cls.folder)
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={cls.folder / 'chromium'}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(service=Driver("/usr/bin/chromedriver"), options=options)
        cls.browser.set_script_timeout(60)
        cls.browser.get("about:blank")  # the first page of Chromium asks for files of its own

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.temporary.cleanup()

    def devtools(self, command, **parameters):
        return self.browser.execute_cdp_cmd(command, parameters)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def scheme(self, name):
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def width(self, pixels):
        self.devtools("Emulation.setDeviceMetricsOverride", width=pixels, height=900, deviceScaleFactor=1, mobile=False)

    def open(self, name):
        self.browser.get(self.pages[name].as_uri())
        self.assertEqual(self.script("return document.documentElement.dataset.ready"), "1", name)

    def settle(self):
        """A changed width reaches the charts in the next frames."""
        self.browser.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))")

    def marks(self, chart, group):
        return self.script(MARKS, chart, group)

    def result(self, name):
        return json.loads((self.folder / name / "result.json").read_text())

    def check_proportional(self, lengths, values, what):
        """Each length is its value times one scale, to a pixel."""
        scale = sum(lengths) / sum(values)
        for length, value in zip(lengths, values):
            self.assertAlmostEqual(length, value * scale, delta=1, msg=what)

    def test_every_page_is_clean_in_light_and_dark(self):
        self.browser.get_log("performance")
        self.browser.get_log("browser")
        self.width(1100)
        for name, path in self.pages.items():
            self.open(name)
            self.browser.execute_script(AXE)
            # Axe looks at marks one by one. Pages of the kinds of these, `small` and `run`, have fewer.
            schemes = {"light": {}, "dark": {"runOnly": ["color-contrast"]}} if name not in ("large", "network") else {}
            for scheme, rules in schemes.items():  # in dark all but the colours is the same
                with self.subTest(page=name, scheme=scheme):
                    self.scheme(scheme)
                    violations = self.browser.execute_async_script(
                        "const done = arguments[1]; axe.run(document, {resultTypes: ['violations'], ...arguments[0]}).then((r) => done(r.violations.map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html + ' ' + n.failureSummary)])))", rules)
                    self.assertEqual(violations, [])
                    self.assertEqual(self.browser.get_log("browser"), [], "the console is empty")
            asked = set()
            for entry in self.browser.get_log("performance"):
                message = json.loads(entry["message"])["message"]
                if message["method"] == "Network.requestWillBeSent":
                    asked.add(message["params"]["request"]["url"])
            self.assertEqual({url for url in asked if not url.startswith("data:")}, {path.as_uri()}, "nothing but the file is asked for")

    def test_pages_are_drawn_whole_and_no_text_is_cut_off_or_lies_on_another(self):
        """Pictures of two widths stay in the folder screenshots, to be looked at."""
        folder = pathlib.Path("screenshots")
        folder.mkdir(exist_ok=True)
        self.scheme("light")
        for name in self.pages:
            for width in WIDTHS:
                with self.subTest(page=name, width=width):
                    self.width(width)
                    self.open(name) if width == WIDTHS[0] else self.settle()
                    drawn = self.script("return [...document.querySelectorAll('.plot')].map((plot) => plot.clientWidth - plot.querySelector('svg').getBoundingClientRect().width)")
                    self.assertTrue(drawn and all(abs(each) <= 1 for each in drawn), f"drawn to the width: {drawn}")
                    self.assertEqual(self.script(CLIPPED), [])
                    self.assertEqual(self.script(OVERLAPS), [])
                    if name != "large" and width != WIDTHS[-1]:
                        (folder / f"{name}-{width}.png").write_bytes(self.picture(width))

    def picture(self, width):
        size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
        self.assertEqual(size["width"], width, "nothing makes the page wider than the screen")
        clip = {"x": 0, "y": 0, "width": width, "height": min(size["height"], 16000), "scale": 1}
        png = base64.b64decode(self.devtools("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"])
        self.assertEqual(struct.unpack(">I", png[16:20])[0], width)
        return png

    def test_a_narrow_page_has_meanings_below_names_and_shows_that_a_cut_table_goes_on(self):
        self.scheme("light")
        self.open("run")
        shown = "return [...document.querySelectorAll('#uses tbody tr')].map((row) => [row.cells[0].querySelector('small').offsetHeight > 0, row.querySelector('td.m').offsetHeight > 0])"
        facts = "return [...document.querySelectorAll('.facts')].map((list) => list.querySelector('dd').getBoundingClientRect().top >= list.querySelector('dt').getBoundingClientRect().bottom)"
        for width, below in ((390, True), (1280, False)):
            self.width(width)
            self.settle()
            self.assertEqual({tuple(row) for row in self.script(shown)}, {(below, not below)})
            self.assertEqual(set(self.script(facts)), {below})
        self.width(390)
        self.settle()
        edge = "const all = [...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth); return all.map((each) => getComputedStyle(each).backgroundImage.split('linear-gradient').length - 1)"
        self.assertEqual(set(self.script(edge)), {4}, "two shadows, and what covers them at the ends")

    def test_a_colour_has_one_meaning_and_paper_takes_those_of_the_light_page(self):
        style = (pathlib.Path(__file__).parents[3] / "platform/document/page/page.css").read_text()
        light, dark = (dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{(.*?)\n *\}", style, re.DOTALL)[:2])
        neutral = {"bg", "raised", "fg", "dim", "rule", "faint"}
        self.assertEqual(set(light), set(dark))
        for palette in (light, dark):
            used = [value for name, value in palette.items() if name not in neutral]
            self.assertEqual(sorted(used), sorted(set(used)))
        printed = set(re.findall(r"--([a-z0-9-]+):", re.search(r"@media print \{ :root \{(.*?)\} \}", style).group(1)))
        self.assertLessEqual(printed, neutral)
        self.scheme("dark")
        self.open("run")
        colour = "return getComputedStyle(document.documentElement).getPropertyValue('--useful').trim()"
        self.assertEqual(self.script(colour), dark["useful"])
        self.devtools("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.assertEqual(self.script(colour), light["useful"])
        self.devtools("Emulation.setEmulatedMedia", media="")

    def test_pages_print_with_all_that_they_say(self):
        self.scheme("dark")
        self.width(1100)
        for name in ("run", "timeline", "compare"):
            self.open(name)
            pdf = base64.b64decode(self.devtools("Page.printToPDF", printBackground=True)["data"])
            self.assertTrue(pdf.startswith(b"%PDF") and len(pdf) > 20000, name)
            self.devtools("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            self.assertEqual(self.script("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
            self.assertEqual(self.script("return [...document.querySelectorAll('.controls, nav')].filter((each) => each.offsetParent).length"), 0)
            self.assertEqual(self.script("dispatchEvent(new Event('beforeprint')); return document.querySelectorAll('main details[data-fold]:not([open])').length"), 0)
            self.devtools("Emulation.setEmulatedMedia", media="")

    def test_pages_are_readable_without_scripts(self):
        self.width(1100)
        expected = {"run": ["All convolutions", "Resources of the largest kernel", "The charts need JavaScript"], "timeline": ["reconfiguration", "The longest 30 of"], "small": ["The Pareto front"],
                    "plan": ["Resources of each board", "not exceeded by any placement", "nada.copies"], "array": ["Readings of the links", "60 boards", "inner-13G"], "batches": ["Stores from F to GW", "drain", "board 1 to 2"],
                    "validate": ["conv2.conv", "published: mean"], "pcie": ["one call"], "dse": ["Shared kernels"], "tiles": ["One tile for several convolutions", "network, least time", "0.59", "Table 4.1"], "compare": ["kernel.profile", "Totals"], "explain": ["exact_bursts", "not possible", "there is none", "weft run r --set step=2"]}
        self.devtools("Emulation.setScriptExecutionDisabled", value=True)
        try:
            for name, texts in expected.items():
                self.browser.get(self.pages[name].as_uri())
                # Scripts of the page are off; those of the debugger are not.
                self.assertIsNone(self.script("return document.documentElement.dataset.ready ?? null"))
                shown = self.script("return document.body.innerText")
                for text in texts:
                    self.assertIn(text, shown, name)
            self.browser.get(self.pages["run"].as_uri())
            cycles = [row["cycles"] for row in self.result("run")["convolutions"]]
            shown = self.script("return [...document.querySelectorAll('#rows tbody tr')].map((row) => row.innerText)")
            self.assertEqual(len(shown), len(cycles))
            for row, count in zip(shown, cycles):
                self.assertIn(f"{count:,}", row)
        finally:
            self.devtools("Emulation.setScriptExecutionDisabled", value=False)

    def test_a_name_that_looks_like_a_script_is_a_name(self):
        self.width(1100)
        for name in ("run", "compare"):
            self.open(name)
            self.assertNotEqual(self.browser.title, "owned")
            self.assertEqual(self.script("return document.scripts.length"), 2)
            self.assertIn(HOSTILE, self.script("return [...document.querySelectorAll('#rows tbody th')].map((cell) => cell.textContent)"))

    def frame(self):
        """The series of the page's rows by their names."""
        data = json.loads(self.script("return document.getElementById('weft-data').textContent"))
        return {series["name"]: series["values"] for series in data["frame"]}

    def test_areas_of_a_run_are_its_pe_cycles(self):
        self.width(1100)
        self.open("run")
        rows = {f"{row['layer']} {row['kind']}": row for row in self.result("run")["convolutions"]}
        self.assertEqual(self.frame()["cycles"], [row["cycles"] for row in rows.values()])
        columns = {}
        for key, left, top, width, height in self.marks("where", "bars"):
            row, _, use = key.rpartition("|")
            columns.setdefault(row, []).append((use.replace(" by ", " ").replace(" ", "_"), width, top, height))
        self.assertEqual(set(columns), set(rows))
        keys = list(columns)
        self.check_proportional([columns[key][0][1] for key in keys], [rows[key]["cycles"] for key in keys], "as wide as it takes cycles")
        for key, boxes in columns.items():
            uses = {use: count for use, count in rows[key]["pe_cycles"].items() if count}
            self.assertEqual(sum(uses.values()), 7 * 3 * rows[key]["cycles"], "PE-cycles are X*Y*T")
            self.assertEqual([use for use, _, _, _ in boxes], list(uses))
            self.check_proportional([height for _, _, _, height in boxes], list(uses.values()), key)
            for (_, _, above, _), (_, _, top, height) in zip(boxes, boxes[1:]):
                self.assertAlmostEqual(top + height, above, delta=1, msg="without a gap")
        longest = {}
        for key, left, top, width, height in self.marks("longest", "bars"):
            longest[key.rpartition("|")[0]] = longest.get(key.rpartition("|")[0], 0) + width
        self.check_proportional(list(longest.values()), [rows[key]["cycles"] for key in longest], "as long as it takes")
        fit = {key: width for key, _, _, width, _ in self.marks("fit", "bars")}
        resources = {use: max(row["resources"][use.lower()]["used"] / row["resources"][use.lower()]["available"] for row in rows.values()) for use in fit}
        self.check_proportional(list(fit.values()), list(resources.values()), "resources")

    def test_strips_of_blocks_are_what_they_do_in_each_part(self):
        self.width(1100)
        self.open("run")
        with open(self.folder / "run" / "activity.csv", newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual((self.folder / "run" / "activity.csv").read_text(), (self.folder / "activity.csv").read_text())
        rows = self.result("run")["convolutions"]
        longest = max(rows, key=lambda row: row["cycles"])
        for chosen in (longest, min(rows, key=lambda row: row["cycles"])):
            name = f"{chosen['layer']} {chosen['kind']}"
            self.script("const select = document.querySelector('[data-chart=activity] select'); select.value = [...select.options].findIndex((each) => each.textContent === arguments[0]); select.dispatchEvent(new Event('change'))", name)
            parts = [line for line in lines if (line["layer"], line["kind"]) == (chosen["layer"], chosen["kind"])]
            self.assertEqual(len(parts), 200)
            want = {}
            for line in parts:
                for key, count in line.items():
                    block, _, state = key.rpartition("_")
                    if state in ("active", "blocked", "starved", "idle") and int(count) > 0:
                        want[f"{block}|{line['part']}|{state}"] = (int(line["from_cycle"]), int(line["to_cycle"]), int(count) / (int(line["to_cycle"]) - int(line["from_cycle"])))
            marks = {key: box for key, *box in self.marks("activity", "parts")}
            self.assertEqual(set(marks), set(want))
            self.check_linear([(marks[key][0], of[0]) for key, of in want.items()])
            self.check_linear([(marks[key][0] + marks[key][2], of[1]) for key, of in want.items()])
            self.check_proportional([box[3] for box in marks.values()], [want[key][2] for key in marks], "heights")
        self.open("network")
        self.assertEqual(self.script("return document.querySelectorAll('#activity').length"), 0, "it was not saved")

    def test_dots_of_a_run_lie_where_the_data_are(self):
        self.width(1100)
        self.open("run")
        rows = {f"{row['layer']} {row['kind']}": row for row in self.result("run")["convolutions"]}
        points = []
        for key, left, top, width, height in self.marks("roofline", "dots"):
            moved = 64 * sum(port["read_beats"] + port["write_beats"] for port in rows[key]["memory"].values())
            points.append((left + width / 2, math.log(2 * rows[key]["macs"] / moved), top + height / 2, math.log(rows[key]["gops"])))
        self.assertEqual(len(points), len(rows))
        self.check_linear([(x, u) for x, u, _, _ in points])
        self.check_linear([(y, v) for _, _, y, v in points])
        self.check_linear([(left + width / 2, rows[key]["analytical_error"]) for key, left, _, width, _ in self.marks("errors", "dots")])

    def check_linear(self, pairs):
        """pixels = a + b * value through the two that are farthest apart, to a pixel."""
        low, high = min(pairs, key=lambda pair: pair[1]), max(pairs, key=lambda pair: pair[1])
        slope = (high[0] - low[0]) / (high[1] - low[1])
        self.assertGreater(abs(high[0] - low[0]), 20)
        for pixel, value in pairs:
            self.assertAlmostEqual(pixel, low[0] + slope * (value - low[1]), delta=1)

    def test_bars_of_a_comparison_are_what_moved(self):
        self.width(1100)
        self.open("compare")
        rows = [{f"{row['layer']} {row['kind']}": row["cycles"] for row in self.result(name)["convolutions"]} for name in ("run", "other")]
        # All convolutions of RUN differ in their cycles, so none are folded.
        moved = {key: abs(rows[1][key] - cycles) for key, cycles in rows[0].items() if rows[1][key] != cycles}
        bars = {key: width for key, _, _, width, _ in self.marks("moved", "bars")}
        self.assertEqual(list(bars), sorted(moved, key=lambda key: -moved[key]))
        self.check_proportional(list(bars.values()), [moved[key] for key in bars], "moved")
        first = self.script("return document.querySelector('main section').id")
        self.assertEqual(first, "uses", "the page opens with what the PEs do")
        uses = [self.result(name)["totals"]["network"]["pe_cycles"] for name in ("run", "other")]
        stacked = [width for _, _, _, width, _ in self.marks("pe-cycles", "bars")]
        self.check_proportional(stacked, [cycles for of in uses for cycles in of.values() if cycles > 0], "PE-cycles")
        changes = [width for _, _, _, width, _ in self.marks("pe-changes", "bars")]
        self.check_proportional(changes, [abs(uses[1][key] - cycles) for key, cycles in uses[0].items() if uses[1][key] != cycles], "B - A")

    def test_equal_convolutions_of_a_comparison_are_one_bar(self):
        self.width(1280)
        self.open("folded")
        rows = [{(row["layer"], row["kind"]): row["cycles"] for row in self.result(name)["convolutions"]} for name in ("ra", "rb")]
        total = sum(abs(rows[1][key] - cycles) for key, cycles in rows[0].items())
        bars = {key: width for key, _, _, width, _ in self.marks("moved", "bars")}
        self.assertLess(len(bars), len(rows[0]))
        folded = [key for key in bars if " x " in key]
        self.assertTrue(folded)
        counts = [int(key.split(" x ")[0]) if " x " in key else 1 for key in bars]
        self.assertEqual(sum(counts), sum(rows[1][key] != cycles for key, cycles in rows[0].items()), "with at most 20 bars")
        self.assertGreater(total, 0)
        figures = self.script("return Object.fromEntries([...document.querySelectorAll('.figures div')].map((each) => [each.querySelector('dt').textContent, each.querySelector('dd').textContent]))")
        self.assertIn("with host, PCIe and loads", figures["Iteration"])
        for side, of in (("A", rows[0]), ("B", rows[1])):
            totals = {key.rpartition(",")[0]: width for key, _, _, width, _ in self.marks("totals", "bars") if key.endswith(side)}
            self.assertEqual(len(totals), 4)
            kinds = {name: sum(cycles for key, cycles in of.items() if name == "network" or key[1] == name.split()[-1]) for name in totals}
            self.check_proportional(list(totals.values()), list(kinds.values()), side)

    def test_a_ladder_is_as_long_as_its_steps_take(self):
        self.width(1100)
        for page in ("explain", "explained"):
            self.open(page)
            lines = [line for line in self.result("explain")["lines"] if "step" in line]
            bars = {key: width for key, _, _, width, _ in self.marks("ladder", "bars")}
            self.check_proportional(list(bars.values()), [share["of_time"] * line["seconds"] for line in lines for share in line["shares"]], page)
            self.assertIn("Change first: exact_bursts.", self.script("return document.querySelector('main').innerText"))

    def test_a_timeline_shows_any_stretch_of_it(self):
        self.width(1100)
        self.open("timeline")
        saved = self.result("timeline")
        steps, end = saved["steps"], saved["iteration_ps"]
        parts = {key: width for key, _, _, width, _ in self.marks("where", "bars")}
        self.check_proportional(list(parts.values()), [saved["where_ps"][key] for key in parts], "where")

        def check_lanes(start, stop):
            boxes = {int(key): (left, width) for key, left, _, width, _ in self.marks("lanes", "boxes")}
            self.assertEqual(set(boxes), {i for i, step in enumerate(steps) if step["end_ps"] > start and step["start_ps"] < stop})
            left = min(box[0] for i, box in boxes.items() if steps[i]["start_ps"] <= start)
            longest = max(boxes, key=lambda i: boxes[i][1])
            shown = min(steps[longest]["end_ps"], stop) - max(steps[longest]["start_ps"], start)
            scale = boxes[longest][1] / shown
            for i, (at, width) in boxes.items():
                begin, finish = max(steps[i]["start_ps"], start), min(steps[i]["end_ps"], stop)
                self.assertAlmostEqual(at, left + scale * (begin - start), delta=1)
                self.assertAlmostEqual(width, scale * (finish - begin), delta=1)

        check_lanes(0, end)
        plot = self.browser.find_element("css selector", "[data-chart=lanes] .plot")
        plot.send_keys("+")
        check_lanes(end / 4, 3 * end / 4)
        plot.send_keys("0")
        frame = plot.rect
        left, width = self.script("const p = arguments[0], s = p.querySelector('svg'); const x = s.scale('x'); return [x.range[0], x.range[1] - x.range[0]]", plot)
        webdriver.ActionChains(self.browser, duration=0).move_to_element_with_offset(plot, int(left - frame["width"] / 2 + 0.5 * width), 0).click_and_hold().move_by_offset(int(0.25 * width), 0).release().perform()
        shown = self.script("const x = document.querySelector('[data-chart=lanes] svg').scale('x'); return x.domain")
        scale = end / 1e12 / max(shown) if max(shown) <= end / 1e12 else None
        self.assertAlmostEqual((shown[1] - shown[0]) / (end * 1e-12), 0.25, delta=0.01, msg=f"a drag over a quarter shows it: {shown}, {scale}")

    def test_columns_and_lines_of_clusters_lie_where_the_data_are(self):
        self.width(1100)
        self.open("plan")
        plan = self.result("plan")
        bars = [height for _, _, _, _, height in self.marks("layers", "bars")]
        self.assertEqual(len(bars), len(plan["layers"]))
        self.check_proportional(bars, [layer["cycles"] for layer in plan["layers"]], "layers")
        bars = {key: height for key, _, _, _, height in self.marks("boards", "bars")}
        shares = {f"board {i + 1}, {name}": board[key] / plan["limit"][key] for i, board in enumerate(plan["boards"]) for key, name in (("dsp", "DSPs"), ("block_ram", "blocks of memory"), ("mlab", "MLABs"))}
        self.check_proportional([bars[key] for key in shares], list(shares.values()), "boards")
        self.open("array")
        array = self.result("array")
        most = max(max(reading["images_per_second"]) for reading in array["readings"])
        lines = {key: height for i in range(len(array["readings"])) for key, _, _, _, height in self.marks("scaling", f"line-{i}")}
        self.check_proportional([lines[reading["name"]] for reading in array["readings"]], [max(reading["images_per_second"]) - min(reading["images_per_second"]) for reading in array["readings"]], most)
        self.open("batches")
        stores = self.result("batches")["stores"]
        self.check_proportional([height for _, _, _, _, height in self.marks("stores", "bars")], [store["images"] for store in stores], "stores")

    def test_a_tip_reads_every_mark_by_keyboard_and_by_pointer(self):
        self.width(1100)
        for name, page in (("where", "run"), ("fit", "run"), ("lanes", "timeline"), ("layers", "plan"), ("scaling", "array"), ("stores", "batches"), ("pareto", "small"), ("kinds", "validate"), ("shapes", "dse"), ("moved", "compare"), ("ladder", "explained")):
            self.open(page)
            plot = self.browser.find_element("css selector", f"[data-chart={name}] .plot")
            tip = lambda: self.script("return document.getElementById('tip').innerText")
            plot.send_keys(Keys.ARROW_RIGHT)
            first = tip()
            self.assertTrue(first, f"{page}: {name}")
            plot.send_keys(Keys.ARROW_RIGHT)
            self.assertNotEqual(tip(), first)
            plot.send_keys(Keys.HOME)
            self.assertEqual(tip(), first)
            plot.send_keys(Keys.ESCAPE)
            self.assertEqual(tip(), "")
            mark = plot.find_element("css selector", "[data-key]")
            webdriver.ActionChains(self.browser, duration=0).move_to_element(mark).perform()
            self.assertTrue(tip())
            inside = self.script("const b = document.getElementById('tip').getBoundingClientRect(); return b.left >= 0 && b.right <= innerWidth && b.top >= 0 && b.bottom <= innerHeight")
            self.assertTrue(inside, f"{page}: {name}: {tip()}")

    def test_rows_are_sorted_and_searched(self):
        self.width(1100)
        self.open("network")
        rows = self.result("network")["convolutions"]
        column = lambda: self.script("return [...document.querySelectorAll('#rows tbody tr:not([hidden])')].map((row) => [row.cells[0].textContent, Number(row.cells[3].dataset.v)])")
        self.assertEqual([cycles for _, cycles in column()], [row["cycles"] for row in rows])
        button = self.browser.find_element("css selector", "#rows thead th:nth-child(4) button")
        button.click()
        self.assertEqual([cycles for _, cycles in column()], sorted((row["cycles"] for row in rows), reverse=True))
        button.click()
        self.assertEqual([cycles for _, cycles in column()], sorted(row["cycles"] for row in rows))
        search = self.browser.find_element("css selector", "#rows input[type=search]")
        search.send_keys("inception3b gw")
        self.assertEqual({layer for layer, _ in column()}, {row["layer"] for row in rows if row["layer"].startswith("inception3b") and row["kind"] == "GW"})
        # Any column of the design's table can be added.
        self.script("document.querySelector('#rows details').open = true")
        self.browser.find_element("xpath", "//section[@id='rows']//label[normalize-space()='k_range']/input").click()
        added = self.script("return [...document.querySelectorAll('#rows tbody tr:not([hidden])')].map((row) => [row.cells[0].textContent, Number(row.cells[row.cells.length - 1].dataset.v)])")
        self.assertEqual(dict(added), {row["layer"]: row["kernel"]["k_range"] for row in rows if row["layer"].startswith("inception3b") and row["kind"] == "GW"})

    def test_the_front_of_a_sweep_is_what_weft_show_says(self):
        self.width(1100)
        for name in ("small", "large"):
            self.open(name)
            shown = json.loads(weft(self.folder, "show", f"{name}.db", "--pareto", "--format", "json"))
            points = [row["point"] for row in shown["rows"]]
            listed = self.script("return [...document.querySelectorAll('#front tbody tr')].map((row) => Number(row.cells[0].dataset.v))")
            self.assertEqual(listed, points[:200])
        self.open("small")
        head = self.script("return document.querySelector('header').innerText")
        for part in ("run conv-small", "network", "board u250", "batch", "swept rung: analytical, systemc; kernel.array.x: 2, 4"):
            self.assertIn(part, head)
        named = self.script("return [...document.querySelectorAll('[data-chart=pareto] .named')].map((each) => each.textContent)")
        self.assertTrue(named)
        headings = self.script("return [...document.querySelectorAll('#front thead th')].map((each) => each.innerText.split(' ')[0])")
        self.assertLessEqual({"cycles", "array_utilisation", "limiter"}, set(headings))
        self.open("large")
        columns = self.frame()
        dots = self.marks("pareto", "dots")
        self.assertEqual(len(dots), POINTS)
        some = dots[:: POINTS // 50]
        self.check_linear([(top + height / 2, math.log(columns["dsp"][int(key)])) for key, _, top, _, height in some])

    def numbers(self, table):
        """The rows of a table below a section: what sorts, or what is read."""
        return self.script("return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map((row) => [...row.cells].map((cell) => 'v' in cell.dataset ? Number(cell.dataset.v) : cell.textContent.trim()))", table)

    def test_points_that_were_run_again_have_both_ranks(self):
        self.width(1100)
        self.open("rerank")
        shown = json.loads(weft(self.folder, "show", "rerank.db", "--rerank", "--format", "json"))["rerankings"][0]["rows"]
        self.assertEqual(len(shown), 2)
        self.assertEqual(self.numbers("#rerank"), [[row["point"], row["kernel.array.x"], row["rank"], row["reranked"], row["first"]["objective"], row["again"]["objective"], row["first"]["cycles"], row["again"]["cycles"], row["error"]] for row in shown])
        self.open("small")
        self.assertEqual(self.numbers("#rerank"), [], "nothing was run again")

    def test_limits_say_what_is_beyond_them(self):
        self.width(1100)
        self.open("limits")
        limits = self.result("limits")["limits"]
        rows = self.numbers("#limits")
        sums = [[what, sum["model"], sum["against"], sum["error"], limits["total_percent"] / 100, "yes" if sum["holds"] else "no"] for what, sum in limits["totals"].items()]
        beyond = [[row["layer"], row["kind"], row["kernel"], row["error"]] for row in limits["beyond"]]
        self.assertEqual(rows, sums + beyond)
        self.assertTrue(beyond)
        self.open("validate")
        self.assertEqual(self.numbers("#limits"), [], "it is held to none")

    def test_ten_thousand_points_are_there_in_three_seconds(self):
        self.width(1100)
        self.devtools("Performance.enable", timeDomain="threadTicks")  # processor time: other tests run at the same time
        self.open("large")
        times = {each["name"]: each["value"] for each in self.devtools("Performance.getMetrics")["metrics"]}
        self.devtools("Performance.disable")
        self.assertTrue(0.1 < times["TaskDuration"] < 3, times)
        heading = self.browser.find_element("css selector", "#points thead button")
        first = lambda: self.script("return document.querySelector('#points tbody th').textContent")
        heading.click()
        self.assertEqual(first(), f"{POINTS - 1:,}")
        heading.click()
        self.assertEqual(first(), "0")

    def test_the_same_result_gives_the_same_bytes(self):
        for result, page in (("run", "run"), ("timeline", "timeline"), ("small.db", "small"), ("dse", "dse")):
            weft(self.folder, "report", result, "--out", "again.html")
            self.assertEqual((self.folder / "again.html").read_bytes(), self.pages[page].read_bytes())


if __name__ == "__main__":
    WEFT = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
