#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <system_error>
#include <utility>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/catalogue/designs.h"
#include "platform/document/table_view.h"
#include "platform/os/content.h"
#include "platform/record/result_dir.h"
#include "platform/run/columns.h"
#include "platform/run/watched.h"
#include "tools/run/report.h"

namespace weft::tools {

using namespace report;
using run::Figures;
using run::Record;
using run::RowRecord;
using run::Sums;

namespace {

constexpr std::size_t kLongest = 15;    // number of bars
constexpr std::size_t kStepsShown = 5;  // parts of the iteration in words
constexpr std::size_t kDetailed = 12;   // convolutions shown with block activity over time
constexpr std::size_t kNamed = 8;       // convolutions in a line of text
constexpr std::size_t kLeading = 5;     // columns of activity.csv before those of the blocks
constexpr auto kParts = static_cast<std::size_t>(run::kActivityParts);

std::int64_t count(const std::string& text, const std::string& file) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || at != end || value < 0) {
    throw InputError(file, 0, "", fmt::format("has '{}' instead of a number of cycles", text));
  }
  return value;
}

std::vector<report::Part> state_parts() {
  std::vector<report::Part> parts;
  for (const char* name : kActivityNames) {
    const std::string state = name;
    parts.push_back({state, state == "active" ? "useful" : state == "idle" ? state : state + "-1"});
  }
  return parts;
}

// PE-cycles of each row for one use.
struct Use {
  std::string name, meaning;
  std::vector<std::int64_t> values;
};

// Turns "LAYER:KIND" into "LAYER KIND".
std::string spaced(std::string name) {
  if (const std::size_t colon = name.rfind(':'); colon != std::string::npos) name[colon] = ' ';
  return name;
}

class View {
 public:
  explicit View(const Record& record)
      : r_(record), design_(design::design_named(record.design)), simulated_(record.simulated()), sums_(record.sums()) {
    read_uses();
  }

  Document document(const std::filesystem::path& folder, std::vector<Section> first) const {
    Document d{"run", r_.run};
    d.lead = r_.headline();
    if (r_.mode == config::Mode::Data) d.lead += fmt::format(", data mode, seed {}", r_.seed);
    d.weft_version = r_.weft_version;
    d.figures = headline();
    d.frame = frame();
    d.sections = std::move(first);
    d.sections.push_back(where());
    d.sections.push_back(
        {"longest", "The longest convolutions", {Text{"Time and limiter of each.", On::Page}, longest()}});
    if (simulated_) {
      d.sections.push_back(roofline());
      d.sections.push_back(blocks());
    }
    if (!folder.empty()) add_activity(folder, d.sections);
    if (simulated_) d.sections.push_back(errors());
    d.sections.push_back(fit());
    d.sections.push_back({"rows", "All convolutions", {rows()}});
    if (Table table = uses(); !table.rows.empty())
      d.sections.push_back({"uses", "What the processing elements do", {std::move(table)}});
    Section notes{"notes", "In all", {foot(), details(), Facts{{{"next", next_text()}}, 13, On::Terminal}}};
    for (const std::string& remark : r_.remarks.value_or(std::vector<std::string>())) {
      notes.blocks.emplace_back(Text{remark});
    }
    d.sections.push_back(std::move(notes));
    return d;
  }

 private:
  double clock_hz() const { return 1e6 * r_.clock_mhz; }
  double peak_macs() const { return static_cast<double>(r_.peak_macs); }

