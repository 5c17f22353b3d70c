#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/conv/convolution.h"
#include "model/conv/window.h"
#include "model/fpgpt/alpha.h"
#include "model/fpgpt/analytical/gamma.h"
#include "model/fpgpt/analytical/readings.h"
#include "model/fpgpt/analytical/resources.h"
#include "model/fpgpt/sizing.h"

namespace weft::fpgpt::dse {

// Choice of Z for a given X. A kernel needs at least the words that one window position spans (F7). A larger Z, up to
// BAND, shortens the regrouping of INP (A.10, A.11). Larger ones still are not searched, although by the alignments of
// 5.14 one may take a block less than the Z that is needed.
enum class ZChoice : std::uint8_t {
  Searched,  // every Z from the needed one up to BAND
  Fitted     // the needed one, as in the golden tables
};

// Storage of the memories of INP, KERN and OUT ("stored" of Eq. 5.22); time does not depend on it.
enum class StorageChoice : std::uint8_t {
  Searched,  // whichever of BRAM and URAM is free
  Fixed      // as the kernel specifies
};

// Arrays to explore (the thesis, section 5.6.2: 4 to 4096 PEs). X never exceeds the outputs of one map, nor Y the KERN
// tensors of the convolution (section 5.6.4): further columns and rows would idle.
struct Space {
  int max_x = std::numeric_limits<int>::max();
  int max_y = std::numeric_limits<int>::max();
  std::int64_t min_pes = 1;
  std::int64_t max_pes = std::numeric_limits<std::int64_t>::max();
  ZChoice z = ZChoice::Searched;
  StorageChoice storage = StorageChoice::Searched;
};

struct Array {
  int x = 1;
  int y = 1;
};

// Returns the arrays of the space for one convolution, by X, then by Y; resources are not checked.
std::vector<Array> arrays(const Space& space, const conv::Convolution& beta);

// True if every equation is the same for two convolutions; the addresses of their tensors may differ.
bool same_shape(const conv::Convolution& a, const conv::Convolution& b);

// A design space exploration. `shapes` are distinct convolutions; X, Y, variant and sizes of alpha vary, the rest is
// that of `base`.
struct Problem {
  Alpha base;
  Readings readings;
  Budget budget;
  Space space;
  std::vector<conv::Convolution> shapes;
  // True: a convolution that does not fit a kernel is carried out in several launches, each with a part of its KERN
  // tensors (parts.h). The fewest launches that fit are taken.
  bool split = false;

  // Most columns and rows of any kernel: those of the space that the DSPs allow.
  int widest() const;
  int tallest() const;
};

// Window geometry (F7) of one convolution for X = 1 .. min(widest, H_OUT*W_OUT). At the last X one set covers a whole
// map, so its geometry holds for every larger X.
class Windows {
 public:
  Windows() = default;
  Windows(const conv::Convolution& beta, int widest);
  const conv::WindowGeometry& of(int x) const {
    return by_x_[std::min<std::size_t>(static_cast<std::size_t>(x), by_x_.size()) - 1];
  }

 private:
  std::vector<conv::WindowGeometry> by_x_;
};

// Returns the variant that runs `kind`. F and GI share kernels, GW has its own: KERN and OUT differ at compile time
// (seed 004, sections 5.3.7 and 5.3.8).
Variant variant_of(conv::Kind kind);

// Returns the kernel of the array fitted to `beta`, with the smallest possible Z.
Alpha fitted_kernel(const Problem& problem, const conv::Convolution& beta, const Windows& windows, Array array);

// Returns the largest Z of a kernel whose convolutions need `needed`: with ZChoice::Searched at least BAND.
int largest_z(const Problem& problem, int needed);

// Storages of INP, KERN and OUT in order of preference: all in BRAM, then more and more of them in URAM, which has few
// and large blocks, KERN first.
using Storages = std::array<Storage, 3>;
const std::vector<Storages>& storages(const Problem& problem);

// Kernel for `betas` with the first storages that fit the budget (5.22), or with the first of all if none fits.
struct Stored {
  Alpha alpha;
  Resources resources;
  bool fits = false;
};
Stored stored(const Problem& problem, const Alpha& alpha, const std::vector<conv::Convolution>& betas);

// Kernel with the array, variant and Z of an alpha for one convolution, all else fitted to its launches: one or, with
// Problem::split, the fewest with which the kernel fits. `launch`: the first, largest of them; one Y-group if not even
// that fits.
struct Fitted {
  Stored kernel;
  conv::Convolution launch;
};
Fitted fitted_launches(const Problem& problem, const Alpha& alpha, const conv::Convolution& beta,
                       const conv::WindowGeometry& window);

// Returns the first, largest launch of a convolution on a kernel of given sizes.
conv::Convolution launched(const Problem& problem, const Alpha& alpha, const conv::Convolution& beta);

// Returns the cycles of all launches of a convolution on a kernel, by the equations. `window`: of any part.
Cycles cycles_of(const Problem& problem, const Alpha& alpha, const conv::Convolution& beta,
                 const conv::WindowGeometry& window);

}  // namespace weft::fpgpt::dse
