#include "model/pipeline/analytical.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/core/error.h"
#include "model/pipeline/blocks.h"

namespace weft::pipeline {
namespace {

// Graph nodes of a block. Each step has two nodes: its begin and its end.
struct StepNodes {
  std::size_t first = 0;                  // begin of the first step; then its end, the second step's begin, ...
  std::vector<Cycles> cycles;             // of each step
  std::vector<std::size_t> takes, gives;  // steps that take token 0, 1, ..., and that give it

  std::size_t begin(std::size_t step) const { return first + 2 * step; }
  std::size_t end(std::size_t step) const { return first + 2 * step + 1; }
};

std::vector<StepNodes> unfold(const Pipeline& pipeline, std::size_t& nodes) {
  std::vector<StepNodes> result;
  for (const Block& block : pipeline.blocks) {
    StepNodes unfolded;
    unfolded.first = nodes;
    for (const Steps& steps : block.image) {
      for (std::int64_t i = 0; i < steps.count; ++i) {
        if (steps.takes) unfolded.takes.push_back(unfolded.cycles.size());
        if (steps.gives) unfolded.gives.push_back(unfolded.cycles.size());
        unfolded.cycles.push_back(steps.cycles);
      }
    }
    nodes += 2 * unfolded.cycles.size();
    result.push_back(std::move(unfolded));
  }
  return result;
}

// Returns the dependencies within an image, in order.
std::vector<TimedEdge> forward_edges(const Pipeline& pipeline, const std::vector<StepNodes>& blocks) {
  std::vector<TimedEdge> edges;
  for (const StepNodes& block : blocks) {
    for (std::size_t step = 0; step < block.cycles.size(); ++step) {
      edges.push_back({block.begin(step), block.end(step), block.cycles[step] - 1, 0});
      if (step > 0) edges.push_back({block.end(step - 1), block.begin(step), 1, 0});
    }
  }
  for (const Fifo& fifo : pipeline.fifos) {
    const StepNodes &from = blocks[fifo.from], &to = blocks[fifo.to];
    for (std::size_t token = 0; token < from.gives.size(); ++token) {
      edges.push_back({from.end(from.gives[token]), to.begin(to.takes[token]), 1 + fifo.latency, 0});
    }
  }
  return edges;
}

}  // namespace

Cycles slowest(const Pipeline& pipeline) {
  Cycles most = 0;
  for (const Block& block : pipeline.blocks) most = std::max(most, block.cycles());
  return most;
}

const Block& slowest_block(const Pipeline& pipeline) {
  const Cycles most = slowest(pipeline);
  const auto found = std::find_if(pipeline.blocks.begin() + 1, pipeline.blocks.end(),
                                  [&](const Block& block) { return block.cycles() == most; });
  return found == pipeline.blocks.end() ? pipeline.blocks.front() : *found;
}

Pipeline without_arbitration(const Pipeline& pipeline) {
  Pipeline apart = pipeline;
  const auto inputs = pipeline.inputs(), outputs = pipeline.outputs();
  for (BlockId id = 0; id < pipeline.blocks.size(); ++id) {
    const Block& shared = pipeline.blocks[id];
    for (std::size_t i = 0; i < shared.streams.size(); ++i) {
      const Stream& stream = shared.streams[i];
      const Block alone = each(fmt::format("{} of stream {}", shared.name, i + 1), stream.tokens, stream.cycles);
      BlockId at = id;
      if (i == 0) {
        apart.blocks[id] = alone;
      } else {
        at = apart.add(alone);
      }
      apart.fifos[inputs[id][i]].to = at;
      apart.fifos[outputs[id][i]].from = at;
    }
  }
  return apart;
}

Rational period(const Pipeline& pipeline) {
  pipeline.validate();
  if (pipeline.shared()) return std::max(period(without_arbitration(pipeline)), Rational(slowest(pipeline)));
  std::size_t nodes = 0;
  const std::vector<StepNodes> blocks = unfold(pipeline, nodes);
  std::vector<TimedEdge> edges = forward_edges(pipeline, blocks);
  for (const StepNodes& block : blocks) edges.push_back({block.end(block.cycles.size() - 1), block.begin(0), 1, 1});
  for (const Fifo& fifo : pipeline.fifos) {
    if (pipeline.blocks[fifo.from].kept > 0) {
      throw Error(fmt::format("'{}' keeps tokens that '{}' waits for", pipeline.blocks[fifo.from].name,
                              pipeline.blocks[fifo.to].name));
    }
    if (!fifo.waits()) continue;
    const StepNodes &from = blocks[fifo.from], &to = blocks[fifo.to];
    const auto tokens = static_cast<std::int64_t>(from.gives.size());
    for (std::int64_t token = 0; token < tokens; ++token) {
      // The token takes the place of the token `depth` before it, which may belong to an earlier image.
      const std::int64_t before = token - fifo.depth;
      const std::int64_t images = before < 0 ? ceil_div(-before, tokens) : 0;
      const auto freed = static_cast<std::size_t>(before + images * tokens);
      edges.push_back(
          {to.begin(to.takes[freed]), from.end(from.gives[static_cast<std::size_t>(token)]), 1 + fifo.latency, images});
    }
  }
  return maximum_cycle_ratio(nodes, edges, slowest(pipeline));
}

Rational store_bound(const Pipeline& pipeline, FifoId fifo) {
  pipeline.validate();
  if (pipeline.shared()) return store_bound(without_arbitration(pipeline), fifo);
  const Fifo& store = pipeline.fifos.at(fifo);
  if (!store.waits()) return 0;
  std::size_t nodes = 0;
  const std::vector<StepNodes> blocks = unfold(pipeline, nodes);
  std::vector<std::vector<TimedEdge>> leaving(nodes);
  std::vector<std::size_t> entering(nodes, 0), order;
  for (const TimedEdge& edge : forward_edges(pipeline, blocks)) {
    leaving[edge.from].push_back(edge);
    ++entering[edge.to];
  }
  for (std::size_t node = 0; node < nodes; ++node) {
    if (entering[node] == 0) order.push_back(node);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const TimedEdge& edge : leaving[order[i]]) {
      if (--entering[edge.to] == 0) order.push_back(edge.to);
    }
  }
  const StepNodes &from = blocks[store.from], &to = blocks[store.to];
  Cycles residences = 0;
  for (std::size_t token = 0; token < from.gives.size(); ++token) {
    std::vector<Cycles> longest(nodes, -1);  // -1: does not depend on the token
    longest[from.end(from.gives[token])] = 0;
    for (const std::size_t node : order) {
      if (longest[node] < 0) continue;
      for (const TimedEdge& edge : leaving[node]) {
        longest[edge.to] = std::max(longest[edge.to], longest[node] + edge.delay);
      }
    }
    residences += longest[to.begin(to.takes[token])] + 1 + store.latency;
  }
  return {residences, store.depth};
}

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Returns a cycle whose delays exceed `ratio` times its images, if there is one (Bellman-Ford from all nodes at once).
std::optional<std::vector<std::size_t>> cycle_above(std::size_t nodes, const std::vector<TimedEdge>& edges,
                                                    const Rational& ratio) {
  std::vector<std::int64_t> longest(nodes, 0);
  std::vector<std::size_t> by(nodes, kNone);  // the edge of the longest path to the node
  const auto find = [&]() -> std::optional<std::vector<std::size_t>> {
    std::vector<std::size_t> seen(nodes, kNone);
    for (std::size_t start = 0; start < nodes; ++start) {
      std::size_t at = start;
      while (seen[at] == kNone && by[at] != kNone) {
        seen[at] = start;
        at = edges[by[at]].from;
      }
      if (by[at] == kNone || seen[at] != start) continue;
      std::vector<std::size_t> cycle;
      const std::size_t end = at;
      do {
        cycle.push_back(by[at]);
        at = edges[by[at]].from;
      } while (at != end);
      return cycle;
    }
    return std::nullopt;
  };
  for (std::size_t round = 0;; ++round) {
    bool changed = false;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const TimedEdge& edge = edges[i];
      const std::int64_t value =
          longest[edge.from] + edge.delay * ratio.denominator() - edge.images * ratio.numerator();
      if (value <= longest[edge.to]) continue;
      longest[edge.to] = value;
      by[edge.to] = i;
      changed = true;
    }
    if (!changed) return std::nullopt;
    // The edges of the longest paths contain a cycle as soon as these paths cannot end.
    if (auto cycle = find()) return cycle;
    if (round > nodes) throw Error("the longest paths do not end, and no cycle is found");
  }
}

}  // namespace

