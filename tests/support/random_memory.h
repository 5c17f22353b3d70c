#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <random>

#include "model/memory/memory.h"

namespace weft::test {

// A memory that answers each beat after a random number of cycles in [least, most]; it disturbs the blocks more than
// any real memory. With least == most it is ideal memory.
class RandomMemory : public memory::Memory {
 public:
  RandomMemory(Cycles least, Cycles most, std::uint64_t seed) : least_(least), most_(most), seed_(seed) {
    RandomMemory::reset();
  }
  std::unique_ptr<memory::Memory> copy() const override { return std::make_unique<RandomMemory>(*this); }

  void reset() override {
    ports_ = {};
    for (std::size_t i = 0; i < ports_.size(); ++i) ports_[i].random.seed(seed_ * ports_.size() + i);
  }
  void send_read(memory::PortId port, Cycles cycle, Address, int beats) override {
    Port& p = ports_.at(static_cast<std::size_t>(port));
    ++p.stats.read_bursts;
    p.stats.read_beats += beats;
    for (int i = 0; i < beats; ++i) {
      p.last_read = std::max(p.last_read + 1, cycle + 1 + delay(p) + (least_ == most_ ? i : 0));
      p.reads.push_back(p.last_read);
    }
  }
  void send_write(memory::PortId port, Cycles, Address, int beats) override {
    Port& p = ports_.at(static_cast<std::size_t>(port));
    ++p.stats.write_bursts;
    p.bursts.push_back(beats);
  }
  void send_write_beat(memory::PortId port, Cycles cycle) override {
    Port& p = ports_.at(static_cast<std::size_t>(port));
    ++p.stats.write_beats;
    if (--p.bursts.front() > 0) return;
    p.bursts.pop_front();
    p.last_response = std::max(p.last_response + 1, cycle + 1 + delay(p));
    p.responses.push_back(p.last_response);
  }
  void advance(Cycles) override {}
  Cycles known_until(Cycles) const override { return kNever; }
  Cycles next_read_beat(memory::PortId port) const override {
    const Port& p = ports_.at(static_cast<std::size_t>(port));
    return p.reads.empty() ? kNever : p.reads.front();
  }
  void take_read_beat(memory::PortId port, Cycles) override {
    ports_.at(static_cast<std::size_t>(port)).reads.pop_front();
  }
  Cycles next_write_response(memory::PortId port) const override {
    const Port& p = ports_.at(static_cast<std::size_t>(port));
    return p.responses.empty() ? kNever : p.responses.front();
  }
  void take_write_response(memory::PortId port, Cycles) override {
    ports_.at(static_cast<std::size_t>(port)).responses.pop_front();
  }
  Cycles next_event() override { return kNever; }
  void finish() override {}
  memory::PortStats stats(memory::PortId port) override { return ports_.at(static_cast<std::size_t>(port)).stats; }

 private:
  struct Port {
    std::deque<Cycles> reads, responses;
    std::deque<int> bursts;
    Cycles last_read = -1, last_response = -1;
    memory::PortStats stats;
    std::mt19937_64 random;  // one generator per port: ports are called in any order within a cycle
  };
  Cycles delay(Port& port) const { return std::uniform_int_distribution<Cycles>(least_, most_)(port.random); }

  Cycles least_, most_;
  std::uint64_t seed_;
  std::array<Port, 3> ports_;
};

}  // namespace weft::test
