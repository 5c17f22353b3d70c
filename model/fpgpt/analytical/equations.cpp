#include "model/fpgpt/analytical/equations.h"

#include <algorithm>

#include "model/core/error.h"

namespace weft::fpgpt::equations {

using namespace reading;

namespace {

constexpr std::int64_t kBurstBlock = 16;     // beats: "burst read seems to operate in blocks of 512 x 16" (A.1.1)
constexpr std::int64_t kLongestBurst = 256;  // beats of one inner loop, the limit of HLS (A.1.1)
constexpr std::int64_t kFewestBursts = 3;    // iterations of the outer loop, the limit of HLS (A.1.1)

// 5.3.5: cycles of `beats` on a single or a doubled interface.
Cycles on_interfaces(Cycles beats, const Terms& t) {
  return t.readings.interfaces == Interfaces::Doubled ? ceil_div(beats, 2) : beats;
}

// BAND of each port.
int inp_band(const Terms& t) {
  return t.alpha.band(Port::Inp);
}
int kern_band(const Terms& t) {
  return t.alpha.band(Port::Kern);
}
int out_band(const Terms& t) {
  const bool narrow = t.alpha.format.is_fixed() && t.readings.out_word == OutWord::Wl;
  return narrow ? t.alpha.bits_of(Port::Out) / lane_bits(t.alpha.format, t.alpha.packing) : t.alpha.band(Port::Out);
}

// The Y + 8 cycles of the array and its feeder per Y-group.
Cycles drain(const Terms& t) {
  return t.readings.drain == Drain::PerGroup ? shift_delay(t.alpha) : 0;
}

// The Y-groups for which INP is read, decoded and regrouped (F8).
std::int64_t inp_y_groups(const Terms& t) {
  return t.readings.inp_groups == InpGroups::NKern ? y_groups(t) : ceil_div(t.beta.c_out(), t.alpha.y);
}

// Cycles of an INP component that takes `cycles` for each channel, X-set, Y-group and image.
Cycles per_channel(Cycles cycles, const Terms& t) {
  return product({cycles, t.beta.c, x_sets(t), inp_y_groups(t), batch_iteration(t)});
}

Words kern_words_of_groups(const Terms& t) {
  return product({t.alpha.y, t.beta.kern_map()});
}  // Y*C*H*W

// KRange of alpha and of beta, and the number of ranges per (A, N_INP) (F9). A kernel has no parameter for the range of
// one Y-group: it is half of the KERN memory.
Words k_range_alpha(const Terms& t) {
  return t.readings.k_range == KRange::Tensor ? t.alpha.k_range : std::min(t.alpha.k_range, t.alpha.kern_words / 2);
}
Words k_range_beta(const Terms& t) {
  return t.readings.k_range == KRange::Tensor ? t.beta.kern_words()
                                              : std::min(t.beta.kern_words(), kern_words_of_groups(t));
}
std::int64_t k_ranges(const Terms& t) {
  return t.readings.k_range == KRange::Tensor ? 1 : y_groups(t);
}

}  // namespace

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 60;
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result) || result > kLimit) {
      throw Error("the equations of this convolution and kernel exceed 2^60 cycles or words: give smaller sizes");
    }
  }
  return result;
}

std::int64_t products_per_output(const Terms& t) {
  return t.readings.products == Products::Dilated ? t.beta.m() : t.beta.kern_map();
}

std::int64_t x_sets(const Terms& t) {
  return ceil_div(t.beta.out_map(), t.alpha.x);
}

std::int64_t y_groups(const Terms& t) {
  return ceil_div(t.beta.n_kern, t.alpha.y);
}

std::int64_t batch_iteration(const Terms& t) {
  return product({t.beta.n_inp, t.beta.a});
}

Cycles shift_delay(const Alpha& alpha) {
  return alpha.y + alpha.format.final_add_cycles();
}

// The array -----------------------------------------------------------------------------------------------------------

Cycles sa_ideal(const Terms& t) {
  return product({products_per_output(t), x_sets(t), y_groups(t), batch_iteration(t)});
}

Cycles sa_printed(const Terms& t) {
  const Cycles group = product({products_per_output(t), x_sets(t)}) + drain(t);
  return ceil_div(product({group, t.beta.n_kern, batch_iteration(t)}), product({t.alpha.y, t.alpha.y}));
}

