#include "model/fpgpt/plan.h"

#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {

namespace {

// Memory order is (N, C, kh, kw); for GI it is (C, N, kh, kw) with the maps turned by 180 degrees.
void plan_taps(Plan& p) {
  const conv::Convolution& c = p.beta;
  const Words map = Words{c.h.kern} * c.w.kern;
  const Words channel_pitch = c.kern_transposed() ? c.n_kern * map : map;
  p.tap_pitch = c.kern_transposed() ? map : c.kern_map();
  p.tap.reserve(static_cast<std::size_t>(p.m));
  for (std::int64_t channel = 0; channel < c.c; ++channel) {
    for (int i = 0; i < c.h.kern_dilated(); ++i) {
      for (int j = 0; j < c.w.kern_dilated(); ++j) {
        if (i % c.h.kern_dilation != 0 || j % c.w.kern_dilation != 0) {
          p.tap.push_back(-1);
          continue;
        }
        const Words at = Words{i / c.h.kern_dilation} * c.w.kern + j / c.w.kern_dilation;
        p.tap.push_back(channel * channel_pitch + (c.kern_transposed() ? map - 1 - at : at));
      }
    }
  }
}

// OUT is written as dense runs: the whole tensor where its images follow each other, else one run per image.
void plan_out(Plan& p) {
  const conv::Convolution& c = p.beta;
  const Words image = c.c_out() * c.out_map();
  const bool dense = c.n_out() == 1 || c.out.pitch_n == image;
  p.out.base = p.alpha.first_word(Port::Out, c.out);
  p.out.runs = dense ? 1 : c.n_out();
  p.out.run_words = dense ? c.n_out() * image : image;
  p.out.run_pitch = dense ? 0 : c.out.pitch_n;
  p.out.band = p.alpha.band(Port::Out);
}

}  // namespace

Plan make_plan(const Alpha& alpha, const conv::Convolution& c, bool with_data) {
  const conv::WindowGeometry geometry = conv::window_geometry(c, alpha.x);
  refuse_beyond(alpha, c, geometry);
  Plan p;
  p.alpha = alpha;
  p.beta = c;
  p.with_data = with_data;
  p.sets = ceil_div(c.out_map(), alpha.x);
  p.groups = ceil_div(c.n_kern, alpha.y);
  p.passes = c.a * c.n_inp;
  p.positions = std::int64_t{c.h.kern_dilated()} * c.w.kern_dilated();
  p.m = c.m();
  const std::int64_t fed = p.gw() && !alpha.profile.packed_gw_sets ? align_up(p.m, alpha.y) : p.m;
  p.spacing = std::max<std::int64_t>({fed, alpha.y, alpha.format.final_add_cycles()});
  p.last_set_columns = static_cast<int>(c.out_map() - (p.sets - 1) * alpha.x);
  p.last_group_rows = static_cast<int>(c.n_kern - (p.groups - 1) * alpha.y);
  p.z_channel = geometry.z_channel;

  const bool exact = alpha.profile.exact_bursts;
  const int inp_band = alpha.band(Port::Inp), kern_band = alpha.band(Port::Kern);
  p.inp = {c.a,
           c.n_inp,
           p.groups,
           p.sets,
           c.c,
           alpha.first_word(Port::Inp, c.inp),
           c.inp.pitch_a,
           c.inp.pitch_n,
           c.inp.pitch_c,
           conv::set_starts(c, alpha.x),
           geometry.z_channel,
           exact ? 0 : gamma_burst_beats(alpha.z_channel, inp_band),
           inp_band};
  p.kern.band = kern_band;
  p.kern.base = alpha.first_word(Port::Kern, c.kern);
  p.kern.words = c.kern_words();
  if (p.gw()) {
    p.kern.a = c.a;
    p.kern.n = c.n_inp;
    p.kern.pitch_a = c.kern.pitch_a;
    p.kern.floor_beats = exact ? 0 : gamma_burst_beats(alpha.k_range, kern_band);
  }
  plan_taps(p);
  plan_out(p);
  return p;
}

}  // namespace weft::fpgpt
