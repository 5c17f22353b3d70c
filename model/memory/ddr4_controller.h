#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/memory/config.h"
#include "model/memory/ddr4_address.h"
#include "model/memory/ddr4_device.h"
#include "model/memory/served.h"

namespace weft::memory {

// A DDR4 memory controller for one channel. Requests of 64 bytes enter at most one per nCK, wait in a read queue and a
// write queue, move on into one small queue per bank, and leave it as commands. In one edge: accept, command, move.
//   - At most one command per nCK. The banks take turns in the order of their index: the next is the first one with a
//     legal command after the bank that got the last command for itself.
//   - Open page. A bank with requests gets an ACT for the oldest of them if it is closed; a PRE if the oldest needs
//     another row and no other needs the open one, or row_hit_limit accesses have been served since the ACT; else a RD
//     or WR of the open row, for the oldest request for which it is legal (FR-FCFS).
//   - With auto_precharge_a3, accesses whose column bit A3 is 1 close their bank (RDA, WRA).
//   - At most one request moves per nCK, the oldest whose bank has room: of the reads; of the writes during a drain and
//     while there is no read in any queue. A drain begins when write_high writes wait in their queue, and ends with the
//     move that leaves write_low.
//   - Refresh every tREFI: once it is due, no other command; PREA as soon as legal if a row is open, then REF.
//     Meanwhile requests are accepted and move on.
// So an access to an idle controller gets its command one nCK after it was accepted: 1 + CL + BL/2 = 22 nCK to the last
// beat of a row hit, tRCD more for a closed bank, tRP + tRCD more for a conflict.
//
// The controller is event-driven: advance_to() jumps from one edge at which something happens to the next. All state is
// its own; a copy of the object is a copy of the controller.
//
// Not modelled: ECC, and its read-modify-write of partial writes; ZQ calibration; power-down and self refresh;
// postponing or pulling in refreshes, per-bank and fine-granularity refresh; several ranks; BC4; write CRC,
// command/address parity and gear-down; the four-phase command slots of a controller that runs at a quarter of the DRAM
// clock; forwarding of queued write data to reads (reads are unordered against writes).
class Ddr4Controller {
 public:
  explicit Ddr4Controller(const Ddr4Config& config);

  void reset();

  // Everything before this edge has happened.
  Nck now() const { return now_; }

  bool has_room(bool write) const { return write ? writes_.size < write_capacity_ : reads_.size < read_capacity_; }

  // Takes a request at edge now(). The caller checks has_room() and offers at most one request per edge.
  void accept(Address address, bool write, std::uint32_t tag);

  // Performs everything at the edges before `end`, and makes `end` now.
  void advance_to(Nck end);

  // The same, but stops at the first edge at which the read queue (if `read`) or the write queue (if `write`) has room.
  void advance_until_room(bool read, bool write, Nck end);

  // Returns the next edge at which the controller does something if it gets no request; may be early, never late.
  Nck next_action() const;

  // True if no request waits anywhere.
  bool idle() const { return reads_.size == 0 && writes_.size == 0 && wanted_.any() == 0; }
  // While it is idle: edge from which its state does not change, except by refreshes.
  Nck rests_from() const { return device_.all_legal_from(); }
  std::int64_t reads_waiting() const { return reads_waiting_; }

  Nck read_data_nck() const { return read_data_nck_; }  // from a RD to the end of its data

  // Requests whose RD or WR has been issued since clear_served(), in the order of issue.
  const std::vector<Served>& served() const { return served_; }
  void clear_served() { served_.clear(); }

  // Edge at which the next refresh is due; not part of the relative state.
  Nck refresh_due() const { return refresh_due_; }
  void set_refresh_due(Nck due);
  // Saves or restores the state at edge now(); no served request may be left. Rows are relative to `row`, the tags of
  // reads to `tag_base`.
  template <typename TagBase>
  void relative(Relative& state, Nck now, int row, const TagBase& tag_base);

  // Records every issued command, for checkers and waveforms.
  void record_commands(bool on) { recording_ = on; }
  const std::vector<IssuedCommand>& commands() const { return commands_; }
  void clear_commands() { commands_.clear(); }

 private:
  struct Request {
    std::int32_t row;
    std::uint32_t tag;
    std::uint8_t bank;
    bool write;
    bool auto_precharge;
    RowOutcome outcome;
  };
  // Requests in the order of their age. A request keeps its place; the order is one of places, which are moved fast.
  struct TransactionQueue {
    static constexpr int kChunk = 32;  // places that are moved at once

