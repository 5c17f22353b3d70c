#include "model/fpgpt/exact/memo_cache.h"

#include <vector>

#include "model/fpgpt/topology.h"

namespace weft::fpgpt::exact {

namespace {

// Limit of channel entries kept for a convolution of another shape, which shares few request traces.
constexpr std::size_t kKeptOfOthers = 64 << 20;

std::vector<PortDirection> directions() {
  std::vector<PortDirection> ports;
  for (const PortInfo& port : topology().ports) ports.push_back(port.direction);
  return ports;
}

// Returns the response time of a memory that accepts every beat at once.
WriteAnswer answer_of(const memory::MemoryConfig& config) {
  return {config.kind == memory::MemoryKind::ddr4 ? 2 + config.latency_cycles : 1 + config.ideal_latency_cycles};
}

// Returns true if two plans differ only in tensor addresses, which enter keys only through AlignmentFingerprint.
bool differ_in_places_alone(const Plan& a, const Plan& b) {
  const auto anywhere = [](const Plan& plan) {
    conv::Convolution beta = plan.beta;
    for (conv::TensorView* view : {&beta.inp, &beta.kern, &beta.out}) view->base = view->first = 0;
    return beta;
  };
  return a.with_data == b.with_data && a.alpha == b.alpha && anywhere(a) == anywhere(b);
}

}  // namespace

void MemoCache::begin(const Setting& setting, const engine::ExactOptions& options) {
  const auto all = static_cast<std::size_t>(options.memo_bytes) - bytes_of_clocks(options);
  channels_ = &channel_cache_.begin(setting.memory, directions(), all - bytes_of_kernel(options));
  const bool goes_on = memos_ && evictions_ == channel_cache_.shared().evictions() &&
                       interval_cycles_ == options.interval_cycles && differ_in_places_alone(*plan_, *setting.plan);
  if (!goes_on) {
    channel_cache_.keep_at_most(kKeptOfOthers);
    memos_ = std::make_unique<KernelMemos>(*channels_, channel_cache_.shared());
  }
  bytes_ = all;
  if (memory() > bytes_of_kernel(options) || over_limit()) evict();
  evictions_ = channel_cache_.shared().evictions();
  plan_ = setting.plan;
  interval_cycles_ = options.interval_cycles;
  states().begin(setting);
  memo().begin(setting, answer_of(setting.memory));
  joint_memo().begin(setting, answer_of(setting.memory));
}

void MemoCache::evict() {
  memo().evict();
  states().evict();
  joint_memo().evict();
  evict_traces();
}

void MemoCache::evict_except(JointState& joint) {
  joint_memo().evict_except(joint);
  memo().evict();
  states().evict();
  evict_traces();
}

void MemoCache::evict_traces() {
  channel_cache_.evict_traces();
  evictions_ = channel_cache_.shared().evictions();
}

std::size_t MemoCache::memory() const {
  return memos_->states.memory() + memos_->memo.memory() + channel_cache_.memory_of_traces();
}

}  // namespace weft::fpgpt::exact
