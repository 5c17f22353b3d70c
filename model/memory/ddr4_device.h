#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "model/core/relative.h"
#include "model/memory/ddr4_timing.h"

namespace weft::memory {

inline constexpr int kBankGroups = 4;
inline constexpr int kBanksPerGroup = 4;
inline constexpr int kBanks = kBankGroups * kBanksPerGroup;  // bank index = bank group * 4 + bank in the group
using BankSet = std::uint32_t;                               // one bit per bank
constexpr int group_of(int bank) {
  return static_cast<int>(static_cast<unsigned>(bank) / kBanksPerGroup);
}

// DRAM devices of one channel (one rank): open rows, and times at which commands become legal. It has no clock and
// decides nothing; the caller passes the time. Copyable, all state its own.
class Ddr4Device {
 public:
  static constexpr int kClosed = -1;
  using Banks = std::uint16_t;  // a BankSet, for vectors

  explicit Ddr4Device(const Ddr4Timing& timing);

  void reset();

  int open_row(int bank) const { return open_row_[bank]; }
  // Returns the banks in which this row is open; fast if the row is that of the last call.
  BankSet open_at(int row) {
    if (row != asked_row_) ask_for(row);
    return open_at_asked_;
  }
  BankSet open_banks() const { return open_banks_; }
  bool any_open() const { return open_banks_ != 0; }
  // Time from which every command that the rows allow is legal, until another one is issued.
  Nck all_legal_from() const;

  // Returns the earliest time at which timing allows `command` to `bank` (ignored for PREA and REF). `allows` checks
  // the row state.
  Nck earliest(Command command, int bank) const { return origin_ + earliest_from_origin(command, bank); }

  // Banks that wait for an ACT, a PRE, a RD or a WR (with or without auto-precharge); each for one, or for RD and WR.
  struct Wanted {
    Banks activate = 0, precharge = 0, read = 0, write = 0;
    BankSet any() const { return BankSet{activate} | precharge | read | write; }
  };
  // Time at which timing allows the first of these commands, or kNoTime.
  static constexpr Nck kNoTime = std::numeric_limits<Nck>::max();
  Nck earliest_of(const Wanted& wanted) const {
    if (wanted.any() == 0) return kNoTime;
    const BankTimes times = wanted_times(wanted);
    Time first = kNotWanted;
    for (const Time time : times) first = std::min(first, time);
    return origin_ + first;
  }
  // Returns the banks of which timing allows the command by `time`.
  BankSet legal_of(const Wanted& wanted, Nck time) const {
    // After a long rest `time` is beyond the range of Time.
    const auto by = static_cast<Time>(std::min<Nck>(time - origin_, kNotWanted - 1));
    const BankTimes times = wanted_times(wanted);
    std::array<Banks, kBanks> legal;
    for (int bank = 0; bank < kBanks; ++bank) legal[bank] = times[bank] <= by ? kBit[bank] : Banks{0};
    return any_of(legal);
  }

  // True if the row state allows it: ACT needs a closed bank, PRE, RD and WR an open one, REF all banks closed.
  bool allows(Command command, int bank) const;

  // `row` matters for ACT only. Throws std::logic_error if the command is not legal at `time`: the scheduler is wrong
  // then, and so would be every later result.
  void issue(Command command, int bank, int row, Nck time);

  // Makes every command that the rows allow legal from `now` on, until another one is issued.
  void let_pass(Nck now);

  // Commands that a bank may wait for: RD and RDA wait alike for earlier commands, and so do WR and WRA.
  enum Waiting { kActivate, kPrecharge, kRead, kWrite };
  static constexpr int kWaiting = 4;

  // A sequence of ACT, PRE, RD and RDA for one row at fixed distances, as a unit: its limits from earlier commands, and
  // its limits on later ones. Edges are counted from a common one.
  struct alignas(64) CommandRun {  // two cache lines
    using Edge = std::uint8_t;
    static constexpr Edge kNever = std::numeric_limits<Edge>::max();
    std::array<std::array<Edge, kBanks>, 3> first;        // of the ACT, the PRE, the RD in each bank, or kNever
    std::array<Edge, 4> first_activates, last_activates;  // up to four, or kNever
    std::uint8_t activates;                               // number of these
    Edge next_precharge_all, next_refresh;
    Banks opened, closed;                          // banks that it has changed, afterwards
    std::array<std::array<Edge, kBanks>, 4> next;  // edge from which these and a WR are legal afterwards, or 0
    bool activated(int bank) const { return first[kActivate][bank] != kNever; }
  };
  // Returns the commands as a unit, from the edge `from` on, with the current rows; nullopt if they take too long.
  std::optional<CommandRun> run_of(const std::vector<IssuedCommand>& commands, Nck from) const;
  // True if timing allows all of them from the edge `from` on. It may be false if a bank that gets none of them waits
  // for longer than kNever, as after a REF.
  bool legal(const CommandRun& run, Nck from) const;
  // Issues the run where it is legal(); the rows must be as they were for run_of().
  void issue(const CommandRun& run, Nck from, int row);

