#include "model/pipeline/exact.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <utility>

#include "model/core/error.h"

namespace weft::pipeline {
namespace {

constexpr Cycles kLongAgo = -1;      // time of a place that was always free
constexpr std::size_t kStates = 64;  // states stored to detect a repetition

// Largest use of a FIFO.
struct Marks {
  std::int64_t high_water = 0, places = 0;

  // A token given in cycle `given` is taken. `taken`: times of the latest tokens taken before; those that no longer
  // matter are removed.
  void take(Cycles given, Cycles latency, std::deque<Cycles>& taken) {
    while (!taken.empty() && taken.front() + 1 + latency <= given) taken.pop_front();
    places = std::max(places, static_cast<std::int64_t>(taken.size()) + 1);
    const auto held = taken.end() - std::upper_bound(taken.begin(), taken.end(), given);
    high_water = std::max<std::int64_t>(high_water, held + 1);
  }
};

struct FifoState {
  std::deque<Cycles> given;  // push times of the tokens not yet taken
  std::deque<Cycles> freed;  // times of the free places; a bounded FIFO has `depth` places in total
  std::deque<Cycles> taken;  // pop times of the latest tokens
  Marks marks;
};

void add_marks(Simulated& simulated, const Marks& marks) {
  simulated.high_water.push_back(marks.high_water);
  simulated.places.push_back(marks.places);
}

struct BlockState {
  std::size_t group = 0;  // group of steps
  std::int64_t step = 0;  // step in the group
  bool begun = false;
  Cycles begin = 0, end = -1;
};

class Run {
 public:
  Run(const Pipeline& pipeline, const SimulateOptions& options)
      : pipeline_(pipeline),
        options_(options),
        inputs_(pipeline.inputs()),
        outputs_(pipeline.outputs()),
        fifos_(pipeline.fifos.size()),
        blocks_(pipeline.blocks.size()) {
    for (FifoId i = 0; i < fifos_.size(); ++i) {
      if (held_back(i)) fifos_[i].freed.assign(static_cast<std::size_t>(pipeline.fifos[i].depth), kLongAgo);
    }
  }

  void image() {
    std::deque<BlockId> ready;
    std::vector<bool> queued(blocks_.size(), true);
    for (BlockId i = 0; i < blocks_.size(); ++i) {
      blocks_[i].group = 0;
      ready.push_back(i);
    }
    while (!ready.empty()) {
      const BlockId id = ready.front();
      ready.pop_front();
      queued[id] = false;
      if (!advance(id)) continue;
      const auto wake = [&](BlockId other) {
        if (!queued[other]) ready.push_back(other);
        queued[other] = true;
      };
      for (const FifoId fifo : inputs_[id]) wake(pipeline_.fifos[fifo].from);
      for (const FifoId fifo : outputs_[id]) wake(pipeline_.fifos[fifo].to);
    }
    for (BlockId i = 0; i < blocks_.size(); ++i) {
      if (!done(i)) deadlock(i);
    }
    ++image_;
  }

  // Returns the first cycle after the last step of the blocks without inputs.
  Cycles written() const {
    Cycles last = 0;
    for (BlockId i = 0; i < blocks_.size(); ++i) last = inputs_[i].empty() ? std::max(last, blocks_[i].end + 1) : last;
    return last;
  }

  Cycles end() const {
    Cycles last = 0;
    for (const BlockState& block : blocks_) last = std::max(last, block.end + 1);
    return last;
  }

  // Returns the state on which later images depend, relative to the first entry, which is absolute.
  std::vector<Cycles> state() const {
    std::vector<Cycles> result{end()};
    for (const BlockState& block : blocks_) result.push_back(block.end - result[0]);
    for (const FifoState& fifo : fifos_) {
      for (const Cycles freed : fifo.freed) {
        result.push_back(freed == kLongAgo ? std::numeric_limits<Cycles>::min() : freed - result[0]);
      }
    }
    return result;
  }

