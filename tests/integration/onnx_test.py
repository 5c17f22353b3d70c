"""Networks of ONNX files as weft reads them, and those that it refuses with one line: models in ONNX's textual syntax, some
with one change."""

from __future__ import annotations

import functools
import json
import random
import unittest
from collections.abc import Callable
from typing import Any, NamedTuple

from support import WeftTest, sets

TWO = "g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) { a = Conv(x, w) y = Relu(a) }"
BRANCH = "g (float[1,4,8,8] x, float[6,4,3,3] w) => (float[] t) { t = Conv(x, w) }"
OTHER = "g (float[1,4,8,8] x) => (float[] t) { t = Relu(x) }"
TWICE = "has the name of another {}; every name may be given once"


def convolution(attributes: str, inp: str = "1,4,10,13", weights: str = "6,4,3,3") -> str:
    """A graph of one convolution with a fixed input and weights."""
    with_attributes = f"<{attributes}>" if attributes else ""
    return f"g (float[{inp}] x, float[{weights}] w) => (float[] y) {{ y = Conv{with_attributes}(x, w) }}"


def one(inputs: str, node: str) -> str:
    """A graph of one node with these inputs."""
    return f"g ({inputs}) => (float[] y) {{ y = {node} }}"


@functools.cache
def parsed(graph: str, opset: int) -> bytes:
    import onnx.parser  # which takes a while

    model = onnx.parser.parse_model(f'<ir_version: 7, opset_import: ["" : {opset}]>\n{graph}')
    for at, node in enumerate(model.graph.node):  # the syntax has no names of nodes
        node.name = f"n{at}"
    return model.SerializeToString()


def model_of(graph: str, opset: int = 13) -> Any:
    import onnx

    return onnx.ModelProto.FromString(parsed(graph, opset))


def initializer(graph: Any, name: str) -> None:
    import onnx

    graph.initializer.add(name=name, data_type=onnx.TensorProto.FLOAT, dims=(4, 4, 3, 3))


def branch(model: Any, name: str, graph: str) -> None:
    """Gives the last node a graph as its attribute `name`."""
    import onnx

    attribute = model.graph.node[-1].attribute.add(name=name, type=onnx.AttributeProto.GRAPH)
    attribute.g.CopyFrom(model_of(graph).graph)
    del attribute.g.input[:]


def with_function() -> Any:
    """Two calls of a function block(x, w) = Relu(Conv(x, w)), whose strides are an attribute of the first call."""
    import onnx

    model = model_of("g (float[1,4,8,8] x, float[4,4,3,3] w, float[4,4,3,3] v) => (float[] y) { a = Relu(x) y = Relu(a) }")
    for node, weights in zip(model.graph.node, "wv"):
        node.op_type, node.domain = "block", "example.com"
        node.input.append(weights)
    model.graph.node[0].attribute.add(name="s", type=onnx.AttributeProto.INTS, ints=(2, 2))
    function = model.functions.add(name="block", domain="example.com", attribute=["s"], input=["x", "w"], output=["y"])
    function.node.extend(model_of("g (float[1] x, float[1] w) => (float[] y) { a = Conv(x, w) y = Relu(a) }").graph.node)
    function.node[0].attribute.add(name="strides", type=onnx.AttributeProto.INTS, ref_attr_name="s")
    return model


class Network(NamedTuple):
    """A network as the result of a run shows it."""

    layers: list[Any]  # the shapes of the convolutions
    read_input: list[bool]  # for each of them, whether it reads the input of the graph
    macs: list[int]
    host: list[Any]
    warnings: list[str]

    def only(self) -> Any:
        layer, = self.layers
        return layer


def axis(axis: Any) -> tuple[int, ...]:
    return tuple(axis[key] for key in ("size", "kernel", "stride", "pad_begin", "pad_end", "dilation"))


class OnnxCase(WeftTest):
    def network(self, model: Any, *assignments: str) -> Network:
        """The network of a model, or of a graph in text, with all products as layers."""
        model = model_of(model) if isinstance(model, str) else model
        (self.folder / "net.onnx").write_bytes(model.SerializeToString())
        outcome = self.ok("run", "net.onnx", "--rung", "analytical", "--no-save", "--format", "json",
                          *sets("lower_fc=true", *assignments))
        result = json.loads(outcome.out)
        forward = [each for each in result["convolutions"] if each["kind"] == "F"]
        backward = {each["layer"] for each in result["convolutions"] if each["kind"] == "GI"}
        return Network([each["shape"] | {"name": each["layer"]} for each in forward],
                       [each["layer"] not in backward for each in forward], [each["macs"] for each in forward],
                       result["host_layers"], [line for line in outcome.err.splitlines() if "weft: warning: " in line])


