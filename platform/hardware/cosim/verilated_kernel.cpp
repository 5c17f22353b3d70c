#include <cstdarg>
#include <cstdio>
#include <string>
#include <type_traits>

#include "platform/hardware/cosim/rtl_kernel.h"
#include "platform/hardware/cosim/verilator_print.h"

// Verilator's code is not held to weft's warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "Vkernel.h"
#include "Vkernel___024root.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif
#pragma GCC diagnostic pop

namespace {

// What Verilator prints before it stops, and whether it stopped: an assertion failed. Verilator knows no object here.
std::string printed, stopped;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

// Named by -DVL_PRINTF and -DVL_USER_STOP (build.cpp): nothing is printed, and a failed assertion ends no process.
int weft_verilator_print(const char* format, ...) {
  std::array<char, 1024> text{};
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  printed = text.data();
  return length;
}
void vl_stop(const char*, int, const char*) {
  if (stopped.empty()) stopped = printed.substr(0, printed.find('\n'));
}

namespace weft::cosim {

namespace {

// Verilator keeps up to 32, up to 64 and more bits in types of their own.
template <class Bits>
std::uint32_t word_of(const Bits& bits, int lane) {
  if constexpr (std::is_integral_v<Bits>) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(bits) >> (32 * lane));
  } else {
    return bits[lane];
  }
}
template <class Bits>
void set_word(Bits& bits, int lane, std::uint32_t word) {
  if constexpr (std::is_integral_v<Bits>) {
    const std::uint64_t mask = std::uint64_t{0xFFFFFFFF} << (32 * lane);
    bits = static_cast<Bits>((static_cast<std::uint64_t>(bits) & ~mask) | std::uint64_t{word} << (32 * lane));
  } else {
    bits[lane] = word;
  }
}
template <class Bits>
bool bit_of(const Bits& bits, int index) {
  if constexpr (std::is_integral_v<Bits>) {
    return static_cast<std::uint64_t>(bits) >> index & 1;
  } else {
    return bits[index / 32] >> (index % 32) & 1;
  }
}

// The lanes have `lane_bits` each, and their sign is extended.
template <class Bits>
std::vector<std::uint32_t> words_of(const Bits& bits, int lanes, int lane_bits = 32) {
  std::vector<std::uint32_t> words;
  for (int lane = 0; lane < lanes; ++lane) {
    const int first = lane * lane_bits, within = first % 32;
    std::uint64_t both = word_of(bits, first / 32);
    if (within + lane_bits > 32) both |= std::uint64_t{word_of(bits, first / 32 + 1)} << 32;
    const auto word = static_cast<std::uint32_t>(both >> within) << (32 - lane_bits);
    words.push_back(static_cast<std::uint32_t>(static_cast<std::int32_t>(word) >> (32 - lane_bits)));
  }
  return words;
}

// The pins of an AXI4 port. Verilator keeps data and strobes in the type that their width needs.
template <class Data>
struct ReadPins {
  CData &arready, &arvalid;
  QData& araddr;
  CData &arlen, &rready, &rvalid, &rlast;
  Data& rdata;
};
template <class Data, class Strobe>
struct WritePins {
  CData &awready, &awvalid;
  QData& awaddr;
  CData &awlen, &wready, &wvalid, &wlast;
  Data& wdata;
  Strobe& wstrb;
  CData &bvalid, &bready;
};

// Of the AXI4-Lite slave, by the names of AXI.
struct ControlPins {
  CData &clock, &reset_n, &awvalid, &awready;
  SData& awaddr;
  CData &wvalid, &wready;
  IData& wdata;
  CData &wstrb, &bvalid, &bready, &bresp, &arvalid, &arready;
  SData& araddr;
  CData &rvalid, &rready;
  IData& rdata;
  CData& rresp;
};

// Made by build.cpp from the topology of the design: how many blocks, words of a beat, which signal says that the
// convolution runs, and the pins, ports and FIFOs by their names here.
#include "kernel_signals.inc"

template <class Data>
void drive(const ReadPins<Data>& pins, const PortInputs& in) {
  pins.arready = in.ready.address;
  pins.rvalid = in.beat ? 1 : 0;
  pins.rlast = in.beat && in.last;
  for (int lane = 0; lane < kBand; ++lane) set_word(pins.rdata, lane, in.beat ? in.beat[lane].bits : 0);
}
template <class Data, class Strobe>
void drive(const WritePins<Data, Strobe>& pins, const PortInputs& in) {
  pins.awready = in.ready.address;
  pins.wready = in.ready.data;
  pins.bvalid = in.response;
}

stream::BurstRequest burst(QData address, CData length) {
  return {static_cast<Address>(address), static_cast<int>(length) + 1};
}
template <class Data>
PortEvents crossed(const ReadPins<Data>& pins) {
  PortEvents events;
  events.address = pins.arvalid && pins.arready;
  events.request = burst(pins.araddr, pins.arlen);
  events.beat = pins.rvalid && pins.rready;
  return events;
}
template <class Data, class Strobe>
PortEvents crossed(const WritePins<Data, Strobe>& pins) {
  PortEvents events;
  events.address = pins.awvalid && pins.awready;
  events.request = burst(pins.awaddr, pins.awlen);
  events.beat = pins.wvalid && pins.wready;
  events.response = pins.bvalid && pins.bready;
  if (!events.beat) return events;
  events.words = words_of(pins.wdata, kBand);
  for (int lane = 0; lane < kBand; ++lane) events.strobe.push_back(bit_of(pins.wstrb, 4 * lane));
  events.last = pins.wlast;
  return events;
}

// Reads what blocks and FIFOs show; the RTL's codes count from idle to active.
struct StatesReader {
  CycleEvents& events;
  template <class Bits>
  void block(std::size_t index, const Bits& activity) {
    const auto bit = 2 * static_cast<int>(index);
    const int code = 2 * bit_of(activity, bit + 1) + bit_of(activity, bit);
    events.blocks.resize(kBlocks);
    events.blocks[index] = static_cast<Activity>(static_cast<int>(Activity::Idle) - code);
  }
  template <class Bits>
  void fifo(std::size_t index, const Bits& count) {
    events.fifos[index].fill = static_cast<int>(word_of(count, 0));
  }
};

// The memory behind the ports before cycle 0: it has one beat to give.
class LaunchSide {
 public:
  explicit LaunchSide(const std::optional<LaunchRead>& read) : read_(read) {
    if (!read_) return;
    for (const std::uint32_t word : read_->words) beat_.push_back({word});
    beat_.resize(kBand);
  }