    std::array<Request, Ddr4Config::kMaxQueue> request;                        // by place
    std::array<std::uint8_t, Ddr4Config::kMaxQueue + kChunk + 1> place, bank;  // by age, the oldest first
    std::uint64_t free = ~std::uint64_t{0};                                    // places
    int size = 0;

    void clear();
    Request& at(int age) { return request[place[age]]; }
    void push(const Request& request);
    void remove(int age);
  };
  struct BankQueue {
    using Ages = std::uint32_t;  // one bit for each request, the oldest lowest

    std::array<Request, Ddr4Config::kMaxBankQueue> request;  // by place
    std::uint64_t places = 0;                                // by age, four bits each, the oldest lowest
    std::uint32_t taken = 0;                                 // places
    Ages hits = 0, writes = 0;                               // of the open row; of either kind
    Ages read_hits = 0, write_hits = 0;                      // that may be served
    int size = 0;

    Request& at(int age) { return request[places >> 4 * age & 15]; }
    void push(const Request& request, std::int32_t open_row);
    void remove(int age);
    void find_hits(std::int32_t open_row);
  };

  template <typename TagBase>
  void relative(Relative& state, Request& request, int row, const TagBase& tag_base);
  void derive();
  void update(int bank);
  Request request_of(Address address, bool write, std::uint32_t tag) const;
  bool add(const Request& request);
  bool step(Nck end);
  void plan(Nck from);
  void plan_move();
  void plan_mode();
  void find_move(int from);
  void find_move_to(int bank);
  void issue_command(Nck time);
  void issue_refresh_command(Nck time);
  void issue(Command command, int bank, int row, Nck time);
  void serve(int bank, Nck time);
  void activate_for(Request& request, Nck time);
  void precharge_for(Request& request, Nck time);
  void access_for(const Request& request, Nck time);
  bool move();
  void skip_idle_refreshes(Nck end);

  // configuration
  AddressMap map_;
  bool auto_precharge_a3_;
  bool refresh_;
  int read_capacity_, write_capacity_, bank_capacity_;
  int write_high_, write_low_, row_hit_limit_;
  Nck refi_nck_, read_data_nck_, write_data_nck_;

  // state
  Ddr4Device device_;
  Nck now_ = 0;
  Nck refresh_due_ = 0;
  TransactionQueue reads_, writes_;
  std::array<BankQueue, kBanks> banks_;
  std::array<std::int32_t, kBanks> accesses_{};  // to each bank, since its ACT
  int last_bank_ = kBanks - 1;                   // round robin: the bank that got the last command
  bool draining_ = false;
  std::int64_t reads_waiting_ = 0;

  // derived from the state above, stored because it rarely changes
  BankSet full_banks_ = 0;     // banks without room
  Ddr4Device::Wanted wanted_;  // commands that the banks with requests may get next
  Ddr4Device::Next next_{};    // the first of these
  Nck command_edge_ = 0;       // edge of the next command, which is of a refresh if one is due by then
  bool move_pending_ = false;
  bool move_write_ = false;
  int move_index_ = 0;  // oldest that can move; no earlier one has room in its bank

  std::vector<Served> served_;
  bool recording_ = false;
  std::vector<IssuedCommand> commands_;
};

template <typename TagBase>
void Ddr4Controller::relative(Relative& state, Request& request, int row, const TagBase& tag_base) {
  state.from(request.row, row);
  state.value(request.bank);
  state.value(request.write);
  state.from(request.tag, request.write ? 0 : tag_base(request.tag));
  state.value(request.auto_precharge);
  state.value(request.outcome);
}

template <typename TagBase>
void Ddr4Controller::relative(Relative& state, Nck now, int row, const TagBase& tag_base) {
  device_.relative(state, now, row);
  const auto each = [&](auto& queue, const auto& push) {
    int size = queue.size;
    state.value(size);
    for (int i = 0; i < size; ++i) {
      Request request = state.loading() ? Request{} : queue.at(i);
      relative(state, request, row, tag_base);
      if (state.loading()) push(queue, request);
    }
  };
  for (TransactionQueue* queue : {&reads_, &writes_}) {
    if (state.loading()) queue->clear();
    each(*queue, [](TransactionQueue& to, const Request& request) { to.push(request); });
  }
  for (int index = 0; index < kBanks; ++index) {
    if (state.loading()) banks_[index] = {};
    each(banks_[index], [&](BankQueue& to, const Request& request) { to.push(request, device_.open_row(index)); });
    const bool open = device_.open_row(index) != Ddr4Device::kClosed;
    state.as(accesses_[index], open ? std::min(accesses_[index], row_hit_limit_) : 0);
  }
  state.value(last_bank_);
  state.value(draining_);
  if (!state.loading()) return;
  now_ = now;
  derive();
}

}  // namespace weft::memory
