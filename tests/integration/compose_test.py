"""How files, names and options make up a run, as weft show --yaml prints it and as the rows of weft run show it."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

import yaml

from support import CONFIGS, WeftTest, sets

# A board whose file gives timings that the bin of 2400 does not have.
SPELLED_OUT = "extends: u250\nmemory: {data_rate_mtps: 2400, timing_nCK: {CL: 18, tFAW: 30, tRFC: 500}}\n"


def names(folder: str) -> list[str]:
    return sorted(path.stem for path in (CONFIGS / folder).glob("*.yaml"))


class Compose(WeftTest):
    def show(self, name: str | Path, *assignments: str) -> Any:
        return yaml.safe_load(self.ok("show", str(name), "--yaml", *sets(*assignments)).out)

    def array(self, name: str | Path, *assignments: str) -> tuple[int, int]:
        array = self.show(name, *assignments)["kernel"]["array"]
        return array["x"], array["y"]

    def memory(self, name: str | Path, *assignments: str) -> Any:
        return self.show(name, *assignments)["board"]["memory"]

    # --- files

    def test_merges_what_a_file_extends_deeply(self) -> None:
        self.write("base.yaml", "extends: conv-small\nkernel: {array: {x: 3, y: 5}}\nseed: 4\n")
        self.write("top.yaml", "extends: base.yaml\nkernel: {array: {x: 7}}\n")
        run = self.show("top.yaml")
        self.assertEqual(run["kernel"]["array"], {"x": 7, "y": 5})
        self.assertEqual((run["seed"], run["name"]), (4, "top"))  # a file does not inherit the name of its base

    def test_finds_a_name_beside_the_naming_file_before_the_projects(self) -> None:
        self.write("kernels/mine.yaml", "extends: fpgpt-8x8-hls\narray: {x: 2, y: 2}\n")
        self.write("kernels/fpgpt-8x8-hls.yaml", "extends: fpgpt-8x8-hls\narray: {x: 9, y: 9}\n")
        self.write("runs/a.yaml", "extends: conv-small\nkernel: mine\n")
        self.write("runs/b.yaml", "extends: conv-small\nkernel: fpgpt-8x8-hls\n")
        self.assertEqual((self.array("runs/a.yaml"), self.array("runs/b.yaml")), ((2, 2), (9, 9)))

    def test_takes_paths_relative_to_the_naming_file(self) -> None:
        self.write("sub/k.yaml", "extends: fpgpt-8x8-hls\narray: {x: 6, y: 6}\n")
        self.write("sub/net.yaml", "layers: [{name: l, channels: 1, h: 4, w: 4, filters: 1, kernel: 1}]\n")
        self.write("sub/base.yaml", "extends: conv-small\nkernel: k.yaml\nnetwork: net.yaml\n")
        self.write("a.yaml", "extends: sub/base.yaml\n")
        run = self.show("a.yaml")
        self.assertEqual((run["kernel"]["array"]["x"], run["network"]["layers"][0]["name"]), (6, "l"))
        self.assertNotIn("convolution", run)

    def test_every_run_board_and_kernel_of_the_project_reads_back_the_same(self) -> None:
        for folder, least in (("runs", 6), ("boards", 8), ("kernels", 9)):
            found = names(folder)
            self.assertGreaterEqual(len(found), least)
            for name in found:
                printed = self.ok("show", name, "--yaml").out
                self.write(f"{folder}/copy-of-it.yaml", printed)
                self.assertEqual(self.ok("show", f"{folder}/copy-of-it.yaml", "--yaml").out, printed, name)
                value = yaml.safe_load(printed)
                self.assertEqual(value["name"], name)
                if folder == "boards":
                    self.assertTrue("dsp" in value and ("bram36" in value or "m20k" in value), name)

    # --- options

    def test_a_kernel_given_by_name_replaces_the_whole_of_the_old_one(self) -> None:
        self.write("a.yaml", "extends: conv-small\nkernel: {fifo: {inp_beat: 5}}\n")
        self.assertEqual(self.show("a.yaml")["kernel"]["fifo"]["inp_beat"], 5)
        kernel = self.show("a.yaml", "kernel=fpgpt-16x16-rtl")["kernel"]
        self.assertEqual((kernel["fifo"]["inp_beat"], kernel["profile"]), (32, "rtl"))

    def test_overrides_apply_in_order_inside_what_was_given_by_name(self) -> None:
        run = self.show("googlenet-u250", "kernel.array.x=32", "network=squeezenet1_1", "batch=256", "batch=3",
                        "memory.auto_precharge_a3=false", "kinds=[GW, F]", "kernel.clock_mhz=1000/3", "only=*:GW")
        self.assertEqual(run["kernel"]["array"], {"x": 32, "y": 16})
        self.assertEqual({key: run[key] for key in ("network", "batch", "kinds", "only")},
                         {"network": "squeezenet1_1", "batch": 3, "kinds": ["GW", "F"], "only": "*:GW"})
        self.assertEqual((run["board"]["memory"]["auto_precharge_a3"], run["kernel"]["clock_mhz"]), (False, "1000/3"))

    def test_a_later_name_replaces_earlier_overrides_of_its_keys(self) -> None:
        self.assertEqual(self.array("conv-small", "kernel.array.x=32", "kernel=fpgpt-8x8-hls"), (8, 8))

    def test_switches_change_a_profile_given_by_its_name(self) -> None:
        def switches(*assignments: str) -> Any:
            return self.show("conv-small", *assignments)["kernel"]["profile"]

        every = ("exact_bursts", "overlap_drain", "wide_kern_load", "early_kern_feed", "packed_gw_sets")
        self.assertEqual({"base": "hls"} | switches("kernel.profile.exact_bursts=true"),
                         {"base": "hls"} | dict.fromkeys(every, False) | {"exact_bursts": True})
        self.assertEqual({"base": "hls"} | switches("kernel.profile=rtl", "kernel.profile.overlap_drain=false"),
                         {"base": "hls"} | dict.fromkeys(every, True) | {"overlap_drain": False})

    def test_a_network_replaces_a_convolution_and_the_reverse(self) -> None:
        run = self.show("conv-small", "network=googlenet")
        self.assertEqual((run["network"], "convolution" in run), ("googlenet", False))
        run = self.show("googlenet-u250", "convolution={kind: GW, channels: 3, h: 8, w: 8, filters: 4, kernel: 3}")
        self.assertEqual((run["convolution"]["kind"], "network" in run), ("GW", False))

    # --- memory

    def test_a_memory_of_another_kind_replaces_the_boards(self) -> None:
        self.assertEqual(self.memory("googlenet-u250", "memory.kind=ideal", "memory.latency_cycles=7"),
                         {"kind": "ideal", "latency_cycles": 7})

    def test_a_memory_of_the_same_kind_changes_only_what_it_says(self) -> None:
        self.write("a.yaml", "kind: run\nextends: googlenet-u250\nmemory: {timing_nCK: {tFAW: 20}}\n")
        memory = self.memory("a.yaml")
        self.assertEqual((memory["timing_nCK"]["tFAW"], memory["timing_nCK"]["tRFC"], memory["channels"]), (20, 420, 4))

    def timing(self, board: str, *assignments: str) -> Any:
        return self.memory("googlenet-u250", f"board={board}", *assignments)["timing_nCK"]

    def test_timings_belong_to_the_rate_they_were_given_with(self) -> None:
        self.write("b.yaml", SPELLED_OUT)
        given = self.timing("b.yaml")
        self.assertEqual({key: given[key] for key in ("CL", "CWL", "tFAW", "tRFC", "read_to_write")},
                         {"CL": 18, "CWL": 12, "tFAW": 30, "tRFC": 500, "read_to_write": 18 + 4 - 12 + 2})  # CWL: from the bin
        for rate in ("memory.data_rate_mtps=3200", "board.memory.data_rate_mtps=3200"):
            faster = self.timing("b.yaml", rate)
            self.assertEqual((faster["CL"], faster["tFAW"], faster["tRFC"]), (22, 16, 560), rate)
        self.assertEqual(self.timing("b.yaml", "memory.data_rate_mtps=2400")["tFAW"], 30)  # equal to the rate of the board file

    def test_timings_of_options_hold_at_the_rate_of_another_in_any_order(self) -> None:
        self.write("b.yaml", SPELLED_OUT)
        rate, timing = "board.memory.data_rate_mtps=3200", "board.memory.timing_nCK.tFAW=24"
        for order in ((rate, timing), (timing, rate)):
            found = self.timing("b.yaml", *order)
            self.assertEqual((found["tFAW"], found["CL"], found["tRFC"]), (24, 22, 560))

    def test_a_file_that_extends_another_may_give_a_rate_with_its_timings(self) -> None:
        self.write("b.yaml", SPELLED_OUT)
        self.write("c.yaml", "extends: ./b.yaml\nmemory: {data_rate_mtps: 2133, timing_nCK: {tRAS: 40}}\n")
        memory = self.memory("googlenet-u250", "board=c.yaml")
        self.assertEqual(memory["data_rate_mtps"], "6400/3")
        self.assertEqual({key: memory["timing_nCK"][key] for key in ("tRAS", "tRC", "CL", "tFAW")},
                         {"tRAS": 40, "tRC": 55, "CL": 15, "tFAW": 16})  # tRC: tRAS + tRP

    def test_timings_of_a_board_are_those_of_its_devices(self) -> None:
        """Expected: the sources of each board. kcu1500: 4 Gb x8; vu9p_f1: 8 Gb x4 at 2133 1/3."""
        keys = ("CL", "CWL", "tRCD", "tRP", "tRAS", "tRC", "tRRD_S", "tRRD_L", "tFAW", "tCCD_S", "tCCD_L", "tWR", "tWTR_S",
                "tWTR_L", "tRTP", "tREFI", "tRFC", "read_to_write")
        for board, rate, expected in (
                ("kcu1500", 2400, (17, 12, 17, 17, 39, 56, 4, 6, 26, 4, 6, 18, 3, 9, 9, 9360, 312, 11)),
                ("vu9p_f1", "6400/3", (15, 11, 15, 15, 36, 51, 4, 6, 16, 4, 6, 16, 3, 8, 8, 8320, 374, 10))):
            memory = self.memory("googlenet-u250", f"board={board}")
            self.assertEqual(tuple(memory["timing_nCK"][key] for key in keys), expected, board)
            self.assertEqual(memory["data_rate_mtps"], rate)

    def test_an_overridden_figure_is_no_assumption_of_the_board(self) -> None:
        key = "memory.shell_latency_cycles"
        for assignments, expected in (((), True), ((f"{key}=0",), False), (("memory.kind=ideal",), False)):
            self.assertEqual(key in self.show("googlenet-u250", *assignments)["board"]["assumed"], expected, assignments)

    # --- runs

    def test_the_headline_run_is_the_thesis_on_a_u250(self) -> None:
        run = self.show("googlenet-u250")
        self.assertEqual({key: run[key] for key in ("network", "batch", "rung", "mode")},
                         {"network": "googlenet", "batch": 256, "rung": "exact", "mode": "timing"})
        self.assertEqual({key: run["kernel"][key] for key in ("array", "profile", "clock_mhz", "z")},
                         {"array": {"x": 16, "y": 16}, "profile": "hls", "clock_mhz": 100, "z": "auto"})
        memory = run["board"]["memory"]
        self.assertEqual((memory["data_rate_mtps"], memory["address_map"], memory["auto_precharge_a3"]), (2400, "INTLV", True))


class Selection(WeftTest):
    """Convolutions that a run selects."""

    layers = ("inception3b.branch1.conv", "inception3bXbranch1", "a.b.conv1", "a.b.conv", "aXbXbXc", "aXbXbX")

    def chosen(self, *options: str, layers: tuple[str, ...] = layers) -> list[str]:
        network = ", ".join(f"{{name: {name}, channels: 2, h: 4, w: 4, filters: 2, kernel: 1}}" for name in layers)
        rows = self.json_of("run", "conv-small", "--rung", "analytical", "--no-save",
                            *sets(f"network={{layers: [{network}]}}"), *options)["convolutions"]
        return [f"{row['layer']}:{row['kind']}" for row in rows]

    def test_a_pattern_has_stars_and_question_marks(self) -> None:
        for pattern, expected in (("inception3b.*", ["inception3b.branch1.conv"]), ("*.conv?", ["a.b.conv1"]),
                                  ("a*b*c", ["aXbXbXc"]), ("*", list(self.layers))):
            self.assertEqual(self.chosen("--only", f"{pattern}:GW"), [f"{name}:GW" for name in expected], pattern)
        # About linear time even where backtracking would not end.
        self.refused("run", "conv-small", *sets("network={layers: [{name: " + 2000 * "a" +
                                                ", channels: 1, h: 1, w: 1, filters: 1, kernel: 1}]}"),
                     "--only", "*a*a*a*a*a*a*a*a*a*a*b", says="no convolution matches")

    def test_a_pattern_may_name_a_kind_and_several_choose_together(self) -> None:
        two = ("conv1", "conv2")
        self.assertEqual(self.chosen("--only", "conv1:GW", layers=two), ["conv1:GW"])
        self.assertEqual(self.chosen("--only", "conv1,*:GI", layers=two), ["conv1:F", "conv1:GW", "conv2:GI"])
        self.assertEqual(len(self.chosen(layers=two)), 5)
        for pattern in ("conv:X", ":GW", "a,,b", "conv:"):
            self.refused("run", "conv-small", "--only", pattern, says=f"--only {pattern}: only: ")
        one = "network={layers: [{name: first, channels: 1, h: 1, w: 1, filters: 1, kernel: 1}]}"
        self.refused("run", "conv-small", *sets(one), "--only", "third", says="'third'; there are: first:F, first:GW")

    def test_the_first_input_gradient_is_left_out_unless_the_run_or_the_layer_says_otherwise(self) -> None:
        two = ("first", "second")
        self.assertEqual(self.chosen(layers=two), ["first:F", "first:GW", "second:F", "second:GI", "second:GW"])
        self.assertEqual(len(self.chosen("--set", "gi_first=true", layers=two)), 6)
        self.assertEqual(self.chosen(*sets("gi_first=true", "kinds=[GI]"), layers=two), ["first:GI", "second:GI"])
        other = "network={layers: [{name: a, graph_input: false, channels: 1, h: 4, w: 4, filters: 1, kernel: 1}]}"
        rows = self.json_of("run", "conv-small", "--rung", "analytical", "--no-save", *sets(other))["convolutions"]
        self.assertEqual([row["kind"] for row in rows], ["F", "GI", "GW"])

    def test_one_padding_or_two_stand_for_all_sides(self) -> None:
        for pad, expected in (("2", [2, 2, 2, 2]), ("[2, 1]", [2, 2, 1, 1]), ("[1, 2, 0, 1]", [1, 0, 2, 1])):
            shape = self.json_of("run", "conv-small", "--rung", "analytical", "--no-save",
                                 *sets(f"convolution.pad={pad}"))["convolutions"][0]["shape"]
            self.assertEqual([shape[axis][side] for axis in "hw" for side in ("pad_begin", "pad_end")], expected, pad)

    def test_layers_have_their_axes_and_sides(self) -> None:
        layer = ("{name: a, channels: 4, h: 9, w: 11, filters: 6, kernel: [3, 5], stride: [2, 1], pad: [1, 2, 0, 1], "
                 "dilation: [1, 2], groups: 2}")
        shape = self.json_of("run", "conv-small", "--rung", "analytical", "--no-save",
                             *sets(f"network={{layers: [{layer}]}}", "batch=12"))["convolutions"][0]["shape"]
        self.assertEqual((shape["batch"], shape["channels"], shape["filters"], shape["groups"]), (12, 4, 6, 2))
        for axis, expected in (("h", (9, 3, 2, 1, 0, 1)), ("w", (11, 5, 1, 2, 1, 2))):
            self.assertEqual(tuple(shape[axis][key] for key in ("size", "kernel", "stride", "pad_begin", "pad_end", "dilation")),
                             expected, axis)


class Hosts(WeftTest):
    """Files of hosts, and the host of a run."""

    xeon = "xeon-bronze-3104"

    def shown(self, text: str, *assignments: str) -> Any:
        self.write("h.yaml", text)
        return yaml.safe_load(self.ok("show", "h.yaml", "--yaml", *sets(*assignments)).out)

    def printed(self, before: str = "", after: str = "") -> str:
        """The host as a complete file, with one text replaced."""
        text = self.ok("show", self.xeon, "--yaml").out
        self.assertIn(before, text)
        return text.replace(before, after, 1) if before else text

    def denied(self, text: str, says: str, *assignments: str) -> None:
        self.write("h.yaml", text)
        self.refused("show", "h.yaml", *sets(*assignments), says=says)

    def test_of_every_file_of_the_project_reads_back_the_same(self) -> None:
        for name in names("hosts"):
            printed = self.ok("show", name, "--yaml").out
            self.write("h.yaml", printed)
            self.assertEqual(self.ok("show", "h.yaml", "--yaml").out, printed, name)

    def test_decimals_are_exact(self) -> None:
        host = self.shown(self.printed("peak_gflops: 326.4\n", "peak_gflops: 326.400000001\n"), "operators.pool.compute=0.123456",
                          "calls.xrt.launch_us=2.800001", "reconfiguration.card={seconds: 1.5, high: 9}")
        self.assertEqual((host["peak_gflops"], host["operators"]["pool"]["compute"], host["calls"]["xrt"]["launch_us"]),
                         (326.400000001, 0.123456, 2.800001))
        self.assertEqual(host["reconfiguration"]["card"], {"seconds": 1.5, "low": 1.4, "high": 9})  # low: from the file

    def test_a_load_without_bounds_is_one_that_is_known(self) -> None:
        host = self.shown(self.printed("    seconds: 1.4\n    low: 1.4\n    high: 8\n", "    seconds: 1.4\n"))
        self.assertEqual(host["reconfiguration"]["card"], {"seconds": 1.4, "low": 1.4, "high": 1.4})

    def test_refuses_what_is_no_positive_number_with_file_line_key_and_value(self) -> None:
        peak = "peak_gflops: 326.4\n"
        self.denied(self.printed(peak, "peak_gflops: -5\n"),
                    "h.yaml:5: host.peak_gflops: must be a number of GFLOPS above 0")
        for value, says in (("-5", "not '-5'"), ("0", "not '0'"), ("many", "not 'many'"), ('"7"', "peak_gflops"),
                            ("1000/3", "at most 9 decimals")):
            self.denied(self.printed(peak, f"peak_gflops: {value}\n"), says)
        for assignment, says in (
                ("operators.pool.memory=1.01",
                 "--set operators.pool.memory=1.01: host.operators.pool.memory: must be a number above 0, at most 1,"),
                ("calls.xrt.launch_us=-1", "from 0 to"), ("calls.xrt.launch_us=0.0000001", "at most 6 decimals"),
                ("reconfiguration.card={seconds: 1.4, low: 1.5}", "must not exceed the 1.4 of 'seconds', but is 1.5"),
                ("reconfiguration.card={seconds: 1.4, high: 1.25}", "must be at least the 1.4 of 'seconds', but is 1.25"),
                ("assumed=[foo]", "--set assumed=[foo]: host.assumed: names 'foo', which is not given here")):
            self.denied(self.printed(), says, assignment)

    def test_refuses_a_constant_that_is_absent(self) -> None:
        for key in ("peak_gflops", "memory_gbytes_per_s", "im2col_gbytes_per_s"):
            (line,) = (line for line in self.printed().splitlines(keepends=True) if line.startswith(key))
            self.denied(self.printed(line, "").replace(f"{key}, ", "").replace(f", {key}", ""), f"host.{key}: is missing")

    def test_refuses_published_rates_that_contradict_each_other(self) -> None:
        """The iteration contains its convolutions, and im2col takes time: derived times are never negative."""
        def rates(text: str) -> str:
            return f"published={{source: s, batch: 4, gops: [{{network: n, {text}}}]}}"

        self.denied(self.printed(), "host.published.gops[0].average: must not exceed the 20 of 'convolutions'",
                    rates("convolutions: 20, average: 20.5, cpu_im2col: 5"))
        self.denied(self.printed(), "host.published.gops[0].cpu_im2col: must be below the 20 of 'convolutions'",
                    rates("convolutions: 20, average: 10, cpu_im2col: 20"))
        for more, expected in ((", gi_first: true", True), ("", False)):
            host = self.shown(self.printed(), rates("convolutions: 20, average: 20, cpu_im2col: 5" + more))
            self.assertIs(host["published"]["gops"][0]["gi_first"], expected)

    def test_refuses_an_operator_that_is_measured_twice(self) -> None:
        def measured(*batches: int, direction: str = "forward") -> str:
            each = f"network: n, operator: a, direction: {direction}, threads: 1, ns: 5"
            return "measured=[" + ", ".join(f"{{{each}, batch: {batch}}}" for batch in batches) + "]"

        self.denied(self.printed(), "host.measured[1].operator", measured(1, 1))
        self.assertEqual(len(self.shown(self.printed(), measured(1, 2))["measured"]), 2)
        self.denied(self.printed(), "must be one of forward, loss, backward, update, not 'sideways'",
                    measured(1, direction="sideways"))

    def of_run(self, *assignments: str) -> Any:
        return yaml.safe_load(self.ok("show", "conv-small", "--yaml", *sets(*assignments)).out).get("host")

    def test_of_a_run_is_the_default_of_its_board_or_none(self) -> None:
        self.assertEqual(self.of_run()["name"], self.xeon)
        for board in names("boards"):
            self.assertTrue(self.of_run(f"board={board}", "memory={kind: ideal, latency_cycles: 40}"), board)
        self.write("b.yaml", "name: b\nmemory: {kind: ideal}\n")
        self.assertIsNone(self.of_run("board=b.yaml"))
        self.assertEqual(self.of_run("board=b.yaml", f"host={self.xeon}")["name"], self.xeon)

    def test_of_a_run_is_changed_or_replaced_by_what_the_run_says(self) -> None:
        host = self.of_run("host.threads=3", "host.operators.pool.compute=0.5")
        self.assertEqual((host["name"], host["threads"], host["operators"]["pool"]["compute"], host["peak_gflops"]),
                         (self.xeon, 3, 0.5, 326.4))
        self.write("h.yaml", self.printed(f"name: {self.xeon}\n", "name: mine\n"))
        for assignments, expected in ((("host.threads=3", "host=h.yaml"), 6), (("host=h.yaml", "host.threads=3"), 3),
                                      (("host={extends: h.yaml, threads: 5}",), 5)):
            self.assertEqual(self.of_run(*assignments)["threads"], expected, assignments)
        self.assertEqual(self.of_run("host=h.yaml")["name"], "mine")

    def test_of_a_run_overrides_are_no_assumptions(self) -> None:
        key = "im2col_gbytes_per_s"
        self.assertIn(key, self.of_run()["assumed"])
        self.assertNotIn(key, self.of_run(f"host.{key}=0.6")["assumed"])


class Explorations(WeftTest):
    """Files of weft dse."""

    # Without default values, so that a lost key is noticed.
    everything = """
