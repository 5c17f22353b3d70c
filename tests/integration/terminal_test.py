"""Output of commands fits the terminal, and other output does not depend on a terminal."""

from __future__ import annotations

import re
import tempfile
import unittest

from support import Outcome, WeftTest, has_terminals, run_on_terminal

# Long names, as in real networks.
RUN = """
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: inception3a.branch2.0.conv, channels: 3, h: 24, w: 23, filters: 8, kernel: 5, stride: 2, pad: 2},
                   {name: inception3a.branch2.1.conv, channels: 8, h: 12, w: 12, filters: 12, kernel: 3, pad: 1, groups: 2}]}
batch: 2
rung: exact
"""

SHOWN = ["run", "r.yaml", "--no-save"]
# Takes more than the two seconds after which a progress bar appears, on a machine of twice the speed, too.
SLOW = [*SHOWN, "--rung", "systemc", "--workers", "1", "--set", "batch=200", "--no-cache"]
# More columns than a terminal of 120 columns has room for.
MANY = "layer,kind,cycles,macs,inp_beats,inp_bursts,inp_row_hits,inp_row_misses,inp_row_conflicts,kern_beats,kern_bursts"
SMALL_DSE = ["dse", "resnet20", "--only", "layer1.0.*", "--no-save"]
COMMANDS = [
    SHOWN,
    [*SHOWN, "--rung", "analytical"],
    [*SHOWN, "--rows", "0"],
    [*SHOWN, "--columns", MANY],
    ["show", "./a"],
    ["show", "."],
    ["show", "googlenet-u250"],
    ["show", "u250"],
    ["show", "xeon-bronze-3104"],
    ["show", "resnet20"],
    ["show", "resnet20", "--training"],
    ["show", "u250-slr"],
    ["show", "schema"],
    ["show", "s.db"],
    ["show", "s.db", "--pareto"],
    ["show", "small"],
    ["compare", "a", "b"],
    ["explain", "conv-small", "--no-save"],
    ["timeline", "resnet20-u250", "--rung", "analytical", "--no-save"],
    ["sweep", "small", "--out", "s.db"],
    ["sweep", "small", "--out", "s.db", "--dry-run"],
    ["dse", "googlenet", "--only", "inception5b.branch1.conv:F", "--set", "dse.penalties_percent=[]", "--no-save"],
    [*SMALL_DSE, "--set", "dse.penalties_percent=[0, 5]", "--rerank", "2", "--set", "dse.rerank.batch=1"],
    [*SMALL_DSE, "--columns",
     "layer,kind,x,y,z,z_channel,k_range,kern_words,out_words,variant,inp_storage,kern_storage,out_storage"],
    ["validate", "conv-small", "--no-save"],
    ["validate", "conv-small", "--no-save", "--model", "systemc"],
    ["validate", "googlenet-small", "--only", "inception3a.branch1*", "--no-save"],
    ["validate", "pcie", "--no-save"],
    ["synth", "--errors"],
]
# A command with a table of named columns, and some of them; True: its result is saved.
TABLES = [
    (["timeline", "resnet20-u250", "--rung", "analytical"], "activity,start_ps,bytes", True),
    (["dse", "resnet20", "--only", "layer1.0.*", "--set", "dse.penalties_percent=[]"], "layer,z_channel,out_storage", True),
    (["validate", "r.yaml"], "layer,cause,blocked", True),
    (["validate", "pcie"], "what,bytes,holds", True),
    (["explain", "r.yaml"], "list,change,cycles_gw", True),
    (["compare", "a", "a"], "layer,cycles_a,limiter_b", False),
    (["synth", "--errors"], "set,lut,lut_model", False),
]
on_terminals = unittest.skipUnless(has_terminals(), "no pseudo-terminals here")


