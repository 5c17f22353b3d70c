#include "platform/studies/validate/baseline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "model/core/error.h"
#include "model/core/fnv1a.h"
#include "model/core/text.h"
#include "platform/config/reader.h"
#include "platform/os/content.h"
#include "platform/record/json.h"
#include "platform/record/result_dir.h"
#include "platform/run/comparison.h"
#include "platform/studies/validate/result.h"
#include "workloads/onnx/import.h"

namespace weft::validate {

namespace fs = std::filesystem;

namespace {

using Key = std::tuple<std::string, std::string, conv::Kind>;

std::string percent(const std::optional<double>& error) {
  return error ? fmt::format("{:+.4f}%", 100 * *error) : "none";
}

config::Node parsed(const std::string& file, const std::string& yaml) {
  return config::parse_yaml(yaml, std::make_shared<config::Source>(config::Source{file, {}, false}));
}

// Returns name and digest of a run's network: of its file, or of the layers in `config`.
std::pair<std::string, std::string> network_of(const config::RunConfig& run, const config::Node& config,
                                               const config::Library& library) {
  const auto* const onnx = std::get_if<config::OnnxNetwork>(&run.workload);
  const auto* const named = std::get_if<config::NamedNetwork>(&run.workload);
  if (onnx || named) {
    const std::string name = onnx ? onnx->path.string() : named->name;
    const std::string file = workloads::network_file(name, {(library.configs / "networks").string()});
    return {onnx ? onnx->path.stem().string() : name, config::digest_of_file(file).value_or("")};
  }
  Fnv1a64 digest;
  for (const char* key : {"network", "convolution"}) {
    if (const config::Node* const layers = config.find(key)) digest.add_bytes(config::flow_text(*layers));
  }
  return {run.name, fmt::format("{:016x}", digest.value())};
}

// Returns "exact 18,176 -> 18,204 (+0.1540%; inp_reader +28 starved)": the block is the one that differs most.
std::string change_text(Rung rung, const MeasurementResult& before, const MeasurementResult& now) {
  if (now.cycles == before.cycles) return fmt::format("{} unchanged", to_string(rung));
  std::string most;
  Cycles largest = 0;
  for (const auto& [name, value] : now.blocks) {
    const auto* const old = record::find(before.blocks, name);
    if (!old || old->index() != value.index()) continue;
    std::string text = " " + name;
    Cycles size = 0;
    const auto add = [&, &block = name](Cycles by, const char* what) {
      if (by != 0) text += fmt::format("{} {:+} {}", text.size() > block.size() + 1 ? "," : "", by, what);
      size += std::abs(by);
    };
    if (const auto* const work = std::get_if<Cycles>(&value)) {
      add(*work - std::get<Cycles>(*old), "work");
    } else {
      for (std::size_t i = 0; i < kActivities; ++i) {
        const auto activity = static_cast<Activity>(i);
        add(std::get<Activities>(value).of(activity) - std::get<Activities>(*old).of(activity), kActivityNames[i]);
      }
    }
    if (size > largest) most = ";" + text;
    largest = std::max(size, largest);
  }
  return fmt::format("{} {} -> {} ({:+.4f}%{})", to_string(rung), thousands(before.cycles), thousands(now.cycles),
                     100 * CyclesMoved{before.cycles, now.cycles}.change(), most);
}

// Returns "board.memory.timing_nCK.tRP 17 -> 25, tRC 56 -> 64".
std::string keys_text(const std::vector<config::Difference>& keys) {
  std::string text, last;
  for (const config::Difference& each : keys) {
    const std::size_t name = each.key.rfind('.') + 1;
    const std::string parent = each.key.substr(0, name);
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", parent == last ? each.key.substr(name) : each.key,
                        each.a.empty() ? "-" : each.a, each.b.empty() ? "-" : each.b);
    last = parent;
  }
  return text.empty() ? "none" : text;
}

// Returns the keys of the runs of two kernels that differ.
std::vector<config::Difference> keys_between(const Baseline& old, const MadeFrom& a, const Baseline& now,
                                             const MadeFrom& b) {
  config::Node config_a = parsed("", a.config), config_b = parsed("", b.config);
  if (a.network_digest == b.network_digest) {  // only the path of its file can differ
    for (config::Node* const config : {&config_a, &config_b}) config->erase("network");
  }
  std::vector<config::Difference> keys = run::differing_keys(config_a, config_b);
  const bool other_code = old.weft_version != now.weft_version;
  if (keys.empty() && other_code) keys.push_back({"weft_version", old.weft_version, now.weft_version});
  return keys;
}

std::string rungs(const Baseline& baseline) {
  return fmt::format("{} against {}", to_string(baseline.model), to_string(baseline.against));
}

const MadeFrom* find(const Baseline& baseline, const std::string& kernel) {
  const auto found = std::find_if(baseline.made_from.begin(), baseline.made_from.end(),
                                  [&](const MadeFrom& each) { return each.kernel == kernel; });
  return found == baseline.made_from.end() ? nullptr : &*found;
}

bool beyond(const BaselineEntry& old, const BaselineEntry& now) {
  const auto moved = [&](const MeasurementResult& before, const MeasurementResult& after) {
    return 100 * std::fabs(static_cast<double>(after.cycles - before.cycles)) >
           old.tolerance_cycles_percent * static_cast<double>(before.cycles);
  };
  return 100 * std::fabs(now.error() - old.error()) > old.tolerance_percent || moved(old.model, now.model) ||
         moved(old.against, now.against);
}

}  // namespace

