// The runner (operator_run.h): oneDNN's primitives, and plain loops for operators without one.
#include <omp.h>

#include <array>
#include <functional>
#include <optional>
#include <stdexcept>

#include "platform/iteration/host/matrix_loops.h"
#include "platform/iteration/host/onednn.h"
#include "platform/iteration/host/operator_run.h"
#include "platform/iteration/host/plain_loops.h"
#include "workloads/graph/graph.h"

namespace weft::host {

namespace {

using namespace workloads;
using conv::Kind;
using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using Memory = dnnl::memory;
using dnnl::algorithm;
using dnnl::prop_kind;
using onednn::Arguments;
using onednn::backward_description;
using onednn::description;
constexpr auto kF32 = dnnl::memory::data_type::f32;
constexpr float kRate = 0.01F;

// Strides of a dense tensor, last axis innermost.
Dims strides_of(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}
Desc dense(const Dims& dims) {
  return {dims, kF32, strides_of(dims)};
}

// A sequence of steps: primitives and loops.
class Steps : public OperatorRun {
 public:
  Steps(dnnl::engine engine, dnnl::stream stream) : engine_(std::move(engine)), stream_(std::move(stream)) {}

  void once() override {
    try {
      for (const auto& step : steps_) step();
      stream_.wait();
    } catch (const dnnl::error& error) {
      throw std::runtime_error(std::string("oneDNN: ") + error.what());
    }
  }

  const dnnl::engine& engine() const { return engine_; }
  Memory at(const Desc& desc, const Buffer& buffer) const { return {desc, engine_, buffer.data}; }
  Memory own(const Desc& desc) const { return {desc, engine_}; }

  template <class Descriptor>
  void primitive(const Descriptor& desc, const dnnl::primitive& primitive, Arguments arguments) {
    name("oneDNN " + std::string(desc.impl_info_str()));
    steps_.push_back([this, primitive, arguments = std::move(arguments)] { primitive.execute(stream_, arguments); });
  }
  // Executes a primitive now, to fill inputs of the operator's own primitive.
  void prepare(const dnnl::primitive& primitive, const Arguments& arguments) {
    primitive.execute(stream_, arguments);
    stream_.wait();
  }
  void loop(std::function<void()> body) {
    plain_loop = true;
    name("plain loop");
    steps_.push_back(std::move(body));
  }

 private:
  void name(const std::string& what) {
    if (kernel.find(what) == std::string::npos) kernel += (kernel.empty() ? "" : " + ") + what;
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<std::function<void()>> steps_;
};

// Adds the steps of an operator to `run`.
class Builder {
 public:
  Builder(Steps& run, const OperatorTask& task) : run_(run), op_(*task.op), in_(task.inputs), out_(task.outputs) {}

  void operator()(const ConvolutionOp& c) {
    const conv::Layer& l = c.layer;
    const Dims strides{l.h.stride, l.w.stride}, dilations{l.h.dilation - 1, l.w.dilation - 1};
    const Dims begin{l.h.pad_begin, l.w.pad_begin}, end{l.h.pad_end, l.w.pad_end};
    const Desc ifm = dense({l.batch, l.channels, l.h.size, l.w.size});
    const Desc ofm = dense({l.batch, l.filters, l.h.out(), l.w.out()});
    const Desc weights = l.groups == 1
                             ? dense({l.filters, l.channels, l.h.kernel, l.w.kernel})
                             : dense({l.groups, l.filters / l.groups, l.channels / l.groups, l.h.kernel, l.w.kernel});
    const auto forward =
        description<dnnl::convolution_forward>(run_.engine(), prop_kind::forward_training, algorithm::convolution_auto,
                                               ifm, weights, ofm, strides, dilations, begin, end);
    const Kind kind = conv::computed_as(l, c.kind);
    if (kind == Kind::F) {
      return run_.primitive(
          forward, dnnl::convolution_forward(forward),
          {{DNNL_ARG_SRC, in(0, ifm)}, {DNNL_ARG_WEIGHTS, in(1, weights)}, {DNNL_ARG_DST, out(0, ofm)}});
    }
    if (kind == Kind::GI) {
      const auto desc = backward_description<dnnl::convolution_backward_data>(
          run_.engine(), forward, algorithm::convolution_auto, ifm, weights, ofm, strides, dilations, begin, end);
      return run_.primitive(
          desc, dnnl::convolution_backward_data(desc),
          {{DNNL_ARG_DIFF_DST, in(0, ofm)}, {DNNL_ARG_WEIGHTS, in(1, weights)}, {DNNL_ARG_DIFF_SRC, out(0, ifm)}});
    }
    const auto desc = backward_description<dnnl::convolution_backward_weights>(
        run_.engine(), forward, algorithm::convolution_auto, ifm, weights, ofm, strides, dilations, begin, end);
    run_.primitive(
        desc, dnnl::convolution_backward_weights(desc),
        {{DNNL_ARG_SRC, in(0, ifm)}, {DNNL_ARG_DIFF_DST, in(1, ofm)}, {DNNL_ARG_DIFF_WEIGHTS, out(0, weights)}});
  }

