#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "model/conv/convolution.h"
#include "model/core/frequency.h"
#include "model/core/number_format.h"
#include "model/fpgpt/topology.h"
#include "model/stream/lanes.h"
#include "model/stream/ports.h"

namespace weft::fpgpt {

// Kinds of convolution that a kernel is compiled for; `both` has both KERN feeders and both OUT constructors.
enum class Variant : std::uint8_t { FGI, GW, Both };
inline const char* to_string(Variant variant) {
  return variant == Variant::FGI ? "fgi" : variant == Variant::GW ? "gw" : "both";
}

enum class Storage : std::uint8_t { BRAM, URAM };
inline const char* to_string(Storage storage) {
  return storage == Storage::BRAM ? "bram" : "uram";
}

// Implementation profile: one switch for each difference between what the thesis built (`hls`) and a careful RTL of the
// same architecture (`rtl`), so that the effect of each can be measured alone. CONTRACT.md, section 2, defines them.
struct Profile {
  bool exact_bursts = false;     // INP and KERN-GW reads: only the beats needed, instead of Gamma_Burst (A.1-A.3)
  bool overlap_drain = false;    // the next Y-group starts while the last one drains, instead of after Y + F cycles
  bool wide_kern_load = false;   // KERN (F/GI) stored at one beat a cycle, instead of one word
  bool early_kern_feed = false;  // KERN (F/GI) fed as soon as its words are there, instead of after the whole load
  bool packed_gw_sets = false;   // GW X-sets start max(M, Y, F) apart, instead of max(align(M, Y), F) (A.29)

  static constexpr Profile hls() { return {}; }
  static constexpr Profile rtl() { return {true, true, true, true, true}; }
  template <class Self>
  static constexpr auto all(const Self& self) {
    return std::tie(self.exact_bursts, self.overlap_drain, self.wide_kern_load, self.early_kern_feed,
                    self.packed_gw_sets);
  }
  friend constexpr bool operator==(const Profile& a, const Profile& b) { return all(a) == all(b); }
};

// Names of the profile's switches in files and reports.
struct ProfileSwitch {
  const char* name;
  bool Profile::*on;
};
inline constexpr ProfileSwitch kProfileSwitches[] = {{"exact_bursts", &Profile::exact_bursts},
                                                     {"overlap_drain", &Profile::overlap_drain},
                                                     {"wide_kern_load", &Profile::wide_kern_load},
                                                     {"early_kern_feed", &Profile::early_kern_feed},
                                                     {"packed_gw_sets", &Profile::packed_gw_sets}};

using FifoDepths = weft::FifoDepths<FifoId, kFifoInfos>;

// alpha: the compile-time parameters of one FPGPT kernel (the thesis, section 5.3).
struct Alpha {
  int x = 16;                           // columns of the array: outputs of one map at a time
  int y = 16;                           // rows: KERN tensors at a time
  int z = 16;                           // words INP construct hands to the line buffer per cycle
  Words z_channel = 0;                  // line buffer half
  Words k_range = 0;                    // KERN range of one GW pass (Eq. A.23)
  Words kern_words = 0;                 // KERN memory: F/GI ceil(N/Y)*Y*C*H*W, GW 2*Y*C*H*W (both: the larger)
  Words out_words = 0;                  // OUT memory: F/GI 2*Y*ceil(HW/X)*X, GW N*C*ceil(HW/X)*X (both: the larger)
  int bus_bits = 512;                   // width of a port, a power of two
  std::array<int, kPorts> port_bits{};  // width of a port that differs from bus_bits, a power of two; else 0
  NumberFormat format;
  Packing packing = Packing::Packed;  // of fixed-point words in memory
  Variant variant = Variant::Both;
  Profile profile;
  FifoDepths fifo;
  stream::PortConfig inp_port, kern_port, out_port;
  Frequency clock = 100;
  Storage inp_storage = Storage::BRAM, kern_storage = Storage::BRAM, out_storage = Storage::BRAM;

  int bits_of(Port port) const {
    const int own = port_bits.at(static_cast<std::size_t>(port));
    return own == 0 ? bus_bits : own;
  }
  Bytes beat_bytes(Port port) const { return bits_of(port) / 8; }
  int bus_words(Port port) const { return bits_of(port) / kSumBits; }  // 32-bit words of a beat
  bool one_width() const {
    return bits_of(Port::Inp) == bits_of(Port::Kern) && bits_of(Port::Inp) == bits_of(Port::Out);
  }
  // Returns the lanes of words in a port's beats (CONTRACT.md, section 2): OUT has 32-bit words in every format.
  stream::Lanes lanes(Port port) const {
    if (port == Port::Out) return stream::Lanes::of_words(bus_words(port));
    const int lane = lane_bits(format, packing);
    return {bits_of(port) / lane, lane, format.bits, beat_bytes(port)};
  }
  int band(Port port) const { return lanes(port).band; }  // BAND: words of a beat
  // Returns the first word of a tensor, counted in the lanes of its port from address 0 on (PCK-2).
  Words first_word(Port port, const conv::TensorView& view) const {
    const stream::Lanes of = lanes(port);
    return (of.word_bits == kSumBits ? view.base / kSumBytes : view.base / of.beat_bytes * of.band) + view.first;
  }

  template <class Self>
  static auto all(const Self& self) {
    return std::tie(self.x, self.y, self.z, self.z_channel, self.k_range, self.kern_words, self.out_words,
                    self.bus_bits, self.port_bits, self.format, self.packing, self.variant, self.profile, self.fifo,
                    self.inp_port, self.kern_port, self.out_port, self.clock, self.inp_storage, self.kern_storage,
                    self.out_storage);
  }
  friend bool operator==(const Alpha& a, const Alpha& b);
};

// Words in a token of a FIFO while the kernel runs convolutions of `kind`.
inline int fifo_width(const Alpha& alpha, conv::Kind kind, FifoId fifo) {
  switch (fifo) {
    case FifoId::InpBeat:
    case FifoId::InpWord:
      return alpha.band(Port::Inp);
    case FifoId::KernBeat:
      return alpha.band(Port::Kern);
    case FifoId::OutBeat:
      return alpha.band(Port::Out);
    case FifoId::InpGroup:
      return alpha.z;
    case FifoId::KernWord:
      if (kind == conv::Kind::GW) return alpha.y;
      return alpha.profile.wide_kern_load ? alpha.band(Port::Kern) : 1;
    case FifoId::KernRow:
      return alpha.y;
    case FifoId::InpColumn:
    case FifoId::OutRow:
    case FifoId::OutGroup:
      return alpha.x;
  }
  return 0;
}

}  // namespace weft::fpgpt
