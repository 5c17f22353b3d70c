#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/core/text.h"

namespace weft::sweep {

// Returns a value by name; throws Error for an unknown name.
using Lookup = std::function<Value(const std::string& name)>;

// Arithmetic or logical muParser expression: + - * / ^, comparisons, && and ||, c ? a : b, min, max, abs, sqrt, log2,
// rint, ... Names are words, or words joined by dots. Texts are quoted and only compare with == and !=. A single '=', a
// < b < c and commas outside functions are refused. Not thread-safe.
class Expression {
 public:
  // Throws Error that quotes the expression and names the fault.
  explicit Expression(const std::string& text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  const std::string& text() const { return text_; }
  const std::vector<std::string>& names() const;  // sorted names in the expression

  // Returns NaN if a name has no value. Throws Error for an unknown name, or if the result is not finite (e.g. a
  // division by zero).
  double number(const Lookup& lookup) const;
  // Returns the truth value; errors as in number(), but a name without a value gives false.
  bool holds(const Lookup& lookup) const;

 private:
  struct Parser;
  bool bind(const Lookup& lookup) const;  // false: a name has no value
  double evaluate() const;

  std::string text_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace weft::sweep
