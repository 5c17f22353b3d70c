#include "platform/hardware/waves/wave_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "model/core/activity.h"
#include "model/memory/ddr4_device.h"

namespace weft::waves {

using memory::Command;

namespace {

constexpr const char* kTop = "kernel";

constexpr int kCycleBits = 32;

int bits_for(int most) {
  int bits = 1;
  while (most >> bits != 0) ++bits;
  return bits;
}

bool of_all_banks(Command command) {
  return command == Command::precharge_all || command == Command::refresh;
}

// Values of a bank's signal: none, each command, the pairs of accesses to an open row, other combinations of commands;
// then all of them again, so that a repetition is a change too. FST readers accept 512 characters for all names and
// numbers of an enumeration.
struct Pair {
  Command first, second;
};
constexpr std::array kPairs{Pair{Command::read, Command::read}, Pair{Command::read, Command::read_ap},
                            Pair{Command::write, Command::write}, Pair{Command::write, Command::write_ap}};
constexpr std::uint32_t kFirstPair = 1 + memory::kCommands, kMore = kFirstPair + kPairs.size(), kBankValues = kMore + 1;

std::uint32_t value_of(Command command) {
  return 1 + static_cast<std::uint32_t>(index_of(command));
}
// Returns the value of a cycle after one more command; `value`: before it.
std::uint32_t with(std::uint32_t value, Command command) {
  if (value == 0) return value_of(command);
  std::uint32_t pair = 0;
  while (pair < kPairs.size() && (value_of(kPairs[pair].first) != value || kPairs[pair].second != command)) ++pair;
  return kFirstPair + pair;
}

std::vector<std::string> bank_values() {
  std::vector<std::string> names{"none"};
  for (int i = 0; i < memory::kCommands; ++i) names.emplace_back(name_of(static_cast<Command>(i)));
  for (const Pair& pair : kPairs) names.push_back(fmt::format("{}+{}", name_of(pair.first), name_of(pair.second)));
  names.emplace_back("more");
  const std::vector<std::string> once = names;
  names.insert(names.end(), once.begin(), once.end());
  return names;
}

}  // namespace

void WaveFile::begin(const stream::Observed& what, memory::Memory& memory) {
  if (blocks_.empty()) define(what);
  memory_ = &memory;
  memory_->record_commands();
  last_ = -1;
  commands_.clear();
  show_no_commands();
  moment(cycle_ps(0));
  writer_.change(convolution_, what.name);
  count_to(0);
}

void WaveFile::define(const stream::Observed& what) {
  const memory::MemoryConfig& memory = *what.memory;
  constexpr std::int64_t kPsOfUs = 1'000'000;
  const Rational period = kPsOfUs / memory.kernel_clock, nck = kPsOfUs / (memory.ddr4.data_rate_mtps / 2);
  unit_ = std::lcm(period.denominator(), nck.denominator());
  step_ = floor(period * unit_);
  nck_ = floor(nck * unit_);

  writer_.open_scope(kTop);
  convolution_ = writer_.add_text("convolution");
  groups_.push_back({"", {{Format::Hex, fmt::format("{}.convolution", kTop)}}});
  // A signal for each bit, because FST compresses periodic changes: 8 KB for 3.8 million cycles, a counter 8 MB.
  std::string vector = fmt::format("#{{{}.cycle[{}:0]}}", kTop, kCycleBits - 1);
  for (int bit = kCycleBits; bit-- > 0;) {
    cycle_bits_.push_back(writer_.add_bits(fmt::format("cycle[{}]", bit), 1));
    vector += fmt::format(" {}.cycle[{}]", kTop, bit);
  }
  groups_.back().signals.push_back({Format::Decimal, vector});

  const FstWriter::Enumeration states =
      writer_.add_enumeration("activity", {kActivityNames.begin(), kActivityNames.end()});
  writer_.open_scope("block");
  groups_.push_back({"blocks", {}});
  for (const BlockInfo& block : topology_.blocks) {
    blocks_.push_back(writer_.add_enumerated(block.name, states));
    groups_.back().signals.push_back({Format::ByName, fmt::format("{}.block.{}[1:0]", kTop, block.name)});
  }
  writer_.close_scope();

  writer_.open_scope("fifo");
  groups_.push_back({"FIFOs", {}});
  for (std::size_t i = 0; i < topology_.fifos.size(); ++i) {
    const int bits = bits_for(what.fifo_depths[i]);
    fifos_.push_back(writer_.add_bits(topology_.fifos[i].name, bits));
    const std::string range = bits > 1 ? fmt::format("[{}:0]", bits - 1) : "";
    groups_.back().signals.push_back(
        {Format::Decimal, fmt::format("{}.fifo.{}{}", kTop, topology_.fifos[i].name, range)});
  }
  writer_.close_scope();

  writer_.open_scope("port");
  groups_.push_back({"AXI ports", {}});
  for (const PortInfo& port : topology_.ports) {
    PortSignals signals;
    signals.write = port.direction == PortDirection::Write;
    writer_.open_scope(port.name);
    const auto add = [&](const char* name) {
      groups_.back().signals.push_back({Format::Bits, fmt::format("{}.port.{}.{}", kTop, port.name, name)});
      return writer_.add_bits(name, 1);
    };
    signals.address = add(signals.write ? "AW" : "AR");
    signals.beat = add(signals.write ? "W" : "R");
    if (signals.write) signals.response = add("B");
    writer_.close_scope();
    ports_.push_back(signals);
  }
  writer_.close_scope();

  if (memory.kind == memory::MemoryKind::ddr4) define_ddr4(memory);
  writer_.close_scope();
}

void WaveFile::define_ddr4(const memory::MemoryConfig& memory) {
  const std::vector<std::string> values = bank_values();
  const FstWriter::Enumeration commands = writer_.add_enumeration("ddr4_commands", values);
  for (const int number : std::set<int>(memory.port_channel.begin(), memory.port_channel.end())) {
    Channel channel{number, {}};
    const std::string scope = fmt::format("ddr4_{}", number);
    writer_.open_scope(scope);
    groups_.push_back({fmt::format("DDR4 channel {}", number), {}});
    const auto add = [&](const std::string& name) {
      channel.banks.push_back({writer_.add_enumerated(name, commands), 0, false});
      const int bits = bits_for(static_cast<int>(values.size()) - 1);
      groups_.back().signals.push_back({Format::ByName, fmt::format("{}.{}.{}[{}:0]", kTop, scope, name, bits - 1)});
    };
    for (int bank = 0; bank < memory::kBanks; ++bank) add(fmt::format("bank{:02}", bank));
    add("all_banks");
    writer_.close_scope();
    channels_.push_back(std::move(channel));
  }
}

std::int64_t WaveFile::cycle_ps(Cycles cycle) const {
  return (start_ + cycle * step_) / unit_;
}
// Goes to the start of a cycle of the launch; writes the numbers of all cycles up to it.
void WaveFile::count_to(Cycles cycle) {
  for (Cycles next = std::min(cycle_ + 1, cycle); next <= cycle; ++next) {
    moment(cycle_ps(next));
    auto changed = static_cast<std::uint32_t>(cycle_ < 0 ? -1 : cycle_ ^ next);
    for (; changed != 0; changed &= changed - 1) {
      const int bit = __builtin_ctz(changed);
      writer_.change(cycle_bits_[static_cast<std::size_t>(kCycleBits - 1 - bit)],
                     static_cast<unsigned>(next >> bit & 1));
    }
    cycle_ = next;
  }
}
void WaveFile::moment(std::int64_t time_ps) {
  if (time_ps == time_ps_) return;
  writer_.at(time_ps);
  time_ps_ = time_ps;
}

void WaveFile::take_commands() {
  const std::size_t before = commands_.size();
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    memory_->take_commands(channels_[channel].number, taken_);
    for (const memory::IssuedCommand& issued : taken_) {
      const int bank = of_all_banks(issued.command) ? memory::kBanks : issued.bank;
      commands_.push_back(
          {issued.time * nck_ / step_, issued.command, &channels_[channel].banks[static_cast<std::size_t>(bank)]});
    }
    taken_.clear();
  }
  if (channels_.size() < 2 || commands_.size() == before) return;
  std::stable_sort(commands_.begin(), commands_.end(),
                   [](const BankCommand& a, const BankCommand& b) { return a.cycle < b.cycle; });
}

