#include "platform/run/record.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/config/reader.h"
#include "platform/design/design.h"
#include "platform/record/activities.h"
#include "platform/record/json.h"
#include "platform/run/columns.h"

namespace weft::memory {

static void fields(record::Visitor& io, PortStats& port) {
  io("read_beats", "beats", "beats read", port.read_beats);
  io("write_beats", "beats", "beats written", port.write_beats);
  io("read_bursts", "bursts", "bursts read", port.read_bursts);
  io("write_bursts", "bursts", "bursts written", port.write_bursts);
  io("row_hits", "requests", "requests of 64 bytes that find their row open", port.row_hits);
  io("row_misses", "requests", "requests of 64 bytes that find their bank closed", port.row_misses);
  io("row_conflicts", "requests", "requests of 64 bytes that find another row open", port.row_conflicts);
  io("busy_cycles", "cycles", "cycles in which the port moved a beat", port.busy_cycles);
  io("wait_cycles", "cycles", "cycles with a read or write outstanding and no beat moved", port.wait_cycles);
}

}  // namespace weft::memory

namespace weft::workloads {

static void fields(record::Visitor& io, HostLayer& layer) {
  io("op", "ONNX operator", layer.op);
  io("name", "name in the network", layer.name);
  io.list("shape", "shape of its output", "elements", "size of a dimension", layer.shape);
  io("elements", "elements", "elements of its output, of one image", layer.elements);
}

}  // namespace weft::workloads

