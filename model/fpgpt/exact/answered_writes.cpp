#include "model/fpgpt/exact/answered_writes.h"

#include <algorithm>

#include "model/fpgpt/exact/stretch.h"

namespace weft::fpgpt::exact {

using engine::Transfer;

void AnsweredWrites::take(Kernel& kernel, const Anchor& anchor, Cycles now, WriteAnswer answer) {
  stream::WritePort& port = kernel.out.port;
  const Plan& plan = *kernel.plan;
  const Cycles cycle = now - anchor.now;
  if (port.requested) {
    add(sent, Transfer::Write, base_of(Port::Out, 0), port.request, cycle, plan, anchor.round);
    ++bursts;
  }
  if (!port.beat_sent) return;
  add(sent, Transfer::WriteBeat, base_of(Port::Out, 0), {port.beat_address, 1}, cycle, plan, anchor.round);
  ++beats;
  // The address goes out with the first beat, for the memory always takes both.
  if (!kernel.out.writer.burst_open()) {
    port.responses.push(now + answer.after);
    append(answers, cycle + answer.after, 1);
  }
}

bool confirm(const std::vector<Cycles>& given, Cycles now, std::vector<Cycles>& assumed, Cycles& last) {
  const std::size_t confirmed = given.size();
  if (confirmed > assumed.size() || !std::equal(given.begin(), given.end(), assumed.begin())) return false;
  if (confirmed > 0) {
    last = given.back();
    assumed.erase(assumed.begin(), assumed.begin() + static_cast<std::ptrdiff_t>(confirmed));
  }
  return assumed.empty() || assumed.front() >= now;
}

}  // namespace weft::fpgpt::exact