  PortInputs inputs(std::size_t port, Cycles now) const {
    PortInputs in;
    if (!read_ || port != read_->port || visible_ < 0 || now < visible_) return in;
    in.beat = beat_.data();
    in.last = true;
    return in;
  }
  void after(std::size_t port, Cycles now, const PortEvents& events) {
    if (!read_ || port != read_->port) return;
    if (events.beat) visible_ = -1;
    const bool asked = events.address && events.request.address == read_->address && events.request.beats == 1;
    if (asked) visible_ = now + read_->latency + 1;
  }

 private:
  const std::optional<LaunchRead>& read_;
  std::vector<Word> beat_;
  Cycles visible_ = -1;  // it was asked for and not taken
};

}  // namespace

class VerilatedKernel : public RtlKernel {
 public:
  VerilatedKernel() {
#if VM_TRACE
    context_.traceEverOn(true);
    dut_.trace(&waves_, 99);
#endif
    stopped.clear();
    control_.reset_n = 0;
    for (int i = 0; i < 4; ++i) tick();
    control_.reset_n = 1;
    tick();
  }
  RtlStarted start(const RtlStart& start) override;
  bool busy() override {
    return is_busy(dut_);
  }
  int status() override {
    return static_cast<int>(read(4) & 0xF);
  }
  void cycle(const std::vector<PortInputs>& ports, CycleEvents& events) override;
  ControlEvents cycle(const std::vector<PortInputs>& ports, const ControlInputs& control, CycleEvents& events) override;
  bool finish() override;
  RtlCounts counts() override;
  std::string failed_assertion() const override {
    return stopped;
  }
  bool waves_on(const std::string& file) override;
  void waves_off() override;

 private:
  void half(bool clock) {
    control_.clock = clock;
    dut_.eval();
#if VM_TRACE
    if (waves_.isOpen()) waves_.dump(time_);
    time_ += 5;  // ns: cycles of 100 MHz
#endif
  }
  void tick() {
    half(false);
    half(true);
  }
  bool running() {
    return is_running(dut_);
  }
  void begin_cycle(const std::vector<PortInputs>& ports, CycleEvents& events);

  // Up to the cycle in which address and data are taken.
  void offer(std::uint32_t address, std::uint32_t data) {
    control_.awaddr = address;
    control_.wdata = data;
    control_.wstrb = 0xF;
    control_.awvalid = control_.wvalid = 1;
    control_.bready = 0;
    for (bool taken = false; !taken;) {
      half(false);
      taken = control_.awready && control_.wready;
      half(true);
    }
    control_.awvalid = control_.wvalid = 0;
  }
  void write(std::uint32_t address, std::uint32_t data) {
    offer(address, data);
    tick();  // the response waits
    control_.bready = 1;
    tick();
  }
  std::uint32_t read(std::uint32_t address) {
    control_.araddr = address;
    control_.arvalid = 1;
    tick();
    control_.arvalid = 0;
    tick();  // the word waits
    const std::uint32_t data = control_.rdata;
    control_.rready = 1;
    tick();
    control_.rready = 0;
    return data;
  }

