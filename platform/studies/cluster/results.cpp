#include "platform/studies/cluster/results.h"

namespace weft::cluster {

using record::Visitor;

static void head_fields(Visitor& io, const char* kind, ResultHead& head) {
  constexpr int kVersion = 2;
  io.head(kind, kVersion, head.weft_version);
  io("name", "name of the cluster", head.cluster);
  io("design", "whose design: nada or fpdeep", head.design);
  io("network", "name of the network", head.network);
  io("board", "name of the boards, which are alike", head.board);
  io("number_of_boards", "boards", "in a row", head.number_of_boards);
  io("clock_mhz", "MHz", "of every board", head.clock_mhz);
}

static void assumed_keys(Visitor& io, std::vector<std::string>& assumed) {
  io.list("assumed", "keys of the cluster whose values are assumptions", "", "a key", assumed);
}

static void used_fields(Visitor& io, nada::Use& used) {
  io("dsp", "DSPs", "taken", used.dsp);
  io("registers", "registers", "taken", used.registers);
  io("block_ram", "blocks", "of memory, taken", used.m20k);
  io("mlab", "MLABs", "taken", used.mlab);
}

static void fields(Visitor& io, NadaLimit& limit) {
  io("dsp", "DSPs", "at most", limit.dsp);
  io.nullable("registers", "registers", "at most; null: the board does not say", limit.registers);
  io("block_ram", "blocks", "of memory, at most", limit.block_ram);
  io("mlab", "MLABs", "at most", limit.mlab);
  io.nullable("dram_gbytes_per_second", "GB/s", "of all channels; null: the board does not say",
              limit.dram_gbytes_per_s);
  io("link_gbits_per_second", "Gb/s", "of what frames carry, a direction, from a board to the next",
     limit.link_gbits_per_s);
}

static void fields(Visitor& io, NadaBoard& board) {
  io("first_layer", "its first layer; empty without layers", board.first_layer);
  io("last_layer", "its last", board.last_layer);
  io("layers", "layers", "on it; if placement is any not all between these", board.layers);
  used_fields(io, board.used);
  io("fifo_block_ram", "blocks", "of memory that FIFOs which it reads take at least", board.fifo_block_ram);
  io("dram_gbytes_per_second", "GB/s", "read and written", board.dram_gbytes_per_s);
  io("link_gbits_per_second", "Gb/s", "a direction, to and from the next board", board.link_gbits_per_s);
}

void fields(Visitor& io, NadaLayer& layer) {
  io("layer", "its name", layer.layer);
  io("board", "1", "its board, from 1", layer.board);
  io("passes", "passes", "F, GI and GW; 0: a sum or a pool", layer.passes);
  io("a", "1", "channels at once", layer.lanes.a);
  io("b", "1", "filters at once", layer.lanes.b);
  io("taps", "1", "of the window at once", layer.lanes.taps);
  io("interval", "cycles", "a pixel of the output", layer.interval);
  io("cycles", "cycles", "an image", layer.cycles);
  used_fields(io, layer.used);
}

static void fields(Visitor& io, ImpliedBatch& batch) {
  io("images", "images", "without an update", batch.images);
  io("images_with_update", "images", "with one of a word a cycle", batch.images_with_update);
  io("update_words", "words", "of the largest layer's weights", batch.update_words);
}

static void fields(Visitor& io, NadaPublished& row) {
  io("network", "the network", row.network);
  io("cluster", "the boards", row.cluster);
  io("measured", "images/s", "measured", row.measured);
  io("planned", "images/s", "planned", row.planned);
  io("plan_minutes", "min", "that planning took", row.plan_minutes);
  io("run_hours", "h", "of a run", row.run_hours);
  io("overhead_ms_an_image", "ms", "an image, measured over planned", row.overhead_ms_an_image);
  io("epochs", "epochs", "of a run, assumed", row.epochs);
  io("hours", "h", "of so many epochs of ImageNet at the measured rate", row.hours);
  io("implied_batch", "batches that would fill and drain this pipeline at the measured rate; of this network",
     row.implied_batch);
}

static void fields(Visitor& io, NadaSimulated& simulated) {
  io("cycles_an_image", "cycles", "mean, in the steady state", simulated.cycles_an_image);
  io("latency_cycles", "cycles", "from the first image's first pixel to its last gradient", simulated.latency_cycles);
  io("latency_images", "images", "that is so many images' cycles", simulated.latency_images);
  io("store_words", "words", "of the stores from F to GW", simulated.store_words);
  io("fifo_words", "words", "of all other FIFOs", simulated.fifo_words);
  io("fifo_block_ram", "blocks", "of memory that these take, at least", simulated.fifo_block_ram);
  io("block_ram_left", "blocks", "of memory that layers leave of what may be used", simulated.block_ram_left);
}

void fields(Visitor& io, NadaResult& result) {
  head_fields(io, "plan", result.head);
  io("cycles_an_image", "cycles", "of the slowest layer", result.cycles_an_image);
  io("images_per_second", "images/s", "at that", result.images_per_s);
  io("pooled_images_per_second", "images/s", "that no placement whatever exceeds", result.pooled_images_per_s);
  io("pooled_gap", "1", "how much more that is", result.gap);
  io("placement", "contiguous: boards take layers in their order; or any", result.placement);
  io.nullable("contiguous_images_per_second", "images/s", "with a contiguous placement; null: there is none",
              result.contiguous_images_per_s);
  io("proven_images_per_second", "images/s", "that no placement of this kind exceeds", result.proven_images_per_s);
  io("proven_gap", "1", "how much more that is", result.proven_gap);
  io("questions_given_up", "questions", "to which Z3 found no answer in its steps", result.questions_given_up);
  io.list("binds", "what alone keeps the next better rate away", "", "a resource of a board", result.binds);
  io.nullable("next_images_per_second", "images/s", "the next better rate; null: none", result.next_images_per_s);
  io("simulated", "the plan simulated as a pipeline", result.simulated);
  io("fifos", "within: they fit into what layers leave of a board; beside: they may not", result.fifos);
  io("images_per_second_with_fifos_beside", "images/s", "where no room is kept for FIFOs",
     result.images_per_s_with_fifos_beside);
  io("limit", "what of each board a plan may use", result.limit);
  io.list("boards", "in their order", "", "a board", result.boards);
  io.list("layers", "in their order", "", "a layer", result.layers);
  io.list("published", "beside it", "", "a row of NADA's table", result.published);
  assumed_keys(io, result.assumed);
  config::inputs_field(io, result.head.inputs);
}

static void fields(Visitor& io, ArrayPart& part) {
  io("layer", "the layer", part.layer);
  io("first_filter", "1", "the first of them, from 0", part.first_filter);
  io("filters", "filters", "how many", part.filters);
  io("of_filters", "filters", "that the layer has", part.of_filters);
  io("dsp_a_pass", "DSPs", "of each of F, GI and GW", part.dsp_a_pass);
  io("cycles_a_pixel", "cycles", "of each of them", part.cycles_a_pixel);
  io("cycles", "cycles", "an image", part.cycles);
}

static void fields(Visitor& io, ArrayBoard& board) {
  io("dsp", "DSPs", "taken", board.dsp);
  io("cycles", "cycles", "an image", board.cycles);
  io("stored_words", "words", "stored, of all kinds", board.stored_words);
  io("weights", "words", "of weights", board.weights);
  io("gradients", "words", "of sums of their gradients", board.gradients);
  io("features", "words", "that wait from F to GW", board.features);
  io("lines", "words", "of line buffers", board.lines);
  io.list("parts", "of layers", "", "filters of a layer", board.parts);
}

static void fields(Visitor& io, ArrayMemory& memory) {
  io("words", "words", "stored in the array", memory.words);
  io("room", "words", "that it can store", memory.room);
  io("fits", "whether the array has the room", memory.fits);
  io("board_words", "words", "that a board can store", memory.board_words);
  io("fullest_board", "1", "the board with the most to store, from 1", memory.fullest_board);
  io("fullest_excess_words", "words", "of it that other boards hold", memory.fullest_excess_words);
  io("fullest_board_of_weights", "1", "the board with the most weights, from 1", memory.fullest_board_of_weights);
  io("weight_fetch_gbits_per_second", "Gb/s", "of weights beyond a board's own, at the busiest",
     memory.weight_fetch_gbits_per_s);
}

static void fields(Visitor& io, ArraySimulated& simulated) {
  io("cycles_an_image", "cycles", "mean, in the steady state", simulated.cycles_an_image);
  io("latency_cycles", "cycles", "from the first image's first pixel to its last gradient", simulated.latency_cycles);
}

static void fields(Visitor& io, ArrayReading& reading) {
  io("name", "of the reading", reading.name);
  io("reading", "its keys and values", reading.reading);
  io("linear_boards", "boards", "up to which no link slows the array", reading.linear_boards);
  io("link_gbits_per_second", "Gb/s", "a direction, of a link", reading.link_gbits_per_s);
  io("busiest_gbits_per_second", "Gb/s", "that the busiest link would carry", reading.busiest_gbits_per_s);
  io("busiest_link", "where that is", reading.busiest_link);
  io.list("images_per_second", "of 1, 2, ... boards", "images/s", "of the array", reading.images_per_s);
}

static void fields(Visitor& io, PublishedBoards& published) {
  io("boards", "boards", "at most", published.boards);
  io("source", "where it is from", published.source);
}

void fields(Visitor& io, ArrayResult& result) {
  head_fields(io, "plan array", result.head);
  io("balance", "1", "mean over maximum of the boards' cycles an image", result.balance);
  io("cycles_an_image", "cycles", "of the slowest board", result.cycles_an_image);
  io("images_per_second", "images/s", "at that", result.images_per_s);
  io("images_per_second_per_board", "images/s", "of each board, as the file says", result.images_per_s_per_board);
  io("simulated", "the array simulated as a pipeline: all parts of a layer on the same pixel, links take no time",
     result.simulated);
  io("memory", "what is stored", result.memory);
  io("storage_reading", "how it is stored: keys and values", result.storage_reading);
  io.list("boards", "in their order", "", "a board", result.boards);
  io("scaling_to", "boards", "up to which readings are told", result.scaling_to);
  io.list("readings", "of the links", "", "how far the array scales, under one reading of its links", result.readings);
  io.list("published", "how far somebody says that it scales", "", "a number", result.published);
  assumed_keys(io, result.assumed);
  config::inputs_field(io, result.head.inputs);
}

void fields(Visitor& io, BatchStep& step) {
  io("step", "fill, steady, drain or update", step.step);
  io("cycles", "cycles", "that it takes", step.cycles);
  io("seconds", "s", "the same", step.seconds);
}

static void fields(Visitor& io, BatchEfficiency& each) {
  io("batch", "images", "of it", each.batch);
  io("efficiency", "1", "of its rate over that without end", each.efficiency);
}

static void fields(Visitor& io, StoreUse& each) {
  io("store", "its name", each.store);
  io("pixels", "pixels", "in it at most", each.pixels);
  io("words", "words", "the same", each.words);
  io("images", "images", "the same", each.images);
}

static void fields(Visitor& io, LinkUse& each) {
  io("from", "1", "the board before it, from 1", each.from);
  io("gbits_per_second", "Gb/s", "a direction, in the steady state", each.gbits_per_s);
  io("part", "1", "of what its frames can carry", each.part);
}

void fields(Visitor& io, BatchResult& result) {
  head_fields(io, "timeline cluster", result.head);
  io("batch", "images", "between two updates", result.batch);
  io.list("steps", "of a batch, one after the other", "", "a step", result.steps);
  io.list("efficiencies", "of batches of 1, 2, 4, ... images", "", "a batch", result.efficiencies);
  io.list("stores", "from F to GW of a layer", "", "a store", result.stores);
  io.list("links", "between boards, in their order", "", "a link", result.links);
  io("efficiency", "1", "of the batch", result.efficiency);
  io("images_per_second", "images/s", "updates included", result.images_per_s);
  io("endless_images_per_second", "images/s", "of a batch without end", result.endless_images_per_s);
  io("dataset_images", "images", "of an epoch", result.dataset_images);
  io("epoch_hours", "h", "an epoch", result.epoch_hours);
  assumed_keys(io, result.assumed);
  config::inputs_field(io, result.head.inputs);
}

}  // namespace weft::cluster
