#include "model/fpgpt/exact/joint_state.h"

#include <algorithm>
#include <utility>

#include "model/fpgpt/exact/clocked.h"
#include "model/fpgpt/exact/snapshot.h"

namespace weft::fpgpt::exact {

namespace {

// A port takes at most one beat per cycle. So a beat counts as visible no earlier than the earlier ones can have been
// taken: states that differ only in earlier beats are equal.
void relative(Relative& state, stream::BeatQueue& data, Cycles now) {
  stream::BeatQueue there;
  if (!state.loading()) {
    Cycles next = now;
    data.for_each_run([&](Cycles first, std::int64_t count) {
      first = std::max(first, next);
      there.push(first, count);
      next = first + count;
    });
  }
  std::int64_t runs = 0;
  there.for_each_run([&runs](Cycles, std::int64_t) { ++runs; });
  state.value(runs);
  const auto run = [&](Cycles first, std::int64_t count) {
    state.from(first, now);
    state.value(count);
    if (state.loading()) there.push(first, count);
  };
  if (!state.loading()) {
    there.for_each_run(run);
    return;
  }
  for (; runs > 0; --runs) run(0, 0);
  data = std::move(there);
}

void relative(JointParts& parts, bool loading, const Setting& setting, const engine::Channels& channels,
              const JointChannels& which, const JointState& joint, Kernel& kernel, memory::Ddr4Memory& memory) {
  const Anchor anchor = setting.partition.anchor(joint.now, joint.windows);
  Relative of_kernel(parts[0], loading), under_way(parts[1], loading);
  kernel.relative(of_kernel, anchor);
  const auto reader = [&](std::size_t i, stream::DdrReader& of, stream::ReadPort& port) {
    of.relative(of_kernel, setting.loop(i), setting.first_range(i, anchor));
    port.relative(of_kernel);
    relative(under_way, port.data, joint.now);
  };
  reader(0, kernel.inp.reader, kernel.inp.port);
  reader(1, kernel.kern.reader, kernel.kern.port);
  for (const std::size_t i : which.joint) {
    Relative of_channel(parts[2 + i], loading);
    memory.relative(of_channel, channels.number(i), joint.now, static_cast<int>(joint.channels[i].row));
  }
  // Later returns are ordered after the last ones.
  for (const Port port : {Port::Inp, Port::Kern, Port::Out}) {
    if (port == Port::Out && which.out_decoupled) continue;
    memory::PortReturn& returned = memory.returned(port_id(port));
    Cycles last_read = returned.last_read(), last_response = returned.last_response();
    under_way.timer(last_read, joint.now - 1);
    under_way.timer(last_response, joint.now - 1);
    if (loading) returned.follow(last_read, last_response);
  }
}

}  // namespace

JointChannels::JointChannels(const Setting& setting, const engine::Channels& channels) {
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::vector<std::size_t>& ports = channels.ports(i);
    // KERN of F and GI is loaded and not read.
    const bool read = std::any_of(ports.begin(), ports.end(), [&setting](std::size_t port) {
      return port == static_cast<std::size_t>(Port::Inp) ||
             (port == static_cast<std::size_t>(Port::Kern) && setting.plan->gw());
    });
    (read ? joint : decoupled).push_back(i);
    const bool out = std::find(ports.begin(), ports.end(), static_cast<std::size_t>(Port::Out)) != ports.end();
    if (out && !read) out_decoupled = true;
  }
}

void save(JointParts& parts, const Setting& setting, const engine::Channels& channels, const JointChannels& which,
          const JointState& joint, JointRun& joint_run, memory::Ddr4Memory& memory) {
  for (const std::size_t i : which.joint) memory.settle(channels.number(i), joint.now);
  deliver(joint_run.kernel(), memory, joint.now);
  for (std::string& part : parts) part.clear();
  relative(parts, false, setting, channels, which, joint, joint_run.kernel(), memory);
}

void load(JointParts& parts, const Setting& setting, const engine::Channels& channels, const JointChannels& which,
          const JointState& joint, JointRun& joint_run, memory::Ddr4Memory& memory) {
  Kernel kernel(setting.plan);
  relative(parts, true, setting, channels, which, joint, kernel, memory);
  for (const std::size_t i : which.joint) {
    memory.controller(channels.number(i)).set_refresh_due(joint.channels[i].refresh_due);
    joint_run.note_address(channels.number(i), joint.channels[i].row << memory::kRowBit);
  }
  keep_accounts(joint_run.kernel(), kernel);
  joint_run.resume(std::move(kernel), joint.now);
}

}  // namespace weft::fpgpt::exact
