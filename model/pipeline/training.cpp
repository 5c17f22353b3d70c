#include "model/pipeline/training.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "model/core/error.h"
#include "model/pipeline/analytical.h"
#include "model/pipeline/blocks.h"
#include "model/pipeline/exact.h"

namespace weft::pipeline {
namespace {

// Producer of a tensor, pixel by pixel.
struct Giver {
  BlockId block = 0;
  std::int64_t pixels = 0;
  Words words = 0;  // per pixel
};

class Network {
 public:
  explicit Network(const std::vector<TrainingLayer>& layers) : layers_(layers), gradients_(layers.size()) {}

  Training build(Cycles period) {
    const TrainingLayer& first = layers_.front();
    input_ = {add(source("source", first.in())), first.in(), first.channels};
    forward();
    loss();
    for (std::size_t i = layers_.size(); i-- > 0;) backward(i);
    throttle(period);
    return std::move(result_);
  }

 private:
  BlockId add(Block block) {
    result_.layer.push_back(layer_);
    return result_.pipeline.add(std::move(block));
  }
  BlockId entity(Block block) {
    result_.entities = std::max(result_.entities, block.cycles());
    return add(std::move(block));
  }
  FifoId join(BlockId from, BlockId to, Words words) {
    result_.token_words.push_back(words);
    return result_.pipeline.join(from, to);
  }
  BlockId behind(const Giver& from, Block block) {
    const BlockId id = add(std::move(block));
    join(from.block, id, from.words);
    return id;
  }
  const Giver& giver(std::size_t of) const { return of == kNetworkInput ? input_ : outputs_.at(of); }

  // Adds a fork after an output with several readers; all of them read from the fork.
  void fork(Giver& from, const std::string& name, std::size_t readers) {
    if (readers > 1) from.block = behind(from, each(name + " fork", from.pixels));
  }
  std::size_t readers(std::size_t of) const {
    std::size_t count = of == layers_.size() - 1 ? 1 : 0;  // the loss
    for (const TrainingLayer& layer : layers_) {
      const auto times = static_cast<std::size_t>(std::count(layer.inputs.begin(), layer.inputs.end(), of));
      count += times * (layer.gw > 0 ? 2 : 1);
    }
    return count;
  }

  void forward() {
    fork(input_, "input", readers(kNetworkInput));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const TrainingLayer& layer = layers_[i];
      layer_ = i;
      check(i);
      Giver out{0, layer.out(), layer.filters};
      switch (layer.kind) {
        case TrainingLayer::Kind::Windowed: {
          const BlockId lines = behind(giver(layer.inputs[0]), windows(layer.name + " F lines", layer.h, layer.w));
          out.block = entity(each(layer.name + " F", out.pixels, layer.f));
          join(lines, out.block, layer.channels);
          break;
        }
        case TrainingLayer::Kind::Sum:
        case TrainingLayer::Kind::Concatenation:
          out.block = entity(each(layer.name, out.pixels, layer.f));
          for (const std::size_t input : layer.inputs) join(giver(input).block, out.block, giver(input).words);
          break;
        case TrainingLayer::Kind::Whole:
          out.block = behind(giver(layer.inputs[0]), whole(layer.name, layer.in(), layer.f));
          break;
      }
      fork(out, layer.name, readers(i));
      outputs_.push_back(out);
    }
  }

  void check(std::size_t at) const {
    const TrainingLayer& layer = layers_[at];
    const bool concatenation = layer.kind == TrainingLayer::Kind::Concatenation;
    const bool joins = concatenation || layer.kind == TrainingLayer::Kind::Sum;
    if (layer.inputs.empty() || (!joins && layer.inputs.size() != 1)) {
      throw Error(fmt::format("layer '{}' has {} inputs; allowed: {}", layer.name, layer.inputs.size(),
                              joins ? "at least 1" : "1"));
    }
    Words words = 0;
    for (const std::size_t input : layer.inputs) words += concatenation && input < at ? giver(input).words : 0;
    for (const std::size_t input : layer.inputs) {
      if (input != kNetworkInput && input >= at) {
        throw Error(fmt::format("layer '{}' reads a layer that does not precede it", layer.name));
      }
      const Words given = concatenation ? words : giver(input).words;
      if (giver(input).pixels != layer.in() || given != layer.channels) {
        throw Error(fmt::format("layer '{}' reads {} pixels of {} channels, but receives {} of {}", layer.name,
                                layer.in(), layer.channels, giver(input).pixels, given));
      }
    }
  }

  // The loss needs the whole output and gives the gradients of all of it.
  void loss() {
    layer_ = layers_.size() - 1;
    const Giver& last = outputs_.back();
    BlockId at = behind(last, whole("loss", last.pixels));
    if (last.pixels > 1) at = behind({at, 1, last.words * last.pixels}, spread("loss gradient", last.pixels));
    gradients_.back().push_back({at, last.pixels, last.words});
  }

