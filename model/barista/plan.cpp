#include "model/barista/plan.h"

#include <fmt/core.h>

#include "model/core/error.h"

namespace weft::barista {

Plan make_plan(const Alpha& alpha, const Gemm& gemm, const Bases& bases, bool with_data) {
  for (const Address base : {bases.a, bases.b, bases.c}) {
    if (base % stream::kPageBytes != 0) {
      throw Error(fmt::format("a tensor at byte {}: must be a multiple of {}", base, stream::kPageBytes));
    }
  }
  Plan plan;
  plan.alpha = alpha;
  plan.gemm = gemm;
  plan.tiles = Tiles(alpha, gemm);
  plan.with_data = with_data;
  const Tiles& tiles = plan.tiles;
  // BAR-1: for i, j, k tile (i, k) of A and tile (j, k) of B.
  plan.a.n = tiles.rt;
  plan.a.g = tiles.ct;
  plan.a.c = tiles.k;
  plan.a.base = bases.a / 4;
  plan.a.pitch_c = alpha.a_tile_words();
  plan.a.pitch_n = tiles.k * plan.a.pitch_c;
  plan.a.words = Words{alpha.tr} * alpha.tp;
  plan.b.a = tiles.rt;
  plan.b.n = tiles.ct;
  plan.b.c = tiles.k;
  plan.b.base = bases.b / 4;
  plan.b.pitch_c = alpha.b_tile_words();
  plan.b.pitch_n = tiles.k * plan.b.pitch_c;
  plan.b.words = Words{alpha.tp} * alpha.tc;
  plan.a.band = plan.b.band = plan.c.band = alpha.band;
  plan.c.base = bases.c / 4;
  plan.c.run_words = tiles.c_words(alpha);
  return plan;
}

}  // namespace weft::barista
