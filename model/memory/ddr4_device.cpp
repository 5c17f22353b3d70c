#include "model/memory/ddr4_device.h"

#include <fmt/core.h>

#include <stdexcept>

namespace weft::memory {

Ddr4Device::Ddr4Device(const Ddr4Timing& timing) {
  build_delays(timing);
  reset();
}

void Ddr4Device::build_delays(const Ddr4Timing& timing) {
  for (auto* scope : {&bank_delays_, &group_delays_, &rank_delays_}) {
    for (Delays& delays : *scope) delays.fill(kNoRule);
  }
  delays_elsewhere_.fill(0);
  for (const Constraint& constraint : timing_table(timing)) {
    if (constraint.window == 4) {  // tFAW, the only one that looks further back than the last command
      activate_window_nck_ = static_cast<Time>(constraint.delay_nck);
      continue;
    }
    auto& scope = constraint.scope == Scope::bank         ? bank_delays_
                  : constraint.scope == Scope::bank_group ? group_delays_
                                                          : rank_delays_;
    for (int earlier = 0; earlier < kCommands; ++earlier) {
      if (!contains(constraint.earlier, static_cast<Command>(earlier))) continue;
      if (constraint.scope != Scope::bank) delays_elsewhere_[earlier] |= constraint.later;
      for (int later = 0; later < kCommands; ++later) {
        if (!contains(constraint.later, static_cast<Command>(later))) continue;
        Time& delay = scope[earlier][later];
        delay = std::max(delay, static_cast<Time>(constraint.delay_nck));
      }
    }
  }
}

void Ddr4Device::reset() {
  origin_ = 0;
  for (auto& bank : bank_next_) bank.fill(0);
  for (auto& group : group_next_) group.fill(0);
  rank_next_.fill(0);
  last_activates_.fill(-activate_window_nck_);  // long enough ago not to matter
  oldest_activate_ = 0;
  open_row_.fill(kClosed);
  open_banks_ = 0;
}

void Ddr4Device::move_origin(Nck origin) {
  const Nck by = origin - origin_;
  const auto move = [by](Time& time) { time = static_cast<Time>(std::max<Nck>(time - by, kLongAgo)); };
  for (Times& times : bank_next_) std::for_each(times.begin(), times.end(), move);
  for (Times& times : group_next_) std::for_each(times.begin(), times.end(), move);
  std::for_each(rank_next_.begin(), rank_next_.end(), move);
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
  const auto latest = [](const Times& times) { return *std::max_element(times.begin(), times.end()); };
  Time last = latest(rank_next_);
  for (const Times& times : group_next_) last = std::max(last, latest(times));
  for (const Times& times : bank_next_) last = std::max(last, latest(times));
  // The window of tFAW over the last four ACTs.
  return origin_ +
         std::max(last, *std::max_element(last_activates_.begin(), last_activates_.end()) + activate_window_nck_);
}

void Ddr4Device::refuse(Command command, int bank, Nck time) const {
  throw std::logic_error(fmt::format("{} to bank {} at nCK {}: legal from nCK {}, row state {}", name_of(command), bank,
                                     time, earliest(command, bank), open_row_[bank]));
}

void Ddr4Device::issue(Command command, int bank, int row, Nck at) {
  if (at - origin_ > kFarthest) move_origin(at);
  const auto time = static_cast<Time>(at - origin_);
  if (time < earliest_from_origin(command, bank) || !allows(command, bank)) refuse(command, bank, at);
  const int earlier = index_of(command);
  postpone(bank_next_[bank].data(), time, bank_delays_[earlier].data());
  postpone(group_next_[group_of(bank)].data(), time, group_delays_[earlier].data());
  postpone(rank_next_.data(), time, rank_delays_[earlier].data());

  switch (command) {
    case Command::activate: {
      last_activates_[oldest_activate_] = time;
      oldest_activate_ = (oldest_activate_ + 1) % 4;
      // As a vector: written by itself, the time would keep the next command, which reads them all, waiting.
      const Time window = last_activates_[oldest_activate_] + activate_window_nck_;
      for (int later = 0; later < kCommands; ++later) {
        const Time least = later == index_of(Command::activate) ? window : kLongAgo;
        rank_next_[later] = std::max(rank_next_[later], least);
      }
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

// `now`: no command will be issued before. What waits longest decides, and times only grow.
void Ddr4Device::drop_what_comes_to_nothing(Time now) {
  constexpr int kAct = index_of(Command::activate), kPreAll = index_of(Command::precharge_all),
                kRef = index_of(Command::refresh);
  constexpr std::array<int, 3> kClosing{index_of(Command::precharge), index_of(Command::read_ap),
                                        index_of(Command::write_ap)};
  const auto drop_up_to = [now](Time& time, Time bound) {
    if (time <= bound) time = std::min(time, now);
  };
  for (int bank = 0; bank < kBanks; ++bank) {
    Times& own = bank_next_[bank];
    if (*std::max_element(own.begin(), own.end()) <= now) continue;
    const Times& group = group_next_[group_of(bank)];
    const auto elsewhere = [&](int command) { return std::max({now, group[command], rank_next_[command]}); };
    Time activate = elsewhere(kAct);  // at the earliest
    if (open_row_[bank] == kClosed) {
      activate = std::max(activate, own[kAct]);
    } else {  // the bank must be closed before
      Time closed = std::max(now, rank_next_[kPreAll]) + rank_delays_[kPreAll][kAct];
      for (const int command : kClosing) {
        closed = std::min(closed, std::max(own[command], elsewhere(command)) + bank_delays_[command][kAct]);
      }
      activate = std::max(activate, closed);
      drop_up_to(own[kAct], activate);
    }
    for (int command = 0; command < kCommands; ++command) {
      Time bound = elsewhere(command);
      if (command != kAct && open_row_[bank] == kClosed)
        bound = std::max(bound, activate + bank_delays_[kAct][command]);
      drop_up_to(own[command], bound);
    }
  }
  for (Times& group : group_next_) {
    for (int command = 0; command < kCommands; ++command) drop_up_to(group[command], rank_next_[command]);
  }
  // PREA is for open banks, REF for closed ones.
  const Time next_activate = std::max(now, rank_next_[kAct]);
  if (!any_open()) {
    drop_up_to(rank_next_[kPreAll], next_activate + rank_delays_[kAct][kPreAll]);
  } else {
    Time closing = rank_delays_[kPreAll][kRef];
    for (const int command : kClosing) closing = std::min(closing, rank_delays_[command][kRef]);
    drop_up_to(rank_next_[kRef], now + closing);
  }
  // The n-th last ACT matters to the one 5 - n after now, which tRRD_S puts off too.
  const Time spacing = rank_delays_[kAct][kAct];
  for (int i = 0; i < 4; ++i) {
    Time& last = last_activates_[(oldest_activate_ + i) % 4];
    if (i == 0 || last + activate_window_nck_ <= next_activate + i * spacing) {
      last = std::min(last, now - activate_window_nck_);
    }
  }
}

void Ddr4Device::relative(Relative& state, Nck at, int row) {
  if (state.loading()) {
    origin_ = at;
    oldest_activate_ = 0;
    open_banks_ = 0;
  } else {
    if (at - origin_ > kFarthest) move_origin(at);
    drop_what_comes_to_nothing(static_cast<Time>(at - origin_));
  }
  const auto now = static_cast<Time>(at - origin_);
  for (Times& times : bank_next_) state.timers(times, now);
  for (Times& times : group_next_) state.timers(times, now);
  state.timers(rank_next_, now);
  for (int i = 0; i < 4; ++i) state.timer(last_activates_[(oldest_activate_ + i) % 4], now - activate_window_nck_);
  for (int bank = 0; bank < kBanks; ++bank) {
    bool open = open_row_[bank] != kClosed;
    state.value(open);
    if (open) {
      state.from(open_row_[bank], row);
      open_banks_ |= 1U << bank;
    } else {
      open_row_[bank] = kClosed;
    }
  }
}

}  // namespace weft::memory
