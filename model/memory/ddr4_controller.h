#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/memory/config.h"
#include "model/memory/ddr4_address.h"
#include "model/memory/ddr4_device.h"
#include "model/memory/served.h"

namespace weft::memory {

// Consecutive 64-byte reads in one row, offered one per edge from `edge` on.
struct ReadBurst {  // no default values: arrays of these are set element by element
  Address address;  // of the first read
  Nck edge;
  int reads;
  Nck last_edge() const { return edge + reads - 1; }
};

// Effect of some reads on a controller at which nothing waits. Edges are counted from that of the first read.
struct ReadSchedule {
  static constexpr int kMostReads = 12;
  using BanksOf = BanksOfBursts<kMostReads>;

  bool holds = false;
  std::uint8_t last_bank = 0;                   // bank of the last command
  std::uint8_t end = 0;                         // edge from which nothing waits again, ...
  std::uint8_t free = 0;                        // ... and from which a read of an open row is delayed by none of these
  std::array<std::uint8_t, 3> outcomes{};       // number of reads with each RowOutcome
  std::array<std::uint8_t, kMostReads> edge{};  // of the RD of each read
  // Runs of the reads, in their order. `edge`: RD of the first read; read n of a run, from 0, comes at most n *
  // edges_of_a_beat edges later (see ReadSchedules).
  struct Run {
    std::uint8_t edge, reads;
  };
  std::uint8_t runs = 0;
  std::array<Run, kMostReads> run{};
  std::array<std::uint8_t, kBanks> accesses{};  // to each bank, after its last ACT if there is one
  Ddr4Device::CommandRun commands{};
};

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

  // A 64-byte read of a burst in one row.
  struct Read {
    Address address;
    std::uint32_t tag;
  };
  static constexpr int kMostFew = 6;
  // True if read_few() can take a burst of `reads` reads from now() on: few requests wait, none is a write or has yet
  // to move on, no refresh becomes due meanwhile, and no bank is requested for two rows.
  bool takes_few(Address address, int reads) const;
  // Equivalent to accepting the reads at the edges from now() on and then advance_to(end), if takes_few() and no other
  // request comes before `end`, which is after the last of these edges. But now() may be earlier then, with nothing
  // left to do before `end`. Most bursts of a reader that waits for each one meet these conditions; among few requests
  // the next command is found fast.
  void read_few(const Read* reads, int count, Nck end);

  // Row state that the banks have for bursts in one row, received while idle and without other requests.
  struct Banks {
    BankSet open, hit;  // with an open row, and with the requested row open
  };
  Banks banks_for(Address address) {
    return {device_.open_banks(), device_.open_at(static_cast<int>(address >> kRowBit))};
  }
  // Returns a key of a burst's commands, without their edges: bursts of equal keys get the same ones; 41 bits.
  std::uint64_t kind_of(const ReadBurst& burst, const Banks& found) const;
  // Returns the schedule of the bursts if no earlier command delays one of theirs; `holds` is false if it is too long.
  ReadSchedule schedule_of(const ReadBurst* bursts, int count) const;
  // True if the schedule is legal in the current state when its first read is offered at the edge `from`.
  bool follows(const ReadSchedule& schedule, Nck from) const {
    return from + schedule.end <= refresh_due_ && device_.legal(schedule.commands, from);
  }
  // Equivalent to accepting the reads and advancing until nothing waits, if follows(); but served() does not report
  // them. `address`: of the first read. After a series of follow() calls, call followed() once before any other member.
  void follow(const ReadSchedule& schedule, Nck from, Address address);
  void followed();

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
  // Amounts by which the next refresh could have been due earlier or later, since it was set, with the same commands at
  // the same edges.
  Nck refresh_earlier() const { return refresh_earlier_; }
  Nck refresh_later() const { return refresh_later_; }
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
  struct TransactionQueue {
    std::array<Request, Ddr4Config::kMaxQueue> entry;
    int size = 0;
    void push(const Request& request) { entry[size++] = request; }
    Request take(int index);
  };
  struct BankQueue {
    std::array<Request, Ddr4Config::kMaxBankQueue> entry;
    int size = 0;
    int read_hit = -1;   // the oldest read of the open row, or -1
    int write_hit = -1;  // the oldest write of the open row, or -1
  };

  template <typename TagBase>
  void relative(Relative& state, Request& request, int row, const TagBase& tag_base);
  void derive();
  void update(int bank);
  Request request_of(Address address, bool write, std::uint32_t tag) const;
  void add(const Request& request);
  bool step(Nck end);
  void no_command_before(Nck edge);
  void command_at(Nck edge);
  void plan_bank_edge();
  void plan_command();
  void plan_move();
  void plan_mode();
  void find_move(int from);
  void issue_command(Nck time);
  void issue_refresh_command(Nck time);
  void issue(Command command, int bank, int row, Nck time);
  void serve(int bank, int index, Nck time);
  void activate_for(Request& request, Nck time);
  void precharge_for(Request& request, Nck time);
  void access_for(const Request& request, Nck time);
  void move();
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
  Nck bank_edge_ = 0;          // edge at which the first of these becomes legal
  Nck command_edge_ = 0;       // edge of the next command: ...
  Nck other_edge_ = 0;         // ... if no refresh is due, ...
  Nck refresh_legal_ = 0;      // ... and edge from which a command of a refresh is legal, if one is due by then
  bool move_pending_ = false;
  bool move_write_ = false;
  int move_index_ = 0;  // oldest that can move; no earlier one has room in its bank

  Nck refresh_earlier_ = 0, refresh_later_ = 0;

  std::vector<Served> served_;
  bool recording_ = false;
  std::vector<IssuedCommand> commands_;
};

// Row state of the banks (32 bits), place of the first read (5) and number of reads (4).
inline std::uint64_t Ddr4Controller::kind_of(const ReadBurst& burst, const Banks& found) const {
  static constexpr std::array kBanksOf{ReadSchedule::BanksOf(AddressMap::rcb), ReadSchedule::BanksOf(AddressMap::intlv),
                                       ReadSchedule::BanksOf(AddressMap::rbc)};
  const int place = place_of(map_, burst.address);
  const BankSet asked = kBanksOf[static_cast<std::size_t>(map_)].from(place, burst.reads);
  const std::uint64_t banks = (found.open & asked) << kBanks | (found.hit & asked);
  return banks << 9 | static_cast<std::uint64_t>(place << 4 | burst.reads);
}

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
  for (TransactionQueue* queue : {&reads_, &writes_}) {
    state.value(queue->size);
    for (int i = 0; i < queue->size; ++i) relative(state, queue->entry[i], row, tag_base);
  }
  for (int index = 0; index < kBanks; ++index) {
    BankQueue& bank = banks_[index];
    state.value(bank.size);
    for (int i = 0; i < bank.size; ++i) relative(state, bank.entry[i], row, tag_base);
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
