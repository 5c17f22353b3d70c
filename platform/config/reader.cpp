#include "platform/config/reader.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <functional>

#include "model/core/text.h"

namespace weft::config {

namespace {

bool digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::int64_t> parse_digits(const std::string& text) {
  std::int64_t value = 0;
  if (!digits(text)) return std::nullopt;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

InputError wrong(const Node& node, const std::string& key, const std::string& wanted) {
  if (node.kind == Node::Kind::Null) return error_at(node.place, key, "has no value; it must be " + wanted);
  return error_at(node.place, key, fmt::format("must be {}, not {}", wanted, describe(node)));
}

std::string of_unit(const std::string& key) {
  const std::string unit = unit_of_key(key);
  return unit.empty() ? "" : " of " + unit;
}

std::string range_text(const char* what, const std::string& key, const std::string& low, const std::string& high) {
  return fmt::format("{}{} from {} to {}", what, of_unit(key), low, high);
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

}  // namespace

std::string unit_of_key(const std::string& key) {
  constexpr std::array<std::pair<const char*, const char*>, 13> kUnits{{{"_mhz", "MHz"},
                                                                        {"_mtps", "MT/s"},
                                                                        {"gflops", "GFLOPS"},
                                                                        {"gbytes_per_s", "GB/s"},
                                                                        {"gbits_per_s_per_port", "Gbit/s"},
                                                                        {"_ns", "ns"},
                                                                        {"_us", "us"},
                                                                        {"_ms", "ms"},
                                                                        {"_ps", "ps"},
                                                                        {"_mb", "MiB"},
                                                                        {"_bytes", "bytes"},
                                                                        {"bytes_per_channel", "bytes"},
                                                                        {"_bits", "bits"}}};
  for (const auto& [end, unit] : kUnits) {
    const std::string_view text = end;
    if (key.size() >= text.size() && key.compare(key.size() - text.size(), text.size(), text) == 0) {
      return unit;
    }
  }
  return "";
}

void refuse_leading_zero(const Node& node, const std::string& key) {
  const std::size_t sign = !node.text.empty() && (node.text[0] == '+' || node.text[0] == '-') ? 1 : 0;
  const std::string number = node.text.substr(sign);
  if (node.quoted || number.size() < 2 || number[0] != '0' || !digits(number)) return;
  const std::size_t first = std::min(number.find_first_not_of('0'), number.size() - 1);
  throw error_at(node.place, key,
                 fmt::format("'{}' is ambiguous: by YAML 1.1 a leading 0 makes it octal, by YAML 1.2 it is decimal; "
                             "write {}{}, without the leading 0",
                             node.text, node.text.substr(0, sign), number.substr(first)));
}

std::string join(const std::vector<std::string>& words, const char* separator) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : separator) + word;
  return out;
}

std::vector<std::string> nearest_of(const std::string& word, const std::vector<std::string>& known, std::size_t most) {
  if (word.size() > 100) return {};  // too long for a misspelling
  constexpr std::size_t kPrefix = 4;
  const std::size_t limit = std::max<std::size_t>(2, word.size() / 3);
  // Prefers equally near words of equal length: misspellings swap letters more often than they omit them.
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::string>> near;
  for (const std::string& candidate : known) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    std::pair<std::size_t, std::size_t> cost{edit_distance(word, candidate), longer - shorter};
    if (candidate.size() >= kPrefix && word.size() > candidate.size() && word.rfind(candidate, 0) == 0) {
      cost = {0, 0};  // batchsize: batch
    }
    if (cost.first <= limit && cost.first < longer) near.emplace_back(cost, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> words;
  for (const auto& [cost, name] : near) {
    const bool there = std::find(words.begin(), words.end(), name) != words.end();  // files of two kinds may share it
    if (!there && words.size() < most) words.push_back(name);
  }
  return words;
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string> near = nearest_of(word, known, 1);
  return near.empty() ? "" : near.front();
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kListed = 40, kNear = 5;
  const std::string near = nearest(word, known);
  if (known.size() > kListed) {
    const std::vector<std::string> names = nearest_of(word, known, kNear);
    return names.empty() ? fmt::format(" (none of the {} names is near)", known.size())
                         : fmt::format("; did you mean '{}'?", join(names, "', '"));
  }
  return (near.empty() ? "" : fmt::format("; did you mean '{}'?", near)) + fmt::format(" (known: {})", join(known));
}

std::optional<Rational> parse_exact(const std::string& text) {
  const auto slash = text.find('/');
  const auto point = text.find('.');
  std::optional<std::int64_t> num, den = 1;
  if (slash != std::string::npos) {
    num = parse_digits(text.substr(0, slash));
    den = parse_digits(text.substr(slash + 1));
  } else if (point != std::string::npos) {
    const std::string fraction = text.substr(point + 1);
    if (!digits(fraction) || fraction.size() > 9 || point == 0) return std::nullopt;
    num = parse_digits(text.substr(0, point) + fraction);
    for (std::size_t i = 0; i < fraction.size(); ++i) *den *= 10;
  } else {
    num = parse_digits(text);
  }
  // The product of two such numbers fits 64 bits, as the ratio of two clocks needs.
  constexpr std::int64_t kMax = std::int64_t{1} << 31;
  if (!num || !den || *num <= 0 || *den <= 0) return std::nullopt;
  const Rational value(*num, *den);
  if (value.numerator() > kMax || value.denominator() > kMax) return std::nullopt;
  return value;
}

std::string exact_text(const Rational& value) {
  return value.denominator() == 1 ? std::to_string(value.numerator())
                                  : fmt::format("{}/{}", value.numerator(), value.denominator());
}

std::int64_t read_integer(const Node& node, const std::string& key, std::int64_t low, std::int64_t high) {
  const std::string wanted = range_text("a whole number", key, std::to_string(low), std::to_string(high));
  if (node.kind != Node::Kind::Scalar || node.quoted) throw wrong(node, key, wanted);
  refuse_leading_zero(node, key);
  std::int64_t value = 0;
  const char* begin = node.text.data();
  const char* end = begin + node.text.size();
  if (node.text.size() > 1 && *begin == '+') ++begin;
  const auto result = std::from_chars(begin, end, value);
  if (result.ec != std::errc() || result.ptr != end || value < low || value > high) throw wrong(node, key, wanted);
  return value;
}

double read_real(const Node& node, const std::string& key, double low, double high) {
  const std::string wanted = range_text("a number", key, number_text(low), number_text(high));
  if (node.kind != Node::Kind::Scalar || node.quoted) throw wrong(node, key, wanted);
  refuse_leading_zero(node, key);
  double value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto result = std::from_chars(node.text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value) || value < low || value > high) {
    throw wrong(node, key, wanted);
  }
  return value;
}

bool read_boolean(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::Scalar || node.quoted || (node.text != "true" && node.text != "false")) {
    throw wrong(node, key, "true or false");
  }
  return node.text == "true";
}

