#include "model/memory/ddr4_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace weft::memory {

Ddr4Device::Ddr4Device(const Ddr4Timing& timing) {
  build_rules(timing);
  reset();
}

void Ddr4Device::build_rules(const Ddr4Timing& timing) {
  for (const Constraint& constraint : timing_table(timing)) {
    if (constraint.window == 4) {  // tFAW, the only one that looks further back than the last command
      activate_window_nck_ = constraint.delay_nck;
      continue;
    }
    for (int earlier = 0; earlier < kCommands; ++earlier) {
      if (!contains(constraint.earlier, static_cast<Command>(earlier))) continue;
      for (int later = 0; later < kCommands; ++later) {
        if (!contains(constraint.later, static_cast<Command>(later))) continue;
        Rules& rules = after_[earlier];
        if (rules.count == static_cast<int>(rules.rules.size())) {
          throw std::logic_error(fmt::format("more timing rules after {} than the device has room for",
                                             name_of(static_cast<Command>(earlier))));
        }
        rules.rules[rules.count++] = {constraint.scope, static_cast<std::uint8_t>(later),
                                      static_cast<std::int32_t>(constraint.delay_nck)};
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
  const Rules& rules = after_[index_of(command)];
  auto& bank_next = bank_next_[bank];
  auto& group_next = group_next_[bank / kBanksPerGroup];
  for (int i = 0; i < rules.count; ++i) {
    const Rule& rule = rules.rules[i];
    auto& next = rule.scope == Scope::bank ? bank_next : rule.scope == Scope::bank_group ? group_next : rank_next_;
    next[rule.later] = std::max(next[rule.later], time + rule.delay_nck);
  }

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

}  // namespace weft::memory
