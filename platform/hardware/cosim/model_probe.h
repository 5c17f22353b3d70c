#pragma once

#include <cstdint>
#include <vector>

#include "model/core/fifo.h"
#include "model/stream/ports.h"
#include "platform/hardware/cosim/events.h"

namespace weft::cosim {

// Reads the events of a cycle off the FIFOs and ports of a model in data mode: the difference to what it saw when it
// last looked. To be asked after every cycle in which anything moved; no write beat is accepted before its address.
class ModelProbe {
 public:
  // Per FIFO the words of a token that are compared, as in Hardware.
  ModelProbe(int band, std::vector<int> fifo_words, std::size_t ports);

  FifoEvent fifo(std::size_t index, const Fifo& fifo);
  PortEvents read(std::size_t index, const stream::ReadPort& port);
  PortEvents write(std::size_t index, const stream::WritePort& port);

 private:
  struct Seen {
    std::int64_t pushed = 0, popped = 0;
  };
  struct SeenPort {
    Cycles busy = 0;
    int burst_left = 0;  // beats to come of the write burst whose address was accepted last
  };
  int band_;
  std::vector<int> fifo_words_;
  std::vector<Seen> fifos_;
  std::vector<SeenPort> ports_;
};

}  // namespace weft::cosim
