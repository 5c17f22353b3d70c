#include "model/memory/mig_controller.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/memory/mig_clocks.h"

namespace weft::memory {

namespace {

constexpr Nck kActivateSlot = 1, kPrechargeSlot = 3, kLastCasSlot = 2;
constexpr int kMostCredit = 1 << 22;

}  // namespace

int MigController::Turn::serve(unsigned groups, Nck edge) {
  if (groups == 0) return -1;
  const int first = edge == until ? (last + 1) & (kBankGroups - 1) : 0;
  const unsigned in_turn = (groups | groups << kBankGroups) >> first;
  last = (first + __builtin_ctz(in_turn)) & (kBankGroups - 1);
  until = edge + kClock;
  return last;
}

// `clock`: the first that has not begun.
void MigController::Turn::relative(Relative& state, Nck clock) {
  state.as(last, until == clock ? last : kBankGroups - 1);
  if (state.loading()) until = clock;
}

MigController::MigController(const Ddr4Config& config)
    : device_(config.timing),
      map_(config.map),
      auto_precharge_a3_(config.auto_precharge_a3),
      refresh_(config.refresh),
      stage1_capacity_(config.stage1),
      stage2_capacity_(config.stage2),
      refi_nck_(config.timing.refi_nck),
      read_data_nck_(config.timing.read_data_nck()),
      write_data_nck_(config.timing.write_data_nck()),
      rtw_nck_(config.timing.cl_nck + config.timing.burst_nck() + 4 - config.timing.cwl_nck) {
  config.validate();
  reset();
}

void MigController::reset() {
  device_.reset();
  now_ = 0;
  refresh_due_ = refresh_ ? refi_nck_ : Ddr4Device::kNoTime;
  groups_.fill({});
  activate_turn_ = precharge_turn_ = cas_turn_ = {};
  last_read_ = -rtw_nck_;
  served_.clear();
  commands_.clear();
  known_ = false;
  state_edge_ = 0;
  derive();
}

void MigController::remember(std::shared_ptr<MigClocks> clocks) {
  clocks_ = std::move(clocks);
  credit_ = clocks_->limits().credit;
}

Nck MigController::rests_from() const {
  if (known_) return state_edge_ + clocks_->state(state_).quiet * kClock;
  return std::max(device_.all_legal_from(), last_read_ + rtw_nck_);
}

void MigController::derive() {
  served_.clear();
  waiting_ = reads_waiting_ = 0;
  in_stage2_.fill(0);
  closing_ = 0;
  for (const Group& group : groups_) {
    waiting_ += group.stage1.size + group.stage2.size;
    for (const Fifo* fifo : {&group.stage1, &group.stage2}) {
      for (int i = 0; i < fifo->size; ++i) reads_waiting_ += fifo->at(i).write ? 0 : 1;
    }
    for (int i = 0; i < group.stage2.size; ++i) {
      const Request& request = group.stage2.at(i);
      ++in_stage2_[request.bank];
      if (request.auto_precharge) closing_ |= 1U << request.bank;
    }
  }
  find_next(clock_at(now_));
}

void MigController::set_refresh_due(Nck due) {
  refresh_due_ = due;
  if (known_) {
    find_next_known();
  } else {
    find_next(clock_at(now_));
  }
}

void MigController::accept(Address address, bool write, std::uint32_t tag) {
  const DramAddress where = decode(map_, address);
  if (!has_room_in(group_of(where.bank)) || now_ % kClock != 0) {
    throw std::logic_error("a request was offered to a full stage 1 FIFO, or within a clock of the controller");
  }
  const bool auto_precharge = auto_precharge_a3_ && where.column_a3;
  if (known_) {
    take_known(where, write, auto_precharge, tag);
  } else {
    take(where.row, static_cast<std::uint8_t>(where.bank), write, auto_precharge, tag);
  }
}

void MigController::take(std::int32_t row, std::uint8_t bank, bool write, bool auto_precharge, std::uint32_t tag) {
  Group& group = groups_[static_cast<std::size_t>(group_of(bank))];
  if (group.stage1.size == 0) group.look_from = now_ + kClock;
  Request& request = group.stage1.add();
  request.row = row;
  request.tag = tag;
  request.bank = bank;
  request.write = write;
  request.auto_precharge = auto_precharge;
  request.outcome = RowOutcome::hit;
  ++waiting_;
  if (!write) ++reads_waiting_;
  if (group.stage1.size == 1) next_ = std::min(next_, next_of_stage1(group, now_));
}

// Returns the first edge at which timing allows the CAS.
Nck MigController::legal_cas(const Request& request) const {
  if (!request.write) return device_.earliest(Command::read, request.bank);
  return std::max(device_.earliest(Command::write, request.bank), last_read_ + rtw_nck_);
}

// Returns the first clock from `from` on in which stage 2 asks for a CAS; kNoTime if none does.
Nck MigController::next_cas(const Group& group, Nck from) const {
  if (group.stage2.size == 0) return Ddr4Device::kNoTime;
  return std::max({from, group.cas_from, clock_at(legal_cas(group.stage2.head()) - kLastCasSlot)});
}

// The same for a move to stage 2, an ACT or a PRE.
Nck MigController::next_of_stage1(const Group& group, Nck from) const {
  if (group.stage1.size == 0) return Ddr4Device::kNoTime;
  const Request& head = group.stage1.head();
  const std::int32_t open = device_.open_row(head.bank);
  const Nck ask = std::max(from, group.look_from + kClock);
  if (open == head.row) {
    const bool waits = (closing_ >> head.bank & 1) != 0 || group.stage2.size >= stage2_capacity_;
    return waits ? Ddr4Device::kNoTime : std::max(from, group.look_from);
  }
  if (open == Ddr4Device::kClosed) {
    return std::max(ask, clock_at(device_.earliest(Command::activate, head.bank) - kActivateSlot));
  }
  if (in_stage2_[head.bank] > 0) return Ddr4Device::kNoTime;
  return std::max(ask, clock_at(device_.earliest(Command::precharge, head.bank) - kPrechargeSlot));
}

void MigController::find_next(Nck from) {
  // First clock of the refresh, if there is one.
  const Nck refresh = refresh_due_ > Ddr4Device::kNoTime - kClock ? Ddr4Device::kNoTime : clock_at(refresh_due_);
  const bool refreshing = from >= refresh;
  next_ = refreshing ? Ddr4Device::kNoTime : refresh;
  bool empty = true;
  for (const Group& group : groups_) {
    empty = empty && group.stage2.size == 0;
    next_ = std::min(next_, next_cas(group, from));
    if (!refreshing) next_ = std::min(next_, next_of_stage1(group, from));
  }
  if (!refreshing || !empty) return;
  // Stage 1 rests; the refresh waits for stage 2 and for the timing of the DRAM.
  const Nck slot = device_.any_open() ? kPrechargeSlot : kActivateSlot;
  const Command command = device_.any_open() ? Command::precharge_all : Command::refresh;
  next_ = std::max(from, clock_at(device_.earliest(command, 0) - slot));
}

void MigController::issue(Command command, const Request& request, Nck edge) {
  device_.issue(command, request.bank, request.row, edge);
  if (recording_) commands_.push_back({edge, command, request.bank, request.row});
}

void MigController::issue_cas(Group& group, Nck edge) {
  const Request& request = group.stage2.head();
  const Command command = request.write ? (request.auto_precharge ? Command::write_ap : Command::write)
                                        : (request.auto_precharge ? Command::read_ap : Command::read);
  issue(command, request, edge);
  Served& served = served_.emplace_back();
  served.tag = request.tag;
  served.write = request.write;
  served.outcome = request.outcome;
  served.data_end = edge + (request.write ? write_data_nck_ : read_data_nck_);
  if (request.auto_precharge) closing_ &= ~(1U << request.bank);
  if (!request.write) {
    last_read_ = edge;
    --reads_waiting_;
  }
  --in_stage2_[request.bank];
  --waiting_;
  group.stage2.pop();
}

// The clock that begins at `edge`. All groups are judged before any of them changes.
void MigController::clock(Nck edge) {
  const bool refreshing = edge >= refresh_due_;
  // Groups that ask, one bit each.
  unsigned reads = 0, writes = 0, activates = 0, precharges = 0, moves = 0;
  for (unsigned i = 0; i < kBankGroups; ++i) {
    const Group& group = groups_[i];
    if (group.stage2.size > 0 && group.cas_from <= edge) {
      const Request& head = group.stage2.head();
      (head.write ? writes : reads) |= static_cast<unsigned>(legal_cas(head) <= edge + kLastCasSlot) << i;
    }
    if (refreshing || group.stage1.size == 0 || next_of_stage1(group, edge) > edge) continue;
    const Request& head = group.stage1.head();
    const std::int32_t open = device_.open_row(head.bank);
    (open == head.row ? moves : open == Ddr4Device::kClosed ? activates : precharges) |= 1U << i;
  }
  const int cas = cas_turn_.serve(reads != 0 ? reads : writes, edge);
  const int activate = activate_turn_.serve(activates, edge), precharge = precharge_turn_.serve(precharges, edge);
  const bool refreshed = refreshing && cas < 0 && refresh(edge);
  const auto activate_it = [&] {
    if (activate < 0) return;
    Request& request = groups_[static_cast<std::size_t>(activate)].stage1.at(0);
    if (request.outcome == RowOutcome::hit) request.outcome = RowOutcome::miss;
    issue(Command::activate, request, edge + kActivateSlot);
  };
  if (cas >= 0) {
    Group& group = groups_[static_cast<std::size_t>(cas)];
    const Request& head = group.stage2.head();
    const bool first_slot = legal_cas(head) <= edge;
    if (!first_slot) activate_it();  // in the order of time
    issue_cas(group, first_slot ? edge : edge + kLastCasSlot);
    group.cas_from = edge + kClock;
    if (first_slot) activate_it();
  } else {
    activate_it();
  }
  if (precharge >= 0) {
    Request& request = groups_[static_cast<std::size_t>(precharge)].stage1.at(0);
    request.outcome = RowOutcome::conflict;
    issue(Command::precharge, request, edge + kPrechargeSlot);
  }
  const bool asked = (reads | writes | activates | precharges | moves) != 0;
  for (; moves != 0; moves &= moves - 1) {
    Group& group = groups_[static_cast<std::size_t>(__builtin_ctz(moves))];
    const Request& request = group.stage1.head();
    if (group.stage2.size == 0) group.cas_from = edge + kClock;
    group.stage2.add() = request;
    ++in_stage2_[request.bank];
    if (request.auto_precharge) closing_ |= 1U << request.bank;
    group.stage1.pop();
    group.look_from = edge + kClock;
  }
  next_ = edge + kClock;  // something may follow at once
  if (!asked && !refreshed) find_next(next_);
}

// Issues PREA or REF if it is time; returns true if it did.
bool MigController::refresh(Nck edge) {
  const bool empty =
      std::all_of(groups_.begin(), groups_.end(), [](const Group& group) { return group.stage2.size == 0; });
  if (!empty) return false;
  const bool close = device_.any_open();
  const Command command = close ? Command::precharge_all : Command::refresh;
  const Nck at = edge + (close ? kPrechargeSlot : kActivateSlot);
  if (device_.earliest(command, 0) > at) return false;
  issue(command, {}, at);
  if (!close) refresh_due_ += refi_nck_;
  return true;
}

// Refreshes of an idle controller are all alike; only the last ones can affect commands after `end`.
void MigController::skip_idle_refreshes(Nck end) {
  const Nck skipped = (end - refresh_due_) / refi_nck_ - 1;
  if (skipped <= 0 || recording_ || (known_ ? clocks_->state(state_).any_open : device_.any_open())) return;
  set_refresh_due(refresh_due_ + skipped * refi_nck_);
}

// The clock at next_.
void MigController::go_on() {
  if (known_) {
    clock_known(next_, next_ >= refresh_due_ ? MigClocks::kRefreshing : MigClocks::kNothing);
  } else {
    credit_ += credit_ < kMostCredit ? 1 : 0;
    clock(next_);
  }
}

void MigController::advance_to(Nck end) {
  if (clocks_ && !known_ && !recording_ && credit_ >= clocks_->limits().credit / 16) {
    if (clocks_->full()) clocks_ = clocks_->anew();
    enter_known();
  }
  while (next_ < end) {
    if (idle()) skip_idle_refreshes(end);
    go_on();
  }
  now_ = std::max(now_, end);
}

void MigController::advance_until_room(const Address* read, const Address* write, Nck end) {
  const auto room = [&](const Address* address) { return address && has_room(*address); };
  while (next_ < end) {
    const Nck edge = next_;
    go_on();
    now_ = edge + kClock;
    if (room(read) || room(write)) return;
  }
  now_ = std::max(now_, end);
}

void MigController::enter_known() {
  state_edge_ = std::max(clock_at(now_), state_edge_);
  state_ = clocks_->number_of(*this, state_edge_);
  known_ = true;
  for (int bank = 0; bank < kBanks; ++bank) newest_row_[bank] = served_row_[bank] = device_.open_row(bank);
  for (std::size_t i = 0; i < kBankGroups; ++i) {
    queues_[i].resize(0);
    for (Fifo* const fifo : {&groups_[i].stage2, &groups_[i].stage1}) {
      for (int j = 0; j < fifo->size; ++j) {
        const Request& request = fifo->at(j);
        queues_[i].push({request.row, request.tag, request.bank});
        newest_row_[request.bank] = request.row;
      }
    }
  }
  find_next_known();
}

void MigController::leave_known() {
  if (!known_) return;
  known_ = false;
  const Nck now = now_, due = refresh_due_, edge = state_edge_;
  std::vector<Served> served;
  served.swap(served_);
  clocks_->restore(state_, *this, edge);
  // Row 0 stands for the open one.
  std::array<std::int32_t, kBanks> open;
  open.fill(Ddr4Device::kClosed);
  for (int bank = 0; bank < kBanks; ++bank) {
    if (device_.open_row(bank) != Ddr4Device::kClosed) open[bank] = served_row_[bank];
  }
  for (std::size_t i = 0; i < kBankGroups; ++i) {
    unsigned next = 0;
    for (Fifo* const fifo : {&groups_[i].stage2, &groups_[i].stage1}) {
      for (int j = 0; j < fifo->size; ++j) {
        Request& request = fifo->at(j);
        const Waiting& waiting = queues_[i].at(next++);
        if (request.row == 0) open[request.bank] = waiting.row;
        request.row = waiting.row;
        request.tag = waiting.tag;
      }
    }
  }
  device_.set_open_rows(open);
  now_ = now;
  refresh_due_ = due;
  state_edge_ = edge;
  served_.swap(served);
  find_next(std::max(clock_at(now_), edge));  // the clock of a request that was just taken is over
}

void MigController::take_known(const DramAddress& where, bool write, bool auto_precharge, std::uint32_t tag) {
  const bool same = std::exchange(newest_row_[where.bank], where.row) == where.row;
  queues_[static_cast<std::size_t>(group_of(where.bank))].push({where.row, tag, static_cast<std::uint8_t>(where.bank)});
  clock_known(now_, MigClocks::request(where.bank, write, auto_precharge, same));
}

// Moves the state to the clock at `edge`; nothing happens until then.
void MigController::pass_known(Nck edge) {
  for (Nck gap = (edge - state_edge_) / kClock; gap > 0;) {
    const MigClocks::State& state = clocks_->state(state_);
    if (state.forever) gap = std::min<Nck>(gap, state.quiet);
    const Nck passed = std::min(gap, MigClocks::kMostGap);
    bool made = false;
    if (passed > 0) state_ = clocks_->move(state_, MigClocks::after(passed, MigClocks::kTime), made).next;
    count_known(made);
    gap -= passed;
  }
  state_edge_ = edge;
}

void MigController::count_known(bool made) {
  const MigClocks::Limits& limits = clocks_->limits();
  credit_ = made ? credit_ - limits.cost_of_new : std::min(credit_ + limits.gain_of_known, kMostCredit);
}

// The clock at `edge`, before which nothing has happened since that of the state.
void MigController::clock_known(Nck edge, unsigned input) {
  Nck gap = (edge - state_edge_) / kClock;
  if (gap > 0) {
    const MigClocks::State& state = clocks_->state(state_);
    if (state.forever) gap = std::min<Nck>(gap, state.quiet);
    if (gap > MigClocks::kMostGap) {
      pass_known(edge);
      gap = 0;
    }
  }
  bool made = false;
  const MigClocks::Move move = clocks_->move(state_, MigClocks::after(gap, static_cast<MigClocks::Input>(input)), made);
  count_known(made);
  state_ = move.next;
  state_edge_ = edge + kClock;
  if (move.refreshed()) refresh_due_ += refi_nck_;
  if (move.cas()) {
    const Waiting waiting = queues_[move.group()].pop();
    served_row_[waiting.bank] = waiting.row;
    Served& served = served_.emplace_back();
    served.tag = waiting.tag;
    served.write = move.write();
    served.outcome = move.outcome();
    served.data_end = edge + move.slot() + (move.write() ? write_data_nck_ : read_data_nck_);
  }
  find_next_known();
  if (credit_ < 0 || clocks_->full()) leave_known();
}

void MigController::find_next_known() {
  const MigClocks::State& state = clocks_->state(state_);
  room_ = state.room;
  waiting_ = state.waiting;
  reads_waiting_ = state.reads;
  next_ = state.forever ? Ddr4Device::kNoTime : state_edge_ + state.quiet * kClock;
  if (refresh_due_ > Ddr4Device::kNoTime - kClock) return;
  next_ = state_edge_ >= refresh_due_ ? state_edge_ : std::min(next_, clock_at(refresh_due_));
}

}  // namespace weft::memory
