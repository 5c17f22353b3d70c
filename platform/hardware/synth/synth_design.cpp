#include "platform/hardware/synth/synth_design.h"

namespace weft {

void fields(record::Visitor& io, LogicUse& use) {
  io("dsp", "DSPs", "DSP slices", use.dsp);
  io("lut", "LUTs", "look-up tables", use.lut);
  io("ff", "FFs", "registers", use.ff);
  io("bram18", "BRAM18s", "block RAMs of 18 Kb", use.bram18);
  io("uram", "URAMs", "UltraRAMs", use.uram);
}

}  // namespace weft

namespace weft::synth {

static void fields(record::Visitor& io, Thesis& thesis) {
  io("dsp", "DSPs", "DSP slices", thesis.dsp);
  io("bram18", "BRAM18s", "block RAMs of 18 Kb", thesis.bram18);
  io("uram", "URAMs", "UltraRAMs", thesis.uram);
}

static void fields(record::Visitor& io, Line& line) {
  io("block", "name of the block", line.block);
  io("synthesised", "resources by yosys", line.synthesised);
  io("model", "resources by the fit to yosys", line.model);
  io("thesis", "resources by the thesis' equations, where they give a value", line.thesis);
}

void fields(record::Visitor& io, SynthResult& result) {
  io("kernel", "name of the kernel", result.kernel);
  io.list("blocks", "each block, then the sum", "", "a block", result.blocks);
  io("flattened", "resources of the flattened kernel, with --whole", result.flattened);
}

void fields(record::Visitor& io, CheckedKernel& kernel) {
  std::string set = kernel.set();
  io("set", "fit: used for the fit; test: kept out of the fit", set);
  io.others("", "a parameter of the kernel", kernel.fields);
  io("synthesised", "resources by yosys", kernel.measured);
  io("model", "resources by the fit to yosys", kernel.model);
}

}  // namespace weft::synth
