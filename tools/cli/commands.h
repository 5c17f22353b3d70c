#pragma once

#include "tools/cli/arguments.h"

// Commands of weft, in the order of weft --help. Each is in its folder of tools/, as command.cpp, which includes none
// of the headers that this one includes.
namespace weft::tools {

Command init_command();
Command run_command();
Command timeline_command();
Command train_command();
Command dram_command();
Command show_command();
Command explain_command();
Command compare_command();
Command report_command();
Command sweep_command();
Command dse_command();
Command plan_command();
Command validate_command();
Command cosim_command();
Command mutants_command();
Command bench_command();
Command card_command();
Command rtl_command();
Command synth_command();
Command host_profile_command();
Command schema_command();
Command cache_command();

// weft timeline of a cluster named by CONFIG.
int cluster_timeline_command(const TimelineOptions& options);

}  // namespace weft::tools
