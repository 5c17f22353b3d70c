#include "torch/conv2d.h"

#include <fmt/core.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/functional/conv.h>
#include <torch/nn/functional/padding.h>

#include <limits>
#include <utility>

#include "model/core/error.h"
#include "torch/variant.h"

namespace weft::nn {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// LayerPlan as an object that autograd keeps between forward and backward.
struct PlanHolder : torch::CustomClassHolder {
  explicit PlanHolder(std::shared_ptr<LayerPlan> of) : plan(std::move(of)) {}
  std::shared_ptr<LayerPlan> plan;
};

torch::Tensor convolve(LayerPlan& plan, conv::Kind kind, const torch::Tensor& inp, const torch::Tensor& kern,
                       at::IntArrayRef out_shape) {
  torch::Tensor out = torch::empty(out_shape, inp.options());
  plan.run(kind, inp.data_ptr<float>(), kern.data_ptr<float>(), out.data_ptr<float>());
  return out;
}

std::vector<std::int64_t> out_shape(const conv::Layer& layer) {
  if (layer.transposed) return {layer.batch, layer.channels, layer.h.size, layer.w.size};
  return {layer.batch, layer.filters, layer.h.out(), layer.w.out()};
}

struct Convolution : torch::autograd::Function<Convolution> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input, const torch::Tensor& weight,
                               const std::shared_ptr<LayerPlan>& plan) {
    const torch::Tensor ifm = input.contiguous(), weights = weight.contiguous();
    context->save_for_backward({ifm, weights});
    context->saved_data["plan"] = c10::IValue::make_capsule(c10::make_intrusive<PlanHolder>(plan));
    return convolve(*plan, conv::Kind::F, ifm, weights, out_shape(plan->layer()));
  }

  // GI before GW, the order of the training graph (workloads/graph/training_graph.h).
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!torch::GradMode::is_enabled(), "weft::nn::Conv2d: its gradients have no gradients (create_graph)");
    const variable_list saved = context->get_saved_variables();
    const auto holder = c10::static_intrusive_pointer_cast<PlanHolder>(context->saved_data["plan"].toCapsule());
    const torch::Tensor gradient = gradients[0].contiguous();
    torch::Tensor of_ifm, of_weights;
    if (context->needs_input_grad(0)) {
      of_ifm = convolve(*holder->plan, conv::Kind::GI, gradient, saved[1], saved[0].sizes());
    }
    if (context->needs_input_grad(1)) {
      const bool swaps = holder->plan->layer().transposed;  // INP is the gradient
      of_weights = convolve(*holder->plan, conv::Kind::GW, swaps ? gradient : saved[0], swaps ? saved[0] : gradient,
                            saved[1].sizes());
    }
    return {of_ifm, of_weights, {}};
  }
};

int to_int(std::int64_t value) {
  if (value > std::numeric_limits<int>::max()) throw Error(fmt::format("a size of {} is beyond any kernel", value));
  return static_cast<int>(value);
}

}  // namespace

Conv2dImpl::Conv2dImpl(torch::nn::Conv2dOptions given, std::shared_ptr<Accelerator> card, std::string name)
    : ConvNdImpl(decltype(options)(given.in_channels(), given.out_channels(), given.kernel_size())
                     .stride(given.stride())
                     .padding(given.padding())
                     .dilation(given.dilation())
                     .groups(given.groups())
                     .bias(given.bias())
                     .padding_mode(given.padding_mode())),
      card_(std::move(card)),
      name_(std::move(name)) {}

