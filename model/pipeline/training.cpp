#include "model/pipeline/training.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
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
  std::size_t board = 0;
  std::map<std::size_t, BlockId> on = {};  // block that gives the tensor on each board with readers

  BlockId at(std::size_t reader) const { return on.empty() ? block : on.at(reader); }
};

class Network {
 public:
  Network(const std::vector<TrainingLayer>& layers, const Boards* boards)
      : layers_(layers), boards_(boards), gradients_(layers.size()) {}

  Training build(Cycles period) {
    const TrainingLayer& first = layers_.front();
    board_ = board_of(0);
    input_ = {add(source("source", first.in())), first.in(), first.channels, board_};
    forward();
    loss();
    for (std::size_t i = layers_.size(); i-- > 0;) backward(i);
    for (const BlockId wire : wires_) finish(result_.pipeline.blocks[wire]);
    throttle(period);
    return std::move(result_);
  }

 private:
  std::size_t board_of(std::size_t layer) const { return boards_ ? boards_->board_of.at(layer) : 0; }
  BlockId add(Block block) {
    result_.board.push_back(board_);
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
    join(from.at(board_), id, from.words);
    return id;
  }
  const Giver& giver(std::size_t of) const { return of == kNetworkInput ? input_ : outputs_.at(of); }
  Bytes bytes(Words words) const { return ceil_div(words * boards_->word_bits, 8); }

  // Adds packetiser, receive FIFO and depacketiser of a tensor on the link to a neighbour, and its stream on the wire.
  BlockId cross(BlockId from, const std::string& name, std::int64_t pixels, Words words, std::size_t to) {
    LinkBlocks link = boards_->link;
    link.token_bytes = bytes(words);
    const std::int64_t tokens = std::min(link.tokens_per_packet(), pixels);
    const BlockId wire = this->wire(board_, to);
    const std::string way = fmt::format("{} to board {}", name, to + 1);
    const BlockId pack = add(packetiser(way + " packetiser", pixels, tokens));
    join(from, pack, words);
    join(pack, wire, tokens * words);
    Stream stream{ceil_div(pixels, tokens), link.packet_cycles(tokens), boards_->faults};
    stream.faults.frames = ceil_div(tokens * link.token_bytes, link.frames.payload);
    result_.pipeline.blocks[wire].streams.push_back(stream);
    last_[wire] = pixels % tokens == 0 ? 0 : link.packet_cycles(pixels % tokens);
    board_ = to;
    const BlockId unpack = add(depacketiser(way + " depacketiser", pixels, tokens));
    const FifoId receive = join(wire, unpack, tokens * words);
    Fifo& fifo = result_.pipeline.fifos[receive];
    fifo.name = way;
    fifo.latency = link.latency();
    fifo.flow = boards_->wait_for_link ? Flow::Credit : Flow::None;
    result_.links.push_back(receive);
    return unpack;
  }

  BlockId wire(std::size_t from, std::size_t to) {
    const auto [found, added] = wire_of_.try_emplace({from, to}, 0);
    if (added) {
      found->second = add({fmt::format("wire {} to {}", from + 1, to + 1), {}});
      wires_.push_back(found->second);
    }
    return found->second;
  }

  // A wire of one stream without faults needs no arbiter; its last packet may be shorter.
  void finish(Block& wire) {
    if (wire.streams.size() > 1 || wire.streams[0].faults.any()) return;
    const Stream stream = wire.streams[0];
    const Cycles last = last_.at(static_cast<BlockId>(&wire - result_.pipeline.blocks.data()));
    wire.streams.clear();
    const std::int64_t full = stream.tokens - (last > 0 ? 1 : 0);
    if (full > 0) wire.image.push_back({full, true, true, stream.cycles});
    if (last > 0) wire.image.push_back({1, true, true, last});
  }

  std::string elsewhere(std::size_t home) const {
    return board_ == home ? "" : fmt::format(" on board {}", board_ + 1);
  }

