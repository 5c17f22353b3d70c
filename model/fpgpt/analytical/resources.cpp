#include "model/fpgpt/analytical/resources.h"

#include <algorithm>

#include "model/core/error.h"
#include "model/fpgpt/analytical/equations.h"
#include "model/fpgpt/analytical/rtl_resources.h"
#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {

namespace {

using equations::product;

constexpr int kPortsPerBlock = 2;  // BRAM18 and URAM alike

// Words of a kernel's partitions, as sizing.h defines them.
struct Stored {
  Words kern_fgi = 0, kern_gw = 0, out_fgi = 0, out_gw = 0;
};

// Words of partitions from alpha's kern_words and out_words, by the inverse of their definition in alpha.h.
Stored stored_by(const Alpha& alpha) {
  Stored s;
  if (runs(alpha.variant, conv::Kind::F)) {
    s.kern_fgi = ceil_div(alpha.kern_words, kern_partitions(alpha, conv::Kind::F));
    s.out_fgi = ceil_div(alpha.out_words, out_partitions(alpha, conv::Kind::F));
  }
  if (runs(alpha.variant, conv::Kind::GW)) {
    s.kern_gw = ceil_div(alpha.kern_words, kern_partitions(alpha, conv::Kind::GW));
    s.out_gw = ceil_div(alpha.out_words, out_partitions(alpha, conv::Kind::GW));
  }
  return s;
}

Stored stored_by(const Alpha& alpha, const std::vector<conv::Convolution>& betas, const Readings& readings) {
  Stored s;
  for (const conv::Convolution& beta : betas) {
    if (!runs(alpha.variant, beta.kind)) continue;
    const Words kern = kern_partition(alpha, beta), out = out_partition(alpha, beta);
    if (beta.kind == conv::Kind::GW) {
      s.kern_gw = std::max(s.kern_gw, kern);
      s.out_gw = std::max(s.out_gw, out);
    } else {
      const std::int64_t channels = readings.out_storage == reading::OutStorage::Tensor ? beta.c_out() : 1;
      s.kern_fgi = std::max(s.kern_fgi, kern);
      s.out_fgi = std::max(s.out_fgi, product({out, channels}));
    }
  }
  return s;
}

// Applies 5.17 to 5.21 to one memory.
MemoryUse use(const char* name, Storage storage, int word_bits, Words partition_words, std::int64_t partitions,
              std::int64_t ports) {
  const MemoryBlock block = memory_block(storage, word_bits);
  MemoryUse m;
  m.name = name;
  m.storage = storage;
  m.partition_words = partition_words;
  m.partitions = partitions;
  m.util = ceil_div(partition_words, block.words);
  m.mblocks = product({m.util, partitions});
  m.ports = ports;
  m.pblocks = ceil_div(ports, block.ports);
  return m;
}

// 5.14 and 5.18.
MemoryUse inp_memory(const Alpha& alpha, const Readings& readings) {
  Words words = align_up(align_up(alpha.z_channel, alpha.band(Port::Inp)), alpha.z);
  if (readings.inp_align == reading::InpAlign::ToTwoZ) words = align_up(words, 2 * Words{alpha.z});
  if (readings.inp_banks == reading::InpBanks::ZBanks) {
    return use("INP", alpha.inp_storage, alpha.format.bits, ceil_div(words, alpha.z), 2 * std::int64_t{alpha.z},
               alpha.z);
  }
  return use("INP", alpha.inp_storage, alpha.format.bits, words, 2, alpha.z);
}

// 5.15 and 5.19, GW.
MemoryUse kern_memory_gw(const Alpha& alpha, Words kern_map, const Readings& readings) {
  const std::int64_t y = alpha.y;
  Words words = align_up(kern_map, y);
  if (readings.kern_storage == reading::KernStorage::Buffer) words /= y;
  return use("KERN (GW)", alpha.kern_storage, alpha.format.bits, words, product({2, y, y}), y);
}

Resources of(const Alpha& alpha, const Stored& stored, const Readings& readings) {
  Resources r;
  r.dsp = product({dsp_per_pe(alpha.format), alpha.x, alpha.y});
  const bool narrow = alpha.format.is_fixed() && readings.out_word == reading::OutWord::Wl;
  const int out_bits = narrow ? alpha.format.bits : kSumBits;
  r.memories.reserve(5);
  r.memories.push_back(inp_memory(alpha, readings));
  const bool fgi = runs(alpha.variant, conv::Kind::F), gw = runs(alpha.variant, conv::Kind::GW);
  if (fgi) {
    r.memories.push_back(use("KERN (F/GI)", alpha.kern_storage, alpha.format.bits, stored.kern_fgi,
                             kern_partitions(alpha, conv::Kind::F), alpha.y));
  }
  if (gw) r.memories.push_back(kern_memory_gw(alpha, stored.kern_gw, readings));
  if (fgi) {
    r.memories.push_back(
        use("OUT (F/GI)", alpha.out_storage, out_bits, stored.out_fgi, out_partitions(alpha, conv::Kind::F), alpha.x));
  }
  if (gw) {
    r.memories.push_back(
        use("OUT (GW)", alpha.out_storage, out_bits, stored.out_gw, out_partitions(alpha, conv::Kind::GW), alpha.x));
  }
  for (const MemoryUse& memory : r.memories) (memory.storage == Storage::BRAM ? r.bram18 : r.uram) += memory.blocks();
  return r;
}

// Memory of one RTL block, in the form of the equations' memories.
MemoryUse memory_of(const char* name, RtlBlock block, const Alpha& alpha) {
  const RtlBuffer buffer = buffer_of(block, alpha);
  const LogicUse use = ram_use(buffer.width, buffer.depth, buffer.storage);
  MemoryUse m;
  m.name = name;
  m.storage = buffer.storage;
  const bool sums = block == RtlBlock::OutConstructorFgi || block == RtlBlock::OutConstructorGw;
  m.partition_words = buffer.depth * (buffer.width / (sums ? kSumBits : alpha.format.bits));
  m.partitions = buffer.count;
  m.util = m.storage == Storage::BRAM ? use.bram18 : use.uram;
  m.mblocks = m.util * m.partitions;
  return m;
}

Resources synthesised_resources(const Alpha& alpha, std::int64_t max_sets) {
  require_one_width(alpha);
  const LogicUse use = synthesised(alpha, max_sets);
  Resources r{use.dsp, use.bram18, use.uram, use.lut, use.ff, {}};
  const auto add = [&](const char* name, RtlBlock block) {
    if (has_block(alpha.variant, block)) r.memories.push_back(memory_of(name, block, alpha));
  };
  add("INP", RtlBlock::Im2col);
  add("KERN (F/GI)", RtlBlock::KernFeederFgi);
  add("KERN (GW)", RtlBlock::KernFeederGw);
  add("OUT (F/GI)", RtlBlock::OutConstructorFgi);
  add("OUT (GW)", RtlBlock::OutConstructorGw);
  return r;
}

}  // namespace