  void backward(std::size_t i) {
    const TrainingLayer& layer = layers_[i];
    layer_ = i;
    // An output without readers has no gradient.
    if (gradients_[i].empty()) return;
    Giver gradient = gradients_[i].front();
    if (gradients_[i].size() > 1) {
      const BlockId sum = add(each(layer.name + " gradients", gradient.pixels));
      for (const Giver& part : gradients_[i]) join(part.block, sum, part.words);
      gradient.block = sum;
    }
    const auto passed_on = static_cast<std::size_t>(std::count_if(
        layer.inputs.begin(), layer.inputs.end(), [](std::size_t input) { return input != kNetworkInput; }));
    fork(gradient, layer.name + " gradient", passed_on + (layer.gw > 0 ? 1 : 0));
    if (layer.gw > 0) weights(layer, gradient);
    for (const std::size_t input : layer.inputs) {
      if (input == kNetworkInput) continue;
      Giver back{gradient.block, layer.in(), giver(input).words};
      if (layer.kind == TrainingLayer::Kind::Windowed) {
        const BlockId products = entity(each(layer.name + " GI", layer.out(), layer.gi));
        join(gradient.block, products, gradient.words);
        back.block = behind({products, layer.out(), layer.channels},
                            gradient_windows(layer.name + " GI lines", layer.h, layer.w));
      } else if (layer.kind == TrainingLayer::Kind::Whole && layer.in() > 1) {
        back.block = behind(gradient, spread(layer.name + " gradient", layer.in(), layer.gi));
      }
      gradients_[input].push_back(back);
    }
  }

  void weights(const TrainingLayer& layer, const Giver& gradient) {
    const Giver& from = giver(layer.inputs[0]);
    const BlockId lines = add(windows(layer.name + " GW lines", layer.h, layer.w));
    result_.stores.push_back(join(from.block, lines, from.words));
    result_.pipeline.fifos.back().name = layer.name + " store";
    const BlockId sums = entity(sink(layer.name + " GW", layer.out(), layer.gw));
    // Depth: the windows between the last one of an image and the first one of the next, so that there is no gap.
    const FifoId waiting = join(lines, sums, layer.channels);
    result_.pipeline.fifos[waiting].depth = lag(layer.h, layer.w) + 2;
    join(gradient.block, sums, gradient.words);
  }

  void throttle(Cycles period) {
    Pipeline& pipeline = result_.pipeline;
    if (period == 0) period = slowest(pipeline);
    const std::int64_t pixels = input_.pixels;
    if (period < slowest(pipeline)) {
      throw Error(
          fmt::format("an image every {} cycles is too fast: the slowest block takes {}", period, slowest(pipeline)));
    }
    // The remainder is spread over the first pixels.
    const std::int64_t more = period % pixels;
    Block& source = pipeline.blocks.front();
    source.image.clear();
    if (more > 0) source.image.push_back({more, false, true, period / pixels + 1});
    source.image.push_back({pixels - more, false, true, period / pixels});
  }

  const std::vector<TrainingLayer>& layers_;
  std::size_t layer_ = 0;  // layer for which blocks are added
  Training result_;
  Giver input_;
  std::vector<Giver> outputs_;
  std::vector<std::vector<Giver>> gradients_;  // of each layer's output, one per reader
};

}  // namespace

std::int64_t TrainingLayer::out() const {
  switch (kind) {
    case Kind::Windowed:
      return std::int64_t{h.out()} * w.out();
    case Kind::Sum:
    case Kind::Concatenation:
      return in();
    case Kind::Whole:
      return 1;
  }
  return 0;
}

Training training(const std::vector<TrainingLayer>& layers, Cycles period) {
  if (layers.empty()) throw Error("the network has no layers to train");
  return Network(layers).build(period);
}

Depths size_fifos(Training& training, std::int64_t images) {
  const Simulated simulated = simulate(training.pipeline, images);
  if (!simulated.recurrence) throw Error(fmt::format("the pipeline reaches no steady state within {} images", images));
  Depths depths;
  for (FifoId id = 0; id < training.pipeline.fifos.size(); ++id) {
    Fifo& fifo = training.pipeline.fifos[id];
    if (fifo.depth == kUnbounded) fifo.depth = simulated.high_water[id] + 1 + fifo.latency;
    const bool store = std::find(training.stores.begin(), training.stores.end(), id) != training.stores.end();
    (store ? depths.stores : depths.others) += fifo.depth * training.token_words[id];
  }
  return depths;
}

}  // namespace weft::pipeline
