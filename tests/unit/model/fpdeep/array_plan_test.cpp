#include "platform/studies/cluster/array_plan.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/texts.h"
#include "workloads/onnx/import.h"

namespace weft::cluster {
namespace {

const config::Library kLibrary{WEFT_CONFIG_DIR};

workloads::ImportedGraph network(const std::string& name) {
  return workloads::find_graph(name, {std::string(WEFT_CONFIG_DIR) + "/networks"});
}

ArrayConfig array(const std::string& name, const std::vector<std::string>& sets = {}) {
  std::vector<config::Override> overrides;
  overrides.reserve(sets.size());
  for (const std::string& each : sets) overrides.push_back(config::parse_override(each));
  return read_array(cluster_file(name, overrides, kLibrary), kLibrary);
}

ArrayPlan plan(const std::string& name, const std::vector<std::string>& sets = {}) {
  const ArrayConfig config = array(name, sets);
  return plan_array(config, network(config.network));
}

// Of a separate calculation of the same readings in exact fractions, from lists of the layers' shapes (for VGG-16
// within boundaries at 60 Gb/s: 60e9 / (16 bits * 64 * 224 * 224 words * 13.024 images/s) = 89.66).
TEST(ArrayPlan, HasTheScalingOfEachNamedReading) {
  const std::vector<const char*> readings{"boundaries-10G", "boundaries-13G", "inner-10G", "inner-13G", "inner-125G"};
  const std::map<std::string, std::vector<int>> expected{{"fpdeep-alexnet", {63, 83, 47, 64, 100}},
                                                         {"fpdeep-vgg16", {89, 117, 60, 78, 124}},
                                                         {"fpdeep-vgg19", {111, 146, 75, 98, 156}}};
  for (const auto& [name, boards] : expected) {
    const ArrayPlan planned = plan(name, {"scaling_to=200"});
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const Scaling& scaling = planned.scalings.at(i);
      EXPECT_EQ(scaling.reading.name, readings[i]);
      EXPECT_EQ(scaling.linear_boards, boards[i]) << name << " " << readings[i];
      EXPECT_DOUBLE_EQ(scaling.images_per_s[9], 10 * planned.images_per_s_per_board);
    }
  }
}

// MACs an image 655,566,528, of the first layer 70,276,800: 2 * (3 * 655566528 - 70276800) operations.
TEST(ArrayPlan, TakesImagesASecondFromOperations) {
  EXPECT_NEAR(plan("fpdeep-alexnet").images_per_s_per_board, 1157e9 / (2 * 1896422784.), 1e-9);
  EXPECT_EQ(plan("fpdeep-alexnet", {"fpdeep.gops_per_board=null", "fpdeep.images_per_s_per_board=305"})
                .images_per_s_per_board,
            305);
}

TEST(ArrayPlan, IsBalancedOnFifteenBoards) {
  for (const char* name : {"fpdeep-alexnet", "fpdeep-vgg16", "fpdeep-vgg19"}) {
    EXPECT_GE(fpdeep::balance(plan(name).boards), .95) << name;
  }
}

double percent(Words part, Words whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// Boards of 1470 blocks of 2048 words. Whole filters move the cuts by less than 2 %.
TEST(ArrayPlan, SaysWhatIsStoredAndWhetherItFits) {
  const Words words = Words{1470} * 2048;
  const auto fullest = [&](const ArrayPlan& planned) {
    return percent(planned.stored[planned.weights_only.fullest].weights, words);
  };
  EXPECT_TRUE(plan("fpdeep-alexnet").storage.fits);
  const ArrayPlan vgg16 = plan("fpdeep-vgg16");
  EXPECT_NEAR(fullest(vgg16), 173, 173 * .02);
  EXPECT_NEAR(vgg16.fetch_bits_per_s, 6.9e9, 6.9e9 * .02);
  EXPECT_NEAR(plan("fpdeep-vgg16", {"fpdeep.weight_fetch=row"}).fetch_bits_per_s, 97e9, 97e9 * .02);
  EXPECT_NEAR(fullest(plan("fpdeep-vgg16", {"boards=30"})), 87, 87 * .02);
  const ArrayPlan vgg19 = plan("fpdeep-vgg19"), by_rows = plan("fpdeep-vgg19", {"fpdeep.lag=rows"});
  EXPECT_FALSE(vgg19.storage.fits);
  EXPECT_NEAR(percent(vgg19.storage.all, vgg19.storage.room), 114, 114 * .02);
  EXPECT_NEAR(percent(by_rows.storage.all, by_rows.storage.room), 132, 132 * .02);
  EXPECT_TRUE(plan("fpdeep-vgg19", {"fpdeep.gradients=shared"}).storage.fits);
}

// 10 Gb/s a lane: 64 of 66 bits, 31 of 32 cycles, 1472 of 1480 bytes.
TEST(ArrayConfig, TakesFramingFromALanesRate) {
  const NamedReading aurora = array("fpdeep-alexnet").readings.at(7);
  EXPECT_EQ(aurora.framing, Framing::Aurora);
  EXPECT_NEAR(aurora.bits_per_s(), 60e9 * 64 / 66 * 31 / 32 * 1472 / 1480, 1);
}

TEST(ArrayConfig, IsReadAsItIsWritten) {
  const std::string once = array("fpdeep-vgg16", {"boards=30"}).resolved_yaml();
  EXPECT_TRUE(test::has(once, "boards: 30"));
  EXPECT_TRUE(test::has(once, "gops_per_board: 1197"));
}

void refuses(const std::string& name, const std::vector<std::string>& sets, const std::string& message) {
  EXPECT_TRUE(test::has(test::message_of([&] { plan(name, sets); }), message));
}

TEST(ArrayConfig, RefusesWhatDoesNotFitTogether) {
  refuses("fpdeep-alexnet", {"fpdeep.dsp=3601"}, "3601 are more than the 3600 that board 'vc709' has");
  refuses("fpdeep-alexnet", {"fpdeep.images_per_s_per_board=305"}, "is given once");
  refuses("fpdeep-alexnet", {"boards=0"}, "boards");
  refuses("fpdeep-alexnet", {"network=resnet18"}, "the network is no chain");
  refuses("fpdeep-alexnet", {"board=vc708"}, "there is no board 'vc708'");
  refuses("fpdeep-alexnet", {"fpdeep.lags=rows"}, "fpdeep.lags");
}

}  // namespace
}  // namespace weft::cluster
