#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "platform/card/ddr_bank.h"
#include "platform/card/dma_engine.h"
#include "platform/card/host_link.h"
#include "platform/card/interconnect.h"
#include "platform/card/kernel_control.h"
#include "platform/card/program_faults.h"
#include "platform/config/run_config.h"

namespace weft::card {

using design::Execution;

// A card uses the run's board, host, schedule (calls, host_buffers, load) and all that its design reads, but no kernel.
struct CardSettings {
  config::RunConfig run;
  Execution execution = Execution::Fast;
  int check_percent = 0;  // fast: percentage of launches that are computed both ways and compared, 0 to 100
  bool strict = false;    // a run whose program has faults (program_faults.h) fails
};

// One access of software to the card.
struct Call {
  enum class Kind : std::uint8_t { ToCard, ToHost, WriteRegister, ReadRegister, Launch, Load, Unload };
  Kind kind = Kind::ToCard;
  Address address = 0;  // in the card's memory, or of a register
  Bytes bytes = 0;
  std::uint32_t data = 0;  // of a register access
  Picoseconds start = 0, end = 0;
  std::string why;  // of a transfer: its bound; of a launch: its computation or the reason of refusal
};
const char* to_string(Call::Kind kind);

// Address map of the card's memory. Ideal memory has no size: it gets that of a U250.
design::AddressMap memory_of(const config::RunConfig& run);

// Totals of a card run so far.
struct Totals {
  std::int64_t transfers = 0;  // calls: adjacent messages count as one
  Bytes to_card = 0, to_host = 0;
  std::int64_t launches = 0;  // refused ones included
  std::int64_t refused = 0;
  std::int64_t overflows = 0;  // fixed-point sums that exceed the width of OUT
  std::int64_t reconfigurations = 0;
  std::int64_t register_writes = 0, register_reads = 0, polls = 0;
  std::int64_t serialised = 0;  // transfers that waited for a kernel that uses one of their memory channels
  Cycles kernel_cycles = 0;     // of the launches, from the start to done
  // Simulated time by cause. Kernels overlap with the rest if software does not wait for them.
  Picoseconds to_card_time = 0, to_host_time = 0;  // of the calls, software included
  Picoseconds register_time = 0;                   // includes the software time of launches
  Picoseconds kernel_time = 0;
  Picoseconds reconfiguration_time = 0;
  Picoseconds serialised_time = 0;  // of the waits of `serialised`

  std::int64_t calls() const { return transfers + launches; }  // number as in a timeline
};

// A card, and the host's side of the link to it. Each access costs the time that a timeline gives it
// (platform/timeline). A call returns when its operation has ended in simulated time, a launch when it has begun. Only
// calls advance simulated time.
//
// SystemC has one simulation per process and allows no new modules after its start: a process must build all its cards
// before it uses one.
class Card : public sc_core::sc_module {
 public:
  // Throws Error for a board or a host that a card cannot have.
  Card(const sc_core::sc_module_name& name, CardSettings settings);
  ~Card() override;

  // Loads a bitstream: the YAML of one kernel, all sizes fixed. Waits until a running kernel is done. Clears the memory
  // if schedule.load is `card`. Throws InputError or Error for any other text; then nothing changes.
  void load(const std::string& kernel_yaml);
  void unload();  // unloads the kernel in no simulated time
  bool loaded() const { return kernel_ != nullptr; }

  // H2C and C2H. A transfer waits for a running kernel that uses one of its memory channels. Throws Error if the range
  // is not within the banks; then no byte is moved and no time passes. `host_address`: address of the host's buffer;
  // only its offset in a page matters.
  void write(Address card, const void* data, Bytes bytes, Address host_address = 0);
  void read(Address card, void* data, Bytes bytes, Address host_address = 0);

  // Accesses over AXI4-Lite to the compute unit (REGISTERS.md), within a window of kRegisterWindow bytes. The write of
  // start begins a launch. `queued`: software handed the launch over while the kernel ran for the previous one, which
  // costs less. While the kernel is busy, a read of the register with the done bit advances time to its end. Throws
  // Error without a kernel, beyond the window, and for an undefined launch, which does not begin.
  static constexpr Bytes kRegisterWindow = 64 << 10;
  void write_register(Address offset, std::uint32_t data, bool queued = false);
  // To be called before the write of start: bit i is set if the program has not set argument i of the launch.
  void arguments_are_unset(std::uint64_t unset) { unset_ = unset; }
  const std::vector<design::KernelArgument>& arguments() const { return arguments_; }  // of the loaded kernel
  std::uint32_t read_register(Address offset);

  // Advances time while the host computes. For models of a host: the wall time of a program is not counted.
  void advance(Picoseconds duration);

  Picoseconds now();
  Picoseconds transfer_start() const { return host_link_.last().start; }  // of the last transfer
  // End of the last launch: in the past if it is done.
  Picoseconds busy_until() const { return control_.busy_until(); }
  const Totals& totals();
  ProgramFaults& faults() { return faults_; }
  const design::AddressMap& memory() const { return memory_; }
  const config::RunConfig& run() const { return settings_.run; }

  // Called for each call when it has ended. Adjacent messages of a transfer are one call; it ends with the next other
  // access, or with finish().
  std::function<void(const Call&)> on_call;
  void finish();

 private:
  const config::Host& host() const { return *settings_.run.host; }
  const config::CallCosts& costs() const;
  static void begin_simulation();
  bool busy() const { return clock_.now() < control_.busy_until(); }
  void settle();
  bool in_use(Address card, Bytes bytes);
  template <class Move>
  void transfer(link::Direction direction, Address card, Bytes bytes, Move move);
  void require_register(Address offset) const;
  void count_launch(const design::CardLaunch& launch);
  void report(Call::Kind kind, Picoseconds start, Address address, std::uint32_t data, const std::string& why) const;

  CardSettings settings_;
  design::AddressMap memory_;
  CardClock clock_;
  std::vector<memory::Store> contents_;
  std::map<std::string, std::unique_ptr<design::CardKernels>> designs_;
  std::unique_ptr<design::CardKernel> kernel_;

  HostLink host_link_;
  PcieEndpoint endpoint_;
  DmaEngine engine_;
  Interconnect interconnect_;
  std::vector<std::unique_ptr<DdrBank>> banks_;
  KernelControl control_;
  ComputeUnit unit_;

  std::vector<int> used_banks_;  // banks that the last launch uses
  bool seen_done_ = true;        // software has seen that the last launch is done
  bool open_ = false;            // a transfer is not reported yet
  std::vector<design::KernelArgument> arguments_;
  std::uint64_t unset_ = 0;
  ProgramFaults faults_;
  Totals totals_;
};

}  // namespace weft::card
