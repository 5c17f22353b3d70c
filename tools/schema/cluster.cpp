#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

using Keys = std::vector<Key>;

Keys cluster_head() {
  return {{"schema", integer("version", "version of this form; it grows when a key changes its meaning or goes")},
          {"weft_version", text("the version of weft that wrote it")},
          {"cluster", text("name of the cluster")},
          {"design", text("whose design: nada or fpdeep")},
          {"network", text("name of the network")},
          {"board", text("name of the boards, which are alike")},
          {"number_of_boards", integer("boards", "in a row")},
          {"clock_mhz", number("MHz", "of every board")}};
}

Keys joined(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

Key assumed_keys() {
  return {"assumed", list("keys of the cluster whose values are assumptions", text("a key"))};
}

Keys used() {
  return {{"dsp", integer("DSPs", "taken")},
          {"registers", integer("registers", "taken")},
          {"block_ram", integer("blocks", "of memory, taken")},
          {"mlab", integer("MLABs", "taken")}};
}

Json limit() {
  return object("what of each board a plan may use",
                {{"dsp", integer("DSPs", "at most")},
                 {"registers", or_nothing(integer("registers", "at most; null: the board does not say"))},
                 {"block_ram", integer("blocks", "of memory, at most")},
                 {"mlab", integer("MLABs", "at most")},
                 {"dram_gbytes_per_s", or_nothing(number("GB/s", "of all channels; null: the board does not say"))},
                 {"link_gbits_per_s", number("Gb/s", "of what frames carry, a direction, from a board to the next")}});
}

Json nada_board() {
  return object(
      "a board",
      joined({{"first_layer", text("its first layer; empty without layers")},
              {"last_layer", text("its last")},
              {"layers", integer("layers", "on it; if placement is any not all between these")}},
             joined(used(), {{"fifo_block_ram", integer("blocks", "of memory that FIFOs which it reads take at least")},
                             {"dram_gbytes_per_s", number("GB/s", "read and written")},
                             {"link_gbits_per_s", number("Gb/s", "a direction, to and from the next board"), false}})));
}

Json nada_layer() {
  return object("a layer", joined({{"layer", text("its name")},
                                   {"board", integer("1", "its board, from 1")},
                                   {"passes", integer("passes", "F, GI and GW; 0: a sum or a pool")},
                                   {"a", integer("1", "channels at once")},
                                   {"b", integer("1", "filters at once")},
                                   {"taps", integer("1", "of the window at once")},
                                   {"interval", integer("cycles", "a pixel of the output")},
                                   {"cycles", integer("cycles", "an image")}},
                                  used()));
}

Json nada_published() {
  return object("a row of NADA's table",
                {{"network", text("the network")},
                 {"cluster", text("the boards")},
                 {"measured", integer("images/s", "measured")},
                 {"planned", integer("images/s", "planned")},
                 {"plan_minutes", integer("min", "that planning took")},
                 {"run_hours", integer("h", "of a run")},
                 {"overhead_ms_an_image", number("ms", "an image, measured over planned")},
                 {"epochs", number("epochs", "of a run, assumed")},
                 {"hours", number("h", "of so many epochs of ImageNet at the measured rate")},
                 {"implied_batch",
                  object("batches that would fill and drain this pipeline at the measured rate; of this network",
                         {{"images", number("images", "without an update")},
                          {"images_with_update", number("images", "with one of a word a cycle")},
                          {"update_words", integer("words", "of the largest layer's weights")}}),
                  false}});
}

Json simulated() {
  return object("the plan simulated as a pipeline",
                {{"cycles_an_image", number("cycles", "mean, in the steady state")},
                 {"latency_cycles", integer("cycles", "from the first image's first pixel to its last gradient")},
                 {"latency_images", number("images", "that is so many images' cycles")},
                 {"store_words", integer("words", "of the stores from F to GW")},
                 {"fifo_words", integer("words", "of all other FIFOs")},
                 {"fifo_block_ram", integer("blocks", "of memory that these take, at least")},
                 {"block_ram_left", integer("blocks", "of memory that layers leave of what may be used")}});
}

Json simulated_array() {
  return object("the array simulated as a pipeline: all parts of a layer on the same pixel, links take no time",
                {{"cycles_an_image", number("cycles", "mean, in the steady state")},
                 {"latency_cycles", integer("cycles", "from the first image's first pixel to its last gradient")}});
}

Json array_part() {
  return object("filters of a layer", {{"layer", text("the layer")},
                                       {"first_filter", integer("1", "the first of them, from 0")},
                                       {"filters", integer("filters", "how many")},
                                       {"of_filters", integer("filters", "that the layer has")},
                                       {"dsp_a_pass", integer("DSPs", "of each of F, GI and GW")},
                                       {"cycles_a_pixel", integer("cycles", "of each of them")},
                                       {"cycles", integer("cycles", "an image")}});
}

Json array_board() {
  return object("a board", {{"dsp", integer("DSPs", "taken")},
                            {"cycles", integer("cycles", "an image")},
                            {"stored_words", integer("words", "stored, of all kinds")},
                            {"weights", integer("words", "of weights")},
                            {"gradients", integer("words", "of sums of their gradients")},
                            {"features", integer("words", "that wait from F to GW")},
                            {"lines", integer("words", "of line buffers")},
                            {"parts", list("of layers", array_part())}});
}

Json array_memory() {
  return object("what is stored",
                {{"words", integer("words", "stored in the array")},
                 {"room", integer("words", "that it can store")},
                 {"fits", flag("whether the array has the room")},
                 {"board_words", integer("words", "that a board can store")},
                 {"fullest_board", integer("1", "the board with the most to store, from 1")},
                 {"fullest_excess_words", integer("words", "of it that other boards hold")},
                 {"fullest_board_of_weights", integer("1", "the board with the most weights, from 1")},
                 {"weight_fetch_gbits_per_s", number("Gb/s", "of weights beyond a board's own, at the busiest")}});
}

Json array_reading() {
  return object("how far the array scales, under one reading of its links",
                {{"name", text("of the reading")},
                 {"reading", text("its keys and values")},
                 {"linear_boards", integer("boards", "up to which no link slows the array")},
                 {"link_gbits_per_s", number("Gb/s", "a direction, of a link")},
                 {"busiest_gbits_per_s", number("Gb/s", "that the busiest link would carry")},
                 {"busiest_link", text("where that is")},
                 {"images_per_s", list("of 1, 2, ... boards", number("images/s", "of the array"))}});
}

}  // namespace

