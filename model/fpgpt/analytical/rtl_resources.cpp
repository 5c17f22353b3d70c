#include "model/fpgpt/analytical/rtl_resources.h"

#include <algorithm>

#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {

namespace {

// A BRAM18 is 512 words of 36 bits, 1024 of 18 and so on; a BRAM36 twice as wide or, below 36 bits, twice as deep.
constexpr std::int64_t kBram18Bits = 16384;  // without parity
constexpr std::int64_t kUramWidth = 72, kUramDepth = 4096;

// Coefficients by block; `weft synth --calibrate` writes the files.
const std::array<LogicForm, kRtlBlocks>& fp32_table() {
  static const std::array<LogicForm, kRtlBlocks> kTable{{
#include "model/fpgpt/analytical/rtl_coefficients.inc"
  }};
  return kTable;
}
const std::array<LogicForm, kRtlBlocks>& fixed_table() {
  static const std::array<LogicForm, kRtlBlocks> kTable{{
#include "model/fpgpt/analytical/rtl_coefficients_fixed.inc"
  }};
  return kTable;
}

// Words of a buffer's RAM, at least 1: the RTL has no RAM of no words.
std::int64_t ram_depth(std::int64_t words) {
  return std::max<std::int64_t>(words, 1);
}

// Calls visit(bits of a word, BRAM18s of a column) for each shape of a BRAM18 and of two of them as a BRAM36 (`pair`).
template <typename Visit>
void for_each_bram_shape(std::int64_t depth, Visit visit) {
  for (const bool pair : {false, true}) {
    for (std::int64_t data = 1; data <= (pair ? 64 : 32); data *= 2) {
      const std::int64_t words = (pair ? 2 : 1) * kBram18Bits / data;
      visit(data >= 8 ? data * 9 / 8 : data, (pair ? 2 : 1) * ceil_div(depth, words));
    }
  }
}

// Returns the fewest BRAM18s: whole columns of one shape, and for the bits left over one column of the best shape.
std::int64_t bram18_for(std::int64_t width, std::int64_t depth) {
  const auto fewest = [](std::int64_t& best, std::int64_t count) { best = best == 0 ? count : std::min(best, count); };
  const auto left_over = [&](std::int64_t bits) {
    std::int64_t best = 0;
    for_each_bram_shape(depth, [&](std::int64_t wide, std::int64_t column) {
      if (bits <= wide) fewest(best, column);
    });
    return bits == 0 ? 0 : best;
  };
  std::int64_t best = 0;
  for_each_bram_shape(depth, [&](std::int64_t wide, std::int64_t column) {
    fewest(best, width / wide * column + left_over(width % wide));
  });
  return best;
}

// True if yosys' mapper (memory_libmap) estimates LUTs as cheaper. Its costs: in LUTs 16 for each 14 bits of 32 words
// or 7 of 64, and 0.5 for each multiplexer bit and write enable; 129 for a BRAM18, 257 for a BRAM36, and 2 in all for
// reads that are older than writes.
bool lies_in_luts(std::int64_t width, std::int64_t depth) {
  const auto lut_cost = [&](std::int64_t words, double bits) {
    const std::int64_t parts = ceil_div(depth, words);
    const std::int64_t wires = (parts - 1) * width + (parts > 1 ? parts : 0);
    return 16 * static_cast<double>(parts * width) / bits + 0.5 * static_cast<double>(wires);
  };
  const std::int64_t blocks = bram18_for(width, depth), pairs = blocks / 2, single = blocks % 2;
  const auto block_cost = static_cast<double>(pairs * 257 + single * 129 + 2);
  return std::min(lut_cost(32, 14), lut_cost(64, 7)) < block_cost;
}

// Bits of a token of a FIFO in fpgpt_kernel: a token that may be less than full carries its number of words.
std::int64_t token_bits(const Alpha& a, FifoId fifo) {
  const std::int64_t words = widest_token(a, fifo), in = a.format.bits;
  const bool fgi = runs(a.variant, conv::Kind::F);
  switch (fifo) {
    case FifoId::InpWord:
      return in * words + index_bits(words + 1);
    case FifoId::OutGroup:
      return kSumBits * words + index_bits(words + 1);
    case FifoId::KernWord:  // a GW token is always full
      return in * words + index_bits((fgi ? fifo_width(a, conv::Kind::F, fifo) : 1) + 1);
    case FifoId::OutRow:
    case FifoId::OutBeat:
      return kSumBits * words;
    default:
      return in * words;
  }
}

// Weight of a word: logic that moves words is linear in their bits; FP32's forms, of one word width, count 1.
double word_units(const Alpha& a) {
  return a.format.is_fixed() ? a.format.bits : 1;
}

bool is_power_of_two(int n) {
  return (n & (n - 1)) == 0;
}

// True if lanes are padded: they are shifted within a pitch of a power of two of bits (lane_shift.sv).
bool pads_lanes(const Alpha& a) {
  return !is_power_of_two(a.format.bits);
}

void add_trim(std::vector<double>& f, const Alpha& a, Port port, bool present) {
  const std::int64_t band = a.band(port);
  f.push_back(present ? word_units(a) * static_cast<double>(band) : 0);
  f.push_back(present ? word_units(a) * static_cast<double>(band * index_bits(band)) : 0);
  if (!a.format.is_fixed()) return;
  // yosys maps a shift by sixteen whole lanes to a tree of multiplexers, by fewer or more to a row of stages.
  f.push_back(present && band == 16 && !pads_lanes(a) ? static_cast<double>(band * a.format.bits) : 0);
}

void add_regroup(std::vector<double>& f, const Alpha& a, std::int64_t in, std::int64_t out) {
  const std::size_t before = f.size();
  add_regroup_features(f, in, out);
  for (std::size_t i = before; i < f.size(); ++i) f[i] *= word_units(a);
  if (a.format.is_fixed()) f.push_back(pads_lanes(a) ? f.back() : 0);
}

// 1 if a word's beat and lane are a product, not a bit slice: the beat's words are no power of two (beat_place.sv).
double divides(const Alpha& a) {
  return is_power_of_two(a.band(Port::Inp)) ? 0 : 1;
}

// True if a product takes LUTs instead of a DSP48E2: less than 9 bits.
bool multiplies_in_luts(const Alpha& a) {
  return 2 * a.format.bits < 9;
}

}  // namespace

