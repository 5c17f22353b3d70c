"""weft timeline: steps, switches, loads, what it was made of, and sweeps over its keys."""

from __future__ import annotations

import json
import unittest
from collections import Counter, defaultdict
from typing import Any

from support import WeftTest, sets

PS_OF_A_LOAD = 1_400_000_000_000
# Two outputs: a 1x1 layer `a` is followed by `b`, which leads to z, and by a matrix product, which leads to y.
TWO_OUTPUTS = """g (float[N,4,8,8] x, float[8,4,1,1] w1, float[8,8,1,1] w2, float[512,10] w3)
    => (float[] y, float[] z) {
  a = Conv(x, w1)
  b = Conv(a, w2)
  z = Relu(b)
  f = Flatten(a)
  y = MatMul(f, w3)
}"""
# Three layers of one size in sequence.
CHAIN = """g (float[N,4,8,8] x, float[4,4,3,3] w1, float[4,4,3,3] w2, float[4,4,3,3] w3,
      float[256,10] w4) => (float[] y) {
  a = Conv<pads=[1,1,1,1]>(x, w1)
  b = Conv<pads=[1,1,1,1]>(a, w2)
  c = Conv<pads=[1,1,1,1]>(b, w3)
  f = Flatten(c)
  y = MatMul(f, w4)
}"""
UNKNOWN = """g (float[N,4,8,8] x, float[4,4,1,1] w1, float[256,10] w2) => (float[] y) {
  a = Conv(x, w1)
  b = Frobnicate(a)
  c = Relu(b)
  f = Flatten(c)
  y = MatMul(f, w2)
}"""
# Loads that take no time and clear no memory of the card.
FREE_LOADS = ["schedule.load=region", "host.reconfiguration.region.low=0", "host.reconfiguration.region.seconds=0"]
SHARED = [f"kernel.{key}=shared" for key in ("z", "z_channel", "k_range", "kern_words", "out_words")]


def steps_of(timeline: Any, activity: str) -> list[Any]:
    return [step for step in timeline["steps"] if step["activity"] == activity]


def crossing_pairs(timeline: Any) -> int:
    """The pairs of transfers in both directions at once on one memory channel."""
    return sum(there["memory_channel"] == back["memory_channel"]
               and there["start_ps"] < back["end_ps"] and back["start_ps"] < there["end_ps"]
               for there in steps_of(timeline, "H2C") for back in steps_of(timeline, "C2H"))


def flops(timeline: Any) -> float:
    return timeline["gops"] * timeline["iteration_seconds"]


