#include "platform/designs/batchlane/design.h"

#include "model/batchlane/topology.h"
#include "platform/designs/batchlane/kernel_config.h"
#include "platform/dse/grid.h"

namespace weft::batchlane {

namespace {

design::ResultFields in_results() {
  return {
      {{"pes", "INTEGER", "PEs", "processing elements"}, {"lanes", "INTEGER", "MACs", "images side by side in a PE"}},
      {{"lanes", "INTEGER", "MACs", "images side by side in a PE"},
       {"pes", "INTEGER", "PEs", "processing elements"},
       {"ahead", "INTEGER", "channels", "buffered channels"},
       {"tile_pixels", "INTEGER", "pixels", "pixels that the accumulators of an output hold"}},
      {},
      {{"kept", "REAL", "1", "share of the kernels that the mask keeps"},
       {"passes", "INTEGER", "passes", "passes of the batch"}},
      {{"fill", "INTEGER", "cycles", "cycles before the first kernel"},
       {"tail", "INTEGER", "cycles", "cycles after the last kernel"},
       {"transfers", "INTEGER", "transfers", "transfers on the port of features and results"},
       {"dense_macs", "INTEGER", "MACs", "MACs of the layer with every weight kept"},
       {"limiter", "TEXT", "", "what limits the pass by the equations: array or memory"}}};
}

class Batchlane : public design::DesignOf<KernelConfig, plan_work> {
 public:
  Batchlane() : DesignOf(batchlane::topology(), Block::Array, in_results()) {}
  std::string resource_source(const config::RunConfig&) const override {
    return "the shapes of its memories, LUT and FF by kernel.fabric";
  }
  design::EquationsNote equations_note(const config::RunConfig& run) const override {
    design::EquationsNote note;
    note.readings = all_readings(readings_of(run.readings));
    note.unknown = {"kernel.ahead", "kernel.strips", "kernel.csb_beats", "kernel.ports.*"};
    return note;
  }
  std::vector<design::Counterfactual> counterfactuals(const config::RunConfig&) const override {
    return {design::ideal_memory(), design::faster_ddr(), design::faster_clock()};
  }
  bool takes_sparsity() const override { return true; }
  const dse::Explorer* explorer() const override {
    static const dse::grid::GridExplorer explorer(
        {this, {{"lanes", kMaxLanes}, {"pes", kMaxPes}, {"ahead", Alpha::kUnlimited, true}}});
    return &explorer;
  }
  std::vector<std::string> remarks(const config::RunConfig& run, const std::vector<design::Row>& rows) const override {
    return batchlane::remarks(run, rows);
  }
};

}  // namespace

const design::Design& design() {
  static const Batchlane batchlane;
  return batchlane;
}

}  // namespace weft::batchlane
