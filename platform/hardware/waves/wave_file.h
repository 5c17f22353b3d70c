#pragma once

#include <string>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/topology.h"
#include "model/memory/ddr4_timing.h"
#include "model/stream/observer.h"
#include "platform/hardware/waves/fst_writer.h"
#include "platform/hardware/waves/save_file.h"

namespace weft::waves {

// Observer that writes launches of a kernel as signals of an FST file, named as in the topology, in the scope `kernel`:
//   convolution        the name of the launch
//   cycle[31] ... [0]  bits of the number of the launch's cycle
//   block.NAME         active, blocked, starved or idle
//   fifo.NAME          tokens at the start of the cycle
//   port.NAME.AR, R    1 in a cycle in which that handshake takes place; AW, W and B of a write port
//   ddr4_C.bank00 ...  the last command to a bank of memory channel C, "ACT"; each command is a change. Two in a cycle:
//   ddr4_C.all_banks   "RD+RD", "RD+RDA", "WR+WR", "WR+WRA", others "more". PREA and REF go to all banks.
//                      Channels that no port uses are left out.
// Cycle k of a launch begins k kernel periods after the end of the previous launch, in whole picoseconds, rounded down;
// commands are shown from the beginning of the kernel cycle in which they were given.
class WaveFile : public stream::Observer {
 public:
  // `writer` must be new and must outlive this object. All launches have the same FIFO depths and memory.
  WaveFile(FstWriter& writer, const Topology& topology) : writer_(writer), topology_(topology) {}

  void begin(const stream::Observed& what, memory::Memory& memory) override;
  bool after(Cycles now, const stream::CycleEvents& states) override;
  void end(Cycles cycles) override;

  // Returns a save file for GTKWave that shows all signals in groups; `fst`: file name in it. After the last launch.
  std::string gtkw(const std::string& fst) const;

 private:
  using Signal = FstWriter::Signal;
  struct PortSignals {
    bool write = false;
    Signal address = 0, beat = 0, response = 0;
  };
  struct Bank {
    Signal signal = 0;
    std::uint32_t value = 0;  // of its commands in the cycle being shown
    bool second = false;      // the next change uses the second number of its value
  };
  struct Channel {
    int number = 0;
    std::vector<Bank> banks;  // then the signal for all banks
  };
  struct BankCommand {
    Cycles cycle = 0;
    memory::Command command{};
    Bank* bank = nullptr;
  };

  void define(const stream::Observed& what);
  void define_ddr4(const memory::MemoryConfig& memory);
  void take_commands();
  void show_before(Cycles next, const std::vector<stream::FifoEvent>& fifos);
  void show_commands(Cycles last);
  void show_no_commands();
  void show_states(Cycles at, const stream::CycleEvents& states);
  void count_to(Cycles cycle);
  void moment(std::int64_t time_ps);
  std::int64_t cycle_ps(Cycles cycle) const;

  FstWriter& writer_;
  const Topology& topology_;
  memory::Memory* memory_ = nullptr;
  Rational period_ps_ = 0, nck_ps_ = 0;
  std::int64_t start_ = 0, step_ = 0, nck_ = 0, unit_ = 1;  // of the launch, a cycle, an nCK, in 1/unit_ ps
  std::int64_t time_ps_ = -1;                               // of the last change

  Signal convolution_ = 0;
  std::vector<Signal> cycle_bits_;  // the highest first
  Cycles cycle_ = -1;               // shown
  std::vector<Signal> blocks_, fifos_;
  std::vector<PortSignals> ports_;
  std::vector<Channel> channels_;

  stream::CycleEvents shown_;   // states last written
  stream::CycleEvents states_;  // of cycle last_, shown when all commands of that cycle are known
  Cycles last_ = -1;
  std::vector<memory::IssuedCommand> taken_;
  std::vector<BankCommand> commands_;  // to be shown, the oldest first

  std::vector<Group> groups_;
};

}  // namespace weft::waves
