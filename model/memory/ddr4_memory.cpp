#include "model/memory/ddr4_memory.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace weft::memory {

namespace {

// A request's tag: the port, and for reads the slot of its beats on the return path.
constexpr int kSlotBits = 24;
constexpr std::uint32_t kSlotMask = (1U << kSlotBits) - 1;
std::uint32_t tag_of(int port, std::uint32_t slot) {
  return static_cast<std::uint32_t>(port) << kSlotBits | (slot & kSlotMask);
}

// Limits of the AXI shim of a MIG controller, in nCK: clocks in which one direction is served while the other waits,
// and clocks without a request taken (PG353, Read Priority).
constexpr Nck kStarveNck = 256 * MigController::kClock, kWaitNck = 16 * MigController::kClock;

}  // namespace

ClockRatio clocks_of(const MemoryConfig& config) {
  const bool mig = config.ddr4.controller == ControllerKind::mig;
  return {config.kernel_clock, config.ddr4.data_rate_mtps, mig ? MigController::kClock : 1};
}

Ddr4Memory::Ddr4Memory(const MemoryConfig& config)
    : clocks_(clocks_of(config)),
      capacity_(config.ddr4.capacity),
      map_(config.ddr4.map),
      latency_(config.latency_cycles),
      response_latency_(config.latency_cycles + config.write_response_cycles),
      ports_(config.port_channel.size()),
      channels_(config.channels, Channel(config.ddr4)),
      channel_of_port_(config.port_channel),
      kernel_ports_(config.port_channel.size() - static_cast<std::size_t>(config.dma_ports)) {
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    ports_[port].beat_bytes = config.beat_bytes_of(port);
    ports_[port].beat_bits = 0;
    while (Bytes{1} << ports_[port].beat_bits < ports_[port].beat_bytes) ++ports_[port].beat_bits;
  }
  for (std::size_t port = 0; port < kernel_ports_; ++port) {
    channels_[channel_of_port_[port]].ports.push_back(static_cast<int>(port));
  }
  for (std::size_t port = kernel_ports_; port < ports_.size(); ++port) {
    for (Channel& channel : channels_) channel.ports.push_back(static_cast<int>(port));
  }
  reset();
}

void Ddr4Memory::reset() {
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    Port fresh;
    fresh.beat_bytes = ports_[port].beat_bytes;
    fresh.beat_bits = ports_[port].beat_bits;
    const int parts = static_cast<int>(std::max<Bytes>(fresh.beat_bytes / kAccessBytes, 1));
    fresh.returned = PortReturn(parts, port < kernel_ports_);
    ports_[port] = std::move(fresh);
  }
  for (Channel& channel : channels_) {
    channel.controller.reset();
    // After the last port the first port has its turn.
    const int last = static_cast<int>(channel.ports.size()) - 1;
    channel.read = channel.write = Stream{false, last, kNoClock};
    channel.last_was_write = true;
    channel.next_offer = channel.starved_from = channel.waited_from = 0;
    channel.wake = 0;
  }
  cycle_ = 0;
  wake_ = 0;
}

// Returns the address within its channel, and connects a DMA engine's port to that channel.
Address Ddr4Memory::routed_of_dma(PortId id, Address address) {
  const auto channel = static_cast<int>(address / capacity_);
  if (channel != channel_of_port_[id]) {
    if (channel >= static_cast<int>(channels_.size()) || !ports_[id].returned.idle()) {
      throw std::logic_error(
          "a DMA port is routed to a channel that does not exist, or while its bursts are in flight");
    }
    channel_of_port_[id] = channel;
  }
  return address % capacity_;
}

void Ddr4Memory::send_write(PortId port, Cycles cycle, Address address, int beats) {
  address = routed(port, address);
  check_burst(port, address, beats, ports_[port].beat_bytes, capacity_);
  ports_[port].returned.begin_write(cycle);
  ports_[port].writes.push({address, beats << ports_[port].beat_bits, clocks_.first_edge(cycle + 1)});
  sent_write(port, cycle);
}

void Ddr4Memory::send_write_beat(PortId port, Cycles cycle) {
  ports_[port].returned.count_write_beat(cycle);
  ports_[port].beats.push(clocks_.first_edge(cycle + 1));
  sent_write(port, cycle);
}

