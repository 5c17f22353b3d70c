#include "torch/layer_plan.h"

#include <cstddef>
#include <vector>

#include "model/stream/lanes.h"
#include "workloads/lowering.h"

namespace weft::nn {

namespace {

using conv::Kind;
using fpgpt::Port;

// Tensors of a layer. A tensor's random bits are the same in every convolution that reads it (NUM-11).
enum Tensor : std::uint32_t { kOfIfm, kOfWeights, kOfGradient, kOfF, kOfGi, kOfGw, kTensors };
struct Operand {
  Tensor tensor;
  const char* name;
};
constexpr Operand kIfm{kOfIfm, "IFM"}, kWeights{kOfWeights, "weights"}, kGradient{kOfGradient, "gradient of its OFM"};

struct Operands {
  Operand inp, kern;
  Tensor out;
};
Operands operands_of(const conv::Layer& layer, Kind kind) {
  if (layer.transposed && kind == Kind::GW) return {kGradient, kIfm, kOfGw};
  switch (kind) {
    case Kind::GI:
      return {kGradient, kWeights, kOfGi};
    case Kind::GW:
      return {kIfm, kGradient, kOfGw};
    case Kind::F:
      break;
  }
  return {kIfm, kWeights, kOfF};
}

}  // namespace

std::string Computed::name() const {
  return layer.name + ":" + conv::to_string(kind);
}

LayerPlan::LayerPlan(std::shared_ptr<Accelerator> card, conv::Layer layer)
    : card_(std::move(card)), layer_(std::move(layer)), number_(card_->next_layer()) {
  workloads::check(layer_);
}

quantiser::Randomness LayerPlan::randomness(std::uint32_t tensor) const {
  const Precision& precision = card_->precision;
  return {precision.seed, kTensors * number_ + tensor, precision.iteration};
}

const ConvolutionPlan& LayerPlan::plan(Kind kind, NumberFormat format) {
  const std::pair key{kind, format.bits};
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    found = plans_.emplace(key, plan_convolution(card_->kernels(), layer_, kind, format)).first;
  }
  return found->second;
}

void LayerPlan::run(Kind kind, const float* inp, const float* kern, float* out) {
  const Precision& precision = card_->precision;
  const NumberFormat format = precision.of(layer_.name + ":" + conv::to_string(kind));
  const ConvolutionPlan& plan = this->plan(kind, format);
  if (format.is_fixed()) {
    run_fixed(kind, plan, inp, kern, out);
    return;
  }
  std::vector<float> ordered;
  card_->run(plan, reinterpret_cast<const std::byte*>(inp),
             reinterpret_cast<const std::byte*>(plan.in_order(kern, ordered)), reinterpret_cast<std::byte*>(out));
  const Computed computed{layer_,  kind,    format,  out, static_cast<std::size_t>(plan.words.out),
                          nullptr, nullptr, nullptr, 0,   randomness(operands_of(layer_, kind).out)};
  for (const auto& watch : precision.watchers) watch(computed);
}

void LayerPlan::run_fixed(Kind kind, const ConvolutionPlan& plan, const float* inp, const float* kern, float* out) {
  const Precision& precision = card_->precision;
  const fpgpt::Alpha& alpha = card_->kernels().kernels.at(plan.kernel).alpha;
  const Operands operands = operands_of(layer_, kind);
  int scale = 0;
  const auto quantised = [&](Operand operand, const float* data, Words count) {
    const quantiser::Values values{layer_.name + ": " + operand.name, data, static_cast<std::size_t>(count)};
    quantiser::Rounding how{alpha.format.bits, 0, randomness(operand.tensor)};
    how.scale = quantiser::scale_of(values, how.bits, precision.headroom);
    std::vector<std::int16_t> words(values.size);
    quantiser::quantise(values, how, words.data());
    scale += how.scale;
    return words;
  };
  const auto packed = [&](Port port, const std::int16_t* words, Words count, Bytes bytes) {
    std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
    stream::pack(alpha.lanes(port), words, count, memory.data());
    return memory;
  };
  const std::vector<std::int16_t> inp_words = quantised(operands.inp, inp, plan.words.inp),
                                  kern_words = quantised(operands.kern, kern, plan.words.kern);
  std::vector<std::int32_t> sums(static_cast<std::size_t>(plan.words.out));
  std::vector<std::int16_t> ordered;
  card_->run(plan, packed(Port::Inp, inp_words.data(), plan.words.inp, plan.bytes.inp).data(),
             packed(Port::Kern, plan.in_order(kern_words.data(), ordered), plan.words.kern, plan.bytes.kern).data(),
             reinterpret_cast<std::byte*>(sums.data()));
  quantiser::dequantise({layer_.name + ":" + conv::to_string(kind), sums.data(), sums.size(), scale}, out);
  const Computed computed{layer_,     kind,        alpha.format, out,   sums.size(),
                          &inp_words, &kern_words, &sums,        scale, randomness(operands.out)};
  for (const auto& watch : precision.watchers) watch(computed);
}

}  // namespace weft::nn
