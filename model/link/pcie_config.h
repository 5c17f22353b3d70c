#pragma once

#include <optional>
#include <string>

#include "model/core/units.h"

namespace weft::link {

// Credits that a receiver advertises for one kind of TLP (PCI Express base specification 5.0, section 2.6.1). 0:
// unlimited, as in the specification.
struct Credits {
  int headers = 0;  // TLPs
  int data = 0;     // units of 16 bytes
};

// DMA engine between host and card: scatter-gather descriptors in host memory, modelled on AMD's XDMA.
struct DmaConfig {
  int descriptor_bytes = 32;       // PG195, table of the descriptor format
  int descriptors_per_fetch = 32;  // adjacent descriptors read together, during the previous block
  Bytes descriptor_max_bytes = (Bytes{1} << 28) - 4096;  // data of one descriptor: a 28-bit length in whole pages
  // Host memory is contiguous only within a page of this size, so a descriptor ends at each page end.
  Bytes host_page_bytes = 4096;
  int tags = 32;  // read requests in flight, from issue until all their data is in the card's memory
  // Data FIFO of one direction. A read request, or a read of the card's memory, reserves its room. The room is free
  // again when the data has left: into the card's memory, or with the last byte of its write.
  Bytes buffer_bytes = 65536;
};

// A PCI Express link between the card's DMA engine and host memory. Times are exact picoseconds.
//
// The card reads host memory with MRd TLPs, which the host answers with CplD TLPs, and writes it with MWr TLPs. Each
// TLP has its own time on the wire. ACK and UpdateFC DLLPs follow a TLP when they are due. SKP ordered sets are spread
// evenly over time.
//
// Not modelled: configuration space, link training, ACK time-outs and replay, ECRC, MSI-X, multiple functions or
// virtual channels, reordered completions of different requests, other traffic in the host.
struct PcieConfig {
  int generation = 3;  // 1 to 5: 2.5, 5 (8b/10b), 8, 16, 32 GT/s (128b/130b)
  int lanes = 16;      // 1, 2, 4, 8, 12, 16 or 32

  int max_payload_bytes = 256;              // MPS: of an MWr or CplD
  int max_read_request_bytes = 512;         // MRRS: of an MRd
  int read_completion_boundary_bytes = 64;  // RCB: every CplD except a request's last ends at a multiple of it
  int write_overhead_bytes = 24;            // MWr64: framing and sequence 4, header 16, LCRC 4
  int read_overhead_bytes = 24;             // MRd64: same parts
  int completion_overhead_bytes = 20;       // CplD: header 12
  int dllp_bytes = 8;                       // framing included
  int dllp_interval_bytes = 168;            // bytes of a direction that contain one ACK and one UpdateFC
  int skp_symbols = 4;                      // on every lane, ...
  int skp_interval_symbols = 1538;          // ... in this many symbol times

  Credits posted{0, 0};              // of the host, for MWr
  int nonposted_headers = 0;         // of the host, for MRd; 0: unlimited
  Picoseconds credit_return_ps = 0;  // from the last byte of a TLP on the wire to the return of its credits

  // Time from the last byte of an MRd on the wire to its first data byte, without contention.
  Picoseconds read_round_trip_ps = 0;
  // Time from the last byte of an MWr on the wire to its data in host memory.
  Picoseconds host_write_latency_ps = 0;
  // Times from the last byte of a CplD on the wire to its data in the card's memory, and from a read request to the
  // card's memory to its data.
  Picoseconds card_write_latency_ps = 0, card_read_latency_ps = 0;

  DmaConfig dma;

  // First invalid value: its dotted key as in a board's file, and a message with the value and the allowed range.
  struct Fault {
    const char* key;
    std::string message;
  };
  std::optional<Fault> find_fault() const;
  void validate() const;  // throws weft::Error with the fault
};
// Compares all parameters that affect the time of a transfer.
bool operator==(const PcieConfig& a, const PcieConfig& b);

// Largest number of bytes of a direction between two ACKs, and between two UpdateFCs, that the base specification
// recommends (5.0, tables 2-46 to 2-48 and 3-7 to 3-9, here by their formula): 168 for Gen3 x16 with an MPS of 256.
int dllp_interval_bytes(int generation, int lanes, int max_payload_bytes);

}  // namespace weft::link
