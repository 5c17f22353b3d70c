#include "platform/hardware/cosim/model_probe.h"

#include <utility>

namespace weft::cosim {

ModelProbe::ModelProbe(int band, std::vector<int> fifo_words, std::size_t ports)
    : band_(band), fifo_words_(std::move(fifo_words)), fifos_(fifo_words_.size()), ports_(ports) {}

FifoEvent ModelProbe::fifo(std::size_t index, const Fifo& fifo) {
  Seen& seen = fifos_[index];
  FifoEvent event;
  event.push = fifo.pushed() != seen.pushed;
  event.pop = fifo.popped() != seen.popped;
  seen = {fifo.pushed(), fifo.popped()};
  for (int lane = 0; event.push && lane < fifo_words_[index]; ++lane) event.words.push_back(fifo.newest()[lane].bits);
  return event;
}

PortEvents ModelProbe::read(std::size_t index, const stream::ReadPort& port) {
  Cycles& busy = ports_[index].busy;
  PortEvents events;
  events.address = port.requested;
  events.request = port.request;
  events.beat = port.busy_cycles != busy;
  busy = port.busy_cycles;
  return events;
}

PortEvents ModelProbe::write(std::size_t index, const stream::WritePort& port) {
  int& burst_left = ports_[index].burst_left;
  PortEvents events;
  events.address = port.requested;
  events.request = port.request;
  events.response = port.response_taken;
  events.beat = port.beat_sent;
  if (port.requested) burst_left = port.request.beats;
  if (!port.beat_sent) return events;
  for (int lane = 0; lane < band_; ++lane) {
    events.words.push_back(port.beat[static_cast<std::size_t>(lane)].bits);
    events.strobe.push_back(lane >= port.first_lane && lane < port.first_lane + port.lanes);
  }
  events.last = --burst_left == 0;
  return events;
}

}  // namespace weft::cosim
