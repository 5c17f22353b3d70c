#pragma once

#include <algorithm>
#include <cmath>

#include "workloads/graph/graph.h"

namespace weft::workloads {

inline float maximum(float a, float b) {
  return std::max(a, b);
}
inline float minimum(float a, float b) {
  return std::min(a, b);
}

// A function of two operands of a type that has the operators, maximum, minimum and pow: a word, or a tensor of
// LibTorch.
template <class Value>
Value apply(Arithmetic function, const Value& a, const Value& b) {
  using std::pow;
  switch (function) {
    case Arithmetic::Add:
      return a + b;
    case Arithmetic::Subtract:
      return a - b;
    case Arithmetic::Multiply:
      return a * b;
    case Arithmetic::Divide:
      return a / b;
    case Arithmetic::Max:
      return maximum(a, b);
    case Arithmetic::Min:
      return minimum(a, b);
    case Arithmetic::Power:
      return pow(a, b);
  }
  return a;
}

}  // namespace weft::workloads
