#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <type_traits>
#include <unordered_map>

// oneDNN 3's interface, also for oneDNN 2: description<Primitive>(engine, arguments of oneDNN 3's primitive_desc). A
// backward description takes the forward one before the arguments, not after them.
namespace weft::onednn {

using Arguments = std::unordered_map<int, dnnl::memory>;

#if DNNL_VERSION_MAJOR >= 3

using dnnl::pooling_backward;
using dnnl::pooling_forward;
using dnnl::softmax_backward;
using dnnl::softmax_forward;

template <class Primitive, class... Arguments>
typename Primitive::primitive_desc description(const dnnl::engine& engine, const Arguments&... arguments) {
  return {engine, arguments...};
}

template <class Primitive, class Forward, class... Arguments>
typename Primitive::primitive_desc backward_description(const dnnl::engine& engine, const Forward& forward,
                                                        const Arguments&... arguments) {
  return {engine, arguments..., forward};
}

inline dnnl::memory::dims dims(const dnnl::memory::desc& desc) {
  return desc.get_dims();
}

// Arguments of a batch normalisation's backward; the shift is left out because no result depends on it.
inline Arguments normalization_arguments(Arguments arguments, const dnnl::memory& /*shift*/) {
  return arguments;
}

#else

using pooling_backward = dnnl::pooling_v2_backward;
using pooling_forward = dnnl::pooling_v2_forward;
using softmax_backward = dnnl::softmax_v2_backward;
using softmax_forward = dnnl::softmax_v2_forward;

// Operation descriptor of a primitive of oneDNN 2, from the arguments of oneDNN 3. Some primitives of oneDNN 2 take one
// shape for source and destination, where oneDNN 3 takes two.
template <class Primitive>
struct Operation {
  template <class... Arguments>
  static typename Primitive::desc of(const Arguments&... arguments) {
    return {arguments...};
  }
};

template <>
struct Operation<dnnl::eltwise_forward> {
  static dnnl::eltwise_forward::desc of(dnnl::prop_kind kind, dnnl::algorithm algorithm, const dnnl::memory::desc& src,
                                        const dnnl::memory::desc& /*dst*/, float alpha, float beta) {
    return {kind, algorithm, src, alpha, beta};
  }
};
template <>
struct Operation<dnnl::eltwise_backward> {
  static dnnl::eltwise_backward::desc of(dnnl::algorithm algorithm, const dnnl::memory::desc& diff_src,
                                         const dnnl::memory::desc& /*diff_dst*/, const dnnl::memory::desc& data,
                                         float alpha, float beta) {
    return {algorithm, diff_src, data, alpha, beta};
  }
};
template <>
struct Operation<dnnl::batch_normalization_forward> {
  static dnnl::batch_normalization_forward::desc of(dnnl::prop_kind kind, const dnnl::memory::desc& src,
                                                    const dnnl::memory::desc& /*dst*/, float epsilon,
                                                    dnnl::normalization_flags flags) {
    return {kind, src, epsilon, flags};
  }
};
template <>
struct Operation<dnnl::batch_normalization_backward> {
  static dnnl::batch_normalization_backward::desc of(dnnl::prop_kind kind, const dnnl::memory::desc& diff_src,
                                                     const dnnl::memory::desc& /*diff_dst*/,
                                                     const dnnl::memory::desc& src, float epsilon,
                                                     dnnl::normalization_flags flags) {
    return {kind, diff_src, src, epsilon, flags};
  }
};
template <>
struct Operation<dnnl::lrn_forward> {
  static dnnl::lrn_forward::desc of(dnnl::prop_kind kind, dnnl::algorithm algorithm, const dnnl::memory::desc& src,
                                    const dnnl::memory::desc& /*dst*/, dnnl::memory::dim size, float alpha, float beta,
                                    float k) {
    return {kind, algorithm, src, size, alpha, beta, k};
  }
};
template <>
struct Operation<dnnl::lrn_backward> {
  static dnnl::lrn_backward::desc of(dnnl::algorithm algorithm, const dnnl::memory::desc& diff_src,
                                     const dnnl::memory::desc& /*diff_dst*/, const dnnl::memory::desc& src,
                                     dnnl::memory::dim size, float alpha, float beta, float k) {
    return {algorithm, src, diff_src, size, alpha, beta, k};
  }
};

template <class Primitive, class... Arguments>
typename Primitive::primitive_desc description(const dnnl::engine& engine, const Arguments&... arguments) {
  if constexpr (std::is_same_v<Primitive, dnnl::concat> || std::is_same_v<Primitive, dnnl::sum>) {
    return {arguments..., engine};
  } else {
    return {Operation<Primitive>::of(arguments...), engine};
  }
}

template <class Primitive, class Forward, class... Arguments>
typename Primitive::primitive_desc backward_description(const dnnl::engine& engine, const Forward& forward,
                                                        const Arguments&... arguments) {
  return {Operation<Primitive>::of(arguments...), engine, forward};
}

inline dnnl::memory::dims dims(const dnnl::memory::desc& desc) {
  return desc.dims();
}

// oneDNN 2 requires the shift.
inline Arguments normalization_arguments(Arguments arguments, const dnnl::memory& shift) {
  arguments.insert({DNNL_ARG_SHIFT, shift});
  return arguments;
}

#endif

}  // namespace weft::onednn