  void operator()(const FullyConnectedOp& f) {
    const Desc x = dense({f.rows, f.in_features}), w = dense({f.out_features, f.in_features});
    const Desc y = dense({f.rows, f.out_features}), b = dense({f.out_features});
    using Forward = dnnl::inner_product_forward;
    const auto forward = f.bias ? description<Forward>(run_.engine(), prop_kind::forward_training, x, w, b, y)
                                : description<Forward>(run_.engine(), prop_kind::forward_training, x, w, y);
    if (f.kind == Kind::F) {
      Arguments arguments{{DNNL_ARG_SRC, in(0, x)}, {DNNL_ARG_WEIGHTS, in(1, w)}, {DNNL_ARG_DST, out(0, y)}};
      if (f.bias) arguments.insert({DNNL_ARG_BIAS, in(2, b)});
      return run_.primitive(forward, Forward(forward), arguments);
    }
    if (f.kind == Kind::GI) {
      const auto desc = backward_description<dnnl::inner_product_backward_data>(run_.engine(), forward, x, w, y);
      return run_.primitive(
          desc, dnnl::inner_product_backward_data(desc),
          {{DNNL_ARG_DIFF_DST, in(0, y)}, {DNNL_ARG_WEIGHTS, in(1, w)}, {DNNL_ARG_DIFF_SRC, out(0, x)}});
    }
    const auto desc = backward_description<dnnl::inner_product_backward_weights>(run_.engine(), forward, x, w, y);
    run_.primitive(desc, dnnl::inner_product_backward_weights(desc),
                   {{DNNL_ARG_SRC, in(0, x)}, {DNNL_ARG_DIFF_DST, in(1, y)}, {DNNL_ARG_DIFF_WEIGHTS, out(0, w)}});
  }

  void operator()(const MatrixProductOp& p) {
    const Dims a{p.batch, p.m, p.k}, b{p.batch, p.k, p.n}, c{p.batch, p.m, p.n};
    // Transpose of a dense matrix.
    const auto turned = [](const Dims& dims) {
      return Desc{{dims[0], dims[2], dims[1]}, kF32, Dims{dims[1] * dims[2], 1, dims[2]}};
    };
    Desc left = dense(a), right = dense(b), result = dense(c);
    if (p.kind == Kind::GI) {
      left = dense(c), right = turned(b), result = dense(a);
    } else if (p.kind == Kind::GW) {
      left = turned(a), right = dense(c), result = dense(b);
    }
    const auto desc = description<dnnl::matmul>(run_.engine(), left, right, result);
    run_.primitive(desc, dnnl::matmul(desc),
                   {{DNNL_ARG_SRC, in(0, left)}, {DNNL_ARG_WEIGHTS, in(1, right)}, {DNNL_ARG_DST, out(0, result)}});
  }

  void operator()(const BiasOp& b) {
    const Desc whole = dense({b.images, b.channels, b.spatial}), one = dense({1, b.channels, 1});
    if (!forward()) return reduce(algorithm::reduction_sum, whole, one);
    binary(algorithm::binary_add, whole, one, whole);
  }

  void operator()(const ActivationOp& a) {
    const Index n = forward() ? out_[0].elements : in_[0].elements;
    if (a.function == Activation::PRelu) return prelu(n);
    const auto found = eltwise(a);
    if (!found) {
      if (forward()) {
        return run_.loop([this_in = in_[0].floats(), y = out_[0].floats(), n, a] {
          plain::map(this_in, y, n, [&](float x) { return plain::activation(a, x); });
        });
      }
      const float* const saved = in_.size() > 1 ? in_[1].floats() : in_[0].floats();
      return run_.loop([g = in_[0].floats(), saved, y = out_[0].floats(), n, a] {
        plain::map2(g, saved, y, n, [&](float gi, float si) { return plain::activation_gradient(a, gi, si); });
      });
    }
    const Desc all = dense({n});
    const auto forward_desc = description<dnnl::eltwise_forward>(run_.engine(), prop_kind::forward_training,
                                                                 forward() ? found->forward : found->backward, all, all,
                                                                 found->alpha, found->beta);
    if (forward()) {
      return run_.primitive(forward_desc, dnnl::eltwise_forward(forward_desc),
                            {{DNNL_ARG_SRC, in(0, all)}, {DNNL_ARG_DST, out(0, all)}});
    }
    const auto desc = backward_description<dnnl::eltwise_backward>(run_.engine(), forward_desc, found->backward, all,
                                                                   all, all, found->alpha, found->beta);
    const Memory saved = in(in_.size() > 1 ? 1 : 0, all);
    run_.primitive(desc, dnnl::eltwise_backward(desc),
                   {{DNNL_ARG_DIFF_DST, in(0, all)},
                    {found->forward == found->backward ? DNNL_ARG_SRC : DNNL_ARG_DST, saved},
                    {DNNL_ARG_DIFF_SRC, out(0, all)}});
  }

