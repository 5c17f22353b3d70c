#include "platform/record/json.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "model/core/error.h"

namespace weft::record {

namespace {

using Json = nlohmann::ordered_json;

class JsonWriter final : public Visitor {
 public:
  explicit JsonWriter(Json& root) : places_{&(root = Json::object())} {}

 protected:
  void field(const Field& field) override {
    name_ = field.name;
    value_ = nullptr;
  }
  bool optional(bool present) override { return present; }
  bool null(bool is_null) override {
    if (is_null) value() = nullptr;
    return is_null;
  }
  bool record_instead(bool is_record) override { return is_record; }
  void integer(std::int64_t& number, std::int64_t, std::int64_t) override { value() = number; }
  void real(double& number) override { value() = number; }
  void text(std::string& text) override { value() = text; }
  void flag(bool& flag) override { value() = flag; }
  void any(Value& any) override {
    std::visit(
        [&](const auto& each) {
          if constexpr (std::is_same_v<std::decay_t<decltype(each)>, std::monostate>) {
            value() = nullptr;
          } else {
            value() = each;
          }
        },
        any);
  }
  void one_of(const std::vector<std::string>& words, std::size_t& index) override { value() = words.at(index); }
  void is(const char* kind) override { value() = kind; }
  void form(int current) override { value() = current; }
  void begin() override { open(Json::object()); }
  void end() override { places_.pop_back(); }
  std::size_t begin_list(std::size_t size, const Field&) override {
    open(Json(size, Json()));
    if (size == 0) *places_.back() = Json::array();
    return size;
  }
  void item(std::size_t index) override { value_ = &(*places_.back())[index]; }
  void end_list() override { places_.pop_back(); }
  std::size_t begin_named(std::size_t size, const Field&) override { return size; }
  void key(std::size_t, std::string& name) override { value_ = &(*places_.back())[name]; }

 private:
  // Creates the key with its value, so that an absent key is not written.
  Json& value() {
    if (!value_) value_ = &(*places_.back())[name_];
    return *value_;
  }
  void open(Json json) {
    Json& place = value();
    place = std::move(json);
    places_.push_back(&place);
  }

  std::vector<Json*> places_;  // from the root to the current object
  const char* name_ = "";
  Json* value_ = nullptr;
};

class JsonReader final : public Visitor {
 public:
  JsonReader(const std::string& file, const Json& root) : file_(file) { enter("", root); }

  void finish() { leave(); }