// Shows the commands of cycles up to `last`.
void WaveFile::show_commands(Cycles last) {
  auto next = commands_.begin();
  while (next != commands_.end() && next->cycle <= last) {
    const auto first = next;
    for (; next != commands_.end() && next->cycle == first->cycle; ++next) {
      next->bank->value = with(next->bank->value, next->command);
    }
    count_to(first->cycle);
    for (auto each = first; each != next; ++each) {
      Bank& bank = *each->bank;
      if (bank.value == 0) continue;  // shown with an earlier command
      writer_.change(bank.signal, bank.value + (bank.second ? kBankValues : 0));
      bank.second = !bank.second;
      bank.value = 0;
    }
  }
  commands_.erase(commands_.begin(), next);
}

void WaveFile::show_states(Cycles at, const stream::CycleEvents& states) {
  count_to(at);  // a time for every cycle, thus equal distances, compresses best
  const bool first = shown_.blocks.empty();
  if (first) {
    shown_ = states;
  }
  const auto change = [&](Signal signal, std::uint32_t value, bool differs) {
    if (differs || first) writer_.change(signal, value);
  };
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    change(blocks_[i], static_cast<std::uint32_t>(states.blocks[i]), states.blocks[i] != shown_.blocks[i]);
  }
  for (std::size_t i = 0; i < fifos_.size(); ++i) {
    change(fifos_[i], static_cast<std::uint32_t>(states.fifos[i].fill), states.fifos[i].fill != shown_.fifos[i].fill);
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const stream::PortEvents &port = states.ports[i], &before = shown_.ports[i];
    change(ports_[i].address, port.address ? 1 : 0, port.address != before.address);
    change(ports_[i].beat, port.beat ? 1 : 0, port.beat != before.beat);
    if (ports_[i].write) change(ports_[i].response, port.response ? 1 : 0, port.response != before.response);
  }
  if (!first) shown_ = states;
}

