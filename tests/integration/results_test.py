"""Saved results are shown again and compared: weft show RESULT, weft show FOLDER, weft compare."""

from __future__ import annotations

import shutil
import unittest

import yaml

from support import CONFIGS, WeftTest, has_terminals, run_on_terminal, sets, two_layers

ANALYTICAL = ["--rung", "analytical"]
EXPLORATION = """
run: googlenet-u250
set: {only: 'inception5b.branch1*,inception5b.branch4*'}
space: {max_x: 32, max_y: 32}
budget: {bram18: 640, uram: 0}
compare_reading: burst
penalties_percent: [0, 5]
rerank: {count: 2, batch: 1, only: 'inception5b.branch1.conv:F'}
"""
# A command of every kind that saves a result, and the name of its CSV file.
SAVING = [
    ("convolutions.csv", ["run", "r.yaml", "--rung", "systemc"]),
    ("convolutions.csv", ["run", "r.yaml", "--rung", "systemc", "--set", "mode=data"]),
    ("steps.csv", ["timeline", "resnet20-u250", *ANALYTICAL]),
    ("steps.csv", ["timeline", "table59-resnet20", *ANALYTICAL]),
    ("steps.csv", ["timeline", "resnet20-u250", *ANALYTICAL,
                   *sets("batch=4", "schedule.transfers=keep_activations", "schedule.overlap=double_buffer",
                         "schedule.order=fewest_loads", "schedule.load=region")]),
    ("convolutions.csv", ["dse", "dse.yaml"]),
    ("convolutions.csv", ["dse", "alexnet_cifar10", "--set", "dse.penalties_percent=[]"]),
    ("convolutions.csv", ["validate", "googlenet-small", "--only", "conv1*,inception3a.branch1*"]),
    ("convolutions.csv", ["validate", "r.yaml"]),
    ("convolutions.csv", ["validate", "r.yaml", "--model", "systemc"]),
    ("convolutions.csv", ["validate", "pcie"]),
    ("plan.csv", ["plan", "fpdeep-vgg19"]),
    ("plan.csv", ["plan", "nada-mobilenetv2", "--set", "nada.clock_mhz=40"]),
    ("plan.csv", ["plan", "nada-mobilenetv2", *sets("network=resnet20", "boards=1")]),
    ("steps.csv", ["timeline", "nada-mobilenetv2", *sets("network=resnet20", "boards=2")]),
    ("ladder.csv", ["explain", "r.yaml"]),
]


def without_last_line(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[:-1])