bool has_block(Variant variant, RtlBlock block) {
  switch (block) {
    case RtlBlock::KernDecodeFgi:
    case RtlBlock::KernFeederFgi:
    case RtlBlock::OutConstructorFgi:
      return runs(variant, conv::Kind::F);
    case RtlBlock::KernDecodeGw:
    case RtlBlock::KernFeederGw:
    case RtlBlock::OutConstructorGw:
      return runs(variant, conv::Kind::GW);
    default:
      return true;
  }
}

std::int64_t max_sets_of(const Alpha& alpha) {
  // F and GI: out_words is 2 Y S X; GW: N C S X, where S may be all of it.
  const std::int64_t sets = ceil_div(alpha.out_words, alpha.x);
  return std::max<std::int64_t>(1, alpha.variant == Variant::FGI ? ceil_div(sets, 2 * std::int64_t{alpha.y}) : sets);
}

LogicUse ram_use(std::int64_t width, std::int64_t depth, Storage storage) {
  LogicUse use;
  if (storage == Storage::URAM) {
    use.uram = ceil_div(width, kUramWidth) * ceil_div(depth, kUramDepth);
  } else if (lies_in_luts(width, depth)) {
    use.lut = lut_memory(width, depth);
    use.ff = width;  // the read register, which a BRAM contains
  } else {
    use.bram18 = bram18_for(width, depth);
  }
  return use;
}

RtlBuffer buffer_of(RtlBlock block, const Alpha& a) {
  const std::int64_t in = a.format.bits;
  switch (block) {
    case RtlBlock::Im2col:
      return {in, 2 * ceil_div(a.z_channel, a.z), a.z, a.inp_storage};
    case RtlBlock::KernFeederFgi:
      // With wide_kern_load each row of the array stores all of KERN, one beat per word.
      if (a.profile.wide_kern_load) {
        const std::int64_t band = a.band(Port::Kern);
        return {in * band, ceil_div(a.kern_words / a.y * a.y + band - 1, band), a.y, a.kern_storage};
      }
      return {in, ram_depth(a.kern_words / kern_partitions(a, conv::Kind::F)), a.y, a.kern_storage};
    case RtlBlock::KernFeederGw:  // two halves of a kernel's words, Y words wide
      return {in * a.y, 2 * ram_depth(ceil_div(a.kern_words / kern_partitions(a, conv::Kind::GW), a.y)), a.y,
              a.kern_storage};
    case RtlBlock::OutConstructorFgi:  // two halves
      return {kSumBits * std::int64_t{a.x}, 2 * ram_depth(a.out_words / out_partitions(a, conv::Kind::F)), 1,
              a.out_storage};
    case RtlBlock::OutConstructorGw:
      return {kSumBits * std::int64_t{a.x}, ram_depth(a.out_words / out_partitions(a, conv::Kind::GW)), 1,
              a.out_storage};
    default:
      return {};
  }
}

