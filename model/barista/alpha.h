#pragma once

#include <array>

#include "model/barista/topology.h"
#include "model/core/frequency.h"
#include "model/core/number_format.h"
#include "model/core/units.h"
#include "model/stream/ports.h"

namespace weft::barista {

// FIFO depths. The depths of the tile FIFOs are fixed: they are the sizes of the tile buffers.
using FifoDepths = weft::FifoDepths<FifoId, kFifoInfos>;
// FIFOs whose depth a kernel may choose.
inline constexpr std::array<FifoId, 4> kFreeFifos{FifoId::ABeat, FifoId::BBeat, FifoId::CRow, FifoId::CBeat};

// alpha: the compile-time parameters of a Barista kernel (CONTRACT.md, section 2).
struct Alpha {
  int tr = 16, tc = 16;  // rows and columns of the mesh
  int tp = 64;           // products of a tile
  int partials = 11;     // S + 1 partial sums of a processing element
  NumberFormat format;   // of the words of A and B; each takes 32 bits in memory, as do the sums of C
  int band = 16;         // words of 32 bits per beat
  FifoDepths fifo;
  stream::PortConfig a_port, b_port, c_port;
  Frequency clock = 250;

  Bytes beat_bytes() const { return Bytes{band} * 4; }
  // Words of a tile of A and of a tile of B in memory: whole beats.
  Words a_tile_words() const { return align_up(Words{tr} * tp, Words{band}); }
  Words b_tile_words() const { return align_up(Words{tp} * tc, Words{band}); }
  Words c_tile_words() const { return Words{tr} * tc; }
  Cycles mesh_cycles() const { return Cycles{tp} + tr + tc - 2; }          // Xm, cycles of a tile
  Cycles final_add_cycles() const { return Cycles{partials} * partials; }  // F, final-add cycles of an output tile
};

// Words in a token of a FIFO.
constexpr int fifo_width(const Alpha& alpha, FifoId fifo) {
  switch (fifo) {
    case FifoId::ABeat:
    case FifoId::BBeat:
    case FifoId::CBeat:
      return alpha.band;
    case FifoId::ATile:
      return alpha.tr * alpha.tp;
    case FifoId::BTile:
      return alpha.tp * alpha.tc;
    case FifoId::CTile:
      return alpha.tr * alpha.tc;
    case FifoId::CRow:
      return alpha.tc;
  }
  return 0;
}

}  // namespace weft::barista
