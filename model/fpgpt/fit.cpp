#include "model/fpgpt/fit.h"

#include <fmt/core.h>

#include "model/core/error.h"
#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {

namespace {

void refuse(const char* parameter, Words limit, Words needed, conv::Kind kind) {
  if (needed <= limit) return;
  throw Error(fmt::format("kernel.{}: this {} convolution needs {} words, but the kernel was compiled for at most {}",
                          parameter, to_string(kind), needed, limit));
}

const char* kinds_of(Variant variant) {
  switch (variant) {
    case Variant::FGI:
      return "F and GI";
    case Variant::GW:
      return "GW";
    case Variant::Both:
      return "F, GI and GW";
  }
  return "?";
}

void refuse_sizes(const Alpha& alpha, const Sizes& sizes, conv::Kind kind) {
  refuse("z", alpha.z, sizes.z, kind);
  refuse("z_channel", alpha.z_channel, sizes.z_channel, kind);
  refuse("k_range", alpha.k_range, sizes.k_range, kind);
  refuse("kern_words", alpha.kern_words, sizes.kern_words, kind);
  refuse("out_words", alpha.out_words, sizes.out_words, kind);
}

void refuse_kind(const Alpha& alpha, conv::Kind kind) {
  if (runs(alpha.variant, kind)) return;
  throw Error(fmt::format("kernel.variant: this kernel was compiled for {} and cannot run a {} convolution",
                          kinds_of(alpha.variant), to_string(kind)));
}

}  // namespace

void refuse_beyond(const Alpha& alpha, const conv::Convolution& beta) {
  refuse_kind(alpha, beta.kind);
  refuse_sizes(alpha, sizes_of(alpha, beta), beta.kind);
}

void refuse_beyond(const Alpha& alpha, const conv::Convolution& beta, const conv::WindowGeometry& window) {
  refuse_kind(alpha, beta.kind);
  refuse_sizes(alpha, sizes_of(alpha, beta, window), beta.kind);
}

}  // namespace weft::fpgpt
