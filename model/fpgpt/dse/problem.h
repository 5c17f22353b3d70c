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

// How Z follows from X. A kernel needs at least the words that one window position spans (F7). More of them, up to
// BAND, shorten the regrouping of INP (A.10, A.11); beyond BAND it gets no shorter. What is left out: a Z beyond both
// may by the alignments of 5.14 take a block less than the Z that is needed.
enum class ZChoice : std::uint8_t {
  Searched,  // every Z from what is needed up to BAND
  Fitted     // what is needed, as in the golden tables
};

// Where the memories of INP, KERN and OUT go ("stored" of Eq. 5.22). Time does not depend on it.
enum class StorageChoice : std::uint8_t {
  Searched,  // whichever of BRAM and URAM is free
  Fixed      // as the kernel says
};

// The arrays that are looked at (the thesis, section 5.6.2: 4 to 4096 PEs). X never exceeds the outputs of one map, nor
// Y the KERN tensors of the convolution (section 5.6.4): columns and rows beyond them would idle.
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

// The arrays of the space for one convolution, by X, then by Y; resources are not asked.
std::vector<Array> arrays(const Space& space, const conv::Convolution& beta);

// Whether two convolutions are the same to every equation: they may differ in where their tensors lie.
bool same_shape(const conv::Convolution& a, const conv::Convolution& b);

// What is to be explored. `shapes` are distinct convolutions; everything of alpha but X, Y, variant and sizes comes
// from `base`.
struct Problem {
  Alpha base;
  Readings readings;
  Budget budget;
  Space space;
  std::vector<conv::Convolution> shapes;

  // The most columns and rows that any kernel may have: those of the space that the DSPs allow.
  int widest() const;
  int tallest() const;
};

// Window geometry (F7) of one convolution for X = 1 .. min(widest, H_OUT*W_OUT). One set covers a whole map from there
// on: the last one serves every larger X.
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

// The variant that runs the kind. F and GI share kernels, GW has its own: KERN and OUT differ at compile time (seed
// 004, sections 5.3.7 and 5.3.8).
Variant variant_of(conv::Kind kind);

// The kernel of the array fitted to `beta`, Z as small as it can be.
Alpha fitted_kernel(const Problem& problem, const conv::Convolution& beta, const Windows& windows, Array array);

// The Z that a kernel may have whose convolutions need `needed`: that, and with ZChoice::Searched all up to BAND.
int largest_z(const Problem& problem, int needed);

// The storages of INP, KERN and OUT that a kernel may have, the preferred first: in BRAM all three, then ever more of
// them in URAM, which has few and large blocks, KERN first.
using Storages = std::array<Storage, 3>;
const std::vector<Storages>& storages(const Problem& problem);

// The kernel for `betas` with the first storages that fit the budget (5.22); if none does, with the first of all.
struct Stored {
  Alpha alpha;
  Resources resources;
  bool fits = false;
};
Stored stored(const Problem& problem, Alpha alpha, const std::vector<conv::Convolution>& betas);

}  // namespace weft::fpgpt::dse
