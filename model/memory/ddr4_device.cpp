#include "model/memory/ddr4_device.h"

#include <fmt/core.h>

#include <stdexcept>

namespace weft::memory {

Ddr4Device::Ddr4Device(const Ddr4Timing& timing) {
  build_delays(timing);
  reset();
}

void Ddr4Device::build_delays(const Ddr4Timing& timing) {
  constexpr std::array<Command, kWaiting> kWithout{Command::activate, Command::precharge, Command::read,
                                                   Command::write};
  const auto raise = [](Time& delay, Nck to) { delay = std::max(delay, static_cast<Time>(to)); };
  for (Delays& delays : delays_) {
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
      Delays& delays = delays_[earlier];
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
}

void Ddr4Device::reset() {
  let_pass(0);
  open_row_.fill(kClosed);
  open_banks_ = 0;
  asked_row_ = kClosed;
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

// Vectorised: times of `bank`, of the others of its group and of all others.
inline void Ddr4Device::postpone(BankTimes& next, int bank, int in_bank, int in_group, int in_rank) {
  const auto here = static_cast<Time>(in_bank), near = static_cast<Time>(in_group), far = static_cast<Time>(in_rank);
  for (Time each = 0; each < kBanks; ++each) {
    const Time other = group_of(each) == group_of(bank) ? near : far;
    next[each] = std::max(next[each], each == bank ? here : other);
  }
}

void Ddr4Device::issue(Command command, int bank, int row, Nck at) {
  if (at - origin_ > kFarthest || command == Command::refresh) move_origin(at);
  const auto time = static_cast<Time>(at - origin_);
  if (time < earliest_from_origin(command, bank) || !allows(command, bank)) refuse(command, bank, at);
  const Delays& delays = delays_after(command);
  for (int waiting = 0; waiting < kWaiting; ++waiting) {
    postpone(next_[waiting], bank, time + delays.in_bank[waiting], time + delays.in_group[waiting],
             time + delays.in_rank[waiting]);
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
      open_at_asked_ |= BankSet{row == asked_row_} << bank;
      break;
    }
    case Command::precharge:
    case Command::read_ap:
    case Command::write_ap:
      open_row_[bank] = kClosed;
      open_banks_ &= ~(1U << bank);
      open_at_asked_ &= ~(1U << bank);
      break;
    case Command::precharge_all:
      open_row_.fill(kClosed);
      open_banks_ = open_at_asked_ = 0;
      break;
    case Command::read:
    case Command::write:
    case Command::refresh:
      break;
  }
}

void Ddr4Device::ask_for(int row) {
  asked_row_ = row;
  open_at_asked_ = 0;
  for (int bank = 0; bank < kBanks; ++bank) open_at_asked_ |= BankSet{open_row_[bank] == row} << bank;
}

void Ddr4Device::let_pass(Nck now) {
  origin_ = now;
  for (BankTimes& times : next_) times.fill(0);
  precharge_all_next_ = refresh_next_ = 0;
  last_activates_.fill(static_cast<Time>(-activate_window_nck_));  // long enough ago to have no effect
}

std::optional<Ddr4Device::CommandRun> Ddr4Device::run_of(const std::vector<IssuedCommand>& commands, Nck from) const {
  using Edge = CommandRun::Edge;
  Ddr4Device device = *this;
  device.let_pass(from);
  CommandRun run{};
  for (auto& edges : run.first) edges.fill(CommandRun::kNever);
  run.first_activates.fill(CommandRun::kNever);
  BankSet changed = 0;
  for (const IssuedCommand& issued : commands) {
    const Nck edge = issued.time - from;
    if (edge >= CommandRun::kNever) return std::nullopt;
    Edge& first = run.first[waiting_of(issued.command)][issued.bank];
    first = std::min(first, static_cast<Edge>(edge));
    if (issued.command == Command::activate) {
      if (run.activates < run.first_activates.size()) run.first_activates[run.activates++] = static_cast<Edge>(edge);
    }
    if (issued.command != Command::read) changed |= kBit[issued.bank];
    device.issue(issued.command, issued.bank, issued.row, issued.time);
  }
  const Time last_legal = static_cast<Time>(device.all_legal_from() - from);
  if (last_legal > CommandRun::kNever) return std::nullopt;
  const auto edge_of = [](Time time) { return static_cast<Edge>(std::max<Time>(time, 0)); };
  for (int waiting = 0; waiting < kWaiting; ++waiting) {
    const BankTimes& times = device.next_[waiting];
    std::transform(times.begin(), times.end(), run.next[waiting].begin(), edge_of);
  }
  const int before = 4 - run.activates;  // ACTs, of the last four, before the run
  for (int i = before; i < 4; ++i) run.last_activates[i - before] = edge_of(device.last_activates_[i]);
  run.next_precharge_all = edge_of(device.precharge_all_next_);
  run.next_refresh = edge_of(device.refresh_next_);
  run.opened = static_cast<Banks>(changed & device.open_banks_);
  run.closed = static_cast<Banks>(changed & ~device.open_banks_);
  return run;
}

// Vectorised, without branches.
bool Ddr4Device::legal(const CommandRun& run, Nck from) const {
  const auto at = static_cast<Time>(std::min<Nck>(from - origin_, kAllHavePassed));
  // Slack of each command: none may be negative.
  BankTimes later;
  for (int bank = 0; bank < kBanks; ++bank) {
    later[bank] = static_cast<Time>((at + run.first[kActivate][bank] - next_[kActivate][bank]) |
                                    (at + run.first[kPrecharge][bank] - next_[kPrecharge][bank]) |
                                    (at + run.first[kRead][bank] - next_[kRead][bank]));
  }
  // Open windows of tFAW. The run itself respects those over its own ACTs.
  std::array<Time, 4> windows;
  for (int i = 0; i < 4; ++i) {
    windows[i] = static_cast<Time>(at + run.first_activates[i] - activate_window_nck_ - last_activates_[i]);
  }
  return !any_negative(later) && !any_negative(windows);
}

void Ddr4Device::issue(const CommandRun& run, Nck from, int row) {
  if (from - origin_ > kFarthest) move_origin(from);
  const auto at = static_cast<Time>(from - origin_);
  for (int waiting = 0; waiting < kWaiting; ++waiting) {
    for (int bank = 0; bank < kBanks; ++bank) postpone(next_[waiting][bank], at + run.next[waiting][bank]);
  }
  postpone(precharge_all_next_, at + run.next_precharge_all);
  postpone(refresh_next_, at + run.next_refresh);
  for (int bank = 0; bank < kBanks; ++bank) {
    const std::int32_t opened = (run.opened & kBit[bank]) != 0 ? row : open_row_[bank];
    open_row_[bank] = (run.closed & kBit[bank]) != 0 ? kClosed : opened;
  }
  const auto behind = [&run](BankSet banks, BankSet opened) { return (banks & ~BankSet{run.closed}) | opened; };
  open_banks_ = behind(open_banks_, run.opened);
  open_at_asked_ = behind(open_at_asked_ & ~BankSet{run.opened}, row == asked_row_ ? run.opened : 0);
  std::array<Time, 8> activates;
  for (int i = 0; i < 4; ++i) {
    activates[i] = last_activates_[i];
    activates[4 + i] = static_cast<Time>(at + run.last_activates[i]);
  }
  std::copy_n(activates.begin() + run.activates, 4, last_activates_.begin());
  for (Time& next : next_[kActivate]) postpone(next, last_activates_.front() + activate_window_nck_);
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
    asked_row_ = kClosed;
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
