// Training on the simulated card for users: weft card --train, and a user's program with weft::nn::Conv2d.

#include <numeric>
#include <regex>

#include "tests/support/grouped_network.h"
#include "tests/support/weft_test.h"

namespace weft {
namespace {

using Training = test::WeftTest;

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
  // The two round differently, and the difference grows from step to step, by an amount that depends on the processor.
  for (std::size_t i = 0; i < steps; ++i) {
    EXPECT_NEAR(losses.card[i], losses.native[i], i < 10 ? 1e-3 : 4e-3) << "step " << i + 1;
  }
  // Losses depend on the batch, hence means of five.
  const double first = std::accumulate(losses.card.begin(), losses.card.begin() + 5, 0.0),
               last = std::accumulate(losses.card.end() - 5, losses.card.end(), 0.0);
  EXPECT_LT(last, first) << text;
}

// True if a line of the table ends with a difference of zero.
bool is_equal(const std::string& text, const std::string& part) {
  for (const std::string& line : test::split(text)) {
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
  EXPECT_TRUE(test::has(text, "are equal to the picosecond"));
}

TEST_F(Training, ResNet20LearnsOnTheCardAsWithoutIt) {
  const test::Outcome training = ok({"card", "resnet20-card", "--train", "resnet20", "--steps", "20", "--compare"});
  expect_learnt(training.out, 20);
  expect_the_time_of_the_timeline(training.out);
}

// One kernel per variant: the card is reloaded repeatedly, which the timeline counts too.
TEST_F(Training, AlexNetLearnsOnKernelsThatTakeTurns) {
  const test::Outcome training =
      ok({"card", "resnet20-card", "--set", "kernel.variant=auto", "--train", "alexnet_cifar10", "--steps", "20",
          "--batch", "4", "--rate", "0.01", "--compare"});
  expect_learnt(training.out, 20);
  expect_the_time_of_the_timeline(training.out);
  EXPECT_TRUE(test::has(training.err, "160 reconfigurations"));  // 8 per step
}

// Sizes `auto`: each convolution has its own kernel, and the card is loaded before each.
TEST_F(Training, TakesTheTimeOfTheTimelineOnAKernelForEachConvolution) {
  const test::Outcome training =
      ok({"card", "resnet20-u250", "--train", "alexnet_cifar10", "--steps", "2", "--batch", "2"});
  expect_the_time_of_the_timeline(training.out);
}

// Convolutions of groups: the launches after the first are queued, and the time is the timeline's plus the four
// additional registers that XRT writes (docs/how-to/torch.md).
TEST_F(Training, OfAGroupedNetworkTakesTheTimeOfTheTimeline) {
  const std::string network = test::write_grouped_network(dir_.path()).string();
  for (const std::vector<std::string>& kernel :
       {std::vector<std::string>{}, std::vector<std::string>{"--set", "kernel.variant=auto"}}) {
    const test::Outcome training = ok(test::joined(
        {"card", "resnet20-card", "--train", network, "--steps", "3", "--batch", "2", "--compare"}, kernel));
    expect_the_time_of_the_timeline(training.out);
    // 35 launches per step: F 1 + 2 + 8 + 1, GI without the first layer's 1, GW as F. A register takes 0.1 us.
    const std::regex launches(R"(launches +35 +\S+ ms +35 +\S+ ms +0\.014000000 ms)");
    EXPECT_TRUE(std::regex_search(training.out, launches)) << training.out;
    EXPECT_TRUE(test::has(training.out, "XRT wrote 1,225 registers, the timeline counts 1,085"));
  }
}

// Fixed point: each OUT is compared with plain C++, groups begin with their own first word, and the time is that of the
// timeline of the format. XRT writes 4 registers more than the 33 of a launch.
TEST_F(Training, InFixedPointEqualsPlainCppToTheLastBit) {
  const std::string network = test::write_grouped_network(dir_.path()).string();
  for (const std::vector<std::string>& numbers :
       {std::vector<std::string>{"--set", "kernel.format=fxp8"},
        std::vector<std::string>{"--set", "kernel.format=fxp12"},
        std::vector<std::string>{"--set", "kernel.format=fxp12", "--set", "kernel.packing=padded", "--check", "20"}}) {
    const test::Outcome training = ok(test::joined(
        {"card", "resnet20-card", "--train", network, "--steps", "3", "--batch", "2", "--emulate"}, numbers));
    // 4 convolutions: 11 launches per step. OUT of F: 2 x (8 x 12 x 12 + (8 + 8 + 10) x 6 x 6) words, of GI 2 x (8 x 12
    // x 12 + (8 + 8) x 6 x 6), of GW 216 + 288 + 72 + 80.
    const std::int64_t words = 3 * (2 * (1152 + 936) + 2 * (1152 + 576) + 656);
    EXPECT_TRUE(test::has(training.out, "33 convolutions in fixed point, each of their " + std::to_string(words) +
                                            " words of OUT equal"));
    expect_the_time_of_the_timeline(training.out);
    EXPECT_TRUE(test::has(training.out, "XRT wrote 1,295 registers, the timeline counts 1,155"));
  }
}

TEST_F(Training, OfResNet20In8BitsFallsAndEqualsPlainCpp) {
  const test::Outcome training = ok({"card", "resnet20-card", "--set", "kernel.format=fxp8", "--train", "resnet20",
                                     "--steps", "10", "--rate", "0.01", "--emulate"});
  EXPECT_TRUE(test::has(training.out, "620 convolutions in fixed point"));  // 62 per step
  std::vector<double> losses;
  const std::regex line(R"(step +\d+ +loss ([0-9.]+))");
  for (auto found = std::sregex_iterator(training.out.begin(), training.out.end(), line);
       found != std::sregex_iterator(); ++found) {
    losses.push_back(std::stod((*found)[1]));
  }
  ASSERT_EQ(losses.size(), 10U);
  EXPECT_LT(losses[7] + losses[8] + losses[9], losses[0] + losses[1] + losses[2]) << training.out;
}

// Live under MuPPET and GM, then replayed from its own traces: equal formats and loads in each epoch.
TEST_F(Training, LiveUnderGmIsReplayedFromItsTraces) {
  const std::string network = test::write_grouped_network(dir_.path()).string();
  dir_.write("live.yaml",
             "run: resnet20-card\nset: {batch: 2, dataset_images: 4, rung: exact}\npolicy: gm\n"
             "diversities: traces/diversities.csv\nerrors: traces/errors.csv\n"
             "muppet: {levels: [fxp8, fxp12, fp32], resolution: 2, alpha: 1, beta: 0, fp32_epochs: 2}\n"
             "gm: {levels: [fxp6, fxp8, fxp12, fp32], ticks_per_epoch: 2, history: 3, passes: 2, total_percent: 60}\n");
  const test::Outcome live = ok({"card", "live.yaml", "--live", "traces", "--train", network, "--emulate"});
  const nlohmann::json saved = json_of({"train", "live.yaml", "--set", "network=" + network, "--no-save"});
  const std::regex line(R"(epoch +(\d+) +loss [0-9.]+ +(\w+)(, (\d+) of \d+ lower)?.* (\d+) reconfigurations?)");
  std::size_t epochs = 0, lowered = 0;
  for (auto found = std::sregex_iterator(live.out.begin(), live.out.end(), line); found != std::sregex_iterator();
       ++found, ++epochs) {
    SCOPED_TRACE("epoch " + std::to_string(epochs));
    ASSERT_LT(epochs, saved.at("epochs").size());
    const nlohmann::json& epoch = saved.at("epochs")[epochs];
    EXPECT_EQ(std::stoul((*found)[1]), epochs);
    EXPECT_EQ((*found)[2].str(), epoch.at("level"));
    const std::size_t lower = (*found)[4].matched ? std::stoul((*found)[4]) : 0;
    EXPECT_EQ(lower, epoch.at("stretches").back().at("lowered"));
    EXPECT_EQ(std::stoul((*found)[5]), epoch.at("loads"));
    lowered += lower;
  }
  EXPECT_EQ(epochs, saved.at("epochs").size()) << live.out;
  EXPECT_GT(lowered, 0U) << live.out;
}

// The example as described in its first lines, on its own images and on files in CIFAR-10's binary format.
class Example : public test::WeftTest {
 protected:
  // Makes kernels for a network's convolutions, in a folder of its name.
  void make_kernels(const std::string& folder, const std::string& network) {
    ok({"card", "resnet20-card", "--set", "network=" + network, "--xclbin", folder + "/"});
  }
  // The brightness of an image depends on its class.
  static std::string cifar10(int images) {
    std::string bytes;
    for (int i = 0; i < images; ++i) {
      const int label = i % 10;
      bytes += static_cast<char>(label);
      for (int pixel = 0; pixel < 3072; ++pixel) {
        bytes += static_cast<char>(20 * label + 10 * (pixel / 1024) + (pixel * 7 + i * 13) % 40);
      }
    }
    return bytes;
  }
  test::Outcome example(const std::vector<std::string>& arguments) {
    return weft(test::joined({"card", "resnet20-card", "--", WEFT_EXAMPLE}, arguments));
  }
};

TEST_F(Example, TrainsBothNetworksOnSyntheticImagesAndOnCifar10) {
  std::filesystem::create_directory(dir_.path() / "cifar");
  dir_.write("cifar/data_batch_1.bin", cifar10(30));
  dir_.write("cifar/data_batch_5.bin", cifar10(20));
  make_kernels("resnet20", "resnet20");
  make_kernels("alexnet", "alexnet_cifar10");
  for (const char* network : {"resnet20", "alexnet"}) {
    for (const std::vector<std::string>& images : {std::vector<std::string>{}, std::vector<std::string>{"cifar"}}) {
      const test::Outcome outcome = example(test::joined({network, network, "2"}, images));
      EXPECT_EQ(outcome.exit_code, 0) << network << outcome.err << outcome.out;  // losses and gradients are near
      EXPECT_EQ(losses_of(outcome.out).card.size(), 2U) << outcome.out;
      EXPECT_TRUE(test::has(outcome.out, "gradients within"));
    }
  }
}

TEST_F(Example, SaysWhatIsWrongInOneLine) {
  std::filesystem::create_directory(dir_.path() / "cifar");
  make_kernels("kernels", "resnet20");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const test::Outcome outcome = example(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_EQ(outcome.err.rfind("cifar10-example: error: ", 0), 0U) << outcome.err;
    EXPECT_TRUE(test::has(outcome.err, why));
    // In addition to the line of the card run.
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 2) << outcome.err;
  };
  refused({"kernels", "resnet20", "1", "cifar"}, "'cifar' holds none of CIFAR-10's files");
  dir_.write("cifar/data_batch_1.bin", cifar10(2).substr(0, 4000));
  refused({"kernels", "resnet20", "1", "cifar"}, "data_batch_1.bin: has 4000 bytes, not a multiple of 3073");
  dir_.write("cifar/data_batch_1.bin", cifar10(2).replace(3073, 1, "\x0a"));
  refused({"kernels", "resnet20", "1", "cifar"}, "data_batch_1.bin: image 1 is of class 10; CIFAR-10 has 0 to 9");
  refused({"kernels", "lenet", "1"}, "the networks are resnet20 and alexnet, not 'lenet'");
  refused({"kernels", "resnet20", "many"}, "STEPS must be a whole number from 1 on, not 'many'");
  refused({"no-kernels", "resnet20", "1"}, "no-kernels");
}

TEST_F(Training, SaysWhatIsWrong) {
  const auto refused = [&](const std::vector<std::string>& options, const std::string& why) {
    const test::Outcome outcome =
        weft(test::joined({"card", "resnet20-card"}, options));  // the card reports its time as at any end
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(test::has(outcome.err, why));
  };
  refused({"--steps", "2"}, "--steps needs --train or --live");
  refused({"--train", "resnet21"}, "resnet21");
  refused({"--train", "resnet20", "--steps", "0"}, "--steps: must be a whole number");
  refused({"--train", "resnet20", "--rate", "fast"}, "rate");
  refused({"--train", "resnet20", "--data", "."}, "data_batch_1.bin");
  refused({"--train", "resnet20", "--", "true"}, "--train and --live run no other program");
  refused({"--emulate"}, "--emulate needs --train or --live");
  refused({"--live", "t", "--steps", "2"}, "--steps cannot be used with --live: the policy ends the training");
  refused({"--live", "t"}, "resnet20-card");
}

}  // namespace
}  // namespace weft
