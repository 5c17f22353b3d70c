#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>

#include "kernels/fpgpt/fp32.h"
#include "platform/cosim/rtl_kernel.h"

// Verilator's code is not held to weft's warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "Vfpgpt_kernel.h"
#include "Vfpgpt_kernel___024root.h"
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

// Precompute takes about 34 cycles a division, 17 of them, and one an output of a map; its other steps are short.
constexpr Cycles kLongestDivisions = 1'000;

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

template <class Bits>
std::vector<std::uint32_t> words_of(const Bits& bits, int lanes) {
  std::vector<std::uint32_t> words;
  for (int lane = 0; lane < lanes; ++lane) words.push_back(word_of(bits, lane));
  return words;
}

template <class Bits>
void give(CData& valid, Bits& bits, const float* beat, int band) {
  valid = beat ? 1 : 0;
  for (int lane = 0; lane < band; ++lane) set_word(bits, lane, beat ? fpgpt::bits(beat[lane]) : 0);
}

}  // namespace

class VerilatedKernel : public RtlKernel {
 public:
  VerilatedKernel() {
#if VM_TRACE
    context_.traceEverOn(true);
    dut_.trace(&waves_, 99);
#endif
    stopped.clear();
    dut_.rst_ni = 0;
    for (int i = 0; i < 4; ++i) tick();
    dut_.rst_ni = 1;
    tick();
  }
  bool start(const conv::Convolution& beta) override;
  int status() override {
    return static_cast<int>(read(4) & 0xF);
  }
  AxiOutputs cycle(const AxiInputs& in, std::array<FifoEvent, kFifos>& fifos) override;
  bool finish() override;
  RtlCounts counts() override;
  std::string failed_assertion() const override {
    return stopped;
  }
  bool waves_on(const std::string& file) override;
  void waves_off() override;

 private:
  void half(bool clock) {
    dut_.clk_i = clock;
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
    return dut_.rootp->fpgpt_kernel__DOT__running != 0;
  }

  void write(std::uint32_t address, std::uint32_t data) {
    dut_.s_awaddr_i = address;
    dut_.s_wdata_i = data;
    dut_.s_wstrb_i = 0xF;
    dut_.s_awvalid_i = dut_.s_wvalid_i = 1;
    dut_.s_bready_i = 0;
    for (bool taken = false; !taken;) {
      half(false);
      taken = dut_.s_awready_o && dut_.s_wready_o;
      half(true);
    }
    dut_.s_awvalid_i = dut_.s_wvalid_i = 0;
    tick();  // the response waits
    dut_.s_bready_i = 1;
    tick();
  }
  std::uint32_t read(std::uint32_t address) {
    dut_.s_araddr_i = address;
    dut_.s_arvalid_i = 1;
    tick();
    dut_.s_arvalid_i = 0;
    tick();  // the word waits
    const std::uint32_t data = dut_.s_rdata_o;
    dut_.s_rready_i = 1;
    tick();
    dut_.s_rready_i = 0;
    return data;
  }

  VerilatedContext context_;
  Vfpgpt_kernel dut_{&context_};
#if VM_TRACE
  VerilatedFstC waves_;
  std::uint64_t time_ = 0;
#endif
};

bool VerilatedKernel::start(const conv::Convolution& c) {
  const auto word = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::int64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  // The order of REGISTERS.md.
  const std::vector<std::uint32_t> beta{word(c.kind == conv::Kind::F    ? 0
                                             : c.kind == conv::Kind::GI ? 1
                                                                        : 2),
                                        word(c.a),
                                        word(c.n_inp),
                                        word(c.n_kern),
                                        word(c.c),
                                        word(c.h.inp),
                                        word(c.w.inp),
                                        word(c.h.kern),
                                        word(c.w.kern),
                                        word(c.h.out),
                                        word(c.w.out),
                                        word(c.h.stride),
                                        word(c.w.stride),
                                        word(c.h.pad_begin),
                                        word(c.w.pad_begin),
                                        word(c.h.inp_dilation),
                                        word(c.w.inp_dilation),
                                        word(c.h.kern_dilation),
                                        word(c.w.kern_dilation),
                                        word(c.inp.base),
                                        high(c.inp.base),
                                        word(c.kern.base),
                                        high(c.kern.base),
                                        word(c.out.base),
                                        high(c.out.base),
                                        word(c.inp.pitch_a),
                                        word(c.inp.pitch_n),
                                        word(c.inp.pitch_c),
                                        word(c.kern.pitch_a),
                                        word(c.out.pitch_n)};
  for (std::size_t i = 0; i < beta.size(); ++i) write(0x20 + 4 * static_cast<std::uint32_t>(i), beta[i]);
  write(0, 1);
  for (Cycles i = 0; i < kLongestDivisions + 2 * c.out_map(); ++i) {
    if (running()) return true;
    tick();
  }
  return false;
}