  void marks(Simulated& result) const {
    for (const FifoState& fifo : fifos_) add_marks(result, fifo.marks);
  }

 private:
  bool held_back(FifoId id) const { return pipeline_.fifos[id].waits(); }
  bool done(BlockId id) const { return blocks_[id].group == pipeline_.blocks[id].image.size(); }

  // Makes all steps whose inputs and outputs are known. Returns true if there was any.
  bool advance(BlockId id) {
    BlockState& block = blocks_[id];
    bool moved = false;
    while (!done(id)) {
      const Steps& steps = pipeline_.blocks[id].image[block.group];
      if (!block.begun) {
        if (steps.takes && starved(id)) return moved;
        begin(id, steps);
        moved = true;
      }
      if (steps.gives && full(id)) return moved;
      finish(id, steps);
      moved = true;
      if (++block.step == steps.count) {
        block.step = 0;
        ++block.group;
      }
    }
    return moved;
  }

  bool starved(BlockId id) const {
    return std::any_of(inputs_[id].begin(), inputs_[id].end(), [&](FifoId i) { return fifos_[i].given.empty(); });
  }
  bool full(BlockId id) const {
    return std::any_of(outputs_[id].begin(), outputs_[id].end(),
                       [&](FifoId i) { return held_back(i) && fifos_[i].freed.empty(); });
  }

  void begin(BlockId id, const Steps& steps) {
    BlockState& block = blocks_[id];
    block.begun = true;
    block.begin = block.end + 1;
    if (!steps.takes) return;
    for (const FifoId i : inputs_[id]) block.begin = std::max(block.begin, arrival(i));
    for (const FifoId i : inputs_[id]) take(i, block.begin);
  }

  Cycles arrival(FifoId id) const { return fifos_[id].given.front() + 1 + pipeline_.fifos[id].latency; }

  void take(FifoId id, Cycles now) {
    FifoState& fifo = fifos_[id];
    const Fifo& kind = pipeline_.fifos[id];
    fifo.marks.take(fifo.given.front(), kind.latency, fifo.taken);
    fifo.taken.push_back(now);
    if (kind.depth != kUnbounded && kind.flow == Flow::None) {
      // After the cycle in which this token arrived, the FIFO held it and all earlier tokens that were taken later.
      const auto later = std::upper_bound(fifo.taken.begin(), fifo.taken.end(), arrival(id) - 1);
      if (fifo.taken.end() - later > kind.depth) throw_overflow(pipeline_, kind, image_);
    }
    fifo.given.pop_front();
    if (kind.waits()) fifo.freed.push_back(now);
  }

  void finish(BlockId id, const Steps& steps) {
    BlockState& block = blocks_[id];
    block.end = block.begin + steps.cycles - 1;
    block.begun = false;
    if (steps.gives) {
      for (const FifoId i : outputs_[id]) {
        if (held_back(i) && fifos_[i].freed.front() != kLongAgo) {
          block.end = std::max(block.end, fifos_[i].freed.front() + 1 + pipeline_.fifos[i].latency);
        }
      }
      for (const FifoId i : outputs_[id]) {
        if (held_back(i)) fifos_[i].freed.pop_front();
        fifos_[i].given.push_back(block.end);
      }
    }
    if (options_.times) (*options_.times)[id].emplace_back(block.begin, block.end);
  }

