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
using BankSet = std::uint32_t;                               // one bit each
constexpr int group_of(int bank) {
  return static_cast<int>(static_cast<unsigned>(bank) / kBanksPerGroup);
}

// The DRAM devices of one channel (one rank): which rows are open and when each command becomes legal. It owns no clock
// and decides nothing; the caller passes the time. Copyable, all state its own.
class Ddr4Device {
 public:
  static constexpr int kClosed = -1;
  using Banks = std::uint16_t;  // a BankSet, where it meets vectors

  explicit Ddr4Device(const Ddr4Timing& timing);

  void reset();

  int open_row(int bank) const { return open_row_[bank]; }
  // The banks in which this row is open; soon told when it is asked for the same row again.
  BankSet open_at(int row) {
    if (row != asked_row_) ask_for(row);
    return open_at_asked_;
  }
  BankSet open_banks() const { return open_banks_; }
  bool any_open() const { return open_banks_ != 0; }
  // From then on every command that the rows allow is legal, until another one is issued.
  Nck all_legal_from() const;

  // The earliest time at which `command` may be issued to `bank` as far as timing is concerned (`bank` is ignored for
  // PREA and REF). Whether the row state allows it is `allows`.
  Nck earliest(Command command, int bank) const { return origin_ + earliest_from_origin(command, bank); }

  // Banks that wait for an ACT, a PRE, a RD or a WR (with auto-precharge or without); each for one, or for RD and WR.
  struct Wanted {
    Banks activate = 0, precharge = 0, read = 0, write = 0;
    BankSet any() const { return BankSet{activate} | precharge | read | write; }
  };
  // When the first of these commands becomes legal as far as timing is concerned, or kNoTime.
  static constexpr Nck kNoTime = std::numeric_limits<Nck>::max();
  Nck earliest_of(const Wanted& wanted) const {
    if (wanted.any() == 0) return kNoTime;
    const BankTimes times = wanted_times(wanted);
    Time first = kNotWanted;
    for (const Time time : times) first = std::min(first, time);
    return origin_ + first;
  }
  // The banks for which it is by `time`.
  BankSet legal_of(const Wanted& wanted, Nck time) const {
    // After a long rest `time` is further away than a Time reaches.
    const auto by = static_cast<Time>(std::min<Nck>(time - origin_, kNotWanted - 1));
    const BankTimes times = wanted_times(wanted);
    std::array<Banks, kBanks> legal;
    for (int bank = 0; bank < kBanks; ++bank) legal[bank] = times[bank] <= by ? kBit[bank] : Banks{0};
    return any_of(legal);
  }

  // ACT needs a closed bank, PRE, RD and WR an open one, REF all banks closed.
  bool allows(Command command, int bank) const;

  // `row` matters for ACT only. Throws std::logic_error if the command is not legal at `time`: a scheduler that issues
  // such a command is wrong, and so would be every figure after it.
  void issue(Command command, int bank, int row, Nck time);

  // From `now` on every command that the rows allow is legal, until another one is issued.
  void let_pass(Nck now);

  // What waits for the commands before it in each bank: nothing tells RD from RDA and WR from WRA.
  enum Waiting { kActivate, kPrecharge, kRead, kWrite };
  static constexpr int kWaiting = 4;

  // Some ACT, PRE, RD and RDA for one row at edges that are fixed against each other, as one: what they ask of the
  // commands before them, and what they ask of those behind. Edges are counted from one that they share.
  struct alignas(64) CommandRun {  // two lines of a cache
    using Edge = std::uint8_t;
    static constexpr Edge kNever = std::numeric_limits<Edge>::max();
    std::array<std::array<Edge, kBanks>, 3> first;        // of the ACT, the PRE, the RD in each bank, or kNever
    std::array<Edge, 4> first_activates, last_activates;  // or kNever; of the last up to four
    std::uint8_t activates;                               // how many these are
    Edge next_precharge_all, next_refresh;
    Banks opened, closed;                          // behind them, that were changed
    std::array<std::array<Edge, kBanks>, 4> next;  // from which on these and a WR are legal behind them, or 0
    bool activated(int bank) const { return first[kActivate][bank] != kNever; }
  };
  // The commands as one, from the edge `from` on, the rows being as they are; nullopt if they go on for too long.
  std::optional<CommandRun> run_of(const std::vector<IssuedCommand>& commands, Nck from) const;
  // Whether all of them are legal from the edge `from` on as far as timing is concerned. It may say no where a bank
  // that gets none of them waits for longer than kNever, as behind a REF.
  bool legal(const CommandRun& run, Nck from) const;
  // Where they are, and the rows are as they were for run_of().
  void issue(const CommandRun& run, Nck from, int row);

  // Rows are kept as their distance from `row`. A time that comes to nothing, as another command or another time is in
  // its way for at least as long, is as if it had passed, in what is kept and here.
  void relative(Relative& state, Nck now, int row);

 private:
  // Times are kept from origin_ on, in 16 bits, so that those of all banks are one vector. A REF moves the origin up,
  // and so does a command that comes when it lies too far back.
  using Time = std::int16_t;
  static constexpr Time kFarthest = 10000;       // to a command
  static constexpr Time kLongestDelay = 9100;    // see Ddr4Timing::kMostNck
  static constexpr Time kLongAgo = -kFarthest;   // as if there had been none
  static constexpr Time kNoRule = 2 * kLongAgo;  // is longer ago than that, whenever the command comes
  static constexpr Time kAllHavePassed = 20000;  // what any command asks for
  static constexpr Time kNotWanted = std::numeric_limits<Time>::max();
  static_assert(kAllHavePassed > kFarthest + kLongestDelay && kAllHavePassed - kLongAgo < kNotWanted - 255);
  using BankTimes = std::array<Time, kBanks>;
  static constexpr std::array<Banks, kBanks> kBit = [] {
    std::array<Banks, kBanks> bits{};
    for (int bank = 0; bank < kBanks; ++bank) bits[bank] = static_cast<Banks>(1U << bank);
    return bits;
  }();

  static constexpr Waiting waiting_of(Command command);

  // What the timing table asks for from an earlier command to each later one, or kNoRule: in its bank, in another one
  // of its group, elsewhere.
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
  // As vectors: of each bank the earliest of the commands that it waits for.
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
  // All at once, four times: what is told from each in turn is not compiled to vectors everywhere.
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

  // When each command becomes legal in each bank. A vector lies in one line of the cache.
  alignas(64) std::array<BankTimes, kWaiting> next_;
  std::array<Delays, kCommands> delays_;  // by the earlier command
  Time activate_window_nck_ = 0;          // tFAW

  Nck origin_ = 0;
  Time precharge_all_next_ = 0, refresh_next_ = 0;
  std::array<Time, 4> last_activates_;  // the oldest first
  std::array<std::int32_t, kBanks> open_row_;
  BankSet open_banks_ = 0;
  int asked_row_ = kClosed;    // by open_at()
  BankSet open_at_asked_ = 0;  // the banks in which it is open
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