AxiOutputs VerilatedKernel::cycle(const AxiInputs& in, std::array<FifoEvent, kFifos>& fifos) {
  constexpr int kBand = ALPHA_BAND;
  Vfpgpt_kernel& dut = dut_;
  dut.inp_arready_i = in.inp_arready;
  dut.kern_arready_i = in.kern_arready;
  dut.out_awready_i = in.out_awready;
  dut.out_wready_i = in.out_wready;
  give(dut.inp_rvalid_i, dut.inp_rdata_i, in.inp_beat, kBand);
  give(dut.kern_rvalid_i, dut.kern_rdata_i, in.kern_beat, kBand);
  dut.inp_rlast_i = in.inp_beat && in.inp_last;
  dut.kern_rlast_i = in.kern_beat && in.kern_last;
  dut.out_bvalid_i = in.response;
  half(false);

  AxiOutputs out;
  const auto request = [](auto address, auto length) {
    return stream::BurstRequest{static_cast<Address>(address), static_cast<int>(length) + 1};
  };
  out.inp_address = dut.inp_arvalid_o && dut.inp_arready_i;
  out.inp_request = request(dut.inp_araddr_o, dut.inp_arlen_o);
  out.kern_address = dut.kern_arvalid_o && dut.kern_arready_i;
  out.kern_request = request(dut.kern_araddr_o, dut.kern_arlen_o);
  out.out_address = dut.out_awvalid_o && dut.out_awready_i;
  out.out_request = request(dut.out_awaddr_o, dut.out_awlen_o);
  out.inp_beat_taken = dut.inp_rvalid_i && dut.inp_rready_o;
  out.kern_beat_taken = dut.kern_rvalid_i && dut.kern_rready_o;
  out.response_taken = dut.out_bvalid_i && dut.out_bready_o;
  out.beat_sent = dut.out_wvalid_o && dut.out_wready_i;
  if (out.beat_sent) {
    out.beat = words_of(dut.out_wdata_o, kBand);
    for (int lane = 0; lane < kBand; ++lane) out.strobe.push_back(bit_of(dut.out_wstrb_o, 4 * lane));
    out.last = dut.out_wlast_o;
  }
  auto* const root = dut.rootp;
  const auto fifo = [](FifoEvent& event, bool push, bool pop, const auto& data, int lanes) {
    event.push = push;
    event.pop = pop;
    event.words = push ? words_of(data, lanes) : std::vector<std::uint32_t>();
  };
#define WEFT_FIFO(index, name, lanes)                                  \
  fifo(fifos[index], root->fpgpt_kernel__DOT__u_##name##__DOT__push_i, \
       root->fpgpt_kernel__DOT__u_##name##__DOT__pop_i, root->fpgpt_kernel__DOT__u_##name##__DOT__data_i, lanes)
  WEFT_FIFO(0, inp_beat, kBand);
  WEFT_FIFO(1, inp_word, kBand);
  WEFT_FIFO(2, inp_group, ALPHA_Z);
  WEFT_FIFO(3, inp_column, ALPHA_X);
  WEFT_FIFO(4, kern_beat, kBand);
  WEFT_FIFO(5, kern_word, ALPHA_KERN_LANES);
  WEFT_FIFO(6, kern_row, ALPHA_Y);
  WEFT_FIFO(7, out_row, ALPHA_X);
  WEFT_FIFO(8, out_group, ALPHA_X);
  WEFT_FIFO(9, out_beat, kBand);
#undef WEFT_FIFO
  half(true);
  return out;
}

bool VerilatedKernel::finish() {
  dut_.inp_rvalid_i = dut_.kern_rvalid_i = dut_.out_bvalid_i = 0;
  for (int i = 0; i < 100000; ++i) {
    if (read(0) & 2) return read(4) == 0;
  }
  return false;
}

RtlCounts VerilatedKernel::counts() {
  RtlCounts counts;
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
