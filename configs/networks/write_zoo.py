"""Writes networks of several kinds, as today's PyTorch exports them (opset 20), as ONNX whose weights are in no file:

    /usr/bin/python3 configs/networks/write_zoo.py [FOLDER]     # Debian's python3-onnx

Modules are called as in the source named first; zoo.yaml has the published counts. Equal input, equal bytes.

  convnext_tiny          torchvision's convnext.py; Liu et al., "A ConvNet for the 2020s", CVPR 2022, section 2
  dcgan_generator        Radford et al., "Unsupervised Representation Learning", ICLR 2016, figure 1
  dcgan_discriminator    the same, section 3; filters mirror the generator's
  fcn_resnet50           torchvision's segmentation/fcn.py; Long et al., CVPR 2015; 520 x 520, without auxiliary classifier
  inception_v3           torchvision's inception.py; Szegedy et al., CVPR 2016, table 1; without auxiliary classifier
  m5                     Dai et al., "Very Deep Convolutional Neural Networks for Raw Waveforms", ICASSP 2017, table 1
  mobilenet_v3_large     torchvision's mobilenetv3.py; Howard et al., "Searching for MobileNetV3", ICCV 2019, table 1
  regnet_y_400mf         torchvision's regnet.py; Radosavovic et al., "Designing Network Design Spaces", CVPR 2020, figure 18
  shufflenet_v2_x1_0     torchvision's shufflenetv2.py; Ma et al., "ShuffleNet V2", ECCV 2018, table 5
  unet                   Ronneberger et al., "U-Net", MICCAI 2015, figure 1
  vit_b_16               torchvision's vision_transformer.py; Dosovitskiy et al., ICLR 2021, table 1
  yolov3_tiny            darknet's cfg/yolov3-tiny.cfg; Redmon and Farhadi, "YOLOv3", 2018; 416 x 416
"""

import pathlib
import sys

from onnx import TensorProto, helper, save

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import write_published  # noqa: E402

OPSET = 20  # the oldest with every operator below


