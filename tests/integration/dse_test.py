"""weft dse: its counts, optima and shared kernels, against weft run and the numbers of the thesis."""

from __future__ import annotations

import unittest
from typing import Any

from support import WeftTest, sets

OPTIMA_ONLY = sets("dse.penalties_percent=[]", "batch=1")
LAYER = "network={layers: [{name: a, channels: 3, h: 9, w: 7, filters: 6, kernel: 3, pad: 1}]}"


class Dse(WeftTest):
    def dse(self, *arguments: str) -> Any:
        found = self.json_of("dse", *arguments, "--no-save")
        self.assertEqual(self.listing(), [])
        return found

    def row(self, run: str, convolution: str, kernel: dict[str, int], *assignments: str) -> Any:
        """The convolution on this kernel in weft run."""
        run = self.json_of("run", *run.split(), "--no-save", "--only", convolution,
                           *sets(*assignments, f"kernel.array.x={kernel['x']}", f"kernel.array.y={kernel['y']}",
                                 f"kernel.z={kernel['z']}"))
        row, = run["convolutions"]
        return row

    def rerank_small(self, *more: str) -> Any:
        return self.dse("resnet20", *sets(LAYER, "dse.penalties_percent=[]", "dse.rerank.batch=2", *more),
                        "--rerank", "3")["rerank"]

    def test_counts_the_thesis_12424_arrays(self) -> None:
        """Seed 004, section 5.6.2; the same space, limited to arrays that have the DSPs: X * Y <= 341."""
        convolution, = self.dse("googlenet", "--only", "inception3b.branch3.1.conv:F", *OPTIMA_ONLY)["convolutions"]
        within = sum(4 <= x * y <= 341 for x in range(1, 342) for y in range(1, 97))
        self.assertEqual((convolution["arrays"], convolution["within_dsp"]), (12424, within))

    def test_agrees_with_the_analytical_rung_about_its_kernels(self) -> None:
        """The exploration's optimum has the cycles of `weft run --rung analytical` for that kernel."""
        convolutions = self.dse("googlenet", "--only", "inception3b.branch3.1.conv", *OPTIMA_ONLY)["convolutions"]
        self.assertEqual(len(convolutions), 3)
        for each in convolutions:
            best = each["optimal"]
            kernel = best["kernel"]
            row = self.row("googlenet-u250 --rung analytical", f"{each['layer']}:{each['kind']}", kernel, "batch=1")
            self.assertEqual((row["cycles"], row["limiter"]), (best["cycles"], best["limiter"]))
            for key in ("z_channel", "out_words"):
                self.assertEqual(row["kernel"][key], kernel[key])
            self.assertEqual(row["resources"]["dsp"]["used"], best["resources"]["dsp"])

    def test_of_resnet20_finds_the_kernels_it_found_before(self) -> None:
        """21 layers have 63 convolutions with a GI for the first, as the thesis counts (section 6.2). The numbers of
        kernels are this program's results; they change with any reading, order or tie."""
        result = self.dse("resnet20", "--set", "dse.penalties_percent=[0, 5, 20]")
        self.assertEqual((result["optimal"]["convolutions"], result["optimal"]["misfits"]), (63, 0))
        self.assertEqual(result["published"]["kernels"], 17)
        for sharing in result["sharing"]:
            self.assertEqual(sharing["minimum"]["kernels"], sharing["minimum"]["at_least"])
            for which in ("heuristic", "minimum"):
                groups = sharing[which]["groups"]
                for group in groups:
                    self.assertLessEqual(group["worst_penalty"] * 100, sharing["penalty_percent"])
                names = [name for group in groups for name in group["convolutions"]]
                self.assertEqual((len(names), len(set(names))), (63, 63), which)
        self.assertEqual([sharing["heuristic"]["kernels"] for sharing in result["sharing"]], [7, 6, 6])
        self.assertEqual([sharing["minimum"]["kernels"] for sharing in result["sharing"]], [6, 5, 5])
        for which in ("heuristic", "minimum"):
            self.assertEqual(result["sharing"][0][which]["cycles"], result["optimal"]["cycles"])

    def test_gives_the_same_bytes_for_any_number_of_workers(self) -> None:
        first, *others = (self.ok("dse", "squeezenet1_1", "--only", "features.3.*", "--set",
                                  "dse.penalties_percent=[0, 10]", "--no-save", "--format", "json", "--workers", workers)
                          for workers in "125")
        self.assertTrue(first.out)
        self.assertEqual([each.out for each in others], [first.out] * 2)

    def test_ranks_the_same_on_both_rungs(self) -> None:
        """The exact rung is the default."""
        exact, systemc = self.rerank_small(), self.rerank_small("dse.rerank.rung=systemc")
        self.assertEqual(exact["rung"], "exact")
        self.assertEqual(exact["convolutions"], systemc["convolutions"])

    def test_ranks_the_best_by_their_simulation(self) -> None:
        result = self.rerank_small("dse.rerank.rung=systemc")
        self.assertEqual((result["rung"], result["batch"], len(result["convolutions"])), ("systemc", 2, 3))
        for each in result["convolutions"]:
            designs = each["designs"]
            self.assertEqual(sorted(design["rank"] for design in designs), [1, 2, 3])
            cycles = [design["simulated_cycles"] for design in designs]
            self.assertEqual(cycles, sorted(cycles))
            for design in designs:
                row = self.row("resnet20-u250 --rung systemc", each["convolution"], design["kernel"], LAYER,
                               "gi_first=true", "batch=2")
                self.assertEqual(row["cycles"], design["simulated_cycles"])
                self.assertEqual(row["analytical_cycles"], design["equations_cycles"])

    def test_saves_a_result_that_reproduces_itself_and_that_show_knows(self) -> None:
        first = self.ok("dse", "resnet20", "--only", "layer1.0.*", "--set", "dse.penalties_percent=[0, 2.5]", "--out",
                        "first", "--format", "json").out
        self.assertEqual(self.listing(),
                         ["first", "first/config.yaml", "first/convolutions.csv", "first/result.json"])
        self.assertEqual(self.text("first/result.json"), first)
        again = self.ok("dse", "first/config.yaml", "--no-save", "--format", "json").out
        self.assertEqual(*(text[:text.rindex('"inputs"')] for text in (again, first)))
        shown = self.ok("show", "first/config.yaml").out
        self.assertIn("exploration resnet20", shown)
        self.assertIn("penalties of 0%, 2.5%", shown)

    def test_compares_several_explorations(self) -> None:
        command = ["dse", "alexnet_cifar10", "resnet20", "--no-save",
                   *sets("dse.penalties_percent=[0]", "dse.sharing.minimum=false")]
        self.assertIn("exploration           convs", self.ok(*command).out)
        self.assertEqual(self.ok(*command, "--format", "csv").out.count("\n"), 1 + 14 + 63)
        self.assertEqual(len(self.json_of(*command)), 2)

    def test_kernels_are_files_that_a_run_takes(self) -> None:
        for name, run, more in (("alexnet_cifar10", "googlenet-u250", ("--set", "network=alexnet_cifar10")),
                                ("barista-alexnet_cifar10", "resnet20-barista", ("--set", "network=alexnet_cifar10",
                                                                                 "--set", "readings.memory_bandwidth=fitted")),
                                ("darkfpga", "vgglike-darkfpga", ("--set", "dse.rerank.count=0"))):
            self.ok("dse", name, "--out", name, *(more if name == "darkfpga" else ()))
            result = self.result(name)
            found = next(each for each in result["convolutions"] if each["kind"] == "GW")
            convolution = f"{found['layer']}:GW"
            self.write("k.yaml", self.ok("show", name, "--convolution", convolution, "--yaml").out)
            shown = self.json_of("run", run, "--no-save", "--rung", "analytical", "--only", convolution, "--set", "kernel=k.yaml",
                                 "--set", f"batch={result['batch']}", *(() if name == "darkfpga" else more))
            self.assertEqual(shown["totals"]["network"]["cycles"], found["optimal"]["cycles"] * (
                1 if name == "darkfpga" else found["launches"]), name)
            if not result["sharing"]:
                self.refused("show", name, "--group", "1", "--yaml", says="shared no kernels")
                continue
            last = result["sharing"][-1]
            for number, group in enumerate(last["minimum"]["groups"], 1):
                self.write("k.yaml", self.ok("show", name, "--group", str(number), "--penalty",
                                             f"{last['penalty_percent']:g}", "--yaml").out)
                shown = self.json_of("run", run, "--no-save", "--rung", "analytical", "--only", ",".join(group["convolutions"]),
                                     "--set", "kernel=k.yaml", "--set", f"batch={result['batch']}", *more)
                self.assertEqual(shown["totals"]["network"]["cycles"], group["cycles"], (name, number))
            count = len(result["sharing"][0]["minimum"]["groups"])
            self.refused("show", name, "--group", str(count + 1), "--yaml", says=f"allowed: 1 to {count}")
            self.refused("show", name, "--group", "1", "--penalty", "7", "--yaml", says="no penalty '7'; allowed: 0, ")
            self.refused("show", name, "--convolution", "conv9:F", "--yaml", says="'conv9:F' is no convolution")
            self.refused("show", name, "--convolution", convolution, says="with --yaml")
        self.refused("show", "alexnet", "--group", "1", "--yaml", says="are for a result of weft dse")

    def test_names_convolutions_that_no_kernel_holds(self) -> None:
        """Seed 004, section 5.7.1: VGG's on-chip memory is more than a U250 has."""
        result = self.dse("alexnet", "--only", "features.0*,features.28*",
                          *sets("network=vgg16", "dse.sharing.minimum=false", "dse.penalties_percent=[0]",
                                "dse.budget.uram=0"))
        misfits = [each for each in result["convolutions"] if "optimal" not in each]
        self.assertEqual((result["optimal"]["misfits"], len(misfits)), (3, 3))
        for each in misfits:
            self.assertEqual(each["layer"], "features.28")
            self.assertGreater(each["smallest"]["bram18"], 1344)


if __name__ == "__main__":
    unittest.main()