  // Follows the chain of waiting blocks until one repeats.
  [[noreturn]] void deadlock(BlockId first) const {
    struct Wait {
      BlockId block;
      FifoId fifo;
      bool full;
    };
    std::vector<Wait> waits;
    std::vector<bool> seen(blocks_.size(), false);
    BlockId at = first;
    while (!seen[at]) {
      seen[at] = true;
      if (done(at)) {
        throw Deadlock(fmt::format(
            "the pipeline cannot make progress: '{}' waits for a token of '{}', and '{}' keeps an incomplete "
            "packet: flush it at the end of an image",
            pipeline_.blocks[waits.back().block].name, pipeline_.fifos[waits.back().fifo].name,
            pipeline_.blocks[at].name));
      }
      const bool full = blocks_[at].begun;
      const std::vector<FifoId>& of = full ? outputs_[at] : inputs_[at];
      const auto fifo = std::find_if(of.begin(), of.end(), [&](FifoId i) {
        return full ? held_back(i) && fifos_[i].freed.empty() : fifos_[i].given.empty();
      });
      waits.push_back({at, *fifo, full});
      at = full ? pipeline_.fifos[*fifo].to : pipeline_.fifos[*fifo].from;
    }
    waits.erase(waits.begin(), std::find_if(waits.begin(), waits.end(), [&](const Wait& w) { return w.block == at; }));
    std::string text;
    std::string deepen;
    for (const Wait& wait : waits) {
      const Fifo& fifo = pipeline_.fifos[wait.fifo];
      text += fmt::format("{}'{}' waits for {} '{}'", text.empty() ? "" : ", ", pipeline_.blocks[wait.block].name,
                          wait.full ? "room in" : "a token of", fifo.name);
      if (wait.full && deepen.empty()) {
        deepen = fmt::format("; deepen '{}', which has {} tokens", fifo.name, fifo.depth);
      }
    }
    throw Deadlock(fmt::format("the pipeline cannot make progress: {}{}", text, deepen));
  }