class Writer(write_published.Writer):
    def __init__(self, name, *image):
        super().__init__(name)
        self.image = [1, *image]
        self.constants = []

    def weight(self, name, shape):
        """An initializer of a file that is not there, as exports with external data have them."""
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value=f"{self.name}.onnx.data")
        self.constants.append(tensor)
        return name

    def integers(self, name, values):
        self.constants.append(helper.make_tensor(name, TensorProto.INT64, [len(values)], values))
        return name

    def conv(self, path, x, channels, filters, kernel, stride=1, groups=1, bias=False, pad=None, dilation=1, op="Conv",
             **attributes):
        kernel = [kernel] * 2 if isinstance(kernel, int) else list(kernel)
        rank = len(kernel)
        pads = [dilation * (k - 1) // 2 for k in kernel]
        if pad is not None:
            pads = [pad] * rank if isinstance(pad, int) else list(pad)
        shape = [filters, channels // groups] if op == "Conv" else [channels, filters // groups]
        inputs = [x, self.weight(f"{path}.weight", shape + kernel)]
        if bias:
            inputs.append(self.weight(f"{path}.bias", [filters]))
        return self.node(op, path, inputs, dilations=[dilation] * rank, group=groups, kernel_shape=kernel, pads=pads * 2,
                         strides=[stride] * rank, **attributes)

    def matrix(self, path, x, features, results, bias=True):
        """A linear layer on the last dimension."""
        x = self.node("MatMul", path, [x, self.weight(f"{path}.weight", [features, results])])
        return self.node("Add", path, [x, self.weight(f"{path}.bias", [results])]) if bias else x

    def linear(self, path, x, features, classes=1000):
        x = self.node("Flatten", "", [x], axis=1)
        weights = [self.weight(f"{path}.weight", [classes, features]), self.weight(f"{path}.bias", [classes])]
        return self.node("Gemm", path, [x] + weights, alpha=1.0, beta=1.0, transB=1)

    def layer_norm(self, path, x, features):
        weights = [self.weight(f"{path}.weight", [features]), self.weight(f"{path}.bias", [features])]
        return self.node("LayerNormalization", path, [x] + weights, axis=-1, epsilon=1e-6)

    def turned(self, path, x, *order):
        return self.node("Transpose", path, [x], perm=order)

    def shaped(self, path, x, *shape):
        name = f"{path}.shape{len(self.nodes)}"
        return self.node("Reshape", path, [x, self.integers(name, shape)])

    def relu(self, path, x):
        return self.node("Relu", path, [x])

    def mean(self, path, x):
        """Mean over height and width, as adaptive pooling to one sample is exported."""
        return self.node("ReduceMean", path, [x, self.integers(f"{path or self.name}.axes", [-1, -2])],
                         keepdims=1)

    def squeeze(self, path, x, channels, middle, squeeze="Relu", gate="Sigmoid"):
        """Squeeze and excitation."""
        s = self.mean(f"{path}.avgpool", x)
        s = self.node(squeeze, f"{path}.activation", [self.conv(f"{path}.fc1", s, channels, middle, 1, bias=True)])
        s = self.node(gate, f"{path}.scale_activation", [self.conv(f"{path}.fc2", s, middle, channels, 1, bias=True)])
        return self.node("Mul", path, [s, x])

    def save(self, folder, *outputs):
        """`outputs`: values, each with its shape."""
        named = {}
        for i, (value, shape) in enumerate(outputs):
            named[value] = ("output" if len(outputs) == 1 else f"output{i}", shape)
        for node in self.nodes:
            for names in (node.input, node.output):
                for slot, name in enumerate(names):
                    if name in named:
                        names[slot] = named[name][0]
        graph = helper.make_graph(
            self.nodes, self.name, [helper.make_tensor_value_info("input", TensorProto.FLOAT, self.image)],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in named.values()],
            initializer=self.constants)
        model = helper.make_model(graph, producer_name="weft", opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = 9
        save(model, pathlib.Path(folder) / f"{self.name}.onnx")


def unet(folder):
    net = Writer("unet", 1, 572, 572)

    def double(path, x, channels, filters):
        for i in (1, 2):
            x = net.conv(f"{path}.conv{i}", x, channels, filters, 3, bias=True, pad=0)
            x = net.relu(f"{path}.relu{i}", x)
            channels = filters
        return x

    x, skips, size = "input", [], 572
    for level in range(5):
        x = double(f"down{level}", x, 1 if level == 0 else 32 << level, 64 << level)
        size -= 4
        if level < 4:
            skips.append((x, size))
            x = net.pool("MaxPool", f"pool{level}", x, 2, 2)
            size //= 2
    for level in reversed(range(4)):
        filters = 64 << level
        x = net.conv(f"up{level}.up", x, 2 * filters, filters, 2, stride=2, bias=True, pad=0, op="ConvTranspose")
        size *= 2
        skip, whole = skips[level]
        cut = (whole - size) // 2
        path = f"up{level}.crop"
        bounds = [net.integers(f"{path}.{name}", values)
                  for name, values in (("starts", [cut] * 2), ("ends", [cut + size] * 2), ("axes", [2, 3]))]
        x = net.node("Concat", f"up{level}", [net.node("Slice", path, [skip, *bounds]), x], axis=1)
        x = double(f"up{level}", x, 2 * filters, filters)
        size -= 4
    net.save(folder, (net.conv("out", x, 64, 2, 1, bias=True), [1, 2, size, size]))


def dcgan_generator(folder):
    net = Writer("dcgan_generator", 100)
    weights = [net.weight("project.weight", [1024 * 16, 100]), net.weight("project.bias", [1024 * 16])]
    x = net.node("Gemm", "project", ["input", *weights], transB=1)
    x = net.shaped("project", x, -1, 1024, 4, 4)
    x = net.relu("relu0", net.norm("bn0", x, 1024))
    channels = 1024
    for i, filters in enumerate((512, 256, 128, 3), 1):
        x = net.conv(f"conv{i}", x, channels, filters, 5, stride=2, pad=2, bias=filters == 3, op="ConvTranspose",
                     output_padding=[1, 1])
        x = net.relu(f"relu{i}", net.norm(f"bn{i}", x, filters)) if filters > 3 else net.node("Tanh", "tanh", [x])
        channels = filters
    net.save(folder, (x, [1, 3, 64, 64]))


def dcgan_discriminator(folder):
    net = Writer("dcgan_discriminator", 3, 64, 64)
    x, channels = "input", 3
    for i, filters in enumerate((128, 256, 512, 1024), 1):
        x = net.conv(f"conv{i}", x, channels, filters, 5, stride=2, pad=2, bias=i == 1)
        if i > 1:
            x = net.norm(f"bn{i}", x, filters)
        x = net.node("LeakyRelu", f"lrelu{i}", [x], alpha=0.2)
        channels = filters
    net.save(folder, (net.node("Sigmoid", "sigmoid", [net.linear("out", x, 1024 * 16, 1)]), [1, 1]))


def fcn_resnet50(folder):
    net = Writer("fcn_resnet50", 3, 520, 520)
    x = net.conv("backbone.conv1", "input", 3, 64, 7, stride=2)
    x = net.relu("backbone.relu", net.norm("backbone.bn1", x, 64))
    x = net.pool("MaxPool", "backbone.maxpool", x, 3, 2, 1)
    channels, dilation = 64, 1
    for stage, (width, blocks) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3)), 1):
        before = dilation
        dilation *= 2 if stage > 2 else 1
        for block in range(blocks):
            path = f"backbone.layer{stage}.{block}"
            stride = 2 if stage == 2 and block == 0 else 1
            shortcut, y = x, x
            for i, (taken, filters, kernel, step) in enumerate(
                    ((channels, width, 1, 1), (width, width, 3, stride), (width, 4 * width, 1, 1)), 1):
                y = net.conv(f"{path}.conv{i}", y, taken, filters, kernel, step,
                             dilation=(before if block == 0 else dilation) if kernel == 3 else 1)
                y = net.norm(f"{path}.bn{i}", y, filters)
                if i < 3:
                    y = net.relu(f"{path}.relu", y)
            if block == 0:
                shortcut = net.conv(f"{path}.downsample.0", x, channels, 4 * width, 1, stride)
                shortcut = net.norm(f"{path}.downsample.1", shortcut, 4 * width)
            x = net.relu(f"{path}.relu", net.node("Add", path, [y, shortcut]))
            channels = 4 * width
    x = net.relu("classifier.2", net.norm("classifier.1", net.conv("classifier.0", x, 2048, 512, 3), 512))
    x = net.conv("classifier.4", x, 512, 21, 1, bias=True)
    sizes = net.integers("sizes", [1, 21, 520, 520])
    x = net.node("Resize", "", [x, "", "", sizes], coordinate_transformation_mode="half_pixel", mode="linear")
    net.save(folder, (x, [1, 21, 520, 520]))


