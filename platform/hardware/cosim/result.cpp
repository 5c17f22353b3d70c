#include "platform/hardware/cosim/result.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/record/activities.h"

namespace weft::stream {

static void fields(record::Visitor& io, PortConfig& port) {
  io("max_burst_beats", "beats", "beats of the longest burst of the port", port.max_burst_beats);
  io("outstanding", "bursts", "most bursts in flight at a time", port.outstanding);
}

}  // namespace weft::stream

namespace weft::cosim {

namespace {

constexpr const char* kConvolutions = "convolutions";
constexpr const char* kHandshakes = "compared handshakes of FIFOs and AXI channels";

// Returns the value of this name, appended if it is new.
template <class T>
T& named(record::Named<T>& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.first == name; });
  return found != values.end() ? found->second : values.emplace_back(name, T{}).second;
}

// Visits all fields except the numbers of the case.
void fields_of_case(record::Visitor& io, CaseRecord& one) {
  CaseFigures& f = one.figures;
  double clock_mhz = mhz(f.clock);
  io("kind", "F, GI, GW or GEMM", one.kind);
  io.others("1", "a size of the convolution", one.sizes);
  io("memory", "ddr4 or ideal", one.memory);
  io("channels_used", "channels", "memory channels used", f.channels_used);
  io("clock_mhz", "MHz", "kernel clock", clock_mhz);
  io("refuse_percent", "%", "share of the cycles in which the AXI side refuses", f.refuse_percent);
  io("above_4_gib", "a tensor lies beyond 4 GiB", f.high);
  io("longest_burst", "beats", "beats of the longest burst", f.longest_burst);
  io("refused_with", "1", "STATUS with which the kernel must refuse the convolution; 0: it must run", f.refused_with);
  io("cycles", "cycles", "cycles of the RTL", f.cycles);
  io("handshakes", "handshakes", kHandshakes, f.handshakes);
  io("equal", "RTL and model agree in every cycle", f.equal);
}

}  // namespace

static void fields(record::Visitor& io, Difference& d) {
  io("cycle", "1", "cycle of the convolution, from 0", d.cycle);
  io("block", "block that drives the signal", d.block);
  io("instance", "instance of the block in the kernel's top", d.in.instance);
  io("file", "file of its module", d.in.file);
  io("fifo", "FIFO of the signal; empty: the signal is of the block's AXI port", d.fifo);
  io("signal", "push, pop, AR, R, AW, W, WLAST, WSTRB or B; empty: the difference is none of a signal", d.signal);
  io("token", "1", "transfers of the signal before this one", d.token);
  io("lane", "1", "lane of the word, from 0", d.lane);
  io.named("place", "place of the token in the loops of the contract", "1", "index of the loop, from 0", d.place);
  io("model", "value of the model: yes or no, a burst, or a word in hexadecimal", d.model);
  io("rtl", "value of the RTL", d.rtl);
  io("model_value", "1", "the word of the model as a number", d.model_value);
  io("rtl_value", "1", "the word of the RTL as a number", d.rtl_value);
  io("ulps", "1", "distance of both numbers in units of the last place", d.ulps);
  io.list("before", "the last transfers of the FIFO or port before, up to three", "", "a transfer", d.before);
}

void fields(record::Visitor& io, UnitLine& unit) {
  Verdict& v = unit.verdict;
  bool equal = v.equal();
  io("layer", "layer, with its group", unit.layer);
  io("kind", "F, GI or GW", unit.kind);
  io("cycles", "cycles", "cycles of the RTL", v.cycles);
  io("handshakes", "handshakes", kHandshakes, v.handshakes);
  io("equal", "RTL and model agree in every cycle", equal);
}

void fields(record::Visitor& io, UnitResult& unit) {
  Verdict& v = unit.verdict;
  fields(io, static_cast<UnitLine&>(unit));
  io("difference", "first difference; empty: none", v.difference);
  std::optional<Difference> first = v.equal() ? std::nullopt : std::optional<Difference>(v.first);
  io("first_difference", "the first difference in parts", first);
  if (first) v.first = std::move(*first);
}

