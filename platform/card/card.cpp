#include "platform/card/card.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/config/host.h"

namespace weft::card {

namespace {

// Ideal memory has neither banks nor a size: those of a U250.
constexpr int kIdealBanks = 4;
constexpr Bytes kIdealBank = Bytes{16} << 30;

const link::PcieConfig& pcie_of(const config::RunConfig& run) {
  require_memory_keeps_up(run.board);
  return *run.board.pcie;
}

std::vector<memory::Store> empty_banks(const design::AddressMap& memory) {
  std::vector<memory::Store> banks;
  banks.reserve(static_cast<std::size_t>(memory.banks()));
  for (int i = 0; i < memory.banks(); ++i) banks.emplace_back(memory.bytes_per_bank());
  return banks;
}

CardSettings checked(CardSettings settings) {
  if (settings.run.host) return settings;
  throw Error(
      fmt::format("run '{}' has no host, and its board '{}' has no default_host: give one, e.g. --set "
                  "host=xeon-bronze-3104",
                  settings.run.name, settings.run.board.name));
}

}  // namespace

design::AddressMap memory_of(const config::RunConfig& run) {
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&run.board.memory)) {
    return {ddr4->channels, ddr4->bytes_per_channel};
  }
  const std::vector<int> channels = config::port_channels(run);
  return {std::max(kIdealBanks, 1 + *std::max_element(channels.begin(), channels.end())), kIdealBank};
}

