#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "model/memory/ddr4_controller.h"
#include "model/memory/mig_controller.h"

namespace weft::memory {

// The controller of a channel that its configuration names. Functions as those of the two.
class ChannelController {
  using Any = std::variant<Ddr4Controller, MigController>;

  // Deduced, hence before its uses.
  template <typename Self, typename Call>
  static decltype(auto) of(Self& self, const Call& call) {
    if (auto* const own = std::get_if<Ddr4Controller>(&self.controller_)) return call(*own);
    return call(std::get<MigController>(self.controller_));
  }

 public:
  explicit ChannelController(const Ddr4Config& config)
      : controller_(config.controller == ControllerKind::mig ? Any(std::in_place_type<MigController>, config)
                                                             : Any(std::in_place_type<Ddr4Controller>, config)) {}

  // FR-FCFS, which alone has the functions for whole bursts; null for another.
  Ddr4Controller* frfcfs() { return std::get_if<Ddr4Controller>(&controller_); }
  const Ddr4Controller* frfcfs() const { return std::get_if<Ddr4Controller>(&controller_); }
  MigController& mig() { return std::get<MigController>(controller_); }  // if it is one
  // Requests are taken at multiples of this edge.
  Nck clock() const { return frfcfs() ? 1 : MigController::kClock; }

  // See MigController; FR-FCFS remembers nothing.
  void remember(const std::shared_ptr<MigClocks>& clocks) {
    if (auto* const own = std::get_if<MigController>(&controller_)) own->remember(clocks);
  }
  void reset() {
    of(*this, [](auto& each) { each.reset(); });
  }
  Nck now() const {
    return of(*this, [](const auto& each) { return each.now(); });
  }
  bool has_room(Address address, bool write) const {
    const Ddr4Controller* const own = frfcfs();
    return own ? own->has_room(write) : mig().has_room(address);
  }
  void accept(Address address, bool write, std::uint32_t tag) {
    of(*this, [&](auto& each) { each.accept(address, write, tag); });
  }
  void advance_to(Nck end) {
    of(*this, [&](auto& each) { each.advance_to(end); });
  }
  // `read`, `write`: address of the request that waits for room, or null.
  void advance_until_room(const Address* read, const Address* write, Nck end) {
    if (Ddr4Controller* const own = frfcfs()) {
      own->advance_until_room(read != nullptr, write != nullptr, end);
    } else {
      std::get<MigController>(controller_).advance_until_room(read, write, end);
    }
  }
  Nck next_action() const {
    return of(*this, [](const auto& each) { return each.next_action(); });
  }
  bool idle() const {
    return of(*this, [](const auto& each) { return each.idle(); });
  }
  Nck rests_from() const {
    return of(*this, [](const auto& each) { return each.rests_from(); });
  }
  std::int64_t reads_waiting() const {
    return of(*this, [](const auto& each) { return each.reads_waiting(); });
  }
  Nck read_data_nck() const {
    return of(*this, [](const auto& each) { return each.read_data_nck(); });
  }
  const std::vector<Served>& served() const {
    return of(*this, [](const auto& each) -> const std::vector<Served>& { return each.served(); });
  }
  void clear_served() {
    of(*this, [](auto& each) { each.clear_served(); });
  }
  Nck refresh_due() const {
    return of(*this, [](const auto& each) { return each.refresh_due(); });
  }
  void set_refresh_due(Nck due) {
    of(*this, [&](auto& each) { each.set_refresh_due(due); });
  }
  template <typename TagBase>
  void relative(Relative& state, Nck now, int row, const TagBase& tag_base) {
    of(*this, [&](auto& each) { each.relative(state, now, row, tag_base); });
  }
  void record_commands(bool on) {
    of(*this, [&](auto& each) { each.record_commands(on); });
  }
  const std::vector<IssuedCommand>& commands() const {
    return of(*this, [](const auto& each) -> const std::vector<IssuedCommand>& { return each.commands(); });
  }
  void clear_commands() {
    of(*this, [](auto& each) { each.clear_commands(); });
  }

 private:
  const MigController& mig() const { return std::get<MigController>(controller_); }
  Any controller_;
};

}  // namespace weft::memory
