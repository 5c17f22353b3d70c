#include "model/fpgpt/exact/knowledge.h"

#include <vector>

#include "model/fpgpt/topology.h"

namespace weft::fpgpt::exact {

namespace {

// Bytes of what is known of channels that are kept for a convolution of another shape, which meets few of the same
// request traces.
constexpr std::size_t kKeptOfOthers = 64 << 20;

std::vector<PortDirection> directions() {
  std::vector<PortDirection> ports;
  for (const PortInfo& port : topology().ports) ports.push_back(port.direction);
  return ports;
}

// The write responses of a memory that takes every beat as it comes.
WriteAnswer answer_of(const memory::MemoryConfig& config) {
  return {config.kind == memory::MemoryKind::ddr4 ? 2 + config.latency_cycles : 1 + config.ideal_latency_cycles};
}

// No state and no stretch tells where a tensor lies, but for what of it was looked at (Outlook).
bool differ_in_places_alone(const Plan& a, const Plan& b) {
  const auto anywhere = [](const Plan& plan) {
    conv::Convolution beta = plan.beta;
    for (conv::TensorView* view : {&beta.inp, &beta.kern, &beta.out}) view->base = view->first = 0;
    return beta;
  };
  return a.with_data == b.with_data && a.alpha == b.alpha && anywhere(a) == anywhere(b);
}

}  // namespace

void Knowledge::begin(const Setting& setting, const engine::ExactOptions& options) {
  const auto all = static_cast<std::size_t>(options.memo_bytes);
  channels_ = &sent_.begin(setting.memory, directions(), all - bytes_of_kernel(options));
  const bool goes_on = kernel_ && forgotten_ == sent_.shared().forgotten() &&
                       stretch_cycles_ == options.stretch_cycles && differ_in_places_alone(*plan_, *setting.plan);
  if (!goes_on) {
    sent_.keep_at_most(kKeptOfOthers);
    kernel_ = std::make_unique<OfKernel>(*channels_, sent_.shared());
  }
  bytes_ = all;
  if (memory() > bytes_of_kernel(options) || beyond_all()) forget();
  forgotten_ = sent_.shared().forgotten();
  plan_ = setting.plan;
  stretch_cycles_ = options.stretch_cycles;
  states().begin(setting);
  memo().begin(setting, answer_of(setting.memory));
  joint_memo().begin(setting, answer_of(setting.memory));
}

void Knowledge::forget() {
  memo().forget();
  states().forget();
  joint_memo().forget();
  forget_sent();
}

void Knowledge::forget_but(JointState& joint) {
  joint_memo().forget_but(joint);
  memo().forget();
  states().forget();
  forget_sent();
}

void Knowledge::forget_sent() {
  sent_.forget_sent();
  forgotten_ = sent_.shared().forgotten();
}

std::size_t Knowledge::memory() const {
  return kernel_->states.memory() + kernel_->memo.memory() + sent_.memory_of_sent();
}

}  // namespace weft::fpgpt::exact
