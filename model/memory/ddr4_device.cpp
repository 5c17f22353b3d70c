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
      activate_window_nck_ = constraint.delay_nck;
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
        Nck& delay = scope[earlier][later];
        delay = std::max(delay, constraint.delay_nck);
      }
    }
  }
}

void Ddr4Device::reset() {
  for (auto& bank : bank_next_) bank.fill(0);
  for (auto& group : group_next_) group.fill(0);
  rank_next_.fill(0);
  last_activates_.fill(-activate_window_nck_);  // long enough ago not to matter
  oldest_activate_ = 0;
  open_row_.fill(kClosed);
  open_banks_ = 0;
}

bool Ddr4Device::allows(Command command, int bank) const {
  switch (command) {
    case Command::activate:
      return open_row_[bank] == kClosed;
    case Command::precharge:
    case Command::read:
    case Command::read_ap:
    case Command::write:
    case Command::write_ap:
      return open_row_[bank] != kClosed;
    case Command::precharge_all:
      return true;
    case Command::refresh:
      return !any_open();
  }
  return false;
}

void Ddr4Device::issue(Command command, int bank, int row, Nck time) {
  if (time < earliest(command, bank) || !allows(command, bank)) {
    throw std::logic_error(fmt::format("{} to bank {} at nCK {}: legal from nCK {}, row state {}", name_of(command),
                                       bank, time, earliest(command, bank), open_row_[bank]));
  }
  const int earlier = index_of(command);
  postpone(bank_next_[bank], time, bank_delays_[earlier]);
  postpone(group_next_[bank / kBanksPerGroup], time, group_delays_[earlier]);
  postpone(rank_next_, time, rank_delays_[earlier]);

  switch (command) {
    case Command::activate: {
      last_activates_[oldest_activate_] = time;
      oldest_activate_ = (oldest_activate_ + 1) % 4;
      Nck& next = rank_next_[index_of(Command::activate)];
      next = std::max(next, last_activates_[oldest_activate_] + activate_window_nck_);
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

void Ddr4Device::relative(Relative& state, Nck now, int row) {
  if (state.loading()) {
    oldest_activate_ = 0;
    open_banks_ = 0;
  }
  for (auto& times : bank_next_) {
    for (Nck& time : times) state.timer(time, now);
  }
  for (auto& times : group_next_) {
    for (Nck& time : times) state.timer(time, now);
  }
  for (Nck& time : rank_next_) state.timer(time, now);
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
