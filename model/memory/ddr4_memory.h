#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "model/memory/channel_controller.h"
#include "model/memory/clock_ratio.h"
#include "model/memory/config.h"
#include "model/memory/memory.h"
#include "model/memory/port.h"

namespace weft::memory {

// Clocks of the kernel and of the DRAM; phases tell the clocks of a MIG controller, too.
ClockRatio clocks_of(const MemoryConfig& config);

// DDR4 channels behind the AXI ports of a kernel: cuts bursts into 64-byte requests, arbitrates the ports of a channel,
// crosses between the clocks and returns data in order.
//
// A request is the part of a burst in one 64-byte access: several narrow beats, one of 512 bits, or half of one of 1024
// bits. A wide read beat is complete when both halves are; a wide write beat brings the data of both.
//
// As in AXI, reads and writes are two independent streams of a channel. In each stream the ports take turns burst by
// burst; a burst keeps the stream until its last request has been accepted. Its requests are offered in order, so one
// whose queue is full blocks later ones. A write burst takes its turn when the data of its first 64 bytes is there, and
// keeps the stream while it waits for the rest (AXI4 does not interleave write data). The two streams together offer at
// most one request per nCK; when both could, they alternate.
//
// Not modelled: bursts other than INCR, back-pressure of the return path (see PortReturn), limits of the shell's
// interconnect below one beat per cycle and port; its latency is the constant `latency_cycles`.
class Ddr4Memory final : public Memory {
 public:
  explicit Ddr4Memory(const MemoryConfig& config);
  std::unique_ptr<Memory> copy() const override { return std::make_unique<Ddr4Memory>(*this); }

  void reset() override;
  void send_read(PortId port, Cycles cycle, Address address, int beats) override;
  void send_write(PortId port, Cycles cycle, Address address, int beats) override;
  void send_write_beat(PortId port, Cycles cycle) override;
  void advance(Cycles cycle) override {
    if (cycle <= cycle_) return;
    cycle_ = cycle;
    if (cycle >= wake_) run_channels();
  }
  Cycles known_until(Cycles cycle) const override { return std::min(wake_, cycle + 2 + (late_ ? latency_ : 0)); }
  Cycles next_read_beat(PortId port) const override { return ports_[port].returned.next_read_beat(); }
  void take_read_beat(PortId port, Cycles cycle) override { ports_[port].returned.take_read_beat(cycle); }
  // Same as PortReturn::take_known_beats().
  template <typename Visit>
  void take_known_beats(PortId port, const Visit& visit) {
    ports_[port].returned.take_known_beats(visit);
  }
  Cycles next_write_response(PortId port) const override { return ports_[port].returned.next_write_response(); }
  void take_write_response(PortId port, Cycles cycle) override { ports_[port].returned.take_write_response(cycle); }
  Cycles next_event() override;
  void finish() override;
  PortStats stats(PortId port) override;
  void record_commands() override {
    late_ = false;
    for (Channel& channel : channels_) channel.controller.record_commands(true);
  }
  void take_commands(int channel, std::vector<IssuedCommand>& into) override {
    ChannelController& controller = channels_[channel].controller;
    into.insert(into.end(), controller.commands().begin(), controller.commands().end());
    controller.clear_commands();
  }

  // From now on a channel runs only when it can have made something visible, that is the latency of the return path
  // after the DRAM's edges. Everything becomes visible and counts in the same cycle as before, but that cycle is known
  // later, and a run covers many edges. Not while commands are recorded.
  void run_late() { late_ = true; }

  // From now on MIG controllers look up their clocks.
  void remember(const std::shared_ptr<MigClocks>& clocks) {
    for (Channel& channel : channels_) channel.controller.remember(clocks);
  }

  // Performs everything of one channel at the edges before `cycle`, independent of the other channels.
  void settle(int channel, Cycles cycle);
  // Saves or restores a channel and its ports at the start of `cycle`, settled and with everything known taken. Rows
  // are relative to `row`. Neither the next refresh nor the cycles of PortReturn::follow() are part of it.
  void relative(Relative& state, int channel, Cycles cycle, int row);
  // Returns the first cycle from whose start on the relative state of the channel, settled up to `cycle`, stays the
  // same until something is sent or a refresh becomes due, apart from the phase of the clocks; kNever if the channel
  // still works at the start of `cycle`.
  Cycles rests_from(int channel, Cycles cycle) const;
  ChannelController& controller(int channel) { return channels_[channel].controller; }
  PortReturn& returned(PortId port) { return ports_[port].returned; }
  const ClockRatio& clocks() const { return clocks_; }

 private:
  static constexpr Nck kNoClock = std::numeric_limits<Nck>::max();