void Ddr4Memory::sent_write(PortId port, Cycles cycle) {
  Channel& channel = channels_[channel_of_port_[port]];
  update_offer(channel, true);
  sent(channel, channel.write, cycle);
}

// Bytes of the burst's next request.
int Ddr4Memory::bytes_of_request(const Burst& burst) {
  const auto room = static_cast<int>(kAccessBytes - (burst.address & (kAccessBytes - 1)));
  return std::min(burst.bytes, room);
}

// Returns the earliest offer of the port's next request sent; kNoClock if there is none.
Nck Ddr4Memory::offer_edge(const Port& port, bool write) const {
  const Ring<Burst>& bursts = write ? port.writes : port.reads;
  if (bursts.empty()) return kNoClock;
  const Burst& burst = bursts.front();
  if (!write) return burst.arrival;
  // Beats after the one that brings the first byte, up to the one that brings the last.
  const Address last_byte = burst.address + bytes_of_request(burst) - 1;
  const auto behind_first = static_cast<std::uint32_t>(port.beat_of(last_byte) - port.beat_of(burst.address));
  if (port.beats.size() <= behind_first) return kNoClock;
  const Nck data = port.beats.at(port.beats.begin_index() + behind_first);
  return std::max(burst.arrival, data);
}

// The same, but kNoClock if the port is connected to another channel.
Nck Ddr4Memory::offer_edge(const Channel& channel, int port, bool write) const {
  const bool elsewhere =
      static_cast<std::size_t>(port) >= kernel_ports_ && &channels_[channel_of_port_[port]] != &channel;
  return elsewhere ? kNoClock : offer_edge(ports_[port], write);
}

void Ddr4Memory::update_offer(Channel& channel, bool write) {
  Stream& stream = write ? channel.write : channel.read;
  if (stream.granted) {
    stream.offer_from = offer_edge(ports_[channel.ports[stream.port]], write);
    return;
  }
  stream.offer_from = kNoClock;
  for (const int port : channel.ports)
    stream.offer_from = std::min(stream.offer_from, offer_edge(channel, port, write));
}

// Returns the next edge at which a request can be accepted if its queue has room.
Nck Ddr4Memory::next_offer_edge(const Channel& channel) const {
  const Nck edge = std::min(channel.read.offer_from, channel.write.offer_from);
  if (edge == kNoClock) return kNoClock;
  const Nck clock = channel.controller.clock();
  return (std::max({edge, channel.next_offer, channel.controller.now()}) + clock - 1) & -clock;
}

// Returns the next edge at which anything happens.
Nck Ddr4Memory::next_edge(const Channel& channel) const {
  return std::min(channel.controller.next_action(), next_offer_edge(channel));
}

// Accepts the request that is offered at `edge`, or waits until the queue of one has room.
void Ddr4Memory::offer(Channel& channel, Nck edge, Nck end) {
  if (!channel.controller.frfcfs()) {
    offer_by_direction(channel, edge, end);
    return;
  }
  const bool read = channel.read.offer_from <= edge;
  const bool write = channel.write.offer_from <= edge;
  const bool read_fits = read && channel.controller.has_room(0, false);
  const bool write_fits = write && channel.controller.has_room(0, true);
  if (read_fits || write_fits) {
    accept(channel, write_fits && (!read_fits || !channel.last_was_write), edge);
    return;
  }
  // The other stream's next request may come while this one waits.
  const Nck other = read && write ? end : std::max(channel.read.offer_from, channel.write.offer_from);
  constexpr Address kAny = 0;
  channel.controller.advance_until_room(read ? &kAny : nullptr, write ? &kAny : nullptr, std::min(other, end));
}