  const Pipeline& pipeline_;
  const SimulateOptions& options_;
  std::vector<std::vector<FifoId>> inputs_, outputs_;
  std::vector<FifoState> fifos_;
  std::vector<BlockState> blocks_;
  std::int64_t image_ = 0;
};

// True if the last period of images contains all high-water marks. An image meets only tokens of images that had not
// ended when its predecessor was written. All of these images must be in the repeating part.
bool marks_repeat(const Simulated& simulated) {
  const Recurrence& found = *simulated.recurrence;
  const std::int64_t before = simulated.simulated - found.images - 1;
  if (before < found.from) return false;
  return simulated.written[static_cast<std::size_t>(before)] >=
         simulated.ends[static_cast<std::size_t>(found.from - 1)];
}

// At any time a step of a block, or a token or place of a FIFO, is in progress. So the last end is at most the sum of
// all their times, which must fit the integer type.
void check_countable(const Pipeline& pipeline, std::int64_t images) {
  constexpr const char* kWhat = "the cycles of all images of the pipeline";
  Cycles all = 0;
  const auto add = [&](std::int64_t count, Cycles each) {
    checked::add(all, checked::product(kWhat, {count, each}), kWhat);
  };
  for (const Block& block : pipeline.blocks) {
    for (const Steps& steps : block.image) add(steps.count, steps.cycles);
    for (const Stream& stream : block.streams) {
      add(stream.tokens, 2 * stream.cycles + stream.faults.resend_after + stream.faults.delay_by);
    }
  }
  for (FifoId id = 0; id < pipeline.fifos.size(); ++id) add(2 * pipeline.taken(id), pipeline.fifos[id].latency + 1);
  checked::product(kWhat, {2, images, all});
}

}  // namespace

Rational Simulated::period() const {
  if (recurrence) return recurrence->period();
  const std::size_t half = ends.size() / 2;
  if (half == 0) return ends.back();
  return {ends.back() - ends[half - 1], static_cast<std::int64_t>(ends.size() - half)};
}

Simulated simulate(const Pipeline& pipeline, std::int64_t images, const SimulateOptions& options) {
  pipeline.validate();
  check_countable(pipeline, images);
  if (pipeline.shared()) return simulate_shared(pipeline, images, options);
  if (options.times) options.times->assign(pipeline.blocks.size(), {});
  Run run(pipeline, options);
  Simulated result;
  std::deque<std::vector<Cycles>> states;  // after the latest images
  while (result.simulated < images) {
    run.image();
    ++result.simulated;
    result.ends.push_back(run.end());
    result.written.push_back(run.written());
    std::vector<Cycles> state = result.recurrence ? std::vector<Cycles>() : run.state();
    for (std::size_t back = 1; back <= states.size() && !result.recurrence; ++back) {
      const std::vector<Cycles>& old = states[states.size() - back];
      if (!std::equal(state.begin() + 1, state.end(), old.begin() + 1)) continue;
      const auto period = static_cast<std::int64_t>(back);
      result.recurrence = Recurrence{result.simulated - period, period, state[0] - old[0]};
    }
    if (result.recurrence) {
      if (options.jump && !options.times && marks_repeat(result)) break;
      continue;
    }
    states.push_back(std::move(state));
    if (states.size() > kStates) states.pop_front();
  }
  for (std::int64_t i = result.simulated; i < images; ++i) {
    const auto before = static_cast<std::size_t>(i - result.recurrence->images);
    result.ends.push_back(result.ends[before] + result.recurrence->cycles);
    result.written.push_back(result.written[before] + result.recurrence->cycles);
  }
  run.marks(result);
  return result;
}

namespace {

constexpr Cycles kAlways = std::numeric_limits<Cycles>::min() / 2;  // time of a place that was always free
constexpr std::size_t kRemembered = 64;                             // states stored to detect a repetition

struct Token {
  Cycles given = 0;
  Cycles due = 0;  // `given`, or later for a late token and those after it
};

struct Queue {
  std::deque<Token> given;   // tokens not yet taken
  std::deque<Cycles> freed;  // times of the free places; a FIFO that waits() has `depth` places in total
  std::deque<Cycles> taken;  // pop times of the latest tokens
  std::int64_t all_taken = 0;
  Marks marks;
  Cycles last = 0;  // `due` of the latest token
};

struct Server {
  std::size_t group = 0;  // group of steps
  std::int64_t step = 0;  // step in the group
  std::int64_t image = 0;
  bool begun = false;
  Cycles begin = 0;
  std::size_t stream = 0;            // shared block: stream served now or last
  std::vector<std::int64_t> served;  // tokens served of each stream
};

// Blocks to visit, by cycle. Most are visited within few cycles: those are in a ring of cycles, all others in a heap.
class Visits {
 public:
  bool empty() const { return count_ == 0; }
  void add(Cycles when, BlockId id) {
    ++count_;
    if (when - now_ < kRing) {
      ring_[static_cast<std::size_t>(when % kRing)].push_back(id);
      ++near_;
    } else {
      far_.emplace(when, id);
    }
  }
  // Moves to the next cycle with blocks to visit and returns these in ascending order, each once. Blocks are then added
  // to later cycles only. Must not be empty.
  Cycles next(std::vector<BlockId>& blocks) {
    if (near_ == 0) now_ = far_.top().first;
    for (;; ++now_) {
      for (; !far_.empty() && far_.top().first - now_ < kRing; far_.pop(), ++near_) {
        ring_[static_cast<std::size_t>(far_.top().first % kRing)].push_back(far_.top().second);
      }
      if (!ring_[static_cast<std::size_t>(now_ % kRing)].empty()) break;
    }
    blocks.clear();
    std::swap(blocks, ring_[static_cast<std::size_t>(now_ % kRing)]);
    count_ -= blocks.size();
    near_ -= blocks.size();
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return now_;
  }

 private:
  static constexpr Cycles kRing = 1024;
  using Visit = std::pair<Cycles, BlockId>;

