#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/memory/config.h"
#include "model/memory/ddr4_address.h"
#include "model/memory/ddr4_device.h"

namespace weft::memory {

// What a request found when it was the oldest of its bank or was served: its row open, the bank closed (an ACT was made
// for it), another row open (a PRE too).
enum class RowOutcome : std::uint8_t { hit, miss, conflict };

// What the controller reports when it has issued the RD or WR of a request.
struct Served {
  std::uint32_t tag;
  bool write;
  RowOutcome outcome;
  Nck data_end;  // the end of the last data beat
};

// Reads of 64 bytes in one row, each behind the one before it, that are offered at the edges from one on.
struct ReadBurst {  // some at a time are set one by one: they are not cleared before
  Address address;  // of the first of them
  Nck edge;
  int reads;
  Nck last_edge() const { return edge + reads - 1; }
};

// What a controller at which nothing waits does for some reads. Edges are counted from that of the first of them.
struct ReadSchedule {
  static constexpr int kMostReads = 12;
  using BanksOf = BanksOfBursts<kMostReads>;

  bool holds = false;
  std::uint8_t last_bank = 0;  // that got a command
  std::uint8_t end = 0;        // the edge from which nothing waits again, ...
  std::uint8_t free = 0;       // ... and from which a read that comes for an open row is put off by none of these
  std::array<std::uint8_t, 3> outcomes{};       // how many have each RowOutcome
  std::array<std::uint8_t, kMostReads> edge{};  // of the RD of each
  // The reads as runs, in their order: of the RD of the first, and how many are no later behind it than a number of
  // edges for each of them.
  struct Run {
    std::uint8_t edge, reads;
  };
  std::uint8_t runs = 0;
  std::array<Run, kMostReads> run{};
  std::array<std::uint8_t, kBanks> accesses{};  // to each bank, behind its last ACT if there is one
  Ddr4Device::CommandRun commands{};
};

// A DDR4 memory controller for one channel. Requests of 64 bytes enter at most one per nCK, wait in a read queue and a
// write queue, move on into one small queue per bank, and leave it as commands. In one edge: accept, command, move.
//   - At most one command per nCK. The banks take turns, in the order of their index: the first after the one that got
//     the last command of its own that has a command which is legal now.
//   - Open page. The command of a bank with requests is an ACT for the oldest of them if it is closed; a PRE if the
//     oldest asks for another row and no other asks for the open one, or row_hit_limit accesses have been served since
//     the ACT; else a RD or WR of the open row, of the oldest request for which it is legal (FR-FCFS).
//   - With auto_precharge_a3, accesses whose column bit A3 is 1 close their bank (RDA, WRA).
//   - At most one request moves per nCK, the oldest whose bank has room: of the reads; of the writes during a drain and
//     while there is no read in any queue. A drain begins when write_high writes wait in their queue, and ends with the
//     move that leaves write_low.
//   - Refresh every tREFI: from then on no other command; PREA as soon as legal if a row is open, then REF. Meanwhile
//     requests are accepted and move on.
// So an access that finds the controller idle gets its command one nCK after it was accepted: 1 + CL + BL/2 = 22 nCK to
// the last beat of a row hit, tRCD more for a closed bank, tRP + tRCD for a conflict.
//
// It is driven by events: advance_to() jumps from one edge at which something happens to the next. All state is its
// own, and copying the object copies the controller.
//
// Not modelled: ECC, and the read-modify-write of partial writes it would cost; ZQ calibration; power-down and self
// refresh; postponing or pulling in refreshes, per-bank and fine-granularity refresh; several ranks; BC4; write CRC,
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

  // A read of a burst, which lies in one row.
  struct Read {
    Address address;
    std::uint32_t tag;
  };
  static constexpr int kMostFew = 6;
  // Whether it can take a burst of so many reads from now() on as read_few() does: few wait, none of them to write or
  // to move on, no refresh falls due meanwhile, and no bank is asked for two rows.
  bool takes_few(Address address, int reads) const;
  // The same as to accept the reads at the edges from now() on and to advance_to(end), where it takes_few() and gets
  // nothing else before `end`, which lies behind the last of these edges; but that now() may be earlier then, with
  // nothing left to do before `end`. Most bursts of a reader that waits for each come so, and of so few requests it is
  // soon told which is next.
  void read_few(const Read* reads, int count, Nck end);

