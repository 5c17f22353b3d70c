#include "model/conv/loop_nest.h"

namespace weft::conv {

template void run_loop_nest<FloatSum>(const Convolution&, WordSpan<const float>, WordSpan<const float>,
                                      WordSpan<float>);
template void run_loop_nest<DoubleSum>(const Convolution&, WordSpan<const float>, WordSpan<const float>,
                                       WordSpan<float>);

}  // namespace weft::conv
