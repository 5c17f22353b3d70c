#include "model/fpgpt/kern_feeder.h"

#include <algorithm>

namespace weft::fpgpt {

bool FeedCursor::advance(const Plan& plan) {
  const bool skewed = !plan.alpha.profile.overlap_drain;
  ++phase;
  if (set < plan.sets) {
    if (phase < (skewed ? plan.spacing : plan.m)) return false;
    phase = 0;
    if (++set < plan.sets || skewed) return false;
  } else if (phase < plan.alpha.y) {
    return false;
  }
  set = phase = 0;
  if (++group == plan.groups) {
    group = 0;
    ++pass;
  }
  return true;
}

void FeedCursor::relative(Relative& state, const Plan& plan, const Anchor& at) {
  std::int64_t round = pass * plan.groups + group;
  state.from(round, at.round);
  state.from(set, at.set(plan));
  state.from(phase, at.phase(plan));
  if (!state.loading()) return;
  pass = round / plan.groups;
  group = round % plan.groups;
}

namespace {

// Tokens of a set, and of a round.
std::int64_t tokens_of_set(const Plan& plan) {
  return plan.alpha.profile.overlap_drain ? plan.m : plan.spacing;
}
std::int64_t tokens_of_round(const Plan& plan) {
  return plan.sets * tokens_of_set(plan) + (plan.alpha.profile.overlap_drain ? 0 : plan.alpha.y);
}

}  // namespace

std::int64_t FeedCursor::token(const Plan& plan) const {
  return (pass * plan.groups + group) * tokens_of_round(plan) + set * tokens_of_set(plan) + phase;
}

std::int64_t FeedCursor::token_of(const Plan& plan, const Anchor& at) {
  return at.round * tokens_of_round(plan) + at.set(plan) * tokens_of_set(plan) + at.phase(plan);
}

void FeedCursor::seek(const Plan& plan, std::int64_t token) {
  const std::int64_t round = token / tokens_of_round(plan), of_round = token % tokens_of_round(plan);
  pass = round / plan.groups;
  group = round % plan.groups;
  set = std::min(of_round / tokens_of_set(plan), plan.sets);
  phase = of_round - set * tokens_of_set(plan);
}

Words tap_at(const Plan& plan, const FeedCursor& cursor, int y) {
  if (y >= plan.rows(cursor.group)) return -1;
  std::int64_t phase = cursor.phase;
  if (!plan.alpha.profile.overlap_drain) {  // row y lags row 0 by y tokens; P >= Y, so by at most one set
    phase -= y;
    if (phase < 0) {
      if (cursor.set == 0) return -1;
      phase += plan.spacing;
    } else if (cursor.set == plan.sets) {
      return -1;
    }
  }
  return phase < plan.m ? plan.tap[static_cast<std::size_t>(phase)] : -1;
}

KernFeederFgi::KernFeederFgi(const Plan& plan) {
  if (plan.with_data) words_.resize(static_cast<std::size_t>(plan.kern.words));
}

bool KernFeederFgi::feedable(const Plan& plan) const {
  if (loaded_ == plan.kern.words) return true;
  if (!plan.alpha.profile.early_kern_feed) return false;
  const std::int64_t first_row = cursor_.group * plan.alpha.y;
  for (int y = 0; y < plan.alpha.y; ++y) {
    const Words tap = tap_at(plan, cursor_, y);
    if (tap >= 0 && tap + (first_row + y) * plan.tap_pitch >= loaded_) return false;
  }
  return true;
}

Activity KernFeederFgi::step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
  const bool load_pending = loaded_ < plan.kern.words;
  const bool feed_pending = !cursor_.done(plan) && feedable(plan);
  const bool loading = load_pending && in.can_pop(now);
  const bool feeding = feed_pending && out.can_push(now);
  if (feeding) feed(now, plan, out);
  if (loading) load(now, plan, in);
  if (loading || feeding) return Activity::Active;
  if (feed_pending) return Activity::Blocked;
  return load_pending ? Activity::Starved : Activity::Idle;
}

void KernFeederFgi::relative(Relative& state, const Plan& plan, const Anchor& at) {
  state.value(loaded_);
  state.value(load_beat_);
  cursor_.relative(state, plan, at);
}

