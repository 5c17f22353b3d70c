#pragma once

#include <deque>

#include "model/fpgpt/plan.h"
#include "model/fpgpt/result.h"
#include "model/memory/memory.h"
#include "model/memory/store.h"
#include "model/stream/ports.h"

namespace weft::cosim {

// A read port between the memory and the RTL: what the kernel asks for, and the beats on their way back.
class ReadPort {
 public:
  ReadPort(fpgpt::Port port, memory::Memory& memory, memory::Store& store, int band)
      : port_(fpgpt::port_id(port)), memory_(memory), store_(store), band_(band), beats_(band) {}

  // Takes the beats that the memory has by now.
  void deliver() {
    for (Cycles visible; (visible = memory_.next_read_beat(port_)) != kNever;) {
      memory_.take_read_beat(port_, visible);
      beats_.push(visible);
    }
  }
  const float* beat(Cycles now) const { return beats_.visible(now) ? beats_.front() : nullptr; }
  bool last() const { return !bursts_.empty() && bursts_.front() == 1; }  // RLAST of the beat in front
  bool open() const { return !bursts_.empty(); }

  void taken() {
    beats_.pop();
    if (--bursts_.front() == 0) bursts_.pop_front();
  }
  void request(const stream::BurstRequest& burst, Cycles now) {
    memory_.send_read(port_, now, burst.address, burst.beats);
    beats_.push_words(store_.words(burst.address),
                      static_cast<std::size_t>(burst.beats) * static_cast<std::size_t>(band_));
    bursts_.push_back(burst.beats);
  }

 private:
  memory::PortId port_;
  memory::Memory& memory_;
  memory::Store& store_;
  int band_;
  stream::BeatQueue beats_;
  std::deque<int> bursts_;  // beats still to come of the open bursts
};

}  // namespace weft::cosim
