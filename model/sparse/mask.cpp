#include "model/sparse/mask.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "model/core/error.h"
#include "model/core/fnv1a.h"

namespace weft::sparse {

namespace {

void put32(std::string& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

// Sequential reader of a file. Every fault throws Error with its byte offset.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::size_t offset() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::string_view take(std::size_t count, const char* what) {
    if (left() < count) {
      throw Error(fmt::format("byte {}: the file ends within {}, after {} of {} bytes", at_, what, left(), count));
    }
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  std::uint32_t take32(const char* what, std::uint32_t low, std::uint32_t high) {
    const std::size_t at = at_;
    std::uint32_t value = 0;
    int shift = 0;
    for (const char c : take(4, what)) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << shift;
      shift += 8;
    }
    if (value < low || value > high) {
      throw Error(fmt::format("byte {}: {} is {}; allowed: {} to {}", at, what, value, low, high));
    }
    return value;
  }
  void expect(std::string_view word) {
    if (take(word.size(), "the file's first bytes") != word) {
      throw Error(fmt::format("byte 0: the file does not begin with '{}'", word));
    }
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

std::uint64_t layer_hash(std::uint64_t seed, const std::string& layer) {
  Fnv1a64 name;
  name.add_bytes(layer);
  return mix(mix(seed) ^ name.value());
}

// Number of `total` items dealt round-robin to `pes` PEs that PE `pe` gets.
int held(int total, int pes, int pe) {
  return (total - pe + pes - 1) / pes;
}

// Rounds real numbers to integers such that the running sums stay equal after rounding.
class Diffused {
 public:
  int next(double amount) {
    const double before = std::floor(sum_ + 0.5);
    sum_ += amount;
    return static_cast<int>(std::floor(sum_ + 0.5) - before);
  }

 private:
  double sum_ = 0;
};

// Kernels of one PE's `rows` outputs and one PE's `columns` inputs in a block. `kept` of them are kept, row by row in
// cyclic column order, so columns differ by at most 1; columns from `first_column` on have the extra kernel.
struct Cell {
  int rows = 0, columns = 0, kept = 0;
  int first_row = 0, first_column = 0;
};

template <class Set>
void fill(const Cell& cell, std::uint64_t hash, Set set) {
  std::vector<int> order(static_cast<std::size_t>(cell.rows));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    hash = mix(hash);
    std::swap(order[i - 1], order[static_cast<std::size_t>(hash % i)]);
  }
  int column = cell.first_column;
  for (const int row : order) {
    const int behind = (row - cell.first_row + cell.rows) % cell.rows;
    const int count = cell.kept / cell.rows + (behind < cell.kept % cell.rows ? 1 : 0);
    for (int i = 0; i < count; ++i) {
      set(row, column);
      column = (column + 1) % cell.columns;
    }
  }
}

}  // namespace

std::int64_t Mask::kept() const {
  return std::count(bits_.begin(), bits_.end(), 1);
}

std::uint64_t Mask::digest() const {
  Fnv1a64 digest;
  for (const std::uint8_t kept : bits_) digest.add(kept);
  return digest.value();
}

Mask Mask::transposed() const {
  Mask result(inputs_, outputs_);
  for (int output = 0; output < outputs_; ++output) {
    for (int input = 0; input < inputs_; ++input) result.set(input, output, kept(output, input));
  }
  return result;
}

std::uint64_t kernel_hash(std::uint64_t seed, const std::string& layer, int output, int input) {
  return mix(mix(layer_hash(seed, layer) ^ static_cast<std::uint64_t>(output)) ^ static_cast<std::uint64_t>(input));
}

Mask random_mask(int outputs, int inputs, double density, std::uint64_t seed, const std::string& layer) {
  const std::uint64_t of_layer = layer_hash(seed, layer);
  Mask mask(outputs, inputs);
  for (int output = 0; output < outputs; ++output) {
    const std::uint64_t of_output = mix(of_layer ^ static_cast<std::uint64_t>(output));
    for (int input = 0; input < inputs; ++input) {
      const std::uint64_t hash = mix(of_output ^ static_cast<std::uint64_t>(input));
      mask.set(output, input, static_cast<double>(hash >> 11) * 0x1p-53 < density);
    }
  }
  return mask;
}

Mask balanced_mask(int outputs, int inputs, double density, const Lanes& lanes, std::uint64_t seed,
                   const std::string& layer) {
  const std::uint64_t of_layer = layer_hash(seed, layer);
  Mask mask(outputs, inputs);
  // PEs with one output (input) more than others of the block have a separate running sum.
  std::array<std::array<Diffused, 2>, 2> kept;
  std::uint64_t number = 0;
  for (int row = 0; row < outputs; row += lanes.block) {
    const int rows = std::min(lanes.block, outputs - row);
    for (int column = 0; column < inputs; column += lanes.block, ++number) {
      const int columns = std::min(lanes.block, inputs - column);
      const std::uint64_t of_block = mix(of_layer ^ number);
      std::array<std::array<int, 2>, 2> in_cell{};
      for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) {
          const int cells = (rows / lanes.pes + r) * (columns / lanes.pes + c);
          in_cell[r][c] = kept[r][c].next(density * cells);
        }
      }
      for (int output = 0; output < std::min(lanes.pes, rows); ++output) {
        for (int input = 0; input < std::min(lanes.pes, columns); ++input) {
          Cell cell;
          cell.rows = held(rows, lanes.pes, output);
          cell.columns = held(columns, lanes.pes, input);
          cell.kept = in_cell[cell.rows - rows / lanes.pes][cell.columns - columns / lanes.pes];
          // A margin depends on one PE only, not on the other: this makes both passes equal.
          cell.first_row = static_cast<int>(mix(of_block ^ mix(2 * output)) % cell.rows);
          cell.first_column = static_cast<int>(mix(of_block ^ mix(2 * input + 1)) % cell.columns);
          const std::uint64_t hash = mix(of_block ^ mix(mix(output) ^ input));
          fill(cell, hash,
               [&](int r, int c) { mask.set(row + r * lanes.pes + output, column + c * lanes.pes + input, true); });
        }
      }
    }
  }
  return mask;
}

