#include <fmt/core.h>

#include "platform/config/model_config.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/run/simulate.h"

namespace weft::tools {

namespace {

struct DramOptions {
  std::string trace;
  std::string board = "u250";
  std::string map;
  std::vector<std::string> sets;
  std::string format = "table";
};

void declare(Arguments& command, DramOptions& options) {
  command.add_option("TRACE", options.trace, "A file with one request a line: 'R 0x1f40' or 'W 0x1f80'").required();
  command.add_option("--map", options.map, "Address map, RCB or INTLV; the board's unless given").type_name("MAP");
  command.add_option("--board", options.board, "Whose memory: a board's name or file; u250 unless given")
      .type_name("BOARD");
  command.add_set(options.sets, "a value of the memory, such as memory.timing_nCK.tFAW=20");
  command.add_format(options.format, false);
  command.footer(
      R"(Requests are of 64 bytes, in order, at most one per DRAM clock. Auto-precharge is off unless it is set.

Examples:
  weft dram my.trc --map RCB
      cycles, bandwidth, row hits and latencies of a trace
  weft dram my.trc --map INTLV --set memory.auto_precharge_a3=true
      as the Alveo shells configure their memory controllers
  weft dram my.trc --set memory.queues.read=8 --format json
      a smaller read queue; for a script)");
}

int execute(const DramOptions& options) {
  const Format format = parse_format(options.format, false);
  // The traces of the DRAM simulators that the model is compared with know no auto-precharge.
  std::vector<config::Override> overrides{{"memory.auto_precharge_a3", "false", "the default of weft dram"}};
  if (!options.map.empty()) overrides.push_back({"memory.address_map", options.map, "--map " + options.map, true});
  for (const config::Override& each : parse_overrides(options.sets)) {
    if (each.key.rfind("memory.", 0) != 0) {
      throw InputError(each.option, 0, each.key, "only keys of the memory can be set here, such as memory.queues.read");
    }
    overrides.push_back(each);
  }
  const config::Library library = project_library();
  const config::Board as_given = config::load_board(options.board, {}, library);
  if (!std::holds_alternative<config::Ddr4Memory>(as_given.memory)) {
    throw Error(fmt::format("board '{}' has {} memory; weft dram simulates DDR4", as_given.name,
                            config::kind_name(as_given.memory)));
  }
  const config::Board board = config::load_board(options.board, overrides, library);
  const auto* memory = std::get_if<config::Ddr4Memory>(&board.memory);
  if (!memory) throw Error("--set memory.kind: weft dram simulates DDR4");
  print(simulate_trace(memory::read_trace(options.trace, config::ddr4_config(*memory)), *memory), format);
  return 0;
}

}  // namespace

Command dram_command() {
  return command("dram", "A memory trace through the DRAM model alone", declare, execute);
}

}  // namespace weft::tools
