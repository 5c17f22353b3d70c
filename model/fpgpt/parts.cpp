#include "model/fpgpt/parts.h"

#include <algorithm>

#include "model/core/error.h"
#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {

conv::Convolution part_of(const conv::Convolution& beta, std::int64_t first, std::int64_t count) {
  conv::Convolution part = beta;
  part.n_kern = count;
  part.useful_macs = beta.useful_macs / beta.n_kern * count;
  if (beta.kern_transposed()) {
    const Words map = Words{beta.h.kern} * beta.w.kern;
    part.kern.first += first * beta.kern_map();
    part.kern.pitch_n = count * map;
  } else {
    part.kern.first += first * beta.kern.pitch_n;
  }
  part.out.first += first * (beta.kind == conv::Kind::GW ? beta.out.pitch_n : beta.out.pitch_c);
  return part;
}

std::vector<conv::Convolution> parts_of(const conv::Convolution& beta, std::int64_t tensors) {
  std::vector<conv::Convolution> parts;
  for (std::int64_t first = 0; first < beta.n_kern; first += tensors) {
    parts.push_back(part_of(beta, first, std::min(tensors, beta.n_kern - first)));
  }
  return parts;
}

std::int64_t even_part(const Alpha& alpha, const conv::Convolution& beta, std::int64_t most) {
  if (most >= beta.n_kern) return beta.n_kern;
  const std::int64_t groups = ceil_div(beta.n_kern, alpha.y);
  return ceil_div(groups, ceil_div(groups, most / alpha.y)) * alpha.y;
}

std::int64_t most_tensors(const Alpha& alpha, const conv::Convolution& beta) {
  constexpr const char* kWords = "the words of a kernel's KERN and OUT memories";
  const std::int64_t sets = ceil_div(beta.out_map(), alpha.x);
  std::int64_t most = beta.n_kern;
  if (beta.kind == conv::Kind::GW) {
    const Words maps = checked::product(kWords, {beta.c_out(), sets, alpha.x});  // OUT of one KERN tensor
    if (checked::product(kWords, {2, alpha.y, beta.kern_map()}) > alpha.kern_words) return 0;
    most = std::min({most, alpha.k_range / beta.kern_map(), alpha.out_words / maps});
  } else {
    if (checked::product(kWords, {2, alpha.y, sets, alpha.x}) > alpha.out_words) return 0;
    most = std::min(most, alpha.kern_words / checked::product(kWords, {alpha.y, beta.kern_map()}) * alpha.y);
  }
  return most == beta.n_kern ? most : most / alpha.y * alpha.y;
}

conv::Convolution first_launch(const Alpha& alpha, const conv::Convolution& beta) {
  const std::int64_t most = most_tensors(alpha, beta);
  return most == 0 || most == beta.n_kern ? beta : part_of(beta, 0, even_part(alpha, beta, most));
}

}  // namespace weft::fpgpt
