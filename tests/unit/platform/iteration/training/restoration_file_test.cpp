#include "platform/iteration/training/trained_network.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::training {
namespace {

// Returns the error of load_trained for resnet20.onnx with this file next to it, without the folder's name.
std::string refusal_of(const std::string& yaml) {
  const test::TemporaryDirectory directory;
  std::filesystem::copy_file(std::filesystem::path(WEFT_SOURCE_DIR "/configs/networks") / "resnet20.onnx",
                             directory.path() / "n.onnx");
  directory.write("n.training.yaml", yaml);
  const std::string folder = directory.path().string() + "/";
  const std::string message = test::message_of<InputError>([&] { load_trained(folder + "n.onnx", {}); });
  if (message == "nothing") return message;
  EXPECT_EQ(message.rfind(folder, 0), 0U) << message;
  return message.substr(folder.size());
}

TEST(RestorationFile, SaysWhatIsRestoredWithItsSource) {
  const test::TemporaryDirectory directory;
  directory.write("n.training.yaml",
                  "source: a paper\nbatch_norm:\n  - {after: [conv1, fc.0], epsilon: 0.001, source: s}\n"
                  "dropout:\n  - {before: fc, ratio: 0.2, source: t}\nwithout_bias: all\nleft_out: [aux]\n"
                  "assumed: [much]\n");
  const workloads::Restoration r = read_restoration(directory.path() / "n.training.yaml");
  EXPECT_EQ(r.source, "a paper");
  ASSERT_EQ(r.batch_norms.size(), 1U);
  EXPECT_EQ(r.batch_norms[0].after.names[1].name, "fc.0");
  EXPECT_EQ(r.batch_norms[0].after.names[1].place.line, 3);
  EXPECT_EQ(r.batch_norms[0].epsilon, 0.001);
  EXPECT_EQ(r.batch_norms[0].momentum, 0.1);
  ASSERT_EQ(r.dropouts.size(), 1U);
  EXPECT_EQ(r.dropouts[0].before.name, "fc");
  EXPECT_EQ(r.dropouts[0].ratio, 0.2);
  ASSERT_EQ(r.without_bias.size(), 1U);
  EXPECT_TRUE(r.without_bias[0].all);
  EXPECT_EQ(r.left_out, std::vector<std::string>{"aux"});
  EXPECT_EQ(r.assumed, std::vector<std::string>{"much"});
}

TEST(RestorationFile, RefusesWhatItDoesNotKnowByFileLineAndKey) {
  EXPECT_EQ(refusal_of("source: s\n"), "nothing");
  EXPECT_EQ(refusal_of("batch_norm: []\n"), "n.training.yaml:1: source: is missing and has no default");
  EXPECT_EQ(
      refusal_of("source: s\ndropouts: []\n").find("n.training.yaml:2: dropouts: unknown key; did you mean 'dropout'?"),
      0U);
  EXPECT_EQ(refusal_of("source: s\nbatch_norm:\n  - {after: most, source: t}\n"),
            "n.training.yaml:3: batch_norm.after: must be all or a list of layers, not 'most'");
  EXPECT_EQ(refusal_of("source: s\ndropout:\n  - {before: fc, ratio: 1.5, source: t}\n"),
            "n.training.yaml:3: dropout.ratio: must be a number from 0 to 1, not '1.5'");
  EXPECT_EQ(refusal_of("source: s\ndropout:\n  - {before: fc, ratio: 0.5}\n"),
            "n.training.yaml:3: dropout.source: is missing and has no default");
}

TEST(RestorationFile, RefusesNamesThatTheGraphHasNot) {
  const std::string convolutions =
      "; known: conv1, layer1.0.conv1, layer1.0.conv2, layer1.1.conv1, layer1.1.conv2, layer1.2.conv1, layer1.2.conv2, "
      "layer2.0.downsample.0, layer2.0.conv1, layer2.0.conv2, layer2.1.conv1, layer2.1.conv2 and ";
  EXPECT_EQ(refusal_of("source: s\nbatch_norm:\n  - after: [conv1,\n            conv2]\n    source: t\n"),
            "n.training.yaml:4: batch_norm.after: 'conv2' is no convolution of n" + convolutions + "9 more");
  EXPECT_EQ(refusal_of("source: s\nbatch_norm:\n  - {after: [fc], source: t}\n"),
            "n.training.yaml:3: batch_norm.after: 'fc' is no convolution of n" + convolutions + "9 more");
  EXPECT_EQ(refusal_of("source: s\ndropout:\n  - {before: fc1, ratio: 0.5, source: t}\n"),
            "n.training.yaml:3: dropout.before: 'fc1' is no operator of n; known: conv1, /Relu, layer1.0.conv1, "
            "/layer1/layer1.0/Relu, layer1.0.conv2, /layer1/layer1.0/Add, /layer1/layer1.0/Relu_1, layer1.1.conv1, "
            "/layer1/layer1.1/Relu, layer1.1.conv2, /layer1/layer1.1/Add, /layer1/layer1.1/Relu_1 and 39 more");
  EXPECT_EQ(refusal_of("source: s\nwithout_bias: [/Relu]\n"),
            "n.training.yaml:2: without_bias: '/Relu' is no layer of n" + convolutions + "10 more");
  EXPECT_EQ(refusal_of("source: s\nbatch_norm:\n  - {after: all, source: t}\n  - {after: [conv1], source: t}\n"),
            "n.training.yaml:4: batch_norm.after: layer conv1 is given a second batch normalisation");
  EXPECT_EQ(refusal_of("source: s\ndropout:\n  - {before: fc, ratio: 0.5, source: t}\n"
                       "  - {before: fc, ratio: 0.1, source: t}\n"),
            "n.training.yaml:4: dropout.before: fc is given a second dropout");
}

TEST(RestorationFile, StandsBesideTheNetwork) {
  EXPECT_EQ(restoration_path("a/b.c.onnx"), "a/b.c.training.yaml");
}

}  // namespace
}  // namespace weft::training
