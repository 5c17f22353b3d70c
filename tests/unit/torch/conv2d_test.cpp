#include "torch/conv2d.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <random>
#include <utility>

#include "model/core/error.h"
#include "torch/loop_accelerator.h"

namespace weft::nn {
namespace {

using Options = torch::nn::Conv2dOptions;

// Returns a kernel of each variant that any small layer fits. INP and KERN share a channel, so that a convolution that
// ignores the addresses of its tensors reads the wrong one.
KernelSet roomy_kernels() {
  KernelSet set;
  set.channel_of_port = {1, 1, 0};
  set.channels = 2;
  set.channel_bytes = Bytes{1} << 30;
  for (const fpgpt::Variant variant : {fpgpt::Variant::FGI, fpgpt::Variant::GW}) {
    fpgpt::Alpha alpha;
    alpha.x = 4;
    alpha.y = 3;
    alpha.z = 1 << 20;
    alpha.z_channel = alpha.k_range = alpha.kern_words = alpha.out_words = 1 << 20;
    alpha.variant = variant;
    set.kernels.push_back({fpgpt::to_string(variant), alpha, {}});
  }
  return set;
}

std::shared_ptr<LoopAccelerator> loops() {
  return std::make_shared<LoopAccelerator>(roomy_kernels());
}

// Returns the largest difference, relative to the largest value of `wanted`.
double difference(const torch::Tensor& got, const torch::Tensor& wanted) {
  if (got.sizes() != wanted.sizes()) return 1e9;
  return ((got - wanted).abs().max() / (wanted.abs().max() + 1e-30)).item<double>();
}

void copy_parameters(const torch::nn::Conv2d& from, const Conv2d& to) {
  const torch::NoGradGuard copying;
  ASSERT_EQ(to->parameters().size(), from->parameters().size());
  for (std::size_t i = 0; i < from->parameters().size(); ++i) to->parameters()[i].copy_(from->parameters()[i]);
}

// Compares output and all gradients of one layer with equal parameters and input on LibTorch and on the accelerator.
void expect_as_native(const Options& options, const torch::Tensor& image, const std::string& what,
                      const std::shared_ptr<LoopAccelerator>& card = loops(), double most = 1e-5) {
  torch::nn::Conv2d native(options);
  Conv2d ours(options, card, "layer");
  ASSERT_NO_FATAL_FAILURE(copy_parameters(native, ours)) << what;
  const torch::Tensor x = image.clone().requires_grad_(), z = image.clone().requires_grad_();
  const torch::Tensor wanted = native->forward(x), got = ours->forward(z);
  ASSERT_LT(difference(got, wanted), most) << what << ", F";
  const torch::Tensor gradient = torch::randn(wanted.sizes());
  wanted.backward(gradient);
  got.backward(gradient);
  EXPECT_LT(difference(z.grad(), x.grad()), most) << what << ", GI";
  for (std::size_t i = 0; i < native->parameters().size(); ++i) {
    EXPECT_LT(difference(ours->parameters()[i].grad(), native->parameters()[i].grad()), most) << what << ", GW " << i;
  }
}

TEST(Conv2d, ComputesWhatLibTorchComputes) {
  torch::manual_seed(7);
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int grouped = 0, strided = 0, dilated = 0;
  for (int i = 0; i < 120; ++i) {
    const int groups = pick(0, 2) == 0 ? pick(2, 3) : 1;
    const int in = groups * pick(1, 3), out = groups * pick(1, 3);
    Options options(in, out, {pick(1, 4), pick(1, 4)});
    options.stride({pick(1, 3), pick(1, 3)}).dilation({pick(1, 2), pick(1, 2)}).groups(groups).bias(pick(0, 1) == 1);
    options.padding(torch::ExpandingArray<2>({pick(0, 3), pick(0, 3)}));
    grouped += groups > 1;
    strided += (*options.stride())[0] != (*options.stride())[1];
    dilated += (*options.dilation())[0] > 1;
    const torch::Tensor image = torch::randn({pick(1, 3), in, pick(7, 11), pick(7, 11)});
    std::ostringstream what;
    what << "case " << i << ": " << *torch::nn::Conv2d(options) << ", input " << image.sizes();
    expect_as_native(options, image, what.str());
  }
  EXPECT_GT(grouped, 10);
  EXPECT_GT(strided, 10);
  EXPECT_GT(dilated, 10);
}

// Kernels whose sizes suffice for few filters: F, GI and GW in parts, with KERN of GI in their order.
TEST(Conv2d, ComputesInPartsWhatLibTorchComputes) {
  torch::manual_seed(11);
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (const int bits : {32, 12}) {
    KernelSet set = roomy_kernels();
    set.split = true;
    for (CardKernel& kernel : set.kernels) {
      if (bits != 32) kernel.alpha.format = NumberFormat::fixed(bits);
      kernel.alpha.y = 2;
      kernel.alpha.z_channel = 1 << 12;
      kernel.alpha.k_range = 200;     // GW: filters of up to 7 x 7 gradients
      kernel.alpha.kern_words = 400;  // F and GI: filters or channels of up to 7 * 4 * 4 words
    }
    const auto card = std::make_shared<LoopAccelerator>(set);
    int split = 0;
    for (int i = 0; i < 30; ++i) {
      const int groups = pick(1, 2), in = groups * pick(3, 7), out = groups * pick(3, 7), kernel = pick(1, 4);
      Options options(in, out, {kernel, kernel});
      options.stride({pick(1, 2), pick(1, 2)}).groups(groups);
      conv::LayerAxis axis{7, kernel, 1, 0, 0, 1};
      for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
        const conv::Layer layer{"layer", 2, in, out, groups, axis, axis};
        split += !plan_convolution(set, layer, kind, set.kernels.front().alpha.format).parts.empty();
      }
      expect_as_native(options, torch::randn({2, in, 7, 7}), std::to_string(bits) + " bits, case " + std::to_string(i),
                       card, bits == 32 ? 1e-5 : 0.01);
    }
    EXPECT_GT(split, 10);
  }
}

// Fixed point through lanes, first words of groups, and back: the result equals the plain convolution of the words and
// is near LibTorch's. Packed and padded; scales and random bits are per tensor.
TEST(Conv2d, ComputesFixedPointAsThePlainConvolutionDoes) {
  torch::manual_seed(17);
  std::mt19937 random(17);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (const auto& [bits, packing] :
       {std::pair{8, Packing::Packed}, std::pair{12, Packing::Packed}, std::pair{12, Packing::Padded}}) {
    KernelSet set = roomy_kernels();
    for (CardKernel& kernel : set.kernels) {
      kernel.alpha.format = NumberFormat::fixed(bits);
      kernel.alpha.packing = packing;
      kernel.alpha.z_channel = kernel.alpha.k_range = 1 << 12;  // so that little is read after a tensor
    }
    const auto card = std::make_shared<LoopAccelerator>(std::move(set));
    int checked = 0;
    card->precision.watchers.emplace_back([&](const Computed& computed) {
      ASSERT_NE(computed.sums, nullptr);
      EXPECT_EQ(*computed.sums, plain_convolution(computed.layer, computed.kind, *computed.inp, *computed.kern))
          << computed.name();
      ++checked;
    });
    for (int i = 0; i < 15; ++i) {
      const int groups = pick(1, 3), in = groups * pick(1, 3), out = groups * pick(1, 3);
      Options options(in, out, {pick(1, 3), pick(1, 3)});
      options.stride({pick(1, 3), pick(1, 3)}).dilation({pick(1, 2), pick(1, 2)}).groups(groups);
      options.padding(torch::ExpandingArray<2>({pick(0, 2), pick(0, 2)}));
      const double near = bits == 8 ? 0.1 : 0.01;  // relative to the largest value: some words of rounding error each
      expect_as_native(options, torch::randn({2, in, pick(7, 9), pick(7, 9)}), std::to_string(bits) + " bits", card,
                       near);
    }
    EXPECT_EQ(checked, 45);
  }
}

// F, GI and GW of transposed layers, on the accelerator and by LibTorch's function with one padding for each end.
TEST(ConvTranspose2d, ComputesWhatLibTorchComputes) {
  torch::manual_seed(9);
  std::mt19937 random(9);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < 120; ++i) {
    conv::Layer layer;
    layer.transposed = true;
    layer.groups = pick(0, 2) == 0 ? pick(2, 3) : 1;
    layer.filters = layer.groups * pick(1, 3);
    layer.channels = layer.groups * pick(1, 3);
    layer.batch = pick(1, 3);
    torch::nn::ConvTranspose2dOptions options(layer.filters, layer.channels, {pick(1, 4), pick(1, 4)});
    options.stride({pick(1, 3), pick(1, 3)}).dilation({pick(1, 2), pick(1, 2)}).groups(layer.groups);
    std::vector<std::int64_t> sizes, paddings, added;
    for (const std::size_t axis : {0U, 1U}) {
      conv::LayerAxis& a = axis == 0 ? layer.h : layer.w;
      a.kernel = static_cast<int>((*options.kernel_size())[axis]);
      a.stride = static_cast<int>((*options.stride())[axis]);
      a.dilation = static_cast<int>((*options.dilation())[axis]);
      const int size = pick(3, 7), padding = pick(0, std::min(2, a.kernel_extent() - 1)), more = pick(0, a.stride - 1);
      a.size = a.stride * (size - 1) + a.kernel_extent() - 2 * padding + more;
      a.pad_begin = padding;
      a.pad_end = std::max(0, padding - more);
      ASSERT_EQ(a.out(), size);
      sizes.push_back(size);
      paddings.push_back(padding);
      added.push_back(more);
    }
    options.padding(torch::ExpandingArray<2>(paddings)).output_padding(torch::ExpandingArray<2>(added));
    torch::nn::ConvTranspose2d native(options);
    const torch::Tensor image = torch::randn({layer.batch, layer.filters, sizes[0], sizes[1]});
    const torch::Tensor x = image.clone().requires_grad_(), wanted = native->forward(x);
    const torch::Tensor gradient = torch::randn(wanted.sizes());
    wanted.backward(gradient);
    for (const auto& card : {std::shared_ptr<Accelerator>(loops()), std::shared_ptr<Accelerator>()}) {
      ConvTranspose2d ours(layer, true, card);
      {
        const torch::NoGradGuard copying;
        ours->weight.copy_(native->weight);
        ours->bias.copy_(native->bias);
      }
      const torch::Tensor z = image.clone().requires_grad_(), got = ours->forward(z);
      ASSERT_LT(difference(got, wanted), 1e-5) << i << ", F";
      got.backward(gradient);
      EXPECT_LT(difference(z.grad(), x.grad()), 1e-5) << i << ", GI";
      EXPECT_LT(difference(ours->weight.grad(), native->weight.grad()), 1e-5) << i << ", GW";
    }
  }
}

