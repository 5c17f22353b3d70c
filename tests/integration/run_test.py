"""weft run: its rows against the golden table, between rungs, workers and modes; its folder; its limits."""

from __future__ import annotations

import csv
import unittest
from collections import defaultdict
from typing import Any

from support import ROOT, WeftTest, sets

# Keys of the components and terms that the golden table names by the thesis' symbols.
KEY_OF_SYMBOL = {"INP_DDR": "inp_reader", "INP_DEC": "inp_decode", "INP_CONSTR": "inp_construct",
                 "INP_I2C": "inp_im2col", "KERN_DDR": "kern_reader", "KERN_DEC": "kern_decode",
                 "KERN_FEED": "kern_feeder", "SA": "array", "OUT_CONSTR": "out_constructor", "OUT_ENC": "out_encode",
                 "OUT_DDR": "out_writer", "Z": "z", "Zchannel": "z_channel", "M": "m", "TOTAL": "total"}

# A network of three shapes that the systemc rung runs in a moment: strided, grouped, plain.
LAYERS = ("network={layers: [{name: a, channels: 3, h: 19, w: 17, filters: 8, kernel: 5, stride: 2, pad: 2}, "
          "{name: b, channels: 8, h: 10, w: 9, filters: 12, kernel: 3, pad: 1, groups: 2}, "
          "{name: c, channels: 12, h: 10, w: 9, filters: 5, kernel: 1}]}")
SMALL = ["googlenet-u250", *sets(LAYERS, "batch=2", "kernel.array.x=7", "kernel.array.y=3")]
ANALYTICAL = ["--rung", "analytical"]


def sizes(fit: str) -> list[str]:
    return sets(*(f"kernel.{key}={fit}" for key in ("z", "z_channel", "k_range", "kern_words", "out_words")))


