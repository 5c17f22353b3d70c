#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/memory/config.h"
#include "model/memory/ddr4_address.h"
#include "model/memory/ddr4_device.h"
#include "model/memory/served.h"

namespace weft::memory {

class MigClocks;

// AMD's soft DDR4 controller for UltraScale+ (MIG), which the shells of the Alveo boards have, for one channel.
// Sources: PG252 (Memory Controller, Reordering), PG353 (Group Machines, Read and Write Coalescing, CAS Command Timing
// Limitations, System Considerations for CAS Command Spacing, Maintenance Commands). What they leave open is assumed,
// and marked so.
//
// A clock of the controller is four nCK: clock k has the edges 4k to 4k + 3. What happens in a clock depends on the
// state at its start alone. There are four group machines, one for each bank group; each has two FIFOs.
//   M1  Accept. In a clock at most one request is taken, at its first edge, into the stage 1 FIFO of its group, if that
//       has room. A request whose FIFO is full holds up all later ones.
//   M2  Stage 1 looks at the request at its head from the clock on after that in which it was taken or became the head.
//       If its row is open, no access with auto precharge of its bank waits in stage 2 and stage 2 has room, the
//       request moves to stage 2 in this clock.
//   M3  From the clock after that first look on (assumed: the status is registered) stage 1 asks for a PRE if another
//       row is open and no request of that bank waits in stage 2, and for an ACT if the bank is closed.
//   M4  Stage 2 asks for the CAS of the request at its head, from the clock on after that in which it moved or became
//       the head. So accesses of a group keep their order.
//   M5  In a clock at most one CAS is issued, at its first edge or, if that is too early, at its third (PG353: even
//       slots), one ACT at its second and one PRE at its fourth (assumed: the slots that give Shuhai's differences
//       between hit, closed bank and miss). A command that timing does not allow at its edge is not asked for.
//   M6  Among the groups that ask for the same kind of command the next after the one that got that kind in the clock
//       before is served, or the first of all if none did (assumed: round robin starts again after a clock in which
//       none asks). If a read can be issued, no write is (ORDERING = NORM).
//   M7  A write is issued at the earliest tRTW = CL + BL/2 + 4 - CWL after a read (PG353; the DRAM asks for 2 less).
//   M8  Refresh: from the first clock that begins when one is due, no request is taken and stage 1 rests. Stage 2 goes
//       on. When it is empty a PREA follows, in the slot of a PRE, if a row is open, then the REF, in that of an ACT;
//       the clock after it is as any other.
//   M9  With auto_precharge_a3, accesses whose column bit A3 is 1 close their bank (RDA, WRA).
// So a read of an open row that meets an idle controller gets its RD two clocks after it was taken, one of a closed
// bank tRCD after an ACT in that clock, and one that meets another row tRP later still.
//
// All state is its own; a copy of the object is a copy of the controller. Not modelled: ZQCS, STRICT ordering, reads
// and writes of a part of a word (RMW), ECC, several ranks, x16 parts (two groups).
class MigController {
 public:
  static constexpr Nck kClock = 4;  // nCK

  explicit MigController(const Ddr4Config& config);

  void reset();

  // From now on looks up what a clock does, if that pays. Not while commands are recorded.
  void remember(std::shared_ptr<MigClocks> clocks);

  // Everything before this edge has happened, and all of a clock that began before it.
  Nck now() const { return now_; }
  // True if the next request, to this address, can be taken at now(), which begins a clock.
  bool has_room(Address address) const { return has_room_in(group_of(decode(map_, address).bank)); }
  void accept(Address address, bool write, std::uint32_t tag);
  void advance_to(Nck end);
  // The same, but stops at the first clock at which there is room for a request to one of the addresses.
  void advance_until_room(const Address* read, const Address* write, Nck end);
  // Returns the first edge of a clock; nothing happens in the clocks before it if no request comes.
  Nck next_action() const { return next_; }

  bool idle() const { return waiting_ == 0; }
  // While it is idle: edge from which its state does not change, except by refreshes.
  Nck rests_from() const;
  std::int64_t reads_waiting() const { return reads_waiting_; }
  Nck read_data_nck() const { return read_data_nck_; }

  const std::vector<Served>& served() const { return served_; }
  void clear_served() { served_.clear(); }

  Nck refresh_due() const { return refresh_due_; }
  void set_refresh_due(Nck due);
  // Same as in Ddr4Controller.
  template <typename TagBase>
  void relative(Relative& state, Nck now, int row, const TagBase& tag_base);

  void record_commands(bool on) { recording_ = on; }
  const std::vector<IssuedCommand>& commands() const { return commands_; }
  void clear_commands() { commands_.clear(); }

 private:
  friend class MigClocks;

  struct Request {
    std::int32_t row;
    std::uint32_t tag;
    std::uint8_t bank;
    bool write;
    bool auto_precharge;
    RowOutcome outcome;
  };
  struct Fifo {
    int size = 0;
    Request& at(int i) { return entry_[static_cast<std::size_t>(first_ + i) % entry_.size()]; }
    const Request& at(int i) const { return entry_[static_cast<std::size_t>(first_ + i) % entry_.size()]; }
    const Request& head() const { return at(0); }
    Request& add() { return at(size++); }  // the caller sets it, member by member: a copy of one just made takes long
    void pop() {
      ++first_;
      --size;
    }

   private:
    std::array<Request, Ddr4Config::kMaxStage> entry_;
    unsigned first_ = 0;
  };
  // Turn of the groups for one kind of command.
  struct Turn {
    int last = kBankGroups - 1;  // group that was served
    Nck until = 0;               // end of the clock in which it was; the turn counts in the clock that begins then
    // Returns the group that is served in the clock at `edge`; -1 if none asks. One bit for each that asks.
    int serve(unsigned groups, Nck edge);
    void relative(Relative& state, Nck clock);
  };
  struct Group {
    Fifo stage1, stage2;
    Nck look_from = 0;  // first edge of the clock in which stage 1 looks at its head first
    Nck cas_from = 0;   // first edge of the clock from which on stage 2 asks for the CAS of its head
  };

