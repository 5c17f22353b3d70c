#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

Json cycles(const std::string& meaning) {
  return integer("cycles", meaning);
}
Json share(const std::string& meaning) {
  return number("1", meaning);
}
Json hours() {
  return number("h", "of the convolutions of an epoch, and of nothing else");
}

Json budget(const std::string& meaning) {
  return object(meaning, {{"dsp", integer("DSPs", "DSP slices")},
                          {"bram18", integer("BRAM18s", "block RAMs of 18 Kb")},
                          {"uram", integer("URAMs", "UltraRAMs"), false},
                          {"lut", integer("LUTs", "look-up tables"), false},
                          {"ff", integer("FFs", "registers"), false},
                          {"bram_bits", integer("bits", "of buffers, by the equations"), false}});
}

// Of an exploration of tiles, by the equations with what they say of transfers.
std::vector<Key> rates(bool required) {
  return {{"seconds", number("s", "of its launches in an iteration, transfers over PCIe included"), required},
          {"gops", number("GOPS", "10^9 operations a second of that time, two a MAC"), required},
          {"gops_per_watt", number("GOPS/W", "of the watts of the card"), required}};
}

Key published_rate() {
  return {"published_gops_per_watt", number("GOPS/W", "that others found with it"), false};
}

Json tile(const std::string& meaning, const std::vector<Key>& more) {
  std::vector<Key> keys{{"kernel", kernel_parameters("its parameters")}, {"resources", budget("what it takes")}};
  for (const std::vector<Key>& part : {rates(true), more}) keys.insert(keys.end(), part.begin(), part.end());
  return object(meaning, keys);
}

// One tile for several convolutions, beside the one that others found.
std::vector<Key> tiles() {
  return {{"optimal", tile("the best tile", {})},
          {"published", tile("the tile that others found", {published_rate()}), false},
          {"better_than_published", integer("tiles", "that are better than the published one"), false}};
}

Json layer() {
  std::vector<Key> keys{{"layer", text("name of the layer")}};
  const std::vector<Key> more = tiles();
  keys.insert(keys.end(), more.begin(), more.end());
  return object("a layer", keys);
}

Json convolution_name() {
  return text("a convolution, as LAYER:KIND");
}

Json shared(const std::string& meaning, const std::vector<Key>& more) {
  const Json group = object("a kernel", {{"cycles", cycles("of its convolutions in an iteration, by the equations")},
                                         {"worst_penalty", share("the most that one of them takes beyond its optimum")},
                                         {"kernel", kernel_parameters("its parameters")},
                                         {"convolutions", list("what runs on it", convolution_name())}});
  std::vector<Key> keys{{"kernels", integer("kernels", "how many")},
                        {"cycles", cycles("of all convolutions in an iteration, by the equations")},
                        {"loss", share("the time of an iteration beyond that of the optimal kernels")},
                        {"groups", list("the kernels", group)}};
  keys.insert(keys.end(), more.begin(), more.end());
  return object(meaning, keys);
}

Json sharing() {
  return object(
      "with a penalty",
      {{"penalty_percent", number("%", "how much longer than on its optimal kernel each convolution may take")},
       {"heuristic", shared("by Algorithms 1 and 2 of the thesis", {})},
       {"minimum",
        shared("the fewest kernels that there can be",
               {{"at_least", integer("kernels", "proved; as many as `kernels` where these are the fewest")}}),
        false}});
}

Json by_reading() {
  const Json alternative =
      object("with an alternative of it", {{"cycles", cycles("of an iteration")},
                                           {"conv_only_hours_per_epoch", hours()},
                                           {"misfits", integer("convolutions", "left out of it")}});
  return names("the optimal kernels by each reading of one of the equations (docs/readings.md)",
               names("a reading", alternative));
}

Json rerank() {
  const Json design =
      object("a kernel", {{"rank", integer("1", "by the equations at the exploration's batch, the best 1")},
                          {"simulated_rank", integer("1", "by the simulation, the best 1")},
                          {"equations_cycles", cycles("by the equations, at the batch of the simulation")},
                          {"simulated_cycles", cycles("by the simulation")},
                          {"kernel", kernel_parameters("its parameters")}});
  const Json convolution = object(
      "a shape", {{"convolution", convolution_name()},
                  {"loss_of_equations_choice", share("what the equations' first takes beyond the simulation's first")},
                  {"designs", list("by simulated rank", design)}});
  return object("the best kernels by the equations, simulated",
                {{"rung", text("the rung that simulates: exact or systemc")},
                 {"batch", integer("images", "of the simulation")},
                 {"convolutions", list("the first of each shape", convolution)}});
}

