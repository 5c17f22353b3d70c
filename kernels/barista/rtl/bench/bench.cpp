// Runs GEMMs on Barista's RTL with a memory model. Checks C bit by bit against BAR-6 in plain floats, every handshake
// of every cycle against contract.h, the launch (BLC-1 to BLC-4), the activity counters, and the example and closed
// forms of section 7.
#include "bench.h"

#include <memory>

#include "Vkernel.h"
#include "Vkernel___024root.h"
#include "contract.h"

namespace {

constexpr Alpha kAlpha{ALPHA_TR,         ALPHA_TC,        ALPHA_TP,        ALPHA_S1,         ALPHA_BAND,
                       ALPHA_BEAT_DEPTH, ALPHA_ROW_DEPTH, ALPHA_MAX_BURST, ALPHA_OUTSTANDING};
constexpr int64_t kBand = ALPHA_BAND;

constexpr int64_t kPages = kMemoryWords / 1024;

struct Trace {
  std::array<std::vector<int64_t>, kFifos> push, pop;
  std::array<std::vector<int64_t>, 3> addresses, lengths;
  std::vector<int64_t> beats, responses;
};

struct Bench : AxiBench<Vkernel, kBand, Bench> {
  std::array<ReadPort, 2> reads;
  int64_t asked = -1, took = -1, first = -1;  // cycles of a launch: address of the parameter beat, the beat, cycle 0
  bool error_response = false;
  Trace trace;
  std::unique_ptr<Contract> contract;

  static std::string text(const Gemm& g) {
    return "RT " + std::to_string(g.rt) + " CT " + std::to_string(g.ct) + " K " + std::to_string(g.k) + " at " +
           std::to_string(g.a) + ", " + std::to_string(g.b) + ", " + std::to_string(g.params) + ", " +
           std::to_string(g.c);
  }

