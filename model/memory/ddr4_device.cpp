#include "model/memory/ddr4_device.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace weft::memory {

Ddr4Device::Ddr4Device(const Ddr4Timing& timing) {
  build_delays(timing);
  reset();
}

void Ddr4Device::build_delays(const Ddr4Timing& timing) {
  constexpr std::array<Command, kWaiting> kWithout{Command::activate, Command::precharge, Command::read,
                                                   Command::write};
  const auto raise = [](Time& delay, Nck to) { delay = std::max(delay, static_cast<Time>(to)); };
  auto all = std::make_shared<AllDelays>();
  for (Delays& delays : *all) {
    for (auto* const scope : {&delays.in_bank, &delays.in_group, &delays.in_rank}) scope->fill(kNoRule);
    delays.precharge_all = delays.refresh = kNoRule;
  }
  for (const Constraint& constraint : timing_table(timing)) {
    if (constraint.window == 4) {  // tFAW, the only one that looks further back than the last command
      activate_window_nck_ = static_cast<Time>(constraint.delay_nck);
      continue;
    }
    const auto waits = [&](Command later) { return contains(constraint.later, later); };
    const bool alike =
        waits(Command::read) == waits(Command::read_ap) && waits(Command::write) == waits(Command::write_ap);
    const bool at_once = waits(Command::precharge_all) || waits(Command::refresh);
    if (!alike || (at_once && constraint.scope != Scope::rank)) {
      throw std::logic_error(fmt::format("a timing rule cannot be tracked per bank: {}", constraint.source));
    }
    for (int earlier = 0; earlier < kCommands; ++earlier) {
      if (!contains(constraint.earlier, static_cast<Command>(earlier))) continue;
      Delays& delays = (*all)[static_cast<std::size_t>(earlier)];
      for (const Command later : kWithout) {
        if (!waits(later)) continue;
        // A bank is in its group, and the group in the rank.
        const Waiting waiting = waiting_of(later);
        raise(delays.in_bank[waiting], constraint.delay_nck);
        if (constraint.scope != Scope::bank) raise(delays.in_group[waiting], constraint.delay_nck);
        if (constraint.scope == Scope::rank) raise(delays.in_rank[waiting], constraint.delay_nck);
      }
      if (waits(Command::precharge_all)) raise(delays.precharge_all, constraint.delay_nck);
      if (waits(Command::refresh)) raise(delays.refresh, constraint.delay_nck);
    }
  }
  for (Delays& delays : *all) {
    for (int earlier = 0; earlier < kBanks; ++earlier) {
      for (int waiting = 0; waiting < kWaiting; ++waiting) {
        for (int later = 0; later < kBanks; ++later) {
          const auto& of_scope = later == earlier                       ? delays.in_bank
                                 : group_of(later) == group_of(earlier) ? delays.in_group
                                                                        : delays.in_rank;
          delays.by_bank[earlier][waiting][later] = of_scope[waiting];
        }
      }
    }
  }
  delays_ = std::move(all);
}

void Ddr4Device::reset() {
  origin_ = 0;
  for (BankTimes& times : next_) times.fill(0);
  precharge_all_next_ = refresh_next_ = 0;
  last_activates_.fill(static_cast<Time>(-activate_window_nck_));  // long enough ago to have no effect
  open_row_.fill(kClosed);
  open_banks_ = 0;
}

void Ddr4Device::move_origin(Nck origin) {
  // In 32 bits, for vectors: after this many clocks every time is long ago.
  const auto by = static_cast<int>(std::min<Nck>(origin - origin_, kAllHavePassed - kLongAgo));
  const auto move = [by](Time& time) { time = static_cast<Time>(std::max<int>(time - by, kLongAgo)); };
  for (BankTimes& times : next_) std::for_each(times.begin(), times.end(), move);
  move(precharge_all_next_);
  move(refresh_next_);
  std::for_each(last_activates_.begin(), last_activates_.end(), move);
  origin_ = origin;
}

bool Ddr4Device::allows(Command command, int bank) const {
  constexpr CommandSet kOfOpenBank =
      set_of(Command::precharge, Command::read, Command::read_ap, Command::write, Command::write_ap);
  if (contains(kOfOpenBank, command)) return open_row_[bank] != kClosed;
  if (command == Command::activate) return open_row_[bank] == kClosed;
  return command == Command::precharge_all || !any_open();
}

Nck Ddr4Device::all_legal_from() const {
  Time last = std::max(precharge_all_next_, refresh_next_);
  for (const BankTimes& times : next_) last = std::max(last, *std::max_element(times.begin(), times.end()));
  // The window of tFAW over the last four ACTs.
  return origin_ +
         std::max<Nck>(last, *std::max_element(last_activates_.begin(), last_activates_.end()) + activate_window_nck_);
}

