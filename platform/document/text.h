#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Pieces of text that the reports of several commands are made of.
namespace weft::report {

// "6.94 s", "4.2 min": in the unit that suits.
std::string duration_text(double seconds);

// A line of a table without the padding of its last column, and its end.
std::string trimmed(std::string line);

// A field of a CSV file as RFC 4180 has it: with a comma, a quote or a line break in it, it is quoted. A text that
// begins with =, +, -, @, a tab or a carriage return gets an apostrophe in front, so that no spreadsheet computes it;
// numbers stay as they are.
std::string csv_field(const std::string& text);

// The lines of such a file, each in its fields as they were before csv_field(); each line ends with a line break.
std::vector<std::vector<std::string>> csv_lines(const std::string& csv);

}  // namespace weft::report
