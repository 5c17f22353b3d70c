#include "model/batchlane/systemc/virtual_platform.h"

namespace weft::batchlane::systemc {

namespace {

// Processes: feature reader and result writer, which share a port; CSB reader; PEs and adder. They also share buffers,
// so none sleeps.
class Platform : public weft::systemc::VirtualPlatform<Kernel> {
 public:
  explicit Platform(const sc_core::sc_module_name& name)
      : weft::systemc::VirtualPlatform<Kernel>(name, topology(), false) {
    host<&Kernel::step_features, Block::FeatureReader, Block::ResultWriter>("features");
    host<&Kernel::step_csb, Block::CsbReader>("csb");
    host<&Kernel::step_array, Block::Array, Block::Adder>("array");
  }
};

}  // namespace

weft::systemc::VirtualPlatform<Kernel>& virtual_platform() {
  return weft::systemc::only_platform<Platform>("batchlane");
}

}  // namespace weft::batchlane::systemc