  bool has_room_in(int group) const {
    const bool room = known_ ? (room_ >> group & 1) != 0 : groups_[group].stage1.size < stage1_capacity_;
    return room && now_ < refresh_due_;
  }
  static constexpr Nck clock_at(Nck edge) { return (edge + kClock - 1) & ~(kClock - 1); }
  void take(std::int32_t row, std::uint8_t bank, bool write, bool auto_precharge, std::uint32_t tag);
  void derive();
  Nck legal_cas(const Request& request) const;
  Nck next_cas(const Group& group, Nck from) const;
  Nck next_of_stage1(const Group& group, Nck from) const;
  void find_next(Nck from);
  void clock(Nck edge);
  bool refresh(Nck edge);
  void skip_idle_refreshes(Nck end);
  void issue(Command command, const Request& request, Nck edge);
  void issue_cas(Group& group, Nck edge);
  template <typename TagBase>
  void relative(Relative& state, Fifo& fifo, int row, const TagBase& tag_base);

  void go_on();
  void enter_known();
  void leave_known();
  void pass_known(Nck edge);
  void take_known(const DramAddress& where, bool write, bool auto_precharge, std::uint32_t tag);
  void clock_known(Nck edge, unsigned input);
  void count_known(bool made);
  void find_next_known();

  Ddr4Device device_;  // first, as it is aligned to 64 bytes

  // configuration
  AddressMap map_;
  bool auto_precharge_a3_, refresh_;
  int stage1_capacity_, stage2_capacity_;
  Nck refi_nck_, read_data_nck_, write_data_nck_, rtw_nck_;

  // state
  Nck now_ = 0;
  Nck refresh_due_ = 0;
  std::array<Group, kBankGroups> groups_;
  Turn activate_turn_, precharge_turn_, cas_turn_;
  Nck last_read_ = 0;

  // derived from the state above
  Nck next_ = 0;  // see next_action()
  std::int64_t waiting_ = 0, reads_waiting_ = 0;
  std::array<std::uint8_t, kBanks> in_stage2_{};  // requests of each bank
  BankSet closing_ = 0;                           // banks with an access with auto precharge in stage 2

  std::vector<Served> served_;
  bool recording_ = false;
  std::vector<IssuedCommand> commands_;

  // While `known_` is true, the state is that of number `state_` at the start of the clock at `state_edge_`, with the
  // rows and tags below, and groups_, device_, turns and last_read_ are not used.
  std::shared_ptr<MigClocks> clocks_;
  bool known_ = false;
  int credit_ = 0;  // see MigClocks::Limits
  std::uint32_t state_ = 0;
  Nck state_edge_ = 0;
  unsigned room_ = 0;  // groups that can take a request, one bit each
  struct Waiting {
    std::int32_t row;
    std::uint32_t tag;
    std::uint8_t bank;
  };
  // Requests of a group in their order.
  class WaitingQueue {
   public:
    unsigned size() const { return end_ - begin_; }
    Waiting& at(unsigned i) { return entry_[(begin_ + i) % entry_.size()]; }
    void push(const Waiting& waiting) { entry_[end_++ % entry_.size()] = waiting; }
    Waiting pop() { return entry_[begin_++ % entry_.size()]; }
    void resize(unsigned size) {
      begin_ = 0;
      end_ = size;
    }

   private:
    std::array<Waiting, 2 * Ddr4Config::kMaxStage> entry_;
    unsigned begin_ = 0, end_ = 0;
  };
  std::array<WaitingQueue, kBankGroups> queues_;
  std::array<std::int32_t, kBanks> newest_row_{}, served_row_{};  // of each bank's last request taken, served
};

template <typename TagBase>
void MigController::relative(Relative& state, Fifo& fifo, int row, const TagBase& tag_base) {
  state.value(fifo.size);
  for (int i = 0; i < fifo.size; ++i) {
    Request& request = fifo.at(i);
    state.from(request.row, row);
    state.value(request.bank);
    state.value(request.write);
    state.from(request.tag, request.write ? 0 : tag_base(request.tag));
    state.value(request.auto_precharge);
    state.value(request.outcome);
  }
}

template <typename TagBase>
void MigController::relative(Relative& state, Nck now, int row, const TagBase& tag_base) {
  if (state.loading()) {
    known_ = false;
    state_edge_ = 0;
  } else {
    leave_known();
  }
  // Nothing happens before the next clock begins.
  const Nck clock = clock_at(now);
  Nck phase = clock - now;
  state.value(phase);
  device_.relative(state, clock, row);
  for (Group& group : groups_) {
    relative(state, group.stage1, row, tag_base);
    relative(state, group.stage2, row, tag_base);
    // The ACT or PRE is requested a clock after the look.
    Nck look = group.stage1.size > 0 ? group.look_from + kClock : 0, cas = group.stage2.size > 0 ? group.cas_from : 0;
    state.timer(look, clock);
    state.timer(cas, clock);
    group.look_from = look - kClock;
    group.cas_from = cas;
  }
  for (Turn* const turn : {&activate_turn_, &precharge_turn_, &cas_turn_}) turn->relative(state, clock);
  Nck write_from = last_read_ + rtw_nck_;
  state.timer(write_from, clock);
  if (!state.loading()) return;
  last_read_ = write_from - rtw_nck_;
  now_ = now;
  derive();
}

}  // namespace weft::memory
