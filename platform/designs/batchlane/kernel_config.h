#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/batchlane/analytical/equations.h"
#include "model/batchlane/plan.h"
#include "platform/config/kernel_base.h"

namespace weft::batchlane {
inline constexpr int kMaxLanes = 1024, kMaxPes = 256;

// Claims without a verifiable source about a design with an array of this size. Printed only, not compared.
struct Unverified {
  int lanes = 0, pes = 0;
  double gops = 0, watts = 0;
};

// Published resource use of an array of this size. Printed with ours; calibrates nothing.
struct PublishedResources {
  int lanes = 0, pes = 0;
  int dsp = 0, bram36 = 0, lut = 0, ff = 0;
  std::string source;
};

// A batch-lane kernel as given in its file.
class KernelConfig : public config::KernelBase<KernelConfig> {
 public:
  static constexpr const char* kDesign = "batchlane";

  Alpha alpha;                               // its clock equals the kernel's
  int feature_channel = 0, csb_channel = 1;  // memory channels; results go to the features' channel
  config::Place tile_place;
  Fabric fabric;
  std::optional<PublishedResources> published;
  std::optional<Unverified> unverified;
  std::vector<std::string> assumed;  // keys whose values are assumptions

  KernelConfig() { alpha.feature_port = alpha.csb_port = alpha.result_port = {64, 16}; }

  std::vector<config::KernelPort> ports() const override;
  Bytes beat_bytes() const override { return Alpha::kBeatBytes; }
  std::string beat_text() const override { return "a beat of a batch-lane kernel: 64 bytes"; }
  std::int64_t peak_macs() const override { return std::int64_t{alpha.pes} * alpha.lanes; }
  config::KernelText text() const override;
  std::vector<config::ReadingChoice> readings(const std::vector<config::ReadingChoice>& given) const override;

  static void fields(config::MapIo& io, KernelConfig& k);
};

// Text of the look-ahead: "2", "unlimited".
std::string ahead_text(const Alpha& alpha);

}  // namespace weft::batchlane
