#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/core/huge_pages.h"
#include "model/core/intern.h"
#include "model/core/key_map.h"
#include "model/memory/config.h"
#include "model/memory/mig_controller.h"

namespace weft::memory {

// Memoised clocks of a MIG controller: by its state and the request that it takes, the CAS that it issues and the state
// that follows. A state has neither times nor rows nor tags: times count from the start of a clock, and of rows it
// matters whether two are equal. So states come again, some ten thousand of them, whatever the addresses and the clock
// of the kernel. A clock that is not known is stepped by a MigController, and then remembered.
class MigClocks {
 public:
  // Input of a clock: kNothing, kRefreshing (M8), kTime (time passes up to the first edge of the clock, which is not
  // performed), or a request.
  using Input = std::uint16_t;
  static constexpr Input kNothing = 0, kRefreshing = 1, kTime = 2;
  // `same`: the bank's request before it, waiting or served, has the same row.
  static constexpr Input request(int bank, bool write, bool auto_precharge, bool same) {
    return static_cast<Input>(0x80 | bank | int{write} << 4 | int{auto_precharge} << 5 | int{same} << 6);
  }
  // The same after `gap` clocks in which nothing happens.
  static constexpr Input after(Nck gap, Input input) { return static_cast<Input>(gap << 8 | input); }
  static constexpr Nck kMostGap = 254;

  struct Move {
    std::uint32_t next = 0;  // state at the start of the clock that follows
    Input input = kNoInput;
    std::uint16_t does = 0;

    bool cas() const { return (does & 1) != 0; }
    unsigned group() const { return does >> 1 & 3U; }
    Nck slot() const { return does >> 3 & 2U; }  // nCK from the first edge
    bool write() const { return (does >> 5 & 1) != 0; }
    RowOutcome outcome() const { return static_cast<RowOutcome>(does >> 6 & 3); }
    bool refreshed() const { return (does >> 8 & 1) != 0; }
  };
  struct alignas(64) State {
    // Clocks in which nothing happens if no request comes. If none ever does, clocks after which the state is always
    // the same.
    std::uint16_t quiet = 0;
    std::uint8_t waiting = 0, reads = 0;  // requests
    std::uint8_t room = 0;                // groups that can take a request, one bit each
    bool any_open = false;                // a row is open
    bool forever = false;                 // nothing happens if no request comes
    std::array<Move, 7> moves;            // known ones, as many as fit
  };

  struct Limits {
    std::size_t states = 1 << 17;  // then a controller begins to remember anew
    // A new clock takes the credit of a controller away, a known one and one that it steps add to it. It looks clocks
    // up while it has credit, so that new ones cost at most a quarter of the time.
    int cost_of_new = 160, gain_of_known = 2, credit = 1 << 20;
  };
  explicit MigClocks(const Ddr4Config& config) : MigClocks(config, Limits()) {}
  MigClocks(const Ddr4Config& config, const Limits& limits);
  // Returns an empty one for the same controllers.
  std::shared_ptr<MigClocks> anew() const { return std::make_shared<MigClocks>(config_, limits_); }

  static constexpr std::size_t kBytesOfState = 512;  // with all that belongs to it, at most

  const Ddr4Config& config() const { return config_; }
  const Limits& limits() const { return limits_; }
  const State& state(std::uint32_t number) const { return states_[number]; }
  // `made`: set to true if the clock was not known.
  Move move(std::uint32_t number, Input input, bool& made) {
    for (const Move& known : states_[number].moves) {
      if (known.input == input) return known;
    }
    return find_or_make(number, input, made);
  }
  // Converts the state of a controller at the start of a clock, and back. Rows and tags are the caller's.
  std::uint32_t number_of(MigController controller, Nck edge);
  void restore(std::uint32_t number, MigController& controller, Nck edge) const;

  bool full() const { return states_.size() >= limits_.states; }
  std::size_t memory() const;  // approximate bytes

 private:
  static constexpr Input kNoInput = 0xFFFF;

  template <typename Visit>
  static void for_each_request(MigController& controller, const Visit& visit);
  static void compare_rows(MigController& controller);
  static void number_rows(MigController& controller);
  Move find_or_make(std::uint32_t number, Input input, bool& made);
  Move make(std::uint32_t number, Input input);
  std::uint32_t number(MigController& controller, Nck edge);

  MigController scratch_;  // first, as it is aligned to 64 bytes
  Ddr4Config config_;
  Limits limits_;
  std::vector<State, HugePages<State>> states_;
  States numbers_;     // by their bytes
  KeyMap<1> more_of_;  // moves that do not fit into their states, by state and input
  std::vector<Move> more_;
  std::string bytes_;  // buffer
  std::uint32_t scratch_state_ = KeyMap<1>::kNone;
  Nck scratch_edge_ = 0;
};

}  // namespace weft::memory
