#include "model/fpgpt/analytical/equations.h"

#include <gtest/gtest.h>

#include <vector>

#include "golden_networks.h"
#include "model/core/error.h"
#include "model/fpgpt/analytical/gamma.h"
#include "model/fpgpt/sizing.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {
namespace {

namespace eq = equations;

// A convolution, a kernel and a reading of the equations, small enough for hand calculation.
struct Case {
  Alpha alpha;
  conv::Convolution beta;
  conv::WindowGeometry window;
  Readings readings;
  eq::Terms terms() const { return {alpha, beta, window, readings}; }
};

Case fitted_case(const conv::Layer& layer, conv::Kind kind) {
  Case c;
  c.alpha = test::array(4, 2);
  c.alpha.bus_bits = 128;
  c.beta = workloads::lower(layer, kind);
  c.window = conv::window_geometry(c.beta, c.alpha.x);
  c.alpha = fitted(c.alpha, c.beta, c.window);
  return c;
}

conv::Layer layer(int batch, int channels, int filters, int size, int kernel, int stride, int pad = 0) {
  const conv::LayerAxis axis{size, kernel, stride, pad, pad, 1};
  return {"small", batch, channels, filters, 1, axis, axis};
}

// F: INP (2, 3, 4, 4), KERN (5, 3, 2, 2), OUT (2, 5, 3, 3) on 4 x 2 PEs, 4 words per beat: M = 3*2*2 = 12, ceil(9/4) =
// 3 X-sets, ceil(5/2) = 3 Y-groups, 2 images. X-sets of 4 outputs wrap a row of 3: outputs (0,0)..(1,0) touch words
// 0..4 at one position, so Z = 5, and words 0..9 in all, so Z_channel = 10. The kernel is compiled for slightly more: 8
// and 13.
Case forward() {
  Case c = fitted_case(layer(2, 3, 5, 4, 2, 1), conv::Kind::F);
  c.alpha.z = 8;
  c.alpha.z_channel = 13;
  return c;
}

// GW of a layer with stride 2: INP (2, 3, 1, 7, 7), KERN (2, 5, 1, 3, 3) dilated by 2 to 5 x 5, OUT (5, 3, 3, 3). M =
// 25, of which 9 are stored, 3 X-sets, 3 Y-groups, N_INP*A = 6; Z = 8 (a row of INP and one word), Z_channel = 40
// (words 0..39).
Case grad_weight() {
  return fitted_case(layer(2, 3, 5, 7, 3, 2), conv::Kind::GW);
}

TEST(CommonFactors, AreThoseOfTheExamples) {
  using Factors = std::vector<std::int64_t>;
  const auto factors = [](const Case& c) -> Factors {
    const eq::Terms t = c.terms();
    return {c.window.z,    c.window.z_channel, eq::products_per_output(t),
            eq::x_sets(t), eq::y_groups(t),    eq::batch_iteration(t)};
  };
  EXPECT_EQ(factors(forward()), (Factors{5, 10, 12, 3, 3, 2}));
  EXPECT_EQ(factors(grad_weight()), (Factors{8, 40, 25, 3, 3, 6}));
}

TEST(CommonFactors, DilationZerosAreProductsUnlessOnlyStoredOnesAreRead) {
  Case gw = grad_weight();
  gw.readings.products = reading::Products::Stored;
  EXPECT_EQ(eq::products_per_output(gw.terms()), 9);
}

TEST(CommonFactors, FixedPointNeedsNoFinalAdd) {
  Alpha alpha;
  alpha.y = 5;
  EXPECT_EQ(eq::shift_delay(alpha), 13);
  alpha.format = NumberFormat::fixed(8);
  EXPECT_EQ(eq::shift_delay(alpha), 5);
}

// A bus of 128 bits: 16 words of 8 bits of INP and KERN, 4 of OUT; 10 of 12 bits packed, 8 padded. KERN has 5*12 = 60
// words, OUT 2*5*9 = 90, Z_channel is 10.
TEST(CommonFactors, EachPortHasTheBandOfItsOwnWords) {
  Case f = forward();
  f.alpha.z = 8;
  f.alpha.format = NumberFormat::fixed(8);
  EXPECT_EQ(eq::decode_channel(f.terms()), 1);     // ceil(10/16)
  EXPECT_EQ(eq::grouping(f.terms()), 2);           // ceil(1*16/8)
  EXPECT_EQ(eq::kern_ddr_fgi(f.terms()), 4);       // ceil(60/16)
  EXPECT_EQ(eq::out_encode_image(f.terms()), 12);  // ceil(45/min(4, 4))
  EXPECT_EQ(eq::out_ddr(f.terms()), 23);           // ceil(90/4): sums of 32 bits
  f.readings.out_word = reading::OutWord::Wl;
  EXPECT_EQ(eq::out_ddr(f.terms()), 6);  // ceil(90/16)
  f.alpha.format = NumberFormat::fixed(12);
  EXPECT_EQ(eq::kern_ddr_fgi(f.terms()), 6);  // ceil(60/10)
  EXPECT_EQ(eq::out_ddr(f.terms()), 9);
  f.alpha.packing = Packing::Padded;
  EXPECT_EQ(eq::kern_ddr_fgi(f.terms()), 8);  // ceil(60/8)
  f.alpha.format = NumberFormat::fp32();
  EXPECT_EQ(eq::kern_ddr_fgi(f.terms()), 15);  // ceil(60/4)
  EXPECT_EQ(eq::out_ddr(f.terms()), 23) << "FP32 has words of one width, whatever is read";
}

TEST(Array, Eq56To58) {
  Case f = forward();
  EXPECT_EQ(eq::sa_ideal(f.terms()), 12 * 3 * 3 * 2);                           // 5.6: 216
  EXPECT_EQ(eq::sa_shifted(f.terms()), (12 * 3 + 2 + 8) * 3 * 2);               // 5.8: 276
  EXPECT_EQ(eq::sa_printed(f.terms()), 115);                                    // 5.7: 46 * 5/2 * 2/2
  EXPECT_EQ(eq::sa_shifted(grad_weight().terms()), (25 * 3 + 10) * 3 * 3 * 2);  // 5.8 with A = 2: 1530
}

TEST(Array, IsReadAs58UnlessToldOtherwise) {
  Case f = forward();
  EXPECT_EQ(eq::sa(f.terms()), 276);
  f.readings.drain = reading::Drain::Hidden;
  EXPECT_EQ(eq::sa(f.terms()), 216);
  f.readings.drain = reading::Drain::PerGroup;
  f.readings.sa_groups = reading::SaGroups::Printed;
  EXPECT_EQ(eq::sa(f.terms()), 115);
}

TEST(BurstRead, ShortRangesPayThreeBlocksOfSixteenBeats) {
  // 13 words are 4 beats of 4: align(4, 16) = 16, three times (A.1-A.3).
  EXPECT_EQ(eq::burst_inner(13, 4, reading::Burst::Fixed), 4);
  EXPECT_EQ(eq::burst_outer(13, 4, reading::Burst::Fixed), 3);
  EXPECT_EQ(eq::burst(13, 4, reading::Burst::Fixed), 48);
  EXPECT_EQ(eq::burst(13, 4, reading::Burst::Printed), 48);
  EXPECT_EQ(eq::burst(13, 4, reading::Burst::Split), 48);  // inner ceil(4/3) = 2, still a block of 16
  EXPECT_EQ(eq::burst(13, 4, reading::Burst::Ideal), 4);
}

TEST(BurstRead, MiddlingRangesShowWhatSplittingSaves) {
  // 4096 words are 256 beats: inner 256, counted three times, or three of ceil(256/3) = 86, aligned to 96.
  EXPECT_EQ(eq::burst(4096, 16, reading::Burst::Fixed), 768);
  EXPECT_EQ(eq::burst(4096, 16, reading::Burst::Split), 288);
  EXPECT_EQ(eq::burst(4096, 16, reading::Burst::Ideal), 256);
}

TEST(BurstRead, ThePrintNeverReadsMoreThan768Beats) {
  // GoogLeNet conv1 GW at X = 4: 49,952 words are 3122 beats, 13 bursts of 256.
  EXPECT_EQ(eq::burst(49952, 16, reading::Burst::Fixed), 13 * 256);
  EXPECT_EQ(eq::burst(49952, 16, reading::Burst::Printed), 3 * 256);
  EXPECT_EQ(eq::burst(49952, 16, reading::Burst::Split), 13 * 256);  // ceil(3122/13) = 241, aligned 256
  EXPECT_EQ(eq::burst(49952, 16, reading::Burst::Ideal), 3122);
  // AlexNet conv1 GW, KERN: 193,600 words are 12,100 beats, 48 bursts.
  EXPECT_EQ(eq::burst(193600, 16, reading::Burst::Fixed), 48 * 256);
  EXPECT_EQ(eq::burst(193600, 16, reading::Burst::Printed), 3 * 256);
  // Up to 12,288 words both are equal (F1).
  EXPECT_EQ(eq::burst(12288, 16, reading::Burst::Fixed), eq::burst(12288, 16, reading::Burst::Printed));
  EXPECT_NE(eq::burst(12289, 16, reading::Burst::Fixed), eq::burst(12289, 16, reading::Burst::Printed));
}

TEST(InpDdr, A4ToA6ReadWhatTheKernelWasCompiledFor) {
  const Case f = forward();
  EXPECT_EQ(eq::channel_jump(f.terms()), 48 * 3);
  EXPECT_EQ(eq::x_set_jump(f.terms()), 48 * 3 * 3);
  EXPECT_EQ(eq::inp_ddr(f.terms()), 48 * 3 * 3 * 3 * 2);  // 2592
  Case larger = f;
  larger.alpha.z_channel = 300;  // 75 beats, aligned 80
  EXPECT_EQ(eq::inp_ddr(larger.terms()), 80 * 3 * 3 * 3 * 3 * 2);
}

TEST(InpDdr, ExactBurstsReadWhatTheConvolutionNeeds) {
  Case f = forward();
  f.readings.burst = reading::Burst::Exact;
  EXPECT_EQ(eq::channel_jump(f.terms()), 3 * 3);  // Z_channel of beta: 10 words, 3 beats, not the 4 of alpha's 13
  EXPECT_EQ(eq::inp_ddr(f.terms()), 3 * 3 * 3 * 3 * 2);
}

TEST(InpDdr, DoubledInterfacesCarryHalfEach) {
  Case f = forward();
  f.readings.interfaces = reading::Interfaces::Doubled;
  EXPECT_EQ(eq::inp_ddr(f.terms()), 24 * 3 * 3 * 3 * 2);
  EXPECT_EQ(eq::kern_ddr_fgi(f.terms()), 8);  // ceil(15 / 2)
  Case gw = grad_weight();
  gw.readings.interfaces = reading::Interfaces::Doubled;
  EXPECT_EQ(eq::kern_ddr_gw(gw.terms()), 24 * 6);
}

TEST(InpDdr, TheTextBeforeA6CountsChannelsOfOut) {
  Case gw = grad_weight();
  EXPECT_EQ(eq::inp_ddr(gw.terms()), 48 * 1 * 3 * 3 * 6);  // ceil(N_KERN / Y) = ceil(5/2) = 3
  gw.readings.inp_groups = reading::InpGroups::COut;
  EXPECT_EQ(eq::inp_ddr(gw.terms()), 48 * 1 * 3 * 2 * 6);  // ceil(C_OUT / Y) = ceil(3/2) = 2
  EXPECT_EQ(eq::inp_decode(gw.terms()), 10 * 1 * 3 * 2 * 6);
  EXPECT_EQ(eq::inp_im2col(gw.terms()), 25 * 3 * 3 * 6);  // A.13 has N_KERN in text and print
}

TEST(InpDecode, A7AndA8RunAtWhatTheConvolutionNeeds) {
  Case f = forward();
  EXPECT_EQ(eq::decode_channel(f.terms()), 3);              // ceil(10 / 4)
  EXPECT_EQ(eq::inp_decode(f.terms()), 3 * 3 * 3 * 3 * 2);  // 162
  f.readings.decode = reading::Decode::Words;
  EXPECT_EQ(eq::inp_decode(f.terms()), 12 * 3 * 3 * 3 * 2);  // align(10, 4)
  f.readings.decode = reading::Decode::Printed;
  EXPECT_EQ(eq::inp_decode(f.terms()), 16 * 3 * 3 * 3 * 2);  // align(10, 16)
}

TEST(InpDecode, ThePrintContradictsA9) {
  // Z_channel = 842, BAND = 16 (F5): 848 cycles to decode what a burst of 192 beats reads.
  Case c = forward();
  c.alpha.bus_bits = 512;
  c.alpha.z_channel = c.window.z_channel = 842;
  EXPECT_EQ(eq::burst(842, 16, reading::Burst::Fixed), 192);
  EXPECT_EQ(eq::decode_channel(c.terms()), 53);
  c.readings.decode = reading::Decode::Printed;
  EXPECT_EQ(eq::decode_channel(c.terms()), 848);
}

TEST(InpConstruct, NarrowZTakesABeatApart) {
  Case f = forward();
  f.alpha.bus_bits = 512;
  f.alpha.z = 5;
  EXPECT_EQ(eq::grouping_words(f.terms()), 16);  // A.10: ceil(10/16) * 16
  EXPECT_EQ(eq::grouping(f.terms()), 4);         // A.11: ceil(16/5)
  EXPECT_EQ(eq::inp_construct(f.terms()), 4 * 3 * 3 * 3 * 2);
  f.readings.construct = reading::Construct::Printed;
  EXPECT_EQ(eq::grouping(f.terms()), 4) << "Z < BAND is right as printed";
  f.readings.construct = reading::Construct::Groups;
  EXPECT_EQ(eq::grouping(f.terms()), 2);  // max(ceil(10/16), ceil(10/5)): only the ten words (CON-1)
}

TEST(InpConstruct, WideZTakesTheBeatsItIsMadeOf) {
  Case f = forward();
  EXPECT_EQ(eq::grouping(f.terms()), 3);  // max(ceil(10/4), ceil(10/8))
  EXPECT_EQ(eq::inp_construct(f.terms()), 3 * 3 * 3 * 3 * 2);
  f.readings.construct = reading::Construct::Printed;
  EXPECT_EQ(eq::grouping_words(f.terms()), 3 * 8);
  EXPECT_EQ(eq::grouping(f.terms()), 6);  // ceil(24/4)
  f.readings.construct = reading::Construct::Groups;
  EXPECT_EQ(eq::grouping(f.terms()), 3);  // as streamed
}

TEST(InpConstruct, ThePrintGrowsWithZ) {
  // Z = 784, Z_channel = 842, BAND = 16 (F6): 2,597 cycles to regroup 53 beats.
  Case c = forward();
  c.alpha.bus_bits = 512;
  c.alpha.z = 784;
  c.window.z_channel = 842;
  EXPECT_EQ(eq::grouping(c.terms()), 53);
  c.readings.construct = reading::Construct::Printed;
  EXPECT_EQ(eq::grouping(c.terms()), 2597);
}

TEST(InpIm2col, A13IsOneColumnPerCycle) {
  EXPECT_EQ(eq::inp_im2col(forward().terms()), 216);
  EXPECT_EQ(eq::inp_im2col(grad_weight().terms()), 25 * 3 * 3 * 6);
}

// 8 words a beat of INP, 2 of KERN, 1 of OUT. A window of 13 words is two beats, 48 with the burst of HLS; one of 10
// words two beats of decode. KERN has 60 words, OUT 90.
TEST(Bands, AreThoseOfThePorts) {
  Case f = forward();
  f.alpha.port_bits = {256, 64, 32};
  EXPECT_EQ(f.alpha.band(Port::Inp), 8);
  EXPECT_EQ(eq::decode_channel(f.terms()), 2);
  EXPECT_EQ(eq::grouping(f.terms()), 2);  // max(ceil(10/8), ceil(10/8))
  EXPECT_EQ(eq::kern_ddr_fgi(f.terms()), 30);
  EXPECT_EQ(eq::out_ddr(f.terms()), 90);
  EXPECT_EQ(eq::out_encode_image(f.terms()), 45);  // one word a cycle, not X = 4
  Case gw = grad_weight();                         // K_range of 45 words
  gw.alpha.port_bits = {256, 64, 32};
  gw.alpha.y = 4;
  EXPECT_EQ(eq::kern_decode_range(gw.terms()), 23);  // min(Y, BAND) = 2
  gw.alpha.port_bits = {64, 256, 32};
  EXPECT_EQ(eq::kern_decode_range(gw.terms()), 12);  // min(Y, BAND) = 4
  gw.alpha.format = NumberFormat::fixed(8);
  gw.readings.out_word = reading::OutWord::Wl;
  EXPECT_EQ(eq::out_ddr(gw.terms()), ceil_div(gw.beta.out_words(), 4));  // four words of 8 bits a beat
}

TEST(KernForward, A14ToA21) {
  Case f = forward();  // KERN has 5*3*2*2 = 60 words
  EXPECT_EQ(eq::kern_ddr_fgi(f.terms()), 15);
  EXPECT_EQ(eq::kern_decode_fgi(f.terms()), 60);
  EXPECT_EQ(eq::kern_zeros_not_stored(f.terms()), 0);
  EXPECT_EQ(eq::kern_fill_fgi(f.terms()), 60);
  EXPECT_EQ(eq::kern_feed_group_fgi(f.terms()), 12 * 3 + 10);
  EXPECT_EQ(eq::kern_feed_all_fgi(f.terms()), 46 * 3 * 2);
  EXPECT_EQ(eq::kern_feed_fgi(f.terms()), 60 + 276);
  f.readings.kern_fill = reading::KernFill::Overlapped;
  EXPECT_EQ(eq::kern_feed_fgi(f.terms()), 276);
  f.readings.drain = reading::Drain::Hidden;
  EXPECT_EQ(eq::kern_feed_fgi(f.terms()), 216);
}

TEST(KernForward, AWideLoadStoresABeatACycle) {
  Case f = forward();  // 5*3*2*2 = 60 words, 15 beats of 4
  const Cycles feed = eq::kern_feed_all_fgi(f.terms());
  f.readings.kern_load = reading::KernLoad::Beats;
  EXPECT_EQ(eq::kern_decode_fgi(f.terms()), 15);
  EXPECT_EQ(eq::kern_feed_fgi(f.terms()), 15 + feed);
}

TEST(KernForward, A17CountsTheZerosOfADilatedKernel) {
  conv::Layer l = layer(1, 3, 5, 7, 3, 1);
  l.h.dilation = l.w.dilation = 2;  // 5 x 5 with 9 weights
  EXPECT_EQ(eq::kern_zeros_not_stored(fitted_case(l, conv::Kind::F).terms()), (75 - 27) * 5);
}

TEST(KernGradWeight, A22ToA25ReadTheRangeOncePerInpMap) {
  Case gw = grad_weight();  // N_KERN*C*H*W = 45 words, 12 beats of 4
  EXPECT_EQ(eq::kern_burst_gw(gw.terms()), 48);
  EXPECT_EQ(eq::kern_ddr_gw(gw.terms()), 48 * 6);
  gw.readings.burst = reading::Burst::Ideal;
  EXPECT_EQ(eq::kern_ddr_gw(gw.terms()), 12 * 6);
}

TEST(KernGradWeight, ExactBurstsReadTheRangeOfTheConvolution) {
  Case gw = grad_weight();
  gw.alpha.k_range = 1000;  // a kernel for larger convolutions
  gw.readings.burst = reading::Burst::Exact;
  EXPECT_EQ(eq::kern_ddr_gw(gw.terms()), 12 * 6);
  gw.readings.k_range = reading::KRange::Group;
  EXPECT_EQ(eq::kern_ddr_gw(gw.terms()), 5 * 3 * 6);
}

TEST(KernGradWeight, PackedSetsFollowEachOtherWithoutAlignment) {
  Case gw = grad_weight();  // M = 25, Y = 2: 26 cycles per set unless packed; 3 X-sets, then Y + 8
  EXPECT_EQ(eq::kern_feed_group_gw(gw.terms()), 26 * 3 + 10);
  gw.readings.gw_sets = reading::GwSets::Packed;
  EXPECT_EQ(eq::kern_feed_group_gw(gw.terms()), 25 * 3 + 10);
}

TEST(KernGradWeight, ARangePerYGroupIsReadThreeTimesAsOften) {
  Case gw = grad_weight();  // Y*C*H*W = 18 words, 5 beats, 3 Y-groups
  gw.readings.k_range = reading::KRange::Group;
  EXPECT_EQ(eq::kern_ddr_gw(gw.terms()), 48 * 3 * 6);
  EXPECT_EQ(eq::kern_decode_gw(gw.terms()), 9 * 3 * 6);
  gw.readings.burst = reading::Burst::Ideal;
  EXPECT_EQ(eq::kern_ddr_gw(gw.terms()), 5 * 3 * 6);
}

TEST(KernGradWeight, A26AndA27GiveYWordsOrTakeABeatACycle) {
  Case gw = grad_weight();
  EXPECT_EQ(eq::kern_decode_range(gw.terms()), 23);  // Y = 2 < BAND: ceil(45/2)
  EXPECT_EQ(eq::kern_decode_gw(gw.terms()), 23 * 6);
  gw.alpha.y = 8;
  EXPECT_EQ(eq::kern_decode_range(gw.terms()), 12);  // Y = 8 >= BAND: ceil(45/4)
}

TEST(KernGradWeight, A28ToA33) {
  Case gw = grad_weight();
  EXPECT_EQ(eq::kern_data_read(gw.terms()), 10);               // align(9, 2)
  EXPECT_EQ(eq::kern_fifo_write(gw.terms()), 26);              // align(25, 2)
  EXPECT_EQ(eq::kern_feed_group_gw(gw.terms()), 26 * 3 + 10);  // A.30: 88
  EXPECT_EQ(eq::kern_feed_all_gw(gw.terms()), 88 * 3 * 6);     // A.31: 1584
  EXPECT_EQ(eq::kern_feed_init_gw(gw.terms()), 10);
  EXPECT_EQ(eq::kern_feed_gw(gw.terms()), 10 + 1584);
}

TEST(KernGradWeight, OtherReadingsOfA30AndA33) {
  Case gw = grad_weight();
  gw.readings.gw_drain = reading::GwDrain::Printed;
  EXPECT_EQ(eq::kern_feed_group_gw(gw.terms()), 26 * 3 + 10 + 10);
  gw.readings.gw_drain = reading::GwDrain::PerSet;
  EXPECT_EQ(eq::kern_feed_group_gw(gw.terms()), (26 + 10) * 3);
  gw.readings.gw_drain = reading::GwDrain::Once;
  gw.readings.gw_feed = reading::GwFeed::Printed;
  EXPECT_EQ(eq::kern_feed_gw(gw.terms()), 10 + 88);
}

TEST(OutForward, A39ToA41) {
  const Case f = forward();
  EXPECT_EQ(eq::out_group(f.terms()), 2 * 3);
  EXPECT_EQ(eq::out_main_fgi(f.terms()), 6 * 3 * 2);
  EXPECT_EQ(eq::out_construct_fgi(f.terms()), 6 + 36);
}

TEST(OutGradWeight, A34ToA38) {
  Case gw = grad_weight();  // OUT is (N_OUT 5, C_OUT 3, 3, 3)
  EXPECT_EQ(eq::out_group(gw.terms()), 2 * 3);
  EXPECT_EQ(eq::out_pre_accumulation(gw.terms()), 6 * 2 * 5);  // ceil(3/2) * 5
  EXPECT_EQ(eq::out_accumulation(gw.terms()), 6 * 2 * 5 * 2);
  EXPECT_EQ(eq::out_write_out(gw.terms()), 3 * 3 * 5);
  EXPECT_EQ(eq::out_construct_gw(gw.terms()), 6 * 3 * 3 * 2 + 45);  // ceil(5/2) * 3, 153
  gw.readings.out_construct = reading::OutConstruct::COut;
  EXPECT_EQ(eq::out_construct_gw(gw.terms()), 120 + 45);
}

TEST(OutEncode, A42AndA43RoundUpPerImage) {
  Case f = forward();
  EXPECT_EQ(eq::out_encode_image(f.terms()), 12);  // ceil(5*9 / 4)
  EXPECT_EQ(eq::out_encode(f.terms()), 24);
  f.alpha.x = 8;  // X >= BAND: BAND words per cycle
  EXPECT_EQ(eq::out_encode_image(f.terms()), 12);
  f.alpha.x = 3;
  EXPECT_EQ(eq::out_encode_image(f.terms()), 15);
  EXPECT_EQ(eq::out_encode(grad_weight().terms()), 7 * 5);  // ceil(3*9 / 4) for each of 5 kernels
}

TEST(OutDdr, A44HasNoBurstOverhead) {
  Case f = forward();
  EXPECT_EQ(eq::out_ddr(f.terms()), 23);  // ceil(90 / 4)
  f.readings.out_write = reading::OutWrite::Aligned;
  EXPECT_EQ(eq::out_ddr(f.terms()), 32);
  EXPECT_EQ(eq::out_ddr(grad_weight().terms()), 34);  // ceil(135 / 4)
}

TEST(Total, Eq513IsTheLargestComponent) {
  const Case f = forward();
  const Gamma g = gamma(f.alpha, f.beta);
  EXPECT_EQ(g.total, 2592);
  EXPECT_EQ(g.limiter, Block::InpReader);
  Readings ideal;
  ideal.burst = reading::Burst::Ideal;
  const Gamma h = gamma(f.alpha, f.beta, ideal);  // INP_DDR 4*54 = 216, so the feeder's 336 are the most
  EXPECT_EQ(h.total, 336);
  EXPECT_EQ(h.limiter, Block::KernFeeder);
  EXPECT_TRUE(compute_bound(h.limiter));
  EXPECT_FALSE(compute_bound(g.limiter));
}

TEST(Subsystems, Eq59To512TakeTheSlowestOfTheirComponents) {
  Gamma g;
  g.inp_ddr = 4, g.inp_dec = 9, g.inp_constr = 5, g.inp_i2c = 6;
  g.kern_ddr = 30, g.kern_dec = 20, g.kern_feed = 10;
  g.out_constr = 1, g.out_enc = 3, g.out_ddr = 2;
  Readings printed;
  printed.total = reading::Total::Printed;
  EXPECT_EQ(inp_cycles(g), 9);
  EXPECT_EQ(inp_cycles(g, printed), 6);  // 5.9
  EXPECT_EQ(kern_cycles(g, conv::Kind::F), 30);
  EXPECT_EQ(kern_cycles(g, conv::Kind::GI, printed), 10);  // 5.10
  EXPECT_EQ(kern_cycles(g, conv::Kind::GW, printed), 30);  // 5.11
  EXPECT_EQ(out_cycles(g), 3);                             // 5.12
}

TEST(Total, Eq59LeavesDecodeOut) {
  Case f = forward();
  Readings r;
  r.burst = reading::Burst::Ideal;
  r.decode = reading::Decode::Printed;  // 16*54 = 864
  EXPECT_EQ(gamma(f.alpha, f.beta, r).total, 864);
  EXPECT_EQ(gamma(f.alpha, f.beta, r).limiter, Block::InpDecode);
  r.total = reading::Total::Printed;
  EXPECT_EQ(gamma(f.alpha, f.beta, r).total, 336);
}

TEST(Total, TiesGoToTheMostUpstream) {
  // One word per beat: reading, decoding and regrouping all take the 10 words of a channel, 540 cycles in all.
  Case f = forward();
  f.alpha.bus_bits = 32;
  f.alpha = fitted(f.alpha, f.beta);
  Readings ideal;
  ideal.burst = reading::Burst::Ideal;
  const Gamma g = gamma(f.alpha, f.beta, ideal);
  EXPECT_EQ(g.inp_ddr, 10 * 3 * 3 * 3 * 2);
  EXPECT_EQ(g.inp_dec, g.inp_ddr);
  EXPECT_EQ(g.inp_constr, g.inp_ddr);
  EXPECT_EQ(g.total, g.inp_ddr);
  EXPECT_EQ(g.limiter, Block::InpReader);
}

TEST(Claims, DecodeIsNeverSlowerThanReadingAndTheFeederNeverFasterThanTheArray) {
  for (const auto& c : test::training_convolutions(test::golden_layers("googlenet", 256))) {
    const Gamma g = gamma(fitted(test::array(4, 8), c), c);
    EXPECT_LE(g.inp_dec, g.inp_ddr);  // A.9
    EXPECT_GE(g.inp_constr, g.inp_dec);
    EXPECT_GE(g.kern_feed, g.sa);  // 5.10 and F13: the array is never the limiter
    if (c.kind != conv::Kind::GW) {
      EXPECT_GE(g.kern_dec, g.kern_ddr);   // A.16 with >= (F12)
      EXPECT_GT(g.kern_feed, g.kern_dec);  // 5.10
    }
  }
}

TEST(Claims, A16IsAnEqualityAtOneWordPerBeat) {
  Case f = forward();
  f.alpha.bus_bits = 32;
  EXPECT_EQ(eq::kern_ddr_fgi(f.terms()), eq::kern_decode_fgi(f.terms()));
}

TEST(LargeBatches, WhatIsLinearInTheBatchStaysExactAt4096) {
  std::vector<conv::Layer> layers = test::golden_layers("alexnet", 1);
  layers.push_back(layer(1, 64, 64, 224, 3, 1, 1));   // VGG conv1_2
  layers.push_back(layer(1, 512, 512, 28, 3, 1, 1));  // VGG conv4
  for (conv::Layer l : layers) {
    for (const conv::Kind kind : {conv::Kind::F, conv::Kind::GI, conv::Kind::GW}) {
      Alpha alpha;
      alpha.x = alpha.y = 1;  // the most cycles of all arrays
      l.batch = 1;
      const auto one = workloads::lower(l, kind);
      l.batch = 4096;
      const auto many = workloads::lower(l, kind);
      const Gamma a = gamma(fitted(alpha, one), one), b = gamma(fitted(alpha, many), many);
      EXPECT_EQ(b.sa, 4096 * a.sa) << l.name;
      EXPECT_EQ(b.inp_ddr, 4096 * a.inp_ddr) << l.name;
      EXPECT_EQ(b.inp_constr, 4096 * a.inp_constr) << l.name;
      EXPECT_GT(b.total, 0) << l.name;
    }
  }
}

TEST(LargeBatches, BeyondInt64IsAnErrorAndNotANumber) {
  Case f = forward();
  f.beta.n_inp = std::int64_t{1} << 58;
  EXPECT_THROW(gamma(f.alpha, f.beta), Error);
  EXPECT_THROW(eq::product({std::int64_t{1} << 40, std::int64_t{1} << 40}), Error);
  EXPECT_EQ(eq::product({3, 0, 5}), 0);
}

TEST(GammaOfAKernel, IsRefusedWhereTheKernelIsTooSmall) {
  Case f = forward();
  f.alpha.z_channel = 9;
  EXPECT_THROW(gamma(f.alpha, f.beta), Error);
  f = forward();
  f.alpha.y = 0;
  EXPECT_THROW(gamma(f.alpha, f.beta), Error);
}

}  // namespace
}  // namespace weft::fpgpt
