#include "model/copy/plan.h"

#include <fmt/core.h>

#include "model/core/error.h"

namespace weft::copy {

Plan make_plan(const Alpha& alpha, const Beta& beta, bool with_data) {
  for (const Address base : {beta.in, beta.out}) {
    if (base % stream::kPageBytes == 0) continue;
    throw Error(
        fmt::format("a tensor begins at byte {}, but must begin at a multiple of {}", base, stream::kPageBytes));
  }
  if (beta.words < 1 || beta.words > kMostWords) {
    throw Error(fmt::format("a tensor has {} words, but must have 1 to {}", beta.words, kMostWords));
  }
  Plan plan;
  plan.alpha = alpha;
  plan.with_data = with_data;
  plan.in.base = beta.in / 4;
  plan.in.words = beta.words;
  plan.out.base = beta.out / 4;
  plan.out.run_words = beta.words;
  plan.in.band = plan.out.band = alpha.band;
  return plan;
}

}  // namespace weft::copy
