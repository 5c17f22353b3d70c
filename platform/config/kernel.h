#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/number_format.h"
#include "model/core/text.h"
#include "model/stream/ports.h"
#include "platform/config/node.h"

namespace weft::config {

// Key of a kernel's file that names its design, and the default design.
inline constexpr const char* kDesignKey = "design";
inline constexpr const char* kDefaultDesign = "fpgpt";

// A reading of the analytical equations, as in a file; the design defines the names and values.
struct ReadingChoice {
  std::string key;
  std::string value;
  Place place;
};

// A port of a kernel, as in its file. Without `channel`, port i has memory channel i; ports beyond the channels of the
// board share the last.
struct KernelPort {
  std::string name;
  stream::PortConfig config;
  std::optional<int> channel;
  Bytes beat_bytes = 0;
};

// Texts that describe a kernel.
struct KernelText {
  std::string headline;                                    // "16 x 16 PEs at 100 MHz, profile hls"
  std::string shape;                                       // label of a kernel without a name: "16x16"
  std::vector<std::pair<std::string, Value>> head;         // head of a result, in addition to the clock
  std::vector<std::pair<std::string, std::string>> lines;  // label and text
};

// A kernel, read from its file and checked. Its design defines the other keys of the file. Immutable once read.
class Kernel {
 public:
  virtual ~Kernel() = default;

  std::string name;
  std::string title;
  Frequency clock = 100;

  virtual const char* design() const = 0;  // name in the table of designs
  virtual std::vector<KernelPort> ports() const = 0;
  virtual Bytes beat_bytes() const = 0;  // of its widest port
  bool one_width() const {               // true if all ports have beats of that width
    const std::vector<KernelPort> all = ports();
    return std::all_of(all.begin(), all.end(), [&](const KernelPort& port) { return port.beat_bytes == beat_bytes(); });
  }
  // Text of beat_bytes() with its key; by default that of a kernel with `band` words per beat.
  virtual std::string beat_text() const { return "kernel.band: " + std::to_string(beat_bytes() / 4) + " words a beat"; }
  virtual NumberFormat number_format() const { return NumberFormat::fp32(); }  // of its inputs
  virtual std::int64_t peak_macs() const = 0;                                  // multiply-accumulates per cycle
  virtual KernelText text() const = 0;
  // Returns every reading of the design's equations with its value, as a file would give it, for a run with `given`.
  // Throws InputError at an unknown reading or value.
  virtual std::vector<ReadingChoice> readings(const std::vector<ReadingChoice>& given) const = 0;
  virtual Node write() const = 0;
  virtual std::shared_ptr<Kernel> copy() const = 0;

 protected:
  Kernel() = default;
  Kernel(const Kernel&) = default;
  Kernel& operator=(const Kernel&) = default;
};

using KernelPtr = std::shared_ptr<const Kernel>;

}  // namespace weft::config