// The same for a MIG controller, whose AXI shim serves one direction until it has no request or, while the other one
// waits, a burst has ended after kStarveNck or none has been taken for kWaitNck.
void Ddr4Memory::offer_by_direction(Channel& channel, Nck edge, Nck end) {
  const bool read = channel.read.offer_from <= edge, write = channel.write.offer_from <= edge;
  const auto begin_to_wait = [&] {
    channel.starved_from = edge + kStarveNck;
    channel.waited_from = edge + kWaitNck;
  };
  // From which the direction changes, if none of its requests is taken until then.
  const auto changes_from = [&](bool writes) {
    const bool burst_ended = !(writes ? channel.write : channel.read).granted;
    return burst_ended ? std::min(channel.starved_from, channel.waited_from) : channel.waited_from;
  };
  bool to_write = channel.last_was_write;
  if (read != write) {
    to_write = write;
    channel.starved_from = 0;
  } else if (channel.starved_from == 0) {
    begin_to_wait();
  } else if (edge >= changes_from(to_write)) {
    to_write = !to_write;
    begin_to_wait();
  }
  channel.last_was_write = to_write;
  const Port& port = ports_[channel.ports[turn(channel, to_write, edge)]];
  const Address address = (to_write ? port.writes : port.reads).front().address;
  if (channel.controller.has_room(address, to_write)) {
    accept(channel, to_write, edge);
    channel.waited_from = edge + kWaitNck;
    if (!to_write && channel.read.granted) go_on_reading(channel, std::min(end, channel.write.offer_from));
    return;
  }
  // The request offered changes with the direction, or when a burst of another port comes whose turn it is.
  const Nck turns = read && write ? changes_from(to_write) : (to_write ? channel.read : channel.write).offer_from;
  const Nck other = std::min(turns, next_arrival(channel, to_write, edge));
  channel.controller.advance_until_room(to_write ? nullptr : &address, to_write ? &address : nullptr,
                                        std::min(std::max(other, edge + 1), end));
}

// Accepts further requests of the read burst under way at the edges before `end`, when none of the other direction
// waits.
void Ddr4Memory::go_on_reading(Channel& channel, Nck end) {
  MigController& mig = channel.controller.mig();
  const int id = channel.ports[channel.read.port];
  Port& port = ports_[id];
  Burst& burst = port.reads.front();
  for (Nck edge = channel.next_offer; edge < end;) {
    const Address address = burst.address;
    mig.advance_to(edge);
    if (!mig.has_room(address)) {
      mig.advance_until_room(&address, nullptr, end);
      edge = (mig.now() + MigController::kClock - 1) & -MigController::kClock;
      continue;
    }
    const int bytes = bytes_of_request(burst);
    mig.accept(address, false, tag_of(id, expect(port, address, address + bytes)));
    burst.address = address + bytes;
    burst.bytes -= bytes;
    channel.next_offer = edge += MigController::kClock;
    if (burst.bytes > 0) continue;
    port.reads.pop();
    channel.read.granted = false;
    update_offer(channel, false);
    return;
  }
}

// Returns the first offer after `edge` of a port's next request while no burst is under way; kNoClock if there is none.
Nck Ddr4Memory::next_arrival(const Channel& channel, bool write, Nck edge) const {
  Nck next = kNoClock;
  if ((write ? channel.write : channel.read).granted) return next;
  for (const int port : channel.ports) {
    const Nck from = offer_edge(channel, port, write);
    if (from > edge) next = std::min(next, from);
  }
  return next;
}

// Returns the port, by its turn, whose request is offered at `edge`.
inline int Ddr4Memory::turn(const Channel& channel, bool write, Nck edge) const {
  const Stream& stream = write ? channel.write : channel.read;
  int port = stream.port;
  if (stream.granted) return port;
  do {
    if (++port == static_cast<int>(channel.ports.size())) port = 0;
  } while (offer_edge(channel, channel.ports[port], write) > edge);
  return port;
}

// Announces the beats that begin in a request, which ends at `next`; returns the slot of its data.
inline std::uint32_t Ddr4Memory::expect(Port& port, Address address, Address next) {
  PortReturn& returned = port.returned;
  if ((address & (port.beat_bytes - 1)) != 0) return returned.last_slot();  // the beat's first half has announced it
  return returned.expect_beats(port.beats_from(address, next));
}

void Ddr4Memory::accept(Channel& channel, bool write, Nck edge) {
  Stream& stream = write ? channel.write : channel.read;
  stream.port = turn(channel, write, edge);
  stream.granted = true;
  const int id = channel.ports[stream.port];
  Port& port = ports_[id];
  Ring<Burst>& bursts = write ? port.writes : port.reads;
  Burst& burst = bursts.front();
  const int bytes = bytes_of_request(burst);
  const Address next = burst.address + bytes;
  std::uint32_t slot = 0;
  if (write) {
    for (Address beat = port.beat_of(burst.address); beat < port.beat_of(next); ++beat) port.beats.pop();
  } else {
    slot = expect(port, burst.address, next);
  }
  channel.controller.accept(burst.address, write, tag_of(id, slot));
  burst.address = next;
  burst.bytes -= bytes;
  if (burst.bytes == 0) {
    bursts.pop();
    stream.granted = false;
    if (write) port.returned.write_answered(clocks_.cycle_after(edge) + response_latency_);
  }
  update_offer(channel, write);
  channel.last_was_write = write;
  channel.next_offer = edge + channel.controller.clock();
}

