// Shared parts of the RTL benches: numbers, a memory with AXI, registers with AXI4-Lite.
//
// The memory: the beats of an address accepted in cycle t become visible from t+1+latency on, one per cycle, in order.
// A write response is visible response_latency+1 cycles after the last beat. `stress` adds random stalls and delays.
#pragma once

#include <pmmintrin.h>
#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "verilated.h"

// FP32 as the units compute it: the processor's arithmetic with denormals as zero and a single NaN.

inline void flush_denormals() {
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
}
inline float as_float(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}
inline uint32_t canonical(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return (u & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : u;
}
inline uint32_t mul_fp32(uint32_t a, uint32_t b) {
  volatile float x = as_float(a), y = as_float(b);
  volatile float z = x * y;
  return canonical(z);
}
inline uint32_t add_fp32(uint32_t a, uint32_t b) {
  volatile float x = as_float(a), y = as_float(b);
  volatile float z = x + y;
  return canonical(z);
}

using Rng = std::mt19937_64;

inline int64_t pick(Rng& rng, int64_t low, int64_t high) {
  return low + int64_t(rng() % uint64_t(high - low + 1));
}
// `wild`: includes infinities, NaNs and denormals.
inline uint32_t random_fp32(Rng& rng, bool wild) {
  if (wild && rng() % 16 == 0) {
    static const uint32_t special[] = {0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF,
                                       0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x3F800000, 0xBF800000};
    return special[rng() % 12];
  }
  if (wild && rng() % 2) return uint32_t(rng());
  const uint32_t exponent = 120 + uint32_t(rng() % 12);
  return uint32_t(rng() & 0x807FFFFF) | exponent << 23;
}

constexpr int64_t kMemoryWords = 1 << 20;

struct ReadPort {
  struct Beat {
    int64_t visible, beat;
    bool last;
  };
  std::deque<Beat> beats;
  int64_t last_visible = -1;
  bool held = false;
};

// A kernel with kBand words per beat. `Kernel`: its bench, which defines tick().
template <class Dut, int64_t kBand, class Kernel>
struct AxiBench {
  VerilatedContext context;
  Dut dut{&context};
  std::vector<uint32_t> memory = std::vector<uint32_t>(kMemoryWords);
  Rng rng{1};
  bool stress = false;
  int64_t latency = 0, response_latency = 0, now = 0;
  struct Aw {
    int64_t beat, length, cycle;
  };
  struct W {
    std::array<uint32_t, kBand> data;
    std::array<uint8_t, kBand> strobe;
    bool last;
    int64_t cycle;
  };
  std::deque<Aw> aws;
  std::deque<W> ws;
  std::deque<int64_t> responses;  // first visible cycle of each
  bool response_held = false;
  int64_t written = 0;  // beats written of the first open burst
  int64_t total_cycles = 0, failures = 0;

  bool maybe() { return !stress || rng() % 3 != 0; }
  void fail(const std::string& what) {
    if (failures++ < 20) printf("FAIL: %s\n", what.c_str());
  }
  void expect(const std::string& what, const std::vector<int64_t>& got, const std::vector<int64_t>& want) {
    if (got == want) return;
    std::string text = what + ": got";
    for (int64_t c : got) text += " " + std::to_string(c);
    text += ", expected";
    for (int64_t c : want) text += " " + std::to_string(c);
    fail(text);
  }

  template <class Wide>
  void give_beat(ReadPort& port, CData& valid, CData& last, Wide& data) {
    valid = !port.beats.empty() && port.beats.front().visible <= now && (port.held || maybe());
    last = valid && port.beats.front().last;
    for (int64_t i = 0; i < kBand; i++) data[i] = valid ? memory[port.beats.front().beat * kBand + i] : 0;
  }
  void request(ReadPort& port, uint64_t address, int64_t length) {
    if (address + uint64_t(length * kBand * 4) > kMemoryWords * 4) return fail("reads beyond the memory");
    if (address % (kBand * 4) != 0) fail("an address within a beat");
    for (int64_t i = 0; i < length; i++) {
      port.last_visible = std::max(port.last_visible + 1, now + 1 + latency);
      port.beats.push_back({port.last_visible, int64_t(address / (kBand * 4)) + i, i == length - 1});
    }
  }
  bool response_visible() { return !responses.empty() && responses.front() <= now && (response_held || maybe()); }
  template <class Data, class Strobe>
  void take_beat(const Data& data, const Strobe& strobe, bool last) {
    W& w = ws.emplace_back();
    for (int64_t i = 0; i < kBand; i++) {
      w.data[i] = data[i];
      if constexpr (kBand * 4 > 64)
        w.strobe[i] = (strobe[i / 8] >> (i % 8 * 4)) & 0xF;
      else
        w.strobe[i] = (uint64_t(strobe) >> (i * 4)) & 0xF;
    }
    w.last = last;
    w.cycle = now;
  }
  void store() {
    while (!aws.empty() && !ws.empty()) {
      for (int64_t i = 0; i < kBand; i++) {
        const int64_t at = (aws.front().beat + written) * kBand + i;
        if (at >= kMemoryWords)
          fail("writes beyond the memory");
        else if (ws.front().strobe[i] == 0xF)
          memory[at] = ws.front().data[i];
        else if (ws.front().strobe[i] != 0)
          fail("strobe of a part of a word");
      }
      written++;
      if (ws.front().last != (written == aws.front().length)) fail("WLAST at the wrong beat");
      if (ws.front().last) {
        responses.push_back(std::max(ws.front().cycle, aws.front().cycle) + response_latency + 1);
        aws.pop_front();
        written = 0;
      }
      ws.pop_front();
    }
  }
  // Reports the words that differ from `expected`. `base`: address of the first written word.
  void compare(const std::vector<uint32_t>& expected, const char* name, int64_t base) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < kMemoryWords; i++)
      if (memory[i] != expected[i] && wrong++ < 5)
        printf("  word %ld (%s %+ld): expected %08x, got %08x\n", i, name, i - base, expected[i], memory[i]);
    if (wrong) fail(std::to_string(wrong) + " words differ");
  }

  void tick() { static_cast<Kernel*>(this)->tick(); }
  // Writes a register. Returns the cycle in which it was taken.
  int64_t write(uint32_t address, uint32_t data) {
    dut.s_awaddr_i = address;
    dut.s_wdata_i = data;
    dut.s_wstrb_i = 0xF;
    dut.s_awvalid_i = dut.s_wvalid_i = dut.s_bready_i = 1;
    int64_t taken = -1;
    while (taken < 0) {
      dut.clk_i = 0;
      dut.eval();
      if (dut.s_awready_o && dut.s_wready_o) taken = now;
      tick();
    }
    dut.s_awvalid_i = dut.s_wvalid_i = 0;
    while (!dut.s_bvalid_o) tick();
    tick();
    dut.s_bready_i = 0;
    return taken;
  }
  uint32_t read(uint32_t address) {
    dut.s_araddr_i = address;
    dut.s_arvalid_i = dut.s_rready_i = 1;
    tick();
    dut.s_arvalid_i = 0;
    while (!dut.s_rvalid_o) tick();
    const uint32_t data = dut.s_rdata_o;
    tick();
    dut.s_rready_i = 0;
    return data;
  }
  void reset() {
    dut.rst_ni = 0;
    for (int i = 0; i < 4; i++) tick();
    dut.rst_ni = 1;
    tick();
  }
};

