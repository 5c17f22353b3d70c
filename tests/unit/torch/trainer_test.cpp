#include "torch/trainer.h"

#include <gtest/gtest.h>

#include "model/core/error.h"
#include "platform/iteration/training/trained_network.h"
#include "workloads/graph/training_graph.h"

namespace weft::nn {
namespace {

workloads::Graph forward_of(const std::string& network, int batch) {
  workloads::ImportOptions options;
  options.batch = batch;
  return training::load_trained(network, {WEFT_CONFIG_DIR "/networks"}, options).forward;
}

// Two runs of LibTorch alone: the same seeds, so the same losses and gradients, dropout included: SqueezeNet has it.
TEST(Trainer, GivesBothSidesTheSameBeginningAndDropouts) {
  const workloads::Graph forward = forward_of("squeezenet1_1", 2);
  Trainer trainer(forward, workloads::training_graph(forward), nullptr, true, {});
  SyntheticImages images(trainer.image_shape(), trainer.classes(), 1);
  for (int step = 0; step < 2; ++step) {
    const StepResult result = trainer.step(images, false);
    EXPECT_EQ(result.loss, result.native_loss);
    EXPECT_EQ(trainer.difference().largest, 0);
  }
}

TEST(Trainer, LearnsSyntheticImages) {
  const workloads::Graph forward = forward_of("resnet20", 16);
  TrainingSettings settings;
  settings.rate = 0.05;
  Trainer trainer(forward, workloads::training_graph(forward), nullptr, false, settings);
  SyntheticImages images(trainer.image_shape(), trainer.classes(), 1);
  double first = 0, last = 0;
  for (int step = 0; step < 20; ++step) {
    last = trainer.step(images, false).loss;
    if (step == 0) first = last;
  }
  EXPECT_GT(first, 2.0);  // 10 classes: ln 10 = 2.30
  EXPECT_LT(last, first / 2);
  EXPECT_THROW(trainer.difference(), Error);
}

}  // namespace
}  // namespace weft::nn
