#include "platform/hardware/perfetto/trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/os/output_file.h"
#include "platform/run/watched.h"

namespace weft::run {

namespace {

constexpr const char* kPerfettoOption = "--perfetto";

// Records a window of the observed launches.
class Drawing : public stream::Observer {
 public:
  Drawing(const std::string& title, const Topology& topology, const TraceWindow& window, const Frequency& clock)
      : trace_(title), clock_(clock), from_(window.from), end_(window.from + window.cycles) {
    launch_.track = trace_.add_track("convolution");
    for (const BlockInfo& block : topology.blocks) blocks_.push_back({trace_.add_track(block.name), 0, ""});
    for (const FifoInfo& fifo : topology.fifos) fifos_.push_back({trace_.add_counter(fifo.name, "tokens"), 0});
  }

  void begin(const stream::Observed& what, memory::Memory&) override {
    change(launch_, start_, what.name);
    last_ = -1;
  }
  bool after(Cycles now, const stream::CycleEvents& events) override {
    // Tokens moved in a cycle are visible in the next.
    const Cycles cycle = start_ + now, since = start_ + last_ + 1;
    last_ = now;
    for (std::size_t i = 0; i < fifos_.size(); ++i) fill(fifos_[i], since, events.fifos[i].fill);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      change(blocks_[i], cycle, kActivityNames.at(static_cast<std::size_t>(events.blocks[i])));
    }
    return cycle + 1 < end_ && !full();
  }
  void end(Cycles cycles) override {
    start_ += cycles;
    for (Counter& each : fifos_) fill(each, start_, 0);
  }

  bool done() const { return start_ >= end_ || full(); }
  bool full() const { return trace_.size() > perfetto::Trace::kMostBytes; }
  Cycles reached() const { return start_; }
  // Call after the last launch.
  std::string bytes() {
    const Cycles last = std::min(end_, start_);
    enter(last);
    change(launch_, last, "");
    for (Lane& each : blocks_) change(each, last, "");
    return trace_.bytes();
  }

 private:
  struct Lane {
    perfetto::Trace::Track track = 0;
    Cycles since = 0;
    std::string state;
  };
  struct Counter {
    perfetto::Trace::Track track = 0;
    int tokens = 0;
  };

  // Start of a cycle; the format has whole nanoseconds.
  std::int64_t ns(Cycles cycle) const { return cycle_start(cycle, clock_) / 1000; }

  void change(Lane& lane, Cycles at, const std::string& state) {
    if (lane.state == state) return;
    const Cycles first = std::max(lane.since, from_), last = std::min(at, end_);
    if (!lane.state.empty() && first < last) {
      trace_.slice(lane.track, ns(first), ns(last), lane.state, {{"cycle", first}});
    }
    lane.since = at;
    lane.state = state;
  }
  void fill(Counter& fifo, Cycles at, int tokens) {
    if (fifo.tokens == tokens) return;
    if (at > from_ && at < end_) {
      enter(at);
      trace_.count(fifo.track, ns(at), tokens);
    }
    fifo.tokens = tokens;
  }
  // Records the FIFO levels at the start of the window, before its first change.
  void enter(Cycles at) {
    if (entered_ || at <= from_) return;
    entered_ = true;
    for (const Counter& each : fifos_) trace_.count(each.track, ns(from_), each.tokens);
  }

  perfetto::Trace trace_;
  Frequency clock_;
  Cycles from_, end_;
  Cycles start_ = 0, last_ = -1;  // start of the launch, and its last stepped cycle
  bool entered_ = false;
  Lane launch_;
  std::vector<Lane> blocks_;
  std::vector<Counter> fifos_;
};

std::string convolution_name(const design::Row& row) {
  return fmt::format("{}:{}", row.layer.name, conv::to_string(row.kind));
}

}  // namespace

RunTrace::RunTrace(std::string file, const config::RunConfig& run, workloads::Network network,
                   const TraceWindow& window)
    : file_(std::move(file)), run_(run), network_(std::move(network)), window_(window) {
  if (run.rung == config::Rung::Analytical) {
    throw Error(
        fmt::format("{} {}: rung analytical has no cycles to show; allowed: systemc, exact", kPerfettoOption, file_));
  }
  if (window.from < 0) throw Error(fmt::format("--from {}: must be 0 or more", window.from));
  if (window.cycles < 1) throw Error(fmt::format("--cycles {}: must be 1 or more", window.cycles));
  const os::OutputFile writable(file_, kPerfettoOption, perfetto::Trace::kMark);
  const auto rows = design::design_of(run).plan(run, network_)->rows();
  if (rows.size() == 1) return;
  throw Error(fmt::format("{} {}: a trace shows one convolution, but this run has {}: choose one, e.g. --only '{}'",
                          kPerfettoOption, file_, rows.size(),
                          rows.empty() ? "LAYER:KIND" : convolution_name(rows.front())));
}

void RunTrace::write() const {
  const design::Design& design = design::design_of(run_);
  const std::unique_ptr<design::Work> work = design.plan(run_, network_);
  Drawing drawing(fmt::format("{}: {}", run_.name, convolution_name(work->rows().front())), design.topology(), window_,
                  run_.kernel->clock);
  const std::size_t units = work->units().size();
  for (std::size_t unit = 0; unit < units && !drawing.done(); ++unit) {
    design::offered<design::Watched>(*work).watch(
        unit, run_.seed + unit, [](Cycles) {}, drawing);
  }
  if (drawing.full()) {
    throw Error(fmt::format(
        "{} {}: the trace exceeds the {} MB that a viewer can load after {} of {} cycles: use a smaller "
        "--cycles",
        kPerfettoOption, file_, perfetto::Trace::kMostBytes >> 20, drawing.reached() - window_.from, window_.cycles));
  }
  if (drawing.reached() <= window_.from) {
    throw Error(fmt::format("--from {}: must be below the convolution's {} cycles", window_.from, drawing.reached()));
  }
  os::OutputFile(file_, kPerfettoOption, perfetto::Trace::kMark).write(drawing.bytes());
}

}  // namespace weft::run
