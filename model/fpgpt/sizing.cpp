#include "model/fpgpt/sizing.h"

#include <fmt/core.h>

#include <limits>

#include "model/core/error.h"

namespace weft::fpgpt {

namespace {

constexpr const char* kBufferWords = "the words of a kernel's KERN and OUT memories";

int as_z(Words z) {
  if (z > std::numeric_limits<int>::max()) {
    throw Error(fmt::format("kernel.z: a window of {} words is more than any kernel can hold", z));
  }
  return static_cast<int>(z);
}

}  // namespace

Alpha with_sizes(Alpha alpha, const Sizes& sizes) {
  alpha.z = as_z(sizes.z);
  alpha.z_channel = sizes.z_channel;
  alpha.k_range = sizes.k_range;
  alpha.kern_words = sizes.kern_words;
  alpha.out_words = sizes.out_words;
  return alpha;
}

void require_one_width(const Alpha& alpha) {
  if (alpha.one_width()) return;
  throw Error(fmt::format(
      "kernel.ports: the RTL has ports of one width, not INP of {} bits, KERN of {} and OUT of {}; leave out "
      "the band of ports",
      alpha.bits_of(Port::Inp), alpha.bits_of(Port::Kern), alpha.bits_of(Port::Out)));
}

bool runs(Variant variant, conv::Kind kind) {
  switch (variant) {
    case Variant::FGI:
      return kind != conv::Kind::GW;
    case Variant::GW:
      return kind == conv::Kind::GW;
    case Variant::Both:
      return true;
  }
  return false;
}

int widest_token(const Alpha& alpha, FifoId fifo) {
  int words = 1;
  for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
    if (runs(alpha.variant, kind)) words = std::max(words, fifo_width(alpha, kind, fifo));
  }
  return words;
}

int kern_partitions(const Alpha& alpha, conv::Kind kind) {
  return kind == conv::Kind::GW ? 2 * alpha.y : alpha.y;
}

int out_partitions(const Alpha& alpha, conv::Kind kind) {
  return kind == conv::Kind::GW ? alpha.x : 2 * alpha.x;
}

Words kern_partition(const Alpha& alpha, const conv::Convolution& beta) {
  const std::int64_t tensors = beta.kind == conv::Kind::GW ? 1 : ceil_div(beta.n_kern, alpha.y);
  return checked::product(kBufferWords, {tensors, beta.kern_map()});
}

Words out_partition(const Alpha& alpha, const conv::Convolution& beta) {
  const std::int64_t maps =
      beta.kind == conv::Kind::GW ? checked::product(kBufferWords, {beta.n_out(), beta.c_out()}) : alpha.y;
  return checked::product(kBufferWords, {maps, ceil_div(beta.out_map(), alpha.x)});
}

Sizes sizes_of(const Alpha& alpha, const conv::Convolution& beta, const conv::WindowGeometry& window) {
  if (alpha.x < 1 || alpha.y < 1) {
    throw Error(fmt::format("kernel.array: is {} by {} PEs, but must be at least 1 by 1", alpha.x, alpha.y));
  }
  Sizes sizes;
  sizes.z = window.z;
  sizes.z_channel = window.z_channel;
  if (beta.kind == conv::Kind::GW) sizes.k_range = beta.kern_words();
  sizes.kern_words = checked::product(kBufferWords, {kern_partition(alpha, beta), kern_partitions(alpha, beta.kind)});
  sizes.out_words = checked::product(kBufferWords, {out_partition(alpha, beta), out_partitions(alpha, beta.kind)});
  return sizes;
}

Sizes sizes_of(const Alpha& alpha, const conv::Convolution& beta) {
  return sizes_of(alpha, beta, conv::window_geometry(beta, std::max(alpha.x, 1)));
}

Alpha fitted(Alpha alpha, const conv::Convolution& beta) {
  return with_sizes(alpha, sizes_of(alpha, beta));
}

Alpha fitted(Alpha alpha, const conv::Convolution& beta, const conv::WindowGeometry& window) {
  return with_sizes(alpha, sizes_of(alpha, beta, window));
}

Alpha fitted(Alpha alpha, const std::vector<conv::Convolution>& betas) {
  Sizes all;
  bool any = false;
  for (const conv::Convolution& beta : betas) {
    if (!runs(alpha.variant, beta.kind)) continue;
    grow_sizes(all, sizes_of(alpha, beta));
    any = true;
  }
  if (!any) throw Error("kernel.variant: the run has no convolution of a kind that this kernel is compiled for");
  return with_sizes(alpha, all);
}

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
