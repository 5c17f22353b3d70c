#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "model/memory/config.h"
#include "model/memory/ddr4_controller.h"
#include "tests/support/dram_traffic.h"

namespace weft::test {

// The controller of model/memory/mig_controller.h, written from its description as plainly as possible: it steps every
// controller clock of four nCK, keeps requests in lists, and checks the distance of every command to each earlier one
// that constrains it. Slow; the oracle of the fast controller.
class PlainMigController {
  using Kind = memory::Command;
  using Nck = memory::Nck;
  static constexpr Nck kClock = 4;
  static constexpr int kGroups = memory::kBankGroups, kClosed = -1, kNone = -1;

 public:
  using Command = DramCommand;

  explicit PlainMigController(const memory::Ddr4Config& config)
      : config_(config), rules_(memory::timing_table(config.timing)), refresh_due_(config.timing.refi_nck) {
    open_row_.fill(kClosed);
  }

  // First edge of the next clock. In each clock: accept() at most one request if there is room, then step(), which does
  // the rest and moves now() to the clock after.
  Nck now() const { return now_; }
  bool has_room(Address address) const {
    return !refreshes() && has_room(stage1_[group(decoded(address).bank)], config_.stage1);
  }
  void accept(Address address, bool write, int tag) {
    const memory::DramAddress to = decoded(address);
    const bool closes = config_.auto_precharge_a3 && to.column_a3;
    stage1_[group(to.bank)].push_back({to.row, to.bank, tag, write, closes, now_});
  }

  void step() {
    // All choices, by the state at the start of the clock.
    const bool ordinary = !refreshes();
    const int to_read = next_after(last_cas_, [&](std::size_t g) { return asks_for_cas(g, false); });
    const int to_write = next_after(last_cas_, [&](std::size_t g) { return asks_for_cas(g, true); });
    const int to_activate = next_after(last_activate_, [&](std::size_t g) { return ordinary && asks_for_activate(g); });
    const int to_precharge =
        next_after(last_precharge_, [&](std::size_t g) { return ordinary && asks_for_precharge(g); });
    std::array<bool, kGroups> moves{};
    for (std::size_t g = 0; g < kGroups; ++g) moves[g] = ordinary && can_move(g);
    const bool any_open = std::any_of(open_row_.begin(), open_row_.end(), [](int row) { return row != kClosed; });
    const Command refresh = any_open ? Command{now_ + 3, Kind::precharge_all} : Command{now_ + 1, Kind::refresh};
    const bool to_refresh = !ordinary && all_empty(stage2_) && allowed(refresh.kind, 0, refresh.time);

    // The clock.
    const std::size_t before = commands_.size();
    const int to_access = to_read != kNone ? to_read : to_write;
    if (to_access != kNone) access(to_access);
    if (to_activate != kNone) activate(to_activate);
    if (to_precharge != kNone) precharge(to_precharge);
    const auto turn = [](int served) { return served == kNone ? kGroups - 1 : served; };
    last_cas_ = turn(to_access);
    last_activate_ = turn(to_activate);
    last_precharge_ = turn(to_precharge);
    if (to_refresh) {
      commands_.push_back(refresh);
      open_row_.fill(kClosed);
      if (refresh.kind == Kind::refresh) refresh_due_ += config_.timing.refi_nck;
    }
    for (std::size_t g = 0; g < kGroups; ++g) {
      if (!moves[g]) continue;
      stage2_[g].push_back(stage1_[g].front());
      stage2_[g].back().since = now_;
      remove_head(stage1_[g]);
    }
    std::sort(commands_.begin() + static_cast<std::ptrdiff_t>(before), commands_.end(),
              [](const Command& a, const Command& b) { return a.time < b.time; });
    now_ += kClock;
  }

  bool idle() const { return all_empty(stage1_) && all_empty(stage2_); }
  const std::vector<Command>& commands() const { return commands_; }
  Nck refresh_due() const { return refresh_due_; }

 private:
  struct Request {
    int row, bank, tag;
    bool write, closes;  // closes: with auto precharge
    Nck since;           // last clock in which it entered its FIFO or became its head
    bool activated = false, precharged = false;
  };
  using Fifo = std::vector<Request>;

  static std::size_t group(int bank) { return static_cast<std::size_t>(bank / memory::kBanksPerGroup); }
  static bool has_room(const Fifo& fifo, int capacity) { return fifo.size() < static_cast<std::size_t>(capacity); }
  static bool all_empty(const std::array<Fifo, kGroups>& stage) {
    return std::all_of(stage.begin(), stage.end(), [](const Fifo& fifo) { return fifo.empty(); });
  }
  static Kind access_of(const Request& request) {
    if (request.write) return request.closes ? Kind::write_ap : Kind::write;
    return request.closes ? Kind::read_ap : Kind::read;
  }
  memory::DramAddress decoded(Address address) const { return memory::decode(config_.map, address); }
  int& open_row(int bank) { return open_row_[static_cast<std::size_t>(bank)]; }
  int open_row(int bank) const { return open_row_[static_cast<std::size_t>(bank)]; }
  bool refreshes() const { return config_.refresh && now_ >= refresh_due_; }