def convnext_tiny(folder):
    net = Writer("convnext_tiny", 3, 224, 224)

    def norm_maps(path, x, channels):
        return net.turned(path, net.layer_norm(path, net.turned(path, x, 0, 2, 3, 1), channels), 0, 3, 1, 2)

    x = norm_maps("features.0.1", net.conv("features.0.0", "input", 3, 96, 4, stride=4, bias=True, pad=0), 96)
    for stage, (width, blocks) in enumerate(((96, 3), (192, 3), (384, 9), (768, 3))):
        if stage > 0:
            path = f"features.{2 * stage}"
            x = net.conv(f"{path}.1", norm_maps(f"{path}.0", x, width // 2), width // 2, width, 2, 2, bias=True, pad=0)
        for block in range(blocks):
            path = f"features.{2 * stage + 1}.{block}"
            y = net.turned(f"{path}.block.1", net.conv(f"{path}.block.0", x, width, width, 7, groups=width, bias=True),
                           0, 2, 3, 1)
            y = net.matrix(f"{path}.block.3", net.layer_norm(f"{path}.block.2", y, width), width, 4 * width)
            y = net.matrix(f"{path}.block.5", net.node("Gelu", f"{path}.block.4", [y]), 4 * width, width)
            y = net.turned(f"{path}.block.6", y, 0, 3, 1, 2)
            y = net.node("Mul", path, [net.weight(f"{path}.layer_scale", [width, 1, 1]), y])
            x = net.node("Add", path, [y, x])
    x = norm_maps("classifier.0", net.mean("avgpool", x), 768)
    net.save(folder, (net.linear("classifier.2", x, 768), [1, 1000]))


def vit_b_16(folder):
    net = Writer("vit_b_16", 3, 224, 224)
    width, heads, length = 768, 12, 197
    x = net.conv("conv_proj", "input", 3, width, 16, stride=16, bias=True, pad=0)
    x = net.turned("", net.shaped("", x, -1, width, length - 1), 0, 2, 1)
    token = net.node("Expand", "", [net.weight("class_token", [1, 1, width]), net.integers("one", [1, 1, width])])
    x = net.node("Add", "encoder", [net.node("Concat", "", [token, x], axis=1),
                                    net.weight("encoder.pos_embedding", [1, length, width])])
    for layer in range(12):
        path = f"encoder.layers.encoder_layer_{layer}"
        attention = f"{path}.self_attention"
        y = net.matrix(f"{attention}.in_proj", net.layer_norm(f"{path}.ln_1", x, width), width, 3 * width)
        parts = []
        for i, name in enumerate(("q", "k", "v")):
            bounds = [net.integers(f"{attention}.{name}.{bound}", [value]) for bound, value in
                      (("starts", i * width), ("ends", (i + 1) * width), ("axes", 2))]
            part = net.shaped(f"{attention}.{name}", net.node("Slice", f"{attention}.{name}", [y, *bounds]), -1, length,
                              heads, width // heads)
            parts.append(net.turned(f"{attention}.{name}", part, *((0, 2, 3, 1) if name == "k" else (0, 2, 1, 3))))
        scale = helper.make_tensor(f"{attention}.scale", TensorProto.FLOAT, [], [(width // heads) ** -0.5])
        net.constants.append(scale)
        scores = net.node("MatMul", f"{attention}.scores", parts[:2])
        scores = net.node("Softmax", attention, [net.node("Mul", attention, [scores, scale.name])], axis=-1)
        y = net.turned(attention, net.node("MatMul", f"{attention}.values", [scores, parts[2]]), 0, 2, 1, 3)
        y = net.matrix(f"{attention}.out_proj", net.shaped(attention, y, -1, length, width), width, width)
        x = net.node("Add", path, [y, x])
        y = net.matrix(f"{path}.mlp.0", net.layer_norm(f"{path}.ln_2", x, width), width, 4 * width)
        y = net.matrix(f"{path}.mlp.3", net.node("Gelu", f"{path}.mlp.1", [y]), 4 * width, width)
        x = net.node("Add", path, [x, y])
    x = net.node("Gather", "", [net.layer_norm("encoder.ln", x, width), net.integers("first", [0])], axis=1)
    net.save(folder, (net.linear("heads.head", x, width), [1, 1000]))


def rounded(value, divisor=8):
    """A number of channels, as MobileNet rounds it."""
    near = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * value else near


def mobilenet_v3_large(folder):
    net = Writer("mobilenet_v3_large", 3, 224, 224)

    def conv_norm(path, x, channels, filters, kernel, stride=1, groups=1, activation=None):
        x = net.norm(f"{path}.1", net.conv(f"{path}.0", x, channels, filters, kernel, stride, groups), filters)
        return net.node(activation, f"{path}.2", [x]) if activation else x

    x, channels = conv_norm("features.0", "input", 3, 16, 3, 2, activation="HardSwish"), 16
    # Kernel, expanded channels, channels, squeeze and excitation, activation, stride.
    rows = ((3, 16, 16, 0, "Relu", 1), (3, 64, 24, 0, "Relu", 2), (3, 72, 24, 0, "Relu", 1), (5, 72, 40, 1, "Relu", 2),
            (5, 120, 40, 1, "Relu", 1), (5, 120, 40, 1, "Relu", 1), (3, 240, 80, 0, "HardSwish", 2),
            (3, 200, 80, 0, "HardSwish", 1), (3, 184, 80, 0, "HardSwish", 1), (3, 184, 80, 0, "HardSwish", 1),
            (3, 480, 112, 1, "HardSwish", 1), (3, 672, 112, 1, "HardSwish", 1), (5, 672, 160, 1, "HardSwish", 2),
            (5, 960, 160, 1, "HardSwish", 1), (5, 960, 160, 1, "HardSwish", 1))
    for index, (kernel, wide, filters, squeezes, activation, stride) in enumerate(rows, 1):
        path, part, y = f"features.{index}.block", 0, x
        if wide != channels:
            y = conv_norm(f"{path}.{part}", y, channels, wide, 1, activation=activation)
            part += 1
        y = conv_norm(f"{path}.{part}", y, wide, wide, kernel, stride, wide, activation)
        part += 1
        if squeezes:
            y = net.squeeze(f"{path}.{part}", y, wide, rounded(wide // 4), gate="HardSigmoid")
            part += 1
        y = conv_norm(f"{path}.{part}", y, wide, filters, 1)
        x = net.node("Add", f"features.{index}", [y, x]) if stride == 1 and channels == filters else y
        channels = filters
    x = net.mean("avgpool", conv_norm("features.16", x, channels, 960, 1, activation="HardSwish"))
    x = net.node("HardSwish", "classifier.1", [net.linear("classifier.0", x, 960, 1280)])
    net.save(folder, (net.linear("classifier.3", x, 1280), [1, 1000]))


def regnet_y_400mf(folder):
    net = Writer("regnet_y_400mf", 3, 224, 224)

    def conv_norm(path, x, channels, filters, kernel, stride=1, groups=1, relu=True):
        x = net.norm(f"{path}.1", net.conv(f"{path}.0", x, channels, filters, kernel, stride, groups), filters)
        return net.relu(f"{path}.2", x) if relu else x

    x, channels = conv_norm("stem", "input", 3, 32, 3, 2), 32
    for stage, (width, blocks) in enumerate(((48, 1), (104, 3), (208, 6), (440, 6)), 1):
        for block in range(blocks):
            path = f"trunk_output.block{stage}.block{stage}-{block}"
            stride = 2 if block == 0 else 1
            y = conv_norm(f"{path}.f.a", x, channels, width, 1)
            y = conv_norm(f"{path}.f.b", y, width, width, 3, stride, width // 8)
            y = net.squeeze(f"{path}.f.se", y, width, round(channels / 4))
            y = conv_norm(f"{path}.f.c", y, width, width, 1, relu=False)
            if block == 0:
                x = conv_norm(f"{path}.proj", x, channels, width, 1, 2, relu=False)
            x = net.relu(f"{path}.activation", net.node("Add", path, [x, y]))
            channels = width
    net.save(folder, (net.linear("fc", net.mean("avgpool", x), channels), [1, 1000]))


def shufflenet_v2_x1_0(folder):
    net = Writer("shufflenet_v2_x1_0", 3, 224, 224)

    def conv_norm(path, at, x, channels, filters, kernel, stride=1, groups=1):
        x = net.conv(f"{path}.{at}", x, channels, filters, kernel, stride, groups)
        x = net.norm(f"{path}.{at + 1}", x, filters)
        return net.relu(f"{path}.{at + 2}", x) if groups == 1 else x

    x = net.pool("MaxPool", "maxpool", conv_norm("conv1", 0, "input", 3, 24, 3, 2), 3, 2, 1)
    channels, size = 24, 56
    for stage, (filters, blocks) in enumerate(((116, 4), (232, 8), (464, 4)), 2):
        for block in range(blocks):
            path, half, stride = f"stage{stage}.{block}", filters // 2, 2 if block == 0 else 1
            if block == 0:
                size //= 2
                kept = conv_norm(f"{path}.branch1", 0, x, channels, channels, 3, 2, channels)
                kept = conv_norm(f"{path}.branch1", 2, kept, channels, half, 1)
                y = x
            else:
                split = net.node("Split", path, [x], axis=1, num_outputs=2)
                net.nodes[-1].output.append(f"{split}_1")
                kept, y, channels = split, f"{split}_1", half
            y = conv_norm(f"{path}.branch2", 0, y, channels, half, 1)
            y = conv_norm(f"{path}.branch2", 3, y, half, half, 3, stride, half)
            y = conv_norm(f"{path}.branch2", 5, y, half, half, 1)
            x = net.shaped(path, net.node("Concat", path, [kept, y], axis=1), -1, 2, half, size, size)
            x = net.shaped(path, net.turned(path, x, 0, 2, 1, 3, 4), -1, filters, size, size)
            channels = filters
    x = net.mean("", conv_norm("conv5", 0, x, channels, 1024, 1))
    net.save(folder, (net.linear("fc", x, 1024), [1, 1000]))


def inception_v3(folder):
    net = Writer("inception_v3", 3, 299, 299)

    def conv(path, x, channels, filters, kernel, stride=1, pad=0):
        x = net.conv(f"{path}.conv", x, channels, filters, kernel, stride, pad=pad)
        return net.relu(path, net.norm(f"{path}.bn", x, filters))

    def join(path, *parts):
        return net.node("Concat", path, list(parts), axis=1)

    def average(path, x):
        return net.node("AveragePool", path, [x], kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4, count_include_pad=1)

    def block_a(path, x, channels, pooled):
        y = conv(f"{path}.branch5x5_2", conv(f"{path}.branch5x5_1", x, channels, 48, 1), 48, 64, 5, pad=2)
        z = conv(f"{path}.branch3x3dbl_2", conv(f"{path}.branch3x3dbl_1", x, channels, 64, 1), 64, 96, 3, pad=1)
        z = conv(f"{path}.branch3x3dbl_3", z, 96, 96, 3, pad=1)
        return join(path, conv(f"{path}.branch1x1", x, channels, 64, 1), y, z,
                    conv(f"{path}.branch_pool", average(path, x), channels, pooled, 1))

    def block_c(path, x, width):
        across, down = ((1, 7), (0, 3)), ((7, 1), (3, 0))

        def chain(branch, steps):
            y, channels = x, 768
            for i, (filters, shape) in enumerate(steps, 1):
                y = conv(f"{path}.{branch}_{i}", y, channels, filters, *((1, 1, 0) if shape is None else
                                                                        (shape[0], 1, shape[1])))
                channels = filters
            return y

        y = chain("branch7x7", ((width, None), (width, across), (192, down)))
        z = chain("branch7x7dbl", ((width, None), (width, down), (width, across), (width, down), (192, across)))
        return join(path, conv(f"{path}.branch1x1", x, 768, 192, 1), y, z,
                    conv(f"{path}.branch_pool", average(path, x), 768, 192, 1))

    def block_e(path, x, channels):
        def halves(branch, y, channels_in):
            return join(f"{path}.{branch}", conv(f"{path}.{branch}a", y, channels_in, 384, (1, 3), pad=(0, 1)),
                        conv(f"{path}.{branch}b", y, channels_in, 384, (3, 1), pad=(1, 0)))

        y = halves("branch3x3_2", conv(f"{path}.branch3x3_1", x, channels, 384, 1), 384)
        z = conv(f"{path}.branch3x3dbl_2", conv(f"{path}.branch3x3dbl_1", x, channels, 448, 1), 448, 384, 3, pad=1)
        z = halves("branch3x3dbl_3", z, 384)
        return join(path, conv(f"{path}.branch1x1", x, channels, 320, 1), y, z,
                    conv(f"{path}.branch_pool", average(path, x), channels, 192, 1))

    x = conv("Conv2d_1a_3x3", "input", 3, 32, 3, 2)
    x = conv("Conv2d_2b_3x3", conv("Conv2d_2a_3x3", x, 32, 32, 3), 32, 64, 3, pad=1)
    x = net.pool("MaxPool", "maxpool1", x, 3, 2)
    x = conv("Conv2d_4a_3x3", conv("Conv2d_3b_1x1", x, 64, 80, 1), 80, 192, 3)
    x = net.pool("MaxPool", "maxpool2", x, 3, 2)
    for path, channels, pooled in (("Mixed_5b", 192, 32), ("Mixed_5c", 256, 64), ("Mixed_5d", 288, 64)):
        x = block_a(path, x, channels, pooled)
    path = "Mixed_6a"
    y = conv(f"{path}.branch3x3dbl_2", conv(f"{path}.branch3x3dbl_1", x, 288, 64, 1), 64, 96, 3, pad=1)
    x = join(path, conv(f"{path}.branch3x3", x, 288, 384, 3, 2), conv(f"{path}.branch3x3dbl_3", y, 96, 96, 3, 2),
             net.pool("MaxPool", path, x, 3, 2))
    for path, width in (("Mixed_6b", 128), ("Mixed_6c", 160), ("Mixed_6d", 160), ("Mixed_6e", 192)):
        x = block_c(path, x, width)
    path = "Mixed_7a"
    y = conv(f"{path}.branch3x3_2", conv(f"{path}.branch3x3_1", x, 768, 192, 1), 192, 320, 3, 2)
    z = conv(f"{path}.branch7x7x3_2", conv(f"{path}.branch7x7x3_1", x, 768, 192, 1), 192, 192, (1, 7), pad=(0, 3))
    z = conv(f"{path}.branch7x7x3_4", conv(f"{path}.branch7x7x3_3", z, 192, 192, (7, 1), pad=(3, 0)), 192, 192, 3, 2)
    x = join(path, y, z, net.pool("MaxPool", path, x, 3, 2))
    for path, channels in (("Mixed_7b", 1280), ("Mixed_7c", 2048)):
        x = block_e(path, x, channels)
    net.save(folder, (net.linear("fc", net.mean("avgpool", x), 2048), [1, 1000]))


def yolov3_tiny(folder):
    net = Writer("yolov3_tiny", 3, 416, 416)
    index = 0

    def conv(x, channels, filters, kernel, linear=False):
        nonlocal index
        path = f"layers.{index}"
        x = net.conv(f"{path}.conv", x, channels, filters, kernel, bias=linear)
        index += 1
        return x if linear else net.node("LeakyRelu", f"{path}.leaky", [net.norm(f"{path}.norm", x, filters)], alpha=0.1)

    x, channels, kept = "input", 3, None
    for filters in (16, 32, 64, 128, 256, 512):
        x, channels = conv(x, channels, filters, 3), filters
        if filters == 256:
            kept = x
        stride = 1 if filters == 512 else 2
        x = net.node("MaxPool", f"layers.{index}", [x], kernel_shape=[2, 2], strides=[stride] * 2,
                     pads=[0, 0, 1, 1] if stride == 1 else [0] * 4)
        index += 1
    x = conv(conv(x, 512, 1024, 3), 1024, 256, 1)
    coarse = conv(conv(x, 256, 512, 3), 512, 255, 1, linear=True)
    index += 2  # yolo, route
    scales = helper.make_tensor("scales", TensorProto.FLOAT, [4], [1, 1, 2, 2])
    net.constants.append(scales)
    x = net.node("Resize", f"layers.{index + 1}", [conv(x, 256, 128, 1), "", "scales"], mode="nearest",
                 coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    index += 1
    x = net.node("Concat", f"layers.{index}", [x, kept], axis=1)
    index += 1
    fine = conv(conv(x, 384, 256, 3), 256, 255, 1, linear=True)
    net.save(folder, (coarse, [1, 255, 13, 13]), (fine, [1, 255, 26, 26]))


def m5(folder):
    net = Writer("m5", 1, 32000)
    x, channels = "input", 1
    for i, (kernel, filters) in enumerate(((80, 128), (3, 128), (3, 256), (3, 512)), 1):
        x = net.conv(f"conv{i}", x, channels, filters, (kernel,), stride=4 if i == 1 else 1, bias=True,
                     pad=38 if i == 1 else 1)
        x = net.relu(f"relu{i}", net.norm(f"bn{i}", x, filters))
        x = net.node("MaxPool", f"pool{i}", [x], kernel_shape=[4], strides=[4], pads=[0, 0])
        channels = filters
    x = net.node("ReduceMean", "", [x, net.integers("axes", [2])], keepdims=1)
    net.save(folder, (net.node("Softmax", "", [net.linear("fc", x, 512, 10)], axis=1), [1, 10]))


NETWORKS = (convnext_tiny, dcgan_discriminator, dcgan_generator, fcn_resnet50, inception_v3, m5, mobilenet_v3_large,
            regnet_y_400mf, shufflenet_v2_x1_0, unet, vit_b_16, yolov3_tiny)

if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for write in NETWORKS:
        write(where)
