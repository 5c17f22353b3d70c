// Two networks for CIFAR-10 in plain LibTorch. On the card, weft::nn::Conv2d replaces torch::nn::Conv2d; nothing else
// differs.
//
//     ./weft card resnet20-card --xclbin kernels/
//     ./weft card resnet20-card -- build/release/torch/cifar10-example kernels resnet20 20 [FOLDER OF CIFAR-10]
//
// For `alexnet` instead of `resnet20`, make kernels for AlexNet's convolutions: add --set network=alexnet_cifar10 to
// --xclbin.
#include <torch/nn/functional/loss.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torch/conv2d.h"
#include "torch/images.h"
#include "torch/xrt_accelerator.h"

namespace {

using torch::Tensor;
using Options = torch::nn::Conv2dOptions;

// Convolution of either kind: the module and its forward function.
struct Layer {
  std::shared_ptr<torch::nn::Module> module;
  std::function<Tensor(const Tensor&)> forward;
};
using MakeConv = std::function<Layer(const Options&)>;

MakeConv on_card(const std::shared_ptr<weft::nn::Accelerator>& card) {
  return [card](const Options& options) -> Layer {
    weft::nn::Conv2d conv(options, card);
    return {conv.ptr(), [conv](const Tensor& x) mutable { return conv->forward(x); }};
  };
}

MakeConv by_libtorch() {
  return [](const Options& options) -> Layer {
    torch::nn::Conv2d conv(options);
    return {conv.ptr(), [conv](const Tensor& x) mutable { return conv->forward(x); }};
  };
}

struct Network : torch::nn::Module {
  virtual Tensor forward(Tensor x) = 0;

 protected:
  Layer conv(const std::string& name, const MakeConv& make, const Options& options) {
    Layer layer = make(options);
    register_module(name, layer.module);
    return layer;
  }
};

// Network of depth 20 in K. He et al., "Deep residual learning for image recognition", section 4.2.
class ResNet20 : public Network {
 public:
  explicit ResNet20(const MakeConv& make) {
    first_ = conv("conv1", make, Options(3, 16, 3).padding(1).bias(false));
    norm_ = register_module("norm1", torch::nn::BatchNorm2d(16));
    int in = 16;
    for (int stage = 0; stage < 3; ++stage) {
      for (int i = 0; i < 3; ++i) {
        const int out = 16 << stage, stride = stage > 0 && i == 0 ? 2 : 1;
        blocks_.push_back(
            register_module("block" + std::to_string(blocks_.size()), std::make_shared<Block>(make, in, out, stride)));
        in = out;
      }
    }
    last_ = register_module("fc", torch::nn::Linear(in, 10));
  }

  Tensor forward(Tensor x) override {
    x = torch::relu(norm_(first_.forward(x)));
    for (const auto& block : blocks_) x = block->forward(x);
    return last_(x.mean({2, 3}));
  }

 private:
  struct Block : Network {
    Block(const MakeConv& make, int in, int out, int stride) : projects(stride != 1) {
      a = conv("conv1", make, Options(in, out, 3).stride(stride).padding(1).bias(false));
      norm_a = register_module("norm1", torch::nn::BatchNorm2d(out));
      b = conv("conv2", make, Options(out, out, 3).padding(1).bias(false));
      norm_b = register_module("norm2", torch::nn::BatchNorm2d(out));
      if (!projects) return;
      side = conv("side", make, Options(in, out, 1).stride(stride).bias(false));
      norm_side = register_module("norm_side", torch::nn::BatchNorm2d(out));
    }
    Tensor forward(Tensor x) override {
      const Tensor y = norm_b(b.forward(torch::relu(norm_a(a.forward(x)))));
      return torch::relu(y + (projects ? norm_side(side.forward(x)) : x));
    }
    bool projects;
    Layer a, b, side;
    torch::nn::BatchNorm2d norm_a{nullptr}, norm_b{nullptr}, norm_side{nullptr};
  };

  Layer first_;
  torch::nn::BatchNorm2d norm_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  torch::nn::Linear last_{nullptr};
};

// AlexNet for images of 32 x 32 (github.com/ICIdsl/muppet, models/cifar/alexnet.py).
class AlexNet : public Network {
 public:
  explicit AlexNet(const MakeConv& make) {
    conv1_ = conv("conv1", make, Options(3, 64, 11).stride(4).padding(5));
    conv2_ = conv("conv2", make, Options(64, 192, 5).padding(2));
    conv3_ = conv("conv3", make, Options(192, 384, 3).padding(1));
    conv4_ = conv("conv4", make, Options(384, 256, 3).padding(1));
    conv5_ = conv("conv5", make, Options(256, 256, 3).padding(1));
    last_ = register_module("fc", torch::nn::Linear(256, 10));
  }

