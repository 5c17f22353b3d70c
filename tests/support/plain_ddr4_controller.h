#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/memory/config.h"
#include "model/memory/ddr4_controller.h"
#include "tests/support/dram_traffic.h"

namespace weft::test {

// The controller of model/memory/ddr4_controller.h, written from its description and from JESD79-4 as plainly as
// possible: it steps every DRAM clock, keeps requests in lists, and checks the distance of every command to each
// earlier one that constrains it. Slow; the oracle of the fast controller.
class PlainDdr4Controller {
  using AddressMap = memory::AddressMap;
  using Kind = memory::Command;
  using Nck = memory::Nck;
  using RowOutcome = memory::RowOutcome;
  static constexpr int kBanks = memory::kBanks, kBanksPerGroup = memory::kBanksPerGroup;
  static constexpr Nck kLongAgo = -1'000'000;

  static int bits(Address address, int high, int low) {
    return static_cast<int>(address >> low & ((Address{1} << (high - low + 1)) - 1));
  }

  static int bank_of(AddressMap map, Address address) {
    switch (map) {
      case AddressMap::rcb:
        return bits(address, 7, 6) * 4 + bits(address, 9, 8);
      case AddressMap::intlv:
        return bits(address, 7, 6) * 4 + bits(address, 10, 9);
      case AddressMap::rbc:
        return bits(address, 14, 13) * 4 + bits(address, 16, 15);
    }
    return 0;
  }

  // Returns the lowest column bit that a burst of eight does not use.
  static bool column_a3(AddressMap map, Address address) {
    const int bit = map == AddressMap::rcb ? 10 : map == AddressMap::intlv ? 8 : 6;
    return bits(address, bit, bit) != 0;
  }

 public:
  using Command = DramCommand;

  explicit PlainDdr4Controller(const memory::Ddr4Config& config)
      : config_(config), refresh_due_(config.timing.refi_nck) {
    for (auto& of_kind : last_) of_kind.fill(kLongAgo);
  }

  // In each clock now(): accept() a request if there is room, then step(), which does the rest and increments now().
  bool has_room(bool write) const {
    return write ? writes_.size() < static_cast<std::size_t>(config_.write_queue)
                 : reads_.size() < static_cast<std::size_t>(config_.read_queue);
  }
  void accept(Address address, bool write, int tag) {
    const Request request{bank_of(config_.map, address), bits(address, 33, 17), tag, write,
                          config_.auto_precharge_a3 && column_a3(config_.map, address)};
    (write ? writes_ : reads_).push_back(request);
  }
  void step() {
    if (!issue_refresh()) {
      for (int i = 1; i <= kBanks; ++i) {
        const int bank = (served_last_ + i) % kBanks;
        if (!issue_for(bank)) continue;
        served_last_ = bank;
        break;
      }
    }
    move();
    ++now_;
  }

  // Replays commands and returns the first that is too early or meets a bank in a wrong state; "" if none does.
  static std::string first_violation(const std::vector<memory::IssuedCommand>& commands,
                                     const memory::Ddr4Config& config) {
    PlainDdr4Controller rank(config);
    Nck before = -1;
    for (const memory::IssuedCommand& each : commands) {
      const bool to_all = each.command == Kind::precharge_all || each.command == Kind::refresh;
      const int bank = to_all ? 0 : each.bank;
      rank.now_ = each.time;
      if (each.time <= before || !rank.legal(each.command, bank)) {
        return std::string(memory::name_of(each.command)) + " to bank " + std::to_string(bank) + " at nCK " +
               std::to_string(each.time);
      }
      rank.issue({each.time, each.command, bank});
      Bank& of = rank.banks_[static_cast<std::size_t>(bank)];
      if (each.command == Kind::precharge_all) {
        for (Bank& other : rank.banks_) other.open = false;
      }
      if (each.command == Kind::activate) of.open = true;
      if (each.command == Kind::precharge || each.command == Kind::read_ap || each.command == Kind::write_ap) {
        of.open = false;
      }
      before = each.time;
    }
    return "";
  }