const char* to_string(Call::Kind kind) {
  constexpr std::array<const char*, 7> kNames{"H2C",    "C2H",  "register write", "register read",
                                              "launch", "load", "unload"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Card::Card(const sc_core::sc_module_name& name, CardSettings settings)
    : sc_module(name),
      settings_(checked(std::move(settings))),
      memory_(memory_of(settings_.run)),
      contents_(empty_banks(memory_)),
      host_link_("host_link", clock_, memory_),
      endpoint_("endpoint", pcie_of(settings_.run)),
      engine_("dma_engine"),
      interconnect_("interconnect", memory_),
      control_("kernel_control", clock_),
      unit_("compute_unit", contents_) {
  for (const design::Design* each : design::designs()) {
    auto kernels = each->card_kernels({settings_.execution, settings_.check_percent});
    if (kernels) designs_[each->name()] = std::move(kernels);
  }
  host_link_.socket.bind(endpoint_.socket);
  endpoint_.engine.bind(engine_.socket);
  engine_.memory.bind(interconnect_.socket);
  for (std::size_t i = 0; i < contents_.size(); ++i) {
    banks_.push_back(std::make_unique<DdrBank>(fmt::format("ddr{}", i).c_str(), contents_[i]));
    interconnect_.bank(static_cast<int>(i)).bind(banks_.back()->socket);
  }
  host_link_.control.bind(control_.socket);
  control_.unit.bind(unit_.socket);
}

Card::~Card() = default;

const config::CallCosts& Card::costs() const {
  return host::costs(host(), settings_.run.schedule.calls);
}

// Starts the simulation, which binds the sockets.
void Card::begin_simulation() {
  if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void Card::load(const std::string& kernel_yaml) {
  config::RunConfig run = settings_.run;
  const auto source = std::make_shared<config::Source>(config::Source{"the bitstream's kernel", {}, false});
  run.kernel = design::read_kernel(config::parse_yaml(kernel_yaml, source), "");
  const auto design = designs_.find(run.kernel->design());
  if (design == designs_.end()) {
    throw Error(fmt::format("the design {} cannot be loaded into a card", run.kernel->design()));
  }
  std::unique_ptr<design::CardKernel> kernel = design->second->load(run, memory_);

  finish();
  clock_.advance_to(control_.busy_until());
  const Picoseconds start = clock_.now();
  const bool whole = run.schedule.load == config::LoadKind::Card;
  clock_.advance((whole ? host().load_card : host().load_region).typical_ps);
  if (whole) {
    for (memory::Store& bank : contents_) bank.clear();
    faults_.lost();
  }
  kernel_ = std::move(kernel);
  arguments_ = design::design_of(run).card_arguments(*run.kernel);
  unset_ = 0;
  control_.load(kernel_.get());
  unit_.load(kernel_.get());
  seen_done_ = true;
  totals_.reconfigurations += 1;
  totals_.reconfiguration_time += clock_.now() - start;
  report(Call::Kind::Load, start, 0, 0, run.kernel->text().headline);
}

void Card::unload() {
  finish();
  clock_.advance_to(control_.busy_until());
  control_.load(nullptr);
  unit_.load(nullptr);
  kernel_.reset();
  report(Call::Kind::Unload, clock_.now(), 0, 0, "");
}

Picoseconds Card::now() {
  settle();
  return clock_.now();
}

const Totals& Card::totals() {
  settle();
  return totals_;
}

void Card::settle() {
  const Picoseconds start = clock_.now();
  host_link_.settle();
  const bool to_card = host_link_.last().direction == link::Direction::HostToCard;
  (to_card ? totals_.to_card_time : totals_.to_host_time) += clock_.now() - start;
}

bool Card::in_use(Address card, Bytes bytes) {
  if (!busy() || bytes == 0) return false;
  settle();
  if (!busy()) return false;
  const int first = memory_.place(card)->bank, last = memory_.place(card + bytes - 1)->bank;
  return std::any_of(used_banks_.begin(), used_banks_.end(), [&](int bank) { return bank >= first && bank <= last; });
}

template <class Move>
void Card::transfer(link::Direction direction, Address card, Bytes bytes, Move move) {
  begin_simulation();
  host_link_.require_within(card, bytes);
  if (in_use(card, bytes)) {
    finish();
    totals_.serialised += 1;
    totals_.serialised_time += control_.busy_until() - clock_.now();
    clock_.advance_to(control_.busy_until());
  }
  if (!host_link_.goes_on(direction, card)) {
    finish();
    totals_.transfers += 1;
  }
  const Picoseconds start = clock_.now();
  move(host::call_cost(host(), settings_.run.schedule.calls, direction),
       settings_.run.schedule.host_buffers == config::HostBuffers::Copied);
  open_ = true;
  const bool to_card = direction == link::Direction::HostToCard;
  (to_card ? totals_.to_card : totals_.to_host) += bytes;
  faults_.transferred(to_card, card, bytes);
  (to_card ? totals_.to_card_time : totals_.to_host_time) += clock_.now() - start;
}

void Card::write(Address card, const void* data, Bytes bytes, Address host_address) {
  transfer(link::Direction::HostToCard, card, bytes, [&](const link::CallCost& cost, bool copied) {
    // The driver's copy is aligned.
    host_link_.write(card, data, bytes, copied ? 0 : host_address, cost, copied);
  });
}

void Card::read(Address card, void* data, Bytes bytes, Address host_address) {
  transfer(link::Direction::CardToHost, card, bytes, [&](const link::CallCost& cost, bool copied) {
    host_link_.read(card, data, bytes, copied ? 0 : host_address, cost, copied);
  });
}

void Card::require_register(Address offset) const {
  begin_simulation();
  if (offset < 0 || offset >= kRegisterWindow) {
    throw Error(fmt::format("register {:#x} is not within the {:#x} bytes of the compute unit",
                            static_cast<std::uint64_t>(offset), kRegisterWindow));
  }
  if (!kernel_) throw Error(fmt::format("an access to register {:#x}, but no kernel is loaded into the card", offset));
}

void Card::write_register(Address offset, std::uint32_t data, bool queued) {
  require_register(offset);
  finish();
  const Picoseconds start = clock_.now();
  // Time of a launch: the library's share and the register writes, the same sum as in host::launch_time().
  clock_.advance(costs().register_write_ps);
  RegisterExtension access;
  access.before_start = host::launch_time(host(), settings_.run.schedule.calls, 0, queued);
  host_link_.write_register(offset, data, access);
  totals_.register_writes += 1;
  if (access.launch) clock_.advance(access.before_start);
  totals_.register_time += clock_.now() - start;
  report(Call::Kind::WriteRegister, start, offset, data, "");
  if (access.launch) count_launch(*access.launch);
}

void Card::count_launch(const design::CardLaunch& launch) {
  used_banks_ = launch.banks;
  seen_done_ = false;
  totals_.launches += 1;
  totals_.refused += launch.refused ? 1 : 0;
  totals_.overflows += launch.overflows;
  totals_.kernel_cycles += launch.busy;
  totals_.kernel_time += control_.busy_until() - control_.started();
  std::vector<std::string> unset;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if ((unset_ >> i & 1U) != 0) unset.push_back(fmt::format("argument {} ({})", i, arguments_[i].name));
  }
  unset_ = 0;
  faults_.launched(launch, {totals_.calls(), totals_.launches}, unset);
  if (!on_call) return;
  Call call;
  call.kind = Call::Kind::Launch;
  call.start = control_.started();
  call.end = control_.busy_until();
  call.why = launch.what;
  on_call(call);
}

std::uint32_t Card::read_register(Address offset) {
  require_register(offset);
  finish();
  const Picoseconds start = clock_.now();
  // The library's share of a launch includes the time to see that it is done.
  if (kernel_->tells_done(offset) && !seen_done_) {
    clock_.advance_to(control_.busy_until());
    seen_done_ = true;
    totals_.polls += 1;
  } else {
    clock_.advance(costs().register_read_ps);
    totals_.register_reads += 1;
    totals_.register_time += clock_.now() - start;
  }
  const std::uint32_t data = host_link_.read_register(offset);
  report(Call::Kind::ReadRegister, start, offset, data, "");
  return data;
}

void Card::advance(Picoseconds duration) {
  finish();
  clock_.advance(duration);
}

void Card::finish() {
  settle();
  host_link_.end_call();
  if (!std::exchange(open_, false) || !on_call) return;
  const HostLink::Transfer& last = host_link_.last();
  Call call;
  call.kind = last.direction == link::Direction::HostToCard ? Call::Kind::ToCard : Call::Kind::ToHost;
  call.address = last.card_address;
  call.bytes = last.bytes;
  call.start = last.start;
  call.end = last.end;
  call.why = link::to_string(last.bound);
  on_call(call);
}

void Card::report(Call::Kind kind, Picoseconds start, Address address, std::uint32_t data,
                  const std::string& why) const {
  if (!on_call) return;
  Call call;
  call.kind = kind;
  call.address = address;
  call.data = data;
  call.start = start;
  call.end = clock_.now();
  call.why = why;
  on_call(call);
}

}  // namespace weft::card