void Ddr4Device::refuse(Command command, int bank, Nck time) const {
  throw std::logic_error(fmt::format("{} to bank {} at nCK {}: legal from nCK {}, row state {}", name_of(command), bank,
                                     time, earliest(command, bank), open_row_[bank]));
}

inline void Ddr4Device::postpone(Time& next, int to) {
  next = std::max(next, static_cast<Time>(to));
}

namespace {

// For each bank as the last one: how many turns after it each bank comes.
constexpr std::array<lanes::Each<std::int16_t>, kBanks> kTurns = [] {
  std::array<lanes::Each<std::int16_t>, kBanks> turns{};
  for (int last = 0; last < kBanks; ++last) {
    for (int bank = 0; bank < kBanks; ++bank) {
      turns[last][bank] = static_cast<std::int16_t>((bank - last - 1) & (kBanks - 1));
    }
  }
  return turns;
}();
constexpr int kTurnBits = 4;
constexpr std::int16_t kMostInKey = std::numeric_limits<std::int16_t>::max() >> kTurnBits;

}  // namespace

Ddr4Device::Next Ddr4Device::first_of(const Wanted& wanted, Nck from, int last_bank) const {
  // After a long rest `from` is beyond the range of Time.
  const auto now = static_cast<Time>(std::clamp<Nck>(from - origin_, 0, kAllHavePassed));
  std::array<lanes::Half, lanes::kHalves> wait, key;
  for (int half = 0; half < lanes::kHalves; ++half) {
    const lanes::Half bits = lanes::load(kBit, half), turns = lanes::load(kTurns[last_bank], half);
    lanes::Half first = lanes::all(kNotWanted);
    for (int waiting = 0; waiting < kWaiting; ++waiting) {
      const Banks banks = wanted.of(static_cast<Waiting>(waiting));
      if (banks == 0) continue;
      const lanes::Half not_wanted = ((lanes::all(static_cast<Time>(banks)) & bits) == 0) & lanes::all(kNotWanted);
      first = lanes::min(first, lanes::max(lanes::load(next_[waiting], half), not_wanted));
    }
    wait[half] = lanes::max(first, lanes::all(now)) - now;
    // The wait and the turn in one number: the next command is that of the least.
    key[half] = lanes::min(wait[half], lanes::all(kMostInKey)) << kTurnBits | turns;
  }
  const auto turn_of = [](Time least) { return least & (kBanks - 1); };
  Time least = lanes::least(key);
  Nck clocks = least >> kTurnBits;
  if (clocks == kMostInKey) {  // none, or one that the key cannot hold
    clocks = lanes::least(wait);
    if (clocks == kNotWanted - now) return {kNoTime, 0};
    for (int half = 0; half < lanes::kHalves; ++half) {
      const lanes::Half later = (wait[half] != static_cast<Time>(clocks)) & lanes::all(kNotWanted);
      key[half] = later | lanes::load(kTurns[last_bank], half);
    }
    least = lanes::least(key);
  }
  // An edge before the origin has no command.
  return {std::max(from, origin_) + clocks, (last_bank + 1 + turn_of(least)) & (kBanks - 1)};
}

void Ddr4Device::issue(Command command, int bank, int row, Nck at) {
  if (at - origin_ > kFarthest || command == Command::refresh) move_origin(at);
  const auto time = static_cast<Time>(at - origin_);
  if (time < earliest_from_origin(command, bank) || !allows(command, bank)) refuse(command, bank, at);
  const Delays& delays = delays_after(command);
  for (int waiting = 0; waiting < kWaiting; ++waiting) {
    for (int half = 0; half < lanes::kHalves; ++half) {
      const lanes::Half from = lanes::load(delays.by_bank[bank][waiting], half) + time;
      lanes::store(next_[waiting], half, lanes::max(lanes::load(next_[waiting], half), from));
    }
  }
  postpone(precharge_all_next_, time + delays.precharge_all);
  postpone(refresh_next_, time + delays.refresh);

  switch (command) {
    case Command::activate: {
      std::copy(last_activates_.begin() + 1, last_activates_.end(), last_activates_.begin());
      last_activates_.back() = time;
      for (Time& next : next_[kActivate]) postpone(next, last_activates_.front() + activate_window_nck_);
      open_row_[bank] = row;
      open_banks_ |= 1U << bank;
      break;
    }
    case Command::precharge:
    case Command::read_ap:
    case Command::write_ap:
      open_row_[bank] = kClosed;
      open_banks_ &= ~(1U << bank);
      break;
    case Command::precharge_all:
      open_row_.fill(kClosed);
      open_banks_ = 0;
      break;
    case Command::read:
    case Command::write:
    case Command::refresh:
      break;
  }
}

