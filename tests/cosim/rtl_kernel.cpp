#include "tests/cosim/rtl_kernel.h"

#include <type_traits>

#include "kernels/fpgpt/fp32.h"

// Verilator's code is not held to weft's warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "Vfpgpt_kernel.h"
#include "Vfpgpt_kernel___024root.h"
#include "verilated.h"
#pragma GCC diagnostic pop

namespace weft::test {

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

struct RtlKernel::Model {
  VerilatedContext context;
  Vfpgpt_kernel dut{&context};

  void tick() {
    dut.clk_i = 0;
    dut.eval();
    dut.clk_i = 1;
    dut.eval();
  }
  bool running() { return dut.rootp->fpgpt_kernel__DOT__running != 0; }

  void write(std::uint32_t address, std::uint32_t data) {
    dut.s_awaddr_i = address;
    dut.s_wdata_i = data;
    dut.s_wstrb_i = 0xF;
    dut.s_awvalid_i = dut.s_wvalid_i = 1;
    dut.s_bready_i = 1;
    for (bool taken = false; !taken;) {
      dut.clk_i = 0;
      dut.eval();
      taken = dut.s_awready_o && dut.s_wready_o;
      dut.clk_i = 1;
      dut.eval();
    }
    dut.s_awvalid_i = dut.s_wvalid_i = 0;
  }
  std::uint32_t read(std::uint32_t address) {
    dut.s_araddr_i = address;
    dut.s_arvalid_i = dut.s_rready_i = 1;
    tick();
    dut.s_arvalid_i = 0;
    while (!dut.s_rvalid_o) tick();
    const std::uint32_t data = dut.s_rdata_o;
    tick();
    dut.s_rready_i = 0;
    return data;
  }
};

const fpgpt::Alpha& RtlKernel::alpha() {
  static const fpgpt::Alpha compiled = [] {
    fpgpt::Alpha alpha;
    alpha.x = ALPHA_X;
    alpha.y = ALPHA_Y;
    alpha.z = ALPHA_Z;
    alpha.band = ALPHA_BAND;
    alpha.z_channel = ALPHA_Z_CHANNEL;
    alpha.k_range = ALPHA_K_RANGE;
    alpha.kern_words = ALPHA_KERN_WORDS;
    alpha.out_words = ALPHA_OUT_WORDS;
    alpha.profile = {ALPHA_EXACT != 0, ALPHA_OVERLAP != 0, ALPHA_WIDE != 0, ALPHA_EARLY != 0, ALPHA_PACKED != 0};
    const int depth = ALPHA_DEPTH;
    alpha.fifo = {depth, depth, depth, depth, depth, depth, depth, depth, depth, depth};
    alpha.inp_port = alpha.kern_port = alpha.out_port = {ALPHA_MAX_BURST, ALPHA_OUTSTANDING};
    return alpha;
  }();
  return compiled;
}

int RtlKernel::max_sets() { return ALPHA_MAX_SETS; }

RtlKernel::RtlKernel() : model_(std::make_unique<Model>()) {
  model_->dut.rst_ni = 0;
  for (int i = 0; i < 4; ++i) model_->tick();
  model_->dut.rst_ni = 1;
  model_->tick();
}

RtlKernel::~RtlKernel() = default;

void RtlKernel::start(const conv::Convolution& c) {
  const auto word = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::int64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  // The order of REGISTERS.md.
  const std::vector<std::uint32_t> beta{
      word(c.kind == conv::Kind::F ? 0 : c.kind == conv::Kind::GI ? 1 : 2), word(c.a), word(c.n_inp), word(c.n_kern),
      word(c.c), word(c.h.inp), word(c.w.inp), word(c.h.kern), word(c.w.kern), word(c.h.out), word(c.w.out),
      word(c.h.stride), word(c.w.stride), word(c.h.pad_begin), word(c.w.pad_begin), word(c.h.inp_dilation),
      word(c.w.inp_dilation), word(c.h.kern_dilation), word(c.w.kern_dilation), word(c.inp.base), high(c.inp.base),
      word(c.kern.base), high(c.kern.base), word(c.out.base), high(c.out.base), word(c.inp.pitch_a),
      word(c.inp.pitch_n), word(c.inp.pitch_c), word(c.kern.pitch_a), word(c.out.pitch_n)};
  for (std::size_t i = 0; i < beta.size(); ++i) model_->write(0x20 + 4 * static_cast<std::uint32_t>(i), beta[i]);
  model_->write(0, 1);
  for (int i = 0; i < 10000000 && !model_->running(); ++i) model_->tick();
}

AxiOutputs RtlKernel::cycle(const AxiInputs& in, std::array<FifoEvent, kFifos>& fifos) {
  constexpr int kBand = ALPHA_BAND;
  Vfpgpt_kernel& dut = model_->dut;
  dut.inp_arready_i = in.inp_arready;
  dut.kern_arready_i = in.kern_arready;
  dut.out_awready_i = in.out_awready;
  dut.out_wready_i = in.out_wready;
  give(dut.inp_rvalid_i, dut.inp_rdata_i, in.inp_beat, kBand);
  give(dut.kern_rvalid_i, dut.kern_rdata_i, in.kern_beat, kBand);
  dut.inp_rlast_i = in.inp_beat && in.inp_last;
  dut.kern_rlast_i = in.kern_beat && in.kern_last;
  dut.out_bvalid_i = in.response;
  dut.clk_i = 0;
  dut.eval();

  AxiOutputs out;
  const auto request = [](auto address, auto length) {
    return fpgpt::BurstRequest{static_cast<Address>(address), static_cast<int>(length) + 1};
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
  }
  auto* const root = dut.rootp;
  const auto fifo = [](FifoEvent& event, bool push, bool pop, const auto& data, int lanes) {
    event.push = push;
    event.pop = pop;
    event.words = push ? words_of(data, lanes) : std::vector<std::uint32_t>();
  };
#define WEFT_FIFO(index, name, lanes)                                                                            \
  fifo(fifos[index], root->fpgpt_kernel__DOT__u_##name##__DOT__push_i, root->fpgpt_kernel__DOT__u_##name##__DOT__pop_i, \
       root->fpgpt_kernel__DOT__u_##name##__DOT__data_i, lanes)
  WEFT_FIFO(0, inp_beat, kBand);
  WEFT_FIFO(1, inp_word, kBand);
  WEFT_FIFO(2, inp_group, ALPHA_Z);
  WEFT_FIFO(3, inp_column, ALPHA_X);
  WEFT_FIFO(4, kern_beat, kBand);
  WEFT_FIFO(5, kern_word, 1 + 0 * ALPHA_Y);
  WEFT_FIFO(6, kern_row, ALPHA_Y);
  WEFT_FIFO(7, out_row, ALPHA_X);
  WEFT_FIFO(8, out_group, ALPHA_X);
  WEFT_FIFO(9, out_beat, kBand);
#undef WEFT_FIFO
  if (fifos[5].push) {  // one FIFO for both variants: as many lanes as the wider of them has
    constexpr int kFgiLanes = ALPHA_WIDE ? ALPHA_BAND : 1;
    fifos[5].words = words_of(root->fpgpt_kernel__DOT__u_kern_word__DOT__data_i, kFgiLanes > ALPHA_Y ? kFgiLanes : ALPHA_Y);
  }
  dut.clk_i = 1;
  dut.eval();
  return out;
}

bool RtlKernel::finish() {
  Vfpgpt_kernel& dut = model_->dut;
  dut.inp_rvalid_i = dut.kern_rvalid_i = dut.out_bvalid_i = 0;
  for (int i = 0; i < 100000; ++i) {
    if (model_->read(0) & 2) return model_->read(4) == 0;
  }
  return false;
}

}  // namespace weft::test