// Options of a bench in addition to those of the memory. `count`: value of the option `counted`, such as "--gemms".
struct BenchOptions {
  int64_t count = 100;
  uint64_t seed = 1;
  bool verbose = false, examples = true;
};
template <class Bench>
BenchOptions read_options(int argc, char** argv, const char* counted, Bench& bench) {
  BenchOptions options;
  for (int i = 1; i < argc; i++) {
    const std::string arg = argv[i];
    if (arg == counted && i + 1 < argc)
      options.count = atoll(argv[++i]);
    else if (arg == "--seed" && i + 1 < argc)
      options.seed = strtoull(argv[++i], nullptr, 0);
    else if (arg == "--latency" && i + 1 < argc)
      bench.latency = atoll(argv[++i]);
    else if (arg == "--response" && i + 1 < argc)
      bench.response_latency = atoll(argv[++i]);
    else if (arg == "--stress")
      bench.stress = true;
    else if (arg == "--verbose")
      options.verbose = true;
    else if (arg == "--no-examples")
      options.examples = false;
    else {
      fprintf(stderr,
              "usage: %s [%s N] [--seed S] [--latency L] [--response L] [--stress] [--verbose] [--no-examples]\n",
              argv[0], counted);
      exit(2);
    }
  }
  flush_denormals();
  bench.rng.seed(options.seed);
  bench.reset();
  return options;
}
