#include "model/fpgpt/registers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "model/fpgpt/sizing.h"
#include "workloads/lowering.h"

namespace weft::fpgpt {
namespace {

using conv::Convolution;
using conv::Kind;

std::vector<std::string> all_of(const std::string& text, const std::regex& word) {
  std::vector<std::string> words;
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) words.push_back(it->str());
  return words;
}

// Returns the R/W registers of the table in REGISTERS.md, by name; a register of two words by its first word.
std::map<std::string, std::vector<Address>> documented() {
  std::ifstream file(WEFT_SOURCE_DIR "/kernels/fpgpt/rtl/REGISTERS.md");
  std::map<std::string, std::vector<Address>> registers;
  const std::regex row(R"(\| (0x[^|]*) \| ([A-Z_, ]+) \| R/W \|.*)");
  for (std::string line; std::getline(file, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    const std::vector<std::string> addresses = all_of(cells[1], std::regex("0x[0-9A-F]+"));
    const std::vector<std::string> names = all_of(cells[2], std::regex("[A-Z_]+"));
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      registers[names[std::min(i, names.size() - 1)]].push_back(std::stoll(addresses[i], nullptr, 16));
    }
  }
  return registers;
}

TEST(Registers, LieWhereRegistersMdSays) {
  std::map<std::string, std::vector<Address>> left = documented();
  EXPECT_EQ(left.at("CTRL"), std::vector<Address>{kCtrl});
  left.erase("CTRL");
  const std::vector<BetaField>&all = beta_fields(NumberFormat::fixed(8)), &of_fp32 = beta_fields(NumberFormat::fp32());
  ASSERT_EQ(left.size(), all.size());
  ASSERT_EQ(of_fp32.size() + 2, all.size());
  EXPECT_EQ(std::string(all[of_fp32.size()].name), "INP_FIRST");  // the last two exist in fixed point alone
  for (std::size_t i = 0; i < of_fp32.size(); ++i) {
    EXPECT_EQ(of_fp32[i].address, all[i].address);
    EXPECT_EQ(std::string(of_fp32[i].name), all[i].name);
  }
  for (const BetaField& field : all) {
    SCOPED_TRACE(field.name);
    std::vector<Address> words{field.address};
    if (field.bytes() == 8) words.push_back(field.address + 4);
    EXPECT_EQ(left[field.name], words);
  }
}

std::int64_t values(const BetaField& field, std::mt19937_64& random) {
  const auto bits = static_cast<std::int64_t>(random());
  if (field.bits == 2) return bits & 1 ? 2 : bits & 2 ? 1 : 0;
  if (field.bits == 16) return field.is_signed ? (bits & 0xFFFF) - 0x8000 : bits & 0xFFFF;
  if (field.bits == 32) return bits & 0xFFFFFFFF;
  return bits & ~std::int64_t{3};
}

TEST(Registers, DecodeGivesWhatEncodeWasGiven) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    const NumberFormat format = i % 2 == 0 ? NumberFormat::fp32() : NumberFormat::fixed(12);
    Convolution beta;
    for (const BetaField& field : beta_fields(format)) field.set(beta, values(field, random));
    const Convolution back = decode(encode(beta, format), format);
    for (const BetaField& field : beta_fields(format)) EXPECT_EQ(field.get(back), field.get(beta)) << field.name;
  }
}

TEST(Registers, DecodeTakesWordsAsTheKernelDoes) {
  BetaWords words(30);
  words[0] = 0xFFFFFFFF;   // KIND: two bits, and 3 is neither GI nor GW
  words[5] = 0x12340007;   // INP_H: 16 bits
  words[13] = 0xABCDFFFE;  // PAD_H: 16 bits, signed
  words[19] = 0x80000007;  // INP_BASE: a word's address
  words[20] = 0x00000001;
  words[29] = 0xFFFFFFFF;  // OUT_PITCH_N: all bits, unsigned
  const Convolution beta = decode(words, NumberFormat::fp32());
  EXPECT_EQ(beta.kind, Kind::F);
  EXPECT_EQ(beta.h.inp, 7);
  EXPECT_EQ(beta.h.pad_begin, -2);
  EXPECT_EQ(beta.inp.base, 0x180000004);
  EXPECT_EQ(beta.out.pitch_n, 0xFFFFFFFF);
}

// Checks the limits of section 2 of the contract on the sizes that the model finds, in the order of REGISTERS.md.
Refusal by_sizes(const Alpha& alpha, std::int64_t max_sets, const Convolution& beta) {
  if (!runs(alpha.variant, beta.kind)) return Refusal::Variant;
  if (ceil_div(beta.out_map(), alpha.x) > max_sets) return Refusal::Sets;
  const Sizes sizes = sizes_of(alpha, beta);
  if (sizes.z_channel > alpha.z_channel) return Refusal::ZChannel;
  if (sizes.kern_words > alpha.kern_words) return Refusal::KernWords;
  if (sizes.out_words > alpha.out_words) return Refusal::OutWords;
  if (sizes.k_range > alpha.k_range) return Refusal::KRange;
  return Refusal::None;
}