  struct Burst {
    Address address;
    int bytes;
    Nck arrival;  // the first DRAM edge that sees it
  };
  struct Port {
    Ring<Burst> reads;   // not yet accepted completely; the front shrinks as its requests are accepted
    Ring<Burst> writes;  // as for reads
    Ring<Nck> beats;     // arrivals of the W beats not yet accepted
    PortReturn returned;
    Bytes beat_bytes = 64;
    int beat_bits = 6;  // log2 of beat_bytes

    Address beat_of(Address address) const { return address >> beat_bits; }
    // Returns the beats of a request that ends at `next`; 1 for half of a wide beat.
    std::int32_t beats_from(Address address, Address next) const {
      return static_cast<std::int32_t>(std::max<Address>(beat_of(next) - beat_of(address), 1));
    }
  };
  // One of the two streams of a channel.
  struct Stream {
    bool granted = false;  // a burst is under way
    int port = 0;          // its port, or that of the last turn
    Nck offer_from = 0;    // earliest offer of its next request, by the requests sent so far
  };
  struct Channel {
    explicit Channel(const Ddr4Config& config) : controller(config) {}

    ChannelController controller;
    std::vector<int> ports;  // ports that may use it, in the order of their turns
    Stream read, write;
    bool last_was_write = false;
    Nck next_offer = 0;                     // at most one offer per edge, or clock of a MIG controller
    Nck starved_from = 0, waited_from = 0;  // MIG: edges from which the direction that waits is served; 0: none waits
    Cycles wake = 0;                        // the first cycle in which advance() must run it
  };

  Address routed(PortId id, Address address);
  Address routed_of_dma(PortId id, Address address);
  static int bytes_of_request(const Burst& burst);
  Nck offer_edge(const Port& port, bool write) const;
  Nck offer_edge(const Channel& channel, int port, bool write) const;
  void update_offer(Channel& channel, bool write);
  void sent_write(PortId port, Cycles cycle);
  void sent(Channel& channel, const Stream& stream, Cycles cycle);
  Nck next_offer_edge(const Channel& channel) const;
  Nck next_edge(const Channel& channel) const;
  void offer(Channel& channel, Nck edge, Nck end);
  void offer_by_direction(Channel& channel, Nck edge, Nck end);
  void go_on_reading(Channel& channel, Nck end);
  Nck next_arrival(const Channel& channel, bool write, Nck edge) const;
  int turn(const Channel& channel, bool write, Nck edge) const;
  static std::uint32_t expect(Port& port, Address address, Address next);
  void accept(Channel& channel, bool write, Nck edge);
  void collect(Channel& channel);
  void run(Channel& channel, Nck end);
  void run(Channel& channel);
  void run_channels();
  Cycles shows_from(const Channel& channel) const;
  bool busy() const;
  void relative(Relative& state, Port& port, Cycles cycle, int row);

  ClockRatio clocks_;
  Bytes capacity_;
  AddressMap map_;
  Cycles latency_;
  Cycles response_latency_;  // of writes
  std::vector<Port> ports_;
  std::vector<Channel> channels_;
  std::vector<int> channel_of_port_;
  std::size_t kernel_ports_;  // later ports are a DMA engine's
  bool late_ = false;
  Cycles cycle_ = 0;  // of the last advance()
  Cycles wake_ = 0;   // earliest of the channels'
};

inline Address Ddr4Memory::routed(PortId id, Address address) {
  return static_cast<std::size_t>(id) < kernel_ports_ ? address : routed_of_dma(id, address);
}

// Notes that something of the stream was sent in `cycle`.
inline void Ddr4Memory::sent(Channel& channel, const Stream& stream, Cycles cycle) {
  if (late_ && stream.offer_from == kNoClock) return;
  const Cycles shows = cycle + 2 + (late_ ? latency_ : 0);
  channel.wake = std::min(channel.wake, shows);
  wake_ = std::min(wake_, shows);
}

inline void Ddr4Memory::send_read(PortId port, Cycles cycle, Address address, int beats) {
  address = routed(port, address);
  Port& from = ports_[port];
  check_burst(port, address, beats, from.beat_bytes, capacity_);
  from.returned.begin_read(cycle, beats);
  const Nck arrival = clocks_.first_edge(cycle + 1);
  from.reads.push({address, beats << from.beat_bits, arrival});
  Channel& channel = channels_[channel_of_port_[port]];
  // Otherwise an earlier request is offered first.
  const bool next = !channel.read.granted && from.reads.size() == 1;
  channel.read.offer_from = std::min(channel.read.offer_from, next ? arrival : kNoClock);
  sent(channel, channel.read, cycle);
}

}  // namespace weft::memory