class Run(WeftTest):
    def rows(self, *arguments: str) -> list[Any]:
        return self.json_of("run", *arguments)["convolutions"]

    def test_the_analytical_rung_prints_the_golden_table_of_googlenet(self) -> None:
        found = {(row["layer"], row["kind"]): row
                 for row in self.rows("googlenet-u250", *ANALYTICAL,
                                      *sets("batch=256", "kernel.array.x=4", "kernel.array.y=8"))}
        with open(ROOT / "tests/golden/analytical/fpgpt_gammas_googlenet_X4_Y8_B256.csv", newline="") as file:
            names, *golden = csv.reader(file)
        for layer, kind, *fields in golden:
            row = found[layer, kind]
            for name, field in zip(names[2:], fields, strict=True):
                value = row["macs"] if name == "macs" else row["gamma"][KEY_OF_SYMBOL.get(name, name)]
                # Feeder and array are one bottleneck (F13).
                compute = field == "KERN_FEED" and kind != "GW"
                self.assertEqual(str(value), "compute" if compute else KEY_OF_SYMBOL.get(field, field), (row, name))
            self.assertEqual((row["cycles"], row["limiter"]), (row["gamma"]["total"], row["gamma"]["limiter"]))
        self.assertEqual((len(golden), len(found)), (170, 170))

    def test_the_result_directory_holds_the_result_and_the_config_that_reproduces_it(self) -> None:
        self.ok("run", *SMALL, "--out", "result")
        self.assertEqual(self.listing(),
                         ["result", "result/config.yaml", "result/convolutions.csv", "result/result.json"])
        again = self.json_of("run", "result/config.yaml", "--out", "again")
        one = self.result("result")
        self.assertEqual(again["inputs"][0]["path"], "result/config.yaml")
        for each in (one, again):
            del each["inputs"]
        self.assertEqual(one, again)
        self.assertEqual(self.text("again/convolutions.csv"), self.text("result/convolutions.csv"))
        self.assertEqual(one["schema"], 8)

    def test_saves_under_its_name_and_changed_runs_under_names_of_their_own(self) -> None:
        self.ok("run", "conv-small", "--no-save")
        self.assertEqual(self.listing(), [])
        self.ok("run", "conv-small")
        folder = "results/conv-small"
        plain = ["results", folder, *(f"{folder}/{name}" for name in ("config.yaml", "convolutions.csv", "result.json"))]
        self.assertEqual(self.listing(), plain)
        before = self.text(f"{folder}/result.json")
        self.ok("run", "conv-small", "--set", "batch=1")
        self.assertEqual(len(self.listing()), 2 * len(plain) - 1)
        self.assertEqual(self.text(f"{folder}/result.json"), before)

    def test_boards_whose_memory_is_not_modelled_are_checked_for_fit_by_the_equations(self) -> None:
        self.assertIn("of 5,952", self.ok("run", "conv-small", *ANALYTICAL, "--no-save", "--set", "board=u50").out)

    def test_a_board_of_ones_own_says_what_it_leaves_open(self) -> None:
        """Without figures of BRAM the fit is not known, latencies of 0 are named, the part of the base is not kept."""
        self.write("b.yaml", """name: mine
dsp: {total: 6000}
memory: {kind: ddr4, channels: 4, data_rate_mtps: 2400, bytes_per_channel: 17179869184, address_map: INTLV}
""")
        run = ["run", "googlenet-u250", *sets(LAYERS, "batch=2", "board=b.yaml", "kernel.array.x=7", "kernel.array.y=3")]
        text = self.ok(*run, "--out", "r").out
        self.assertRegex(text, r"(?m)^fit +not known: DSP 189 of 6,000, BRAM18 [\d,]+ \(the board does not state how many it has\)")
        self.assertIn("board 'mine' has memory.controller_latency_ns and memory.shell_latency_cycles of 0", text)
        fit = self.result("r")["fit"]
        self.assertEqual((set(fit["bram18"]), fit["dsp"]["fits"]), ({"used", "largest"}, True))
        self.assertNotIn("of 0:", self.ok(*run, "--set", "board=u250", "--no-save").out)
        self.write("s.yaml", f"name: s\nrun: googlenet-u250\nset: {{board: b.yaml, rung: analytical}}\nspace: {{batch: [2]}}\n")
        self.ok("sweep", "s.yaml", "--out", "s.db")
        row = next(csv.DictReader(self.ok("show", "./s.db", "--format", "csv").out.splitlines()))
        self.assertEqual((row["fits"], row["bram18_available"]), ("", ""))
        self.write("c.yaml", "extends: u250\nname: other\n")
        shown = self.ok("show", "./c.yaml").out
        self.assertNotIn("xcu250", shown)
        self.assertIn("xcu250", self.ok("show", "googlenet-u250", *sets("board={extends: u250, dsp: {usable: 100}}")).out)

    def test_a_conflict_with_an_inherited_key_names_its_file_and_line(self) -> None:
        self.write("b.yaml", "extends: u250\nname: mine\ndsp: {total: 6000}\n")
        line = next(i for i, text in enumerate((ROOT / "configs/boards/u250.yaml").read_text().splitlines(), 1)
                    if text.startswith("dsp:"))
        self.refused("run", "googlenet-u250", *sets("board=b.yaml"), "--no-save",
                     says=f"boards/u250.yaml:{line}), which must not exceed the total of 6000, but is 11508")

    def test_same_bytes_for_any_number_of_workers(self) -> None:
        one, *others = (self.ok("run", *SMALL, "--workers", workers, "--format", "json").out for workers in "125")
        self.assertTrue(one)
        self.assertEqual(others, [one, one])

    def test_the_exact_rung_gives_the_rows_of_the_systemc_rung_for_convolutions_of_googlenet(self) -> None:
        """Whole convolutions of the headline run, as many as the systemc rung runs in some seconds: every column, that
        is cycles, activities of every block, beats, bursts, row hits, misses and conflicts.
        docs/explanation/performance.md has the command for all 170."""
        def rows(rung: str, workers: str) -> str:
            return self.ok("run", "googlenet-u250", "--only", "inception4e.branch4.1.conv,inception5b.branch2.*", "--set",
                           "batch=2", "--rung", rung, "--workers", workers, "--no-save", "--format", "csv").out

        systemc = rows("systemc", "2")
        self.assertGreater(systemc.count("\n"), 1)
        for workers in "215":
            self.assertEqual(rows("exact", workers), systemc)

    def test_every_block_sums_to_the_cycles_and_every_request_hits_misses_or_conflicts(self) -> None:
        rows = self.rows(*SMALL)
        self.assertEqual(len(rows), 8)  # three layers, no GI of the first
        for row in rows:
            for name, block in row["blocks"].items():
                self.assertEqual(sum(block.values()), row["cycles"], name)
            for name, port in row["memory"].items():
                self.assertEqual(port["row_hits"] + port["row_misses"] + port["row_conflicts"],
                                 port["read_beats"] + port["write_beats"], (row["layer"], row["kind"], name))
            self.assertGreater(row["macs"], 0)

    def test_pe_cycles_of_every_row_kind_and_the_network_sum_to_the_pes_times_the_cycles(self) -> None:
        """In JSON, CSV and the table, on every rung. Each layer has equal useful PE-cycles in all its kinds."""
        exact = self.json_of("run", *SMALL)
        rows = exact["convolutions"]
        self.assertEqual([row["pe_cycles"] for row in rows],
                         [row["pe_cycles"] for row in self.rows(*SMALL, "--rung", "systemc")])
        useful: dict[str, int] = {}
        for row in rows:
            self.assertEqual(sum(row["pe_cycles"].values()), row["cycles"] * 7 * 3, row)
            self.assertEqual(row["pe_cycles"]["useful"], useful.setdefault(row["layer"], row["pe_cycles"]["useful"]))
        for kind, total in exact["totals"].items():
            self.assertEqual(sum(total["pe_cycles"].values()), total["cycles"] * 7 * 3, kind)
        table = list(csv.DictReader(self.ok("run", *SMALL, "--format", "csv").out.splitlines()))
        for row, fields in zip(rows, table, strict=True):
            self.assertEqual({name: fields[f"pe_{name}"] for name in row["pe_cycles"]},
                             {name: str(count) for name, count in row["pe_cycles"].items()})
        of_network = exact["totals"]["network"]["pe_cycles"]
        share = 100 * of_network["useful"] / sum(of_network.values())
        self.assertIn(f"{share:.1f}%\nzeros ", self.ok("run", *SMALL).out)

    def test_of_the_pe_cycles_the_equations_say_the_products_and_no_more(self) -> None:
        """The equations give the products, but neither the cycles in which the array computes them nor its waits."""
        for exact, row in zip(self.rows(*SMALL), self.rows(*SMALL, *ANALYTICAL), strict=True):
            for name, count in row["pe_cycles"].items():
                known = name in ("useful", "zeros") or name.startswith("unused_")
                self.assertEqual(count, exact["pe_cycles"][name] if known else None, name)
        self.assertIn("\nidle                       -", self.ok("run", *SMALL, *ANALYTICAL, "--verbose").out)
        # As printed, dilation zeros take no time (F4): with fewer cycles than products the PE-cycles are unknown.
        printed = self.rows(*SMALL, *ANALYTICAL, "--only", "*:GW", "--set", "readings.products=stored")
        self.assertIn(None, [row["pe_cycles"]["useful"] for row in printed])

    def test_data_mode_takes_the_cycles_of_timing_mode_and_is_right(self) -> None:
        timing, data, other = (self.rows(*SMALL, *more)
                               for more in ([], sets("mode=data"), sets("mode=data", "seed=2")))
        self.assert_same(timing, data, ("cycles", "blocks", "pe_cycles"))
        for row, row_of_other in zip(data, other, strict=True):
            self.assertLess(row["data"]["largest_error"], 1e-5)
            self.assertNotEqual(row["data"]["out_digest"], row_of_other["data"]["out_digest"])

    def test_accepts_padding_wider_than_the_kernel_and_computes_it(self) -> None:
        """Outputs over padding alone are zeros, and GI crops (reading F24)."""
        for kind in ("F", "GI", "GW"):
            row, = self.rows("conv-small", "--rung", "systemc",
                             *sets("mode=data", "batch=1", "convolution.pad=[4, 5, 3, 7]", f"convolution.kind={kind}"))
            self.assertLess(row["data"]["largest_error"], 1e-5, kind)

    def test_a_deadlock_ends_with_exit_code_three_and_no_result(self) -> None:
        outcome = self.weft("run", "conv-small", "--set", "kernel.fifo.inp_word=0")
        self.assertEqual(outcome.code, 3)
        self.assertIn("inp_decode waits for room in FIFO inp_word (depth 0)", outcome.err)
        self.assertEqual(self.listing(), [])

    def test_strict_fit_refuses_what_is_otherwise_reported(self) -> None:
        large = ["run", "conv-small", *ANALYTICAL, *sets("kernel.array.x=64", "kernel.array.y=64")]
        reported = self.ok(*large).out
        self.assertIn("DSP 36,864 of 11,508 (EXCEEDED by convolution:F)", reported)  # 9 * 64 * 64
        self.assertIn("1 of 1 convolutions (marked !) do not fit by Eqs. 5.14-5.22", reported)
        self.assertIn("F !", reported)
        self.refused(*large, "--strict-fit", says="needs 36864 DSP")

    def test_fixed_sizes_refuse_a_convolution_beyond_them_naming_layer_parameter_and_limit(self) -> None:
        outcome = self.weft("run", "conv-small", "--set", "kernel.z_channel=20")
        self.assertEqual(outcome.code, 2)
        for part in ("convolution", "z_channel", "20"):
            self.assertIn(part, outcome.err)

    def test_shared_sizes_load_one_kernel_per_variant(self) -> None:
        """`shared` fits one kernel per variant to the whole run, so fewer kernels are loaded, and hls reads more per
        window."""
        shared, auto = (self.json_of("run", *SMALL, *ANALYTICAL, *sizes(fit))["host"] for fit in ("shared", "auto"))
        self.assertEqual(shared["kernels"], 2)
        self.assertGreater(auto["kernels"], 2)
        self.assertEqual(auto["launches"], 11)  # F and GW of a, three times two groups of b, three of c

    def test_shared_sizes_say_what_they_cost_and_who_pays(self) -> None:
        """A result's cost of shared sizes is the difference to the run with sizes auto, convolution by convolution."""
        # A GW kernel for `wide` reads 2048 beats of KERN per pass; `deep` alone would need 48.
        layers = ("network={layers: [{name: wide, channels: 4, h: 64, w: 64, filters: 8, kernel: 3, pad: 1}, "
                  "{name: deep, channels: 64, h: 4, w: 4, filters: 64, kernel: 1}]}")
        command = ["run", "googlenet-u250", *ANALYTICAL, *sets(layers, "batch=2")]
        shared, own = (self.json_of(*command, *sizes(fit)) for fit in ("shared", "auto"))
        self.assertNotIn("shared_sizes", own)
        own_cycles = [row["cycles"] for row in own["convolutions"]]
        self.assertEqual([row["analytical_cycles_unshared"] for row in shared["convolutions"]], own_cycles)
        slower = [row["cycles"] > cycles for row, cycles in zip(shared["convolutions"], own_cycles)]
        self.assertEqual(sum(slower), 1)
        said = shared["shared_sizes"]
        self.assertEqual(said["analytical_cycles"], shared["totals"]["network"]["cycles"])
        self.assertEqual(said["analytical_cycles_unshared"], own["totals"]["network"]["cycles"])
        self.assertEqual(said["convolutions_that_pay"], 1)
        table = self.ok(*command, *sizes("shared"), "--no-save").out
        self.assertIn("shared       ", table)
        self.assertIn(" the cycles of sizes auto (by the equations); 1 of 5 convolutions are slower: deep:GW x", table)

    def test_the_equations_follow_the_profile_of_the_kernel(self) -> None:
        """By default the equations follow the kernel's profile, and they report the features that they do not model."""
        base = ["run", *SMALL, *ANALYTICAL, "--no-save"]

        def cycles(*assignments: str) -> int:
            return self.json_of(*base, *sets(*assignments))["totals"]["network"]["cycles"]

        profile = "kernel.profile=rtl"
        hls, rtl = cycles(), cycles(profile)
        self.assertLess(rtl, hls)
        self.assertEqual(rtl, cycles("readings={burst: exact, drain: hidden, kern_load: beats, kern_fill: overlapped, "
                                     "gw_sets: packed}"))
        self.assertEqual(hls, cycles(profile, "readings={burst: fixed, drain: per_group, kern_load: words, "
                                              "kern_fill: serial, gw_sets: aligned}"))
        self.assertEqual(rtl, cycles(profile, "readings.burst=auto"))
        self.assertEqual(rtl, cycles(profile, "readings=auto"))
        self.assertIn("equations    for profile rtl read with burst fixed, drain hidden, kern_load beats, kern_fill "
                      "overlapped, gw_sets packed; they do not know kernel.profile.exact_bursts, memory.*, "
                      "kernel.ports.*, kernel.fifo.*\n", self.ok(*base, *sets(profile, "readings.burst=fixed")).out)