  void tick() {
    auto* r = dut.rootp;
    dut.a_arready_i = maybe();
    dut.b_arready_i = maybe();
    dut.c_awready_i = maybe();
    dut.c_wready_i = maybe();
    give_beat(reads[0], dut.a_rvalid_i, dut.a_rlast_i, dut.a_rdata_i);
    give_beat(reads[1], dut.b_rvalid_i, dut.b_rlast_i, dut.b_rdata_i);
    dut.a_rresp_i = error_response ? 2 : 0;
    dut.c_bvalid_i = response_visible();
    dut.clk_i = 0;
    dut.eval();

    Cycle seen;
    PortCycle &a = seen.port[0], &b = seen.port[1], &c = seen.port[2];
    const auto read = [](PortCycle& p, bool arvalid, bool arready, uint64_t at, int length, bool rvalid, bool rready,
                         bool last) {
      p.offers_address = arvalid;
      p.address_ready = arready;
      p.address = arvalid && arready;
      p.at = int64_t(at);
      p.length = length + 1;
      p.visible = rvalid;
      p.beat = rvalid && rready;
      p.last = last;
    };
    read(a, dut.a_arvalid_o, dut.a_arready_i, dut.a_araddr_o, dut.a_arlen_o, dut.a_rvalid_i, dut.a_rready_o,
         dut.a_rlast_i);
    read(b, dut.b_arvalid_o, dut.b_arready_i, dut.b_araddr_o, dut.b_arlen_o, dut.b_rvalid_i, dut.b_rready_o,
         dut.b_rlast_i);
    c.offers_address = dut.c_awvalid_o;
    c.address_ready = dut.c_awready_i;
    c.address = c.offers_address && c.address_ready;
    c.at = int64_t(dut.c_awaddr_o);
    c.length = dut.c_awlen_o + 1;
    c.offers_beat = dut.c_wvalid_o;
    c.data_ready = dut.c_wready_i;
    c.beat = c.offers_beat && c.data_ready;
    c.last = dut.c_wlast_o;
    c.visible = dut.c_bvalid_i;
    c.response = c.visible && dut.c_bready_o;

    const bool running = r->barista_kernel__DOT__running;
    const int64_t cycle = int64_t(r->barista_kernel__DOT__cycle);
    if (running) {
      if (first < 0) first = now;
#define SEE(id, n)                                              \
  seen.push[id] = r->barista_kernel__DOT__u_##n##__DOT__push_i; \
  seen.pop[id] = r->barista_kernel__DOT__u_##n##__DOT__pop_i;
      SEE(kABeat, a_beat)
      SEE(kBBeat, b_beat)
      SEE(kATile, a_tile)
      SEE(kBTile, b_tile)
      SEE(kCTile, c_tile) SEE(kCRow, c_row) SEE(kCBeat, c_beat)
#undef SEE
          for (int f = 0; f < kFifos; f++) {
        if (seen.push[f]) trace.push[f].push_back(cycle);
        if (seen.pop[f]) trace.pop[f].push_back(cycle);
      }
      for (int p = 0; p < 3; p++) {
        if (!seen.port[p].address) continue;
        trace.addresses[p].push_back(cycle);
        trace.lengths[p].push_back(seen.port[p].length);
      }
      if (c.beat) trace.beats.push_back(cycle);
      if (c.response) trace.responses.push_back(cycle);
      if (contract) {
        const std::string difference = contract->check(seen);
        if (!difference.empty()) {
          fail("cycle " + std::to_string(cycle) + ":" + difference);
          contract.reset();
        }
      }
    } else {
      if (a.address) asked = now;
      if (a.beat) took = now;
      if (b.offers_address || c.offers_address || c.offers_beat) fail("a port is active outside of a GEMM");
    }

    for (int p = 0; p < 2; p++) {
      ReadPort& port = reads[p];
      const PortCycle& s = seen.port[p];
      port.held = s.visible && !s.beat;
      if (s.beat) port.beats.pop_front();
      if (s.address) request(port, uint64_t(s.at), s.length);
    }
    response_held = c.visible && !c.response;
    if (c.response) responses.pop_front();
    if (c.address) aws.push_back({c.at / (kBand * 4), c.length, now});
    if (c.beat) take_beat(dut.c_wdata_o, dut.c_wstrb_o, c.last);
    store();
    dut.clk_i = 1;
    dut.eval();
    now++;
  }

  bool busy() const {
    return dut.rootp->barista_kernel__DOT__busy;
  }

  // Writes the registers and starts a launch (BLC-1). Returns launch cycle 0.
  int64_t launch(const Gemm& g) {
    const int64_t words[] = {g.a, g.b, g.params, g.c};
    for (uint32_t i = 0; i < 4; i++) {
      write(0x20 + 8 * i, uint32_t(words[i]));
      write(0x24 + 8 * i, uint32_t(words[i] >> 32));
    }
    asked = took = first = -1;
    return write(0, 1);
  }

  // Fills memory with random tiles and the beat of the counts. Words that must not be read are NaNs.
  void fill(const Gemm& g, bool wild) {
    for (auto& w : memory) w = 0x7FA00000 | uint32_t(rng() & 0xFFFFF);
    for (int64_t i = 0; i < g.rt * g.k * kAlpha.beats(false) * kBand; i++) memory[g.a / 4 + i] = random_fp32(rng, wild);
    for (int64_t i = 0; i < g.ct * g.k * kAlpha.beats(true) * kBand; i++) memory[g.b / 4 + i] = random_fp32(rng, wild);
    memory[g.params / 4] = uint32_t(g.rt);
    memory[g.params / 4 + 1] = uint32_t(g.ct);
    memory[g.params / 4 + 2] = uint32_t(g.k);
  }

