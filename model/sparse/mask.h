#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::sparse {

// Kept 2-D kernels of a layer: one bit per pair of an output and an input (in a dense layer, per element).
class Mask {
 public:
  Mask() = default;
  Mask(int outputs, int inputs, bool kept = false)
      : outputs_(outputs), inputs_(inputs), bits_(static_cast<std::size_t>(outputs) * inputs, kept ? 1 : 0) {}

  int outputs() const { return outputs_; }
  int inputs() const { return inputs_; }
  bool kept(int output, int input) const { return bits_[index(output, input)] != 0; }
  void set(int output, int input, bool kept) { bits_[index(output, input)] = kept ? 1 : 0; }
  std::int64_t kept() const;
  double density() const { return static_cast<double>(kept()) / static_cast<double>(bits_.size()); }
  Mask transposed() const;
  std::uint64_t digest() const;  // hash of the bits

  friend bool operator==(const Mask& a, const Mask& b) {
    return a.outputs_ == b.outputs_ && a.inputs_ == b.inputs_ && a.bits_ == b.bits_;
  }

 private:
  std::size_t index(int output, int input) const {
    return static_cast<std::size_t>(output) * static_cast<std::size_t>(inputs_) + static_cast<std::size_t>(input);
  }

  int outputs_ = 0, inputs_ = 0;
  std::vector<std::uint8_t> bits_;
};

// Hash of a kernel (CONTRACT.md of batchlane, MSK-1), independent of the machine and of the order of calls.
std::uint64_t kernel_hash(std::uint64_t seed, const std::string& layer, int output, int input);

// Keeps a kernel if the upper 53 bits of its hash, as a fraction of 2^53, are below `density` (MSK-2).
Mask random_mask(int outputs, int inputs, double density, std::uint64_t seed, const std::string& layer);

// Mapping of outputs (in the transposed pass of inputs) to PEs for a balanced mask: in each block of `block` outputs,
// PE p has those whose number is p modulo `pes`.
struct Lanes {
  int pes = 32;
  int block = 128;
};

// Returns a mask in which, for every block and input, all PEs keep equally many kernels; in the transposed mask the
// same holds for every output. If outputs or inputs are no multiple of `pes`, the numbers differ by at most 1 (MSK-3,
// MSK-4). The density is the nearest to `density` that this allows.
Mask balanced_mask(int outputs, int inputs, double density, const Lanes& lanes, std::uint64_t seed,
                   const std::string& layer);

// Masks of layers by name. Format of the file (CONTRACT.md of batchlane, MSK-5): "WEFTMASK"; then for each layer the
// length of its name (32 bits, all numbers little-endian), the name, outputs, inputs, and a bit per kernel, inputs
// innermost, from the lowest bit of a byte up; unused bits are 0.
using LayerMasks = std::vector<std::pair<std::string, Mask>>;

std::string mask_file(const LayerMasks& masks);
// Throws Error with the offset and the reason if `bytes` is not such a file.
LayerMasks read_mask_file(const std::string& bytes);

}  // namespace weft::sparse
