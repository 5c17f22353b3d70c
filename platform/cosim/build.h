#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/fpgpt/alpha.h"
#include "platform/cosim/rtl_kernel.h"
#include "platform/rtl/rtl.h"

namespace weft::cosim {

using rtl::Workshop;

// The RTL compiled for one alpha. A build is kept under a digest of everything that goes into it (sources, parameters,
// compiler options), so the same alpha is compiled once; builds of other processes at the same time do no harm. Takes
// 20 to 60 seconds when it is new. `max_sets`: the largest S of the convolutions to come. Throws Error with the log of
// a build that fails.
class RtlBuild {
 public:
  RtlBuild(const fpgpt::Alpha& alpha, std::int64_t max_sets, const Workshop& workshop);
  ~RtlBuild();
  RtlBuild(const RtlBuild&) = delete;
  RtlBuild& operator=(const RtlBuild&) = delete;

  std::unique_ptr<RtlKernel> make() const;
  bool was_cached() const { return was_cached_; }

 private:
  void* library_ = nullptr;
  bool was_cached_ = false;
};

}  // namespace weft::cosim