  // Expected value of C by BAR-6.
  uint32_t oracle(const Gemm& g, int64_t i, int64_t j, int64_t r, int64_t c) const {
    std::vector<uint32_t> sums(kAlpha.s1, 0);
    for (int64_t k = 0; k < g.k; k++) {
      const int64_t a = g.a / 4 + (i * g.k + k) * kAlpha.beats(false) * kBand,
                    b = g.b / 4 + (j * g.k + k) * kAlpha.beats(true) * kBand;
      for (int64_t p = 0; p < kAlpha.tp; p++) {
        uint32_t& s = sums[p % kAlpha.s1];
        s = add_fp32(s, mul_fp32(memory[a + r * kAlpha.tp + p], memory[b + p * kAlpha.tc + c]));
      }
    }
    uint32_t result = 0;
    for (const uint32_t s : sums) result = add_fp32(result, s);
    return result;
  }

  // Runs one GEMM and returns T.
  int64_t run(const Gemm& g, bool verbose = false) {
    const int64_t failures_before = failures;
    std::vector<uint32_t> expected = memory;
    int64_t at = g.c / 4;
    for (int64_t i = 0; i < g.rt; i++)
      for (int64_t j = 0; j < g.ct; j++)
        for (int64_t r = 0; r < kAlpha.tr; r++)
          for (int64_t c = 0; c < kAlpha.tc; c++) expected[at++] = oracle(g, i, j, r, c);

    trace = Trace();
    contract = std::make_unique<Contract>(kAlpha, g);
    const int64_t start = launch(g);
    int64_t limit = 20000000;
    while (busy() && limit-- > 0) tick();
    if (limit <= 0) {
      fail("hangs: " + text(g));
      exit(1);
    }
    const int64_t end = now;  // the first cycle in which done can be read
    if ((read(0) & 2) == 0) fail("not done when it is not busy");
    if (read(4) != 0) fail("STATUS is " + std::to_string(read(4)));
    const int64_t cycles = int64_t(read(8)) | int64_t(read(12)) << 32;
    // Checks BLC-2 to BLC-4.
    if (!stress && asked != start + 1) fail("BLC-2: asks in launch cycle " + std::to_string(asked - start));
    if (!stress && took != start + 2 + latency) fail("BLC-2: takes in launch cycle " + std::to_string(took - start));
    if (first != took + 3) fail("BLC-3: cycle 0 is " + std::to_string(first - took) + " cycles after the beat");
    if (end != first + cycles + 1) fail("BLC-4: done is " + std::to_string(end - first) + " cycles after cycle 0");
    if (trace.responses.empty() || trace.responses.back() + 1 != cycles)
      fail("BAR-9: T is not the last response's cycle + 1");
    if (contract) {
      for (int block = 0; block < kBlocks; block++) {
        int64_t sum = 0;
        for (int k = 0; k < 4; k++) {
          const int64_t counted = read(0x100 + uint32_t(block * 16 + k * 4));
          sum += counted;
          if (counted != contract->activity[block][k])
            fail(std::string(kBlockNames[block]) + ": state " + std::to_string(k) + " in " + std::to_string(counted) +
                 " cycles, not " + std::to_string(contract->activity[block][k]));
        }
        if (sum != cycles) fail(std::string(kBlockNames[block]) + ": its states do not sum to T");
      }
    }
    if (!reads[0].beats.empty() || !reads[1].beats.empty() || !responses.empty()) fail("memory still busy");
    compare(expected, "C", g.c / 4);
    total_cycles += cycles;
    contract.reset();
    if (verbose || failures != failures_before)
      printf("%s T %ld: %s\n", failures == failures_before ? "ok  " : "FAIL", cycles, text(g).c_str());
    return cycles;
  }