namespace {

constexpr std::string_view kMaskMagic = "WEFTMASK";
constexpr std::uint32_t kMaxName = 4096, kMaxMaskSide = 65536;

}  // namespace

std::string mask_file(const LayerMasks& masks) {
  std::string bytes(kMaskMagic);
  for (const auto& [name, mask] : masks) {
    put32(bytes, static_cast<std::uint32_t>(name.size()));
    bytes += name;
    put32(bytes, static_cast<std::uint32_t>(mask.outputs()));
    put32(bytes, static_cast<std::uint32_t>(mask.inputs()));
    unsigned held = 0;
    int bit = 0;
    const auto add = [&](bool kept) {
      held |= static_cast<unsigned>(kept) << bit;
      if (++bit < 8) return;
      bytes.push_back(static_cast<char>(held));
      held = 0;
      bit = 0;
    };
    for (int output = 0; output < mask.outputs(); ++output) {
      for (int input = 0; input < mask.inputs(); ++input) add(mask.kept(output, input));
    }
    while (bit != 0) add(false);
  }
  return bytes;
}

LayerMasks read_mask_file(const std::string& bytes) {
  ByteReader reader(bytes);
  reader.expect(kMaskMagic);
  LayerMasks masks;
  while (reader.left() > 0) {
    const std::size_t at = reader.offset();
    const std::uint32_t length = reader.take32("the length of a name", 1, kMaxName);
    const std::string name(reader.take(length, "a name"));
    for (const auto& known : masks) {
      if (known.first == name) throw Error(fmt::format("byte {}: layer '{}' occurs twice", at, name));
    }
    const std::uint32_t outputs = reader.take32("a number of outputs", 1, kMaxMaskSide);
    const std::uint32_t inputs = reader.take32("a number of inputs", 1, kMaxMaskSide);
    const std::size_t kernels = std::size_t{outputs} * inputs;
    const std::size_t first = reader.offset();
    const std::string_view bits = reader.take((kernels + 7) / 8, "the bits of a layer");
    Mask mask(static_cast<int>(outputs), static_cast<int>(inputs));
    for (std::size_t i = 0; i < 8 * bits.size(); ++i) {
      const bool kept = (static_cast<unsigned char>(bits[i / 8]) >> (i % 8) & 1U) != 0;
      if (i < kernels) {
        mask.set(static_cast<int>(i / inputs), static_cast<int>(i % inputs), kept);
      } else if (kept) {
        throw Error(fmt::format("byte {}: a bit beyond the {} kernels of layer '{}' is 1, but must be 0", first + i / 8,
                                kernels, name));
      }
    }
    masks.emplace_back(name, std::move(mask));
  }
  if (masks.empty()) throw Error(fmt::format("byte {}: the file holds no mask", reader.offset()));
  return masks;
}

}  // namespace weft::sparse