namespace weft::run {

namespace {

constexpr int kSchema = 8;

using design::Design;
using record::Visitor;
using record::Word;
using record::Words;

// Words of all designs without duplicates.
template <class Add>
Words of_designs(Add add) {
  Words all, words;
  for (const Design* design : design::designs()) add(*design, all);
  for (Word& word : all) {
    const auto same = [&](const Word& each) { return each.name == word.name; };
    if (std::none_of(words.begin(), words.end(), same)) words.push_back(std::move(word));
  }
  return words;
}
void add(const std::vector<design::ResultField>& fields, Words& words) {
  for (const design::ResultField& field : fields) {
    words.push_back({field.name, field.unit, field.meaning, json_type(field.type)});
  }
}

const Words& head_words() {
  static const Words words = of_designs([](const Design& of, Words& all) { add(of.result_fields().head, all); });
  return words;
}
const Words& summary_words() {
  static const Words words = of_designs([](const Design& of, Words& all) { add(of.result_fields().summary, all); });
  return words;
}
const Words& term_words() {
  static const Words words = of_designs([](const Design& of, Words& all) {
    for (const BlockInfo& block : of.topology().blocks) {
      all.push_back({block.name, "cycles", fmt::format("cycles of {} by the equations", block.name), "integer"});
    }
    add(of.result_fields().equations, all);
    add(of.result_fields().summary, all);
  });
  return words;
}
const Words& block_words() {
  static const Words words = of_designs([](const Design& of, Words& all) {
    for (const BlockInfo& block : of.topology().blocks) all.push_back({block.name, "", block.meaning});
  });
  return words;
}
const Words& port_words() {
  static const Words words = of_designs([](const Design& of, Words& all) {
    for (const PortInfo& port : of.topology().ports) {
      all.push_back({port.name, "", fmt::format("of {}: {}", port.block, port.meaning)});
    }
  });
  return words;
}
const Words& pe_words() {
  static const Words words = of_designs([](const Design& of, Words& all) {
    for (const PeClassInfo& each : of.topology().pe_classes) {
      all.push_back({each.name, "PE-cycles", fmt::format("PE-cycles {}", each.meaning), "integer", true});
    }
  });
  return words;
}
const Words& resource_words() {
  static const Words words = [] {
    Words all;
    for (const auto& [key, name] : kResources) all.push_back({key, "", fmt::format("{}s", name)});
    return all;
  }();
  return words;
}
const Words& kind_words() {
  static const Words words{
      {"F", "", "sums over all F"}, {"GI", "", "sums over all GI"}, {"GW", "", "sums over all GW"}};
  return words;
}

// Visits a field with the unit and meaning of a column of rows, or of whole results.
template <class T>
void of_row(Visitor& io, const char* key, const char* column, T& value) {
  const record::Field of = row_field(column);
  io(key, of.unit, of.meaning, value);
}
template <class T>
void of_row(Visitor& io, const char* key, T& value) {
  of_row(io, key, key, value);
}
template <class T>
void of_whole(Visitor& io, const char* key, T& value) {
  const record::Field of = whole_field(key);
  io(key, of.unit, of.meaning, value);
}

void axis(Visitor& io, conv::LayerAxis& axis, bool down) {
  of_row(io, "size", down ? "height" : "width", axis.size);
  of_row(io, "kernel", down ? "kernel_h" : "kernel_w", axis.kernel);
  of_row(io, "stride", down ? "stride_h" : "stride_w", axis.stride);
  of_row(io, "pad_begin", down ? "pad_top" : "pad_left", axis.pad_begin);
  of_row(io, "pad_end", down ? "pad_bottom" : "pad_right", axis.pad_end);
  of_row(io, "dilation", down ? "dilation_h" : "dilation_w", axis.dilation);
  // Not Layer::out(): a layer read from a file may be invalid.
  const std::int64_t samples = std::int64_t{axis.size} + axis.pad_begin + axis.pad_end;
  std::int64_t out = (samples - std::int64_t{axis.dilation} * (axis.kernel - 1) - 1) / std::max(axis.stride, 1) + 1;
  io("out", "pixels", "size of the layer's output", out);
}

}  // namespace

static void fields(Visitor& io, Figures& f) {
  of_row(io, "cycles", f.cycles);
  of_row(io, "macs", f.macs);
  of_row(io, "seconds", f.seconds);
  of_row(io, "gops", f.gops);
  of_row(io, "array_utilisation", f.utilisation);
  pe_cycles(io, "pe_cycles", f.pe_cycles);
  of_row(io, "stall_share", f.stall_share);
  of_row(io, "ddr_efficiency", f.ddr_efficiency);
  of_row(io, "analytical_error", f.equation_error);
}

static void fields(Visitor& io, Use& use) {
  io("used", "resources", "resources that the kernel takes", use.used);
  io("available", "resources", "resources that the board leaves to kernels, if it states them", use.available);
  io("fits", "whether the kernel fits, if that is known", use.fits);
}

static void fields(Visitor& io, LargestUse& use) {
  fields(io, use.use);
  io("largest", "convolution whose kernel takes the most, as LAYER:KIND; `used` is of that kernel", use.by);
}

static void fields(Visitor& io, IterationRecord& iteration) {
  io("seconds", "s", "a whole training iteration", iteration.seconds);
  io("epoch_hours", "h", "an epoch of these iterations", iteration.epoch_hours);
  io.named("shares", "parts of the iteration, by activity", "1", "share of the seconds", iteration.shares);
  io("host", "name of the host", iteration.host);
  io("error", "why the times are not known", iteration.error);
}

static void fields(Visitor& io, FoundData& data) {
  of_row(io, "out_digest", data.out_digest);
  of_row(io, "largest_error", data.largest_error);
  io("overflows", "sums", "sums that exceeded 32 bits, in fixed point (NUM-8)", data.overflows);
}

static void fields(Visitor& io, SharedSizes& sizes) {
  of_whole(io, "analytical_cycles", sizes.shared);
  io("analytical_cycles_unshared", "cycles", "total of the equations with sizes auto", sizes.unshared);
  io("convolutions_that_pay", "convolutions", "convolutions that take longer with shared sizes", sizes.payers);
}

static void fields(Visitor& io, RowRecord& row) {
  of_row(io, "layer", row.layer.name);
  io.choice("kind", row_field("kind").meaning, row.kind, config::all_kinds().size());
  io("fully_connected", "whether it is a fully connected layer, lowered to a 1x1 convolution", row.fully_connected);
  io.group("shape", "shape of the layer", [&](Visitor& shape) {
    of_row(shape, "batch", row.layer.batch);
    of_row(shape, "channels", row.layer.channels);
    of_row(shape, "filters", row.layer.filters);
    of_row(shape, "groups", row.layer.groups);
    shape.group("h", "down", [&](Visitor& sub) { axis(sub, row.layer.h, true); });
    shape.group("w", "across", [&](Visitor& sub) { axis(sub, row.layer.w, false); });
    std::optional<bool> transposed = row.layer.transposed ? std::optional(true) : std::nullopt;
    of_row(shape, "transposed", transposed);
    row.layer.transposed = transposed.value_or(false);
  });
  fields(io, row.figures);
  of_row(io, "limiter", row.limiter);
  io.words(summary_words(), row.summary);
  io.words("gamma", "the terms of the design's equations", term_words(), row.terms);
  of_row(io, "analytical_cycles", row.analytical_cycles);
  of_row(io, "analytical_limiter", row.analytical_limiter);
  io.words("blocks", "cycles of each block by activity; the four sum to `cycles`", block_words(), row.blocks);
  io.words("memory", "traffic of the ports to memory", port_words(), row.ports);
  io("drain_cycles", "cycles", "cycles after `cycles`, until reads of unneeded words have ended", row.drain_cycles);
  io.list("launch_cycles", "cycles of each launch, if there are several", "cycles",
          "kernel cycles of a launch, its drain included", row.launch_cycles);
  io("skipped_cycles", "cycles", "part of `cycles` that was not simulated one by one", row.skipped_cycles);
  io("repeats", "whether it equals earlier convolutions and was not simulated again", row.repeats);
  io("verified_intervals", "intervals", "replayed intervals also simulated cycle by cycle, all equal (--verify)",
     row.verified);
  io.words("kernel", "parameters of the kernel that runs it", kernel_words(), row.kernel);
  io("analytical_cycles_unshared", "cycles", "total of the equations with unshared sizes, if sizes are shared",
     row.unshared);
  io.words("resources", "resources of the board that its kernel takes", resource_words(), row.resources);
  io("launches", "launches", "kernel launches, one per group and part", row.launches);
  of_row(io, "parts", row.parts);
  io("bytes_to_card", "bytes", "bytes to the card", row.pcie_to_card);
  io("bytes_to_host", "bytes", "bytes to the host", row.pcie_to_host);
  io("data", "results of data mode", row.data);
}

void fields(Visitor& io, Record& r) {
  io.head("run", kSchema, r.weft_version);
  io("name", "name of the run", r.run);
  io("network", "name of the network", r.network);
  io("board", "name of the board", r.board);
  of_row(io, "batch", r.batch);
  io.choice("rung", "what counted the cycles: analytical, systemc or exact", r.rung, 3);
  io.choice("mode", "timing, or data: real values moved and checked", r.mode, 2);
  io("seed", "1", "seed of the values of data mode", r.seed);
  io("clock_mhz", "MHz", "kernel clock; config.yaml has it exactly", r.clock_mhz);
  io.words(head_words(), r.head);
  io.group("equations", "closed-form equations of the analytical figures", [&](Visitor& sub) {
    sub.named("readings",
              "how each doubtful equation is read (docs/reference/readings.md), by its key below `readings`", "",
              "the reading's value", r.readings);
    sub.list("do_not_know", "keys of the run that the equations do not depend on", "", "a key of the run",
             r.do_not_know);
    sub("note", "scope of the equations, if they are the result or were written for another kernel", r.equations);
  });
  io.group("totals", "sums over the convolutions", [&](Visitor& sub) {
    sub.words(kind_words(), r.kinds);
    sub("network", "sums over all convolutions", r.whole);
  });
  of_whole(io, "convolutions_seconds", r.seconds);
  of_whole(io, "convolutions_epoch_hours", r.epoch_hours);
  io("iterations_per_epoch", "iterations", "images of the data set over the batch, rounded up", r.iterations_per_epoch);
  io("iteration", "the training iteration: convolutions, host, PCIe and loads", r.iteration);
  io.list("remarks", "remarks on the result", "", "a line", r.remarks);
  io.group("host", "work of the host for the convolutions; the times do not include it", [&](Visitor& sub) {
    of_whole(sub, "launches", r.launches);
    of_whole(sub, "kernels", r.kernels);
    of_whole(sub, "loads", r.loads);
    of_whole(sub, "bytes_to_card", r.pcie_to_card);
    of_whole(sub, "bytes_to_host", r.pcie_to_host);
  });
  io.group("fit", "the largest kernel against the board", [&](Visitor& sub) {
    sub.words(resource_words(), r.fit);
    auto misfits = static_cast<std::int64_t>(r.do_not_fit.size());
    sub("misfits", "convolutions", "convolutions whose kernel does not fit the board", misfits);
    sub.list("do_not_fit", "convolutions whose kernel does not fit, as LAYER:KIND", "", kRowName, r.do_not_fit);
    sub("source", "source of the kernel's resources", r.resource_source);
  });
  io("shared_sizes", "cost of sizes that all convolutions share, by the equations", r.shared_sizes);
  io.list("convolutions", "each convolution", "", "a convolution of the iteration", r.rows);
  io("operators", "operators", "operators of the network: its convolutions and those of the host", r.operators);
  io.list("host_layers", "operators that stay on the host", "", "an operator", r.host_layers);
  io("design", "the design of the kernel", r.design);
  io("kernel", "the kernel: its array, clock and profile", r.kernel);
  io("array", "the array of the kernel", r.array);
  io("peak_macs", "MACs",
     "multiply-accumulates that the array can do in a cycle; of several kernels the mean over the cycles", r.peak_macs);
  io("beat_bytes", "bytes", "bytes of a beat of the kernel's widest port", r.beat_bytes);
  io.list("port_beat_bytes", "bytes of a beat of each port, in their order, if they differ", "bytes", "a port",
          r.port_beat_bytes);
  io("memory_channels", "channels", "memory channels that its ports are on", r.channels);
  io("channel_bytes_per_second", "bytes/s", "peak of a memory channel; 0 for ideal memory", r.channel_bytes_per_s);
  io("dataset_images", "images", "images of the data set", r.dataset_images);
  config::inputs_field(io, r.inputs);
}

const Words& kernel_words() {
  static const Words words = of_designs([](const Design& of, Words& all) {
    add(of.result_fields().row_kernel, all);
    add(of.result_fields().kernel, all);
  });
  return words;
}

void pe_cycles(Visitor& io, const char* name, std::optional<record::Named<Value>>& of) {
  io.words(name, "PE-cycles by activity; they sum to PEs times cycles; null if the rung does not know", pe_words(), of);
}

std::string name_of(const conv::Layer& layer, conv::Kind kind) {
  return fmt::format("{}:{}", layer.name, conv::to_string(kind));
}

std::string RowRecord::name() const {
  return name_of(layer, kind);
}

bool RowRecord::fits() const {
  return std::all_of(resources.begin(), resources.end(), [](const auto& each) { return !each.second.exceeds(); });
}

std::vector<Sums> Record::sums() const {
  std::vector<Sums> all;
  for (const auto& [kind, of_kind] : kinds) all.push_back({"all " + kind, kind, &of_kind});
  all.push_back({"network", "", &whole});
  for (Sums& sums : all) {
    sums.convolutions = std::count_if(rows.begin(), rows.end(), [&](const RowRecord& row) {
      return sums.kind.empty() || conv::to_string(row.kind) == sums.kind;
    });
  }
  return all;
}

std::int64_t Record::transposed() const {
  return std::count_if(rows.begin(), rows.end(), [](const RowRecord& row) { return row.layer.transposed; });
}

namespace {

Use use_of(const ResourceUse& use) {
  Use of{use.used};
  if (!use.known) return of;
  of.available = use.available;
  of.fits = use.fits();
  return of;
}

// Names the latencies of a simulated DDR4 memory if the board leaves both at 0; else empty.
std::string zero_latencies(const Result& result) {
  const auto* const ddr4 = std::get_if<config::Ddr4Memory>(&result.config.board.memory);
  if (!ddr4 || !simulated(result) || ddr4->controller_latency_ns != 0 || ddr4->shell_latency_cycles != 0) return "";
  return fmt::format(
      "board '{}' has memory.controller_latency_ns and memory.shell_latency_cycles of 0: a read takes less than on a "
      "real board",
      result.config.board.name);
}

}  // namespace

RowRecord row_of(const Result& result, const Row& row) {
  const Topology& topology = design::design_of(result.config).topology();
  RowRecord r;
  r.layer = row.layer;
  r.kind = row.kind;
  r.fully_connected = row.fully_connected;
  r.figures = figures(result, sum_of(result, row));
  r.limiter = row.limiter;
  r.summary = row.equations.summary;
  r.terms = row.equations.terms;
  r.kernel = row.kernel;
  r.unshared = row.equations.unshared;
  for (const ResourceUse& use : row.resources) r.resources.push_back({resource_key(use.name), use_of(use)});
  r.launches = row.launches;
  r.parts = row.parts;
  r.pcie_to_card = row.pcie_to_card;
  r.pcie_to_host = row.pcie_to_host;
  if (row.data) {
    r.data = FoundData{fmt::format("{:016x}", row.data->digest), row.data->largest_error, row.data->overflows};
  }
  r.analytical_cycles = row.equations.cycles;
  if (!simulated(result)) return r;
  r.analytical_limiter = row.equations.limiter;
  r.blocks.emplace();
  for (std::size_t i = 0; i < row.blocks.size(); ++i) r.blocks->emplace_back(topology.blocks[i].name, row.blocks[i]);
  r.ports.emplace();
  for (std::size_t i = 0; i < row.ports.size(); ++i) r.ports->emplace_back(topology.ports[i].name, row.ports[i]);
  if (row.drain_cycles > 0) r.drain_cycles = row.drain_cycles;
  if (row.units.size() > 1) {
    r.launch_cycles.emplace();
    for (const design::LaunchedUnit& unit : row.units) r.launch_cycles->push_back(unit.cycles);
  }
  if (result.config.rung == config::Rung::Exact) {
    r.exact = row.account;
    if (row.account.verified > 0) r.verified = row.account.verified;
  } else {
    r.skipped_cycles = row.skipped_cycles;
  }
  if (row.repeats) r.repeats = true;
  return r;
}

Record record_of(const Result& result, std::optional<IterationRecord> iteration) {
  const config::RunConfig& c = result.config;
  const Design& design = design::design_of(c);
  const Sum sum = sum_of(result);
  Record r;
  r.run = c.name;
  r.network = result.network.name;
  r.board = c.board.name;
  r.batch = c.batch;
  r.rung = c.rung;
  r.mode = c.mode;
  r.seed = c.seed;
  r.clock_mhz = mhz(c.kernel->clock);
  const config::KernelText text = c.kernel->text();
  r.head = text.head;
  const design::EquationsNote note = design.equations_note(c);
  for (const config::ReadingChoice& each : note.readings) r.readings.emplace_back(each.key, each.value);
  r.do_not_know = note.unknown;
  if (!simulated(result) || note.needed) r.equations = design::equations_text(note);
  for (const auto& [kind, of_kind] : sums_by_kind(result)) {
    r.kinds.emplace_back(conv::to_string(kind), figures(result, of_kind));
  }
  r.whole = figures(result, sum);
  r.iterations_per_epoch = c.iterations_per_epoch();
  r.seconds = r.whole.seconds;
  r.epoch_hours = r.seconds * static_cast<double>(r.iterations_per_epoch) / 3600;
  r.iteration = std::move(iteration);
  std::vector<std::string> remarks = design.remarks(c, result.rows);
  if (std::string text = zero_latencies(result); !text.empty()) remarks.push_back(std::move(text));
  if (!remarks.empty()) r.remarks = std::move(remarks);
  r.launches = sum.launches;
  r.kernels = result.kernels;
  r.loads = result.loads;
  r.pcie_to_card = sum.pcie_to_card;
  r.pcie_to_host = sum.pcie_to_host;
  const ResourceReport largest = largest_use(result);
  for (std::size_t i = 0; i < largest.size(); ++i) {
    const ResourceUse& use = largest[i];
    const Row& user = largest_user(result, i);
    r.fit.push_back({resource_key(use.name), {use_of(use), name_of(user.layer, user.kind)}});
  }
  for (const Row* row : rows_that_do_not_fit(result)) r.do_not_fit.push_back(name_of(row->layer, row->kind));
  r.resource_source = design.resource_source(c);
  if (const std::optional<SharedCost> cost = shared_cost(result)) {
    r.shared_sizes = {cost->shared, cost->unshared, static_cast<std::int64_t>(cost->payers.size())};
  }
  for (const Row& row : result.rows) r.rows.push_back(row_of(result, row));
  r.operators = static_cast<std::int64_t>(result.network.host_layers.size() + result.network.layers.size());
  r.host_layers = result.network.host_layers;
  r.design = design.name();
  const bool of_dse = c.schedule.kernels.given();
  r.kernel = of_dse ? config::kernels_text(c.schedule.kernels, result.kernels, c.kernel->clock) : text.headline;
  r.array = of_dse ? fmt::format("{} kernels", result.kernels) : text.shape;
  r.peak_macs = std::llround(sum.peak_macs / static_cast<double>(sum.cycles));
  r.beat_bytes = c.kernel->beat_bytes();
  if (!c.kernel->one_width()) {
    r.port_beat_bytes.emplace();
    for (const config::KernelPort& port : c.kernel->ports()) r.port_beat_bytes->push_back(port.beat_bytes);
  }
  r.channels = result.channels_used;
  r.channel_bytes_per_s = result.channel_peak_bytes_per_second;
  r.dataset_images = c.dataset_images;
  return r;
}

std::string IterationRecord::largest_shares(std::size_t most) const {
  record::Named<double> parts = shares;
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, parts.size()) && parts[i].second >= 0.001; ++i) {
    text += fmt::format("{}{} {:.1f}%", i == 0 ? "" : ", ", parts[i].first, 100 * parts[i].second);
  }
  return text;
}