Cycles sa_shifted(const Terms& t) {
  const Cycles group = product({products_per_output(t), x_sets(t)}) + shift_delay(t.alpha);
  return product({group, y_groups(t), batch_iteration(t)});
}

Cycles sa(const Terms& t) {
  if (t.readings.sa_groups == SaGroups::Printed) return sa_printed(t);
  return t.readings.drain == Drain::Hidden ? sa_ideal(t) : sa_shifted(t);
}

// INP -----------------------------------------------------------------------------------------------------------------

std::int64_t burst_outer(Words words, int band, Burst as) {
  const std::int64_t beats = ceil_div(words, band);
  switch (as) {
    case Burst::Ideal:
    case Burst::Exact:
      return 1;
    case Burst::Printed:
      return std::max(ceil_div(burst_inner(words, band, as), kLongestBurst), kFewestBursts);
    case Burst::Fixed:
    case Burst::Split:
      return std::max(ceil_div(beats, kLongestBurst), kFewestBursts);
  }
  return 1;
}

std::int64_t burst_inner(Words words, int band, Burst as) {
  const std::int64_t beats = ceil_div(words, band);
  switch (as) {
    case Burst::Ideal:
    case Burst::Exact:
      return beats;
    case Burst::Split:
      return ceil_div(beats, burst_outer(words, band, as));
    case Burst::Fixed:
    case Burst::Printed:
      return std::min(beats, kLongestBurst);
  }
  return beats;
}

Cycles burst(Words words, int band, Burst as) {
  const std::int64_t inner = burst_inner(words, band, as);
  if (as == Burst::Ideal || as == Burst::Exact) return inner;
  return product({align_up(inner, kBurstBlock), burst_outer(words, band, as)});
}

Cycles channel_jump(const Terms& t) {
  const Words words = t.readings.burst == Burst::Exact ? t.window.z_channel : t.alpha.z_channel;
  return product({on_interfaces(burst(words, inp_band(t), t.readings.burst), t), t.beta.c});
}

Cycles x_set_jump(const Terms& t) {
  return product({channel_jump(t), x_sets(t)});
}

Cycles inp_ddr(const Terms& t) {
  return product({x_set_jump(t), inp_y_groups(t), batch_iteration(t)});
}

Cycles decode_channel(const Terms& t) {
  switch (t.readings.decode) {
    case Decode::Beats:
      return ceil_div(t.window.z_channel, inp_band(t));
    case Decode::Words:
      return align_up(t.window.z_channel, inp_band(t));
    case Decode::Printed:
      return align_up(t.window.z_channel, 16);
  }
  return 0;
}

Cycles inp_decode(const Terms& t) {
  return per_channel(decode_channel(t), t);
}

Words grouping_words(const Terms& t) {
  return product({ceil_div(t.window.z_channel, inp_band(t)), std::max(t.alpha.z, inp_band(t))});
}

Cycles grouping(const Terms& t) {
  const int z = t.alpha.z, band = inp_band(t);
  if (t.readings.construct != Construct::Groups) {
    if (z < band) return ceil_div(grouping_words(t), z);
    if (t.readings.construct == Construct::Printed) return ceil_div(grouping_words(t), band);
  }
  return std::max(ceil_div(t.window.z_channel, band), ceil_div(t.window.z_channel, z));
}

Cycles inp_construct(const Terms& t) {
  return per_channel(grouping(t), t);
}

Cycles inp_im2col(const Terms& t) {
  return sa_ideal(t);
}  // A.13 is 5.6 with the dilated window

// KERN, forward and grad-IFM ------------------------------------------------------------------------------------------

Cycles kern_ddr_fgi(const Terms& t) {
  return on_interfaces(ceil_div(t.beta.kern_words(), kern_band(t)), t);
}

Cycles kern_decode_fgi(const Terms& t) {
  return t.readings.kern_load == KernLoad::Beats ? ceil_div(t.beta.kern_words(), kern_band(t)) : t.beta.kern_words();
}

Words kern_zeros_not_stored(const Terms& t) {
  return product({t.beta.m() - t.beta.kern_map(), t.beta.n_kern});
}

Cycles kern_fill_fgi(const Terms& t) {
  return kern_decode_fgi(t);
}

Cycles kern_feed_group_fgi(const Terms& t) {
  return product({products_per_output(t), x_sets(t)}) + drain(t);
}

