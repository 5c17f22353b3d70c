#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/memory/ddr4_timing.h"

namespace weft::memory {

inline constexpr int kBankGroups = 4;
inline constexpr int kBanksPerGroup = 4;
inline constexpr int kBanks = kBankGroups * kBanksPerGroup;  // bank index = bank group * 4 + bank in the group

// The DRAM devices of one channel (one rank): which rows are open and when each command becomes legal. It owns no clock
// and decides nothing; the caller passes the time. Copyable, all state its own.
class Ddr4Device {
 public:
  static constexpr int kClosed = -1;

  explicit Ddr4Device(const Ddr4Timing& timing);

  void reset();

  int open_row(int bank) const { return open_row_[bank]; }
  bool any_open() const { return open_banks_ != 0; }

  // The earliest time at which `command` may be issued to `bank` as far as timing is concerned (`bank` is ignored for
  // PREA and REF). Whether the row state allows it is `allows`.
  Nck earliest(Command command, int bank) const {
    const int c = index_of(command);
    const Nck rank = rank_next_[c];
    if (command == Command::precharge_all || command == Command::refresh) return rank;
    const Nck group = group_next_[bank / kBanksPerGroup][c];
    const Nck own = bank_next_[bank][c];
    const Nck later = group > rank ? group : rank;
    return own > later ? own : later;
  }

  // ACT needs a closed bank, PRE, RD and WR an open one, REF all banks closed.
  bool allows(Command command, int bank) const;

  // `row` matters for ACT only. Throws std::logic_error if the command is not legal at `time`: a scheduler that issues
  // such a command is wrong, and so would be every figure after it.
  void issue(Command command, int bank, int row, Nck time);

 private:
  // One entry of the timing table for one pair of commands.
  struct Rule {
    Scope scope;
    std::uint8_t later;
    std::int32_t delay_nck;
  };
  struct Rules {
    std::array<Rule, 16> rules;
    int count = 0;
  };

  void build_rules(const Ddr4Timing& timing);

  std::array<Rules, kCommands> after_;  // what a command makes others wait for
  Nck activate_window_nck_ = 0;         // tFAW

  std::array<std::array<Nck, kCommands>, kBanks> bank_next_;
  std::array<std::array<Nck, kCommands>, kBankGroups> group_next_;
  std::array<Nck, kCommands> rank_next_;
  std::array<Nck, 4> last_activates_;  // a ring; oldest_activate_ is the next to be replaced
  int oldest_activate_ = 0;
  std::array<std::int32_t, kBanks> open_row_;
  std::uint32_t open_banks_ = 0;  // one bit per bank
};

}  // namespace weft::memory