Json network_kernel() {
  return object("a kernel", {{"kernel", kernel_parameters("its parameters")},
                             {"resources", budget("the most that a convolution takes on it, of each")},
                             {"cycles", cycles("of all convolutions in an iteration, by the equations")},
                             {"simulated_cycles", cycles("by the simulation, where it was simulated"), false}});
}

Json convolution() {
  std::vector<Key> keys{{"cycles", cycles("of a launch, by the equations")},
                        {"limiter", text("the block that takes longest")},
                        {"kernel", kernel_parameters("its parameters")},
                        {"resources", budget("what it takes")},
                        {"seconds_each", number("s", "of a launch, transfers over PCIe included"), false}};
  const std::vector<Key> more = rates(false);
  keys.insert(keys.end(), more.begin(), more.end());
  const Json optimal = object("its best kernel; without one, none fits", keys);
  return object(
      "a convolution",
      {{"layer", text("name of the layer")},
       {"kind", text("F, GI or GW")},
       {"launches", integer("launches", "of an iteration: one a group, or one an image and group")},
       {"macs", integer("MACs", "useful multiply-accumulates, all groups")},
       {"arrays", integer("arrays", "or tiles that were looked at")},
       {"within_dsp", integer("arrays", "of them, within the DSPs of the budget"), false},
       {"fitting", integer("arrays", "of these, with a kernel whose memories fit")},
       {"optimal", optimal, false},
       {"smallest",
        object("where none fits: the array within the DSPs that takes the fewest memory blocks",
               {{"bram18", integer("BRAM18s", "block RAMs of 18 Kb")}, {"uram", integer("URAMs", "UltraRAMs")}}),
        false}});
}

}  // namespace

Json dse() {
  return object(
      "an exploration (weft dse, and its result.json)",
      {{"schema", integer("version", "version of this form; it grows when a key changes its meaning or goes")},
       {"weft_version", text("the version of weft that wrote it")},
       {"exploration", text("its name")},
       {"network", text("name of the network")},
       {"board", text("name of the board")},
       {"batch", integer("images", "images of an iteration")},
       {"clock_mhz", text("kernel clock in MHz, exact: a whole number, a decimal or a fraction")},
       {"budget", budget("what a kernel may take")},
       {"minimize", text("of tiles: overall (transfers over PCIe and kernel) or kernel"), false},
       {"watts", number("W", "of the card, for GOPS/W"), false},
       {"tiles", integer("tiles", "that were looked at"), false},
       {"space",
        names("the keys of a kernel that are tried", object("its values", {{"from", integer("1", "the first")},
                                                                           {"to", integer("1", "the largest")},
                                                                           {"step", integer("1", "between two")}})),
        false},
       {"combinations", integer("kernels", "that were looked at"), false},
       {"possible", integer("kernels", "of them, that there can be and that compute the network"), false},
       {"fitting", integer("tiles", "or kernels, of them, within the budget"), false},
       {"readings", names("how the doubtful equations are read (docs/readings.md)", text("the alternative"))},
       {"do_not_know", list("keys of a run that the equations do not depend on", text("a key"))},
       {"optimal",
        object("each convolution on its own best kernel",
               {{"cycles", cycles("of an iteration")},
                {"conv_only_seconds_per_iteration", number("s", "of the convolutions")},
                {"conv_only_hours_per_epoch", hours()},
                {"seconds", number("s", "of an iteration, transfers over PCIe included"), false},
                {"convolutions", integer("convolutions", "of the network")},
                {"shapes", integer("shapes", "different ones")},
                {"misfits", integer("convolutions", "without a kernel that fits, in none of the figures")}})},
       {"sharing", list("by penalty", sharing())},
       {"network_tile",
        object("one tile for all convolutions", {{"least_time", object("with the least time of an iteration", tiles())},
                                                 {"highest_mean", object("with the highest mean of GOPS/W of the "
                                                                         "layers",
                                                                         tiles())}}),
        false},
       {"network_kernels",
        list("one kernel for all convolutions, the best first: those simulated, then the others", network_kernel()),
        false},
       {"layers", list("one tile for the convolutions of each layer", layer()), false},
       {"source", text("where the published tiles stand"), false},
       {"hours_per_epoch_by_reading", by_reading(), false},
       {"published",
        object("what others found", {{"kernels", integer("kernels", "with a penalty of zero"), false},
                                     {"hours_per_epoch", number("h", "of an epoch"), false},
                                     {"source", text("where"), false}}),
        false},
       {"rerank", rerank(), false},
       {"convolutions", list("all of them", convolution())}});
}

Json dse_several() {
  return list("several explorations (weft dse A B)", dse());
}

}  // namespace weft::tools::schema
