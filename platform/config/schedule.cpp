#include "platform/config/schedule.h"

#include <fmt/core.h>

#include <cmath>

#include "platform/config/reader.h"

namespace weft::config {

namespace {

constexpr int kMostChannels = 1024;
constexpr double kMostPenalty = 1000;  // percent

const Names<Transfers>& transfers_names() {
  static const Names<Transfers> names{{"every_call", Transfers::EveryCall},
                                      {"keep_weights", Transfers::KeepWeights},
                                      {"keep_activations", Transfers::KeepActivations}};
  return names;
}

bool is_file(const std::string& dse) {
  const std::string extension = std::filesystem::path(dse).extension().string();
  return dse.find('/') != std::string::npos || extension == ".json" || extension == ".yaml" || extension == ".yml";
}

void fields(MapIo& io, KernelsOfDse& kernels) {
  io.custom(
      "dse", Need::Required,
      [&](const Node& dse, const std::string& key) {
        if (dse.kind != Node::Kind::Scalar || dse.text.empty()) {
          throw error_at(dse.place, key,
                         fmt::format("must name a result of weft dse (a path), or an exploration (a name or a .yaml "
                                     "file), not {}",
                                     describe(dse)));
        }
        kernels.dse = dse.text;
      },
      [&] { return scalar_node(kernels.dse, true); }, schema::text);
  if (!io.writes() || kernels.own) io.boolean("own", kernels.own);
  if (io.writes() && kernels.own) return;
  double percent = static_cast<double>(kernels.penalty_milli_percent) / 1000;
  io.real("penalty_percent", percent, 0, kMostPenalty);
  kernels.penalty_milli_percent = std::llround(percent * 1000);
}

KernelsOfDse read_kernels(const Node& node, const std::string& path) {
  KernelsOfDse kernels;
  MapReader reader(node, path);
  fields(reader, kernels);
  reader.finish();
  const Node& dse = *node.find("dse");
  kernels.place = kernels.penalty_place = dse.place;
  if (const Node* const penalty = node.find("penalty_percent")) {
    if (kernels.own)
      throw reader.error("penalty_percent", "cannot be combined with own: true, which shares no kernels: remove one");
    kernels.penalty_place = penalty->place;
  }
  if (is_file(kernels.dse)) {
    const std::filesystem::path dir = dse.place.source ? dse.place.source->dir : std::filesystem::path();
    kernels.dse = std::filesystem::absolute(dir / kernels.dse).lexically_normal().string();
  }
  return kernels;
}

Node write_kernels(const KernelsOfDse& kernels) {
  return write_map(kernels, [](MapIo& io, KernelsOfDse& copy) { fields(io, copy); });
}

const Names<Calls>& calls_names() {
  static const Names<Calls> names{{"opencl", Calls::OpenCl}, {"xrt", Calls::Xrt}};
  return names;
}

void fields(MapIo& io, Schedule& schedule) {
  io.choice("transfers", schedule.transfers, transfers_names());
  io.choice("overlap", schedule.overlap,
            Names<Overlap>{
                {"none", Overlap::None}, {"double_buffer", Overlap::DoubleBuffer}, {"same_bank", Overlap::SameBank}});
  io.choice("calls", schedule.calls, calls_names());
  io.choice("host_buffers", schedule.host_buffers,
            Names<HostBuffers>{{"aligned", HostBuffers::Aligned}, {"copied", HostBuffers::Copied}});
  io.choice("im2col", schedule.im2col, Names<Im2colPlace>{{"card", Im2colPlace::Card}, {"cpu", Im2colPlace::Cpu}});
  io.choice("load", schedule.load, Names<LoadKind>{{"card", LoadKind::Card}, {"region", LoadKind::Region}});
  io.choice("load_time", schedule.load_time, Names<LoadTime>{{"needed", LoadTime::Needed}, {"ahead", LoadTime::Ahead}});
  io.choice("order", schedule.order, Names<Order>{{"graph", Order::Graph}, {"fewest_loads", Order::FewestLoads}});
  io.choice("updates", schedule.updates, Names<Updates>{{"at_end", Updates::AtEnd}, {"as_ready", Updates::AsReady}});
  io.choice("unknown_operators", schedule.unknown_operators,
            Names<UnknownOperators>{{"refuse", UnknownOperators::Refuse}, {"by_bytes", UnknownOperators::ByBytes}});
  io.text("loss", schedule.loss);
  io.custom(
      "other_channels", Need::Optional,
      [&](const Node& node, const std::string& path) {
        schedule.other_channels.clear();
        if (node.kind == Node::Kind::Scalar && node.text == "auto") return;
        for (const Node& entry : expect_map(node, path).children) {
          const auto channel = read_integer(entry, path + "." + entry.key, 0, kMostChannels);
          schedule.other_channels[entry.key] = {static_cast<int>(channel), entry.place};
        }
      },
      [&] {
        if (schedule.other_channels.empty()) return scalar_node("auto");
        Node map = map_node();
        for (const auto& [port, other] : schedule.other_channels) {
          map.set(port, scalar_node(std::to_string(other.channel)));
        }
        return map;
      },
      [] {
        return schema::any_of({schema::choice({"auto"}), schema::map_of(schema::integer(0, kMostChannels))});
      });
  io.custom(
      "kernels", Need::Optional,
      [&](const Node& node, const std::string& path) { schedule.kernels = read_kernels(node, path); },
      [&]() -> std::optional<Node> {
        if (!schedule.kernels.given()) return std::nullopt;
        return write_kernels(schedule.kernels);
      },
      [] { return describe_map(KernelsOfDse{}, [](MapIo& sub, KernelsOfDse& kernels) { fields(sub, kernels); }); });
  assumed_fields(io, schedule.assumed);
}

}  // namespace

std::string kernels_text(const KernelsOfDse& kernels, std::int64_t count, const Rational& clock_mhz) {
  const std::string how =
      kernels.own ? "each convolution on its optimal one"
                  : fmt::format("shared within {}%", static_cast<double>(kernels.penalty_milli_percent) / 1000);
  return fmt::format("{} kernels of weft dse {} ({}) at {} MHz", count, kernels.dse, how, exact_text(clock_mhz));
}

bool KernelsOfDse::is_result() const {
  const std::string extension = std::filesystem::path(dse).extension().string();
  return is_file(dse) && extension != ".yaml" && extension != ".yml";
}

const char* to_string(Calls calls) {
  return calls_names()[static_cast<std::size_t>(calls)].first;
}

const char* to_string(Transfers transfers) {
  return transfers_names()[static_cast<std::size_t>(transfers)].first;
}

Schedule read_schedule(const Node& node, const std::string& path) {
  Schedule schedule;
  MapReader reader(node, path);
  fields(reader, schedule);
  reader.finish();
  if (const Node* const assumed = node.find("assumed")) {
    for (const Node& item : assumed->children) {
      if (node.find(item.text)) continue;
      throw error_at(item.place, path + ".assumed",
                     fmt::format("names '{}', which is not given here; name only given keys", item.text));
    }
  }
  drop_settled(schedule.assumed, node, path);
  schedule.transfers_place = reader.place("transfers");
  schedule.overlap_place = reader.place("overlap");
  schedule.im2col_place = reader.place("im2col");
  schedule.unknown_operators_place = reader.place("unknown_operators");
  schedule.loss_place = reader.place("loss");
  schedule.other_channels_place = reader.place("other_channels");
  return schedule;
}

Node describe_schedule() {
  return describe_map(Schedule{}, [](MapIo& io, Schedule& schedule) { fields(io, schedule); });
}

Node write_schedule(const Schedule& schedule) {
  return write_map(schedule, [](auto& io, Schedule& copy) { fields(io, copy); });
}

}  // namespace weft::config