  // Returns the first group in the cycle after `last` that asks, or kNone.
  template <typename Asks>
  static int next_after(int last, const Asks& asks) {
    for (int i = 1; i <= kGroups; ++i) {
      const int next = (last + i) % kGroups;
      if (asks(static_cast<std::size_t>(next))) return next;
    }
    return kNone;
  }

  // Checks the timing, not the rows. `bank`: bank of all commands but PREA and REF.
  bool allowed(Kind kind, int bank, Nck edge) const {
    const auto& t = config_.timing;
    const memory::CommandSet reads = memory::set_of(Kind::read, Kind::read_ap);
    const memory::CommandSet writes = memory::set_of(Kind::write, Kind::write_ap);
    const memory::Constraint read_to_write{
        memory::Scope::rank, reads, writes, 1, t.cl_nck + t.burst_nck() + 4 - t.cwl_nck, "tRTW of the controller"};
    return keeps(read_to_write, kind, bank, edge) &&
           std::all_of(rules_.begin(), rules_.end(), [&](const auto& rule) { return keeps(rule, kind, bank, edge); });
  }
  // True unless `window` earlier commands of the rule are nearer than its delay.
  bool keeps(const memory::Constraint& rule, Kind kind, int bank, Nck edge) const {
    if (!memory::contains(rule.later, kind)) return true;
    int near = 0;
    for (auto each = commands_.rbegin(); each != commands_.rend() && edge - each->time < rule.delay_nck; ++each) {
      const bool in_scope = rule.scope == memory::Scope::rank ||
                            (rule.scope == memory::Scope::bank_group && group(each->bank) == group(bank)) ||
                            (rule.scope == memory::Scope::bank && each->bank == bank);
      if (in_scope && memory::contains(rule.earlier, each->kind) && ++near == rule.window) return false;
    }
    return true;
  }

  // Returns the edge of the clock at which the access is allowed, or kNone.
  Nck access_edge(const Request& request) const {
    for (const Nck edge : {now_, now_ + 2}) {
      if (allowed(access_of(request), request.bank, edge)) return edge;
    }
    return kNone;
  }
  bool asks_for_cas(std::size_t g, bool write) const {
    const Fifo& fifo = stage2_[g];
    return !fifo.empty() && fifo.front().write == write && access_edge(fifo.front()) != kNone;
  }
  // The first look at a head is one clock after it became the head; ACT and PRE come after that look.
  bool has_looked(std::size_t g) const { return !stage1_[g].empty() && now_ >= stage1_[g].front().since + 2 * kClock; }
  bool asks_for_activate(std::size_t g) const {
    if (!has_looked(g)) return false;
    const int bank = stage1_[g].front().bank;
    return open_row(bank) == kClosed && allowed(Kind::activate, bank, now_ + 1);
  }
  bool asks_for_precharge(std::size_t g) const {
    if (!has_looked(g)) return false;
    const Request& head = stage1_[g].front();
    const bool needed = std::any_of(stage2_[g].begin(), stage2_[g].end(),
                                    [&](const Request& request) { return request.bank == head.bank; });
    return open_row(head.bank) != kClosed && open_row(head.bank) != head.row && !needed &&
           allowed(Kind::precharge, head.bank, now_ + 3);
  }
  bool can_move(std::size_t g) const {
    if (stage1_[g].empty() || now_ < stage1_[g].front().since + kClock) return false;
    const Request& head = stage1_[g].front();
    const bool will_close = std::any_of(stage2_[g].begin(), stage2_[g].end(), [&](const Request& request) {
      return request.bank == head.bank && request.closes;
    });
    return open_row(head.bank) == head.row && !will_close && has_room(stage2_[g], config_.stage2);
  }

  void access(int g) {
    Fifo& fifo = stage2_[static_cast<std::size_t>(g)];
    const Request& head = fifo.front();
    const auto outcome = head.precharged  ? memory::RowOutcome::conflict
                         : head.activated ? memory::RowOutcome::miss
                                          : memory::RowOutcome::hit;
    commands_.push_back({access_edge(head), access_of(head), head.bank, head.row, head.tag, outcome});
    if (head.closes) open_row(head.bank) = kClosed;
    remove_head(fifo);
  }
  void activate(int g) {
    Request& head = stage1_[static_cast<std::size_t>(g)].front();
    commands_.push_back({now_ + 1, Kind::activate, head.bank, head.row});
    open_row(head.bank) = head.row;
    head.activated = true;
  }
  void precharge(int g) {
    Request& head = stage1_[static_cast<std::size_t>(g)].front();
    commands_.push_back({now_ + 3, Kind::precharge, head.bank});
    open_row(head.bank) = kClosed;
    head.precharged = true;
  }
  void remove_head(Fifo& fifo) const {
    fifo.erase(fifo.begin());
    if (!fifo.empty()) fifo.front().since = now_;
  }

  memory::Ddr4Config config_;
  std::vector<memory::Constraint> rules_;
  Nck now_ = 0;
  Nck refresh_due_;
  std::array<Fifo, kGroups> stage1_, stage2_;
  std::array<int, memory::kBanks> open_row_;
  int last_cas_ = kGroups - 1, last_activate_ = kGroups - 1, last_precharge_ = kGroups - 1;  // groups, round robin
  std::vector<Command> commands_;
};

}  // namespace weft::test