  void operator()(const PoolOp& p) {
    Dims from{p.images, p.channels}, to = from, kernel, strides, dilations, begin, end;
    for (const PoolAxis& axis : p.axes) {
      from.push_back(axis.size);
      to.push_back(axis.out);
      kernel.push_back(axis.kernel);
      strides.push_back(axis.stride);
      dilations.push_back(axis.dilation - 1);
      begin.push_back(axis.pad_begin);
      // Extent of the last window beyond the input; more than the padding if the size is rounded up.
      const Index reach = (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
      end.push_back(std::max<Index>(reach - axis.size - axis.pad_begin, 0));
    }
    const algorithm how = p.kind == PoolKind::Max ? algorithm::pooling_max
                          : p.count_include_pad   ? algorithm::pooling_avg_include_padding
                                                  : algorithm::pooling_avg_exclude_padding;
    const Desc src = dense(from), dst = dense(to);
    const auto forward_desc = description<onednn::pooling_forward>(run_.engine(), prop_kind::forward_training, how, src,
                                                                   dst, strides, kernel, dilations, begin, end);
    const bool indices = p.kind == PoolKind::Max;
    // oneDNN keeps the indices in its own format.
    const Memory workspace = indices ? run_.own(forward_desc.workspace_desc()) : Memory();
    const auto with_indices = [&](Arguments arguments) {
      if (indices) arguments.insert({DNNL_ARG_WORKSPACE, workspace});
      return arguments;
    };
    const onednn::pooling_forward pool(forward_desc);
    if (forward()) {
      return run_.primitive(forward_desc, pool,
                            with_indices({{DNNL_ARG_SRC, in(0, src)}, {DNNL_ARG_DST, out(0, dst)}}));
    }
    const auto desc = backward_description<onednn::pooling_backward>(run_.engine(), forward_desc, how, src, dst,
                                                                     strides, kernel, dilations, begin, end);
    if (indices) {  // uses the input's buffer, which will hold its gradient
      run_.prepare(pool, {{DNNL_ARG_SRC, out(0, src)}, {DNNL_ARG_DST, run_.own(dst)}, {DNNL_ARG_WORKSPACE, workspace}});
    }
    run_.primitive(desc, onednn::pooling_backward(desc),
                   with_indices({{DNNL_ARG_DIFF_DST, in(0, dst)}, {DNNL_ARG_DIFF_SRC, out(0, src)}}));
  }

  void operator()(const BatchNormOp& b) {
    const auto flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    const Desc data = dense({b.images, b.channels, b.spatial, 1}), one = dense({b.channels});
    const auto epsilon = static_cast<float>(b.epsilon);
    const auto forward_desc = description<dnnl::batch_normalization_forward>(run_.engine(), prop_kind::forward_training,
                                                                             data, data, epsilon, flags);
    const Memory mean = run_.own(one), variance = run_.own(one);
    const dnnl::batch_normalization_forward normalise(forward_desc);
    if (forward()) {
      return run_.primitive(forward_desc, normalise,
                            {{DNNL_ARG_SRC, in(0, data)},
                             {DNNL_ARG_SCALE, in(1, one)},
                             {DNNL_ARG_SHIFT, in(2, one)},
                             {DNNL_ARG_MEAN, mean},
                             {DNNL_ARG_VARIANCE, variance},
                             {DNNL_ARG_DST, out(0, data)}});
    }
    // Without a gradient of x there are only those of scale and shift.
    const bool of_x = out_.size() == 3;
    const Memory gx = of_x ? out(0, data) : run_.own(data);
    run_.prepare(normalise, {{DNNL_ARG_SRC, in(1, data)},
                             {DNNL_ARG_SCALE, in(2, one)},
                             {DNNL_ARG_SHIFT, in(2, one)},
                             {DNNL_ARG_MEAN, mean},
                             {DNNL_ARG_VARIANCE, variance},
                             {DNNL_ARG_DST, gx}});
    const auto desc = backward_description<dnnl::batch_normalization_backward>(
        run_.engine(), forward_desc, prop_kind::backward, data, data, data, epsilon, flags);
    run_.primitive(desc, dnnl::batch_normalization_backward(desc),
                   onednn::normalization_arguments({{DNNL_ARG_DIFF_DST, in(0, data)},
                                                    {DNNL_ARG_SRC, in(1, data)},
                                                    {DNNL_ARG_SCALE, in(2, one)},
                                                    {DNNL_ARG_MEAN, mean},
                                                    {DNNL_ARG_VARIANCE, variance},
                                                    {DNNL_ARG_DIFF_SRC, gx},
                                                    {DNNL_ARG_DIFF_SCALE, out(of_x ? 1 : 0, one)},
                                                    {DNNL_ARG_DIFF_SHIFT, out(of_x ? 2 : 1, one)}},
                                                   in(2, one)));
  }

  void operator()(const RowNormOp& r) {
    if (forward()) {
      const float* const shift = in_.size() > 2 ? in_[2].floats() : nullptr;
      return run_.loop([x = in_[0].floats(), scale = in_[1].floats(), shift, y = out_[0].floats(),
                        statistics = out_[1].floats(), r] { plain::normalise(x, scale, shift, y, statistics, r); });
    }
    std::array<float*, 3> gradients{};  // of x, if it is wanted, scale and shift
    std::size_t next = out_[0].elements == in_[1].elements ? 0 : 1;
    for (const Buffer& buffer : out_) gradients[next++] = buffer.floats();
    run_.loop([g = in_[0].floats(), x = in_[1].floats(), scale = in_[2].floats(), statistics = in_[3].floats(),
               gradients,
               r] { plain::normalise_gradient(g, x, scale, statistics, gradients[0], gradients[1], gradients[2], r); });
  }

  void operator()(const LrnOp& l) {
    const Desc data = dense({l.images, l.channels, l.spatial, 1});
    const auto alpha = static_cast<float>(l.alpha), beta = static_cast<float>(l.beta), k = static_cast<float>(l.k);
    const auto forward_desc = description<dnnl::lrn_forward>(
        run_.engine(), prop_kind::forward_training, algorithm::lrn_across_channels, data, data, l.size, alpha, beta, k);
    Arguments saved;
    if (forward_desc.workspace_desc().get_size() > 0) {
      saved.insert({DNNL_ARG_WORKSPACE, run_.own(forward_desc.workspace_desc())});
    }
    const auto with_saved = [&](Arguments arguments) {
      arguments.insert(saved.begin(), saved.end());
      return arguments;
    };
    const dnnl::lrn_forward normalise(forward_desc);
    if (forward()) {
      return run_.primitive(forward_desc, normalise,
                            with_saved({{DNNL_ARG_SRC, in(0, data)}, {DNNL_ARG_DST, out(0, data)}}));
    }
    run_.prepare(normalise, with_saved({{DNNL_ARG_SRC, in(1, data)}, {DNNL_ARG_DST, out(0, data)}}));
    const auto desc = backward_description<dnnl::lrn_backward>(
        run_.engine(), forward_desc, algorithm::lrn_across_channels, data, data, data, l.size, alpha, beta, k);
    run_.primitive(
        desc, dnnl::lrn_backward(desc),
        with_saved({{DNNL_ARG_SRC, in(1, data)}, {DNNL_ARG_DIFF_DST, in(0, data)}, {DNNL_ARG_DIFF_SRC, out(0, data)}}));
  }

  void operator()(const SoftmaxOp& s) {
    const Desc data = dense({s.outer, s.classes, s.inner});
    const algorithm how = s.log ? algorithm::softmax_log : algorithm::softmax_accurate;
    constexpr int kAxis = 1;
    const auto forward_desc =
        description<onednn::softmax_forward>(run_.engine(), prop_kind::forward_training, how, data, data, kAxis);
    if (forward()) {
      return run_.primitive(forward_desc, onednn::softmax_forward(forward_desc),
                            {{DNNL_ARG_SRC, in(0, data)}, {DNNL_ARG_DST, out(0, data)}});
    }
    const auto desc =
        backward_description<onednn::softmax_backward>(run_.engine(), forward_desc, how, data, data, data, kAxis);
    run_.primitive(desc, onednn::softmax_backward(desc),
                   {{DNNL_ARG_DIFF_DST, in(0, data)}, {DNNL_ARG_DST, in(1, data)}, {DNNL_ARG_DIFF_SRC, out(0, data)}});
  }

  void operator()(const ArithmeticOp& a) {
    if (!forward()) return arithmetic_gradients(a);
    const Dims shape = shape_of(out_[0]);
    if (a.function == Arithmetic::Power || in_.size() == 1) {
      return fold_operands(a, shape);
    }
    const auto how = algorithm_of(a.function);
    const bool same =
        std::all_of(in_.begin(), in_.end(), [&](const Buffer& b) { return b.elements == out_[0].elements; });
    if (a.function == Arithmetic::Add && same && in_.size() > 2) return sum();
    binary(how, aligned(in_[0], shape), aligned(in_[1], shape), dense(shape));
    const Desc whole = dense(shape);
    for (std::size_t i = 2; i < in_.size(); ++i) {
      const Desc other = aligned(in_[i], shape);
      const auto desc = description<dnnl::binary>(run_.engine(), how, whole, other, whole);
      run_.primitive(desc, dnnl::binary(desc),
                     {{DNNL_ARG_SRC_0, out(0, whole)}, {DNNL_ARG_SRC_1, in(i, other)}, {DNNL_ARG_DST, out(0, whole)}});
    }
  }

  void operator()(const ConcatOp& c) {
    if (!forward()) return split(in_[0], out_, c.axis);
    join(in_, out_[0], c.axis);
  }
  void operator()(const SplitOp& s) {
    if (!forward()) return join(in_, out_[0], s.axis);
    split(in_[0], out_, s.axis);
  }

  void operator()(const CopyOp& c) {
    if (c.kind == CopyKind::Transpose && !c.permutation.empty()) {
      // Axis i of the output is axis permutation[i] of the input; backward reads the output's gradient.
      const Dims whole = shape_of(forward() ? in_[0] : out_[0]);
      Dims dims, strides;
      for (const std::int64_t axis : c.permutation) {
        dims.push_back(whole[static_cast<std::size_t>(axis)]);
        strides.push_back(strides_of(whole)[static_cast<std::size_t>(axis)]);
      }
      const Desc turned(dims, kF32, strides);
      return forward() ? reorder(in(0, turned), out(0, dense(dims))) : reorder(in(0, dense(dims)), out(0, turned));
    }
    if (c.taps > 1) {
      return run_.loop([x = in_[0].floats(), y = out_[0].floats(), from = in_[0].elements, to = out_[0].elements,
                        taps = c.taps] { plain::weigh(x, y, from, to, taps); });
    }
    const bool adds = !forward() && (c.kind == CopyKind::Resize || c.kind == CopyKind::Expand);
    run_.loop([x = in_[0].floats(), y = out_[0].floats(), from = in_[0].elements, to = out_[0].elements, adds] {
      adds ? plain::fold(x, y, from, to) : plain::copy(x, y, from, to);
    });
  }

  void operator()(const ReduceOp& r) {
    if (forward()) {
      const algorithm how = r.kind == ReduceKind::Mean  ? algorithm::reduction_mean
                            : r.kind == ReduceKind::Sum ? algorithm::reduction_sum
                            : r.kind == ReduceKind::Max ? algorithm::reduction_max
                                                        : algorithm::reduction_min;
      return reduce(how, dense({r.outputs, r.reduced}), dense({r.outputs, 1}));
    }
    if (r.kind == ReduceKind::Max || r.kind == ReduceKind::Min) {
      return run_.loop([g = in_[0].floats(), x = in_[1].floats(), y = in_[2].floats(), gx = out_[0].floats(), r] {
        plain::spread_to_equal(g, x, y, gx, r.outputs, r.reduced);
      });
    }
    // A ReduceOp added by backward sums repeated elements.
    if (in_[0].elements > out_[0].elements) {
      return reduce(algorithm::reduction_sum, dense({r.outputs, r.reduced}), dense({r.outputs, 1}));
    }
    const float scale = r.kind == ReduceKind::Mean ? 1.0F / static_cast<float>(r.reduced) : 1.0F;
    run_.loop(
        [g = in_[0].floats(), gx = out_[0].floats(), r, scale] { plain::spread(g, gx, r.outputs, r.reduced, scale); });
  }

  void operator()(const DropoutOp& d) {
    const Index n = in_[0].elements;
    if (forward()) {
      return run_.loop([x = in_[0].floats(), y = out_[0].floats(), mask = out_[1].marks(), n, d] {
        plain::dropout(x, y, mask, n, d.ratio, 1);
      });
    }
    run_.loop([g = in_[0].floats(), mask = in_[1].marks(), gx = out_[0].floats(), n, d] {
      plain::dropout_gradient(g, mask, gx, n, d.ratio);
    });
  }

  void operator()(const AccumulateOp&) { sum(); }

  void operator()(const LossOp& l) {
    if (op_.direction == Direction::Loss) {
      float* const saved = out_.size() > 1 ? out_[1].floats() : nullptr;
      return run_.loop([x = in_[0].floats(), labels = static_cast<std::int64_t*>(in_[1].data), saved,
                        loss = out_[0].floats(),
                        l] { *loss = plain::cross_entropy(x, labels, saved, l.rows, l.classes, l.reads); });
    }
    const float* const saved = in_.size() > 1 ? in_[1].floats() : nullptr;
    run_.loop([labels = static_cast<std::int64_t*>(in_[0].data), saved, g = out_[0].floats(), l] {
      plain::cross_entropy_gradient(labels, saved, g, l.rows, l.classes, l.reads);
    });
  }

  void operator()(const SgdOp& s) {
    float* const velocity = in_.size() > 2 ? in_[2].floats() : nullptr;
    run_.loop([w = in_[0].floats(), g = in_[1].floats(), velocity, n = in_[0].elements, s] {
      plain::sgd(w, g, velocity, n, s, kRate);
    });
  }

  void operator()(const ViewOp&) { throw std::runtime_error("a view takes no time"); }
  void operator()(const UnknownOp& u) { throw std::runtime_error("the operator " + u.op + " is not known"); }

 private:
  using Index = std::int64_t;

  struct Eltwise {
    algorithm forward, backward;
    float alpha = 0, beta = 0;  // ignored by oneDNN 2 for HardSwish and Softplus
  };

  bool forward() const { return op_.direction == Direction::Forward; }
  Memory in(std::size_t i, const Desc& desc) const { return run_.at(desc, in_.at(i)); }
  Memory out(std::size_t i, const Desc& desc) const { return run_.at(desc, out_.at(i)); }
  static Dims shape_of(const Buffer& buffer) {
    if (buffer.shape.empty()) return {std::max<Index>(buffer.elements, 1)};
    return {buffer.shape.begin(), buffer.shape.end()};
  }
  // `buffer` with leading axes of 1, up to the number of axes of `shape`.
  static Desc aligned(const Buffer& buffer, const Dims& shape) {
    Dims dims = buffer.elements == 1 ? Dims{} : shape_of(buffer);
    dims.insert(dims.begin(), shape.size() - dims.size(), 1);
    return dense(dims);
  }

  // oneDNN's algorithms of a function. Backward reads the output unless the input is saved.
  static std::optional<Eltwise> eltwise(const ActivationOp& a) {
    const auto alpha = static_cast<float>(a.alpha), beta = static_cast<float>(a.beta);
    switch (a.function) {
      case Activation::Relu:
        return Eltwise{algorithm::eltwise_relu, algorithm::eltwise_relu_use_dst_for_bwd};
      case Activation::LeakyRelu:
        if (alpha < 0) return std::nullopt;  // the output does not determine the input's sign
        return Eltwise{algorithm::eltwise_relu, algorithm::eltwise_relu_use_dst_for_bwd, alpha};
      case Activation::Clip:
        return Eltwise{algorithm::eltwise_clip_v2, algorithm::eltwise_clip_v2_use_dst_for_bwd, alpha, beta};
      case Activation::Elu:
        if (alpha < 0) return std::nullopt;
        return Eltwise{algorithm::eltwise_elu, algorithm::eltwise_elu_use_dst_for_bwd, alpha};
      case Activation::Sigmoid:
        return Eltwise{algorithm::eltwise_logistic, algorithm::eltwise_logistic_use_dst_for_bwd};
      case Activation::Tanh:
        return Eltwise{algorithm::eltwise_tanh, algorithm::eltwise_tanh_use_dst_for_bwd};
      case Activation::Sqrt:
        return Eltwise{algorithm::eltwise_sqrt, algorithm::eltwise_sqrt_use_dst_for_bwd};
      case Activation::Exp:
        return Eltwise{algorithm::eltwise_exp, algorithm::eltwise_exp_use_dst_for_bwd};
      case Activation::HardSwish:
        return Eltwise{algorithm::eltwise_hardswish, algorithm::eltwise_hardswish, 1.0F / 6, 0.5F};
      case Activation::Gelu:
        return Eltwise{algorithm::eltwise_gelu_erf, algorithm::eltwise_gelu_erf};
      case Activation::Mish:
        return Eltwise{algorithm::eltwise_mish, algorithm::eltwise_mish};
      case Activation::Swish:
        return Eltwise{algorithm::eltwise_swish, algorithm::eltwise_swish, alpha};
      case Activation::Softplus:
        return Eltwise{algorithm::eltwise_soft_relu, algorithm::eltwise_soft_relu, 1};
      case Activation::Log:
        return Eltwise{algorithm::eltwise_log, algorithm::eltwise_log};
      case Activation::Abs:
        return Eltwise{algorithm::eltwise_abs, algorithm::eltwise_abs};
      case Activation::Negate:
        return Eltwise{algorithm::eltwise_linear, algorithm::eltwise_linear, -1, 0};
      case Activation::HardSigmoid:
      case Activation::Erf:
      case Activation::Reciprocal:
      case Activation::PRelu:
        break;
    }
    return std::nullopt;
  }

  void prelu(Index n) {
    const Buffer& slope = in_.at(forward() ? 1 : 2);
    const Dims shape = shape_of(in_[0]);
    const Index images = shape.size() > 1 ? shape[0] : 1;
    // One slope for all elements, or one per channel.
    const Index channels = slope.elements, spatial = std::max<Index>(n / (images * channels), 1);
    if (forward()) {
      return run_.loop([x = in_[0].floats(), s = slope.floats(), y = out_[0].floats(), images, channels, spatial] {
        plain::prelu(x, s, y, images, channels, spatial);
      });
    }
    if (out_.size() != 2) throw std::runtime_error("PRelu without the gradient of both operands");
    run_.loop([g = in_[0].floats(), x = in_[1].floats(), s = slope.floats(), gx = out_[0].floats(),
               gs = out_[1].floats(), images, channels,
               spatial] { plain::prelu_gradient(g, x, s, gx, gs, images, channels, spatial); });
  }

  static algorithm algorithm_of(Arithmetic function) {
    switch (function) {
      case Arithmetic::Subtract:
        return algorithm::binary_sub;
      case Arithmetic::Multiply:
        return algorithm::binary_mul;
      case Arithmetic::Divide:
        return algorithm::binary_div;
      case Arithmetic::Max:
        return algorithm::binary_max;
      case Arithmetic::Min:
        return algorithm::binary_min;
      case Arithmetic::Add:
      case Arithmetic::Power:
        break;
    }
    return algorithm::binary_add;
  }

  // oneDNN repeats only the second operand.
  void binary(algorithm how, const Desc& a, const Desc& b, const Desc& c) {
    const bool turned = a.get_size() < c.get_size();
    const bool commutes = how != algorithm::binary_sub && how != algorithm::binary_div;
    if (turned && !commutes) {
      return fold_operands(std::get<ArithmeticOp>(op_.what), onednn::dims(c));
    }
    const auto desc = description<dnnl::binary>(run_.engine(), how, turned ? b : a, turned ? a : b, c);
    run_.primitive(desc, dnnl::binary(desc),
                   {{DNNL_ARG_SRC_0, turned ? in(1, b) : in(0, a)},
                    {DNNL_ARG_SRC_1, turned ? in(0, a) : in(1, b)},
                    {DNNL_ARG_DST, out(0, c)}});
  }

  void fold_operands(const ArithmeticOp& a, const Dims& shape) {
    run_.loop([in = in_, y = out_[0].floats(), n = out_[0].elements, a, shape] {
#pragma omp parallel for
      for (Index i = 0; i < n; ++i) {
        const auto operand = [&](std::size_t k) { return in[k].floats()[plain::repeated(i, shape, shape_of(in[k]))]; };
        float value = operand(0);
        for (std::size_t k = 1; k < in.size(); ++k) value = workloads::apply(a.function, value, operand(k));
        y[i] = value;
      }
    });
  }

  // Inputs: the gradient, the operands; one output for each operand whose gradient is needed. The sizes identify these
  // operands; among equal sizes the choice does not affect the time.
  void arithmetic_gradients(const ArithmeticOp& a) {
    const Dims shape = shape_of(in_[0]);
    for (std::size_t k = 0; k < out_.size(); ++k) {
      const Buffer result = out_[k];
      if (a.function == Arithmetic::Add || a.function == Arithmetic::Subtract || in_.size() < 3) {
        run_.loop([g = in_[0].floats(), y = result.floats(), n = result.elements, a] {
          plain::map(g, y, n, [&](float x) { return plain::arithmetic_gradient(a.function, 1, x, 0, 0); });
        });
        continue;
      }
      const int of = out_.size() > 1 ? static_cast<int>(k) : in_[1].elements == result.elements ? 0 : 1;
      const auto gradient_at = [a, of, in = in_, shape](Index i) {
        const float x = in[1].floats()[plain::repeated(i, shape, shape_of(in[1]))];
        const float y = in[2].floats()[plain::repeated(i, shape, shape_of(in[2]))];
        return plain::arithmetic_gradient(a.function, of, in[0].floats()[i], x, y);
      };
      const Index n = in_[0].elements;
      if (result.elements == n) {
        run_.loop([gradient_at, y = result.floats(), n] {
#pragma omp parallel for
          for (Index i = 0; i < n; ++i) y[i] = gradient_at(i);
        });
      } else {
        run_.loop([gradient_at, result, n, shape] {
          float* const y = result.floats();
          std::fill(y, y + result.elements, 0.0F);
          for (Index i = 0; i < n; ++i) y[plain::repeated(i, shape, shape_of(result))] += gradient_at(i);
        });
      }
    }
  }

  void reduce(algorithm how, const Desc& from, const Desc& to) {
    if (from == to) return reorder(in(0, from), out(0, to));  // of one element each
    const auto desc = description<dnnl::reduction>(run_.engine(), how, from, to, 0.0F, 0.0F);
    run_.primitive(desc, dnnl::reduction(desc), {{DNNL_ARG_SRC, in(0, from)}, {DNNL_ARG_DST, out(0, to)}});
  }

  void sum() {
    const Desc all = dense({out_[0].elements});
    const std::vector<Desc> parts(in_.size(), all);
    const auto desc = description<dnnl::sum>(run_.engine(), all, std::vector<float>(in_.size(), 1.0F), parts);
    Arguments arguments{{DNNL_ARG_DST, out(0, all)}};
    for (std::size_t i = 0; i < in_.size(); ++i) {
      arguments.insert({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), in(i, all)});
    }
    run_.primitive(desc, dnnl::sum(desc), arguments);
  }

