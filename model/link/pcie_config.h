#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "model/core/units.h"

namespace weft::link {

// Credits that a receiver advertises for one kind of TLP (PCI Express base specification 5.0, section 2.6.1). 0: as
// many as there may ever be, as the specification has it.
struct Credits {
  int headers = 0;  // TLPs
  int data = 0;     // units of 16 bytes
};

// The engine that moves data between host and card: scatter-gather descriptors in host memory, after AMD's XDMA.
struct DmaConfig {
  int descriptor_bytes = 32;       // PG195, table of the descriptor format
  int descriptors_per_fetch = 32;  // adjacent ones read together; the next of them while these are worked off
  Bytes descriptor_max_bytes = (Bytes{1} << 28) - 4096;  // what one describes at most: a 28-bit length, whole pages
  // Host memory is contiguous within a page of this size and no further, so that a descriptor ends where one ends.
  Bytes host_page_bytes = 4096;
  int tags = 32;  // read requests under way, from their issue to the last of their data being in the card's memory
  // Data FIFO of a direction: room for data is taken when it is asked for (by a read request, or by a read of the
  // card's memory), and is free again when the data has left (into the card's memory, or with the last byte of its
  // write).
  Bytes buffer_bytes = 65536;
};

// A PCI Express link with the DMA engine of the card at its one end and the host's memory at the other. Times are exact
// picoseconds.
//
// A card reads host memory with MRd TLPs, which the host answers with CplD TLPs, and writes it with MWr TLPs. Each TLP
// has its own time on the wire; ACK and UpdateFC DLLPs follow a TLP when they are due; SKP ordered sets are shared out
// evenly over time.
//
// Not modelled: configuration space, link training, ACK time-outs and replay, ECRC, MSI-X, several functions or virtual
// channels, completions of different requests overtaking each other, traffic of others in the host.
struct PcieConfig {
  int generation = 3;  // 1 to 5: 2.5, 5 (8b/10b), 8, 16, 32 GT/s (128b/130b)
  int lanes = 16;      // 1, 2, 4, 8, 12, 16 or 32

  int max_payload_bytes = 256;              // MPS: of an MWr or CplD
  int max_read_request_bytes = 512;         // MRRS: of an MRd
  int read_completion_boundary_bytes = 64;  // RCB: every CplD but a request's last ends at a multiple of it
  int write_overhead_bytes = 24;            // MWr64: framing and sequence 4, header 16, LCRC 4
  int read_overhead_bytes = 24;             // MRd64: the same
  int completion_overhead_bytes = 20;       // CplD: header 12
  int dllp_bytes = 8;                       // framing included
  int dllp_interval_bytes = 168;            // of a direction's bytes, in which one ACK and one UpdateFC are among them
  int skp_symbols = 4;                      // on every lane, ...
  int skp_interval_symbols = 1538;          // ... in so many symbol times

  Credits posted{0, 0};              // of the host, for MWr
  int nonposted_headers = 0;         // of the host, for MRd; 0: as many as there may ever be
  Picoseconds credit_return_ps = 0;  // from the last byte of a TLP on the wire to its credits being back

  // From the last byte of an MRd on the wire to the first of its data coming back, if nothing is in the way.
  Picoseconds read_round_trip_ps = 0;
  // From the last byte of an MWr on the wire to its data being in host memory.
  Picoseconds host_write_latency_ps = 0;
  // From the last byte of a CplD on the wire to its data being in the card's memory; from asking the card's memory for
  // data to having it.
  Picoseconds card_write_latency_ps = 0, card_read_latency_ps = 0;

  DmaConfig dma;

  // What is wrong with it, if anything: the key as a board's file has it, dotted, the value and what is allowed.
  struct Fault {
    const char* key;
    std::string message;
  };
  std::optional<Fault> find_fault() const;
  void validate() const;  // throws weft::Error of the fault

  // Everything that a transfer's time depends on.
  auto fields() const {
    return std::make_tuple(generation, lanes, max_payload_bytes, max_read_request_bytes, read_completion_boundary_bytes,
                           write_overhead_bytes, read_overhead_bytes, completion_overhead_bytes, dllp_bytes,
                           dllp_interval_bytes, skp_symbols, skp_interval_symbols, posted.headers, posted.data,
                           nonposted_headers, credit_return_ps, read_round_trip_ps, host_write_latency_ps,
                           card_write_latency_ps, card_read_latency_ps, dma.descriptor_bytes, dma.descriptors_per_fetch,
                           dma.descriptor_max_bytes, dma.host_page_bytes, dma.tags, dma.buffer_bytes);
  }
};
inline bool operator==(const PcieConfig& a, const PcieConfig& b) {
  return a.fields() == b.fields();
}

// The most bytes of a direction between two ACKs, and between two UpdateFCs, that the base specification recommends
// (5.0, tables 2-46 to 2-48 and 3-7 to 3-9, here by the formula above them): 168 for Gen3 x16 with an MPS of 256.
int dllp_interval_bytes(int generation, int lanes, int max_payload_bytes);

}  // namespace weft::link
