#include "model/stream/observer.h"

namespace weft::stream {

KernelView::KernelView(const Topology& topology) : fifos_(topology.fifos.size()), ports_(topology.ports.size()) {
  events_.fifos.resize(fifos_.size());
  events_.ports.resize(ports_.size());
}

void KernelView::look(std::size_t index, const Fifo& fifo) {
  Seen& seen = fifos_[index];
  FifoEvent& event = events_.fifos[index];
  event.fill = static_cast<int>(seen.pushed - seen.popped);
  event.push = fifo.pushed() != seen.pushed;
  event.pop = fifo.popped() != seen.popped;
  event.words.clear();
  seen = {fifo.pushed(), fifo.popped()};
  if (!event.push || !fifo.with_data()) return;
  for (int lane = 0; lane < fifo.width(); ++lane) event.words.push_back(fifo.newest()[lane].bits);
}

void KernelView::look(std::size_t index, const ReadPort& port) {
  Cycles& busy = ports_[index].busy;
  PortEvents& events = events_.ports[index];
  events.address = port.requested;
  events.request = port.request;
  events.beat = port.busy_cycles != busy;
  busy = port.busy_cycles;
}

void KernelView::look(std::size_t index, const WritePort& port) {
  int& burst_left = ports_[index].burst_left;
  PortEvents& events = events_.ports[index];
  events = {};
  events.address = port.requested;
  events.request = port.request;
  events.response = port.response_taken;
  events.beat = port.beat_sent;
  if (port.requested) burst_left = port.request.beats;
  if (!port.beat_sent) return;
  int lane = 0;
  for (const Word& word : port.beat) {
    events.words.push_back(word.bits);
    events.strobe.push_back(lane >= port.first_lane && lane < port.first_lane + port.lanes);
    ++lane;
  }
  events.last = --burst_left == 0;
}

}  // namespace weft::stream
