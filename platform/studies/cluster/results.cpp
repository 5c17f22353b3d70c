#include "platform/studies/cluster/results.h"

#include <fmt/core.h>

namespace weft::cluster {

using record::Visitor;

std::string ResultHead::boards_text() const {
  return board.find(',') == std::string::npos ? fmt::format("{} x {}", number_of_boards, board) : board;
}

double PublishedRate::epochs_hours() const {
  constexpr double kEpochImages = 1'281'167;  // images of ImageNet
  return kEpochImages * kEpochs / static_cast<double>(measured) / 3600;
}

std::string PublishedRate::text() const {
  return fmt::format(
      "{}, {}: {} images/s planned, {} measured; planned in {} min, run in {} h ({} epochs at that rate: "
      "{:.1f} h)",
      network, cluster, planned, measured, plan_minutes, run_hours, kEpochs, epochs_hours());
}

std::string PublishedBoards::text() const {
  return boards ? fmt::format("{} boards", *boards) : fmt::format("{} GOPS per board", gops_per_board.value());
}

static void head_fields(Visitor& io, const char* kind, ResultHead& head) {
  constexpr int kVersion = 2;
  io.head(kind, kVersion, head.weft_version);
  io("name", "name of the cluster", head.cluster);
  io("design", "design: nada or fpdeep", head.design);
  io("network", "name of the network", head.network);
  io("board", "name of the boards, or the names of all boards in their order", head.board);
  io("number_of_boards", "boards", "boards in a row", head.number_of_boards);
  io("clock_mhz", "MHz", "clock of every board", head.clock_mhz);
}

static void assumed_keys(Visitor& io, std::vector<std::string>& assumed) {
  io.list("assumed", "keys of the cluster whose values are assumptions", "", "a key", assumed);
}

static void used_fields(Visitor& io, nada::Use& used) {
  io("dsp", "DSPs", "DSPs that are taken", used.dsp);
  io("registers", "registers", "registers that are taken", used.registers);
  io("block_ram", "blocks", "memory blocks that are taken", used.m20k);
  io("mlab", "MLABs", "MLABs that are taken", used.mlab);
}

static void fields(Visitor& io, NadaLimit& limit) {
  io("dsp", "DSPs", "most DSPs", limit.dsp);
  io.nullable("registers", "registers", "most registers; null: the board does not say", limit.registers);
  io("block_ram", "blocks", "most memory blocks", limit.block_ram);
  io("mlab", "MLABs", "most MLABs", limit.mlab);
  io.nullable("dram_gbytes_per_second", "GB/s", "bandwidth of all channels; null: the board does not say",
              limit.dram_gbytes_per_s);
  io("link_gbits_per_second", "Gb/s", "payload rate from a board to the next, one direction", limit.link_gbits_per_s);
}

static void fields(Visitor& io, NadaBoard& board) {
  io("first_layer", "first layer of the board; empty without layers", board.first_layer);
  io("last_layer", "last layer of the board", board.last_layer);
  io("layers", "layers", "layers on the board; with placement any these need not be consecutive", board.layers);
  used_fields(io, board.used);
  io("fifo_block_ram", "blocks", "fewest memory blocks of the FIFOs that the board reads", board.fifo_block_ram);
  io("dram_gbytes_per_second", "GB/s", "bandwidth of reads and writes", board.dram_gbytes_per_s);
  io("link_gbits_per_second", "Gb/s", "rate to and from the next board, one direction", board.link_gbits_per_s);
  io("board", "name of the board, if the boards are not all alike", board.board);
  io("limit", "resources of this board that a plan may use, if the boards are not all alike", board.limit);
}

void fields(Visitor& io, NadaLayer& layer) {
  io("layer", "name of the layer", layer.layer);
  io("board", "1", "board of the layer, from 1", layer.board);
  io("passes", "passes", "passes of F, GI and GW; 0 for a sum or a pool", layer.passes);
  io("a", "1", "channels in parallel", layer.lanes.a);
  io("b", "1", "filters in parallel", layer.lanes.b);
  io("taps", "1", "taps of the window in parallel", layer.lanes.taps);
  io("interval", "cycles", "cycles per pixel of the output", layer.interval);
  io("cycles", "cycles", "cycles per image", layer.cycles);
  used_fields(io, layer.used);
}

static void fields(Visitor& io, ImpliedBatch& batch) {
  io("images", "images", "batch without an update", batch.images);
  io("images_with_update", "images", "batch with an update of one word per cycle", batch.images_with_update);
  io("update_words", "words", "weights of the largest layer", batch.update_words);
}

static void fields(Visitor& io, NadaPublished& row) {
  io("network", "name of the network", row.network);
  io("board", "name of the boards", row.cluster);
  io("measured", "images/s", "measured rate", row.measured);
  io("planned", "images/s", "planned rate", row.planned);
  io("plan_minutes", "min", "time of planning", row.plan_minutes);
  io("run_hours", "h", "time of a run", row.run_hours);
  io("overhead_ms_an_image", "ms", "time per image, measured minus planned", row.overhead_ms_an_image);
  io("epochs", "epochs", "assumed epochs of a run", row.epochs);
  io("hours", "h", "time of `epochs` epochs of ImageNet at the measured rate", row.hours);
  io("implied_batch", "batches at which filling and draining this pipeline gives the measured rate", row.implied_batch);
}

static void fields(Visitor& io, NadaSimulated& simulated) {
  io("cycles_an_image", "cycles", "mean cycles per image in the steady state", simulated.cycles_an_image);
  io("images_per_second", "images/s", "rate at these cycles", simulated.images_per_second);
  io("change", "1", "rate / planned rate - 1", simulated.change);
  io("slowest_block", "layer, wire or DRAM with the most cycles per image", simulated.slowest_block);
  io("resent_frames_an_image", "frames", "lost frames that are sent again, of all links",
     simulated.resent_frames_an_image);
  io("latency_cycles", "cycles", "from the first image's first pixel to its last gradient", simulated.latency_cycles);
  io("latency_images", "images", "latency_cycles / cycles_an_image", simulated.latency_images);
  io("store_words", "words", "words of the stores from F to GW", simulated.store_words);
  io("fifo_words", "words", "words of all other FIFOs", simulated.fifo_words);
  io("fifo_block_ram", "blocks", "fewest memory blocks of these FIFOs", simulated.fifo_block_ram);
  io("block_ram_left", "blocks", "usable memory blocks that no layer takes", simulated.block_ram_left);
}

void fields(Visitor& io, NadaResult& result) {
  head_fields(io, "plan", result.head);
  io("cycles_an_image", "cycles", "cycles per image of the slowest layer", result.cycles_an_image);
  io("images_per_second", "images/s", "rate at these cycles", result.images_per_second);
  io("pooled_images_per_second", "images/s", "upper bound of the rate with any placement",
     result.pooled_images_per_second);
  io("pooled_gap", "1", "pooled_images_per_second / images_per_second - 1", result.gap);
  io("placement", "contiguous (boards take layers in their order) or any", result.placement);
  io.nullable("contiguous_images_per_second", "images/s", "rate with a contiguous placement; null: there is none",
              result.contiguous_images_per_second);
  io("proven_images_per_second", "images/s", "proven upper bound of the rate with this kind of placement",
     result.proven_images_per_second);
  io("proven_gap", "1", "proven_images_per_second / images_per_second - 1", result.proven_gap);
  io("questions_given_up", "questions", "questions that Z3 did not answer within its limit of steps",
     result.questions_given_up);
  io.list("binds", "resources that each alone prevent the next better rate", "", "a resource of a board", result.binds);
  io.nullable("next_images_per_second", "images/s", "the next better rate; null: none", result.next_images_per_second);
  io("simulated", "the plan simulated as a pipeline", result.simulated);
  io("fifos", "within: FIFOs fit into the memory that layers leave; beside: they may not fit", result.fifos);
  io("images_per_second_with_fifos_beside", "images/s", "rate without room for FIFOs",
     result.images_per_s_with_fifos_beside);
  io("limit", "resources of each board that a plan may use; missing if the boards are not all alike", result.limit);
  io.list("boards", "boards in their order", "", "a board", result.boards);
  io.list("layers", "layers in their order", "", "a layer", result.layers);
  io.list("published", "rates published of this network on these boards", "", "a row of NADA's table",
          result.published);
  assumed_keys(io, result.assumed);
  io.list("left_out", "memories of the boards that no plan uses", "", "a kind of memory", result.left_out);
  config::inputs_field(io, result.head.inputs);
}

static void fields(Visitor& io, ArrayPart& part) {
  io("layer", "name of the layer", part.layer);
  io("first_filter", "1", "first filter, from 0", part.first_filter);
  io("filters", "channels", "number of filters", part.filters);
  io("of_filters", "channels", "filters of the layer", part.of_filters);
  io("dsp_a_pass", "DSPs", "DSPs of each of F, GI and GW", part.dsp_a_pass);
  io("cycles_a_pixel", "cycles", "cycles per pixel of each pass", part.cycles_a_pixel);
  io("cycles", "cycles", "cycles per image", part.cycles);
}

static void fields(Visitor& io, ArrayBoard& board) {
  io("dsp", "DSPs", "DSPs that are taken", board.dsp);
  io("cycles", "cycles", "cycles per image", board.cycles);
  io("stored_words", "words", "all stored words", board.stored_words);
  io("weights", "words", "words of weights", board.weights);
  io("gradients", "words", "words of sums of gradients of weights", board.gradients);
  io("features", "words", "words of features that wait from F to GW", board.features);
  io("lines", "words", "words of line buffers", board.lines);
  io("waiting", "words", "words that wait for another branch of a sum, of a concatenation, or of a gradient",
     board.waiting);
  io.list("parts", "parts of layers", "", "filters of a layer", board.parts);
}

static void fields(Visitor& io, ArrayMemory& memory) {
  io("words", "words", "words stored in the array", memory.words);
  io("room", "words", "words that the array can store", memory.room);
  io("fits", "whether the array has the room", memory.fits);
  io("board_words", "words", "words that a board can store", memory.board_words);
  io("fullest_board", "1", "board with the most words to store, from 1", memory.fullest_board);
  io("fullest_excess_words", "words", "words of this board that other boards hold", memory.fullest_excess_words);
  io("fullest_board_of_weights", "1", "the board with the most weights, from 1", memory.fullest_board_of_weights);
  io("weight_fetch_gbits_per_second", "Gb/s", "rate of weights from other boards, at the busiest board",
     memory.weight_fetch_gbits_per_s);
}

static void fields(Visitor& io, ArraySimulated& simulated) {
  io("cycles_an_image", "cycles", "mean cycles per image in the steady state", simulated.cycles_an_image);
  io("images_per_second", "images/s", "rate at these cycles", simulated.images_per_second);
  io("change", "1", "rate / planned rate - 1", simulated.change);
  io("slowest_block", "part of a layer, or wire, with the most cycles per image", simulated.slowest_block);
  io("reading", "name of the reading of the links", simulated.reading);
  io("latency_cycles", "cycles", "from the first image's first pixel to its last gradient", simulated.latency_cycles);
}

static void fields(Visitor& io, ArrayReading& reading) {
  io("name", "name of the reading", reading.name);
  io("reading", "keys and values of the reading", reading.reading);
  io("linear_boards", "boards", "most boards that no link slows", reading.linear_boards);
  io("link_gbits_per_second", "Gb/s", "rate of a link, one direction", reading.link_gbits_per_s);
  io("busiest_gbits_per_second", "Gb/s", "load of the busiest link", reading.busiest_gbits_per_s);
  io("busiest_link", "place of the busiest link", reading.busiest_link);
  io.list("images_per_second", "rate with 1, 2, ... boards", "images/s", "rate of the array",
          reading.images_per_second);
}

static void fields(Visitor& io, PublishedBoards& published) {
  io("boards", "boards", "most boards up to which it scales", published.boards);
  io("gops_per_board", "GOPS", "rate of a board", published.gops_per_board);
  io("source", "source of the figure", published.source);
  io("board", "name of the boards", published.board);
  io.list("networks", "networks that it is published of", "", "a network", published.networks);
}

void fields(Visitor& io, ArrayResult& result) {
  head_fields(io, "plan array", result.head);
  io("balance", "1", "mean / maximum of the cycles per image of the boards", result.balance);
  io("cycles_an_image", "cycles", "cycles per image of the slowest board", result.cycles_an_image);
  io("images_per_second", "images/s", "rate at these cycles", result.images_per_second);
  io("images_per_second_per_board", "images/s", "images_per_second over the boards",
     result.images_per_second_per_board);
  io("gops_per_board", "GOPS", "the same rate in operations; a multiply-accumulate is two", result.gops_per_board);
  io("peak_gops_per_board", "GOPS", "rate of the DSPs of a board if all are busy", result.peak_gops_per_board);
  io("simulated", "the array simulated as a pipeline of the parts of its layers and the links between boards",
     result.simulated);
  io("memory", "stored words", result.memory);
  io("storage_reading", "keys and values of the storage", result.storage_reading);
  io.list("boards", "boards in their order", "", "a board", result.boards);
  io("scaling_to", "boards", "most boards for which rates are computed", result.scaling_to);
  io.list("readings", "readings of the links", "", "scaling of the array under one reading of its links",
          result.readings);
  io.list("published", "published figures of such arrays", "", "a figure", result.published);
  assumed_keys(io, result.assumed);
  config::inputs_field(io, result.head.inputs);
}

void fields(Visitor& io, BatchStep& step) {
  io("step", "fill, steady, drain or update", step.step);
  io("cycles", "cycles", "cycles of the step", step.cycles);
  io("seconds", "s", "time of the step", step.seconds);
}

static void fields(Visitor& io, BatchEfficiency& each) {
  io("batch", "images", "images of the batch", each.batch);
  io("efficiency", "1", "rate / rate of an endless batch", each.efficiency);
}

static void fields(Visitor& io, StoreUse& each) {
  io("store", "name of the store", each.store);
  io("pixels", "pixels", "most pixels in the store", each.pixels);
  io("words", "words", "most words in the store", each.words);
  io("images", "images", "most images in the store", each.images);
}

static void fields(Visitor& io, LinkUse& each) {
  io("from", "1", "board before the link, from 1", each.from);
  io("gbits_per_second", "Gb/s", "rate in the steady state, one direction", each.gbits_per_s);
  io("part", "1", "rate as a share of the payload rate", each.part);
}

void fields(Visitor& io, BatchResult& result) {
  head_fields(io, "timeline cluster", result.head);
  io("batch", "images", "images between two updates", result.batch);
  io.list("steps", "steps of a batch, in order", "", "a step", result.steps);
  io.list("efficiencies", "efficiencies of batches of 1, 2, 4, ... images", "", "a batch", result.efficiencies);
  io.list("stores", "stores from F to GW of the layers", "", "a store", result.stores);
  io.list("links", "links between boards, in order", "", "a link", result.links);
  io("efficiency", "1", "rate / rate of an endless batch", result.efficiency);
  io("images_per_second", "images/s", "rate with updates", result.images_per_second);
  io("endless_images_per_second", "images/s", "rate of an endless batch", result.endless_images_per_second);
  io("dataset_images", "images", "images of an epoch", result.dataset_images);
  io("epoch_hours", "h", "hours of an epoch", result.epoch_hours);
  assumed_keys(io, result.assumed);
  config::inputs_field(io, result.head.inputs);
}

}  // namespace weft::cluster
