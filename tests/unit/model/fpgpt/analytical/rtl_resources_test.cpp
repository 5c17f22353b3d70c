#include "model/fpgpt/analytical/rtl_resources.h"

#include <gtest/gtest.h>

#include <tuple>

#include "model/fpgpt/analytical/resources.h"

namespace weft::fpgpt {
namespace {

Alpha eight_by_eight() {
  Alpha a;
  a.x = a.y = 8;
  a.z = 16;
  a.bus_bits = 512;
  a.z_channel = 1024;
  a.k_range = a.kern_words = 65536;
  a.out_words = 16384;
  return a;
}

// Shapes of UG573: BRAM18 512 x 36, 1024 x 18, 2048 x 9, 4096 x 4, 8192 x 2, 16384 x 1; a BRAM36 has twice the words or
// 72 bits.
TEST(RtlRam, TakesTheShapeThatNeedsTheFewest) {
  EXPECT_EQ(ram_use(32, 512, Storage::BRAM).bram18, 1);
  EXPECT_EQ(ram_use(32, 513, Storage::BRAM).bram18, 2) << "1024 x 18, two beside each other";
  EXPECT_EQ(ram_use(32, 4096, Storage::BRAM).bram18, 8) << "4096 x 9 in a BRAM36, four";
  EXPECT_EQ(ram_use(512, 512, Storage::BRAM).bram18, 15) << "36 bits each, parity used";
  EXPECT_EQ(ram_use(512, 4096, Storage::BRAM).bram18, 114);
  EXPECT_EQ(ram_use(256, 1025, Storage::BRAM).bram18, 22) << "7 x 3 of 512 x 36, and 4 bits in one of 4096 x 4";
  EXPECT_EQ(ram_use(64, 64, Storage::BRAM).bram18, 0) << "in LUTs";
  EXPECT_EQ(ram_use(64, 64, Storage::BRAM).lut, 80) << "7 bits of 64 words in 8 LUTs";
  EXPECT_EQ(ram_use(64, 32, Storage::BRAM).lut, 40) << "14 bits of 32 words in 8 LUTs";
  EXPECT_EQ(ram_use(64, 32, Storage::BRAM).ff, 64) << "and the read register beside";
  EXPECT_EQ(ram_use(73, 4097, Storage::URAM).uram, 4);
}

// Expected values: yosys 0.23's mapping of ram.sv for each width and depth.
TEST(RtlRam, NarrowMemoriesLieInLutsAsFarAsThoseAreCheaper) {
  const auto blocks = [](std::int64_t width, std::int64_t depth) {
    return ram_use(width, depth, Storage::BRAM).bram18;
  };
  EXPECT_EQ(std::tuple(blocks(25, 128), blocks(26, 128), blocks(12, 256), blocks(13, 256)), std::tuple(0, 1, 0, 1));
  EXPECT_EQ(blocks(8, 384), 1);
  EXPECT_EQ(blocks(32, 65), 1) << "words of 32 bits go no further than 64";
}

// A feature that the equations do not model: with wide_kern_load each row of the array stores all of KERN.
TEST(RtlResources, WideKernLoadKeepsACopyOfKernPerRow) {
  Alpha narrow = eight_by_eight(), wide = eight_by_eight();
  wide.profile.wide_kern_load = true;
  EXPECT_EQ(buffer_of(RtlBlock::KernFeederFgi, narrow).depth, 65536 / 8);
  EXPECT_EQ(buffer_of(RtlBlock::KernFeederFgi, wide).depth, 65536 / 16 + 1) << "the first beat may be a partial one";
  EXPECT_EQ(buffer_of(RtlBlock::KernFeederFgi, wide).width, 512);
  // 8192 x 32: eight BRAM36 of 8192 x 4 per row. 4097 x 512: 14 times 9 BRAM18 of 512 x 36 and 3 of 2048 x 9 per row.
  EXPECT_EQ(memory_use(RtlBlock::KernFeederFgi, narrow, 1).bram18, 8 * 16);
  EXPECT_EQ(memory_use(RtlBlock::KernFeederFgi, wide, 1).bram18, 8 * 129);
  EXPECT_EQ(resources(narrow).memories[1].blocks(), resources(wide).memories[1].blocks()) << "5.15 sees no difference";
}

TEST(RtlResources, AKernelHasTheBlocksOfItsVariant) {
  Alpha alpha = eight_by_eight();
  alpha.variant = Variant::FGI;
  EXPECT_TRUE(synthesised(RtlBlock::KernFeederGw, alpha, 1) == LogicUse{});
  EXPECT_GT(synthesised(RtlBlock::KernFeederFgi, alpha, 1).lut, 0);
  const LogicUse fgi = synthesised(alpha, 1);
  alpha.variant = Variant::Both;
  EXPECT_GT(synthesised(alpha, 1).lut, fgi.lut);
}

TEST(RtlResources, TheReadingGivesLutsAndRegistersToo) {
  const Alpha alpha = eight_by_eight();
  Readings readings;
  readings.resources = reading::Resources::Synthesis;
  const Resources rtl = resources(alpha, readings), thesis = resources(alpha);
  const LogicUse use = synthesised(alpha, max_sets_of(alpha));
  EXPECT_EQ(std::tuple(rtl.dsp, rtl.bram18, rtl.lut), std::tuple(use.dsp, use.bram18, use.lut));
  EXPECT_FALSE(thesis.lut.has_value());
  Budget budget{10000, 10000, 0, {}, {}};
  EXPECT_EQ(compare(rtl, budget).size(), 3u) << "a board that does not say how many LUTs it has";
  budget.lut = use.lut - 1;
  budget.ff = use.ff;
  const ResourceReport report = compare(rtl, budget);
  ASSERT_EQ(report.size(), 5u);
  EXPECT_FALSE(report[3].fits());
  EXPECT_TRUE(report[4].fits());
  EXPECT_EQ(compare(thesis, budget).size(), 3u);
}

TEST(RtlResources, TheMemoriesAddUpToTheBlocksThatAreNotTablesOrFifos) {
  const Alpha alpha = eight_by_eight();
  Readings readings;
  readings.resources = reading::Resources::Synthesis;
  std::int64_t blocks = 0;
  for (const MemoryUse& memory : resources(alpha, readings).memories) blocks += memory.blocks();
  const std::int64_t table = 3 * ram_use(32, max_sets_of(alpha), Storage::BRAM).bram18;  // im2col and the INP walkers
  EXPECT_EQ(resources(alpha, readings).bram18, blocks + table);
}

}  // namespace
}  // namespace weft::fpgpt
