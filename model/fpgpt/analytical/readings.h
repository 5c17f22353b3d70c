#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/reading.h"
#include "model/fpgpt/alpha.h"

namespace weft::fpgpt {

// Readings of the doubtful equations of the thesis (chapter 5 and Appendix A). The first enumerator of each is the
// recommended reading and the default; `Printed` is always the equation to the letter. F numbers are those of the list
// of inconsistencies found in the thesis. No computed number depends on F12 (A.16 holds with >=, not >), F20 except
// `interfaces`, F21 and F25 (text only); F7 and F22 to F24 are decided in model/conv and workloads. The thesis built
// the profile `hls`. A reading that a profile switch changes has an alternative for the switch being on (OURS: from the
// contract, not in the thesis) and by default follows the kernel's switches.

namespace reading {

// A.1-A.3 and A.22-A.24: beats of one burst read.
enum class Burst : std::uint8_t {
  Fixed,    // outer loop over the whole range: max(ceil(ceil(words / BAND) / 256), 3)
  Printed,  // outer loop over the inner one: always 3, so at most 768 beats are ever read
  Split,    // outer loop as Fixed, inner loop ceil(beats / outer), aligned to 16
  Ideal,    // the beats that alpha's range holds, nothing else
  Exact,    // OURS, exact_bursts: the beats that beta's own range holds, as if it began with a beat (RD-1)
};

// A.7, A.8: cycles that INP decode takes for one channel.
enum class Decode : std::uint8_t {
  Beats,    // one beat a cycle: ceil(Z_channel / BAND)
  Words,    // one word a cycle: align(Z_channel, BAND), as A.7 says
  Printed,  // align(Z_channel, 16), whatever BAND is
};

// A.10, A.11: cycles to regroup one channel. Where Z < BAND the first two are the print, ceil(ceil(Z_channel / BAND) *
// BAND / Z), which regroups whole beats: more words than the window has as BAND grows.
enum class Construct : std::uint8_t {
  Streamed,  // Z >= BAND: max(beats in, groups out) = max(ceil(Z_channel / BAND), ceil(Z_channel / Z))
  Printed,   // Z >= BAND: ceil(ceil(Z_channel / BAND) * Z / BAND), which grows with Z
  Groups,    // OURS, whatever Z is: the window's own words, max(beats in, groups out) (GRP-1, CON-1)
};

// A.6, A.8, A.12: Y-groups for which INP is read.
enum class InpGroups : std::uint8_t {
  NKern,  // the equations: ceil(N_KERN / Y)
  COut,   // the text before A.6: ceil(C_OUT / Y), which for GW is N_INP
};

// 5.3.3 against A.13: products per output.
enum class Products : std::uint8_t {
  Dilated,  // C * H_KERN,dilated * W_KERN,dilated: a dilation zero costs a cycle
  Stored,   // C * H_KERN * W_KERN
};

// 5.7 against 5.8 and A.20: Y-groups of the array.
enum class SaGroups : std::uint8_t {
  Whole,    // ceil(N_KERN / Y) * N_INP
  Printed,  // N_KERN / Y * N_INP / Y, rounded up to a cycle at the end
};

// 5.6 against 5.8: Y + 8 cycles of the array and its feeder per Y-group.
enum class Drain : std::uint8_t {
  PerGroup,  // 5.8, A.19, A.30
  Hidden,    // 5.6: amortised by feeding without a pause; the effect of overlap_drain (ARR-4)
};

// A.23, A.26: words of KERN that GW reads in one burst.
enum class KRange : std::uint8_t {
  Tensor,  // N_KERN*C*H*W per (A, N_INP), as A.2.6 says
  Group,   // Y*C*H*W per Y-group, the words in the buffer of A.2.5
};

// A.15, A.18: the cycles to store KERN (F/GI).
enum class KernLoad : std::uint8_t {
  Words,  // one word a cycle
  Beats,  // OURS, wide_kern_load: one beat a cycle (KERN-2)
};

// A.21: the load of KERN (F/GI) and the phase that feeds the array.
enum class KernFill : std::uint8_t {
  Serial,      // A.21: their sum
  Overlapped,  // the longer of the two; the effect of early_kern_feed (KERN-5)
};

// A.30 (unnumbered print): the Y + 8 cycles of the GW feeder.
enum class GwDrain : std::uint8_t {
  Once,     // per Y-group, as 5.8
  Printed,  // twice per Y-group
  PerSet,   // under the brace of the X-sets: once per set
};

// A.29: cycles to feed an X-set of GW.
enum class GwSets : std::uint8_t {
  Aligned,  // align(M, Y)
  Packed,   // OURS, packed_gw_sets: M
};

// A.33: cycles of the GW feeder after its first fill.
enum class GwFeed : std::uint8_t {
  AllGroups,  // A.31, every Y-group of the convolution
  Printed,    // A.30, one Y-group
};

// A.35 and A.36 against A.38: the loops of the GW constructor.
enum class OutConstruct : std::uint8_t {
  NOut,  // A.38: ceil(N_OUT / Y) * C_OUT
  COut,  // A.35, A.36: ceil(C_OUT / Y) * N_OUT
};

// A.44: cycles to write OUT.
enum class OutWrite : std::uint8_t {
  Beats,    // as printed: no burst overhead
  Aligned,  // blocks of 16 beats, as the reads of A.1
};

// 5.3.5: "the memory interfaces of both INP and KERN are doubled".
enum class Interfaces : std::uint8_t {
  Single,   // as all the equations: the second one only hides latency
  Doubled,  // each carries half of the beats of a read
};

// 5.13: components whose largest is the total.
enum class Total : std::uint8_t {
  All,      // every component
  Printed,  // 5.9 leaves INP decode out, 5.10 all of KERN (F/GI) except the feeder
};

// 5.14: the parenthesis that the print leaves open.
enum class InpAlign : std::uint8_t {
  ToTwoZ,  // align(align(align(Z_channel, BAND), Z), 2Z)
  ToZ,     // align(align(Z_channel, BAND), Z): 2Z is a misprint
};

// 5.18: partitions of the INP memory.
enum class InpBanks : std::uint8_t {
  Printed,  // two halves; the Z ports count in 5.21 alone
  ZBanks,   // each half in Z banks, as the text and the simulated line buffer have it
};

// 5.15, 5.19: the GW memory of KERN.
enum class KernStorage : std::uint8_t {
  Printed,  // align(C*H*W, Y) words in each of 2*Y*Y partitions
  Buffer,   // the double buffer of A.2.5: Y*C*H*W words per half, divided among Y*Y partitions
};

// 5.16, 5.20 against A.3.3: the F/GI memory of OUT.
enum class OutStorage : std::uint8_t {
  Group,   // 5.16, 5.20: two halves of Y maps
  Tensor,  // the text of A.3.3: two halves of Y * C_OUT maps
};

// 5.3.9 against 5.3.6: width of OUT's words in fixed point. FP32 has 32 bits in any reading.
enum class OutWord : std::uint8_t {
  Sums,  // 32 bits: the raw sums, which Eq. 3.4 needs whole (NUM-8)
  Wl,    // as INP and KERN: as if quantised before it is stored
};

// 5.14-5.22: resources of a kernel on the device.
enum class Resources : std::uint8_t {
  Thesis,     // the equations, 9 (3) DSPs per PE
  Synthesis,  // the RTL of this project as yosys maps it to UltraScale+, by fitted forms (rtl_resources.h)
};

}  // namespace reading

struct Readings {
  reading::Burst burst = reading::Burst::Fixed;
  reading::Decode decode = reading::Decode::Beats;
  reading::Construct construct = reading::Construct::Streamed;
  reading::InpGroups inp_groups = reading::InpGroups::NKern;
  reading::Products products = reading::Products::Dilated;
  reading::SaGroups sa_groups = reading::SaGroups::Whole;
  reading::Drain drain = reading::Drain::PerGroup;
  reading::KRange k_range = reading::KRange::Tensor;
  reading::KernLoad kern_load = reading::KernLoad::Words;
  reading::KernFill kern_fill = reading::KernFill::Serial;
  reading::GwDrain gw_drain = reading::GwDrain::Once;
  reading::GwSets gw_sets = reading::GwSets::Aligned;
  reading::GwFeed gw_feed = reading::GwFeed::AllGroups;
  reading::OutConstruct out_construct = reading::OutConstruct::NOut;
  reading::OutWrite out_write = reading::OutWrite::Beats;
  reading::Interfaces interfaces = reading::Interfaces::Single;
  reading::Total total = reading::Total::All;
  reading::InpAlign inp_align = reading::InpAlign::ToTwoZ;
  reading::InpBanks inp_banks = reading::InpBanks::Printed;
  reading::KernStorage kern_storage = reading::KernStorage::Printed;
  reading::OutStorage out_storage = reading::OutStorage::Group;
  reading::OutWord out_word = reading::OutWord::Sums;
  reading::Resources resources = reading::Resources::Thesis;
};

bool operator==(const Readings& a, const Readings& b);
inline bool operator!=(const Readings& a, const Readings& b) {
  return !(a == b);
}

// A reading of the thesis's equations: its findings and equations and, if its default follows the kernel's profile, the
// switch and the alternative for the switch being on.
struct ReadingDescriptor : Reading<Readings> {
  std::string finding;    // F numbers
  std::string equations;  // of the thesis
  bool Profile::*profile_switch = nullptr;
  int switched_on = 0;
};

// Returns every reading, in the order of Readings.
const std::vector<ReadingDescriptor>& reading_table();

// Returns the readings for a kernel of this profile: the defaults, except where a switch is on.
Readings readings_of(const Profile& profile);

// Returns the names of the switches of `profile` that are on while `readings` describes a kernel without them.
std::vector<const char*> unknown_switches(const Profile& profile, const Readings& readings);

}  // namespace weft::fpgpt
