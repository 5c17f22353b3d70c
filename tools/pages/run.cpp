#include <fmt/core.h>

#include <algorithm>

#include "model/core/text.h"
#include "platform/catalogue/designs.h"
#include "platform/design/value_json.h"
#include "platform/document/text.h"
#include "platform/run/columns.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using conv::Kind;
using report::Cell;
using report::Figure;
using report::Page;
using report::Section;
using report::Table;
using run::Figures;
using run::Result;
using run::Row;
using run::Sum;
using Json = nlohmann::ordered_json;

namespace {

// What the PEs do, in PE-cycles of each row.
struct Use {
  std::string name, meaning;
  std::vector<std::int64_t> values;
};

class RunPage {
 public:
  RunPage(const Result& result, const std::filesystem::path& folder, const explain::Explanation* explanation)
      : result_(result),
        explanation_(explanation),
        parts_(activity_data(result, folder)),
        design_(design::design_of(result.config)),
        columns_(run::row_columns(design_)),
        simulated_(run::simulated(result)),
        whole_(run::sum_of(result)),
        figures_(run::figures(result, whole_)) {
    for (const Row& row : result.rows) rows_.push_back(run::row_of(result, row));
    for (const auto& each : run::sums_by_kind(result)) kinds_.push_back(each);
    read_uses();
  }

  Page page() const {
    const config::RunConfig& c = result_.config;
    Page page;
    page.kind = page.command = "run";
    page.title = c.name;
    page.lead = fmt::format("{} on {}: {}, batch {}, {} rung{}. Times are of the convolutions alone.",
                            result_.network.name, c.board.name, c.kernel->headline(), c.batch,
                            config::to_string(c.rung), c.mode == config::Mode::Data ? ", data mode" : "");
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
    const config::RunConfig& c = result_.config;
    std::vector<Figure> all{
        {"Iteration", report::duration_text(figures_.seconds),
         fmt::format("{} image{}", thousands(c.batch), c.batch == 1 ? "" : "s")},
        {"Cycles", thousands(whole_.cycles), fmt::format("{} convolutions", whole_.convolutions)},
        {"Epoch", report::duration_text(figures_.seconds * static_cast<double>(run::iterations_per_epoch(result_))),
         fmt::format("{} images", thousands(c.dataset_images))},
        {"Speed", real_text(figures_.gops) + " GOPS",
         percent_text(figures_.utilisation) + " of what the array could do"}};
    if (simulated_) {
      all.push_back({"Array stalled", percent_text(figures_.stall_share), "of the cycles"});
      if (result_.channel_peak_bytes_per_second > 0) {
        all.push_back({"DDR", percent_text(figures_.ddr_efficiency), "of the channels in use"});
      }
      all.push_back({"Equations", change_text(figures_.equation_error), "against the simulation"});
    }
    const std::size_t misfits = run::rows_that_do_not_fit(result_).size();
    all.push_back({"Fit", misfits == 0 ? "all kernels" : fmt::format("{} do not", misfits),
                   fmt::format("of {} convolutions, by {}", whole_.convolutions, design_.resource_source(c))});
    all.push_back({"Host", fmt::format("{} launches", thousands(whole_.launches)),
                   fmt::format("{} kernels, {} reconfigurations", result_.kernels, result_.reconfigurations)});
    return all;
  }

  // The PE classes of the design, and what is left of all PE-cycles where the rung does not tell them apart: by the
  // equations, and of results of older versions.
  void read_uses() {
    const std::vector<PeClassInfo>& classes = design_.topology().pe_classes;
    const auto of_rows = [&](const std::string& name, const std::string& meaning, auto value) {
      std::vector<std::int64_t> values;
      for (const Row& row : result_.rows) values.push_back(value(row));
      if (std::any_of(values.begin(), values.end(), [](std::int64_t each) { return each > 0; })) {
        uses_.push_back({name, meaning, std::move(values)});
      }
    };
    const auto known = [](const Row& row, std::size_t i) {
      return i < row.pe_cycles.size() ? row.pe_cycles[i].value_or(0) : 0;
    };
    const bool any = std::any_of(result_.rows.begin(), result_.rows.end(), [](const Row& row) {
      return std::any_of(row.pe_cycles.begin(), row.pe_cycles.end(), [](const auto& each) { return each.has_value(); });
    });
    if (any) {
      for (std::size_t i = 0; i < classes.size(); ++i) {
        of_rows(classes[i].name, classes[i].meaning, [&](const Row& row) { return known(row, i); });
      }
    } else {
      of_rows("products", "for the layer's multiply-accumulates", [](const Row& row) { return row.macs; });
    }
    const std::int64_t peak = result_.config.kernel->peak_macs();
    std::vector<std::int64_t> rest;
    for (std::size_t i = 0; i < result_.rows.size(); ++i) {
      rest.push_back(peak * result_.rows[i].cycles);
      for (const Use& use : uses_) rest.back() -= use.values[i];
    }
    std::size_t at = 0;
    of_rows("not_told_apart", "that this rung does not tell apart", [&](const Row&) { return rest[at++]; });
  }

