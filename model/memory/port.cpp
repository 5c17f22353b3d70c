#include "model/memory/port.h"

#include <fmt/core.h>

#include "model/core/error.h"

namespace weft::memory {

void refuse_burst(PortId port, Address address, int beats, Bytes beat_bytes, Bytes capacity) {
  throw Error(
      fmt::format("Burst of {} beats of {} bytes at address {:#x} on memory port {}: a burst has at least one beat, is "
                  "aligned to the beat, does not cross a 4 KB boundary{}.",
                  beats, beat_bytes, address, port,
                  capacity == 0 ? "" : fmt::format(" and ends below the channel's capacity of {:#x} bytes", capacity)));
}

void PortReturn::relative(Relative& state, Cycles now, std::size_t writes) {
  std::size_t entries = reads_.size();
  state.value(entries);
  if (state.loading()) {
    reads_.clear();
    responses_.clear();
    read_ends_.clear();
    resolved_ = 0;
    taken_of_front_ = 0;
    beats_asked_ = stats_.read_beats;
  }
  for (std::size_t i = 0; i < entries; ++i) {
    Beats beats = state.loading() ? Beats{} : reads_.at(reads_.begin_index() + static_cast<Slot>(i));
    auto missing = static_cast<std::uint8_t>(beats.missing);
    state.value(missing);
    if (missing == parts_) {
      beats.visible = -1;
    } else {
      state.timer(beats.visible, now);  // it waits for unknown data, so it becomes visible after `now`
    }
    beats.missing = missing;
    state.value(beats.count);
    if (!state.loading()) continue;
    reads_.push(beats);
    beats_asked_ += beats.count;
  }
  if (!state.loading()) return;
  if (entries > 0) read_ends_.push(beats_asked_);
  outstanding_ = static_cast<std::int64_t>(writes) + (entries > 0 ? 1 : 0);
  outstanding_from_ = now;
}

}  // namespace weft::memory
