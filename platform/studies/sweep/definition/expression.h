#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/core/text.h"

namespace weft::sweep {

// Values by name; throws Error for a name that nobody knows.
using Lookup = std::function<Value(const std::string& name)>;

// An arithmetic or logical expression of muParser: + - * / ^, comparisons, && and ||, c ? a : b, min, max, abs, sqrt,
// log2, rint, ... Names are words, or words joined by dots. A text stands in quotes and can only be compared with ==
// and !=. A single '=', a < b < c and commas outside of functions are refused. Not safe to share between threads.
class Expression {
 public:
  // Throws Error that quotes the expression and says what is wrong with it.
  explicit Expression(const std::string& text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  const std::string& text() const { return text_; }
  const std::vector<std::string>& names() const;  // the names it uses, sorted

  // Not a number (NaN) if a name has no value. Throws Error for an unknown name, and if the result is not finite (a
  // division by zero, say).
  double number(const Lookup& lookup) const;
  // Whether it holds; as `number`, but a name without a value makes it false.
  bool holds(const Lookup& lookup) const;

 private:
  struct Parser;
  bool bind(const Lookup& lookup) const;  // false: a name has no value
  double evaluate() const;

  std::string text_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace weft::sweep
