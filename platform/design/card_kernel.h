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

// How a card carries out what a kernel computes.
enum class Execution : std::uint8_t {
  Data,  // every word through every FIFO of the SystemC model
  Fast   // the same values computed directly, the same cycles by the exact rung and remembered
};

// A parameter of a kernel as software sets it: a register, or two that follow each other.
struct KernelArgument {
  std::string name;
  Address offset = 0;
  Bytes bytes = 4;  // 4 or 8
  int port = -1;    // of the kernel's ports, the one that reaches the tensor that this is the address of
  bool is_signed = false;
};

// One start of a kernel on the card.
struct CardLaunch {
  Cycles busy = 0;    // from the one that takes the start to the first in which done can be read
  Cycles cycles = 0;  // of them those of the computation itself; 0 if it was refused
  bool refused = false;
  std::int64_t overflows = 0;  // sums that left the bits of OUT
  std::vector<int> banks;      // that it uses
  std::string what;            // for people: "F 16x32x32 ..., 12345 cycles"
};

// A kernel that is loaded into the card: its registers, behind an AXI4-Lite slave, and what a start does. `since_start`
// is the kernel cycle of an access, counted from the one that took the last start; kNever before the first.
class CardKernel {
 public:
  virtual ~CardKernel() = default;

  virtual Frequency clock() const = 0;
  virtual std::uint32_t read(Address address, Cycles since_start) const = 0;
  // `strobes`: bit i is set for byte i that is written. True: this write started the kernel, and launch() follows.
  virtual bool write(Address address, std::uint32_t data, unsigned strobes, Cycles since_start) = 0;
  // Whether software that waits for the kernel reads this register until it says done.
  virtual bool tells_done(Address address) const = 0;

  // Does at once what the kernel does until it is done; `banks`: what the card's memory holds. Throws Error for what
  // the registers' description leaves to the host to respect; the kernel is then as if it had not been started.
  virtual CardLaunch launch(std::vector<memory::Store>& banks) = 0;
};

// What the kernels of a design share on one card. SystemC allows no modules once a simulation has begun: it is made
// before.
class CardKernels {
 public:
  virtual ~CardKernels() = default;
  // The kernel of the run, reset, on the board of the run. Throws Error where sizes are left to be fitted, and for what
  // cannot be simulated.
  virtual std::unique_ptr<CardKernel> load(const config::RunConfig& run, const AddressMap& memory) = 0;
};

// What a card run asks of a design.
struct CardOptions {
  Execution execution = Execution::Fast;
  int check_percent = 0;  // fast: of the launches, how many are carried out both ways and compared
};

}  // namespace weft::design
