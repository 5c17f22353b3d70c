#include <fmt/core.h>

#include <algorithm>

#include "model/core/checked.h"
#include "model/core/text.h"
#include "platform/catalogue/designs.h"
#include "platform/config/reader.h"
#include "platform/design/value_json.h"
#include "platform/document/text.h"
#include "platform/run/columns.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using report::Cell;
using report::Figure;
using report::Page;
using report::Section;
using report::Table;
using run::Figures;
using run::Record;
using run::RowRecord;
using run::Sums;
using Json = nlohmann::ordered_json;

namespace {

// What the PEs do, in PE-cycles of each row.
struct Use {
  std::string name, meaning;
  std::vector<std::int64_t> values;
};

class RunPage {
 public:
  RunPage(const Record& record, const std::filesystem::path& folder, const explain::Explanation* explanation)
      : record_(record),
        explanation_(explanation),
        parts_(activity_data(record, folder)),
        design_(design::design_named(record.design)),
        columns_(run::row_columns(design_)),
        simulated_(record.simulated()),
        sums_(record.sums()) {
    read_uses();
  }

  Page page() const {
    Page page;
    page.kind = page.command = "run";
    page.title = record_.run;
    page.lead = fmt::format("{} on {}: {}, batch {}, {} rung{}. Times are of the convolutions alone.", record_.network,
                            record_.board, record_.kernel, record_.batch, config::to_string(record_.rung),
                            record_.mode == config::Mode::Data ? ", data mode" : "");
    page.weft_version = WEFT_VERSION;
    page.figures = headline();
    if (explanation_) page.sections = ladder_sections(*explanation_);
    page.sections.push_back(where());
    page.sections.push_back(
        {"longest", "The longest convolutions", {"What to look at first: time, and what limits it."}, true, {}});
    if (simulated_) page.sections.push_back(roofline());
    if (simulated_) page.sections.push_back(blocks());
    if (!parts_.is_null()) page.sections.push_back(activity_section(parts_));
    if (simulated_) page.sections.push_back(errors());
    page.sections.push_back(fit());
    page.sections.push_back(rows());
    page.data = data();
    return page;
  }

 private:
  std::vector<Figure> headline() const {
    const Figures& whole = record_.whole;
    std::vector<Figure> all{
        {"Iteration", report::duration_text(record_.seconds),
         fmt::format("{} image{}", thousands(record_.batch), record_.batch == 1 ? "" : "s")},
        {"Cycles", thousands(whole.cycles), fmt::format("{} convolutions", record_.rows.size())},
        {"Epoch", report::duration_text(record_.seconds_per_epoch),
         fmt::format("{} images", thousands(record_.dataset_images))},
        {"Speed", real_text(whole.gops) + " GOPS", percent_text(whole.utilisation) + " of what the array could do"}};
    if (simulated_) {
      all.push_back({"Array stalled", percent_text(whole.stall_share.value_or(0)), "of the cycles"});
      if (record_.channel_bytes_per_s > 0) {
        all.push_back({"DDR", percent_text(whole.ddr_efficiency.value_or(0)), "of the channels in use"});
      }
      all.push_back({"Equations", change_text(whole.equation_error.value_or(0)), "against the simulation"});
    }
    const std::size_t misfits = record_.do_not_fit.size();
    all.push_back({"Fit", misfits == 0 ? "all kernels" : fmt::format("{} do not", misfits),
                   fmt::format("of {} convolutions, by {}", record_.rows.size(), record_.resource_source)});
    all.push_back({"Host", fmt::format("{} launches", thousands(record_.launches)),
                   fmt::format("{} kernels, {} reconfigurations", record_.kernels, record_.reconfigurations)});
    return all;
  }