  // Adds what leads a tensor to its readers: a fork on each board with several of them, and links between boards.
  // `readers`: how many each board has.
  void lead(Giver& from, const std::string& name, std::map<std::size_t, std::size_t> readers) {
    if (readers.empty()) return;
    const std::size_t first = std::min(readers.begin()->first, from.board);
    const std::size_t last = std::max(readers.rbegin()->first, from.board);
    const auto fork = [&](BlockId block, std::size_t onward) {
      if (readers[board_] + onward > 1) {
        const BlockId id = add(each(name + " fork" + elsewhere(from.board), from.pixels));
        join(block, id, from.words);
        block = id;
      }
      from.on[board_] = block;
    };
    const std::size_t home = board_ = from.board;
    fork(from.block, (first < home ? 1 : 0) + (last > home ? 1 : 0));
    for (const bool right : {true, false}) {
      board_ = home;
      while (board_ != (right ? last : first)) {
        const std::size_t next = right ? board_ + 1 : board_ - 1;
        const BlockId arrived = cross(from.on[board_], name, from.pixels, from.words, next);
        fork(arrived, next != (right ? last : first) ? 1 : 0);
      }
    }
    board_ = home;
  }

  // Sums gradients of a tensor: on each board from the farthest to its producer's.
  Giver summed(const std::string& name, const std::vector<Giver>& parts, std::size_t home) {
    std::map<std::size_t, std::vector<BlockId>> on;
    for (const Giver& part : parts) on[part.board].push_back(part.at(part.board));
    const std::size_t first = std::min(on.begin()->first, home), last = std::max(on.rbegin()->first, home);
    Giver result{0, parts.front().pixels, parts.front().words, home};
    const auto sum = [&] {
      const std::vector<BlockId>& from = on[board_];
      if (from.size() == 1) return from[0];
      const BlockId id = add(each(name + " gradients" + elsewhere(home), result.pixels));
      for (const BlockId part : from) join(part, id, result.words);
      return id;
    };
    for (const bool right : {true, false}) {
      for (board_ = right ? last : first; board_ != home;) {
        const BlockId sent = sum();
        on[right ? board_ - 1 : board_ + 1].push_back(
            cross(sent, name + " gradient", result.pixels, result.words, right ? board_ - 1 : board_ + 1));
      }
    }
    result.block = sum();
    return result;
  }

