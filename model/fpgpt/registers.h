#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/conv/convolution.h"
#include "model/core/activity.h"
#include "model/core/number_format.h"
#include "model/core/units.h"
#include "model/fpgpt/alpha.h"
#include "model/fpgpt/kernel.h"

// The registers of the kernel (kernels/fpgpt/rtl/REGISTERS.md).
namespace weft::fpgpt {

// What a host writes for a convolution (REGISTERS.md, LCH-1): beta's registers, with the first words of INP and KERN in
// fixed point, and CTRL to start.
constexpr int beta_registers(NumberFormat format) {
  return format.is_fixed() ? 32 : 30;
}
constexpr int register_writes(NumberFormat format) {
  return beta_registers(format) + 1;
}

// Kernel cycles from the one that takes the start to cycle 0 of a convolution that the kernel holds (LCH-1..4).
Cycles launch_cycles(const conv::Convolution& beta);

// Kernel cycles from the one that takes the start to the first in which done can be read, for a convolution that the
// kernel refuses (LCH-5).
Cycles refusal_cycles(const conv::Convolution& beta);

// The same from the end of the convolution, T, if no read is under way then (LCH-6).
inline constexpr Cycles kDoneCycles = 1;

inline constexpr Address kCtrl = 0x000, kStatus = 0x004, kCycles = 0x008, kBeta = 0x020, kActivity = 0x100;
inline constexpr Address kActivityRegisters = kActivities * kBlocks;
inline constexpr Address kRegisterBytes = 0x400;  // 10 bits of address: they repeat behind it
inline constexpr std::uint32_t kCtrlStart = 1, kCtrlDone = 2, kCtrlIdle = 4;

using BetaWords = std::vector<std::uint32_t>;  // as they stand from kBeta on

// A parameter of a convolution in the registers.
struct BetaField {
  const char* name;
  Address address;
  int bits;  // of the register, or of two of them, that the kernel looks at
  bool is_signed;
  std::int64_t (*get)(const conv::Convolution&);
  void (*set)(conv::Convolution&, std::int64_t);

  Bytes bytes() const { return bits > 32 ? 8 : 4; }
};
// In the order of their addresses, without gaps from kBeta on.
const std::vector<BetaField>& beta_fields(NumberFormat format);

// A convolution as a host writes it, from kBeta on; its bases and first words are what the registers say (see
// as_registers_hold()), of whatever address space.
BetaWords encode(const conv::Convolution& beta, NumberFormat format);

// What the kernel makes of such words. Words that no host may write (REGISTERS.md) are taken as the kernel takes them:
// what is beyond a register's bits is dropped, bases lose their lowest two, kind 3 is F.
conv::Convolution decode(const BetaWords& words, NumberFormat format);

// Why the kernel refuses a convolution, in the order in which it looks.
enum class Refusal : std::uint8_t { None, Variant, Zero, Sets, ZChannel, KernWords, OutWords, KRange };

// STATUS, as the kernel's precompute finds it. `max_sets`: MaxSets of the RTL.
Refusal refusal(const Alpha& alpha, std::int64_t max_sets, const conv::Convolution& beta);
const char* to_string(Refusal refusal);  // the limit, in words

// The register file behind the AXI4-Lite slave, with the time of an access given as the kernel cycles since the last
// start (kNever: there was none). Copyable.
class RegisterFile {
 public:
  explicit RegisterFile(NumberFormat format) : beta_(static_cast<std::size_t>(beta_registers(format))) {}

  std::uint32_t read(Address address, Cycles since_start) const;
  // True: the kernel is to be started; refuse() or run() says what came of it.
  bool write(Address address, std::uint32_t data, unsigned strobes, Cycles since_start);
  const BetaWords& beta() const { return beta_; }

  // What came of the start: done can be read from cycle `busy` on.
  void refuse(Refusal why, Cycles busy);
  // `first`: the cycle that is cycle 0 of the convolution. `activity`: what the blocks did in the cycles before one of
  // it, 0 to T, asked for when a counter is read.
  using ActivityBefore = std::function<BlockActivities(Cycles)>;
  void run(Cycles first, Cycles cycles, Cycles busy, ActivityBefore activity);

 private:
  bool busy(Cycles since_start) const { return since_start < busy_; }
  std::uint32_t counter(std::size_t index, Cycles since_start) const;

  Address end_of_beta() const { return kBeta + 4 * static_cast<Address>(beta_.size()); }

  BetaWords beta_;
  // Of the last start.
  Cycles busy_ = 0, first_ = 0;
  Cycles cycles_ = 0;  // T
  bool done_ = false;  // there was one
  std::uint32_t status_ = 0;
  ActivityBefore activity_;
};

}  // namespace weft::fpgpt
