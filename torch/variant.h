#pragma once

#if __has_include(<c10/util/variant.h>)
#include <c10/util/variant.h>
#else
#include <variant>
#endif

// Variant used by LibTorch's options: std::variant; before LibTorch 2.1 c10::variant.
namespace weft::nn {

#if __has_include(<c10/util/variant.h>)
using c10::get_if;
using c10::holds_alternative;
#else
using std::get_if;
using std::holds_alternative;
#endif

}  // namespace weft::nn
