// Runs convolutions on the RTL kernel with an ideal memory. Checks OUT bit by bit against a direct evaluation of
// section 10 of CONTRACT.md, the worked examples, and that the activity counters of each block sum to T.
#include "bench.h"

#include <map>
#include <memory>

#include "Vkernel.h"
#include "Vkernel___024root.h"

namespace {

// alpha, as the Makefile passes it to Verilator and to this file.
constexpr int64_t kX = ALPHA_X, kY = ALPHA_Y, kZ = ALPHA_Z, kBand = ALPHA_BAND, kZChannel = ALPHA_ZCHANNEL,
                  kKRange = ALPHA_KRANGE, kKernWords = ALPHA_KERN_WORDS, kOutWords = ALPHA_OUT_WORDS,
                  kMaxSets = ALPHA_MAX_SETS;
// Number format (section 2), F, and words per beat of INP and KERN; kBand is the words per beat of OUT.
constexpr int64_t kWordBits = ALPHA_WORD_BITS, kLaneBits = ALPHA_LANE_BITS;
constexpr bool kFixed = kWordBits <= 16;
constexpr int64_t kFinal = kFixed ? 0 : 8, kInBand = kBand * 32 / kLaneBits;
constexpr bool kWide = ALPHA_WIDE_KERN_LOAD, kOverlap = ALPHA_OVERLAP_DRAIN, kPacked = ALPHA_PACKED_GW_SETS;

#ifndef ALPHA_HAS_FGI
#define ALPHA_HAS_FGI 1
#endif
#ifndef ALPHA_HAS_GW
#define ALPHA_HAS_GW 1
#endif
constexpr bool kHasFgi = ALPHA_HAS_FGI, kHasGw = ALPHA_HAS_GW;

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

enum Kind { kF = 0, kGi = 1, kGw = 2 };

struct Beta {
  int64_t kind = kF, a = 1, n_inp = 1, n_kern = 1, c = 1;
  int64_t inp[2]{1, 1}, kern[2]{1, 1}, out[2]{1, 1}, stride[2]{1, 1}, pad[2]{0, 0}, inp_dil[2]{1, 1}, kern_dil[2]{1, 1};
  int64_t inp_base = 0, kern_base = 0,
          out_base = 0;  // words; INP's and KERN's counted in beats of kInBand from address 0
  int64_t inp_pitch_a = 0, inp_pitch_n = 0, inp_pitch_c = 0, kern_pitch_a = 0, out_pitch_n = 0;

