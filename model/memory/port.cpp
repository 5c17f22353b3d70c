#include "model/memory/port.h"

#include <fmt/core.h>

#include "model/core/error.h"

namespace weft::memory {

void check_burst(PortId port, Address address, int beats, Bytes beat_bytes, Bytes capacity) {
  constexpr Bytes kPage = 4096;
  const Address last = address + beats * beat_bytes - 1;
  if (beats >= 1 && address >= 0 && address % beat_bytes == 0 && address / kPage == last / kPage &&
      (capacity == 0 || last < capacity)) {
    return;
  }
  throw Error(
      fmt::format("Burst of {} beats of {} bytes at address {:#x} on memory port {}: a burst has at least one beat, is "
                  "aligned to the "
                  "beat, does not cross a 4 KB boundary{}.",
                  beats, beat_bytes, address, port,
                  capacity == 0 ? "" : fmt::format(" and ends below the channel's capacity of {:#x} bytes", capacity)));
}

}  // namespace weft::memory
