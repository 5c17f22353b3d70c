#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/core/relative.h"
#include "model/memory/ddr4_timing.h"

namespace weft::memory {

inline constexpr int kBankGroups = 4;
inline constexpr int kBanksPerGroup = 4;
inline constexpr int kBanks = kBankGroups * kBanksPerGroup;  // bank index = bank group * 4 + bank in the group
constexpr int group_of(int bank) {
  return static_cast<int>(static_cast<unsigned>(bank) / kBanksPerGroup);
}

// The DRAM devices of one channel (one rank): which rows are open and when each command becomes legal. It owns no clock
// and decides nothing; the caller passes the time. Copyable, all state its own.
class Ddr4Device {
 public:
  static constexpr int kClosed = -1;

  explicit Ddr4Device(const Ddr4Timing& timing);

  void reset();

  int open_row(int bank) const { return open_row_[bank]; }
  bool any_open() const { return open_banks_ != 0; }
  // From then on every command that the rows allow is legal, until another one is issued.
  Nck all_legal_from() const;

  // The earliest time at which `command` may be issued to `bank` as far as timing is concerned (`bank` is ignored for
  // PREA and REF). Whether the row state allows it is `allows`.
  Nck earliest(Command command, int bank) const { return origin_ + earliest_from_origin(command, bank); }

  // The same from origin() on, in 32 bits, so that many of them are compared at once. Issuing a command may move the
  // origin up, every some hundred million clocks.
  using Time = std::int32_t;
  Time earliest_from_origin(Command command, int bank) const {
    const int c = index_of(command);
    if (command == Command::precharge_all || command == Command::refresh) return rank_next_[c];
    return std::max({bank_next_[bank][c], group_next_[group_of(bank)][c], rank_next_[c]});
  }
  Nck origin() const { return origin_; }
  // The parts of that, which is the later of both: of the bank alone, and of the commands to the banks of each group.
  // Not of PREA and REF.
  Time earliest_in_bank(Command command, int bank) const { return bank_next_[bank][index_of(command)]; }
  std::array<Time, kBankGroups> earliest_in_groups(Command command) const {
    std::array<Time, kBankGroups> earliest;
    const int c = index_of(command);
    for (int group = 0; group < kBankGroups; ++group) earliest[group] = std::max(group_next_[group][c], rank_next_[c]);
    return earliest;
  }

  // ACT needs a closed bank, PRE, RD and WR an open one, REF all banks closed.
  bool allows(Command command, int bank) const;

  // `row` matters for ACT only. Throws std::logic_error if the command is not legal at `time`: a scheduler that issues
  // such a command is wrong, and so would be every figure after it.
  void issue(Command command, int bank, int row, Nck time);

  // Rows are kept as their distance from `row`. A time that comes to nothing, as another command or another time is in
  // its way for at least as long, is as if it had passed, in what is kept and here.
  void relative(Relative& state, Nck now, int row);

  // Commands to other banks that may have to wait for `command`.
  CommandSet delays_in_other_banks(Command command) const { return delays_elsewhere_[index_of(command)]; }

 private:
  // Times are kept from origin_ on: what a command makes of those of a bank, a group or the rank is one vector of
  // eight.
  static constexpr Time kFarthest = Time{1} << 28;
  static constexpr Time kLongAgo = -kFarthest;  // no delay is as long

  // For each later command the delay the timing table asks for, or kNoRule.
  using Delays = std::array<Time, kCommands>;
  static constexpr Time kNoRule = -(Time{1} << 30);

  void move_origin(Nck origin);
  [[noreturn]] void refuse(Command command, int bank, Nck time) const;

  void build_delays(const Ddr4Timing& timing);
  void drop_what_comes_to_nothing(Time now);

  // By earlier command and the scope in which the later one waits.
  std::array<Delays, kCommands> bank_delays_, group_delays_, rank_delays_;
  std::array<CommandSet, kCommands> delays_elsewhere_;
  Time activate_window_nck_ = 0;  // tFAW

  using Times = std::array<Time, kCommands>;  // when each command becomes legal
  // As vectors, for which the compiler must know that they lie apart.
  static void postpone(Time* __restrict next, Time time, const Time* __restrict delays) {
    for (int later = 0; later < kCommands; ++later) next[later] = std::max(next[later], time + delays[later]);
  }

  Nck origin_ = 0;
  std::array<Times, kBanks> bank_next_;
  std::array<Times, kBankGroups> group_next_;
  Times rank_next_;
  std::array<Time, 4> last_activates_;  // a ring; oldest_activate_ is the next to be replaced
  int oldest_activate_ = 0;
  std::array<std::int32_t, kBanks> open_row_;
  std::uint32_t open_banks_ = 0;  // one bit per bank
};

}  // namespace weft::memory
