#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::sparse {

// Which 2-D kernels of a layer are kept: one bit for each pair of an output and an input (of a dense layer each
// element).
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
  std::uint64_t digest() const;  // of its bits

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

// The hash of a kernel (CONTRACT.md of batchlane, MSK-1): the same on every machine and in any order.
std::uint64_t kernel_hash(std::uint64_t seed, const std::string& layer, int output, int input);

// Kept where the upper 53 bits of the hash, as a fraction of 2^53, are below `density` (MSK-2).
Mask random_mask(int outputs, int inputs, double density, std::uint64_t seed, const std::string& layer);

// How outputs (in the transposed pass inputs) lie on the PEs that a balanced mask serves: blocks of `block`, of which
// PE p has those of number p modulo `pes`.
struct Lanes {
  int pes = 32;
  int block = 128;
};

// In every block and for each input all PEs keep equally many kernels, and transposed for each output likewise, where
// outputs and inputs are multiples of `pes`; elsewhere they differ by at most 1 (MSK-3, MSK-4). Its density is the
// nearest to `density` that this allows.
Mask balanced_mask(int outputs, int inputs, double density, const Lanes& lanes, std::uint64_t seed,
                   const std::string& layer);

// Masks of layers by name, as a file holds them (CONTRACT.md of batchlane, MSK-5): "WEFTMASK", then for each layer the
// length of its name (32 bits, as all numbers lowest byte first), the name, outputs, inputs, and a bit for each kernel,
// inputs innermost, from the lowest bit of a byte up; bits beyond the last are 0.
using LayerMasks = std::vector<std::pair<std::string, Mask>>;

std::string mask_file(const LayerMasks& masks);
// Throws Error with the offset and the reason where `bytes` is no such file.
LayerMasks read_mask_file(const std::string& bytes);

}  // namespace weft::sparse
