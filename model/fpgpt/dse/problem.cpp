#include "model/fpgpt/dse/problem.h"

#include <algorithm>
#include <tuple>

#include "model/core/error.h"
#include "model/fpgpt/parts.h"

namespace weft::fpgpt::dse {

namespace {

bool same_axis(const conv::Axis& a, const conv::Axis& b) {
  return a.inp == b.inp && a.kern == b.kern && a.out == b.out && a.stride == b.stride && a.pad_begin == b.pad_begin &&
         a.inp_dilation == b.inp_dilation && a.kern_dilation == b.kern_dilation;
}

int as_int(std::int64_t value) {
  return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
}

std::int64_t most_pes(const Problem& problem) {
  return std::min(problem.space.max_pes, problem.budget.dsp / dsp_per_pe(problem.base.format));
}

}  // namespace

std::vector<Array> arrays(const Space& space, const conv::Convolution& beta) {
  std::vector<Array> found;
  const int widest = as_int(std::min<std::int64_t>({space.max_x, beta.out_map(), space.max_pes}));
  for (int x = 1; x <= widest; ++x) {
    const std::int64_t lowest = std::max<std::int64_t>(1, ceil_div(space.min_pes, x));
    const std::int64_t tallest = std::min<std::int64_t>({space.max_y, beta.n_kern, space.max_pes / x});
    for (std::int64_t y = lowest; y <= tallest; ++y) found.push_back({x, static_cast<int>(y)});
  }
  return found;
}

bool same_shape(const conv::Convolution& a, const conv::Convolution& b) {
  return a.kind == b.kind && a.a == b.a && a.n_inp == b.n_inp && a.n_kern == b.n_kern && a.c == b.c &&
         same_axis(a.h, b.h) && same_axis(a.w, b.w);
}

int Problem::widest() const {
  return as_int(std::min<std::int64_t>(space.max_x, most_pes(*this)));
}

int Problem::tallest() const {
  return as_int(std::min<std::int64_t>(space.max_y, most_pes(*this)));
}

Windows::Windows(const conv::Convolution& beta, int widest) {
  const auto last = std::max<std::int64_t>(1, std::min<std::int64_t>(widest, beta.out_map()));
  for (int x = 1; x <= last; ++x) by_x_.push_back(conv::window_geometry(beta, x));
  // X beyond `widest` is never requested; from H_OUT*W_OUT on one set covers the map, however many columns idle.
}

Variant variant_of(conv::Kind kind) {
  return kind == conv::Kind::GW ? Variant::GW : Variant::FGI;
}

Alpha fitted_kernel(const Problem& problem, const conv::Convolution& beta, const Windows& windows, Array array) {
  Alpha alpha = problem.base;
  alpha.x = array.x;
  alpha.y = array.y;
  alpha.variant = variant_of(beta.kind);
  return fitted(alpha, beta, windows.of(array.x));
}

int largest_z(const Problem& problem, int needed) {
  return problem.space.z == ZChoice::Searched ? std::max(needed, problem.base.band(Port::Inp)) : needed;
}

const std::vector<Storages>& storages(const Problem& problem) {
  constexpr Storage B = Storage::BRAM, U = Storage::URAM;
  static const std::vector<Storages> all{{B, B, B}, {B, U, B}, {B, B, U}, {U, B, B},
                                         {B, U, U}, {U, U, B}, {U, B, U}, {U, U, U}};
  static const std::vector<Storages> bram{{B, B, B}};
  return problem.budget.uram > 0 ? all : bram;
}

Stored stored(const Problem& problem, const Alpha& alpha, const std::vector<conv::Convolution>& betas) {
  Stored kernel{alpha, {}, false};
  const auto try_in = [&](const Storages& where) {
    std::tie(kernel.alpha.inp_storage, kernel.alpha.kern_storage, kernel.alpha.out_storage) = std::tuple_cat(where);
    kernel.resources = resources(kernel.alpha, betas, problem.readings);
    return kernel.fits = fits(kernel.resources, problem.budget);
  };
  if (problem.space.storage == StorageChoice::Fixed) {
    try_in({alpha.inp_storage, alpha.kern_storage, alpha.out_storage});
  } else if (const auto& all = storages(problem); std::none_of(all.begin(), all.end(), try_in)) {
    try_in(all.front());
  }
  return kernel;
}

Fitted fitted_launches(const Problem& problem, const Alpha& alpha, const conv::Convolution& beta,
                       const conv::WindowGeometry& window) {
  const auto with = [&](const conv::Convolution& launch) {
    Alpha sized = fitted(alpha, launch, window);
    sized.z = std::max(sized.z, alpha.z);
    return Fitted{stored(problem, sized, {launch}), launch};
  };
  Fitted whole = with(beta);
  if (whole.kernel.fits || !problem.split || beta.n_kern <= alpha.y) return whole;
  // Memory grows with the Y-groups of a launch: halves the range until the last that fits is known.
  std::int64_t fit = 0, beyond = ceil_div(beta.n_kern, alpha.y);
  while (fit + 1 < beyond) {
    const std::int64_t groups = (fit + beyond) / 2;
    (with(part_of(beta, 0, groups * alpha.y)).kernel.fits ? fit : beyond) = groups;
  }
  return with(part_of(beta, 0, even_part(alpha, beta, std::max<std::int64_t>(fit, 1) * alpha.y)));
}

conv::Convolution launched(const Problem& problem, const Alpha& alpha, const conv::Convolution& beta) {
  return problem.split ? first_launch(alpha, beta) : beta;
}

Cycles cycles_of(const Problem& problem, const Alpha& alpha, const conv::Convolution& beta,
                 const conv::WindowGeometry& window) {
  constexpr const char* kCycles = "the cycles of the parts of a convolution";
  const auto cycles = [&](const conv::Convolution& launch) {
    return gamma(alpha, launch, problem.readings, window).total;
  };
  if (!problem.split) return cycles(beta);
  const conv::Convolution first = first_launch(alpha, beta);
  const std::int64_t equal = beta.n_kern / first.n_kern, rest = beta.n_kern % first.n_kern;
  Cycles all = checked::product(kCycles, {cycles(first), equal});
  if (rest > 0) checked::add(all, cycles(part_of(beta, beta.n_kern - rest, rest)), kCycles);
  return all;
}

}  // namespace weft::fpgpt::dse
