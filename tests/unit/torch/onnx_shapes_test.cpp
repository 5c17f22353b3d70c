// Shapes of imported operators equal those of the tensors that LibTorch computes: random operators of every kind for
// which it has a function, in random opsets. The importer has no part in the wanted shapes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <map>
#include <random>

#include "tests/unit/workloads/onnx/onnx_text.h"

namespace weft::nn {
namespace {

namespace functional = torch::nn::functional;
using Sizes = std::vector<std::int64_t>;
using torch::Tensor;

struct Case {
  std::vector<Sizes> inputs;    // x, w
  std::string constants, node;  // in ONNX's textual syntax; the results are y, y1, ...
  int opset = 13;
  std::vector<Tensor> wanted = {};
};

std::string listed(const Sizes& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

class Operators {
 public:
  explicit Operators(std::uint32_t seed) : random_(seed) {}

  // One of kKinds kinds.
  static constexpr int kKinds = 21;
  Case next(int kind) {
    switch (kind) {
      case 0:
      case 1:
      case 2:
        return convolution(kind + 1);
      case 3:
      case 4:
        return transposed(kind - 2);
      case 5:
      case 6:
      case 7:
        return max_pool(kind - 4);
      case 8:
      case 9:
      case 10:
        return average_pool(kind - 7);
      case 11:
        return reduction();
      case 12:
        return split();
      case 13:
        return pad();
      case 14:
        return resize();
      case 15:
        return einsum();
      case 16:
        return elementwise();
      case 17:
        return product();
      case 18:
        return slice();
      case 19:
        return grid_sample();
      default:
        return reshape();
    }
  }

 private:
  std::int64_t pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  int opset(int least, int most = 24) { return static_cast<int>(pick(least, most)); }
  Sizes sizes(std::size_t count, int low, int high) {
    Sizes all(count);
    for (std::int64_t& each : all) each = pick(low, high);
    return all;
  }
  static Tensor zeros(const Sizes& shape) { return torch::zeros(shape); }
  static Sizes both(const Sizes& pads) {
    Sizes all = pads;
    all.insert(all.end(), pads.begin(), pads.end());
    return all;
  }
  static Sizes with(Sizes head, const Sizes& tail) {
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
  }

  Case convolution(int rank) {
    const auto n = static_cast<std::size_t>(rank);
    const std::int64_t groups = pick(1, 3), in = groups * pick(1, 2), out = groups * pick(1, 2);
    const Sizes kernel = sizes(n, 1, 3), strides = sizes(n, 1, 3), dilations = sizes(n, 1, 2), pads = sizes(n, 0, 3);
    const Sizes x = with({pick(1, 2), in}, sizes(n, 6, 9)), w = with({out, in / groups}, kernel);
    Case c{{x, w},
           "",
           fmt::format("Conv<strides=[{}], dilations=[{}], pads=[{}], group={}>(x, w)", listed(strides),
                       listed(dilations), listed(both(pads)), groups),
           opset(7)};
    c.wanted = {torch::convolution(zeros(x), zeros(w), {}, strides, pads, dilations, false, Sizes(n, 0), groups)};
    return c;
  }

  Case transposed(int rank) {
    const auto n = static_cast<std::size_t>(rank);
    const std::int64_t groups = pick(1, 3), in = groups * pick(1, 2), out = groups * pick(1, 2);
    const Sizes kernel = sizes(n, 2, 4), strides = sizes(n, 1, 3), dilations = sizes(n, 1, 2), pads = sizes(n, 0, 1);
    Sizes added(n);
    for (std::size_t i = 0; i < n; ++i) added[i] = pick(0, static_cast<int>(strides[i]) - 1);
    const Sizes x = with({pick(1, 2), in}, sizes(n, 3, 6)), w = with({in, out / groups}, kernel);
    Case c{{x, w},
           "",
           fmt::format("ConvTranspose<strides=[{}], dilations=[{}], pads=[{}], output_padding=[{}], group={}>(x, w)",
                       listed(strides), listed(dilations), listed(both(pads)), listed(added), groups),
           opset(7)};
    c.wanted = {torch::convolution(zeros(x), zeros(w), {}, strides, pads, dilations, true, added, groups)};
    return c;
  }

  Case max_pool(int rank) {
    const auto n = static_cast<std::size_t>(rank);
    const Sizes kernel = sizes(n, 1, 4), strides = sizes(n, 1, 4), dilations = sizes(n, 1, 2);
    Sizes pads(n);
    for (std::size_t i = 0; i < n; ++i) pads[i] = pick(0, static_cast<int>(kernel[i]) / 2);
    const bool ceils = pick(0, 2) > 0;
    const Sizes x = with({pick(1, 2), 2}, sizes(n, 7, 12));
    Case c{{x},
           "",
           fmt::format("MaxPool<kernel_shape=[{}], strides=[{}], dilations=[{}], pads=[{}], ceil_mode={}>(x)",
                       listed(kernel), listed(strides), listed(dilations), listed(both(pads)), ceils ? 1 : 0),
           opset(10)};
    c.wanted = {rank == 1   ? torch::max_pool1d(zeros(x), kernel, strides, pads, dilations, ceils)
                : rank == 2 ? torch::max_pool2d(zeros(x), kernel, strides, pads, dilations, ceils)
                            : torch::max_pool3d(zeros(x), kernel, strides, pads, dilations, ceils)};
    return c;
  }

  Case average_pool(int rank) {
    const auto n = static_cast<std::size_t>(rank);
    const Sizes kernel = sizes(n, 1, 5), strides = sizes(n, 1, 5);
    Sizes pads(n);
    for (std::size_t i = 0; i < n; ++i) pads[i] = pick(0, static_cast<int>(kernel[i]) / 2);
    const bool ceils = pick(0, 2) > 0;
    const Sizes x = with({pick(1, 2), 2}, sizes(n, 6, 12));
    Case c{{x},
           "",
           fmt::format("AveragePool<kernel_shape=[{}], strides=[{}], pads=[{}], ceil_mode={}>(x)", listed(kernel),
                       listed(strides), listed(both(pads)), ceils ? 1 : 0),
           opset(10)};
    c.wanted = {rank == 1   ? torch::avg_pool1d(zeros(x), kernel, strides, pads, ceils)
                : rank == 2 ? torch::avg_pool2d(zeros(x), kernel, strides, pads, ceils)
                            : torch::avg_pool3d(zeros(x), kernel, strides, pads, ceils)};
    return c;
  }

  // The axes are an attribute in older opsets, else an operand.
  Case reduction() {
    const Sizes x = sizes(static_cast<std::size_t>(pick(2, 5)), 2, 5);
    Sizes axes;
    for (int i = 0; i < static_cast<int>(x.size()); ++i) {
      if (pick(0, 1) == 1) axes.push_back(pick(0, 1) == 1 ? i : i - static_cast<int>(x.size()));
    }
    if (axes.empty()) axes = {-1};
    const bool keeps = pick(0, 1) == 1;
    const std::string op =
        std::vector<std::string>{"ReduceMean", "ReduceMax", "ReduceL2"}[static_cast<std::size_t>(pick(0, 2))];
    const int version = opset(11);
    Case c{{x}, "", "", version};
    if (version < 18) {
      c.node = fmt::format("{}<axes=[{}], keepdims={}>(x)", op, listed(axes), keeps ? 1 : 0);
    } else {
      c.constants = fmt::format("int64[{}] a = {{{}}}", axes.size(), listed(axes));
      c.node = fmt::format("{}<keepdims={}>(x, a)", op, keeps ? 1 : 0);
    }
    c.wanted = {torch::sum(zeros(x), axes, keeps)};
    return c;
  }

  Case split() {
    const std::int64_t axis = pick(1, 2), parts = pick(2, 4);
    Sizes x = sizes(4, 2, 5);
    x[static_cast<std::size_t>(axis)] = pick(static_cast<int>(parts), 13);
    // torch::chunk may give fewer parts; num_outputs then has an empty last one, which ONNX refuses.
    const auto chunks = torch::chunk(zeros(x), parts, axis);
    Case c{{x}, "", fmt::format("Split<axis={}, num_outputs={}>(x)", axis, chunks.size()), opset(18)};
    c.wanted = torch::chunk(zeros(x), static_cast<std::int64_t>(chunks.size()), axis);
    if (c.wanted.size() != chunks.size()) return split();
    return c;
  }

  Case pad() {
    const Sizes x = sizes(4, 2, 6), pads = sizes(4, -1, 3);  // top, left, bottom, right
    const int version = opset(18);
    Case c{{x}, fmt::format("int64[4] p = {{{}}}, int64[2] a = {{2, 3}}", listed(pads)), "Pad(x, p, , a)", version};
    c.wanted = {functional::pad(zeros(x), functional::PadFuncOptions({pads[1], pads[3], pads[0], pads[2]}))};
    return c;
  }

  Case resize() {
    const Sizes x = sizes(4, 3, 9), to = sizes(2, 2, 20);
    if (pick(0, 1) == 1) {
      const double h = static_cast<double>(pick(1, 12)) / 4, w = static_cast<double>(pick(2, 12)) / 4;
      Case c{{x}, fmt::format("float[2] s = {{{:.2f}, {:.2f}}}", h, w), "Resize<axes=[2, 3]>(x, , s)", opset(18)};
      if (std::floor(static_cast<double>(x[2]) * h) < 1) return resize();
      c.wanted = {functional::interpolate(
          zeros(x),
          functional::InterpolateFuncOptions().scale_factor(std::vector<double>{h, w}).recompute_scale_factor(true))};
      return c;
    }
    Case c{{x}, fmt::format("int64[4] s = {{{}, {}, {}}}", x[0], x[1], listed(to)), "Resize(x, , , s)", opset(13)};
    c.wanted = {functional::interpolate(zeros(x), functional::InterpolateFuncOptions().size(to))};
    return c;
  }

  Case einsum() {
    const std::map<char, std::int64_t> size{
        {'b', pick(2, 4)}, {'h', pick(2, 4)}, {'q', pick(2, 5)}, {'k', pick(2, 5)}, {'d', pick(2, 5)}};
    const std::vector<std::array<std::string, 3>> equations{{"bhqd", "bhkd", "bhqk"}, {"bqd", "bkd", "qbk"},
                                                            {"bhq", "hqk", "bk"},     {"bq", "k", "kqb"},
                                                            {"bhqd", "kh", "bkqd"},   {"bqk", "bqk", "b"}};
    const auto& e = equations[static_cast<std::size_t>(pick(0, 5))];
    const auto shape = [&](const std::string& term) {
      Sizes sizes;
      for (const char letter : term) sizes.push_back(size.at(letter));
      return sizes;
    };
    Case c{{shape(e[0]), shape(e[1])},
           "",
           fmt::format("Einsum<equation=\"{},{}->{}\">(x, w)", e[0], e[1], e[2]),
           opset(12)};
    c.wanted = {torch::einsum(e[0] + "," + e[1] + "->" + e[2], {zeros(shape(e[0])), zeros(shape(e[1]))})};
    return c;
  }

  Case elementwise() {
    const std::vector<std::pair<const char*, int>> ops{{"Relu", 7},       {"Gelu", 20},    {"Mish", 18},
                                                       {"HardSwish", 14}, {"Swish", 24},   {"Sigmoid", 7},
                                                       {"Trilu", 14},     {"Softplus", 7}, {"LogSoftmax", 13}};
    const auto& [op, since] = ops[static_cast<std::size_t>(pick(0, static_cast<int>(ops.size()) - 1))];
    const Sizes x = sizes(static_cast<std::size_t>(pick(2, 5)), 1, 5);
    Case c{{x}, "", fmt::format("{}(x)", op), opset(since)};
    c.wanted = {torch::relu(zeros(x))};
    return c;
  }

  // A product of two computed operands, with broadcast leading dimensions.
  Case product() {
    const std::int64_t m = pick(1, 4), k = pick(1, 4), n = pick(1, 4), heads = pick(1, 3);
    const Sizes a{pick(0, 1) == 1 ? 1 : 2, heads, m, k}, b = pick(0, 1) == 1 ? Sizes{heads, k, n} : Sizes{2, 1, k, n};
    Case c{{a, b}, "", "MatMul(x, w)", opset(9)};
    c.wanted = {torch::matmul(zeros(a), zeros(b))};
    return c;
  }

  Case slice() {
    const Sizes x = sizes(3, 4, 9);
    const std::int64_t from = pick(-3, 2), to = pick(3, 12), step = pick(1, 3);
    Case c{{x},
           fmt::format("int64[1] s = {{{}}}, int64[1] e = {{{}}}, int64[1] a = {{1}}, int64[1] d = {{{}}}", from, to,
                       step),
           "Slice(x, s, e, a, d)",
           opset(11)};
    const Tensor all = zeros(x);
    const std::int64_t begin = from < 0 ? from + x[1] : from;
    if (begin >= std::min(to, x[1])) return slice();
    c.wanted = {all.slice(1, from, to, step)};
    return c;
  }

  Case grid_sample() {
    const Sizes x = sizes(4, 2, 5), grid{x[0], pick(1, 6), pick(1, 6), 2};
    Case c{{x, grid}, "", "GridSample(x, w)", opset(16)};
    c.wanted = {torch::grid_sampler(zeros(x), zeros(grid), 0, 0, false)};
    return c;
  }

  Case reshape() {
    const Sizes x{pick(1, 3), 2 * pick(1, 3), pick(1, 4), pick(1, 4)};
    const Sizes to = pick(0, 1) == 1 ? Sizes{x[0], 2, -1} : Sizes{x[0], -1, x[3]};
    Case c{{x}, fmt::format("int64[3] s = {{{}}}", listed(to)), "Reshape(x, s)", opset(7)};
    c.wanted = {zeros(x).reshape(to)};
    return c;
  }

  std::mt19937 random_;
};

TEST(OnnxShapes, OfRandomOperatorsAreThoseOfLibTorch) {
  Operators operators(400);
  std::map<int, int> opsets;
  for (int i = 0; i < 20 * Operators::kKinds; ++i) {
    const Case c = operators.next(i % Operators::kKinds);
    std::string results = "y";
    for (std::size_t slot = 1; slot < c.wanted.size(); ++slot) results += fmt::format(", y{}", slot);
    std::string inputs;
    for (std::size_t slot = 0; slot < c.inputs.size(); ++slot) {
      inputs += fmt::format("{}float[{}] {}", slot == 0 ? "" : ", ", listed(c.inputs[slot]), slot == 0 ? "x" : "w");
    }
    const std::string nodes = results + " = " + c.node;
    const workloads::Graph graph = workloads::imported_graph(inputs, c.constants, nodes, c.opset);
    ++opsets[c.opset];
    for (std::size_t slot = 0; slot < c.wanted.size(); ++slot) {
      const auto& found = workloads::tensor_of(graph, slot == 0 ? "y" : fmt::format("y{}", slot));
      std::int64_t elements = 1;
      for (const std::int64_t size : found.shape) elements *= size;
      EXPECT_EQ(found.shape, c.wanted[slot].sizes().vec()) << "opset " << c.opset << ": " << nodes << " of " << inputs;
      EXPECT_EQ(found.elements, elements);
    }
  }
  EXPECT_EQ(opsets.size(), 18U);  // 7 to 24
}

}  // namespace
}  // namespace weft::nn
