#include <cstdint>
#include <optional>

#include "platform/document/fitted_table.h"
#include "platform/document/text.h"
#include "platform/record/csv.h"
#include "tools/cli/cli.h"
#include "tools/plan/tables.h"

namespace weft::tools {

using cluster::NadaBoard;
using cluster::NadaLayer;
using cluster::NadaResult;
using report::FittedTable;
using report::thousands;

namespace {

// A use beside its limit; nothing: none is known.
std::string of_limit(std::int64_t used, std::optional<std::int64_t> limit) {
  const double percent = limit.value_or(0) == 0 ? 0 : 100. * static_cast<double>(used) / static_cast<double>(*limit);
  return fmt::format("{} ({:.1f})", thousands(used), percent);
}

std::string layers_of(const NadaResult& plan, const NadaBoard& board) {
  if (board.layers == 0) return "none";
  if (plan.placement != "any") return board.first_layer + " to " + board.last_layer;
  return fmt::format("{} of {} ... {}", board.layers, board.first_layer, board.last_layer);
}

std::string boards(const NadaResult& plan) {
  FittedTable table({{"board", true},
                     {"layers"},
                     {"DSP (%)", true},
                     {"blocks (%)", true},
                     {"MLAB (%)", true},
                     {"registers (%)", true, 0, 1},
                     {"DRAM GB/s", true},
                     {"Gb/s to the next", true}});
  std::size_t number = 0;
  for (const NadaBoard& board : plan.boards) {
    table.add({std::to_string(++number), layers_of(plan, board), of_limit(board.used.dsp, plan.limit.dsp),
               of_limit(board.used.m20k, plan.limit.block_ram), of_limit(board.used.mlab, plan.limit.mlab),
               of_limit(board.used.registers, plan.limit.registers), fmt::format("{:.1f}", board.dram_gbytes_per_s),
               board.link_gbits_per_s ? fmt::format("{:.1f}", *board.link_gbits_per_s) : ""});
  }
  return table.text(page_width());
}

std::string layers(const NadaResult& plan) {
  FittedTable table({{"layer"},
                     {"board", true},
                     {"a x b x taps", true},
                     {"cycles/pixel", true},
                     {"cycles/image", true},
                     {"busy %", true},
                     {"DSP", true},
                     {"blocks", true},
                     {"MLAB", true}});
  for (const NadaLayer& layer : plan.layers) {
    if (layer.passes == 0) continue;
    const double busy_percent = 100. * static_cast<double>(layer.cycles) / static_cast<double>(plan.cycles_an_image);
    table.add({layer.layer, std::to_string(layer.board),
               fmt::format("{} x {} x {}", layer.lanes.a, layer.lanes.b, layer.lanes.taps), thousands(layer.interval),
               thousands(layer.cycles), fmt::format("{:.1f}", busy_percent), thousands(layer.used.dsp),
               thousands(layer.used.m20k), thousands(layer.used.mlab)});
  }
  return table.text(page_width());
}

std::string binds(const NadaResult& plan) {
  if (!plan.next_images_per_s) return "nothing: every layer is as fast as it can be";
  const std::string next = fmt::format("the next better rate, {:.1f} images/s", *plan.next_images_per_s);
  if (plan.binds.empty()) return fmt::format("more than one resource: {} needs more of several", next);
  return fmt::format("{}: without that bound alone there would be {}", config::join(plan.binds, " or "), next);
}

std::string gap(const NadaResult& plan) {
  if (plan.placement == "contiguous") {
    return fmt::format(
        "0 for boards that take layers in their order; no placement whatever is above {:.1f} images/s "
        "({:.1f} % more)",
        plan.pooled_images_per_s, 100 * plan.gap);
  }
  const std::optional<double>& in_order = plan.contiguous_images_per_s;
  return fmt::format(
      "{:.1f} %: no placement is above {:.1f} images/s; {} questions that Z3 gave up; with layers in their order, but "
      "for their FIFOs, {}",
      100 * plan.proven_gap, plan.proven_images_per_s, plan.questions_given_up,
      in_order ? fmt::format("{:.1f} images/s", *in_order) : "there is no plan");
}

std::string simulated(const NadaResult& plan) {
  const cluster::NadaSimulated& of = plan.simulated;
  std::string lack;
  std::int64_t number = 0;
  for (const NadaBoard& board : plan.boards) {
    const std::int64_t more = board.used.m20k + board.fifo_block_ram - plan.limit.block_ram;
    ++number;
    if (more > 0) lack += fmt::format("{}board {} LACKS {}", lack.empty() ? ": " : ", ", number, thousands(more));
  }
  std::string out =
      headed_line("simulated", fmt::format("one image in {} cycles; the first is trained on after {} ({:.2f} images)",
                                           of.cycles_an_image, thousands(of.latency_cycles), of.latency_images));
  out += headed_line(
      "", fmt::format("at that rate nothing stands still: stores from F to GW hold {} words, all other FIFOs "
                      "{}, which are {} blocks at least, of {} that all boards have left{}",
                      thousands(of.store_words), thousands(of.fifo_words), thousands(of.fifo_block_ram),
                      thousands(of.block_ram_left), lack));
  if (plan.fifos == "within") {
    out += headed_line("", fmt::format("each board holds its own FIFOs; without any room for them {:.1f} images/s",
                                       plan.images_per_s_with_fifos_beside));
  }
  return out;
}

std::string published(const cluster::NadaPublished& row) {
  const double part = static_cast<double>(row.measured) / static_cast<double>(row.planned);
  std::string out = headed_line(
      "published",
      fmt::format("{}, {}: {} images/s planned, {} measured ({:.3f}): {:.2f} ms an image more; planned in {} min, run "
                  "in {} h ({} epochs at that rate: {:.1f} h)",
                  row.network, row.cluster, row.planned, row.measured, part, row.overhead_ms_an_image, row.plan_minutes,
                  row.run_hours, row.epochs, row.hours));
  if (!row.implied_batch) return out;
  return out +
         headed_line("",
                     fmt::format("as a batch that fills and drains this pipeline: {:.1f} images; with an update of {} "
                                 "words, one a cycle, {:.1f}",
                                 row.implied_batch->images, thousands(row.implied_batch->update_words),
                                 row.implied_batch->images_with_update));
}

}  // namespace

std::string table_of(const NadaResult& plan) {
  std::string out = cluster_line(plan.head) + "\n\n" + boards(plan) + "\n" + layers(plan) + "\n";
  out += rate_line(plan);
  out += headed_line("binds", binds(plan));
  out += headed_line("gap", gap(plan));
  out += simulated(plan);
  for (const cluster::NadaPublished& row : plan.published) out += published(row);
  out += assumed_line(plan.assumed);
  return out + headed_line("", plan.placement + " placement, each pass of a layer alike; updates are not in the rate");
}

std::string csv_of(const NadaResult& plan) {
  return record::csv_text(plan.layers, "layer,board,a,b,taps,interval,cycles,dsp,registers,block_ram,mlab\n");
}

}  // namespace weft::tools
