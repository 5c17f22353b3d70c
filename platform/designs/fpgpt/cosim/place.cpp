#include <array>
#include <optional>
#include <string>
#include <vector>

#include "platform/designs/fpgpt/cosim/kernel_case.h"

namespace weft::fpgpt {

namespace {

using cosim::Place;
using Trips = std::vector<cosim::Trip>;

Trips in(Trips inner, const Trips& outer) {
  inner.insert(inner.end(), outer.begin(), outer.end());
  return inner;
}

// Place of a token that is one of the useful beats of a range.
Place in_range(const stream::RangeLoop& loop, std::int64_t token, const Trips& ranges) {
  stream::RangeCursor cursor;
  while (!cursor.done(loop) && token >= cursor.useful_beats(loop)) {
    token -= cursor.useful_beats(loop);
    cursor.advance(loop);
  }
  Place place = cosim::place_of(cursor.index(loop), ranges);
  place.emplace_back("beat", token);
  return place;
}

// Number of the OUT word in a lane of a beat.
Words out_word(const stream::WriteLoop& loop, std::int64_t beat, std::optional<std::size_t> lane) {
  stream::WriteBeats beats(loop);
  Words word = 0;
  for (; beat > 0 && !beats.done(loop); --beat) {
    word += beats.lanes();
    beats.advance(loop);
  }
  return lane ? word + static_cast<Words>(*lane) - beats.first_lane() : word;
}

}  // namespace

// Names are those of section 3 of the contract: group and set are those of kernels and outputs (Y-group, X-set), window
// is the dilated window.
Place KernelCase::place(std::size_t fifo, std::int64_t token, std::optional<std::size_t> lane) const {
  const Plan& p = plan_;
  const conv::Convolution& c = p.beta;
  const Trips pass{{"n", c.n_inp}, {"a", c.a}};
  const Trips set = in({{"set", p.sets}, {"group", p.groups}}, pass), window = in({{"channel", c.c}}, set);
  const Trips product = in({{"window_column", c.w.kern_dilated()}, {"window_row", c.h.kern_dilated()}}, window);
  const Trips map = p.gw() ? Trips{{"n", c.n_inp}, {"kernel", c.n_kern}} : Trips{{"kernel", c.n_kern}, {"n", c.n_inp}};
  switch (static_cast<FifoId>(fifo)) {
    case FifoId::InpBeat:
    case FifoId::InpWord:
      return in_range(p.inp, token, window);
    case FifoId::InpGroup:
      return cosim::place_of(token, in({{"part", ceil_div(p.z_channel, p.alpha.z)}}, window));
    case FifoId::InpColumn:
      return cosim::place_of(token, product);
    case FifoId::KernBeat:
      return in_range(p.kern, token, p.gw() ? pass : Trips{});
    case FifoId::KernWord:
      if (!p.gw() && p.alpha.profile.wide_kern_load) return in_range(p.kern, token, {});
      if (!p.gw()) return cosim::place_of(token, {{"word", c.kern_words()}});
      return cosim::place_of(token, in({{"part", ceil_div(c.kern_map(), p.alpha.y)}, {"kernel", c.n_kern}}, pass));
    case FifoId::KernRow: {  // KERN-7, KERN-8
      const bool skewed = !p.alpha.profile.overlap_drain;
      if (!skewed) return cosim::place_of(token, product);
      const std::int64_t tokens = p.spacing * p.sets + p.alpha.y, round = token / tokens;
      const std::int64_t at = token % tokens - static_cast<std::int64_t>(lane.value_or(0));
      const std::int64_t m = at % p.spacing;
      if (at < 0 || at >= p.spacing * p.sets || m >= p.m)
        return cosim::place_of(round, in({{"group", p.groups}}, pass));
      return cosim::place_of((round * p.sets + at / p.spacing) * p.m + m, product);
    }
    case FifoId::OutRow:
      return cosim::place_of(token, in({{"row", p.alpha.y}}, set));
    case FifoId::OutGroup:
      return cosim::place_of(token, in({{"set", p.sets}}, map));
    case FifoId::OutBeat:
      return cosim::place_of(out_word(p.out, token, lane),
                             in({{"output_column", c.w.out}, {"output_row", c.h.out}}, map));
  }
  return {};
}

cosim::RtlInstance KernelCase::instance_of(std::size_t block) const {
  constexpr std::array<const char*, kBlocks> kFiles{
      "ddr_reader.sv", "inp_decode.sv", "inp_construct.sv", "im2col.sv", "ddr_reader.sv", "kern_decode_",
      "kern_feeder_",  "array.sv",      "out_constructor_", "encode.sv", "run_writer.sv"};
  const auto which = static_cast<Block>(block);
  std::string file = kFiles.at(block);
  if (file.back() == '_') {
    const bool decodes = which == Block::KernDecode;
    file += plan_.gw() ? "gw.sv" : !decodes ? "fgi.sv" : plan_.alpha.profile.wide_kern_load ? "wide.sv" : "narrow.sv";
  }
  return {std::string("u_") + (which == Block::InpIm2col ? "im2col" : to_string(which)), file};
}

}  // namespace weft::fpgpt