Cycles kern_feed_all_fgi(const Terms& t) {
  return product({kern_feed_group_fgi(t), y_groups(t), batch_iteration(t)});
}

Cycles kern_feed_fgi(const Terms& t) {
  const Cycles fill = kern_fill_fgi(t), feed = kern_feed_all_fgi(t);
  return t.readings.kern_fill == KernFill::Serial ? fill + feed : std::max(fill, feed);
}

// KERN, grad-weight ---------------------------------------------------------------------------------------------------

Cycles kern_burst_gw(const Terms& t) {
  const Words words = t.readings.burst == Burst::Exact ? k_range_beta(t) : k_range_alpha(t);
  return on_interfaces(burst(words, kern_band(t), t.readings.burst), t);
}

Cycles kern_ddr_gw(const Terms& t) {
  return product({kern_burst_gw(t), k_ranges(t), batch_iteration(t)});
}

Cycles kern_decode_range(const Terms& t) {
  return ceil_div(k_range_beta(t), std::min(t.alpha.y, kern_band(t)));
}

Cycles kern_decode_gw(const Terms& t) {
  return product({kern_decode_range(t), k_ranges(t), batch_iteration(t)});
}

Cycles kern_data_read(const Terms& t) {
  return align_up(t.beta.kern_map(), t.alpha.y);
}

Cycles kern_fifo_write(const Terms& t) {
  const std::int64_t m = products_per_output(t);
  return t.readings.gw_sets == GwSets::Packed ? m : align_up(m, t.alpha.y);
}

Cycles kern_feed_group_gw(const Terms& t) {
  const Cycles set = kern_fifo_write(t);
  switch (t.readings.gw_drain) {
    case GwDrain::Once:
      return product({set, x_sets(t)}) + drain(t);
    case GwDrain::Printed:
      return product({set, x_sets(t)}) + 2 * drain(t);
    case GwDrain::PerSet:
      return product({set + drain(t), x_sets(t)});
  }
  return 0;
}

Cycles kern_feed_all_gw(const Terms& t) {
  return product({kern_feed_group_gw(t), y_groups(t), batch_iteration(t)});
}

Cycles kern_feed_init_gw(const Terms& t) {
  return kern_data_read(t);
}

Cycles kern_feed_gw(const Terms& t) {
  return kern_feed_init_gw(t) + (t.readings.gw_feed == GwFeed::AllGroups ? kern_feed_all_gw(t) : kern_feed_group_gw(t));
}

// OUT -----------------------------------------------------------------------------------------------------------------

Cycles out_group(const Terms& t) {
  return product({t.alpha.y, x_sets(t)});
}

Cycles out_pre_accumulation(const Terms& t) {
  return product({out_group(t), ceil_div(t.beta.c_out(), t.alpha.y), t.beta.n_out()});
}

Cycles out_accumulation(const Terms& t) {
  return product({out_pre_accumulation(t), t.beta.a});
}

Cycles out_write_out(const Terms& t) {
  return product({x_sets(t), t.beta.c_out(), t.beta.n_out()});
}

Cycles out_construct_gw(const Terms& t) {
  // A.36 swaps the dimensions of Y and of the inner loop: in GW, Y runs over N_KERN = N_OUT.
  const Cycles accumulate =
      t.readings.out_construct == OutConstruct::COut
          ? out_accumulation(t)
          : product({out_group(t), ceil_div(t.beta.n_out(), t.alpha.y), t.beta.c_out(), t.beta.a});
  return accumulate + out_write_out(t);
}

Cycles out_main_fgi(const Terms& t) {
  return product({out_group(t), y_groups(t), t.beta.n_inp});
}

Cycles out_construct_fgi(const Terms& t) {
  return out_group(t) + out_main_fgi(t);
}

Cycles out_encode_image(const Terms& t) {
  return ceil_div(product({t.beta.c_out(), t.beta.out_map()}), std::min(t.alpha.x, out_band(t)));
}

Cycles out_encode(const Terms& t) {
  return product({out_encode_image(t), t.beta.n_out()});
}

Cycles out_ddr(const Terms& t) {
  const std::int64_t beats = ceil_div(t.beta.out_words(), out_band(t));
  return t.readings.out_write == OutWrite::Aligned ? align_up(beats, kBurstBlock) : beats;
}

}  // namespace weft::fpgpt::equations