Rational maximum_cycle_ratio(std::size_t nodes, const std::vector<TimedEdge>& edges, const Rational& floor) {
  Rational ratio = floor;
  while (const auto cycle = cycle_above(nodes, edges, ratio)) {
    Cycles delay = 0;
    std::int64_t images = 0;
    for (const std::size_t i : *cycle) {
      delay += edges[i].delay;
      images += edges[i].images;
    }
    if (images <= 0) throw Error("steps wait for each other within an image");
    ratio = Rational(delay, images);
  }
  return ratio;
}

Cycles chain_latency(const std::vector<Stage>& chain, std::int64_t pixels) {
  const auto faster = [](const Stage& a, const Stage& b) { return a.cycles < b.cycles; };
  const auto slowest = std::max_element(chain.begin(), chain.end(), faster);
  if (slowest == chain.end()) return 0;
  Cycles sum = (pixels - 1) * slowest->cycles;
  std::int64_t lags = 0;
  for (auto stage = chain.begin(); stage != chain.end(); ++stage) {
    const auto makes_up = stage < slowest ? std::max_element(chain.begin(), stage + 1, faster)
                                          : std::max_element(stage, chain.end(), faster);
    sum += stage->cycles + (stage->lag - 1) * makes_up->cycles;
    lags += stage->lag - 1;
  }
  if (lags >= pixels) {
    throw Error(
        fmt::format("the chain's line buffers delay by {} pixels, but an image has {}: the closed form of the latency "
                    "holds only for a delay below one image",
                    lags, pixels));
  }
  return sum;
}

double BatchTimes::efficiency() const {
  return boost::rational_cast<double>(period * images / total());
}

BatchTimes batch(const Simulated& simulated, std::int64_t images, const std::vector<Updater>& updaters) {
  const auto most = static_cast<std::int64_t>(simulated.ends.size());
  if (images < 1) throw Error(fmt::format("the batch is {} images, but must be at least 1", images));
  if (images > most) throw Error(fmt::format("the batch is {} images, but only {} are simulated", images, most));
  BatchTimes result;
  const auto last = static_cast<std::size_t>(images - 1);
  result.images = images;
  result.written = simulated.written[last];
  result.fill = simulated.ends.front();
  result.last = simulated.ends[last];
  for (const Updater& updater : updaters) result.update = std::max(result.update, updater.cycles());
  result.period = simulated.period();
  return result;
}

BatchTimes batch(const Pipeline& pipeline, std::int64_t images, const std::vector<Updater>& updaters,
                 std::int64_t limit) {
  return batch(simulate(pipeline, std::max(images, limit)), images, updaters);
}

}  // namespace weft::pipeline
