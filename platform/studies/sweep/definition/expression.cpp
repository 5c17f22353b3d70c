#include "platform/studies/sweep/definition/expression.h"

#include <fmt/core.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "model/core/error.h"

namespace weft::sweep {

namespace {

constexpr std::size_t kLongest = 2000;
constexpr const char* kNameLetters = "0123456789_.$abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

}  // namespace

// muParser supports only numbers: each distinct text is represented by a number of its own.
struct Expression::Parser {
  mu::Parser mu;
  std::map<std::string, double> values;
  std::vector<std::string> names;
  std::map<std::string, int> texts;

  double number_of(const std::string& text) {
    return -1e9 - texts.emplace(text, static_cast<int>(texts.size())).first->second;
  }
};

namespace {

Error wrong(const std::string& text, const std::string& why) {
  return Error(fmt::format("the expression '{}' is wrong: {}", text, why));
}

template <class NumberOf>
std::string without_texts(const std::string& text, NumberOf number_of) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\'' && text[at] != '"') {
      plain += text[at];
      continue;
    }
    const auto end = text.find(text[at], at + 1);
    if (end == std::string::npos) throw wrong(text, "a quote is not closed");
    plain += fmt::format("({})", number_of(text.substr(at + 1, end - at - 1)));
    at = end;
  }
  return plain;
}

// Refuses valid muParser input with unintended meaning: '=' assigns and is true; 1 < x < 3 compares 0 or 1 with 3; of
// values separated by commas only the last counts. `plain`: the expression without texts.
void refuse_pitfalls(const std::string& text, const std::string& plain) {
  std::vector<bool> compared{false};  // per open bracket: true if its condition has a comparison
  for (std::size_t at = 0; at < plain.size(); ++at) {
    const std::size_t end = std::min(plain.find_first_not_of(kNameLetters, at), plain.size());
    if (end > at) {
      const std::string word = plain.substr(at, end - at);
      if (word == "and" || word == "or" || word == "not") throw wrong(text, "write &&, ||, ! for and, or, not");
      at = end - 1;
      continue;
    }
    const char letter = plain[at];
    const char next = at + 1 < plain.size() ? plain[at + 1] : ' ';
    if (letter == '=' && next != '=') throw wrong(text, "a single '=' assigns; write == to compare");
    const bool two = next == '=' && (letter == '=' || letter == '<' || letter == '>' || letter == '!');
    if (two || letter == '<' || letter == '>') {
      if (compared.back()) throw wrong(text, "a comparison of a comparison; write a < b && b < c instead of a < b < c");
      compared.back() = true;
      if (two) ++at;
    } else if (letter == '(') {
      compared.push_back(false);
    } else if (letter == ')' && compared.size() > 1) {
      compared.pop_back();
    } else if (letter == ',' && compared.size() == 1) {
      throw wrong(text, "several values; join conditions with &&");
    } else if (letter == '&' || letter == '|' || letter == '?' || letter == ':' || letter == ',') {
      compared.back() = false;
    }
  }
}

std::string reason(const mu::ParserError& error) {
  std::string message = error.GetMsg();
  while (!message.empty() && (message.back() == '.' || message.back() == ' ')) message.pop_back();
  return message;
}

}  // namespace

Expression::Expression(const std::string& text) : text_(text), parser_(std::make_unique<Parser>()) {
  if (text.size() > kLongest) throw wrong(text.substr(0, 40) + "...", fmt::format("longer than {} letters", kLongest));
  if (text.find_first_not_of(" \t") == std::string::npos) throw wrong(text, "it is empty");
  mu::Parser& mu = parser_->mu;
  mu.DefineNameChars(kNameLetters);
  mu.DefineInfixOprt("!", [](double value) { return value == 0 ? 1.0 : 0.0; });
  try {
    const std::string plain =
        without_texts(text, [&](const std::string& quoted) { return parser_->number_of(quoted); });
    refuse_pitfalls(text, plain);
    mu.SetExpr(plain);
    for (const auto& used : mu.GetUsedVar()) parser_->names.push_back(used.first);
    for (const std::string& name : parser_->names) mu.DefineVar(name, &parser_->values[name]);
    mu.Eval();  // Eval reports errors that GetUsedVar does not
  } catch (const mu::ParserError& error) {
    throw wrong(text, reason(error));
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

const std::vector<std::string>& Expression::names() const {
  return parser_->names;
}

bool Expression::bind(const Lookup& lookup) const {
  bool complete = true;
  for (const std::string& name : parser_->names) {
    const Value value = lookup(name);
    double& number = parser_->values[name];
    if (const auto* integer = std::get_if<std::int64_t>(&value)) number = static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value)) number = *real;
    if (const auto* text = std::get_if<std::string>(&value)) number = parser_->number_of(*text);
    complete = complete && !std::holds_alternative<std::monostate>(value);
  }
  return complete;
}

double Expression::evaluate() const {
  try {
    return parser_->mu.Eval();
  } catch (const mu::ParserError& error) {
    throw wrong(text_, reason(error));
  }
}

double Expression::number(const Lookup& lookup) const {
  if (!bind(lookup)) return std::numeric_limits<double>::quiet_NaN();
  const double value = evaluate();
  if (!std::isfinite(value)) throw Error(fmt::format("the expression '{}' has no finite value here", text_));
  return value;
}

bool Expression::holds(const Lookup& lookup) const {
  return bind(lookup) && evaluate() != 0;
}

}  // namespace weft::sweep
