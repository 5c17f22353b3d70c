#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/engine/ddr4_channel.h"

namespace weft::engine {

// Channels of a DDR4 memory that have a port; empty for any other memory.
class Channels {
 public:
  Channels(const memory::MemoryConfig& config, std::vector<PortDirection> ports);

  std::size_t size() const { return numbers_.size(); }
  int number(std::size_t i) const { return numbers_[i]; }  // number of channel i in the memory
  const std::vector<std::size_t>& ports(std::size_t i) const { return ports_of_[i]; }
  bool shared() const { return shared_; }  // some channel has several ports
  Ddr4Channel& operator[](std::size_t i) { return *channels_[i]; }
  const Ddr4Channel& operator[](std::size_t i) const { return *channels_[i]; }

  void begin_unit();       // see Ddr4Channel
  void evict();            // all entries
  void evict_summaries();  // see Ddr4Channel
  void evict_traces();
  void evict_deviations();
  // Evicts all entries but `states`, one per channel, which get new numbers.
  void evict_except(std::vector<ChannelState>& states);
  std::int64_t simulated_steps() const;  // includes those of evicted entries
  std::size_t memory() const;            // approximate bytes
  // Returns true if built for this memory and these ports.
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
