#pragma once

#include <array>
#include <cstring>
#include <random>

#include "model/conv/convolution.h"
#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/placement.h"
#include "model/fpgpt/plan.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {

using Channels = std::array<int, kPorts>;  // memory channel of each port
using Firsts = std::array<Address, 3>;     // first address of the tensors of each memory channel, multiple of 4

// A convolution placed in three memory channels with random contents; in fixed point any bits.
struct DataCase {
  Plan plan;
  exact::DataMemory memory;
};

inline DataCase make_case(const conv::Layer& layer, conv::Kind kind, int group, const Alpha& alpha, std::uint64_t seed,
                          const Channels& channels = {0, 1, 2}, const Firsts& firsts = {}) {
  const workloads::TensorWords words = workloads::tensor_words(layer, kind);
  Placement placement = place(alpha, {words.inp, words.kern, words.out}, channels, 3, Bytes{1} << 30);
  for (std::size_t port = 0; port < kPorts; ++port) {
    placement.base[port] += firsts.at(static_cast<std::size_t>(channels[port]));
  }
  DataCase result;
  conv::Convolution beta = workloads::lower(layer, kind, group);
  if (alpha.format.is_fixed()) {  // bases are multiples of a beat: the rest goes into `first`, in words
    const auto begin_with_beat = [&](Port port, conv::TensorView& view) {
      Address& base = placement.base.at(static_cast<std::size_t>(port));
      view.first += base % alpha.beat_bytes(port) / kSumBytes;
      base -= base % alpha.beat_bytes(port);
    };
    begin_with_beat(Port::Inp, beta.inp);
    begin_with_beat(Port::Kern, beta.kern);
  }
  result.plan = make_plan(alpha, placed(beta, alpha, placement), true);
  for (std::size_t channel = 0; channel < firsts.size(); ++channel) {
    constexpr Bytes kPage = 4096;  // a beat that holds a word of a tensor is read whole
    const Bytes within_page = firsts[channel] % kPage;
    result.memory.channels.emplace_back(align_up(placement.channel_bytes[channel] + within_page, kPage),
                                        firsts[channel] - within_page);
  }
  result.memory.channel_of_port = channels;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> value(-1.0F, 1.0F);
  for (memory::Store& store : result.memory.channels) {
    for (Address at = store.first(); at < store.end(); at += 4) {
      if (alpha.format.is_fixed()) {
        const auto bits = static_cast<std::uint32_t>(random());
        std::memcpy(store.at(at), &bits, sizeof bits);
      } else {
        *store.floats(at) = value(random);
      }
    }
  }
  return result;
}

}  // namespace weft::fpgpt
