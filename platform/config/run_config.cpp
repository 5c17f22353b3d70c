#include "platform/config/run_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "model/memory/config.h"
#include "platform/config/reader.h"
#include "platform/config/topology.h"
#include "workloads/lowering.h"

namespace weft::config {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxStep = 1 << 24;  // of strides, padding and dilations, as in an ONNX file
constexpr int kMaxBatch = 1 << 20;
constexpr const char* kDefaultRun = "default";  // of a network given alone
constexpr Bytes kMaxBusBytes = memory::kWidestBeat;

const Names<Rung>& rungs() {
  static const Names<Rung> names{{"analytical", Rung::Analytical}, {"systemc", Rung::SystemC}, {"exact", Rung::Exact}};
  return names;
}

const Names<Mode>& modes() {
  static const Names<Mode> names{{"timing", Mode::Timing}, {"data", Mode::Data}};
  return names;
}

const Names<conv::Kind>& kind_names() {
  static const Names<conv::Kind> names{{"F", conv::Kind::F}, {"GI", conv::Kind::GI}, {"GW", conv::Kind::GW}};
  return names;
}

template <class E>
const char* name_of(E value, const Names<E>& names) {
  for (const auto& name : names) {
    if (name.second == value) return name.first;
  }
  return "";
}

Node integers(const std::vector<int>& values) {
  Node list = list_node();
  for (const int value : values) list.children.push_back(scalar_node(std::to_string(value)));
  return list;
}

Node one_or_list(std::int64_t low, std::int64_t high) {
  return schema::any_of({schema::integer(low, high), schema::list_of(schema::integer(low, high))});
}

// One number for both axes, or [h, w].
void pair(MapIo& io, const char* key, int& h, int& w, std::int64_t low, std::int64_t high, Need need) {
  io.custom(
      key, need,
      [&](const Node& node, const std::string& path) {
        if (node.kind == Node::Kind::List) {
          if (node.children.size() != 2) {
            throw error_at(node.place, path,
                           fmt::format("must be one number or [h, w], not a list of {}", node.children.size()));
          }
          h = static_cast<int>(read_integer(node.children[0], path, low, high));
          w = static_cast<int>(read_integer(node.children[1], path, low, high));
        } else {
          h = w = static_cast<int>(read_integer(node, path, low, high));
        }
      },
      [&] {
        return integers({h, w});
      },
      [&] { return one_or_list(low, high); });
}

// One number for all sides, [h, w], or [top, left, bottom, right] as in ONNX.
void padding(MapIo& io, conv::Layer& layer) {
  io.custom(
      "pad", Need::Optional,
      [&](const Node& node, const std::string& path) {
        std::vector<int> sides;
        if (node.kind == Node::Kind::List) {
          for (const Node& item : node.children) {
            sides.push_back(static_cast<int>(read_integer(item, path, 0, kMaxStep)));
          }
          if (sides.size() == 2) sides = {sides[0], sides[1], sides[0], sides[1]};
          if (sides.size() != 4) {
            throw error_at(node.place, path,
                           fmt::format("must be one number, [h, w] or [top, left, bottom, right], not a list of {}",
                                       sides.size()));
          }
        } else {
          sides.assign(4, static_cast<int>(read_integer(node, path, 0, kMaxStep)));
        }
        layer.h.pad_begin = sides[0];
        layer.w.pad_begin = sides[1];
        layer.h.pad_end = sides[2];
        layer.w.pad_end = sides[3];
      },
      [&] {
        return integers({layer.h.pad_begin, layer.w.pad_begin, layer.h.pad_end, layer.w.pad_end});
      },
      [] { return one_or_list(0, kMaxStep); });
}

void fields(MapIo& io, conv::Layer& layer) {
  io.text("name", layer.name, Need::Required);
  io.integer("channels", layer.channels, 1, kIntMax, Need::Required);
  io.integer("h", layer.h.size, 1, kIntMax, Need::Required);
  io.integer("w", layer.w.size, 1, kIntMax, Need::Required);
  io.integer("filters", layer.filters, 1, kIntMax, Need::Required);
  pair(io, "kernel", layer.h.kernel, layer.w.kernel, 1, kIntMax, Need::Required);
  pair(io, "stride", layer.h.stride, layer.w.stride, 1, kMaxStep, Need::Optional);
  padding(io, layer);
  pair(io, "dilation", layer.h.dilation, layer.w.dilation, 1, kMaxStep, Need::Optional);
  io.integer("groups", layer.groups, 1, kIntMax);
  io.boolean("graph_input", layer.from_graph_input);
}

// Checks conditions that concern several keys of a layer.
void check(const MapReader& io, const conv::Layer& layer) {
  const auto divides = [&](const char* key, int count) {
    if (count % layer.groups != 0) {
      throw io.error("groups", fmt::format("must divide the {} {}, but is {}", count, key, layer.groups));
    }
  };
  divides("channels", layer.channels);
  divides("filters", layer.filters);
  const auto axis = [&](const char* name, const conv::LayerAxis& a) {
    const std::int64_t extent = std::int64_t{a.dilation} * (a.kernel - 1) + 1;
    const std::int64_t padded = std::int64_t{a.size} + a.pad_begin + a.pad_end;
    if (padded > kIntMax) {
      throw io.error("pad", fmt::format("makes {} samples of {}, but at most {} are allowed", padded, name, kIntMax));
    }
    if (extent > padded) {
      throw io.error("kernel", fmt::format("covers {} samples of {}, but the padded input has only {}: reduce it",
                                           extent, name, padded));
    }
  };
  axis("h", layer.h);
  axis("w", layer.w);
}

void checked_fields(MapIo& io, conv::Layer& layer) {
  fields(io, layer);
  if (const MapReader* const reader = io.reader()) {
    reader->finish();
    check(*reader, layer);
  }
}

void fields(MapIo& io, InlineNetwork& network) {
  io.text("name", network.name);
  std::set<std::string> seen;
  const auto layer_fields = [&](MapIo& sub, conv::Layer& layer) {
    if (sub.reader()) layer.from_graph_input = seen.empty();
    checked_fields(sub, layer);
    if (const MapReader* const reader = sub.reader(); reader && !seen.insert(layer.name).second) {
      throw reader->error("name", fmt::format("'{}' names two layers; rename one", layer.name));
    }
  };
  io.map_list("layers", Need::Required, network.layers, layer_fields, true);
  if (const MapReader* const reader = io.reader(); reader && network.layers.empty()) {
    reader->finish();
    throw reader->error("layers", "must have at least one layer");
  }
}

void read_network(const Node& node, const std::string& path, Workload& workload) {
  if (node.kind == Node::Kind::Map) {
    InlineNetwork network;
    read_map(node, path, network, [](auto& io, InlineNetwork& object) { fields(io, object); });
    workload = std::move(network);
    return;
  }
  if (node.kind != Node::Kind::Scalar || node.text.empty()) {
    throw error_at(
        node.place, path,
        fmt::format("must be the name of a network, an ONNX file, a topology (.csv) or a map with 'layers', not {}",
                    describe(node)));
  }
  const fs::path given(node.text);
  if (!is_network_file(given) && node.text.find('/') == std::string::npos) {
    workload = NamedNetwork{node.text, node.place};
    return;
  }
  const fs::path file = node.place.source ? node.place.source->dir / given : given;
  std::error_code code;
  if (!fs::exists(file, code)) throw error_at(node.place, path, fmt::format("no such file: '{}'", file.string()));
  if (fs::is_directory(file, code)) {
    throw error_at(node.place, path, fmt::format("'{}' is a directory, not an ONNX file", file.string()));
  }
  if (given.extension() == ".csv") {
    workload = InlineNetwork{given.stem().string(), read_topology(file)};
    return;
  }
  if (given.extension() != ".onnx") {
    throw error_at(node.place, path, fmt::format("'{}' is no .onnx, .csv or .yaml file", file.string()));
  }
  workload = OnnxNetwork{fs::absolute(file).lexically_normal(), node.place};
}

void read_convolution(const Node& node, const std::string& path, Workload& workload) {
  OneConvolution one;
  MapReader reader(node, path);
  reader.choice("kind", one.kind, kind_names(), Need::Required);
  if (!node.find("name")) one.layer.name = "convolution";
  Node named = node;
  if (!node.find("name")) named.set("name", scalar_node(one.layer.name, true));
  MapReader full(named, path);
  full.choice("kind", one.kind, kind_names(), Need::Required);
  checked_fields(full, one.layer);
  workload = std::move(one);
}

// Returns true if there is a workload: the caller reports a missing one when all keys are known.
bool workload_fields(MapIo& io, Workload& workload) {
  bool network = false, convolution = false;
  io.custom(
      "network", Need::Optional,
      [&](const Node& node, const std::string& path) {
        network = true;
        read_network(node, path, workload);
      },
      [&]() -> std::optional<Node> {
        if (const auto* named = std::get_if<NamedNetwork>(&workload)) return scalar_node(named->name, true);
        if (const auto* onnx = std::get_if<OnnxNetwork>(&workload)) return scalar_node(onnx->path.string(), true);
        if (const auto* layers = std::get_if<InlineNetwork>(&workload)) {
          return write_map(*layers, [](MapIo& sub, InlineNetwork& copy) { fields(sub, copy); });
        }
        return std::nullopt;
      },
      [] { return schema::file("network"); });
  io.custom(
      "convolution", Need::Optional,
      [&](const Node& node, const std::string& path) {
        convolution = true;
        read_convolution(node, path, workload);
      },
      [&]() -> std::optional<Node> {
        const auto* one = std::get_if<OneConvolution>(&workload);
        if (!one) return std::nullopt;
        return write_map(*one, [](MapIo& sub, OneConvolution& copy) {
          sub.choice("kind", copy.kind, kind_names());
          fields(sub, copy.layer);
        });
      },
      [] {
        return describe_map(OneConvolution{}, [](MapIo& sub, OneConvolution& one) {
          sub.choice("kind", one.kind, kind_names(), Need::Required);
          fields(sub, one.layer);
        });
      });
  if (network && convolution) {
    throw io.reader()->error("convolution", "a run has either a network or a convolution, not both");
  }
  return network || convolution;
}

void rung_field(MapIo& io, Rung& rung) {
  io.custom(
      "rung", Need::Optional,
      [&](const Node& node, const std::string& path) {
        // 'rtl' is a rung, but none that runs a network: a spelling hint would mislead.
        if (node.kind == Node::Kind::Scalar && node.text == "rtl") {
          throw error_at(node.place, path,
                         "rung 'rtl' runs only in weft cosim; allowed here: analytical, systemc and exact");
        }
        rung = rungs()[read_choice(node, path, {"analytical", "systemc", "exact"})].second;
      },
      [&] { return scalar_node(name_of(rung, rungs())); },
      [] {
        return schema::choice({"analytical", "systemc", "exact"});
      });
}

void kinds_field(MapIo& io, std::vector<conv::Kind>& kinds) {
  const Form<conv::Kind> kind{[](const Node& node, const std::string& path) {
                                return kind_names()[read_choice(node, path, {"F", "GI", "GW"})].second;
                              },
                              [](conv::Kind each) { return scalar_node(conv::to_string(each)); },
                              [] {
                                return schema::choice({"F", "GI", "GW"});
                              }};
  io.list<conv::Kind>("kinds", kinds, kind, Need::Optional,
                      [&](const Node& item, const std::string& path, conv::Kind each) {
                        if (std::find(kinds.begin(), kinds.end(), each) == kinds.end()) return;
                        throw error_at(item.place, path, fmt::format("'{}' is given twice; remove one", item.text));
                      });
  if (io.reader() && kinds.empty()) throw io.reader()->error("kinds", "must have at least one of F, GI, GW");
}

void readings_field(MapIo& io, RunConfig& run) {
  io.custom(
      "readings", Need::Optional,
      [&](const Node& node, const std::string& path) {
        run.readings.clear();
        if (node.kind == Node::Kind::Scalar && node.text == "auto") return;
        for (const Node& entry : expect_map(node, path).children) {
          run.readings.push_back({entry.key, read_text(entry, path + "." + entry.key), entry.place});
        }
      },
      [&] {
        Node map = map_node();
        for (const ReadingChoice& each : run.kernel->readings(run.readings)) map.set(each.key, scalar_node(each.value));
        return map;
      },
      [] {
        return schema::any_of({schema::choice({"auto"}), schema::map_of(schema::text())});
      });
}

void published_field(MapIo& io, PublishedIteration& published) {
  constexpr double kMost = 1e12;
  const auto fields = [&](MapIo& map) {
    const auto number = [&](const char* key, std::optional<double>& value) {
      double given = value.value_or(-1);
      if (!map.writes() || value) map.real(key, given, 0, kMost);
      if (given >= 0) value = given;
    };
    number("epoch_hours", published.epoch_hours);
    number("conv_gops", published.conv_gops);
    number("gops", published.gops);
    map.text("source", published.source, Need::Required);
    assumed_fields(map, published.assumed);
    if (const MapReader* const reader = map.reader()) {
      if (!published.epoch_hours && !published.conv_gops && !published.gops) {
        throw reader->error("source", "is given without a published value; give epoch_hours, conv_gops or gops");
      }
    }
  };
  if (!io.writes() || !published.source.empty()) io.map("published", Need::Optional, fields);
}

const Names<Sparsity::Mask>& mask_names() {
  static const Names<Sparsity::Mask> names{
      {"random", Sparsity::Mask::Random}, {"balanced", Sparsity::Mask::Balanced}, {"file", Sparsity::Mask::File}};
  return names;
}

// One number for every layer, or a map of layers with `default` for the others.
void density_field(MapIo& io, Sparsity& sparsity) {
  constexpr const char* kDefault = "default";
  io.custom(
      "density", Need::Optional,
      [&](const Node& node, const std::string& path) {
        sparsity.layers.clear();
        if (node.kind != Node::Kind::Map) {
          sparsity.density = read_real(node, path, 0, 1);
          return;
        }
        for (const Node& entry : node.children) {
          const double density = read_real(entry, path + "." + entry.key, 0, 1);
          if (entry.key == kDefault) {
            sparsity.density = density;
          } else {
            sparsity.layers.push_back({entry.key, density, entry.place});
          }
        }
      },
      [&] {
        if (sparsity.layers.empty()) return scalar_node(fmt::format("{}", sparsity.density));
        Node map = map_node();
        map.set(kDefault, scalar_node(fmt::format("{}", sparsity.density)));
        for (const auto& each : sparsity.layers) map.set(each.layer, scalar_node(fmt::format("{}", each.density)));
        return map;
      },
      [] {
        return schema::any_of({schema::number(0, 1), schema::map_of(schema::number(0, 1))});
      });
}

void sparsity_field(MapIo& io, std::optional<Sparsity>& sparsity) {
  io.optional_map("sparsity", sparsity, [](MapIo& sub, Sparsity& s) {
    sub.choice("mask", s.mask, mask_names());
    sub.integer("seed", s.seed, 0, std::numeric_limits<std::int64_t>::max());
    density_field(sub, s);
    sub.value("file", s.file, form::path());
    if (const MapReader* const reader = sub.reader()) {
      s.place = reader->place("mask");
      s.density_place = reader->place("density");
      s.file_place = reader->place("file");
      if ((s.mask == Sparsity::Mask::File) != !s.file.empty()) {
        throw reader->error("file", s.file.empty() ? "is missing; mask: file needs one"
                                                   : "is used only with mask: file; remove it, or set mask: file");
      }
    }
  });
}

void fields(MapIo& io, RunConfig& run, const KernelReader& read_kernel) {
  io.text("name", run.name);
  io.text("title", run.title);
  io.custom(
      "board", Need::Required, [&](const Node& node, const std::string& path) { run.board = read_board(node, path); },
      [&] {
        Node board = write_board(run.board);
        board.erase(kDefaultHostKey);  // the run's own `host` replaces it
        return board;
      },
      [] { return schema::file("board"); });
  io.custom(
      "kernel", Need::Required,
      [&](const Node& node, const std::string& path) { run.kernel = read_kernel(node, path); },
      [&] { return run.kernel->write(); }, [] { return schema::file("kernel"); });
  io.custom(
      "host", Need::Optional, [&](const Node& node, const std::string& path) { run.host = read_host(node, path); },
      [&] { return run.host ? std::optional<Node>(write_host(*run.host)) : std::nullopt; },
      [] { return schema::file("host"); });
  io.mention("memory", [] { return schema::reference("board.schema.json#/properties/memory"); });
  io.mention("extends");
  const bool have_workload = workload_fields(io, run.workload);
  sparsity_field(io, run.sparsity);
  io.integer("batch", run.batch, 1, kMaxBatch, Need::Required);
  rung_field(io, run.rung);
  io.choice("mode", run.mode, modes());
  kinds_field(io, run.kinds);
  io.custom(
      "only", Need::Optional,
      [&](const Node& node, const std::string& path) { run.only = Selection(read_text(node, path), node.place, path); },
      [&] { return run.only.everything() ? std::nullopt : std::optional<Node>(scalar_node(run.only.pattern(), true)); },
      schema::text);
  io.boolean("gi_first", run.gi_first);
  io.boolean("lower_fc", run.lower_fc);
  io.boolean("lower_matmul", run.lower_matmul);
  constexpr std::int64_t kLargest = std::int64_t{1} << 24;  // of a dimension of an ONNX file's input
  io.list("input_sizes", run.input_sizes, form::integer<std::int64_t>(1, kLargest));
  io.integer("seed", run.seed, 0, std::numeric_limits<std::int64_t>::max());
  auto_or_integer(io, "workers", run.workers, 1, 1024);
  io.custom(
      "output", Need::Optional, [&](const Node& node, const std::string& path) { run.output = read_text(node, path); },
      [&] { return run.output.empty() ? std::nullopt : std::optional<Node>(scalar_node(run.output.string(), true)); },
      schema::text);
  const auto results = [&](MapIo& sub) { sub.boolean("keep_inputs", run.keep_inputs); };
  if (!io.writes() || run.keep_inputs) io.map("results", Need::Optional, results);
  readings_field(io, run);
  io.boolean("strict_fit", run.strict_fit);
  io.integer("verify", run.verify, 0, std::int64_t{1} << 30);
  auto_or_integer(io, "memo_mb", run.memo_mb, 0, 1 << 20);
  io.integer("dataset_images", run.dataset_images, 1, std::numeric_limits<std::int64_t>::max());
  io.custom(
      "schedule", Need::Optional,
      [&](const Node& node, const std::string& path) { run.schedule = read_schedule(node, path); },
      [&] { return write_schedule(run.schedule); }, describe_schedule);
  published_field(io, run.published);
  if (const MapReader* const reader = io.reader(); reader && !have_workload) {
    reader->finish();  // a misspelt 'network' explains it better
    throw reader->error("network", "is missing; a run needs a network or a convolution");
  }
}

// Merges a run's `memory` over its board's, so that the board of the result is the one that was simulated.
void lay_memory(Node& run) {
  const Node* memory = run.find("memory");
  Node* board = run.find("board");
  if (!memory || !board) return;
  expect_map(*memory, "memory");
  if (board->kind == Node::Kind::Map) {
    const Node* old = board->find("memory");
    board->set("memory", old ? merge(*old, *memory, "memory") : *memory);
  }
  run.erase("memory");
}

// Merges a run's `host` over the default of its board, unless it is a complete host.
void lay_host(Node& run) {
  const Node* const board = run.find("board");
  const Node* const usual = board ? board->find(kDefaultHostKey) : nullptr;
  if (!usual || usual->kind != Node::Kind::Map) return;
  const Node* const own = run.find("host");
  if (own && own->kind != Node::Kind::Map) return;  // the reader refuses it
  Node whole = own ? merge(*usual, *own, "host") : *usual;
  whole.key = "host";
  run.set("host", std::move(whole));
}

// Checks that each port's memory channel exists. Ideal memory has a channel for each port.
void check_ports(const Node& node, const RunConfig& run) {
  const int count = channels(run.board.memory);
  for (const KernelPort& port : run.kernel->ports()) {
    if (count == 0 || port.channel.value_or(0) < count) continue;
    const std::string key = fmt::format("kernel.ports.{}.channel", port.name);
    const Node* const given = find_path(node, key);
    throw error_at(given ? given->place : node.place, key,
                   fmt::format("channel {} does not exist; the memory of board '{}' has {} (0 to {})", *port.channel,
                               run.board.name, count, count - 1));
  }
}

void check_tensors(const RunConfig& run) {
  const char* key = std::holds_alternative<OneConvolution>(run.workload) ? "convolution" : "network";
  for (const conv::Layer& layer : inline_layers(run)) {
    const std::string much = workloads::too_much(layer);
    if (!much.empty()) throw error_at(run.workload_place, key, fmt::format("at batch {}, {}", run.batch, much));
  }
}

}  // namespace