// Passes the requests that the controller has served to the ports.
void Ddr4Memory::collect(Channel& channel) {
  for (const Served& served : channel.controller.served()) {
    PortReturn& returned = ports_[served.tag >> kSlotBits].returned;
    PortStats& stats = returned.stats();
    stats.row_hits += served.outcome == RowOutcome::hit ? 1 : 0;
    stats.row_misses += served.outcome == RowOutcome::miss ? 1 : 0;
    stats.row_conflicts += served.outcome == RowOutcome::conflict ? 1 : 0;
    if (!served.write) {
      returned.data_ready(served.tag & kSlotMask, clocks_.cycle_after(served.data_end) + latency_);
    }
  }
  channel.controller.clear_served();
}

void Ddr4Memory::run(Channel& channel, Nck end) {
  for (Nck edge = next_offer_edge(channel); edge < end; edge = next_offer_edge(channel)) {
    channel.controller.advance_to(edge);
    offer(channel, edge, end);
  }
  channel.controller.advance_to(end);
  collect(channel);
}

// Returns the first cycle in which something unknown of the channel may become visible if nothing more is sent. A write
// may be answered as soon as a request is accepted; data follows a RD, which needs an edge of the controller.
Cycles Ddr4Memory::shows_from(const Channel& channel) const {
  const Nck now = std::max(channel.next_offer, channel.controller.now());
  const auto shown = [this](Nck edge) { return clocks_.cycle_after(edge) + latency_; };
  Cycles first = kNever;
  if (channel.write.offer_from != kNoClock) first = shown(std::max(channel.write.offer_from, now));
  Nck read = channel.read.offer_from == kNoClock ? kNoClock : std::max(channel.read.offer_from, now);
  if (channel.controller.reads_waiting() > 0) read = std::min(read, channel.controller.next_action());
  if (read != kNoClock) first = std::min(first, shown(read + channel.controller.read_data_nck()));
  return first;
}

// Performs everything at the DRAM edges before the start of cycle_. Requests sent in cycle_ - 1 are seen at its start,
// so they cannot affect it.
void Ddr4Memory::run(Channel& channel) {
  run(channel, clocks_.first_edge(cycle_));
  channel.wake = shows_from(channel);
  if (late_) return;
  const Nck next = next_edge(channel);
  if (next != kNoClock) channel.wake = std::min(channel.wake, clocks_.cycle_after(next));
}

void Ddr4Memory::run_channels() {
  wake_ = kNever;
  for (Channel& channel : channels_) {
    if (cycle_ >= channel.wake) run(channel);
    wake_ = std::min(wake_, channel.wake);
  }
}

PortStats Ddr4Memory::stats(PortId port) {
  for (Channel& channel : channels_) run(channel);  // row events count when requests are served
  return ports_[port].returned.stats_at(cycle_);
}

bool Ddr4Memory::busy() const {
  const auto waits = [](const Port& port) { return !port.reads.empty() || !port.beats.empty(); };
  const auto works = [](const Channel& channel) { return !channel.controller.idle(); };
  return std::any_of(ports_.begin(), ports_.end(), waits) || std::any_of(channels_.begin(), channels_.end(), works);
}

void Ddr4Memory::finish() {
  for (Channel& channel : channels_) run(channel);
  while (busy()) {
    Cycles next = kNever;
    for (Channel& channel : channels_) {
      const Nck edge = next_edge(channel);
      if (edge != kNoClock) next = std::min(next, clocks_.cycle_after(edge));
    }
    cycle_ = std::max(cycle_ + 1, next);
    for (Channel& channel : channels_) run(channel);
  }
}

void Ddr4Memory::settle(int index, Cycles cycle) {
  Channel& channel = channels_[index];
  run(channel, clocks_.first_edge(cycle));
  channel.wake = 0;
  wake_ = 0;
}

