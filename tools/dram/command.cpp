#include <fmt/core.h>

#include "platform/config/model_config.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/run/simulate.h"

namespace weft::tools {

int dram_command(const DramOptions& options) {
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

}  // namespace weft::tools
