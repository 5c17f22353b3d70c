#include "model/fpgpt/exact/answered_writes.h"

#include <algorithm>

#include "model/fpgpt/exact/interval.h"

namespace weft::fpgpt::exact {

using engine::Transfer;

AnsweredWrites::AnsweredWrites(const Plan& plan, const Anchor& anchor, WriteAnswer answer)
    : from_(anchor.now), base_(base_address(plan, anchor.round, base_of(Port::Out, 0))), answer_(answer) {}

void AnsweredWrites::take(Kernel& kernel, Cycles now) {
  stream::WritePort& port = kernel.out.port;
  const Cycles cycle = now - from_;
  if (port.requested) {
    add(sent, Transfer::Write, base_of(Port::Out, 0), base_, port.request, cycle);
    ++bursts;
  }
  if (!port.beat_sent) return;
  add(sent, Transfer::WriteBeat, base_of(Port::Out, 0), base_, {port.beat_address, 1}, cycle);
  ++beats;
  // The address is sent with the first beat, because the memory always accepts both.
  if (!kernel.out.writer.burst_open()) {
    port.responses.push(now + answer_.after);
    append(answers, cycle + answer_.after, 1);
  }
}

namespace {

// Counts of a writer in an interval. `open_at_once`: no burst waits for a response.
struct WriterCounts {
  Cycles active = 0, waits = 0;
  bool open_at_once = true;
};

WriterCounts counts_of(const engine::RequestTrace& out, Cycles from, std::int64_t outstanding, std::int64_t most,
                       const std::vector<Cycles>& responses) {
  WriterCounts counts;
  const Cycles end = from + out.cycles;
  auto event = out.events.begin() + 1;  // the first is a dummy
  auto response = responses.begin();
  for (Cycles now = from; now < end; ++now) {
    Cycles next = end;
    if (event != out.events.end()) next = std::min(next, from + event->cycle);
    if (response != responses.end()) next = std::min(next, *response);
    if (outstanding > 0) counts.waits += next - now;
    if (next == end) break;
    now = next;
    bool opens = false, beat = false;
    for (; event != out.events.end() && from + event->cycle == now; ++event) {
      opens = opens || event->transfer == Transfer::Write;
      beat = beat || event->transfer == Transfer::WriteBeat;
    }
    const bool answered = response != responses.end() && *response == now;
    if (answered) ++response;
    if (opens && outstanding >= most) counts.open_at_once = false;
    if (outstanding > 0 && !beat) ++counts.waits;
    if (beat || answered) ++counts.active;
    outstanding += (opens ? 1 : 0) - (answered ? 1 : 0);
  }
  return counts;
}

}  // namespace

std::optional<LateResponses> late_responses(const engine::RequestTrace& out, Cycles from, std::int64_t outstanding,
                                            std::int64_t most, const std::vector<Cycles>& assumed,
                                            const std::vector<Cycles>& given) {
  const WriterCounts is = counts_of(out, from, outstanding, most, given);
  if (!is.open_at_once) return std::nullopt;
  const WriterCounts was = counts_of(out, from, outstanding, most, assumed);
  return LateResponses{is.active - was.active, is.waits - was.waits};
}

bool confirm(const std::vector<Cycles>& given, Cycles now, std::vector<Cycles>& assumed, Cycles& last) {
  const std::size_t confirmed = given.size();
  if (confirmed > assumed.size() || !std::equal(given.begin(), given.end(), assumed.begin())) return false;
  if (confirmed < assumed.size() && assumed[confirmed] < now) return false;
  if (confirmed > 0) last = given.back();
  assumed.erase(assumed.begin(), assumed.begin() + static_cast<std::ptrdiff_t>(confirmed));
  return true;
}

}  // namespace weft::fpgpt::exact
