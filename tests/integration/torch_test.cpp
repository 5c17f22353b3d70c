// Training on the simulated card as a user meets it: weft card --train, and a program of one's own with
// weft::nn::Conv2d.
#include <gtest/gtest.h>

#include <numeric>
#include <regex>
#include <sstream>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

test::Outcome weft_in(const test::TemporaryDirectory& dir, const std::vector<std::string>& arguments) {
  return test::run_program(WEFT_BINARY, arguments, dir.path());
}

struct Losses {
  std::vector<double> card, native;
};

Losses losses_of(const std::string& text) {
  Losses losses;
  const std::regex line(R"(step +\d+ +loss ([0-9.]+) +LibTorch alone ([0-9.]+))");
  for (auto found = std::sregex_iterator(text.begin(), text.end(), line); found != std::sregex_iterator(); ++found) {
    losses.card.push_back(std::stod((*found)[1]));
    losses.native.push_back(std::stod((*found)[2]));
  }
  return losses;
}

void expect_learnt(const std::string& text, std::size_t steps) {
  const Losses losses = losses_of(text);
  ASSERT_EQ(losses.card.size(), steps) << text;
  for (std::size_t i = 0; i < steps; ++i) EXPECT_NEAR(losses.card[i], losses.native[i], 1e-3) << "step " << i + 1;
  // Batches differ in how hard they are: five of them.
  const double first = std::accumulate(losses.card.begin(), losses.card.begin() + 5, 0.0),
               last = std::accumulate(losses.card.end() - 5, losses.card.end(), 0.0);
  EXPECT_LT(last, first) << text;
}

// Whether a line of the table ends with a difference of nothing at all.
bool is_equal(const std::string& text, const std::string& part) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(part + "  ", 0) == 0 && line.find(" ms") != std::string::npos) {
      return line.size() > 2 && line.substr(line.size() - 2) == " 0";
    }
  }
  return false;
}

void expect_the_time_of_the_timeline(const std::string& text) {
  for (const char* part : {"to the card", "to the host", "kernels", "reconfiguration"}) {
    EXPECT_TRUE(is_equal(text, part)) << part << "\n" << text;
  }
  EXPECT_NE(text.find("are equal to the picosecond"), std::string::npos) << text;
}

TEST(Training, ResNet20LearnsOnTheCardAsWithoutIt) {
  const test::TemporaryDirectory dir;
  const test::Outcome training =
      weft_in(dir, {"card", "resnet20-card", "--train", "resnet20", "--steps", "20", "--compare"});
  ASSERT_EQ(training.exit_code, 0) << training.err << training.out;
  expect_learnt(training.out, 20);
  expect_the_time_of_the_timeline(training.out);
}

// A kernel for each variant: the card is loaded again and again, which the timeline counts too.
TEST(Training, AlexNetLearnsOnKernelsThatTakeTurns) {
  const test::TemporaryDirectory dir;
  const test::Outcome training =
      weft_in(dir, {"card", "resnet20-card", "--set", "kernel.variant=auto", "--train", "alexnet_cifar10", "--steps",
                    "20", "--batch", "4", "--rate", "0.01", "--compare"});
  ASSERT_EQ(training.exit_code, 0) << training.err << training.out;
  expect_learnt(training.out, 20);
  expect_the_time_of_the_timeline(training.out);
  EXPECT_NE(training.err.find("160 reconfigurations"), std::string::npos) << training.err;  // 8 a step
}

// Sizes `auto`: each convolution has a kernel of its own, and the card is loaded before each.
TEST(Training, TakesTheTimeOfTheTimelineOnAKernelForEachConvolution) {
  const test::TemporaryDirectory dir;
  const test::Outcome training =
      weft_in(dir, {"card", "resnet20-u250", "--train", "alexnet_cifar10", "--steps", "2", "--batch", "2"});
  ASSERT_EQ(training.exit_code, 0) << training.err << training.out;
  expect_the_time_of_the_timeline(training.out);
}

TEST(Training, SaysWhatIsWrong) {
  const test::TemporaryDirectory dir;
  const auto refused = [&](const std::vector<std::string>& options, const std::string& why) {
    std::vector<std::string> arguments{"card", "resnet20-card"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const test::Outcome outcome = weft_in(dir, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
  };
  refused({"--steps", "2"}, "--steps is an option of --train");
  refused({"--train", "resnet21"}, "resnet21");
  refused({"--train", "resnet20", "--steps", "0"}, "--steps: must be a whole number");
  refused({"--train", "resnet20", "--rate", "fast"}, "rate");
  refused({"--train", "resnet20", "--data", "."}, "data_batch_1.bin");
  refused({"--train", "resnet20", "--", "true"}, "--train is in place of a program");
}

}  // namespace
}  // namespace weft
