#include "platform/hardware/cosim/build.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "model/core/error.h"
#include "platform/hardware/rtl/package.h"
#include "platform/os/content.h"
#include "platform/os/data_root.h"
#include "platform/os/failure.h"
#include "platform/os/jit_library.h"
#include "platform/os/process.h"
#include "platform/os/temporary_folder.h"

namespace weft::cosim {

namespace fs = std::filesystem;
using os::content;
using os::digest;
using Arguments = std::vector<std::string>;

namespace {

// Included in every file of Verilator's library.
constexpr const char* kPrint = "platform/hardware/cosim/verilator_print.h";

// Sources of the adapter, without the RTL.
constexpr std::array kAdapterSources{"platform/hardware/cosim/verilated_kernel.cpp",
                                     kPrint,
                                     "platform/hardware/cosim/rtl_kernel.h",
                                     "kernels/fp32.h",
                                     "model/core/activity.h",
                                     "model/stream/cycle_events.h",
                                     "model/stream/ports.h",
                                     "model/core/units.h"};

// The module that is built, with the names of its pins and of signals inside the kernel's top.
class Names {
 public:
  Names(const rtl::Sources& sources, const fs::path& wrapper)
      : top_(wrapper.empty() ? sources.top : wrapper.stem().string()), wrapped_(!wrapper.empty()) {}

  const std::string& top() const { return top_; }
  std::string inside() const { return top_ + (wrapped_ ? fmt::format("__DOT__{}__DOT__", rtl::kWrapped) : "__DOT__"); }
  std::string clock() const { return wrapped_ ? rtl::kClockPin : "clk_i"; }
  std::string reset() const { return wrapped_ ? rtl::kResetPin : "rst_ni"; }
  // `name` includes the suffix of its direction: "arvalid_o".
  std::string pin(const std::string& port, const std::string& name) const {
    return wrapped_ ? rtl::memory_port(port) + "_" + name.substr(0, name.size() - 2) : port + "_" + name;
  }
  std::string control(const std::string& name) const {
    return wrapped_ ? std::string(rtl::kControlPort) + "_" + name.substr(0, name.size() - 2) : "s_" + name;
  }