Json plan_nada() {
  return object("layers over boards in a row, each with an implementation of its own (weft plan)",
                joined(cluster_head(),
                       {{"cycles_an_image", integer("cycles", "of the slowest layer")},
                        {"images_per_s", number("images/s", "at that")},
                        {"pooled_images_per_s", number("images/s", "that no placement whatever exceeds")},
                        {"gap", number("1", "how much more that is")},
                        {"placement", text("contiguous: boards take layers in their order; or any")},
                        {"contiguous_images_per_s",
                         or_nothing(number("images/s", "with a contiguous placement; null: there is none"))},
                        {"proven_images_per_s", number("images/s", "that no placement of this kind exceeds")},
                        {"proven_gap", number("1", "how much more that is")},
                        {"questions_given_up", integer("questions", "to which Z3 found no answer in its steps")},
                        {"binds", list("what alone keeps the next better rate away", text("a resource of a board"))},
                        {"next_images_per_s", or_nothing(number("images/s", "the next better rate; null: none"))},
                        {"simulated", simulated()},
                        {"fifos", text("within: they fit into what layers leave of a board; beside: they may not")},
                        {"images_per_s_with_fifos_beside", number("images/s", "where no room is kept for FIFOs")},
                        {"limit", limit()},
                        {"boards", list("in their order", nada_board())},
                        {"layers", list("in their order", nada_layer())},
                        {"published", list("beside it", nada_published())},
                        assumed_keys()}));
}

Json plan_array() {
  return object(
      "layers and parts of layers over boards in a row (weft plan)",
      joined(cluster_head(), {{"balance", number("1", "mean over maximum of the boards' cycles an image")},
                              {"cycles_an_image", integer("cycles", "of the slowest board")},
                              {"images_per_s", number("images/s", "at that")},
                              {"simulated", simulated_array()},
                              {"images_per_s_per_board", number("images/s", "of each board, as the file says")},
                              {"memory", array_memory()},
                              {"storage_reading", text("how it is stored: keys and values")},
                              {"boards", list("in their order", array_board())},
                              {"scaling_to", integer("boards", "up to which readings are told")},
                              {"readings", list("of the links", array_reading())},
                              {"published", list("how far somebody says that it scales",
                                                 object("a number", {{"boards", integer("boards", "at most")},
                                                                     {"source", text("where it is from")}}))},
                              assumed_keys()}));
}

Json timeline_cluster() {
  return object(
      "batches in training over boards in a row (weft timeline of a cluster)",
      joined(
          cluster_head(),
          {{"batch", integer("images", "between two updates")},
           {"steps",
            list("of a batch, one after the other", object("a step", {{"step", text("fill, steady, drain or update")},
                                                                      {"cycles", integer("cycles", "that it takes")},
                                                                      {"seconds", number("s", "the same")}}))},
           {"efficiencies",
            list("of batches of 1, 2, 4, ... images",
                 object("a batch", {{"batch", integer("images", "of it")},
                                    {"efficiency", number("1", "of its rate over that without end")}}))},
           {"stores", list("from F to GW of a layer", object("a store", {{"store", text("its name")},
                                                                         {"pixels", integer("pixels", "in it at most")},
                                                                         {"words", integer("words", "the same")},
                                                                         {"images", number("images", "the same")}}))},
           {"links", list("between boards, in their order",
                          object("a link", {{"from", integer("1", "the board before it, from 1")},
                                            {"gbits_per_s", number("Gb/s", "a direction, in the steady state")},
                                            {"part", number("1", "of what its frames can carry")}}))},
           {"efficiency", number("1", "of the batch")},
           {"images_per_s", number("images/s", "updates included")},
           {"endless_images_per_s", number("images/s", "of a batch without end")},
           {"dataset_images", integer("images", "of an epoch")},
           {"epoch_hours", number("h", "an epoch")},
           assumed_keys()}));
}

}  // namespace weft::tools::schema
