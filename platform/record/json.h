#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/os/content.h"
#include "platform/record/record.h"

namespace weft::record {

// Advice for a result of another version.
inline constexpr const char* kMakeAgain =
    ": another version of weft made this result; make it again with the config.yaml next to it";

// Returns a record with its keys in the order of fields().
nlohmann::ordered_json to_json(const Any& record);
// The same as a file, with a line break at its end; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Any& record, int indent = 2);
std::string json_line(const Any& record);                // on one line, without a line break
std::string json_list(const std::vector<Any>& records);  // JSON list of several records
// The same with a line for each key and for each item of its lists, so that diffs of such files are readable.
std::string json_lines(const Any& record);

// Reads JSON of json_text() into a record. `file`: its name in messages. Throws InputError that names file and key: a
// missing or unknown key, a value of another type or out of range, another version.
void read_json(const std::string& file, const std::string& text, const std::function<void(Visitor&)>& fields);
template <class R>
R from_json(const std::string& file, const std::string& text) {
  R record;
  read_json(file, text, [&](Visitor& io) { fields(io, record); });
  return record;
}
// Reads a record from a file. Throws Error, too, if the file cannot be read.
template <class R>
R from_file(const std::filesystem::path& file) {
  return from_json<R>(file.string(), os::content(file));
}

// Returns the texts and whole numbers at places of a JSON text, such as "/totals/network/cycles"; a place that is
// absent or has another type is not in the map. Returns nothing if the text is no JSON object.
std::optional<std::map<std::string, Value>> json_values(const std::string& text,
                                                        const std::vector<std::string>& places);

// Returns the JSON Schema (2020-12) of a record, key by key with unit and meaning; `meaning`: of the record.
nlohmann::ordered_json json_schema(const std::string& meaning, const Any& record);
std::string schema_text(const Any& record);  // the same on one line

}  // namespace weft::record
