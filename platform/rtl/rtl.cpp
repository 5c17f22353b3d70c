#include "platform/rtl/rtl.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "model/core/error.h"
#include "model/core/fnv1a.h"

namespace weft::rtl {

namespace fs = std::filesystem;
using fpgpt::Port;

namespace {

// "inp_beat" -> "InpBeat".
std::string camel_case(const std::string& name) {
  std::string text;
  bool upper = true;
  for (const char c : name) {
    if (c != '_') text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return text;
}

}  // namespace

std::vector<Parameter> parameters(const fpgpt::Alpha& a, std::int64_t max_sets) {
  std::vector<Parameter> all{{"X", a.x},
                             {"Y", a.y},
                             {"Z", a.z},
                             {"Band", a.band},
                             {"ZChannel", a.z_channel},
                             {"KRange", std::max<Words>(a.k_range, 1)},
                             {"KernWords", a.kern_words},
                             {"OutWords", a.out_words},
                             {"MaxSets", max_sets},
                             {"HasFgi", a.variant != fpgpt::Variant::GW, true},
                             {"HasGw", a.variant != fpgpt::Variant::FGI, true},
                             {"ExactBursts", a.profile.exact_bursts, true},
                             {"OverlapDrain", a.profile.overlap_drain, true},
                             {"WideKernLoad", a.profile.wide_kern_load, true},
                             {"EarlyKernFeed", a.profile.early_kern_feed, true},
                             {"PackedGwSets", a.profile.packed_gw_sets, true}};
  for (std::size_t i = 0; i < fpgpt::kFifos; ++i) {
    all.push_back({camel_case(fpgpt::kFifoInfos[i].name) + "Depth", a.fifo.all()[i]});
  }
  const auto port = [&](fpgpt::Port which, const stream::PortConfig& config) {
    const std::string name = camel_case(to_string(which));
    all.push_back({name + "MaxBurstBeats", config.max_burst_beats});
    all.push_back({name + "Outstanding", config.outstanding});
  };
  port(Port::Inp, a.inp_port);
  port(Port::Kern, a.kern_port);
  port(Port::Out, a.out_port);
  return all;
}

fs::path folder(const Workshop& workshop) {
  return workshop.source / "kernels/fpgpt/rtl";
}

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".sv") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end(), [](const fs::path& a, const fs::path& b) {
    const bool package_a = a.stem() == "fpgpt_pkg", package_b = b.stem() == "fpgpt_pkg";
    return package_a != package_b ? package_a : a < b;
  });
  return sources;
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Error(fmt::format("cannot read '{}'", path.string()));
  return text.str();
}

std::string digest(const std::string& text) {
  Fnv1a64 a, b(0x9AE16A3B2F90404FU);  // two starts make 128 bits
  a.add_bytes(text);
  b.add_bytes(text);
  return fmt::format("{:016x}{:016x}", a.value(), b.value());
}

std::string first_error(const fs::path& log) {
  std::ifstream in(log);
  std::string line;
  while (std::getline(in, line)) {
    if (line.find("rror") != std::string::npos || line.find("ERROR") != std::string::npos) return line;
  }
  return "no error in its output";
}

}  // namespace weft::rtl