  std::vector<Figure> headline() const {
    const Figures& whole = r_.whole;
    std::vector<Figure> all{{"Convolutions", duration_text(r_.seconds),
                             fmt::format("{} cycles in {}", thousands(whole.cycles), images_text(r_.batch))}};
    if (r_.iteration && r_.iteration->seconds) {
      all.push_back({"Iteration", duration_text(*r_.iteration->seconds),
                     "with host, PCIe and loads: " + r_.iteration->largest_shares(1)});
      all.push_back({"Epoch", hours_text(*r_.iteration->epoch_hours), images_text(r_.dataset_images)});
    } else {
      all.push_back({"Iteration", "not known", "host, PCIe and loads are not known"});
    }
    all.push_back({"Speed", fmt::format("{:.4g} GOPS", whole.gops),
                   share_cell(whole.utilisation).text + " of the array's maximum"});
    if (simulated_) {
      all.push_back({"Array stalled", share_cell(whole.stall_share.value_or(0)).text, "of the cycles"});
      if (r_.channel_bytes_per_s > 0) {
        all.push_back({"DDR", share_cell(whole.ddr_efficiency.value_or(0)).text, "of the channels in use"});
      }
      all.push_back({"Equations", change_cell(whole.equation_error.value_or(0)).text, "against the simulation"});
    }
    const std::size_t misfits = r_.do_not_fit.size();
    const char* const fits = r_.knows_fit() ? "all kernels" : "not known";
    all.push_back({"Fit", misfits == 0 ? fits : fmt::format("{} do not", misfits),
                   fmt::format("of {} convolutions, by {}", r_.rows.size(), r_.resource_source)});
    return all;
  }

  // Columns of the design with values, and the intensity of each convolution.
  std::vector<Series> frame() const {
    std::vector<Series> frame;
    for (const auto& column : run::row_columns(design_)) {
      const Form form = column.name == run::kAnalyticalError ? Form::Change : Form::Plain;
      Series series = series_of(column.name, column.meaning, form, r_.rows, column.value);
      const bool known =
          std::any_of(series.values.begin(), series.values.end(), [](const Value& value) { return value != Value(); });
      if (known && !run::has_nothing(column, r_.rows)) frame.push_back(std::move(series));
    }
    if (!simulated_) return frame;
    frame.push_back(series_of("operations per byte of DDR", "two for each multiply-accumulate", Form::Plain, r_.rows,
                              [&](const RowRecord& row) {
                                double bytes = 0;
                                std::size_t number = 0;
                                for (const auto& port : row.ports.value_or(record::Named<memory::PortStats>())) {
                                  const std::int64_t beats = checked::sum(
                                      "the beats of a convolution", {port.second.read_beats, port.second.write_beats});
                                  bytes += static_cast<double>(beats) * static_cast<double>(r_.beat_bytes_of(number++));
                                }
                                const std::int64_t macs = row.figures.macs;
                                return bytes > 0 && macs > 0 ? Value(2 * static_cast<double>(macs) / bytes) : Value();
                              }));
    return frame;
  }

  Points points(Points::Kind kind, const char* id, const char* name) const {
    Points chart{kind, id, name, {"layer", "kind"}, {"cycles", "limiter"}};
    chart.size = "cycles";
    chart.color = "kind";
    for (const auto& each : r_.kinds) chart.parts.push_back({each.first});
    return chart;
  }

  // PE classes of the design, and the remaining PE-cycles if the rung does not distinguish classes (as the equations).
  void read_uses() {
    const std::vector<PeClassInfo>& classes = design_.topology().pe_classes;
    const auto of_rows = [&](const std::string& name, const std::string& meaning, auto value) {
      std::vector<std::int64_t> values;
      for (const RowRecord& row : r_.rows) values.push_back(value(row));
      if (std::any_of(values.begin(), values.end(), [](std::int64_t each) { return each > 0; })) {
        uses_.push_back({name, meaning, std::move(values)});
      }
    };
    const bool any = std::any_of(r_.rows.begin(), r_.rows.end(), [&](const RowRecord& row) {
      return std::any_of(classes.begin(), classes.end(),
                         [&](const PeClassInfo& each) { return row.figures.pe_cycles_of(each.name).has_value(); });
    });
    if (any) {
      for (const PeClassInfo& each : classes) {
        of_rows(each.name, each.meaning,
                [&](const RowRecord& row) { return row.figures.pe_cycles_of(each.name).value_or(0); });
      }
    } else {
      of_rows("products", "for the layer's multiply-accumulates",
              [](const RowRecord& row) { return row.figures.macs; });
    }
    std::vector<std::int64_t> rest;
    for (std::size_t i = 0; i < r_.rows.size(); ++i) {
      rest.push_back(std::llround(r_.rows[i].figures.all_pe_cycles(r_.peak_macs)));
      for (const Use& use : uses_) rest.back() -= use.values[i];
    }
    std::size_t at = 0;
    of_rows("not_distinguished", "not distinguished by this rung", [&](const RowRecord&) { return rest[at++]; });
  }

