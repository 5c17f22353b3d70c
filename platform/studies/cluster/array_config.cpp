#include "platform/studies/cluster/array_config.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/core/text.h"
#include "model/link/ethernet/framed_link.h"
#include "platform/studies/cluster/cluster_fields.h"

namespace weft::cluster {

using config::MapReader;
using config::MapWriter;
using config::Names;
using config::Need;
using config::Node;

namespace {

const Names<fpdeep::Features> kFeatures{{"unpooled", fpdeep::Features::Unpooled}, {"pooled", fpdeep::Features::Pooled}};
const Names<fpdeep::Cuts> kCuts{{"boundaries", fpdeep::Cuts::Boundaries}, {"inner", fpdeep::Cuts::Inner}};
const Names<fpdeep::Partition> kPartitions{
    {"output", fpdeep::Partition::Output}, {"input", fpdeep::Partition::Input}, {"better", fpdeep::Partition::Better}};
const Names<Framing> kFramings{{"none", Framing::None}, {"aurora", Framing::Aurora}};
const Names<fpdeep::Gradients> kGradients{{"own", fpdeep::Gradients::Own}, {"shared", fpdeep::Gradients::Shared}};
const Names<fpdeep::Lag> kLags{{"rows", fpdeep::Lag::Rows}, {"pixels", fpdeep::Lag::Pixels}};
const Names<fpdeep::WeightFetch> kFetches{{"image", fpdeep::WeightFetch::Image}, {"row", fpdeep::WeightFetch::Row}};

template <class E>
const char* name_of(const Names<E>& names, E value) {
  return std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.second == value; })->first;
}

void reading_fields(config::MapIo& io, NamedReading& reading) {
  io.text("name", reading.name, Need::Required);
  io.choice("cuts", reading.links.cuts, kCuts);
  io.choice("partition", reading.links.partition, kPartitions);
  io.integer("lanes", reading.lanes, 1, 64);
  io.exact("lane_gbps", reading.lane_gbps, 0, 1000);
  io.choice("framing", reading.framing, kFramings);
}

void published_fields(config::MapIo& io, PublishedBoards& published) {
  io.value("boards", published.boards, config::form::integer<int>(1, kMostBoards));
  io.value("gops_per_board", published.gops_per_board, config::form::real(0, 1e6));
  if (const config::MapReader* const reader = io.reader()) {
    if (published.boards.has_value() == published.gops_per_board.has_value()) {
      throw reader->error("gops_per_board", "give exactly one of boards and gops_per_board");
    }
  }
  io.text("source", published.source, Need::Required);
  io.text("board", published.board, Need::Required);
  io.list("networks", published.networks, config::form::text(), Need::Required);
}

void fpdeep_fields(config::MapIo& io, ArrayConfig& array) {
  io.integer("dsp", array.dsp, 1, config::kIntMax, Need::Required);
  io.exact("clock_mhz", array.clock_mhz, 0, 10'000, Need::Required);
  io.integer("word_bits", array.word_bits, 1, 64);
  io.value("block_ram_words", array.block_ram_words, config::form::integer<Words>(1, config::kIntMax));
  io.boolean("gi_first", array.gi_first);
  io.choice("features", array.storage.features, kFeatures);
  io.choice("gradients", array.storage.gradients, kGradients);
  io.choice("lag", array.storage.lag, kLags);
  io.choice("weight_fetch", array.storage.fetch, kFetches);
}

void fields(config::MapIo& io, ArrayConfig& array, const config::Library& library) {
  cluster_fields(io, array, library, false);
  io.map("fpdeep", Need::Required, [&](config::MapIo& sub) { fpdeep_fields(sub, array); });
  io.integer("scaling_to", array.scaling_to, 1, kMostBoards);
  io.map_list("readings", Need::Required, array.readings,
              [](config::MapIo& sub, NamedReading& each) { reading_fields(sub, each); });
  io.text("simulated_reading", array.simulated_reading);
  io.map_list("published", Need::Optional, array.published,
              [](config::MapIo& sub, PublishedBoards& each) { published_fields(sub, each); });
  config::assumed_fields(io, array.assumed);
}

void check(const MapReader& reader, const ArrayConfig& array) {
  if (array.readings.empty()) throw reader.error("readings", "must have at least one");
  for (std::size_t i = 0; i < array.readings.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (array.readings[i].name == array.readings[j].name) {
        throw reader.error("readings", fmt::format("two readings are named '{}'", array.readings[i].name));
      }
    }
  }
  if (!array.simulated_reading.empty() && array.simulated().name != array.simulated_reading) {
    std::vector<std::string> names;
    for (const NamedReading& each : array.readings) names.push_back(each.name);
    throw reader.error("simulated_reading", fmt::format("there is no reading '{}'; allowed: {}",
                                                        array.simulated_reading, config::join(names)));
  }
  const auto& dsp = array.board.dsp;
  if (!dsp || array.dsp > dsp->usable) {
    throw reader.error("fpdeep", fmt::format("dsp: {} is more than the {} of board '{}'", array.dsp,
                                             dsp ? dsp->usable : 0, array.board.name));
  }
  if (!array.board.block_ram) {
    throw reader.error("board", fmt::format("'{}' does not say how many blocks of memory it has", array.board.name));
  }
}

}  // namespace