std::shared_ptr<LayerPlan> Conv2dImpl::plan_of(const torch::Tensor& input, bool padded) {
  const std::array<std::int64_t, 3> key{input.size(0), input.size(2), input.size(3)};
  std::shared_ptr<LayerPlan>& plan = plans_[key];
  if (plan) return plan;
  conv::Layer layer;
  layer.name = name_;
  layer.batch = to_int(input.size(0));
  layer.channels = to_int(options.in_channels());
  layer.filters = to_int(options.out_channels());
  layer.groups = to_int(options.groups());
  const auto axis = [&](std::size_t i) {
    conv::LayerAxis a;
    a.size = to_int(input.size(static_cast<std::int64_t>(i) + 2));
    a.kernel = to_int(options.kernel_size()->at(i));
    a.stride = to_int(options.stride()->at(i));
    a.dilation = to_int(options.dilation()->at(i));
    if (padded) return a;
    if (const auto* zeros = get_if<torch::ExpandingArray<2>>(&options.padding())) {
      a.pad_begin = a.pad_end = to_int((*zeros)->at(i));
    } else if (holds_alternative<torch::enumtype::kSame>(options.padding())) {
      const int missing = a.kernel_extent() - 1;
      a.pad_begin = missing / 2;
      a.pad_end = missing - a.pad_begin;
    }
    return a;
  };
  layer.h = axis(0);
  layer.w = axis(1);
  plan = std::make_shared<LayerPlan>(card_, std::move(layer));
  return plan;
}

torch::Tensor Conv2dImpl::forward(const torch::Tensor& input) {
  if (input.dim() == 3) return forward(input.unsqueeze(0)).squeeze(0);
  TORCH_CHECK(input.dim() == 4, "weft::nn::Conv2d ", name_, ": its input has ", input.dim(), " dimensions, not 3 or 4");
  TORCH_CHECK(input.size(1) == options.in_channels(), "weft::nn::Conv2d ", name_, ": its input has ", input.size(1),
              " channels, not ", options.in_channels());
  for (const torch::Tensor& tensor : {input, weight}) {
    TORCH_CHECK(tensor.scalar_type() == torch::kFloat && tensor.device().is_cpu() && !tensor.is_sparse(),
                "weft::nn::Conv2d ", name_, ": its tensors must be of float, on the CPU");
  }
  torch::Tensor ifm = input;
  const bool padded = !holds_alternative<torch::enumtype::kZeros>(options.padding_mode());
  if (padded) {
    namespace functional = torch::nn::functional;
    functional::PadFuncOptions::mode_t mode = torch::kReflect;
    if (holds_alternative<torch::enumtype::kReplicate>(options.padding_mode())) mode = torch::kReplicate;
    if (holds_alternative<torch::enumtype::kCircular>(options.padding_mode())) mode = torch::kCircular;
    ifm = functional::pad(input, functional::PadFuncOptions(_reversed_padding_repeated_twice).mode(mode));
  }
  const torch::Tensor ofm = Convolution::apply(ifm, weight, plan_of(ifm, padded));
  return bias.defined() ? ofm + bias.view({1, -1, 1, 1}) : ofm;
}

ConvTranspose2dImpl::ConvTranspose2dImpl(conv::Layer layer, bool with_bias, std::shared_ptr<Accelerator> card)
    : layer_(std::move(layer)) {
  weight = register_parameter(
      "weight", torch::empty({layer_.filters, layer_.channels / layer_.groups, layer_.h.kernel, layer_.w.kernel}));
  if (with_bias) bias = register_parameter("bias", torch::empty({layer_.channels}));
  if (card) plan_ = std::make_shared<LayerPlan>(std::move(card), layer_);
}

torch::Tensor ConvTranspose2dImpl::forward(const torch::Tensor& input) {
  const torch::Tensor maps = plan_ ? Convolution::apply(input, weight, plan_) : computed_by_libtorch(input);
  return bias.defined() ? maps + bias.view({1, -1, 1, 1}) : maps;
}

// The whole result, cropped or continued by zeros: LibTorch has one padding for both ends.
torch::Tensor ConvTranspose2dImpl::computed_by_libtorch(const torch::Tensor& input) const {
  namespace functional = torch::nn::functional;
  functional::ConvTranspose2dFuncOptions options;
  options.stride({layer_.h.stride, layer_.w.stride}).dilation({layer_.h.dilation, layer_.w.dilation});
  options.groups(layer_.groups);
  const torch::Tensor whole = functional::conv_transpose2d(input, weight, options);
  const auto end = [](const conv::LayerAxis& axis, std::int64_t size) { return axis.size + axis.pad_begin - size; };
  return functional::pad(whole, functional::PadFuncOptions({-layer_.w.pad_begin, end(layer_.w, whole.size(3)),
                                                            -layer_.h.pad_begin, end(layer_.h, whole.size(2))}));
}

}  // namespace weft::nn