  Cycles now_ = 0;
  std::size_t count_ = 0, near_ = 0;  // of all visits, of those in the ring
  std::vector<std::vector<BlockId>> ring_ = std::vector<std::vector<BlockId>>(kRing);
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> far_;
};

class TimedRun {
 public:
  TimedRun(const Pipeline& pipeline, std::int64_t images, const SimulateOptions& options)
      : pipeline_(pipeline),
        images_(images),
        options_(options),
        inputs_(pipeline.inputs()),
        outputs_(pipeline.outputs()),
        queues_(pipeline.fifos.size()),
        servers_(pipeline.blocks.size()) {
    for (FifoId i = 0; i < queues_.size(); ++i) {
      if (pipeline.fifos[i].waits()) {
        queues_[i].freed.assign(static_cast<std::size_t>(pipeline.fifos[i].depth), kAlways);
      }
      tokens_.push_back(pipeline.taken(i));
    }
    for (BlockId i = 0; i < servers_.size(); ++i) {
      const Block& block = pipeline.blocks[i];
      servers_[i].served.assign(block.streams.size(), 0);
      if (block.shared()) servers_[i].stream = block.streams.size() - 1;
      wake(i, 0);
    }
    while (first_ < inputs_.size() && !inputs_[first_].empty()) ++first_;
    result_.ends.assign(static_cast<std::size_t>(images), 0);
    result_.written.assign(static_cast<std::size_t>(images), 0);
  }

  Simulated run() {
    std::vector<BlockId> blocks;
    while (!visits_.empty()) {
      const Cycles now = visits_.next(blocks);
      image_written_ = false;
      for (const BlockId id : blocks) act(id, now);
      if (image_written_ && !result_.recurrence) compare(now);
      if (image_written_ && result_.recurrence && options_.jump && !options_.times && finished() >= seen_) break;
    }
    for (BlockId i = 0; i < servers_.size(); ++i) {
      if (visits_.empty() && !done(i)) stands_still(i);
    }
    for (const Queue& queue : queues_) add_marks(result_, queue.marks);
    result_.simulated = finished();
    for (auto i = static_cast<std::size_t>(result_.simulated); i < result_.ends.size(); ++i) {
      const std::size_t before = i - static_cast<std::size_t>(result_.recurrence->images);
      result_.ends[i] = result_.ends[before] + result_.recurrence->cycles;
      result_.written[i] = result_.written[before] + result_.recurrence->cycles;
    }
    return std::move(result_);
  }

 private:
  bool done(BlockId id) const { return servers_[id].image == images_; }
  // Images that all blocks have ended.
  std::int64_t finished() const {
    return std::min_element(servers_.begin(), servers_.end(),
                            [](const Server& a, const Server& b) { return a.image < b.image; })
        ->image;
  }
  void wake(BlockId id, Cycles when) { visits_.add(when, id); }

  bool has_token(FifoId id, Cycles now) const {
    const Queue& queue = queues_[id];
    return !queue.given.empty() && queue.given.front().due + 1 + pipeline_.fifos[id].latency <= now;
  }
  bool has_place(FifoId id, Cycles now) const {
    const Queue& queue = queues_[id];
    if (!pipeline_.fifos[id].waits()) return true;
    return !queue.freed.empty() && queue.freed.front() + 1 + pipeline_.fifos[id].latency <= now;
  }

  void take(FifoId id, Cycles now) {
    Queue& queue = queues_[id];
    const Fifo& kind = pipeline_.fifos[id];
    const auto [given, due] = queue.given.front();
    ++queue.all_taken;
    queue.marks.take(given, kind.latency, queue.taken);
    queue.taken.push_back(now);
    if (kind.depth != kUnbounded && kind.flow == Flow::None) {
      // After the cycle in which this token arrived, the FIFO held it and all earlier tokens that were taken later.
      const auto later = std::upper_bound(queue.taken.begin(), queue.taken.end(), due + kind.latency);
      if (queue.taken.end() - later > kind.depth) throw_overflow(pipeline_, kind, (queue.all_taken - 1) / tokens_[id]);
    }
    queue.given.pop_front();
    if (kind.waits()) queue.freed.push_back(now);
    wake(kind.from, now + 1 + kind.latency);
  }

  void give(FifoId id, Cycles now, Cycles late = 0) {
    const Fifo& kind = pipeline_.fifos[id];
    Queue& queue = queues_[id];
    if (kind.waits()) queue.freed.pop_front();
    queue.last = std::max(queue.last, now + late);
    queue.given.push_back({now, queue.last});
    wake(kind.to, queue.last + 1 + kind.latency);
  }

