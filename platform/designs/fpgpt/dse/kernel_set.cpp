#include "platform/designs/fpgpt/dse/kernel_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/core/error.h"
#include "platform/config/selection.h"
#include "platform/designs/fpgpt/dse/report.h"
#include "platform/designs/fpgpt/dse/saved.h"

namespace weft::fpgpt::exploration {

namespace {

// What a report says, in the words of report.cpp. Throws what nlohmann throws, and Error.
class Report {
 public:
  Report(const nlohmann::json& json, const config::KernelsOfDse& wanted, const KernelConfig& kernel)
      : json_(json), wanted_(wanted), kernel_(kernel) {}

  weft::dse::KernelSet kernels() const {
    if (json_.at("schema") != kDseSchema) {
      throw Error(fmt::format("is of schema {}, not {}: made by another version of weft", json_.at("schema").dump(),
                              kDseSchema));
    }
    weft::dse::KernelSet set;
    set.network = json_.at("network").get<std::string>();
    if (wanted_.own) {
      own(set);
    } else {
      shared(set);
    }
    return set;
  }

 private:
  config::KernelPtr kernel_of(const nlohmann::json& json) const {
    const Alpha alpha = read_alpha(json);
    try {  // as a file would be read: what is out of its range is refused there
      return read_kernel(with_alpha(kernel_, alpha).write(), "kernel");
    } catch (const InputError& error) {
      throw Error(fmt::format("has a kernel that cannot be ({})", error.what()));
    }
  }

  static std::pair<std::string, conv::Kind> convolution(const std::string& layer, const std::string& kind) {
    const auto known = config::parse_kind(kind);
    if (!known) throw Error(fmt::format("has a convolution of kind '{}'", kind));
    return {layer, *known};
  }

  void own(weft::dse::KernelSet& set) const {
    std::vector<nlohmann::json> seen;
    for (const nlohmann::json& each : json_.at("convolutions")) {
      if (!each.contains("optimal")) continue;
      const nlohmann::json& kernel = each.at("optimal").at("kernel");
      const auto found = std::find(seen.begin(), seen.end(), kernel);
      const auto at = static_cast<std::size_t>(found - seen.begin());
      if (found == seen.end()) {
        seen.push_back(kernel);
        set.kernels.push_back({kernel_of(kernel), {}});
      }
      set.kernels[at].convolutions.push_back(
          convolution(each.at("layer").get<std::string>(), each.at("kind").get<std::string>()));
    }
  }

  void shared(weft::dse::KernelSet& set) const {
    const nlohmann::json& sharing = entry();
    for (const nlohmann::json& group : sharing.at(sharing.contains("minimum") ? "minimum" : "heuristic").at("groups")) {
      weft::dse::FoundKernel kernel{kernel_of(group.at("kernel")), {}};
      for (const nlohmann::json& each : group.at("convolutions")) {
        const auto name = each.get<std::string>();
        const auto colon = name.rfind(':');
        if (colon == std::string::npos) throw Error(fmt::format("has a convolution '{}'", name));
        kernel.convolutions.push_back(convolution(name.substr(0, colon), name.substr(colon + 1)));
      }
      set.kernels.push_back(std::move(kernel));
    }
  }

  // What it says about sharing with the penalty.
  const nlohmann::json& entry() const {
    std::string known;
    for (const nlohmann::json& each : json_.at("sharing")) {
      const auto percent = each.at("penalty_percent").get<double>();
      if (std::llround(percent * 1000) == wanted_.penalty_milli_percent) return each;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", percent);
    }
    throw config::error_at(
        wanted_.penalty_place, "schedule.kernels.penalty_percent",
        fmt::format("'{}' shares no kernels with a penalty of {}%; {}", wanted_.dse,
                    static_cast<double>(wanted_.penalty_milli_percent) / 1000,
                    known.empty() ? "it shares none: only own: true is possible" : "there are: " + known));
  }

  const nlohmann::json& json_;
  const config::KernelsOfDse& wanted_;
  const KernelConfig& kernel_;
};

}  // namespace

weft::dse::KernelSet kernel_set(const std::string& json, const std::string& file, const config::KernelsOfDse& wanted,
                                const KernelConfig& kernel) {
  const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("exploration")) {
    throw InputError(file, 0, "", "is no result of weft dse");
  }
  try {
    return Report(parsed, wanted, kernel).kernels();
  } catch (const InputError&) {
    throw;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(file, 0, "", fmt::format("is not as weft dse writes it ({})", error.what()));
  } catch (const Error& error) {
    throw InputError(file, 0, "", error.what());
  }
}

}  // namespace weft::fpgpt::exploration