static void fields(record::Visitor& io, MadeFrom& from) {
  io("run", "name of the run", from.run);
  io("kernel", "name of the kernel, after that of the run if there are several runs", from.kernel);
  io("network", "name of the network", from.network);
  io("network_digest", "FNV-1a hash of the network's file or layers, 64 bits in hexadecimal", from.network_digest);
  io("board", "name of the board", from.board);
  io("batch", "images", "batch of a convolution", from.batch);
  io("config", "the run as YAML, without keys that do not change a measurement", from.config);
}

static void fields(record::Visitor& io, BaselineEntry& entry) {
  io("kernel", "name of the kernel", entry.kernel);
  io("layer", "name of the layer", entry.layer);
  io.choice("kind", "F, GI or GW", entry.kind, kKinds);
  io("model", "figures of the rung whose error is computed", entry.model);
  io("against", "figures of the reference rung", entry.against);
  io("tolerance_percent", "percentage points", "largest allowed change of the error", entry.tolerance_percent);
  io("tolerance_cycles_percent", "%", "largest allowed change of the cycles of a rung", entry.tolerance_cycles_percent);
}

static void fields(record::Visitor& io, Baseline& baseline) {
  io.head("baseline", 3, baseline.weft_version);
  io("name", "name of the validation", baseline.name);
  io.group("rungs", "what is compared", [&](record::Visitor& rungs) {
    rungs.choice("model", "rung whose error is computed", baseline.model, kRungs);
    rungs.choice("against", "reference rung", baseline.against, kRungs);
  });
  io.list("made_from", "what the measurements were made from", "", "a kernel of a run", baseline.made_from);
  io.list("convolutions", "every convolution of every kernel", "", "a convolution on a kernel", baseline.entries);
}

void fields(record::Visitor& io, Deviation& deviation) {
  io("kernel", "name of the kernel", deviation.kernel);
  io("layer", "name of the layer", deviation.layer);
  io.choice("kind", "F, GI or GW", deviation.kind, kKinds);
  io.nullable("old", "1", "error of the baseline", deviation.old_error);
  io.nullable("new", "1", "error of this run", deviation.new_error);
  io("tolerance_percent", "percentage points", "largest allowed change of the error", deviation.tolerance_percent);
  io("tolerance_cycles_percent", "%", "largest allowed change of the cycles of a rung",
     deviation.tolerance_cycles_percent);
  io("model_old", "cycles", "cycles of the rung whose error is computed, in the baseline", deviation.model.old_cycles);
  io("model_new", "cycles", "cycles of the rung whose error is computed, in this run", deviation.model.new_cycles);
  io("against_old", "cycles", "cycles of the reference rung, in the baseline", deviation.against.old_cycles);
  io("against_new", "cycles", "cycles of the reference rung, in this run", deviation.against.new_cycles);
  io("change", "change of each rung, with the block that differs most", deviation.change);
  io("keys", "keys of the run of this kernel that differ from the baseline", deviation.keys);
}

void fields(record::Visitor& io, BaselineVerdict& verdict) {
  io("file", "the baseline", verdict.file);
  io.list("deviations", "convolutions that differ from the baseline, largest change of cycles first", "",
          "a convolution", verdict.deviations);
}

void fields(record::Visitor& io, ValidationComparison& comparison) {
  io.head("compare validations", 1, comparison.weft_version);
  io("a", "first result, as named on the command line; the baseline of the second", comparison.a);
  io("b", "second result, as named on the command line", comparison.b);
  io.list("keys", "keys of the runs that differ", "", "a key", comparison.keys);
  io.list("deviations", "convolutions that differ, largest change of cycles first", "", "a convolution",
          comparison.verdict.deviations);
}

