#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/batchlane/alpha.h"
#include "model/batchlane/analytical/fabric.h"
#include "model/batchlane/topology.h"
#include "platform/config/run_config.h"

namespace weft::batchlane {

inline constexpr const char* kDesignName = "batchlane";
inline constexpr int kMaxLanes = 1024, kMaxPes = 256;

// What is said of a design with an array of this size without a source that could be checked. Printed, compared with
// nothing.
struct Unverified {
  int lanes = 0, pes = 0;
  double gops = 0, watts = 0;
};

// What was published of what an array of this size takes. Printed beside; tunes nothing.
struct PublishedResources {
  int lanes = 0, pes = 0;
  int dsp = 0, bram36 = 0, lut = 0, ff = 0;
  std::string source;
};

// A batch-lane kernel as its file says it.
class KernelConfig : public config::Kernel {
 public:
  Alpha alpha;                               // its clock is the kernel's
  int feature_channel = 0, csb_channel = 1;  // of memory; results go where features come from
  config::Place tile_place;
  Fabric fabric;
  std::optional<PublishedResources> published;
  std::optional<Unverified> unverified;
  std::vector<std::string> assumed;  // keys whose values are assumptions

  const char* design() const override { return kDesignName; }
  std::vector<config::KernelPort> ports() const override;
  Bytes beat_bytes() const override { return Alpha::kBeatBytes; }
  std::string beat_text() const override { return "a beat of a batch-lane kernel: 64 bytes"; }
  std::int64_t peak_macs() const override { return std::int64_t{alpha.pes} * alpha.lanes; }
  std::string headline() const override;
  std::vector<std::pair<std::string, Value>> summary() const override;
  std::vector<std::pair<std::string, std::string>> lines() const override;
  std::vector<config::ReadingChoice> readings(const std::vector<config::ReadingChoice>& given) const override;
  std::string shape() const override;
  config::Node write() const override;
  std::shared_ptr<config::Kernel> copy() const override { return std::make_shared<KernelConfig>(*this); }
};

// `key` is the node's place in the run: "kernel", or "" for a file of its own.
std::shared_ptr<KernelConfig> read_kernel(const config::Node& node, const std::string& key);

// The kernel of a run of this design.
const KernelConfig& kernel_of(const config::RunConfig& run);

// "2", "unlimited"
std::string ahead_text(const Alpha& alpha);

}  // namespace weft::batchlane