std::vector<double> features(RtlBlock block, const Alpha& a, std::int64_t max_sets) {
  const double x = a.x, y = a.y, z = a.z, w = word_units(a);
  const bool fixed = a.format.is_fixed();
  const Profile& p = a.profile;
  std::vector<double> f{1};
  const auto add = [&](double value) { f.push_back(value); };
  switch (block) {
    case RtlBlock::Registers:
    case RtlBlock::OutWriter:
      break;
    case RtlBlock::Precompute:
    case RtlBlock::InpReader:
      add(static_cast<double>(index_bits(max_sets)));
      if (fixed) add(divides(a));
      break;
    case RtlBlock::InpDecode:
      add_trim(f, a, Port::Inp, true);
      if (fixed) add(divides(a));
      break;
    case RtlBlock::InpConstruct:
      add_regroup(f, a, a.band(Port::Inp), a.z);
      break;
    case RtlBlock::Im2col:
      add(x);
      add(x * static_cast<double>(index_bits(a.z_channel + 1)));
      add(z);
      add(x * z * w);
      add(is_power_of_two(a.z) ? 0 : x);  // a lane divides by Z
      if (fixed) add(x * w);
      break;
    case RtlBlock::KernReader:
      if (fixed) add(divides(a));
      break;
    case RtlBlock::KernDecodeFgi:
      add_trim(f, a, Port::Kern, p.wide_kern_load);
      add_trim(f, a, Port::Kern, !p.wide_kern_load);
      if (!fixed) break;
      add(divides(a));
      add(pads_lanes(a) && !p.wide_kern_load ? a.band(Port::Kern) * w : 0);
      break;
    case RtlBlock::KernDecodeGw:
      add_trim(f, a, Port::Kern, true);
      add_regroup(f, a, a.band(Port::Kern), a.y);
      if (fixed) add(divides(a));
      break;
    case RtlBlock::KernFeederFgi:
      add(p.wide_kern_load ? 0 : y);
      add(p.wide_kern_load ? y : 0);
      add(p.wide_kern_load ? y * a.band(Port::Kern) * w : 0);
      add(p.overlap_drain ? 0 : y);
      if (!fixed) break;
      add(y * w);
      add(p.wide_kern_load ? y * divides(a) : 0);
      break;
    case RtlBlock::KernFeederGw:
      add(y);
      add(y * y * w);
      if (fixed) add(y * w);
      break;
    case RtlBlock::Array:
      add(x);
      add(y);
      add(x * y);
      add(p.overlap_drain ? y * y * w : 0);
      if (!fixed) break;
      add(multiplies_in_luts(a) ? x * y : 0);
      add(x * y * w);
      break;
    case RtlBlock::OutConstructorFgi:
    case RtlBlock::OutConstructorGw:
      add(x);
      break;
    case RtlBlock::OutEncode:
      return encode_features(a.x, a.band(Port::Out));
    case RtlBlock::Fifos:
      break;
    case RtlBlock::Wiring:
      add(x);
      add(y * w);
      add(p.wide_kern_load && runs(a.variant, conv::Kind::F) ? a.band(Port::Kern) * w : 0);
      break;
  }
  return f;
}

LogicUse memory_use(RtlBlock block, const Alpha& a, std::int64_t max_sets) {
  LogicUse use;
  if (!has_block(a.variant, block)) return use;
  const RtlBuffer buffer = buffer_of(block, a);
  if (buffer.count > 0) use = buffer.count * ram_use(buffer.width, buffer.depth, buffer.storage);
  if (block == RtlBlock::Im2col) use += ram_use(32, max_sets, Storage::BRAM);
  if (block == RtlBlock::InpReader) use += 2 * ram_use(32, max_sets, Storage::BRAM);
  if (block == RtlBlock::Fifos) {
    for (std::size_t i = 0; i < kFifos; ++i) {
      const auto fifo = static_cast<FifoId>(i);
      use.lut += fifo_luts(token_bits(a, fifo), a.fifo[fifo]);
    }
  }
  return use;
}

LogicUse synthesised(RtlBlock block, const Alpha& alpha, std::int64_t max_sets) {
  if (!has_block(alpha.variant, block)) return {};
  LogicUse use = memory_use(block, alpha, max_sets);
  use += coefficients(block, alpha.format.kind).of(features(block, alpha, max_sets));
  return use;
}

LogicUse synthesised(const Alpha& alpha, std::int64_t max_sets) {
  LogicUse use;
  for (std::size_t i = 0; i < kRtlBlocks; ++i) use += synthesised(static_cast<RtlBlock>(i), alpha, max_sets);
  return use;
}

const LogicForm& coefficients(RtlBlock block, NumberFormat::Kind numbers) {
  const auto& table = numbers == NumberFormat::Kind::Fixed ? fixed_table() : fp32_table();
  return table[static_cast<std::size_t>(block)];
}

}  // namespace weft::fpgpt
