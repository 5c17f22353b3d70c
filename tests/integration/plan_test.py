"""weft plan on boards other than those of the published clusters."""

from __future__ import annotations

import unittest
from typing import Any

from support import WeftTest, sets

LANE = "nada.dsp_per_lane=9"
SMALL = ("network=resnet20", "nada.clock_mhz=100", "links.gbits_per_s=100")


class Plan(WeftTest):
    def plan(self, cluster: str, *assignments: str) -> Any:
        return self.json_of("plan", cluster, "--no-save", *sets(*assignments))

    def test_takes_the_words_of_a_block_and_the_ultraram_from_the_board(self) -> None:
        """Of FPDeep's 16 bits a BRAM36 holds 2048 words, an M20K 1024, an UltraRAM 4096 lines of 4. VC709: 1470 BRAM36;
        U250: 2000 of its 2688 and 1280 UltraRAMs are not the shell's; AGFB014: 7110 M20Ks."""
        for board, words in (("vc709", 1470 * 2048), ("u250", 2000 * 2048 + 1280 * 4096 * 4), ("agfb014", 7110 * 1024)):
            memory = self.plan("fpdeep-alexnet", f"board={board}")["memory"]
            self.assertEqual(memory["board_words"], words, board)
        self.assertEqual(self.plan("fpdeep-alexnet", "fpdeep.block_ram_words=7")["memory"]["board_words"], 1470 * 7)
        # In words of another width: 512 of 72 bits, or of 40 in an M20K, twice as many of half of it.
        for board, bits, words in (("u250", 36, 1024), ("u250", 37, 512), ("u250", 9, 4096), ("u250", 8, 4096),
                                   ("agfb014", 40, 512), ("agfb014", 41, 256), ("agfb014", 20, 1024), ("agfb014", 10, 2048)):
            shown = self.ok("show", "nada-mobilenetv2", *sets(f"board={board}", LANE, f"nada.word_bits={bits}",
                                                              "links.gbits_per_s=100")).out
            self.assertIn(f"blocks of {words:,} words", shown, (board, bits))

    def test_refuses_lanes_that_are_assumed_of_another_makers_dsps(self) -> None:
        said = self.refused("plan", "nada-mobilenetv2", *sets("board=u250"), says="board: 'u250'")
        self.assertIn("nada.dsp_per_lane = 1 is assumed", said)
        plan = self.plan("nada-mobilenetv2", "board=u250", LANE, *SMALL)
        # 80 % of 11,508 DSPs and of 2,000 blocks; 9 DSPs a lane.
        self.assertEqual((plan["limit"]["dsp"], plan["limit"]["block_ram"]), (9206, 1600))
        for layer in plan["layers"]:
            self.assertEqual(layer["dsp"], 9 * layer["passes"] * layer["a"] * layer["b"] * layer["taps"], layer)
        self.assertEqual(plan["left_out"], ["1280 UltraRAMs of u250", "LUT RAM of u250"])
        self.assertEqual(self.plan("nada-mobilenetv2", *SMALL)["left_out"], [])

    def test_fills_boards_of_two_kinds_in_their_order(self) -> None:
        mixed = self.plan("nada-mobilenetv2", "boards=[u250, u50]", LANE, *SMALL)
        self.assertEqual((mixed["board"], mixed["number_of_boards"]), ("u250, u50", 2))
        self.assertNotIn("limit", mixed)
        u250, u50 = mixed["boards"]
        self.assertEqual([(each["board"], each["limit"]["dsp"]) for each in (u250, u50)], [("u250", 9206), ("u50", 4761)])
        for each in (u250, u50):
            self.assertLessEqual(each["dsp"], each["limit"]["dsp"])
            self.assertLessEqual(each["block_ram"] + each["fifo_block_ram"], each["limit"]["block_ram"])
        of_large, of_small = (self.plan("nada-mobilenetv2", f"board={board}", "boards=2", LANE, *SMALL)
                              for board in ("u250", "u50"))
        self.assertGreater(mixed["images_per_second"], of_small["images_per_second"])
        self.assertLess(mixed["images_per_second"], of_large["images_per_second"])
        listed = self.plan("nada-mobilenetv2", "boards=[u50, u50]", LANE, *SMALL)
        for key in ("images_per_second", "layers", "simulated", "pooled_images_per_second"):
            self.assertEqual(listed[key], of_small[key], key)
        # The configuration of a plan gives the same plan again.
        self.write("mixed.yaml", self.ok("show", "nada-mobilenetv2", "--yaml", *sets("boards=[u250, u50]", LANE, *SMALL)).out)
        again = self.plan("mixed.yaml")
        self.assertEqual({**again, "inputs": None}, {**mixed, "inputs": None})

    def test_refuses_boards_that_no_plan_counts_together(self) -> None:
        self.refused("plan", "nada-mobilenetv2", *sets("boards=[u250, agfb014]", LANE),
                     says="'u250' and 'agfb014' have blocks of memory of different kinds")
        self.refused("plan", "nada-mobilenetv2", *sets("boards=[]"), says="boards: must be a whole number")
        self.refused("plan", "fpdeep-alexnet", *sets("boards=[vc709, u250]"), says="boards: must be a whole number")

    def test_prints_published_figures_of_its_own_network_and_boards_alone(self) -> None:
        def published(cluster: str, *assignments: str) -> list[Any]:
            return self.plan(cluster, *assignments)["published"]

        self.assertEqual([row["network"] for row in published("nada-mobilenetv2", "nada.clock_mhz=40")], ["mobilenet_v2"])
        self.assertEqual(published("nada-mobilenetv2", *SMALL), [])
        self.assertEqual(published("nada-mobilenetv2", "boards=5", "nada.clock_mhz=40"), [])
        self.assertEqual([row.get("boards") for row in published("fpdeep-alexnet")], [60, 83, 100, None])
        self.assertEqual(published("fpdeep-alexnet", "network=vgg11"), [])
        self.assertEqual(published("fpdeep-alexnet", "board=u250"), [])
        shown = self.ok("show", "nada-mobilenetv2", *sets("network=resnet20")).out
        self.assertIn("Demo, 4 x 10AX115: 558 images/s planned, 378 measured", shown)

    def test_simulates_links_that_lose_and_delay_frames(self) -> None:
        """Two boards; the outputs of layer2.0 and layer2.1.conv1 cross, 256 pixels of 128 bytes in 24 frames of 11, and their
        gradients come back: 96 frames an image."""
        def simulated(*assignments: str) -> Any:
            return self.plan("nada-mobilenetv2", *SMALL, "boards=2", "nada.usable_percent=20", *assignments)["simulated"]

        perfect = simulated()
        self.assertEqual((perfect["change"], perfect["resent_frames_an_image"]), (0, 0))
        short = simulated("links.lost_per_million=10000", "links.resend_after_us=20")
        self.assertEqual(short["resent_frames_an_image"], 0.96)
        self.assertEqual(short["change"], 0, "the FIFOs bridge 20 us")
        long, longer = (simulated("links.lost_per_million=10000", f"links.resend_after_us={us}") for us in (800, 1600))
        self.assertLess(long["change"], -0.05)
        self.assertLess(longer["change"], long["change"])
        late = simulated("links.delayed_per_million=10000", "links.delay_us=800")
        self.assertEqual(late["resent_frames_an_image"], 0)
        self.assertLess(late["change"], -0.05)
        slow = simulated("links.receive_bytes=1500", "links.switches=20")
        self.assertLess(slow["change"], -0.05, "a credit for one frame takes 17 us to and fro")
        self.refused("plan", "nada-mobilenetv2", "--no-save",
                     *sets(*SMALL, "boards=2", "nada.usable_percent=20", "links.receive_bytes=1500", "links.switches=20", "links.flow=none",
                           "links.delayed_per_million=10000", "links.delay_us=800"),
                     says="flow: none can neither delay nor resend the token")
        self.refused("plan", "nada-mobilenetv2", *sets("links.lost_per_million=1"), says="give resend_after_us")
        self.refused("plan", "nada-mobilenetv2", "--no-save", *sets(*SMALL, "boards=2", "links.receive_bytes=100"),
                     says="100 bytes do not hold a packet")

    def test_has_timelines_of_links_that_lose_frames(self) -> None:
        small = sets(*SMALL, "boards=2", "nada.usable_percent=20", "batch=16")
        perfect, lossy = (self.json_of("timeline", "nada-mobilenetv2", "--no-save", *small, *sets(*more))
                          for more in ((), ("links.lost_per_million=10000", "links.resend_after_us=1600")))
        self.assertEqual([step["step"] for step in lossy["steps"]], ["fill", "steady", "drain", "update"])
        self.assertLess(lossy["images_per_second"], 0.8 * perfect["images_per_second"])
        self.assertEqual([each["batch"] for each in lossy["efficiencies"]], [1, 2, 4, 8, 16, 32])

    def test_simulates_the_transfers_of_a_boards_dram(self) -> None:
        """With a channel of 8 bits DRAM bounds the plan; its transfers take whole cycles, and so longer than planned."""
        self.write("slow.yaml", "extends: agfb014\nname: slow\n"
                                "memory: {channels: 1, bytes_per_channel: 1073741824, organisation: {data_bits: 8}}\n")
        plan = self.plan("nada-mobilenetv2", *SMALL, "boards=1", "board=slow.yaml")
        self.assertEqual(plan["simulated"]["slowest_block"], "DRAM 1")
        self.assertAlmostEqual(plan["simulated"]["change"], plan["cycles_an_image"] / plan["simulated"]["cycles_an_image"] - 1)
        self.assertTrue(-0.05 < plan["simulated"]["change"] < 0, plan["simulated"])
        kept = self.plan("nada-mobilenetv2", *SMALL, "boards=1", "board=slow.yaml", "nada.activations=block_ram")
        self.assertNotEqual(kept["simulated"]["slowest_block"], "DRAM 1")

    def test_are_compared_figure_by_figure(self) -> None:
        for name, boards in (("a", 4), ("b", 5)):
            self.ok("plan", "fpdeep-alexnet", "--out", name, *sets(f"boards={boards}", "scaling_to=10"))
        a, b = (self.result(name) for name in ("a", "b"))
        compared = self.json_of("compare", "a", "b")
        self.assertEqual(compared["keys"], [{"key": "boards", "a": "4", "b": "5"}])
        figures = {each["figure"]: each for each in compared["figures"]}
        for figure, key in (("planned", "images_per_second"), ("per board", "gops_per_board"), ("balance", "balance")):
            self.assertEqual([figures[figure][side] for side in "ab"], [a[key], b[key]])
            self.assertAlmostEqual(figures[figure]["change"], b[key] / a[key] - 1, places=12)
        self.assertEqual(figures["fetched weights"]["change"], 0, "neither fetches any")
        self.ok("compare", "a", "a", "--fail-above", "0")
        moved = self.weft("compare", "a", "b", "--fail-above", "1%")
        self.assertEqual(moved.code, 1)
        self.assertIn("figures moved by up to", moved.err)
        self.assertIn("planned", moved.out)
        # A reading that one plan alone has.
        self.ok("plan", "fpdeep-alexnet", "--out", "c",
                *sets("boards=4", "scaling_to=10", "simulated_reading=own", "readings=[{name: own, lanes: 2, lane_gbps: 10}]"))
        other = {each["figure"]: each for each in self.json_of("compare", "a", "c")["figures"]}
        self.assertIsNone(other["linear up to, own"]["a"])
        self.assertIsNone(other["linear up to, inner-10G"]["b"])
        self.assertIn("some figures are in one result only", self.weft("compare", "a", "c", "--fail-above", "1%").err)
        # Plans of two designs are not compared.
        self.ok("plan", "nada-mobilenetv2", "--out", "d", *sets(*SMALL, "boards=1"))
        self.ok("compare", "d", "d", "--fail-above", "0")
        self.refused("compare", "a", "d", says="two of weft plan of one design")


if __name__ == "__main__":
    unittest.main()
