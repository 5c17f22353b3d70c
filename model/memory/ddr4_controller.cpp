#include "model/memory/ddr4_controller.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace weft::memory {

namespace {

constexpr Nck kNoEdge = Ddr4Device::kNoTime;

// Calls visit(index) for each bit that is set.
template <typename Visit>
void for_each_bit(std::uint32_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(__builtin_ctz(bits));
}

}  // namespace

Ddr4Controller::Request Ddr4Controller::TransactionQueue::take(int index) {
  const Request taken = entry[index];
  std::copy(entry.begin() + index + 1, entry.begin() + size, entry.begin() + index);
  --size;
  return taken;
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
  refresh_due_ = refresh_ ? refi_nck_ : kNoEdge;
  reads_.size = writes_.size = 0;
  for (BankQueue& bank : banks_) {
    bank.size = 0;
    bank.read_hit = bank.write_hit = -1;
  }
  accesses_.fill(0);
  last_bank_ = kBanks - 1;
  draining_ = false;
  reads_waiting_ = 0;
  full_banks_ = 0;
  wanted_ = {};
  served_.clear();
  commands_.clear();
  plan_move();
  plan_bank_edge();
  plan_command();
}

void Ddr4Controller::set_refresh_due(Nck due) {
  refresh_due_ = due;
  refresh_earlier_ = refresh_later_ = kNoEdge;
  plan_command();
}

// Limits refresh_earlier_ and refresh_later_, as no command was issued from the last plan up to `edge`: the same holds
// for a refresh due at `edge` or later or, if it waits to be legal, due before another command can be issued.
inline void Ddr4Controller::no_command_before(Nck edge) {
  if (refresh_due_ >= edge) {
    refresh_earlier_ = std::min(refresh_earlier_, refresh_due_ - edge);
  } else if (other_edge_ < edge) {
    refresh_later_ = std::min(refresh_later_, other_edge_ - refresh_due_);
  }
}

// Limits them, as a command is issued at `edge` as planned.
inline void Ddr4Controller::command_at(Nck edge) {
  if (edge < refresh_due_) {
    refresh_earlier_ = std::min(refresh_earlier_, refresh_due_ - edge - 1);
  } else if (refresh_due_ > refresh_legal_) {
    refresh_earlier_ = refresh_later_ = 0;
  } else {
    refresh_later_ = std::min({refresh_later_, other_edge_ - refresh_due_, refresh_legal_ - refresh_due_});
  }
}

