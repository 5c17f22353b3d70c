#include "platform/studies/validate/baseline.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "model/core/error.h"
#include "platform/os/content.h"
#include "platform/record/json.h"

namespace weft::validate {

namespace {

using Key = std::tuple<std::string, std::string, conv::Kind>;

std::string percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.4f}%", 100 * *error) : "none";
}

}  // namespace

static void fields(record::Visitor& io, BaselineEntry& entry) {
  io("kernel", "name of the kernel", entry.kernel);
  io("layer", "name of the layer", entry.layer);
  io.choice("kind", "F, GI or GW", entry.kind, kKinds);
  io("model", "cycles", "cycles on the rung whose error is computed", entry.model);
  io("against", "cycles", "cycles on the reference rung", entry.against);
  io("tolerance_percent", "percentage points", "largest allowed change of the error", entry.tolerance_percent);
}

static void fields(record::Visitor& io, Baseline& baseline) {
  io.head("baseline", 2, baseline.weft_version);
  io("name", "name of the validation", baseline.name);
  io.group("rungs", "what is compared", [&](record::Visitor& rungs) {
    rungs.choice("model", "rung whose error is computed", baseline.model, kRungs);
    rungs.choice("against", "reference rung", baseline.against, kRungs);
  });
  io.list("convolutions", "every convolution of every kernel", "", "a convolution on a kernel", baseline.entries);
}

static void fields(record::Visitor& io, Deviation& deviation) {
  io("kernel", "name of the kernel", deviation.kernel);
  io("layer", "name of the layer", deviation.layer);
  io.choice("kind", "F, GI or GW", deviation.kind, kKinds);
  io.nullable("old", "1", "error of the baseline", deviation.old_error);
  io.nullable("new", "1", "error of this run", deviation.new_error);
  io("tolerance_percent", "percentage points", "largest allowed change of the error", deviation.tolerance_percent);
}

void fields(record::Visitor& io, BaselineVerdict& verdict) {
  io("file", "the baseline", verdict.file);
  io.list("deviations", "convolutions whose error differs from the baseline", "", "a convolution", verdict.deviations);
}

Baseline make_baseline(const ValidateConfig& config, const std::vector<Pair>& pairs) {
  Baseline baseline{config.name, config.model, config.against, {}};
  for (const Pair& pair : pairs) {
    baseline.entries.push_back(
        {pair.kernel, pair.layer.name, pair.kind, pair.model.cycles, pair.against.cycles, config.tolerance_percent});
  }
  return baseline;
}

std::string to_json(const Baseline& baseline) {
  return record::json_lines(baseline);
}

Baseline read_baseline(const std::filesystem::path& file) {
  try {
    const std::optional<std::string> text = os::content_of_regular(file);
    if (!text) throw InputError(file.string(), 0, "baseline", "there is no such file, or it cannot be read");
    auto baseline = record::from_json<Baseline>(file.string(), *text);
    std::set<Key> seen;
    for (const BaselineEntry& entry : baseline.entries) {
      const bool in_range = entry.against >= 1 && entry.model >= 0 && entry.tolerance_percent >= 0;
      const bool twice = !seen.insert({entry.kernel, entry.layer, entry.kind}).second;
      if (in_range && !twice) continue;
      throw InputError(file.string(), 0, "convolutions",
                       fmt::format("{} {} on {} {}", entry.layer, conv::to_string(entry.kind), entry.kernel,
                                   twice ? "appears twice" : "has a number out of range"));
    }
    return baseline;
  } catch (const InputError& error) {
    throw Error(fmt::format("{}; save a new one with --save-baseline", error.what()));
  }
}

std::string Deviation::text() const {
  const std::string who = fmt::format("{} {} on {}", layer, conv::to_string(kind), kernel);
  if (!old_error) return fmt::format("{}: is not in the baseline, error now {}", who, percent(new_error));
  if (!new_error) return fmt::format("{}: error was {}, and this run has no such convolution", who, percent(old_error));
  return fmt::format("{}: error was {}, is {}: moved by {:+.4f} points, {} allowed", who, percent(old_error),
                     percent(new_error), 100 * (*new_error - *old_error), tolerance_percent);
}

void require_same_rungs(const Baseline& baseline, const ValidateConfig& config) {
  if (baseline.model == config.model && baseline.against == config.against) return;
  throw Error(fmt::format("the baseline compares {} against {}, not {} against {}; save one with --save-baseline",
                          to_string(baseline.model), to_string(baseline.against), to_string(config.model),
                          to_string(config.against)));
}

std::vector<Deviation> deviations(const Baseline& baseline, const ValidateConfig& config,
                                  const std::vector<Pair>& pairs, bool subset) {
  require_same_rungs(baseline, config);
  std::map<Key, const BaselineEntry*> missed;
  for (const BaselineEntry& entry : baseline.entries) missed[{entry.kernel, entry.layer, entry.kind}] = &entry;
  std::vector<Deviation> result;
  for (const Pair& pair : pairs) {
    const auto found = missed.find({pair.kernel, pair.layer.name, pair.kind});
    Deviation one{pair.kernel, pair.layer.name, pair.kind, {}, pair.error(), 0};
    if (found == missed.end()) {
      result.push_back(one);
      continue;
    }
    one.old_error = found->second->error();
    one.tolerance_percent = found->second->tolerance_percent;
    missed.erase(found);
    if (100 * std::fabs(*one.new_error - *one.old_error) > one.tolerance_percent) result.push_back(one);
  }
  if (subset) return result;
  for (const BaselineEntry& entry : baseline.entries) {
    if (missed.count({entry.kernel, entry.layer, entry.kind}) == 0) continue;
    result.push_back({entry.kernel, entry.layer, entry.kind, entry.error(), {}, entry.tolerance_percent});
  }
  return result;
}

}  // namespace weft::validate