Cycles Ddr4Memory::rests_from(int index, Cycles cycle) const {
  const Channel& channel = channels_[index];
  const bool offers = channel.read.offer_from != kNoClock || channel.write.offer_from != kNoClock;
  if (offers || !channel.controller.idle()) return kNever;
  Nck edge = std::max(channel.controller.rests_from(), channel.next_offer);
  // A write burst may wait for its beats, and beats for their burst.
  for (const int id : channel.ports) {
    const Port& port = ports_[id];
    if (!port.writes.empty()) edge = std::max(edge, port.writes.back().arrival);
    if (!port.beats.empty()) edge = std::max(edge, port.beats.back());
  }
  const Cycles rests = clocks_.cycle_after(edge - 1);
  return rests <= cycle ? rests : kNever;
}

void Ddr4Memory::relative(Relative& state, Port& port, Cycles cycle, int row) {
  const Nck now = clocks_.first_edge(cycle);
  if (state.loading()) {
    port.reads.clear();
    port.writes.clear();
    port.beats.clear();
  }
  for (Ring<Burst>* bursts : {&port.reads, &port.writes}) {
    std::size_t count = bursts->size();
    state.value(count);
    for (std::size_t i = 0; i < count; ++i) {
      Burst burst = state.loading() ? Burst{} : bursts->at(bursts->begin_index() + static_cast<std::uint32_t>(i));
      Address burst_row = burst.address >> kRowBit, within = burst.address & bank_mask(map_);
      state.from(burst_row, row);
      state.value(within);
      state.value(burst.bytes);
      state.timer(burst.arrival, now);
      burst.address = burst_row << kRowBit | within;
      if (state.loading()) bursts->push(burst);
    }
  }
  std::size_t beats = port.beats.size();
  state.value(beats);
  for (std::size_t i = 0; i < beats; ++i) {
    Nck arrival = state.loading() ? 0 : port.beats.at(port.beats.begin_index() + static_cast<std::uint32_t>(i));
    state.timer(arrival, now);
    if (state.loading()) port.beats.push(arrival);
  }
  port.returned.relative(state, cycle, port.writes.size());
}

void Ddr4Memory::relative(Relative& state, int index, Cycles cycle, int row) {
  Channel& channel = channels_[index];
  const Nck now = clocks_.first_edge(cycle);
  Cycles phase = clocks_.phase(cycle);
  state.value(phase);
  channel.controller.relative(state, now, row, [&](std::uint32_t tag) {
    // Slots are counted from the first that is not known; a restored port starts at slot 0.
    if (state.loading()) return std::int64_t{0};
    const Port& port = ports_[tag >> kSlotBits];
    const std::uint32_t slot = (tag - port.returned.first_slot()) & kSlotMask;
    return std::int64_t{tag} - tag_of(static_cast<int>(tag >> kSlotBits), slot);
  });
  for (const int port : channel.ports) relative(state, ports_[port], cycle, row);
  for (Stream* stream : {&channel.read, &channel.write}) {
    state.value(stream->granted);
    state.value(stream->port);
  }
  state.value(channel.last_was_write);
  state.timer(channel.next_offer, now);
  if (!channel.controller.frfcfs()) {
    bool waits = channel.starved_from > 0;
    state.value(waits);
    if (waits) {
      state.timer(channel.starved_from, now);
      state.timer(channel.waited_from, now);
    } else {
      channel.starved_from = 0;
    }
  }
  if (!state.loading()) return;
  update_offer(channel, false);
  update_offer(channel, true);
  channel.wake = 0;
  wake_ = 0;
  cycle_ = cycle;
}

// Does not depend on whether the channels had to run: everything visible before wake_ is known.
Cycles Ddr4Memory::next_event() {
  const auto known = [this] {
    Cycles first = kNever;
    for (const Port& port : ports_) first = std::min(first, port.returned.next_visible_after(cycle_));
    return first;
  };
  Cycles next = known();
  if (next <= wake_) return next;
  wake_ = next = kNever;
  for (Channel& channel : channels_) {
    run(channel);
    wake_ = std::min(wake_, channel.wake);
    next = std::min(next, std::max(cycle_ + 1, shows_from(channel)));
  }
  return std::min(next, known());
}

}  // namespace weft::memory
