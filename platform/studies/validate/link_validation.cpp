#include "platform/studies/validate/link_validation.h"

#include <fmt/core.h>

#include <cmath>

#include "model/link/closed_form.h"
#include "platform/config/reader.h"
#include "platform/config/study.h"
#include "platform/iteration/host/calls.h"

namespace weft::validate {

using config::FileKind;
using config::Need;
using config::Node;
using link::Direction;

namespace {

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

// A list of maps, each read by `fields(reader, item)`.
template <class T, class Fields>
void list(config::MapReader& reader, const char* key, std::vector<T>& items, Fields fields) {
  reader.custom(
      key, Need::Required,
      [&](const Node& node, const std::string& path) {
        for (const Node& entry : config::expect_list(node, path).children) {
          config::MapReader item(entry, path);
          fields(item, items.emplace_back());
          item.finish();
        }
      },
      [] { return std::optional<Node>(); });
}

struct Names {
  std::string board, host;
};

void link_fields(config::MapReader& reader, LinkValidation& v, Names& names) {
  reader.text("board", names.board, Need::Required);
  reader.text("host", names.host, Need::Required);
  reader.choice("calls", v.calls, call_kinds());
  reader.map("measured", Need::Optional, [&](config::MapReader& sub) {
    sub.text("source", v.measured_source);
    sub.real("tolerance_percent", v.measured_tolerance_percent, 0, kMostPercent);
    list(sub, "points", v.measured, [](config::MapReader& item, LinkValidation::MeasuredPoint& point) {
      item.integer("bytes", point.bytes, 1, link::kMaxTransfer, Need::Required);
      item.real("to_card_mib_per_s", point.to_card_mib_per_s, 1e-6, kMostRate, Need::Required);
      item.real("to_host_mib_per_s", point.to_host_mib_per_s, 1e-6, kMostRate, Need::Required);
    });
  });
  reader.map("beside", Need::Optional, [&](config::MapReader& sub) {
    sub.text("source", v.beside_source);
    sub.real("tolerance_percent", v.beside_tolerance_percent, 0, kMostPercent);
    list(sub, "times", v.beside, [](config::MapReader& item, LinkValidation::MeasuredTime& time) {
      item.text("what", time.what, Need::Required);
      item.choice("direction", time.direction, directions(), Need::Required);
      item.integer("calls", time.calls, 1, kMostCalls);
      item.integer("bytes", time.bytes, 1, link::kMaxTransfer, Need::Required);
      item.real("ms", time.ms, 1e-6, kMostMs, Need::Required);
    });
  });
  reader.map("closed_form", Need::Optional, [&](config::MapReader& sub) {
    sub.real("tolerance_percent", v.closed_form_tolerance_percent, 0, kMostPercent);
    sub.custom(
        "bytes", Need::Required,
        [&](const Node& node, const std::string& path) {
          for (const Node& entry : config::expect_list(node, path).children) {
            v.closed_form.push_back(config::read_integer(entry, path, 1, link::kMaxTransfer));
          }
        },
        [] { return std::optional<Node>(); });
  });
}

// The overrides of `prefix`, without it.
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

}  // namespace

bool is_link_validation(const std::string& name_or_path, const config::Library& library) {
  return config::load_study(FileKind::Validate, name_or_path, {}, library).file.find("link") != nullptr;
}

LinkValidation load_link_validation(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                                    const config::Library& library) {
  const config::Study study = config::load_study(FileKind::Validate, name_or_path, overrides, library);
  for (const config::Override& one : study.run_overrides) {
    if (one.key.rfind("board.", 0) == 0 || one.key.rfind("host.", 0) == 0) continue;
    throw Error(
        fmt::format("{}: '{}' is no key of a validation of a link: it takes validate.KEY, board.KEY and host.KEY",
                    one.option, one.key));
  }
  LinkValidation v;
  Names names;
  config::MapReader reader(study.file, "");
  reader.mention("extends");
  reader.text("name", v.name, Need::Required);
  reader.text("title", v.title);
  reader.map("link", Need::Required, [&](config::MapReader& sub) { link_fields(sub, v, names); });
  reader.finish();
  v.board = config::load_board(names.board, of_prefix(study.run_overrides, "board."), library);
  v.host = config::load_host(names.host, of_prefix(study.run_overrides, "host."), library);
  if (!v.board.pcie) {
    const Node* const board = config::find_path(study.file, "link.board");
    throw config::error_at(board->place, "link.board", fmt::format("'{}' has no PCIe", names.board));
  }
  v.resolved_yaml = config::to_yaml(study.file);
  return v;
}

bool LinkRow::holds() const {
  return std::abs(error_percent()) <= tolerance_percent;
}

std::vector<LinkRow> compare(const LinkValidation& v) {
  link::Link link(*v.board.pcie);
  const auto call_ps = [&](Direction direction, Bytes bytes) {
    return static_cast<double>(link.time(direction, 0, bytes, host::call_cost(v.host, v.calls, direction)));
  };
  std::vector<LinkRow> rows;
  for (const LinkValidation::MeasuredPoint& point : v.measured) {
    for (const Direction direction : kBoth) {
      const double rate = static_cast<double>(point.bytes) / kMiB / (call_ps(direction, point.bytes) / kPsPerSecond);
      const bool to_card = direction == Direction::HostToCard;
      rows.push_back({"measured", "one call", direction, point.bytes, "MiB/s", rate,
                      to_card ? point.to_card_mib_per_s : point.to_host_mib_per_s, v.measured_tolerance_percent});
    }
  }
  for (const LinkValidation::MeasuredTime& time : v.beside) {
    const double ms = static_cast<double>(time.calls) * call_ps(time.direction, time.bytes) / kPsPerMs;
    rows.push_back({"beside", time.what, time.direction, time.bytes, "ms", ms, time.ms, v.beside_tolerance_percent});
  }
  for (const Bytes bytes : v.closed_form) {
    for (const Direction direction : kBoth) {
      const link::ExactTime& end = link.transfer(direction, 0, bytes).end;
      const double ms = static_cast<double>(end.ticks) / static_cast<double>(end.ticks_per_ps) / kPsPerMs;
      rows.push_back({"closed form", "against every TLP", direction, bytes, "ms",
                      1000 * link::closed_form(*v.board.pcie, direction).seconds(bytes), ms,
                      v.closed_form_tolerance_percent});
    }
  }
  return rows;
}

}  // namespace weft::validate