  // The PE classes of the design, and what is left of all PE-cycles where the rung does not tell them apart: by the
  // equations, and of results of older versions.
  void read_uses() {
    const std::vector<PeClassInfo>& classes = design_.topology().pe_classes;
    const auto of_rows = [&](const std::string& name, const std::string& meaning, auto value) {
      std::vector<std::int64_t> values;
      for (const RowRecord& row : record_.rows) values.push_back(value(row));
      if (std::any_of(values.begin(), values.end(), [](std::int64_t each) { return each > 0; })) {
        uses_.push_back({name, meaning, std::move(values)});
      }
    };
    const bool any = std::any_of(record_.rows.begin(), record_.rows.end(), [&](const RowRecord& row) {
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
    for (std::size_t i = 0; i < record_.rows.size(); ++i) {
      rest.push_back(record_.peak_macs * record_.rows[i].figures.cycles);
      for (const Use& use : uses_) rest.back() -= use.values[i];
    }
    std::size_t at = 0;
    of_rows("not_told_apart", "that this rung does not tell apart", [&](const RowRecord&) { return rest[at++]; });
  }

  // Of the rows for which `wanted`: each use.
  template <class Wanted>
  std::vector<std::int64_t> uses_of(Wanted wanted) const {
    std::vector<std::int64_t> sums(uses_.size(), 0);
    for (std::size_t use = 0; use < sums.size(); ++use) {
      for (std::size_t i = 0; i < record_.rows.size(); ++i) {
        if (wanted(record_.rows[i])) sums[use] += uses_[use].values[i];
      }
    }
    return sums;
  }

  Section where() const {
    Table kinds{"By kind of convolution",
                {{"kind", ""}, {"convolutions", ""}, {"cycles", ""}, {"time", ""}, {"GOPS", ""}},
                {},
                false,
                false};
    Table uses{"What the PEs do, as shares of all PE-cycles", {{"PE-cycles", ""}}, {}, false, false};
    std::vector<std::vector<std::int64_t>> shares;  // of each kind and the network: each use
    std::vector<double> all;
    for (const Sums& sums : sums_) {
      const Figures& f = *sums.figures;
      kinds.rows.push_back({text_cell(sums.name), count_cell(sums.convolutions), count_cell(f.cycles),
                            time_cell(f.seconds), real_cell(f.gops)});
      uses.columns.push_back({sums.name, ""});
      shares.push_back(uses_of([&](const RowRecord& row) { return is_of(sums, row); }));
      all.push_back(static_cast<double>(f.cycles) * static_cast<double>(record_.peak_macs));
    }
    uses.columns.push_back({"meaning", ""});
    for (std::size_t use = 0; use < uses_.size(); ++use) {
      std::string name = uses_[use].name;
      std::replace(name.begin(), name.end(), '_', ' ');
      std::vector<Cell> cells{text_cell(name)};
      for (std::size_t i = 0; i < shares.size(); ++i) {
        cells.push_back(percent_cell(static_cast<double>(shares[i][use]) / all[i]));
      }
      cells.push_back(text_cell(uses_[use].meaning));
      uses.rows.push_back(std::move(cells));
    }
    return {
        "where",
        "Where the array's time goes",
        {"Every convolution is a column: as wide as it takes cycles, split by what the processing elements (PEs) do "
         "in them. The area of a colour is its share of all PE-cycles."},
        true,
        {kinds, uses}};
  }

  Section roofline() const {
    std::string roofs = fmt::format("The roofs: the array {} GOPS",
                                    real_text(2e-9 * static_cast<double>(record_.peak_macs) * clock_hz()));
    for (const Roof& roof : this->roofs())
      roofs += fmt::format(", {} {} GB/s", roof.name, real_text(roof.bytes_per_s / 1e9));
    return {"roofline",
            "Roofline",
            {"Each convolution by the operations that it makes of a byte of DDR, and how fast it goes; the larger, the "
             "longer it takes. One port alone lifts nothing above its roof; what lies higher uses several at once. Far "
             "below all roofs something else limits.",
             roofs + "."},
            true,
            {}};
  }

  Section blocks() const {
    const Topology& topology = design_.topology();
    Table table{"Share of the cycles in which a block is active, blocked, starved and idle",
                {{"block", ""}, {"kind", ""}},
                {},
                false,
                true};
    for (const char* name : kActivityNames) table.columns.push_back({name, ""});
    table.columns.push_back({"what it does", ""});
    for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
      for (const auto& [kind, figures] : record_.kinds) {
        std::vector<Cell> cells{text_cell(topology.blocks[block].name), text_cell(kind)};
        for (const Cycles cycles : activities(kind, topology.blocks[block].name)) {
          cells.push_back(percent_cell(static_cast<double>(cycles) / static_cast<double>(figures.cycles), 2));
        }
        cells.push_back(text_cell(topology.blocks[block].meaning));
        table.rows.push_back(std::move(cells));
      }
    }
    return {"blocks",
            "How busy each block is",
            {"The share of the cycles in which a block moved a token or advanced work. The busiest block of a kind "
             "limits it."},
            true,
            {table}};
  }

  static bool is_of(const Sums& sums, const RowRecord& row) {
    return sums.kind.empty() || sums.kind == conv::to_string(row.kind);
  }

  std::array<Cycles, kActivities> activities(const std::string& kind, const char* block) const {
    std::array<Cycles, kActivities> sums{};
    for (const RowRecord& row : record_.rows) {
      const Activities* const of = row.blocks ? record::find(*row.blocks, block) : nullptr;
      if (!of || conv::to_string(row.kind) != kind) continue;
      for (std::size_t i = 0; i < sums.size(); ++i) checked::add(sums[i], of->cycles[i], "the cycles of a block");
    }
    return sums;
  }

  Section errors() const {
    Table table{"Error of the equations by kind",
                {{"kind", ""},
                 {"convolutions", ""},
                 {"of all cycles", "the error of the sum of the cycles"},
                 {"lowest", ""},
                 {"highest", ""}},
                {},
                false,
                false};
    for (const Sums& sums : sums_) {
      if (sums.kind.empty()) continue;
      double low = 0, high = 0;
      bool first = true;
      for (const RowRecord& row : record_.rows) {
        if (!is_of(sums, row)) continue;
        const double error = row.figures.equation_error.value_or(0);
        low = first ? error : std::min(low, error);
        high = first ? error : std::max(high, error);
        first = false;
      }
      table.rows.push_back({text_cell(sums.name), count_cell(sums.convolutions),
                            change_cell(sums.figures->equation_error.value_or(0)), change_cell(low),
                            change_cell(high)});
    }
    return {"errors",
            "How wrong the equations are",
            {"The closed-form equations against the simulation, a dot a convolution; the larger, the longer it takes. "
             "Left of zero the equations promise too much."},
            true,
            {table}};
  }

  Section fit() const {
    Table table{"Resources of the largest kernel",
                {{"resource", ""},
                 {"used", ""},
                 {"available", "what the board leaves to kernels"},
                 {"share", ""},
                 {"fits", ""},
                 {"largest user", ""}},
                {},
                false,
                true};
    for (const auto& [name, largest] : record_.fit) {
      const run::Use& use = largest.use;
      table.rows.push_back({text_cell(name), count_cell(use.used), count_cell(use.available),
                            percent_cell(static_cast<double>(use.used) / static_cast<double>(use.available)),
                            text_cell(use.fits ? "yes" : "no"), text_cell(spaced(largest.by))});
    }
    return {
        "fit",
        "Does it fit",
        {fmt::format("Of each resource, the most that any kernel of the run takes, by {}.", record_.resource_source)},
        true,
        {table}};
  }

  Section rows() const {
    Table table{"All convolutions",
                {{"layer", ""},
                 {"kind",
                  "F forward, GI gradient of the input maps, GW gradient of the weights; ! where its kernel does not "
                  "fit the board"},
                 {"shape", "channels x height x width of the IFM, filters x kernel, s stride, d dilation, g groups"},
                 {"cycles", "of the kernel clock, to the last write response"},
                 {"time", ""},
                 {"GOPS", "two operations a useful multiply-accumulate"},
                 {"util", "useful multiply-accumulates over what the array could do"},
                 {"limiter", simulated_ ? "what was active most" : "what is slowest by the equations"}},
                {},
                true,
                false};
    if (simulated_) {
      table.columns.push_back({"stall", "cycles in which the array does not advance"});
      table.columns.push_back({"DDR", "bytes moved over what the channels in use could move"});
      table.columns.push_back({"eq. err", "(equations - simulated) / simulated"});
    }
    for (const RowRecord& row : record_.rows) {
      const Figures& f = row.figures;
      std::vector<Cell> cells{text_cell(row.layer.name),
                              text_cell(conv::to_string(row.kind) + std::string(row.fits() ? "" : " !")),
                              text_cell(conv::shape_text(row.layer)),
                              count_cell(f.cycles),
                              time_cell(f.seconds),
                              {fmt::format("{:.2f}", f.gops), f.gops},
                              percent_cell(f.utilisation),
                              text_cell(row.limiter)};
      if (simulated_) {
        cells.push_back(percent_cell(f.stall_share.value_or(0)));
        cells.push_back(percent_cell(f.ddr_efficiency.value_or(0)));
        cells.push_back(change_cell(f.equation_error.value_or(0)));
      }
      table.rows.push_back(std::move(cells));
    }
    return {"rows", "All convolutions", {}, false, {table}};
  }

  // LAYER:KIND as "LAYER KIND".
  static std::string spaced(std::string name) {
    if (const std::size_t colon = name.rfind(':'); colon != std::string::npos) name[colon] = ' ';
    return name;
  }

  Json data() const {
    Json data{{"simulated", simulated_}, {"clock_hz", clock_hz()}, {"peak_macs", record_.peak_macs}};
    for (const auto& each : record_.kinds) data["kinds"].push_back(each.first);
    data["columns"] = Json::array();
    data["values"] = Json::array();
    for (const auto& column : columns_) {
      Json values = Json::array();
      for (const RowRecord& row : record_.rows) values.push_back(json_of<Json>(column.value(row)));
      if (std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_null(); })) continue;
      data["columns"].push_back({{"name", column.name}, {"type", column.type}, {"meaning", column.meaning}});
      data["values"].push_back(std::move(values));
    }
    data["pe"] = {{"names", Json::array()}, {"values", Json::array()}};
    for (const Use& use : uses_) {
      data["pe"]["names"].push_back(use.name);
      data["pe"]["values"].push_back(use.values);
    }
    if (simulated_) {
      add_roofs(data);
      add_activity(data);
    }
    if (!parts_.is_null()) data["parts"] = parts_;
    data["ladders"] = explanation_ ? ladder_data(*explanation_) : Json::array();
    data["fit"] = Json::array();
    for (const auto& [name, largest] : record_.fit) {
      const run::Use& use = largest.use;
      data["fit"].push_back({{"name", name},
                             {"used", use.used},
                             {"available", use.available},
                             {"fits", use.fits},
                             {"by", spaced(largest.by)}});
    }
    return data;
  }