def huge_run(layers: str) -> list[str]:
    return ["run", "conv-small", *sets(f"network={{layers: [{layers}]}}", "batch=1", "kinds=[F]"), *ANALYTICAL,
            "--no-save"]


def huge_network(count: int) -> str:
    """F of `count` layers of 2^18 channels and 2^17 filters over 2^22 pixels: each has 2^57 multiply-accumulates."""
    return "".join(f"{{name: l{i}, channels: 262144, h: 1, w: 4194304, filters: 131072, kernel: 1}}, "
                   for i in range(count))


class RunLimits(WeftTest):
    def test_sums_up_to_the_last_multiply_accumulate_and_no_further(self) -> None:
        most = self.json_of(*huge_run(huge_network(63)))
        total, first = most["totals"]["network"], most["convolutions"][0]
        self.assertEqual((total["macs"], total["cycles"]), (63 << 57, 63 * first["cycles"]))
        self.assertAlmostEqual(total["array_utilisation"], 2**57 / (64 * first["cycles"]), delta=1e-12)
        self.refused(*huge_run(huge_network(64)), says="the multiply-accumulates of all convolutions exceed 2^63 - 1")

    def test_of_an_inline_layer_are_those_of_an_onnx_file(self) -> None:
        def big(channels: int) -> list[str]:
            return huge_run(f"{{name: big, channels: {channels}, h: 1, w: 1, filters: 2147483647, kernel: 1}}")

        row = self.json_of(*big(512))["convolutions"][0]
        self.assertEqual(row["macs"], (1 << 40) - 512)
        self.assertGreater(row["array_utilisation"], 0)
        self.refused(*big(16777216), says="layer big: its weights have more than 2^40 words")