  std::map<std::size_t, std::size_t> readers(std::size_t of) const {
    std::map<std::size_t, std::size_t> count;
    if (of == layers_.size() - 1) ++count[board_of(of)];  // the loss
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const auto times = static_cast<std::size_t>(std::count(layers_[i].inputs.begin(), layers_[i].inputs.end(), of));
      if (times > 0) count[board_of(i)] += times * (layers_[i].gw > 0 ? 2 : 1);
    }
    return count;
  }

  void forward() {
    lead(input_, "input", readers(kNetworkInput));
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const TrainingLayer& layer = layers_[i];
      board_ = board_of(i);
      check(i);
      Giver out{0, layer.out(), layer.filters, board_};
      switch (layer.kind) {
        case TrainingLayer::Kind::Windowed: {
          BlockId at = behind(giver(layer.inputs[0]), windows(layer.name + " F lines", layer.h, layer.w));
          at = fetched(layer, at, "F", layer.channels, 1);
          out.block = entity(each(layer.name + " F", out.pixels, layer.f));
          join(at, out.block, layer.channels);
          break;
        }
        case TrainingLayer::Kind::Sum:
        case TrainingLayer::Kind::Concatenation:
          out.block = entity(each(layer.name, out.pixels, layer.f));
          for (const std::size_t input : layer.inputs) {
            join(giver(input).at(board_), out.block, giver(input).words);
          }
          break;
        case TrainingLayer::Kind::Whole:
          out.block = behind(giver(layer.inputs[0]), whole(layer.name, layer.in(), layer.f));
          break;
      }
      lead(out, layer.name, readers(i));
      outputs_.push_back(std::move(out));
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
    board_ = board_of(layers_.size() - 1);
    const Giver& last = outputs_.back();
    BlockId at = behind(last, whole("loss", last.pixels));
    if (last.pixels > 1) at = behind({at, 1, last.words * last.pixels, board_}, spread("loss gradient", last.pixels));
    gradients_.back().push_back({at, last.pixels, last.words, board_});
  }

  void backward(std::size_t i) {
    const TrainingLayer& layer = layers_[i];
    // An output without readers has no gradient.
    if (gradients_[i].empty()) return;
    Giver gradient = summed(layer.name, gradients_[i], board_of(i));
    const auto passed_on = static_cast<std::size_t>(std::count_if(
        layer.inputs.begin(), layer.inputs.end(), [](std::size_t input) { return input != kNetworkInput; }));
    lead(gradient, layer.name + " gradient", {{board_, passed_on + (layer.gw > 0 ? 1 : 0)}});
    if (layer.gw > 0) weights(layer, gradient);
    for (const std::size_t input : layer.inputs) {
      if (input == kNetworkInput) continue;
      Giver back{gradient.at(board_), layer.in(), giver(input).words, board_};
      if (layer.kind == TrainingLayer::Kind::Windowed) {
        const BlockId from = fetched(layer, back.block, "GI", gradient.words, 1);
        const BlockId products = entity(each(layer.name + " GI", layer.out(), layer.gi));
        join(from, products, gradient.words);
        back.block = behind({products, layer.out(), layer.channels, board_},
                            gradient_windows(layer.name + " GI lines", layer.h, layer.w));
      } else if (layer.kind == TrainingLayer::Kind::Whole && layer.in() > 1) {
        back.block = behind(gradient, spread(layer.name + " gradient", layer.in(), layer.gi));
      }
      gradients_[input].push_back(back);
    }
  }

  void weights(const TrainingLayer& layer, const Giver& gradient) {
    const Giver& from = giver(layer.inputs[0]);
    const BlockId stored = store(layer, from);
    const BlockId lines = add(windows(layer.name + " GW lines", layer.h, layer.w));
    const FifoId last = join(stored, lines, from.words);
    constexpr std::int64_t kRead = 2;  // pixels that wait after DRAM
    if (stored != from.at(board_)) {
      result_.pipeline.fifos[last].depth = kRead;
    } else {
      result_.stores.push_back(last);
      result_.store_words.push_back(from.words);
      result_.pipeline.fifos.back().name = layer.name + " store";
    }
    const BlockId from_gradient = fetched(layer, gradient.at(board_), "GW", gradient.words, 2);
    const BlockId sums = entity(sink(layer.name + " GW", layer.out(), layer.gw));
    // Depth: the windows between the last one of an image and the first one of the next, so that there is no gap.
    const FifoId waiting = join(lines, sums, layer.channels);
    result_.pipeline.fifos[waiting].depth = lag(layer.h, layer.w) + 2;
    join(from_gradient, sums, gradient.words);
  }

  const Rational* dram() const { return boards_ && !boards_->dram.empty() ? &boards_->dram[board_] : nullptr; }

  // DRAM of the board, shared by all its transfers.
  BlockId port_of_board() {
    const auto [found, added] = dram_of_.try_emplace(board_, 0);
    if (added) found->second = add({fmt::format("DRAM {}", board_ + 1), {}});
    return found->second;
  }
  void serve(BlockId port, std::int64_t tokens, Bytes bytes) {
    const Cycles cycles = std::max<Cycles>(1, ceil(Rational(bytes) / *dram()));
    result_.pipeline.blocks[port].streams.push_back({tokens, cycles});
  }

  // Adds the way of a layer's input through DRAM, if it waits there: returns the block that gives its pixels.
  BlockId store(const TrainingLayer& layer, const Giver& from) {
    if (!dram()) return from.at(board_);
    const Bytes pixel = bytes(from.words);
    const std::int64_t tokens = pixels_per_transfer(pixel, from.pixels);
    const std::int64_t transfers = ceil_div(from.pixels, tokens);
    const BlockId port = port_of_board();
    const BlockId written = behind(from, packetiser(layer.name + " writes", from.pixels, tokens));
    join(written, port, tokens * from.words);
    serve(port, transfers, tokens * pixel);
    result_.stores.push_back(join(port, port, tokens * from.words));
    result_.store_words.push_back(from.words);
    result_.pipeline.fifos.back().name = layer.name + " store";
    serve(port, transfers, tokens * pixel);
    const BlockId read = add(depacketiser(layer.name + " reads", from.pixels, tokens));
    constexpr std::int64_t kDouble = 2;
    result_.pipeline.fifos[join(port, read, tokens * from.words)].depth = kDouble;
    return read;
  }

  // Returns the largest number of pixels in a transfer with the fewest whole cycles per pixel.
  std::int64_t pixels_per_transfer(Bytes pixel, std::int64_t pixels) const {
    const std::int64_t most = std::clamp<std::int64_t>(boards_->transfer / pixel, 1, pixels);
    std::int64_t best = 1;
    const auto cycles = [&](std::int64_t count) { return ceil(Rational(count * pixel) / *dram()); };
    Cycles of_best = cycles(1);
    for (std::int64_t count = 2; count <= most; ++count) {
      const Cycles of_count = cycles(count);
      if (of_count * best > of_best * count) continue;
      best = count;
      of_best = of_count;
    }
    return best;
  }

  // Adds the transfers of the weights that an entity needs for each pixel, if they are in DRAM: `times` their words.
  BlockId fetched(const TrainingLayer& layer, BlockId from, const std::string& entity, Words words, int times) {
    if (!layer.weights_in_dram || !dram()) return from;
    const Words weights = Words{layer.channels} * layer.filters * layer.h.kernel * layer.w.kernel * times;
    const std::int64_t transfers = ceil_div(bytes(weights), boards_->transfer);
    const std::string name = layer.name + " " + entity + " weights";
    const BlockId asked = add(spread(name + " requests", transfers));
    join(from, asked, words);
    const BlockId port = port_of_board();
    join(asked, port, 1);
    serve(port, transfers, boards_->transfer);
    const BlockId arrived = add(whole(name, transfers));
    join(port, arrived, 1);
    return arrived;
  }

  void throttle(Cycles period) {
    Pipeline& pipeline = result_.pipeline;
    if (period == 0 || boards_) period = std::max(period, slowest(pipeline));
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
  const Boards* boards_;
  std::size_t board_ = 0;  // board to which blocks are added
  Training result_;
  Giver input_;
  std::vector<Giver> outputs_;
  std::vector<std::vector<Giver>> gradients_;  // of each layer's output, one per reader
  std::map<std::pair<std::size_t, std::size_t>, BlockId> wire_of_;
  std::map<std::size_t, BlockId> dram_of_;
  std::vector<BlockId> wires_;
  std::map<BlockId, Cycles> last_;  // of the last packet of an image, if it is shorter, on a wire with one stream
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

Training training(const std::vector<TrainingLayer>& layers, Cycles period, const Boards* boards) {
  if (layers.empty()) throw Error("the network has no layers to train");
  return Network(layers, boards).build(period);
}

Depths size_fifos(Training& training, std::int64_t images) {
  std::optional<Depths> depths = sized_fifos(training, images);
  if (!depths) throw Error(fmt::format("the pipeline reaches no steady state within {} images", images));
  return *std::move(depths);
}

std::optional<Depths> sized_fifos(Training& training, std::int64_t images) {
  Depths depths;
  depths.simulated = simulate(training.pipeline, images);
  const Simulated& simulated = depths.simulated;
  if (!simulated.recurrence) return std::nullopt;
  for (FifoId id = 0; id < training.pipeline.fifos.size(); ++id) {
    Fifo& fifo = training.pipeline.fifos[id];
    if (fifo.depth == kUnbounded) fifo.depth = simulated.places[id];
    const bool store = std::find(training.stores.begin(), training.stores.end(), id) != training.stores.end();
    (store ? depths.stores : depths.others) += fifo.depth * training.token_words[id];
  }
  return depths;
}

}  // namespace weft::pipeline
