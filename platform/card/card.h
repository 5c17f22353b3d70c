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
#include "platform/config/run_config.h"

namespace weft::card {

using design::Execution;

// The run's board, host, schedule (calls, host_buffers, load) and, but for the kernel, what a design reads of it.
struct CardSettings {
  config::RunConfig run;
  Execution execution = Execution::Fast;
  int check_percent = 0;  // fast: of the launches, how many are carried out both ways and compared; 0 to 100
};

// Something that software asked of the card.
struct Call {
  enum class Kind : std::uint8_t { ToCard, ToHost, WriteRegister, ReadRegister, Launch, Load, Unload };
  Kind kind = Kind::ToCard;
  Address address = 0;  // of the card's memory, or of a register
  Bytes bytes = 0;
  std::uint32_t data = 0;  // of a register
  Picoseconds start = 0, end = 0;
  std::string why;  // what a transfer's time went by; what a launch computes, or why it was refused
};
const char* to_string(Call::Kind kind);

// The memory of the card of a run. Ideal memory has no size: that of a U250.
design::AddressMap memory_of(const config::RunConfig& run);

// What a card run came to so far.
struct Totals {
  std::int64_t transfers = 0;  // calls: adjacent messages are one
  Bytes to_card = 0, to_host = 0;
  std::int64_t launches = 0;  // refused ones included
  std::int64_t refused = 0;
  std::int64_t overflows = 0;  // sums of fixed point that left the bits of OUT
  std::int64_t reconfigurations = 0;
  std::int64_t register_writes = 0, register_reads = 0, polls = 0;
  std::int64_t serialised = 0;  // transfers that waited for a kernel on a memory channel of theirs
  Cycles kernel_cycles = 0;     // of the launches, from the start to done
  // Where simulated time went. Kernels overlap with the rest if software does not wait for them.
  Picoseconds to_card_time = 0, to_host_time = 0;  // of the calls, software included
  Picoseconds register_time = 0;                   // and the software of launches
  Picoseconds kernel_time = 0;
  Picoseconds reconfiguration_time = 0;

  std::int64_t calls() const { return transfers + launches; }  // as a timeline counts them
};

// A card, and the host's side of the link to it: all that software does to it costs what a timeline says
// (platform/timeline). Every call returns when it is over in simulated time, which nothing else advances; a launch
// returns when it is begun.
//
// SystemC has one simulation a process and allows no modules once it has begun: all cards of a process are built before
// one is used.
class Card : public sc_core::sc_module {
 public:
  // Throws Error for a board or a host that a card cannot be made of.
  Card(const sc_core::sc_module_name& name, CardSettings settings);
  ~Card() override;

  // Loads a bitstream: the YAML of one kernel, all sizes fixed. What the memory holds is lost if schedule.load is
  // `card`. Waits for a kernel that runs. Throws InputError or Error for what is no such kernel, and changes nothing.
  void load(const std::string& kernel_yaml);
  void unload();  // the kernel; costs nothing
  bool loaded() const { return kernel_ != nullptr; }

  // H2C and C2H. One that touches a memory channel that a running kernel uses waits for its end. Throws Error if the
  // range is not within the banks; then nothing was moved and no time has passed. `host_address`: where the host's
  // buffer lies; only its place in a page matters.
  void write(Address card, const void* data, Bytes bytes, Address host_address = 0);
  void read(Address card, void* data, Bytes bytes, Address host_address = 0);

  // AXI4-Lite of the compute unit (REGISTERS.md), within a window of kRegisterWindow bytes. The write of start begins a
  // launch; `queued`: one that software handed over while the kernel ran for the one before, which costs less. While
  // the kernel is busy, a read of the register that says when it is done lets time pass until it is. Throws Error
  // without a kernel and beyond the window, and for a launch that is not defined, which is not begun.
  static constexpr Bytes kRegisterWindow = 64 << 10;
  void write_register(Address offset, std::uint32_t data, bool queued = false);
  std::uint32_t read_register(Address offset);

  // The host computes meanwhile. For models of a host: a program's own time is not the card's.
  void advance(Picoseconds duration);

  Picoseconds now();
  // Until when the last launch keeps the kernel busy: in the past if it is done.
  Picoseconds busy_until() const { return control_.busy_until(); }
  const Totals& totals();
  const design::AddressMap& memory() const { return memory_; }
  const config::RunConfig& run() const { return settings_.run; }

  // Each call when it is over. Adjacent messages of a transfer are one call, which is over when something else is asked
  // for, or finish() is called.
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

  std::vector<int> used_banks_;  // by the last launch
  bool seen_done_ = true;        // of the last launch, by software
  bool open_ = false;            // a transfer that has not been reported
  Totals totals_;
};

}  // namespace weft::card
