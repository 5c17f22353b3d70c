"""The sparse batch lanes through the commands that all designs share."""

from __future__ import annotations

import re
import struct
import unittest
from typing import Any

from support import ROOT, WeftTest, run, sets

RUN = ["run", "vgg11-deephi", "--no-save"]
DENSE = ["run", "vgglike-darkfpga", "--no-save"]
SMALL_SPACE = ["dse", "darkfpga", "--no-save", "--rerank", "0",
               *sets("dse.space.lanes={from: 32, to: 128, step: 32}", "dse.space.pes={from: 16, to: 128, step: 16}")]
# A run of one layer, so that it has no others. Its shape and its file of masks are to be added.
ONE_LAYER = """
name: one
board: kcu1500
kernel: batchlane-32x32
batch: 32
rung: exact
"""


def mask_file(layer: str, outputs: int, inputs: int, dropped: set[tuple[int, int]] = frozenset()) -> bytes:
    """A file with the mask of a layer: all but the dropped kernels, (output, input), are kept. A bit a kernel."""
    bits = sum(1 << (o * inputs + i) for o in range(outputs) for i in range(inputs) if (o, i) not in dropped)
    return (b"WEFTMASK" + struct.pack("<I", len(layer)) + layer.encode() + struct.pack("<II", outputs, inputs)
            + bits.to_bytes((outputs * inputs + 7) // 8, "little"))


def field(number: int, content: str | bytes) -> bytes:
    """A field of protobuf: its number and kind, its length, its bytes."""
    data = content.encode() if isinstance(content, str) else content
    return bytes([number * 8 + 2, len(data)]) + data


def integer(number: int, value: int) -> bytes:
    return bytes([number * 8, value])


class Batchlane(WeftTest):
    def rows(self, *arguments: str) -> list[Any]:
        return self.json_of(*arguments)["convolutions"]

    def test_meets_the_published_table(self) -> None:
        """docs/explanation/batchlane.md: every row of F and GI within 5 % where PEs bound it, within 15 % where memory
        does."""
        file, docs = self.write("run.csv", self.ok(*RUN, "--format", "csv").out), ROOT / "docs/data"
        table = run("/usr/bin/awk", "-f", docs / "deephi_table.awk", docs / "deephi_table.csv", file)
        self.assertEqual((table.code, table.out.count("\n")), (0, 33), table.out)  # 32 convolutions
        text = self.ok(*RUN).out
        self.assertIn("published    DSP 1030 (ours 1024, -0.6 %), BRAM36 1060 (ours 1090, +2.8 %), LUT 199111 (ours "
                      "149200, -25.1 %), FF 249122 (ours 199504, -19.9 %)", text)
        other = self.ok(*RUN, "--rung", "analytical", "--set", "kernel.lanes=16").out
        self.assertNotIn("published    DSP", other)
        # The one constant: 32 cycles on a closed row, on average 31 to 35.
        mean = re.search("round trip   ([0-9.]+)", text)
        assert mean, text
        self.assertTrue(31 <= float(mean[1]) <= 35, text)

    def test_takes_the_same_on_every_rung_that_simulates_it(self) -> None:
        for more in ([], sets("sparsity.mask=random", "kernel.ahead=1", "batch=40"),
                     ["--set", "mode=data", "--only", "features.16"]):
            self.assert_same(*(self.rows(*RUN, "--rung", rung, *more) for rung in ("exact", "systemc")))

    def test_computes_strides_and_maps_of_another_size_exactly(self) -> None:
        strided = [*RUN, "--only", "layer2.0.conv1,layer2.0.downsample.0",
                   *sets("network=resnet20", "sparsity.density=0.5", "kernel.tile_pixels=128", "mode=data", "batch=4")]
        exact = self.rows(*strided)
        self.assert_same(exact, self.rows(*strided, "--rung", "systemc"))
        self.assertEqual([row["data"]["largest_error"] for row in exact], [0] * 6)

    def test_runs_its_dense_relative_on_every_rung_and_calls_its_figures_unverified(self) -> None:
        """The dense alpha of the family: its numbers are not compared with a publication, and the output says so."""
        only = ["--only", "features.12:F,features.12:GW"]
        exact = self.rows(*DENSE, *only)
        self.assert_same(exact, self.rows(*DENSE, *only, "--rung", "systemc"))
        self.assertEqual(len(exact), 2)
        for row in exact:  # 512 outputs of 64 pixels, 9 taps, 16 groups of 32 channels
            self.assertGreaterEqual(row["cycles"], 512 * 64 * 9 * 16)
        # Only 128 x 32 is marked so (tests/golden/outputs/run/darkfpga.txt), no other array.
        other = self.ok(*DENSE, "--rung", "analytical", "--set", "kernel.pes=16").out
        self.assertNotIn("unverified", other)

    def test_explores_the_arrays_of_its_dense_relative_as_the_equations_have_them(self) -> None:
        """DN-2: ceil(B / T_B) * D * P * k^2 * ceil(C / T_I) cycles, C and D swapped in GI; with unlimited memory only the
        array decides, except for the fill before and the drain after it, less than 6 % of these layers."""
        layers = {"features.2": (128, 128, 1024), "features.5": (128, 256, 256), "features.7": (256, 256, 256),
                  "features.10": (256, 512, 64), "features.12": (512, 512, 64)}  # C, D, P
        found = self.json_of(*SMALL_SPACE, "--only", ",".join(layers), "--set",
                             "dse.budget={dsp: 6840, bram18: 1000000, uram: 1000000}")
        self.assertEqual(found["combinations"], 32)
        # 6,840 DSPs: all 8 of 32 lanes, up to 106, 71 and 53 PEs of the others.
        self.assertEqual(found["fitting"], 8 + 6 + 4 + 3)
        self.assertEqual(len(found["convolutions"]), 3 * len(layers))
        for each in found["convolutions"]:
            c, d, pixels = layers[each["layer"]]
            outer, inner = (c, d) if each["kind"] == "GI" else (d, c)

            def cycles(lanes: int, pes: int) -> int:
                return -(-128 // lanes) * outer * pixels * 9 * -(-inner // pes)

            least = min(cycles(lanes, pes) for lanes in range(32, 129, 32) for pes in range(16, 129, 16)
                        if lanes * pes <= 6840)
            best = each["optimal"]
            self.assertEqual(cycles(best["kernel"]["lanes"], best["kernel"]["pes"]), least, each)
            self.assertTrue(least <= best["cycles"] < least + least * 6 // 100, each)

    def test_explores_what_it_explored_before_and_as_runs_say(self) -> None:
        """Golden result of this search; it changes with any equation, shape of a memory, order or tie."""
        golden = ROOT / "tests/golden/analytical/batchlane_darkfpga_arrays.csv"
        self.assertEqual(self.ok(*SMALL_SPACE, "--format", "csv").out, golden.read_bytes().decode())
        best = self.json_of(*SMALL_SPACE, "--workers", "1")["network_kernels"][0]
        rows = self.rows(*DENSE, "--rung", "analytical",
                         *sets(*(f"kernel.{key}={best['kernel'][key]}" for key in ("lanes", "pes"))))
        self.assertEqual(best["cycles"], sum(row["cycles"] for row in rows))
        for row in rows:
            self.assertLessEqual(row["resources"]["bram18"]["used"], best["resources"]["bram18"])

    def test_explores_what_equations_do_not_know_by_simulating(self) -> None:
        """The equations give channel buffers no cost: the simulation ranks them, and the saved result shows the same."""
        space = "dse.space={lanes: {from: 32, to: 32}, pes: {from: 32, to: 32}, ahead: {from: 1, to: 3}}"
        small = ["dse", "deephi", "--only", "features.16:F", *sets("batch=32", "sparsity.mask=random", space)]
        self.ok(*small, "--out", "found", "--rerank", "1")
        kernels = self.json_of("show", "found")["network_kernels"]
        self.assertEqual([each["kernel"]["ahead"] for each in kernels], [3, 2, 1])
        for each in kernels:
            row = self.rows(*RUN, "--only", "features.16:F",
                            *sets("sparsity.mask=random", f"kernel.ahead={each['kernel']['ahead']}"))[0]
            self.assertEqual(each["simulated_cycles"], row["cycles"])
        self.ok("report", "found")
        said = self.weft(*small, "--no-save", "--rerank", "0").err
        self.assertIn("space: the equations do not depend on ahead; allowed: one value of it, or rerank.count 1", said)

    def test_reads_masks_of_a_file_and_refuses_those_of_another_layer(self) -> None:
        self.write("one.yaml", f"""{ONE_LAYER}
sparsity: {{mask: file, file: masks}}
network: {{layers: [{{name: last, channels: 512, h: 1, w: 1, filters: 10, kernel: 1}}]}}
""")
        masks, command = self.folder / "masks", ["run", "one.yaml", "--no-save"]
        masks.write_bytes(mask_file("last", 10, 512))
        self.ok("run", "one.yaml", "--out", "saved")
        self.ok("run", "saved/config.yaml", "--no-save")
        masks.write_bytes(mask_file("last", 10, 512, {(0, 1)}))
        self.refused("run", "saved/config.yaml", says="masks' has changed: its digest is ")
        masks.write_bytes(mask_file("last", 10, 500))
        said = self.weft(*command).err
        self.assertIn("one.yaml:8: sparsity.file: ", said)
        self.assertIn("the mask of layer 'last' has 10 outputs x 500 inputs; allowed: 10 x 512", said)
        masks.write_bytes(mask_file("other", 10, 512))
        self.assertIn("has no mask of layer 'last'; masks in this file: other", self.weft(*command).err)
        masks.write_bytes(b"WEFTMASK\x09")
        self.assertIn("is no file of masks: byte 8: the file ends within the length of a name", self.weft(*command).err)

    def test_reads_the_zero_kernels_of_an_onnx_network_as_a_mask(self) -> None:
        """MSK-6. Two outputs, three inputs, kernels of 1 x 2: [1,0] [0,0] [-0,0] and [0,0] [0,2] [0,0] keep 2 of 6."""
        self.write("onnx.yaml", f"""{ONE_LAYER}
network: {{layers: [{{name: a, channels: 3, h: 2, w: 2, filters: 2, kernel: 1}}]}}
only: a:F
sparsity: {{mask: file, file: pruned.onnx}}
""")

        def write(data: bytes) -> None:
            # TensorProto: dims 1, data_type 2, name 8, raw_data 9.
            tensor = (b"".join(integer(1, size) for size in (2, 3, 1, 2)) + integer(2, 1) + field(8, "a.weight")
                      + field(9, data))
            # ModelProto.graph, GraphProto.initializer.
            (self.folder / "pruned.onnx").write_bytes(field(7, field(5, tensor)))

        values = struct.pack("<12f", 1, 0, 0, 0, -0.0, 0, 0, 0, 0, 2, 0, 0)
        write(values)
        row = self.rows("run", "onnx.yaml", "--no-save")[0]
        self.assertEqual(row["macs"], 2 * 4 * 32)  # kernels, pixels, images
        write(values[4:])
        self.refused("run", "onnx.yaml", "--no-save", says="initializer a.weight: does not have its 12 values in the file")

    def test_reads_matrices_of_an_onnx_network_the_way_round_that_operators_use_them(self) -> None:
        """A matrix of 2 x 2 whose one zero is at [0][1]: Gemm's B not transposed and MatMul's second operand have inputs
        first, so that output 1 omits input 0; transposed, output 0 omits input 1. The results of a run with data
        distinguish the two."""
        self.write("onnx.yaml", f"""{ONE_LAYER}
network: {{layers: [{{name: a, channels: 2, h: 1, w: 1, filters: 2, kernel: 1}}]}}
mode: data
only: a:F
sparsity: {{mask: file, file: pruned.onnx}}
""")
        tensor = (integer(1, 2) + integer(1, 2) + integer(2, 3) + field(8, "a.weight")
                  + field(9, b"\1\0\1\1"))  # INT8
        command = ["run", "onnx.yaml", "--no-save"]

        def node(operator: str, inputs: list[str], output: str, more: bytes = b"") -> bytes:
            # NodeProto: inputs 1, output 2, op_type 4, attribute 5.
            return field(1, b"".join(field(1, each) for each in inputs) + field(2, output) + field(4, operator) + more)

        def write(nodes: bytes) -> None:
            (self.folder / "pruned.onnx").write_bytes(field(7, nodes + field(5, tensor)))

        def digest(*more: str) -> str:
            return self.rows(*command, *more)[0]["data"]["out_digest"]

        def with_mask(dropped: tuple[int, int]) -> str:
            (self.folder / "masks").write_bytes(mask_file("a", 2, 2, {dropped}))
            return digest("--set", f"sparsity.file={self.folder / 'masks'}")

        weights = ["x", "a.weight"]
        transposed = field(5, field(1, "transB") + integer(3, 1) + bytes([0xA0, 1, 2]))
        as_stored, turned = with_mask((0, 1)), with_mask((1, 0))
        self.assertNotEqual(as_stored, turned)
        for nodes, wanted in ((node("Gemm", weights, "y", transposed), as_stored),
                              (node("Gemm", weights, "y"), turned),
                              (node("MatMul", weights, "y"), turned),
                              (node("Transpose", ["a.weight"], "t") + node("MatMul", ["x", "t"], "y"), as_stored)):
            write(nodes)
            self.assertEqual(digest(), wanted, nodes)
        for nodes, why in ((b"", "no operator uses it"),
                           (node("Add", weights, "y"), "operator Add uses it"),
                           (node("Gemm", weights, "y", transposed) + node("MatMul", weights, "z"),
                            "operators use it in both orders")):
            write(nodes)
            self.refused(*command,
                         says=f"initializer a.weight: which of its dimensions are outputs is not known: {why}")


if __name__ == "__main__":
    unittest.main()
