#include "platform/designs/fpgpt/dse/saved.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "model/core/error.h"
#include "platform/designs/fpgpt/dse/report.h"

namespace weft::fpgpt::exploration {

using fpgpt::dse::Design;
using fpgpt::dse::Optimum;
namespace {

int array_axis(const nlohmann::json& alpha, const char* key) {
  const auto value = alpha.at(key).get<std::int64_t>();
  if (value < 1 || value > std::numeric_limits<int>::max()) {
    throw Error(fmt::format("has a kernel with {} {}", key, value));
  }
  return static_cast<int>(value);
}
template <class Enum>
Enum one_of(const nlohmann::json& text, std::initializer_list<Enum> values) {
  for (const Enum value : values) {
    if (text == fpgpt::to_string(value)) return value;
  }
  throw Error(fmt::format("has a kernel with {}", text.dump()));
}

Block limiter_of(conv::Kind kind, const nlohmann::json& name) {
  for (std::size_t i = 0; i < kBlocks; ++i) {
    if (name == fpgpt::limiter_name(kind, static_cast<Block>(i))) return static_cast<Block>(i);
  }
  throw Error(fmt::format("has a limiter {}", name.dump()));
}

Cycles cycles_of(const nlohmann::json& json, const char* key) {
  const auto cycles = json.at(key).get<Cycles>();
  if (cycles < 1) throw Error(fmt::format("has '{}' of {}", key, cycles));
  return cycles;
}

class Reader {
 public:
  Reader(const DseConfig& config, const workloads::Network& network, const nlohmann::json& json) : json_(json) {
    e_.config = config;
    e_.network = network.name;
    std::vector<conv::Convolution> shapes;
    e_.convolutions = convolutions_of(config, network, shapes);
    e_.optima.resize(shapes.size());
  }

  Exploration read() {
    if (json_.at("schema") != kDseSchema) {
      throw Error(fmt::format("is of schema {}, not {}: made by another version of weft", json_.at("schema").dump(),
                              kDseSchema));
    }
    optima();
    sharing();
    readings();
    if (json_.contains("rerank")) reranks(json_.at("rerank").at("convolutions"));
    return std::move(e_);
  }

 private:
  void optima() {
    const nlohmann::json& list = json_.at("convolutions");
    if (list.size() != e_.convolutions.size()) {
      throw Error(fmt::format("has {} convolutions, the network {}", list.size(), e_.convolutions.size()));
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Convolution& c = e_.convolutions[i];
      const nlohmann::json& saved = list[i];
      const std::string name = name_of(c);
      if (saved.at("layer") != c.layer.name || saved.at("kind") != conv::to_string(c.kind)) {
        throw Error(fmt::format("has no convolution {} where the network has it", name));
      }
      places_.emplace(name, i);
      Optimum& optimum = e_.optima[c.shape];
      optimum.arrays = saved.at("arrays").get<std::int64_t>();
      optimum.within_dsp = saved.at("within_dsp").get<std::int64_t>();
      optimum.fitting = saved.at("fitting").get<std::int64_t>();
      if (optimum.fitting > 0) optimum.best = {design(c.kind, saved.at("optimal"))};
      if (!saved.contains("smallest")) continue;
      Design& smallest = optimum.smallest.emplace();
      smallest.bram18 = saved.at("smallest").at("bram18").get<std::int64_t>();
      smallest.uram = saved.at("smallest").at("uram").get<std::int64_t>();
    }
    if (e_.misfits() == static_cast<std::int64_t>(e_.convolutions.size())) throw Error("has no kernel that fits");
  }

  static Design design(conv::Kind kind, const nlohmann::json& json) {
    Design design;
    design.alpha = read_alpha(json.at("kernel"));
    design.cycles = cycles_of(json, "cycles");
    design.limiter = limiter_of(kind, json.at("limiter"));
    const nlohmann::json& resources = json.at("resources");
    design.dsp = resources.at("dsp").get<std::int64_t>();
    design.bram18 = resources.at("bram18").get<std::int64_t>();
    design.uram = resources.at("uram").get<std::int64_t>();
    return design;
  }

  std::size_t place_of(const nlohmann::json& name) const {
    const auto found = places_.find(name.get<std::string>());
    if (found == places_.end())
      throw Error(fmt::format("has a convolution {} that is not in the network", name.dump()));
    return found->second;
  }

