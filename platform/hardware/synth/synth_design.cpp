#include "platform/hardware/synth/synth_design.h"

#include <fmt/core.h>

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
  io.list("changes", "changes of the kernel by --set", "", "KEY=VALUE", result.changes);
  io("board", "name of the board", result.board);
  io("available", "resources that the board leaves to kernels; 0: none, or not stated", result.available);
  io.list("blocks", "each block, then the sum", "", "a block", result.blocks);
  io("flattened", "resources of the flattened kernel, with --whole", result.flattened);
}

void fields(record::Visitor& io, LineRow& row) {
  std::string block = row.line.block;
  io("block", "name", block);
  for (const Resource& of : kResources) {
    Value use = row.line.synthesised.*of.use, model, thesis;
    if (row.has_model) model = row.line.model.*of.use;
    if (const auto known = row.line.by_thesis(of)) thesis = *known;
    io(of.name, "by yosys", use);
    io(of.model, "by the fit to yosys", model);
    if (of.thesis) io(of.thesis, "by the thesis' equations", thesis);
  }
}

void fields(record::Visitor& io, CheckedRow& row) {
  std::string set = row.kernel.set();
  io("set", "fit or test", set);
  io.others("", "a parameter of the kernel", row.kernel.fields);
  for (const Resource& of : kResources) {
    if (of.use == &LogicUse::uram) continue;
    io(of.name, "by yosys", row.kernel.measured.*of.use);
    io(of.model, "by the fit to yosys", row.kernel.model.*of.use);
  }
}

void fields(record::Visitor& io, CheckedKernel& kernel) {
  std::string set = kernel.set();
  io("set", "fit: used for the fit; test: kept out of the fit", set);
  io.others("", "a parameter of the kernel", kernel.fields);
  io("synthesised", "resources by yosys", kernel.measured);
  io("model", "resources by the fit to yosys", kernel.model);
}

std::string notes(const PreparedKernel& kernel) {
  return fmt::format(
      "\nsynth        yosys on the RTL: {}\n"
      "model        fit to earlier results of yosys (readings.resources=synthesis); errors: weft synth --errors\n"
      "thesis       {}\n"
      "clock        no estimate: it depends on placement and routing, which yosys does not do; weft rtl exports the "
      "kernel for Vivado\n",
      kernel.rtl_note(), kernel.thesis_note());
}

}  // namespace weft::synth
