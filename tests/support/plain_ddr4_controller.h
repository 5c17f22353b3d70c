#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/memory/config.h"
#include "model/memory/ddr4_controller.h"

namespace weft::test {

// The controller that model/memory/ddr4_controller.h describes, written from that description and from JESD79-4 as
// plainly as can be: it does one DRAM clock after the other, keeps requests in lists, and asks of every command at
// every clock how long ago each command that it must keep away from was. Slow, and the oracle of the one that is not.
class PlainDdr4Controller {
 public:
  struct Command {
    memory::Nck time;
    memory::Command kind;
    int bank = 0;                                          // of all but PREA and REF
    int row = 0;                                           // of ACT, and of the request of RD and WR
    int tag = -1;                                          // of the request of RD and WR ...
    memory::RowOutcome outcome = memory::RowOutcome::hit;  // ... and what it found
    friend bool operator==(const Command& a, const Command& b) {
      return a.time == b.time && a.kind == b.kind && a.bank == b.bank && a.row == b.row && a.tag == b.tag &&
             a.outcome == b.outcome;
    }
  };

  explicit PlainDdr4Controller(const memory::Ddr4Config& config);

  // At the clock now(): a request, if there is room, then everything else; step() goes on to the next clock.
  bool has_room(bool write) const;
  void accept(Address address, bool write, int tag);
  void step();

  memory::Nck now() const { return now_; }
  bool idle() const;
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
    int accesses = 0;  // since it was opened
    std::vector<Request> queue;
  };

  bool legal(memory::Command kind, int bank) const;
  bool issue_refresh();
  bool issue_for(int bank);
  void issue(const Command& command);
  void move();
  bool move_from(std::vector<Request>& queue);
  bool reads_anywhere() const;

  memory::Ddr4Config config_;
  memory::Nck now_ = 0;
  memory::Nck refresh_due_;
  std::vector<Request> reads_, writes_;
  std::array<Bank, memory::kBanks> banks_;
  int served_last_ = memory::kBanks - 1;
  bool draining_ = false;
  // When each kind of command last went to each bank; PREA and REF are kept at bank 0.
  std::array<std::array<memory::Nck, memory::kBanks>, memory::kCommands> last_;
  std::vector<memory::Nck> activates_;
  std::vector<Command> commands_;
};

}  // namespace weft::test