bool RunComparisonResult::equal() const {
  return std::all_of(units.begin(), units.end(), [](const UnitResult& unit) { return unit.verdict.equal(); });
}

void fields(record::Visitor& io, RunComparisonResult& result) {
  bool equal = result.equal();
  io.list("convolutions", "result of each launch", "", "a launch", result.units);
  io("equal", "RTL and model agree in all launches", equal);
}

static void fields(record::Visitor& io, MutantResult& mutant) {
  io("name", "name of the fault", mutant.mutant.name);
  io("file", "file of the RTL that has the fault", mutant.mutant.file);
  io("what", "description of the fault", mutant.mutant.what);
  io("convolutions", kConvolutions, "convolutions run until the fault was noticed; all if it survived", mutant.cases);
  io("difference", "difference by which the fault was noticed; empty: it survived", mutant.difference);
}

void fields(record::Visitor& io, MutationResult& result) {
  std::int64_t noticed = result.noticed();
  io.list("mutants", "all faults", "", "a fault", result.mutants);
  io("noticed", "faults", "faults that were noticed", noticed);
  io.list("controls", "the RTL without a fault, on each small kernel", "", "difference; empty: none", result.controls);
}

std::int64_t& Counts::operator[](const std::string& value) {
  const auto less = [](const auto& each, const std::string& name) { return each.first < name; };
  const auto found = std::lower_bound(of.begin(), of.end(), value, less);
  return (found != of.end() && found->first == value ? found : of.insert(found, {value, 0}))->second;
}

std::string Counts::text() const {
  std::string text;
  for (const auto& [value, count] : of) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value, count);
  return text;
}

static void fields(record::Visitor& io, Counts& counts) {
  io.others(kConvolutions, "convolutions with this value", counts.of);
}

static void fields(record::Visitor& io, CaseRecord& one) {
  io("case", "1", "its number in the campaign, from 0", one.number);
  fields_of_case(io, one);
}

void fields(record::Visitor& io, CaseLine& line) {
  io("seed", "1", "of the random numbers", line.seed);
  io("case", "1", "its number in the campaign, from 0", line.one.number);
  io("build", "1", "number of the kernel, from 0", line.build);
  fields_of_case(io, line.one);
}

static void fields(record::Visitor& io, BuildRecord& build) {
  KernelText& kernel = build.kernel;
  io("build", "1", "number of the kernel, from 0", build.build);
  io.others("", "a parameter of the kernel", kernel.parameters);
  io.others("", "a switch of the kernel's profile", kernel.switches);
  io.list("fifo_depths", "depths of the FIFOs with a free depth", "tokens", "depth of a FIFO", kernel.fifo_depths);
  io.list("ports", "ports of the kernel: readers, then the writer", "", "a port", kernel.ports);
  io("first_difference", "first difference of RTL and model; empty: none", build.first_difference);
  io.list("cases", "convolutions that ran on the kernel", "", "a convolution", build.cases);
}

static void fields(record::Visitor& io, CampaignRecord::Switch& of) {
  io("off", kConvolutions, "convolutions on kernels without the switch", of.off);
  io("on", kConvolutions, "convolutions on kernels with the switch", of.on);
}

static void fields(record::Visitor& io, CampaignRecord::Blocks& of) {
  io.others("", "cycles of the block in each state", of.blocks);
}

