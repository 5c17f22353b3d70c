#include "platform/studies/explain/changes.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/core/error.h"
#include "model/link/pcie_config.h"
#include "platform/catalogue/designs.h"
#include "platform/config/difference.h"
#include "platform/config/reader.h"

namespace weft::explain {

using config::RunConfig;
using config::Schedule;
using design::Changed;
using design::Counterfactual;

namespace {

// Sets a key of the schedule. False: it has the value.
template <class T>
bool assign(RunConfig& run, T Schedule::*key, T value) {
  return !(std::exchange(run.schedule.*key, value) == value);
}

template <class Change>  // returns false if it changes nothing
Counterfactual of_schedule(const char* name, const char* meaning, Change change) {
  return {name, meaning, [change](const RunConfig& run) {
            RunConfig changed = run;
            return change(changed) ? Changed::to(std::move(changed)) : Changed::impossible("the schedule has it");
          }};
}

// Kernels of the design's exploration that shares them, within a penalty for each convolution.
Counterfactual fewest_kernels(const char* name, const char* exploration, int percent) {
  return {name,
          fmt::format("the fewest kernels of weft dse {} with which a convolution takes at most {}% longer "
                      "(schedule.kernels)",
                      exploration, percent),
          [exploration, percent](const RunConfig& run) {
            if (run.schedule.kernels.given()) return Changed::impossible("schedule.kernels gives others");
            RunConfig changed = run;
            changed.schedule.kernels = {};
            changed.schedule.kernels.dse = exploration;
            changed.schedule.kernels.penalty_milli_percent = std::int64_t{1000} * percent;
            return Changed::to(std::move(changed));
          }};
}

constexpr int kLastGeneration = 5;

Changed with_faster_link(const RunConfig& run) {
  link::PcieConfig link = *run.board.pcie;
  if (link.generation >= kLastGeneration) return Changed::impossible("no generation of PCIe is later");
  const bool usual =
      link.dllp_interval_bytes == link::dllp_interval_bytes(link.generation, link.lanes, link.max_payload_bytes);
  ++link.generation;
  if (usual) link.dllp_interval_bytes = link::dllp_interval_bytes(link.generation, link.lanes, link.max_payload_bytes);
  RunConfig changed = run;
  changed.board.pcie = link;
  return Changed::to(std::move(changed));
}

Changed with_larger_batch(const RunConfig& run) {
  if (2 * std::int64_t{run.batch} > run.dataset_images) return Changed::impossible("the data set has no more images");
  RunConfig changed = run;
  changed.batch *= 2;
  return Changed::to(std::move(changed));
}

Changed with_free_calls(const RunConfig& run) {
  RunConfig changed = run;
  changed.host->opencl = changed.host->xrt = {};
  return Changed::to(std::move(changed));
}

Changed with_free_loads(const RunConfig& run) {
  RunConfig changed = run;
  changed.host->load_card = changed.host->load_region = {};
  return Changed::to(std::move(changed));
}

Changed with_free_host(const RunConfig& run) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000'000;
  RunConfig changed = run;
  config::Host& host = *changed.host;
  host.measured.clear();
  host.peak_flops_per_s = host.memory_bytes_per_s = kMost;
  for (config::OperatorCost& cost : host.operators) cost = {};
  if (host.matrices) host.matrices = config::MatrixCosts();
  if (host.quantiser) host.quantiser->quantise_ps = host.quantiser->dequantise_ps = 0;
  return Changed::to(std::move(changed));
}

void add_schedule(std::vector<Counterfactual>& all) {
  const auto load_region = [](RunConfig& run) { return assign(run, &Schedule::load, config::LoadKind::Region); };
  const auto fewest_loads = [](RunConfig& run) { return assign(run, &Schedule::order, config::Order::FewestLoads); };
  all.push_back(of_schedule("load_region", "a region is reconfigured, not the card (schedule.load)", load_region));
  all.push_back(of_schedule("fewest_loads", "an order of the launches with few loads (schedule.order)", fewest_loads));
  all.push_back(of_schedule("few_region_loads", "regions are loaded, in an order of the launches with few loads",
                            [=](RunConfig& run) {
                              const bool region = load_region(run), order = fewest_loads(run);
                              return region && order;  // one of them alone is a change of its own
                            }));
  all.push_back(of_schedule("load_ahead", "bitstreams are loaded while the host computes (schedule.load_time)",
                            [](RunConfig& run) { return assign(run, &Schedule::load_time, config::LoadTime::Ahead); }));
  all.push_back(of_schedule("early_updates", "weights are updated as soon as they can be (schedule.updates)",
                            [](RunConfig& run) { return assign(run, &Schedule::updates, config::Updates::AsReady); }));
  all.push_back(of_schedule(
      "keep_tensors", "tensors stay on the card between convolutions (schedule.transfers)",
      [](RunConfig& run) { return assign(run, &Schedule::transfers, config::Transfers::KeepActivations); }));
  all.push_back(
      of_schedule("double_buffer", "transfers while the kernel computes, on other channels (schedule.overlap)",
                  [](RunConfig& run) { return assign(run, &Schedule::overlap, config::Overlap::DoubleBuffer); }));
  all.push_back(of_schedule("xrt_calls", "the card is called through XRT (schedule.calls)",
                            [](RunConfig& run) { return assign(run, &Schedule::calls, config::Calls::Xrt); }));
}

void add_questions(std::vector<Counterfactual>& all, const RunConfig& run, const config::Library& library) {
  const auto question = Counterfactual::Use::Question;
  Counterfactual batch{"larger_batch", "twice the images of an iteration", with_larger_batch, question};
  batch.caveat = "changes the training";
  all.push_back(batch);
  Counterfactual link{"faster_pcie", "the next generation of PCIe", with_faster_link, question};
  link.caveat = "needs another card and host";
  all.push_back(link);
  for (const std::string& name : library.names(config::FileKind::Board)) {
    if (name == run.board.name) continue;
    RunConfig changed = run;
    try {
      changed.board = config::load_board(name, {}, library);
      if (!changed.board.pcie) continue;
      config::require_simulated_memory(changed);
    } catch (const Error&) {
      continue;  // no board for this run
    }
    Counterfactual board{"board_" + name, changed.board.title,
                         [board = changed.board](const RunConfig& of) {
                           RunConfig on_it = of;
                           on_it.board = board;
                           return Changed::to(std::move(on_it));
                         },
                         question};
    board.caveat = "another board";
    board.set = "board=" + name;
    all.push_back(board);
  }
}

void add_bounds(std::vector<Counterfactual>& all) {
  const auto bound = Counterfactual::Use::Bound;
  all.push_back({"no_loads", "bitstreams are loaded in no time", with_free_loads, bound});
  all.push_back({"no_calls", "calls of the card take no software", with_free_calls, bound});
  all.push_back({"free_host", "operators of the host take no time", with_free_host, bound});
}

// Keys that the change alters in a run; empty if it cannot be made.
std::vector<std::string> keys_of(const Counterfactual& change, const RunConfig& run) {
  const Changed changed = change.make(run);
  std::vector<std::string> keys;
  if (!changed.run) return keys;
  for (const config::Difference& each : config::differences(config::write_run(run), config::write_run(*changed.run))) {
    if (each.key != "board.assumed") keys.push_back(each.key);  // it only names other keys
  }
  return keys;
}

// True if `key` is `of`, is below it or contains it.
bool concerns(const std::string& key, const std::string& of) {
  return key == of || key.rfind(of + ".", 0) == 0 || of.rfind(key + ".", 0) == 0;
}

std::vector<Counterfactual> without_held(const std::vector<Counterfactual>& changes, const RunConfig& run,
                                         const std::vector<std::string>& held) {
  const config::Node written = config::write_run(run);
  std::vector<Counterfactual> left;
  std::set<std::string> known;  // keys that changes alter
  for (const Counterfactual& change : changes) {
    const std::vector<std::string> keys = keys_of(change, run);
    known.insert(keys.begin(), keys.end());
    const bool is_held = std::any_of(held.begin(), held.end(), [&](const std::string& of) {
      return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return concerns(key, of); });
    });
    if (!is_held || change.use == Counterfactual::Use::Bound) left.push_back(change);
  }
  for (const std::string& key : held) {
    const bool altered = std::any_of(known.begin(), known.end(), [&](const auto& of) { return concerns(of, key); });
    if (altered || config::find_path(written, key)) continue;
    throw Error(fmt::format("--hold: no change alters '{}', and the run has no such key{}", key,
                            config::suggestion(key, {known.begin(), known.end()})));
  }
  return left;
}

}  // namespace

