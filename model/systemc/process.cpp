#include <systemc>

#include "model/systemc/event_clock.h"

namespace weft::systemc {

void prepare_process() {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

}  // namespace weft::systemc

// libsystemc.so refers to it; programs with a main() of their own never call it.
int sc_main(int, char**) {
  return 0;
}