std::string read_text(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::Scalar || node.text.empty()) throw wrong(node, key, "a text");
  return node.text;
}

Rational read_exact(const Node& node, const std::string& key, std::int64_t low, std::int64_t high) {
  const std::string wanted =
      range_text("a number", key, std::to_string(low), std::to_string(high)) + " such as 100, 33.25 or 1000/3";
  if (node.kind != Node::Kind::Scalar) throw wrong(node, key, wanted);
  refuse_leading_zero(node, key);
  const auto value = parse_exact(node.text);
  if (!value || *value < low || *value > high) throw wrong(node, key, wanted);
  return *value;
}

std::size_t read_choice(const Node& node, const std::string& key, const std::vector<std::string>& names) {
  std::string wanted = "one of " + join(names);
  if (node.kind != Node::Kind::Scalar) throw wrong(node, key, wanted);
  const auto found = std::find(names.begin(), names.end(), node.text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string near = nearest(node.text, names);
  throw error_at(node.place, key,
                 fmt::format("must be {}, not {}{}", wanted, describe(node),
                             near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

const Node& expect_map(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::Map) throw wrong(node, key, "a map of keys and values");
  return node;
}

const Node& expect_list(const Node& node, const std::string& key) {
  if (node.kind != Node::Kind::List) throw wrong(node, key, "a list");
  return node;
}

namespace schema {

namespace {

Node typed(const char* type) {
  Node node = map_node();
  node.set("type", scalar_node(type, true));
  return node;
}

}  // namespace

Node integer(std::int64_t low, std::int64_t high) {
  Node node = typed("integer");
  node.set("minimum", scalar_node(std::to_string(low)));
  if (high < kIntMax) node.set("maximum", scalar_node(std::to_string(high)));
  return node;
}

Node number(double low, double high) {
  Node node = typed("number");
  node.set("minimum", scalar_node(number_text(low)));
  node.set("maximum", scalar_node(number_text(high)));
  return node;
}

Node text() {
  return typed("string");
}

Node choice(const std::vector<std::string>& words) {
  Node list = list_node(), node = map_node();
  for (const std::string& word : words) list.children.push_back(scalar_node(word, true));
  node.set("enum", std::move(list));
  return node;
}

Node list_of(Node item) {
  Node node = typed("array");
  node.set("items", std::move(item));
  return node;
}

Node map_of(Node value) {
  Node node = typed("object");
  node.set("additionalProperties", std::move(value));
  return node;
}

void close(Node& map) {
  map.set("additionalProperties", scalar_node("false"));
}

Node reference(const std::string& target) {
  Node node = map_node();
  node.set("$ref", scalar_node(target, true));
  return node;
}

Node file(const std::string& kind) {
  return any_of({text(), reference(kind + ".schema.json")});
}

Node any_of(std::vector<Node> nodes) {
  Node node = map_node();
  node.set("anyOf", list_node(std::move(nodes)));
  return node;
}

}  // namespace schema

namespace form {

Form<double> real(double low, double high) {
  return {[=](const Node& node, const std::string& key) { return read_real(node, key, low, high); },
          [](double value) { return scalar_node(number_text(value)); }, [=] { return schema::number(low, high); }};
}

Form<bool> boolean() {
  return {read_boolean, [](bool value) { return scalar_node(value ? "true" : "false"); },
          [] { return schema::typed("boolean"); }};
}

Form<std::string> text() {
  return {
      read_text,
      [](const std::string& value) { return value.empty() ? std::nullopt : std::optional(scalar_node(value, true)); },
      schema::text};
}

Form<Rational> exact(std::int64_t low, std::int64_t high) {
  // "1000/3" is allowed, too.
  return {
      [=](const Node& node, const std::string& key) { return read_exact(node, key, low, high); },
      [](const Rational& value) { return scalar_node(exact_text(value)); },
      [=] {
        return schema::any_of({schema::number(static_cast<double>(low), static_cast<double>(high)), schema::text()});
      }};
}

Form<Rational> exact_or_zero(std::int64_t high) {
  Form<Rational> form = exact(0, high);
  form.read = [=](const Node& node, const std::string& key) {
    const bool zero = node.kind == Node::Kind::Scalar && node.text == "0";
    return zero ? Rational() : read_exact(node, key, 0, high);
  };
  return form;
}

Form<std::filesystem::path> path() {
  return {[](const Node& node, const std::string& key) {
            const std::filesystem::path given = read_text(node, key);
            const bool in_file = node.place.source && !node.place.source->option;
            return in_file ? (node.place.source->dir / given).lexically_normal() : given;
          },
          [](const std::filesystem::path& value) {
            return value.empty() ? std::nullopt : std::optional(scalar_node(absolute(value).string(), true));
          },
          schema::text};
}

}  // namespace form

void MapIo::mention(const char* key, const Shape& shape) {
  custom(
      key, Need::Optional, [](const Node&, const std::string&) {}, nullptr, shape);
}

Node MapIo::with_default(Node shape, const Read& read, const Write& write) {
  if (!write) return shape;
  try {
    if (std::optional<Node> value = write()) {
      read(*value, "");
      const bool number = value->text.find_first_not_of("0123456789+-.e") == std::string::npos;
      value->quoted = !number && value->text != "true" && value->text != "false";  // JSON has no words
      shape.set("default", std::move(*value));
    }
  } catch (const InputError&) {  // a value that only means "not given"
  }
  return shape;
}

void MapIo::integer(const char* key, std::int64_t& number, std::int64_t low, std::int64_t high, Need need) {
  value(key, number, form::integer<std::int64_t>(low, high), need);
}

void MapIo::real(const char* key, double& number, double low, double high, Need need) {
  value(key, number, form::real(low, high), need);
}

void MapIo::boolean(const char* key, bool& on, Need need) {
  value(key, on, form::boolean(), need);
}

void MapIo::text(const char* key, std::string& words, Need need) {
  value(key, words, form::text(), need);
}

void MapIo::exact(const char* key, Rational& number, std::int64_t low, std::int64_t high, Need need) {
  value(key, number, form::exact(low, high), need);
}

void MapIo::word(const char* key, std::size_t& chosen, const std::vector<std::string>& words, Need need) {
  const Form<std::size_t> form{
      [&](const Node& node, const std::string& path) { return read_choice(node, path, words); },
      [&](std::size_t i) { return i < words.size() ? std::optional(scalar_node(words[i])) : std::nullopt; },
      [&] { return schema::choice(words); }};
  value(key, chosen, form, need);
}

namespace {

void read_fields(const Node& node, const std::string& path, const MapIo::Fields& fields) {
  MapReader reader(node, path);
  fields(reader);
  reader.finish();
}

Node written(const MapIo::Fields& fields) {
  MapWriter writer;
  fields(writer);
  return writer.take();
}

Node described(const MapIo::Fields& fields) {
  MapSchema io;
  fields(io);
  return io.take();
}

}  // namespace

void MapIo::map(const char* key, Need need, const Fields& fields) {
  optional_map(
      key, need, true, [] {}, fields);
}

void MapIo::optional_map(const char* key, Need need, bool given, const std::function<void()>& emplace,
                         const Fields& fields) {
  custom(
      key, need,
      [&](const Node& node, const std::string& path) {
        emplace();
        read_fields(node, path, fields);
      },
      [&] { return given ? std::optional(written(fields)) : std::nullopt; }, [&] { return described(fields); });
}

void MapIo::map_list(const char* key, Need need, bool numbered, const std::function<std::size_t()>& size,
                     const std::function<void(std::size_t)>& resize,
                     const std::function<void(MapIo&, std::size_t)>& fields) {
  custom(
      key, need,
      [&](const Node& node, const std::string& path) {
        resize(0);
        for (const Node& item : expect_list(node, path).children) {
          const std::size_t i = size();
          resize(i + 1);
          read_fields(item, numbered ? fmt::format("{}[{}]", path, i) : path, [&](MapIo& io) { fields(io, i); });
        }
      },
      [&]() -> std::optional<Node> {
        if (size() == 0 && need == Need::Optional) return std::nullopt;
        Node nodes = list_node();
        for (std::size_t i = 0; i < size(); ++i) {
          nodes.children.push_back(written([&](MapIo& io) { fields(io, i); }));
        }
        return nodes;
      },
      [&] { return schema::list_of(described([&](MapIo& io) { fields(io, 0); })); });
}

namespace {

// Returns ": it must be one of RCB, INTLV" from the JSON Schema of a missing key; empty for texts and maps.
std::string wanted_text(const std::string& key, const MapIo::Shape& shape) {
  const Node schema = shape ? shape() : Node();
  if (const Node* const choices = schema.find("enum")) {
    std::vector<std::string> words;
    words.reserve(choices->children.size());
    for (const Node& word : choices->children) words.push_back(word.text);
    return ": it must be one of " + join(words);
  }
  const Node* const type = schema.find("type");
  if (type && type->text == "integer") return fmt::format(": it must be a whole number{}", of_unit(key));
  const std::string unit = of_unit(key);
  return unit.empty() ? "" : fmt::format(": it must be a number{}", unit);
}

}  // namespace

void MapReader::field(const char* key, Need need, const Read& read, const Write&, const Shape& shape) {
  known_.emplace_back(key);
  if (const Node* const found = node_.find(key)) {
    read(*found, path(key));
  } else if (need == Need::Required) {
    missing_.emplace_back(key, wanted_text(key, shape));
  }
}

void MapWriter::field(const char* key, Need, const Read&, const Write& write, const Shape&) {
  if (!write) return;
  if (std::optional<Node> node = write()) node_.set(key, std::move(*node));
}

void MapSchema::field(const char* key, Need need, const Read&, const Write&, const Shape& shape) {
  properties_.set(key, shape ? shape() : map_node());
  if (need == Need::Required) required_.children.push_back(scalar_node(key, true));
}

Node MapSchema::take() {
  Node node = schema::typed("object");
  node.set("properties", std::move(properties_));
  schema::close(node);
  if (!required_.children.empty()) node.set("x-required", std::move(required_));
  return node;
}

void MapReader::finish() const {
  for (const Node& child : node_.children) {
    if (std::find(known_.begin(), known_.end(), child.key) == known_.end()) {
      throw error_at(child.place, path(child.key.c_str()), "unknown key" + suggestion(child.key, known_));
    }
  }
  if (missing_.empty()) return;
  const auto& [key, wanted] = missing_.front();
  throw error_at(node_.place, path(key.c_str()), "is missing and has no default" + wanted);
}

Place MapReader::place(const char* key) const {
  const Node* node = node_.find(key);
  return node ? node->place : node_.place;
}

InputError MapReader::error(const char* key, const std::string& message) const {
  return error_at(place(key), path(key), message);
}

InputError MapReader::clash(const char* key, const std::vector<const char*>& others, const std::string& message) const {
  struct Laid {
    int age = -1;
    Place place;
    std::string path;
  };
  // Returns the part of `node` that was overlaid last.
  const std::function<Laid(const Node&, const std::string&)> last_of = [&](const Node& node, const std::string& at) {
    const auto& source = node.place.source;
    Laid last{!source ? 0 : source->option ? 2 : source == node_.place.source ? 1 : 0, node.place, at};
    for (const Node& child : node.children) {
      Laid below = last_of(child, at + "." + child.key);
      if (below.age > last.age) last = std::move(below);
    }
    return last;
  };
  const auto laid = [&](const char* name) {
    const Node* const node = node_.find(name);
    return node ? last_of(*node, path(name)) : Laid{};
  };
  Laid newest = laid(key);
  bool of_key = true;
  for (const char* each : others) {
    Laid other = laid(each);
    if (other.age <= newest.age) continue;
    newest = std::move(other);
    of_key = false;
  }
  // Returns FILE:LINE of a value from another file than the newest; else nothing.
  const auto origin = [&](const char* name) {
    const Node* const node = node_.find(name);
    const bool elsewhere = node && node->place.source && newest.place.source &&
                           node->place.source != newest.place.source && !node->place.source->option;
    return elsewhere ? fmt::format("{}:{}", node->place.source->name, node->place.line) : std::string();
  };
  if (of_key) {
    std::string from;
    for (const char* each : others) {
      if (const std::string at = origin(each); !at.empty()) from += fmt::format("; {} is in {}", each, at);
    }
    return error(key, message + from);
  }
  const std::string at = origin(key);
  return error_at(newest.place, newest.path,
                  fmt::format("conflicts with {}{}, which {}; change one key", key,
                              at.empty() ? "" : fmt::format(" (in {})", at), message));
}

namespace {

// Parses "12", "0.5"; returns nothing for any other form, for more decimals, and for a value that does not fit.
std::optional<std::int64_t> parse_decimal(const std::string& text, int decimals) {
  const std::size_t point = std::min(text.find('.'), text.size());
  if (point == 0 || point + 1 == text.size()) return std::nullopt;
  std::string digits = text.substr(0, point) + (point < text.size() ? text.substr(point + 1) : "");
  const std::size_t whole_and_decimals = point + static_cast<std::size_t>(decimals);
  if (digits.size() > whole_and_decimals) return std::nullopt;
  digits.resize(whole_and_decimals, '0');
  std::int64_t value = 0;
  const auto end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::int64_t read_scaled(const Node& node, const std::string& key, const Scale& scale) {
  refuse_leading_zero(node, key);
  const bool number = node.kind == Node::Kind::Scalar && !node.quoted;
  const std::optional<std::int64_t> value = number ? parse_decimal(node.text, scale.decimals) : std::nullopt;
  if (!value || *value > scale.most * scale.unit || (*value == 0 && !scale.zero)) {
    throw error_at(node.place, key,
                   fmt::format("must be a number{} {} with at most {} decimals, not {}", of_unit(key),
                               scale.zero ? fmt::format("from 0 to {}", scale.most)
                                          : fmt::format("above 0, at most {},", scale.most),
                               scale.decimals, describe(node)));
  }
  return *value;
}

std::string decimal_text(std::int64_t value, std::int64_t unit) {
  std::string fraction;
  for (std::int64_t rest = value % unit, digit = unit / 10; rest > 0; rest %= digit, digit /= 10) {
    fraction += static_cast<char>('0' + rest / digit);
    if (digit == 1) break;
  }
  return std::to_string(value / unit) + (fraction.empty() ? "" : "." + fraction);
}

void scaled(MapIo& io, const char* key, std::int64_t& value, const Scale& scale, Need need) {
  io.custom(
      key, need, [&](const Node& node, const std::string& path) { value = read_scaled(node, path, scale); },
      [&] { return scalar_node(decimal_text(value, scale.unit)); },
      [&] { return schema::number(0, static_cast<double>(scale.most)); });
}

void assumed_fields(MapIo& io, std::vector<std::string>& assumed) {
  io.list("assumed", assumed, form::text());
}

void experiment_fields(MapIo& io) {
  io.mention("run", [] { return schema::file("run"); });
  io.mention("set", [] { return schema::map_of(map_node()); });
  io.mention("extends");
}

void drop_settled(std::vector<std::string>& assumed, const Node& node, const std::string& key) {
  const auto by_option = [](const Node& at) { return at.place.source && at.place.source->option; };
  if (const Node* const list = node.find("assumed")) {
    for (const Node& item : list->children) {
      if (!by_option(item) || find_path(node, item.text)) continue;
      throw error_at(item.place, key.empty() ? "assumed" : key + ".assumed",
                     "names '" + item.text + "', which is not given here; name only given keys");
    }
  }
  const auto settled = [&](const std::string& each) {
    const Node* const at = find_path(node, each);
    return !at || by_option(*at);
  };
  assumed.erase(std::remove_if(assumed.begin(), assumed.end(), settled), assumed.end());
}

}  // namespace weft::config
