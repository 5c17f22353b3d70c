#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace weft {

// One cell of a result, and what an expression knows by name: nothing, a number or a text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

// As a table and a CSV file show it: "", "12", "0.25", "googlenet".
std::string to_text(const Value& value);

// What a scalar of YAML says: a number if it is one as a whole, true and false as 1 and 0, else a text.
Value parse_value(const std::string& text, bool quoted = false);

// Where `text` first has a byte that is not of a UTF-8 sequence, a control character (C0, DEL, C1: a terminal obeys
// them), or a character without a shape that hides or reorders what is around it (bidirectional controls, line
// separators, zero-width characters); npos if nowhere.
std::size_t find_unprintable(std::string_view text);

// Where `text` first has a byte that is not of a UTF-8 sequence; npos if nowhere.
std::size_t find_non_utf8(std::string_view text);

// `text` with every such byte as \xHH, but for the characters in `keep`: what a terminal may be shown of it.
std::string printable(std::string_view text, std::string_view keep = "");

// Letters to insert, delete, replace or swap with their neighbour to turn `a` into `b`: how near a misspelt word is.
std::size_t edit_distance(std::string_view a, std::string_view b);

// 1234567 -> "1,234,567".
std::string thousands(std::int64_t value);

}  // namespace weft
