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

// Register writes of a host for a convolution (REGISTERS.md, LCH-1): beta's registers, in fixed point with the first
// words of INP and KERN, and CTRL to start.
constexpr int beta_registers(NumberFormat format) {
  return format.is_fixed() ? 32 : 30;
}
constexpr int register_writes(NumberFormat format) {
  return beta_registers(format) + 1;
}

// Kernel cycles from the one that takes the start to cycle 0 of a convolution that fits the kernel (LCH-1..4).
Cycles launch_cycles(const conv::Convolution& beta);

// Kernel cycles from the one that takes the start to the first in which done can be read, for a convolution that the
// kernel refuses (LCH-5).
Cycles refusal_cycles(const conv::Convolution& beta);

// Kernel cycles from the end of a convolution until done can be read, if no read is under way then (LCH-6).
inline constexpr Cycles kDoneCycles = 1;

inline constexpr Address kCtrl = 0x000, kStatus = 0x004, kCycles = 0x008, kBeta = 0x020, kActivity = 0x100;
inline constexpr Address kActivityRegisters = kActivities * kBlocks;
inline constexpr Address kRegisterBytes = 0x400;  // 10 address bits: the registers repeat beyond
inline constexpr std::uint32_t kCtrlStart = 1, kCtrlDone = 2, kCtrlIdle = 4;

using BetaWords = std::vector<std::uint32_t>;  // register words from kBeta on

// A parameter of a convolution in the registers.
struct BetaField {
  const char* name;
  Address address;
  int bits;  // bits of the register, or pair of registers, that the kernel uses
  bool is_signed;
  std::int64_t (*get)(const conv::Convolution&);
  void (*set)(conv::Convolution&, std::int64_t);

  Bytes bytes() const { return bits > 32 ? 8 : 4; }
};
// Returns the fields in the order of their addresses, without gaps from kBeta on.
const std::vector<BetaField>& beta_fields(NumberFormat format);

// Returns the words that a host writes for a convolution, from kBeta on. Bases and first words are stored as they are
// (see as_registers_hold()), in any address space.
BetaWords encode(const conv::Convolution& beta, NumberFormat format);

// Returns the convolution that the kernel makes of such words. Words that no host may write (REGISTERS.md) are read as
// by the kernel: bits beyond a register's width are dropped, bases lose their lowest two, kind 3 is F.
conv::Convolution decode(const BetaWords& words, NumberFormat format);

// Reasons for which the kernel refuses a convolution, in the order of its checks.
enum class Refusal : std::uint8_t { None, Variant, Zero, Sets, ZChannel, KernWords, OutWords, KRange };

// Returns STATUS as the kernel's precompute finds it. `max_sets`: MaxSets of the RTL.
Refusal refusal(const Alpha& alpha, std::int64_t max_sets, const conv::Convolution& beta);
const char* to_string(Refusal refusal);  // the limit that was exceeded, in words

// Register file of the AXI4-Lite slave. Access times are kernel cycles since the last start (kNever: no start yet).
// Copyable.
class RegisterFile {
 public:
  explicit RegisterFile(NumberFormat format) : beta_(static_cast<std::size_t>(beta_registers(format))) {}

  std::uint32_t read(Address address, Cycles since_start) const;
  // True if the kernel is to be started; the caller then calls refuse() or run() with the outcome.
  bool write(Address address, std::uint32_t data, unsigned strobes, Cycles since_start);
  const BetaWords& beta() const { return beta_; }

  // Sets the outcome of the start: done can be read from cycle `busy` on.
  void refuse(Refusal why, Cycles busy);
  // `first`: the cycle that is cycle 0 of the convolution. `activity`: returns the blocks' activity in the cycles
  // before a given one, 0 to T; called when a counter is read.
  using ActivityBefore = std::function<BlockActivities(Cycles)>;
  void run(Cycles first, Cycles cycles, Cycles busy, ActivityBefore activity);

 private:
  bool busy(Cycles since_start) const { return since_start < busy_; }
  std::uint32_t counter(std::size_t index, Cycles since_start) const;

  Address end_of_beta() const { return kBeta + 4 * static_cast<Address>(beta_.size()); }

  BetaWords beta_;
  // Outcome of the last start.
  Cycles busy_ = 0, first_ = 0;
  Cycles cycles_ = 0;  // T
  bool done_ = false;  // there was a start
  std::uint32_t status_ = 0;
  ActivityBefore activity_;
};

}  // namespace weft::fpgpt