RunConfig::RunConfig() = default;
RunConfig::RunConfig(const RunConfig& other) = default;
RunConfig::RunConfig(RunConfig&& other) noexcept = default;
RunConfig& RunConfig::operator=(const RunConfig& other) = default;
RunConfig& RunConfig::operator=(RunConfig&& other) noexcept = default;
RunConfig::~RunConfig() = default;

std::vector<conv::Kind> all_kinds() {
  return {conv::Kind::F, conv::Kind::GI, conv::Kind::GW};
}

const char* to_string(Rung rung) {
  return name_of(rung, rungs());
}
const char* to_string(Mode mode) {
  return name_of(mode, modes());
}

fs::path locate(FileKind kind, const std::string& name_or_path, const Library& library) {
  std::error_code code;
  fs::path given(name_or_path);
  // An installed weft has its configs elsewhere: README.md's configs/runs/googlenet-u250.yaml names the same file
  // there.
  if (!given.empty() && *given.begin() == "configs" && !fs::exists(given, code)) {
    fs::path own = library.configs.parent_path() / given;
    if (library.configs.filename() == "configs" && fs::exists(own, code)) return own;
  }
  if (given.has_parent_path() || given.has_extension() || fs::is_regular_file(given, code)) return given;
  const auto source = std::make_shared<Source>(Source{name_or_path, fs::path(), true});
  return find_file(kind, name_or_path, {source, 0}, "", library);
}