class Terminal(WeftTest):
    @classmethod
    def setUpClass(cls) -> None:
        rows = tempfile.TemporaryDirectory()
        cls.addClassCleanup(rows.cleanup)
        cls.environment = {"WEFT_CACHE": rows.name}  # most commands run at three widths

    def setUp(self) -> None:
        super().setUp()
        self.write("r.yaml", RUN)

    def on(self, columns: int, *arguments: str, stream: str = "stdout", environment: dict[str, str] | None = None) -> Outcome:
        return run_on_terminal(columns, self.binary, *arguments, folder=self.folder, stream=stream,
                               environment=self.environment | (environment or {}))

    def check_width(self, columns: int) -> None:
        """No line of any table is wider than the terminal."""
        self.ok("run", "r.yaml", "--out", "a")
        self.ok("run", "r.yaml", "--out", "b", "--set", "kernel.array.x=16")
        self.ok("sweep", "small", "--out", "s.db")
        for command in COMMANDS:
            outcome = self.on(columns, *command)
            self.assertEqual(outcome.code, 0, (command, outcome))
            self.assertLessEqual(max(map(len, outcome.out.encode().splitlines())), columns, (command, outcome.out))
            self.assertNotIn("\x1b", outcome.out, "colours, or a moved cursor")

    @on_terminals
    def test_tables_fit_80_columns(self) -> None:
        self.check_width(80)

    @on_terminals
    def test_tables_fit_120_columns(self) -> None:
        self.check_width(120)

    @on_terminals
    def test_tables_fit_200_columns(self) -> None:
        self.check_width(200)

    @on_terminals
    def test_the_table_of_convolutions_says_what_it_leaves_out(self) -> None:
        wide, narrow = self.on(200, *SHOWN).out, self.on(80, *SHOWN).out
        self.assertNotIn("left out", wide)
        self.assertIn("layer                       kind  shape", wide)
        self.assertIn("layer                       kind   cycles      time   util  limiter      stall\n", narrow)
        self.assertIn("left out at 80 columns: shape, GOPS, DDR, eq.err; see --columns", narrow)
        self.assertIn("fit          DSP 189 of 11,508, BRAM18 47 of 4,000, URAM 0 of 1,280; every kernel fits\n", wide)
        self.assertIn("BRAM18 47 of 4,000, URAM 0 of 1,280; every\n             kernel fits\n", narrow)

    @on_terminals
    def test_a_file_gets_the_same_whatever_the_terminal(self) -> None:
        piped = self.ok(*SHOWN).out
        self.assertIn("inception", piped)
        for columns in (80, 200):
            self.assertEqual(self.on(columns, *SHOWN, stream="stderr").out, piped)
        for form in ("json", "csv"):
            words = [*SHOWN, "--format", form]
            self.assertEqual(self.on(80, *words).out, self.ok(*words).out, f"lines of {form} are not broken")

    def test_columns_are_chosen_by_their_names_in_csv(self) -> None:
        table = self.weft(*SHOWN, "--columns", "kind,cycles,fits,layer").out
        self.assertIn("kind  cycles  fits  layer\nF     ", table)
        self.ok(*SHOWN, "--columns", "layer,")
        self.ok("run", "r.yaml", "--out", "a", "--columns", "layer")
        self.ok("run", "r.yaml", "--out", "b")
        self.assertEqual(self.text("a/convolutions.csv"), self.text("b/convolutions.csv"))
        self.assertEqual(self.weft("show", "./b", "--columns", "kind,cycles,fits,layer").out, table)

    def test_every_table_of_named_columns_takes_others(self) -> None:
        self.ok("run", "r.yaml", "--out", "a")
        for command, names, saves in TABLES:
            words = [*command, "--out", "saved"] if saves else command
            first, last = names.split(",")[0], names.split(",")[-1]
            table = self.ok(*words, "--columns", names).out
            self.assertRegex(table, rf"(?m)^{first}  .*{last}$")
            wrong = self.weft(*words, "--columns", f"{first}x")
            self.assertEqual(wrong.code, 2, command)
            self.assertIn(f"--columns: there is no column '{first}x'", wrong.err)
            self.assertIn(f"did you mean '{first}'?", wrong.err)
            self.assertEqual(self.weft(*command, "--columns", first, "--format", "json").code, 2, command)
            if saves:
                shown = self.ok("show", "./saved", "--columns", names).out
                self.assertEqual(table[:len(shown)], shown)

    def test_no_rows_leave_the_totals_alone(self) -> None:
        table, summary = self.weft(*SHOWN).out, self.weft(*SHOWN, "--rows", "0").out
        self.assertNotIn("inception", summary)
        self.assertIn("\nnetwork ", summary)
        self.assertEqual(*(text[text.index("\nPE-cycles"):] for text in (table, summary)))

    @on_terminals
    def test_a_run_of_many_convolutions_fits_a_screen(self) -> None:
        """The largest shipped run, at 120 and at 80 columns: its ten costliest convolutions, the totals, the split, and
        the facts."""
        run = ["run", "googlenet-u250", "--rung", "analytical", "--no-save"]
        for width, lines in ((120, 40), (80, 44)):
            text = self.on(width, *run).out
            self.assertLessEqual(text.count("\n"), lines, text)
            self.assertIn("\n160 more rows: --rows all", text)
            # Passes of 16 filters x windows x channels: 16 * 196 * 528 are more than 8 * 784 * 256.
            self.assertLess(text.index("\ninception4e.branch1.conv"), text.index("\ninception3b.branch1.conv"), text)
            self.assertNotIn("\nhost layers", text)
        every = self.weft(*run, "--rows", "all", "--verbose").out
        self.assertGreater(every.count("\n"), 170 + 10)
        self.assertIn("\nhost layers  82 of 139 operators stay on the host", every)

    @on_terminals
    def test_a_progress_bar_erases_the_rest_of_its_line_and_nothing_else(self) -> None:
        """There are no colours."""
        bar = self.on(80, *SLOW, stream="stderr", environment={"NO_COLOR": "1"})
        self.assertEqual(bar.code, 0)
        self.assertIn("\r\x1b[K", bar.err)
        self.assertEqual(set(re.findall("\x1b.{0,2}", bar.err)), {"\x1b[K"})
        self.assertNotIn("\x1b", bar.out)

    @on_terminals
    def test_no_progress_bar_goes_to_a_file(self) -> None:
        piped = self.on(80, *SLOW)
        self.assertEqual((piped.code, piped.err), (0, ""))
        self.assertNotIn("\x1b", piped.out)


if __name__ == "__main__":
    unittest.main()