std::vector<LimiterUse> Record::limiters() const {
  std::map<std::string, LimiterUse> uses;
  for (const RowRecord& row : rows) {
    LimiterUse& use = uses[row.limiter];
    use.name = row.limiter;
    checked::add(use.cycles, row.figures.cycles, "the cycles of a limiter");
    ++use.convolutions;
  }
  std::vector<LimiterUse> order;
  order.reserve(uses.size());
  for (auto& [name, use] : uses) order.push_back(std::move(use));
  std::stable_sort(order.begin(), order.end(),
                   [](const LimiterUse& a, const LimiterUse& b) { return a.cycles > b.cycles; });
  return order;
}

engine::ExactAccount Record::exact_account() const {
  engine::ExactAccount all;
  for (const RowRecord& row : rows) {
    const engine::ExactAccount of = row.exact.value_or(engine::ExactAccount());
    checked::add(all.simulated, of.simulated, "the simulated cycles");
    checked::add(all.replayed, of.replayed, "the replayed cycles");
    checked::add(all.intervals, of.intervals, "the intervals");
    checked::add(all.verified, of.verified, "the verified intervals");
  }
  return all;
}

bool Record::knows_fit() const {
  return std::all_of(fit.begin(), fit.end(), [](const auto& each) { return each.second.use.fits.has_value(); });
}

