#include "platform/studies/cluster/nada_config.h"

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

const Names<nada::Placement> kPlacements{{"contiguous", nada::Placement::Contiguous}, {"any", nada::Placement::Any}};
const Names<bool> kFlows{{"credit", true}, {"none", false}};
const Names<bool> kFifos{{"beside", false}, {"within", true}};
const Names<nada::Activations> kActivations{{"dram", nada::Activations::Dram}, {"block_ram", nada::Activations::M20k}};

// Reads the linked pairs of boards of `topology`; default: a chain. Boards are filled in order, so each must be linked
// to the next.
void read_topology(const Node& node, const std::string& key, int boards) {
  std::vector<bool> linked(static_cast<std::size_t>(boards));
  for (const Node& pair : config::expect_list(node, key).children) {
    const Node& both = config::expect_list(pair, key);
    if (both.children.size() != 2) {
      throw config::error_at(pair.place, key, "must be pairs of boards: [[1, 2], [2, 3]]");
    }
    const std::int64_t a = config::read_integer(both.children[0], key, 1, boards);
    const std::int64_t b = config::read_integer(both.children[1], key, 1, boards);
    if (std::max(a, b) - std::min(a, b) != 1) {
      throw config::error_at(pair.place, key,
                             fmt::format("links boards {} and {}, but boards are filled in order and use only links to "
                                         "neighbours; allowed: a board and the next one",
                                         a, b));
    }
    linked[static_cast<std::size_t>(std::min(a, b)) - 1] = true;
  }
  for (int i = 1; i < boards; ++i) {
    if (linked[static_cast<std::size_t>(i) - 1]) continue;
    throw config::error_at(
        node.place, key,
        fmt::format(
            "must be connected, but no link joins board {} and board {}; allowed: a link from each board to the "
            "next, or no topology (the same chain)",
            i, i + 1));
  }
}

void published_fields(config::MapIo& io, PublishedRate& row) {
  io.text("network", row.network, Need::Required);
  io.text("cluster", row.cluster, Need::Required);
  io.integer("measured", row.measured, 1, config::kIntMax, Need::Required);
  io.integer("planned", row.planned, 1, config::kIntMax, Need::Required);
  io.integer("plan_minutes", row.plan_minutes, 0, config::kIntMax);
  io.integer("run_hours", row.run_hours, 0, config::kIntMax);
}