  void reorder(const Memory& from, const Memory& to) {
    const dnnl::reorder::primitive_desc desc(from, to);
    run_.primitive(desc, dnnl::reorder(desc), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  // The part of `whole` that has shape `part` and begins at `offset` along the axis.
  static Desc part_of(const Dims& whole, const Dims& part, std::size_t axis, Index offset) {
    Dims offsets(whole.size(), 0);
    offsets[axis] = offset;
    return dense(whole).submemory_desc(part, offsets);
  }

  void join(const std::vector<Buffer>& parts, const Buffer& whole, std::size_t axis) {
    std::vector<Desc> descs;
    Arguments arguments;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      descs.push_back(dense(shape_of(parts[i])));
      arguments.insert({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), run_.at(descs.back(), parts[i])});
    }
    Dims total = shape_of(parts[0]);
    total[axis] = 0;
    for (const Buffer& part : parts) total[axis] += shape_of(part)[axis];
    const auto desc = description<dnnl::concat>(run_.engine(), dense(total), static_cast<int>(axis), descs);
    arguments.insert({DNNL_ARG_DST, run_.at(dense(total), whole)});
    run_.primitive(desc, dnnl::concat(desc), arguments);
  }

  void split(const Buffer& whole, const std::vector<Buffer>& parts, std::size_t axis) {
    Index offset = 0;
    for (const Buffer& part : parts) {
      const Dims dims = shape_of(part);
      reorder(run_.at(part_of(shape_of(whole), dims, axis, offset), whole), run_.at(dense(dims), part));
      offset += dims[axis];
    }
  }

