#include "model/fpgpt/exact/answered_writes.h"

#include <algorithm>

#include "model/fpgpt/exact/stretch.h"

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
  // The address goes out with the first beat, for the memory always takes both.
  if (!kernel.out.writer.burst_open()) {
    port.responses.push(now + answer_.after);
    append(answers, cycle + answer_.after, 1);
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
