#include "tools/run/activity.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <system_error>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/document/text.h"
#include "platform/os/content.h"
#include "platform/record/result_dir.h"
#include "tools/pages/cells.h"
#include "tools/pages/pages.h"

namespace weft::tools {

using report::Section;
using report::Table;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kLongest = 12;  // of the page
constexpr std::size_t kColumns = 5;   // before those of the blocks
constexpr auto kParts = static_cast<std::size_t>(kActivityParts);

using Lines = std::vector<std::vector<std::string>>;

std::int64_t count(const std::string& text, const std::string& file) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || at != end || value < 0) {
    throw InputError(file, 0, "", fmt::format("has '{}' where a number of cycles stands", text));
  }
  return value;
}

// The lines of a convolution: as many as there are parts, from `first` on.
Json convolution(const Lines& lines, std::size_t first, const run::RowRecord& row, std::size_t blocks,
                 const std::string& file) {
  Json borders = Json::array({0}), counts = Json::array();
  for (std::size_t part = 0; part < kParts; ++part) {
    borders.push_back(count(lines[first + part][kColumns - 1], file));
    Json of_blocks = Json::array();
    for (std::size_t block = 0; block < blocks; ++block) {
      Json states = Json::array();
      for (std::size_t state = 0; state < kActivities; ++state) {
        states.push_back(count(lines[first + part][kColumns + block * kActivities + state], file));
      }
      of_blocks.push_back(std::move(states));
    }
    counts.push_back(std::move(of_blocks));
  }
  return {{"name", fmt::format("{} {}", row.layer.name, conv::to_string(row.kind))},
          {"borders", borders},
          {"counts", counts}};
}

}  // namespace

Json activity_data(const run::Record& record, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / record::kActivityCsv;
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return nullptr;
  const std::string file = path.string();
  const Topology& topology = design::design_named(record.design).topology();
  const Lines lines = report::csv_lines(os::content(path));
  const std::size_t width = kColumns + topology.blocks.size() * kActivities;
  const bool sized = lines.size() == 1 + record.rows.size() * kParts &&
                     std::all_of(lines.begin(), lines.end(), [&](const auto& line) { return line.size() == width; });
  if (!sized) throw InputError(file, 0, "", "is not what weft run --activity writes of this result");
  std::vector<std::size_t> order(record.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return record.rows[a].figures.cycles > record.rows[b].figures.cycles;
  });
  order.resize(std::min(order.size(), kLongest));
  Json data{{"states", kActivityNames}, {"blocks", Json::array()}, {"convolutions", Json::array()}};
  for (const BlockInfo& block : topology.blocks) {
    data["blocks"].push_back({{"name", block.name}, {"meaning", block.meaning}});
  }
  for (const std::size_t at : order) {
    const run::RowRecord& row = record.rows[at];
    const std::size_t first = 1 + at * kParts;
    if (lines[first][0] != row.layer.name || lines[first][1] != conv::to_string(row.kind)) {
      throw InputError(file, 0, "", fmt::format("has '{}' where the result has '{}'", lines[first][0], row.layer.name));
    }
    data["convolutions"].push_back(convolution(lines, first, row, topology.blocks.size(), file));
  }
  return data;
}

Section activity_section(const Json& data) {
  Table table{"Of the whole convolution", {{"convolution", ""}, {"block", ""}}, {}, true, true};
  for (const Json& state : data.at("states")) table.columns.push_back({state.get<std::string>(), ""});
  for (const Json& convolution : data.at("convolutions")) {
    const double cycles = convolution.at("borders").back().get<double>();
    for (std::size_t block = 0; block < data.at("blocks").size(); ++block) {
      std::vector<report::Cell> cells{text_cell(convolution.at("name").get<std::string>()),
                                      text_cell(data.at("blocks")[block].at("name").get<std::string>())};
      for (std::size_t state = 0; state < data.at("states").size(); ++state) {
        double sum = 0;
        for (const Json& part : convolution.at("counts")) sum += part[block][state].get<double>();
        cells.push_back(percent_cell(cycles > 0 ? sum / cycles : 0, 2));
      }
      table.rows.push_back(std::move(cells));
    }
  }
  const std::size_t shown = data.at("convolutions").size();
  const std::string which = shown < kLongest ? "" : fmt::format("The {} longest convolutions can be chosen.", shown);
  return {"activity",
          "What the blocks do when",
          {fmt::format("Each block over one convolution, in {} parts of equal length: how much of each part it is "
                       "active, blocked, starved and idle. {}",
                       kParts, which)},
          true,
          {table}};
}

}  // namespace weft::tools
