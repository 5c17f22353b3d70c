#pragma once

#include <cstdint>
#include <string>

#include "model/fpgpt/alpha.h"
#include "platform/config/node.h"

namespace weft::config {

// A size of the kernel's storage: a number of words, or fitted to each convolution (one kernel per convolution), or
// fitted to the largest convolution of the run (one kernel per variant).
struct Size {
  enum class Fit : std::uint8_t { Fixed, Auto, Shared };
  Fit fit = Fit::Auto;
  Words words = 0;  // Fixed only

  friend bool operator==(const Size& a, const Size& b) { return a.fit == b.fit && a.words == b.words; }
};

// Which convolutions the kernel is built for; Auto: the smallest variant that serves the convolutions it runs.
enum class VariantChoice : std::uint8_t { Auto, Fgi, Gw, Both };

// An FPGPT kernel as its file says it: alpha with the sizes still to be fitted.
struct Kernel {
  std::string name;
  std::string title;
  int x = 16;  // columns of the array
  int y = 16;  // rows
  Size z, z_channel, k_range, kern_words, out_words;
  int band = 16;  // words per beat
  VariantChoice variant = VariantChoice::Auto;
  Frequency clock;
  fpgpt::Profile profile;
  fpgpt::FifoDepths fifo;
  stream::PortConfig inp_port, kern_port, out_port;
  fpgpt::Storage inp_storage = fpgpt::Storage::BRAM;
  fpgpt::Storage kern_storage = fpgpt::Storage::BRAM;
  fpgpt::Storage out_storage = fpgpt::Storage::BRAM;

  bool fixed_sizes() const;  // nothing is left to be fitted
};

// `key` is the node's place in the run: "kernel", or "" for a file of its own.
Kernel read_kernel(const Node& node, const std::string& key);
Node write_kernel(const Kernel& kernel);

// alpha without its sizes: what is Fixed is filled in, everything else is 0 until it is fitted to a convolution.
fpgpt::Alpha alpha_of(const Kernel& kernel);

std::string size_text(const Size& size);  // "auto", "shared" or the number
// The nearer of hls and rtl, and what is different: "hls", "hls + exact_bursts", "rtl - wide_kern_load".
std::string profile_text(const fpgpt::Profile& profile);

}  // namespace weft::config
