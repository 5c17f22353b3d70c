#include "model/engine/channels.h"

#include <set>
#include <utility>

namespace weft::engine {

Channels::Channels(const memory::MemoryConfig& config, std::vector<PortDirection> ports)
    : config_(config), directions_(std::move(ports)) {
  if (config.kind != memory::MemoryKind::ddr4) return;
  const std::set<int> used(config.port_channel.begin(), config.port_channel.end());
  numbers_.assign(used.begin(), used.end());
  for (const int channel : numbers_) {
    ports_of_.emplace_back();
    for (std::size_t port = 0; port < config.port_channel.size(); ++port) {
      if (config.port_channel[port] == channel) ports_of_.back().push_back(port);
    }
    shared_ = shared_ || ports_of_.back().size() > 1;
  }
  evict();
}

void Channels::evict() {
  evicted_steps_ = simulated_steps();
  channels_.clear();
  for (const int channel : numbers_) {
    channels_.push_back(std::make_unique<Ddr4Channel>(config_, channel, directions_));
  }
}

void Channels::evict_except(std::vector<ChannelState>& states) {
  std::vector<std::unique_ptr<Ddr4Channel>> before = std::move(channels_);
  for (const auto& channel : before) evicted_steps_ += channel->simulated_steps();
  channels_.clear();
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    channels_.push_back(std::make_unique<Ddr4Channel>(config_, numbers_[i], directions_));
    states[i].state = channels_[i]->number_of(before[i]->state(states[i]));
  }
}

bool Channels::are_of(const memory::MemoryConfig& config, const std::vector<PortDirection>& ports) const {
  return config_ == config && directions_ == ports;
}

void Channels::begin_unit() {
  for (const auto& channel : channels_) channel->begin_unit();
}

void Channels::evict_summaries() {
  for (const auto& channel : channels_) channel->evict_summaries();
}

void Channels::evict_deviations() {
  for (const auto& channel : channels_) channel->evict_deviations();
}

void Channels::evict_traces() {
  for (const auto& channel : channels_) channel->evict_traces();
}

std::int64_t Channels::simulated_steps() const {
  std::int64_t steps = evicted_steps_;
  for (const auto& channel : channels_) steps += channel->simulated_steps();
  return steps;
}

std::size_t Channels::memory() const {
  std::size_t bytes = 0;
  for (const auto& channel : channels_) bytes += channel->memory();
  return bytes;
}

}  // namespace weft::engine
