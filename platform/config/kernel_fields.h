#pragma once

#include <string>

#include "model/stream/ports.h"
#include "platform/config/kernel.h"
#include "platform/config/reader.h"

namespace weft::config {

// What stands in the file of every design's kernel: its name, its title and which design it is.
template <class Io>
void kernel_head(Io& io, Kernel& kernel, const char* design) {
  io.text("name", kernel.name);
  io.text("title", kernel.title);
  if constexpr (Io::kReads) {
    io.mention(kDesignKey);
  } else {
    std::string text = design;
    io.text(kDesignKey, text);
  }
}

// Of a port: the bursts of AXI4.
template <class Io>
void port_fields(Io& io, stream::PortConfig& port) {
  io.integer("max_burst_beats", port.max_burst_beats, 1, 256);
  io.integer("outstanding", port.outstanding, 1, 256);
}

}  // namespace weft::config
