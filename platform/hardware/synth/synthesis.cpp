#include "platform/hardware/synth/synthesis.h"

#include <fmt/core.h>

#include <set>
#include <stdexcept>

#include "model/core/error.h"
#include "platform/hardware/synth/yosys.h"
#include "platform/os/content.h"
#include "platform/os/process.h"
#include "platform/os/worker_pool.h"

namespace weft::synth {

namespace fs = std::filesystem;

namespace {

bool is_memory(const std::string& module) {
  const std::size_t at = module.find("\\ram");  // "$paramod$<digest>\ram" or "$paramod\ram\Width=..."
  return at != std::string::npos && (at + 4 == module.size() || module[at + 4] == '\\');
}

const std::string& top_of(const Netlist& netlist, const char* top) {
  for (const auto& [name, module] : netlist) {
    if (name.find(top) != std::string::npos) return name;
  }
  throw std::logic_error("the elaborated kernel has no top");
}

}  // namespace

Synthesis::Synthesis(const SynthDesign& synth_design, rtl::BuildContext build_context, int workers, Progress progress)
    : synth_design_(synth_design),
      build_context_(std::move(build_context)),
      workers_(workers),
      progress_(std::move(progress)) {
  os::require_packages(build_context_.source, "synth");
  inputs_ = yosys_version();
  for (const fs::path& source : rtl::files(synth_design_.sources(), build_context_).sources)
    inputs_ += os::content(source);
  std::error_code code;
  fs::create_directories(build_context_.cache, code);
  if (code) throw Error(fmt::format("cannot create '{}': {}", build_context_.cache.string(), code.message()));
}

Netlist Synthesis::elaborate(const Kernel& kernel) {
  const char* const top = synth_design_.sources().top;
  std::string files, parameters;
  for (const fs::path& source : rtl::files(synth_design_.sources(), build_context_).sources)
    files += " " + script_word(source);
  for (const rtl::Parameter& each : kernel.rtl.parameters) {
    parameters += each.bit ? fmt::format(" -set {} 1'b{}", each.name, each.value)
                           : fmt::format(" -set {} {}", each.name, each.value);
  }
  const std::string script = fmt::format("read_verilog -sv -DSYNTHESIS{}\nchparam{} {}\nhierarchy -check -top {}\n",
                                         files, parameters, top, top);
  const fs::path result = build_context_.cache / (os::digest(inputs_ + parameters) + ".il");
  if (!fs::is_regular_file(result)) run_yosys(script, "write_rtlil {}", result);
  return read_rtlil(os::content(result));
}

fs::path Synthesis::result_of(const Task& task) const {
  return build_context_.cache / (os::digest(inputs_ + mapping_script(task.uram, false) + task.module) + ".json");
}

void Synthesis::collect(const Netlist& netlist, const std::string& module, bool uram, Tasks& tasks) const {
  const bool own_uram = uram && is_memory(module);
  tasks.emplace(Task{module, own_uram}, &netlist);
  for (const Module::Instance& child : netlist.at(module).instances) {
    collect(netlist, child.module, uram && synth_design_.is_buffer(child), tasks);
  }
}

void Synthesis::synthesise(const Tasks& tasks) {
  std::vector<std::pair<Task, const Netlist*>> open;
  for (const auto& [task, netlist] : tasks) {
    if (own_.count(task) > 0) continue;
    if (fs::is_regular_file(result_of(task))) {
      own_[task] = read_cells(result_of(task));
    } else {
      open.emplace_back(task, netlist);
    }
  }
  std::vector<LogicUse> uses(open.size());
  in_parallel(open.size(), [&](std::size_t i) { uses[i] = map(open[i].first, *open[i].second); });
  for (std::size_t i = 0; i < open.size(); ++i) own_[open[i].first] = uses[i];
}

void Synthesis::in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) const {
  os::parallel_for(count, workers_, work, [&](std::size_t done) {
    if (progress_) progress_(static_cast<std::int64_t>(done), static_cast<std::int64_t>(count));
  });
}

LogicUse Synthesis::map(const Task& task, const Netlist& netlist) const {
  const Module& module = netlist.at(task.module);
  std::string design = module.text;
  std::set<std::string> stubs;
  for (const Module::Instance& child : module.instances) stubs.insert(child.module);
  for (const std::string& stub : stubs) design += netlist.at(stub).stub;
  map_module(design, mapping_script(task.uram, false), result_of(task));
  return read_cells(result_of(task));
}

LogicUse Synthesis::use_of(const Netlist& netlist, const std::string& module, bool uram) const {
  LogicUse use = own_.at({module, uram && is_memory(module)});
  for (const Module::Instance& child : netlist.at(module).instances) {
    use += use_of(netlist, child.module, uram && synth_design_.is_buffer(child));
  }
  return use;
}

std::vector<BlockUse> Synthesis::blocks(const std::vector<Kernel>& kernels, std::optional<std::size_t> only) {
  std::vector<Netlist> netlists;
  netlists.reserve(kernels.size());
  Tasks tasks;
  for (const Kernel& kernel : kernels) {
    netlists.push_back(elaborate(kernel));
    const Netlist& netlist = netlists.back();
    const std::string& top = top_of(netlist, synth_design_.sources().top);
    if (!only || *only == synth_design_.top_block()) tasks.emplace(Task{top, false}, &netlist);
    for (const Module::Instance& instance : netlist.at(top).instances) {
      const std::size_t block = synth_design_.block_of(instance);
      if (!only || *only == block) collect(netlist, instance.module, kernel.in_uram[block], tasks);
    }
  }
  synthesise(tasks);
  std::vector<BlockUse> uses;
  uses.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) uses.push_back(count(kernels[i], netlists[i], only));
  return uses;
}

BlockUse Synthesis::count(const Kernel& kernel, const Netlist& netlist, std::optional<std::size_t> only) const {
  BlockUse use(synth_design_.blocks().size());
  const std::string& top = top_of(netlist, synth_design_.sources().top);
  if (!only || *only == synth_design_.top_block()) use[synth_design_.top_block()] = own_.at({top, false});
  for (const Module::Instance& instance : netlist.at(top).instances) {
    const std::size_t block = synth_design_.block_of(instance);
    if (only && *only != block) continue;
    use[block] += use_of(netlist, instance.module, kernel.in_uram[block]);
  }
  return use;
}

LogicUse Synthesis::flattened(const Kernel& kernel) {
  const Netlist netlist = elaborate(kernel);
  std::string design;
  for (const auto& [name, module] : netlist) design += module.text;
  const std::string script = mapping_script(false, true);
  const fs::path result =
      build_context_.cache / (os::digest(inputs_ + script + top_of(netlist, synth_design_.sources().top)) + ".json");
  if (!fs::is_regular_file(result)) in_parallel(1, [&](std::size_t) { map_module(design, script, result); });
  return read_cells(result);
}

}  // namespace weft::synth