  // Saves or restores the state, with rows relative to `row`. A time without effect, because another command or time
  // restricts for at least as long, becomes one that has passed, in the saved state and here.
  void relative(Relative& state, Nck now, int row);

 private:
  // Times are relative to origin_, in 16 bits, so that those of all banks are one vector. A REF moves the origin up,
  // and so does a command that is too far from it.
  using Time = std::int16_t;
  static constexpr Time kFarthest = 10000;       // of a command from origin_
  static constexpr Time kLongestDelay = 9100;    // see Ddr4Timing::kMostNck
  static constexpr Time kLongAgo = -kFarthest;   // as if there had been no command
  static constexpr Time kNoRule = 2 * kLongAgo;  // time + kNoRule is never later than kLongAgo
  static constexpr Time kAllHavePassed = 20000;  // later than any limit
  static constexpr Time kNotWanted = std::numeric_limits<Time>::max();
  static_assert(kAllHavePassed > kFarthest + kLongestDelay && kAllHavePassed - kLongAgo < kNotWanted - 255);
  using BankTimes = std::array<Time, kBanks>;
  static constexpr std::array<Banks, kBanks> kBit = [] {
    std::array<Banks, kBanks> bits{};
    for (int bank = 0; bank < kBanks; ++bank) bits[bank] = static_cast<Banks>(1U << bank);
    return bits;
  }();

  static constexpr Waiting waiting_of(Command command);

  // Delays of the timing table from an earlier command to each later one, or kNoRule: in its bank, in another one of
  // its group, elsewhere.
  struct Delays {
    std::array<Time, kWaiting> in_bank, in_group, in_rank;
    Time precharge_all, refresh;
  };

  const Delays& delays_after(Command command) const { return delays_[index_of(command)]; }
  Time earliest_from_origin(Command command, int bank) const {
    if (command == Command::precharge_all) return precharge_all_next_;
    if (command == Command::refresh) return refresh_next_;
    return next_[waiting_of(command)][bank];
  }
  // Vectorised: the earliest of the commands that each bank waits for.
  BankTimes wanted_times(const Wanted& wanted) const {
    BankTimes first;
    for (int bank = 0; bank < kBanks; ++bank) {
      const Banks bit = kBit[bank];
      const Time activate = next_[kActivate][bank], precharge = next_[kPrecharge][bank];
      const Time read = next_[kRead][bank], write = next_[kWrite][bank];
      Time time = (wanted.read & bit) != 0 ? read : kNotWanted;
      const Time either = std::min(time, write);
      time = (wanted.write & bit) != 0 ? either : time;
      time = (wanted.precharge & bit) != 0 ? precharge : time;
      first[bank] = (wanted.activate & bit) != 0 ? activate : time;
    }
    return first;
  }

  void build_delays(const Ddr4Timing& timing);
  void ask_for(int row);
  void move_origin(Nck origin);
  // Combines four elements at a time: a test of each in turn is not vectorised everywhere.
  template <typename T, std::size_t N>
  static BankSet any_of(const std::array<T, N>& each) {
    std::array<std::uint64_t, N / 4> words;
    static_assert(sizeof words == sizeof each);
    std::memcpy(&words, &each, sizeof words);
    std::uint64_t any = 0;
    for (const std::uint64_t word : words) any |= word;
    any |= any >> 32;
    return static_cast<Banks>(any | any >> 16);
  }
  template <std::size_t N>
  static bool any_negative(const std::array<Time, N>& times) {
    return (any_of(times) & 0x8000) != 0;
  }
  static void postpone(Time& next, int to);
  static void postpone(BankTimes& next, int bank, int in_bank, int in_group, int in_rank);
  [[noreturn]] void refuse(Command command, int bank, Nck time) const;
  void drop_what_comes_to_nothing(Time now);
  static void relative(Relative& state, BankTimes& times, Time now);

  // Times at which each command becomes legal in each bank. A vector is in one cache line.
  alignas(64) std::array<BankTimes, kWaiting> next_;
  std::array<Delays, kCommands> delays_;  // by the earlier command
  Time activate_window_nck_ = 0;          // tFAW

  Nck origin_ = 0;
  Time precharge_all_next_ = 0, refresh_next_ = 0;
  std::array<Time, 4> last_activates_;  // the oldest first
  std::array<std::int32_t, kBanks> open_row_;
  BankSet open_banks_ = 0;
  int asked_row_ = kClosed;    // row of the last open_at()
  BankSet open_at_asked_ = 0;  // banks in which it is open
};

constexpr Ddr4Device::Waiting Ddr4Device::waiting_of(Command command) {
  switch (command) {
    case Command::precharge:
      return kPrecharge;
    case Command::read:
    case Command::read_ap:
      return kRead;
    case Command::write:
    case Command::write_ap:
      return kWrite;
    case Command::activate:
    case Command::precharge_all:  // they wait for all banks at once, and have times of their own
    case Command::refresh:
      break;
  }
  return kActivate;
}

}  // namespace weft::memory
