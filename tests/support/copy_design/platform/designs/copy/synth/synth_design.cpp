#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "model/copy/analytical/rtl_resources.h"
#include "platform/designs/copy/design.h"
#include "platform/designs/copy/kernel_config.h"
#include "platform/hardware/synth/calibration.h"

namespace weft::copy {

namespace {

struct Membership {
  const char* instance;
  RtlBlock block;
};
constexpr Membership kMembers[] = {{"u_regs", RtlBlock::Registers},
                                   {"u_activity", RtlBlock::Registers},
                                   {"u_reader", RtlBlock::Reader},
                                   {"u_beat", RtlBlock::Fifo},
                                   {"u_writer", RtlBlock::Writer}};

class Prepared : public synth::PreparedKernel {
 public:
  explicit Prepared(const Alpha& alpha) : alpha_(alpha) {}

  synth::Kernel kernel() const override { return {rtl_kernel(alpha_), std::vector<bool>(kRtlBlocks, false)}; }
  std::string text() const override { return fmt::format("band {}, FIFO of {} beats\n", alpha_.band, depth()); }
  std::string rtl_note() const override { return "the FIFO's memory is in LUTs"; }
  std::string thesis_note() const override { return "no publication"; }
  LogicUse model(std::size_t block) const override { return synthesised(static_cast<RtlBlock>(block), alpha_); }
  LogicUse memory_use(std::size_t block) const override {
    return copy::memory_use(static_cast<RtlBlock>(block), alpha_);
  }
  std::vector<double> features(std::size_t block) const override {
    return copy::features(static_cast<RtlBlock>(block), alpha_);
  }
  std::optional<synth::Thesis> thesis(std::optional<std::size_t>) const override { return {}; }

  std::vector<std::string> cells() const override { return {std::to_string(alpha_.band), std::to_string(depth())}; }
  synth::CheckedKernel described() const override {
    synth::CheckedKernel kernel;
    kernel.text = fmt::format("band {} depth {}", alpha_.band, depth());
    kernel.fields = {{"band", std::int64_t{alpha_.band}}, {"depth", std::int64_t{depth()}}};
    return kernel;
  }

 private:
  int depth() const { return alpha_.fifo[FifoId::Beat]; }

  Alpha alpha_;
};

class ThisSynthDesign : public synth::SynthDesign {
 public:
  const rtl::Sources& sources() const override { return kRtlSources; }
  std::vector<std::string_view> blocks() const override { return {kRtlBlockNames.begin(), kRtlBlockNames.end()}; }
  std::size_t block_of(const synth::Module::Instance& instance) const override {
    for (const Membership& member : kMembers) {
      if (instance.name == member.instance) return static_cast<std::size_t>(member.block);
    }
    throw std::logic_error(fmt::format("copy_kernel has an instance {} that belongs to no block", instance.name));
  }
  std::size_t top_block() const override { return static_cast<std::size_t>(RtlBlock::Wiring); }
  bool is_buffer(const synth::Module::Instance&) const override { return false; }

  std::unique_ptr<synth::PreparedKernel> sized(const config::Kernel& kernel,
                                               const std::function<std::vector<conv::Layer>()>&) const override {
    return std::make_unique<Prepared>(alpha_of(dynamic_cast<const KernelConfig&>(kernel)));
  }
  const char* folder() const override { return "tests/support/copy_design/model/copy/analytical"; }
  const char* columns() const override { return "band,depth"; }
  std::shared_ptr<const synth::PreparedKernel> read(const std::vector<std::string>& cells,
                                                    const std::string& place) const override {
    Alpha alpha;
    alpha.band = static_cast<int>(synth::number(cells[0], place));
    alpha.fifo[FifoId::Beat] = static_cast<int>(synth::number(cells[1], place));
    return std::make_shared<Prepared>(alpha);
  }
};

}  // namespace

const synth::SynthDesign& synth_design() {
  static const ThisSynthDesign synth_design;
  return synth_design;
}

}  // namespace weft::copy