namespace {

Node load_with(FileKind kind, const std::string& name_or_path, const std::vector<Override>& overrides,
               const Library& library) {
  return apply(load_file(kind, locate(kind, name_or_path, library), library), kind, overrides, library);
}

}  // namespace

Node compose_run(const std::string& name_or_path, const std::vector<Override>& overrides, const Library& library) {
  const fs::path given(name_or_path);
  std::error_code code;
  if (!is_network_file(given)) return load_with(FileKind::Run, name_or_path, overrides, library);
  if (!fs::exists(given, code)) throw InputError(name_or_path, 0, "", "no such file");
  std::vector<Override> all{{"name", given.stem().string(), name_or_path, true},
                            {"network", fs::absolute(given).string(), name_or_path, true}};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return load_with(FileKind::Run, kDefaultRun, all, library);
}

RunConfig read_run(Node node, const KernelReader& read_kernel) {
  lay_memory(node);
  lay_host(node);
  RunConfig run;
  MapReader reader(node, "");
  fields(reader, run, read_kernel);
  reader.finish();
  run.batch_place = reader.place("batch");
  run.kinds_place = reader.place("kinds");
  run.workload_place = reader.place(node.find("network") ? "network" : "convolution");
  check_ports(node, run);
  check_tensors(run);
  return run;
}