  void act(BlockId id, Cycles now) {
    if (done(id)) return;
    Server& server = servers_[id];
    const Block& block = pipeline_.blocks[id];
    if (!server.begun) {
      if (!(block.shared() ? begin_shared(id, now) : begin(id, now))) return;
      server.begun = true;
      server.begin = now;
    }
    const Cycles cycles = block.shared() ? block.streams[server.stream].cycles_of(server.served[server.stream])
                                         : block.image[server.group].cycles;
    const Cycles end = server.begin + cycles - 1;
    if (end > now) {
      wake(id, end);
      return;
    }
    if (block.shared()) {
      end_shared(id, now);
    } else if (!this->end(id, now)) {
      return;
    }
    server.begun = false;
    if (options_.times) (*options_.times)[id].emplace_back(server.begin, now);
    wake(id, now + 1);
  }

  bool begin(BlockId id, Cycles now) {
    const Server& server = servers_[id];
    if (!pipeline_.blocks[id].image[server.group].takes) return true;
    const std::vector<FifoId>& of = inputs_[id];
    if (!std::all_of(of.begin(), of.end(), [&](FifoId i) { return has_token(i, now); })) return false;
    for (const FifoId i : of) take(i, now);
    return true;
  }

  bool end(BlockId id, Cycles now) {
    Server& server = servers_[id];
    const Block& block = pipeline_.blocks[id];
    const Steps& steps = block.image[server.group];
    if (steps.gives) {
      const std::vector<FifoId>& of = outputs_[id];
      if (!std::all_of(of.begin(), of.end(), [&](FifoId i) { return has_place(i, now); })) return false;
      for (const FifoId i : of) give(i, now);
    }
    if (++server.step < steps.count) return true;
    server.step = 0;
    if (++server.group < block.image.size()) return true;
    server.group = 0;
    ended(id, now);
    return true;
  }

  bool begin_shared(BlockId id, Cycles now) {
    Server& server = servers_[id];
    const Block& block = pipeline_.blocks[id];
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < block.streams.size(); ++i) {
      if (has_token(inputs_[id][i], now) && has_place(outputs_[id][i], now)) waiting.push_back(i);
    }
    if (waiting.empty()) return false;
    const auto behind = std::upper_bound(waiting.begin(), waiting.end(), server.stream);
    const bool around = block.arbitration == Arbitration::Priority || behind == waiting.end();
    server.stream = around ? waiting.front() : *behind;
    take(inputs_[id][server.stream], now);
    return true;
  }

  void end_shared(BlockId id, Cycles now) {
    Server& server = servers_[id];
    const std::vector<Stream>& streams = pipeline_.blocks[id].streams;
    give(outputs_[id][server.stream], now, streams[server.stream].faults.late(server.served[server.stream]));
    ++server.served[server.stream];
    const auto whole = [&] {
      for (std::size_t i = 0; i < streams.size(); ++i) {
        if (server.served[i] < (server.image + 1) * streams[i].tokens) return false;
      }
      return true;
    };
    while (!done(id) && whole()) ended(id, now);
  }

  // Records the end of an image at a block.
  void ended(BlockId id, Cycles now) {
    const auto image = static_cast<std::size_t>(servers_[id].image++);
    result_.ends[image] = std::max(result_.ends[image], now + 1);
    if (inputs_[id].empty()) result_.written[image] = std::max(result_.written[image], now + 1);
    image_written_ = image_written_ || id == first_;
  }