  // PE-cycles of a row by use, in parts of `whole`.
  decltype(Bar::parts) split(std::size_t row, double whole) const {
    decltype(Bar::parts) parts;
    const double all = r_.rows[row].figures.all_pe_cycles(r_.peak_macs);
    for (std::size_t use = 0; use < uses_.size(); ++use) {
      if (uses_[use].values[row] > 0)
        parts.emplace_back(use, whole * static_cast<double>(uses_[use].values[row]) / all);
    }
    return parts;
  }
  std::vector<report::Part> parts_of_uses() const {
    std::vector<std::pair<std::string, std::string>> uses;
    for (const Use& use : uses_) {
      const auto cycles = static_cast<double>(std::accumulate(use.values.begin(), use.values.end(), std::int64_t{0}));
      uses.emplace_back(use.name, share_cell(cycles / r_.whole.all_pe_cycles(r_.peak_macs)).text);
    }
    return use_parts(uses);
  }

  Section where() const {
    Bars chart{"where",     "PE-cycles of every convolution, split by what the PEs do",
               true,        "of all PEs",
               Form::Share, parts_of_uses()};
    std::vector<std::size_t> order(r_.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t i) { return std::pair(r_.rows[i].kind, -r_.rows[i].figures.cycles); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    for (const std::size_t i : order) {
      const RowRecord& row = r_.rows[i];
      const Cycles cycles = row.figures.cycles;
      chart.bars.push_back({spaced(row.name()),
                            split(i, 1),
                            "",
                            {{"cycles", thousands(cycles)}, {"limiter", row.limiter}},
                            static_cast<double>(cycles)});
    }
    double at = 0;
    for (const auto& [kind, figures] : r_.kinds) {
      const auto cycles = static_cast<double>(figures.cycles);
      chart.ticks.push_back(
          {at + cycles / 2,
           fmt::format("{}: {}", kind, share_cell(cycles / static_cast<double>(r_.whole.cycles)).text)});
      if (at > 0) chart.borders.push_back(at);
      at += cycles;
    }
    return {"where",
            "Where the array's time goes",
            {Text{"Every convolution is a column. Its width is its cycles, and it is split by what the processing "
                  "elements (PEs) do. The area of a colour is its share of all PE-cycles.",
                  On::Page},
             chart}};
  }

  Bars longest() const {
    Bars chart{"longest", "The longest convolutions in seconds, split by what the array does"};
    chart.form = Form::Time;
    chart.parts = parts_of_uses();
    for (const std::size_t i : largest(r_.rows, kLongest, [](const RowRecord& row) { return row.figures.cycles; })) {
      const RowRecord& row = r_.rows[i];
      const double seconds = row.figures.seconds;
      chart.bars.push_back({spaced(row.name()),
                            split(i, seconds),
                            duration_text(seconds) + ", " + row.limiter,
                            {{"cycles", thousands(row.figures.cycles)}}});
    }
    return chart;
  }

  Section roofline() const {
    Points chart = points(Points::Kind::Scatter, "roofline",
                          "Roofline: GOPS of every convolution over its operations per byte of DDR");
    chart.x = "operations per byte of DDR";
    chart.y = "gops";
    chart.log = true;
    const double peak = 2e-9 * peak_macs() * clock_hz();
    // A port moves at most one beat per cycle, whatever the memory.
    std::vector<std::pair<std::string, double>> roofs{
        {"one port", 1e-9 * static_cast<double>(r_.beat_bytes) * clock_hz()}};
    const int channels = r_.channels;
    const double ddr = 1e-9 * static_cast<double>(r_.channel_bytes_per_s) * channels;
    if (ddr > 0) roofs.emplace_back(fmt::format("DDR, {} channel{}", channels, channels == 1 ? "" : "s"), ddr);
    double ridge = peak;
    for (const auto& [name, rate] : roofs) {
      chart.line_parts.push_back({name, fmt::format("k-{}", 5 + chart.lines.size()), fmt::format("{:.4g} GB/s", rate)});
      chart.lines.push_back({{1e-3 * peak / rate, 1e-3 * peak}, {peak / rate, peak}});
      ridge = std::min(ridge, peak / rate);
    }
    chart.line_parts.push_back({"the array", "fg", fmt::format("{:.4g} GOPS", peak)});
    chart.lines.push_back({{ridge, peak}, {8 * ridge, peak}});
    return {"roofline",
            "Roofline",
            {Text{"Each point is a convolution: its operations per byte of DDR, and its speed; its size is its time. A "
                  "convolution above the roof of one port uses several ports at once. A convolution far below all "
                  "roofs has another limiter.",
                  On::Page},
             chart}};
  }

  std::array<Cycles, kActivities> activities(const std::string& kind, const char* block) const {
    std::array<Cycles, kActivities> sums{};
    for (const RowRecord& row : r_.rows) {
      const Activities* const of = row.blocks ? record::find(*row.blocks, block) : nullptr;
      if (!of || conv::to_string(row.kind) != kind) continue;
      for (std::size_t i = 0; i < sums.size(); ++i) checked::add(sums[i], of->cycles[i], "the cycles of a block");
    }
    return sums;
  }

  Section blocks() const {
    const Topology& topology = design_.topology();
    Table table{"Share of the cycles in which a block is active, blocked, starved and idle",
                {{"block"}, {"kind"}},
                {},
                On::Page};
    table.folded = true;
    for (const char* name : kActivityNames) table.columns.push_back({name});
    table.columns.push_back({"what it does"});
    Strips chart{"blocks", "What each block does, by kind of convolution", "cycles of the iteration", "",
                 state_parts()};
    Strips::Choice& all = chart.choices.emplace_back(Strips::Choice{"network", {0}});
    for (const BlockInfo& block : topology.blocks) chart.lanes.push_back(block.name);
    for (const auto& [kind, sum] : r_.kinds) {
      all.borders.push_back(all.borders.back() + sum.cycles);
      all.stretches.emplace_back(kind);
      auto& lanes = all.values.emplace_back();
      for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
        const std::array<Cycles, kActivities> states = activities(kind, topology.blocks[block].name);
        lanes.emplace_back(states.begin(), states.end());
        std::vector<Cell> cells{topology.blocks[block].name, kind};
        for (const Cycles cycles : states) cells.push_back(share_cell(ratio(cycles, sum.cycles), 2));
        cells.emplace_back(topology.blocks[block].meaning);
        table.rows.push_back(std::move(cells));
      }
    }
    return {"blocks",
            "How busy each block is",
            {Text{"A block is active in a cycle in which it moves a token or advances work. The busiest block limits "
                  "the convolutions of a kind.",
                  On::Page},
             chart, table}};
  }