 protected:
  void field(const Field& field) override {
    Place& place = places_.back();
    place.known.insert(field.name);
    key_ = place.key.empty() ? field.name : place.key + "." + field.name;
    const auto found = place.json->find(field.name);
    value_ = found == place.json->end() ? nullptr : &*found;
  }
  bool optional(bool) override { return value_ != nullptr; }
  bool null(bool) override { return value().is_null(); }
  bool record_instead(bool) override { return value().is_object(); }
  void integer(std::int64_t& number, std::int64_t low, std::int64_t high) override {
    const Json& json = value();
    const bool fits =
        json.is_number_integer() &&
        (!json.is_number_unsigned() ||
         json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    if (!fits || json.get<std::int64_t>() < low || json.get<std::int64_t>() > high) {
      throw error(fmt::format("must be a whole number from {} to {}", low, high));
    }
    number = json.get<std::int64_t>();
  }
  void real(double& number) override {
    if (!value().is_number()) throw error("must be a number");
    number = value().get<double>();
  }
  void text(std::string& text) override {
    if (!value().is_string()) throw error("must be a text");
    text = value().get<std::string>();
  }
  void flag(bool& flag) override {
    if (!value().is_boolean()) throw error("must be true or false");
    flag = value().get<bool>();
  }
  void any(Value& any) override {
    const Json& json = value();
    if (json.is_null()) {
      any = std::monostate();
    } else if (json.is_number_integer()) {
      any = json.get<std::int64_t>();
    } else if (json.is_number()) {
      any = json.get<double>();
    } else {
      text(any.emplace<std::string>());
    }
  }
  void one_of(const std::vector<std::string>& words, std::size_t& index) override {
    const auto found = std::find(words.begin(), words.end(), value().is_string() ? value().get<std::string>() : "");
    if (found == words.end()) throw error(fmt::format("must be one of {}", fmt::join(words, ", ")));
    index = static_cast<std::size_t>(found - words.begin());
  }
  void is(const char* kind) override {
    if (!value_) throw InputError(file_, 0, key_, fmt::format("is missing{}", kMakeAgain));
    if (value() != kind) throw error(fmt::format("must be {}", kind));
  }
  void form(int current) override {
    if (value() != current) throw error(fmt::format("must be {}", current), kMakeAgain);
  }
  void begin() override { enter(key_, value()); }
  void end() override { leave(); }
  std::size_t begin_list(std::size_t, const Field&) override {
    if (!value().is_array()) throw error("must be a list");
    places_.push_back({key_, &value(), {}, {}, {}});
    return places_.back().json->size();
  }
  void item(std::size_t index) override {
    const Place& place = places_.back();
    key_ = fmt::format("{}[{}]", place.key, index);
    value_ = index < place.json->size() ? &(*place.json)[index] : nullptr;
  }
  void end_list() override { places_.pop_back(); }
  void names(const std::function<void()>& visit) override { places_.back().visit_others = visit; }
  std::size_t begin_named(std::size_t, const Field&) override {
    Place& place = places_.back();
    for (const auto& each : place.json->items()) {
      if (place.known.insert(each.key()).second) place.others.push_back(each.key());
    }
    return place.others.size();
  }
  std::size_t begin_words(std::size_t, const Words& table) override {
    Place& place = places_.back();
    place.others.clear();
    for (const auto& each : place.json->items()) {
      const auto same = [&](const Word& word) { return word.name == each.key(); };
      if (place.known.count(each.key()) == 0 && std::any_of(table.begin(), table.end(), same)) {
        place.others.push_back(each.key());
      }
    }
    place.known.insert(place.others.begin(), place.others.end());
    return place.others.size();
  }
  void key(std::size_t index, std::string& name) override {
    const Place& place = places_.back();
    name = place.others[index];
    key_ = place.key.empty() ? name : place.key + "." + name;
    value_ = &place.json->at(name);
  }

 private:
  struct Place {
    std::string key;
    const Json* json;
    std::set<std::string> known;
    std::vector<std::string> others;  // names, not fields
    std::function<void()> visit_others;
  };

  const Json& value() const {
    if (!value_) throw InputError(file_, 0, key_, "is missing");
    return *value_;
  }
  InputError error(const std::string& what, const std::string& hint = "") const {
    return {file_, 0, key_, fmt::format("{}, not {}{}", what, value_->dump(), hint)};
  }
  void enter(const std::string& key, const Json& json) {
    if (!json.is_object()) throw InputError(file_, 0, key, "must be a map");
    places_.push_back({key, &json, {}, {}, {}});
  }
  void leave() {
    if (const auto visit = places_.back().visit_others) visit();
    const Place& place = places_.back();
    for (const auto& each : place.json->items()) {
      if (place.known.count(each.key()) == 0) {
        throw InputError(file_, 0, place.key.empty() ? each.key() : place.key + "." + each.key(), "is unknown");
      }
    }
    places_.pop_back();
  }

  const std::string& file_;
  std::vector<Place> places_;
  std::string key_;  // of the value, from the root
  const Json* value_ = nullptr;
};

// Visits one item of each list, so that the schema describes items.
class SchemaWriter final : public Visitor {
 public:
  SchemaWriter(Json& root, const std::string& meaning) { open(root, meaning); }

  void finish() { close(); }

 protected:
  void field(const Field& field) override {
    Place& place = places_.back();
    place.required.push_back(field.name);
    value_ = &(*place.schema)["properties"][field.name];
    of_ = field;
    null_ = false;
  }
  bool optional(bool) override {
    Json& required = places_.back().required;
    required.erase(required.size() - 1);
    return true;
  }
  bool null(bool) override {
    null_ = true;
    return false;
  }
  bool record_instead(bool) override { return or_number_ = true; }
  void integer(std::int64_t&, std::int64_t, std::int64_t) override { scalar("integer"); }
  void real(double&) override { scalar("number"); }
  void text(std::string&) override { scalar("string"); }
  void flag(bool&) override { scalar("boolean"); }
  void any(Value&) override { scalar(*type_ != '\0' ? Json(type_) : Json{"integer", "number", "string", "null"}); }
  void one_of(const std::vector<std::string>&, std::size_t&) override { scalar("string"); }
  void is(const char*) override { scalar("string"); }
  void form(int) override { scalar("integer"); }
  void begin() override {
    open(*value_, of_.meaning);
    if (!std::exchange(or_number_, false)) return;
    (*value_)["type"] = {"integer", "object"};
    (*value_)["unit"] = of_.unit;
  }
  void end() override { close(); }
  std::size_t begin_list(std::size_t, const Field& of) override {
    *value_ = {{"type", "array"}, {"description", of_.meaning}, {"items", nullptr}};
    value_ = &(*value_)["items"];
    of_ = of;
    return 1;
  }
  void item(std::size_t) override {}
  void end_list() override {}
  std::size_t begin_named(std::size_t, const Field& of) override {
    value_ = &(*places_.back().schema)["additionalProperties"];
    of_ = of;
    places_.back().words = nullptr;
    null_ = false;
    return 1;
  }
  std::size_t begin_words(std::size_t, const Words& table) override {
    places_.back().words = &table;
    return table.size();
  }
  void key(std::size_t index, std::string&) override {
    if (!places_.back().words) return;
    const Word& word = (*places_.back().words)[index];
    value_ = &(*places_.back().schema)["properties"][word.name];
    of_ = {word.name.c_str(), word.unit.c_str(), word.meaning.c_str()};
    type_ = word.type;
    null_ = word.nullable;
  }

