#include "tests/support/copy_design/copy_kernel.h"

#include "model/stream/ports.h"
#include "model/stream/stepping.h"
#include "model/systemc/virtual_platform.h"

namespace weft::copy_design {

design::UnitResult collect(CopyKernel& kernel, const ActivitiesOf<CopyKernel>& blocks, Cycles cycles,
                           memory::Memory& memory) {
  memory.finish();
  design::UnitResult result;
  result.cycles = cycles;
  result.blocks.assign(blocks.begin(), blocks.end());
  result.ports = {stream::port_stats(memory, kIn, kernel.in), stream::port_stats(memory, kOut, kernel.out)};
  return result;
}

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

design::UnitResult run_stepped(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                               const std::vector<int>& channel_of_port) {
  struct Stores {
    std::vector<memory::Store>& channels;
    const std::vector<int>& channel_of_port;
    memory::Store& of(memory::PortId port) {
      return channels[static_cast<std::size_t>(channel_of_port[static_cast<std::size_t>(port)])];
    }
  } stores{*channels, channel_of_port};
  CopyKernel kernel(plan);
  return stream::run_stepped(kernel, topology(), memory, plan.with_data ? &stores : nullptr, {true});
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
    return result(memory);
  }
};

}  // namespace

design::UnitResult run_systemc(const CopyPlan& plan, memory::Memory& memory, std::vector<memory::Store>* channels,
                               const std::vector<int>& channel_of_port) {
  return systemc::only_platform<CopyPlatform>("copy").run(plan, memory, channels, channel_of_port);
}

}  // namespace weft::copy_design