  // Block activity over each of the longest convolutions, if weft run --activity saved it. Throws InputError if the
  // file belongs to another run.
  void add_activity(const std::filesystem::path& folder, std::vector<Section>& sections) const {
    const std::filesystem::path path = folder / record::kActivityCsv;
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) return;
    const std::string file = path.string();
    const Topology& topology = design_.topology();
    const std::vector<std::vector<std::string>> lines = csv_lines(os::content(path));
    const std::size_t width = kLeading + topology.blocks.size() * kActivities;
    const bool sized = lines.size() == 1 + r_.rows.size() * kParts &&
                       std::all_of(lines.begin(), lines.end(), [&](const auto& line) { return line.size() == width; });
    if (!sized) throw InputError(file, 0, "", "does not match this result: write it again with weft run --activity");
    Strips chart{"activity", "What each block does over one convolution", "cycles of the convolution", "Convolution",
                 state_parts()};
    for (const BlockInfo& block : topology.blocks) chart.lanes.push_back(block.name);
    Table table{"Of the whole convolution", {{"convolution"}, {"block"}}, {}, On::Page, true, true};
    for (const char* state : kActivityNames) table.columns.push_back({state});
    const auto order = largest(r_.rows, kDetailed, [](const RowRecord& row) { return row.figures.cycles; });
    for (const std::size_t at : order) {
      const RowRecord& row = r_.rows[at];
      const std::size_t first = 1 + at * kParts;
      if (lines[first][0] != row.layer.name || lines[first][1] != conv::to_string(row.kind)) {
        throw InputError(file, 0, "",
                         fmt::format("has '{}' where the result has '{}'", lines[first][0], row.layer.name));
      }
      Strips::Choice& choice = chart.choices.emplace_back(Strips::Choice{spaced(row.name()), {0}});
      std::vector<std::array<std::int64_t, kActivities>> sums(topology.blocks.size());
      for (std::size_t part = 0; part < kParts; ++part) {
        const std::vector<std::string>& line = lines[first + part];
        choice.borders.push_back(count(line[kLeading - 1], file));
        auto& lanes = choice.values.emplace_back(topology.blocks.size(), std::vector<std::int64_t>(kActivities));
        for (std::size_t block = 0; block < lanes.size(); ++block) {
          for (std::size_t state = 0; state < kActivities; ++state) {
            lanes[block][state] = count(line[kLeading + block * kActivities + state], file);
            sums[block][state] += lanes[block][state];
          }
        }
      }
      const auto cycles = static_cast<double>(choice.borders.back());
      for (std::size_t block = 0; block < sums.size(); ++block) {
        std::vector<Cell> cells{choice.name, chart.lanes[block]};
        for (const std::int64_t sum : sums[block])
          cells.push_back(share_cell(cycles > 0 ? static_cast<double>(sum) / cycles : 0, 2));
        table.rows.push_back(std::move(cells));
      }
    }
    sections.push_back(
        {"activity",
         "Activity of the blocks over time",
         {Text{fmt::format("One convolution in {} parts of equal length: the share of each part in which a block is "
                           "active, blocked, starved and idle. The {} longest convolutions can be chosen.",
                           kParts, order.size()),
               On::Page},
          chart, table}});
  }

  Section errors() const {
    Points chart = points(Points::Kind::Dots, "errors", "Error of the equations for every convolution, by kind");
    chart.tip = {run::kAnalyticalError, "cycles", run::kAnalyticalCycles};
    chart.x = run::kAnalyticalError;
    chart.y = "kind";
    chart.label = "(equations - simulated) / simulated";
    return {"errors",
            "How wrong the equations are",
            {Text{"Error of the closed-form equations against the simulation. Each dot is a convolution; its size is "
                  "its time. Left of zero, the equations give too few cycles.",
                  On::Page},
             chart}};
  }

  Section fit() const {
    Table table{
        "Resources of the largest kernel",
        {{"resource"}, {"used"}, {"available", "to kernels, on the board"}, {"share"}, {"fits"}, {"largest user"}},
        {},
        On::Page};
    table.folded = true;
    Bars chart{"fit", "Resources of the largest kernel, as a share of those available to kernels"};
    chart.label = "of the board";
    chart.form = Form::Share;
    chart.parts = {{"", "within"}, {"", "beyond"}};
    for (const auto& [key, largest] : r_.fit) {
      const std::string name = run::resource_name(key);
      const run::Use& use = largest.use;
      if (!use.available) continue;  // the facts name it
      const bool exceeds = use.exceeds();
      const double share = ratio(use.used, *use.available);
      const std::string user = spaced(largest.by);
      table.rows.push_back(
          {name, count_cell(use.used), count_cell(*use.available), share_cell(share), exceeds ? "no" : "yes", user});
      chart.bars.push_back(
          {name,
           {{exceeds ? 1 : 0, share}},
           fmt::format("{} of {}{}", thousands(use.used), thousands(*use.available), exceeds ? ", exceeded" : ""),
           {{"by", user}}});
    }
    chart.rules.push_back({1, ""});
    return {
        "fit",
        "Does it fit",
        {Text{fmt::format("Largest use of each resource by a kernel of the run, by {}.", r_.resource_source), On::Page},
         chart, table}};
  }

  Table rows() const {
    Table table{"All convolutions", usual_columns(simulated_)};
    table.search = table.chosen = table.more = true;
    table.ranking = largest(r_.rows, r_.rows.size(), [](const RowRecord& row) { return row.figures.cycles; });
    table.how = "see --columns";
    const auto cells = [&](const std::string& layer, const std::string& kind, const std::string& what, const Figures& f,
                           const std::string& limiter) {
      std::vector<Cell> cells{layer,
                              kind,
                              what,
                              count_cell(f.cycles),
                              time_cell(f.seconds),
                              fixed_cell(f.gops, 2),
                              share_cell(f.utilisation),
                              limiter};
      if (simulated_) {
        cells.insert(cells.end(), {share_cell(f.stall_share.value_or(0)),
                                   f.ddr_efficiency ? share_cell(*f.ddr_efficiency) : Cell("-"),
                                   change_cell(f.equation_error.value_or(0))});
      }
      return cells;
    };
    for (const RowRecord& row : r_.rows) {
      const std::string marks = std::string(row.layer.transposed ? " t" : "") + (row.fits() ? "" : " !");
      table.rows.push_back(cells(row.layer.name, conv::to_string(row.kind) + marks, conv::shape_text(row.layer),
                                 row.figures, row.limiter));
    }
    for (const Sums& sum : sums_) {
      table.foot.push_back(cells(sum.name, sum.kind, fmt::format("{} convs", sum.convolutions), *sum.figures, ""));
    }
    return table;
  }

  // Uses of the PE-cycles of each kind and of the network, as shares; "-" if the rung does not know them.
  Table uses() const {
    Table table{"What the PEs do, as shares of all PE-cycles", {{"PE-cycles", "", 9}}};
    table.no_zeros = true;
    for (const Sums& sum : sums_) table.columns.push_back({sum.name, "", 8});
    table.columns.push_back({"meaning", "", 0, 0, On::Page});
    if (!r_.whole.pe_cycles) return table;
    const std::vector<PeClassInfo>& classes = design_.topology().pe_classes;
    for (const auto& each : *r_.whole.pe_cycles) {
      std::vector<Cell> cells{each.first};
      for (const Sums& sum : sums_) {
        const std::optional<std::int64_t> count = sum.figures->pe_cycles_of(each.first);
        cells.push_back(count ? share_cell(static_cast<double>(*count) / sum.figures->all_pe_cycles(r_.peak_macs))
                              : Cell("-"));
      }
      const auto info =
          std::find_if(classes.begin(), classes.end(), [&](const PeClassInfo& of) { return of.name == each.first; });
      cells.emplace_back(info == classes.end() ? "" : info->meaning);
      table.rows.push_back(std::move(cells));
    }
    return table;
  }

  Facts foot() const {
    Facts facts;
    facts.add("convolutions",
              fmt::format("{} of an iteration of {}", duration_text(r_.seconds), images_text(r_.batch)));
    facts.add("limit", limit_text());
    if (r_.iteration && r_.iteration->seconds) {
      facts.add("iteration", fmt::format("{} with host {}, PCIe and loads: {}", duration_text(*r_.iteration->seconds),
                                         *r_.iteration->host, r_.iteration->largest_shares(kStepsShown)));
      facts.add("epoch",
                fmt::format("{} of {}", hours_text(*r_.iteration->epoch_hours), images_text(r_.dataset_images)));
    } else {
      if (r_.iteration) facts.add("iteration", fmt::format("not known: {}", *r_.iteration->error));
      facts.add("epoch", fmt::format("not known; its convolutions take {} for {}", hours_text(r_.epoch_hours),
                                     images_text(r_.dataset_images)));
    }
    facts.add("host", fmt::format("{} launches, {} kernels, {} loads; PCIe {} MB to the card, {} MB back",
                                  thousands(r_.launches), thousands(r_.kernels), thousands(r_.loads),
                                  thousands(r_.pcie_to_card / 1'000'000), thousands(r_.pcie_to_host / 1'000'000)));
    if (r_.equations) facts.add("equations", *r_.equations);
    facts.add("fit", fit_text());
    if (r_.transposed() > 0) facts.add("marked t", fmt::format("{} transposed convolutions", r_.transposed()));
    add_shared(facts);
    if (r_.mode == config::Mode::Data) add_data(facts);
    return facts;
  }

  // Facts that no change of the configuration follows from.
  Facts details() const {
    Facts facts;
    facts.on = On::Verbose;
    if (!r_.rows.empty() && r_.rows.front().exact && r_.mode == config::Mode::Timing) facts.add("exact", exact_text());
    if (r_.rung == config::Rung::SystemC && repeats() > 0) {
      facts.add("systemc", fmt::format("{} convolutions equal another, simulated once", repeats()));
    }
    if (!r_.do_not_fit.empty()) facts.add("do not fit", first_of(r_.do_not_fit, kNamed));
    std::vector<std::string> in_parts;
    for (const RowRecord& row : r_.rows) {
      if (row.parts) in_parts.push_back(fmt::format("{} in {}", row.name(), *row.parts));
    }
    if (!in_parts.empty()) facts.add("in parts", first_of(in_parts, kNamed));
    if (!r_.host_layers.empty()) {
      facts.add("host layers", fmt::format("{} of {} operators stay on the host", r_.host_layers.size(), r_.operators));
    }
    return facts;
  }

  // Limiters by the cycles of their convolutions, largest first, at most two.
  std::string limit_text() const {
    const std::vector<run::LimiterUse> limiters = r_.limiters();
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(limiters.size(), 2); ++i) {
      text += fmt::format("{}{} {} of the cycles, in {} of {} convolutions", i == 0 ? "" : ", ", limiters[i].name,
                          share_cell(ratio(limiters[i].cycles, r_.whole.cycles)).text, limiters[i].convolutions,
                          r_.rows.size());
    }
    return text;
  }

  std::string next_text() const { return fmt::format("weft explain {} (same --set): the gain of each change", r_.run); }

  std::int64_t repeats() const {
    return std::count_if(r_.rows.begin(), r_.rows.end(),
                         [](const RowRecord& row) { return row.repeats.value_or(false); });
  }

  std::string exact_text() const {
    const engine::ExactAccount all = r_.exact_account();
    const std::int64_t same = repeats();
    std::string text = fmt::format("{} cycles simulated", thousands(all.simulated));
    if (all.intervals > 0)
      text += fmt::format(", {} replayed in {} intervals", thousands(all.replayed), thousands(all.intervals));
    if (same > 0) text += fmt::format("; {} convolutions equal another", same);
    if (all.verified > 0) text += fmt::format("; {} intervals verified, all equal", thousands(all.verified));
    return text;
  }

  void add_data(Facts& facts) const {
    double largest = 0;
    std::optional<std::int64_t> overflows;  // fixed point only
    for (const RowRecord& row : r_.rows) {
      if (!row.data) continue;
      largest = std::max(largest, row.data->largest_error);
      if (row.data->overflows)
        checked::add(overflows ? *overflows : overflows.emplace(0), *row.data->overflows, "the overflows");
    }
    facts.add("data", fmt::format("largest error against {} {:.3g} of the sum of |products|",
                                  overflows ? "exact sums" : "double precision", largest));
    if (overflows) {
      facts.add("overflows", fmt::format("{} sums exceeded 32 bits{}", thousands(*overflows),
                                         *overflows == 0 ? ": OUT is exact" : ""));
    }
  }

  std::string fit_text() const {
    std::string text;
    for (const auto& [name, largest] : r_.fit) {
      const run::Use& use = largest.use;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", run::resource_name(name), thousands(use.used));
      text += use.available ? " of " + thousands(*use.available) : " (the board does not state how many it has)";
      if (use.exceeds()) text += fmt::format(" (EXCEEDED by {})", largest.by);
    }
    if (r_.do_not_fit.empty()) return r_.knows_fit() ? text + "; every kernel fits" : "not known: " + text;
    return text + fmt::format("; the kernels of {} of {} convolutions (marked !) do not fit by {}",
                              r_.do_not_fit.size(), r_.rows.size(), r_.resource_source);
  }

  // Cost of shared sizes for convolutions that need smaller ones.
  void add_shared(Facts& facts) const {
    if (!r_.shared_sizes) return;
    const auto times = [](Cycles shared, Cycles unshared) { return fmt::format("{:.2f}", ratio(shared, unshared)); };
    std::vector<const RowRecord*> payers;  // largest loss first
    for (const RowRecord& row : r_.rows) {
      if (row.unshared && row.analytical_cycles > *row.unshared) payers.push_back(&row);
    }
    const auto loss = [](const RowRecord* row) { return row->analytical_cycles - *row->unshared; };
    std::stable_sort(payers.begin(), payers.end(),
                     [&](const RowRecord* a, const RowRecord* b) { return loss(a) > loss(b); });
    std::vector<std::string> names;
    names.reserve(payers.size());
    for (const RowRecord* row : payers) {
      names.push_back(fmt::format("{} x{}", row->name(), times(row->analytical_cycles, *row->unshared)));
    }
    std::string text = fmt::format("{}x the cycles of sizes auto (by the equations); ",
                                   times(r_.shared_sizes->shared, r_.shared_sizes->unshared));
    text += names.empty() ? "no convolution is slower"
                          : fmt::format("{} of {} convolutions are slower: {}", names.size(), r_.rows.size(),
                                        first_of(names, kNamed));
    facts.add("shared", std::move(text));
  }

  const Record& r_;
  const design::Design& design_;
  bool simulated_;
  std::vector<Sums> sums_;  // kinds, then the network
  std::vector<Use> uses_;
};

}  // namespace

