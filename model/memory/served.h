#pragma once

#include <cstdint>

#include "model/memory/clock_ratio.h"

namespace weft::memory {

// Row state that a request met when it was the oldest of its bank or was served: its row open, the bank closed (it
// needed an ACT), another row open (it needed a PRE too).
enum class RowOutcome : std::uint8_t { hit, miss, conflict };

// Report of a request whose RD or WR has been issued.
struct Served {
  std::uint32_t tag;
  bool write;
  RowOutcome outcome;
  Nck data_end;  // end of the last data beat
};

}  // namespace weft::memory
