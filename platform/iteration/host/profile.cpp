#include "platform/iteration/host/profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <sstream>

#include "model/core/error.h"
#include "platform/iteration/host/price.h"
#include "platform/iteration/quantiser/quantiser.h"

namespace weft::host {

namespace {

using namespace workloads;

// Buffers of an operator's tensors, by storage; each has the size of its largest tensor.
std::map<TensorId, Bytes> memories(const Graph& graph, const Operator& op) {
  std::map<TensorId, Bytes> sizes;
  for (const std::vector<TensorId>* list : {&op.inputs, &op.outputs}) {
    for (const TensorId t : *list) {
      Bytes& size = sizes[storage(graph, t)];
      size = std::max({size, graph.tensors[t].bytes(), Bytes{graph.tensors[t].element_bytes}});
    }
  }
  return sizes;
}

struct Free {
  void operator()(void* data) const { std::free(data); }
};
using Block = std::unique_ptr<void, Free>;

Block allocate(Bytes bytes, const Operator& op) {
  constexpr std::size_t kLine = 64;
  const auto size = static_cast<std::size_t>(align_up(bytes, kLine));
  Block block(std::aligned_alloc(kLine, size));
  if (!block) throw Error(fmt::format("there is no memory for the {} bytes of a tensor of '{}'", bytes, label(op)));
  return block;
}

// True for functions defined only for positive values.
bool needs_positive(const Operator& op) {
  if (const auto* a = std::get_if<ActivationOp>(&op.what)) {
    return a->function == Activation::Log || a->function == Activation::Sqrt;
  }
  if (const auto* a = std::get_if<ArithmeticOp>(&op.what)) {
    return a->function == Arithmetic::Power || a->function == Arithmetic::Divide;
  }
  const auto* loss = std::get_if<LossOp>(&op.what);
  return loss && loss->reads == LossInput::Probabilities;
}

// Touches every page. Magnitudes are 0.25 to 1.25, so that no value is subnormal; signs are like those of random data.
void fill(float* data, std::int64_t n, bool positive) {
  std::uint32_t state = 12345;
  for (std::int64_t i = 0; i < n; ++i) {
    state = state * 1664525U + 1013904223U;
    const float value = 0.25F + static_cast<float>(state >> 8) / 16777216.0F;
    data[i] = positive || (state & 0x80U) != 0 ? value : -value;
  }
}

void fill(const Tensor& tensor, void* data, const Operator& op) {
  if (tensor.kind == TensorKind::Label) {
    const auto* loss = std::get_if<LossOp>(&op.what);
    const std::int64_t classes = loss ? loss->classes : 1;
    for (std::int64_t i = 0; i < tensor.elements; ++i) static_cast<std::int64_t*>(data)[i] = i % classes;
  } else if (tensor.element_bytes == 4) {
    fill(static_cast<float*>(data), std::max<std::int64_t>(tensor.elements, 1), needs_positive(op));
  } else {
    std::memset(data, 1, static_cast<std::size_t>(tensor.bytes()));
  }
}

// The tensors of an operator, filled.
class Operands {
 public:
  Operands(const Graph& graph, const Operator& op) {
    for (const auto& [root, bytes] : memories(graph, op)) blocks_.emplace(root, allocate(bytes, op));
    task_.op = &op;
    for (const TensorId t : op.outputs) task_.outputs.push_back(buffer(graph, t));
    for (const TensorId t : op.inputs) task_.inputs.push_back(buffer(graph, t));
    for (const std::vector<TensorId>* list : {&op.outputs, &op.inputs}) {
      for (const TensorId t : *list) fill(graph.tensors[t], blocks_.at(storage(graph, t)).get(), op);
    }
  }

  const OperatorTask& task() const { return task_; }

 private:
  Buffer buffer(const Graph& graph, TensorId t) const {
    const Tensor& tensor = graph.tensors[t];
    return {tensor.shape, tensor.elements, blocks_.at(storage(graph, t)).get()};
  }

