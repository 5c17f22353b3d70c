#include "model/fpgpt/analytical/rtl_resources.h"

#include <algorithm>

#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {

namespace {

// A BRAM18 is 512 words of 36 bits, 1024 of 18 and so on; a BRAM36 twice as wide or, below 36 bits, twice as deep.
constexpr std::int64_t kBram18Bits = 16384;  // without parity
constexpr std::int64_t kLutMemoryDepth = 64;
constexpr std::int64_t kUramWidth = 72, kUramDepth = 4096;

// Block by block; `weft synth --calibrate` writes it.
const std::array<LogicForm, kRtlBlocks>& table() {
  static const std::array<LogicForm, kRtlBlocks> kTable{{
#include "model/fpgpt/analytical/rtl_coefficients.inc"
  }};
  return kTable;
}

// Words of a buffer's RAM: the RTL has none of no words.
std::int64_t ram_depth(std::int64_t words) {
  return std::max<std::int64_t>(words, 1);
}

// The shapes of a BRAM18 (`pair`: of two side by side as one BRAM36): calls visit(bits of a word, BRAM18s of a column).
template <typename Visit>
void for_each_bram_shape(std::int64_t depth, Visit visit) {
  for (const bool pair : {false, true}) {
    for (std::int64_t data = 1; data <= (pair ? 64 : 32); data *= 2) {
      const std::int64_t words = (pair ? 2 : 1) * kBram18Bits / data;
      visit(data >= 8 ? data * 9 / 8 : data, (pair ? 2 : 1) * ceil_div(depth, words));
    }
  }
}

// Fewest BRAM18s in whole columns of one shape, and the bits that are left over in one column of the shape that is best
// for them.
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

// Bits of a token of a FIFO in fpgpt_kernel: where it may be less than full its number of words goes with it.
std::int64_t token_bits(const Alpha& a, FifoId fifo) {
  const std::int64_t words = widest_token(a, fifo);
  const bool fgi = runs(a.variant, conv::Kind::F);
  switch (fifo) {
    case FifoId::InpWord:
    case FifoId::OutGroup:
      return 32 * words + index_bits(words + 1);
    case FifoId::KernWord:  // of GW a token is always full
      return 32 * words + index_bits((fgi ? fifo_width(a, conv::Kind::F, fifo) : 1) + 1);
    default:
      return 32 * words;
  }
}

void add_trim(std::vector<double>& f, std::int64_t band, bool present) {
  f.push_back(present ? static_cast<double>(band) : 0);
  f.push_back(present ? static_cast<double>(band * index_bits(band)) : 0);
}

}  // namespace

std::string_view to_string(RtlBlock block) {
  constexpr std::array<std::string_view, kRtlBlocks> kNames{
      "registers",           "precompute",         "inp_reader",     "inp_decode",      "inp_construct",  "im2col",
      "kern_reader",         "kern_decode_fgi",    "kern_decode_gw", "kern_feeder_fgi", "kern_feeder_gw", "array",
      "out_constructor_fgi", "out_constructor_gw", "out_encode",     "out_writer",      "fifos",          "wiring"};
  return kNames[static_cast<std::size_t>(block)];
}

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
  } else if (depth <= kLutMemoryDepth) {
    use.lut = lut_memory(width, depth);
    use.ff = width;  // the read register, which a BRAM has inside
  } else {
    use.bram18 = bram18_for(width, depth);
  }
  return use;
}

RtlBuffer buffer_of(RtlBlock block, const Alpha& a) {
  switch (block) {
    case RtlBlock::Im2col:
      return {32, 2 * ceil_div(a.z_channel, a.z), a.z, a.inp_storage};
    case RtlBlock::KernFeederFgi:
      // With wide_kern_load each row of the array keeps all of KERN, a beat a word.
      if (a.profile.wide_kern_load) {
        const std::int64_t band = a.band(Port::Kern);
        return {32 * band, ceil_div(a.kern_words / a.y * a.y + band - 1, band), a.y, a.kern_storage};
      }
      return {32, ram_depth(a.kern_words / a.y), a.y, a.kern_storage};
    case RtlBlock::KernFeederGw:  // two halves of a kernel's words, Y of them in a row
      return {32 * std::int64_t{a.y}, 2 * ram_depth(ceil_div(a.kern_words / (2 * a.y), a.y)), a.y, a.kern_storage};
    case RtlBlock::OutConstructorFgi:  // two halves
      return {32 * std::int64_t{a.x}, 2 * ram_depth(a.out_words / (2 * a.x)), 1, a.out_storage};
    case RtlBlock::OutConstructorGw:
      return {32 * std::int64_t{a.x}, ram_depth(a.out_words / a.x), 1, a.out_storage};
    default:
      return {};
  }
}

std::vector<double> features(RtlBlock block, const Alpha& a, std::int64_t max_sets) {
  const double x = a.x, y = a.y, z = a.z;
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
      break;
    case RtlBlock::InpDecode:
      add_trim(f, a.band(Port::Inp), true);
      break;
    case RtlBlock::InpConstruct:
      add_regroup_features(f, a.band(Port::Inp), a.z);
      break;
    case RtlBlock::Im2col:
      add(x);
      add(x * static_cast<double>(index_bits(a.z_channel + 1)));
      add(z);
      add(x * z);
      add((a.z & (a.z - 1)) != 0 ? x : 0);  // a lane divides by Z
      break;
    case RtlBlock::KernReader:
      break;
    case RtlBlock::KernDecodeFgi:
      add_trim(f, a.band(Port::Kern), p.wide_kern_load);
      add_trim(f, a.band(Port::Kern), !p.wide_kern_load);
      break;
    case RtlBlock::KernDecodeGw:
      add_trim(f, a.band(Port::Kern), true);
      add_regroup_features(f, a.band(Port::Kern), a.y);
      break;
    case RtlBlock::KernFeederFgi:
      add(p.wide_kern_load ? 0 : y);
      add(p.wide_kern_load ? y : 0);
      add(p.wide_kern_load ? y * a.band(Port::Kern) : 0);
      add(p.overlap_drain ? 0 : y);
      break;
    case RtlBlock::KernFeederGw:
      add(y);
      add(y * y);
      break;
    case RtlBlock::Array:
      add(x);
      add(y);
      add(x * y);
      add(p.overlap_drain ? y * y : 0);
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
      add(y);
      add(p.wide_kern_load && runs(a.variant, conv::Kind::F) ? a.band(Port::Kern) : 0);
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
  use += coefficients(block).of(features(block, alpha, max_sets));
  return use;
}

LogicUse synthesised(const Alpha& alpha, std::int64_t max_sets) {
  LogicUse use;
  for (std::size_t i = 0; i < kRtlBlocks; ++i) use += synthesised(static_cast<RtlBlock>(i), alpha, max_sets);
  return use;
}

const LogicForm& coefficients(RtlBlock block) {
  return table()[static_cast<std::size_t>(block)];
}

}  // namespace weft::fpgpt
