#include <fmt/core.h>

#include <string>
#include <vector>

#include "platform/config/reader.h"
#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "tools/cli/cli.h"
#include "tools/plan/tables.h"
#include "tools/results/json_at.h"

namespace weft::tools {

using report::FittedTable;
using report::thousands;
using Json = nlohmann::ordered_json;

namespace {

// A use beside its limit; null: none is known.
std::string of_limit(const Json& used, const Json& limits, const char* key) {
  const Json& limit = limits.at(key);
  const double percent = limit.is_null() || limit == 0 ? 0 : 100. * used.at(key).get<double>() / limit.get<double>();
  return fmt::format("{} ({:.1f})", thousands(count(used, key)), percent);
}

std::string layers_of(const Json& plan, const Json& board) {
  if (count(board, "layers") == 0) return "none";
  const char* const between = text(plan, "placement") == "any" ? " ... " : " to ";
  const std::string ends = text(board, "first_layer") + between + text(board, "last_layer");
  return text(plan, "placement") == "any" ? fmt::format("{} of {}", count(board, "layers"), ends) : ends;
}

std::string boards(const Json& plan) {
  FittedTable table({{"board", true},
                     {"layers"},
                     {"DSP (%)", true},
                     {"blocks (%)", true},
                     {"MLAB (%)", true},
                     {"registers (%)", true, 0, 1},
                     {"DRAM GB/s", true},
                     {"Gb/s to the next", true}});
  const Json& limit = plan.at("limit");
  std::size_t number = 0;
  for (const Json& board : plan.at("boards")) {
    table.add({std::to_string(++number), layers_of(plan, board), of_limit(board, limit, "dsp"),
               of_limit(board, limit, "block_ram"), of_limit(board, limit, "mlab"), of_limit(board, limit, "registers"),
               fmt::format("{:.1f}", real(board, "dram_gbytes_per_s")),
               board.contains("link_gbits_per_s") ? fmt::format("{:.1f}", real(board, "link_gbits_per_s")) : ""});
  }
  return table.text(page_width());
}

std::string layers(const Json& plan) {
  FittedTable table({{"layer"},
                     {"board", true},
                     {"a x b x taps", true},
                     {"cycles/pixel", true},
                     {"cycles/image", true},
                     {"busy %", true},
                     {"DSP", true},
                     {"blocks", true},
                     {"MLAB", true}});
  const double period = real(plan, "cycles_an_image");
  for (const Json& layer : plan.at("layers")) {
    if (count(layer, "passes") == 0) continue;
    table.add({text(layer, "layer"), std::to_string(count(layer, "board")),
               fmt::format("{} x {} x {}", count(layer, "a"), count(layer, "b"), count(layer, "taps")),
               thousands(count(layer, "interval")), thousands(count(layer, "cycles")),
               fmt::format("{:.1f}", 100. * real(layer, "cycles") / period), thousands(count(layer, "dsp")),
               thousands(count(layer, "block_ram")), thousands(count(layer, "mlab"))});
  }
  return table.text(page_width());
}

std::string binds(const Json& plan) {
  if (plan.at("next_images_per_s").is_null()) return "nothing: every layer is as fast as it can be";
  const std::string next = fmt::format("the next better rate, {:.1f} images/s", real(plan, "next_images_per_s"));
  const auto alone = plan.at("binds").get<std::vector<std::string>>();
  if (alone.empty()) return fmt::format("more than one resource: {} needs more of several", next);
  return fmt::format("{}: without that bound alone there would be {}", config::join(alone, " or "), next);
}

std::string gap(const Json& plan) {
  if (text(plan, "placement") == "contiguous") {
    return fmt::format(
        "0 for boards that take layers in their order; no placement whatever is above {:.1f} images/s "
        "({:.1f} % more)",
        real(plan, "pooled_images_per_s"), 100 * real(plan, "gap"));
  }
  const Json& in_order = plan.at("contiguous_images_per_s");
  return fmt::format(
      "{:.1f} %: no placement is above {:.1f} images/s; {} questions that Z3 gave up; with layers in their order, but "
      "for their FIFOs, {}",
      100 * real(plan, "proven_gap"), real(plan, "proven_images_per_s"), count(plan, "questions_given_up"),
      in_order.is_null() ? "there is no plan" : fmt::format("{:.1f} images/s", in_order.get<double>()));
}

std::string simulated(const Json& plan) {
  const Json& of = plan.at("simulated");
  const std::int64_t need = count(of, "fifo_block_ram"), left = count(of, "block_ram_left");
  std::string lack;
  std::int64_t number = 0;
  for (const Json& board : plan.at("boards")) {
    const std::int64_t all = count(board, "block_ram") + count(board, "fifo_block_ram");
    const std::int64_t more = all - count(plan.at("limit"), "block_ram");
    ++number;
    if (more > 0) lack += fmt::format("{}board {} LACKS {}", lack.empty() ? ": " : ", ", number, thousands(more));
  }
  std::string out =
      headed_line("simulated", fmt::format("one image in {} cycles; the first is trained on after {} ({:.2f} images)",
                                           real(of, "cycles_an_image"), thousands(count(of, "latency_cycles")),
                                           real(of, "latency_images")));
  out += headed_line(
      "", fmt::format("at that rate nothing stands still: stores from F to GW hold {} words, all other FIFOs "
                      "{}, which are {} blocks at least, of {} that all boards have left{}",
                      thousands(count(of, "store_words")), thousands(count(of, "fifo_words")), thousands(need),
                      thousands(left), lack));
  if (text(plan, "fifos") == "within") {
    out += headed_line("", fmt::format("each board holds its own FIFOs; without any room for them {:.1f} images/s",
                                       real(plan, "images_per_s_with_fifos_beside")));
  }
  return out;
}

std::string published(const Json& row) {
  std::string out = headed_line(
      "published",
      fmt::format("{}, {}: {} images/s planned, {} measured ({:.3f}): {:.2f} ms an image more; planned in {} min, run "
                  "in {} h ({} epochs at that rate: {:.1f} h)",
                  text(row, "network"), text(row, "cluster"), count(row, "planned"), count(row, "measured"),
                  real(row, "measured") / real(row, "planned"), real(row, "overhead_ms_an_image"),
                  count(row, "plan_minutes"), count(row, "run_hours"), real(row, "epochs"), real(row, "hours")));
  if (!row.contains("implied_batch")) return out;
  const Json& batch = row.at("implied_batch");
  out +=
      headed_line("", fmt::format("as a batch that fills and drains this pipeline: {:.1f} images; with an update of {} "
                                  "words, one a cycle, {:.1f}",
                                  real(batch, "images"), thousands(count(batch, "update_words")),
                                  real(batch, "images_with_update")));
  return out;
}

std::string table_of(const Json& plan) {
  std::string out = fmt::format("{}: {} on {} x {}\n\n", text(plan, "cluster"), text(plan, "network"),
                                count(plan, "number_of_boards"), text(plan, "board"));
  out += boards(plan) + "\n" + layers(plan) + "\n";
  out += headed_line("rate", fmt::format("{:.1f} images/s, one in {} cycles at {} MHz", real(plan, "images_per_s"),
                                         thousands(count(plan, "cycles_an_image")), real(plan, "clock_mhz")));
  out += headed_line("binds", binds(plan));
  out += headed_line("gap", gap(plan));
  out += simulated(plan);
  for (const Json& row : plan.at("published")) out += published(row);
  const auto assumed = plan.at("assumed").get<std::vector<std::string>>();
  if (!assumed.empty()) out += headed_line("assumed", config::join(assumed));
  out +=
      headed_line("", text(plan, "placement") + " placement, each pass of a layer alike; updates are not in the rate");
  return out;
}

std::string csv_of(const Json& plan) {
  std::string csv = "layer,board,a,b,taps,interval,cycles,dsp,registers,block_ram,mlab\n";
  for (const Json& layer : plan.at("layers")) {
    csv += report::csv_field(text(layer, "layer"));
    for (const char* key : {"board", "a", "b", "taps", "interval", "cycles", "dsp", "registers", "block_ram", "mlab"}) {
      csv += fmt::format(",{}", count(layer, key));
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace

report::Report nada_plan_report(const Json& plan) {
  return {table_of(plan), plan.dump(2) + "\n", csv_of(plan)};
}

}  // namespace weft::tools
