#include "platform/cosim/build.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "model/core/error.h"
#include "platform/os/packages.h"
#include "platform/os/shell.h"
#include "platform/os/temporary_folder.h"
#include "platform/rtl/rtl.h"

namespace weft::cosim {

namespace fs = std::filesystem;
using os::shell_word;
using rtl::content;
using rtl::digest;

namespace {

// What the adapter is made of, beside the RTL.
constexpr std::array kAdapterSources{"platform/cosim/verilated_kernel.cpp",
                                     "platform/cosim/verilator_print.h",
                                     "platform/cosim/rtl_kernel.h",
                                     "kernels/fpgpt/fp32.h",
                                     "model/stream/ports.h",
                                     "model/conv/convolution.h",
                                     "model/core/units.h"};

struct Parameters {
  std::string rtl;      // -G options
  std::string adapter;  // -D options
};

Parameters parameters(const fpgpt::Alpha& a, std::int64_t max_sets) {
  Parameters p;
  for (const rtl::Parameter& each : rtl::parameters(a, max_sets)) {
    p.rtl += each.bit ? fmt::format(" \"-G{}=1'b{}\"", each.name, each.value)
                      : fmt::format(" -G{}={}", each.name, each.value);
  }
  const int fgi = a.variant == fpgpt::Variant::GW ? 1 : a.profile.wide_kern_load ? a.band : 1;
  const int gw = a.variant == fpgpt::Variant::FGI ? 1 : a.y;
  p.adapter = fmt::format("-DALPHA_X={} -DALPHA_Y={} -DALPHA_Z={} -DALPHA_BAND={} -DALPHA_KERN_LANES={}", a.x, a.y, a.z,
                          a.band, std::max(fgi, gw));
  return p;
}

// All options of Verilator but the files; paths are relative to a Scratch.
std::string command_line(const Parameters& p, const BuildOptions& options) {
  const char* optimise = options.quick ? "-O1" : "-O2";
  std::string text = fmt::format("--cc --exe --build {} -O3 --x-assign fast --top fpgpt_kernel -LDFLAGS -shared",
                                 options.strict ? "-Wall" : "-Wno-lint -Wno-fatal");
  text += options.strict ? " --assert" : "";
  text += options.waves ? " --trace-fst" : "";
  // Verilator's slow files run once.
  text += fmt::format(" -MAKEFLAGS 'OPT_FAST={0} OPT_SLOW=-O0 OPT_GLOBAL={0}'", optimise);
  text += fmt::format(
      " -CFLAGS '-fPIC -std=c++17 -w -I../src -DVL_USER_STOP -DVL_PRINTF=weft_verilator_print "
      "-include platform/cosim/verilator_print.h {}'",
      p.adapter);
  return text + p.rtl;
}

// The folder of one build. Make knows no directory whose name holds a space, so it is a temporary one, and the sources
// are reached through links in it.
class Scratch {
 public:
  Scratch(const fs::path& source, const fs::path& rtl) {
    fs::create_directory_symlink(fs::absolute(source), path() / "src");
    fs::create_directory_symlink(fs::absolute(rtl), path() / "rtl");
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

// Held while one process makes a build; the others wait, and then find it done.
class BuildLock {
 public:
  explicit BuildLock(const fs::path& file) : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0 || flock(descriptor_, LOCK_EX) != 0)
      throw Error(fmt::format("cannot lock '{}'", file.string()));
  }
  ~BuildLock() { close(descriptor_); }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

 private:
  int descriptor_;
};

// Leaves kernel.so in `folder`, complete or not at all.
void compile(const std::string& settings, const fs::path& folder_of_rtl, const fs::path& source,
             const fs::path& folder) {
  const Scratch scratch(source, folder_of_rtl);
  const fs::path log = folder.string() + ".log", fresh = folder.string() + fmt::format(".{}", getpid());
  std::error_code code;
  std::string files = "rtl/waivers.vlt";
  for (const fs::path& file : rtl::sources(folder_of_rtl)) files += " " + shell_word(fs::path("rtl") / file.filename());
  const std::string command = fmt::format(
      "cd {} && verilator {} --Mdir obj -o kernel.so {} ../src/platform/cosim/verilated_kernel.cpp >{} 2>&1",
      shell_word(scratch.path()), settings, files, shell_word(fs::absolute(log)));
  if (std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c): the command is made of our own paths
    throw Error(fmt::format("the RTL does not build for this kernel ({}): {}", log.string(), rtl::first_error(log)));
  }
  fs::create_directory(fresh, code);
  fs::copy_file(scratch.path() / "obj/kernel.so", fresh / "kernel.so", fs::copy_options::overwrite_existing, code);
  if (code) throw Error(fmt::format("cannot write '{}': {}", fresh.string(), code.message()));
  fs::rename(fresh, folder, code);
  if (code) throw Error(fmt::format("cannot write '{}': {}", folder.string(), code.message()));
}

}  // namespace

RtlBuild::RtlBuild(const fpgpt::Alpha& alpha, std::int64_t max_sets, const Workshop& workshop,
                   const BuildOptions& options) {
  const fs::path folder_of_rtl = options.rtl.empty() ? rtl::folder(workshop) : options.rtl;
  const Parameters p = parameters(alpha, max_sets);
  const std::string settings = command_line(p, options);
  std::string everything = settings + content(folder_of_rtl / "waivers.vlt");
  for (const fs::path& source : rtl::sources(folder_of_rtl)) everything += source.filename().string() + content(source);
  for (const char* file : kAdapterSources) everything += content(workshop.source / file);
  const fs::path folder = workshop.cache / digest(everything), library = folder / "kernel.so";
  was_cached_ = fs::exists(library);
  if (!was_cached_) {
    os::require_packages(workshop.source, "cosim");
    std::error_code code;
    fs::create_directories(workshop.cache, code);
    if (code) throw Error(fmt::format("cannot create '{}': {}", workshop.cache.string(), code.message()));
    const BuildLock lock(folder.string() + ".lock");
    was_cached_ = fs::exists(library);
    if (!was_cached_)
      compile(settings + fmt::format(" --build-jobs {}", options.jobs), folder_of_rtl, workshop.source, folder);
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
