#include "tests/support/plain_ddr4_controller.h"

#include <algorithm>

namespace weft::test {

using memory::AddressMap;
using memory::kBanks;
using memory::kBanksPerGroup;
using memory::Nck;
using memory::RowOutcome;
using Kind = memory::Command;

namespace {

constexpr Nck kLongAgo = -1'000'000;

int bits(Address address, int high, int low) {
  return static_cast<int>(address >> low & ((Address{1} << (high - low + 1)) - 1));
}

int bank_of(AddressMap map, Address address) {
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

// The lowest bit of the column that a burst of eight leaves free.
bool column_a3(AddressMap map, Address address) {
  const int bit = map == AddressMap::rcb ? 10 : map == AddressMap::intlv ? 8 : 6;
  return bits(address, bit, bit) != 0;
}

}  // namespace

PlainDdr4Controller::PlainDdr4Controller(const memory::Ddr4Config& config)
    : config_(config), refresh_due_(config.timing.refi_nck) {
  for (auto& of_kind : last_) of_kind.fill(kLongAgo);
}

bool PlainDdr4Controller::has_room(bool write) const {
  return write ? writes_.size() < static_cast<std::size_t>(config_.write_queue)
               : reads_.size() < static_cast<std::size_t>(config_.read_queue);
}

void PlainDdr4Controller::accept(Address address, bool write, int tag) {
  const Request request{bank_of(config_.map, address), bits(address, 33, 17), tag, write,
                        config_.auto_precharge_a3 && column_a3(config_.map, address)};
  (write ? writes_ : reads_).push_back(request);
}

bool PlainDdr4Controller::reads_anywhere() const {
  const auto holds_read = [](const Bank& bank) {
    return std::any_of(bank.queue.begin(), bank.queue.end(), [](const Request& request) { return !request.write; });
  };
  return !reads_.empty() || std::any_of(banks_.begin(), banks_.end(), holds_read);
}

bool PlainDdr4Controller::idle() const {
  return reads_.empty() && writes_.empty() &&
         std::all_of(banks_.begin(), banks_.end(), [](const Bank& bank) { return bank.queue.empty(); });
}

// JESD79-4, by the sections that model/memory/ddr4_timing.h names. `bank` is that of all commands but PREA and REF.
bool PlainDdr4Controller::legal(Kind kind, int bank) const {
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

  // Where the rows stand.
  const bool any_open = std::any_of(banks_.begin(), banks_.end(), [](const Bank& b) { return b.open; });
  if (refreshes && any_open) return false;
  if (!to_all && banks_[static_cast<std::size_t>(bank)].open == activates) return false;

  for (int other = 0; other < kBanks; ++other) {
    const bool same = to_all || other == bank, in_group = to_all || other / kBanksPerGroup == bank / kBanksPerGroup;
    if (activates) {
      after(Kind::activate, other, in_group ? t.rrd_l_nck : t.rrd_s_nck);
      if (same) after(Kind::activate, other, t.rc_nck);
    }
    if (activates && same) {  // the bank has to be closed for tRP, wherever its precharge came from
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

void PlainDdr4Controller::issue(const Command& command) {
  commands_.push_back(command);
  last_[static_cast<std::size_t>(memory::index_of(command.kind))][static_cast<std::size_t>(command.bank)] = now_;
  if (command.kind == Kind::activate) activates_.push_back(now_);
}

// Nothing but what the refresh needs.
bool PlainDdr4Controller::issue_refresh() {
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

// The oldest request of the bank whose next command is legal.
bool PlainDdr4Controller::issue_for(int index) {
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

// The oldest request whose bank has room.
bool PlainDdr4Controller::move_from(std::vector<Request>& queue) {
  for (auto request = queue.begin(); request != queue.end(); ++request) {
    Bank& bank = banks_[static_cast<std::size_t>(request->bank)];
    if (bank.queue.size() >= static_cast<std::size_t>(config_.bank_queue)) continue;
    bank.queue.push_back(*request);
    queue.erase(request);
    return true;
  }
  return false;
}

void PlainDdr4Controller::move() {
  const auto waiting = [&] { return static_cast<int>(writes_.size()); };
  if (waiting() >= config_.write_high) draining_ = true;
  move_from(draining_ || !reads_anywhere() ? writes_ : reads_);
  if (waiting() <= config_.write_low) draining_ = false;
}

void PlainDdr4Controller::step() {
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

}  // namespace weft::test