TEST(Conv2d, KnowsEveryWayToPad) {
  torch::manual_seed(8);
  const torch::Tensor image = torch::randn({2, 2, 6, 7});
  expect_as_native(Options(2, 3, {2, 4}).padding(torch::kSame).dilation({1, 2}), image, "same");
  expect_as_native(Options(2, 3, 3).padding(torch::kValid), image, "valid");
  expect_as_native(Options(2, 3, 3).padding({1, 2}).padding_mode(torch::kReflect), image, "reflect");
  expect_as_native(Options(2, 3, 3).padding({2, 1}).padding_mode(torch::kReplicate), image, "replicate");
  expect_as_native(Options(2, 3, 3).padding({1, 2}).padding_mode(torch::kCircular), image, "circular");
}

TEST(Conv2d, TakesOneImageWithoutABatch) {
  torch::manual_seed(9);
  expect_as_native(Options(2, 3, 3).padding(1), torch::randn({2, 5, 5}), "(C, H, W)");
}

TEST(Conv2d, TakesTensorsThatAreNotContiguous) {
  torch::manual_seed(10);
  const Options options = Options(3, 2, 3).bias(false);
  torch::nn::Conv2d native(options);
  Conv2d ours(options, loops());
  copy_parameters(native, ours);
  const torch::Tensor image = torch::randn({1, 6, 5, 3}).permute({0, 3, 1, 2});
  const torch::Tensor wanted = native->forward(image), got = ours->forward(image);
  EXPECT_LT(difference(got, wanted), 1e-5);
  wanted.transpose(2, 3).sum().backward();
  got.transpose(2, 3).sum().backward();  // the gradient is a view of one word
  EXPECT_LT(difference(ours->weight.grad(), native->weight.grad()), 1e-5);
}

