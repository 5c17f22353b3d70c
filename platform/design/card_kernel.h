#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/core/frequency.h"
#include "model/memory/store.h"
#include "platform/config/run_config.h"
#include "platform/design/address_map.h"

namespace weft::design {

// Execution of a kernel's computation on the card.
enum class Execution : std::uint8_t {
  Data,  // every word passes through every FIFO of the SystemC model
  Fast   // the same values computed directly; the same cycles from the exact rung, memoised
};

// A parameter of a kernel as software sets it: one register, or two consecutive ones.
struct KernelArgument {
  std::string name;
  Address offset = 0;
  Bytes bytes = 4;  // 4 or 8
  int port = -1;    // the kernel's port that reaches the tensor whose address this is; -1: not an address
  bool is_signed = false;
};

// Bytes of the card's memory.
struct Extent {
  Address begin = 0, end = 0;
};

// One start of a kernel on the card.
struct CardLaunch {
  Cycles busy = 0;    // from the cycle that takes the start to the first in which done can be read
  Cycles cycles = 0;  // part of `busy` that is the computation itself; 0 if the start was refused
  bool refused = false;
  std::int64_t overflows = 0;  // sums that exceeded the bits of OUT
  std::vector<int> banks;      // that the launch uses
  std::string what;  // summary for people: "F 16x32x32 ..., 12345 cycles"; of a refused launch with the reason

  // Not of a refused launch: the tensors that are read, each with its register, and the one that is written.
  struct Tensor {
    std::string base;
    std::vector<Extent> extents;
  };
  std::vector<Tensor> reads;
  Tensor written;
  std::string fault;  // of values that the kernel takes although they cannot be meant; empty: none
};

// A kernel loaded into the card: its registers, accessed through an AXI4-Lite slave, and the effect of a start.
// `since_start`: kernel cycle of an access, counted from the cycle that took the last start; kNever before the first.
class CardKernel {
 public:
  virtual ~CardKernel() = default;

  virtual Frequency clock() const = 0;
  virtual std::uint32_t read(Address address, Cycles since_start) const = 0;
  // `strobes`: bit i is set if byte i is written. Returns true if this write started the kernel; launch() follows.
  virtual bool write(Address address, std::uint32_t data, unsigned strobes, Cycles since_start) = 0;
  // True if software polls this register until it says done.
  virtual bool tells_done(Address address) const = 0;

  // Carries out at once all that the kernel does until it is done. `banks`: contents of the card's memory. Throws Error
  // for values that REGISTERS.md leaves to the host to respect; the kernel is then as if it had not been started.
  virtual CardLaunch launch(std::vector<memory::Store>& banks) = 0;
};

// State that the kernels of a design share on one card. It is made before a simulation begins, because SystemC allows
// no new modules later.
class CardKernels {
 public:
  virtual ~CardKernels() = default;
  // Returns the kernel of the run, reset, on the board of the run. Throws Error if sizes are left to be fitted or the
  // run cannot be simulated.
  virtual std::unique_ptr<CardKernel> load(const config::RunConfig& run, const AddressMap& memory) = 0;
};

// Options of a card run that concern the design.
struct CardOptions {
  Execution execution = Execution::Fast;
  int check_percent = 0;  // Execution::Fast: percentage of launches that are executed both ways and compared
};

}  // namespace weft::design
