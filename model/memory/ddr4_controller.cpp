#include "model/memory/ddr4_controller.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace weft::memory {

namespace {

// Calls visit(index) for each bit that is set.
template <typename Visit>
void for_each_bit(std::uint32_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(__builtin_ctz(bits));
}

}  // namespace

void Ddr4Controller::TransactionQueue::clear() {
  free = ~std::uint64_t{0};
  size = 0;
}

inline void Ddr4Controller::TransactionQueue::push(const Request& added) {
  const int at = __builtin_ctzll(free);
  free &= free - 1;
  request[at] = added;
  place[size] = static_cast<std::uint8_t>(at);
  bank[size++] = added.bank;
}

inline void Ddr4Controller::TransactionQueue::remove(int age) {
  free |= std::uint64_t{1} << place[age];
  --size;
  for (auto* const moved : {&place, &bank}) {
    for (int i = age; i < size; i += kChunk) {  // of a fixed size: what lies after the last one does not matter
      std::array<std::uint8_t, kChunk> chunk;
      std::memcpy(&chunk, moved->data() + i + 1, kChunk);
      std::memcpy(moved->data() + i, &chunk, kChunk);
    }
  }
}

inline void Ddr4Controller::BankQueue::push(const Request& added, std::int32_t open_row) {
  const int at = __builtin_ctz(~taken);
  taken |= 1U << at;
  request[at] = added;
  places |= static_cast<std::uint64_t>(at) << 4 * size;
  hits |= Ages{added.row == open_row} << size;
  writes |= Ages{added.write} << size;
  ++size;
}

inline void Ddr4Controller::BankQueue::remove(int age) {
  taken &= ~(1U << (places >> 4 * age & 15));
  const std::uint64_t older_places = (std::uint64_t{1} << 4 * age) - 1;
  places = (places & older_places) | (places >> 4 & ~older_places);
  const Ages older = (1U << age) - 1;
  hits = (hits & older) | (hits >> 1 & ~older);
  writes = (writes & older) | (writes >> 1 & ~older);
  --size;
}

inline void Ddr4Controller::BankQueue::find_hits(std::int32_t open_row) {
  hits = 0;
  for (int age = 0; age < size; ++age) hits |= Ages{at(age).row == open_row} << age;
}

Ddr4Controller::Ddr4Controller(const Ddr4Config& config)
    : map_(config.map),
      auto_precharge_a3_(config.auto_precharge_a3),
      refresh_(config.refresh),
      read_capacity_(config.read_queue),
      write_capacity_(config.write_queue),
      bank_capacity_(config.bank_queue),
      write_high_(config.write_high),
      write_low_(config.write_low),
      row_hit_limit_(config.row_hit_limit),
      refi_nck_(config.timing.refi_nck),
      read_data_nck_(config.timing.read_data_nck()),
      write_data_nck_(config.timing.write_data_nck()),
      device_(config.timing) {
  config.validate();
  reset();
}

void Ddr4Controller::reset() {
  device_.reset();
  now_ = 0;
  refresh_due_ = refresh_ ? refi_nck_ : Ddr4Device::kNoTime;
  reads_.clear();
  writes_.clear();
  banks_.fill({});
  accesses_.fill(0);
  last_bank_ = kBanks - 1;
  draining_ = false;
  reads_waiting_ = 0;
  full_banks_ = 0;
  wanted_ = {};
  served_.clear();
  commands_.clear();
  plan_move();
  plan(now_);
}

void Ddr4Controller::set_refresh_due(Nck due) {
  refresh_due_ = due;
  plan(now_);
}

void Ddr4Controller::derive() {
  served_.clear();
  reads_waiting_ = reads_.size;
  for (int bank = 0; bank < kBanks; ++bank) {
    update(bank);
    reads_waiting_ += banks_[bank].size - __builtin_popcount(banks_[bank].writes);
  }
  plan_move();
  plan(now_);
}

inline Ddr4Controller::Request Ddr4Controller::request_of(Address address, bool write, std::uint32_t tag) const {
  const DramAddress where = decode(map_, address);
  return {where.row,      tag, static_cast<std::uint8_t>(where.bank), write, auto_precharge_a3_ && where.column_a3,
          RowOutcome::hit};
}