// Counts the convolutions that run: gradients of inputs that need none, and of frozen weights, are not computed.
class CountingAccelerator : public LoopAccelerator {
 public:
  using LoopAccelerator::LoopAccelerator;
  void run(const ConvolutionPlan& plan, const std::byte* inp, const std::byte* kern, std::byte* out) override {
    kinds += conv::to_string(plan.launches.front().kind) + std::string(" ");
    LoopAccelerator::run(plan, inp, kern, out);
  }
  std::string kinds;
};

TEST(Conv2d, RunsOnlyWhatIsNeededAndGiBeforeGw) {
  const auto card = std::make_shared<CountingAccelerator>(roomy_kernels());
  Conv2d layer(Options(1, 1, 3), card);
  const torch::Tensor image = torch::randn({1, 1, 5, 5});
  layer->forward(image).sum().backward();
  EXPECT_EQ(std::exchange(card->kinds, ""), "F GW ");
  layer->forward(image.clone().requires_grad_()).sum().backward();
  EXPECT_EQ(std::exchange(card->kinds, ""), "F GI GW ");
  layer->weight.set_requires_grad(false);
  layer->forward(image.clone().requires_grad_()).sum().backward();
  EXPECT_EQ(std::exchange(card->kinds, ""), "F GI ");
  const torch::NoGradGuard evaluating;
  layer->forward(image);
  EXPECT_EQ(card->kinds, "F ");
}

TEST(Conv2d, RefusesWhatItCannotDo) {
  Conv2d layer(Options(1, 1, 3), loops(), "first");
  EXPECT_THROW(layer->forward(torch::randn({1, 1, 5, 5}, torch::kDouble)), c10::Error);
  EXPECT_THROW(layer->forward(torch::randn({1, 2, 5, 5})), c10::Error);
  EXPECT_THROW(layer->forward(torch::randn({5, 5})), c10::Error);
  EXPECT_THROW(layer->forward(torch::randn({1, 1, 2, 2})), Error);  // no output
  const torch::Tensor image = torch::randn({1, 1, 5, 5}).requires_grad_();
  const torch::Tensor sum = layer->forward(image).sum();
  EXPECT_THROW(torch::autograd::grad({sum}, {image}, {}, true, /*create_graph=*/true), c10::Error);
}

}  // namespace
}  // namespace weft::nn