  // Places the tensors of a GEMM on separate pages, in random order.
  Gemm place(Gemm g) {
    int64_t page = pick(rng, 0, 3);
    std::array<int64_t*, 4> what{&g.a, &g.b, &g.c, &g.params};
    std::shuffle(what.begin(), what.end(), rng);
    for (int64_t* each : what) {
      const int64_t words = each == &g.a   ? g.rt * g.k * kAlpha.beats(false) * kBand
                            : each == &g.b ? g.ct * g.k * kAlpha.beats(true) * kBand
                            : each == &g.c ? g.words(kAlpha)
                                           : 1024;
      *each = page * 4096;
      page += (words + 1023) / 1024 + pick(rng, 0, 1);
    }
    if (page > kPages) {
      fail("the memory of the bench is too small");
      exit(1);
    }
    g.params += pick(rng, 0, 4096 / (kBand * 4) - 1) * kBand * 4;
    return g;
  }
  Gemm random_gemm() {
    for (;;) {
      Gemm g;
      g.rt = pick(rng, 1, 6);
      g.ct = pick(rng, 1, 6);
      g.k = pick(rng, 1, rng() % 4 ? 3 : 9);
      const int64_t products = g.tiles() * kAlpha.tr * kAlpha.tc * kAlpha.tp;
      if (products > 60000 && products > kAlpha.tr * kAlpha.tc * kAlpha.tp * 4) continue;
      return place(g);
    }
  }

  // Checks the closed forms of section 7: T if nothing delays the mesh; if tiles arrive more slowly, the final distance
  // of tiles of C.
  bool even() const {
    return kAlpha.tr == kAlpha.tc && !stress && kAlpha.beat_depth >= 32 && kAlpha.outstanding >= 16;
  }
  bool ports_keep_up(int64_t beats) const {
    return std::min(beats, kAlpha.max_burst) * kAlpha.outstanding > latency + 2;
  }
  void closed_form(const Gemm& g, int64_t t) {
    const int64_t l = kAlpha.beats(false), xm = kAlpha.mesh_cycles(), f = kAlpha.final_cycles();
    if (!even() || !ports_keep_up(l) || kAlpha.outstanding <= response_latency + 2) return;
    if (l <= xm && kAlpha.tc <= kBand) {
      const int64_t rest = g.words(kAlpha) % kBand;
      const int64_t want = 2 + latency + l + g.rt * g.ct * (g.k * xm + f) + kAlpha.tr + 3 + response_latency +
                           (0 < rest && rest < kAlpha.tc);
      if (t != want)
        fail("section 7: T is " + std::to_string(t) + ", the closed form says " + std::to_string(want) + ": " +
             text(g));
      closed_forms++;
    } else if (l > xm && g.rt * g.ct > 4) {
      const std::vector<int64_t>& tiles = trace.push[kCTile];
      const int64_t want = std::max({g.k * l, g.k * xm + f, g.k > 1 ? 2 * xm + f + (g.k - 2) * l : 0});
      for (std::size_t i = 3; i < tiles.size(); i++)
        if (tiles[i] - tiles[i - 1] != want)
          return fail("section 7: tile " + std::to_string(i) + " of C comes " +
                      std::to_string(tiles[i] - tiles[i - 1]) + " cycles after the last, not " + std::to_string(want) +
                      ": " + text(g));
      periods++;
    }
  }
  int64_t closed_forms = 0, periods = 0;

