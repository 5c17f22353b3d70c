#include "platform/designs/copy/design.h"

#include "platform/design/kernel_changes.h"
#include "platform/designs/copy/kernel_config.h"

namespace weft::copy {

namespace {

design::ResultFields in_results() {
  return {{{"band", "INTEGER", "words", "words of a beat"}},
          {{"depth", "INTEGER", "beats", "depth of the FIFO"}},
          {},
          {},
          {{"in_stalls", "INTEGER", "cycles", "cycles in which the read port waits for a burst to end"},
           {"out_stalls", "INTEGER", "cycles", "cycles in which the write port waits for a response"},
           {"limiter", "TEXT", "", "what limits the convolution by the equations: reader or writer"}}};
}

class ThisDesign : public design::DesignOf<KernelConfig, plan_work> {
 public:
  ThisDesign() : DesignOf(copy::topology(), Block::Writer, in_results()) {}
  std::string resource_source(const config::RunConfig&) const override { return "the RTL's synthesis"; }
  design::EquationsNote equations_note(const config::RunConfig& run) const override {
    design::EquationsNote note;
    if (!std::holds_alternative<config::IdealMemory>(run.board.memory)) note.unknown = {"memory.*"};
    return note;
  }
  std::vector<design::Counterfactual> counterfactuals(const config::RunConfig&) const override {
    return {design::wider_ports<KernelConfig>(),
            design::more_bursts<KernelConfig>(),
            design::deeper_fifos<KernelConfig>(),
            design::faster_ddr(),
            design::ideal_memory(),
            design::faster_clock()};
  }
};

}  // namespace

const design::Design& design() {
  static const ThisDesign design;
  return design;
}

}  // namespace weft::copy
