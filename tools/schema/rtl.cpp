#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

Json cycles(const std::string& meaning) {
  return integer("cycles", meaning);
}
Json convolutions(const std::string& meaning) {
  return integer("convolutions", meaning);
}
Json handshakes() {
  return integer("handshakes", "of FIFOs and AXI channels that were compared");
}
Json by_value(const std::string& meaning) {
  return names(meaning, convolutions("of this value"));
}

// Parameters of a kernel that a design draws at random.
std::vector<Key> build_keys() {
  const Json one =
      object("a convolution", {{"case", integer("1", "its number in the campaign, from 0")},
                               {"kind", text("F, GI or GW")},
                               {"a", integer("1", "loop A: images, or launches of one")},
                               {"n_inp", integer("maps", "maps of INP")},
                               {"n_kern", integer("kernels", "kernels of KERN")},
                               {"c", integer("channels", "channels that are summed over")},
                               {"m", integer("products", "products of an output")},
                               {"out_map", integer("words", "outputs of a map")},
                               {"memory", text("ddr4, ideal or random")},
                               {"channels_used", integer("channels", "memory channels")},
                               {"clock_mhz", number("MHz", "kernel clock")},
                               {"refuse_percent", number("%", "cycles in which the AXI side refuses")},
                               {"above_4_gib", flag("a tensor lies beyond 4 GiB")},
                               {"longest_burst", integer("beats", "of a burst")},
                               {"refused_with", integer("1", "STATUS that the kernel must refuse it with; 0: it runs")},
                               {"cycles", cycles("of the RTL")},
                               {"handshakes", handshakes()},
                               {"equal", flag("RTL and model agree in every cycle")}});
  return {{"build", integer("1", "its number, from 0")},
          {"first_difference", text("where RTL and model differ first; empty: nowhere")},
          {"cases", list("what ran on it", one)}};
}

Json use(const std::string& meaning) {
  return object(meaning, {{"dsp", integer("DSPs", "DSP slices")},
                          {"lut", integer("LUTs", "look-up tables")},
                          {"ff", integer("FFs", "registers")},
                          {"bram18", integer("BRAM18s", "block RAMs of 18 Kb")},
                          {"uram", integer("URAMs", "UltraRAMs")}});
}

}  // namespace

Json cosim() {
  return object(
      "RTL and model side by side (weft cosim CONFIG)",
      {{"convolutions", list("by launch", object("a launch", {{"layer", text("layer, with its group")},
                                                              {"kind", text("F, GI or GW")},
                                                              {"cycles", cycles("of the RTL")},
                                                              {"handshakes", handshakes()},
                                                              {"equal", flag("they agree in every cycle")},
                                                              {"difference", text("the first; empty: none")}}))},
       {"equal", flag("all of them agree")}});
}

Json cosim_campaign() {
  const Json states = names("of each kind", names("of each block", names("of each state", cycles("in the state"))));
  const Json on_off = object("a switch of the profile", {{"off", convolutions("on kernels without it")},
                                                         {"on", convolutions("on kernels with it")}});
  // Names of a design's choices stand between these.
  return names("random convolutions on random builds (weft cosim --campaign)",
               by_value("a choice of the design's kernels, by its values"),
               {{"seed", integer("1", "of the random numbers")},
                {"builds", integer("kernels", "kernels that were built")},
                {"convolutions", convolutions("compared")},
                {"differences", convolutions("in which RTL and model differ")},
                {"cycles", cycles("of the RTL, in all")},
                {"handshakes", handshakes()},
                {"kinds", by_value("by kind")},
                {"memories", by_value("by memory")},
                {"channels_used", by_value("by memory channels")},
                {"clocks", by_value("by kernel clock")},
                {"refusals", by_value("by share of the cycles in which the AXI side refuses")},
                {"above_4_gib", convolutions("with a tensor beyond 4 GiB")},
                {"with_longest_bursts", convolutions("with bursts of the longest kind")},
                {"longer_than_2_20_cycles", convolutions("longer than 2^20 cycles")},
                {"longest", cycles("of the longest convolution")},
                {"filled", by_value("by what of the kernel they fill to the last word")},
                {"refused_with", by_value("that the kernel must refuse, by STATUS")},
                {"switches", names("by switch of the profile", on_off)},
                {"states", states},
                {"each_build", list("all of them", names("a kernel, with its design's parameters",
                                                         parameter("a parameter of the kernel"), build_keys()))}});
}

Json cosim_mutants() {
  const Json mutant = object("a fault", {{"name", text("its name")},
                                         {"file", text("the file of the RTL that it is put into")},
                                         {"what", text("what it is")},
                                         {"convolutions", convolutions("until it was noticed, or that it survived")},
                                         {"difference", text("by what it was noticed; empty: it survived")}});
  return object(
      "faults put into the RTL (weft cosim --mutants)",
      {{"mutants", list("all of them", mutant)},
       {"noticed", integer("faults", "that were noticed")},
       {"controls", list("the RTL without a fault, on each small kernel", text("what differs; empty: nothing"))}});
}

Json synth() {
  const Json thesis =
      object("by the thesis' equations, where they know", {{"dsp", integer("DSPs", "DSP slices"), false},
                                                           {"bram18", integer("BRAM18s", "block RAMs of 18 Kb"), false},
                                                           {"uram", integer("URAMs", "UltraRAMs"), false}});
  return object(
      "what a kernel's RTL takes of an FPGA (weft synth KERNEL)",
      {{"kernel", text("name of the kernel")},
       {"blocks", list("block by block, the sum last", object("a block", {{"block", text("its name")},
                                                                          {"synthesised", use("by yosys")},
                                                                          {"model", use("by the fit to yosys")},
                                                                          {"thesis", thesis, false}}))},
       {"flattened", use("the kernel as one, with --whole"), false}});
}

Json synth_errors() {
  return list("how wrong the fit is (weft synth --errors)",
              names("a kernel, with what tells it from the others", parameter("a parameter of the kernel"),
                    {{"set", text("fit: it was fitted to it; test: it was kept out")},
                     {"synthesised", use("by yosys")},
                     {"model", use("by the fit to yosys")}}));
}

}  // namespace weft::tools::schema