  VerilatedContext context_;
  Vkernel dut_{&context_};
  ControlPins control_ = control_pins(dut_);
#if VM_TRACE
  VerilatedFstC waves_;
  std::uint64_t time_ = 0;
#endif
};

RtlStarted VerilatedKernel::start(const RtlStart& start) {
  for (std::size_t i = 0; i < start.registers.size(); ++i) {
    write(0x20 + 4 * static_cast<std::uint32_t>(i), start.registers[i]);
  }
  offer(0, 1);
  LaunchSide side(start.read);
  const Cycles patience = 1000 + 3 * start.cycles;
  for (Cycles cycle = 1; cycle < patience; ++cycle) {
    if (running()) return {true, cycle};
    const bool refused = !busy();
    for_each_port(dut_, [&](std::size_t port, auto pins) { drive(pins, side.inputs(port, cycle)); });
    half(false);
    for_each_port(dut_, [&](std::size_t port, auto pins) { side.after(port, cycle, crossed(pins)); });
    half(true);  // in the first, the response waits
    control_.bready = 1;
    if (refused) return {false, cycle};
  }
  return {false, patience};
}

void VerilatedKernel::cycle(const std::vector<PortInputs>& ports, CycleEvents& events) {
  begin_cycle(ports, events);
  half(true);
}

ControlEvents VerilatedKernel::cycle(const std::vector<PortInputs>& ports, const ControlInputs& control,
                                     CycleEvents& events) {
  control_.awvalid = control.write_address;
  control_.awaddr = control.address_to_write;
  control_.wvalid = control.write_data;
  control_.wdata = control.data;
  control_.wstrb = control.strobes;
  control_.bready = control.response_ready;
  control_.arvalid = control.read_address;
  control_.araddr = control.address_to_read;
  control_.rready = control.word_ready;
  begin_cycle(ports, events);
  ControlEvents crossed;
  crossed.write_address = control_.awvalid && control_.awready;
  crossed.write_data = control_.wvalid && control_.wready;
  crossed.response = control_.bvalid && control_.bready;
  crossed.write_resp = control_.bresp;
  crossed.read_address = control_.arvalid && control_.arready;
  crossed.word = control_.rvalid && control_.rready;
  crossed.data = control_.rdata;
  crossed.read_resp = control_.rresp;
  half(true);
  return crossed;
}

// Up to the clock edge that ends it.
void VerilatedKernel::begin_cycle(const std::vector<PortInputs>& ports, CycleEvents& events) {
  for_each_port(dut_, [&](std::size_t port, auto pins) { drive(pins, ports[port]); });
  half(false);
  events.ports.resize(ports.size());
  for_each_port(dut_, [&](std::size_t port, auto pins) { events.ports[port] = crossed(pins); });
  events.fifos.resize(kFifos);
  for_each_fifo(dut_, [&](std::size_t fifo, bool push, bool pop, const auto& data, int words, int word_bits) {
    FifoEvent& event = events.fifos[fifo];
    event.push = push;
    event.pop = pop;
    event.words = push ? words_of(data, words, word_bits) : std::vector<std::uint32_t>();
  });
  for_each_state(dut_, StatesReader{events});
}

bool VerilatedKernel::finish() {
  for_each_port(dut_, [](std::size_t, auto pins) { drive(pins, {}); });
  for (int i = 0; i < 100000; ++i) {
    if (read(0) & 2) return read(4) == 0;
  }
  return false;
}

RtlCounts VerilatedKernel::counts() {
  RtlCounts counts;
  counts.activity.resize(kBlocks);
  counts.cycles = static_cast<Cycles>(read(0x8) | std::uint64_t{read(0xC)} << 32);
  std::uint32_t address = 0x100;
  for (auto& block : counts.activity) {
    for (std::uint32_t& cycles : block) {
      cycles = read(address);
      address += 4;
    }
  }
  return counts;
}

#if VM_TRACE
bool VerilatedKernel::waves_on(const std::string& file) {
  waves_.open(file.c_str());
  return waves_.isOpen();
}
void VerilatedKernel::waves_off() {
  waves_.close();
}
#else
bool VerilatedKernel::waves_on(const std::string&) {
  return false;
}
void VerilatedKernel::waves_off() {}
#endif

}  // namespace weft::cosim

extern "C" weft::cosim::RtlKernel* weft_make_rtl_kernel() {
  return new weft::cosim::VerilatedKernel;
}
