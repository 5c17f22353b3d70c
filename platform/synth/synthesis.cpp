#include "platform/synth/synthesis.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "model/core/error.h"
#include "platform/os/packages.h"
#include "platform/os/parallel.h"
#include "platform/synth/yosys.h"

namespace weft::synth {

namespace fs = std::filesystem;
using fpgpt::LogicUse;
using fpgpt::RtlBlock;

namespace {

constexpr const char* kTop = "fpgpt_kernel";

// The instances of fpgpt_kernel by block, beside the FIFOs. Both variants' decode, feeder and constructor have the same
// instance name: their modules tell them apart.
struct Membership {
  const char* instance;
  const char* module;  // the end of its name, or ""
  RtlBlock block;
};
constexpr Membership kMembers[] = {
    {"u_regs", "", RtlBlock::Registers},
    {"u_activity", "", RtlBlock::Registers},
    {"u_precompute", "", RtlBlock::Precompute},
    {"u_inp_reader", "", RtlBlock::InpReader},
    {"u_inp_read_walker", "", RtlBlock::InpReader},
    {"u_inp_decode_walker", "", RtlBlock::InpReader},
    {"u_inp_decode", "", RtlBlock::InpDecode},
    {"u_inp_construct", "", RtlBlock::InpConstruct},
    {"u_im2col", "", RtlBlock::Im2col},
    {"u_kern_reader", "", RtlBlock::KernReader},
    {"u_kern_read_walker", "", RtlBlock::KernReader},
    {"u_kern_decode_walker", "", RtlBlock::KernReader},
    {"u_kern_decode", "kern_decode_gw", RtlBlock::KernDecodeGw},
    {"u_kern_decode", "", RtlBlock::KernDecodeFgi},
    {"u_kern_feeder", "kern_feeder_gw", RtlBlock::KernFeederGw},
    {"u_kern_feeder", "", RtlBlock::KernFeederFgi},
    {"u_array", "", RtlBlock::Array},
    {"u_out_constructor", "out_constructor_gw", RtlBlock::OutConstructorGw},
    {"u_out_constructor", "", RtlBlock::OutConstructorFgi},
    {"u_out_encode", "", RtlBlock::OutEncode},
    {"u_out_writer", "", RtlBlock::OutWriter},
};

RtlBlock block_of(const Module::Instance& instance) {
  for (const Membership& member : kMembers) {
    if (instance.name == member.instance && instance.module.find(member.module) != std::string::npos)
      return member.block;
  }
  for (const FifoInfo& fifo : fpgpt::kFifoInfos) {
    if (instance.name == fmt::format("u_{}", fifo.name)) return RtlBlock::Fifos;
  }
  throw std::logic_error(fmt::format("fpgpt_kernel has an instance {} that belongs to no block", instance.name));
}

bool in_uram(const fpgpt::Alpha& alpha, RtlBlock block) {
  using fpgpt::Storage;
  switch (block) {
    case RtlBlock::Im2col:
      return alpha.inp_storage == Storage::URAM;
    case RtlBlock::KernFeederFgi:
    case RtlBlock::KernFeederGw:
      return alpha.kern_storage == Storage::URAM;
    case RtlBlock::OutConstructorFgi:
    case RtlBlock::OutConstructorGw:
      return alpha.out_storage == Storage::URAM;
    default:
      return false;
  }
}

// Of what a module in a block with URAM has, the buffers' memories; the table of start(s) is none of them.
bool child_in_uram(const Module::Instance& instance, bool uram) {
  return uram && instance.name != "u_start";
}

bool is_memory(const std::string& module) {
  const std::size_t at = module.find("\\ram");  // "$paramod$<digest>\ram" or "$paramod\ram\Width=..."
  return at != std::string::npos && (at + 4 == module.size() || module[at + 4] == '\\');
}

const std::string& top_of(const Netlist& netlist) {
  for (const auto& [name, module] : netlist) {
    if (name.find(kTop) != std::string::npos) return name;
  }
  throw std::logic_error("the elaborated kernel has no top");
}

}  // namespace

Synthesis::Synthesis(rtl::Workshop workshop, int workers, Progress progress)
    : workshop_(std::move(workshop)), workers_(workers), progress_(std::move(progress)) {
  os::require_packages(workshop_.source, "synth");
  inputs_ = yosys_version();
  for (const fs::path& source : rtl::sources(rtl::folder(workshop_))) inputs_ += rtl::content(source);
  std::error_code code;
  fs::create_directories(workshop_.cache, code);
  if (code) throw Error(fmt::format("cannot create '{}': {}", workshop_.cache.string(), code.message()));
}

Netlist Synthesis::elaborate(const Kernel& kernel) {
  std::string files, parameters;
  for (const fs::path& source : rtl::sources(rtl::folder(workshop_))) files += " " + script_word(source);
  for (const rtl::Parameter& each : rtl::parameters(kernel.alpha, kernel.max_sets)) {
    parameters += each.bit ? fmt::format(" -set {} 1'b{}", each.name, each.value)
                           : fmt::format(" -set {} {}", each.name, each.value);
  }
  const std::string script = fmt::format("read_verilog -sv -DSYNTHESIS{}\nchparam{} {}\nhierarchy -check -top {}\n",
                                         files, parameters, kTop, kTop);
  const fs::path result = workshop_.cache / (rtl::digest(inputs_ + parameters) + ".il");
  if (!fs::exists(result)) run_yosys(script, "write_rtlil {}", result);
  return read_rtlil(rtl::content(result));
}

fs::path Synthesis::result_of(const Task& task) const {
  return workshop_.cache / (rtl::digest(inputs_ + mapping_script(task.uram, false) + task.module) + ".json");
}

void Synthesis::collect(const Netlist& netlist, const std::string& module, bool uram, Tasks& tasks) const {
  const bool own_uram = uram && is_memory(module);
  tasks.emplace(Task{module, own_uram}, &netlist);
  for (const Module::Instance& child : netlist.at(module).instances) {
    collect(netlist, child.module, child_in_uram(child, uram), tasks);
  }
}

void Synthesis::synthesise(const Tasks& tasks) {
  std::vector<std::pair<Task, const Netlist*>> open;
  for (const auto& [task, netlist] : tasks) {
    if (own_.count(task) > 0) continue;
    if (fs::exists(result_of(task))) {
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
    use += use_of(netlist, child.module, child_in_uram(child, uram));
  }
  return use;
}

std::vector<BlockUse> Synthesis::blocks(const std::vector<Kernel>& kernels, std::optional<RtlBlock> only) {
  std::vector<Netlist> netlists;
  netlists.reserve(kernels.size());
  Tasks tasks;
  for (const Kernel& kernel : kernels) {
    netlists.push_back(elaborate(kernel));
    const Netlist& netlist = netlists.back();
    const std::string& top = top_of(netlist);
    if (!only || *only == RtlBlock::Wiring) tasks.emplace(Task{top, false}, &netlist);
    for (const Module::Instance& instance : netlist.at(top).instances) {
      const RtlBlock block = block_of(instance);
      if (!only || *only == block) collect(netlist, instance.module, in_uram(kernel.alpha, block), tasks);
    }
  }
  synthesise(tasks);
  std::vector<BlockUse> uses;
  uses.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) uses.push_back(count(kernels[i], netlists[i], only));
  return uses;
}

BlockUse Synthesis::count(const Kernel& kernel, const Netlist& netlist, std::optional<RtlBlock> only) const {
  BlockUse use{};
  const std::string& top = top_of(netlist);
  if (!only || *only == RtlBlock::Wiring) use[static_cast<std::size_t>(RtlBlock::Wiring)] = own_.at({top, false});
  for (const Module::Instance& instance : netlist.at(top).instances) {
    const RtlBlock block = block_of(instance);
    if (only && *only != block) continue;
    use[static_cast<std::size_t>(block)] += use_of(netlist, instance.module, in_uram(kernel.alpha, block));
  }
  return use;
}

LogicUse Synthesis::flattened(const Kernel& kernel) {
  const Netlist netlist = elaborate(kernel);
  std::string design;
  for (const auto& [name, module] : netlist) design += module.text;
  const std::string script = mapping_script(false, true);
  const fs::path result = workshop_.cache / (rtl::digest(inputs_ + script + top_of(netlist)) + ".json");
  if (!fs::exists(result)) in_parallel(1, [&](std::size_t) { map_module(design, script, result); });
  return read_cells(result);
}

}  // namespace weft::synth
