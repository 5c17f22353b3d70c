"""Kernels of `weft dse` as the kernels of a training iteration."""

from __future__ import annotations

import json
import unittest
from itertools import pairwise
from typing import Any

from support import WeftTest, sets

PS_PER_CYCLE = 10000  # 100 MHz


class KernelSet(WeftTest):
    def setUp(self) -> None:
        super().setUp()
        self.ok("dse", "alexnet_cifar10", "--out", "explored",
                *sets("dse.penalties_percent=[0, 20]", "dse.compare_reading=none"))
        self.explored = self.result("explored")

    def timeline(self, *assignments: str) -> Any:
        return self.json_of("timeline", "table59-alexnet-cifar10", *sets(*assignments))

    def test_has_the_kernels_of_each_penalty_and_loads_them_where_they_change(self) -> None:
        kernel_ps, cycles = [], []
        none, twenty = (sharing["minimum"] for sharing in self.explored["sharing"])
        for percent, shared in ((0, none), (20, twenty)):
            result = self.timeline("schedule.kernels.dse=explored/", f"schedule.kernels.penalty_percent={percent}")
            launches = [step for step in result["steps"] if step["activity"] == "kernel"]
            order = [step["kernel"] for step in sorted(launches, key=lambda step: step["start_ps"])]
            self.assertEqual((result["kernels"], len(set(order))), (shared["kernels"], shared["kernels"]))
            # An iteration follows an equal one: its first launch finds the kernel of its last.
            changes = sum(a != b for a, b in pairwise([order[-1], *order]))
            loads = result["loads"]
            self.assertEqual(loads["count"], changes)
            self.assertGreaterEqual(loads["count"], loads["at_least"])
            self.assertGreaterEqual(loads["at_least"], shared["kernels"])
            kernel_ps.append(result["where_ps"]["kernels"])
            cycles.append(shared["cycles"])
        self.assertGreater(none["kernels"], twenty["kernels"])
        # Sharing costs the same cycles in the iteration as in the exploration; the rest of a launch is equal.
        self.assertEqual(kernel_ps[1] - kernel_ps[0], (cycles[1] - cycles[0]) * PS_PER_CYCLE)

    def test_of_own_kernels_has_one_for_each_different_optimum(self) -> None:
        different = {json.dumps(each["optimal"]["kernel"]) for each in self.explored["convolutions"]}
        result = self.timeline("schedule.kernels={dse: explored/result.json, own: true}", "schedule.order=fewest_loads")
        self.assertEqual(result["kernels"], len(different))
        loads = result["loads"]
        self.assertTrue(loads["at_least"] <= loads["count"] <= loads["in_order_of_graph"], loads)

    def test_of_an_exploration_made_for_the_run_is_that_of_its_result(self) -> None:
        made = self.timeline("schedule.kernels.dse=alexnet_cifar10")["steps"]
        self.assertTrue(made)
        self.assertEqual(made, self.timeline("schedule.kernels.dse=explored/")["steps"])
        # The card multiplies, and the host makes the matrices.
        self.assertGreater(self.timeline("schedule.im2col=cpu")["where_ps"]["im2col"], 0)

    def test_of_a_run_is_one_accelerator_in_all_of_its_output(self) -> None:
        given = sets("schedule.kernels={dse: explored/, penalty_percent: 20}", "gi_first=false")
        run = self.json_of("run", "table59-alexnet-cifar10", "--rung", "analytical", *given)
        kernels = self.explored["sharing"][1]["minimum"]["kernels"]
        self.assertEqual((run["host"]["kernels"], run["array"]), (kernels, f"{kernels} kernels"))
        self.assertRegex(run["kernel"], rf"^{kernels} kernels of weft dse .*explored/? \(shared within 20%\) at 100 MHz$")
        rows = [(row["cycles"], row["kernel"]["x"] * row["kernel"]["y"]) for row in run["convolutions"]]
        self.assertGreater(len({pes for _, pes in rows}), 1)
        self.assertEqual(run["peak_macs"], round(sum(cycles * pes for cycles, pes in rows) / sum(cycles for cycles, _ in rows)))
        timeline = self.timeline("schedule.kernels={dse: explored/, penalty_percent: 20}")
        self.assertEqual(timeline["kernel"], run["kernel"])
        cycles = run["totals"]["network"]["cycles"] + run["host"]["launches"]  # a launch takes one more
        self.assertEqual(timeline["where_ps"]["kernels"], cycles * PS_PER_CYCLE)
        self.assertEqual(timeline["iteration_seconds"], run["iteration"]["seconds"])
        self.assertIn(run["kernel"], self.ok("run", "table59-alexnet-cifar10", "--rung", "analytical", *given).out)

    def test_that_misses_a_convolution_of_the_run_is_refused(self) -> None:
        said = self.refused("timeline", "table59-alexnet-cifar10",
                            *sets("schedule.kernels.dse=explored/", "gi_first=true"), says="schedule.kernels.dse: ")
        self.assertIn("has no kernel for 1 of", said)
        self.assertIn(":GI'", said)


if __name__ == "__main__":
    unittest.main()
