#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/engine/ddr4_channel.h"

namespace weft::engine {

// The channels of a DDR4 memory that ports use, each by itself; none of any other memory.
class Channels {
 public:
  Channels(const memory::MemoryConfig& config, std::vector<PortDirection> ports);

  std::size_t size() const { return numbers_.size(); }
  int number(std::size_t i) const { return numbers_[i]; }  // the memory's of channel i
  const std::vector<std::size_t>& ports(std::size_t i) const { return ports_of_[i]; }
  bool shared() const { return shared_; }  // two ports one
  Ddr4Channel& operator[](std::size_t i) { return *channels_[i]; }
  const Ddr4Channel& operator[](std::size_t i) const { return *channels_[i]; }

  void begin_unit();       // see Ddr4Channel
  void evict();            // everything
  void evict_summaries();  // see Ddr4Channel
  void evict_traces();
  void evict_deviations();
  // Everything but the states in which the channels are; `states` are theirs, in their order.
  void evict_except(std::vector<ChannelState>& states);
  std::int64_t simulated_steps() const;  // also those that were forgotten
  std::size_t memory() const;            // bytes that are remembered, about
  // Whether these are the channels of that memory.
  bool are_of(const memory::MemoryConfig& config, const std::vector<PortDirection>& ports) const;

 private:
  memory::MemoryConfig config_;
  std::vector<PortDirection> directions_;
  bool shared_ = false;
  std::vector<int> numbers_;
  std::vector<std::vector<std::size_t>> ports_of_;
  std::vector<std::unique_ptr<Ddr4Channel>> channels_;
  std::int64_t evicted_steps_ = 0;
};

}  // namespace weft::engine
