"""Writes the networks that are given by a paper's tables and for which no exported file is at hand, as ONNX:

    /usr/bin/python3 configs/networks/write_published.py [FOLDER]     # Debian's python3-onnx

Modules are called as torchvision's are, and nodes after the path to them, as PyTorch's exporter has it. Weights are
graph inputs, which give their shapes. Batch normalisation stands where training has it, folded into nothing. Equal input,
equal bytes.

  efficientnet_b0  Tan and Le, "EfficientNet", ICML 2019, table 1; squeeze-and-excitation, ratio 0.25 of a block's input
  resnet50         He et al., "Deep Residual Learning", CVPR 2016, table 1; the stride of a block in its 3x3 (as torchvision
                   and most frameworks have it: ResNet v1.5), in the paper in its first 1x1
  densenet121      Huang et al., "Densely Connected Convolutional Networks", CVPR 2017, table 1; growth 32
"""

import pathlib
import sys

from onnx import TensorProto, helper, save

IMAGE = [1, 3, 224, 224]
CLASSES = 1000


class Writer:
    """A network as it grows: a value is its name and its shape."""

    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.inputs = []

    def weight(self, name, shape):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def node(self, op, path, inputs, **attributes):
        """A node of the module at `path`: features.0.0 is /features/features.0/features.0.0."""
        parts = path.split(".") if path else []
        scope, full = "", ""
        for part in parts:
            full = f"{full}.{part}" if part.isdigit() else part
            scope += f"/{full}"
        name = f"{scope}/{op}"
        count = sum(node.op_type == op and node.name.rsplit("/", 1)[0] == scope for node in self.nodes)
        name += f"_{count}" if count else ""
        output = f"{name}_output_0"
        self.nodes.append(helper.make_node(op, inputs, [output], name, **attributes))
        return output

    def conv(self, path, x, channels, filters, kernel, stride=1, groups=1, bias=False):
        inputs = [x, self.weight(f"{path}.weight", [filters, channels // groups, kernel, kernel])]
        if bias:
            inputs.append(self.weight(f"{path}.bias", [filters]))
        pad = (kernel - 1) // 2
        return self.node("Conv", path, inputs, dilations=[1, 1], group=groups, kernel_shape=[kernel] * 2,
                         pads=[pad] * 4, strides=[stride] * 2)

    def norm(self, path, x, channels):
        kinds = ("weight", "bias", "running_mean", "running_var")
        return self.node("BatchNormalization", path, [x] + [self.weight(f"{path}.{kind}", [channels]) for kind in kinds],
                         epsilon=1e-5, momentum=0.9)

    def silu(self, path, x):
        return self.node("Mul", path, [x, self.node("Sigmoid", path, [x])])

    def pool(self, op, path, x, kernel, stride, pad=0):
        return self.node(op, path, [x], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4)

    def linear(self, path, x, features):
        x = self.node("Flatten", "", [x], axis=1)
        weights = [self.weight(f"{path}.weight", [CLASSES, features]), self.weight(f"{path}.bias", [CLASSES])]
        return self.node("Gemm", path, [x] + weights, alpha=1.0, beta=1.0, transB=1)

    def save(self, folder, output):
        self.nodes[-1].output[0] = "output"
        assert output == f"{self.nodes[-1].name}_output_0"
        graph = helper.make_graph(
            self.nodes, self.name, [helper.make_tensor_value_info("input", TensorProto.FLOAT, IMAGE)] + self.inputs,
            [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, CLASSES])])
        model = helper.make_model(graph, producer_name="weft", opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 7
        save(model, pathlib.Path(folder) / f"{self.name}.onnx")


def resnet50(folder):
    net = Writer("resnet50")
    x = net.conv("conv1", "input", 3, 64, 7, stride=2)
    x = net.node("Relu", "relu", [net.norm("bn1", x, 64)])
    x = net.pool("MaxPool", "maxpool", x, 3, 2, 1)
    channels = 64
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), 1):
        for block in range(blocks):
            path = f"layer{stage}.{block}"
            stride = 2 if stage > 1 and block == 0 else 1
            shortcut, y = x, x
            for i, (filters, kernel, step) in enumerate(((width, 1, 1), (width, 3, stride), (4 * width, 1, 1)), 1):
                y = net.conv(f"{path}.conv{i}", y, (channels, width, width)[i - 1], filters, kernel, step)
                y = net.norm(f"{path}.bn{i}", y, filters)
                if i < 3:
                    y = net.node("Relu", f"{path}.relu", [y])
            if block == 0:
                shortcut = net.conv(f"{path}.downsample.0", x, channels, 4 * width, 1, stride)
                shortcut = net.norm(f"{path}.downsample.1", shortcut, 4 * width)
            x = net.node("Relu", f"{path}.relu", [net.node("Add", path, [y, shortcut])])
            channels = 4 * width
    x = net.node("GlobalAveragePool", "avgpool", [x])
    net.save(folder, net.linear("fc", x, channels))