  int64_t window(int axis) const { return kern_dil[axis] * (kern[axis] - 1) + 1; }
  int64_t outputs() const { return out[0] * out[1]; }
  int64_t sets() const { return ceil_div(outputs(), kX); }
  int64_t kern_words() const { return c * kern[0] * kern[1]; }
  int64_t images() const { return kind == kGw ? n_kern : a * n_inp; }
  int64_t maps() const { return kind == kGw ? n_inp : n_kern; }
  // Returns the stored coordinate that output o reads at window position p, -1 if there is none.
  int64_t sample(int axis, int64_t o, int64_t p) const {
    int64_t y = o * stride[axis] - pad[axis] + p;
    if (y < 0 || y > (inp[axis] - 1) * inp_dil[axis] || y % inp_dil[axis] != 0) return -1;
    return y / inp_dil[axis];
  }
  void pack() {
    inp_pitch_c = inp[0] * inp[1];
    inp_pitch_n = c * inp_pitch_c;
    inp_pitch_a = n_inp * inp_pitch_n;
    kern_pitch_a = n_kern * kern_words();
    out_pitch_n = maps() * outputs();
  }
  std::string text() const {
    char b[400];
    snprintf(b, sizeof b,
             "%s A%ld N%ld K%ld C%ld inp %ldx%ld kern %ldx%ld out %ldx%ld stride %ld,%ld pad %ld,%ld inp_dil %ld,%ld "
             "kern_dil "
             "%ld,%ld bases %ld,%ld,%ld pitch_c %ld out_pitch %ld",
             kind == kF    ? "F"
             : kind == kGi ? "GI"
                           : "GW",
             a, n_inp, n_kern, c, inp[0], inp[1], kern[0], kern[1], out[0], out[1], stride[0], stride[1], pad[0],
             pad[1], inp_dil[0], inp_dil[1], kern_dil[0], kern_dil[1], inp_base, kern_base, out_base, inp_pitch_c,
             out_pitch_n);
    return b;
  }
};

// Computes Zch and Z: the words between the lowest and the highest address that one position of one set touches.
void extents(const Beta& b, int64_t& zch, int64_t& z) {
  zch = z = 1;
  for (int64_t s = 0; s < b.sets(); s++) {
    int64_t set_low = INT64_MAX, set_high = -1;
    for (int64_t i = 0; i < b.window(0); i++)
      for (int64_t j = 0; j < b.window(1); j++) {
        int64_t low = INT64_MAX, high = -1;
        for (int64_t o = s * kX; o < std::min((s + 1) * kX, b.outputs()); o++) {
          int64_t row = b.sample(0, o / b.out[1], i), col = b.sample(1, o % b.out[1], j);
          if (row < 0 || col < 0) continue;
          low = std::min(low, row * b.inp[1] + col);
          high = std::max(high, row * b.inp[1] + col);
        }
        if (high >= 0) z = std::max(z, high - low + 1);
        set_low = std::min(set_low, low);
        set_high = std::max(set_high, high);
      }
    if (set_high >= 0) zch = std::max(zch, set_high - set_low + 1);
  }
}

// --- Numbers (section 10)
// -------------------------------------------------------------------------------------------------------

uint32_t mul(uint32_t a, uint32_t b) {
  return kFixed ? uint32_t(int64_t(int32_t(a)) * int32_t(b)) : mul_fp32(a, b);
}
uint32_t add(uint32_t a, uint32_t b) {
  return kFixed ? a + b : add_fp32(a, b);
}

// Fixed point: sign-extended, as memory delivers the words.
int32_t sign_extended(uint32_t word) {
  return int32_t(word << (32 - kWordBits)) >> (32 - kWordBits);
}
uint32_t random_word(Rng& rng, bool wild) {
  if (kFixed) {
    // The largest and smallest values make sums wrap.
    const uint32_t edge = uint32_t(1) << (kWordBits - 1);
    if (wild && rng() % 4 != 0) return uint32_t(sign_extended(rng() % 2 ? edge : edge - 1));
    return uint32_t(sign_extended(uint32_t(rng())));
  }
  return random_fp32(rng, wild);
}

struct Burst {
  int64_t cycle, beat, length;
};

struct Trace {
  std::map<std::string, std::vector<int64_t>> push, pop;
  std::vector<Burst> inp, kern, out;
  std::vector<int64_t> out_beats, responses;
  std::vector<int64_t> array_pushes;  // array cycle of each row given
  int64_t array_cycles = 0;
};

#define FIFOS(f)                                                                                                   \
  f(inp_beat) f(inp_word) f(inp_group) f(inp_column) f(kern_beat) f(kern_word) f(kern_row) f(out_row) f(out_group) \
      f(out_beat)

struct Bench : AxiBench<Vkernel, kBand, Bench> {
  ReadPort inp, kern;
  Trace trace;

  // Word w of INP or KERN: lane w mod kInBand of its beat (PCK-1).
  uint32_t word(int64_t w) const {
    if (!kFixed) return memory[w];
    uint32_t value = 0;
    for (int64_t i = 0; i < kWordBits; i++) value |= (memory[bit(w, i) / 32] >> (bit(w, i) % 32) & 1) << i;
    return uint32_t(sign_extended(value));
  }
  void set_word(int64_t w, uint32_t value) {
    if (!kFixed) {
      memory[w] = value;
      return;
    }
    for (int64_t i = 0; i < kWordBits; i++) {
      uint32_t& unit = memory[bit(w, i) / 32];
      unit = (unit & ~(uint32_t(1) << bit(w, i) % 32)) | (value >> i & 1) << bit(w, i) % 32;
    }
  }
  static int64_t bit(int64_t w, int64_t i) { return w / kInBand * kBand * 32 + w % kInBand * kLaneBits + i; }

