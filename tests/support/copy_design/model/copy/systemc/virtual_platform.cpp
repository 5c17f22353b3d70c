#include "model/copy/systemc/virtual_platform.h"

namespace weft::copy::systemc {

namespace {

// Processes: reader; writer.
class Platform : public weft::systemc::VirtualPlatform<Kernel> {
 public:
  explicit Platform(const sc_core::sc_module_name& name) : weft::systemc::VirtualPlatform<Kernel>(name, topology()) {
    host<&Kernel::step_reader, Block::Reader>("reader");
    host<&Kernel::step_writer, Block::Writer>("writer");
  }
};

}  // namespace

weft::systemc::VirtualPlatform<Kernel>& virtual_platform() {
  return weft::systemc::only_platform<Platform>("copy");
}

}  // namespace weft::copy::systemc