Board load_board(const std::string& name_or_path, const std::vector<Override>& overrides, const Library& library) {
  return read_board(load_with(FileKind::Board, name_or_path, overrides, library), "board");
}

Host load_host(const std::string& name_or_path, const std::vector<Override>& overrides, const Library& library) {
  return read_host(load_with(FileKind::Host, name_or_path, overrides, library), "host");
}

Node compose_kernel(const std::string& name_or_path, const std::vector<Override>& overrides, const Library& library) {
  return load_with(FileKind::Kernel, name_or_path, overrides, library);
}

std::vector<int> port_channels(const RunConfig& run) {
  const int last = channels(run.board.memory) - 1;
  std::vector<int> result;
  for (const KernelPort& port : run.kernel->ports()) {
    const int own = static_cast<int>(result.size());
    result.push_back(port.channel.value_or(last < 0 ? own : std::min(own, last)));
  }
  return result;
}

void require_simulated_memory(const RunConfig& run) {
  if (run.kernel->beat_bytes() > kMaxBusBytes) {
    throw Error(
        fmt::format("{} cannot be simulated: the widest AXI4 bus has {} bytes (1024 bits); --rung analytical has no "
                    "such limit",
                    run.kernel->beat_text(), kMaxBusBytes));
  }
  const auto refuse = [&](const std::string& why) {
    return Error(
        fmt::format("the memory of board '{}' cannot be simulated: {}. Use --rung analytical, or give the run "
                    "another memory, for instance --set 'memory={{kind: ideal, latency_cycles: 40}}'",
                    run.board.name, why));
  };
  if (std::holds_alternative<UnmodelledMemory>(run.board.memory)) {
    throw refuse(fmt::format("it is {}, but only ddr4 and ideal memory are simulated", kind_name(run.board.memory)));
  }
  if (const auto* ddr4 = std::get_if<Ddr4Memory>(&run.board.memory)) {
    const Ddr4Organisation& o = ddr4->organisation;
    if (o.data_bits != 64 || o.burst_length != 8) {
      throw refuse(fmt::format("the DDR4 model moves 64 bytes a burst, 8 times 64 bits, not {} times {}",
                               o.burst_length, o.data_bits));
    }
    if (o.ranks != 1 || o.bank_groups != 4 || o.banks_per_group != 4 || o.columns != 1024) {
      throw refuse("the DDR4 model has 1 rank of 4 bank groups of 4 banks with 1024 columns");
    }
    if (!memory::ClockRatio(run.kernel->clock, ddr4->data_rate_mtps).countable()) {
      throw refuse(
          fmt::format("edges of memory.data_rate_mtps {} and kernel.clock_mhz {} coincide less than once in 2^26 "
                      "clocks; use simpler fractions close to them",
                      exact_text(ddr4->data_rate_mtps), exact_text(run.kernel->clock)));
    }
    if (ddr4->timing.al != 0) throw refuse("the DDR4 model has no additive latency (AL)");
  }
}