  memory::Nck now() const { return now_; }
  bool idle() const {
    return reads_.empty() && writes_.empty() &&
           std::all_of(banks_.begin(), banks_.end(), [](const Bank& bank) { return bank.queue.empty(); });
  }
  const std::vector<Command>& commands() const { return commands_; }

 private:
  struct Request {
    int bank, row, tag;
    bool write, closes;  // closes: with auto precharge
    memory::RowOutcome outcome = memory::RowOutcome::hit;
  };
  struct Bank {
    bool open = false;
    int row = 0;
    int accesses = 0;  // accesses since it was opened
    std::vector<Request> queue;
  };

  // Checks JESD79-4 by the sections in model/memory/ddr4_timing.h. `bank`: bank of all commands but PREA and REF.
  bool legal(Kind kind, int bank) const {
    const memory::Ddr4Timing& t = config_.timing;
    const bool activates = kind == Kind::activate;
    const bool reads = kind == Kind::read || kind == Kind::read_ap;
    const bool writes = kind == Kind::write || kind == Kind::write_ap;
    const bool refreshes = kind == Kind::refresh;
    const bool closes_all = kind == Kind::precharge_all;
    const bool to_all = refreshes || closes_all;
    bool ok = true;
    const auto after = [&](Kind earlier, int other, Nck delay) {
      ok = ok &&
           now_ - last_[static_cast<std::size_t>(memory::index_of(earlier))][static_cast<std::size_t>(other)] >= delay;
    };
    const Nck burst = 4, write_data = t.cwl_nck + burst, recovered = write_data + t.wr_nck;

    // States of the rows.
    const bool any_open = std::any_of(banks_.begin(), banks_.end(), [](const Bank& b) { return b.open; });
    if (refreshes && any_open) return false;
    if (!to_all && banks_[static_cast<std::size_t>(bank)].open == activates) return false;

    for (int other = 0; other < kBanks; ++other) {
      const bool same = to_all || other == bank, in_group = to_all || other / kBanksPerGroup == bank / kBanksPerGroup;
      if (activates) {
        after(Kind::activate, other, in_group ? t.rrd_l_nck : t.rrd_s_nck);
        if (same) after(Kind::activate, other, t.rc_nck);
      }
      if (activates && same) {  // the bank must be closed for tRP, whichever command precharged it
        after(Kind::precharge, other, t.rp_nck);
        after(Kind::read_ap, other, t.rtp_nck + t.rp_nck);
        after(Kind::write_ap, other, recovered + t.rp_nck);
      }
      if (refreshes) {
        after(Kind::precharge, other, t.rp_nck);
        after(Kind::activate, other, t.rc_nck);  // an auto precharge waits for tRAS
        after(Kind::read_ap, other, t.rtp_nck + t.rp_nck);
        after(Kind::write_ap, other, recovered + t.rp_nck);
      }
      if ((kind == Kind::precharge && same) || closes_all) {
        after(Kind::activate, other, t.ras_nck);
        after(Kind::read, other, t.rtp_nck);
        after(Kind::write, other, recovered);
      }
      if (closes_all) {
        after(Kind::read_ap, other, t.rtp_nck);
        after(Kind::write_ap, other, recovered);
      }
      if ((reads || writes) && same) after(Kind::activate, other, t.rcd_nck);
      for (const Kind read : {Kind::read, Kind::read_ap}) {
        if (reads) after(read, other, in_group ? t.ccd_l_nck : t.ccd_s_nck);
        if (writes) after(read, other, t.cl_nck + burst - t.cwl_nck + t.turnaround_nck);
      }
      for (const Kind write : {Kind::write, Kind::write_ap}) {
        if (writes) after(write, other, in_group ? t.ccd_l_nck : t.ccd_s_nck);
        if (reads) after(write, other, write_data + (in_group ? t.wtr_l_nck : t.wtr_s_nck));
      }
    }
    if (activates || refreshes) {
      after(Kind::precharge_all, 0, t.rp_nck);
      after(Kind::refresh, 0, t.rfc_nck);
    }
    // tFAW: no five activates in a window.
    if (activates && activates_.size() >= 4) ok = ok && now_ - activates_[activates_.size() - 4] >= t.faw_nck;
    return ok;
  }
  // Issues only the commands that a refresh needs.
  bool issue_refresh() {
    if (!config_.refresh || now_ < refresh_due_) return false;
    const bool any_open = std::any_of(banks_.begin(), banks_.end(), [](const Bank& b) { return b.open; });
    if (any_open && legal(Kind::precharge_all, 0)) {
      issue({now_, Kind::precharge_all});
      for (Bank& bank : banks_) bank.open = false;
    } else if (!any_open && legal(Kind::refresh, 0)) {
      issue({now_, Kind::refresh});
      refresh_due_ += config_.timing.refi_nck;
    }
    return true;
  }
  // Serves the oldest request of the bank if its next command is legal.
  bool issue_for(int index) {
    Bank& bank = banks_[static_cast<std::size_t>(index)];
    if (bank.queue.empty()) return false;
    Request& head = bank.queue.front();
    if (!bank.open) {
      if (!legal(Kind::activate, index)) return false;
      issue({now_, Kind::activate, index, head.row});
      if (head.outcome == RowOutcome::hit) head.outcome = RowOutcome::miss;
      bank.open = true;
      bank.row = head.row;
      bank.accesses = 0;
      return true;
    }
    const auto hits = [&](const Request& request) { return request.row == bank.row; };
    const bool any_hit = std::any_of(bank.queue.begin(), bank.queue.end(), hits);
    if (!hits(head) && (!any_hit || bank.accesses >= config_.row_hit_limit)) {
      if (!legal(Kind::precharge, index)) return false;
      issue({now_, Kind::precharge, index});
      head.outcome = RowOutcome::conflict;
      bank.open = false;
      return true;
    }
    for (auto request = bank.queue.begin(); request != bank.queue.end(); ++request) {
      if (!hits(*request)) continue;
      const Kind kind = request->write ? (request->closes ? Kind::write_ap : Kind::write)
                                       : (request->closes ? Kind::read_ap : Kind::read);
      if (!legal(kind, index)) continue;
      issue({now_, kind, index, request->row, request->tag, request->outcome});
      ++bank.accesses;
      if (request->closes) bank.open = false;
      bank.queue.erase(request);
      return true;
    }
    return false;
  }
  void issue(const Command& command) {
    commands_.push_back(command);
    last_[static_cast<std::size_t>(memory::index_of(command.kind))][static_cast<std::size_t>(command.bank)] = now_;
    if (command.kind == Kind::activate) activates_.push_back(now_);
  }
  void move() {
    const auto waiting = [&] { return static_cast<int>(writes_.size()); };
    if (waiting() >= config_.write_high) draining_ = true;
    move_from(draining_ || !reads_anywhere() ? writes_ : reads_);
    if (waiting() <= config_.write_low) draining_ = false;
  }
  // Moves the oldest request whose bank has room.
  bool move_from(std::vector<Request>& queue) {
    for (auto request = queue.begin(); request != queue.end(); ++request) {
      Bank& bank = banks_[static_cast<std::size_t>(request->bank)];
      if (bank.queue.size() >= static_cast<std::size_t>(config_.bank_queue)) continue;
      bank.queue.push_back(*request);
      queue.erase(request);
      return true;
    }
    return false;
  }
  bool reads_anywhere() const {
    const auto holds_read = [](const Bank& bank) {
      return std::any_of(bank.queue.begin(), bank.queue.end(), [](const Request& request) { return !request.write; });
    };
    return !reads_.empty() || std::any_of(banks_.begin(), banks_.end(), holds_read);
  }

  memory::Ddr4Config config_;
  memory::Nck now_ = 0;
  memory::Nck refresh_due_;
  std::vector<Request> reads_, writes_;
  std::array<Bank, memory::kBanks> banks_;
  int served_last_ = memory::kBanks - 1;
  bool draining_ = false;
  // Time of the last command of each kind to each bank; PREA and REF are stored at bank 0.
  std::array<std::array<memory::Nck, memory::kBanks>, memory::kCommands> last_;
  std::vector<memory::Nck> activates_;
  std::vector<Command> commands_;
};

}  // namespace weft::test
