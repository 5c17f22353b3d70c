#pragma once

#include <vector>

#include "platform/designs/fpgpt/cosim/data_case.h"

namespace weft::test {

using fpgpt::Channels;
using fpgpt::DataCase;
using fpgpt::make_case;

inline std::vector<float> contents(const memory::Store& store) {
  const float* const words = store.floats(store.first());
  return {words, words + store.bytes() / 4};
}

}  // namespace weft::test