 private:
  std::string top_;
  bool wrapped_;
};

constexpr const char* kVisible = "states.vlt";
constexpr const char* kModel = "weft_model.sv";  // of a build with waves

// Pins of the AXI4-Lite slave, in the order of ControlPins (verilated_kernel.cpp).
constexpr std::array kControlPins{"awvalid_i", "awready_o", "awaddr_i", "wvalid_i", "wready_o",  "wdata_i",
                                  "wstrb_i",   "bvalid_o",  "bready_i", "bresp_o",  "arvalid_i", "arready_o",
                                  "araddr_i",  "rvalid_o",  "rready_i", "rdata_o",  "rresp_o"};

// Bits of the words of a FIFO's token, at least one.
int token_bits(const Hardware& hardware, std::size_t fifo) {
  return std::max(1, hardware.fifo_words[fifo] * hardware.fifo_word_bits[fifo]);
}

// Module for the values of the model, an instance of the kernel's top: number of the cycle, push, pop and words of each
// FIFO, handshakes of each port. The adapter writes its signals.
std::string model_module(const Hardware& hardware) {
  std::string text = "// verilator lint_off UNDRIVEN\n// verilator lint_off UNUSED\nmodule weft_model ();\n";
  const auto add = [&](int bits, const std::string& name) {
    const std::string range = bits > 1 ? fmt::format("[{}:0] ", bits - 1) : "";
    text += fmt::format("  logic {}{} /*verilator public_flat_rw*/;\n", range, name);
  };
  add(32, "cycle");
  for (std::size_t i = 0; i < hardware.topology->fifos.size(); ++i) {
    const std::string name = hardware.topology->fifos[i].name;
    add(1, name + "_push");
    add(1, name + "_pop");
    add(token_bits(hardware, i), name + "_data");
  }
  for (const PortInfo& port : hardware.topology->ports) {
    const std::string name = port.name;
    add(1, name + "_address");
    add(64, name + "_addr");
    add(9, name + "_beats");
    add(1, name + "_beat");
    add(1, name + "_response");
  }
  return text + fmt::format("endmodule\nbind {} weft_model u_model ();\n", hardware.rtl.sources.top);
}

// C++ code that binds the adapter to Verilator's names of the kernel's signals; verilated_kernel.cpp includes it.
std::string signals(const Hardware& hardware, const Names& names, const BuildOptions& options) {
  const bool states = options.states;
  const Topology& topology = *hardware.topology;
  const std::string inside = names.inside();
  std::string text = fmt::format("constexpr int kBand = {};\nconstexpr std::size_t kBlocks = {}, kFifos = {};\n",
                                 hardware.band, topology.blocks.size(), topology.fifos.size());
  for (const char* state : {"running", "busy"}) {
    text += fmt::format("bool is_{0}(Vkernel& dut) {{ return dut.rootp->{1}{0} != 0; }}\n", state, inside);
  }
  text +=
      fmt::format("ControlPins control_pins(Vkernel& dut) {{\n  return {{dut.{}, dut.{}", names.clock(), names.reset());
  for (const char* pin : kControlPins) text += ", dut." + names.control(pin);
  text += "};\n}\ntemplate <class Visit>\nvoid for_each_port(Vkernel& dut, Visit visit) {\n";
  for (std::size_t i = 0; i < topology.ports.size(); ++i) {
    const PortInfo& port = topology.ports[i];
    const bool read = port.direction == PortDirection::Read;
    const auto pin = [&](const char* name) { return "dut." + names.pin(port.name, name); };
    const std::vector<const char*> pins =
        read ? std::vector<const char*>{"arready_i", "arvalid_o", "araddr_o", "arlen_o",
                                        "rready_o",  "rvalid_i",  "rlast_i",  "rdata_i"}
             : std::vector<const char*>{"awready_i", "awvalid_o", "awaddr_o", "awlen_o",  "wready_i", "wvalid_o",
                                        "wlast_o",   "wdata_o",   "wstrb_o",  "bvalid_i", "bready_o"};
    std::string list;
    for (const char* name : pins) list += (list.empty() ? "" : ", ") + pin(name);
    text += read ? fmt::format("  visit({}, ReadPins<decltype({})>{{{}}});\n", i, pin("rdata_i"), list)
                 : fmt::format("  visit({}, WritePins<decltype({}), decltype({})>{{{}}});\n", i, pin("wdata_o"),
                               pin("wstrb_o"), list);
  }
  text += "}\ntemplate <class Visit>\nvoid for_each_fifo(Vkernel& dut, Visit visit) {\n  auto& root = *dut.rootp;\n";
  for (std::size_t i = 0; i < topology.fifos.size(); ++i) {
    const std::string fifo = fmt::format("root.{}u_{}__DOT__", inside, topology.fifos[i].name);
    text += fmt::format("  visit({0}, {1}push_i, {1}pop_i, {1}data_i, {2}, {3});\n", i, fifo, hardware.fifo_words[i],
                        hardware.fifo_word_bits[i]);
  }
  text += "}\ntemplate <class Visit>\nvoid for_each_state(";
  text += states ? "Vkernel& dut, Visit visit) {\n  auto& root = *dut.rootp;\n" : "Vkernel&, Visit) {\n";
  for (std::size_t i = 0; i < topology.blocks.size() && states; ++i) {
    text += fmt::format("  visit.block({}, root.{}activity);\n", i, inside);
  }
  for (std::size_t i = 0; i < topology.fifos.size() && states; ++i) {
    text += fmt::format("  visit.fifo({}, root.{}u_{}__DOT__count_q);\n", i, inside, topology.fifos[i].name);
  }
  if (!options.waves) return text + "}\n";
  const std::string model = "root." + inside + "u_model__DOT__";
  text += "}\ntemplate <class Visit>\nvoid for_each_model(Vkernel& dut, Visit visit) {\n  auto& root = *dut.rootp;\n";
  text += fmt::format("  visit.cycle({}cycle);\n", model);
  for (std::size_t i = 0; i < topology.fifos.size(); ++i) {
    text += fmt::format("  visit.fifo({0}, {1}_push, {1}_pop, {1}_data, {2}, {3});\n", i,
                        model + topology.fifos[i].name, hardware.fifo_words[i], hardware.fifo_word_bits[i]);
  }
  for (std::size_t i = 0; i < topology.ports.size(); ++i) {
    text += fmt::format("  visit.port({0}, {1}_address, {1}_addr, {1}_beats, {1}_beat, {1}_response);\n", i,
                        model + topology.ports[i].name);
  }
  return text + "}\n";
}

// Signals that Verilator must keep for the states: two bits for each block (counted by activity_counters.sv), and the
// number of tokens in each FIFO.
std::string visible(const rtl::Sources& sources) {
  return fmt::format(
      "`verilator_config\npublic_flat_rd -module \"{}\" -var \"activity\"\n"
      "public_flat_rd -module \"fifo\" -var \"count_q\"\n",
      sources.top);
}

// Verilator's options common to all kernels; paths are relative to a Scratch.
Arguments verilator(const BuildOptions& options) {
  const char* const optimise = options.quick ? "-O1" : "-O2";
  Arguments words{"verilator", "--cc",     "--exe",   "--build",  "-O3",    "--x-assign",
                  "fast",      "--prefix", "Vkernel", "-LDFLAGS", "-shared"};
  const auto add = [&](const Arguments& more) { words.insert(words.end(), more.begin(), more.end()); };
  add(options.strict ? Arguments{"-Wall", "--assert"} : Arguments{"-Wno-lint", "-Wno-fatal"});
  if (options.waves) add({"--trace-fst"});
  // Verilator's slow files run once. Only its library prints: since Verilator 5.022 the files of a kernel use a
  // precompiled header, which GCC does not read after another -include.
  add({"-MAKEFLAGS",
       fmt::format("OPT_FAST={0} OPT_SLOW=-O0 OPT_GLOBAL='{0} -DVL_PRINTF=weft_verilator_print -include {1}'", optimise,
                   kPrint)});
  add({"-CFLAGS", "-fPIC -std=c++17 -w -I../src -I.. -DVL_USER_STOP"});
  return words;
}

// Verilator's options of one kernel, without the files.
Arguments of_kernel(const rtl::Kernel& kernel, const Names& names, const BuildOptions& options) {
  Arguments words{"--top", names.top()};
  if (!options.wrapper.empty()) return words;  // the wrapper sets the parameters
  for (const rtl::Parameter& each : kernel.parameters) {
    words.push_back(fmt::format("-G{}={}{}", each.name, each.bit ? "1'b" : "", each.value));
  }
  return words;
}

// Folder of one build. It is a temporary folder with links to the sources, because make cannot handle spaces in paths.
class Scratch {
 public:
  Scratch(const fs::path& source, const rtl::Files& files, const fs::path& wrapper) {
    fs::create_directory_symlink(fs::absolute(source), path() / "src");
    fs::create_directory(path() / "rtl");
    for (const auto* kind : {&files.waivers, &files.sources}) {
      for (const fs::path& file : *kind) fs::create_symlink(fs::absolute(file), path() / "rtl" / file.filename());
    }
    if (!wrapper.empty()) fs::create_symlink(fs::absolute(wrapper), path() / wrapper.filename());
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  static fs::path temporary() {
    std::error_code code;
    const fs::path path = fs::temp_directory_path(code);
    return code || path.string().find_first_of(" \t") != std::string::npos ? fs::path("/tmp") : path;
  }
  os::TemporaryFolder folder_{temporary(), "weft-cosim-"};
};

// Cached objects of Verilator's own library, which is the same in all builds with the same options. Complete or absent.
class VerilatorLibrary {
 public:
  VerilatorLibrary(const BuildContext& build_context, const Arguments& verilator) {
    std::string everything = os::output_of({{verilator.front(), "--version"}}).text;
    for (const std::string& word : verilator) everything += " " + word;
    folder_ = build_context.cache / ("verilated-" + digest(everything + content(build_context.source / kPrint)));
  }