std::vector<Counterfactual> changes_of(const RunConfig& run, bool iteration, const std::vector<std::string>& held,
                                       const config::Library& library) {
  const design::Design& design = design::design_of(run);
  std::vector<Counterfactual> all;
  if (iteration && design.explorer() && design.explorer()->shared_kernels()) {
    const char* const exploration = design.explorer()->shared_kernels();
    all.push_back(fewest_kernels("fewest_kernels", exploration, 100));
    all.push_back(fewest_kernels("few_kernels", exploration, 20));
  }
  for (Counterfactual change : design.counterfactuals(run)) {
    if (change.sizes) {
      change.make = [make = change.make](const RunConfig& of) {
        return of.schedule.kernels.given() ? Changed::impossible("the schedule names its kernels") : make(of);
      };
    }
    all.push_back(std::move(change));
  }
  if (iteration) {
    add_schedule(all);
    add_questions(all, run, library);
    add_bounds(all);
  }
  return held.empty() ? all : without_held(all, run, held);
}

std::vector<std::string> sets_between(const RunConfig& from, const RunConfig& to) {
  std::vector<std::string> sets;
  for (const config::Difference& each : config::differences(config::write_run(from), config::write_run(to))) {
    sets.push_back(each.key + "=" + each.b);
  }
  return sets;
}

std::vector<std::string> leaves(const std::vector<std::string>& sets) {
  std::vector<std::string> all;
  for (const std::string& set : sets) {
    const config::Override one = config::parse_override(set);
    const config::Node value =
        config::parse_yaml(one.value, std::make_shared<config::Source>(config::Source{"--set", {}, true}));
    if (value.kind != config::Node::Kind::Map) {
      all.push_back(set);
      continue;
    }
    for (const config::Node& child : value.children) {
      all.push_back(fmt::format("{}.{}={}", one.key, child.key, config::flow_text(child)));
    }
  }
  return all;
}

bool is_unknown_to_equations(const Counterfactual& change, const RunConfig& run) {
  const std::vector<std::string> unknown = design::design_of(run).equations_note(run).unknown;
  const std::vector<std::string> keys = keys_of(change, run);
  return !keys.empty() && std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return std::any_of(unknown.begin(), unknown.end(), [&](std::string of) {
      if (of.size() > 2 && of.substr(of.size() - 2) == ".*") of.resize(of.size() - 2);
      return concerns(key, of) || concerns(key, "board." + of);
    });
  });
}

}  // namespace weft::explain
