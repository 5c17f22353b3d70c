#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/core/intern.h"
#include "model/core/units.h"
#include "model/fpgpt/exact/interval.h"
#include "model/fpgpt/exact/lookahead.h"

namespace weft::fpgpt::exact {

// Alignment of the tensors around a round (beat, 4 KB page), as numbers. Rounds with equal numbers are
// indistinguishable to the kernel. Numbers are shared by convolutions that differ only in the addresses of their
// tensors.
class AlignmentFingerprint {
 public:
  // Begins a convolution. `rounds`: of an interval. Numbers of earlier convolutions stay valid.
  void begin(const Plan& plan, std::int64_t rounds) {
    plan_ = &plan;
    rounds_ = plan.passes * plan.groups;
    // Rounds of a burst: of two consecutive rounds at least one makes Y rows, unless a pass has a single round.
    const Words rows = plan.groups > 1 ? plan.alpha.y : plan.last_group_rows;
    // A burst does not cross the end of a run.
    const Words burst_words = std::min(Words{plan.alpha.out_port.max_burst_beats} * plan.out.band, plan.out.run_words);
    const std::int64_t burst_rounds = (plan.groups > 1 ? 2 : 1) * ceil_div(burst_words, rows * plan.beta.out_map());
    horizon_ = 3 + rounds + burst_rounds;
    at(-1);
  }

  // Returns the beat alignment of INP in the rounds from `lookahead.rounds_back` before this one to `lookahead.rounds`
  // after it, and of KERN in the passes of GW.
  std::uint32_t front(std::int64_t round, const Lookahead& lookahead) {
    at(round);
    for (const auto& [key, number] : front_) {
      if (key == lookahead) return number;
    }
    aspect(Aspect::Front);
    inp(round, lookahead.rounds_back, lookahead.rounds, plan_->inp.band);
    if (plan_->gw()) kern(round, lookahead.passes_back, lookahead.passes, plan_->kern.band);
    front_.emplace_back(lookahead, number());
    return front_.back().second;
  }
  // Returns the page alignment of the tensor of a read port.
  std::uint32_t pages(std::size_t port, std::int64_t round, const ReaderLookahead& lookahead) {
    at(round);
    for (const auto& [key, number] : pages_[port]) {
      if (key == lookahead) return number;
    }
    aspect(Aspect::Pages);
    pages_of(port, round, lookahead);
    pages_[port].emplace_back(lookahead, number());
    return pages_[port].back().second;
  }
  // Returns the alignment of OUT around this round: page and beat, incomplete groups, ends of runs.
  std::uint32_t out(std::int64_t round) {
    at(round);
    if (!out_) {
      aspect(Aspect::Out);
      out_of(round);
      out_ = number();
    }
    return *out_;
  }

  void evict() {
    numbers_ = {};
    at(-1);
  }
  std::size_t memory() const { return numbers_.memory(); }  // approximate bytes

 private:
  Words page_words(Port port, int band) const { return stream::kPageBytes / plan_->alpha.beat_bytes(port) * band; }

  enum class Aspect : std::int64_t { Front, Pages, Out };

  void at(std::int64_t round) {
    if (round == round_) return;
    round_ = round;
    front_.clear();
    for (auto& pages : pages_) pages.clear();
    out_.reset();
  }
  void aspect(Aspect aspect) { values_.assign(1, static_cast<std::int64_t>(aspect)); }
  std::uint32_t number() {
    return numbers_.number({reinterpret_cast<const char*>(values_.data()), values_.size() * sizeof(std::int64_t)});
  }

  // Calls visit(pass, phase) for the passes first .. last, with kPastEnd for passes after the convolution's last.
  static constexpr std::int64_t kPastEnd = -1;
  template <typename Visit>
  void for_each_phase(const stream::RangeLoop& loop, std::int64_t first, std::int64_t last, Words modulus,
                      Visit visit) const {
    std::int64_t of_run = first % loop.n;
    Words word = loop.base + first / loop.n * loop.pitch_a + of_run * loop.pitch_n;
    for (std::int64_t pass = first; pass <= last; ++pass) {
      visit(pass, pass < plan_->passes ? word % modulus : kPastEnd);
      word += ++of_run < loop.n ? loop.pitch_n : loop.pitch_a - (loop.n - 1) * loop.pitch_n;
      if (of_run == loop.n) of_run = 0;
    }
  }
  // Records the phase where it changes, not for every pass, so that equal passes give equal numbers.
  void inp(std::int64_t round, std::int64_t back, std::int64_t ahead, Words modulus) {
    values_.push_back(back << 8 | ahead);
    const std::size_t changes = values_.size();
    values_.push_back(0);
    const std::int64_t first = std::max<std::int64_t>(round - back, 0) / plan_->groups;
    std::int64_t before = kPastEnd - 1;
    for_each_phase(plan_->inp, first, (round + ahead) / plan_->groups, modulus, [&](std::int64_t pass, Words phase) {
      if (phase == before) return;
      before = phase;
      ++values_[changes];
      values_.push_back(pass == first ? 0 : pass * plan_->groups - round);
      values_.push_back(phase);
    });
  }
  void kern(std::int64_t round, std::int64_t back, std::int64_t ahead, Words modulus) {
    const std::int64_t pass = round / plan_->groups;
    values_.push_back(back << 8 | ahead);
    for (std::int64_t i = pass - back; i < 0; ++i) values_.push_back(kPastEnd);
    for_each_phase(plan_->kern, std::max<std::int64_t>(pass - back, 0), pass + ahead, modulus,
                   [&](std::int64_t, Words phase) { values_.push_back(phase); });
  }
  void pages_of(std::size_t port, std::int64_t round, const ReaderLookahead& lookahead) {
    if (port == 0) inp(round, lookahead.back, lookahead.ahead, page_words(Port::Inp, plan_->inp.band));
    if (port == 1 && plan_->gw())
      kern(round, lookahead.back, lookahead.ahead, page_words(Port::Kern, plan_->kern.band));
  }
  void out_of(std::int64_t round) {
    const std::int64_t group = round % plan_->groups;
    values_.insert(values_.end(), {out_word(*plan_, round) % page_words(Port::Out, plan_->out.band),
                                   std::min(plan_->groups - 1 - group, horizon_), std::min(group, horizon_),
                                   std::min(rounds_ - round, horizon_)});
  }

  const Plan* plan_ = nullptr;
  std::int64_t rounds_ = 0;
  std::int64_t horizon_ = 3;
  States numbers_;
  std::vector<std::int64_t> values_;
  std::int64_t round_ = -1;
  std::vector<std::pair<Lookahead, std::uint32_t>> front_;
  std::array<std::vector<std::pair<ReaderLookahead, std::uint32_t>>, 2> pages_;
  std::optional<std::uint32_t> out_;
};

}  // namespace weft::fpgpt::exact
