#pragma once

#include <cstdint>
#include <initializer_list>

#include "model/conv/convolution.h"
#include "model/conv/window.h"
#include "model/core/units.h"
#include "model/fpgpt/alpha.h"
#include "model/fpgpt/analytical/readings.h"

// The equations of the thesis (chapter 5 and Appendix A), one function each, under the readings of readings.h. They
// describe the kernel that the thesis built (profile `hls`), and other kernels under the readings for profile switches
// (readings_of). They omit the memory except its beats (latency, row misses, refresh, ports that share a channel),
// bursts and FIFOs, the latency of every pipeline, the fill of the first line buffer, and stalls of components on each
// other. Sizes fixed at compile time are from alpha, those of a run from beta. Any product beyond int64 throws Error.
namespace weft::fpgpt::equations {

// Inputs of an equation. Borrowed: everything must outlive the terms. `window` is window_geometry(beta, alpha.x).
struct Terms {
  const Alpha& alpha;
  const conv::Convolution& beta;
  const conv::WindowGeometry& window;
  const Readings& readings;
};

// Factors that the equations share.
std::int64_t products_per_output(const Terms& t);  // M (5.3.3, A.13; reading Products)
std::int64_t x_sets(const Terms& t);               // ceil(H_OUT * W_OUT / X), "X set jump"
std::int64_t y_groups(const Terms& t);             // ceil(N_KERN / Y), "completing N_KERN"
std::int64_t batch_iteration(const Terms& t);      // N_INP * A
Cycles shift_delay(const Alpha& alpha);            // Y + 8; Y for fixed point, which adds without interleaving (6.2.2)

// The array.
Cycles sa_ideal(const Terms& t);    // 5.6, times A
Cycles sa_printed(const Terms& t);  // 5.7, times A
Cycles sa_shifted(const Terms& t);  // 5.8
Cycles sa(const Terms& t);          // the one that the readings select

// INP.
std::int64_t burst_inner(Words words, int band, reading::Burst as);  // A.2, A.23
std::int64_t burst_outer(Words words, int band, reading::Burst as);  // A.3, A.24
Cycles burst(Words words, int band, reading::Burst as);              // A.1, A.22: beats of one burst read of `words`
Cycles channel_jump(const Terms& t);                                 // A.4
Cycles x_set_jump(const Terms& t);                                   // A.5
Cycles inp_ddr(const Terms& t);                                      // A.6
Cycles decode_channel(const Terms& t);                               // A.7
Cycles inp_decode(const Terms& t);                                   // A.8
Words grouping_words(const Terms& t);                                // A.10
Cycles grouping(const Terms& t);                                     // A.11
Cycles inp_construct(const Terms& t);                                // A.12
Cycles inp_im2col(const Terms& t);                                   // A.13

// KERN, forward and grad-IFM.
Cycles kern_ddr_fgi(const Terms& t);          // A.14
Cycles kern_decode_fgi(const Terms& t);       // A.15
Words kern_zeros_not_stored(const Terms& t);  // A.17
Cycles kern_fill_fgi(const Terms& t);         // A.18
Cycles kern_feed_group_fgi(const Terms& t);   // A.19
Cycles kern_feed_all_fgi(const Terms& t);     // A.20
Cycles kern_feed_fgi(const Terms& t);         // A.21

// KERN, grad-weight.
Cycles kern_burst_gw(const Terms& t);       // A.22
Cycles kern_ddr_gw(const Terms& t);         // A.25
Cycles kern_decode_range(const Terms& t);   // A.26
Cycles kern_decode_gw(const Terms& t);      // A.27
Cycles kern_data_read(const Terms& t);      // A.28
Cycles kern_fifo_write(const Terms& t);     // A.29
Cycles kern_feed_group_gw(const Terms& t);  // A.30
Cycles kern_feed_all_gw(const Terms& t);    // A.31
Cycles kern_feed_init_gw(const Terms& t);   // A.32
Cycles kern_feed_gw(const Terms& t);        // A.33

// OUT.
Cycles out_group(const Terms& t);             // A.34, A.39
Cycles out_pre_accumulation(const Terms& t);  // A.35
Cycles out_accumulation(const Terms& t);      // A.36
Cycles out_write_out(const Terms& t);         // A.37
Cycles out_construct_gw(const Terms& t);      // A.38
Cycles out_main_fgi(const Terms& t);          // A.40
Cycles out_construct_fgi(const Terms& t);     // A.41
Cycles out_encode_image(const Terms& t);      // A.42
Cycles out_encode(const Terms& t);            // A.43
Cycles out_ddr(const Terms& t);               // A.44

// Returns a product of factors >= 0; throws Error beyond 2^60, so that a sum of a few products cannot overflow.
std::int64_t product(std::initializer_list<std::int64_t> factors);

}  // namespace weft::fpgpt::equations