  // Returns the state that determines everything after cycle `now`, except for a shift in time and images.
  std::vector<Cycles> state(Cycles now) const {
    const std::int64_t image = servers_[first_].image;
    std::vector<Cycles> all;
    for (BlockId i = 0; i < servers_.size(); ++i) {
      const Server& server = servers_[i];
      all.insert(all.end(), {static_cast<Cycles>(server.group), server.step, image - server.image,
                             server.begun ? now - server.begin : -1, static_cast<Cycles>(server.stream)});
      const std::vector<Stream>& streams = pipeline_.blocks[i].streams;
      for (std::size_t s = 0; s < streams.size(); ++s) {
        all.push_back(image * streams[s].tokens - server.served[s]);
        all.push_back(streams[s].faults.phase(server.served[s]));
      }
    }
    for (FifoId i = 0; i < queues_.size(); ++i) {
      const Cycles old = -pipeline_.fifos[i].latency;  // available in the next cycle, like all earlier times
      all.push_back(static_cast<Cycles>(queues_[i].given.size()));
      for (const Token& token : queues_[i].given) all.push_back(std::max(token.due - now, old));
      for (const Cycles freed : queues_[i].freed) all.push_back(std::max(freed - now, old));
    }
    return all;
  }

  void compare(Cycles now) {
    std::vector<Cycles> reached = state(now);
    const std::int64_t image = servers_[first_].image;
    const auto same =
        std::find_if(states_.rbegin(), states_.rend(), [&](const Remembered& old) { return old.state == reached; });
    if (same != states_.rend()) {
      // All tokens given in the repeated part are taken when the images written so far have ended.
      result_.recurrence = Recurrence{same->image, image - same->image, now - same->now};
      seen_ = image;
    }
    states_.push_back({now, image, std::move(reached)});
    if (states_.size() > kRemembered) states_.pop_front();
  }

  // Follows the chain of waiting blocks until one repeats.
  [[noreturn]] void stands_still(BlockId at) const {
    std::vector<bool> seen(servers_.size(), false);
    std::string text, deepen;
    while (!seen[at] && !done(at)) {
      seen[at] = true;
      const Server& server = servers_[at];
      // A shared block waits for room if any of its streams has a token.
      const auto has_token = [&](FifoId i) { return !queues_[i].given.empty(); };
      const bool shared = pipeline_.blocks[at].shared();
      const bool full = server.begun || (shared && std::any_of(inputs_[at].begin(), inputs_[at].end(), has_token));
      const std::vector<FifoId>& of = full ? outputs_[at] : inputs_[at];
      auto fifo = std::find_if(of.begin(), of.end(), [&](FifoId i) {
        return full ? pipeline_.fifos[i].waits() && queues_[i].freed.empty() : !has_token(i);
      });
      if (shared && full) {
        fifo = of.begin() + (std::find_if(inputs_[at].begin(), inputs_[at].end(), has_token) - inputs_[at].begin());
      }
      const Fifo& kind = pipeline_.fifos[*fifo];
      text += fmt::format("{}'{}' waits for {} '{}'", text.empty() ? "" : ", ", pipeline_.blocks[at].name,
                          full ? "room in" : "a token of", kind.name);
      if (full) deepen = fmt::format("; deepen '{}', which has {} tokens", kind.name, kind.depth);
      at = full ? kind.to : kind.from;
    }
    throw Deadlock(fmt::format("the pipeline cannot make progress: {}{}", text, deepen));
  }

  struct Remembered {
    Cycles now = 0;
    std::int64_t image = 0;
    std::vector<Cycles> state;
  };

  const Pipeline& pipeline_;
  std::int64_t images_;
  const SimulateOptions& options_;
  std::vector<std::vector<FifoId>> inputs_, outputs_;
  std::vector<Queue> queues_;
  std::vector<Server> servers_;
  std::vector<std::int64_t> tokens_;  // per image, of each FIFO
  BlockId first_ = 0;                 // the first block without inputs
  bool image_written_ = false;        // by block first_, in this cycle
  std::int64_t seen_ = 0;             // images written when a repetition was found
  Visits visits_;
  std::deque<Remembered> states_;
  Simulated result_;
};

}  // namespace

Simulated simulate_shared(const Pipeline& pipeline, std::int64_t images, const SimulateOptions& options) {
  if (options.times) options.times->assign(pipeline.blocks.size(), {});
  return TimedRun(pipeline, images, options).run();
}

}  // namespace weft::pipeline