class Layers(WeftTest):
    """The layers that a run has, as its convolutions show them."""

    def layers(self, *arguments: str) -> dict[str, dict[str, Any]]:
        """The convolutions by layer and kind."""
        found: dict[str, dict[str, Any]] = defaultdict(dict)
        for row in self.json_of("run", *arguments, *ANALYTICAL, "--no-save")["convolutions"]:
            found[row["layer"]][row["kind"]] = row
        return found

    def test_of_a_topology_have_the_multiply_accumulates_of_its_lines(self) -> None:
        """As SCALE-Sim counts them: outputs are ceil((input - filter + stride) / stride)."""
        self.write("net.csv", "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
                              "Conv1, 224, 224, 11, 11, 3, 96, 4,\n"
                              "\n"
                              "Conv2,31,30,5,3,96,256,1,\r\n"
                              "DP1, 9, 9, 3, 3, 16, 1, 2,\n"
                              "Strides, 10, 10, 3, 3, 4, 8, 2, 3,\n")
        layers = self.layers("net.csv")
        self.assertEqual({name: kinds["F"]["macs"] for name, kinds in layers.items()},
                         {"Conv1": 96 * 3 * 121 * 55 * 55, "Conv2": 256 * 96 * 15 * 27 * 28, "DP1": 16 * 9 * 4 * 4,
                          "Strides": 8 * 4 * 9 * 5 * 4})
        self.assertEqual(layers["DP1"]["F"]["shape"]["groups"], 16)
        self.assertEqual({name: sorted(kinds) for name, kinds in layers.items()},
                         {"Conv1": ["F", "GW"]} | dict.fromkeys(("Conv2", "DP1", "Strides"), ["F", "GI", "GW"]))

    def test_of_a_topology_may_be_matrix_products(self) -> None:
        self.write("net.csv", "Layer, M, N, K,\nGEMM_0,128,64,32,\n")
        (kinds,) = self.layers("net.csv").values()
        self.assertEqual(kinds["F"]["macs"], 128 * 64 * 32)

    def test_of_real_layers_are_those_of_their_networks(self) -> None:
        """`weft cosim real-layers` compares them with the RTL."""
        listed = self.layers("real-layers")
        self.assertGreaterEqual(len(listed), 12)
        by_network: dict[str, list[str]] = defaultdict(list)
        for name in listed:
            network, _, layer = name.partition("/")
            by_network[network].append(layer)
        self.assertEqual(sorted(by_network), ["googlenet", "mobilenet_v2", "resnet20", "squeezenet1_1"])
        for network, names in by_network.items():
            for name, kinds in self.layers("default", "--set", f"network={network}", "--only", ",".join(names)).items():
                self.assertEqual({kind: row["shape"] for kind, row in kinds.items()},
                                 {kind: row["shape"] for kind, row in listed.pop(f"{network}/{name}").items()}, name)
        self.assertEqual(listed, {})


if __name__ == "__main__":
    unittest.main()
