#include <fmt/core.h>

#include "model/memory/trace.h"
#include "platform/config/model_config.h"
#include "tools/cli/commands.h"

namespace weft::memory {

static void fields(record::Visitor& io, TraceResult& result) {
  io("requests", "requests", "requests of 64 bytes", result.requests);
  io("reads", "requests", "reads among them", result.reads);
  io("writes", "requests", "writes among them", result.writes);
  io("dram_cycles", "nCK", "from the first edge to the end of the last data beat", result.dram_cycles);
  io("gbytes_per_second", "GB/s", "bandwidth at the exact DRAM clock", result.gbps);
  io("row_hit_rate", "1", "row hits, of all requests", result.row_hit_rate);
  io.group("read_latency_nck", "accepted to the end of the last data beat; 0 without reads", [&](record::Visitor& of) {
    of("mean", "nCK", "mean", result.read_latency_mean);
    of("p50", "nCK", "median", result.read_latency_p50);
    of("p95", "nCK", "95 of 100 reads take no longer", result.read_latency_p95);
    of("p99", "nCK", "99 of 100 reads take no longer", result.read_latency_p99);
  });
}

}  // namespace weft::memory

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
  command.add_argument("TRACE", options.trace, "File with one request per line: 'R 0x1f40' or 'W 0x1f80'").required();
  command.add_option("--board", options.board, "BOARD", "Board, by name or file, whose memory is used (default u250)");
  command.add_option("--map", options.map, "MAP", "Address map: RCB or INTLV (default: the board's)");
  command.add_set(options.sets, "a key of the memory, as memory.queues.read=8");
  command.add_format(options.format, false);
}

std::string text_of(const memory::TraceResult& result) {
  std::string text = fmt::format(
      "requests      {} ({} reads, {} writes)\n"
      "DRAM cycles   {}\n"
      "bandwidth     {:.3f} GB/s\n"
      "row hits      {:.2f}%\n",
      result.requests, result.reads, result.writes, result.dram_cycles, result.gbps, 100 * result.row_hit_rate);
  if (result.reads > 0) {
    text += fmt::format("read latency  mean {:.1f}, p50 {}, p95 {}, p99 {} nCK\n", result.read_latency_mean,
                        result.read_latency_p50, result.read_latency_p95, result.read_latency_p99);
  }
  return text;
}

int execute(const DramOptions& options) {
  const Format format = parse_format(options.format, false);
  // The DRAM simulators that the model is compared with do not support auto-precharge in their traces.
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
    throw Error(fmt::format("board '{}' has {} memory; weft dram simulates DDR4: give such a board", as_given.name,
                            config::kind_name(as_given.memory)));
  }
  const config::Board board = config::load_board(options.board, overrides, library);
  const auto* memory = std::get_if<config::Ddr4Memory>(&board.memory);
  if (!memory) throw Error("--set memory.kind: must be ddr4, the only memory that weft dram simulates");
  const memory::Ddr4Config config = config::ddr4_config(*memory);
  const memory::TraceResult result = memory::run_trace(memory::read_trace(options.trace, config), config);
  print({text_of(result), record::json_text(result), ""}, format);
  return 0;
}

}  // namespace

Command dram_command() {
  return command<DramOptions>("dram", "Simulate a memory trace on the DRAM model alone", declare, execute);
}

}  // namespace weft::tools
