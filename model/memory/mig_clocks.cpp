#include "model/memory/mig_clocks.h"

#include <algorithm>
#include <utility>

namespace weft::memory {

namespace {

constexpr std::uint32_t kNone = KeyMap<1>::kNone;

}  // namespace

MigClocks::MigClocks(const Ddr4Config& config, const Limits& limits)
    : scratch_(config), config_(config), limits_(limits) {
  scratch_.set_refresh_due(Ddr4Device::kNoTime);
}

// Calls visit(request) for the requests that wait, those of a bank in their order.
template <typename Visit>
void MigClocks::for_each_request(MigController& controller, const Visit& visit) {
  for (MigController::Group& group : controller.groups_) {
    for (MigController::Fifo* const fifo : {&group.stage2, &group.stage1}) {
      for (int i = 0; i < fifo->size; ++i) visit(fifo->at(i));
    }
  }
}

// Replaces the row of each request by 1 if the one of the bank before it, or the open row, is the same, and by 0 if
// not.
void MigClocks::compare_rows(MigController& controller) {
  std::array<std::int32_t, kBanks>& before = controller.device_.open_row_;
  std::array<std::int32_t, kBanks> row = before;
  for_each_request(controller, [&](MigController::Request& request) {
    request.tag = 0;
    request.row = std::exchange(row[request.bank], request.row) == request.row ? 1 : 0;
  });
  for (std::int32_t& each : before) each = std::min(each, 0);
}

// Gives each request a row by that comparison.
void MigClocks::number_rows(MigController& controller) {
  std::array<std::int32_t, kBanks> row{};
  for_each_request(controller,
                   [&](MigController::Request& request) { request.row = row[request.bank] += 1 - request.row; });
}

// Returns the number of the state at the start of the clock at `edge`; changes the rows and tags of the controller.
std::uint32_t MigClocks::number(MigController& controller, Nck edge) {
  compare_rows(controller);
  bytes_.clear();
  Relative state(bytes_, false);
  controller.relative(state, edge, 0, [](std::uint32_t) { return std::int64_t{0}; });
  number_rows(controller);
  const std::uint32_t number = numbers_.number(bytes_);
  if (number < states_.size()) return number;
  controller.find_next(edge);
  State& made = states_.emplace_back(State{});
  made.forever = controller.next_ == Ddr4Device::kNoTime;
  // The turns of the groups count in this clock only.
  const Nck rests = std::max(MigController::clock_at(controller.rests_from()), edge + MigController::kClock);
  made.quiet = static_cast<std::uint16_t>(((made.forever ? rests : controller.next_) - edge) / MigController::kClock);
  for (unsigned i = 0; i < kBankGroups; ++i) {
    const bool room = controller.groups_[i].stage1.size < controller.stage1_capacity_;
    made.room = static_cast<std::uint8_t>(made.room | unsigned{room} << i);
  }
  made.waiting = static_cast<std::uint8_t>(controller.waiting_);
  made.reads = static_cast<std::uint8_t>(controller.reads_waiting_);
  made.any_open = controller.device_.any_open();
  return number;
}

std::uint32_t MigClocks::number_of(MigController controller, Nck edge) {
  controller.refresh_due_ = Ddr4Device::kNoTime;
  return number(controller, edge);
}

void MigClocks::restore(std::uint32_t number, MigController& controller, Nck edge) const {
  std::string bytes = numbers_.bytes(number);
  Relative state(bytes, true);
  controller.relative(state, edge, 0, [](std::uint32_t) { return std::int64_t{0}; });
  number_rows(controller);
}

MigClocks::Move MigClocks::find_or_make(std::uint32_t number, Input input, bool& made) {
  const Key<1> key{two(number, input)};
  const std::uint32_t known = more_of_.find(key);
  if (known != kNone) return more_[known];
  made = true;
  const Move move = make(number, input);
  for (Move& free : states_[number].moves) {
    if (free.input == kNoInput) return free = move;
  }
  more_of_.number(key, static_cast<std::uint32_t>(more_.size()));
  more_.push_back(move);
  return move;
}

MigClocks::Move MigClocks::make(std::uint32_t number, Input input) {
  if (scratch_state_ != number) {
    scratch_edge_ = 0;
    restore(number, scratch_, scratch_edge_);
  }
  const Nck edge = scratch_edge_ + (input >> 8) * MigController::kClock;
  const unsigned what = input & 0xFF;
  scratch_.now_ = edge;
  scratch_.served_.clear();
  scratch_.refresh_due_ = what == kRefreshing ? edge : Ddr4Device::kNoTime;
  if ((what & 0x80) != 0) {
    const auto bank = static_cast<std::uint8_t>(what & (kBanks - 1));
    std::int32_t before = 0;
    for_each_request(scratch_, [&](const MigController::Request& request) {
      if (request.bank == bank) before = request.row;
    });
    scratch_.take((what & 0x40) != 0 ? before : before + 1, bank, (what & 0x10) != 0, (what & 0x20) != 0, 0);
  }
  for_each_request(scratch_, [](MigController::Request& request) {
    request.tag = static_cast<std::uint32_t>(group_of(request.bank));
  });
  Move move;
  move.input = input;
  scratch_edge_ = edge;
  if (what != kTime) {
    scratch_.clock(edge);
    scratch_edge_ += MigController::kClock;
  }
  if (!scratch_.served_.empty()) {
    const Served& served = scratch_.served_.front();
    const Nck slot = served.data_end - edge - (served.write ? scratch_.write_data_nck_ : scratch_.read_data_nck_);
    move.does = static_cast<std::uint16_t>(1U | served.tag << 1 | static_cast<unsigned>(slot) << 3 |
                                           unsigned{served.write} << 5 | static_cast<unsigned>(served.outcome) << 6);
  }
  if (what == kRefreshing && scratch_.refresh_due_ != edge) move.does |= 1U << 8;
  scratch_.refresh_due_ = Ddr4Device::kNoTime;
  scratch_.now_ = scratch_edge_;
  move.next = scratch_state_ = this->number(scratch_, scratch_edge_);
  return move;
}

std::size_t MigClocks::memory() const {
  return states_.capacity() * sizeof(State) + numbers_.memory() + memory_of(more_of_) + more_.capacity() * sizeof(Move);
}

}  // namespace weft::memory
