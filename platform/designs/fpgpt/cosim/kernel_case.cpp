#include "platform/designs/fpgpt/cosim/kernel_case.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/fpgpt/registers.h"
#include "model/fpgpt/sizing.h"
#include "model/fpgpt/systemc/virtual_platform.h"
#include "platform/designs/fpgpt/design.h"

namespace weft::fpgpt {

namespace {

std::array<int, kPorts> channel_of_port(const std::vector<int>& channels) {
  std::array<int, kPorts> result{};
  std::copy_n(channels.begin(), kPorts, result.begin());
  return result;
}

}  // namespace

cosim::Hardware hardware(const Alpha& alpha, std::int64_t max_sets) {
  cosim::Hardware hardware{&topology(), rtl_kernel(alpha, max_sets), alpha.bus_words(Port::Inp), {}, {}};
  for (std::size_t i = 0; i < kFifos; ++i) {
    const auto fifo = static_cast<FifoId>(i);
    const bool of_sums = fifo == FifoId::OutRow || fifo == FifoId::OutGroup || fifo == FifoId::OutBeat;
    hardware.fifo_words.push_back(widest_token(alpha, fifo));
    hardware.fifo_word_bits.push_back(of_sums ? kSumBits : alpha.format.bits);
  }
  return hardware;
}

cosim::RtlStart rtl_start(const conv::Convolution& beta, NumberFormat format) {
  const BetaWords words = encode(beta, format);
  return {{words.begin(), words.end()}, launch_cycles(beta)};
}

cosim::ModelCounts KernelCase::run_model(const cosim::AxiEnvironment& environment, std::vector<memory::Store>& stores,
                                         stream::Observer& observer) const {
  const std::unique_ptr<memory::Memory> memory = memory::make_memory(environment.memory);
  const ConvolutionResult result =
      systemc::virtual_platform().run(plan_, *memory, channel_of_port(environment.channels), &stores, &observer);
  return {result.cycles, result.drain_cycles + kDoneCycles, {result.activities.begin(), result.activities.end()}};
}

namespace {

using conv::Kind;

constexpr Address kFourGib = Address{1} << 32;

// A layer of one group; h, w: {size, kernel}, stride 1, no padding.
conv::Layer layer(int batch, int channels, int filters, conv::LayerAxis h, conv::LayerAxis w) {
  return {"", batch, channels, filters, 1, h, w};
}

}  // namespace

int status_of(const Alpha& alpha, std::int64_t max_sets, const conv::Convolution& beta) {
  return static_cast<int>(refusal(alpha, max_sets, beta));
}

cosim::RefusedCase refused_case(const conv::Convolution& beta, int status, NumberFormat format) {
  cosim::RtlStart start = rtl_start(beta, format);
  start.cycles = refusal_cycles(beta);
  return {fmt::format("{} convolution", to_string(beta.kind)), std::move(start), status};
}

Alpha limit_kernel(bool hls, NumberFormat format) {
  Alpha alpha;
  alpha.format = format;
  alpha.x = 3;
  alpha.y = 4;
  alpha.z = 20;
  alpha.bus_bits = 64;
  alpha.z_channel = 96;
  alpha.k_range = 96;
  alpha.kern_words = 576 + (hls ? 3 : 0);
  alpha.out_words = 1536 + (hls ? 2 : 0);
  alpha.profile = hls ? Profile::hls() : Profile::rtl();
  alpha.fifo.fill(2);
  alpha.inp_port = alpha.kern_port = alpha.out_port = {16, 2};
  (hls ? alpha.out_port : alpha.kern_port).max_burst_beats = 256;
  return alpha;
}

// KERN, F and GI: 3 Y-groups of 4 kernels of 3 x 4 x 4 words are 576; 11 of these kernels, without those that pad the
// last group, are 528 words, 264 beats. GW: 2 halves of 4 maps of 8 x 9 words are 576.
// OUT, F and GI: 2 halves of 4 maps of 64 sets of 3 are 1536. GW: 2 x 16 maps of 16 sets of 3 are 1536, a power of two
// of sets: the address after the last is the first.
// Zch: 3 outputs in a row of 93, of 2 x 1 positions, are 93 + 3 words. A GW range: 2 maps of 6 x 8.
std::vector<Chosen> convolutions_at_the_limits() {
  const conv::Layer wide = layer(1, 5, 7, {15, 3}, {15, 3});
  return {{"KERN of F", layer(1, 3, 11, {6, 4}, {7, 4}), Kind::F},
          {"KERN of F, 12 kernels after a leading word", layer(1, 3, 12, {6, 4}, {7, 4}), Kind::F, {0, 4, 0}},
          {"KERN of GI", layer(1, 11, 3, {6, 4}, {7, 4}), Kind::GI},
          {"KERN of GW", layer(1, 2, 1, {8, 1}, {9, 1}), Kind::GW},
          {"OUT of F", layer(1, 1, 5, {12, 1}, {16, 1}), Kind::F},
          {"OUT of GI", layer(1, 5, 1, {12, 1}, {16, 1}), Kind::GI},
          {"OUT of GW", layer(2, 16, 2, {7, 6}, {10, 8}), Kind::GW},
          {"Zch", layer(1, 1, 1, {2, 2}, {93, 1}), Kind::F},
          {"GW range", layer(1, 1, 2, {6, 1}, {8, 1}), Kind::GW},
          {"S", layer(1, 1, 1, {13, 13}, {15, 15}), Kind::GW},
          {"bases below 4 GiB, ends above", wide, Kind::F, {kFourGib - 4096, kFourGib - 1024, kFourGib - 512}},
          {"negative padding", layer(1, 2, 3, {5, 1, 1, 1, 1}, {6, 1, 1, 2, 2}), Kind::GI},
          {"bases above 4 GiB", wide, Kind::F, {kFourGib, 2 * kFourGib, 3 * kFourGib}}};
}

std::vector<Beyond> convolutions_beyond_the_limits() {
  return {{{"KERN of F: kernels of 7 x 7, not 48 words", layer(1, 1, 11, {7, 7}, {7, 7}), Kind::F}, 5, "kern_words"},
          {{"KERN of F: a kernel of 145 words", layer(1, 5, 1, {29, 29}, {1, 1}), Kind::F}, 5, "kern_words"},
          {{"KERN of F: a 13th kernel", layer(1, 3, 13, {6, 4}, {7, 4}), Kind::F}, 5, "kern_words"},
          {{"KERN of GI: kernels of 7 x 7", layer(1, 11, 1, {7, 7}, {7, 7}), Kind::GI}, 5, "kern_words"},
          {{"KERN of GW: maps of 73 words, not 72", layer(1, 1, 1, {1, 1}, {73, 1}), Kind::GW}, 5, "kern_words"},
          {{"OUT of F: a 65th set", layer(1, 1, 1, {13, 1}, {15, 1}), Kind::F}, 6, "out_words"},
          {{"OUT of GI: a 65th set", layer(1, 1, 1, {13, 1}, {15, 1}), Kind::GI}, 6, "out_words"},
          {{"OUT of GW: a 513th map", layer(1, 513, 1, {1, 1}, {1, 1}), Kind::GW}, 6, "out_words"},
          {{"Zch: rows of 94 words, not 93", layer(1, 1, 1, {2, 2}, {94, 1}), Kind::F}, 4, "z_channel"},
          {{"GW range: 97 words", layer(1, 1, 97, {1, 1}, {1, 1}), Kind::GW}, 7, "k_range"},
          {{"KERN of F: 2^34 words, 2^32 a row of PEs", layer(1, 1 << 16, 1 << 18, {1, 1}, {1, 1}), Kind::F},
           5,
           "kern_words"},
          {{"OUT of GW: 2^32 sets", layer(1, 1 << 16, 1 << 16, {1, 1}, {1, 1}), Kind::GW}, 6, "k_range"},
          {{"S: a 66th set", layer(1, 1, 1, {14, 14}, {14, 14}), Kind::GW}, 3, nullptr}};
}

rtl::Kernel rtl_kernel(const Alpha& a, std::int64_t max_sets) {
  require_one_width(a);
  std::vector<rtl::Parameter> all{{"X", a.x},
                                  {"Y", a.y},
                                  {"Z", a.z},
                                  {"Band", a.bus_words(Port::Inp)},
                                  {"WordBits", a.format.bits},
                                  {"LaneBits", lane_bits(a.format, a.packing)},
                                  {"ZChannel", a.z_channel},
                                  {"KRange", std::max<Words>(a.k_range, 1)},
                                  {"KernWords", a.kern_words},
                                  {"OutWords", a.out_words},
                                  {"MaxSets", max_sets},
                                  {"HasFgi", a.variant != Variant::GW, true},
                                  {"HasGw", a.variant != Variant::FGI, true}};
  for (const ProfileSwitch& each : kProfileSwitches) {
    all.push_back({rtl::camel_case(each.name), a.profile.*each.on, true});
  }
  for (std::size_t i = 0; i < kFifos; ++i) {
    all.push_back({rtl::camel_case(kFifoInfos[i].name) + "Depth", a.fifo.all()[i]});
  }
  const auto port = [&](Port which, const stream::PortConfig& config) {
    const std::string name = rtl::camel_case(to_string(which));
    all.push_back({name + "MaxBurstBeats", config.max_burst_beats});
    all.push_back({name + "Outstanding", config.outstanding});
  };
  port(Port::Inp, a.inp_port);
  port(Port::Kern, a.kern_port);
  port(Port::Out, a.out_port);
  return {kRtlSources, all};
}

}  // namespace weft::fpgpt
