#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/nada/planner.h"

namespace weft::nada {

enum class Answer : std::uint8_t { Yes, No, Unknown };

struct Solution {
  Answer answer = Answer::Unknown;
  std::vector<Choice> chosen;       // of each entity, if the answer is Yes ...
  std::vector<std::size_t> boards;  // ... and its board
};

// Asks Z3 whether all entities can keep to `period` cycles per image with contiguous placement, or with any placement
// whose traffic passes the links between the boards. `steps`: approximate limit at which Z3 gives up; equal steps give
// equal answers. Another thread calls `goes_on` periodically; after false the answer is Unknown.
Solution solve(const Problem& problem, Cycles period, Placement placement, std::uint32_t steps,
               const std::function<bool()>& goes_on = {});

// Words per image over the link after each board, in each direction. A tensor crosses a link, and its gradient returns,
// if its producer and all its readers are not on one side.
std::vector<Words> link_words(const Problem& problem, const std::vector<std::size_t>& boards);

// True if the plan meets the period and every bound. Checks a solution against the definition, without Z3.
bool keeps_to(const Problem& problem, Cycles period, const std::vector<Choice>& chosen,
              const std::vector<std::size_t>& boards);

}  // namespace weft::nada