class Results(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("r.yaml", two_layers("batch: 2\n"))

    def saved(self, name: str, *more: str) -> None:
        self.ok("run", "r.yaml", "--out", name, *more)

    def refuse_each(self, commands: list[list[str]], file: str, changes: list[tuple[str, str, str]]) -> None:
        """Makes one change of the file after another: each must be refused by every command."""
        whole = self.text(file)
        for before, after, says in changes:
            self.change(file, before, after)
            for command in commands:
                self.refused(*command, says=says)
            self.write(file, whole)

    def test_of_every_command_are_shown_as_it_printed_them(self) -> None:
        """Equal bytes on terminals of both widths and in a pipe."""
        self.write("dse.yaml", EXPLORATION)

        def on(columns: int, *words: str) -> str:
            return run_on_terminal(columns, self.binary, *words, folder=self.folder).out

        for csv, command in SAVING:
            save, show = [*command, "--out", "saved"], ["show", "./saved"]
            printed = self.weft(*save).out  # a validation may exceed its limits
            self.assertEqual(self.ok(*show).out, without_last_line(printed), command)
            saved = self.text("saved/result.json"), self.text(f"saved/{csv}")
            self.assertEqual(tuple(self.weft(*show, "--format", each).out for each in ("json", "csv")), saved, command)
            for columns in (80, 120) if has_terminals() else ():
                table = on(columns, *save)
                self.assertEqual(on(columns, *show), without_last_line(table), (columns, command))
                self.assertEqual((self.text("saved/result.json"), self.text(f"saved/{csv}")), saved,
                                 "what is saved does not depend on the terminal")

    def test_of_other_commands_that_weft_did_not_write_are_refused_in_one_line(self) -> None:
        self.write("t.yaml", "run: resnet20-u250\nset: {rung: analytical}\npolicy: muppet\nmuppet: {levels: [fp32]}\n")
        again = "make it again with the config.yaml next to it"
        for folder, command, changes in [
            ("timeline", ["timeline", "resnet20-u250", *ANALYTICAL], [
                ('"schema": 5', '"schema": 4', again),
                ('"where_ps"', '"there_ps"', "where_ps: is missing"),
                ('"start_ps": 0', '"start_ps": "now"', "start_ps: must be a whole number"),
                ('"order": "graph"', '"order": 1', "schedule.order: must be a text, not 1"),
                ('"critical_path": [\n    ', '"critical_path": [\n    99999', "must have places in steps"),
            ]),
            ("train", ["train", "t.yaml"], [
                ('"schema": 4', '"schema": 3', again),
                ('"setup": 0', '"setup": 9', "epochs: must have stretches, each with a place in setups"),
                ('"time": "iteration"', '"time": "days"', "must be one of iteration, convolutions"),
            ]),
            ("dse", ["dse", "alexnet_cifar10", "--set", "dse.penalties_percent=[]"], [
                ('"schema": 4', '"schema": 3', "schema: must be 4"),
                ('"kind": "F"', '"kind": "H"', "convolutions[0].kind: must be one of F, GI, GW"),
                ('"launches": 1', '"launches": "1"', "convolutions[0].launches: must be a whole number"),
                ('"optimal": {\n        "cycles"', '"other": {\n        "cycles"', "convolutions[0].other: is unknown"),
            ]),
            ("validate", ["validate", "r.yaml"], [
                ('"schema": 3', '"schema": 2', "schema: must be 3"),
                ('"limiter"', '"limited_by"', "convolutions[0].model.limiter: is missing"),
                ('"cycles": ', '"cycles": 0.', "convolutions[0].model.cycles: must be a whole number"),
                ('"kind": "F"', '"kind": "H"', "convolutions[0].kind: must be one of F, GI, GW"),
            ]),
            ("plan", ["plan", "fpdeep-alexnet"], [
                ('"schema": 2', '"schema": 1', "schema: must be 2"),
                ('"kind": "plan array",', "",
                 "result.json: kind: is missing: another version of weft made this result; make it again"),
                ('"plan array"', '"plot"', "result.json: kind: is unknown: another version of weft"),
                ('"fullest_board": ', '"fullest_board": -', "memory.fullest_board: must be a whole number"),
            ]),
            ("link", ["validate", "pcie"], [('"bytes": ', '"bytes": 0.', "rows[0].bytes: must be a whole number")]),
        ]:
            self.ok(*command, "--out", folder)
            self.refuse_each([["show", f"./{folder}"]], f"{folder}/result.json", changes)

    def test_that_are_not_as_run_wrote_them_are_refused_in_one_line(self) -> None:
        self.saved("a", "--rung", "exact")
        again = "another version of weft made this result; make it again with the config.yaml next to it"
        self.refuse_each([["show", "./a"], ["compare", "./a", "./a"], ["report", "./a"]], "a/result.json", [
            ('"limiter": "', '"limited_by": "', "convolutions[0].limiter: is missing"),
            ('"analytical_limiter": ', '"limiter2": ', "convolutions[0].limiter2: is unknown"),
            ('"kind": "F"', '"kind": "H"', "convolutions[0].kind: must be one of F, GI, GW"),
            ('"layer": "b"', '"layer": "a"', "appears twice"),
            ('"macs": ', '"macs": 0.', "totals.F.macs: must be a whole number"),
            ('"inp_reader": {', '"input_reader": {', "convolutions[0].blocks.input_reader: is unknown"),
            ('"operators": ', '"operator": ', "operators: is missing"),
            ("{", "[", "a/result.json: is not a result of weft"),
            *(('"schema": 8', f'"schema": {each}', f"schema: must be 8, not {each}: {again}")
              for each in ("4", "9", '"8"', "null")),
        ])

    def test_are_shown_as_they_were_saved_whatever_became_of_the_files_they_were_made_from(self) -> None:
        """Only the files that weft run wrote are read: the inputs of the run may have changed or been removed."""
        part = "only: 'layer1.0.*'\n"
        for kernel, board, rung, more in [("fpgpt-16x16-hls", "u250", "analytical", ""),
                                          ("fpgpt-16x16-hls", "u250", "exact", part),
                                          ("barista-16x16x64", "vu9p_f1", "exact", part),
                                          ("batchlane-32x32", "kcu1500", "exact", part)]:
            self.write("board.yaml", f"extends: {board}\n")
            self.write("kernel.yaml", f"extends: {kernel}\n")
            shutil.copy(CONFIGS / "networks/resnet20.onnx", self.folder / "net.onnx")
            self.write("n.yaml", "board: board.yaml\nkernel: kernel.yaml\nnetwork: net.onnx\nbatch: 1\n"
                                 f"rung: {rung}\n{more}")
            out = f"{kernel}_{rung}"
            other = out + "_rtl"
            printed = self.ok("run", "n.yaml", "--out", out).out
            self.ok("run", "n.yaml", "--out", other, "--set", "kernel.clock_mhz=150")
            show = ["show", f"./{out}"]
            self.assertEqual(self.weft(*show).out, without_last_line(printed))
            self.assertEqual(self.weft(*show, "--format", "json").out, self.text(f"{out}/result.json"))
            self.assertEqual(self.weft(*show, "--format", "csv").out, self.text(f"{out}/convolutions.csv"))

            def shown() -> list[str]:
                commands = [show, [*show, "--columns", "layer,kind,cycles,limiter"], ["compare", out, other],
                            ["compare", out, other, "--format", "json"], ["report", out, "--out", "page.html"],
                            ["report", out, other, "--out", "pages.html"]]
                return [*(self.ok(*words).out for words in commands), self.text("page.html"), self.text("pages.html")]

            at_once = shown()
            self.write("kernel.yaml", f"extends: {kernel}\nclock_mhz: 175\n")
            self.write("board.yaml", f"extends: {board}\ndsp: {{total: 100}}\n")
            shutil.copy(CONFIGS / "networks/vgg11_cifar10.onnx", self.folder / "net.onnx")
            self.assertEqual(shown(), at_once, f"{out} with other files")
            for name in ("kernel.yaml", "board.yaml", "net.onnx", "n.yaml"):
                (self.folder / name).unlink()
            self.assertEqual(shown(), at_once, f"{out} without the files")
            self.write(f"{out}/config.yaml", "batch: no\n")
            self.assertEqual(self.weft(*show).out, at_once[0], "its configuration is not asked")

    def test_are_compared_key_by_key_and_row_by_row(self) -> None:
        self.saved("a", *ANALYTICAL)
        self.saved("b", *ANALYTICAL, "--set", "kernel.array.x=4")
        compared, before, after = self.json_of("compare", "a", "b"), self.result("a"), self.result("b")
        self.assertEqual(compared["keys"], [{"key": "kernel.array.x", "a": "7", "b": "4"}])
        rows_a, rows_b = ({(row["layer"], row["kind"]): row for row in each["convolutions"]} for each in (before, after))
        self.assertEqual({(row["layer"], row["kind"]) for row in compared["convolutions"]}, set(rows_a))
        for each in compared["convolutions"]:
            a, b = (rows[each["layer"], each["kind"]] for rows in (rows_a, rows_b))
            self.assertEqual((each["cycles_a"], each["cycles_b"]), (a["cycles"], b["cycles"]))
            self.assertEqual(each["limiter_b"], b["limiter"])
            self.assertAlmostEqual(each["cycles_change"], (b["cycles"] - a["cycles"]) / a["cycles"], places=14)
        moves = [abs(each["cycles_b"] - each["cycles_a"]) for each in compared["convolutions"]]
        self.assertEqual(moves, sorted(moves, reverse=True), "what moved most comes first")
        totals = compared["totals"]
        self.assertEqual(totals["network"]["a"]["cycles"], before["totals"]["network"]["cycles"])
        self.assertEqual(totals["all GW"]["b"]["cycles"], after["totals"]["GW"]["cycles"])

    def test_are_put_side_by_side_by_what_the_pes_did(self) -> None:
        self.saved("a", "--rung", "exact")
        self.saved("b", "--rung", "exact", "--set", "kernel.array.x=4")
        compared, before, after = self.json_of("compare", "a", "b"), self.result("a"), self.result("b")
        for each in compared["convolutions"]:
            self.assertEqual(sum(each["pe_cycles_a"].values()), 7 * 3 * each["cycles_a"])
            self.assertEqual(sum(each["pe_cycles_b"].values()), 4 * 3 * each["cycles_b"])
        totals = compared["totals"]
        self.assertEqual(totals["network"]["a"]["pe_cycles"], before["totals"]["network"]["pe_cycles"])
        self.assertEqual(totals["all GW"]["b"]["pe_cycles"], after["totals"]["GW"]["pe_cycles"])
        useful = [each["totals"]["network"]["pe_cycles"]["useful"] for each in (before, after)]
        self.assertEqual(*useful, "equal work")
        self.assertRegex(self.weft("compare", "a", "b").out, r"\nuseful .*  0\n")
        self.assertIn("limiter_b,pe_useful_a,pe_useful_b,", self.weft("compare", "a", "b", "--format", "csv").out)

    def test_of_two_timelines_are_compared_part_by_part(self) -> None:
        """The batches differ, so that times per iteration and per image differ."""
        a = self.json_of("timeline", "resnet20-u250", *ANALYTICAL, "--set", "batch=2", "--out", "a")
        b = self.json_of("timeline", "resnet20-barista", *ANALYTICAL, "--set", "batch=1", "--out", "b")
        compared = self.json_of("compare", "a", "b")
        *parts, whole = compared["where"]
        self.assertEqual([each["part"] for each in (*parts, whole)],
                         ["kernels", "precompute", "reconfiguration", "H2C", "C2H", "calls", "host layers", "im2col",
                          "tiling", "untiling", "iteration"])
        for each in parts:
            for of, result in (("a_ps", a), ("b_ps", b)):
                self.assertEqual(each[of], result["where_ps"].get(each["part"], 0), each)
        for each in (*parts, whole):
            if each["a_ps"] == 0:
                self.assertIsNone(each["change"], each)
            elif each is not whole:
                self.assertAlmostEqual(each["change"], each["b_ps"] / (each["a_ps"] / 2) - 1, places=12)
        for of, result in (("a_ps", a), ("b_ps", b)):
            self.assertEqual(sum(each[of] for each in parts), result["iteration_ps"])
        self.assertEqual(whole["a_ps"], a["iteration_ps"])
        self.assertEqual(compared["iteration"]["b"]["calls"], b["calls"])
        self.assertEqual(compared["iteration"]["a"]["loads"], a["loads"]["count"])

        self.assertIn("batch 2 and 1: changes compare the time per image", self.weft("compare", "a", "b").out)
        self.ok("compare", "a", "a", "--fail-above", "0")
        moved = self.weft("compare", "a", "b", "--fail-above", "1%")
        self.assertEqual(moved.code, 1)
        self.assertIn("the iteration moved by", moved.err)

        shown = self.weft("show", "./a").out
        self.assertIn("where it goes", shown)
        self.write("a/config.yaml", "none: 1\n")  # a saved result is complete
        self.assertEqual(self.weft("show", "./a").out, shown)
        self.ok("report", "a", "--out", "page.html")

    def test_of_runs_with_iterations_compare_these_too(self) -> None:
        for name, batch in (("a", "4"), ("b", "8")):
            self.ok("run", "resnet20-u250", "--rung", "analytical", "--set", f"batch={batch}", "--out", name)
        seconds = [self.result(name)["iteration"]["seconds"] for name in ("a", "b")]
        found = self.json_of("compare", "a", "b")
        self.assertEqual([found["iteration_seconds_a"], found["iteration_seconds_b"]], seconds)
        self.assertRegex(self.ok("compare", "a", "b").out, r"(?m)^iteration with host, PCIe and loads: .* -> .* \([+-]")

    def test_of_timelines_that_are_not_as_they_were_written_are_refused(self) -> None:
        for name in ("a", "b"):
            self.ok("timeline", "resnet20-u250", *ANALYTICAL, "--set", "batch=1", "--out", name)
        self.saved("run", *ANALYTICAL)
        self.refused("compare", "a", "run", says="cannot compare 'a' (weft timeline) and 'run' (weft run): give two results of "
                                                 "weft run, two of weft timeline, two of weft validate, or two of weft plan of one design")
        self.refused("compare", "a", "b", "--set", "batch=2", says="--set and --only are for runs that are simulated")
        self.change("b/result.json", '"H2C"', '"H2D"')
        self.refused("compare", "a", "b", says="result.json: where_ps")
        self.change("b/result.json", '"schema": 5', '"schema": 4')
        self.refused("compare", "a", "b", says="schema: must be 5, not 4")

    def test_compared_with_themselves_move_not_at_all(self) -> None:
        self.saved("a", "--rung", "exact")
        self.ok("compare", "a", "a", "--fail-above", "0")
        self.ok("compare", "a", "r.yaml", "--fail-above", "0%")  # simulated again
        same = self.weft("compare", "a", "a").out
        self.assertIn("keys         none differs", same)
        self.assertIn("0 of 5 convolutions moved", same)  # no GI of the first layer

    def test_that_moved_by_more_than_is_allowed_fail(self) -> None:
        self.saved("a", *ANALYTICAL)
        self.saved("b", *ANALYTICAL, "--set", "kernel.array.x=4")
        compared = self.json_of("compare", "a", "b")
        largest = 100 * max(abs(each["cycles_change"]) for each in compared["convolutions"])
        self.assertGreater(largest, 0)
        for factor, code in ((1.0001, 0), (0.9999, 1)):
            self.assertEqual(self.weft("compare", "a", "b", "--fail-above", f"{largest * factor}%").code, code)
        self.refused("compare", "a", "b", "--fail-above", "-1")
        self.refused("compare", "a", "b", "--fail-above", "much")

    def test_without_a_partner_are_named_and_fail(self) -> None:
        self.saved("a", *ANALYTICAL)
        self.saved("b", *ANALYTICAL, "--only", "b")
        outcome = self.weft("compare", "a", "b", "--fail-above", "1000000")
        self.assertEqual(outcome.code, 1)
        self.assertIn("only in A    2 convolutions: a:F, a:GW", outcome.out)

    def test_are_compared_with_runs_that_are_simulated_for_it(self) -> None:
        self.saved("a", "--rung", "exact")
        compared = self.ok("compare", "r.yaml", "r.yaml", "--set", "rung=analytical", "--format", "csv").out
        self.assertEqual(compared.count("\n"), 6)
        self.refused("compare", "a", "r.yaml", "--set", "rung=exact", says="'a' is a result")


class ResultsOfAFile(WeftTest):
    """Results of an analytical run of a network in a file."""

    def setUp(self) -> None:
        super().setUp()
        shutil.copy(CONFIGS / "networks/resnet20.onnx", self.folder / "net.onnx")
        self.write("n.yaml", "board: u250\nkernel: fpgpt-8x8-hls\nnetwork: net.onnx\nbatch: 1\nrung: analytical\n")

    def digest_of(self, path: str) -> str:
        """FNV-1a of 64 bits."""
        digest = 0xCBF29CE484222325
        for byte in (self.folder / path).read_bytes():
            digest = (digest ^ byte) * 0x100000001B3 % 2**64
        return f"{digest:016x}"

    def test_name_the_files_that_they_were_made_from(self) -> None:
        self.ok("run", "n.yaml", "--out", "r")
        inputs = self.result("r")["inputs"]
        for each in inputs:
            path = each["path"]
            file = str(CONFIGS.parent / path) if path.startswith("configs/") else path
            self.assertEqual(each["digest"], self.digest_of(file), path)
        self.assertEqual([each["path"] for each in inputs],
                         ["n.yaml", "configs/boards/u250.yaml", "configs/kernels/fpgpt-8x8-hls.yaml",
                          "configs/kernels/fpgpt-16x16-hls.yaml", "configs/hosts/xeon-bronze-3104.yaml", "net.onnx"])
        for command in ("timeline", "explain", "validate"):
            self.weft(command, "n.yaml", "--out", command)  # the validation may exceed its limits
            digests = [each["digest"] for each in self.result(command)["inputs"]]
            self.assertIn(self.digest_of("net.onnx"), digests, command)

    def test_refuse_a_network_that_has_changed(self) -> None:
        self.ok("run", "n.yaml", "--out", "r")
        before, rows = self.digest_of("net.onnx"), self.text("r/convolutions.csv")
        self.assertIn('network: "../net.onnx"\n', self.text("r/config.yaml"))
        (self.folder / "moved").mkdir()
        for name in ("r", "net.onnx"):
            (self.folder / name).rename(self.folder / "moved" / name)
        self.assertEqual(self.ok("run", "moved/r/config.yaml", "--out", "again").err, "")
        self.assertEqual(self.text("again/convolutions.csv"), rows)
        shutil.copy(CONFIGS / "networks/alexnet_cifar10.onnx", self.folder / "moved/net.onnx")
        self.write("s.yaml", "run: moved/r/config.yaml\nspace: {batch: [1, 2]}\n")
        self.write("t.yaml", "run: moved/r/config.yaml\npolicy: muppet\nmuppet: {levels: [fp32]}\n")
        self.write("d.yaml", "run: moved/r/config.yaml\nspace: {max_x: 8, max_y: 8}\nbudget: {bram18: 640, uram: 0}\n")
        for command in (["run", "moved/r/config.yaml"], ["timeline", "moved/r/config.yaml"], ["explain", "moved/r/config.yaml"],
                        ["validate", "moved/r"], ["train", "t.yaml"], ["dse", "d.yaml"], ["sweep", "s.yaml"]):
            err = self.refused(*command)
            self.assertIn("moved/r/config.yaml:", err)
            self.assertIn(f"net.onnx' has changed: its digest is {self.digest_of('moved/net.onnx')}, in the saved result "
                          f"{before};", err)
        self.change("moved/r/config.yaml", before, self.digest_of("moved/net.onnx"))
        self.ok("run", "moved/r/config.yaml", "--no-save")

    def test_of_every_command_have_the_digest_of_each_file_and_the_version_of_the_code(self) -> None:
        """A digest that is not that of the file is refused, unless the saved configuration contains the file."""
        version = self.ok("--version").out.split()[1]
        self.assertRegex(version, r"^\d+\.\d+\.\d+\+[0-9a-f]{12}$")
        self.write("d.yaml", "run: n.yaml\nspace: {max_x: 8, max_y: 8}\nbudget: {bram18: 640, uram: 0}\n")
        self.ok("dse", "d.yaml", "--out", "kernels")
        for command, needed in ((["run", "n.yaml"], ["../net.onnx"]),
                                (["timeline", "n.yaml", *sets("schedule.kernels={dse: kernels/result.json, own: true}")],
                                 ["../kernels/result.json", "../net.onnx"]),
                                (["explain", "n.yaml", "--set", "only=layer1.0.conv1"], ["../net.onnx"]),
                                (["validate", "n.yaml", "--only", "layer1.0.conv1:F"], ["../net.onnx"]),
                                (["dse", "d.yaml"], ["../net.onnx"]),
                                (["train", "gm-resnet20-live"],
                                 ["configs/networks/resnet20.onnx", "configs/networks/resnet20.training.yaml",
                                  *(f"configs/train/traces/gm-resnet20-live-{trace}.csv" for trace in ("diversities", "errors"))]),
                                (["plan", "nada-mobilenetv2", *sets("network=resnet20", "boards=1")],
                                 ["configs/networks/resnet20.onnx"])):
            self.weft(*command, "--out", "saved")  # a validation may exceed its limits
            result, config = self.result("saved"), self.text("saved/config.yaml")
            self.assertEqual(result["weft_version"], version, command)
            saved = yaml.safe_load(config)["inputs"]
            self.assertEqual([each["digest"] for each in saved], [each["digest"] for each in result["inputs"]], command)
            self.assertEqual(sorted(each["path"] for each in saved if "contained" not in each), needed, command)
            again = [command[0], "saved/config.yaml", "--no-save"]
            for each in saved:
                if "contained" in each:
                    config = config.replace(each["digest"], "0123456789abcdef")
            self.write("saved/config.yaml", config)
            if command[0] in ("run", "plan"):
                self.assertEqual(self.weft(*again).code, 0, "a contained file that has changed has no effect")
            for each in saved:
                if "contained" not in each:
                    self.write("saved/config.yaml", config.replace(each["digest"], "0123456789abcdef"))
                    self.refused(*again, says="has changed: its digest is ")

    def test_run_again_elsewhere_from_the_inputs_that_they_keep(self) -> None:
        for network, copy in (("net.onnx", "inputs/net.onnx"),
                              ("resnet20", "inputs/configs/networks/resnet20.onnx")):
            for _ in range(2):  # the second replaces the first, including copies
                self.ok("run", "n.yaml", "--out", "k", *sets("results.keep_inputs=true", f"network={network}"))
            self.assertEqual(self.text("k/inputs/n.yaml"), self.text("n.yaml"))
            rows = self.text("k/convolutions.csv")
            self.assertIn(f"network: {copy}\n", self.text("k/config.yaml"))
            (self.folder / "elsewhere").mkdir()
            (self.folder / "k").rename(self.folder / "elsewhere/k")
            (self.folder / "net.onnx").rename(self.folder / "gone.onnx")
            self.assertEqual(self.ok("run", "elsewhere/k/config.yaml", "--out", "again").err, "")
            self.assertEqual(self.text("again/convolutions.csv"), rows)
            self.assertIn(f"elsewhere/k/{copy}", [each["path"] for each in self.result("again")["inputs"]])
            (self.folder / "gone.onnx").rename(self.folder / "net.onnx")
            for folder in ("elsewhere", "again"):
                shutil.rmtree(self.folder / folder)


if __name__ == "__main__":
    unittest.main()