// Shows all before cycle `next`, whose commands need not be known yet.
void WaveFile::show_before(Cycles next, const std::vector<stream::FifoEvent>& fifos) {
  take_commands();
  if (last_ < 0) return;
  show_commands(last_);
  show_states(last_, states_);
  if (next > last_ + 1) {
    // Tokens moved in the last cycle are visible in the next, which has no handshake.
    show_commands(last_ + 1);
    states_.fifos = fifos;
    states_.ports.assign(ports_.size(), {});
    show_states(last_ + 1, states_);
  }
  show_commands(next - 1);
}

bool WaveFile::after(Cycles now, const stream::CycleEvents& states) {
  show_before(now, states.fifos);
  states_ = states;
  last_ = now;
  return true;
}

// Ends with all signals idle and empty, the state in which the next launch begins.
void WaveFile::end(Cycles cycles) {
  show_before(cycles, states_.fifos);
  states_.blocks.assign(blocks_.size(), Activity::Idle);
  states_.fifos.assign(fifos_.size(), {});
  states_.ports.assign(ports_.size(), {});
  show_states(cycles, states_);
  show_no_commands();
  commands_.clear();
  start_ += cycles * step_;
}

void WaveFile::show_no_commands() {
  for (Channel& channel : channels_) {
    for (Bank& bank : channel.banks) {
      writer_.change(bank.signal, std::uint32_t{0});
      bank.second = false;
    }
  }
}

std::string WaveFile::gtkw(const std::string& fst) const {
  return save_file({fst, kTop, static_cast<double>(step_) / static_cast<double>(unit_)}, groups_);
}

}  // namespace weft::waves