  std::map<TensorId, Block> blocks_;
  OperatorTask task_;
};

// Number in a file; nothing for "max" or a missing file.
std::optional<Bytes> number_in(const char* file) {
  std::ifstream in(file);
  Bytes value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<OperatorId> profiled_operators(const Graph& graph, bool convolutions) {
  std::vector<OperatorId> all;
  for (OperatorId id = 0; id < graph.operators.size(); ++id) {
    const Operator& op = graph.operators[id];
    if (class_of(op) != OperatorClass::View && (convolutions || !op.is_convolution())) all.push_back(id);
  }
  return all;
}

Bytes operand_bytes(const Graph& graph, OperatorId op) {
  Bytes bytes = 0;
  for (const auto& [root, size] : memories(graph, graph.operators[op])) bytes += size;
  return bytes;
}

Bytes available_memory() {
  Bytes available = std::numeric_limits<Bytes>::max() / 2;
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    Bytes kib = 0;
    if (words >> name >> kib && name == "MemAvailable:") available = kib * 1024;
  }
  const auto most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (most && used) available = std::min(available, std::max<Bytes>(*most - *used, 0));
  return available;
}

void check_memory(const Graph& graph, const std::vector<OperatorId>& operators, Bytes available) {
  Bytes most = 0;
  OperatorId largest = 0;
  for (const OperatorId id : operators) {
    const Bytes bytes = operand_bytes(graph, id);
    if (bytes > most) most = bytes, largest = id;
  }
  if (most <= available / 2) return;
  throw Error(
      fmt::format("the tensors of '{}' take {} MB at batch {}, and oneDNN may need the same again, but this "
                  "machine has {} MB free: use a smaller --batch",
                  label(graph.operators[largest]), most / 1'000'000, graph.batch, available / 1'000'000));
}

std::int64_t median_ns(OperatorRun& run, int repeat) {
  run.once();
  std::vector<std::int64_t> times;
  for (int i = 0; i < repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run.once();
    const auto end = std::chrono::steady_clock::now();
    times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count());
  }
  const auto middle = times.begin() + (repeat - 1) / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::vector<ProfiledOperator> profile(const Graph& graph, const std::vector<OperatorId>& operators,
                                      OperatorRunner& runner, const ProfileOptions& options,
                                      const std::function<void(std::size_t)>& report) {
  std::vector<ProfiledOperator> result;
  for (const OperatorId id : operators) {
    const Operator& op = graph.operators[id];
    const Operands operands(graph, op);
    try {
      const std::unique_ptr<OperatorRun> run = runner.prepare(operands.task());
      result.push_back({id, median_ns(*run, options.repeat), run->kernel, run->plain_loop});
    } catch (const std::runtime_error& error) {
      throw Error(fmt::format("'{}' cannot be measured: {}", label(op), error.what()));
    } catch (const std::bad_alloc&) {
      throw Error(fmt::format("'{}' cannot be measured: there is no memory for it", label(op)));
    }
    report(result.size());
  }
  return result;
}

config::Host with_measured(config::Host base, const Graph& graph, const std::vector<ProfiledOperator>& profiled,
                           int threads) {
  auto& measured = base.measured;
  const auto replaced = [&](const config::MeasuredOperator& m) {
    return m.network == graph.name && m.batch == graph.batch;
  };
  measured.erase(std::remove_if(measured.begin(), measured.end(), replaced), measured.end());
  const std::vector<int> places = occurrences(graph);
  for (const ProfiledOperator& each : profiled) {
    config::MeasuredOperator m;
    m.network = graph.name;
    m.op = label(graph.operators[each.op]);
    m.direction = graph.operators[each.op].direction;
    m.occurrence = places[each.op];
    m.batch = graph.batch;
    m.threads = threads;
    m.ns = each.ns;
    m.kernel = each.kernel;
    m.plain_loop = each.plain_loop;
    measured.push_back(std::move(m));
  }
  return base;
}

namespace {

constexpr std::size_t kWords = std::size_t{1} << 22;

class Run : public OperatorRun {
 public:
  explicit Run(std::function<void()> work) : work_(std::move(work)) {}
  void once() override { work_(); }

 private:
  std::function<void()> work_;
};

std::int64_t time_of(std::function<void()> work, int repeat) {
  Run run(std::move(work));
  return median_ns(run, repeat);
}

}  // namespace

ProfiledQuantiser profile_quantiser(int threads, int repeat) {
  std::vector<float> values(kWords);
  std::vector<std::int16_t> words(kWords);
  std::vector<std::int32_t> sums(kWords);
  for (std::size_t i = 0; i < kWords; ++i) {
    values[i] = static_cast<float>(static_cast<std::int64_t>(i * 2654435761U % 2001) - 1000) / 1000.0F;
    sums[i] = static_cast<std::int32_t>(i) - 1'000'000;
  }
  const quantiser::Values tensor{"profile", values.data(), kWords};
  const quantiser::Sums out{"profile", sums.data(), kWords, 12};
  std::vector<float> dequantised(kWords);
  ProfiledQuantiser result;
  result.words = static_cast<std::int64_t>(kWords);
  result.quantise_ns = time_of(
      [&] {
        quantiser::quantise(tensor, {8, quantiser::scale_of(tensor, 8, 0, threads), {}}, words.data(), threads);
      },
      repeat);
  result.dequantise_ns = time_of([&] { quantiser::dequantise(out, dequantised.data(), threads); }, repeat);
  return result;
}

config::Host with_quantiser(config::Host base, const ProfiledQuantiser& profiled) {
  const auto per_word = [&](std::int64_t ns) { return (ns * 1000 + profiled.words / 2) / profiled.words; };
  base.quantiser = config::Quantiser{per_word(profiled.quantise_ns), per_word(profiled.dequantise_ns),
                                     base.quantiser ? base.quantiser->headroom : 0};
  const auto settled = [](const std::string& key) { return key == "quantiser" || key.rfind("quantiser.", 0) == 0; };
  base.assumed.erase(std::remove_if(base.assumed.begin(), base.assumed.end(), settled), base.assumed.end());
  return base;
}

}  // namespace weft::host
