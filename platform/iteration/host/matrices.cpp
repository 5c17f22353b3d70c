#include "platform/iteration/host/matrices.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <new>
#include <tuple>

#include "model/core/error.h"
#include "workloads/lowering.h"

namespace weft::host {

namespace {

using workloads::ConvolutionOp;
using Step = MatrixTask::Step;

struct Times {
  std::int64_t tile_ns = 0, untile_ns = 0, col2im_ns = 0;
};

// The matrices of a launch, with words that are neither zero nor subnormal.
class Matrices {
 public:
  Matrices(const ConvolutionOp& op, const TileShape& tile) {
    task_.layer = op.layer;
    task_.kind = conv::computed_as(op.layer, op.kind);
    task_.gemm = workloads::lower_gemm(op.layer, op.kind);
    task_.tile = tile;
    const conv::Gemm& gemm = task_.gemm;
    const std::int64_t rt = ceil_div(gemm.r, tile.r), ct = ceil_div(gemm.c, tile.c), kt = ceil_div(gemm.p, tile.p);
    words_a_ = rt * kt * tile.r * tile.p;
    words_b_ = kt * ct * tile.p * tile.c;
    words_c_ = rt * ct * tile.r * tile.c;
    task_.a = own(gemm.r * gemm.p);
    task_.b = own(gemm.p * gemm.c);
    task_.c = own(gemm.r * gemm.c);
    task_.a_tiles = own(words_a_);
    task_.b_tiles = own(words_b_);
    task_.c_tiles = own(words_c_);
    if (task_.kind == conv::Kind::GI) {
      task_.map = own(std::int64_t{op.layer.channels / op.layer.groups} * op.layer.h.size * op.layer.w.size);
    }
  }

  MatrixTask task(Step step) const {
    MatrixTask task = task_;
    task.step = step;
    return task;
  }
  std::int64_t tiled() const { return words_a_ + words_b_ + words_c_; }
  std::int64_t untiled() const { return words_c_; }
  std::int64_t col2im() const {
    return task_.kind == conv::Kind::GI && !workloads::is_matrix(task_.layer) ? task_.gemm.r * task_.gemm.c : 0;
  }

 private:
  float* own(std::int64_t words) { return blocks_.emplace_back(static_cast<std::size_t>(words), 0.5F).data(); }

  MatrixTask task_;
  std::int64_t words_a_ = 0, words_b_ = 0, words_c_ = 0;
  std::vector<std::vector<float>> blocks_;
};

// Key of equal launches: all values that the steps of a launch depend on.
auto sizes(const ConvolutionOp& op) {
  const auto axis = [](const conv::LayerAxis& a) {
    return std::tuple(a.size, a.kernel, a.stride, a.pad_begin, a.pad_end, a.dilation);
  };
  const conv::Layer& l = op.layer;
  return std::tuple(conv::computed_as(l, op.kind), l.channels / l.groups, l.filters / l.groups, axis(l.h), axis(l.w));
}

void add(ProfiledMatrices::Step& step, std::int64_t words, std::int64_t ns, std::int64_t count) {
  constexpr const char* kWords = "the words that the host puts into tiles";
  constexpr const char* kNs = "the nanoseconds of putting words into tiles";
  checked::add(step.words, checked::product(kWords, {words, count}), kWords);
  checked::add(step.ns, checked::product(kNs, {ns, count}), kNs);
}

Picoseconds measured_or(const ProfiledMatrices::Step& step, const std::optional<Picoseconds>& base, const char* key) {
  if (step.words > 0) return step.per_word();
  if (base) return *base;
  throw Error(fmt::format("no convolution of the network uses matrices.{}, and the host has no price for it", key));
}

}  // namespace

Picoseconds ProfiledMatrices::Step::per_word() const {
  constexpr Picoseconds kPsPerNs = 1000;
  __extension__ using Wide = __int128;
  return static_cast<Picoseconds>((static_cast<Wide>(ns) * kPsPerNs + words / 2) / words);
}

ProfiledMatrices profile_matrices(const workloads::Graph& graph, const TileShape& tile, OperatorRunner& runner,
                                  int repeat, const std::function<void(std::size_t)>& report) {
  ProfiledMatrices result;
  result.tile = tile;
  std::map<decltype(sizes(std::declval<const ConvolutionOp&>())), Times> known;
  for (const workloads::Operator& each : graph.operators) {
    const auto* op = std::get_if<ConvolutionOp>(&each.what);
    if (op == nullptr) continue;
    try {
      const Matrices matrices(*op, tile);
      const auto [times, fresh] = known.try_emplace(sizes(*op));
      if (fresh) {
        const auto ns = [&](Step step) { return median_ns(*runner.prepare(matrices.task(step)), repeat); };
        times->second.tile_ns = ns(Step::Tile);
        times->second.untile_ns = ns(Step::Untile);
        if (matrices.col2im() > 0) times->second.col2im_ns = ns(Step::Col2im);
      }
      const std::int64_t groups = op->layer.groups;
      add(result.tiled, matrices.tiled(), times->second.tile_ns, groups);
      add(result.untiled, matrices.untiled(), times->second.untile_ns, groups);
      add(result.col2im, matrices.col2im(), times->second.col2im_ns, groups);
    } catch (const std::bad_alloc&) {
      throw Error(fmt::format("the matrices of '{}' cannot be measured: there is no memory for them", label(each)));
    }
    report(++result.convolutions);
  }
  if (result.convolutions == 0) throw Error(fmt::format("{} has no convolution that has matrices", graph.name));
  return result;
}

config::Host with_matrices(config::Host base, const ProfiledMatrices& profiled) {
  const auto of = [&](Picoseconds config::MatrixCosts::*cost) {
    return base.matrices ? std::optional((*base.matrices).*cost) : std::nullopt;
  };
  config::MatrixCosts costs;
  costs.tile_ps = measured_or(profiled.tiled, of(&config::MatrixCosts::tile_ps), "tile_ns");
  costs.untile_ps = measured_or(profiled.untiled, of(&config::MatrixCosts::untile_ps), "untile_ns");
  costs.col2im_ps = measured_or(profiled.col2im, of(&config::MatrixCosts::col2im_ps), "col2im_ns");
  base.matrices = costs;

  const std::string kKey = "matrices", kCol2im = "matrices.col2im_ns";
  const bool keeps =
      profiled.col2im.words == 0 && std::any_of(base.assumed.begin(), base.assumed.end(),
                                                [&](const std::string& key) { return key == kKey || key == kCol2im; });
  const auto settled = [&](const std::string& key) { return key == kKey || key.rfind(kKey + '.', 0) == 0; };
  base.assumed.erase(std::remove_if(base.assumed.begin(), base.assumed.end(), settled), base.assumed.end());
  if (keeps) base.assumed.push_back(kCol2im);
  return base;
}

}  // namespace weft::host