// Usual columns. A narrow terminal drops the shape first, which does not change between runs.
std::vector<Column> usual_columns(bool simulated) {
  std::vector<Column> columns{
      {"layer"},
      {"kind",
       "F forward, GI gradient of the input maps, GW gradient of the weights; ! where its kernel does not fit the "
       "board",
       4},
      {"shape", "channels x height x width of the IFM, filters x kernel, s stride, d dilation, g groups", 5, 6},
      {"cycles", "of the kernel clock, to the last write response", 16},
      {"time", "", 9, 2},
      {"GOPS", "two operations per multiply-accumulate of a layer", 6, 5},
      {"util", "multiply-accumulates of the layers as a share of the array's maximum", 6},
      {"limiter", simulated ? "block that was active most" : "slowest block by the equations", 15}};
  if (simulated) {
    columns.insert(columns.end(), {{"stall", "cycles in which the array does not advance", 6, 1},
                                   {"DDR", "bytes moved, as a share of the maximum of the channels in use", 6, 3},
                                   {"eq.err", "(equations - simulated) / simulated", 7, 4}});
  }
  return columns;
}

Document view_of(const Record& record, const std::filesystem::path& folder, std::vector<Section> first) {
  return View(record).document(folder, std::move(first));
}

}  // namespace weft::tools