Baseline begin_baseline(const ValidateConfig& config, const config::Library& library) {
  Baseline baseline;
  baseline.name = config.name;
  baseline.model = config.model;
  baseline.against = config.against;
  for (const KernelRun& kernel : config.kernels) {
    config::Node node = config::write_run(kernel.run);
    for (const char* key : {"name", "title", "output", "workers", "results", "published", "rung", "kinds", "only"}) {
      node.erase(key);
    }
    const auto [network, digest] = network_of(kernel.run, node, library);
    baseline.made_from.push_back({kernel.run.name, kernel.label, network, digest, kernel.run.board.name,
                                  kernel.run.batch, config::to_yaml(node)});
  }
  return baseline;
}

void add(Baseline& baseline, const ValidateConfig& config, const std::vector<PairResult>& pairs) {
  for (const PairResult& pair : pairs) {
    baseline.entries.push_back({pair.kernel, pair.layer, pair.kind, pair.model, pair.against, config.tolerance_percent,
                                config.tolerance_cycles_percent});
  }
}

std::string to_json(const Baseline& baseline) {
  return record::json_lines(baseline);
}

Baseline read_baseline(const fs::path& file) {
  try {
    const std::optional<std::string> text = os::content_of_regular(file);
    if (!text) throw InputError(file.string(), 0, "baseline", "there is no such file, or it cannot be read");
    auto baseline = record::from_json<Baseline>(file.string(), *text);
    if (baseline.made_from.empty()) throw InputError(file.string(), 0, "made_from", "is empty");
    for (const MadeFrom& each : baseline.made_from) parsed(file.string(), each.config);
    std::set<Key> seen;
    for (const BaselineEntry& entry : baseline.entries) {
      const bool in_range = entry.against.cycles >= 1 && entry.model.cycles >= 0 && entry.tolerance_percent >= 0 &&
                            entry.tolerance_cycles_percent >= 0;
      const bool twice = !seen.insert({entry.kernel, entry.layer, entry.kind}).second;
      if (in_range && !twice) continue;
      throw InputError(file.string(), 0, "convolutions",
                       fmt::format("{} {} on {} {}", entry.layer, conv::to_string(entry.kind), entry.kernel,
                                   twice ? "appears twice" : "has a number out of range"));
    }
    return baseline;
  } catch (const InputError& error) {
    throw Error(fmt::format("{}; save a new one with --baseline none --save-baseline FILE", error.what()));
  }
}

std::string Deviation::text() const {
  const std::string who = fmt::format("{} {} on {}", layer, conv::to_string(kind), kernel);
  if (!old_error) return fmt::format("{}: is not in the baseline, error now {}", who, percent(new_error));
  if (!new_error) return fmt::format("{}: error was {}, and this run has no such convolution", who, percent(old_error));
  return fmt::format("{}: {}error {} -> {}", who, change ? *change + ", " : "", percent(old_error), percent(new_error));
}

std::string BaselineVerdict::text() const {
  if (deviations.empty()) return file + ": no error and no cycles have changed";
  std::string text = fmt::format("{}: {} differ", file, deviations.size());
  std::map<std::string, std::set<std::string>> kernels;  // by the keys that differ
  for (const Deviation& one : deviations) {
    text += "\n  " + one.text();
    if (one.keys) kernels[*one.keys].insert(one.kernel);
  }
  for (const auto& [keys, names] : kernels) {
    const std::string on = kernels.size() == 1 ? "" : " on " + config::join({names.begin(), names.end()});
    text += fmt::format("\n  keys that differ{}: {}", on, keys);
  }
  return text;
}

void require_same_subject(const std::string& file, const Baseline& old, const Baseline& now) {
  if (old.model != now.model || old.against != now.against) {
    throw Error(fmt::format("the baseline compares {}, not {}; save one with --baseline none --save-baseline FILE",
                            rungs(old), rungs(now)));
  }
  for (const MadeFrom& mine : now.made_from) {
    const MadeFrom* const same = find(old, mine.kernel);
    const MadeFrom& theirs = same ? *same : old.made_from.front();
    std::string differs;
    const auto check = [&](const char* what, const auto& of_old, const auto& of_now) {
      if (of_old == of_now) return;
      differs += fmt::format("{} {} {}, not {}", differs.empty() ? "" : ";", what, of_old, of_now);
    };
    check("run", theirs.run, mine.run);
    check("network", theirs.network, mine.network);
    if (theirs.network == mine.network) check("digest of the network", theirs.network_digest, mine.network_digest);
    check("batch", theirs.batch, mine.batch);
    check("board", theirs.board, mine.board);
    if (!same && differs.empty()) {
      std::vector<std::string> kernels;
      for (const MadeFrom& each : old.made_from) kernels.push_back(each.kernel);
      check("kernel", config::join(kernels), mine.kernel);
    }
    if (differs.empty()) continue;
    throw Error(
        fmt::format("{}: is a baseline of another validation:{}; save one with --baseline none --save-baseline FILE",
                    file, differs));
  }
}

