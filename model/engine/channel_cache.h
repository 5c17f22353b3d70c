#pragma once

#include <memory>
#include <vector>

#include "model/engine/channels.h"
#include "model/engine/consumption_schedule.h"

namespace weft::engine {

// Memo entries of memory channels and the traces sent to them, shared by the units that a process counts one after the
// other. They depend on the memory's configuration only, so that results do not depend on the cache.
class ChannelCache {
 public:
  // Returns the remembered clocks of MIG controllers of this configuration; null if the memory has others. `bytes`:
  // limit of those of all channels.
  std::shared_ptr<memory::MigClocks> clocks(const memory::MemoryConfig& memory, std::size_t bytes);
  // Begins a unit and returns the channels of its memory. `bytes`: approximate limit of their entries.
  Channels& begin(const memory::MemoryConfig& memory, const std::vector<PortDirection>& ports, std::size_t bytes);
  SharedPool& shared() { return shared_; }

  // Evicts all traces and the entries that refer to them.
  void evict_traces();
  std::size_t memory_of_traces() const { return shared_.memory(); }  // approximate bytes of traces and schedules
  // Evicts entries of the channels down to half the limit. `states`: current states of the channels; renumbered.
  void trim(std::vector<ChannelState>& states);
  // Evicts entries of the channels until at most `bytes` are left. Not during a replay: states are evicted too.
  void keep_at_most(std::size_t bytes);
  bool must_trim() const { return channels_ && channels_->memory() > bytes_; }

 private:
  bool evict_until(std::size_t bytes);

  std::shared_ptr<memory::MigClocks> clocks_;
  std::unique_ptr<Channels> channels_;
  SharedPool shared_;
  std::size_t bytes_ = 0;
};

}  // namespace weft::engine
