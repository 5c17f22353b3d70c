#include "platform/studies/validate/link_validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/link/closed_form.h"
#include "platform/config/compose.h"
#include "platform/config/host.h"
#include "platform/config/reader.h"

namespace weft::validate {

using config::FileKind;
using config::Need;
using config::Node;
using link::Direction;

namespace {

constexpr int kLinkSchema = 2;
constexpr double kMostRate = 1e9, kMostPercent = 1e6, kMostMs = 1e9;
constexpr std::int64_t kMostCalls = 1'000'000;
constexpr double kMiB = 1 << 20, kPsPerSecond = 1e12, kPsPerMs = 1e9;

const config::Names<Direction>& directions() {
  static const config::Names<Direction> names{{"to_card", Direction::HostToCard}, {"to_host", Direction::CardToHost}};
  return names;
}

const config::Names<config::Calls>& call_kinds() {
  static const config::Names<config::Calls> names{{"opencl", config::Calls::OpenCl}, {"xrt", config::Calls::Xrt}};
  return names;
}

struct Names {
  std::string board, host;
};

void link_fields(config::MapIo& io, LinkValidation& v, Names& names) {
  io.text("board", names.board, Need::Required);
  io.text("host", names.host, Need::Required);
  io.choice("calls", v.calls, call_kinds());
  io.map("measured", Need::Optional, [&](config::MapIo& sub) {
    sub.text("source", v.measured_source);
    sub.real("tolerance_percent", v.measured_tolerance_percent, 0, kMostPercent);
    sub.map_list("points", Need::Required, v.measured, [](config::MapIo& item, LinkValidation::MeasuredPoint& point) {
      item.integer("bytes", point.bytes, 1, link::kMaxTransfer, Need::Required);
      item.real("to_card_mib_per_s", point.to_card_mib_per_s, 1e-6, kMostRate, Need::Required);
      item.real("to_host_mib_per_s", point.to_host_mib_per_s, 1e-6, kMostRate, Need::Required);
    });
  });
  io.map("beside", Need::Optional, [&](config::MapIo& sub) {
    sub.text("source", v.beside_source);
    sub.real("tolerance_percent", v.beside_tolerance_percent, 0, kMostPercent);
    sub.map_list("times", Need::Required, v.beside, [](config::MapIo& item, LinkValidation::MeasuredTime& time) {
      item.text("what", time.what, Need::Required);
      item.choice("direction", time.direction, directions(), Need::Required);
      item.integer("calls", time.calls, 1, kMostCalls);
      item.integer("bytes", time.bytes, 1, link::kMaxTransfer, Need::Required);
      item.real("ms", time.ms, 1e-6, kMostMs, Need::Required);
    });
  });
  io.map("closed_form", Need::Optional, [&](config::MapIo& sub) {
    sub.real("tolerance_percent", v.closed_form_tolerance_percent, 0, kMostPercent);
    sub.list("bytes", v.closed_form, config::form::integer<Bytes>(1, link::kMaxTransfer), Need::Required);
  });
}

void fields(config::MapIo& io, LinkValidation& v, Names& names) {
  io.mention("extends");
  io.text("name", v.name, Need::Required);
  io.text("title", v.title);
  io.map("link", Need::Required, [&](config::MapIo& sub) { link_fields(sub, v, names); });
}

// Overrides that begin with `prefix`, with the prefix removed.
std::vector<config::Override> of_prefix(const std::vector<config::Override>& all, const std::string& prefix) {
  std::vector<config::Override> own;
  for (const config::Override& one : all) {
    if (one.key.rfind(prefix, 0) != 0) continue;
    own.push_back(one);
    own.back().key.erase(0, prefix.size());
  }
  return own;
}

constexpr Direction kBoth[] = {Direction::HostToCard, Direction::CardToHost};

const char* short_name(Direction direction) {
  return direction == Direction::HostToCard ? "H2C" : "C2H";
}

}  // namespace

bool is_link_validation(const std::string& name_or_path, const config::Library& library) {
  return config::load_experiment(FileKind::Validate, name_or_path, {}, library).file.find("link") != nullptr;
}

config::Node describe_link_validation() {
  return config::describe_map(LinkValidation{}, [](config::MapIo& io, LinkValidation& each) {
    Names names;
    fields(io, each, names);
  });
}

LinkValidation load_link_validation(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                                    const config::Library& library) {
  const config::Experiment experiment = config::load_experiment(FileKind::Validate, name_or_path, overrides, library);
  for (const config::Override& one : experiment.run_overrides) {
    if (one.key.rfind("board.", 0) == 0 || one.key.rfind("host.", 0) == 0) continue;
    throw Error(
        fmt::format("{}: '{}' is not a key of a validation of a link; allowed: validate.KEY, board.KEY and host.KEY",
                    one.option, one.key));
  }
  LinkValidation v;
  Names names;
  config::MapReader reader(experiment.file, "");
  fields(reader, v, names);
  reader.finish();
  v.board = config::load_board(names.board, of_prefix(experiment.run_overrides, "board."), library);
  v.host = config::load_host(names.host, of_prefix(experiment.run_overrides, "host."), library);
  if (!v.board.pcie) {
    const Node* const board = config::find_path(experiment.file, "link.board");
    throw config::error_at(board->place, "link.board", fmt::format("'{}' has no PCIe", names.board));
  }
  v.resolved_yaml = config::to_yaml(experiment.file);
  return v;
}

void fields(record::Visitor& io, LinkRow& row) {
  io("held_to", "measured, beside or closed form", row.held_to);
  io("what", "what the figure measures", row.what);
  io("direction", "H2C or C2H", row.direction);
  io("bytes", "bytes", "bytes of a call", row.bytes);
  io("unit", "unit of model and reference", row.unit);
  io("model", "as `unit` says", "figure of the model", row.model);
  io("reference", "as `unit` says", "figure of the reference", row.reference);
  io("error", "1", "model / reference - 1", row.error);
  io("tolerance_percent", "%", "largest allowed error", row.tolerance_percent);
  io("holds", "whether the error is within the tolerance", row.holds);
}

static void fields(record::Visitor& io, LinkRate& rate) {
  io("direction", "H2C or C2H", rate.direction);
  io("bytes_per_second", "bytes/s", "rate of long transfers, by the closed form", rate.bytes_per_s);
  io("bound", "limit of the rate", rate.bound);
}

void fields(record::Visitor& io, LinkResult& result) {
  io.head("validate link", kLinkSchema, result.weft_version);
  io("name", "name of the validation", result.name);
  io("title", "what it validates", result.title);
  io("board", "name of the board", result.board);
  io("host", "name of the host", result.host);
  io("pcie_generation", "1", "generation of the link", result.pcie_generation);
  io("pcie_lanes", "lanes", "width of the link", result.pcie_lanes);
  io.list("rates", "the link in each direction", "", "a direction", result.rates);
  io("measured_source", "source of the measured figures", result.measured_source);
  io("beside_source", "source of the figures to which nothing is fitted", result.beside_source);
  io.list("rows", "figures", "", "a figure", result.rows);
  config::inputs_field(io, result.inputs);
}

bool LinkResult::holds() const {
  return std::all_of(rows.begin(), rows.end(), [](const LinkRow& row) { return row.holds; });
}

LinkResult compare(const LinkValidation& v) {
  link::Link link(*v.board.pcie);
  const auto call_ps = [&](Direction direction, Bytes bytes) {
    return static_cast<double>(link.time(direction, 0, bytes, host::call_cost(v.host, v.calls, direction)));
  };
  LinkResult result;
  result.name = v.name;
  if (!v.title.empty()) result.title = v.title;
  result.board = v.board.name;
  result.host = v.host.name;
  result.pcie_generation = v.board.pcie->generation;
  result.pcie_lanes = v.board.pcie->lanes;
  for (const Direction direction : kBoth) {
    const link::ClosedForm form = link::closed_form(*v.board.pcie, direction);
    result.rates.push_back({short_name(direction), form.bytes_per_s, to_string(form.bound)});
  }
  if (!v.measured_source.empty()) result.measured_source = v.measured_source;
  if (!v.beside_source.empty()) result.beside_source = v.beside_source;
  const auto add = [&](const char* held_to, const std::string& what, Direction direction, Bytes bytes, const char* unit,
                       double model, double reference, double tolerance_percent) {
    const double error = model / reference - 1;
    result.rows.push_back({held_to, what, short_name(direction), bytes, unit, model, reference, error,
                           tolerance_percent, std::abs(100 * error) <= tolerance_percent});
  };
  for (const LinkValidation::MeasuredPoint& point : v.measured) {
    for (const Direction direction : kBoth) {
      const double rate = static_cast<double>(point.bytes) / kMiB / (call_ps(direction, point.bytes) / kPsPerSecond);
      const bool to_card = direction == Direction::HostToCard;
      add("measured", "one call", direction, point.bytes, "MiB/s", rate,
          to_card ? point.to_card_mib_per_s : point.to_host_mib_per_s, v.measured_tolerance_percent);
    }
  }
  for (const LinkValidation::MeasuredTime& time : v.beside) {
    const double ms = static_cast<double>(time.calls) * call_ps(time.direction, time.bytes) / kPsPerMs;
    add("beside", time.what, time.direction, time.bytes, "ms", ms, time.ms, v.beside_tolerance_percent);
  }
  for (const Bytes bytes : v.closed_form) {
    for (const Direction direction : kBoth) {
      const link::ExactTime& end = link.transfer(direction, 0, bytes).end;
      const double ms = static_cast<double>(end.ticks) / static_cast<double>(end.ticks_per_ps) / kPsPerMs;
      add("closed form", "against every TLP", direction, bytes, "ms",
          1000 * link::closed_form(*v.board.pcie, direction).seconds(bytes), ms, v.closed_form_tolerance_percent);
    }
  }
  return result;
}

}  // namespace weft::validate