  // For bursts in one row that it gets while it is idle and nothing else: what they find in the banks, ...
  struct Banks {
    BankSet open, hit;  // with a row, and with theirs
  };
  Banks banks_for(Address address) {
    return {device_.open_banks(), device_.open_at(static_cast<int>(address >> kRowBit))};
  }
  // ... and what tells each from others of which other commands come, but for its edges; 41 bits.
  std::uint64_t kind_of(const ReadBurst& burst, const Banks& found) const;
  // What it would do for them if no command before put off one of theirs; does not hold if it takes too long.
  ReadSchedule schedule_of(const ReadBurst* bursts, int count) const;
  // Whether it would do so as it is, the first of them being offered at the edge `from`.
  bool follows(const ReadSchedule& schedule, Nck from) const {
    return from + schedule.end <= refresh_due_ && device_.legal(schedule.commands, from);
  }
  // The same as to accept them and to advance to where nothing waits again, if it follows(), but that they are not
  // among those that are served(). `address`: of the first. Behind the last of some schedules followed() is called
  // before anything else is done.
  void follow(const ReadSchedule& schedule, Nck from, Address address);
  void followed();

  // Does what happens at the edges before `end`, and makes `end` now.
  void advance_to(Nck end);

  // Likewise, but stops at the first edge at which the read queue (if `read`) or the write queue (if `write`) has room.
  void advance_until_room(bool read, bool write, Nck end);

  // The next edge at which the controller does something if it gets no request; may be early, never late.
  Nck next_action() const;

  // No request waits anywhere.
  bool idle() const { return reads_.size == 0 && writes_.size == 0 && wanted_.any() == 0; }
  // While it is idle: the edge from which on its state stays as it is, but for refreshes.
  Nck rests_from() const { return device_.all_legal_from(); }
  std::int64_t reads_waiting() const { return reads_waiting_; }

  Nck read_data_nck() const { return read_data_nck_; }  // from a RD to the end of its data

  // Requests whose RD or WR has been issued since clear_served(), in the order of issue.
  const std::vector<Served>& served() const { return served_; }
  void clear_served() { served_.clear(); }

  // When the next refresh is due; the relative state does not tell.
  Nck refresh_due() const { return refresh_due_; }
  void set_refresh_due(Nck due);
  // By how much the next refresh could have been due earlier or later, when that was set, with the same commands at the
  // same edges since.
  Nck refresh_earlier() const { return refresh_earlier_; }
  Nck refresh_later() const { return refresh_later_; }
  // The state at edge now(), nothing served being left. Rows are kept as their distance from `row`; `tag_base` is what
  // the tag of a read is kept relative to.
  template <typename TagBase>
  void relative(Relative& state, Nck now, int row, const TagBase& tag_base);

  // Keeps every issued command, for checkers and waveforms.
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

  // derived from the state above, kept because it changes seldom
  BankSet full_banks_ = 0;     // banks without room
  Ddr4Device::Wanted wanted_;  // by the banks with requests: the commands that they may get next
  Nck bank_edge_ = 0;          // when the first of these becomes legal
  Nck command_edge_ = 0;       // when the next command is issued: ...
  Nck other_edge_ = 0;         // ... if no refresh were due, ...
  Nck refresh_legal_ = 0;      // ... and from when on that may be one of a refresh, if one is due by then
  bool move_pending_ = false;
  bool move_write_ = false;
  int move_index_ = 0;  // of the oldest that can move; before it there is none whose bank has room

  Nck refresh_earlier_ = 0, refresh_later_ = 0;

  std::vector<Served> served_;
  bool recording_ = false;
  std::vector<IssuedCommand> commands_;
};

// What they find in their banks, how the first lies, and how many there are: 32, 5 and 4 bits.
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