  // Copies the cached objects into `objects`; `make -o` prevents that they are rebuilt because of their age.
  void lend(const fs::path& objects, Arguments& words) const {
    std::error_code code;
    std::string old;
    for (const auto& entry : fs::directory_iterator(folder_, code)) {
      fs::copy_file(entry.path(), objects / entry.path().filename(), code);
      if (code) return;  // make then compiles all of it again
      old += " -o " + entry.path().filename().string();
    }
    if (!old.empty()) words.insert(words.end(), {"-MAKEFLAGS", old});
  }
  // Caches the library objects of a build unless they are cached; failure is harmless.
  void keep(const fs::path& objects) const {
    const os::BuildLock lock(folder_.string() + ".lock");
    std::error_code code;
    if (fs::exists(folder_, code)) return;
    const fs::path fresh = folder_.string() + fmt::format(".{}", getpid());
    fs::create_directories(fresh, code);
    for (const auto& entry : fs::directory_iterator(objects, code)) {
      const std::string name = entry.path().filename();
      const bool own = name.rfind("verilated", 0) == 0 && name != "verilated_kernel.o";
      if (own && entry.path().extension() == ".o" && !code) fs::copy_file(entry.path(), fresh / name, code);
    }
    if (!code) fs::rename(fresh, folder_, code);
    if (code) fs::remove_all(fresh, code);
  }