  double clock_hz() const {
    const Frequency clock = config::parse_exact(record_.clock_mhz).value_or(1);
    return 1e6 * static_cast<double>(clock.numerator()) / static_cast<double>(clock.denominator());
  }

  struct Roof {
    std::string name;
    double bytes_per_s = 0;
  };
  // A port moves a beat a cycle at most, whatever the memory behind it.
  std::vector<Roof> roofs() const {
    std::vector<Roof> all{{"one port", static_cast<double>(record_.beat_bytes) * clock_hz()}};
    const int channels = record_.channels;
    const double ddr = static_cast<double>(record_.channel_bytes_per_s) * channels;
    if (ddr > 0) all.push_back({fmt::format("DDR, {} channel{}", channels, channels == 1 ? "" : "s"), ddr});
    return all;
  }

  void add_roofs(Json& data) const {
    for (const RowRecord& row : record_.rows) {
      std::int64_t beats = 0;
      if (row.ports) {
        for (const auto& [name, port] : *row.ports) {
          checked::add(beats, port.read_beats, "the memory beats");
          checked::add(beats, port.write_beats, "the memory beats");
        }
      }
      data["bytes"].push_back(beats * record_.beat_bytes);
    }
    for (const Roof& roof : roofs()) data["roofs"].push_back({{"name", roof.name}, {"bytes_per_s", roof.bytes_per_s}});
  }

  void add_activity(Json& data) const {
    const Topology& topology = design_.topology();
    Json& activity = data["activity"];
    activity["states"] = kActivityNames;
    for (const BlockInfo& block : topology.blocks)
      activity["blocks"].push_back({{"name", block.name}, {"meaning", block.meaning}});
    for (const auto& [kind, figures] : record_.kinds) {
      activity["cycles"][kind] = figures.cycles;
      for (const BlockInfo& block : topology.blocks) activity["counts"][kind].push_back(activities(kind, block.name));
    }
  }

  const Record& record_;
  const explain::Explanation* explanation_;
  Json parts_;  // what blocks do over convolutions; null where it was not saved
  const design::Design& design_;
  std::vector<run::Column<RowRecord>> columns_;
  bool simulated_;
  std::vector<Sums> sums_;  // of each kind, and of the network
  std::vector<Use> uses_;
};

}  // namespace

Page run_page(const Record& record, const std::filesystem::path& folder, const explain::Explanation* explanation) {
  return RunPage(record, folder, explanation).page();
}

}  // namespace weft::tools
