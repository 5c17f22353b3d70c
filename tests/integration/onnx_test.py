"""Networks that weft refuses, and the one line that says why: models in ONNX's textual syntax, most with one change."""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable
from typing import Any

from support import WeftTest

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


class OnnxImport(WeftTest):
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
