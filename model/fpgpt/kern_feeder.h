#pragma once

#include <array>
#include <vector>

#include "model/core/activity.h"
#include "model/core/fifo.h"
#include "model/core/relative.h"
#include "model/fpgpt/plan.h"

namespace weft::fpgpt {

// Saves or restores a buffer of two halves relative to their turn: the half that is emptied next is restored as half 0.
inline void relative_halves(Relative& state, std::array<bool, 2>& full, int& empty_half, int& fill_half) {
  int other = fill_half ^ empty_half;
  bool first = full[static_cast<std::size_t>(empty_half)], second = full[static_cast<std::size_t>(empty_half ^ 1)];
  state.value(other);
  state.value(first);
  state.value(second);
  if (!state.loading()) return;
  empty_half = 0;
  fill_half = other;
  full = {first, second};
}

// Position of the KERN feeder in the sequence of tokens of Y values (CONTRACT.md, "KERN tokens"). Skewed (no
// overlap_drain): a Y-group is P*S + Y tokens, row y lags by y, zeros around it. Plain (overlap_drain): a Y-group is
// S*M tokens.
struct FeedCursor {
  std::int64_t group = 0;  // Y-group within the pass
  std::int64_t pass = 0;   // (a, n_inp)
  std::int64_t set = 0;    // set of row 0; S while the skew drains
  std::int64_t phase = 0;  // token within the set

  bool done(const Plan& plan) const { return pass == plan.passes; }
  // Advances by one token; true if the token was the last of its Y-group.
  bool advance(const Plan& plan);
  void relative(Relative& state, const Plan& plan, const Anchor& at);
  // token() returns the token's number in the whole convolution, token_of() that of a window's first token.
  std::int64_t token(const Plan& plan) const;
  static std::int64_t token_of(const Plan& plan, const Anchor& at);
  void seek(const Plan& plan, std::int64_t token);
};

// Returns the word of its kernel that row y gets in a token, as in Plan::tap; negative if the token carries a zero for
// the row: skew, dilation, spacing beyond M, or no such row in the group.
Words tap_at(const Plan& plan, const FeedCursor& cursor, int y);

// KERN feeder of F and GI (A.2.4): holds the whole KERN tensor; rot180 and permutation happen while it is stored.
class KernFeederFgi {
 public:
  KernFeederFgi() = default;
  explicit KernFeederFgi(const Plan& plan);
  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out);
  bool loaded(const Plan& plan) const { return loaded_ == plan.kern.words; }
  const FeedCursor& cursor() const { return cursor_; }
  // Round (see Anchor) that is fed next.
  std::int64_t round(const Plan& plan) const { return cursor_.pass * plan.groups + cursor_.group; }
  void relative(Relative& state, const Plan& plan, const Anchor& at);  // timing mode
  // The same once KERN is loaded. The cursor is a token number relative to `first`, so that the state does not depend
  // on the end of a set or a round.
  void relative_loaded(Relative& state, const Plan& plan, std::int64_t first);

 private:
  bool feedable(const Plan& plan) const;
  void load(Cycles now, const Plan& plan, Fifo& in);
  void feed(Cycles now, const Plan& plan, Fifo& out);

  Words loaded_ = 0;  // words stored, in the order of memory
  std::int64_t load_beat_ = 0;
  FeedCursor cursor_;
  std::vector<Word> words_;  // data mode: as in memory
};

// KERN feeder of GW (A.3.1): two halves of one Y-group each, read again for every (A, N_INP).
class KernFeederGw {
 public:
  KernFeederGw() = default;
  explicit KernFeederGw(const Plan& plan);
  Activity step(Cycles now, const Plan& plan, Fifo& in, Fifo& out);
  void relative(Relative& state, const Plan& plan, const Anchor& at);  // timing mode

 private:
  void fill(Cycles now, const Plan& plan, Fifo& in);
  void feed(Cycles now, const Plan& plan, Fifo& out);
  std::int64_t fill_tokens(const Plan& plan) const;

  std::int64_t fill_groups_left_ = 0;  // Y-groups of all passes still to fill
  std::int64_t fill_group_ = 0;        // Y-group within the pass
  std::int64_t fill_token_ = 0;
  int fill_half_ = 0;
  std::array<bool, 2> full_{};
  int feed_half_ = 0;
  FeedCursor cursor_;
  std::array<std::vector<Word>, 2> words_;  // data mode: Y kernels, each padded to a multiple of Y words
};

}  // namespace weft::fpgpt
