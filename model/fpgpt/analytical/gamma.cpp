#include "model/fpgpt/analytical/gamma.h"

#include <fmt/core.h>

#include "model/core/error.h"
#include "model/fpgpt/analytical/equations.h"
#include "model/fpgpt/sizing.h"

namespace weft::fpgpt {

namespace {

using equations::Terms;

void check(const Alpha& alpha) {
  if (alpha.x < 1 || alpha.y < 1 || alpha.z < 1 || alpha.band(Port::Inp) < 1) {
    throw Error(fmt::format("kernel: X = {}, Y = {}, Z = {} and BAND = {} must all be at least 1", alpha.x, alpha.y,
                            alpha.z, alpha.band(Port::Inp)));
  }
}

void add_inp(Gamma& g, const Terms& t) {
  g.inp_ddr = equations::inp_ddr(t);
  g.inp_dec = equations::inp_decode(t);
  g.inp_constr = equations::inp_construct(t);
  g.inp_i2c = equations::inp_im2col(t);
}

void add_fgi(Gamma& g, const Terms& t) {
  g.kern_ddr = equations::kern_ddr_fgi(t);
  g.kern_dec = equations::kern_decode_fgi(t);
  g.kern_feed = equations::kern_feed_fgi(t);
  g.out_constr = equations::out_construct_fgi(t);
}

void add_gw(Gamma& g, const Terms& t) {
  g.kern_ddr = equations::kern_ddr_gw(t);
  g.kern_dec = equations::kern_decode_gw(t);
  g.kern_feed = equations::kern_feed_gw(t);
  g.out_constr = equations::out_construct_gw(t);
}

// True if 5.9 to 5.12 count the component.
bool counts(Block component, conv::Kind kind, reading::Total total) {
  if (total == reading::Total::All) return true;
  switch (component) {
    case Block::InpDecode:
      return false;  // 5.9, because of A.9
    case Block::KernReader:
    case Block::KernDecode:
      return kind == conv::Kind::GW;  // 5.10, because of A.16 and A.18
    default:
      return true;
  }
}

// Returns the slowest of the components first..last that count; ties go to the most upstream.
Block slowest(const Gamma& g, Block first, Block last, conv::Kind kind, reading::Total total) {
  Block found = first;
  bool any = false;
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    const auto component = static_cast<Block>(i);
    if (!counts(component, kind, total) || (any && g[component] <= g[found])) continue;
    found = component;
    any = true;
  }
  return found;
}

}  // namespace

Cycles Gamma::operator[](Block component) const {
  switch (component) {
    case Block::InpReader:
      return inp_ddr;
    case Block::InpDecode:
      return inp_dec;
    case Block::InpConstruct:
      return inp_constr;
    case Block::InpIm2col:
      return inp_i2c;
    case Block::KernReader:
      return kern_ddr;
    case Block::KernDecode:
      return kern_dec;
    case Block::KernFeeder:
      return kern_feed;
    case Block::Array:
      return sa;
    case Block::OutConstructor:
      return out_constr;
    case Block::OutEncode:
      return out_enc;
    case Block::OutWriter:
      return out_ddr;
  }
  return 0;
}

Cycles inp_cycles(const Gamma& gamma, const Readings& readings) {
  return gamma[slowest(gamma, Block::InpReader, Block::InpIm2col, conv::Kind::F, readings.total)];
}

Cycles kern_cycles(const Gamma& gamma, conv::Kind kind, const Readings& readings) {
  return gamma[slowest(gamma, Block::KernReader, Block::KernFeeder, kind, readings.total)];
}

Cycles out_cycles(const Gamma& gamma) {
  return gamma[slowest(gamma, Block::OutConstructor, Block::OutWriter, conv::Kind::F, reading::Total::All)];
}

Gamma gamma(const Alpha& alpha, const conv::Convolution& beta, const Readings& readings,
            const conv::WindowGeometry& window) {
  check(alpha);
  refuse_beyond(alpha, beta, window);
  const Terms t{alpha, beta, window, readings};
  Gamma g;
  g.z = window.z;
  g.z_channel = window.z_channel;
  g.m = equations::products_per_output(t);
  g.sa = equations::sa(t);
  add_inp(g, t);
  if (beta.kind == conv::Kind::GW) {
    add_gw(g, t);
  } else {
    add_fgi(g, t);
  }
  g.out_enc = equations::out_encode(t);
  g.out_ddr = equations::out_ddr(t);
  g.limiter = slowest(g, Block::InpReader, Block::OutWriter, beta.kind, readings.total);
  g.total = g[g.limiter];  // 5.13
  return g;
}

Gamma gamma(const Alpha& alpha, const conv::Convolution& beta, const Readings& readings) {
  check(alpha);
  return gamma(alpha, beta, readings, conv::window_geometry(beta, alpha.x));
}

}  // namespace weft::fpgpt
