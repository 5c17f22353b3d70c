#include "platform/dse/result.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/config/reader.h"
#include "platform/design/design.h"

namespace weft {

static void fields(record::Visitor& io, Range& range) {
  io("from", "1", "first value", range.from);
  io("to", "1", "largest value", range.to);
  io("step", "1", "distance of two values", range.step);
}

}  // namespace weft

namespace weft::dse {

namespace {

constexpr int kSchema = 4;
constexpr std::size_t kKinds = 3;

constexpr const char* kHours = "hours of an epoch, convolutions only";
constexpr const char* kParameters = "parameters of the kernel";
constexpr const char* kName = "a convolution, as LAYER:KIND";

}  // namespace

static void fields(record::Visitor& io, Resources& r) {
  io("dsp", "DSPs", "DSP slices", r.dsp);
  io("bram18", "BRAM18s", "block RAMs of 18 Kb", r.bram18);
  io("uram", "URAMs", "UltraRAMs", r.uram);
  io("lut", "LUTs", "look-up tables", r.lut);
  io("ff", "FFs", "registers", r.ff);
  io("bram_bits", "bits", "bits of the buffers, by the equations", r.bram_bits);
}

static void fields(record::Visitor& io, Parts& p) {
  io.others("", "value of a part", p.values);
}

static void fields(record::Visitor& io, Space& s) {
  io.others("", "values of the key", s.ranges);
}

static void fields(record::Visitor& io, Optimum& o) {
  const auto equations = [&] {
    io("cycles", "cycles", "cycles of a launch, of all parts, by the equations", o.cycles);
    io("limiter", "the block that takes longest", o.limiter);
  };
  if (o.cycles_first) equations();
  io("kernel", kParameters, o.kernel);
  io("parts", "launches", "launches in place of each of `launches`, each with a part of KERN; missing for one",
     o.parts);
  io("resources", "resources that the kernel takes", o.resources);
  io("seconds", "s", "time of the launches of an iteration; for tiles, transfers over PCIe included", o.seconds);
  io("gops", "GOPS", "10^9 operations a second, two a MAC", o.gops);
  io("gops_per_watt", "GOPS/W", "`gops` over the watts of the card", o.gops_per_watt);
  io("seconds_each", "s", "time of a launch, transfers over PCIe included", o.seconds_each);
  if (!o.cycles_first) equations();
}

static void fields(record::Visitor& io, Smallest& s) {
  io("bram18", "BRAM18s", "block RAMs of 18 Kb", s.bram18);
  io("uram", "URAMs", "UltraRAMs", s.uram);
}

static void fields(record::Visitor& io, Convolution& c) {
  io("layer", "name of the layer", c.layer);
  io.choice("kind", "F, GI or GW", c.kind, kKinds);
  io("launches", "launches", "launches of an iteration: one per group, or one per image and group", c.launches);
  io("macs", "MACs", "multiply-accumulates of the layer, those with padding included, all groups", c.macs);
  io("arrays", "arrays", "arrays or tiles that were tried", c.arrays);
  io("within_dsp", "arrays", "arrays within the DSPs of the budget", c.within_dsp);
  io("fitting", "arrays", "arrays within the DSPs, with a kernel whose memories fit", c.fitting);
  io("optimal", "best kernel; missing if none fits", c.optimal);
  io("smallest", "if none fits: memory of the array within the DSPs that takes the fewest blocks", c.smallest);
  io("shape", "sizes of the layer: input, filters and kernel", c.shape);
}

static void fields(record::Visitor& io, Optimal& o) {
  io("cycles", "cycles", "cycles of an iteration", o.cycles);
  io("seconds", "s", "time of an iteration, transfers over PCIe included", o.seconds);
  io("convolutions_seconds", "s", "time of an iteration, convolutions only", o.seconds_per_iteration);
  io("convolutions_epoch_hours", "h", kHours, o.epoch_hours);
  io("convolutions", "convolutions", "convolutions of the network", o.convolutions);
  io("shapes", "shapes", "distinct shapes of convolutions", o.shapes);
  io("misfits", "convolutions", "convolutions without a kernel that fits; no figure includes them", o.misfits);
}

static void fields(record::Visitor& io, Group& g) {
  io("cycles", "cycles", "cycles of the convolutions on this kernel, in an iteration, by the equations", g.cycles);
  io("worst_penalty", "1", "largest increase of the cycles of a convolution over its optimal kernel", g.worst_penalty);
  io("kernel", kParameters, g.kernel);
  io.list("convolutions", "convolutions that run on this kernel", "", kName, g.convolutions);
}

static void fields(record::Visitor& io, Shared& s) {
  io("kernels", "kernels", "number of kernels", s.kernels);
  io("cycles", "cycles", "cycles of all convolutions of an iteration, by the equations", s.cycles);
  io("loss", "1", "increase of the time of an iteration over the optimal kernels", s.loss);
  io.list("groups", "kernels and the convolutions on them", "", "a kernel", s.groups);
}

static void fields(record::Visitor& io, Fewest& f) {
  fields(io, static_cast<Shared&>(f));
  io("at_least", "kernels", "proven lower bound of `kernels`; equal if these are the fewest", f.at_least);
}

static void fields(record::Visitor& io, Sharing& s) {
  io("penalty_percent", "%", "how much longer than on its optimal kernel each convolution may take", s.penalty_percent);
  io("heuristic", "kernels found by Algorithms 1 and 2 of the thesis", s.heuristic);
  io("minimum", "smallest possible number of kernels", s.minimum);
}

static void fields(record::Visitor& io, Tile& t) {
  io("kernel", kParameters, t.kernel);
  io("resources", "resources that the kernel takes", t.resources);
  io("seconds", "s", "time of the launches of an iteration, transfers over PCIe included", t.seconds);
  io("gops", "GOPS", "10^9 operations a second, two a MAC", t.gops);
  io("gops_per_watt", "GOPS/W", "`gops` over the watts of the card", t.gops_per_watt);
  io("published_gops_per_watt", "GOPS/W", "published for this tile", t.published_gops_per_watt);
}

static void fields(record::Visitor& io, Tiles& t) {
  io("optimal", "best tile", t.optimal);
  io("published", "published tile", t.published);
  io("better_than_published", "tiles", "tiles that are better than the published one", t.better_than_published);
}

static void fields(record::Visitor& io, LayerTiles& l) {
  io("layer", "name of the layer", l.layer);
  fields(io, static_cast<Tiles&>(l));
  io("cpu_gops_per_watt", "GOPS/W", "published for a CPU", l.cpu_gops_per_watt);
}

static void fields(record::Visitor& io, Mix& m) {
  io("optimal_gops_per_watt", "GOPS/W", "best tile of each layer, or the CPU: mean of the layers", m.optimal);
  io("published_tiles_gops_per_watt", "GOPS/W", "published tile of each layer, or the CPU: mean of the layers",
     m.published_tiles);
  io("cpu_gops_per_watt", "GOPS/W", "all layers on the CPU: mean of the published values", m.cpu);
  io.list("on_card", "layers whose published tile reaches more than the CPU", "", "name of a layer", m.on_card);
  io("published_gops_per_watt", "GOPS/W", "published for the mix", m.published);
  io("published_cpu_gops_per_watt", "GOPS/W", "published for the CPU alone", m.published_cpu);
}

static void fields(record::Visitor& io, NetworkTiles& n) {
  io("least_time", "tile with the least time of an iteration", n.least_time);
  io("highest_mean", "tile with the highest mean of GOPS/W of the layers", n.highest_mean);
  io("mix", "each layer on the card or on a CPU, if all have published tiles and CPU values", n.mix);
}

static void fields(record::Visitor& io, NetworkKernel& n) {
  io("kernel", kParameters, n.kernel);
  io("resources", "largest use of each resource by a convolution", n.resources);
  io("cycles", "cycles", "cycles of all convolutions of an iteration, by the equations", n.cycles);
  io("simulated_cycles", "cycles", "cycles by the simulation; missing if not simulated", n.simulated);
  io("seconds", "s", "time of an iteration, by the equations", n.seconds);
  io("gops", "GOPS", "10^9 operations a second, two a MAC", n.gops);
}

static void fields(record::Visitor& io, ReadingCycles& r) {
  io("cycles", "cycles", "cycles of an iteration", r.cycles);
  io("convolutions_epoch_hours", "h", kHours, r.epoch_hours);
  io("misfits", "convolutions", "convolutions that are left out because no kernel fits", r.misfits);
}

static void fields(record::Visitor& io, Alternatives& a) {
  io.others("", "figures with one alternative of the reading", a.values);
}

static void fields(record::Visitor& io, Readings& r) {
  io.others("", "a reading", r.values);
}

static void fields(record::Visitor& io, Published& p) {
  io("kernels", "kernels", "kernels with a penalty of zero", p.kernels);
  io("epoch_hours", "h", "hours of an epoch", p.epoch_hours);
  io("source", "source of the figures", p.source);
}

static void fields(record::Visitor& io, RankedKernel& r) {
  io("rank", "1", "rank by the equations at the exploration's batch; 1 is best", r.rank);
  io("simulated_rank", "1", "rank by the simulation; 1 is best", r.simulated_rank);
  io("equations_cycles", "cycles", "cycles by the equations, at the batch of the simulation", r.equations);
  io("simulated_cycles", "cycles", "cycles by the simulation", r.simulated);
  io("kernel", kParameters, r.kernel);
}

static void fields(record::Visitor& io, Reranked& r) {
  io("convolution", kName, r.convolution);
  io("loss_of_equations_choice", "1",
     "increase of the cycles from the best kernel of the simulation to that of the equations",
     r.loss_of_equations_choice);
  io.list("designs", "kernels by simulated rank", "", "a kernel", r.designs);
}

static void fields(record::Visitor& io, Rerank& r) {
  io("rung", "the rung that simulates: exact or systemc", r.rung);
  io("batch", "images", "batch of the simulation", r.batch);
  io.list("convolutions", "first convolution of each shape", "", "a shape", r.convolutions);
  io("count", "kernels", "kernels of each shape to simulate", r.count);
}

void fields(record::Visitor& io, Result& r) {
  io.head("dse", kSchema, r.weft_version);
  io("name", "name of the exploration", r.exploration);
  io("network", "name of the network", r.network);
  io("board", "name of the board", r.board);
  io("batch", "images", "images of an iteration", r.batch);
  io("clock_mhz", "MHz", "kernel clock; config.yaml has it exactly", r.clock_mhz);
  io("budget", "resources that a kernel may take", r.budget);
  io("minimize", "objective of tiles: overall (transfers over PCIe and kernel) or kernel", r.minimize);
  io("watts", "W", "power of the card, for GOPS/W", r.watts);
  io("tiles", "tiles", "tiles that were tried", r.tiles);
  io("split", "kernel.split_by, if not none", r.split);
  io("space", "keys of the kernel that are varied", r.space);
  io("combinations", "kernels", "kernels that were tried", r.combinations);
  io("possible", "kernels", "valid kernels that can compute the network", r.possible);
  io("fitting", "tiles", "tiles or kernels within the budget", r.fitting);
  io.named("readings", "how the doubtful equations are read (docs/reference/readings.md)", "", "the alternative",
           r.readings);
  io.list("do_not_know", "keys of a run that the equations do not depend on", "", "a key", r.do_not_know);
  io("optimal", "each convolution on its own best kernel", r.optimal);
  io.list("sharing", "shared kernels, by penalty", "", "kernels at one penalty", r.sharing);
  io("network_tile", "one tile for all convolutions", r.network_tile);
  io.list("network_kernels", "one kernel for all convolutions, the best first: those simulated, then the others", "",
          "a kernel", r.network_kernels);
  io.list("layers", "one tile for the convolutions of each layer", "", "a layer", r.layers);
  io("source", "source of the published tiles", r.source);
  io("epoch_hours_by_reading",
     "the optimal kernels by each reading of one of the equations (docs/reference/readings.md)",
     r.epoch_hours_by_reading);
  io("published", "published figures", r.published);
  io("rerank", "the best kernels by the equations, simulated", r.rerank);
  io.list("convolutions", "all convolutions", "", "a convolution", r.convolutions);
  io.list("searched", "parameters of a kernel that are searched", "", "a name; storage.inp is inp of storage",
          r.searched);
  io("space_text", "the space, in words", r.space_text);
  io("equations_text", "what the equations stand for, in words", r.equations_text);
  io("dataset_images", "images", "images of an epoch", r.dataset_images);
  io("whole_network", "no convolution of the network is left out", r.whole_network);
  io("compared_reading", "the reading of epoch_hours_by_reading, with its equations", r.compared_reading);
  config::inputs_field(io, r.inputs);
}

std::string csv_head(const Result& r) {
  std::string head =
      fmt::format("name,network,layer,kind,batch,launches,macs,{},fitting", r.tiles          ? "tiles"
                                                                            : r.combinations ? "combinations"
                                                                                             : "arrays,within_dsp");
  for (const std::string& name : r.searched) {
    const std::size_t dot = name.find('.');
    head += "," + (dot == std::string::npos ? name : name.substr(dot + 1) + "_" + name.substr(0, dot));
  }
  if (r.split) head += ",parts";
  head += r.budget.uram ? ",dsp,bram18,uram" : ",dsp,bram18";
  head += ",cycles,seconds,gops,limiter";
  for (const Sharing& sharing : r.sharing) {
    head += fmt::format(",kernel_at_{}", sharing.penalty_percent);
    if (sharing.minimum) head += fmt::format(",minimum_kernel_at_{}", sharing.penalty_percent);
  }
  return head + "\n";
}

std::vector<std::pair<std::string, std::int64_t>> Resources::counts() const {
  std::vector<std::pair<std::string, std::int64_t>> counts{{"dsp", dsp}, {"bram18", bram18}};
  const std::pair<const char*, const std::optional<std::int64_t>*> more[] = {
      {"uram", &uram}, {"lut", &lut}, {"ff", &ff}, {"bram_bits", &bram_bits}};
  for (const auto& [name, count] : more) {
    if (*count) counts.emplace_back(name, **count);
  }
  return counts;
}

Value value_in(const Kernel& kernel, const std::string& name) {
  const std::size_t dot = name.find('.');
  for (const auto& [key, parameter] : kernel) {
    if (key != name.substr(0, dot)) continue;
    if (const Value* const value = std::get_if<Value>(&parameter)) return *value;
    for (const auto& [part, text] : std::get<Parts>(parameter).values) {
      if (dot != std::string::npos && part == name.substr(dot + 1)) return text;
    }
  }
  throw Error(fmt::format("has a kernel without {}", name));
}

Values values_in(const Kernel& kernel, const std::vector<std::string>& names) {
  Values values;
  for (const std::string& name : names) values.emplace_back(name, value_in(kernel, name));
  return values;
}

Result settings_of(const std::string& exploration, const config::RunConfig& run, const design::EquationsNote& note,
                   const Budget& budget) {
  Result result;
  result.exploration = exploration;
  result.board = run.board.name;
  result.batch = run.batch;
  result.clock_mhz = mhz(run.kernel->clock);
  result.budget.dsp = budget.dsp;
  result.budget.bram18 = budget.bram18;
  result.budget.uram = budget.uram;
  for (const config::ReadingChoice& each : note.readings) result.readings.emplace_back(each.key, each.value);
  result.do_not_know = note.unknown;
  result.equations_text = design::equations_text(note);
  result.dataset_images = run.dataset_images;
  result.whole_network = run.only.everything() && run.kinds == config::all_kinds();
  return result;
}

Optimal optimal_of(const Result& result, const config::RunConfig& run, Cycles cycles, std::size_t shapes) {
  Optimal optimal;
  optimal.cycles = cycles;
  optimal.seconds_per_iteration = seconds(cycles, run.kernel->clock);
  optimal.epoch_hours = optimal.seconds_per_iteration / 3600 * static_cast<double>(run.iterations_per_epoch());
  optimal.convolutions = static_cast<std::int64_t>(result.convolutions.size());
  optimal.shapes = static_cast<std::int64_t>(shapes);
  optimal.misfits = std::count_if(result.convolutions.begin(), result.convolutions.end(),
                                  [](const Convolution& c) { return !c.optimal; });
  return optimal;
}

}  // namespace weft::dse