MemoryBlock memory_block(Storage storage, int word_bits) {
  const int widest = storage == Storage::BRAM ? 36 : 72;
  Words words = storage == Storage::BRAM ? 512 : 4096;
  if (storage == Storage::BRAM && word_bits <= 9) words = 2048;
  if (storage == Storage::BRAM && word_bits > 9 && word_bits <= 18) words = 1024;
  return {std::max<Words>(1, words / ceil_div(word_bits, widest)), kPortsPerBlock};
}

int dsp_per_pe(NumberFormat format) {
  return format.is_fixed() ? 3 : 9;
}

Resources resources(const Alpha& alpha, const Readings& readings) {
  if (readings.resources == reading::Resources::Synthesis) return synthesised_resources(alpha, max_sets_of(alpha));
  return of(alpha, stored_by(alpha), readings);
}

Resources resources(const Alpha& alpha, const std::vector<conv::Convolution>& betas, const Readings& readings) {
  if (readings.resources == reading::Resources::Synthesis) {
    std::int64_t sets = 1;
    for (const conv::Convolution& beta : betas) sets = std::max(sets, ceil_div(beta.out_map(), alpha.x));
    return synthesised_resources(alpha, sets);
  }
  return of(alpha, stored_by(alpha, betas, readings), readings);
}

ResourceReport compare(const Resources& resources, const Budget& budget) {
  ResourceReport report{{"DSP", resources.dsp, budget.dsp},
                        {"BRAM18", resources.bram18, budget.bram18},
                        {"URAM", resources.uram, budget.uram}};
  if (resources.lut && budget.lut) report.push_back({"LUT", *resources.lut, *budget.lut});
  if (resources.ff && budget.ff) report.push_back({"FF", *resources.ff, *budget.ff});
  return report;
}

bool fits(const Resources& use, const Budget& has) {
  return use.dsp <= has.dsp && use.bram18 <= has.bram18 && use.uram <= has.uram &&
         !(use.lut && has.lut && *use.lut > *has.lut) && !(use.ff && has.ff && *use.ff > *has.ff);
}

}  // namespace weft::fpgpt
