#include "tests/support/training_reference.h"

#include "platform/iteration/host/onednn.h"

namespace weft::test {

namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;

using Type = dnnl::memory::data_type;

struct Problem {
  explicit Problem(const conv::Layer& l, Type operands = Type::f32, Type results = Type::f32)
      : ifm({l.batch, l.channels, l.h.size, l.w.size}, operands, Tag::nchw),
        weights({l.groups, l.filters / l.groups, l.channels / l.groups, l.h.kernel, l.w.kernel}, operands, Tag::goihw),
        ofm({l.batch, l.filters, l.h.out(), l.w.out()}, results, Tag::nchw),
        strides{l.h.stride, l.w.stride},
        dilations{l.h.dilation - 1, l.w.dilation - 1},  // oneDNN counts the zeros between samples
        pad_begin{l.h.pad_begin, l.w.pad_begin},
        pad_end{l.h.pad_end, l.w.pad_end} {}

  // Direct algorithm: Winograd's transforms would exceed the rounding bound of a plain sum.
  dnnl::convolution_forward::primitive_desc forward_desc(
      dnnl::prop_kind kind = dnnl::prop_kind::forward_training) const {
    return onednn::description<dnnl::convolution_forward>(engine, kind, dnnl::algorithm::convolution_direct, ifm,
                                                          weights, ofm, strides, dilations, pad_begin, pad_end);
  }

  template <class T>
  dnnl::memory bind(const dnnl::memory::desc& desc, const std::vector<T>& data) const {
    return {desc, engine, const_cast<T*>(data.data())};
  }

  void execute(const dnnl::primitive& primitive, const std::unordered_map<int, dnnl::memory>& arguments) const {
    dnnl::stream stream(engine);
    primitive.execute(stream, arguments);
    stream.wait();
  }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::memory::desc ifm, weights, ofm;
  Dims strides, dilations, pad_begin, pad_end;
};

std::vector<float> buffer(const dnnl::memory::desc& desc) {
  return std::vector<float>(desc.get_size() / sizeof(float), -1.0F);
}

}  // namespace

std::vector<float> forward(const conv::Layer& layer, const std::vector<float>& ifm, const std::vector<float>& weights) {
  const Problem p(layer);
  std::vector<float> ofm = buffer(p.ofm);
  p.execute(dnnl::convolution_forward(p.forward_desc()), {{DNNL_ARG_SRC, p.bind(p.ifm, ifm)},
                                                          {DNNL_ARG_WEIGHTS, p.bind(p.weights, weights)},
                                                          {DNNL_ARG_DST, p.bind(p.ofm, ofm)}});
  return ofm;
}

std::vector<std::int32_t> forward_s8(const conv::Layer& layer, const std::vector<std::int8_t>& ifm,
                                     const std::vector<std::int8_t>& weights) {
  const Problem p(layer, Type::s8, Type::s32);
  std::vector<std::int32_t> ofm(p.ofm.get_size() / sizeof(std::int32_t), -1);
  p.execute(dnnl::convolution_forward(p.forward_desc(dnnl::prop_kind::forward_inference)),
            {{DNNL_ARG_SRC, p.bind(p.ifm, ifm)},
             {DNNL_ARG_WEIGHTS, p.bind(p.weights, weights)},
             {DNNL_ARG_DST, p.bind(p.ofm, ofm)}});
  return ofm;
}

std::vector<float> grad_ifm(const conv::Layer& layer, const std::vector<float>& grad_ofm,
                            const std::vector<float>& weights) {
  const Problem p(layer);
  std::vector<float> ifm = buffer(p.ifm);
  const auto desc = onednn::backward_description<dnnl::convolution_backward_data>(
      p.engine, p.forward_desc(), dnnl::algorithm::convolution_direct, p.ifm, p.weights, p.ofm, p.strides, p.dilations,
      p.pad_begin, p.pad_end);
  p.execute(dnnl::convolution_backward_data(desc), {{DNNL_ARG_DIFF_DST, p.bind(p.ofm, grad_ofm)},
                                                    {DNNL_ARG_WEIGHTS, p.bind(p.weights, weights)},
                                                    {DNNL_ARG_DIFF_SRC, p.bind(p.ifm, ifm)}});
  return ifm;
}

std::vector<float> grad_weights(const conv::Layer& layer, const std::vector<float>& ifm,
                                const std::vector<float>& grad_ofm) {
  const Problem p(layer);
  std::vector<float> weights = buffer(p.weights);
  const auto desc = onednn::backward_description<dnnl::convolution_backward_weights>(
      p.engine, p.forward_desc(), dnnl::algorithm::convolution_direct, p.ifm, p.weights, p.ofm, p.strides, p.dilations,
      p.pad_begin, p.pad_end);
  p.execute(dnnl::convolution_backward_weights(desc), {{DNNL_ARG_SRC, p.bind(p.ifm, ifm)},
                                                       {DNNL_ARG_DIFF_DST, p.bind(p.ofm, grad_ofm)},
                                                       {DNNL_ARG_DIFF_WEIGHTS, p.bind(p.weights, weights)}});
  return weights;
}

}  // namespace weft::test
