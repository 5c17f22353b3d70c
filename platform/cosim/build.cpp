#include "platform/cosim/build.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "model/core/error.h"
#include "platform/rtl/rtl.h"

namespace weft::cosim {

namespace fs = std::filesystem;
using rtl::content;
using rtl::digest;
using rtl::quoted;

namespace {

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

}  // namespace

RtlBuild::RtlBuild(const fpgpt::Alpha& alpha, std::int64_t max_sets, const Workshop& workshop) {
  const fs::path folder_of_rtl = rtl::folder(workshop);
  const fs::path adapter = workshop.source / "platform/cosim/verilated_kernel.cpp";
  const Parameters p = parameters(alpha, max_sets);
  std::string files = quoted(folder_of_rtl / "waivers.vlt"), everything = p.rtl + p.adapter;
  everything += content(folder_of_rtl / "waivers.vlt");
  for (const fs::path& source : rtl::sources(workshop)) {
    files += " " + quoted(source);
    everything += content(source);
  }
  const std::string options =
      "--cc --exe --build --assert -Wall -O3 --x-assign fast --top fpgpt_kernel -CFLAGS '-fPIC -O2 -std=c++17 -w' "
      "-LDFLAGS -shared";
  for (const char* header : {"platform/cosim/rtl_kernel.h", "kernels/fpgpt/fp32.h", "model/fpgpt/ports.h"}) {
    everything += content(workshop.source / header);
  }
  everything += options + content(adapter);
  const fs::path folder = workshop.cache / digest(everything), library = folder / "kernel.so";
  was_cached_ = fs::exists(library);
  if (!was_cached_) {
    std::error_code code;
    fs::create_directories(workshop.cache, code);
    const fs::path scratch = folder.string() + fmt::format(".{}", getpid()), log = folder.string() + ".log";
    const std::string command =
        fmt::format("verilator {}{} -CFLAGS '{} -I{}' --Mdir {} -o kernel.so {} {} >{} 2>&1", options, p.rtl, p.adapter,
                    workshop.source.string(), quoted(scratch), files, quoted(adapter), quoted(log));
    if (code || std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c): the command is made of our own paths
      fs::remove_all(scratch, code);
      throw Error(fmt::format("the RTL does not build for this kernel ({}): {}", log.string(), rtl::first_error(log)));
    }
    fs::create_directories(folder, code);
    fs::rename(scratch / "kernel.so", library, code);
    fs::remove_all(scratch, code);
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
