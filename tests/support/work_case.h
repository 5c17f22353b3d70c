#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/catalogue/designs.h"
#include "platform/design/design.h"
#include "tests/support/files.h"

namespace weft::test {

inline config::Override set(const char* key, const char* value) {
  return {key, value, key};
}

// Parses overrides as --set gives them.
inline std::vector<config::Override> overrides(const std::vector<std::string>& sets) {
  std::vector<config::Override> all;
  all.reserve(sets.size());
  for (const std::string& each : sets) all.push_back(config::parse_override(each));
  return all;
}

// Loads a run of the project, or of a file.
inline config::RunConfig run_of(const std::string& name_or_path, const std::vector<std::string>& sets = {}) {
  return design::load_run(name_or_path, overrides(sets), config::Library{WEFT_CONFIG_DIR});
}

struct Planned {
  config::RunConfig run;
  std::unique_ptr<design::Work> work;
};

// Plan of a design for 3 images and two layers: `a` has two groups of 2 channels and 4 filters, 3 x 3, over 6 x 5
// padded samples; `b` is `a` without groups. INP of F is 4 x 6 x 5 words, KERN 8 x 2 x 3 x 3 or twice that, OUT 8 x 6 x
// 5.
template <typename Plan>
Planned planned(const std::string& kernel, const std::string& rung, const std::vector<config::Override>& overrides,
                Plan plan_work) {
  const TemporaryDirectory directory;
  const std::string file = directory
                               .write("two.yaml", "name: two\nboard: u250\nkernel: " + kernel + R"(
network:
  layers:
    - {name: a, channels: 4, h: 6, w: 5, filters: 8, groups: 2, kernel: 3, pad: 1}
    - {name: b, channels: 4, h: 6, w: 5, filters: 8, kernel: 3, pad: 1}
batch: 3
gi_first: true
rung: )" + rung + "\n")
                               .string();
  config::RunConfig run = design::load_run(file, overrides, config::Library{WEFT_CONFIG_DIR});
  workloads::Network network;
  network.layers = config::inline_layers(run);
  auto work = plan_work(run, network);
  return {std::move(run), std::move(work)};
}

// Name, written, bytes and channel of each tensor of a unit.
using Tensor = std::tuple<std::string, bool, Bytes, int>;

inline std::vector<Tensor> tensors_of(const design::Work& work, std::size_t unit) {
  std::vector<Tensor> all;
  for (const design::UnitTensor& t : work.tensors(unit)) all.emplace_back(t.name, t.written, t.bytes, t.channel);
  return all;
}

}  // namespace weft::test