void Ddr4Controller::accept(Address address, bool write, std::uint32_t tag) {
  TransactionQueue& queue = write ? writes_ : reads_;
  if (!has_room(write)) throw std::logic_error("a request was offered to a full controller queue");
  const Request request = request_of(address, write, tag);
  if (!write) ++reads_waiting_;
  // It moves on at once if no other of its kind waits, its kind is to move, and no command is issued at this edge.
  const bool turn = write ? reads_waiting_ == 0 && write_high_ > 1 : true;
  if (turn && queue.size == 0 && !draining_ && command_edge_ > now_ && (full_banks_ >> request.bank & 1) == 0) {
    move_write_ = write;
    move_pending_ = false;
    if (add(request)) plan(now_ + 1);  // because it moves on at this edge
    return;
  }
  queue.push(request);
  const bool before = move_write_;
  plan_mode();
  if (move_write_ != before) {
    find_move(0);
  } else if (!move_pending_ && write == move_write_) {
    find_move(queue.size - 1);  // no older one can move
  }
}

// Performs the next edge at which something happens; false if it is not before `end`.
inline bool Ddr4Controller::step(Nck end) {
  const Nck edge = move_pending_ ? now_ : command_edge_;
  if (edge >= end) return false;
  now_ = edge;
  const bool commands = command_edge_ == edge;
  if (commands) {
    if (edge >= refresh_due_) {
      if (idle()) skip_idle_refreshes(end);
      issue_refresh_command(now_);
    } else {
      issue_command(now_);
    }
  }
  const bool changes = move_pending_ && move();
  ++now_;
  if (commands || changes) plan(now_);
  return true;
}

void Ddr4Controller::advance_to(Nck end) {
  while (step(end)) {
  }
  now_ = std::max(now_, end);
}

void Ddr4Controller::advance_until_room(bool read, bool write, Nck end) {
  while (!(read && has_room(false)) && !(write && has_room(true))) {
    if (step(end)) continue;
    now_ = std::max(now_, end);
    return;
  }
}

Nck Ddr4Controller::next_action() const {
  return move_pending_ ? now_ : std::max(now_, command_edge_);
}

// Refreshes of an idle controller are all alike; only the last ones can affect commands after `end`.
void Ddr4Controller::skip_idle_refreshes(Nck end) {
  const Nck skipped = (end - refresh_due_) / refi_nck_ - 1;
  if (skipped <= 0 || device_.any_open() || recording_) return;
  refresh_due_ += skipped * refi_nck_;
  now_ = std::max(now_, refresh_due_);
}

// Finds the commands that one bank waits for; to be called when its queue or its row has changed.
inline void Ddr4Controller::update(int index) {
  BankQueue& bank = banks_[index];
  const bool busy = bank.size > 0, open = device_.open_row(index) != Ddr4Device::kClosed;
  // At the limit no hit may be issued for others than the oldest: each would delay the precharge by tRTP, more than
  // tCCD_L.
  const bool limited = (bank.hits & 1) == 0 && accesses_[index] >= row_hit_limit_;
  const BankQueue::Ages hits = limited ? 0 : bank.hits;
  bank.read_hits = hits & ~bank.writes;
  bank.write_hits = hits & bank.writes;
  full_banks_ = (full_banks_ & ~(1U << index)) | BankSet{bank.size >= bank_capacity_} << index;
  using Wanted = Ddr4Device::Wanted;
  wanted_.set(index, Wanted::wait(Ddr4Device::kActivate, busy && !open) |
                         Wanted::wait(Ddr4Device::kPrecharge, busy && open && hits == 0) |
                         Wanted::wait(Ddr4Device::kRead, bank.read_hits != 0) |
                         Wanted::wait(Ddr4Device::kWrite, bank.write_hits != 0));
}

// Finds the next command, which for a bank comes at `from` or later.
inline void Ddr4Controller::plan(Nck from) {
  next_ = device_.first_of(wanted_, from, last_bank_);
  command_edge_ = next_.time;
  if (next_.time < refresh_due_) return;
  const Command refreshes = device_.any_open() ? Command::precharge_all : Command::refresh;
  command_edge_ = std::max({refresh_due_, now_, device_.earliest(refreshes, 0)});
}

// Decides whether writes or reads move.
inline void Ddr4Controller::plan_mode() {
  if (draining_ && writes_.size <= write_low_) draining_ = false;
  if (!draining_ && writes_.size >= write_high_) draining_ = true;
  move_write_ = draining_ || reads_waiting_ == 0;
}

// Finds the request that moves into its bank's queue at the next edge, if any, from the age `from` on.
inline void Ddr4Controller::find_move(int from) {
  const TransactionQueue& queue = move_write_ ? writes_ : reads_;
  move_pending_ = false;
  for (int i = from; i < queue.size; ++i) {
    if ((full_banks_ >> queue.bank[i] & 1) != 0) continue;
    move_index_ = i;
    move_pending_ = true;
    return;
  }
}