void Ddr4Controller::derive() {
  served_.clear();
  reads_waiting_ = reads_.size;
  for (int bank = 0; bank < kBanks; ++bank) {
    update(bank);
    const BankQueue& queue = banks_[bank];
    reads_waiting_ += std::count_if(queue.entry.begin(), queue.entry.begin() + queue.size,
                                    [](const Request& request) { return !request.write; });
  }
  plan_bank_edge();
  plan_move();
  plan_command();
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
    no_command_before(now_ + 1);
    add(request);
    bank_edge_ = std::max(bank_edge_, now_ + 1);  // because it moves on at this edge
    move_write_ = write;
    move_pending_ = false;
    plan_command();
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

bool Ddr4Controller::takes_few(Address address, int reads) const {
  if (reads_.size + writes_.size > 0 || now_ + reads > refresh_due_) return false;
  if (wanted_.any() == 0) return reads <= std::min(kMostFew, bank_capacity_);
  if (reads_waiting_ + reads > std::min(kMostFew, bank_capacity_)) return false;
  BankSet asked = 0;
  for (int i = 0; i < reads; ++i) asked |= 1U << decode(map_, address + i * kAccessBytes).bank;
  const auto row = static_cast<std::int32_t>(address >> kRowBit);
  bool fit = true;
  for_each_bit(wanted_.any(), [&](int index) {
    const BankQueue& bank = banks_[index];
    const std::int32_t only = (asked >> index & 1) != 0 ? row : bank.entry[0].row;
    for (int i = 0; i < bank.size; ++i) fit = fit && !bank.entry[i].write && bank.entry[i].row == only;
  });
  return fit;
}

void Ddr4Controller::read_few(const Read* reads, int count, Nck end) {
  // Waiting requests. Those of a bank are in order of age and for one row, so that it serves them in this order.
  std::array<Request, kMostFew> few;
  std::array<Nck, kMostFew> from;  // earliest edge of a command for it
  int all = 0;
  const auto wait = [&](const Request& request, Nck edge) {
    if (all == kMostFew) return;
    few[all] = request;
    from[all++] = edge;
  };
  BankSet banks = wanted_.any();  // banks whose queues change
  for_each_bit(wanted_.any(), [&](int bank) {
    for (int i = 0; i < banks_[bank].size; ++i) wait(banks_[bank].entry[i], now_);
    banks_[bank].size = 0;
  });
  // A request moves on at the edge at which it is accepted.
  for (int i = 0; i < count; ++i) wait(request_of(reads[i].address, false, reads[i].tag), now_ + i + 1);

  const Nck accepted = now_ + count, before = std::min(end, refresh_due_);
  std::uint32_t left = (1U << all) - 1;
  while (left != 0) {
    // Finds the earliest command; at equal edges that of the bank whose turn comes first.
    std::int64_t next = before << 8;
    BankSet asked = 0;
    for_each_bit(left, [&](int i) {
      const Request& request = few[i];
      if ((asked >> request.bank & 1) != 0) return;  // an older request of the bank waits
      asked |= 1U << request.bank;
      const std::int32_t open = device_.open_row(request.bank);
      const Command command = open == request.row           ? Command::read
                              : open == Ddr4Device::kClosed ? Command::activate
                                                            : Command::precharge;
      const Nck legal = std::max({from[i], now_, device_.earliest(command, request.bank)});
      const int turn = (request.bank - last_bank_ - 1) & (kBanks - 1);
      next = std::min<std::int64_t>(next, legal << 8 | turn << 4 | i);
    });
    const Nck edge = next >> 8;
    if (edge == before) break;
    const int index = next & 15;
    Request& request = few[index];
    last_bank_ = request.bank;
    now_ = edge + 1;
    const std::int32_t open = device_.open_row(request.bank);
    if (open == request.row) {
      access_for(request, edge);
      left &= ~(1U << index);
    } else if (open == Ddr4Device::kClosed) {
      activate_for(request, edge);
    } else {
      precharge_for(request, edge);
    }
  }
  now_ = std::max(now_, accepted);
  no_command_before(now_);
  reads_waiting_ = __builtin_popcount(left);
  for_each_bit(left, [&](int i) {
    BankQueue& bank = banks_[few[i].bank];
    bank.entry[bank.size++] = few[i];
    banks |= 1U << few[i].bank;
  });
  for_each_bit(banks, [this](int bank) { update(bank); });
  move_write_ = left == 0;
  move_pending_ = false;
  plan_bank_edge();
  plan_command();
}

ReadSchedule Ddr4Controller::schedule_of(const ReadBurst* bursts, int count) const {
  const Nck from = bursts->edge;
  ReadSchedule schedule;
  Ddr4Controller alone = *this;
  alone.device_.let_pass(from);
  alone.set_refresh_due(kNoEdge);
  alone.clear_served();
  alone.clear_commands();
  alone.record_commands(true);
  std::uint32_t tag = 0;
  for (int i = 0; i < count; ++i) {
    Address address = bursts[i].address;
    for (Nck edge = bursts[i].edge; edge <= bursts[i].last_edge(); ++edge, address = next_access(address)) {
      alone.advance_to(edge);
      if (!alone.has_room(false)) return schedule;
      alone.accept(address, false, tag++);
    }
  }
  alone.advance_to(from + Ddr4Device::CommandRun::kNever);
  if (!alone.idle()) return schedule;
  const std::optional<Ddr4Device::CommandRun> commands = device_.run_of(alone.commands_, from);
  if (!commands) return schedule;

  const auto edge_of = [from](Nck edge) { return static_cast<std::uint8_t>(edge - from); };
  schedule.holds = true;
  schedule.commands = *commands;
  schedule.last_bank = static_cast<std::uint8_t>(alone.last_bank_);
  schedule.end = edge_of(std::max(alone.commands_.back().time, bursts[count - 1].last_edge()) + 1);
  // A read moves on at the edge at which it is offered and gets its command at the next.
  Nck next_read = from;
  for (int bank = 0; bank < kBanks; ++bank) {
    next_read = std::max(next_read, alone.device_.earliest(Command::read, bank));
  }
  schedule.free = std::max(schedule.end, edge_of(next_read - 1));
  for (const Served& served : alone.served_) {
    schedule.edge[served.tag] = edge_of(served.data_end - read_data_nck_);
    ++schedule.outcomes[static_cast<std::size_t>(served.outcome)];
  }
  for (const IssuedCommand& issued : alone.commands_) {
    std::uint8_t& accesses = schedule.accesses[static_cast<std::size_t>(issued.bank)];
    if (issued.command == Command::activate) accesses = 0;
    if (issued.command == Command::read || issued.command == Command::read_ap) ++accesses;
  }
  return schedule;
}

void Ddr4Controller::follow(const ReadSchedule& schedule, Nck from, Address address) {
  device_.issue(schedule.commands, from, decode(map_, address).row);
  for (int bank = 0; bank < kBanks; ++bank) {  // vectorised
    const std::int32_t activated = schedule.commands.activated(bank) ? -1 : 0;
    accesses_[bank] = (accesses_[bank] & ~activated) + schedule.accesses[bank];
  }
  last_bank_ = schedule.last_bank;
  now_ = from + schedule.end;
}

// No refresh became due during the schedules, so the end of the last one gives the limit.
void Ddr4Controller::followed() {
  no_command_before(now_);
  plan_command();
}

// Performs the next edge at which something happens; false if it is not before `end`.
inline bool Ddr4Controller::step(Nck end) {
  const Nck edge = move_pending_ ? now_ : command_edge_;
  if (edge >= end) {
    no_command_before(end);
    return false;
  }
  now_ = edge;
  if (command_edge_ != edge) {
    no_command_before(edge + 1);
  } else {
    command_at(edge);
    if (edge >= refresh_due_) {
      if (idle()) skip_idle_refreshes(end);
      issue_refresh_command(now_);
    } else {
      const BankSet full = full_banks_;
      const bool before = move_write_;
      issue_command(now_);
      plan_mode();
      if (move_write_ != before || full_banks_ != full) find_move(0);
    }
    plan_bank_edge();
  }
  if (move_pending_) move();
  ++now_;
  plan_command();
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
void Ddr4Controller::update(int index) {
  BankQueue& bank = banks_[index];
  const auto put = [index](auto& banks, bool in) {
    banks = static_cast<Ddr4Device::Banks>((banks & ~(1 << index)) | static_cast<int>(in) << index);
  };
  const std::int32_t open = device_.open_row(index);
  bank.read_hit = bank.write_hit = -1;
  if (open != Ddr4Device::kClosed) {
    for (int i = bank.size; i-- > 0;) {
      if (bank.entry[i].row == open) (bank.entry[i].write ? bank.write_hit : bank.read_hit) = i;
    }
    // At the limit no hit may be issued: each would delay the precharge by tRTP, more than tCCD_L.
    if (bank.size > 0 && bank.entry[0].row != open && accesses_[index] >= row_hit_limit_) {
      bank.read_hit = bank.write_hit = -1;
    }
  }
  const bool busy = bank.size > 0, hit = bank.read_hit >= 0 || bank.write_hit >= 0;
  put(full_banks_, bank.size >= bank_capacity_);
  put(wanted_.activate, busy && open == Ddr4Device::kClosed);
  put(wanted_.precharge, busy && open != Ddr4Device::kClosed && !hit);
  put(wanted_.read, bank.read_hit >= 0);
  put(wanted_.write, bank.write_hit >= 0);
}

void Ddr4Controller::plan_bank_edge() {
  bank_edge_ = device_.earliest_of(wanted_);
}

// Finds the edge of the next command, at now_ or later.
void Ddr4Controller::plan_command() {
  other_edge_ = std::max(bank_edge_, now_);
  command_edge_ = other_edge_;
  if (other_edge_ >= refresh_due_) {
    refresh_legal_ =
        std::max(now_, device_.earliest(device_.any_open() ? Command::precharge_all : Command::refresh, 0));
    command_edge_ = std::max(refresh_due_, refresh_legal_);
  }
}

// Decides whether writes or reads move.
inline void Ddr4Controller::plan_mode() {
  if (draining_ && writes_.size <= write_low_) draining_ = false;
  if (!draining_ && writes_.size >= write_high_) draining_ = true;
  move_write_ = draining_ || reads_waiting_ == 0;
}

// Finds the request that moves into its bank's queue at the next edge, if any, from the index `from` on.
inline void Ddr4Controller::find_move(int from) {
  const TransactionQueue& queue = move_write_ ? writes_ : reads_;
  move_pending_ = false;
  for (int i = from; i < queue.size; ++i) {
    if ((full_banks_ >> queue.entry[i].bank & 1) != 0) continue;
    move_index_ = i;
    move_pending_ = true;
    return;
  }
}

void Ddr4Controller::plan_move() {
  plan_mode();
  find_move(0);
}

void Ddr4Controller::move() {
  const bool write = move_write_;
  add((move_write_ ? writes_ : reads_).take(move_index_));
  plan_mode();
  find_move(move_write_ == write ? move_index_ : 0);
}

inline void Ddr4Controller::add(const Request& request) {
  BankQueue& bank = banks_[request.bank];
  bank.entry[bank.size++] = request;
  update(request.bank);
  plan_bank_edge();
}

void Ddr4Controller::issue(Command command, int bank, int row, Nck time) {
  device_.issue(command, bank, row, time);
  if (recording_) commands_.push_back({time, command, bank, row});
}

void Ddr4Controller::issue_command(Nck time) {
  const BankSet ready = device_.legal_of(wanted_, time);
  const BankSet after_last = ready & ~((2U << last_bank_) - 1);
  const int index = __builtin_ctz(after_last != 0 ? after_last : ready);
  last_bank_ = index;

  // A bank that waits for an ACT or a PRE waits for nothing else. The precharge is for the head of the queue, which is
  // the oldest of the candidates.
  BankQueue& bank = banks_[index];
  if ((wanted_.activate >> index & 1) != 0) {
    activate_for(bank.entry[0], time);
  } else if ((wanted_.precharge >> index & 1) != 0) {
    precharge_for(bank.entry[0], time);
  } else {
    int oldest = bank.size;
    if (bank.read_hit >= 0 && device_.earliest(Command::read, index) <= time) oldest = bank.read_hit;
    if (bank.write_hit >= 0 && bank.write_hit < oldest && device_.earliest(Command::write, index) <= time) {
      oldest = bank.write_hit;
    }
    serve(index, oldest, time);
  }
  update(index);
}

void Ddr4Controller::serve(int index, int entry, Nck time) {
  BankQueue& bank = banks_[index];
  const Request request = bank.entry[entry];
  std::copy(bank.entry.begin() + entry + 1, bank.entry.begin() + bank.size, bank.entry.begin() + entry);
  --bank.size;
  if (!request.write) --reads_waiting_;
  access_for(request, time);
}

// Commands for a request: an ACT, a PRE, and its RD or WR.
inline void Ddr4Controller::activate_for(Request& request, Nck time) {
  if (request.outcome == RowOutcome::hit) request.outcome = RowOutcome::miss;
  issue(Command::activate, request.bank, request.row, time);
  accesses_[request.bank] = 0;
}

inline void Ddr4Controller::precharge_for(Request& request, Nck time) {
  request.outcome = RowOutcome::conflict;
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
    for_each_bit(wanted_.any(), [this](int bank) { update(bank); });  // banks without requests wait for nothing
  } else {
    issue(Command::refresh, 0, 0, time);  // changes no row
    refresh_due_ += refi_nck_;
  }
}

}  // namespace weft::memory