void KernFeederFgi::relative_loaded(Relative& state, const Plan& plan, std::int64_t first) {
  std::int64_t token = cursor_.token(plan);
  state.from(token, first);
  if (state.loading()) cursor_.seek(plan, token);
}

void KernFeederFgi::load(Cycles now, const Plan& plan, Fifo& in) {
  Words count = 1;
  if (plan.alpha.profile.wide_kern_load) {
    const Words first = plan.kern.band - plan.kern.base % plan.kern.band;
    count = std::min<Words>(plan.kern.words - loaded_, load_beat_++ == 0 ? first : plan.kern.band);
  }
  if (plan.with_data) std::copy_n(in.front(), count, words_.begin() + loaded_);
  in.pop(now);
  loaded_ += count;
}

void KernFeederFgi::feed(Cycles now, const Plan& plan, Fifo& out) {
  if (Word* const token = out.push(now)) {
    const Word* const group = words_.data() + cursor_.group * plan.alpha.y * plan.tap_pitch;
    for (int y = 0; y < plan.alpha.y; ++y) {
      const Words tap = tap_at(plan, cursor_, y);
      token[y] = tap < 0 ? Word{} : group[tap + y * plan.tap_pitch];
    }
  }
  cursor_.advance(plan);
}

KernFeederGw::KernFeederGw(const Plan& plan) : fill_groups_left_(plan.passes * plan.groups) {
  if (!plan.with_data) return;
  for (auto& half : words_) {
    half.resize(static_cast<std::size_t>(plan.alpha.y * align_up(plan.beta.kern_map(), plan.alpha.y)));
  }
}

std::int64_t KernFeederGw::fill_tokens(const Plan& plan) const {
  return plan.rows(fill_group_) * ceil_div(plan.beta.kern_map(), plan.alpha.y);
}

Activity KernFeederGw::step(Cycles now, const Plan& plan, Fifo& in, Fifo& out) {
  const bool fill_pending = fill_groups_left_ > 0 && !full_[static_cast<std::size_t>(fill_half_)];
  const bool feed_pending = full_[static_cast<std::size_t>(feed_half_)];
  const bool filling = fill_pending && in.can_pop(now);
  const bool feeding = feed_pending && out.can_push(now);
  if (filling) fill(now, plan, in);
  if (feeding) feed(now, plan, out);
  if (filling || feeding) return Activity::Active;
  if (feed_pending) return Activity::Blocked;
  return fill_pending ? Activity::Starved : Activity::Idle;
}

void KernFeederGw::relative(Relative& state, const Plan& plan, const Anchor& at) {
  state.from(fill_groups_left_, plan.passes * plan.groups - at.round);
  state.value(fill_token_);
  relative_halves(state, full_, feed_half_, fill_half_);
  cursor_.relative(state, plan, at);
  if (state.loading()) fill_group_ = (plan.passes * plan.groups - fill_groups_left_) % plan.groups;
}

void KernFeederGw::fill(Cycles now, const Plan& plan, Fifo& in) {
  const auto half = static_cast<std::size_t>(fill_half_);
  if (plan.with_data) std::copy_n(in.front(), plan.alpha.y, words_[half].begin() + fill_token_ * plan.alpha.y);
  in.pop(now);
  if (++fill_token_ < fill_tokens(plan)) return;
  fill_token_ = 0;
  full_[half] = true;
  fill_half_ ^= 1;
  --fill_groups_left_;
  if (++fill_group_ == plan.groups) fill_group_ = 0;
}

void KernFeederGw::feed(Cycles now, const Plan& plan, Fifo& out) {
  const auto half = static_cast<std::size_t>(feed_half_);
  if (Word* const token = out.push(now)) {
    const Words pitch = align_up(plan.beta.kern_map(), plan.alpha.y);
    for (int y = 0; y < plan.alpha.y; ++y) {
      const Words tap = tap_at(plan, cursor_, y);
      token[y] = tap < 0 ? Word{} : words_[half][static_cast<std::size_t>(y * pitch + tap)];
    }
  }
  if (!cursor_.advance(plan)) return;
  full_[half] = false;
  feed_half_ ^= 1;
}

}  // namespace weft::fpgpt