  // Of the rows for which `wanted`: each use.
  template <class Wanted>
  std::vector<std::int64_t> uses_of(Wanted wanted) const {
    std::vector<std::int64_t> sums(uses_.size(), 0);
    for (std::size_t use = 0; use < sums.size(); ++use) {
      for (std::size_t i = 0; i < result_.rows.size(); ++i) {
        if (wanted(result_.rows[i])) sums[use] += uses_[use].values[i];
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
    const auto add = [&](const std::string& name, const Sum& sum, auto wanted) {
      const Figures f = run::figures(result_, sum);
      kinds.rows.push_back({text_cell(name), count_cell(sum.convolutions), count_cell(sum.cycles), time_cell(f.seconds),
                            real_cell(f.gops)});
      uses.columns.push_back({name, ""});
      shares.push_back(uses_of(wanted));
      all.push_back(static_cast<double>(sum.cycles) * static_cast<double>(result_.config.kernel->peak_macs()));
    };
    for (const auto& [kind, sum] : kinds_) {
      add(fmt::format("all {}", conv::to_string(kind)), sum,
          [kind = kind](const Row& row) { return row.kind == kind; });
    }
    add("network", whole_, [](const Row&) { return true; });
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
    std::string roofs =
        fmt::format("The roofs: the array {} GOPS",
                    real_text(2e-9 * static_cast<double>(result_.config.kernel->peak_macs()) * clock_hz()));
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
      for (const auto& [kind, sum] : kinds_) {
        std::vector<Cell> cells{text_cell(topology.blocks[block].name), text_cell(conv::to_string(kind))};
        for (const Cycles cycles : activities(kind, block)) {
          cells.push_back(percent_cell(static_cast<double>(cycles) / static_cast<double>(sum.cycles), 2));
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

  std::array<Cycles, kActivityNames.size()> activities(Kind kind, std::size_t block) const {
    std::array<Cycles, kActivityNames.size()> sums{};
    for (const Row& row : result_.rows) {
      if (row.kind != kind) continue;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += row.blocks[block].cycles[i];
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
    for (const auto& [kind, sum] : kinds_) {
      double low = 0, high = 0;
      bool first = true;
      for (const Row& row : result_.rows) {
        if (row.kind != kind) continue;
        const double error = row.analytical_error();
        low = first ? error : std::min(low, error);
        high = first ? error : std::max(high, error);
        first = false;
      }
      table.rows.push_back({text_cell(fmt::format("all {}", conv::to_string(kind))), count_cell(sum.convolutions),
                            change_cell(run::figures(result_, sum).equation_error), change_cell(low),
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
    const ResourceReport largest = run::largest_use(result_);
    for (std::size_t i = 0; i < largest.size(); ++i) {
      const ResourceUse& use = largest[i];
      table.rows.push_back({text_cell(use.name), count_cell(use.used), count_cell(use.available),
                            percent_cell(static_cast<double>(use.used) / static_cast<double>(use.available)),
                            text_cell(use.fits() ? "yes" : "no"), text_cell(name_of(run::largest_user(result_, i)))});
    }
    return {"fit",
            "Does it fit",
            {fmt::format("Of each resource, the most that any kernel of the run takes, by {}.",
                         design_.resource_source(result_.config))},
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
    for (const run::RowOf& of : rows_) {
      const Row& row = of.row;
      const Figures& f = of.figures;
      std::vector<Cell> cells{text_cell(row.layer.name),
                              text_cell(conv::to_string(row.kind) + std::string(fits(row.resources) ? "" : " !")),
                              text_cell(conv::shape_text(row.layer)),
                              count_cell(row.cycles),
                              time_cell(f.seconds),
                              {fmt::format("{:.2f}", f.gops), f.gops},
                              percent_cell(f.utilisation),
                              text_cell(row.limiter)};
      if (simulated_) {
        cells.push_back(percent_cell(f.stall_share));
        cells.push_back(percent_cell(f.ddr_efficiency));
        cells.push_back(change_cell(f.equation_error));
      }
      table.rows.push_back(std::move(cells));
    }
    return {"rows", "All convolutions", {}, false, {table}};
  }

  static std::string name_of(const Row& row) { return fmt::format("{} {}", row.layer.name, conv::to_string(row.kind)); }

  Json data() const {
    Json data{{"simulated", simulated_}, {"clock_hz", clock_hz()}, {"peak_macs", result_.config.kernel->peak_macs()}};
    for (const auto& each : kinds_) data["kinds"].push_back(conv::to_string(each.first));
    data["columns"] = Json::array();
    data["values"] = Json::array();
    for (const auto& column : columns_) {
      Json values = Json::array();
      for (const run::RowOf& row : rows_) values.push_back(json_of<Json>(column.value(row)));
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
    const ResourceReport largest = run::largest_use(result_);
    for (std::size_t i = 0; i < largest.size(); ++i) {
      data["fit"].push_back({{"name", largest[i].name},
                             {"used", largest[i].used},
                             {"available", largest[i].available},
                             {"fits", largest[i].fits()},
                             {"by", name_of(run::largest_user(result_, i))}});
    }
    return data;
  }

  double clock_hz() const {
    const Frequency clock = result_.config.kernel->clock;
    return 1e6 * static_cast<double>(clock.numerator()) / static_cast<double>(clock.denominator());
  }

  struct Roof {
    std::string name;
    double bytes_per_s = 0;
  };
  // A port moves a beat a cycle at most, whatever the memory behind it.
  std::vector<Roof> roofs() const {
    std::vector<Roof> all{{"one port", static_cast<double>(result_.config.kernel->beat_bytes()) * clock_hz()}};
    const int channels = result_.channels_used;
    const double ddr = static_cast<double>(result_.channel_peak_bytes_per_second) * channels;
    if (ddr > 0) all.push_back({fmt::format("DDR, {} channel{}", channels, channels == 1 ? "" : "s"), ddr});
    return all;
  }

  void add_roofs(Json& data) const {
    for (const run::RowOf& row : rows_) {
      data["bytes"].push_back(run::sum_of(result_, row.row).beats * result_.config.kernel->beat_bytes());
    }
    for (const Roof& roof : roofs()) data["roofs"].push_back({{"name", roof.name}, {"bytes_per_s", roof.bytes_per_s}});
  }

  void add_activity(Json& data) const {
    const Topology& topology = design_.topology();
    Json& activity = data["activity"];
    activity["states"] = kActivityNames;
    for (const BlockInfo& block : topology.blocks)
      activity["blocks"].push_back({{"name", block.name}, {"meaning", block.meaning}});
    for (const auto& [kind, sum] : kinds_) {
      activity["cycles"][conv::to_string(kind)] = sum.cycles;
      for (std::size_t block = 0; block < topology.blocks.size(); ++block) {
        activity["counts"][conv::to_string(kind)].push_back(activities(kind, block));
      }
    }
  }

  const Result& result_;
  const explain::Explanation* explanation_;
  Json parts_;  // what blocks do over convolutions; null where it was not saved
  const design::Design& design_;
  std::vector<run::Column<run::RowOf>> columns_;
  bool simulated_;
  Sum whole_;
  Figures figures_;
  std::vector<run::RowOf> rows_;
  std::vector<std::pair<Kind, Sum>> kinds_;
  std::vector<Use> uses_;
};

}  // namespace

Page run_page(const Result& result, const std::filesystem::path& folder, const explain::Explanation* explanation) {
  return RunPage(result, folder, explanation).page();
}

}  // namespace weft::tools