  void tick() {
    auto* r = dut.rootp;
    dut.inp_arready_i = maybe();
    dut.kern_arready_i = maybe();
    dut.out_awready_i = maybe();
    dut.out_wready_i = maybe();
    give_beat(inp, dut.inp_rvalid_i, dut.inp_rlast_i, dut.inp_rdata_i);
    give_beat(kern, dut.kern_rvalid_i, dut.kern_rlast_i, dut.kern_rdata_i);
    dut.out_bvalid_i = response_visible();
    dut.clk_i = 0;
    dut.eval();

    int64_t cycle = int64_t(r->fpgpt_kernel__DOT__cycle);
    if (r->fpgpt_kernel__DOT__running) {
#define RECORD(n)                                                                  \
  if (r->fpgpt_kernel__DOT__u_##n##__DOT__push_i) trace.push[#n].push_back(cycle); \
  if (r->fpgpt_kernel__DOT__u_##n##__DOT__pop_i) trace.pop[#n].push_back(cycle);
      FIFOS(RECORD)
#undef RECORD
      if (r->fpgpt_kernel__DOT__u_array__DOT__advance) {
        if (r->fpgpt_kernel__DOT__u_out_row__DOT__push_i) trace.array_pushes.push_back(trace.array_cycles);
        trace.array_cycles++;
      }
    }
    if (dut.inp_arvalid_o && dut.inp_arready_i) {
      request(inp, dut.inp_araddr_o, dut.inp_arlen_o + 1);
      trace.inp.push_back({cycle, int64_t(dut.inp_araddr_o / (kBand * 4)), dut.inp_arlen_o + 1});
      check_page(dut.inp_araddr_o, dut.inp_arlen_o + 1);
    }
    if (dut.kern_arvalid_o && dut.kern_arready_i) {
      request(kern, dut.kern_araddr_o, dut.kern_arlen_o + 1);
      trace.kern.push_back({cycle, int64_t(dut.kern_araddr_o / (kBand * 4)), dut.kern_arlen_o + 1});
      check_page(dut.kern_araddr_o, dut.kern_arlen_o + 1);
    }
    if (dut.inp_rvalid_i && dut.inp_rready_o) inp.beats.pop_front();
    if (dut.kern_rvalid_i && dut.kern_rready_o) kern.beats.pop_front();
    inp.held = dut.inp_rvalid_i && !dut.inp_rready_o;
    kern.held = dut.kern_rvalid_i && !dut.kern_rready_o;
    response_held = dut.out_bvalid_i && !dut.out_bready_o;
    if (dut.out_bvalid_i && dut.out_bready_o) {
      responses.pop_front();
      trace.responses.push_back(cycle);
    }
    if (dut.out_awvalid_o && dut.out_awready_i) {
      aws.push_back({int64_t(dut.out_awaddr_o / (kBand * 4)), dut.out_awlen_o + 1, now});
      trace.out.push_back({cycle, aws.back().beat, aws.back().length});
      check_page(dut.out_awaddr_o, dut.out_awlen_o + 1);
    }
    if (dut.out_wvalid_o && dut.out_wready_i) {
      take_beat(dut.out_wdata_o, dut.out_wstrb_o, dut.out_wlast_o);
      trace.out_beats.push_back(cycle);
    }
    store();
    dut.clk_i = 1;
    dut.eval();
    now++;
  }

  void check_page(uint64_t address, int64_t beats) {
    if (address / 4096 != (address + beats * kBand * 4 - 1) / 4096) fail("burst crosses 4 KB");
  }

  void configure(const Beta& b) {
    // Fixed point: the base is an arbitrary beat before the first word.
    const int64_t inp_beat = b.inp_base / kInBand - b.inp_base % 5, kern_beat = b.kern_base / kInBand - b.kern_base % 3;
    const int64_t inp_address = kFixed ? inp_beat * kBand * 4 : b.inp_base * 4;
    const int64_t kern_address = kFixed ? kern_beat * kBand * 4 : b.kern_base * 4;
    uint32_t w[] = {uint32_t(b.kind),
                    uint32_t(b.a),
                    uint32_t(b.n_inp),
                    uint32_t(b.n_kern),
                    uint32_t(b.c),
                    uint32_t(b.inp[0]),
                    uint32_t(b.inp[1]),
                    uint32_t(b.kern[0]),
                    uint32_t(b.kern[1]),
                    uint32_t(b.out[0]),
                    uint32_t(b.out[1]),
                    uint32_t(b.stride[0]),
                    uint32_t(b.stride[1]),
                    uint32_t(b.pad[0]),
                    uint32_t(b.pad[1]),
                    uint32_t(b.inp_dil[0]),
                    uint32_t(b.inp_dil[1]),
                    uint32_t(b.kern_dil[0]),
                    uint32_t(b.kern_dil[1]),
                    uint32_t(inp_address),
                    0,
                    uint32_t(kern_address),
                    0,
                    uint32_t(b.out_base * 4),
                    0,
                    uint32_t(b.inp_pitch_a),
                    uint32_t(b.inp_pitch_n),
                    uint32_t(b.inp_pitch_c),
                    uint32_t(b.kern_pitch_a),
                    uint32_t(b.out_pitch_n),
                    uint32_t(b.inp_base - inp_beat * kInBand),
                    uint32_t(b.kern_base - kern_beat * kInBand)};
    for (uint32_t i = 0; i < (kFixed ? 32 : 30); i++) write(0x20 + 4 * i, w[i]);
  }

  uint32_t oracle(const Beta& b, int64_t a, int64_t n, int64_t k, int64_t o) const {
    uint32_t partial[4] = {0, 0, 0, 0};
    int64_t m = 0;
    for (int64_t c = 0; c < b.c; c++)
      for (int64_t i = 0; i < b.window(0); i++)
        for (int64_t j = 0; j < b.window(1); j++, m++) {
          uint32_t x = 0, w = 0;
          int64_t row = b.sample(0, o / b.out[1], i), col = b.sample(1, o % b.out[1], j);
          if (row >= 0 && col >= 0)
            x = word(b.inp_base + a * b.inp_pitch_a + n * b.inp_pitch_n + c * b.inp_pitch_c + row * b.inp[1] + col);
          if (i % b.kern_dil[0] == 0 && j % b.kern_dil[1] == 0) {
            int64_t h = i / b.kern_dil[0], v = j / b.kern_dil[1];
            int64_t index = b.kind == kGi
                                ? ((c * b.n_kern + k) * b.kern[0] + b.kern[0] - 1 - h) * b.kern[1] + b.kern[1] - 1 - v
                                : ((k * b.c + c) * b.kern[0] + h) * b.kern[1] + v;
            w = word(b.kern_base + (b.kind == kGw ? a * b.kern_pitch_a : 0) + index);
          }
          partial[m % 4] = add(partial[m % 4], mul(x, w));
        }
    return add(add(partial[0], partial[1]), add(partial[2], partial[3]));
  }

  // Runs one convolution and returns T.
  int64_t run(const Beta& b, bool verbose = false) {
    int64_t failures_before = failures;
    std::vector<uint32_t> expected = memory;
    for (int64_t image = 0; image < b.images(); image++)
      for (int64_t map = 0; map < b.maps(); map++)
        for (int64_t o = 0; o < b.outputs(); o++) {
          uint32_t value = 0;
          if (b.kind == kGw) {
            for (int64_t a = 0; a < b.a; a++) {
              uint32_t one = oracle(b, a, map, image, o);
              value = a == 0 ? one : add(value, one);
            }
          } else {
            value = oracle(b, image / b.n_inp, image % b.n_inp, map, o);
          }
          expected[b.out_base + image * b.out_pitch_n + map * b.outputs() + o] = value;
        }

    configure(b);
    trace = Trace();
    write(0, 1);
    int64_t guard = 0;
    while (!dut.rootp->fpgpt_kernel__DOT__running && guard++ < 1000000 && (read(0) & 2) == 0) {
    }
    int64_t limit = 20000000;
    while (dut.rootp->fpgpt_kernel__DOT__running && limit-- > 0) tick();
    if (limit <= 0) {
      fail("hangs: " + b.text());
      exit(1);
    }
    for (limit = 100000; (read(0) & 2) == 0 && limit > 0;) limit--;
    if (limit == 0) fail("never done: " + b.text());
    check_counts(b);
    uint32_t status = read(4);
    if (status != 0) fail("error " + std::to_string(status) + ": " + b.text());
    int64_t cycles = int64_t(read(8)) | int64_t(read(12)) << 32;
    if (!trace.responses.empty() && trace.responses.back() + 1 != cycles)
      fail("T is not the last response's cycle + 1");
    for (int block = 0; block < 11; block++) {
      int64_t sum = 0;
      for (int k = 0; k < 4; k++) sum += read(0x100 + uint32_t(block * 16 + k * 4));
      if (sum != cycles) fail("activity of block " + std::to_string(block) + " does not sum to T");
    }
    if (!inp.beats.empty() || !kern.beats.empty() || !responses.empty()) fail("memory still busy: " + b.text());
    compare(expected, "OUT", b.out_base);
    total_cycles += cycles;
    if (verbose || failures != failures_before)
      printf("%s T %ld: %s\n", failures == failures_before ? "ok  " : "FAIL", cycles, b.text().c_str());
    return cycles;
  }

  // Checks the number of tokens that pass each FIFO, and of array cycles, which do not depend on stalls.
  void check_counts(const Beta& b) {
    int64_t zch, z;
    extents(b, zch, z);
    int64_t sets = b.sets(), groups = ceil_div(b.n_kern, kY), passes = b.a * b.n_inp,
            m = b.c * b.window(0) * b.window(1);
    int64_t windows = passes * groups * sets * b.c, align_m = ceil_div(m, kY) * kY;
    int64_t p = std::max<int64_t>({b.kind == kGw && !kPacked ? align_m : m, kY, kFinal});
    auto count = [&](const char* fifo, int64_t want) {
      int64_t pushed = int64_t(trace.push[fifo].size()), popped = int64_t(trace.pop[fifo].size());
      if (pushed != want || popped != want)
        fail(std::string(fifo) + ": " + std::to_string(pushed) + " pushed, " + std::to_string(popped) +
             " popped, expected " + std::to_string(want) + ": " + b.text());
    };
    int64_t inp_beats = 0, out_beats = 0;
    for (int64_t a = 0; a < b.a; a++)
      for (int64_t n = 0; n < b.n_inp; n++)
        for (int64_t s = 0; s < sets; s++) {
          int64_t start = INT64_MAX;
          for (int64_t o = s * kX; o < std::min((s + 1) * kX, b.outputs()); o++)
            for (int64_t i = 0; i < b.window(0); i++)
              for (int64_t j = 0; j < b.window(1); j++) {
                int64_t row = b.sample(0, o / b.out[1], i), col = b.sample(1, o % b.out[1], j);
                if (row >= 0 && col >= 0) start = std::min(start, row * b.inp[1] + col);
              }
          if (start == INT64_MAX) start = 0;
          for (int64_t c = 0; c < b.c; c++) {
            int64_t w = b.inp_base + a * b.inp_pitch_a + n * b.inp_pitch_n + start + c * b.inp_pitch_c;
            inp_beats += groups * ((w + zch - 1) / kInBand - w / kInBand + 1);
          }
        }
    count("inp_beat", inp_beats);
    count("inp_word", inp_beats);
    count("inp_group", windows * ceil_div(zch, kZ));
    count("inp_column", passes * groups * sets * m);
    int64_t kern_beats = 0, range = b.n_kern * b.kern_words();
    for (int64_t a = 0; a < (b.kind == kGw ? b.a : 1); a++) {
      int64_t w = b.kern_base + a * b.kern_pitch_a;
      kern_beats += ((w + range - 1) / kInBand - w / kInBand + 1) * (b.kind == kGw ? b.n_inp : 1);
    }
    count("kern_beat", kern_beats);
    count("kern_word", b.kind == kGw ? passes * b.n_kern * ceil_div(b.kern_words(), kY) : kWide ? kern_beats : range);
    count("out_row", passes * groups * sets * kY);
    count("out_group", b.images() * b.maps() * sets);
    bool dense = b.images() == 1 || b.out_pitch_n == b.maps() * b.outputs();
    for (int64_t i = 0; i < (dense ? 1 : b.images()); i++) {
      int64_t w = b.out_base + i * b.out_pitch_n, words = (dense ? b.images() : 1) * b.maps() * b.outputs();
      out_beats += (w + words - 1) / kBand - w / kBand + 1;
    }
    count("out_beat", out_beats);
    int64_t array_cycles =
        kOverlap ? (passes * groups * sets - 1) * p + m + kFinal + kY : passes * groups * (p * sets + kY + kFinal);
    // Without overlap_drain the convolution may end while the array still counts the cycles after its last row (M < P).
    int64_t not_counted = array_cycles - trace.array_cycles, round_tokens = p * sets + kY;
    if (kOverlap) {
      count("kern_row", passes * groups * m * sets);
    } else {
      int64_t pushed = int64_t(trace.push["kern_row"].size()), popped = int64_t(trace.pop["kern_row"].size());
      int64_t all = passes * groups * round_tokens, not_taken = std::max<int64_t>(0, not_counted - kFinal);
      if (pushed > all || pushed < popped || popped != all - not_taken)
        fail("kern_row: " + std::to_string(pushed) + " pushed, " + std::to_string(popped) + " popped, expected " +
             std::to_string(all - not_taken) + ": " + b.text());
    }
    if (not_counted < 0 || not_counted > (kOverlap ? 0 : p - m))
      fail(std::to_string(trace.array_cycles) + " array cycles, expected " + std::to_string(array_cycles) + ": " +
           b.text());
    // Checks ARR-3.
    std::vector<int64_t> given;
    for (int64_t round = 0; round < passes * groups; round++)
      for (int64_t s = 0; s < sets; s++)
        for (int64_t y = 0; y < kY; y++)
          given.push_back(kOverlap ? (round * sets + s) * p + m + kFinal + y
                                   : round * (p * sets + kY + kFinal) + s * p + m + kFinal + y);
    if (given != trace.array_pushes) fail("rows are not given in the array cycles of ARR-3: " + b.text());
  }

  void fill(const Beta& b, bool wild) {
    for (auto& w : memory) w = 0x7FA00000 | uint32_t(rng() & 0xFFFFF);  // must not be read
    for (int64_t a = 0; a < b.a; a++)
      for (int64_t n = 0; n < b.n_inp; n++)
        for (int64_t c = 0; c < b.c; c++)
          for (int64_t i = 0; i < b.inp[0] * b.inp[1]; i++)
            set_word(b.inp_base + a * b.inp_pitch_a + n * b.inp_pitch_n + c * b.inp_pitch_c + i,
                     random_word(rng, wild));
    for (int64_t a = 0; a < (b.kind == kGw ? b.a : 1); a++)
      for (int64_t i = 0; i < b.n_kern * b.kern_words(); i++)
        set_word(b.kern_base + a * b.kern_pitch_a + i, random_word(rng, wild));
  }

  bool fits(const Beta& b) const {
    int64_t zch, z;
    for (int axis = 0; axis < 2; axis++)
      if (b.out[axis] < 1 || b.inp[axis] < 1) return false;
    if (b.sets() > kMaxSets) return false;
    extents(b, zch, z);
    if (zch > kZChannel || z > kZ) return false;
    // Limits of section 2 of the contract.
    if (b.kind == kGw && b.n_kern * b.kern_words() > kKRange) return false;
    if ((b.kind == kGw ? 2 : ceil_div(b.n_kern, kY)) * kY * b.kern_words() > kKernWords) return false;
    if ((b.kind == kGw ? b.n_kern * b.n_inp : 2 * kY) * b.sets() * kX > kOutWords) return false;
    // Keeps a convolution short: every window is read with the floor of Gamma_Burst(z_channel) beats, 768 for a large
    // one.
    if (kZChannel > 1000 && b.a * b.n_inp * ceil_div(b.n_kern, kY) * b.sets() * b.c > 150) return false;
    double products = double(b.a * b.n_inp) * double(ceil_div(b.n_kern, kY)) * double(b.sets()) *
                      double(std::max<int64_t>(b.c * b.window(0) * b.window(1), 8));
    return products < 60000;
  }

  Beta random_beta() {
    for (;;) {
      Beta b;
      b.kind = int64_t(rng() % 3);
      if (b.kind == kGw ? !kHasGw : !kHasFgi) continue;
      b.a = b.kind == kGw ? pick(rng, 1, 3) : 1;
      b.n_inp = pick(rng, 1, 3);
      b.n_kern = pick(rng, 1, 2 * kY + 2);
      b.c = b.kind == kGw ? 1 : pick(rng, 1, 4);
      for (int axis = 0; axis < 2; axis++) {
        b.inp[axis] = pick(rng, 1, kZChannel > 1000 && rng() % 2 ? 60 : 9);
        b.kern[axis] = pick(rng, 1, b.kind != kGw ? 3 : kZChannel > 1000 && rng() % 2 ? 30 : 6);
        b.stride[axis] = pick(rng, 1, 3);
        b.inp_dil[axis] = rng() % 2 ? 1 : pick(rng, 1, 3);
        b.kern_dil[axis] = rng() % 2 ? 1 : pick(rng, 1, 3);
        b.pad[axis] = pick(rng, -1, 3);
        int64_t span = (b.inp[axis] - 1) * b.inp_dil[axis] + 1 + b.pad[axis] + pick(rng, -1, 3) - b.window(axis);
        b.out[axis] = span < 0 ? 0 : span / b.stride[axis] + 1;
      }
      b.pack();
      if (!fits(b)) continue;
      // Random gaps between channels, images and tensors, and bases in the middle of a beat.
      if (rng() % 2) b.inp_pitch_c += pick(rng, 0, 7);
      b.inp_pitch_n = b.c * b.inp_pitch_c + (rng() % 2 ? pick(rng, 0, 40) : 0);
      b.inp_pitch_a = b.n_inp * b.inp_pitch_n + (rng() % 2 ? pick(rng, 0, 40) : 0);
      if (rng() % 2) b.kern_pitch_a += pick(rng, 0, 40);
      if (rng() % 2) b.out_pitch_n += pick(rng, 0, 40);
      b.inp_base = 4096 + pick(rng, 0, 1500);
      b.kern_base = 300000 + pick(rng, 0, 1500);
      b.out_base = 600000 + pick(rng, 0, 1500);
      return b;
    }
  }

  // Checks that a convolution beyond alpha is rejected with the number of the limit, without memory access.
  void refuse(const Beta& b, uint32_t number) {
    configure(b);
    trace = Trace();
    write(0, 1);
    for (int64_t limit = 1000000; (read(0) & 2) == 0;)
      if (limit-- == 0) return fail("never refused: " + b.text());
    if (read(4) != number)
      fail("refused with " + std::to_string(read(4)) + ", expected " + std::to_string(number) + ": " + b.text());
    if (read(8) != 0 || !trace.inp.empty() || !trace.kern.empty()) fail("runs although it was refused: " + b.text());
  }

  void refusals() {
    Beta ok;
    ok.out_pitch_n = 1;
    Beta b = ok;
    if (!kHasFgi || !kHasGw) {
      b.kind = kHasFgi ? kGw : kGi;
      return refuse(b, 1);
    }
    b.c = 0;
    refuse(b, 2);
    b = ok;
    b.inp_dil[1] = 0;
    refuse(b, 2);
    b = ok;
    b.inp[1] = b.out[1] = kX * kMaxSets + 1;
    refuse(b, 3);
    b = ok;
    b.inp[1] = b.kern[1] = kZChannel + 1;
    refuse(b, 4);
    b = ok;
    b.kind = kGw;
    b.kern[1] = kKernWords / (2 * kY) + 1;
    refuse(b, 5);
    b = ok;
    b.n_kern = kKernWords / kY * kY + 1;
    refuse(b, 5);
    b = ok;
    b.kind = kGw;
    b.n_inp = kOutWords / kX + 1;
    refuse(b, 6);
    b = ok;
    b.kind = kGw;
    b.n_kern = kKRange + 1;
    refuse(b, kKRange < kOutWords / kX ? 7 : 6);
    // Products above 32 bits: 2^32 and 2^33 words of KERN, 2^32 rows of OUT.
    b = ok;
    b.c = int64_t{1} << 31;
    b.kern[1] = 2;
    refuse(b, 5);
    b.c = int64_t{1} << 16;
    b.kern[1] = 1;
    b.n_kern = int64_t{1} << 17;
    refuse(b, 5);
    b = ok;
    b.n_kern = 0xFFFFFFFF;
    refuse(b, 5);
    b = ok;
    b.kind = kGw;
    b.n_inp = b.n_kern = int64_t{1} << 16;
    refuse(b, 6);
  }

  // --- Worked examples
  // ----------------------------------------------------------------------------------------------------------

  static std::vector<int64_t> range(int64_t from, int64_t to) {
    std::vector<int64_t> v;
    for (int64_t i = from; i <= to; i++) v.push_back(i);
    return v;
  }

  // Section 12: the complete convolution, cycle by cycle.
  void example_convolution() {
    Beta b;
    b.inp[0] = b.inp[1] = 4;
    b.kern[0] = b.kern[1] = 3;
    b.out[0] = b.out[1] = 2;
    b.pack();
    b.inp_base = 4096;
    b.kern_base = 8192;
    b.out_base = 16384;
    fill(b, false);
    int64_t t = run(b, true);
    const int64_t sooner = 8 - kFinal;
    if (t != 31 - sooner) fail("section 12: T is " + std::to_string(t) + ", expected " + std::to_string(31 - sooner));
    auto burst_cycles = [](const std::vector<Burst>& bursts) {
      std::vector<int64_t> v;
      for (auto& x : bursts) v.push_back(x.cycle);
      return v;
    };
    expect("section 12, INP address", burst_cycles(trace.inp), {0});
    expect("section 12, KERN address", burst_cycles(trace.kern), {0});
    expect("section 12, inp_beat pushed", trace.push["inp_beat"], {1});
    expect("section 12, kern_beat pushed", trace.push["kern_beat"], {1});
    expect("section 12, INP decoded", trace.push["inp_word"], {2});
    expect("section 12, KERN decoded", trace.push["kern_word"], {2});
    expect("section 12, construct takes", trace.pop["inp_word"], {3});
    expect("section 12, construct gives", trace.push["inp_group"], {3, 4, 5});
    expect("section 12, feeder stores", trace.pop["kern_word"], {3});
    if (trace.push["kern_row"].empty() || trace.push["kern_row"][0] != 4)
      fail("section 12: kern_row 0 is not given in cycle 4");
    expect("section 12, im2col takes", trace.pop["inp_group"], {4, 5, 6});
    expect("section 12, im2col gives", trace.push["inp_column"], range(7, 15));
    expect("section 12, array takes columns", trace.pop["inp_column"], range(8, 16));
    expect("section 12, array gives", trace.push["out_row"], {25 - sooner});
    expect("section 12, constructor takes", trace.pop["out_row"], {26 - sooner});
    expect("section 12, constructor gives", trace.push["out_group"], {27 - sooner});
    expect("section 12, encode takes", trace.pop["out_group"], {28 - sooner});
    expect("section 12, encode gives", trace.push["out_beat"], {28 - sooner});
    expect("section 12, OUT address", burst_cycles(trace.out), {29 - sooner});
    expect("section 12, OUT beat", trace.out_beats, {29 - sooner});
    expect("section 12, response", trace.responses, {30 - sooner});
  }

  // Section 5 (FP32, hls, BAND 16, z_channel 20): a window of 20 words from word 4090.
  void example_reader() {
    Beta b;
    b.inp[1] = 20;
    b.kern[1] = 17;
    b.out[1] = 2;
    b.stride[1] = 3;
    b.pack();
    b.inp_base = 4090;
    b.kern_base = 8192;
    b.out_base = 16384;
    fill(b, false);
    run(b, true);
    if (trace.inp.size() != 2 || trace.inp[0].cycle != 0 || trace.inp[0].beat != 255 || trace.inp[0].length != 1 ||
        trace.inp[1].cycle != 1 || trace.inp[1].beat != 256 || trace.inp[1].length != 47)
      fail("section 5: bursts are not 1 beat at 16320 in cycle 0 and 47 beats at 16384 in cycle 1");
    expect("section 5, useful beats", trace.push["inp_beat"], {1, 2});

    // Section 6, GRP-1 (Z = 5): the same window without an offset.
    b.inp_base = 4096;
    fill(b, false);
    run(b, true);
    int64_t first = trace.pop["inp_word"].empty() ? -1 : trace.pop["inp_word"][0];
    expect("GRP-1, takes", trace.pop["inp_word"], {first, first + 3});
    expect("GRP-1, gives", trace.push["inp_group"], range(first, first + 3));
  }

  // Section 8 (hls, X = Y = 2): F, M = 9, S = 3.
  void example_array() {
    Beta b;
    b.n_kern = 2;
    b.inp[0] = 4;
    b.inp[1] = 5;
    b.kern[0] = b.kern[1] = 3;
    b.out[0] = 2;
    b.out[1] = 3;
    b.pack();
    b.inp_base = 4096;
    b.kern_base = 8192;
    b.out_base = 16384;
    fill(b, false);
    run(b, true);
    if (kFixed) {
      expect("section 8, rows given", trace.array_pushes, {9, 10, 18, 19, 27, 28});
    } else {
      expect("section 8, rows given", trace.array_pushes, {17, 18, 26, 27, 35, 36});
    }
    if (trace.array_cycles != 29 + kFinal)
      fail("section 8: the group lasts " + std::to_string(trace.array_cycles) + " array cycles");
  }
};

}  // namespace

int main(int argc, char** argv) {
  auto bench = std::make_unique<Bench>();
  const BenchOptions options = read_options(argc, argv, "--convolutions", *bench);
  bench->response_latency = bench->latency;
  if (options.examples && !bench->stress && bench->latency == 0) {
#ifdef EXAMPLE_RTL
    bench->example_convolution();
#endif
#ifdef EXAMPLE_HLS
    if (!kFixed) bench->example_reader();
    bench->example_array();
#endif
  }
  bench->refusals();
  int64_t by_kind[3] = {0, 0, 0};
  for (int64_t i = 0; i < options.count; i++) {
    Beta b = bench->random_beta();
    by_kind[b.kind]++;
    bench->fill(b, i % 4 == 3);
    bench->run(b, options.verbose);
  }
  bench->dut.final();
  printf("%s: %ld F, %ld GI, %ld GW convolutions, %ld cycles, %ld failures\n", argv[0], by_kind[0], by_kind[1],
         by_kind[2], bench->total_cycles, bench->failures);
  return bench->failures != 0;
}
