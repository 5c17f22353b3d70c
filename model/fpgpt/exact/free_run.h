#pragma once

#include <memory>
#include <string>

#include "model/fpgpt/exact/answered_writes.h"
#include "model/fpgpt/exact/stretch.h"

namespace weft::fpgpt::exact {

// Runs a kernel by itself from the state `bytes` at `anchor` until im2col has emitted `windows` windows more, and fills
// `stretch` but for `next`; returns the kernel as it is then. Throws Error if it makes no progress.
Kernel run_free(const std::shared_ptr<const Plan>& plan, std::string& bytes, const Anchor& anchor, std::int64_t windows,
                WriteAnswer answer, Stretch& stretch);

}  // namespace weft::fpgpt::exact