  Steps& run_;
  const Operator& op_;
  const std::vector<Buffer>&in_, &out_;
};

// The loops of a step. F multiplies weights and im2col as stored; GI uses the transposed weights, GW transposed im2col.
std::function<void()> matrix_loop(const MatrixTask& task) {
  const conv::Gemm& g = task.gemm;
  const auto view = [](float* data, std::int64_t rows, std::int64_t columns, bool transposed) {
    return transposed ? plain::MatrixView{data, rows, columns, 1, rows}
                      : plain::MatrixView{data, rows, columns, columns, 1};
  };
  const plain::MatrixView a = view(task.a, g.r, g.p, task.kind == Kind::GI);
  const plain::MatrixView b = view(task.b, g.p, g.c, task.kind == Kind::GW), c = view(task.c, g.r, g.c, false);
  switch (task.step) {
    case MatrixTask::Step::Tile:
      return [task, a, b, c] {
        const TileShape& tile = task.tile;
        plain::tile_a(a, tile.r, tile.p, task.a_tiles);
        plain::tile_b(b, tile.p, tile.c, task.b_tiles);
        plain::clear_tiles(c, tile.r, tile.c, task.c_tiles);
      };
    case MatrixTask::Step::Untile:
      return [task, c] { plain::untile_c(task.c_tiles, task.tile.r, task.tile.c, task.kind == Kind::GW, c); };
    case MatrixTask::Step::Col2im:
      break;
  }
  return
      [task] { plain::col2im(task.c, task.layer.channels / task.layer.groups, task.layer.h, task.layer.w, task.map); };
}

class Runner : public OperatorRunner {
 public:
  explicit Runner(int threads) { omp_set_num_threads(threads); }

  std::unique_ptr<OperatorRun> prepare(const OperatorTask& task) override {
    auto run = std::make_unique<Steps>(engine_, stream_);
    try {
      std::visit(Builder(*run, task), task.op->what);
    } catch (const dnnl::error& error) {
      throw std::runtime_error(std::string("oneDNN: ") + error.what());
    }
    return run;
  }

  std::unique_ptr<OperatorRun> prepare(const MatrixTask& task) override {
    auto run = std::make_unique<Steps>(engine_, stream_);
    run->loop(matrix_loop(task));
    return run;
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
};

}  // namespace

}  // namespace weft::host

// The only exported symbol.
extern "C" weft::host::OperatorRunner* weft_make_operator_runner(int threads) {
  return new weft::host::Runner(threads);
}