class OnnxLayers(OnnxCase):
    def axes(self, model: Any, h: tuple[int, ...], w: tuple[int, ...] | None = None) -> Any:
        layer = self.network(model).only()
        self.assertEqual(axis(layer["h"]), h)
        if w is not None:
            self.assertEqual(axis(layer["w"]), w)
        return layer

    def counts(self, layer: Any) -> tuple[int, int, int]:
        return layer["groups"], layer["channels"], layer["filters"]

    # --- convolutions

    def test_have_the_defaults_of_the_standard(self) -> None:
        layer = self.axes("g (float[2,4,10,13] x, float[6,4,3,2] w) => (float[] y) { y = Conv(x, w) }",
                          (10, 3, 1, 0, 0, 1), (13, 2, 1, 0, 0, 1))
        self.assertEqual(self.counts(layer), (1, 4, 6))

    def test_keep_every_attribute_per_axis_and_side(self) -> None:
        layer = self.axes(convolution("strides=[2,3], dilations=[2,1], pads=[0,1,2,3], group=2, kernel_shape=[3,3]",
                                      "1,4,10,13", "6,2,3,3"), (10, 3, 2, 0, 2, 2), (13, 3, 3, 1, 3, 1))
        self.assertEqual(layer["groups"], 2)
        self.assertEqual(self.counts(self.network(convolution("group=4", "1,4,9,9", "8,1,3,3")).only()), (4, 4, 8))

    def test_pad_automatically_as_the_standard_says(self) -> None:
        """H: 10 with stride 2 gives 5 outputs: 4 * 2 + 3 - 10 = 1 zero. W: 13 gives 7: 6 * 2 + 3 - 13 = 2 zeros. Dilated:
        5 positions over 10, one stride each: 4 zeros. A stride larger than the kernel: none."""
        self.axes(convolution('auto_pad="SAME_UPPER", strides=[2,2]'), (10, 3, 2, 0, 1, 1), (13, 3, 2, 1, 1, 1))
        self.axes(convolution('auto_pad="SAME_LOWER", strides=[2,2]'), (10, 3, 2, 1, 0, 1), (13, 3, 2, 1, 1, 1))
        self.axes(convolution('auto_pad="VALID", strides=[2,2]'), (10, 3, 2, 0, 0, 1))
        self.axes(convolution('auto_pad="NOTSET", pads=[1,1,1,1]'), (10, 3, 1, 1, 1, 1))
        self.axes(convolution('auto_pad="SAME_UPPER", dilations=[2,2]'), (10, 3, 1, 2, 2, 2))
        self.axes(convolution('auto_pad="SAME_UPPER", strides=[5,5]'), (10, 3, 5, 0, 0, 1))

    def test_feed_the_next_one_their_output_shape(self) -> None:
        network = self.network("""g (float[1,3,32,32] x, float[8,3,5,5] w0, float[4,8,3,3] w1) => (float[] y) {
            a = Conv<auto_pad="SAME_UPPER", strides=[2,2]>(x, w0) b = Relu(a)
            c = MaxPool<kernel_shape=[2,2], strides=[2,2]>(b) y = Conv<pads=[1,1,1,1]>(c, w1) }""")
        first, second = network.layers
        self.assertEqual((first["h"]["out"], second["h"]["size"], second["channels"]), (16, 8, 8))
        self.assertEqual(len(network.host), 2)
        self.assertEqual([network.host[1][key] for key in ("op", "name", "elements")], ["MaxPool", "n2", 8 * 8 * 8])

    def test_are_the_same_in_every_opset(self) -> None:
        graph = convolution("strides=[2,2], pads=[1,1,1,1]")
        silent = model_of(graph)
        silent.ClearField("opset_import")
        silent.ClearField("ir_version")
        for model in (silent, *(model_of(graph, opset) for opset in (1, 6, 9, 11, 13, 17, 18, 19, 20, 21, 22, 23, 24))):
            self.assertEqual(self.network(model).only()["h"]["out"], 5, model.opset_import)

    def test_of_one_dimension_have_height_one(self) -> None:
        self.axes(convolution("strides=[2], pads=[1,2]", "1,4,10", "6,4,3"), (1, 1, 1, 0, 0, 1), (10, 3, 2, 1, 2, 1))
        self.axes(one("float[1,4,5] x, float[4,3,4] w", "ConvTranspose<strides=[2], pads=[1,1]>(x, w)"),
                  (1, 1, 1, 0, 0, 1), (10, 4, 2, 1, 1, 1))

    def test_of_three_dimensions_have_the_taps_of_depth_as_channels(self) -> None:
        """6 x 4 x (2 x 3 x 3) weights at each of 4 x 7 x 8 outputs."""
        network = self.network(convolution("strides=[2,1,1], pads=[1,0,0,0,0,0]", "1,4,8,9,10", "6,4,2,3,3"), "batch=5")
        layer = network.only()
        self.assertEqual((layer["batch"], *self.counts(layer)), (5 * 4, 1, 4 * 2, 6))
        self.assertEqual(axis(layer["h"]), (9, 3, 1, 0, 0, 1))
        self.assertEqual(network.macs, [5 * 6 * 4 * 2 * 9 * 4 * 7 * 8])

    def test_that_are_transposed_are_those_that_they_transpose(self) -> None:
        """Every attribute by the standard's formula: stride * (input - 1) + output_padding + extent - pads."""
        network = self.network(one(
            "float[1,4,9,5] x, float[4,3,3,2] w",
            "ConvTranspose<strides=[2,3], dilations=[2,1], pads=[1,0,2,1], output_padding=[1,2], group=2>(x, w)"))
        layer = network.only()
        self.assertTrue(layer["transposed"])
        self.assertEqual(self.counts(layer), (2, 6, 4))
        self.assertEqual(axis(layer["h"]), (19, 3, 2, 1, 1, 2))  # 2 * 8 + 1 + 5 - 3
        self.assertEqual(axis(layer["w"]), (15, 2, 3, 0, 0, 1))  # 3 * 4 + 2 + 2 - 1
        self.assertEqual((layer["h"]["out"], layer["w"]["out"]), (9, 5))
        self.assertEqual(network.macs, [4 * 3 * 3 * 2 * 9 * 5])
        for attributes, h in (('auto_pad="SAME_UPPER", strides=[2,2]', (10, 3, 2, 0, 1, 1)),  # 2 * 4 + 3 - 10 zeros
                              ('auto_pad="SAME_LOWER", strides=[2,2]', (10, 3, 2, 1, 0, 1)),
                              ('auto_pad="VALID", strides=[2,2]', (11, 3, 2, 0, 0, 1)),
                              ("output_shape=[9,9], strides=[2,2]", (9, 3, 2, 1, 1, 1))):
            self.axes(one("float[1,4,5,5] x, float[4,3,3,3] w", f"ConvTranspose<{attributes}>(x, w)"), h)

    def test_may_be_of_integers(self) -> None:
        network = self.network("""g (float[1,4,8,8] x, float s, uint8 z, int8[4,4,3,3] w, int32[4] b) => (float[] y) {
            q = QuantizeLinear(x, s, z) a = QLinearConv<pads=[1,1,1,1]>(q, s, z, w, s, z, s, z, b)
            c = ConvInteger(a, w) d = Cast<to=1>(c) y = Relu(d) }""")
        self.assertEqual([layer["h"]["out"] for layer in network.layers], [8, 6])
        self.assertTrue(network.read_input[0])

    def test_may_be_fused_with_an_activation(self) -> None:
        import onnx

        model = model_of(convolution(""))
        node = model.graph.node[0]
        node.op_type, node.domain = "FusedConv", "com.microsoft"
        node.attribute.add(name="activation", type=onnx.AttributeProto.STRING, s=b"Relu")
        network = self.network(model)
        self.assertEqual(network.only()["name"], "n0")
        self.assertEqual([each["shape"] for each in network.host], [[1, 6, 8, 11]])

    def test_of_one_pixel_may_be_an_einsum(self) -> None:
        for equation, weights in (("nchw,oc->nohw", "6,4"), ("nchw,co->nohw", "4,6")):
            layer = self.network(one(f"float[1,4,8,7] x, float[{weights}] w", f'Einsum<equation="{equation}">(x, w)')).only()
            self.assertEqual((*self.counts(layer), layer["h"]["size"], layer["w"]["out"]), (1, 4, 6, 8, 7))
        product = self.network(one("float[1,5,4] x, float[6,4] w", 'Einsum<equation="nlc,oc->nlo">(x, w)')).only()
        self.assertEqual((product["channels"], product["filters"], product["batch"]), (4, 6, 5))

    def test_are_products_of_computed_matrices_if_asked_for(self) -> None:
        graph = """g (float[1,3,7,8] q, float[1,3,8,5] k, float[1,1,1,1] i, float[1,1,1,1] w) => (float[] y) {
            a = Relu(q) b = Relu(k) y = MatMul(a, b) z = Conv(i, w) }"""
        self.assertEqual(len(self.network(graph, "batch=2").layers), 1)
        network = self.network(graph, "batch=2", "lower_matmul=true")
        at = [layer["groups"] for layer in network.layers].index(6)
        layer = network.layers[at]
        self.assertEqual((len(network.layers), *self.counts(layer), layer["w"]["size"]), (2, 6, 48, 30, 7))
        self.assertEqual(network.macs[at], 6 * 7 * 8 * 5)
        attention = self.network(model_of("g (float[1,4,6,8] q, float[1,2,9,8] k, float[1,2,9,5] v) => (float[] y) "
                                          "{ y = Attention(q, k, v) }", 23), "batch=2", "lower_matmul=true")
        self.assertEqual(attention.macs, [2 * 4 * 6 * 9 * 8, 2 * 4 * 6 * 9 * 5])
        self.assertEqual(attention.layers[0]["groups"], 8)

    # --- pools

    def test_after_a_pool_have_its_windows(self) -> None:
        """Counts the windows one by one: each within the padded input and, with ceil_mode, the next one if samples of the
        padded input remain and it begins within the input or the padding before it."""
        drawn = random.Random(5711)

        class Pool(NamedTuple):
            size: int
            kernel: int
            stride: int
            dilation: int
            begin: int
            end: int
            ceil: bool

            def windows(self, ceil: bool) -> int:
                extent, limit, windows, begin = self.dilation * (self.kernel - 1) + 1, self.size + self.end, 0, -self.begin
                while begin + extent <= limit:
                    begin, windows = begin + self.stride, windows + 1
                left = begin - self.stride + extent < limit
                return windows + int(ceil and left and begin < self.size)

        def pool(op: str, ceil: bool) -> Pool:
            kernel, stride = drawn.randint(1, 5), drawn.randint(1, 5)
            dilation = drawn.randint(1, 3) if op == "MaxPool" else 1
            begin, end = drawn.randint(0, kernel - 1), drawn.randint(0, kernel - 1)
            least = max(1, dilation * (kernel - 1) + 1 - begin - end)
            return Pool(drawn.randint(least, 40), kernel, stride, dilation, begin, end, ceil)

        cut = ceiled = 0
        for _ in range(12):  # networks of 40 pools each
            inputs, nodes, pools = [], [], []
            for i in range(40):
                op, ceil = ("MaxPool", "AveragePool")[i % 2], i % 3 != 0
                h, w = pool(op, ceil), pool(op, ceil)
                pools.append((h, w))
                attributes = (f"kernel_shape=[{h.kernel},{w.kernel}], strides=[{h.stride},{w.stride}], "
                              f"pads=[{h.begin},{w.begin},{h.end},{w.end}]" + ", ceil_mode=1" * ceil +
                              f", dilations=[{h.dilation},{w.dilation}]" * (op == "MaxPool"))
                inputs.append(f"float[1,3,{h.size},{w.size}] x{i}")
                nodes.append(f"a{i} = {op}<{attributes}>(x{i}) b{i} = Relu(a{i}) y{i} = Conv(b{i}, w)")
            network = self.network(f"g ({', '.join(inputs)}, float[4,3,1,1] w) => (float[] y0) {{ {' '.join(nodes)} }}")
            for (h, w), layer in zip(pools, network.layers, strict=True):
                self.assertEqual((layer["h"]["size"], layer["w"]["size"]), (h.windows(h.ceil), w.windows(w.ceil)), (h, w))
                free = h.size + h.begin + h.end - h.dilation * (h.kernel - 1) - 1
                cut += int(h.ceil and -(-free // h.stride) + 1 > layer["h"]["size"])
                ceiled += int(h.ceil and h.windows(False) < layer["h"]["size"])
        self.assertGreater(cut, 10)
        self.assertGreater(ceiled, 50)

    def test_after_a_pool_have_its_shape_whatever_the_file_declares(self) -> None:
        """56 wide, 3 x 3, stride 3, a zero on each side: a 20th window would begin in the padding at the end."""
        model = model_of("""g (float[1,8,56,56] x, float[4,8,3,3] w) => (float[1,4,18,18] y) {
            a = MaxPool<kernel_shape=[3,3], strides=[3,3], pads=[1,1,1,1], ceil_mode=1>(x)
            b = MaxPool<kernel_shape=[1,1]>(a) y = Conv(b, w) }""")
        model.graph.value_info.append(model.graph.output[0])
        model.graph.value_info[0].name = "a"
        network = self.network(model)
        self.assertEqual(network.host[0]["shape"], [1, 8, 19, 19])
        self.assertEqual(network.only()["h"]["out"], 17)

    def test_after_a_pool_are_padded_automatically(self) -> None:
        for attributes, size in (('kernel_shape=[4,4], strides=[3,3], auto_pad="SAME_UPPER"', 4),
                                 ('kernel_shape=[4,4], strides=[3,3], auto_pad="SAME_LOWER", ceil_mode=1', 4),
                                 ('kernel_shape=[4,4], strides=[4,4], auto_pad="VALID"', 2),
                                 ('kernel_shape=[4,4], strides=[4,4], auto_pad="VALID", ceil_mode=1', 3)):
            layer = self.network("g (float[1,3,10,10] x, float[4,3,1,1] w) => (float[] y) "
                                 f"{{ a = MaxPool<{attributes}>(x) y = Conv(a, w) }}").only()
            self.assertEqual(layer["h"]["size"], size, attributes)

    # --- weights, batch and open sizes

    def test_have_weights_inline_elsewhere_or_none_but_a_shape(self) -> None:
        import onnx

        def with_weights(also_input: bool, **content: Any) -> Any:
            model = model_of(convolution("kernel_shape=[3,3]"))
            if not also_input:
                del model.graph.input[1]
            model.graph.initializer.add(name="w", data_type=onnx.TensorProto.FLOAT, dims=(6, 4, 3, 3), **content)
            return model

        elsewhere = with_weights(False, data_location=onnx.TensorProto.EXTERNAL)
        elsewhere.graph.initializer[0].external_data.add(key="location", value="no_such_file.bin")
        shape = model_of(convolution("kernel_shape=[3,3]"))
        shape.graph.value_info.append(shape.graph.input[1])
        del shape.graph.input[1]
        for model in (with_weights(False, raw_data=b"x" * (6 * 4 * 9 * 4)), with_weights(False, float_data=[1.0] * (6 * 4 * 9)),
                      with_weights(True, raw_data=b"x" * (6 * 4 * 9 * 4)), elsewhere, shape):
            network = self.network(model)
            self.assertEqual((network.only()["filters"], network.read_input), (6, [True]))
        network = self.network("""g (float[1,4,8,8] x, float[4,6,3,3] w, float[6] b) => (float[] y) {
            wt = Transpose<perm=[1,0,2,3]>(w) bi = Identity(b) y = Conv(x, wt, bi) }""")
        self.assertEqual((network.only()["filters"], network.host), (6, []))

    def test_have_the_batch_of_the_run_whatever_the_file_says(self) -> None:
        minus_one = model_of(convolution(""))
        minus_one.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1
        for model in (minus_one, *(model_of(convolution("", f"{batch},4,10,13")) for batch in ("1", "8", "N", "?"))):
            for batch in (1, 32):
                self.assertEqual(self.network(model, f"batch={batch}").only()["batch"], batch)
        network = self.network("""g (float[8,3,4,4] x, float[1,3,1,1] w) => (float[] y) {
            f = Flatten(x) y = Relu(f) z = Conv(x, w) }""", "batch=32")
        self.assertEqual((network.host[1]["shape"], network.host[1]["elements"]), ([1, 48], 48))
        parts = """g (float[2,4,8,8] x, float[6,4,3,3] w) => (float[] y) <int64[4] shape = {8, 4, 4, 4}> {
            parts = Reshape(x, shape) y = Conv(parts, w) }"""
        self.assertEqual(self.network(parts, "batch=16").only()["batch"], 64)

    def test_have_the_sizes_of_the_run_where_the_file_leaves_them_open(self) -> None:
        model = model_of("g (float[N,4,H,W] x, float[N,5,W] z, float[6,4,3,3] w) => (float[] y, float[] v) "
                         "{ y = Conv(x, w) v = Relu(z) }")
        network = self.network(model, "input_sizes=[10,13]")
        self.assertEqual([network.only()[side]["size"] for side in "hw"], [10, 13])
        self.assertEqual(network.host[0]["shape"], [1, 5, 13])
        for other, text in ((model, "leaves 2 of its sizes open: H, W, but input_sizes gives 3; give as many"),
                            (model_of(convolution("")), "leaves 0 of its sizes open, but input_sizes gives 3; give as many")):
            (self.folder / "net.onnx").write_bytes(other.SerializeToString())
            self.refused("run", "net.onnx", *sets("input_sizes=[10,13,13]"), says=text)

    # --- shapes that are computed

    def test_have_shapes_that_are_computed_from_others(self) -> None:
        """Exporters write x.view(x.size(0), -1) and x.chunk(2, dim=1) this way: 7 channels are (7 + 1) / 2 = 4 and 3."""
        product = self.network("""g (float[N,3,4,4] x, float[48,10] w) => (float[] y)
            <int64 zero = {0}, int64[1] rest = {-1}, int64[1] axes = {0}> {
            s = Shape(x) n = Gather<axis=0>(s, zero) n1 = Unsqueeze(n, axes) shape = Concat<axis=0>(n1, rest)
            f = Reshape(x, shape) y = Gemm(f, w) }""").only()
        self.assertEqual((product["channels"], product["filters"]), (48, 10))
        network = self.network("""g (float[N,7,8,8] x, float[5,4,3,3] w, float[5,3,1,1] v) => (float[] y, float[] z)
            <int64 channel = {1}, int64 one = {1}, int64 two = {2}, int64[1] zero = {0}, int64[1] axis = {1},
             int64[1] first = {1}> {
            s = Shape(x) c = Gather<axis=0>(s, channel) c1 = Add(c, one) half = Div(c1, two) end = Mul(half, first)
            a = Slice(x, zero, end, axis) rest = Mul(half, first) all = Unsqueeze(c, zero) b = Slice(x, rest, all, axis)
            y = Conv(a, w) z = Conv(b, v) }""")
        self.assertEqual([layer["channels"] for layer in network.layers], [4, 3])

    def test_have_no_shapes_that_cannot_be_known(self) -> None:
        def split(divisor: int, channels: str) -> Any:
            return model_of(f"""g (float[1,{channels},8,8] x, float[5,4,3,3] w) => (float[] y)
                <int64 channel = {{1}}, int64 by = {{{divisor}}}, int64[1] zero = {{0}}, int64[1] axis = {{1}},
                 int64[1] first = {{1}}> {{
                s = Shape(x) c = Gather<axis=0>(s, channel) part = Div(c, by) end = Mul(part, first)
                a = Slice(x, zero, end, axis) y = Conv(a, w) }}""")

        self.assertEqual(self.network(split(2, "8")).only()["channels"], 4)
        for model in (split(0, "8"), split(2, "C")):
            (self.folder / "net.onnx").write_bytes(model.SerializeToString())
            self.refused("show", "net.onnx", says="net.onnx: ")

    def test_have_shapes_that_are_a_list_of_numbers(self) -> None:
        import onnx

        model = model_of("g (float[1,8,17,13] x, float[4,8,3,3] w) => (float[] y) "
                         "{ s = Constant() r = Reshape(x, s) y = Conv(r, w) }")
        model.graph.node[0].attribute.add(name="value_ints", type=onnx.AttributeProto.INTS, ints=(1, 8, 13, 17))
        self.assertEqual(self.network(model).only()["h"]["size"], 13)

    # --- fully connected layers

    def test_may_be_products_with_weights_in_either_orientation(self) -> None:
        network = self.network("""g (float[1,48] x, float[48,20] v, float[10,20] w, float[10] b) => (float[] y) {
            h = Gemm(x, v) y = Gemm<transB=1>(h, w, b) }""", "batch=5")
        self.assertEqual([(each["channels"], each["filters"], each["batch"]) for each in network.layers],
                         [(48, 20, 5), (20, 10, 5)])
        self.assertEqual((network.read_input, network.host), ([True, False], []))

    def test_may_be_products_of_the_vectors_of_a_sequence(self) -> None:
        network = self.network("g (float[2,7,16] x, float[16,32] w) => (float[] y) { y = MatMul(x, w) }", "batch=3")
        self.assertEqual(network.only()["batch"], 21)

    def test_are_no_products_of_two_computed_tensors(self) -> None:
        network = self.network("""g (float[1,7,16] x, float[1,1,1,1] i, float[1,1,1,1] w) => (float[] y) {
            t = Transpose<perm=[0,2,1]>(x) y = MatMul(x, t) z = Conv(i, w) }""")
        self.assertEqual((len(network.layers), len(network.host)), (1, 2))

    # --- names, inputs and operators of the host

    def test_have_the_names_of_modules_of_pytorch(self) -> None:
        for name, weights, expected in (
                ("/conv1/Conv", "w", "conv1"), ("/features/features.3/squeeze/Conv", "w", "features.3.squeeze"),
                ("/features/features.1/conv/conv.0/conv.0.0/Conv", "w", "features.1.conv.0.0"),
                ("/layer2/layer2.0/downsample/downsample.0/Conv", "w", "layer2.0.downsample.0"),
                ("/layer1/layer1.0/conv1/Conv_2", "w", "layer1.0.conv1"), ("Conv_7", "backbone.0.weight", "backbone.0"),
                ("block/Conv", "w", "block/Conv"), ("/Conv", "w", "/Conv"), ("", "w", "y"),  # the name of its output
                ("\u65e5", "w", "\u65e5")):
            model = model_of(convolution(""))
            model.graph.node[0].name = name
            model.graph.node[0].input[1] = model.graph.input[1].name = weights
            self.assertEqual(self.network(model).only()["name"], expected)
        twice = model_of("g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) { a = Conv(x, w) y = Conv(a, w) }")
        twice.graph.node[0].name, twice.graph.node[1].name = "/conv/Conv", "/conv/Conv_1"
        self.assertEqual([layer["name"] for layer in self.network(twice).layers], ["conv", "conv_1"])

    def test_read_the_input_of_the_graph_only_literally(self) -> None:
        network = self.network("""g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[] y) {
            i = Identity(x) a = Conv<pads=[1,1,1,1]>(x, w) b = Conv<pads=[1,1,1,1]>(i, w) c = Conv<pads=[1,1,1,1]>(x, w)
            y = Sum(a, b, c) }""")
        self.assertEqual(network.read_input, [True, False, True])

    def test_leave_operators_that_are_not_known_to_the_host(self) -> None:
        model = model_of(TWO)
        model.graph.node[1].op_type, model.graph.node[1].domain = "Swish", "com.example"
        network = self.network(model)
        self.assertEqual([(each["op"], each["shape"], each["elements"]) for each in network.host], [("Swish", [], 0)])
        self.assertEqual(len(network.warnings), 1)
        self.assertIn("operator Swish of domain com.example (node n1) is not known; the host computes it, and it has no price",
                      network.warnings[0])

    def test_have_inferred_shapes_where_the_file_declares_others(self) -> None:
        network = self.network("g (float[1,4,8,8] x, float[4,4,3,3] w) => (float[1,4,99,99] y) "
                               "{ a = Conv(x, w) y = Conv(a, w) }")
        self.assertEqual((network.layers[1]["h"]["size"], network.layers[1]["h"]["out"]), (6, 4))
        self.assertEqual(len(network.warnings), 1)
        self.assertIn(".onnx: value_info: y is 1x4x4x4, but declared as 1x4x99x99; the inferred shape is used",
                      network.warnings[0])


class OnnxImport(OnnxCase):
    def layers(self, model: Any) -> int:
        """The convolutions of a network that is read."""
        (self.folder / "net.onnx").write_bytes(model.SerializeToString())
        shown = self.ok("show", "net.onnx").out
        return int(shown.split(" convolutions,")[0].split()[-1])

    def refusal(self, content: bytes) -> str:
        (self.folder / "net.onnx").write_bytes(content)
        return self.refused("show", "net.onnx", says="net.onnx: ").rstrip("\n").removeprefix("weft: error: net.onnx: ")

    def says(self, model: Any, message: str) -> None:
        """Expects this message, up to three dots if there are any: the text of libonnx differs between its versions."""
        before, dots, _ = message.partition("...")
        found = self.refusal(model.SerializeToString())
        self.assertEqual(found[:len(before)] if dots else found, before)

    def changed(self, graph: str, message: str, change: Callable[[Any], object]) -> None:
        model = model_of(graph)
        change(model.graph)
        self.says(model, message)

    def test_names_the_node_and_what_is_allowed(self) -> None:
        for graph, message in REFUSALS:
            with self.subTest(graph=graph):
                self.says(model_of(graph), message)

    def test_of_what_is_no_model_is_one_line(self) -> None:
        whole = model_of(convolution("")).SerializeToString()
        for content in (whole[:-5], b"\x7fELF, not a model\n", b"network: alexnet\n", b""):
            self.assertTrue(self.refusal(content).startswith("is not an ONNX model"), content)

    def test_of_a_branch_that_data_decides_names_it_if_it_has_a_convolution(self) -> None:
        model = model_of("g (float[1,4,8,8] x, float[6,4,3,3] w, bool c) => (float[] y) { a = Relu(x) y = If(c) }")
        branch(model, "then_branch", BRANCH)
        branch(model, "else_branch", OTHER)
        self.says(model, "If node n1: its then_branch contains a convolution, but how often it runs depends on data; only the "
                         "branches of an If whose condition follows from constants and shapes are read...")

    def test_a_branch_that_shapes_decide_is_part_of_the_graph(self) -> None:
        def taken(condition: str, batch: str = "1") -> int:
            """The layers of a network with a condition c on the shape of a, 1x6x6x6: two with the then branch."""
            model = model_of(f"""g (float[{batch},4,8,8] x, float[6,4,3,3] v, float[6,4,3,3] w) => (float[] y)
                <int64 channel = {{1}}, int64 height = {{2}}, int64 six = {{6}}, int64 seven = {{7}}> {{
                a = Conv(x, v) s = Shape(a) h = Gather(s, height) d = Gather(s, channel) {condition} y = If(c) }}""")
            branch(model, "then_branch", BRANCH)
            branch(model, "else_branch", OTHER)
            (self.folder / "net.onnx").write_bytes(model.SerializeToString())
            self.assertEqual(self.ok("show", "net.onnx").err.count("the file gives no batch; the "), int(batch != "1"))
            return self.layers(model)

        for condition in ("c = Equal(h, six)", "c = Less(h, seven)", "e = Greater(h, six) c = Not(e)",
                          "c = LessOrEqual(h, six)", "c = GreaterOrEqual(seven, h)",
                          "e = Equal(h, six) f = Less(seven, d) c = Or(e, f)",
                          "e = Equal(h, six) f = Equal(d, seven) c = Xor(e, f)",
                          "e = Add(h, six) f = Equal(e, six) c = Not(f)"):
            self.assertEqual(taken(condition), 2, condition)
        for condition in ("c = Equal(h, seven)", "c = Greater(h, seven)", "e = Equal(d, six) c = Not(e)",
                          "e = Equal(h, six) f = Equal(d, seven) c = And(e, f)"):
            self.assertEqual(taken(condition), 1, condition)
        self.assertEqual(taken("c = Equal(h, six)", "N"), 2)

    def test_a_branch_that_a_constant_decides_is_part_of_the_graph(self) -> None:
        for value, layers, op in ((0, 1, "Identity"), (1, 0, "Relu")):
            model = model_of(f"g (float[1,4,8,8] x, float[6,4,3,3] w) => (float[] y) <bool c = {{{value}}}> "
                             "{ d = Not(c) y = If(d) }")
            branch(model, "then_branch", BRANCH)
            branch(model, "else_branch", OTHER)
            self.assertEqual(self.layers(model), layers)
            self.assertIn(f"1 {op}", self.ok("show", "net.onnx").out)

    def test_a_branch_may_hold_another(self) -> None:
        import onnx

        outer = model_of("""g (float[1,4,8,8] x, float[6,4,3,3] w) => (float[] y) <int64 i = {2}, int64 eight = {8}> {
            s = Shape(x) h = Gather(s, i) c = Equal(h, eight) y = If(c) }""")
        inner = model_of("""g (float[1,4,8,8] x) => (float[] t) {
            r = Relu(x) u = Shape(r) k = Gather(u, i) e = Less(k, eight) t = If(e) }""")
        branch(inner, "then_branch", OTHER)
        branch(inner, "else_branch", BRANCH)
        del inner.graph.input[:]
        for name in ("then_branch", "else_branch"):
            outer.graph.node[3].attribute.add(name=name, type=onnx.AttributeProto.GRAPH).g.CopyFrom(inner.graph)
        self.assertEqual(self.layers(outer), 1)

    def test_of_heads_that_do_not_fit_names_both_numbers(self) -> None:
        for inputs, node, message in (
                ("float[1,3,6,8] q, float[1,2,9,8] k, float[1,2,9,5] v", "Attention(q, k, v)",
                 "Attention node n0: has 3 heads of queries and 2 of keys; a multiple is needed..."),
                ("float[1,6,8] x, float[1,6,4] c, float[1,6,4] s", "RotaryEmbedding(x, c, s)",
                 "RotaryEmbedding node n0: has 0 heads, but its input is 1x6x8; num_heads must divide its last dimension..."),
                ("float[1,3,6,8] x, float[1,6,4] c, float[1,6,4] s", "RotaryEmbedding<rotary_embedding_dim=5>(x, c, s)",
                 "RotaryEmbedding node n0: turns 5 words of each head of 8; an even number up to 8 is allowed...")):
            self.says(model_of(one(inputs, node), 23), message)

    def test_of_a_function_names_it(self) -> None:
        called = with_function()
        self.assertEqual(self.layers(called), 2)
        shown = self.ok("show", "net.onnx").out
        self.assertIn("    n0/n0: 4 x 8x8 -> 4 x 3x3, kernel 3 stride 2\n", shown)
        self.assertIn(": 4 x 3x3 -> 4 x 1x1, kernel 3\n", shown)  # without the attribute, the operator's default
        self.assertIn(" 2 Relu\n", shown)
        node = called.functions[0].node[1]
        node.op_type, node.domain = "block", "example.com"
        node.input.append("w")
        self.assertIn("a function must not call itself", self.refusal(called.SerializeToString()))
        newer = with_function()
        newer.functions[0].opset_import.add(version=18)
        self.assertIn("function block: uses opset 18 of the ONNX domain, but the file opset 13",
                      self.refusal(newer.SerializeToString()))

    def test_of_a_convolution_of_another_domain_says_how_to_write_it(self) -> None:
        self.changed(convolution(""), "Conv node n0: is a convolution of domain com.microsoft, which is not known: write it as "
                     "Conv...", lambda graph: setattr(graph.node[0], "domain", "com.microsoft"))

    def test_of_two_things_of_one_name_names_both(self) -> None:
        def twice(graph: Any) -> None:
            initializer(graph, "w")
            initializer(graph, "w")

        def sparse(graph: Any) -> None:
            initializer(graph, "w")
            graph.sparse_initializer.add().values.name = "w"

        computes = "Relu node n1: computes {}, which is the name of another value, the {}; every name may be given once"
        self.changed(TWO, "initializer w: " + TWICE.format("initializer"), twice)
        self.changed(TWO, "initializer w: " + TWICE.format("initializer"), sparse)
        self.changed(TWO, "graph input x: " + TWICE.format("graph input"), lambda graph: graph.input.append(graph.input[0]))
        self.changed(TWO, "Relu node n0: " + TWICE.format("node"), lambda graph: setattr(graph.node[1], "name", "n0"))
        self.changed(TWO, computes.format("y", "initializer"), lambda graph: initializer(graph, "y"))
        self.changed(TWO, computes.format("x", "graph input"), lambda graph: graph.node[1].output.__setitem__(0, "x"))

    def test_of_an_output_that_nothing_computes_names_it(self) -> None:
        self.changed(TWO, "graph output z: is neither computed by a node, nor a graph input, nor an initializer",
                     lambda graph: setattr(graph.output[0], "name", "z"))
        passed = model_of(TWO)
        passed.graph.output.add().name = "x"
        self.assertEqual(self.layers(passed), 1)

    def test_of_an_opset_that_is_not_known_names_the_newest(self) -> None:
        for version in (25, 2**40):
            model = model_of(TWO)
            model.opset_import[0].version = version
            self.says(model, f"opset_import: opset {version} of the ONNX domain is newer than 24: export the network with "
                             "opset 24 or an older one")
        twice = model_of(TWO)
        twice.opset_import.add(domain="ai.onnx", version=9)
        self.assertIn("gives versions 13 and 9 of domain 'ai.onnx'; give one", self.refusal(twice.SerializeToString()))
        elsewhere = model_of(TWO)
        elsewhere.opset_import.add(domain="com.example", version=2**40)
        self.assertEqual(self.layers(elsewhere), 1)

    def test_of_attributes_names_those_that_there_are(self) -> None:
        pooled = "g (float[1,4,8,8] x) => (float[] y) { y = MaxPool<kernel_shape=[2,2]>(x) }"
        node = "MaxPool node n0: "
        self.changed(pooled, node + "has attribute kernel_shape twice; give it once",
                     lambda graph: graph.node[0].attribute.append(graph.node[0].attribute[0]))
        self.changed(pooled, node + "has attribute kernel, which MaxPool of opset 12 does not have; it has auto_pad, "
                     "ceil_mode, dilations, kernel_shape, pads, storage_order, strides",
                     lambda graph: setattr(graph.node[0].attribute[0], "name", "kernel"))
        self.changed(pooled, node + "has no attribute kernel_shape; give it",
                     lambda graph: graph.node[0].ClearField("attribute"))
        self.changed(pooled, node + "its attribute kernel_shape refers to attribute k of a function, but the node is in no "
                     "function; give its value", lambda graph: setattr(graph.node[0].attribute[0], "ref_attr_name", "k"))

    def test_of_weights_that_are_nowhere_names_them(self) -> None:
        self.changed(convolution(""), "Conv node n0: needs w, which is neither an initializer, nor a graph input...",
                     lambda graph: graph.input.pop())

    def test_of_names_that_a_terminal_would_obey_or_that_are_no_text_is_one_line(self) -> None:
        for name in (b"a\x1b[31m", b"two\nlines", b"a\xe2\x80\xaeb", b"caf\xe9"):
            whole = model_of(convolution("")).SerializeToString()
            self.assertEqual(whole.count(b"\x1a\x02n0"), 1)  # field 3, the name of the node
            node = whole.index(b"\x0a", whole.index(b"\x3a"))  # in field 7, the graph
            grown = bytearray(whole.replace(b"\x1a\x02n0", b"\x1a" + bytes([len(name)]) + name))
            for length in (node + 1, whole.index(b"\x3a") + 1):
                grown[length] += len(name) - 2
            self.refusal(bytes(grown))

    def test_of_a_name_with_control_characters_is_one_line(self) -> None:
        self.changed(convolution("strides=[0,0]"), "Conv node a\\x0ab\\x1b[31m: the name...",
                     lambda graph: setattr(graph.node[0], "name", "a\nb\x1b[31m"))


# Graphs, and what is wrong with each.
REFUSALS = (
    (convolution("", "1,4,9,9,9,9", "6,4,3,3,3,3"),
     "Conv node n0: its weights are 6x4x3x3x3x3; convolutions of 1 to 3 dimensions, with weights of rank 3 to 5, are "
     "supported"),
    (one("float[1,4,9,9,9] x, float[4,6,3,3,3] w", "ConvTranspose(x, w)"),
     "ConvTranspose node n0: is a transposed convolution of 3 dimensions, whose taps overlap in depth and would be "
     "summed by the host; 1 and 2 dimensions are supported: a Resize and a Conv of 3 dimensions can take its place"),
    (one("float[1,4,9,9] x, float[4,6,3,3] w", "ConvTranspose<output_padding=[2,0], dilations=[3,1]>(x, w)"),
     "ConvTranspose node n0: its result has 17 samples along an axis, but 9 inputs with stride 1 and a kernel of 7 give "
     "at most 15"),
    (one("float[1,4,9,9] x, float[4,6,3,3] w", "ConvTranspose<output_padding=[1]>(x, w)"),
     "ConvTranspose node n0: output_padding has 1 values, but a 2-D convolution takes 2"),
    (one("float[1,4,1,9] x, float[4,6,3,3] w", "ConvTranspose<pads=[2,0,1,0]>(x, w)"),
     "ConvTranspose node n0: its result has 0 samples along an axis; 1 to 2147483647 are allowed"),
    (convolution("", "1,4,10"),
     "Conv node n0: its input is 1x4x10, but its weights are 6x4x3x3; equal ranks are needed"),
    (convolution("", "1,4,H,10"),
     "Conv node n0: its input is 1x4x?x10, but channels and sizes must be static and 1 to 2147483647: dimension 2 (H) "
     "of graph input x is open; give its size in input_sizes of the run, or export the network with it"),
    (convolution("dilations=[2,2], strides=[2,2]", "1,4,4,4"),
     "Conv node n0: layer n0: its kernel is 5 high, which exceeds the 4 of its padded input: its dilation counts"),
    (convolution("", "1,4,9,9", "D,4,3,3"),
     "Conv node n0: its weights are ?x4x3x3, but every dimension must be static and 1 to 2147483647"),
    ("g (float[1,4,9,9] x, float[6,4,3,3] w) => (float[] y) { a = NoSuchOp(x) y = Conv(a, w) }",
     "Conv node n1: not even the rank of its input a is known (operator NoSuchOp of opset 13 (node n0) is not known); "
     "an input of rank 4 with static channels and sizes is needed"),
    (one("float[1,4,9,9] x, float[] w", "Conv(x, w)"),
     "Conv node n0: the shape of its weights w is not known; an initializer, a graph input or a value_info must give it"),
    (one("float[1,4,9,9] x", "Conv(x)"),
     "Conv node n0: has no weights; two operands are needed"),
    (convolution("", "1,4,0,10"),
     "graph input x: dimension 2 is 0, but 1 to 16777216 or a dynamic one are allowed"),
    (convolution("", "0,4,9,9"),
     "graph input x: dimension 0 is 0, but 1 to 16777216 or a dynamic one are allowed"),
    (convolution("", "1,4,4611686018427387904,10"),
     "graph input x: dimension 2 is 4611686018427387904, but 1 to 16777216 or a dynamic one are allowed"),
    (convolution("", "16777216,16777216,16777216,16777216", "6,16777216,1,1"),
     "Conv node n0: layer n0: its input has more than 2^40 words, the most that are allowed: give smaller sizes or a "
     "smaller batch"),
    (convolution("", "1,16777216,1,1", "16777216,16777216,1,1"),
     "Conv node n0: layer n0: its weights have more than 2^40 words, the most that are allowed: give smaller sizes or a "
     "smaller batch"),
    (convolution("strides=[0,1]"),
     "Conv node n0: strides holds 0, but 1 to 16777216 are allowed"),
    (convolution("pads=[0,0,-1,0]"),
     "Conv node n0: pads holds -1, but 0 to 16777216 are allowed"),
    (convolution("dilations=[1,0]"),
     "Conv node n0: dilations holds 0, but 1 to 16777216 are allowed"),
    (convolution("dilations=[1,9000000000]"),
     "Conv node n0: dilations holds 9000000000, but 1 to 16777216 are allowed"),
    (one("float[1,4,9,9] x", "MaxPool<kernel_shape=[2,2], strides=[0,0]>(x)"),
     "MaxPool node n0: strides holds 0, but 1 to 16777216 are allowed"),
    (convolution("strides=[1]"),
     "Conv node n0: strides has 1 values, but a 2-D convolution takes 2"),
    (convolution("pads=[1,1]"),
     "Conv node n0: pads has 2 values, but a 2-D convolution takes 4"),
    (convolution("group=3"),
     "Conv node n0: group is 3, but it must be at least 1 and divide its 4 channels and 6 filters"),
    (convolution("group=0"),
     "Conv node n0: group is 0, but it must be at least 1 and divide its 4 channels and 6 filters"),
    (convolution("", "1,5,9,9"),
     "Conv node n0: its input has 5 channels in 1 groups, but its weights 6x4x3x3 take 4 each"),
    (convolution("kernel_shape=[5,5]"),
     "Conv node n0: kernel_shape is 5x5, but its weights are 6x4x3x3"),
    (convolution("pads=[0,1,0,0]", "1,4,9,1"),
     "Conv node n0: layer n0: its kernel is 3 wide, which exceeds the 2 of its padded input"),
    (convolution('auto_pad="SAME"'),
     "Conv node n0: auto_pad is SAME; NOTSET, VALID, SAME_UPPER and SAME_LOWER are allowed"),
    (convolution('auto_pad="VALID", pads=[1,1,1,1]'),
     "Conv node n0: has pads and auto_pad VALID; only one of them is allowed"),
    (one("float[1,48] x, float[50,10] w", "Gemm(x, w)"),
     "Gemm node n0: its input is 1x48, but its weights 50x10 take 50 features"),
    (one("float[1,4,9,9] x, float[6,4,3,3] w, float[5] b", "Conv(x, w, b)"),
     "Conv node n0: its bias b is 5, but 6 filters need a vector of 6"),
    (one("float[1,4,9,9] x, float[6,4,3,3] w, float[1,6] b", "Conv(x, w, b)"),
     "Conv node n0: its bias b is 1x6, but 6 filters need a vector of 6"),
    (one("float[1,4,9,9] x, float[6,4,3,3] w, float[6] b", "Conv(x, w, b, b)"),
     "Conv node n0: has 4 operands; 2 or 3 are allowed"),
    (one("float[1,4,9,9] x, float[4] a, float[3] b", "BatchNormalization(x, a, a, b, a)"),
     "BatchNormalization node n0: its mean b is 3, but 4 channels need a vector of 4"),
    (one("float[1,4,9,9] x, float[4] a, float[3] b", "InstanceNormalization(x, a, b)"),
     "InstanceNormalization node n0: its shift b is 3, but 4 channels need a vector of 4"),
    (one("float[1,4,9,9] x, float[3,1,1] a", "PRelu(x, a)"),
     "PRelu node n0: its slope a is 3x1x1, which cannot be broadcast to 1x4x9x9"),
    (one("float[1,48] x, float[48,10] w, float[9] b", "Gemm(x, w, b)"),
     "Gemm node n0: its bias b is 9, which cannot be broadcast to 1x10"),
    ("g (float[1,48] x) => (float[] y) { a = Relu(x) y = Gemm<transA=1>(x, a) z = Gemm(x, a) }",
     "Gemm node n2: its input is 1x48, but its weights 1x48 take 1 features"),
    ("g (float[2,3,4] x) => (float[] y) { a = Relu(x) y = MatMul(x, a) }",
     "MatMul node n1: the shapes of its operands and its attributes contradict each other (x 2x3x4, a 2x3x4): "
     "Incompatible dimensions for matrix multiplication"),
    (one("float[1,4,9,9] x, float[5,1,1] b", "Add(x, b)"),
     "Add node n0: the shapes of its operands and its attributes contradict each other (x 1x4x9x9, b 5x1x1): "
     "Incompatible dimensions"),
    ("g (float[1,4,9,9] x) => (float[] y) { a = MaxPool<kernel_shape=[2,2]>(x) y = Concat<axis=1>(x, a) }",
     "Concat node n1: the shapes of its operands and its attributes contradict each other (x 1x4x9x9, a 1x4x8x8): Can't "
     "merge shape info. ..."),
    (one("float[1,4,9,9] x", "Concat<axis=4>(x, x)"),
     "Concat node n0: axis holds 4, but its input is 1x4x9x9"),
    (one("float[1,4,9,9] x, float[5,4,3,3] w", "ConvTranspose(x, w)"),
     "ConvTranspose node n0: its input has 4 channels in 1 groups, but its weights 5x4x3x3 take 5"),
    (one("float[1,4,9,9] x, float[4,3,3,3] w, float[3] b", "ConvTranspose<group=2>(x, w, b)"),
     "ConvTranspose node n0: its bias b is 3, but 6 filters need a vector of 6"),
    ("g (uint8[1,4,9,9] x, uint8[5,3,3,3] w) => (int32[] y) { y = ConvInteger(x, w) }",
     "ConvInteger node n0: its input has 4 channels in 1 groups, but its weights 5x3x3x3 take 3 each"),
    ("g (float[1,4,9,9] x) => (float[] y) <int64[2] s = {1, 323}> { y = Reshape(x, s) }",
     "Reshape node n0: makes 1x323 of 323 elements from 1x4x9x9 of 324; it must keep their number"),
    (one("float[1,4,9,9] x", "Relu(x, x)"),
     "Relu node n0: has 2 operands; 1 are allowed"),
    (one("float[1,4,9,4] x", "MaxPool<kernel_shape=[3,3], dilations=[1,3], pads=[0,1,0,1]>(x)"),
     "MaxPool node n0: its window covers 7 samples, but with its padding the input has only 6"),
    (one("float[1,4,9,9] x", "MaxPool<kernel_shape=[3]>(x)"),
     "MaxPool node n0: kernel_shape has 1 values, but its input is 1x4x9x9"),
    (one("float[1,4,9,9] x", 'MaxPool<kernel_shape=[3,3], auto_pad="SAME">(x)'),
     "MaxPool node n0: auto_pad is SAME; NOTSET, VALID, SAME_UPPER and SAME_LOWER are allowed"),
    ("g (float[1,4,9,9] x) => (float[] y) { y = Relu(a) a = Relu(x) }",
     "Relu node n0: needs a, which a later node computes; nodes must be in topological order"),
    ("g (float[1,4,9,9] x) => (float[] y) { y = Relu(x) y = Relu(x) }",
     "Relu node n1: computes y, which another node computes too"),
)


if __name__ == "__main__":
    unittest.main()
