#include "platform/designs/fpgpt/dse/dse_config.h"

#include <gtest/gtest.h>

#include "platform/designs/fpgpt/kernel_config.h"
#include "tests/support/work_case.h"

namespace weft::fpgpt::exploration {
namespace {

const config::Library kProject{WEFT_CONFIG_DIR};

DseConfig load_dse(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                   const config::Library& library) {
  return read_dse(config::load_experiment(config::FileKind::Dse, name_or_path, overrides, library), library);
}

// An exploration without default values, so that a lost key is noticed.
const char* const kEverything = R"(
name: everything
title: "All keys: none at its default"
run: googlenet-u250
set: {batch: 3, kernel.band: 8, readings: {burst: split}}
budget: {dsp: 900, bram18: 800, uram: 70}
space: {max_x: 60, max_y: 50, min_pes: 4, max_pes: 90, z: fitted, storage: kernel}
penalties_percent: [0.5, 7, 20.125]
sharing: {merge: printed, stop: printed, minimum: false}
compare_reading: decode
rerank: {count: 3, rung: systemc, batch: 2, only: "conv1.*"}
published: {kernels: 30, epoch_hours: 212.5, source: a table}
)";

TEST(DseConfig, ReadsEveryKey) {
  const test::TemporaryDirectory directory;
  const DseConfig dse = load_dse(directory.write("a.yaml", kEverything).string(), {}, kProject);
  EXPECT_EQ(dse.name, "everything");
  EXPECT_EQ(dse.title, "All keys: none at its default");
  EXPECT_EQ(dse.run.batch, 3);
  EXPECT_EQ(KernelConfig::of(dse.run).band, 8);
  EXPECT_EQ(dse.readings.burst, fpgpt::reading::Burst::Split);
  EXPECT_EQ(dse.budget.dsp, 900);
  EXPECT_EQ(dse.budget.bram18, 800);
  EXPECT_EQ(dse.budget.uram, 70);
  EXPECT_EQ(dse.space.max_x, 60);
  EXPECT_EQ(dse.space.max_y, 50);
  EXPECT_EQ(dse.space.min_pes, 4);
  EXPECT_EQ(dse.space.max_pes, 90);
  EXPECT_EQ(dse.space.z, fpgpt::dse::ZChoice::Fitted);
  EXPECT_EQ(dse.space.storage, fpgpt::dse::StorageChoice::Fixed);
  ASSERT_EQ(dse.penalties.size(), 3U);
  EXPECT_EQ(dse.penalties[0].milli_percent, 500);
  EXPECT_EQ(dse.penalties[2].milli_percent, 20'125);
  EXPECT_EQ(dse.sharing.merge, fpgpt::dse::MergeReading::Printed);
  EXPECT_EQ(dse.sharing.stop, fpgpt::dse::StopReading::Printed);
  EXPECT_FALSE(dse.minimum);
  ASSERT_NE(dse.compared_reading, nullptr);
  EXPECT_EQ(dse.compared_reading->key, "decode");
  EXPECT_EQ(dse.rerank.count, 3);
  EXPECT_EQ(dse.rerank.run.batch, 2);
  EXPECT_TRUE(dse.rerank.run.only.matches("conv1.conv", conv::Kind::F));
  EXPECT_FALSE(dse.rerank.run.only.matches("conv2.conv", conv::Kind::F));
  EXPECT_TRUE(dse.run.only.everything());
  EXPECT_EQ(dse.published.kernels, 30);
  EXPECT_EQ(dse.published.epoch_hours, 212.5);
  EXPECT_EQ(dse.published.source, "a table");
}

TEST(DseConfig, WritesWhatItReads) {
  const test::TemporaryDirectory directory;
  const DseConfig dse = load_dse(directory.write("a.yaml", kEverything).string(), {}, kProject);
  const std::string resolved = resolved_yaml(dse);
  const DseConfig again = load_dse(directory.write("b.yaml", resolved).string(), {}, kProject);
  EXPECT_EQ(resolved_yaml(again), resolved);
  EXPECT_EQ(again.budget.uram, 70);
  EXPECT_EQ(again.penalties.size(), 3U);
  EXPECT_EQ(again.rerank.run.batch, 2);
  EXPECT_EQ(again.compared_reading, dse.compared_reading);
}

TEST(DseConfig, LeavesTheBudgetToTheBoard) {
  const test::TemporaryDirectory directory;
  const auto file = directory.write("a.yaml", "run: googlenet-u250\nbudget: {bram18: 5}\n");
  const DseConfig dse = load_dse(file.string(), {}, kProject);
  EXPECT_EQ(dse.budget.dsp, 11508);
  EXPECT_EQ(dse.budget.bram18, 5);
  EXPECT_EQ(dse.budget.uram, 1280);
  EXPECT_EQ(dse.compared_reading, nullptr);
  EXPECT_TRUE(dse.penalties.empty());
}

TEST(DseConfig, OverridesReachTheRunAndWithTheirPrefixTheExploration) {
  const DseConfig dse =
      load_dse("googlenet", test::overrides({"batch=7", "dse.space.max_x=9", "dse.compare_reading=none"}), kProject);
  EXPECT_EQ(dse.run.batch, 7);
  EXPECT_EQ(dse.rerank.run.batch, 7);
  EXPECT_EQ(dse.space.max_x, 9);
  EXPECT_EQ(dse.compared_reading, nullptr);
}

TEST(DseConfig, WhatIsPublishedIsOfTheNetworkOfTheFile) {
  const DseConfig same = load_dse("googlenet", test::overrides({"batch=7"}), kProject);
  EXPECT_EQ(same.published.kernels, 30);
  const DseConfig other = load_dse("googlenet", test::overrides({"network=resnet18"}), kProject);
  EXPECT_FALSE(other.published.kernels || other.published.epoch_hours);
  EXPECT_EQ(other.published.source, "");
}

}  // namespace
}  // namespace weft::fpgpt::exploration
