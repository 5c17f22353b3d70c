#include "model/fpgpt/registers.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {

using conv::Axis;
using conv::Convolution;
using conv::Kind;
using conv::TensorView;

namespace {

__extension__ using Wide = unsigned __int128;

template <auto member>
BetaField count(const char* name) {
  return {name,
          0,
          32,
          false,
          [](const Convolution& c) { return c.*member; },
          [](Convolution& c, std::int64_t value) { c.*member = value; }};
}
template <Axis Convolution::*axis, int Axis::*member>
BetaField size(const char* name, bool is_signed = false) {
  return {name,
          0,
          16,
          is_signed,
          [](const Convolution& c) { return std::int64_t{c.*axis.*member}; },
          [](Convolution& c, std::int64_t value) { c.*axis.*member = static_cast<int>(value); }};
}
template <TensorView Convolution::*view, auto member>
BetaField of_view(const char* name, int bits) {
  return {name,
          0,
          bits,
          false,
          [](const Convolution& c) -> std::int64_t { return c.*view.*member; },
          [](Convolution& c, std::int64_t value) { c.*view.*member = value; }};
}

std::vector<BetaField> fields(NumberFormat format) {
  using C = Convolution;
  using V = TensorView;
  std::vector<BetaField> fields{
      {"KIND", 0, 2, false, [](const C& c) { return std::int64_t{static_cast<std::uint8_t>(c.kind)}; },
       [](C& c, std::int64_t value) { c.kind = value == 1   ? Kind::GI
                                               : value == 2 ? Kind::GW
                                                            : Kind::F; }},
      count<&C::a>("A"),
      count<&C::n_inp>("N_INP"),
      count<&C::n_kern>("N_KERN"),
      count<&C::c>("C"),
      size<&C::h, &Axis::inp>("INP_H"),
      size<&C::w, &Axis::inp>("INP_W"),
      size<&C::h, &Axis::kern>("KERN_H"),
      size<&C::w, &Axis::kern>("KERN_W"),
      size<&C::h, &Axis::out>("OUT_H"),
      size<&C::w, &Axis::out>("OUT_W"),
      size<&C::h, &Axis::stride>("STRIDE_H"),
      size<&C::w, &Axis::stride>("STRIDE_W"),
      size<&C::h, &Axis::pad_begin>("PAD_H", true),
      size<&C::w, &Axis::pad_begin>("PAD_W", true),
      size<&C::h, &Axis::inp_dilation>("INP_DIL_H"),
      size<&C::w, &Axis::inp_dilation>("INP_DIL_W"),
      size<&C::h, &Axis::kern_dilation>("KERN_DIL_H"),
      size<&C::w, &Axis::kern_dilation>("KERN_DIL_W"),
      of_view<&C::inp, &V::base>("INP_BASE", 64),
      of_view<&C::kern, &V::base>("KERN_BASE", 64),
      of_view<&C::out, &V::base>("OUT_BASE", 64),
      of_view<&C::inp, &V::pitch_a>("INP_PITCH_A", 32),
      of_view<&C::inp, &V::pitch_n>("INP_PITCH_N", 32),
      of_view<&C::inp, &V::pitch_c>("INP_PITCH_C", 32),
      of_view<&C::kern, &V::pitch_a>("KERN_PITCH_A", 32),
      of_view<&C::out, &V::pitch_n>("OUT_PITCH_N", 32)};
  if (format.is_fixed()) {
    fields.push_back(of_view<&C::inp, &V::first>("INP_FIRST", 32));
    fields.push_back(of_view<&C::kern, &V::first>("KERN_FIRST", 32));
  }
  Address next = kBeta;
  for (BetaField& field : fields) {
    field.address = next;
    next += field.bytes();
  }
  if (next != kBeta + 4 * beta_registers(format)) throw std::logic_error("the number of registers of beta is wrong");
  return fields;
}

std::size_t word_of(const BetaField& field) {
  return static_cast<std::size_t>((field.address - kBeta) / 4);
}

// Stored samples of an axis that one output touches, first to last; none if first > last.
struct Touched {
  std::int64_t first = 0, last = -1;
};
Touched touched(const Axis& axis, int output) {
  const std::int64_t begin = std::int64_t{output} * axis.stride - axis.pad_begin;
  const std::int64_t end = begin + std::int64_t{axis.kern_dilation} * (axis.kern - 1);
  const auto down = [&](std::int64_t y) { return y < 0 ? -ceil_div(-y, axis.inp_dilation) : y / axis.inp_dilation; };
  return {std::max<std::int64_t>(0, -down(-begin)), std::min<std::int64_t>(axis.inp - 1, down(end))};
}

// Zch (contract, section 2), found like precompute by a sweep over the outputs of a map. It holds for any window size,
// because the window has all positions between its first and its last.
Words z_channel_of(const Convolution& c, int x) {
  std::vector<Touched> columns;
  columns.reserve(static_cast<std::size_t>(c.w.out));
  for (int o = 0; o < c.w.out; ++o) columns.push_back(touched(c.w, o));
  Words most = 1, low = 0, high = -1;
  std::int64_t lane = 0;
  for (int row = 0; row < c.h.out; ++row) {
    const Touched rows = touched(c.h, row);
    for (const Touched& column : columns) {
      if (rows.first <= rows.last && column.first <= column.last) {
        const Words first = rows.first * c.w.inp + column.first, last = rows.last * c.w.inp + column.last;
        low = high < 0 ? first : std::min(low, first);
        high = std::max(high, last);
      }
      if (++lane < x) continue;
      most = std::max(most, high - low + 1);
      lane = 0;
      low = 0;
      high = -1;
    }
  }
  return std::max(most, high - low + 1);
}

bool any_zero(const Convolution& c) {
  if (c.a == 0 || c.n_inp == 0 || c.n_kern == 0 || c.c == 0) return true;
  for (const Axis& axis : {c.h, c.w}) {
    for (const int value : {axis.inp, axis.kern, axis.out, axis.stride, axis.inp_dilation, axis.kern_dilation}) {
      if (value == 0) return true;
    }
  }
  return false;
}

}  // namespace

