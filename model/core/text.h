#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace weft {

// One cell of a result, or the value of a name in an expression: empty, a number or a text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

// Returns the text shown in a table and a CSV file: "", "12", "0.25", "googlenet".
std::string to_text(const Value& value);

// Value of a YAML scalar: a number if the whole text is one, 1 and 0 for true and false, else a text.
Value parse_value(const std::string& text, bool quoted = false);

// Returns the first position in `text` of an invalid UTF-8 byte, a control character (C0, DEL, C1: a terminal obeys
// them), or an invisible character that hides or reorders its neighbours (bidirectional controls, line separators,
// zero-width characters); npos if there is none.
std::size_t find_unprintable(std::string_view text);

// Returns the first position in `text` of an invalid UTF-8 byte; npos if there is none.
std::size_t find_non_utf8(std::string_view text);

// Returns `text` with every such byte as \xHH, except characters in `keep`; safe to print to a terminal.
std::string printable(std::string_view text, std::string_view keep = "");

// Edit distance: insertions, deletions, replacements and swaps of neighbouring letters that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

// 1234567 -> "1,234,567".
std::string thousands(std::int64_t value);

// Returns a duration in a suitable unit: "6.94 s", "4.2 min".
std::string duration_text(double seconds);
std::string hours_text(double hours);         // "0.25 h"; three decimals below 0.1
std::string images_text(std::int64_t count);  // "1 image", "256 images"

}  // namespace weft
