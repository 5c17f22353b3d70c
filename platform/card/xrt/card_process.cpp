#include "platform/card/xrt/card_process.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/card/status.h"
#include "platform/card/xrt/handover.h"
#include "platform/card/xrt/host_order.h"
#include "platform/card/xrt/server.h"
#include "platform/card/xrt/xclbin.h"
#include "platform/os/standard_streams.h"

namespace weft::xrt {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Picoseconds kSecond = 1'000'000'000'000;

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

// Returns the line at the end of a card run; simulated time to the picosecond.
std::string summary(card::Card& card, double wall_seconds, const HostOrder& order, std::uint64_t unordered) {
  const card::Totals& totals = card.totals();
  std::string line =
      fmt::format("card: {}.{:012} s simulated in {:.3f} s; {}, {} bytes to the card and {} back; {}, {}",
                  card.now() / kSecond, card.now() % kSecond, wall_seconds, counted(totals.calls(), "call", "calls"),
                  grouped(totals.to_card), grouped(totals.to_host), counted(totals.launches, "launch", "launches"),
                  counted(totals.reconfigurations, "reconfiguration", "reconfigurations"));
  if (totals.refused > 0) {
    line += fmt::format("; {} refused, the first {}", counted(totals.refused, "launch", "launches"),
                        card.faults().first_refused());
  }
  if (totals.overflows > 0)
    line += fmt::format("; {} 32 bits", counted(totals.overflows, "sum exceeded", "sums exceeded"));
  if (totals.serialised > 0) {
    line += fmt::format("; {} {}.{:012} s for a kernel in the same bank; a board does both at once",
                        counted(totals.serialised, "transfer waited", "transfers waited"),
                        totals.serialised_time / kSecond, totals.serialised_time % kSecond);
  }
  std::vector<std::string> reasons;
  const auto add = [&](std::uint64_t count, const char* one, const char* many, const char* what) {
    if (count > 0) reasons.push_back(counted(static_cast<std::int64_t>(count), one, many) + what);
  };
  add(unordered, "call", "calls", " while the program had not waited for the kernel");
  add(order.racing, "call", "calls", " of a thread that had not waited for the call of another one");
  add(order.unfinished, "command", "commands", " under way when the program ended");
  if (card.faults().count() > 0) line += "; " + counted(card.faults().count(), "warning", "warnings");
  if (!reasons.empty()) line += fmt::format("; the time is not repeatable: {}", fmt::join(reasons, ", "));
  return line;
}

// Record of the order of calls that the programs of a run write.
class HostOrderReader {
 public:
  explicit HostOrderReader(const std::filesystem::path& run_folder) : order_(map_host_order(run_folder)) {
    if (!order_) throw Error(fmt::format("cannot map '{}' in '{}'", kHostOrderFile, run_folder.string()));
  }

  const HostOrder& operator*() const { return *order_; }
  // To be called when a program has loaded an xclbin: the next starts are of its launches.
  void begin(const card::Card& card) {
    next_ = order_->starts;
    const auto out = std::find_if(card.arguments().begin(), card.arguments().end(),
                                  [](const design::KernelArgument& each) { return each.name == "OUT_BASE"; });
    order_->arguments = card.arguments().size();
    order_->out_argument = static_cast<std::uint64_t>(out - card.arguments().begin());
  }
  // Takes the next launch, which starts now: true if it was handed over while the previous one was under way.
  bool next_is_queued(card::Card& card) {
    const std::size_t at = next_++ % HostOrder::kStarts;
    card.arguments_are_unset(order_->unset[at]);
    numbers_.resize(std::min<std::size_t>(next_, HostOrder::kStarts));
    numbers_[at] = {card.totals().calls() + 1, card.totals().launches + 1};
    taken_ = at;
    return order_->queued[at];
  }
  // The launch that was taken.
  void launched(const card::Call& launch) {
    if (!taken_) return;
    order_->launch_start_ps[*taken_] = launch.start;
    order_->launch_end_ps[*taken_] = launch.end;
    taken_.reset();
  }
  void tell_time(card::Card& card) {
    order_->now_ps = card.now();
    order_->transfer_start_ps = card.transfer_start();
    order_->settling = false;
  }
  // True if a program has begun another transfer since this was last asked.
  bool transfer_begins() {
    const std::uint64_t before = std::exchange(transfers_, order_->transfers.load());
    return transfers_ != before;
  }
  void settling() { order_->settling = true; }
  // Tells of a launch whose OUT was read back too early.
  void tell_early(card::ProgramFaults& faults) const {
    const std::uint64_t start = order_->first_early;
    for (std::uint64_t i = 0; i < order_->early; ++i) {
      faults.read_early(start > 0 && start <= numbers_.size() ? numbers_[start - 1] : card::ProgramFaults::Number());
    }
  }