const char* to_string(Framing framing) {
  return name_of(kFramings, framing);
}

ethernet::FramedConfig NamedReading::frames() const {
  ethernet::SerialRates rates;
  rates.lane_mbps = lane_gbps * 1000;
  rates.lanes = lanes;
  ethernet::FramedConfig frames = ethernet::serial(rates);
  if (framing == Framing::Aurora) return frames;
  frames.byte_ps = Rational(8000) / (lane_gbps * lanes);
  frames.overhead = 0;
  frames.latency_ps = 0;
  return frames;
}

double NamedReading::bits_per_s() const {
  return boost::rational_cast<double>(frames().goodput_mbps()) * 1e6;
}

const NamedReading& ArrayConfig::simulated() const {
  const auto named = std::find_if(readings.begin(), readings.end(),
                                  [&](const NamedReading& each) { return each.name == simulated_reading; });
  return named == readings.end() ? readings.front() : *named;
}

double ArrayConfig::peak_gops() const {
  return 2 * static_cast<double>(dsp) * boost::rational_cast<double>(clock_mhz) / 1000;
}

Words ArrayConfig::board_words() const {
  return board.block_ram->usable * block_ram_words.value_or(words_of_block(board.block_ram_kind, word_bits)) +
         (board.uram ? board.uram->usable * config::words_of_uram(word_bits) : 0);
}

Node describe_array() {
  return config::describe_map(ArrayConfig{}, [](config::MapIo& io, ArrayConfig& each) { fields(io, each, {}); });
}

ArrayConfig read_array(const Node& file, const config::Library& library) {
  ArrayConfig array;
  MapReader reader(file, "");
  fields(reader, array, library);
  reader.finish();
  check(reader, array);
  for (NamedReading& each : array.readings) each.links.features = array.storage.features;
  config::drop_settled(array.assumed, file, "");
  return array;
}

std::string ArrayConfig::resolved_yaml() const {
  ArrayConfig copy = *this;
  MapWriter writer;
  fields(writer, copy, {});
  return yaml_of(writer, board);
}

std::vector<std::pair<const char*, std::string>> ArrayConfig::lines() const {
  std::vector<std::pair<const char*, std::string>> all{
      {"each", fmt::format("{} DSPs at {} MHz, {} words of {} bits", thousands(dsp), config::exact_text(clock_mhz),
                           thousands(board_words()), word_bits)},
      {"storage", storage_text(storage)}};
  for (const NamedReading& each : readings) all.emplace_back("links", each.name + ": " + reading_text(each));
  for (const PublishedBoards& each : published) {
    all.emplace_back("published",
                     fmt::format("{}, {} ({}): {}", each.text(), each.board, config::join(each.networks), each.source));
  }
  return all;
}

std::string reading_text(const NamedReading& reading) {
  return fmt::format("cuts: {}, partition: {}, lanes: {}, lane_gbps: {}, framing: {}",
                     name_of(kCuts, reading.links.cuts), name_of(kPartitions, reading.links.partition), reading.lanes,
                     boost::rational_cast<double>(reading.lane_gbps), to_string(reading.framing));
}

std::string storage_text(const fpdeep::StorageReading& reading) {
  return fmt::format("features: {}, gradients: {}, lag: {}, weight_fetch: {}", name_of(kFeatures, reading.features),
                     name_of(kGradients, reading.gradients), name_of(kLags, reading.lag),
                     name_of(kFetches, reading.fetch));
}

}  // namespace weft::cluster
