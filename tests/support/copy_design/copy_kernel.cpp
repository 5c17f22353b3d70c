#include "tests/support/copy_design/copy_kernel.h"

#include "model/stream/ports.h"
#include "model/stream/stepping.h"
#include "model/systemc/virtual_platform.h"

namespace weft::copy_design {

namespace {

using BlockActivities = std::array<Activities, 2>;

design::UnitResult result_of(const CopyKernel& kernel, const BlockActivities& blocks, Cycles cycles,
                             memory::Memory& memory) {
  memory.finish();
  design::UnitResult result;
  result.cycles = cycles;
  result.blocks.assign(blocks.begin(), blocks.end());
  result.ports = {stream::port_stats(memory, kIn, kernel.in), stream::port_stats(memory, kOut, kernel.out)};
  return result;
}

}  // namespace

const Topology& topology() {
  static const Topology table{
      {{"reader", "asks for the beats of the tensor"}, {"writer", "writes them"}},
      {{"beat", "reader", "writer", 4, "one beat"}},
      {{"in", "reader", PortDirection::Read, "the tensor"}, {"out", "writer", PortDirection::Write, "its copy"}}};
  return table;
}

CopyKernel::CopyKernel(const CopyPlan& copy_plan)
    : plan(copy_plan),
      reader(plan.source, plan.in_port, plan.beat_bytes),
      writer(plan.target, plan.out_port, plan.beat_bytes),
      fifos{{Fifo(plan.depth, plan.source.band, plan.with_data)}} {
  in.data = stream::BeatQueue(stream::Lanes::of_words(plan.with_data ? plan.source.band : 0));
}

Cycles CopyKernel::quiet_until(Cycles now) const {
  return std::min(reader.quiet_until(now, plan.source, in, fifos[FifoId::Beat]), writer.quiet_until(now, out));
}

std::string describe_deadlock(const CopyKernel&, Cycles) {
  return "the copy cannot make progress";
}

design::UnitResult run_stepped(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                               const std::vector<int>& channel_of_port) {
  const auto store = [&](memory::PortId port) {
    const auto channel = static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)]);
    return plan.with_data ? &(*channels)[channel] : nullptr;
  };
  CopyKernel kernel(plan);
  BlockActivities blocks{};
  const stream::Stepped stepped = stream::step_until_done(
      kernel, memory, {true, {}}, store,
      [&](Cycles cycles) {
        for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i].add(kernel.last()[i], cycles);
      },
      [&](Cycles now) { return describe_deadlock(kernel, now); });
  return result_of(kernel, blocks, stepped.cycles, memory);
}

namespace {

class CopyPlatform : public systemc::VirtualPlatform<CopyKernel> {
 public:
  explicit CopyPlatform(const sc_core::sc_module_name& name) : VirtualPlatform(name, topology()) {
    host<&CopyKernel::step_reader, Block::Reader>("reader");
    host<&CopyKernel::step_writer, Block::Writer>("writer");
  }

  design::UnitResult run(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                         const std::vector<int>& channel_of_port) {
    simulate(CopyKernel(plan), plan.clock, memory, channel_of_port, plan.with_data ? channels : nullptr, nullptr);
    design::UnitResult result = result_of(kernel(), activities(), cycles(), memory);
    result.skipped_cycles = skipped();
    return result;
  }
};

}  // namespace

design::UnitResult run_systemc(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                               const std::vector<int>& channel_of_port) {
  return systemc::only_platform<CopyPlatform>("copy").run(plan, memory, channels, channel_of_port);
}

}  // namespace weft::copy_design
