#pragma once

#include <memory>
#include <vector>

#include "model/engine/channels.h"
#include "model/engine/consumption_schedule.h"

namespace weft::engine {

// What the units of work that a process counts one after the other know together: what they send, by its number, and
// what memory channels make of it. Everything in it is a function of the memory's configuration, so that a unit comes
// to the same whatever was known before it; only how long it takes depends on that.
class ChannelCache {
 public:
  // For the unit that begins now: the channels of its memory. `bytes`: what may be remembered of them, about.
  Channels& begin(const memory::MemoryConfig& memory, const std::vector<PortDirection>& ports, std::size_t bytes);
  SharedPool& shared() { return shared_; }

  // What is sent is forgotten, and what was found out of it.
  void evict_traces();
  std::size_t memory_of_traces() const { return shared_.memory(); }  // bytes of what is sent, about
  // Forgets of the channels until they are within the bytes; the positions of a walk that is under way stay its own.
  void trim(std::vector<ChannelState>& states);
  // Forgets entries of the channels until they have at most `bytes`; no walk may be under way.
  void keep_at_most(std::size_t bytes);
  bool must_trim() const { return channels_ && channels_->memory() > bytes_; }

 private:
  bool evict_until(std::size_t bytes);

  std::unique_ptr<Channels> channels_;
  SharedPool shared_;
  std::size_t bytes_ = 0;
};

}  // namespace weft::engine