// The same when a full bank gets room: no older request than the one found before can move, unless to this bank.
inline void Ddr4Controller::find_move_to(int bank) {
  const TransactionQueue& queue = move_write_ ? writes_ : reads_;
  const auto before = static_cast<std::size_t>(move_pending_ ? move_index_ : queue.size);
  const void* const found = std::memchr(queue.bank.data(), bank, before);
  if (!found) return;
  move_index_ = static_cast<int>(static_cast<const std::uint8_t*>(found) - queue.bank.data());
  move_pending_ = true;
}

void Ddr4Controller::plan_move() {
  plan_mode();
  find_move(0);
}

// Returns what add() does.
inline bool Ddr4Controller::move() {
  const bool write = move_write_;
  TransactionQueue& queue = move_write_ ? writes_ : reads_;
  const bool changes = add(queue.at(move_index_));
  queue.remove(move_index_);
  plan_mode();
  find_move(move_write_ == write ? move_index_ : 0);
  return changes;
}

// Puts a request into its bank's queue. Returns true if the bank waits for another command from then on.
inline bool Ddr4Controller::add(const Request& request) {
  const Ddr4Device::Wanted before = wanted_;
  banks_[request.bank].push(request, device_.open_row(request.bank));
  update(request.bank);
  return !(wanted_ == before);
}

void Ddr4Controller::issue(Command command, int bank, int row, Nck time) {
  device_.issue(command, bank, row, time);
  if (recording_) commands_.push_back({time, command, bank, row});
}

inline void Ddr4Controller::issue_command(Nck time) {
  const int index = next_.bank;
  last_bank_ = index;
  // A bank that waits for an ACT or a PRE waits for nothing else. The precharge is for the oldest request.
  BankQueue& bank = banks_[index];
  if (wanted_.of(Ddr4Device::kActivate, index)) {
    activate_for(bank.at(0), time);
    bank.find_hits(device_.open_row(index));
    update(index);
  } else if (wanted_.of(Ddr4Device::kPrecharge, index)) {
    precharge_for(bank.at(0), time);
    update(index);
  } else {
    serve(index, time);
  }
}

inline void Ddr4Controller::serve(int index, Nck time) {
  BankQueue& bank = banks_[index];
  BankQueue::Ages legal = 0;
  if (bank.write_hits == 0 || device_.earliest(Command::read, index) <= time) legal |= bank.read_hits;
  if (bank.read_hits == 0 || device_.earliest(Command::write, index) <= time) legal |= bank.write_hits;
  const int age = __builtin_ctz(legal);
  const Request& request = bank.at(age);
  if (!request.write) --reads_waiting_;
  access_for(request, time);
  if (request.auto_precharge) bank.hits = 0;
  bank.remove(age);
  const bool was_full = (full_banks_ >> index & 1) != 0, before = move_write_;
  update(index);
  plan_mode();
  if (move_write_ != before) {
    find_move(0);
  } else if (was_full) {
    find_move_to(index);
  }
}

// Commands for a request: an ACT, a PRE, and its RD or WR.
inline void Ddr4Controller::activate_for(Request& request, Nck time) {
  if (request.outcome == RowOutcome::hit) request.outcome = RowOutcome::miss;
  issue(Command::activate, request.bank, request.row, time);
  accesses_[request.bank] = 0;
}

inline void Ddr4Controller::precharge_for(Request& request, Nck time) {
  request.outcome = RowOutcome::conflict;
  banks_[request.bank].hits = 0;
  issue(Command::precharge, request.bank, 0, time);
}

void Ddr4Controller::access_for(const Request& request, Nck time) {
  ++accesses_[request.bank];
  Command command = request.auto_precharge ? Command::read_ap : Command::read;
  if (request.write) command = request.auto_precharge ? Command::write_ap : Command::write;
  issue(command, request.bank, 0, time);
  // Set field by field: a complete object would be read as a whole before its parts are written.
  Served& served = served_.emplace_back();
  served.tag = request.tag;
  served.write = request.write;
  served.outcome = request.outcome;
  served.data_end = time + (request.write ? write_data_nck_ : read_data_nck_);
}

void Ddr4Controller::issue_refresh_command(Nck time) {
  if (device_.any_open()) {
    issue(Command::precharge_all, 0, 0, time);
    for_each_bit(wanted_.any(), [this](int bank) {  // banks without requests wait for nothing
      banks_[bank].hits = 0;
      update(bank);
    });
  } else {
    issue(Command::refresh, 0, 0, time);  // changes no row
    refresh_due_ += refi_nck_;
  }
}

}  // namespace weft::memory
