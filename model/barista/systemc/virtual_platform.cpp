#include "model/barista/systemc/virtual_platform.h"

namespace weft::barista::systemc {

namespace {

// Processes: reader and fill of A; reader and fill of B; mesh with final adds; drain, encode and writer.
class Platform : public weft::systemc::VirtualPlatform<Kernel> {
 public:
  explicit Platform(const sc_core::sc_module_name& name) : weft::systemc::VirtualPlatform<Kernel>(name, topology()) {
    host<&Kernel::step_a, Block::AReader, Block::AFill>("a");
    host<&Kernel::step_b, Block::BReader, Block::BFill>("b");
    host<&Kernel::step_mesh, Block::Mesh>("mesh");
    host<&Kernel::step_c, Block::Drain, Block::Encode, Block::CWriter>("c");
  }
};

}  // namespace

weft::systemc::VirtualPlatform<Kernel>& virtual_platform() {
  return weft::systemc::only_platform<Platform>("barista");
}

}  // namespace weft::barista::systemc
