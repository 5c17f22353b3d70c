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
  std::vector<std::size_t> boards;  // ... and where it is
};

// Whether all entities keep to `period` cycles an image wherever they are, asked of Z3: contiguously, or anyhow, when
// what goes from board to board passes the links between them. `steps`: of Z3, about, before it gives up; the same
// steps come to the same answer. `goes_on` is asked now and then from another thread; after an answer of false the
// answer is Unknown.
Solution solve(const Problem& problem, Cycles period, Placement placement, std::uint32_t steps,
               const std::function<bool()>& goes_on = {});

// Words an image over the link behind each board, in each direction: a tensor crosses a link, and its gradient comes
// back, if what gives it and all that read it are not on one side.
std::vector<Words> link_words(const Problem& problem, const std::vector<std::size_t>& boards);

// Whether the plan keeps to the period and to every bound: what is said of a solution, from its definition.
bool keeps_to(const Problem& problem, Cycles period, const std::vector<Choice>& chosen,
              const std::vector<std::size_t>& boards);

}  // namespace weft::nada