  // Checks the example of section 7, cycle by cycle: R by P by C = 2 by 8 by 2.
  void example() {
    Gemm g;
    g.k = 2;
    g = place(g);
    fill(g, false);
    const int64_t t = run(g, true);
    if (t != 25) fail("section 7: T is " + std::to_string(t) + ", not 25");
    for (int p = 0; p < 2; p++) {
      expect("section 7, addresses", trace.addresses[p], {0, 1});
      expect("section 7, beats per burst", trace.lengths[p], {2, 2});
    }
    for (FifoId f : {kABeat, kBBeat}) {
      expect("section 7, beats taken", trace.push[f], {1, 2, 3, 4});
      expect("section 7, fills take", trace.pop[f], {2, 3, 4, 5});
    }
    for (FifoId f : {kATile, kBTile}) {
      expect("section 7, tiles pushed", trace.push[f], {3, 5});
      expect("section 7, last mesh cycles", trace.pop[f], {9, 15});
    }
    expect("section 7, tile of C", trace.push[kCTile], {19});
    expect("section 7, rows", trace.push[kCRow], {20, 21});
    expect("section 7, last row", trace.pop[kCTile], {21});
    expect("section 7, encode takes", trace.pop[kCRow], {21, 22});
    expect("section 7, encode gives", trace.push[kCBeat], {22});
    expect("section 7, address of C", trace.addresses[2], {23});
    expect("section 7, beat of C", trace.beats, {23});
    expect("section 7, response", trace.responses, {24});
    // The mesh is starved in 0..3 and idle after 19; so are the fills and the readers.
    const int64_t activity[kBlocks][4] = {{20, 0, 0, 5}, {19, 2, 0, 4}, {20, 0, 0, 5}, {19, 2, 0, 4},
                                          {5, 4, 0, 16}, {3, 20, 0, 2}, {2, 21, 0, 2}, {0, 23, 0, 2}};
    for (int block = 0; block < kBlocks; block++)
      for (int k = 0; k < 4; k++)
        if (read(0x100 + uint32_t(block * 16 + k * 4)) != activity[block][k])
          fail(std::string("section 7: state ") + std::to_string(k) + " of " + kBlockNames[block] + " has " +
               std::to_string(read(0x100 + uint32_t(block * 16 + k * 4))) + " cycles, not " +
               std::to_string(activity[block][k]));
  }

  // Checks that an invalid GEMM is rejected and that only the beat of the counts is read (BLC-6).
  void refuse(const Gemm& g, uint32_t status) {
    trace = Trace();
    fill(place(Gemm()), false);
    memory[g.params / 4] = uint32_t(g.rt);
    memory[g.params / 4 + 1] = uint32_t(g.ct);
    memory[g.params / 4 + 2] = uint32_t(g.k);
    launch(g);
    for (int64_t limit = 1000; busy() && limit > 0; limit--) tick();
    if (busy() || first >= 0) return fail("runs " + text(g));
    if (now != took + 2) fail("done is " + std::to_string(now - took) + " cycles after the beat of a refused GEMM");
    if ((read(0) & 2) == 0 || (read(4) & 0xF) != status || read(8) != 0)
      fail("refused with " + std::to_string(read(4)) + ", not " + std::to_string(status) + ": " + text(g));
    if (!trace.addresses[0].empty() || !trace.addresses[1].empty()) fail("runs although it was refused: " + text(g));
  }
  void refusals() {
    const Gemm ok = place(Gemm());
    for (int64_t Gemm::*count : {&Gemm::rt, &Gemm::ct, &Gemm::k}) {
      Gemm g = ok;
      g.*count = 0;
      refuse(g, 1);
    }
    for (int64_t Gemm::*base : {&Gemm::a, &Gemm::b, &Gemm::c}) {
      for (int64_t off : {1, 4, 2048}) {
        Gemm g = ok;
        g.*base += off;
        refuse(g, 2);
      }
    }
    error_response = true;
    refuse(ok, 3);
    if ((read(4) & 16) == 0) fail("an error of port a is not in STATUS");
    error_response = false;
  }
};

}  // namespace

int main(int argc, char** argv) {
  auto bench = std::make_unique<Bench>();
  const BenchOptions options = read_options(argc, argv, "--gemms", *bench);
  const bool hand = kAlpha.tr == 2 && kAlpha.tc == 2 && kAlpha.tp == 4 && kAlpha.s1 == 2 && kBand == 4;
  if (options.examples && hand && !bench->stress && bench->latency == 0 && bench->response_latency == 0)
    bench->example();
  bench->refusals();
  for (int64_t i = 0; i < options.count; i++) {
    const Gemm g = bench->random_gemm();
    bench->fill(g, i % 4 == 3);
    bench->closed_form(g, bench->run(g, options.verbose));
  }
  bench->dut.final();
  printf("%s: %ld GEMMs, %ld cycles, %ld by the closed form, %ld by the period of a tile, %ld failures\n", argv[0],
         options.count, bench->total_cycles, bench->closed_forms, bench->periods, bench->failures);
  return bench->failures != 0;
}