std::vector<Chosen> choose(const RunConfig& run, const std::vector<conv::Layer>& layers) {
  // One convolution has its own kind; it has no network whose input it could read.
  const auto* one = std::get_if<OneConvolution>(&run.workload);
  const std::vector<conv::Kind> kinds = one ? std::vector<conv::Kind>{one->kind} : run.kinds;
  std::vector<Chosen> chosen;
  std::vector<std::string> existing;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const conv::Kind kind : kinds) {
      if (!one && kind == conv::Kind::GI && layers[i].from_graph_input && !run.gi_first) continue;
      existing.push_back(fmt::format("{}:{}", layers[i].name, conv::to_string(kind)));
      if (run.only.matches(layers[i].name, kind)) chosen.push_back({i, kind});
    }
  }
  if (existing.empty() && !layers.empty()) {
    throw Error(
        "kinds: GI is computed for no layer, because each layer reads the network's input; add F or GW, or set "
        "gi_first: true");
  }
  if (chosen.empty()) throw run.only.nothing_matches(existing);
  return chosen;
}

std::vector<conv::Layer> inline_layers(const RunConfig& run) {
  std::vector<conv::Layer> layers;
  if (const auto* network = std::get_if<InlineNetwork>(&run.workload)) layers = network->layers;
  if (const auto* one = std::get_if<OneConvolution>(&run.workload)) layers = {one->layer};
  for (conv::Layer& layer : layers) layer.batch = run.batch;
  return layers;
}

Node describe_network() {
  return describe_map(InlineNetwork{}, [](MapIo& io, InlineNetwork& network) { fields(io, network); });
}

Node describe_run() {
  return describe_map(RunConfig{}, [](MapIo& io, RunConfig& run) { fields(io, run, {}); });
}

Node write_run(const RunConfig& run) {
  return write_map(run, [](auto& io, RunConfig& copy) { fields(io, copy, {}); });
}

std::string resolved_yaml(const RunConfig& run) {
  return to_yaml(write_run(run));
}

}  // namespace weft::config
