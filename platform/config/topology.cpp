#include "platform/config/topology.h"

#include <fmt/core.h>

#include <charconv>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "model/core/error.h"
#include "model/core/text.h"
#include "workloads/lowering.h"

namespace weft::config {

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    const auto first = cell.find_first_not_of(" \t\r"), last = cell.find_last_not_of(" \t\r");
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();  // lines end with a comma
  return cells;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path.string()), file_(path) {
    if (!file_) throw InputError(path_, 0, "", "cannot be read");
  }

  std::vector<conv::Layer> layers() {
    std::vector<conv::Layer> layers;
    std::set<std::string> names;
    for (std::string text; std::getline(file_, text);) {
      ++line_;
      const std::vector<std::string> cells = cells_of(text);
      if (cells.empty()) continue;
      if (columns_ == 0) {
        read_header(cells);
        continue;
      }
      conv::Layer layer = products_ ? product(cells) : convolution(cells);
      if (find_unprintable(layer.name) != std::string::npos) fail("name", "is not UTF-8, or has a control character");
      if (!names.insert(layer.name).second) fail("name", fmt::format("'{}' names two layers; rename one", layer.name));
      layer.from_graph_input = layers.empty();
      try {
        workloads::check(layer);
      } catch (const Error& error) {
        fail("", error.what());
      }
      layers.push_back(std::move(layer));
    }
    if (layers.empty()) throw InputError(path_, 0, "", "has no layer after the line of column names");
    return layers;
  }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    throw InputError(path_, line_, key, message);
  }

  void read_header(const std::vector<std::string>& cells) {
    constexpr std::size_t kProduct = 4, kConvolution = 8;
    columns_ = cells.size();
    products_ = columns_ == kProduct && cells[1] == "M" && cells[2] == "N" && cells[3] == "K";
    if (products_ || columns_ == kConvolution || columns_ == kConvolution + 1) return;
    fail("",
         fmt::format("has {} columns; a SCALE-Sim topology has 8 or 9 of a convolution (name, IFMAP height and width, "
                     "filter height and width, channels, filters, strides) or name, M, N, K",
                     columns_));
  }

  int number(const std::vector<std::string>& cells, std::size_t column, const char* key) const {
    if (column >= cells.size()) fail(key, "is missing");
    const std::string& cell = cells[column];
    int value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || value < 1) {
      fail(key, fmt::format("must be an integer of 1 or more, not '{}'", cell));
    }
    return value;
  }

  conv::Layer product(const std::vector<std::string>& cells) const {
    conv::Layer layer;
    layer.name = cells[0];
    layer.w.size = number(cells, 1, "M");
    layer.filters = number(cells, 2, "N");
    layer.channels = number(cells, 3, "K");
    if (cells.size() > 4) fail("", fmt::format("has {} cells; a matrix product has 4", cells.size()));
    return layer;
  }

  conv::Layer convolution(const std::vector<std::string>& cells) const {
    constexpr std::size_t kStrides = 7, kMost = 9;
    constexpr const char* kStridesColumn = "strides";
    if (cells.size() > kMost) fail("", fmt::format("has {} cells; a convolution has 8 or 9", cells.size()));
    conv::Layer layer;
    layer.name = cells[0];
    layer.channels = number(cells, 5, "channels");
    layer.filters = number(cells, 6, "filters");
    if (layer.name.find("DP") != std::string::npos) {
      layer.groups = layer.channels;
      if (layer.filters > std::numeric_limits<int>::max() / layer.groups)
        fail("filters", "are too many for its channels");
      layer.filters *= layer.groups;
    }
    const std::size_t across = cells.size() > kStrides + 1 ? kStrides + 1 : kStrides;
    layer.h = axis(number(cells, 1, "IFMAP height"), number(cells, 3, "filter height"),
                   number(cells, kStrides, kStridesColumn));
    layer.w =
        axis(number(cells, 2, "IFMAP width"), number(cells, 4, "filter width"), number(cells, across, kStridesColumn));
    return layer;
  }

  static conv::LayerAxis axis(int size, int kernel, int stride) {
    conv::LayerAxis axis;
    axis.size = size;
    axis.kernel = kernel;
    axis.stride = stride;
    if (size > kernel) {
      const int left = (size - kernel) % stride;
      axis.pad_end = left == 0 ? 0 : stride - left;
    }
    return axis;
  }

  std::string path_;
  std::ifstream file_;
  int line_ = 0;
  std::size_t columns_ = 0;
  bool products_ = false;
};

}  // namespace

std::vector<conv::Layer> read_topology(const std::filesystem::path& path) {
  return Reader(path).layers();
}

}  // namespace weft::config