def densenet121(folder):
    growth = 32
    net = Writer("densenet121")
    x = net.conv("features.conv0", "input", 3, 2 * growth, 7, stride=2)
    x = net.node("Relu", "features.relu0", [net.norm("features.norm0", x, 2 * growth)])
    x = net.pool("MaxPool", "features.pool0", x, 3, 2, 1)
    channels = 2 * growth
    for block, layers in enumerate((6, 12, 24, 16), 1):
        parts = [x]
        for layer in range(1, layers + 1):
            path = f"features.denseblock{block}.denselayer{layer}"
            y = parts[0] if len(parts) == 1 else net.node("Concat", path, parts, axis=1)
            y = net.node("Relu", f"{path}.relu1", [net.norm(f"{path}.norm1", y, channels)])
            y = net.conv(f"{path}.conv1", y, channels, 4 * growth, 1)
            y = net.node("Relu", f"{path}.relu2", [net.norm(f"{path}.norm2", y, 4 * growth)])
            parts.append(net.conv(f"{path}.conv2", y, 4 * growth, growth, 3))
            channels += growth
        x = net.node("Concat", f"features.denseblock{block}", parts, axis=1)
        if block < 4:
            path = f"features.transition{block}"
            x = net.node("Relu", f"{path}.relu", [net.norm(f"{path}.norm", x, channels)])
            x = net.conv(f"{path}.conv", x, channels, channels // 2, 1)
            x = net.pool("AveragePool", f"{path}.pool", x, 2, 2)
            channels //= 2
    x = net.node("Relu", "", [net.norm("features.norm5", x, channels)])
    x = net.node("GlobalAveragePool", "", [x])
    net.save(folder, net.linear("classifier", x, channels))


def efficientnet_b0(folder):
    net = Writer("efficientnet_b0")

    def conv_norm(path, x, channels, filters, kernel, stride=1, groups=1, activation=True):
        x = net.norm(f"{path}.1", net.conv(f"{path}.0", x, channels, filters, kernel, stride, groups), filters)
        return net.silu(f"{path}.2", x) if activation else x

    x = conv_norm("features.0", "input", 3, 32, 3, 2)
    channels = 32
    # Expansion, kernel, stride of the first block, channels, blocks.
    stages = ((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
              (6, 3, 1, 320, 1))
    for stage, (expand, kernel, first_stride, filters, blocks) in enumerate(stages, 1):
        for index in range(blocks):
            path = f"features.{stage}.{index}"
            stride = first_stride if index == 0 else 1
            wide, part, y = channels * expand, 0, x
            if expand > 1:
                y = conv_norm(f"{path}.block.{part}", y, channels, wide, 1)
                part += 1
            y = conv_norm(f"{path}.block.{part}", y, wide, wide, kernel, stride, groups=wide)
            part += 1
            squeeze = f"{path}.block.{part}"
            s = net.node("GlobalAveragePool", f"{squeeze}.avgpool", [y])
            s = net.silu(f"{squeeze}.activation", net.conv(f"{squeeze}.fc1", s, wide, channels // 4, 1, bias=True))
            s = net.conv(f"{squeeze}.fc2", s, channels // 4, wide, 1, bias=True)
            y = net.node("Mul", squeeze, [net.node("Sigmoid", f"{squeeze}.scale_activation", [s]), y])
            part += 1
            y = conv_norm(f"{path}.block.{part}", y, wide, filters, 1, activation=False)
            x = net.node("Add", path, [y, x]) if stride == 1 and channels == filters else y
            channels = filters
    x = conv_norm("features.8", x, channels, 4 * channels, 1)
    x = net.node("GlobalAveragePool", "avgpool", [x])
    net.save(folder, net.linear("classifier.1", x, 4 * channels))


NETWORKS = (efficientnet_b0, resnet50, densenet121)

if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for write in NETWORKS:
        write(where)