  void sharing() {
    const nlohmann::json& list = json_.at("sharing");
    if (list.size() != e_.config.penalties.size()) {
      throw Error(fmt::format("shares kernels with {} penalties, not {}", list.size(), e_.config.penalties.size()));
    }
    if (list.empty()) return;
    for (std::size_t i = 0; i < e_.convolutions.size(); ++i) {
      if (e_.optimum(e_.convolutions[i]).best.empty()) continue;
      item_[i] = e_.sharing_items.size();
      e_.sharing_items.push_back(i);
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      Sharing& sharing = e_.sharing.emplace_back();
      sharing.limit = e_.config.penalties[i];
      sharing.heuristic = shared(list[i].at("heuristic"));
      if (!list[i].contains("minimum")) continue;
      sharing.minimum = shared(list[i].at("minimum"));
      sharing.minimum->at_least = list[i].at("minimum").at("at_least").get<std::int64_t>();
    }
  }

  SharedKernels shared(const nlohmann::json& json) const {
    SharedKernels result;
    result.cycles = cycles_of(json, "cycles");
    for (const nlohmann::json& group : json.at("groups")) {
      fpgpt::dse::SharedKernel& kernel = result.kernels.emplace_back();
      kernel.alpha = read_alpha(group.at("kernel"));
      kernel.cycles = cycles_of(group, "cycles");
      kernel.worst_penalty = group.at("worst_penalty").get<double>();
      for (const nlohmann::json& name : group.at("convolutions")) {
        const auto found = item_.find(place_of(name));
        if (found == item_.end()) throw Error(fmt::format("shares {}, which has no kernel", name.dump()));
        kernel.items.push_back(found->second);
      }
    }
    return result;
  }

  void readings() {
    const fpgpt::ReadingDescriptor* const reading = e_.config.compared_reading;
    if (!reading) return;
    const nlohmann::json& saved = json_.at("hours_per_epoch_by_reading").at(std::string(reading->key));
    for (const fpgpt::ReadingOption& option : *reading) {
      const nlohmann::json& each = saved.at(std::string(option.name));
      e_.readings.push_back({option.name, each.at("cycles").get<Cycles>(), each.at("misfits").get<std::int64_t>()});
    }
  }

  void reranks(const nlohmann::json& list) {
    for (const nlohmann::json& saved : list) {
      Rerank& one = e_.reranks.emplace_back();
      one.convolution = place_of(saved.at("convolution"));
      bool first = false;  // whether the equations' first is among them
      for (const nlohmann::json& each : saved.at("designs")) {
        RankedDesign& ranked = one.designs.emplace_back();
        ranked.design.alpha = read_alpha(each.at("kernel"));
        ranked.equations = cycles_of(each, "equations_cycles");
        ranked.simulated = cycles_of(each, "simulated_cycles");
        ranked.rank = rank(each, "rank");
        ranked.simulated_rank = rank(each, "simulated_rank");
        first = first || ranked.rank == 0;
      }
      if (!first) throw Error(fmt::format("simulated no kernel of rank 1 for {}", saved.at("convolution").dump()));
    }
  }

  // Saved ranks count from 1.
  static std::size_t rank(const nlohmann::json& json, const char* key) {
    return static_cast<std::size_t>(cycles_of(json, key)) - 1;
  }

  const nlohmann::json& json_;
  Exploration e_;
  std::map<std::string, std::size_t> places_;  // of the convolutions, by their names
  std::map<std::size_t, std::size_t> item_;    // of the convolutions that share
};

}  // namespace

Alpha read_alpha(const nlohmann::json& json) {
  Alpha alpha;
  alpha.x = array_axis(json, "x");
  alpha.y = array_axis(json, "y");
  alpha.z = array_axis(json, "z");
  alpha.z_channel = json.at("z_channel").get<Words>();
  alpha.k_range = json.at("k_range").get<Words>();
  alpha.kern_words = json.at("kern_words").get<Words>();
  alpha.out_words = json.at("out_words").get<Words>();
  alpha.variant = one_of(json.at("variant"), {Variant::FGI, Variant::GW, Variant::Both});
  const nlohmann::json& storage = json.at("storage");
  const auto storage_of = [&](const char* which) { return one_of(storage.at(which), {Storage::BRAM, Storage::URAM}); };
  alpha.inp_storage = storage_of("inp");
  alpha.kern_storage = storage_of("kern");
  alpha.out_storage = storage_of("out");
  return alpha;
}

Exploration read_exploration(const DseConfig& config, const workloads::Network& network, const std::string& json,
                             const std::string& file) {
  const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("exploration")) {
    throw InputError(file, 0, "", "is no result of weft dse");
  }
  try {
    return Reader(config, network, parsed).read();
  } catch (const InputError&) {
    throw;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(file, 0, "", fmt::format("is not as weft dse writes it ({})", error.what()));
  } catch (const Error& error) {
    throw InputError(file, 0, "", error.what());
  }
}

}  // namespace weft::fpgpt::exploration
