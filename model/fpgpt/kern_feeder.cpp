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

bool kern_position(const Plan& plan, const FeedCursor& cursor, int y, KernPosition& position) {
  if (y >= plan.rows(cursor.group)) return false;
  std::int64_t phase = cursor.phase;
  if (!plan.alpha.profile.overlap_drain) {  // row y is y tokens behind row 0; P >= Y, so at most one set behind
    phase -= y;
    if (phase < 0) {
      if (cursor.set == 0) return false;
      phase += plan.spacing;
    } else if (cursor.set == plan.sets) {
      return false;
    }
  }
  if (phase >= plan.m) return false;
  const conv::Convolution& c = plan.beta;
  const int columns = c.w.kern_dilated();
  const std::int64_t in_map = phase % plan.positions;
  const int i = static_cast<int>(in_map / columns), j = static_cast<int>(in_map % columns);
  if (i % c.h.kern_dilation != 0 || j % c.w.kern_dilation != 0) return false;
  position = {phase / plan.positions, i / c.h.kern_dilation, j / c.w.kern_dilation};
  return true;
}

namespace {

// Index in memory order of KERN word (n, c, i, j): (N, C, kh, kw), or for GI (C, N, kh, kw) turned by 180 degrees.
Words kern_index(const conv::Convolution& c, std::int64_t n, const KernPosition& at) {
  const std::int64_t map = std::int64_t{c.h.kern} * c.w.kern;
  if (!c.kern_transposed()) return n * c.kern_map() + at.c * map + std::int64_t{at.i} * c.w.kern + at.j;
  return (at.c * c.n_kern + n) * map + std::int64_t{c.h.kern - 1 - at.i} * c.w.kern + (c.w.kern - 1 - at.j);
}

}  // namespace

KernFeederFgi::KernFeederFgi(const Plan& plan) {
  if (plan.with_data) words_.resize(static_cast<std::size_t>(plan.kern.words));
}

bool KernFeederFgi::feedable(const Plan& plan) const {
  if (loaded_ == plan.kern.words) return true;
  if (!plan.alpha.profile.early_kern_feed) return false;
  const Words first_row = cursor_.group * plan.alpha.y;
  KernPosition at;
  for (int y = 0; y < plan.alpha.y; ++y) {
    if (kern_position(plan, cursor_, y, at) && kern_index(plan.beta, first_row + y, at) >= loaded_) return false;
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
  if (float* const token = out.push(now)) {
    KernPosition at;
    for (int y = 0; y < plan.alpha.y; ++y) {
      const bool zero = !kern_position(plan, cursor_, y, at);
      token[y] = zero ? 0.0F
                      : words_[static_cast<std::size_t>(kern_index(plan.beta, cursor_.group * plan.alpha.y + y, at))];
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
  if (float* const token = out.push(now)) {
    const Words pitch = align_up(plan.beta.kern_map(), plan.alpha.y);
    KernPosition at;
    for (int y = 0; y < plan.alpha.y; ++y) {
      const bool zero = !kern_position(plan, cursor_, y, at);
      token[y] = zero ? 0.0F
                      : words_[half][static_cast<std::size_t>(y * pitch + std::int64_t{at.i} * plan.beta.w.kern + at.j)];
    }
  }
  if (!cursor_.advance(plan)) return;
  full_[half] = false;
  feed_half_ ^= 1;
}

}  // namespace weft::fpgpt