void nada_fields(config::MapIo& io, NadaConfig& nada) {
  io.exact("clock_mhz", nada.clock_mhz, 1, 10'000, Need::Required);
  io.choice("placement", nada.placement, kPlacements);
  io.integer("solver_millions", nada.solver_millions, 1, 4000);
  io.integer("usable_percent", nada.usable_percent, 1, 100);
  io.integer("dsp_per_lane", nada.costs.dsp_per_lane, 1, 1000);
  io.integer("registers_per_lane", nada.costs.registers_per_lane, 0, 1'000'000);
  io.integer("copies", nada.costs.copies, 1, 16);
  io.integer("word_bits", nada.word_bits, 1, 64);
  io.value("block_ram_words", nada.block_ram_words, config::form::integer<Words>(1, config::kIntMax));
  io.integer("mlab_words", nada.costs.mlab_words, 0, 4096);
  io.integer("mlabs_per_bank", nada.costs.mlabs_per_bank, 1, 1000);
  io.choice("activations", nada.activations, kActivations);
  io.integer("stored_images", nada.stored_images, 1, 100'000);
  io.choice("fifos", nada.fifos_within, kFifos);
  io.integer("update_words_per_cycle", nada.update_words_per_cycle, 1, 1'000'000);
  io.boolean("fc_weights_in_dram", nada.fc_in_dram);
  io.integer("dram_transfer_bytes", nada.dram_transfer_bytes, 1, 1'000'000);
  io.boolean("gi_first", nada.gi_first);
}

void fields(config::MapIo& io, NadaConfig& nada, bool& rate_given, const config::Library& library) {
  cluster_fields(io, nada, library, true);
  io.custom(
      "topology", Need::Optional,
      [&](const Node& node, const std::string& key) { read_topology(node, key, nada.boards); }, nullptr,
      [] { return config::schema::list_of(config::schema::list_of(config::schema::integer(1, kMostBoards))); });
  io.integer("batch", nada.batch, 1, 1'000'000);
  io.integer("dataset_images", nada.dataset_images, 1, config::kIntMax);
  io.map("links", Need::Optional, [&](config::MapIo& sub) {
    sub.custom(
        "gbits_per_s", Need::Optional,
        [&](const Node& node, const std::string& key) {
          nada.link_gbps = config::read_exact(node, key, 0, 100'000);
          rate_given = true;
          if (nada.link_gbps <= 0) throw config::error_at(node.place, key, "must be more than 0");
        },
        [&] { return config::scalar_node(config::exact_text(nada.link_gbps)); },
        [] { return config::schema::number(0, 100'000); });
    sub.integer("payload_bytes", nada.payload, 1, 9000);
    sub.integer("switches", nada.switches, 0, 1000);
    sub.choice("flow", nada.wait_for_link, kFlows);
    sub.value("receive_bytes", nada.receive_bytes, config::form::integer<Bytes>(1, config::kIntMax));
    sub.integer("lost_per_million", nada.lost_per_million, 0, 500'000);
    sub.value("resend_after_us", nada.resend_after_us, config::form::exact_or_zero(1'000'000));
    sub.integer("delayed_per_million", nada.delayed_per_million, 0, 1'000'000);
    sub.value("delay_us", nada.delay_us, config::form::exact_or_zero(1'000'000));
    if (const MapReader* const reader = sub.reader(); reader && nada.lost_per_million > 0 && !nada.resend_after_us) {
      throw reader->error("lost_per_million",
                          "loses frames that nothing sends again, so that an image with one never ends: give "
                          "resend_after_us, the time until a lost frame is sent again");
    }
  });
  io.map("nada", Need::Required, [&](config::MapIo& sub) { nada_fields(sub, nada); });
  io.map_list("published", Need::Optional, nada.published,
              [](config::MapIo& sub, PublishedRate& each) { published_fields(sub, each); });
  config::assumed_fields(io, nada.assumed);
}

// Throws InputError if a plan cannot count the resources of the board.
void check(const MapReader& reader, const NadaConfig& nada, const config::Board& board) {
  if (!board.dsp || !board.block_ram) {
    throw reader.error("board", fmt::format("'{}' does not say how many DSPs and blocks of memory it has", board.name));
  }
  const char* const kLane = "nada.dsp_per_lane";
  const bool assumed = std::find(nada.assumed.begin(), nada.assumed.end(), kLane) != nada.assumed.end();
  if (board.block_ram_kind == config::BlockRam::M20k || !assumed) return;
  throw reader.error("board",
                     fmt::format("'{}' is no device of Intel, for whose DSPs {} = {} is assumed (one multiplies "
                                 "and adds in FP32): give {} of this board, such as 9, a PE of FPGPT",
                                 board.name, kLane, nada.costs.dsp_per_lane, kLane));
}

std::int64_t share(const std::optional<config::ResourceCount>& of, int percent, std::int64_t otherwise) {
  return of ? of->usable * percent / 100 : otherwise;
}

// Bandwidth of all channels together; kUnbounded if the board does not state it.
std::int64_t dram_bytes_per_s(const config::Memory& memory) {
  const auto rate = [](int channels, const Frequency& mtps, std::int64_t bytes) {
    return floor(mtps * 1'000'000 * channels * bytes);
  };
  if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&memory)) {
    return rate(ddr4->channels, ddr4->data_rate_mtps, ddr4->organisation.data_bits / 8);
  }
  if (const auto* other = std::get_if<config::UnmodelledMemory>(&memory)) {
    return rate(other->channels, other->data_rate_mtps, 8);
  }
  return kUnbounded;
}

}  // namespace

std::int64_t NadaConfig::clock_hz() const {
  return floor(clock_mhz * 1'000'000);
}

ethernet::FramedConfig NadaConfig::frames() const {
  ethernet::EthernetRates rates;
  rates.mbps = link_gbps * 1000;
  rates.switches = switches;
  ethernet::FramedConfig link = ethernet::ethernet(rates);
  link.payload = payload;
  return link;
}

std::int64_t NadaConfig::link_goodput() const {
  return floor(frames().goodput_mbps() * 1'000'000);
}

nada::Board NadaConfig::usable(std::size_t at) const {
  const config::Board& of = board_at(at);
  return {of.name,
          {share(of.dsp, usable_percent, 0), share(of.ff, usable_percent, kUnbounded),
           share(of.block_ram, usable_percent, 0), share(of.mlab, usable_percent, 0)},
          dram_bytes_per_s(of.memory)};
}

Node describe_nada() {
  return config::describe_map(NadaConfig{}, [](config::MapIo& io, NadaConfig& each) {
    bool rate_given = false;
    fields(io, each, rate_given, {});
  });
}

NadaConfig read_nada(const Node& file, const config::Library& library) {
  NadaConfig nada;
  MapReader reader(file, "");
  bool rate_given = false;
  fields(reader, nada, rate_given, library);
  reader.finish();
  config::drop_settled(nada.assumed, file, "");
  for (int i = 0; i < nada.boards; ++i) {
    const config::Board& board = nada.board_at(static_cast<std::size_t>(i));
    if (!rate_given && nada.boards > 1) {
      if (!board.network) {
        throw reader.error(
            "links", fmt::format("needs gbits_per_s: board '{}' does not say how fast its ports are", board.name));
      }
      const Rational rate(static_cast<std::int64_t>(board.network->gbits_per_s_per_port * 1000), 1000);
      nada.link_gbps = i == 0 ? rate : std::min(nada.link_gbps, rate);
    }
    check(reader, nada, board);
  }
  nada.costs.m20k_words =
      nada.block_ram_words.value_or(config::words_of_block(nada.board.block_ram_kind, nada.word_bits));
  return nada;
}

std::string NadaConfig::resolved_yaml() const {
  NadaConfig copy = *this;
  bool given = true;
  MapWriter writer;
  fields(writer, copy, given, {});
  return yaml_of(writer, board);
}

std::vector<std::pair<const char*, std::string>> NadaConfig::lines() const {
  std::vector<std::pair<const char*, std::string>> all;
  for (std::size_t i = 0; i < std::max<std::size_t>(row.size(), 1); ++i) {
    const nada::Use limit = usable(i).limit;
    all.emplace_back(
        row.empty() ? "of each"
        : i == 0    ? "of them"
                    : "",
        fmt::format("{}{} % may be used: {} DSPs, {} blocks of {} words, {} MLABs; {} MHz",
                    row.empty() ? "" : row[i].name + ": ", usable_percent, thousands(limit.dsp), thousands(limit.m20k),
                    thousands(costs.m20k_words), thousands(limit.mlab), config::exact_text(clock_mhz)));
  }
  all.emplace_back(
      "links", fmt::format("{} Gb/s, of which frames of {} bytes leave {:.2f}", config::exact_text(link_gbps), payload,
                           static_cast<double>(link_goodput()) / 1e9));
  for (const PublishedRate& each : published) all.emplace_back("published", each.text());
  return all;
}

}  // namespace weft::cluster
