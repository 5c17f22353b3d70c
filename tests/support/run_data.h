#pragma once

#include <vector>

#include "platform/fpgpt/cosim/data_case.h"

namespace weft::test {

using fpgpt::Channels;
using fpgpt::DataCase;
using fpgpt::make_case;

inline std::vector<float> contents(const memory::Store& store) {
  return {store.words(0), store.words(0) + store.bytes() / 4};
}

}  // namespace weft::test