class Timeline(WeftTest):
    def timeline(self, run: str, *assignments: str) -> Any:
        return self.json_of("timeline", run, "--rung", "analytical", *sets(*assignments))

    def of_text(self, graph: str) -> None:
        """Writes a run of a network in ONNX's textual syntax: run.yaml, batch 2, by the equations."""
        import onnx.parser  # which takes a while, and few tests need it

        model = onnx.parser.parse_model(f'<ir_version: 7, opset_import: ["" : 13]>\n{graph}')
        for at, node in enumerate(model.graph.node):  # the syntax has no names of nodes
            node.name = f"n{at}"
        (self.folder / "net.onnx").write_bytes(model.SerializeToString())
        self.write("run.yaml", "extends: resnet20-u250\nname: t\nnetwork: ./net.onnx\nbatch: 2\nrung: analytical\n")

    def test_of_googlenet_has_all_convolutions_and_every_operator_of_the_host(self) -> None:
        result = self.timeline("googlenet-u250")
        kernels, host = steps_of(result, "kernel"), steps_of(result, "host operator")
        self.assertEqual((len({step["operator"] for step in kernels}), result["launches"]), (170, 170))
        # Each operator of the training graph has a step, including views.
        operators = self.json_of("show", "googlenet", "--training", "--batch", "256")["operators"]
        self.assertEqual(*(Counter((each["operator"], each["direction"]) for each in all_of)
                           for all_of in (operators, [*kernels, *host])))
        self.assertIn("view", {operator["class"] for operator in operators})
        # One step at a time: no overlap and no idle time.
        where = result["where_ps"]
        self.assertEqual((sum(where.values()), where["idle"]), (result["iteration_ps"], 0))
        self.assertEqual(sum(step["end_ps"] - step["start_ps"] for step in kernels), where["kernels"])
        # Bytes counted by weft run: 15,378 MB to the card and 7,946 MB back.
        self.assertEqual([result[f"bytes_to_{to}"] // 1_000_000 for to in ("card", "host")], [15378, 7946])
        names = "\n".join(step["operator"] for step in host)
        for operator in ("conv1.conv/BatchNormalization", "Dropout", "fc F", "fc GW"):
            self.assertIn(operator, names)

    def test_steps_of_a_resource_never_overlap_and_follow_the_graph(self) -> None:
        for assignments in ([], ["schedule.overlap=double_buffer", "schedule.load=region"],
                            ["schedule.order=fewest_loads", "schedule.load_time=ahead"],
                            ["schedule.transfers=keep_activations"]):
            result = self.timeline("resnet20-u250", *assignments)
            free: dict[str, int] = defaultdict(int)
            for step in result["steps"]:
                start, end = step["start_ps"], step["end_ps"]
                self.assertGreaterEqual(start, free[step["resource"]])
                self.assertTrue(end > start or (end == start and step["class"] == "view"), step)
                free[step["resource"]] = end
            self.assertEqual(max(free.values()), result["iteration_ps"])

    def test_from_a_result_is_the_same_as_its_own_simulation(self) -> None:
        """With a result of weft run the timeline equals that of its own simulation, because the cycles are those of the
        run."""
        run = ["resnet20-u250", *sets("batch=2", "kernel.array.x=8")]
        self.ok("run", *run, "--out", "made")

        def csv(*more: str) -> str:
            return self.ok("timeline", *run, "--format", "csv", *more).out

        own = csv()
        self.assertEqual(csv("--from", "made"), own)
        self.assertEqual(csv("--workers", "1"), own)
        self.assertNotEqual(csv("--from", "made", "--set", "schedule.calls=xrt"), own)
        self.refused("timeline", "resnet20-u250", "--set", "batch=2", "--from", "made",
                     says="of another run: 'kernel.array.x' differs")

    def test_two_kernels_are_loaded_twice_in_the_right_order(self) -> None:
        """Shared sizes: two kernels, one of F and GI and one of GW. All of F and GI can precede all of GW."""
        graph = self.timeline("resnet20-u250", *SHARED)
        self.assertEqual(graph["kernels"], 2)
        count = graph["loads"]["count"]
        self.assertGreater(count, 2)
        few = self.timeline("resnet20-u250", *SHARED, "schedule.order=fewest_loads")
        self.assertEqual([few["loads"][key] for key in ("count", "at_least", "in_order_of_graph")], [2, 2, count])
        # Exactly the loads are saved, to the picosecond.
        self.assertEqual(graph["iteration_ps"] - few["iteration_ps"], (count - 2) * PS_OF_A_LOAD)

    def test_each_switch_moves_what_it_says(self) -> None:
        """Both settings of each switch."""
        def made(*assignments: str) -> tuple[Any, Any]:
            result = self.timeline("resnet20-u250", *assignments)
            return result, result["where_ps"]

        base, where = made()
        region, region_where = made("schedule.load=region")
        self.assertEqual(region_where["reconfiguration"] * 4, where["reconfiguration"])
        self.assertLess(made("schedule.calls=xrt")[1]["calls"], where["calls"])
        _, copied = made("schedule.host_buffers=copied")
        self.assertGreater(copied["calls"], where["calls"])
        self.assertEqual(copied["H2C"], where["H2C"])
        kept, _ = made("schedule.transfers=keep_activations", "schedule.load=region")
        self.assertLess(kept["bytes_to_card"], base["bytes_to_card"])
        cpu, cpu_where = made("schedule.im2col=cpu")
        self.assertGreater(cpu_where["im2col"], 0)
        self.assertEqual(where["im2col"], 0)
        self.assertGreater(cpu["bytes_to_card"], base["bytes_to_card"])
        self.assertEqual(made("gi_first=true")[0]["launches"], base["launches"] + 1)
        self.assertLess(made("schedule.load_time=ahead")[0]["iteration_ps"], base["iteration_ps"])
        buffered, _ = made("schedule.overlap=double_buffer", "schedule.load=region")
        self.assertGreater(buffered["prefetches"], 0)
        self.assertLess(buffered["iteration_ps"], region["iteration_ps"])

    def test_gops_are_of_the_convolutions_that_are_in_the_iteration(self) -> None:
        """a: F and GW, b: F alone, because b does not lead to the loss: 2 x 2 x 8 x 64 operations per channel of the input;
        a has 4 and b has 8."""
        self.of_text(TWO_OUTPUTS)
        result = self.timeline("run.yaml", "schedule.loss=y")
        self.assertEqual(len(steps_of(result, "kernel")), 3)
        self.assertAlmostEqual(flops(result) * 1e9, 2048 * (4 + 4 + 8), delta=1e-9)

    def test_gops_count_no_zeros_of_im2col(self) -> None:
        """The kernel multiplies zeros if the host makes the im2col of GI of a layer with a stride."""
        card, cpu = (flops(self.timeline("resnet20-u250", "batch=4", *more)) for more in ([], ["schedule.im2col=cpu"]))
        self.assertAlmostEqual(cpu, card, delta=1e-12 * card)

    def test_same_bank_makes_all_calls_and_sends_nothing_before_it_is_there(self) -> None:
        self.of_text(CHAIN)
        command = ["timeline", "run.yaml", *sets(*FREE_LOADS, "rung=systemc", "schedule.host_buffers=copied")]
        alone, both = self.json_of(*command), self.json_of(*command, "--set", "schedule.overlap=same_bank")
        self.assertGreater(both["prefetches"], 0)
        self.assertEqual(len(steps_of(both, "call")), len(steps_of(alone, "call")))
        self.assertLess(both["iteration_ps"], alone["iteration_ps"])
        self.assertEqual(crossing_pairs(both), 0)
        # A tensor that is sent again is back on the host before.
        back = {step["what"]: step["end_ps"] for step in steps_of(both, "C2H")}
        again = [step for step in steps_of(both, "H2C") if step["what"] in back]
        self.assertTrue(again)
        for step in again:
            self.assertGreaterEqual(step["start_ps"], back[step["what"]], step)

    def test_both_directions_take_turns_on_a_memory_channel(self) -> None:
        for channels in (1, 4, 8):
            result = self.timeline("googlenet-u250", *FREE_LOADS, "schedule.overlap=double_buffer", "batch=64",
                                   f"board.memory.channels={channels}")
            self.assertTrue(steps_of(result, "C2H"))
            self.assertEqual(crossing_pairs(result), 0, channels)

    def test_of_a_run_may_not_be_known(self) -> None:
        """A batch that exceeds the card's memory is still a valid run."""
        large = self.ok("run", "googlenet-u250", "--no-save", "--rung", "analytical", "--set", "batch=8192").out
        self.assertIn("\niteration    not known: ", large)

    def test_from_refuses_cycles_that_no_simulation_has(self) -> None:
        run = ["resnet20-u250", "--set", "batch=1"]
        self.ok("run", *run, "--out", "made")
        right = self.text("made/result.json")
        for key, value, says in (
                ("launch_cycles", [-100000], "launch_cycles[0]: must be a whole number from 0 to "),
                ("launch_cycles", [9 * 10**17], "launch_cycles: sum to 900000000000000000, but "),
                ("launch_cycles", [5], "launch_cycles: sum to 5, but 'cycles' and 'drain_cycles' sum to "),
                ("cycles", -5, "cycles: must be a whole number from 0 to "),
                ("cycles", 1.5, "cycles: must be a whole number from "),
                ("cycles", 9e18, "cycles: must be"),
                ("limiter", 7, "limiter")):
            wrong = json.loads(right)
            wrong["convolutions"][3][key] = value
            self.write("made/result.json", json.dumps(wrong))
            self.refused("timeline", *run, "--from", "made", says=f"made/result.json: convolutions[3].{says}")
        self.refused("timeline", *run, "--from", "", says="--from: '' is not a directory of results")

    def test_of_unknown_operators_says_which_and_what_helps(self) -> None:
        self.of_text(UNKNOWN)
        refused = self.refused("timeline", "run.yaml", says="schedule.unknown_operators: refuse: ")
        self.assertIn("n1 (Frobnicate: ", refused)
        self.assertNotIn("backward", refused)
        self.assertIn("by_bytes prices them", refused)
        # The size of b is unknown, which does not mean 0 bytes.
        refused = self.refused("timeline", "run.yaml", "--set", "schedule.unknown_operators=by_bytes",
                               says="schedule.unknown_operators: by_bytes: ")
        self.assertIn("has operators with unknown bytes", refused)

    def test_says_what_it_was_made_of(self) -> None:
        """Lists only assumptions that affect the times, and everything that a program needs to find their origin."""
        result, xrt, cpu = (self.timeline("resnet20-u250", *more)
                            for more in ([], ["schedule.calls=xrt"], ["schedule.im2col=cpu"]))
        host = set(result["assumed"]["host"])
        self.assertLessEqual({"calls.opencl.to_card_us", "reconfiguration"}, host)
        self.assertFalse(host & {"calls.xrt.to_card_us", "calls.opencl.register_read_us", "im2col_gbytes_per_s"})
        self.assertIn("calls.xrt.to_card_us", xrt["assumed"]["host"])
        self.assertNotIn("calls.opencl.to_card_us", xrt["assumed"]["host"])
        self.assertIn("im2col_gbytes_per_s", cpu["assumed"]["host"])
        loads = result["loads"]
        self.assertEqual((loads["seconds_low"], loads["seconds_high"]), (1.4, 8))
        self.assertLess(loads["epoch_hours_low"], loads["epoch_hours_high"])
        self.assertTrue(result["assumed"]["board"])
        for step in result["steps"]:
            self.assertEqual("priced_by" in step, step["activity"] == "host operator", step)
            self.assertEqual("memory_channel" in step, step["activity"] in ("H2C", "C2H"), step)

    def test_says_which_prices_were_measured(self) -> None:
        base = self.timeline("resnet20-u250", "batch=4")
        forward = sorted({step["operator"] for step in steps_of(base, "host operator")
                          if step["direction"] == "forward" and step["class"] != "view"})
        self.assertGreater(len(forward), 2)
        entries = ", ".join(f"{{network: resnet20, operator: '{operator}', direction: forward, batch: {batch}, threads: 1, "
                            f"ns: 5, plain_loop: {plain}}}"
                            for operator, batch, plain in ((forward[0], 4, "true"), (forward[1], 8, "false"),
                                                           ("nobody", 4, "false")))
        measured = ["batch=4", f"host.measured=[{entries}]"]
        self.assertEqual(self.timeline("resnet20-u250", *measured)["measured"],
                         {"operators": 2, "scaled": 1, "plain_loops": 1, "entries_unused": 1})
        table = self.ok("timeline", "resnet20-u250", "--rung", "analytical", *sets(*measured)).out
        self.assertIn("measured         2 operators, 1 scaled from another batch, 1 by plain loops, 1 entries unused", table)

    def test_says_that_a_batch_has_more_images_than_there_are(self) -> None:
        four, three = (self.ok("timeline", "resnet20-u250", "--rung", "analytical",
                               *sets("batch=4", f"dataset_images={images}")).out for images in "43")
        self.assertNotIn("(dataset_images)", four)
        self.assertIn("the batch of 4 is larger than the data set (dataset_images)", three)

    def test_of_the_tables_lists_what_it_assumes(self) -> None:
        for more, assumed in (([], ["overlap", "calls", "host_buffers", "load", "order"]),
                              (["schedule.calls=xrt"], ["overlap", "host_buffers", "load", "order"])):
            result = self.timeline("table59-resnet20", "schedule.kernels.own=true", *more)
            self.assertEqual(result["assumed"]["schedule"], assumed)

    def test_sweeps_vary_host_link_and_schedule(self) -> None:
        """Hours per epoch of each point equal those of weft timeline."""
        self.write("s.yaml", """
run: resnet20-u250
set: {rung: analytical}
space:
  schedule.load: [card, region]
  host.reconfiguration.region.seconds: [0.35, 1]
  board.pcie.max_payload_bytes: [128, 256]
""")
        self.ok("sweep", "s.yaml", "--out", "s.db")
        hours = [point["epoch_hours"] for point in self.json_of("show", "s.db")["rows"]]
        # The load of a region does not matter where the card is loaded.
        self.assertEqual((len(hours), len(set(hours))), (8, 6))
        one = self.timeline("resnet20-u250", "schedule.load=region", "host.reconfiguration.region.seconds=1",
                            "board.pcie.max_payload_bytes=128")
        self.assertIn(one["epoch_hours"], hours)

    def test_sweeps_show_hours_and_say_why_there_are_none(self) -> None:
        """Hours are shown where an axis affects them; where there are none, the whole reason is shown."""
        self.write("load.yaml", "run: resnet20-u250\nset: {rung: analytical}\nspace: {schedule.load: [card, region]}\n")
        self.ok("sweep", "load.yaml", "--out", "load.db")
        self.assertIn("epoch_hours", self.ok("show", "load.db").out)
        self.write("batch.yaml", "run: googlenet-u250\nset: {rung: analytical}\nspace: {batch: [4, 8192]}\n")
        swept = self.ok("sweep", "batch.yaml", "--out", "batch.db").out
        self.assertIn("2 of 2 points recorded, 1 without hours an epoch;", swept)
        small, large = self.json_of("show", "batch.db")["rows"]
        self.assertIsInstance(small["epoch_hours"], float)
        self.assertIsNone(small["iteration_error"])
        self.assertIsNone(large["epoch_hours"])
        self.assertIn("memory channel 2 of the card would hold", large["iteration_error"])

    def test_of_several_outputs_needs_a_loss(self) -> None:
        self.of_text(TWO_OUTPUTS)
        self.refused("timeline", "run.yaml", says="run.yaml:3: schedule.loss: is missing: the network has several outputs")


if __name__ == "__main__":
    unittest.main()
