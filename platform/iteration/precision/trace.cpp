#include "platform/iteration/precision/trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

#include "model/core/error.h"
#include "platform/config/reader.h"

namespace weft::precision {

namespace {

constexpr int kMostEpochs = 1'000'000;

// Reader of a trace's lines after the header.
class Lines {
 public:
  Lines(const std::filesystem::path& file, const std::string& columns) : file_(file.string()), in_(file) {
    std::istringstream names(columns);
    for (std::string name; std::getline(names, name, ',');) columns_.push_back(name);
    std::error_code code;
    if (!in_ || !std::filesystem::is_regular_file(file, code)) throw InputError(file_, 0, "", "cannot be read");
    if (!next_line() || text_ != columns) throw error("", fmt::format("must be the columns '{}'", columns));
  }

  // Reads the next line; returns false at the end.
  bool next() {
    if (!next_line()) return false;
    fields_.clear();
    std::size_t from = 0;
    for (std::size_t to = 0; to != std::string::npos; from = to + 1) {
      to = text_.find(',', from);
      fields_.push_back(text_.substr(from, to == std::string::npos ? to : to - from));
      if (to == std::string::npos) break;
    }
    if (fields_.size() != columns_.size()) {
      throw error("", fmt::format("has {} fields, not {}", fields_.size(), columns_.size()));
    }
    return true;
  }

  int line() const { return line_; }
  const std::string& file() const { return file_; }
  const std::string& text(std::size_t column) const { return fields_[column]; }
  int whole(std::size_t column, int most) const {
    const std::string& field = fields_[column];
    int value = 0;
    const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (code != std::errc() || end != field.data() + field.size() || value < 0 || value > most) {
      throw error(column, fmt::format("must be a whole number from 0 to {}, not '{}'", most, field));
    }
    return value;
  }
  // Value of a column; finite, and at least 0 or (`above`) above 0.
  double real(std::size_t column, bool above) const {
    const std::string& field = fields_[column];
    double value = 0;
    const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool number = code == std::errc() && end == field.data() + field.size() && std::isfinite(value);
    if (!number || value < 0 || (above && value == 0)) {
      throw error(column, fmt::format("must be a number {} 0, not '{}'", above ? "above" : "of at least", field));
    }
    return value;
  }
  InputError error(std::size_t column, const std::string& message) const { return error(columns_[column], message); }
  InputError error(const std::string& key, const std::string& message) const { return {file_, line_, key, message}; }

 private:
  bool next_line() {
    ++line_;
    if (!std::getline(in_, text_)) return false;
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
    return true;
  }

  std::string file_;
  std::ifstream in_;
  std::vector<std::string> columns_;
  int line_ = 0;
  std::string text_;
  std::vector<std::string> fields_;
};

}  // namespace

DiversityTrace read_diversities(const std::filesystem::path& file, int resolution) {
  Lines lines(file, "epoch,diversity");
  DiversityTrace trace;
  trace.file = lines.file();
  while (lines.next()) {
    const int epoch = lines.whole(0, kMostEpochs);
    const int due = resolution * (static_cast<int>(trace.rows.size()) + 1) - 1;
    if (epoch != due) {
      throw lines.error(0, fmt::format("must be {}, not {}: a diversity is due at the end of every {} epochs", due,
                                       epoch, resolution));
    }
    trace.rows.push_back({lines.line(), epoch, lines.real(1, true)});
  }
  return trace;
}

ErrorTrace read_errors(const std::filesystem::path& file, const std::vector<std::string>& convolutions,
                       const std::vector<Level>& levels, int ticks_per_epoch) {
  Lines lines(file, "epoch,tick,convolution,level,rae");
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < convolutions.size(); ++i) places.emplace(convolutions[i], i);
  std::vector<std::string> names;
  names.reserve(levels.size());
  for (const Level level : levels) names.push_back(level_name(level));
  ErrorTrace trace;
  trace.file = lines.file();
  trace.last_line = 1;
  std::vector<Level> last(convolutions.size());  // last level of each convolution in this tick
  std::pair<int, int> now{-1, 0};
  while (lines.next()) {
    const std::pair at{lines.whole(0, kMostEpochs), lines.whole(1, ticks_per_epoch - 1)};
    if (at < now) {
      throw lines.error(at.first < now.first ? 0 : 1,
                        fmt::format("must ascend, but epoch {}, tick {} follows epoch {}, tick {}", at.first, at.second,
                                    now.first, now.second));
    }
    if (at != now) std::fill(last.begin(), last.end(), 0);
    now = at;
    const auto place = places.find(lines.text(2));
    if (place == places.end()) {
      throw lines.error(2, fmt::format("'{}' is no convolution of the run{}", lines.text(2),
                                       config::suggestion(lines.text(2), convolutions)));
    }
    const std::optional<Level> level = parse_level(lines.text(3));
    if (!level || std::find(levels.begin(), levels.end(), *level) == levels.end()) {
      throw lines.error(3, fmt::format("'{}' is not a level of GM; allowed: {}", lines.text(3), config::join(names)));
    }
    Level& before = last[place->second];
    if (*level <= before) {
      throw lines.error(3, fmt::format("levels must ascend, but {} of '{}' follows {}", level_name(*level),
                                       lines.text(2), level_name(before)));
    }
    before = *level;
    ErrorTrace::Tick& tick = trace.ticks[at];
    if (tick.line == 0) tick.line = lines.line();
    tick.errors[{place->second, *level}] = lines.real(4, false);
    trace.last_line = lines.line();
  }
  return trace;
}

namespace {
constexpr Level kLeast = 4, kMost = 16;
}

std::string level_name(Level level) {
  if (level == kPruned) return "pruned";
  if (level == kDense) return "dense";
  return level == kFp32 ? "fp32" : "fxp" + std::to_string(level);
}

std::optional<Level> parse_level(std::string_view text) {
  if (text == level_name(kFp32)) return kFp32;
  for (Level level = kLeast; level <= kMost; ++level) {
    if (text == level_name(level)) return level;
  }
  return std::nullopt;
}

}  // namespace weft::precision