const std::vector<BetaField>& beta_fields(NumberFormat format) {
  static const std::vector<BetaField> fp32 = fields(NumberFormat::fp32());
  static const std::vector<BetaField> fixed = fields(NumberFormat::fixed(NumberFormat::kMostFixedBits));  // any width
  return format.is_fixed() ? fixed : fp32;
}

BetaWords encode(const Convolution& beta, NumberFormat format) {
  BetaWords words(static_cast<std::size_t>(beta_registers(format)));
  for (const BetaField& field : beta_fields(format)) {
    const auto value = static_cast<std::uint64_t>(field.get(beta));
    words[word_of(field)] = static_cast<std::uint32_t>(value);
    if (field.bits > 32) words[word_of(field) + 1] = static_cast<std::uint32_t>(value >> 32);
  }
  return words;
}

Convolution decode(const BetaWords& words, NumberFormat format) {
  Convolution beta;
  for (const BetaField& field : beta_fields(format)) {
    std::uint64_t value = words[word_of(field)];
    if (field.bits > 32) value |= std::uint64_t{words[word_of(field) + 1]} << 32;
    if (field.bits < 32) value &= (std::uint64_t{1} << field.bits) - 1;
    if (field.is_signed && (value >> (field.bits - 1)) != 0) value -= std::uint64_t{1} << field.bits;
    field.set(beta, static_cast<std::int64_t>(value));
  }
  for (TensorView* view : {&beta.inp, &beta.kern, &beta.out}) view->base &= ~std::int64_t{3};
  return beta;
}

// The RTL compares floored values; this is the same as long as a product is a multiple of the divisor (contract,
// section 2: "whether the limit is a multiple of anything or not").
Refusal refusal(const Alpha& alpha, std::int64_t max_sets, const Convolution& c) {
  // Precompute cannot start with these, so they are checked before all others.
  if (c.h.out == 0 || c.w.out == 0 || c.h.inp_dilation == 0 || c.w.inp_dilation == 0) return Refusal::Zero;
  if (!runs(alpha.variant, c.kind)) return Refusal::Variant;
  if (any_zero(c)) return Refusal::Zero;
  const bool gw = c.kind == Kind::GW;
  const auto wide = [](std::int64_t value) { return static_cast<Wide>(value); };
  const std::int64_t sets = ceil_div(c.out_map(), alpha.x);
  if (sets > max_sets) return Refusal::Sets;
  if (z_channel_of(c, alpha.x) > alpha.z_channel) return Refusal::ZChannel;
  const Wide kernel = wide(c.c) * wide(c.h.kern) * wide(c.w.kern);  // up to 2^64
  const Wide rows = gw ? 2 * wide(alpha.y) : wide(ceil_div(c.n_kern, alpha.y)) * wide(alpha.y);
  if (rows * kernel > wide(alpha.kern_words)) return Refusal::KernWords;
  const Wide maps = gw ? wide(c.n_kern) * wide(c.n_inp) : 2 * wide(alpha.y);
  if (maps * wide(sets) * wide(alpha.x) > wide(alpha.out_words)) return Refusal::OutWords;
  if (gw && wide(c.n_kern) * kernel > wide(alpha.k_range)) return Refusal::KRange;
  return Refusal::None;
}

