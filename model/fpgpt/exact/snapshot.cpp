#include "model/fpgpt/exact/snapshot.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/memory/ddr4_memory.h"
#include "model/memory/ideal.h"

namespace weft::fpgpt::exact {

namespace {

memory::Ddr4Memory& ddr4_of(memory::Memory& memory) {
  return static_cast<memory::Ddr4Memory&>(memory);
}
memory::IdealMemory& ideal(memory::Memory& memory) {
  return static_cast<memory::IdealMemory&>(memory);
}
memory::PortReturn& returned(const Setting& setting, memory::Memory& memory, Port port) {
  return setting.is_ddr4() ? ddr4_of(memory).returned(port_id(port)) : ideal(memory).returned(port_id(port));
}

}  // namespace

void keep_accounts(const Kernel& from, Kernel& to) {
  const auto keep = [](const auto& old_port, auto& new_port) {
    new_port.busy_cycles = old_port.busy_cycles;
    new_port.wait_cycles = old_port.wait_cycles;
  };
  keep(from.inp.port, to.inp.port);
  keep(from.kern.port, to.kern.port);
  keep(from.out.port, to.out.port);
  to.array.keep_account(from.array);
}

stream::BeatQueue without_last(const stream::BeatQueue& responses, std::int64_t count) {
  stream::BeatQueue known;
  std::int64_t keep = responses.size() - count;
  responses.for_each_run([&](Cycles first, std::int64_t run) {
    const std::int64_t kept = std::min(keep, run);
    if (kept > 0) known.push(first, kept);
    keep -= kept;
  });
  return known;
}

SimState take_snapshot(const Setting& setting, JointRun& joint_run, memory::Memory& memory, KernelStates& states,
                       engine::Channels& channels, const std::vector<std::int64_t>& rows) {
  SimState sim;
  Kernel& kernel = joint_run.kernel();
  sim.now = joint_run.now();
  sim.windows = kernel.inp.im2col.windows_emitted(*setting.plan);
  for (std::size_t i = 0; i < channels.size(); ++i) ddr4_of(memory).settle(channels.number(i), sim.now);
  deliver(kernel, memory, sim.now);
  sim.read[0].load(kernel.inp.port.data, returned(setting, memory, Port::Inp).last_read());
  sim.read[1].load(kernel.kern.port.data, returned(setting, memory, Port::Kern).last_read());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    sim.channels.push_back(channels[i].enter(ddr4_of(memory), sim.now, rows[i]));
  }
  const Anchor anchor = sim.anchor(setting.partition);
  sim.state = states.number(kernel, anchor);
  sim.readers = {states.number(0, {kernel.inp.reader, kernel.inp.port}, anchor),
                 states.number(1, {kernel.kern.reader, kernel.kern.port}, anchor)};
  return sim;
}

void restore(const Setting& setting, const SimState& sim, const KernelStates& states, const engine::Channels& channels,
             JointRun& joint_run, memory::Memory& memory) {
  const Anchor anchor = sim.anchor(setting.partition);
  Kernel kernel(setting.plan);
  std::string bytes = states.bytes(sim.state);
  Relative state(bytes, true);
  kernel.relative(state, anchor);
  const auto load = [&](std::size_t i, stream::DdrReader& reader, stream::ReadPort& port) {
    std::string reader_bytes = states.bytes(i, sim.readers[i]);
    Relative reader_state(reader_bytes, true);
    ReaderState loaded{reader, port};
    loaded.relative(reader_state, setting.loop(i), setting.first_range(i, anchor));
    reader = loaded.reader;
    port = loaded.port;
    sim.read[i].for_each([&](Cycles first, std::int64_t count) { port.data.push(first, count); });
  };
  load(0, kernel.inp.reader, kernel.inp.port);
  load(1, kernel.kern.reader, kernel.kern.port);
  kernel.out.port.responses = without_last(kernel.out.port.responses, static_cast<std::int64_t>(sim.assumed.size()));
  keep_accounts(joint_run.kernel(), kernel);
  for (std::size_t i = 0; i < channels.size(); ++i) channels[i].leave(sim.channels[i], ddr4_of(memory), sim.now);
  for (const Port port : {Port::Inp, Port::Kern, Port::Out}) {
    const Cycles last = port == Port::Out ? -1 : sim.read[static_cast<std::size_t>(port)].last();
    if (!setting.is_ddr4()) {
      ideal(memory).resume(port_id(port), sim.now, port == Port::Out ? kernel.out.writer.burst_left() : 0);
    }
    returned(setting, memory, port).follow(last, sim.last_answer);
  }
  joint_run.resume(std::move(kernel), sim.now);
}

}  // namespace weft::fpgpt::exact
