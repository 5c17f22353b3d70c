#include "platform/hardware/cosim/axi_side.h"

#include <algorithm>
#include <utility>

#include "kernels/fp32.h"

namespace weft::cosim {

AxiSide::AxiSide(const Topology& topology, const AxiEnvironment& environment, std::vector<memory::Store> contents,
                 int band)
    : memory_(memory::make_memory(environment.memory)),
      beat_bytes_(Bytes{4} * band),
      stores_(std::move(contents)),
      ports_(topology.ports.size()),
      inputs_(topology.ports.size()) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& port = ports_[i];
    port.id = static_cast<memory::PortId>(i);
    port.read = topology.ports[i].direction == PortDirection::Read;
    port.channel = environment.channels[i];
    if (port.read) port.arrivals = stream::BeatQueue(stream::Lanes::of_words(band));
  }
}

const std::vector<PortInputs>& AxiSide::inputs(Cycles now, const std::vector<PortReady>& ready) {
  memory_->advance(now);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& port = ports_[i];
    deliver(port);
    const bool visible = port.arrivals.visible(now);
    inputs_[i] = {};
    inputs_[i].ready = ready[i];
    if (port.read) {
      inputs_[i].beat = visible ? port.arrivals.front() : nullptr;
      inputs_[i].last = !port.bursts.empty() && port.bursts.front() == 1;
    } else {
      inputs_[i].response = visible;
    }
  }
  return inputs_;
}

void AxiSide::after(Cycles now, const std::vector<PortEvents>& events) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& port = ports_[i];
    if (port.read ? events[i].beat : events[i].response) port.arrivals.pop();
    if (port.read && events[i].beat && --port.bursts.front() == 0) port.bursts.pop_front();
    if (events[i].response) --port.responses;
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Port& port = ports_[i];
    const stream::BurstRequest& burst = events[i].request;
    if (!port.read) {
      write(port, events[i], now);
    } else if (events[i].address && fits(port, burst)) {
      memory_->send_read(port.id, now, burst.address, burst.beats);
      port.arrivals.push_words(stores_[static_cast<std::size_t>(port.channel)].at(burst.address), burst.beats);
      port.bursts.push_back(burst.beats);
    }
  }
}

bool AxiSide::reads_open() const {
  return std::any_of(ports_.begin(), ports_.end(), [](const Port& port) { return !port.bursts.empty(); });
}
bool AxiSide::writes_open() const {
  return std::any_of(ports_.begin(), ports_.end(), [](const Port& port) { return port.responses > 0; });
}

void AxiSide::deliver(Port& port) {
  if (port.read) {
    for (Cycles visible; (visible = memory_->next_read_beat(port.id)) != kNever;) {
      memory_->take_read_beat(port.id, visible);
      port.arrivals.push(visible);
    }
  } else {
    for (Cycles visible; (visible = memory_->next_write_response(port.id)) != kNever;) {
      memory_->take_write_response(port.id, visible);
      port.arrivals.push(visible);
    }
  }
}

bool AxiSide::fits(const Port& port, const stream::BurstRequest& burst) const {
  const Bytes bytes = beat_bytes_ * burst.beats;
  const memory::Store& store = stores_[static_cast<std::size_t>(port.channel)];
  return burst.address >= store.first() && burst.address % beat_bytes_ == 0 && burst.address + bytes <= store.end() &&
         burst.address % 4096 + bytes <= 4096;
}

void AxiSide::write(Port& port, const PortEvents& events, Cycles now) {
  if (events.address && fits(port, events.request)) {
    memory_->send_write(port.id, now, events.request.address, events.request.beats);
    port.write_address = events.request.address;
    port.write_left = events.request.beats;
    ++port.responses;
  }
  if (!events.beat || port.write_left == 0) return;
  --port.write_left;
  memory_->send_write_beat(port.id, now);
  float* const words = stores_[static_cast<std::size_t>(port.channel)].floats(port.write_address);
  for (std::size_t lane = 0; lane < events.words.size(); ++lane) {
    if (!events.strobe[lane]) continue;
    words[lane] = from_bits(events.words[lane]);
    ++written_;
  }
  port.write_address += beat_bytes_;
}

}  // namespace weft::cosim