std::vector<Deviation> deviations(const Baseline& old, const Baseline& now, bool subset) {
  std::map<std::string, std::string> keys;  // that differ, by kernel
  for (const MadeFrom& mine : now.made_from) {
    if (const MadeFrom* const theirs = find(old, mine.kernel))
      keys[mine.kernel] = keys_text(keys_between(old, *theirs, now, mine));
  }
  std::map<Key, const BaselineEntry*> missed;
  for (const BaselineEntry& entry : old.entries) missed[{entry.kernel, entry.layer, entry.kind}] = &entry;
  std::vector<Deviation> result;
  for (const BaselineEntry& entry : now.entries) {
    const auto found = missed.find({entry.kernel, entry.layer, entry.kind});
    Deviation one{entry.kernel, entry.layer, entry.kind, {}, entry.error()};
    if (keys.count(entry.kernel) != 0) one.keys = keys[entry.kernel];
    if (found != missed.end()) {
      const BaselineEntry& before = *found->second;
      missed.erase(found);
      if (!beyond(before, entry)) continue;
      one.old_error = before.error();
      one.tolerance_percent = before.tolerance_percent;
      one.tolerance_cycles_percent = before.tolerance_cycles_percent;
      one.model = {before.model.cycles, entry.model.cycles};
      one.against = {before.against.cycles, entry.against.cycles};
      one.change = change_text(now.model, before.model, entry.model) + ", " +
                   change_text(now.against, before.against, entry.against);
    }
    result.push_back(std::move(one));
  }
  std::stable_sort(result.begin(), result.end(), [](const Deviation& a, const Deviation& b) {
    return std::max(std::abs(a.model.by()), std::abs(a.against.by())) >
           std::max(std::abs(b.model.by()), std::abs(b.against.by()));
  });
  for (const BaselineEntry& entry : old.entries) {
    if (subset || missed.count({entry.kernel, entry.layer, entry.kind}) == 0) continue;
    result.push_back({entry.kernel, entry.layer, entry.kind, entry.error(), {}, entry.tolerance_percent});
  }
  return result;
}

double CyclesMoved::change() const {
  return run::change(static_cast<double>(old_cycles.value_or(0)), static_cast<double>(new_cycles.value_or(0)));
}

double ValidationComparison::largest_change() const {
  double largest = 0;
  for (const Deviation& one : verdict.deviations) {
    if (!one.change) return std::numeric_limits<double>::infinity();
    for (const CyclesMoved& moved : {one.model, one.against}) largest = std::max(largest, std::fabs(moved.change()));
  }
  return largest;
}

static Baseline baseline_of(const fs::path& folder, const config::Library& library) {
  ValidateConfig config = load_validate((folder / record::kResultConfig).string(), {}, "", library);
  config.tolerance_percent = config.tolerance_cycles_percent = 0;
  const auto result = record::from_file<ValidateResult>(folder / record::kResultJson);
  Baseline baseline = begin_baseline(config, library);
  baseline.weft_version = result.weft_version;
  add(baseline, config, result.convolutions);
  return baseline;
}

ValidationComparison compare(const fs::path& a, const fs::path& b, const config::Library& library) {
  const Baseline old = baseline_of(a, library), now = baseline_of(b, library);
  if (old.model != now.model || old.against != now.against) {
    throw Error(fmt::format("cannot compare '{}' ({}) and '{}' ({}): give two validations of the same rungs",
                            a.string(), rungs(old), b.string(), rungs(now)));
  }
  ValidationComparison comparison;
  comparison.a = a.string();
  comparison.b = b.string();
  comparison.verdict = {comparison.a, deviations(old, now, false)};
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const MadeFrom& mine : now.made_from) {
    const MadeFrom* const theirs = find(old, mine.kernel);
    for (const config::Difference& each : keys_between(old, theirs ? *theirs : mine, now, mine)) {
      if (seen.insert({each.key, each.a, each.b}).second) comparison.keys.push_back(each);
    }
  }
  return comparison;
}

}  // namespace weft::validate
