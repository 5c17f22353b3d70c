// Shapes of operators in small graphs, worked out by hand from the standard's text.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/workloads/onnx/onnx_text.h"
#include "workloads/onnx/checks.h"

namespace weft::workloads {
namespace {

struct Worked {
  int opset;
  const char* inputs;     // in ONNX's textual syntax
  const char* constants;  // initializers
  const char* nodes;      // that compute y
  const char* shape;      // of y
  friend void PrintTo(const Worked& worked, std::ostream* out) { *out << worked.nodes << " of opset " << worked.opset; }
};

const std::vector<Worked> kWorked{
    // Reductions: axes are an attribute up to opset 17 (ReduceSum: 12), then an operand.
    {13, "float[1,8,16,16] x", "", "y = ReduceMean<axes=[2,3], keepdims=1>(x)", "1x8x1x1"},
    {18, "float[1,8,16,16] x", "int64[2] a = {2, 3}", "y = ReduceMean<keepdims=1>(x, a)", "1x8x1x1"},
    {18, "float[1,8,16,16] x", "int64[2] a = {-1, 2}", "y = ReduceMax<keepdims=0>(x, a)", "1x8"},
    {20, "float[1,8,16,16] x", "int64[1] a = {1}", "y = ReduceMin(x, a)", "1x1x16x16"},
    {18, "float[1,8,16,16] x", "", "y = ReduceL2(x)", "1x1x1x1"},
    {18, "float[1,8,16,16] x", "", "y = ReduceProd<noop_with_empty_axes=1>(x)", "1x8x16x16"},
    {13, "float[1,8,16,16] x", "int64[1] a = {-3}", "y = ReduceSum<keepdims=0>(x, a)", "1x16x16"},
    {18, "float[1,8,4] x", "int64[1] a = {2}", "y = ReduceLogSumExp<keepdims=0>(x, a)", "1x8"},
    // Split: equal parts, the last one smaller.
    {13, "float[1,16,8,8] x", "int64[2] s = {6, 10}", "a, y = Split<axis=1>(x, s)", "1x10x8x8"},
    {18, "float[1,16,8,8] x", "", "y, a = Split<axis=1, num_outputs=2>(x)", "1x8x8x8"},
    {18, "float[1,7,8,8] x", "", "a, b, y = Split<axis=1, num_outputs=3>(x)", "1x1x8x8"},  // 3, 3, 1
    {18, "float[1,7,8,8] x", "int64[3] s = {2, 2, 3}", "a, b, y = Split<axis=-3>(x, s)", "1x3x8x8"},
    // Pad: begins, then ends.
    {11, "float[1,3,5,6] x", "int64[8] p = {0, 0, 1, 2, 0, 0, 3, 4}", "y = Pad(x, p)", "1x3x9x12"},
    {18, "float[1,3,16,16] x", "int64[4] p = {1, 2, 3, 4}, int64[2] a = {2, 3}", "y = Pad(x, p, , a)", "1x3x20x22"},
    {19, "float[1,3,5,6] x", "int64[4] p = {-1, 0, -1, 0}, int64[2] a = {-2, -1}", "y = Pad<mode=\"wrap\">(x, p, , a)",
     "1x3x3x6"},
    // Resize: floor(size * scale), or the given sizes.
    {13, "float[1,4,8,8] x", "float[4] s = {1.0, 1.0, 2.0, 2.5}", "y = Resize(x, , s)", "1x4x16x20"},
    {18, "float[1,4,8,8] x", "float[2] s = {2.0, 2.0}", "y = Resize<axes=[2,3]>(x, , s)", "1x4x16x16"},
    {11, "float[1,4,10,9] x", "float[0] r = {}, float[4] s = {1.0, 1.0, 0.7, 0.4}", "y = Resize(x, r, s)", "1x4x7x3"},
    {18, "float[1,4,10,9] x", "float[2] s = {0.7, 0.4}", "y = Resize<axes=[2,3]>(x, , s)", "1x4x7x3"},
    {18, "float[1,4,7,9] x", "float[2] s = {0.5, 1.5}", "y = Resize<axes=[2,3]>(x, , s)", "1x4x3x13"},
    {18, "float[1,4,8,8] x", "int64[2] s = {17, 5}", "y = Resize<axes=[2,3]>(x, , , s)", "1x4x17x5"},
    {18, "float[1,4,10,20] x", "int64[2] s = {30, 30}",
     "y = Resize<axes=[2,3], keep_aspect_ratio_policy=\"not_larger\">(x, , , s)", "1x4x15x30"},
    {18, "float[1,4,10,20] x", "int64[2] s = {30, 30}",
     "y = Resize<axes=[2,3], keep_aspect_ratio_policy=\"not_smaller\">(x, , , s)", "1x4x30x60"},
    // Pools: a window begins inside the input or its left padding.
    {13, "float[1,2,5,5] x", "", "y = MaxPool<kernel_shape=[3,3], strides=[3,3], pads=[1,1,1,1], ceil_mode=1>(x)",
     "1x2x2x2"},
    {13, "float[1,3,32,32] x", "", "y = MaxPool<kernel_shape=[1,1], strides=[2,2], ceil_mode=1>(x)", "1x3x16x16"},
    {13, "float[1,1,9,9] x", "", "y = AveragePool<kernel_shape=[4,4], strides=[4,4], pads=[2,2,2,2], ceil_mode=1>(x)",
     "1x1x3x3"},
    {13, "float[1,1,8,8] x", "", "y = MaxPool<kernel_shape=[3,3], strides=[2,2], ceil_mode=1>(x)", "1x1x4x4"},
    {19, "float[1,4,15,15] x", "", "y = AveragePool<kernel_shape=[3,3], dilations=[2,2]>(x)", "1x4x11x11"},
    {22, "float[1,4,15] x", "", "y = MaxPool<kernel_shape=[4], strides=[4]>(x)", "1x4x3"},
    {18, "float[1,4,7,7] x", "", "y = LpPool<kernel_shape=[2,2], strides=[2,2], ceil_mode=1>(x)", "1x4x4x4"},
    {18, "float[1,4,7,7] x", "", "y = LpPool<kernel_shape=[3,3], dilations=[3,3]>(x)", "1x4x1x1"},
    {22, "float[1,4,7,7] x", "", "y = GlobalAveragePool(x)", "1x4x1x1"},
    // Operators that keep the shape.
    {20, "float[1,8,4] x", "", "y = Gelu<approximate=\"tanh\">(x)", "1x8x4"},
    {18, "float[1,8,4,4] x", "", "y = Mish(x)", "1x8x4x4"},
    {14, "float[1,8,4,4] x", "", "y = HardSwish(x)", "1x8x4x4"},
    {24, "float[1,8,4,4] x", "", "y = Swish<alpha=1.702>(x)", "1x8x4x4"},
    {18, "float[1,8,4,4] x, float[4] s, float[4] b", "", "y = GroupNormalization<num_groups=4>(x, s, b)", "1x8x4x4"},
    {21, "float[1,8,4,4] x, float[8] s, float[8] b", "", "y = GroupNormalization<num_groups=4>(x, s, b)", "1x8x4x4"},
    {17, "float[1,6,8] x, float[8] s, float[8] b", "", "y = LayerNormalization(x, s, b)", "1x6x8"},
    {23, "float[1,6,8] x, float[8] s", "", "y = RMSNormalization(x, s)", "1x6x8"},
    {15, "float[1,8] x, int32[1] t", "", "y = CastLike(x, t)", "1x8"},
    {24, "float[1,8] x", "", "y = Cast<to=1, round_mode=\"up\">(x)", "1x8"},
    {14, "float[1,4,4] x", "", "y = Trilu<upper=0>(x)", "1x4x4"},
    {18, "float[4,4,4] x, int64[2,1] i, float[2,4,4] u", "", "y = ScatterND<reduction=\"max\">(x, i, u)", "4x4x4"},
    {23, "float[1,3,6,8] x, float[1,6,4] c, float[1,6,4] s", "", "y = RotaryEmbedding(x, c, s)", "1x3x6x8"},
    {21, "float[1,8,4,4] x, float s, int8 z", "", "a = QuantizeLinear(x, s, z) y = DequantizeLinear(a, s, z)",
     "1x8x4x4"},
    // Attention: queries by values; 3-D operands have their heads in the last dimension.
    {23, "float[1,4,6,8] q, float[1,2,9,8] k, float[1,2,9,5] v", "", "y = Attention(q, k, v)", "1x4x6x5"},
    {23, "float[1,6,32] q, float[1,9,16] k, float[1,9,10] v", "",
     "y = Attention<q_num_heads=4, kv_num_heads=2>(q, k, v)", "1x6x20"},
    {23, "float[1,4,6,8] q, float[1,2,9,8] k, float[1,2,9,5] v, float[1,2,3,8] pk, float[1,2,3,5] pv", "",
     "a, y = Attention(q, k, v, , pk, pv)", "1x2x12x8"},
    // Axes that go, and one that comes.
    {11, "float[1,1,8,1] x", "", "y = Squeeze(x)", "8"},
    {11, "float[1,1,8,1] x", "", "y = Squeeze<axes=[-1,1]>(x)", "1x8"},
    {13, "float[1,1,8,1] x", "", "y = Squeeze(x)", "8"},
    {11, "int64[1,3] x", "int64 d = {5}, float[2] v = {0.0, 1.0}", "y = OneHot<axis=1>(x, d, v)", "1x5x3"},
    {9, "int64[1,3] x", "float d = {5.0}, float[2] v = {0.0, 1.0}", "y = OneHot(x, d, v)", "1x3x5"},
    // Sampling and deformation.
    {16, "float[1,3,9,9] x, float[1,5,6,2] g", "", "y = GridSample(x, g)", "1x3x5x6"},
    {20, "float[1,3,9,9,9] x, float[1,4,5,6,3] g", "", "y = GridSample(x, g)", "1x3x4x5x6"},
    {20, "float[2,2,3] t", "int64[4] s = {2, 3, 5, 6}", "y = AffineGrid(t, s)", "2x5x6x2"},
    {19, "float[1,4,9,9] x, float[6,4,3,3] w, float[1,18,4,4] o", "", "y = DeformConv<strides=[2,2]>(x, w, o)",
     "1x6x4x4"},
    {18, "float[1,3,9,9] x", "int64[2] s = {5, 12}", "y = CenterCropPad<axes=[2,3]>(x, s)", "1x3x5x12"},
    {18, "float[1,12,9] x", "int64[2] i = {4, 4}, int64[2] b = {2, 2}", "y = Col2Im(x, i, b)", "1x3x4x4"},
    // Einsum: a letter is a dimension; without a result, the letters used once in alphabetical order.
    {12, "float[1,4,8,7] x, float[6,4] w", "", "y = Einsum<equation=\"nchw,oc->nohw\">(x, w)", "1x6x8x7"},
    {12, "float[1,3,6,8] q, float[1,3,9,8] k", "", "y = Einsum<equation=\"b h q d, b h k d -> b h q k\">(q, k)",
     "1x3x6x9"},
    {12, "float[3,4] a, float[4,5] b", "", "c = Relu(b) y = Einsum<equation=\"zj,jk\">(a, c)", "5x3"},
    // Convolutions: 2 * 8 + 0 + 3 - 2; in times stride; stride * (in - 1) + output_padding + dilation * (k - 1) + 1.
    {13, "float[1,4,9,9] x, float[4,6,3,3] w", "", "y = ConvTranspose<strides=[2,2], pads=[1,1,1,1]>(x, w)",
     "1x6x17x17"},
    {13, "float[1,1,5,5] x, float[1,1,3,3] w", "", "y = ConvTranspose<auto_pad=\"SAME_UPPER\", strides=[2,2]>(x, w)",
     "1x1x10x10"},
    {22, "float[1,4,7,7] x, float[4,2,2,2] w", "",
     "y = ConvTranspose<group=2, strides=[3,3], dilations=[2,2], output_padding=[1,2]>(x, w)", "1x4x22x23"},
    {13, "float[1,4,9,9] x, float[4,6,3,3] w", "",
     "y = ConvTranspose<output_shape=[20,19], strides=[2,2], "
     "output_padding=[1,1]>(x, w)",
     "1x6x20x19"},
    {22, "float[1,4,100] x, float[8,4,3] w", "", "y = Conv<strides=[2]>(x, w)", "1x8x49"},
    {22, "float[1,4,8,9,10] x, float[8,4,3,3,3] w", "", "y = Conv<strides=[2,1,1], pads=[1,0,0,1,0,0]>(x, w)",
     "1x8x4x7x8"},
    {13, "uint8[1,4,8,8] x, uint8[8,4,3,3] w", "", "y = ConvInteger<pads=[1,1,1,1]>(x, w)", "1x8x8x8"},
};

class WorkedShapes : public testing::TestWithParam<Worked> {};

TEST_P(WorkedShapes, AreThoseOfTheImport) {
  const Worked& worked = GetParam();
  const Graph graph = imported_graph(worked.inputs, worked.constants, worked.nodes, worked.opset);
  EXPECT_EQ(dims_text(tensor_of(graph, "y").shape), worked.shape);
}

INSTANTIATE_TEST_SUITE_P(Graph, WorkedShapes, testing::ValuesIn(kWorked));

}  // namespace
}  // namespace weft::workloads