// `now`: no command is issued earlier. The longest wait decides, and times only grow.
void Ddr4Device::drop_what_comes_to_nothing(Time now) {
  const auto drop_up_to = [now](Time& time, Time bound) { time = time <= bound ? std::min(time, now) : time; };
  const auto sum = [](Time time, Time delay) { return static_cast<Time>(time + delay); };
  const Delays &after_act = delays_after(Command::activate), &after_prea = delays_after(Command::precharge_all);
  const auto to_act = [this](Command closing) { return delays_after(closing).in_bank[kActivate]; };
  const Time pre_to_act = to_act(Command::precharge), rda_to_act = to_act(Command::read_ap),
             wra_to_act = to_act(Command::write_ap);
  const Time by_prea = sum(std::max(now, precharge_all_next_), to_act(Command::precharge_all));
  Time next_activate = kNotWanted;
  for (int bank = 0; bank < kBanks; ++bank) {
    Time &act = next_[kActivate][bank], &pre = next_[kPrecharge][bank], &read = next_[kRead][bank],
         &write = next_[kWrite][bank];
    const bool open = open_row_[bank] != kClosed;
    // The bank must be closed before an ACT, and opened by one before the others.
    const Time closed = std::min(std::min(by_prea, sum(std::max(now, pre), pre_to_act)),
                                 std::min(sum(std::max(now, read), rda_to_act), sum(std::max(now, write), wra_to_act)));
    const Time activate = open ? closed : std::max(now, act);
    next_activate = std::min(next_activate, activate);
    drop_up_to(act, open ? closed : now);
    drop_up_to(pre, open ? now : sum(activate, after_act.in_bank[kPrecharge]));
    drop_up_to(read, open ? now : sum(activate, after_act.in_bank[kRead]));
    drop_up_to(write, open ? now : sum(activate, after_act.in_bank[kWrite]));
  }
  // PREA is for open banks, REF for closed ones.
  if (!any_open()) {
    drop_up_to(precharge_all_next_, sum(next_activate, after_act.precharge_all));
  } else {
    Time closing = after_prea.refresh;
    for (const Command command : {Command::precharge, Command::read_ap, Command::write_ap}) {
      closing = std::min(closing, delays_after(command).refresh);
    }
    drop_up_to(refresh_next_, sum(now, closing));
  }
  // The n-th last ACT limits the ACT 5 - n after now, which tRRD_S delays too.
  const Time spacing = after_act.in_rank[kActivate];
  for (int i = 0; i < 4; ++i) {
    Time& last = last_activates_[i];
    if (i == 0 || last + activate_window_nck_ <= next_activate + i * spacing) {
      last = std::min(last, static_cast<Time>(now - activate_window_nck_));
    }
  }
}

// Short form: mostly all times have passed, or most of the others are equal.
void Ddr4Device::relative(Relative& state, BankTimes& times, Time now) {
  BankSet to_come = 0, later = 0;
  Time least = kNotWanted;
  if (!state.loading()) {
    std::array<Banks, kBanks> bits;
    for (int bank = 0; bank < kBanks; ++bank) {
      bits[bank] = times[bank] > now ? kBit[bank] : Banks{0};
      least = std::min(least, times[bank] > now ? times[bank] : kNotWanted);
    }
    to_come = any_of(bits);
    for (int bank = 0; bank < kBanks; ++bank) {
      bits[bank] = times[bank] > now && times[bank] > least ? kBit[bank] : Banks{0};
    }
    later = any_of(bits);
  }
  state.value(to_come);
  if (state.loading()) times.fill(now);
  if (to_come == 0) return;
  state.from(least, now);
  state.value(later);
  for (int bank = 0; bank < kBanks; ++bank) {
    if ((later >> bank & 1) != 0) {
      state.from(times[bank], now);
    } else if (state.loading() && (to_come >> bank & 1) != 0) {
      times[bank] = least;
    }
  }
}

void Ddr4Device::relative(Relative& state, Nck at, int row) {
  if (state.loading()) {
    origin_ = at;
    open_row_.fill(kClosed);
  } else {
    if (at - origin_ > kFarthest) move_origin(at);
    drop_what_comes_to_nothing(static_cast<Time>(at - origin_));
  }
  const auto now = static_cast<Time>(at - origin_);
  for (BankTimes& times : next_) relative(state, times, now);
  state.timer(precharge_all_next_, now);
  state.timer(refresh_next_, now);
  for (Time& last : last_activates_) state.timer(last, now - activate_window_nck_);
  state.value(open_banks_);
  for (BankSet left = open_banks_; left != 0; left &= left - 1) state.from(open_row_[__builtin_ctz(left)], row);
}

}  // namespace weft::memory
