#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/config/reader.h"
#include "platform/config/selection.h"
#include "platform/dse/explorer.h"

namespace weft::dse {

namespace {

// Returns the result's shared kernels for the wanted penalty.
const Shared& shared_of(const Result& result, const config::KernelsOfDse& wanted) {
  std::string known;
  for (const Sharing& each : result.sharing) {
    if (std::llround(each.penalty_percent * 1000) == wanted.penalty_milli_percent) {
      return each.minimum ? *each.minimum : each.heuristic;
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.penalty_percent);
  }
  throw config::error_at(wanted.penalty_place, "schedule.kernels.penalty_percent",
                         fmt::format("'{}' has no shared kernels with a penalty of {}%; {}", wanted.dse,
                                     static_cast<double>(wanted.penalty_milli_percent) / 1000,
                                     known.empty() ? "allowed: own: true" : "allowed: " + known));
}

std::pair<std::string, conv::Kind> convolution_of(const std::string& name) {
  const auto colon = name.rfind(':');
  const auto kind = config::parse_kind(colon == std::string::npos ? "" : name.substr(colon + 1));
  if (!kind) throw Error(fmt::format("has a convolution '{}', not LAYER:KIND", name));
  return {name.substr(0, colon), *kind};
}

void set(config::Node& node, const std::string& path, const Value& value) {
  const std::size_t dot = path.find('.');
  const std::string key = path.substr(0, dot);
  if (dot == std::string::npos) return node.set(key, config::scalar_node(to_text(value)));
  const config::Node* const there = node.find(key);
  config::Node sub = there ? *there : config::map_node();
  set(sub, path.substr(dot + 1), value);
  node.set(key, std::move(sub));
}

const Group& group_of(const Result& result, const OneKernel& wanted) {
  std::string known;
  for (const Sharing& each : result.sharing) {
    const std::string penalty = fmt::format("{}", each.penalty_percent);
    known += (known.empty() ? "" : ", ") + penalty;
    if (!wanted.penalty.empty() && wanted.penalty != penalty) continue;
    const std::vector<Group>& groups = each.minimum ? each.minimum->groups : each.heuristic.groups;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (wanted.group == std::to_string(i + 1)) return groups[i];
    }
    throw Error(
        fmt::format("there is no group '{}' within {} %; allowed: 1 to {}", wanted.group, penalty, groups.size()));
  }
  throw Error(known.empty() ? "this exploration shared no kernels: give a convolution"
                            : fmt::format("there is no penalty '{}'; allowed: {}", wanted.penalty, known));
}

const Convolution& convolution_in(const Result& result, const std::string& name) {
  std::vector<std::string> known;
  for (const Convolution& each : result.convolutions) {
    if (!each.optimal) continue;
    known.push_back(fmt::format("{}:{}", each.layer, conv::to_string(each.kind)));
    if (known.back() == name) return each;
  }
  throw Error(fmt::format("'{}' is no convolution with a kernel{}", name, config::suggestion(name, known)));
}

}  // namespace

std::string kernel_file(const Explorer& explorer, const Result& result, const config::RunConfig& run,
                        const OneKernel& wanted) {
  const bool one = wanted.group.empty();
  if (one == wanted.convolution.empty()) throw Error("give exactly one of --convolution and --group");
  const Convolution* const convolution = one ? &convolution_in(result, wanted.convolution) : nullptr;
  const Group* const group = one ? nullptr : &group_of(result, wanted);
  const std::string of = one ? wanted.convolution : config::join(group->convolutions);
  config::Node node =
      explorer.kernel_of(values_in(one ? convolution->optimal->kernel : group->kernel, result.searched), run)->write();
  node.set("name", config::scalar_node(fmt::format("{}-{}", result.exploration, one ? of : "group-" + wanted.group)));
  node.set("title", config::scalar_node(fmt::format("Kernel of weft dse {}", result.exploration), true));
  return fmt::format("# For {}: {} cycles at batch {} by the equations.\n# weft run RUN --set kernel=FILE\n", of,
                     thousands(one ? result.cycles_of(*convolution) : group->cycles), result.batch) +
         config::to_yaml(node);
}

config::KernelPtr kernel_with(const design::Design& design, const config::Kernel& base, const Values& values) {
  config::Node kernel = base.write();
  for (const auto& [key, value] : values) set(kernel, key, value);
  try {  // read as from a file, which refuses an invalid kernel
    return design.read_kernel(kernel, "kernel");
  } catch (const InputError& error) {
    throw Error(fmt::format("its kernel is not valid ({})", error.what()));
  }
}

void require_own(const config::KernelsOfDse& wanted, const design::Design& design) {
  if (wanted.own) return;
  throw config::error_at(wanted.place, "schedule.kernels",
                         fmt::format("an exploration of {} has no shared kernels; allowed: own: true", design.name()));
}

KernelSet kernel_set(const Explorer& explorer, const Result& result, const std::string& file,
                     const config::KernelsOfDse& wanted, const config::RunConfig& run) {
  KernelSet set;
  set.network = result.network;
  try {
    if (!wanted.own) {
      for (const Group& group : shared_of(result, wanted).groups) {
        FoundKernel& kernel = set.kernels.emplace_back();
        kernel.kernel = explorer.kernel_of(values_in(group.kernel, result.searched), run);
        for (const std::string& name : group.convolutions) kernel.convolutions.push_back(convolution_of(name));
      }
      return set;
    }
    std::vector<Values> seen;
    for (const Convolution& each : result.convolutions) {
      if (!each.optimal) continue;
      const Values values = values_in(each.optimal->kernel, result.searched);
      const auto at = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), values) - seen.begin());
      if (at == seen.size()) {
        seen.push_back(values);
        set.kernels.push_back({explorer.kernel_of(values, run), {}});
      }
      set.kernels[at].convolutions.emplace_back(each.layer, each.kind);
    }
    return set;
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(file, 0, "", error.what());
  }
}

}  // namespace weft::dse