void fields(record::Visitor& io, CampaignRecord& c) {
  std::size_t builds = c.builds.size();
  io("seed", "1", "of the random numbers", c.seed);
  io("builds", "kernels", "kernels that were built", builds);
  io("convolutions", kConvolutions, "convolutions compared", c.cases);
  io("differences", kConvolutions, "convolutions in which RTL and model differ", c.differences);
  io("cycles", "cycles", "cycles of the RTL in total", c.cycles);
  io("handshakes", "handshakes", kHandshakes, c.handshakes);
  io("kinds", "convolutions by kind", c.kinds);
  io.others("", "convolutions by value of a choice of the design's kernels", c.choices);
  io("memories", "convolutions by memory", c.memories);
  io("channels_used", "convolutions by number of memory channels", c.channels_used);
  io("clocks", "convolutions by kernel clock", c.clocks);
  io("refusals", "convolutions by share of the cycles in which the AXI side refuses", c.refusals);
  io("above_4_gib", kConvolutions, "convolutions with a tensor beyond 4 GiB", c.high);
  io("with_longest_bursts", kConvolutions, "convolutions with bursts of the longest kind", c.long_bursts);
  io("longer_than_2_20_cycles", kConvolutions, "convolutions longer than 2^20 cycles", c.long_cases);
  io("longest", "cycles", "cycles of the longest convolution", c.longest);
  io("filled", "convolutions by the memory of the kernel that they fill to the last word", c.filled);
  io("refused_with", "convolutions that the kernel must refuse, by STATUS", c.refused_with);
  io.named("switches", "convolutions by switch of the profile", "", "a switch of the profile", c.switches);
  io.named("states", "cycles in each state, by kind", "", "cycles of each block", c.states);
  io.list("each_build", "all kernels", "", "a kernel, with its design's parameters", c.builds);
}

std::vector<CaseLine> CampaignRecord::lines() const {
  std::vector<CaseLine> lines;
  for (const BuildRecord& build : builds) {
    for (const CaseRecord& one : build.cases) lines.push_back({seed, build.build, one});
  }
  return lines;
}

// Adds a case to the totals; `number`: its index on its build.
static void add(CampaignRecord& c, const KernelText& kernel, std::size_t number, const CaseRecord& one) {
  const CaseFigures& f = one.figures;
  ++c.cases;
  c.high += f.high;
  c.long_cases += f.cycles > kLongCase;
  c.longest = std::max(c.longest, f.cycles);
  c.long_bursts += f.longest_burst == kLongestBurst;
  if (number < kernel.filled.size()) ++c.filled[kernel.filled[number]];
  if (f.refused_with != 0) ++c.refused_with[std::to_string(f.refused_with)];
  c.cycles += f.cycles;
  c.handshakes += f.handshakes;
  c.differences += !f.equal;
  ++c.kinds[one.kind];
  ++c.memories[one.memory];
  ++c.refusals[fmt::format("{}%", f.refuse_percent)];
  ++c.clocks[fmt::format("{:.4g} MHz", mhz(f.clock))];
  ++c.channels_used[std::to_string(f.channels_used)];
  for (const auto& [name, value] : kernel.choices) ++named(c.choices, name)[value];
  for (const auto& [name, on] : kernel.switches) ++(on ? named(c.switches, name).on : named(c.switches, name).off);
}

CampaignRecord record_of(const RtlDesign& rtl_design, const CampaignResult& result) {
  const std::vector<const char*> kinds = rtl_design.kinds(), sizes = rtl_design.sizes();
  const std::vector<BlockInfo>& blocks = rtl_design.topology().blocks;
  CampaignRecord record;
  record.seed = result.options.seed;
  for (const char* kind : kinds) {
    record::Named<Activities>& of = named(record.states, kind).blocks;
    for (const BlockInfo& block : blocks) of.emplace_back(block.name, Activities());
  }
  for (const BuildResult& build : result.builds) {
    BuildRecord& to = record.builds.emplace_back();
    to.build = build.build;
    to.kernel = build.kernel;
    to.first_difference = build.first_difference;
    for (const CaseResult& one : build.cases) {
      const auto position = static_cast<std::int64_t>(to.cases.size());
      CaseRecord& as = to.cases.emplace_back();
      as.number = result.options.only.value_or(build.build + position * result.options.builds);
      as.figures = one;
      as.kind = kinds[one.kind];
      as.memory = one.memory == memory::MemoryKind::ddr4 ? "ddr4" : "ideal";
      for (std::size_t i = 0; i < sizes.size(); ++i) as.sizes.emplace_back(sizes[i], one.sizes.at(i));
      add(record, build.kernel, static_cast<std::size_t>(as.number / result.options.builds), as);
      for (std::size_t i = 0; i < one.activities.size(); ++i) {
        record.states[one.kind].second.blocks[i].second += one.activities[i];
      }
    }
  }
  return record;
}

}  // namespace weft::cosim
