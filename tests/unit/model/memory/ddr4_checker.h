#pragma once

#include <string>
#include <vector>

#include "model/memory/ddr4_controller.h"

namespace weft::memory {

// Replays a list of commands of one rank and returns the first rule of JESD79-4 it breaks, or "". Written from the
// standard's prose, pair by pair over the whole history, to be nothing like the device's table: for each command it
// looks back as far as any rule reaches.
inline std::string first_violation(const std::vector<IssuedCommand>& commands, const Ddr4Timing& t) {
  const Nck reach = t.rfc_nck + t.rc_nck + t.write_data_nck() + t.wr_nck + t.rp_nck;
  const auto is_read = [](Command c) { return c == Command::read || c == Command::read_ap; };
  const auto is_write = [](Command c) { return c == Command::write || c == Command::write_ap; };
  struct Bank {
    bool open = false;
    Nck activated = -1000000;
    Nck precharged = -1000000;  // when the (internal) precharge begins
  };
  Bank banks[kBanks];
  std::vector<Nck> activates;
  Nck last_refresh = -1000000;
  Nck data_bus_free = -1000000;

  for (std::size_t i = 0; i < commands.size(); ++i) {
    const IssuedCommand& now = commands[i];
    Bank& bank = banks[now.bank];
    const auto broken = [&](const std::string& rule) {
      return rule + " at nCK " + std::to_string(now.time) + ": " + name_of(now.command) + " bank " +
             std::to_string(now.bank);
    };
    if (i > 0 && now.time <= commands[i - 1].time) return broken("one command per clock");
    if (now.time - last_refresh < t.rfc_nck) return broken("tRFC");

    // Distances to all column commands near enough to matter, one at a time.
    for (std::size_t j = i; j-- > 0 && now.time - commands[j].time <= reach;) {
      const IssuedCommand& then = commands[j];
      const Nck gap = now.time - then.time;
      const bool same_group = now.bank / 4 == then.bank / 4;
      const bool same_bank = now.bank == then.bank;
      const bool column_now = is_read(now.command) || is_write(now.command);
      if (column_now && is_read(now.command) == is_read(then.command) &&
          (is_read(then.command) || is_write(then.command))) {
        if (gap < (same_group ? t.ccd_l_nck : t.ccd_s_nck)) return broken("tCCD");
      }
      if (is_write(then.command) && is_read(now.command)) {
        const Nck data_end = t.cwl_nck + t.burst_length / 2;
        if (gap < data_end + (same_group ? t.wtr_l_nck : t.wtr_s_nck)) return broken("tWTR");
      }
      const bool closes = now.command == Command::precharge_all || (now.command == Command::precharge && same_bank);
      if (closes && is_read(then.command) && gap < t.rtp_nck) return broken("tRTP");
      if (closes && is_write(then.command) && gap < t.cwl_nck + t.burst_length / 2 + t.wr_nck) return broken("tWR");
      if (now.command == Command::activate && then.command == Command::activate) {
        if (gap < (same_group ? t.rrd_l_nck : t.rrd_s_nck)) return broken("tRRD");
      }
    }

    // The data bus: bursts do not overlap, and two clocks turn it from read to write.
    if (is_read(now.command) || is_write(now.command)) {
      const Nck begin = now.time + (is_read(now.command) ? t.cl_nck : t.cwl_nck);
      Nck free = data_bus_free;
      for (std::size_t j = i; j-- > 0;) {
        if (is_write(commands[j].command)) break;
        if (!is_read(commands[j].command)) continue;
        if (is_write(now.command)) free += t.turnaround_nck;
        break;
      }
      if (begin < free) return broken("data bus");
      data_bus_free = begin + t.burst_length / 2;
    }

    switch (now.command) {
      case Command::activate:
        if (bank.open) return broken("ACT to an open bank");
        if (now.time - bank.activated < t.rc_nck) return broken("tRC");
        if (now.time - bank.precharged < t.rp_nck) return broken("tRP");
        activates.push_back(now.time);
        if (activates.size() > 4 && now.time - activates[activates.size() - 5] < t.faw_nck) return broken("tFAW");
        bank.open = true;
        bank.activated = now.time;
        break;
      case Command::precharge:
        if (!bank.open) return broken("PRE to a closed bank");
        if (now.time - bank.activated < t.ras_nck) return broken("tRAS");
        bank.open = false;
        bank.precharged = now.time;
        break;
      case Command::precharge_all:
        for (Bank& each : banks) {
          if (!each.open) continue;
          if (now.time - each.activated < t.ras_nck) return broken("tRAS");
          each.open = false;
          each.precharged = now.time;
        }
        break;
      case Command::refresh:
        for (const Bank& each : banks) {
          if (each.open) return broken("REF with an open bank");
          if (now.time - each.precharged < t.rp_nck) return broken("tRP before REF");
        }
        last_refresh = now.time;
        break;
      case Command::read:
      case Command::read_ap:
      case Command::write:
      case Command::write_ap:
        if (!bank.open) return broken("column command to a closed bank");
        if (now.time - bank.activated < t.rcd_nck) return broken("tRCD");
        if (now.command == Command::read_ap || now.command == Command::write_ap) {
          const Nck recovered =
              now.time + (is_read(now.command) ? t.rtp_nck : t.cwl_nck + t.burst_length / 2 + t.wr_nck);
          const Nck ras_over = bank.activated + t.ras_nck;
          bank.open = false;
          bank.precharged = recovered > ras_over ? recovered : ras_over;
        }
        break;
    }
  }
  return "";
}

}  // namespace weft::memory