  Tensor forward(Tensor x) override {
    x = torch::max_pool2d(torch::relu(conv1_.forward(x)), 2);
    x = torch::max_pool2d(torch::relu(conv2_.forward(x)), 2);
    x = torch::relu(conv3_.forward(x));
    x = torch::relu(conv4_.forward(x));
    x = torch::max_pool2d(torch::relu(conv5_.forward(x)), 2);
    return last_(x.flatten(1));
  }

 private:
  Layer conv1_, conv2_, conv3_, conv4_, conv5_;
  torch::nn::Linear last_{nullptr};
};

std::shared_ptr<Network> make(const std::string& name, const MakeConv& conv) {
  torch::manual_seed(1);
  std::shared_ptr<Network> network;
  if (name == "resnet20") network = std::make_shared<ResNet20>(conv);
  if (name == "alexnet") network = std::make_shared<AlexNet>(conv);
  if (!network) throw weft::Error("the networks are resnet20 and alexnet, not '" + name + "'");
  for (const auto& parameter : network->named_parameters()) {
    if (parameter.value().dim() == 4) torch::nn::init::kaiming_normal_(parameter.value());
  }
  return network;
}

torch::optim::SGD optimiser_of(Network& network) {
  return torch::optim::SGD(network.parameters(), torch::optim::SGDOptions(0.001).momentum(0.9).weight_decay(1e-4));
}

double step(Network& network, torch::optim::SGD& optimiser, const Tensor& images, const Tensor& labels) {
  optimiser.zero_grad();
  const Tensor loss = torch::nn::functional::cross_entropy(network.forward(images), labels);
  loss.backward();
  optimiser.step();
  return loss.item<double>();
}

// Largest difference of the gradients, relative to the largest value of each gradient.
double apart(const Network& a, const Network& b) {
  double worst = 0;
  const auto ours = a.parameters(), others = b.parameters();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double scale = others[i].grad().abs().max().item<double>();
    worst = std::max(worst, (ours[i].grad() - others[i].grad()).abs().max().item<double>() / scale);
  }
  return worst;
}

int train(const std::string& kernels, const std::string& name, int steps, const std::string& data) {
  constexpr int kBatch = 8;
  torch::set_num_threads(1);
  const auto card = std::make_shared<weft::nn::XrtAccelerator>(weft::nn::read_kernel_folder(kernels).set);
  const std::shared_ptr<Network> ours = make(name, on_card(card)), native = make(name, by_libtorch());
  torch::optim::SGD optimiser = optimiser_of(*ours), other = optimiser_of(*native);
  std::unique_ptr<weft::nn::ImageSource> source;
  if (data.empty()) {
    source = std::make_unique<weft::nn::SyntheticImages>(weft::nn::Cifar10Images::kShape, 10, 1);
  } else {
    source = std::make_unique<weft::nn::Cifar10Images>(data, 1);
  }
  bool near = true;
  double first = 0, last = 0;
  for (int i = 1; i <= steps; ++i) {
    weft::nn::Images batch = source->next(kBatch);
    const Tensor images = torch::tensor(batch.pixels).reshape({kBatch, 3, 32, 32}),
                 labels = torch::tensor(batch.labels);
    const double loss = step(*ours, optimiser, images, labels), wanted = step(*native, other, images, labels);
    near = near && std::abs(loss - wanted) <= 1e-3;
    std::printf("step %2d  loss %.6f  LibTorch alone %.6f", i, loss, wanted);
    if (i == 1) {
      const double difference = apart(*ours, *native);
      near = near && difference <= 1e-4;
      std::printf("  gradients within %.2g", difference);
      first = loss;
    }
    std::printf("\n");
    std::fflush(stdout);
    last = loss;
  }
  return near && (steps < 20 || last < first) ? 0 : 1;
}

int steps_of(const std::string& text) {
  int steps = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), steps);
  if (code == std::errc{} && end == text.data() + text.size() && steps > 0) return steps;
  throw weft::Error("STEPS must be a whole number from 1 on, not '" + text + "'");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: cifar10-example KERNELS resnet20|alexnet [STEPS [FOLDER OF CIFAR-10]]\n");
    return 2;
  }
  try {
    return train(argv[1], argv[2], argc > 3 ? steps_of(argv[3]) : 20, argc > 4 ? argv[4] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cifar10-example: error: %s\n", error.what());
    return 2;
  }
}
