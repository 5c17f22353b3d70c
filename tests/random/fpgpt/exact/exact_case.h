#pragma once

#include <fmt/core.h>

#include <cstdlib>

#include "model/fpgpt/placement.h"
#include "model/fpgpt/sizing.h"
#include "model/memory/config.h"
#include "tests/support/random_case.h"
#include "workloads/lowering.h"

namespace weft::test {

inline std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

struct ExactCase {
  fpgpt::Plan plan;
  memory::MemoryConfig memory;
  std::array<int, fpgpt::kPorts> channels{};
};

// Returns a random convolution, kernel and memory for a seed. Most are repetitive: many images or channels, FIFOs and
// bursts of realistic sizes, so that intervals are replayed and not only simulated.
inline ExactCase exact_case(std::uint64_t seed, std::int64_t most_products, const Numbers& numbers = {}) {
  Random random(seed * 0x9E3779B97F4A7C15ULL + 1);
  const bool regular = pick(random, 0, 2) != 0;
  const bool paged = regular && pick(random, 0, 2) != 0;  // images start at pages, so that they are equivalent
  conv::Layer layer;
  conv::Convolution beta;
  conv::Kind kind{};
  do {
    layer = random_layer(random);
    if (regular) {
      layer.batch = pick(random, 2, 80);
      layer.channels = layer.groups * pick(random, 1, 12);
      layer.filters = layer.groups * pick(random, 1, 24);
    }
    kind = static_cast<conv::Kind>(pick(random, 0, 2));
    beta = workloads::lower(layer, kind, pick(random, 0, layer.groups - 1));
  } while (beta.a * beta.n_inp * beta.n_kern * beta.out_map() * beta.m() > most_products);
  fpgpt::Alpha alpha = random_alpha(random);
  if (regular) {
    alpha.fifo = {};
    alpha.inp_port = alpha.kern_port = alpha.out_port = {pick(random, 0, 1) ? 64 : 16, pick(random, 4, 16)};
    if (pick(random, 0, 1)) alpha.profile = pick(random, 0, 1) ? fpgpt::Profile::hls() : fpgpt::Profile::rtl();
  }
  if (seed % 5 == 3) {
    if (pick(random, 0, 1)) alpha.bus_bits = 1024;  // two DRAM accesses per beat
    for (stream::PortConfig* port : {&alpha.inp_port, &alpha.kern_port, &alpha.out_port}) {
      *port = {pick(random, 0, 2) ? pick(random, 1, 64) : 1, pick(random, 1, 8)};
    }
  }
  draw_widths(seed, alpha);
  const std::array<Frequency, 5> clocks{{{100, 1}, {200, 1}, {300, 1}, {250, 1}, {1000, 3}}};
  alpha.clock = clocks[static_cast<std::size_t>(pick(random, 0, 4))];
  alpha.format = numbers.format;
  alpha.packing = numbers.packing;
  alpha = fpgpt::fitted(alpha, beta);

  const std::array<std::array<int, 3>, 5> maps{{{0, 1, 2}, {0, 1, 2}, {0, 0, 0}, {0, 1, 0}, {1, 0, 1}}};
  ExactCase result;
  result.channels = maps[static_cast<std::size_t>(pick(random, 0, 4))];
  const workloads::TensorWords words = workloads::tensor_words(layer, kind);
  const fpgpt::Placement placement =
      fpgpt::place(alpha, {words.inp, words.kern, words.out}, result.channels, 3, Bytes{1} << 33);
  beta = fpgpt::placed(beta, alpha, placement);
  for (const fpgpt::Port port : {fpgpt::Port::Inp, fpgpt::Port::Kern, fpgpt::Port::Out}) {
    conv::TensorView& view = port == fpgpt::Port::Inp ? beta.inp : port == fpgpt::Port::Kern ? beta.kern : beta.out;
    view.base += Address{4096} * pick(random, 0, 1 << 10);
    if (pick(random, 0, 2) == 0) view.pitch_n += pick(random, 0, 40000);
    if (alpha.format.is_fixed() && port != fpgpt::Port::Out) view.first += pick(random, 0, 5000);
    if (!paged) continue;
    const Words page = stream::kPageBytes / alpha.beat_bytes(port) * alpha.band(port);
    view.pitch_a = align_up(view.pitch_a, page);
    view.pitch_n = align_up(view.pitch_n, page);
  }
  result.plan = fpgpt::make_plan(alpha, beta, false);
  memory::MemoryConfig& memory = result.memory = memory_of(alpha, result.channels);
  memory.kind = pick(random, 0, 3) ? memory::MemoryKind::ddr4 : memory::MemoryKind::ideal;
  memory.latency_cycles = pick(random, 0, 60);
  memory.ideal_latency_cycles = pick(random, 0, 40);
  memory.ddr4.map = static_cast<memory::AddressMap>(pick(random, 0, 2));
  memory.ddr4.auto_precharge_a3 = pick(random, 0, 1) != 0;
  memory.ddr4.refresh = pick(random, 0, 7) != 0;
  if (seed % 11 < 4) memory.ddr4.controller = memory::ControllerKind::mig;
  memory.ddr4.stage1 = static_cast<int>(1 + seed % 8);
  memory.ddr4.stage2 = static_cast<int>(1 + seed % 7);
  return result;
}

}  // namespace weft::test
