#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/fpgpt/alpha.h"
#include "model/fpgpt/topology.h"
#include "platform/config/kernel_base.h"

namespace weft::fpgpt {

// A size of the kernel's storage: a number of words, or fitted to each convolution (one kernel per convolution), or
// fitted to the largest convolution of the run (one kernel per variant).
struct Size {
  enum class Fit : std::uint8_t { Fixed, Auto, Shared };
  Fit fit = Fit::Auto;
  Words words = 0;  // Fixed only

  friend bool operator==(const Size& a, const Size& b) { return a.fit == b.fit && a.words == b.words; }
};

// Training convolutions that the kernel is built for; Auto: the smallest variant that serves the convolutions it runs.
enum class VariantChoice : std::uint8_t { Auto, Fgi, Gw, Both };

// Convolution that does not fit the kernel. None: refused, or reported as one that exceeds the board; Filters: carried
// out in several launches, each with a part of its KERN tensors (model/fpgpt/parts.h).
enum class Split : std::uint8_t { None, Filters };

// An FPGPT kernel as given in its file: alpha with sizes that may still have to be fitted.
class KernelConfig : public config::BandKernel<KernelConfig, kPortInfos, std::optional<int>> {
 public:
  static constexpr const char* kDesign = "fpgpt";
  static constexpr bool kPortBands = true;

  int x = 16;  // columns of the array
  int y = 16;  // rows
  Size z, z_channel, k_range, kern_words, out_words;
  Split split_by = Split::None;
  NumberFormat format;
  Packing packing = Packing::Packed;  // fixed point only
  VariantChoice variant = VariantChoice::Auto;
  Profile profile;
  FifoDepths fifo;
  Storage inp_storage = Storage::BRAM;
  Storage kern_storage = Storage::BRAM;
  Storage out_storage = Storage::BRAM;

  bool fixed_sizes() const;  // true if no size is left to be fitted

  std::vector<std::pair<const char*, int*>> fifo_depths();  // depths that a file may choose
  NumberFormat number_format() const override { return format; }
  std::int64_t peak_macs() const override { return std::int64_t{x} * y; }
  config::KernelText text() const override;
  std::vector<config::ReadingChoice> readings(const std::vector<config::ReadingChoice>& given) const override;

  static void fields(config::MapIo& io, KernelConfig& k);
};

// Calls visit(key, member of KernelConfig, member of Alpha) for each size.
template <class Visit>
void for_each_size(Visit visit) {
  visit("z", &KernelConfig::z, &Alpha::z);
  visit("z_channel", &KernelConfig::z_channel, &Alpha::z_channel);
  visit("k_range", &KernelConfig::k_range, &Alpha::k_range);
  visit("kern_words", &KernelConfig::kern_words, &Alpha::kern_words);
  visit("out_words", &KernelConfig::out_words, &Alpha::out_words);
}

// alpha without fitted sizes: Fixed sizes are filled in, all others are 0 until they are fitted to a convolution.
Alpha alpha_of(const KernelConfig& kernel);

// Returns the kernel with the array, sizes, variant and storage of an alpha; clock, profile, ports and FIFOs stay.
KernelConfig with_alpha(KernelConfig kernel, const Alpha& alpha);

// Returns the kernel of this alpha, with one memory channel for each port.
KernelConfig kernel_config_of(const Alpha& alpha);

std::string size_text(const Size& size);  // "auto", "shared" or the number
// The nearer of the profiles hls and rtl, and the differences: "hls", "hls + exact_bursts", "rtl - wide_kern_load".
std::string profile_text(const Profile& profile);

}  // namespace weft::fpgpt
