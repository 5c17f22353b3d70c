#include "platform/iteration/timeline/comparison.h"

#include <utility>

#include "platform/run/comparison.h"

namespace weft::timeline {

static void figures(record::Visitor& io, TimelineResult& of) {
  io("batch", "images", "of an iteration", of.batch);
  io("conv_gops", "GOPS", "of the convolutions while kernels run", of.conv_gops);
  io("gops", "GOPS", "of the convolutions over the iteration", of.gops);
  io("kernels", "kernels", "on the card in turn", of.counts.kernels);
  io("loads", "loads", "of bitstreams in an iteration", of.counts.loads);
  io("launches", "launches", "in an iteration", of.counts.launches);
  io("calls", "calls", "of the runtime in an iteration", of.counts.calls);
  io("bytes_to_card", "bytes", "over the link to the card", of.counts.to_card);
  io("bytes_to_host", "bytes", "over the link to the host", of.counts.to_host);
}

void fields(record::Visitor& io, ComparedPart& part) {
  io("part", "as a timeline's where_ps names it, or iteration", part.part);
  io("a_ps", "ps", "of an iteration of A", part.a);
  io("b_ps", "ps", "of an iteration of B", part.b);
  io("a_seconds_per_image", "s", "of A, an image", part.a_image_s);
  io("b_seconds_per_image", "s", "of B, an image", part.b_image_s);
  io.nullable("change", "1", "time an image: B / A - 1; null where A has none", part.change);
}

void fields(record::Visitor& io, TimelineComparison& comparison) {
  io.head("compare timelines", 2, comparison.weft_version);
  io("a", "the first, as it was named", comparison.a);
  io("b", "the second", comparison.b);
  io.list("keys", "keys of the run that differ", "", "a key", comparison.keys);
  io.group("iteration", "an iteration of each", [&](record::Visitor& sub) {
    sub.group("a", "one of the two", [&](record::Visitor& side) { figures(side, comparison.iteration_a); });
    sub.group("b", "one of the two", [&](record::Visitor& side) { figures(side, comparison.iteration_b); });
  });
  io.list("where", "what either spends time on; last the iteration", "", "a part", comparison.where);
}

TimelineComparison compare(TimelineResult a, TimelineResult b) {
  TimelineComparison comparison;
  const auto add = [&](const char* name, Picoseconds time_a, Picoseconds time_b) {
    ComparedPart part{name, time_a, time_b, seconds(time_a) / a.batch, seconds(time_b) / b.batch, {}};
    if (time_a != 0) part.change = run::change(part.a_image_s, part.b_image_s);
    comparison.where.push_back(part);
  };
  for (std::size_t i = 0; i < kStepKinds; ++i) {
    const Picoseconds time_a = a.where[i].value_or(0), time_b = b.where[i].value_or(0);
    if (time_a != 0 || time_b != 0) add(kPartNames[i].name, time_a, time_b);
  }
  if (a.idle != 0 || b.idle != 0) add("idle", a.idle, b.idle);
  add("iteration", a.counts.end, b.counts.end);
  comparison.iteration_a = std::move(a);
  comparison.iteration_b = std::move(b);
  return comparison;
}

}  // namespace weft::timeline
