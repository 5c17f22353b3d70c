#include "platform/run/columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "platform/catalogue/designs.h"
#include "platform/record/csv.h"

namespace weft::run {

namespace {

using conv::Kind;

constexpr const char* kInteger = "INTEGER";
constexpr const char* kReal = "REAL";
constexpr const char* kText = "TEXT";
constexpr const char* kFlag = "BOOLEAN";
constexpr const char* kTransposed = "transposed";
constexpr const char* kParts = "parts";

const ResourceUse* find_use(const ResourceReport& report, std::string_view name) {
  const auto found =
      std::find_if(report.begin(), report.end(), [&](const ResourceUse& use) { return use.name == name; });
  return found == report.end() ? nullptr : &*found;
}
// Empty if the report lacks the resource, as LUT and FF on the analytical rung.
Value used(const ResourceReport& report, std::string_view name) {
  const ResourceUse* const use = find_use(report, name);
  return use ? Value(use->used) : Value();
}
Value available(const ResourceReport& report, std::string_view name) {
  const ResourceUse* const use = find_use(report, name);
  return use && use->known ? Value(use->available) : Value();
}

Value integer(std::int64_t value) {
  return value;
}

using RowColumn = Column<RowRecord>;
using WholeColumn = Column<WholeOf>;
constexpr bool kNotInCsv = false;

// Column of the layer's shape.
template <class Get>
RowColumn shape(const char* name, const char* unit, const char* meaning, Get get) {
  return {name, kInteger, unit, meaning, [get](const RowRecord& of) { return integer(get(of.layer)); }};
}
template <class T>
Value known(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

std::vector<RowColumn> layer_columns() {
  using L = conv::Layer;
  return {
      {"layer", kText, "", "name of the layer", [](const RowRecord& of) { return Value(of.layer.name); }},
      {"kind", kText, "", "F, GI or GW", [](const RowRecord& of) { return Value(std::string(to_string(of.kind))); }},
      shape("batch", "images", "images of an iteration", [](const L& l) { return l.batch; }),
      shape("channels", "channels", "channels of the layer's input", [](const L& l) { return l.channels; }),
      shape("height", "pixels", "height of the layer's input", [](const L& l) { return l.h.size; }),
      shape("width", "pixels", "width of the layer's input", [](const L& l) { return l.w.size; }),
      shape("filters", "channels", "channels of the layer's output", [](const L& l) { return l.filters; }),
      shape("kernel_h", "pixels", "height of the filter", [](const L& l) { return l.h.kernel; }),
      shape("kernel_w", "pixels", "width of the filter", [](const L& l) { return l.w.kernel; }),
      shape("stride_h", "pixels", "stride of the filter, down", [](const L& l) { return l.h.stride; }),
      shape("stride_w", "pixels", "stride of the filter, across", [](const L& l) { return l.w.stride; }),
      shape("pad_top", "pixels", "rows of padding above", [](const L& l) { return l.h.pad_begin; }),
      shape("pad_left", "pixels", "columns of padding on the left", [](const L& l) { return l.w.pad_begin; }),
      shape("pad_bottom", "pixels", "rows of padding below", [](const L& l) { return l.h.pad_end; }),
      shape("pad_right", "pixels", "columns of padding on the right", [](const L& l) { return l.w.pad_end; }),
      shape("dilation_h", "pixels", "dilation of the filter, down", [](const L& l) { return l.h.dilation; }),
      shape("dilation_w", "pixels", "dilation of the filter, across", [](const L& l) { return l.w.dilation; }),
      shape("groups", "groups", "groups of the layer, which run one after the other",
            [](const L& l) { return l.groups; }),
      {kTransposed, kFlag, "",
       "whether the layer is a transposed convolution; its shape is that of the one it transposes",
       [](const RowRecord& of) { return integer(of.layer.transposed ? 1 : 0); }}};
}

RowColumn kernel_column(const design::ResultField& field) {
  const std::string name = field.name;
  return {name,
          field.type,
          field.unit,
          field.meaning,
          [name](const RowRecord& of) {
            const Value* const value = record::find(of.kernel, name);
            return value ? *value : Value();
          },
          kNotInCsv};
}

std::vector<RowColumn> figure_columns() {
  return {{"macs", kInteger, "MACs", "multiply-accumulates of the layer, those with padding included",
           [](const RowRecord& of) { return integer(of.figures.macs); }},
          {"cycles", kInteger, "cycles", "kernel cycles on the rung of the point",
           [](const RowRecord& of) { return integer(of.figures.cycles); }},
          {"seconds", kReal, "s", "kernel cycles in seconds",
           [](const RowRecord& of) { return Value(of.figures.seconds); }},
          {"gops", kReal, "GOPS", "1e9 operations a second; a multiply-accumulate is two",
           [](const RowRecord& of) { return Value(of.figures.gops); }},
          {"array_utilisation", kReal, "1", "multiply-accumulates of the layer as a share of the peak of the array",
           [](const RowRecord& of) { return Value(of.figures.utilisation); }},
          {"limiter", kText, "", "what limits the convolution", [](const RowRecord& of) { return Value(of.limiter); }},
          {"stall_share", kReal, "1", "share of the cycles in which the array does not advance",
           [](const RowRecord& of) { return known(of.figures.stall_share); }},
          {"ddr_efficiency", kReal, "1", "bytes moved as a share of the peak of the memory channels in use",
           [](const RowRecord& of) { return known(of.figures.ddr_efficiency); }},
          {kAnalyticalCycles, kInteger, "cycles", "total of the equations",
           [](const RowRecord& of) { return integer(of.analytical_cycles); }},
          {"analytical_limiter", kText, "", "what limits the convolution by the equations",
           [](const RowRecord& of) { return Value(of.analytical_limiter.value_or(of.limiter)); }},
          {kAnalyticalError, kReal, "1", "(equations - simulated) / simulated",
           [](const RowRecord& of) { return known(of.figures.equation_error); }}};
}

RowColumn resource_column(const char* key, const char* resource) {
  const bool synthesis = std::string_view(key) == "lut" || std::string_view(key) == "ff";
  return {key, kInteger, fmt::format("{}s", resource),
          fmt::format("{}s of its kernel{}", resource, synthesis ? ", under readings.resources: synthesis" : ""),
          [key](const RowRecord& of) {
            const Use* const use = record::find(of.resources, key);
            return use ? Value(use->used) : Value();
          }};
}

// Turns a block or port name into a column name in lower case.
std::string column_name(const std::string& text) {
  std::string name = text;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '_'; });
  return name;
}

void append_blocks(std::vector<RowColumn>& columns, const Topology& topology) {
  for (const BlockInfo& block : topology.blocks) {
    const char* const name = block.name;
    for (std::size_t i = 0; i < kActivities; ++i) {
      columns.push_back({column_name(fmt::format("{}_{}", name, kActivityNames[i])), kInteger, "cycles",
                         fmt::format("cycles in which {} is {}", name, kActivityNames[i]),
                         [name, i](const RowRecord& of) {
                           const Activities* const found = of.blocks ? record::find(*of.blocks, name) : nullptr;
                           return found ? Value(found->cycles[i]) : Value();
                         }});
      columns.back().simulated = true;
    }
  }
}

void append_ports(std::vector<RowColumn>& columns, const Topology& topology) {
  using Stats = memory::PortStats;
  struct Count {
    const char* name;
    const char* unit;
    const char* meaning;
    std::int64_t (*get)(const Stats&);
  };
  constexpr Count kCounts[] = {
      {"beats", "beats", "beats", [](const Stats& s) { return s.read_beats + s.write_beats; }},
      {"bursts", "bursts", "bursts", [](const Stats& s) { return s.read_bursts + s.write_bursts; }},
      {"row_hits", "requests", "requests of 64 bytes that find their row open",
       [](const Stats& s) { return s.row_hits; }},
      {"row_misses", "requests", "requests of 64 bytes that find their bank closed",
       [](const Stats& s) { return s.row_misses; }},
      {"row_conflicts", "requests", "requests of 64 bytes that find another row open",
       [](const Stats& s) { return s.row_conflicts; }}};
  for (const PortInfo& port : topology.ports) {
    const char* const name = port.name;
    for (const auto& [what, unit, meaning, get] : kCounts) {
      columns.push_back({column_name(fmt::format("{}_{}", name, what)), kInteger, unit,
                         fmt::format("port {}: {}", name, meaning), [name, get = get](const RowRecord& of) {
                           const Stats* const found = of.ports ? record::find(*of.ports, name) : nullptr;
                           return found ? Value(get(*found)) : Value();
                         }});
      columns.back().simulated = true;
    }
  }
}

std::string pe_column_name(const PeClassInfo& pe_class) {
  return column_name(fmt::format("pe_{}", pe_class.name));
}
void append_pe_cycles(std::vector<RowColumn>& columns, const Topology& topology) {
  for (const PeClassInfo& info : topology.pe_classes) {
    columns.push_back({pe_column_name(info), kInteger, "PE-cycles", fmt::format("PE-cycles {}", info.meaning),
                       [name = info.name](const RowRecord& of) { return known(of.figures.pe_cycles_of(name)); }});
  }
}

// Appends the PE classes of all designs. Classes that the result's design lacks stay empty.
void append_pe_cycles(std::vector<WholeColumn>& columns) {
  for (const design::Design* design : design::designs()) {
    for (const PeClassInfo& info : design->topology().pe_classes) {
      const std::string name = pe_column_name(info);
      const auto same = [&](const WholeColumn& column) { return column.name == name; };
      if (std::any_of(columns.begin(), columns.end(), same)) continue;
      columns.push_back({name, kInteger, "PE-cycles", fmt::format("PE-cycles of an iteration {}", info.meaning),
                         [name = info.name](const WholeOf& of) { return known(of.figures.pe_cycles_of(name)); }});
    }
  }
}

void append(std::vector<RowColumn>& to, std::vector<RowColumn> columns) {
  std::move(columns.begin(), columns.end(), std::back_inserter(to));
}

Value cycles_of(const WholeOf& of, Kind kind) {
  const auto kinds = sums_by_kind(of.result);
  const auto found = kinds.find(kind);
  return found == kinds.end() ? Value() : Value(found->second.cycles);
}

Value largest_error(const WholeOf& of) {
  Value largest;
  for (const Row& row : of.result.rows) {
    if (!row.data) continue;
    const double* const old = std::get_if<double>(&largest);
    largest = std::max(old ? *old : 0.0, row.data->largest_error);
  }
  return largest;
}

std::int64_t misfits(const WholeOf& of) {
  return static_cast<std::int64_t>(rows_that_do_not_fit(of.result).size());
}

// Limiter of most of the cycles.
Value main_limiter(const WholeOf& of) {
  std::map<std::string, Cycles> cycles;
  for (const Row& row : of.result.rows) cycles[row.limiter] += row.cycles;
  const auto most =
      std::max_element(cycles.begin(), cycles.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == cycles.end() ? Value() : Value(most->first);
}

std::vector<WholeColumn> list_whole_columns() {
  std::vector<WholeColumn> columns{
      {"convolutions", kInteger, "convolutions", "convolutions of the point",
       [](const WholeOf& of) { return integer(of.sum.convolutions); }},
      {"macs", kInteger, "MACs", "multiply-accumulates of the layers in an iteration, those with padding included",
       [](const WholeOf& of) { return integer(of.sum.macs); }},
      {"cycles", kInteger, "cycles", "kernel cycles of an iteration, on the rung of the point",
       [](const WholeOf& of) { return integer(of.sum.cycles); }},
      {"cycles_f", kInteger, "cycles", "cycles of the forward convolutions",
       [](const WholeOf& of) { return cycles_of(of, Kind::F); }},
      {"cycles_gi", kInteger, "cycles", "cycles of the gradients of the input",
       [](const WholeOf& of) { return cycles_of(of, Kind::GI); }},
      {"cycles_gw", kInteger, "cycles", "cycles of the gradients of the weights",
       [](const WholeOf& of) { return cycles_of(of, Kind::GW); }},
      {"convolutions_seconds", kReal, "s", "time of an iteration, convolutions only",
       [](const WholeOf& of) { return Value(of.figures.seconds); }},
      {"images_per_second", kReal, "images/s", "batch / convolutions_seconds",
       [](const WholeOf& of) {
         return of.figures.seconds > 0 ? Value(of.result.config.batch / of.figures.seconds) : Value();
       }},
      {"convolutions_epoch_hours", kReal, "h", "time of an epoch, convolutions only",
       [](const WholeOf& of) {
         return Value(of.figures.seconds * static_cast<double>(iterations_per_epoch(of.result)) / 3600);
       }},
      {"gops", kReal, "GOPS", "1e9 operations a second; a multiply-accumulate is two",
       [](const WholeOf& of) { return Value(of.figures.gops); }},
      {"peak_gops", kReal, "GOPS", "two operations for each multiply-accumulate that the array can do in a cycle",
       [](const WholeOf& of) {
         const config::Kernel& kernel = *of.result.config.kernel;
         return Value(2e-3 * static_cast<double>(kernel.peak_macs()) * mhz(kernel.clock));
       }},
      {"array_utilisation", kReal, "1", "multiply-accumulates of the layer as a share of the peak of the array",
       [](const WholeOf& of) { return Value(of.figures.utilisation); }},
      {"stall_share", kReal, "1", "share of the cycles in which the array does not advance",
       [](const WholeOf& of) { return known(of.figures.stall_share); }},
      {"ddr_efficiency", kReal, "1", "bytes moved as a share of the peak of the memory channels in use",
       [](const WholeOf& of) { return known(of.figures.ddr_efficiency); }},
      {kAnalyticalCycles, kInteger, "cycles", "total of the equations",
       [](const WholeOf& of) { return integer(of.sum.equations); }},
      {kAnalyticalError, kReal, "1", "(equations - simulated) / simulated",
       [](const WholeOf& of) { return known(of.figures.equation_error); }}};
  for (const auto& [name, resource] : kResources) {
    columns.push_back({name, kInteger, fmt::format("{}s", resource), fmt::format("{}s of the largest kernel", resource),
                       [resource = resource](const WholeOf& of) { return used(of.largest_use, resource); }});
  }
  for (const auto& [name, resource] : kResources) {
    columns.push_back({fmt::format("{}_available", name), kInteger, fmt::format("{}s", resource),
                       fmt::format("{}s that the board leaves to kernels", resource),
                       [resource = resource](const WholeOf& of) { return available(of.largest_use, resource); }});
  }
  std::vector<WholeColumn> rest{
      {"limiter", kText, "", "limiter of the convolutions with most of the cycles", main_limiter},
      {"misfits", kInteger, "convolutions", "convolutions whose kernel does not fit the board",
       [](const WholeOf& of) { return integer(misfits(of)); }},
      {"fits", kFlag, "", "whether every kernel fits",
       [](const WholeOf& of) {
         const ResourceReport& largest = of.largest_use;
         const bool known =
             std::all_of(largest.begin(), largest.end(), [](const ResourceUse& use) { return use.known; });
         return misfits(of) == 0 && !known ? Value() : integer(misfits(of) == 0 ? 1 : 0);
       }},
      {"launches", kInteger, "launches", "kernel launches of an iteration",
       [](const WholeOf& of) { return integer(of.sum.launches); }},
      {"kernels", kInteger, "kernels", "distinct kernels",
       [](const WholeOf& of) { return integer(of.result.kernels); }},
      {"loads", kInteger, "loads", "loads of bitstreams in an iteration that follows an equal one",
       [](const WholeOf& of) { return integer(of.result.loads); }},
      {"bytes_to_card", kInteger, "bytes", "bytes to the card in an iteration",
       [](const WholeOf& of) { return integer(of.sum.pcie_to_card); }},
      {"bytes_to_host", kInteger, "bytes", "bytes to the host in an iteration",
       [](const WholeOf& of) { return integer(of.sum.pcie_to_host); }},
      {"largest_error", kReal, "1", "largest error against double precision (data mode)", largest_error}};
  std::move(rest.begin(), rest.end(), std::back_inserter(columns));
  append_pe_cycles(columns);
  return columns;
}

}  // namespace

const char* resource_key(std::string_view name) {
  for (const auto& [key, resource] : kResources) {
    if (resource == name) return key;
  }
  throw std::logic_error(fmt::format("there is no resource {}", name));
}

const char* resource_name(std::string_view key) {
  for (const auto& [each, resource] : kResources) {
    if (each == key) return resource;
  }
  throw std::logic_error(fmt::format("there is no resource {}", key));
}

std::vector<Column<RowRecord>> row_columns(const design::Design& design) {
  std::vector<RowColumn> columns = layer_columns();
  for (const design::ResultField& field : design.result_fields().kernel) columns.push_back(kernel_column(field));
  append(columns, figure_columns());
  for (const auto& [name, resource] : kResources) columns.push_back(resource_column(name, resource));
  append(columns,
         {{"fits", kFlag, "", "whether its kernel fits the board",
           [](const RowRecord& of) { return integer(of.fits() ? 1 : 0); }},
          {kParts, kInteger, "launches", "launches that carry out the convolution of each group, if several",
           [](const RowRecord& of) { return known(of.parts); }},
          {"out_digest", kText, "", "digest of OUT's bits (data mode)",
           [](const RowRecord& of) { return of.data ? Value(of.data->out_digest) : Value(); }, kNotInCsv},
          {"largest_error", kReal, "1", "largest error against double precision / sum of |products| (data mode)",
           [](const RowRecord& of) { return of.data ? Value(of.data->largest_error) : Value(); }, kNotInCsv}});
  append_blocks(columns, design.topology());
  append_ports(columns, design.topology());
  append_pe_cycles(columns, design.topology());
  return columns;
}

const std::vector<Column<WholeOf>>& whole_columns() {
  static const std::vector<WholeColumn> columns = list_whole_columns();
  return columns;
}

const char* json_type(const std::string& type) {
  return type == kInteger ? "integer" : type == kReal ? "number" : type == kFlag ? "boolean" : "string";
}

record::Field row_field(const std::string& name) {
  static const std::map<std::string, RowColumn> all = [] {
    std::map<std::string, RowColumn> columns;
    for (const design::Design* design : design::designs()) {
      for (const RowColumn& column : row_columns(*design)) {
        columns.emplace(column.name, column);
      }
    }
    return columns;
  }();
  const RowColumn& column = all.at(name);
  return {column.name.c_str(), column.unit.c_str(), column.meaning.c_str()};
}

record::Field whole_field(const std::string& name) {
  const auto& all = whole_columns();
  const auto found = std::find_if(all.begin(), all.end(), [&](const WholeColumn& each) { return each.name == name; });
  return {found->name.c_str(), found->unit.c_str(), found->meaning.c_str()};
}

std::vector<RowColumn> csv_columns(const design::Design& design, bool simulated) {
  std::vector<RowColumn> columns = row_columns(design);
  const auto absent = [&](const RowColumn& column) { return !column.in_csv || (!simulated && column.simulated); };
  columns.erase(std::remove_if(columns.begin(), columns.end(), absent), columns.end());
  return columns;
}

bool has_nothing(const Column<RowRecord>& column, const std::vector<RowRecord>& rows) {
  const Value nothing = column.name == kTransposed ? integer(0) : Value();
  const bool may = column.name == kTransposed || column.name == kParts || column.name == "lut" || column.name == "ff";
  return may &&
         std::all_of(rows.begin(), rows.end(), [&](const RowRecord& row) { return column.value(row) == nothing; });
}

std::string csv_text(const Record& record) {
  std::vector<RowColumn> columns = csv_columns(design::design_named(record.design), record.simulated());
  columns.erase(std::remove_if(columns.begin(), columns.end(),
                               [&](const RowColumn& column) { return has_nothing(column, record.rows); }),
                columns.end());
  std::string text;
  for (const RowColumn& column : columns) text += (text.empty() ? "" : ",") + column.name;
  text += '\n';
  for (const RowRecord& row : record.rows) {
    std::string line;
    for (const RowColumn& column : columns) {
      line += (line.empty() ? "" : ",") + report::csv_field(record::cell_text(column.type, column.value(row)));
    }
    text += line + '\n';
  }
  return text;
}

const record::Words& csv_words() {
  static const record::Words words = [] {
    record::Words all;
    for (const design::Design* design : design::designs()) {
      for (const RowColumn& column : csv_columns(*design, true)) {
        const auto same = [&](const record::Word& word) { return word.name == column.name; };
        if (std::any_of(all.begin(), all.end(), same)) continue;
        all.push_back({column.name, column.unit, column.meaning, json_type(column.type), true});
      }
    }
    return all;
  }();
  return words;
}

WholeOf whole_of(const Result& result) {
  const Sum sum = sum_of(result);
  return {result, sum, figures(result, sum), largest_use(result)};
}

}  // namespace weft::run