// Sizes near the limits, so that each is often met and often missed; dilated, padded and cropped windows of all kinds.
TEST(Refusal, IsTheFirstLimitThatTheConvolutionsSizesExceed) {
  std::mt19937_64 random(11);
  const auto from = [&](int low, int high) {
    const int values = high - low + 1;
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(values));
  };
  std::array<int, 8> seen{};
  for (int i = 0; i < 4000; ++i) {
    const auto axis = [&] {
      conv::LayerAxis axis{from(1, 12), from(1, 3)};
      axis.dilation = from(1, 2);
      axis.stride = from(1, 3);
      axis.pad_begin = from(0, 3);
      axis.pad_end = from(0, 3);
      return axis;
    };
    const conv::Layer layer{"", from(1, 2), from(1, 6), from(1, 6), 1, axis(), axis()};
    const auto fits = [](const conv::LayerAxis& axis) {
      return axis.size + axis.pad_begin + axis.pad_end > axis.dilation * (axis.kernel - 1);
    };
    if (!fits(layer.h) || !fits(layer.w)) continue;
    const Convolution beta = workloads::lower(layer, static_cast<Kind>(random() % 3));
    Alpha alpha;
    alpha.x = from(1, 6);
    alpha.y = from(1, 6);
    alpha.variant = i % 10 == 0 ? Variant::FGI : i % 10 == 1 ? Variant::GW : Variant::Both;
    const Sizes sizes = sizes_of(alpha, beta);
    const auto near = [&](Words size) {
      return std::max<Words>(1, size + (from(0, 3) == 0 ? -from(1, 2) : from(0, 2)));
    };
    alpha.z_channel = near(sizes.z_channel);
    alpha.kern_words = near(sizes.kern_words);
    alpha.out_words = near(sizes.out_words);
    alpha.k_range = near(sizes.k_range);
    const std::int64_t max_sets = near(ceil_div(beta.out_map(), alpha.x));
    const Refusal expected = by_sizes(alpha, max_sets, beta);
    ASSERT_EQ(refusal(alpha, max_sets, beta), expected) << i;
    ++seen.at(static_cast<std::size_t>(expected));
  }
  for (std::size_t why = 0; why < seen.size(); ++why) {
    if (why == static_cast<std::size_t>(Refusal::Zero)) continue;
    EXPECT_GT(seen.at(why), 50) << why;
  }
}

TEST(Refusal, OfAnOutputOrADilationOfZeroComesBeforeTheVariant) {
  Alpha alpha;
  alpha.variant = Variant::GW;
  Convolution beta;  // F, all sizes 1
  EXPECT_EQ(refusal(alpha, 1, beta), Refusal::Variant);
  beta.h.stride = 0;
  EXPECT_EQ(refusal(alpha, 1, beta), Refusal::Variant);
  beta.w.out = 0;
  EXPECT_EQ(refusal(alpha, 1, beta), Refusal::Zero);
  beta.w.out = 1;
  beta.h.inp_dilation = 0;
  EXPECT_EQ(refusal(alpha, 1, beta), Refusal::Zero);
}

// Products of more than 64 bits exceed every limit.
TEST(Refusal, OfTheLargestNumbersThatRegistersHoldIsNotMistaken) {
  Alpha alpha;
  alpha.x = alpha.y = 16;
  alpha.z_channel = alpha.kern_words = alpha.out_words = alpha.k_range = Words{1} << 36;
  const BetaWords words(30, 0xFFFFFFFF);
  Convolution beta = decode(words, NumberFormat::fp32());
  beta.h = beta.w = {};
  EXPECT_EQ(refusal(alpha, 1, beta), Refusal::KernWords);
  beta.h.kern = beta.w.kern = 0x7FFF;
  EXPECT_EQ(refusal(alpha, 1, beta), Refusal::KernWords);
  beta.h.kern = beta.w.kern = 1;
  beta.kind = Kind::GW;
  beta.c = 1;
  EXPECT_EQ(refusal(alpha, 1, beta), Refusal::OutWords);
}

TEST(RegisterFile, WritesTheBytesThatAreStrobed) {
  RegisterFile file(NumberFormat::fp32());
  EXPECT_FALSE(file.write(0x24, 0x11223344, 0xF, kNever));
  EXPECT_FALSE(file.write(0x24, 0xAABBCCDD, 0x5, kNever));
  EXPECT_EQ(file.read(0x24, kNever), 0x11BB33DDU);
  EXPECT_EQ(file.read(0x27, kNever), 0x11BB33DDU);   // the word that contains address 0x27
  EXPECT_EQ(file.read(0x424, kNever), 0x11BB33DDU);  // addresses have 10 bits
  EXPECT_FALSE(file.write(0x98, 1, 0xF, kNever));    // of fixed point alone
  EXPECT_EQ(file.read(0x98, kNever), 0U);
  RegisterFile fixed(NumberFormat::fixed(8));
  EXPECT_FALSE(fixed.write(0x98, 5, 0xF, kNever));
  EXPECT_EQ(fixed.read(0x98, kNever), 5U);
  EXPECT_FALSE(fixed.write(0xA0, 1, 0xF, kNever));  // not listed
  EXPECT_EQ(fixed.read(0xA0, kNever), 0U);
  EXPECT_EQ(file.read(0, kNever), kCtrlIdle);
  EXPECT_FALSE(file.write(0, 1, 0xE, kNever));
  EXPECT_TRUE(file.write(0, 1, 0x1, kNever));
}

}  // namespace
}  // namespace weft::fpgpt