 private:
  HostOrder* order_;
  std::uint64_t next_ = 0, transfers_ = 0;
  std::vector<card::ProgramFaults::Number> numbers_;  // of the launches by their starts
  std::optional<std::size_t> taken_;                  // place of a launch that is about to start
};

class Transcript {
 public:
  explicit Transcript(const std::filesystem::path& path) {
    if (path.empty()) return;
    out_.open(path, std::ios::binary);
    out_ << kTranscriptColumns;
  }
  void add(const card::Call& call) {
    if (out_.is_open()) {
      out_ << fmt::format("{},{:#x},{},{},{},{},\"{}\"\n", card::to_string(call.kind), call.address, call.bytes,
                          call.data, call.start, call.end, call.why);
    }
  }
  void finish(const std::filesystem::path& path) {
    if (path.empty()) return;
    out_ << std::flush;
    if (!out_) throw Error(fmt::format("cannot write '{}'", path.string()));
  }

 private:
  std::ofstream out_;
};

void warn(const std::string& line) {
  os::say(fmt::format("weft: warning: card: {}\n", printable(line)));
}

}  // namespace

CardReport serve_card(Visits& visits, const std::filesystem::path& folder, const card::CardSettings& settings,
                      const std::filesystem::path& transcript) {
  const Clock::time_point begin = Clock::now();
  card::Card card("card", settings);
  Transcript lines(transcript);
  const card::StatusWriter status(folder);
  Visit* current = nullptr;
  HostOrderReader order(folder);
  card.on_call = [&](const card::Call& call) {
    if (call.kind == card::Call::Kind::Launch) order.launched(call);
    lines.add(call);
  };
  Server::Notes notes;
  notes.warn = warn;
  notes.closing = [&] { visits.release(*current, kClosed); };
  notes.answering = [&] {
    status.write(card);
    order.tell_time(card);
  };
  notes.settling = [&] { order.settling(); };
  notes.begins = [&] { return order.transfer_begins(); };
  notes.queued = [&] { return order.next_is_queued(card); };
  Server server(card, std::move(notes));
  card.faults().on_fault = warn;
  while (auto visit = visits.next()) {
    current = &*visit;
    try {
      const Bitstream bitstream = read_bitstream(visit->bitstream);
      require_fits(bitstream, card.run(), card.memory());
      card.load(bitstream.kernel);
    } catch (const Error&) {
      visits.release(*visit, kRefused);
      throw;
    }
    order.begin(card);
    server.serve(visit->shim);
    visits.release(*visit, kClosed);  // without a Close the program is gone
    close(visit->shim);
  }
  card.finish();
  order.tell_early(card.faults());
  card.faults().lost();
  lines.finish(transcript);
  const std::chrono::duration<double> wall = Clock::now() - begin;
  // The program counts its own order; the card's count covers interfaces that the program's side does not count.
  const std::uint64_t unordered = std::max((*order).unordered.load(), server.unordered_calls());
  return {0, summary(card, wall.count(), *order, unordered), settings.strict && card.faults().count() > 0};
}

}  // namespace weft::xrt
