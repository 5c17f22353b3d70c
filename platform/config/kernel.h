#pragma once

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

// The key of a kernel's file that names its design, and the design of files that do not say.
inline constexpr const char* kDesignKey = "design";
inline constexpr const char* kDefaultDesign = "fpgpt";

// A reading of the analytical equations, as the file gives it; the design knows the names and values.
struct ReadingChoice {
  std::string key;
  std::string value;
  Place place;
};

// A port of a kernel as its file says it. Without `channel` a port has a memory channel of its own, as far as the board
// has channels: port i has channel i, those beyond share the last.
struct KernelPort {
  std::string name;
  stream::PortConfig config;
  std::optional<int> channel;
};

// How a kernel is told of.
struct KernelText {
  std::string headline;                                    // "16 x 16 PEs at 100 MHz, profile hls"
  std::string shape;                                       // label of a kernel without a name: "16x16"
  std::vector<std::pair<std::string, Value>> head;         // of a result, beside the clock
  std::vector<std::pair<std::string, std::string>> lines;  // label and text
};

// A kernel as its file says it, checked; which design it is decides what else its file holds. Immutable once read.
class Kernel {
 public:
  virtual ~Kernel() = default;

  std::string name;
  std::string title;
  Frequency clock = 100;

  virtual const char* design() const = 0;  // as the table of designs names it
  virtual std::vector<KernelPort> ports() const = 0;
  virtual Bytes beat_bytes() const = 0;  // of its ports
  // The same with its key, as of a kernel whose `band` is its words.
  virtual std::string beat_text() const { return "kernel.band: " + std::to_string(beat_bytes() / 4) + " words a beat"; }
  virtual NumberFormat number_format() const { return NumberFormat::fp32(); }  // of what it reads
  virtual std::int64_t peak_macs() const = 0;                                  // multiply-accumulates a cycle
  virtual KernelText text() const = 0;
  // Every reading of the design's equations with its value, as a file would give it, where a run gives `given`. Throws
  // InputError at a reading or value that does not exist.
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
