#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace weft {

// One cell of a result, and what an expression knows by name: nothing, a number or a text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

// As a table and a CSV file show it: "", "12", "0.25", "googlenet".
std::string to_text(const Value& value);

// What a scalar of YAML says: a number if it is one as a whole, true and false as 1 and 0, else a text.
Value parse_value(const std::string& text, bool quoted = false);

}  // namespace weft
