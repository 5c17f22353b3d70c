#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "model/core/relative.h"
#include "model/memory/banks.h"
#include "model/memory/ddr4_timing.h"

namespace weft::memory {

// DRAM devices of one channel (one rank): open rows, and times at which commands become legal. It has no clock and
// decides nothing; the caller passes the time. Copyable, all state its own.
class Ddr4Device {
 public:
  static constexpr int kClosed = -1;
  using Banks = std::uint16_t;  // a BankSet, for vectors

  explicit Ddr4Device(const Ddr4Timing& timing);

  void reset();

  int open_row(int bank) const { return open_row_[bank]; }
  bool any_open() const { return open_banks_ != 0; }
  // Gives the open banks other rows.
  void set_open_rows(const std::array<std::int32_t, kBanks>& rows) { open_row_ = rows; }
  // Time from which every command that the rows allow is legal, until another one is issued.
  Nck all_legal_from() const;

  // Returns the earliest time at which timing allows `command` to `bank` (ignored for PREA and REF). `allows` checks
  // the row state.
  Nck earliest(Command command, int bank) const { return origin_ + earliest_from_origin(command, bank); }

  // Commands that a bank may wait for: RD and RDA wait alike for earlier commands, and so do WR and WRA.
  enum Waiting { kActivate, kPrecharge, kRead, kWrite };
  static constexpr int kWaiting = 4;

  // Banks that wait for each of these; one bank for one, or for RD and WR.
  class Wanted {
   public:
    Banks of(Waiting waiting) const { return static_cast<Banks>(bits_ >> kBanks * waiting); }
    bool of(Waiting waiting, int bank) const { return (of(waiting) >> bank & 1) != 0; }
    BankSet any() const { return BankSet{of(kActivate)} | of(kPrecharge) | of(kRead) | of(kWrite); }
    // `waits`: bit `waiting` * 16 for each command that the bank waits for.
    void set(int bank, std::uint64_t waits) { bits_ = (bits_ & ~(kEach << bank)) | waits << bank; }
    friend bool operator==(const Wanted& a, const Wanted& b) { return a.bits_ == b.bits_; }
    static constexpr std::uint64_t wait(Waiting waiting, bool waits) {
      return std::uint64_t{waits} << kBanks * waiting;
    }

   private:
    static constexpr std::uint64_t kEach = 0x1000100010001;
    std::uint64_t bits_ = 0;  // of the banks by command
  };
  static constexpr Nck kNoTime = std::numeric_limits<Nck>::max();
  struct Next {
    Nck time;  // or kNoTime
    int bank;
  };
  // Returns the first of these commands that timing allows from `from` on; of several at one time, that of the first
  // bank after `last_bank`, in the order of their indices and round again.
  Next first_of(const Wanted& wanted, Nck from, int last_bank) const;

  // True if the row state allows it: ACT needs a closed bank, PRE, RD and WR an open one, REF all banks closed.
  bool allows(Command command, int bank) const;

  // `row` matters for ACT only. Throws std::logic_error if the command is not legal at `time`: the scheduler is wrong
  // then, and so would be every later result.
  void issue(Command command, int bank, int row, Nck time);

  // Saves or restores the state, with rows relative to `row`. A time without effect, because another command or time
  // restricts for at least as long, becomes one that has passed, in the saved state and here.
  void relative(Relative& state, Nck now, int row);

 private:
  friend class MigClocks;

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
    // The same by the bank of the earlier command and that of the later one.
    std::array<std::array<BankTimes, kWaiting>, kBanks> by_bank;
  };
  using AllDelays = std::array<Delays, kCommands>;  // by the earlier command

  const Delays& delays_after(Command command) const { return (*delays_)[index_of(command)]; }
  Time earliest_from_origin(Command command, int bank) const {
    if (command == Command::precharge_all) return precharge_all_next_;
    if (command == Command::refresh) return refresh_next_;
    return next_[waiting_of(command)][bank];
  }

  void build_delays(const Ddr4Timing& timing);
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
  static void postpone(Time& next, int to);
  [[noreturn]] void refuse(Command command, int bank, Nck time) const;
  void drop_what_comes_to_nothing(Time now);
  static void relative(Relative& state, BankTimes& times, Time now);

  // Times at which each command becomes legal in each bank.
  alignas(64) std::array<BankTimes, kWaiting> next_;
  std::shared_ptr<const AllDelays> delays_;
  Time activate_window_nck_ = 0;  // tFAW

  Nck origin_ = 0;
  Time precharge_all_next_ = 0, refresh_next_ = 0;
  std::array<Time, 4> last_activates_;  // the oldest first
  std::array<std::int32_t, kBanks> open_row_;
  BankSet open_banks_ = 0;
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