 private:
  struct Place {
    Json* schema;
    Json required;
    const Words* words;  // of the visited values, if their names are known
  };

  // Additional names of an object may be Values and, after these, values of another type.
  void scalar(Json type) {
    const bool after_values = value_->is_object() && value_->at("type").is_array();
    if (after_values) {
      value_->at("type").push_back(type);
      type = value_->at("type");
    }
    *value_ = {{"type", null_ ? Json{type, "null"} : type}};
    null_ = false;
    type_ = "";
    if (*of_.unit != '\0') (*value_)["unit"] = of_.unit;
    (*value_)["description"] = of_.meaning;
  }
  void open(Json& place, const std::string& meaning) {
    place = {{"type", "object"}, {"description", meaning}, {"properties", Json::object()}};
    places_.push_back({&place, Json::array(), nullptr});
  }
  void close() {
    Json& schema = *places_.back().schema;
    const Json others = schema.value("additionalProperties", Json(false));
    schema.erase("additionalProperties");
    schema["required"] = std::move(places_.back().required);
    schema["additionalProperties"] = others;
    places_.pop_back();
  }

  std::vector<Place> places_;
  Json* value_ = nullptr;
  Field of_;
  const char* type_ = "";
  bool null_ = false, or_number_ = false;
};

}  // namespace

Json to_json(const Any& record) {
  Json json;
  JsonWriter writer(json);
  record.visit(writer);
  return json;
}

std::string json_text(const Any& record, int indent) {
  return to_json(record).dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_line(const Any& record) {
  return to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_lines(const Any& record) {
  const Json json = to_json(record);
  std::vector<std::string> lines;
  for (const auto& [key, value] : json.items()) {
    std::string text = value.dump();
    if (value.is_array() && !value.empty()) {
      std::vector<std::string> items;
      for (const Json& each : value) items.push_back("    " + each.dump());
      text = fmt::format("[\n{}\n  ]", fmt::join(items, ",\n"));
    }
    lines.push_back(fmt::format("  {}: {}", Json(key).dump(), text));
  }
  return fmt::format("{{\n{}\n}}\n", fmt::join(lines, ",\n"));
}

std::string json_list(const std::vector<Any>& records) {
  Json list = Json::array();
  for (const Any& record : records) list.push_back(to_json(record));
  return list.dump(2) + "\n";
}

void read_json(const std::string& file, const std::string& text, const std::function<void(Visitor&)>& fields) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InputError(file, 0, "", "is not JSON");
  JsonReader reader(file, json);
  fields(reader);
  reader.finish();
}

std::optional<std::map<std::string, Value>> json_values(const std::string& text,
                                                        const std::vector<std::string>& places) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  std::map<std::string, Value> values;
  for (const std::string& place : places) {
    const Json::json_pointer pointer(place);
    if (!json.contains(pointer)) continue;
    const Json& at = json.at(pointer);
    if (at.is_string()) values[place] = at.get<std::string>();
    if (at.is_number_integer()) values[place] = at.get<std::int64_t>();
  }
  return values;
}

Json json_schema(const std::string& meaning, const Any& record) {
  Json json;
  SchemaWriter writer(json, meaning);
  record.visit(writer);
  writer.finish();
  return json;
}

std::string schema_text(const Any& record) {
  return json_schema("", record).dump();
}

}  // namespace weft::record