std::string Record::misfit_text() const {
  std::string text;
  for (const auto& [name, largest] : fit) {
    const Use& use = largest.use;
    if (!use.exceeds()) continue;
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", resource_name(name), use.used, *use.available);
    if (*use.available > 0) {
      text += fmt::format(" ({:.1f} times)", static_cast<double>(use.used) / static_cast<double>(*use.available));
    }
  }
  return fmt::format("does not fit the board: {}; kernels of {} of {} convolutions", text, do_not_fit.size(),
                     rows.size());
}

std::string Record::headline() const {
  return fmt::format("{} on {}, {}, batch {}, {} rung", network, board, kernel, batch, config::to_string(rung));
}

Record read_record(const std::filesystem::path& file) {
  auto record = record::from_file<Record>(file);
  const auto error = [&](const std::string& key, const std::string& what) {
    return InputError(file.string(), 0, key, what);
  };
  if (record.rows.empty()) throw error("convolutions", "must not be empty");
  std::set<std::pair<std::string, bool>> there;
  for (std::size_t i = 0; i < record.rows.size(); ++i) {
    const RowRecord& row = record.rows[i];
    const std::string key = fmt::format("convolutions[{}]", i);
    if (!there.emplace(row.name(), row.fully_connected).second) throw error(key, "appears twice");
    const auto require_count = [&](const std::string& of, Cycles count) {
      if (count < 0) throw error(key + of, fmt::format("must be a whole number from 0 to 2^63 - 1, not {}", count));
    };
    require_count(".cycles", row.figures.cycles);
    require_count(".drain_cycles", row.drain_cycles.value_or(0));
    if (!row.launch_cycles) continue;
    Cycles launches = 0, whole = row.figures.cycles;
    for (std::size_t launch = 0; launch < row.launch_cycles->size(); ++launch) {
      require_count(fmt::format(".launch_cycles[{}]", launch), row.launch_cycles->at(launch));
      checked::add(launches, row.launch_cycles->at(launch), "launch_cycles");
    }
    checked::add(whole, row.drain_cycles.value_or(0), "cycles");
    if (launches == whole) continue;
    throw error(key + ".launch_cycles",
                fmt::format("sum to {}, but 'cycles' and 'drain_cycles' sum to {}", launches, whole));
  }
  return record;
}

}  // namespace weft::run