name: everything
title: "All keys: none at its default"
run: googlenet-u250
set: {batch: 3, kernel.band: 8, readings: {burst: split}}
budget: {dsp: 900, bram18: 800, uram: 70}
space: {max_x: 60, max_y: 50, min_pes: 4, max_pes: 90, z: fitted, storage: kernel}
penalties_percent: [0.5, 7, 20.125]
sharing: {merge: printed, stop: printed, minimum: false}
compare_reading: decode
rerank: {count: 3, rung: systemc, batch: 2, only: "conv1.*"}
published: {kernels: 30, epoch_hours: 212.5, source: a table}
"""
    googlenet = str(CONFIGS / "dse/googlenet.yaml")

    def show(self, name: str, *assignments: str) -> Any:
        return yaml.safe_load(self.ok("show", name, "--yaml", *sets(*assignments)).out)

    def test_keep_every_key_and_read_back_the_same(self) -> None:
        self.write("a.yaml", self.everything)
        given, found = yaml.safe_load(self.everything), self.show("a.yaml")
        for key in ("name", "title", "budget", "space", "penalties_percent", "sharing", "compare_reading", "published"):
            self.assertEqual(found[key], given[key], key)
        self.assertEqual({key: found["rerank"][key] for key in given["rerank"]}, given["rerank"])
        run = found["run"]
        self.assertEqual((run["batch"], run["kernel"]["band"], run["readings"]["burst"]), (3, 8, "split"))
        self.assertNotIn("only", run)
        self.write("b.yaml", self.ok("show", "a.yaml", "--yaml").out)
        self.assertEqual(self.show("b.yaml"), found)

    def test_leave_the_budget_to_the_board(self) -> None:
        self.write("a.yaml", "run: googlenet-u250\nbudget: {bram18: 5}\n")
        found = self.show("a.yaml")
        self.assertEqual(found["budget"], {"dsp": 11508, "bram18": 5, "uram": 1280})
        self.assertIn(found.get("compare_reading"), (None, "none"))
        self.assertFalse(found.get("penalties_percent"))

    def test_overrides_reach_the_run_and_with_their_prefix_the_exploration(self) -> None:
        found = self.show(self.googlenet, "batch=7", "dse.space.max_x=9", "dse.compare_reading=none")
        self.assertEqual((found["run"]["batch"], found["rerank"].get("batch", 7), found["space"]["max_x"]), (7, 7, 9))
        self.assertIn(found.get("compare_reading"), (None, "none"))

    def test_what_is_published_is_of_the_network_of_the_file(self) -> None:
        self.assertEqual(self.show(self.googlenet, "batch=7")["published"]["kernels"], 30)
        self.assertFalse(self.show(self.googlenet, "network=resnet18").get("published"))


class Names(WeftTest):
    """Results of changed runs have folders of their own."""

    def test_a_changed_run_has_a_short_plain_name_that_says_what_was_changed(self) -> None:
        def saved(*assignments: str) -> str:
            before = set(self.listing())
            self.ok("run", "conv-small", "--rung", "analytical", *sets(*assignments))
            (folder,) = (name for name in set(self.listing()) - before if name.count("/") == 1)
            return folder.removeprefix("results/")

        base, digest = saved("kernel.array.x=4").rsplit("-", 1)
        self.assertEqual(base, "conv-small-x-4-rung-analytical")
        self.assertRegex(digest, "^[0-9a-f]{8}$")
        self.assertNotEqual(saved("kernel.array.x=5"), f"{base}-{digest}")
        long = saved("network={layers: [{name: " + 50 * "/" + ", channels: 1, h: 1, w: 1, filters: 1, kernel: 1}]}")
        self.assertLessEqual(len(long), len("conv-small") + 60 + 9)
        self.assertRegex(long, "^[a-zA-Z0-9._-]+$")


if __name__ == "__main__":
    unittest.main()
