#include "model/fpgpt/dse/optimum.h"

#include <algorithm>
#include <tuple>

namespace weft::fpgpt::dse {

namespace {

Design designed(const Alpha& alpha, const Resources& resources) {
  Design design;
  design.alpha = alpha;
  design.dsp = resources.dsp;
  design.bram18 = resources.bram18;
  design.uram = resources.uram;
  return design;
}

std::int64_t blocks(const Design& design) {
  return design.bram18 + design.uram;
}

// The best Z of one array; nothing if none fits. `smallest` is updated by the designs that do not.
std::optional<Design> best_z(const Problem& problem, const conv::Convolution& beta, const conv::WindowGeometry& window,
                             Alpha alpha, std::optional<Design>& smallest) {
  std::optional<Design> best;
  const int last = largest_z(problem, alpha.z);
  for (; alpha.z <= last; ++alpha.z) {
    const Stored kernel = stored(problem, alpha, {beta});
    Design design = designed(kernel.alpha, kernel.resources);
    if (!kernel.fits) {
      if (!smallest || blocks(design) < blocks(*smallest)) smallest = design;
      continue;
    }
    const Gamma g = gamma(alpha, beta, problem.readings, window);
    design.cycles = g.total;
    design.limiter = g.limiter;
    if (!best || better(design, *best)) best = design;
  }
  return best;
}

}  // namespace

bool better(const Design& a, const Design& b) {
  const auto rank = [](const Design& d) { return std::tuple(d.cycles, d.dsp, blocks(d), d.alpha.x, d.alpha.z); };
  return rank(a) < rank(b);
}

Optimum optimum(const Problem& problem, std::size_t shape, const Windows& windows, std::size_t keep) {
  const conv::Convolution& beta = problem.shapes[shape];
  const int dsp = dsp_per_pe(problem.base.format);
  Optimum found;
  for (const Array& array : arrays(problem.space, beta)) {
    ++found.arrays;
    if (std::int64_t{dsp} * array.x * array.y > problem.budget.dsp) continue;
    ++found.within_dsp;
    const std::optional<Design> design =
        best_z(problem, beta, windows.of(array.x), fitted_kernel(problem, beta, windows, array), found.smallest);
    if (!design) continue;
    ++found.fitting;
    const auto at = std::upper_bound(found.best.begin(), found.best.end(), *design, better);
    if (at == found.best.end() && found.best.size() >= keep) continue;
    found.best.insert(at, *design);
    if (found.best.size() > keep) found.best.pop_back();
  }
  if (!found.best.empty()) found.smallest.reset();
  return found;
}

}  // namespace weft::fpgpt::dse