 private:
  fs::path folder_;
};

// Writes kernel.so into `folder`, complete or not at all.
void compile(Arguments words, const VerilatorLibrary& verilated, const Hardware& hardware, const Names& names,
             const BuildOptions& options, const rtl::Files& files, const fs::path& source, const fs::path& folder) {
  const Scratch scratch(source, files, options.wrapper);
  const fs::path log = folder.string() + ".log", fresh = folder.string() + fmt::format(".{}", getpid());
  std::error_code code;
  std::ofstream(scratch.path() / "kernel_signals.inc") << signals(hardware, names, options);
  if (options.states) {
    std::ofstream(scratch.path() / kVisible) << visible(hardware.rtl.sources);
    words.emplace_back(kVisible);
  }
  if (options.waves) std::ofstream(scratch.path() / kModel) << model_module(hardware);
  const fs::path objects = scratch.path() / "obj";
  fs::create_directory(objects);
  verilated.lend(objects, words);
  for (const char* word : {"--Mdir", "obj", "-o", "kernel.so"}) words.emplace_back(word);
  for (const auto* kind : {&files.waivers, &files.sources}) {
    for (const fs::path& file : *kind) words.push_back(fs::path("rtl") / file.filename());
  }
  if (!options.wrapper.empty()) words.push_back(options.wrapper.filename());
  if (options.waves) words.emplace_back(kModel);
  words.emplace_back("../src/platform/hardware/cosim/verilated_kernel.cpp");
  if (os::run({words, scratch.path()}, log) != 0) {
    throw Error(fmt::format("the RTL does not build for this kernel ({}): {}", log.string(), os::first_error(log)));
  }
  verilated.keep(objects);
  fs::create_directory(fresh, code);
  fs::copy_file(objects / "kernel.so", fresh / "kernel.so", fs::copy_options::overwrite_existing, code);
  if (code) os::fail(fmt::format("cannot write '{}'", fresh.string()), code.value());
  fs::rename(fresh, folder, code);
  if (code) os::fail(fmt::format("cannot write '{}'", folder.string()), code.value());
}

}  // namespace

RtlBuild::RtlBuild(const Hardware& hardware, const BuildContext& build_context, const BuildOptions& options) {
  os::require_checkout(build_context.source, kAdapterSources.front(), "the simulation of the RTL");
  const rtl::Sources& sources = hardware.rtl.sources;
  const rtl::Files files = options.rtl.empty() ? rtl::files(sources, build_context) : rtl::files(sources, options.rtl);
  const Names names(sources, options.wrapper);
  const Arguments general = verilator(options), own = of_kernel(hardware.rtl, names, options);
  Arguments words = general;
  words.insert(words.end(), own.begin(), own.end());
  std::string everything = signals(hardware, names, options) + (options.waves ? model_module(hardware) : "");
  if (!options.wrapper.empty()) everything += content(options.wrapper);
  for (const std::string& word : words) everything += " " + word;
  for (const auto* kind : {&files.waivers, &files.sources}) {
    for (const fs::path& file : *kind) everything += file.filename().string() + content(file);
  }
  for (const char* file : kAdapterSources) everything += content(build_context.source / file);
  const fs::path folder = build_context.cache / digest(everything), library = folder / "kernel.so";
  was_cached_ = fs::is_regular_file(library);
  if (!was_cached_) {
    os::require_packages(build_context.source, "cosim");
    std::error_code code;
    fs::create_directories(build_context.cache, code);
    if (code) os::fail(fmt::format("cannot create '{}'", build_context.cache.string()), code.value());
    const os::BuildLock lock(folder.string() + ".lock");
    was_cached_ = fs::is_regular_file(library);
    if (!was_cached_) {
      words.insert(words.end(), {"--build-jobs", std::to_string(options.jobs)});
      compile(std::move(words), VerilatorLibrary(build_context, general), hardware, names, options, files,
              build_context.source, folder);
    }
  }
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw Error(fmt::format("cannot load '{}': {}", library.string(), dlerror()));
}

RtlBuild::~RtlBuild() {
  if (library_) dlclose(library_);
}

std::unique_ptr<RtlKernel> RtlBuild::make() const {
  const auto make_kernel = reinterpret_cast<MakeKernel>(dlsym(library_, kMakeKernel));
  if (!make_kernel) throw Error(fmt::format("the RTL's library exports no {}", kMakeKernel));
  return std::unique_ptr<RtlKernel>(make_kernel());
}

}  // namespace weft::cosim