const char* to_string(Refusal refusal) {
  switch (refusal) {
    case Refusal::None:
      return "none";
    case Refusal::Variant:
      return "the kernel's variant does not compute this kind";
    case Refusal::Zero:
      return "a size, stride, dilation or count is zero";
    case Refusal::Sets:
      return "more X-sets than the kernel's table holds";
    case Refusal::ZChannel:
      return "more words of a channel than z_channel";
    case Refusal::KernWords:
      return "more words of KERN than kern_words";
    case Refusal::OutWords:
      return "more words of OUT than out_words";
    case Refusal::KRange:
      return "more words of a GW range than k_range";
  }
  return "?";
}

std::uint32_t RegisterFile::read(Address address, Cycles since_start) const {
  const Address at = address % kRegisterBytes / 4 * 4;
  const bool over = !busy(since_start), ended = since_start >= first_ + cycles_;
  if (at == kCtrl) return over ? kCtrlIdle | (done_ ? kCtrlDone : 0) : 0;
  if (at == kStatus) return over ? status_ : 0;
  if (at == kCycles) return ended ? static_cast<std::uint32_t>(cycles_) : 0;
  if (at == kCycles + 4) return ended ? static_cast<std::uint32_t>(cycles_ >> 32) : 0;
  if (at >= kBeta && at < end_of_beta()) return beta_[static_cast<std::size_t>((at - kBeta) / 4)];
  if (at < kActivity || at >= kActivity + 4 * kActivityRegisters) return 0;
  return counter(static_cast<std::size_t>((at - kActivity) / 4), since_start);
}

// The counters are cleared by the start and count the cycles of the convolution.
std::uint32_t RegisterFile::counter(std::size_t index, Cycles since_start) const {
  const Cycles counted = std::min(since_start - first_, cycles_);
  if (counted <= 0) return 0;
  const Activity activity = kActivityRegisterOrder[index % kActivities];
  return static_cast<std::uint32_t>(activity_(counted)[index / kActivities].of(activity));
}

bool RegisterFile::write(Address address, std::uint32_t data, unsigned strobes, Cycles since_start) {
  if (busy(since_start)) return false;
  const Address at = address % kRegisterBytes / 4 * 4;
  if (at == kCtrl) return (strobes & 1U) != 0 && (data & kCtrlStart) != 0;
  if (at < kBeta || at >= end_of_beta()) return false;
  std::uint32_t mask = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if ((strobes >> byte & 1U) != 0) mask |= std::uint32_t{0xFF} << 8 * byte;
  }
  std::uint32_t& word = beta_[static_cast<std::size_t>((at - kBeta) / 4)];
  word = (word & ~mask) | (data & mask);
  return false;
}

void RegisterFile::refuse(Refusal why, Cycles busy) {
  busy_ = first_ = busy;
  cycles_ = 0;
  done_ = true;
  status_ = static_cast<std::uint32_t>(why);
  activity_ = nullptr;
}

void RegisterFile::run(Cycles first, Cycles cycles, Cycles busy, ActivityBefore activity) {
  busy_ = busy;
  first_ = first;
  cycles_ = cycles;
  done_ = true;
  status_ = 0;
  activity_ = std::move(activity);
}

namespace {

// LCH-2: one cycle fetches operands, one stores results; a division takes a cycle per bit of its dividend in between.
constexpr Cycles kProducts = 18;
constexpr Cycles kDivisions = 16;
constexpr Cycles kProductCycles = 2;
constexpr Cycles kDivisionCycles = 1 + 32 + 1;
constexpr Cycles kStepCycles = kProducts * kProductCycles + kDivisions * kDivisionCycles;

constexpr Cycles kStartCycles = 1;   // takes the start
constexpr Cycles kCheckCycles = 2;   // LCH-3: the limits, and the result
constexpr Cycles kSettleCycles = 4;  // LCH-4

// LCH-2: the steps, then one cycle per output of a map.
Cycles precompute_cycles(const conv::Convolution& beta) {
  return kStepCycles + beta.out_map() + kCheckCycles;
}

// True if neither the steps nor the outputs can be started.
bool unusable(const conv::Convolution& beta) {
  return beta.h.out == 0 || beta.w.out == 0 || beta.h.inp_dilation == 0 || beta.w.inp_dilation == 0;
}

}  // namespace

Cycles launch_cycles(const conv::Convolution& beta) {
  return kStartCycles + precompute_cycles(beta) + kSettleCycles;
}

Cycles refusal_cycles(const conv::Convolution& beta) {
  return kStartCycles + (unusable(beta) ? 1 : precompute_cycles(beta));
}

}  // namespace weft::fpgpt
